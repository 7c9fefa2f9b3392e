"""Published frictional contact problems: residual, time and method, for files of the FCLIB collection.

    python -m tests.benchmarks.friction_problems FILE.hdf5 FILE.dat.gz FOLDER ...
    python -m tests.benchmarks.friction_problems            # generated piles, heaps and boulders instead
    python -m tests.benchmarks.friction_problems --against tests/benchmarks/friction_problems.csv

Reads ``fclib_local`` of HDF5 files (W as CSC for nz = −1, CSR for −2, else triplets), ``fclib_global``, of
which it makes W, and Siconos' text files (dimension, number of contacts, storage: 0 dense column-wise, 1
sparse blocks), either compressed by gzip too.
The residual is ‖r − P_K(r − u − μ |u_T| n)‖ / (1 + ‖q‖).  ``--store`` keeps the table; ``--against`` compares
with a kept one, such as that of the ladder of ten stages that `Chain` had before.
"""

import argparse
import csv
import gzip
import importlib
import io
import itertools
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact import solve_friction
from tests.ce_dynamics.contact.piles import bricks, groove, rocks, sphere_wall, stack


class FrictionProblem(NamedTuple):
    """W, q and μ."""

    W: Any
    q: Floats
    mu: Floats


def read(path: Path) -> FrictionProblem:
    """Return a problem from a file of one of the two formats."""
    raw = path.read_bytes()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    if raw[:4] == b"\x89HDF":
        return from_hdf5(raw)
    return from_text(raw.decode().split())


def from_hdf5(raw: bytes) -> FrictionProblem:
    """FCLIB's ``fclib_local`` or ``fclib_global``."""
    h5py = importlib.import_module("h5py")  # has no types

    with h5py.File(io.BytesIO(raw)) as file:
        if "fclib_local" in file:
            group = file["fclib_local"]
            if given(group, "V") is not None:
                raise ValueError("fclib_local has bilateral rows too (V, R, s)")
            W, q = matrix(group["W"]), np.ravel(group["vectors/q"])
        elif "fclib_global" in file:
            group = file["fclib_global"]
            W, q = delassus(group)
        else:
            raise ValueError(f"no group fclib_local or fclib_global, only {list(file)}")
        size = int(np.ravel(group["spacedim"])[0]) if "spacedim" in group else 3
        mu = np.ravel(group["vectors/mu"]).astype(float)
        return FrictionProblem(W, q.astype(float), mu if mu.size > 1 else np.full(len(q) // size, mu[0]))


def given(group: Any, name: str) -> Any:
    """A matrix with entries; None where there is none."""
    found = matrix(group[name]) if name in group else None
    return found if found is not None and found.nnz else None


def matrix(W: Any) -> Any:
    """A sparse matrix of an HDF5 group."""
    m, n, nz = (int(np.ravel(W[name])[0]) for name in ("m", "n", "nz"))
    p, i, x = (np.ravel(W[name]) for name in ("p", "i", "x"))
    if nz == -1:
        return sp.csr_matrix(sp.csc_matrix((x, i, p), shape=(m, n)))
    if nz == -2:
        return sp.csr_matrix((x, i, p), shape=(m, n))
    return sp.csr_matrix(sp.coo_matrix((x[:nz], (i[:nz], p[:nz])), shape=(m, n)))


def delassus(group: Any) -> tuple[Any, Floats]:
    """W and q of M v = H r + G λ + f, Gᵀ v + b = 0, u = Hᵀ v + w."""
    M, H, G = matrix(group["M"]), matrix(group["H"]), given(group, "G")
    f, w = (np.ravel(group[f"vectors/{name}"]) for name in ("f", "w"))
    right, wide = np.column_stack((H.toarray(), f)), M.shape[0]
    if G is not None:
        b = np.ravel(group["vectors/b"])
        M = sp.bmat([[M, -G], [G.T, None]])
        right = np.vstack((right, np.column_stack((np.zeros((len(b), H.shape[1])), -b))))
    v = splu(sp.csc_matrix(M)).solve(right)[:wide]
    HTv = H.T @ v
    return sp.csr_matrix(HTv[:, :-1]), HTv[:, -1] + w


def from_text(words: list[str]) -> FrictionProblem:
    stream = iter(words)

    def integers(count: int) -> list[int]:
        return [int(next(stream)) for _ in range(count)]

    def numbers(count: int) -> Floats:
        return np.array([float(next(stream)) for _ in range(count)])

    _, contacts, storage, m, n = integers(5)
    if storage == 0:
        integers(2)
        return FrictionProblem(numbers(m * n).reshape(n, m).T, numbers(m), numbers(contacts))
    if storage != 1:
        raise ValueError(f"storage {storage} is neither 0 (dense) nor 1 (sparse blocks)")
    _, tall, wide = integers(3)
    tops, lefts = np.array([0, *integers(tall)]), np.array([0, *integers(wide)])
    lines, filled = integers(2)
    starts, columns = integers(lines), integers(filled)
    blocks = []
    for row in range(lines - 1):
        for k in range(starts[row], starts[row + 1]):
            integers(1)
            a, b = tops[row + 1] - tops[row], lefts[columns[k] + 1] - lefts[columns[k]]
            i, j = np.indices((a, b))
            block = numbers(a * b).reshape(b, a).T
            blocks.append((i.ravel() + tops[row], j.ravel() + lefts[columns[k]], block.ravel()))
    i, j, x = (np.concatenate(part) for part in zip(*blocks, strict=True))
    return FrictionProblem(sp.csr_matrix((x, (i, j)), shape=(m, n)), numbers(m), numbers(contacts))


def piles() -> Iterator[tuple[str, FrictionProblem]]:
    made: dict[str, Callable[[], Any]] = {
        "5 cubes, each × 10": lambda: stack(5, ratio=10.0),
        "30 cubes": lambda: stack(30),
        **{f"{n} rocks, μ {mu}": partial(rocks, n, mu) for n in (20, 60) for mu in (0.2, 0.5, 0.9)},
        **{f"30 rocks, μ 0.9, seed {seed}": partial(rocks, 30, 0.9, seed) for seed in (4, 7)},
        **{f"40 spheres in a groove, μ {mu}": partial(groove, 40, mu) for mu in (0.1, 0.5, 1.0)},
        "bricks 6 × 8": lambda: bricks(6, 8),
        "bricks 12 × 8": lambda: bricks(12, 8),
        **{f"500 spheres, μ {mu}": partial(sphere_wall, 1000, mu) for mu in (0.1, 0.3, 0.5, 0.8, 1.0)},
    }
    for name, make in made.items():
        problem = make()
        yield name, FrictionProblem(sp.csr_matrix(problem.delassus), problem.b, problem.conditions.mu[1::3])


def heaps() -> Iterator[tuple[str, FrictionProblem]]:
    """Jammed heaps of up to 520 contacts of rigid bodies, many more than hold them."""
    made: dict[str, Callable[[], Any]] = {}
    for mu in (0.3, 0.5, 0.7, 0.9):
        made |= {f"70 rocks, μ {mu}, seed {k}": partial(rocks, 70, mu, 10 + k) for k in range(3)}
    for mu in (0.3, 0.6, 0.9):
        for k in range(4):
            made[f"40 rocks, μ {mu}, seed {k}"] = partial(rocks, 40, mu, 20 + k)
            made[f"12 rocks, μ {mu}, seed {k}"] = partial(rocks, 12, mu, 30 + k)
    for mu in (0.3, 0.5, 0.7, 0.9):
        for k in range(3):
            made[f"65 boulders, μ {mu}, seed {k}"] = partial(rocks, 65, mu, 50 + k, decades=3.0)
    for k in range(8):
        made[f"40 boulders, six decades, μ 0.6, seed {k}"] = partial(rocks, 40, 0.6, k, decades=6.0)
    for mu in (0.7, 0.9, 1.2):
        for k in range(2):
            made[f"65 stones, μ {mu}, seed {k}"] = partial(rocks, 65, mu, 60 + k, decades=1.0)
    for name, make in made.items():
        problem = make()
        yield name, FrictionProblem(sp.csr_matrix(problem.delassus), problem.b, problem.conditions.mu[1::3])


class Line(NamedTuple):
    problem: str
    contacts: int
    residual: float
    seconds: float
    method: str
    solved: bool


def read_table(path: Path) -> dict[str, Line]:
    with path.open() as file:
        return {
            row["problem"]: Line(
                row["problem"],
                int(row["contacts"]),
                float(row["residual"]),
                float(row["seconds"]),
                row["method"],
                row["solved"] == "True",
            )
            for row in csv.DictReader(file)
        }


def store_table(path: Path, lines: list[Line]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(Line._fields)
        writer.writerows(lines)


def compare(lines: list[Line], kept: dict[str, Line]) -> str:
    """Return how many of the problems that a kept table solved are solved, and the times of both."""
    both = [(line, kept[line.problem]) for line in lines if line.problem in kept]
    before = [pair for pair in both if pair[1].solved]
    lost = [line.problem for line, _ in before if not line.solved]
    times = [sum(one.seconds for one in side) for side in zip(*both, strict=True)] if both else [0.0, 0.0]
    return (
        f"{len(before) - len(lost)} of {len(before)} that were solved are solved,"
        f" in {times[0]:.0f} s instead of {times[1]:.0f} s; not: {', '.join(lost) or 'none'}"
    )


def files(paths: list[Path]) -> Iterator[tuple[str, FrictionProblem]]:
    """Problems of files and folders; what cannot be read is said and left out."""
    for path in paths:
        inside = sorted(path.iterdir()) if path.is_dir() else [path]
        for file in inside:
            if file.suffix in (".hdf5", ".h5", ".dat", ".gz"):
                try:
                    yield file.name, read(file)
                except (ValueError, StopIteration, OSError, KeyError) as error:
                    print(f"{file.name}: not read, {error}")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.friction_problems", description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, metavar="FILE", help="files or folders")
    parser.add_argument("--tolerance", type=float, default=1e-8)
    parser.add_argument("--seconds", type=float, default=60.0, help="for one problem at most")
    parser.add_argument("--store", type=Path, metavar="FILE.csv", help="keep the table")
    parser.add_argument("--against", type=Path, metavar="FILE.csv", help="compare with a kept table")
    options = parser.parse_args(arguments)
    solve_friction(np.eye(3), [-2.0, 3.0, 4.0], [0.25])  # compile
    heads = ("contacts", "residual", "seconds", "systems")
    print(f"{'problem':44s} " + " ".join(f"{head:>9s}" for head in heads) + "  by")
    problems = files(options.paths) if options.paths else itertools.chain(piles(), heaps())
    lines: list[Line] = []
    for name, (W, q, mu) in problems:
        began = time.process_time()
        found = solve_friction(W, q, mu, tolerance=options.tolerance, time_limit=options.seconds)
        spent = time.process_time() - began
        lines.append(Line(name, len(mu), found.residual, round(spent, 3), found.method, found.converged))
        print(
            f"{name[:44]:44s} {len(mu):9d} {found.residual:9.1e} {spent:9.3f} {found.steps:9d}"
            f"  {found.method}{'' if found.converged else ', not converged'}",
            flush=True,
        )
    if options.store:
        store_table(options.store, lines)
    if options.against:
        print(compare(lines, read_table(options.against)))


if __name__ == "__main__":
    main()
