"""Compiled steps of plain bodies against the theory in NumPy, and by islands."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from ce_dynamics.contact import (
    Box,
    Capsule,
    Chain,
    Conditions,
    HalfSpace,
    Kind,
    Problem,
    RigidBodies,
    RigidBody,
    RigidContacts,
    RigidShape,
    Sphere,
    simulate_rigid,
)
from ce_dynamics.contact.conditions import ConvergenceError
from ce_dynamics.contact.newton import MapPoint, evaluate_map, find_direction, natural_map, steps_of
from ce_dynamics.contact.rigid_step import RigidStep
from ce_dynamics.contact.shapes import Shape
from ce_dynamics.contact.solvers.chain import find_islands
from ce_dynamics.contact.solvers.rows import ScaledRows, newton_step
from tests.ce_dynamics.contact.numpy_steps import BodiesEnd, bodies_step

H = 2e-3


def strewn(count: int, *, rolling: float = 0.0) -> RigidContacts:
    """Pairs of bodies on each other, each pair apart from the others, all on a floor.

    They touch in one point each, so that there is but one motion: of a box that slides on four corners the
    load of each, and with it friction, is open.
    """
    makes: list[Shape] = [Sphere(0.1), Box((0.2, 0.2, 0.2)), Capsule((-0.1, 0, 0), (0.1, 0, 0), 0.1)]
    tilted = np.array((1.0, 0.3, 0.2, 0.1)) / np.sqrt(1.14)
    bodies, shapes = [], [RigidShape(None, HalfSpace())]
    rng = np.random.default_rng(3)
    for k in range(count):
        lower = k % 2 == 0
        kind = 0 if lower else 1 + (k // 2) % 2
        at = (1.0 * (k // 2), 0.0, 0.1 if lower else 0.302 if kind == 2 else 0.349)
        v, w = 0.3 * rng.normal(size=3), 0.5 * rng.normal(size=3)
        turn = tilted if kind == 1 else (1.0, 0.0, 0.0, 0.0)
        bodies.append(RigidBody(f"b{k}", 1.0 + k % 3, (0.01, 0.012, 0.015), at, turn, v, w))
        shapes.append(RigidShape(f"b{k}", makes[kind]))
    return RigidContacts(RigidBodies(bodies), shapes, mu=0.4, rolling=rolling, spinning=0.5 * rolling)


@pytest.mark.parametrize("rolling", [0.0, 0.004])
def test_steps_are_those_of_the_chain(rolling: float, monkeypatch: pytest.MonkeyPatch) -> None:
    contacts = strewn(20, rolling=rolling)
    there = BodiesEnd(contacts.bodies.start, np.zeros(0, dtype=np.int64), np.zeros(0), 0.0)
    work = 0.0
    for _ in range(40):
        there = bodies_step(contacts, H, there)
        work += there.work

    left = []
    by_itself = RigidStep.conclude

    def conclude(self: RigidStep, *given: Any) -> Any:
        left.append(given)
        return by_itself(self, *given)

    monkeypatch.setattr(RigidStep, "conclude", conclude)
    run = simulate_rigid(contacts, duration=40 * H, step=H)
    assert run.contacts[-1] >= 12
    # velocities of either are within 1e-10 of the speeds, which are some m/s, in each of 40 steps
    for found, expected in zip(run.states[-1], there.state, strict=True):
        np.testing.assert_allclose(found, expected, atol=40 * 5e-10)
    np.testing.assert_allclose(run.contact_work[-1], work, rtol=1e-7)
    assert run.unresolved == 0
    assert len(left) < 10


def test_motion_is_independent_of_near_pair_lists() -> None:
    # fast bodies make wide margins and short-lived lists of pairs; the motion must not depend on them
    contacts = strewn(4)
    fast = RigidBody("fast", 1.0, (0.01,) * 3, (0.0, 3.0, 5.0), velocity=(0.0, 40.0, 0.0))
    bodies = RigidBodies([*own_bodies(contacts), fast])
    shapes = [*contacts.placed.shapes, RigidShape("fast", Sphere(0.1))]
    both = RigidContacts(bodies, shapes, mu=0.4)
    alone = simulate_rigid(contacts, duration=30 * H, step=H).states[-1]
    together = simulate_rigid(both, duration=30 * H, step=H).states[-1]
    np.testing.assert_allclose(together.r[:4], alone.r, atol=1e-8)
    np.testing.assert_allclose(together.r[4, :2], (0.0, 3.0 + 40.0 * 30 * H), atol=1e-12)


def test_near_pair_list_serves_resting_bodies_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists are a fifth of the shapes' size wider than a step needs: slow bodies cross that in many steps."""
    shapes = [RigidShape(None, HalfSpace()), RigidShape("ball", Sphere(0.1))]
    contacts = RigidContacts(RigidBodies([RigidBody("ball", 1.0, (0.004,) * 3, (0.0, 0.0, 0.1))]), shapes)
    looks = []
    near = contacts.placed.find_near_pairs

    def counted(*given: Any) -> Any:
        looks.append(given)
        assert len(looks) <= 10
        return near(*given)

    monkeypatch.setattr(contacts.placed, "find_near_pairs", counted)
    run = simulate_rigid(contacts, duration=2e-3, step=1e-5)
    assert run.states[-1].r[0, 2] == pytest.approx(0.1, abs=1e-9)
    assert looks


def own_bodies(contacts: RigidContacts) -> list[RigidBody]:
    b, start = contacts.bodies, contacts.bodies.start
    given = zip(b.names, b.mass, b.inertia, *start[:2], start.v[:, :3], start.v[:, 3:], strict=True)
    return [RigidBody(*one) for one in given]


def test_rows_form_islands_that_friction_joins() -> None:
    # point masses: the normal row has no entry of A in common with its friction
    A = np.diag([1.0, 2.0, 3.0, 1.0, 2.0])
    A[3, 4] = A[4, 3] = 0.5
    found = find_islands(A, np.array([-1, 0, -1, -1, -1]))
    assert [part.tolist() for part in found] == [[0, 1], [2], [3, 4]]


def test_islands_are_solved_each_by_itself() -> None:
    # a hundred points on a plane, pushed sideways: p_n = −b_n, friction as for one
    n = 100
    rng = np.random.default_rng(4)
    b = np.column_stack((-rng.uniform(0.5, 2.0, n), rng.normal(size=(n, 2)))).ravel()
    kinds = [Kind.UNILATERAL, Kind.DISC_1, Kind.DISC_2] * n
    normal = np.repeat(3 * np.arange(n), 3)
    normal[::3] = -1
    mu = np.tile((0.0, 0.5, 0.5), n)
    unit = np.eye(3 * n)
    problem = Problem.from_dense(unit, unit, b, np.zeros(3 * n), Conditions.of(kinds, normal, mu))
    found = Chain().solve(problem)
    slide = b.reshape(-1, 3)[:, 1:]
    speed = np.linalg.norm(slide, axis=1)
    share = np.minimum(1.0, 0.5 * -b[::3] / speed)
    expected = np.column_stack((-b[::3], -share[:, None] * slide))
    np.testing.assert_allclose(found.p.reshape(-1, 3), expected, atol=1e-9)


def test_islands_that_are_solved_stay_as_they_are(rng: np.random.Generator) -> None:
    # two masses on a plane, of which one is solved already: by any of many impulses, as it is held twice
    rows = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    conditions = Conditions.of([Kind.UNILATERAL] * 3)
    problem = Problem.from_dense(rows, np.eye(2), np.array([-1.0, -2.0]), np.zeros(3), conditions)
    found = Chain().solve_thoroughly(problem, np.array([0.3, 0.7, 0.5]))
    assert found.converged
    assert found.p[:2].tolist() == [0.3, 0.7]
    assert found.p[2] == pytest.approx(2.0, abs=1e-9)
    impatient = Chain(limit=1e-3, time_limit=1e-9)
    with pytest.raises(ConvergenceError, match="residual"):
        impatient.within(impatient.solve_thoroughly(problem, np.array([0.3, 0.7, 0.5])))


def test_newton_steps_of_held_rows_equal_all(rng: np.random.Generator) -> None:
    per, contacts = 3, 8
    m = per * contacts
    B = rng.normal(size=(m, m + 4))
    A = B @ B.T / m
    normal = np.repeat(per * np.arange(contacts), per)
    normal[::per] = -1
    kinds = [Kind.UNILATERAL, Kind.DISC_1, Kind.DISC_2] * contacts
    given = Conditions.of(kinds, normal, np.tile((0.0, 0.4, 0.4), contacts))
    b, p, rho = rng.normal(size=m), np.abs(rng.normal(size=m)), np.empty(m)
    steps_of(np.diag(A).copy(), given.kind, given.normal, rho)
    (y, step), point, moved = np.empty((2, m)), MapPoint(*np.empty((4, m))), MapPoint(*np.empty((4, m)))
    evaluate_map(A, b, rho, given, p, y, point)
    assert find_direction(A, rho, given, p, point, step)
    # the derivative of F(p) = p − P(p − ρ (A p + b)) by differences, along the step; P is smooth there
    h, ends = 1e-6, []
    for sign in (1.0, -1.0):
        at = p + sign * h * step
        natural_map(at - rho * (A @ at + b), given, moved)
        ends.append(at - moved.P)
    # second differences of P leave h² |step|³, the regular term 1e-7 of the step
    np.testing.assert_allclose(
        (ends[0] - ends[1]) / (2.0 * h), -(p - point.P), atol=1e-6 * np.abs(step).max()
    )
    assert 0 < np.count_nonzero(step) <= m


def test_sparse_newton_systems_are_those_of_the_definition(rng: np.random.Generator) -> None:
    contacts, per = 30, 3
    m = per * contacts
    B = np.where(rng.uniform(size=(m, 60)) < 0.1, rng.normal(size=(m, 60)), 0.0)
    A = sp.csr_matrix(B @ B.T + np.eye(m))
    normal = np.repeat(per * np.arange(contacts), per)
    normal[::per] = -1
    conditions = Conditions.of(
        [Kind.UNILATERAL, Kind.DISC_1, Kind.DISC_2] * contacts, normal, np.tile((0.0, 0.4, 0.4), contacts)
    )
    b, where, size = rng.normal(size=m), np.arange(m), np.ones(m)
    y = rng.normal(size=m)
    rows, epsilon = ScaledRows(A, b, conditions, where, size, m), 1e-3
    point = MapPoint(*(part.copy() for part in rows.map(y)))
    P, Ds, Dn, Dp = point
    assert 0 < np.count_nonzero(Ds) < m
    assert np.any(Dn)
    assert np.any(Dp)
    D = np.diag(Ds)
    D[where, rows.normal_of] += Dn
    D[where, rows.partner] += Dp
    J = np.eye(m) - D + D @ (A.toarray() + epsilon * np.eye(m))
    F = y - P
    step = newton_step(rows.derivative(point), sp.csr_matrix(A + (epsilon - 1.0) * sp.identity(m)), F)
    assert step is not None
    np.testing.assert_allclose(step, np.linalg.solve(J, -F), atol=1e-10)
