"""Sums over the bodies of large aggregated bodies: composites against single bodies, and inverse dynamics."""

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.ldl import LDL
from ce_dynamics.dynamics import articulated_body
from ce_dynamics.dynamics.articulated_body import tip_to_base
from tests.ce_dynamics.recursion_systems import KINDS, add_random


def ring(bars: int) -> ce.System:
    """Bars in a closed ring in a vertical plane: all but two of them lead it."""
    system = ce.System(gravity=(0, 0, -9.81))
    angles = np.linspace(0.0, 2.0 * np.pi, bars + 2)[:-1]
    points = [(np.cos(a) * bars / 6, 0.0, np.sin(a) * bars / 6) for a in angles]
    carrier, bodies = system.ground, []
    for k in range(bars):
        carrier = system.add_body(
            f"bar {k}",
            mass=1.0,
            com=np.mean(points[k : k + 2], axis=0),
            inertia=(0.1, 0.1, 0.1),
            parent=carrier,
            hinge=ce.Revolute(axis=(0, 1, 0), at=points[k]),
        )
        bodies.append(carrier)
    closing = ce.Revolute(axis=(0, 1, 0), at=points[bars])
    system.close_loop("ring", carrier, system.ground, closing, independent=bodies[: bars - 2])
    return system


def bush(rng: np.random.Generator) -> ce.System:
    """A random tree of hinges of all kinds, tied to the ground by a rod and two revolute hinges."""
    system = ce.System(gravity=(0, 0, -9.81))
    base = add_random(system, rng, "base", system.ground, ce.Free())
    bodies = [base]
    for k, kind in enumerate(kind for kind in KINDS if kind != "free"):
        carrier = bodies[int(rng.integers(len(bodies)))]
        hinge = KINDS[kind](*rng.uniform(-1.0, 1.0, (3, 3)))
        bodies.append(add_random(system, rng, f"body {k}", carrier, hinge))
    for k, body in enumerate((bodies[1], bodies[4], bodies[6])):
        system.close_loop(f"rod {k}", system.ground, body, ce.Distance(*rng.uniform(-1.0, 1.0, (2, 3))))
    return system


def sums(model: ce.Model, y: np.ndarray) -> list[np.ndarray]:
    """Return the sums that the sweep towards the base gathers, of all aggregated bodies."""
    instant = model.instant(y, model.u0)
    nodes = tip_to_base(instant.outward, instant.loads.wrenches, instant.loads.torques)
    return [x for node in nodes.values() for x in (node.D_matrix, node.nu, node.P_plus, node.z_plus)]


@pytest.mark.parametrize("seed", range(4))
def test_composites_sum_as_single_bodies(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a state off the design pose; 1e-11: a dozen bodies in a row, D of a condition of some thousands."""
    rng = np.random.default_rng(seed)
    model = ce.compile(bush(rng))
    y = model.y0 + 0.05 * rng.normal(size=len(model.y0))
    y = model.with_unit_quaternions(y)
    monkeypatch.setattr(articulated_body, "MANY", 1000)
    singly = sums(model, y)
    monkeypatch.setattr(articulated_body, "MANY", 1)
    for together, alone in zip(sums(model, y), singly, strict=True):
        np.testing.assert_allclose(together, alone, rtol=0.0, atol=1e-11 * np.max(np.abs(alone), initial=1.0))


def test_many_coordinates_satisfy_inverse_dynamics() -> None:
    """Newton's and Euler's equations leave rounding of the forces at rest; 16 coordinates: two tiles of D."""
    model = ce.compile(ring(18))
    rng = np.random.default_rng(0)
    q, v = 0.02 * rng.normal(size=16), 0.3 * rng.normal(size=16)
    forces = model.inverse_dynamics(q, v, model.accelerations(q=q, v=v))
    at_rest = model.inverse_dynamics(q, v, np.zeros(16))
    assert np.max(np.abs(forces)) < 1e-13 * np.max(np.abs(at_rest))


def test_cost_of_sums_is_quadratic() -> None:
    """From 16 to 32 coordinates D(S) takes four times the operations, its factors up to eight times."""
    small, large = (ce.compile(ring(n + 2)).trace_dynamics().n_instructions for n in (16, 32))
    assert large < 4.5 * small


@pytest.mark.parametrize("n", [1, 6, 8, 9, 16, 21])
def test_ldl_solves_in_tiles(n: int) -> None:
    """Residuals of random systems whose condition is about n³; 1e-12 is 5000 roundings."""
    rng = np.random.default_rng(n)
    A = rng.normal(size=(n, n))
    A = A @ A.T + np.eye(n)
    b = rng.normal(size=n)
    np.testing.assert_allclose(A @ LDL(A).solve(b), b, rtol=0.0, atol=1e-12)
