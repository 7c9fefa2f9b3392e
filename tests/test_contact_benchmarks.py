"""The commands that measure contact solvers run, and read the formats they say."""

from __future__ import annotations

import gzip
import importlib
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks import friction_problems, thrown_boxes
from tests.ce_dynamics.complementarity.piles import sphere_wall


def test_friction_problems_are_read_from_text_and_hdf5(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = sphere_wall(6, 0.4)
    W, q, mu = problem.delassus, problem.b, problem.conditions.mu[1::3]
    m, n = len(q), len(mu)

    def words(*parts: object) -> str:
        return "\n".join(" ".join(str(x) for x in np.ravel(np.array(part))) for part in parts)

    dense = words([3, n, 0, m, m, m, m], W.T.ravel(), q, mu)
    ends = 3 * np.arange(1, n + 1)
    every = np.tile(np.arange(n), n)
    blocks = [
        words([k], W[3 * i : 3 * i + 3, 3 * j : 3 * j + 3].T.ravel())
        for k, (i, j) in enumerate((i, j) for i in range(n) for j in range(n))
    ]
    header = words([3, n, 1, m, m, n * n, n, n], ends, ends, [n + 1, n * n], n * np.arange(n + 1), every)
    sparse = "\n".join([header, *blocks, words(q, mu)])
    (tmp_path / "a.dat").write_text(dense)
    (tmp_path / "b.dat.gz").write_bytes(gzip.compress(sparse.encode()))
    h5py = importlib.import_module("h5py")  # has no types
    with h5py.File(tmp_path / "c.hdf5", "w") as file:
        group = file.create_group("fclib_local")
        i, j = np.nonzero(W)
        for name, value in {"m": m, "n": m, "nz": len(i), "i": i, "p": j, "x": W[i, j]}.items():
            group[f"W/{name}"] = np.array(value, ndmin=1)
        group["vectors/q"], group["vectors/mu"] = q, mu
    (tmp_path / "d.dat").write_text("3 1 7")
    for name in ("a.dat", "b.dat.gz", "c.hdf5"):
        found = friction_problems.read(tmp_path / name)
        matrix = found.W if isinstance(found.W, np.ndarray) else found.W.toarray()
        np.testing.assert_allclose(matrix, W, rtol=1e-15)
        np.testing.assert_allclose(found.q, q, rtol=1e-15)
        np.testing.assert_array_equal(found.mu, mu)
    friction_problems.main([str(tmp_path)])
    printed = capsys.readouterr().out
    assert printed.count("Newton") + printed.count("gradients") == 3
    assert "not converged" not in printed
    assert "d.dat: not read" in printed


def test_thrown_boxes_all_land() -> None:
    model, body = thrown_boxes.box()
    unilateral = thrown_boxes.standing(model, body, 0.6)
    for seed in range(2):
        one = thrown_boxes.throw(unilateral, 0.6, seed, 0.7)
        assert one.reached == 0.7
        assert one.unresolved == 0
