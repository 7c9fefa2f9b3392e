"""The commands that measure contact solvers run, and read the formats they say."""

import gzip
import importlib
from pathlib import Path

import numpy as np
import pytest

from tests.benchmarks import contact, friction_problems
from tests.ce_dynamics.contact.piles import sphere_wall


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
    table = tmp_path / "table.csv"
    friction_problems.main([str(tmp_path), "--store", str(table)])
    friction_problems.main([str(tmp_path), "--against", str(table)])
    printed = capsys.readouterr().out
    assert printed.count("Newton") == 6
    assert "3 of 3 that were solved are solved" in printed
    assert "not converged" not in printed
    assert "d.dat: not read" in printed


def test_global_problems_are_reduced_to_contacts(tmp_path: Path, rng: np.random.Generator) -> None:
    """M v = H r + G λ + f, Gᵀ v + b = 0 and u = Hᵀ v + w: λ is eliminated here by hand, with M⁻¹."""
    M, f = np.diag(rng.uniform(1.0, 3.0, size=8)), rng.normal(size=8)
    H, G, w, b = rng.normal(size=(8, 6)), rng.normal(size=(8, 2)), rng.normal(size=6), rng.normal(size=2)
    Y = np.linalg.inv(M)
    held = np.linalg.solve(G.T @ Y @ G, np.column_stack((G.T @ Y @ H, G.T @ Y @ f + b)))
    h5py = importlib.import_module("h5py")  # has no types
    with h5py.File(tmp_path / "g.hdf5", "w") as file:
        group = file.create_group("fclib_global")
        group["spacedim"] = np.array([3])
        for name, matrix in {"M": M, "H": H, "G": G}.items():
            p = np.arange(0, matrix.size + 1, len(matrix))  # columns, one after the other
            values = {"m": len(matrix), "n": matrix.shape[1], "nz": -1, "p": p}
            values |= {"i": np.tile(np.arange(len(matrix)), matrix.shape[1]), "x": matrix.T.ravel()}
            for key, value in values.items():
                group[f"{name}/{key}"] = np.array(value, ndmin=1)
        for name, vector in {"f": f, "w": w, "b": b, "mu": np.array([0.3])}.items():
            group[f"vectors/{name}"] = vector
    found = friction_problems.read(tmp_path / "g.hdf5")
    np.testing.assert_allclose(found.W.toarray(), H.T @ Y @ (H - G @ held[:, :-1]), atol=1e-12)
    np.testing.assert_allclose(found.q, H.T @ Y @ (f - G @ held[:, -1]) + w, atol=1e-12)
    np.testing.assert_array_equal(found.mu, [0.3, 0.3])  # one for all


def test_thrown_boxes_all_land() -> None:
    model, body = contact.box()
    unilateral = contact.standing(model, body, 0.6)
    for seed in range(2):
        one = contact.throw(unilateral, 0.6, seed, 0.7)
        assert one.reached == 0.7
        assert one.unresolved == 0
