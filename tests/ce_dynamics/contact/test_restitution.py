"""Impacts: no energy from them whatever e and μ are, textbook cases, and what the step makes of them."""

import dataclasses
import math
from typing import NamedTuple

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact import (
    Chain,
    Conditions,
    Contact,
    HalfSpace,
    Kind,
    Plane,
    Problem,
    RigidBodies,
    RigidBody,
    RigidContacts,
    RigidShape,
    Sphere,
    UnilateralModel,
    simulate_rigid,
    simulate_unilateral,
)
from ce_dynamics.contact.restitution import Impact, impact, impacts, largest_share, rebound_shares

H = 1e-3
REST = 1e-2


class ClosedRows(NamedTuple):
    """Rows with closed gaps at rest, and their coefficients of restitution."""

    problem: Problem
    e: Floats

    def rates(self, v: Floats) -> Floats:
        return self.problem.rates(v)

    def hit(self, v: Floats) -> Impact | None:
        """Return the impacts from velocities that nothing else changes."""
        problem = dataclasses.replace(self.problem, v=v)
        return impacts(problem, v, np.zeros(len(self.e)), self.e, (H, REST), Chain())


def rows_of(
    GT: Floats, M: Floats, kinds: list[Kind], normal: list[int], mu: list[float], e: list[float]
) -> ClosedRows:
    """Closed rows."""
    YT = np.linalg.solve(M, GT.T).T
    rows = GT, YT
    conditions = Conditions.of(kinds, normal, mu)
    return ClosedRows(Problem(*rows, np.zeros(len(M)), np.zeros(len(kinds)), conditions), np.array(e))


def energy(M: Floats, v: Floats) -> float:
    return 0.5 * float(v @ M @ v)


def random_impact(rng: np.random.Generator, *, one_e: bool) -> tuple[ClosedRows, Floats, Floats]:
    """Contacts with discs or pyramids, some redundant, a few bilateral rows; M, v and the rows."""
    n, k = int(rng.integers(3, 12)), int(rng.integers(1, 7))
    B = rng.normal(size=(n, n))
    M = B @ B.T + 0.05 * np.eye(n)
    kinds: list[Kind] = []
    normal: list[int] = []
    mu: list[float] = []
    e: list[float] = []
    common = float(rng.choice([0.0, 1.0, rng.uniform(0, 1)]))
    for _ in range(k):
        first, friction = len(kinds), float(rng.choice([0.0, rng.uniform(0, 2.0)]))
        if rng.random() < 0.5:
            kinds += [Kind.UNILATERAL, Kind.DISC_1, Kind.DISC_2]
            normal += [-1, first, first]
            mu += [0.0, friction, friction]
            e += [common if one_e else float(rng.uniform(0, 1)), 0.0, 0.0]
        else:
            kinds += [Kind.UNILATERAL, Kind.FRICTION]
            normal += [-1, first]
            mu += [0.0, friction]
            e += [common if one_e else float(rng.choice([0.0, 1.0, rng.uniform(0, 1)])), 0.0]
    for _ in range(int(rng.integers(0, 2))):
        kinds, normal, mu, e = [*kinds, Kind.BILATERAL], [*normal, -1], [*mu, 0.0], [*e, 0.0]
    GT = rng.normal(size=(len(kinds), n))
    if rng.random() < 0.3:
        GT[len(kinds) // 2 :] = GT[: len(kinds) - len(kinds) // 2]  # more rows than freedoms
    v = rng.normal(size=n) * 3.0
    held = GT[[kind == Kind.BILATERAL for kind in kinds]]
    if len(held):  # v satisfies what is bilateral
        Y = np.linalg.solve(M, held.T)
        v = v - Y @ np.linalg.lstsq(held @ Y, held @ v, rcond=None)[0]
    return rows_of(GT, M, kinds, normal, mu, e), M, v


@pytest.mark.parametrize("one_e", [True, False])
def test_impacts_give_no_energy(rng: np.random.Generator, one_e: bool) -> None:
    hits = elastic = 0
    for _ in range(100):
        rows, M, v = random_impact(rng, one_e=one_e)
        found = rows.hit(v)
        if found is None:
            continue
        hits += 1
        before, after = energy(M, v), energy(M, found.v)
        # sums of some hundred terms of the size of the energies; impulses of redundant rows are larger
        size = float(before + np.abs(found.p) @ np.abs(rows.rates(v)))
        assert after <= before + 1e-12 * size
        np.testing.assert_allclose(found.work, after - before, rtol=0.0, atol=1e-10 * float(size))
        elastic += after > 0.999 * before
        kind, normal, mu, _, _ = rows.problem.conditions
        for i in np.flatnonzero(kind == Kind.UNILATERAL):
            assert found.p[i] >= -1e-12 * np.max(found.p)
        for i in np.flatnonzero(kind == Kind.DISC_1):
            length = math.hypot(found.p[i], found.p[i + 1])
            assert length <= mu[i] * found.p[normal[i]] * (1.0 + 1e-9) + 1e-9 * np.max(found.p)
        held = kind == Kind.BILATERAL
        np.testing.assert_allclose(rows.rates(found.v)[held], 0.0, atol=1e-8 * float(np.linalg.norm(v)))
    assert hits > 40
    assert elastic > 0  # not by taking all of it


def test_newtons_law_would_have_given_energy(rng: np.random.Generator) -> None:
    # a slender rod at an angle, sliding and falling with friction: Kane's and Levinson's example
    m, J, half, angle, mu, e = 1.0, 1.0 / 12.0, 0.5, 1.0, 0.9, 1.0
    lever = (half * math.sin(angle), half * math.cos(angle))  # of the tip below the middle: x − , z −
    GT = np.array([[0.0, 1.0, lever[0]], [1.0, 0.0, -lever[1]]])  # normal, tangential rate of the tip
    M = np.diag((m, m, J))
    A = GT @ np.linalg.solve(M, GT.T)
    gained = 0.0
    for speed in np.linspace(-3.0, 3.0, 61):
        v = np.array([speed, -1.0, 0.0])
        rows = rows_of(GT, M, [Kind.UNILATERAL, Kind.FRICTION], [-1, 0], [0.0, mu], [e, 0.0])
        found = rows.hit(v)
        assert found is not None
        assert energy(M, found.v) <= energy(M, v) * (1.0 + 1e-12)
        # Newton's: w_n = 1, Coulomb's law; all three states by hand
        w = GT @ v
        for direction in (0.0, 1.0, -1.0):
            K = A.copy() if direction == 0.0 else np.array([A[0], (-mu * direction, 1.0)])
            right = (1.0 - w[0], -w[1] if direction == 0.0 else 0.0)
            p = np.linalg.solve(K, right)
            after = w[1] + float(A[1] @ p)
            fits = abs(p[1]) <= mu * p[0] if direction == 0.0 else direction * after <= 0.0
            if p[0] >= 0.0 and fits:
                gained = max(gained, energy(M, v + np.linalg.solve(M, GT.T @ p)) - energy(M, v))
    assert gained > 0.01


@pytest.mark.parametrize("e", [0.0, 0.3, 1.0])
def test_single_impact_is_newtons(e: float) -> None:
    # a sphere with spin: w_n⁺ = −e w_n⁻, friction sticks or slides as over the whole impulse
    R, mu = 0.1, 0.2
    inertia = 0.4 * R * R
    GT = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, -R]])  # x, z, rotation
    M = np.diag((1.0, 1.0, inertia))
    for speed in (0.5, 10.0):
        v = np.array([speed, -2.0, 0.0])
        rows = rows_of(GT, M, [Kind.UNILATERAL, Kind.FRICTION], [-1, 0], [0.0, mu], [e, 0.0])
        found = rows.hit(v)
        if e == 0.0:
            assert found is None  # left to the step
            continue
        assert found is not None
        w = rows.rates(found.v)
        bound = mu * (1.0 + e) * 2.0
        stop = speed * 2.0 / 7.0  # 1/(1/m + R²/I) = 2/7
        np.testing.assert_allclose(found.p, (2.0 * (1.0 + e), -min(bound, stop)), rtol=1e-9)
        np.testing.assert_allclose(w[0], 2.0 * e, rtol=1e-12)


def test_cradle_and_rocking_block() -> None:
    # three equal balls, two of them at rest and touching: compression makes all move alike
    GT = np.array([[-1.0, 1.0, 0.0], [0.0, -1.0, 1.0]])
    cradle = rows_of(GT, np.eye(3), [Kind.UNILATERAL] * 2, [-1, -1], [0.0, 0.0], [1.0, 1.0])
    v = np.array([1.0, 0.0, 0.0])
    found = cradle.hit(v)
    assert found is not None
    np.testing.assert_allclose(found.v, (-1 / 3, 2 / 3, 2 / 3), atol=1e-9)
    # with different e the share of them is less than one and the energy that of the start
    other = rows_of(GT, np.eye(3), [Kind.UNILATERAL] * 2, [-1, -1], [0.0, 0.0], [1.0, 0.0])
    one = impact(other.problem, v, np.zeros(2), other.e, REST, Chain())
    np.testing.assert_allclose(one.v, (1 / 3 - 1 / math.sqrt(3.0), 1 / 3 + 1 / math.sqrt(3.0), 1 / 3))
    np.testing.assert_allclose(one.work, 0.0, atol=1e-12)
    # a block on its edge A comes down on edge B: slender, A lifts off and B gets all; flat, both are hit
    for width, height, lifts in ((0.2, 1.0, True), (1.0, 0.2, False)):
        J = (width**2 + height**2) / 12.0
        rows = np.array([[0.0, 1.0, width / 2], [1.0, 0.0, -height / 2], [0.0, 1.0, -width / 2]])
        rows = np.vstack((rows, [1.0, 0.0, -height / 2]))
        M = np.diag((1.0, 1.0, J))
        spin = 1.0  # about A, the first; B comes down
        v = np.array([spin * height / 2, -spin * width / 2, spin])
        kinds, normal = [Kind.UNILATERAL, Kind.FRICTION] * 2, [-1, 0, -1, 2]
        block = rows_of(rows, M, kinds, normal, [0.0, 10.0] * 2, [0.5, 0.0] * 2)
        np.testing.assert_allclose(block.rates(v)[:3], (0, 0, -spin * width), atol=1e-12)
        found = block.hit(v)
        assert found is not None
        w = block.rates(found.v)
        assert (found.p[0] > 1e-9) is np.bool_(not lifts)
        np.testing.assert_allclose(w[2], 0.5 * spin * width, rtol=1e-6)
        if lifts:
            assert w[0] > 0.1 * spin * width
        else:  # all stops and turns back: v⁺ = −e v⁻
            np.testing.assert_allclose(found.v, -0.5 * v, atol=1e-8)


def test_share_of_restitution() -> None:
    for lost, gained, quadratic in (
        (-1.0, 0.0, 4.0),
        (-1.0, -1.0, 4.0),
        (-1e-8, -1.0, 2.0),
        (-1.0, 0.5, 4.0),
    ):
        s = largest_share(lost, gained, quadratic)
        assert 0.0 < s < 1.0
        np.testing.assert_allclose(lost + s * gained + s * s * quadratic, 0.0, atol=1e-15 * quadratic)
    assert largest_share(-1.0, 0.0, 1.0) == 1.0
    assert largest_share(0.0, 0.0, 1.0) == 0.0
    assert largest_share(0.0, 0.0, 0.0) == 1.0


def test_rebound_rule() -> None:
    yes, half = np.array([True]), np.array([0.5])

    def rule(psi: float, rate: float, predicted: float, e: Floats = half) -> float:
        arrays = (np.array([psi]), np.array([rate]), np.array([predicted]))
        return float(rebound_shares(*arrays, 0.1, yes, e, 0.01)[0])

    assert rule(0.05, -2.0, -2.0) == 1.0
    assert rule(0.5, -2.0, -2.0) == 0.0  # not reached in this step
    assert rule(0.0, -0.005, -1.0) == 0.0  # too slow to bounce
    # between the rest speed and twice it one passes into the other
    np.testing.assert_allclose(rule(0.001, -0.015, -1.0), 0.5)
    np.testing.assert_allclose(rule(0.001, -0.01 - 1e-12, -1.0), 0.0, atol=1e-9)
    assert rule(0.05, -2.0, -2.0, np.zeros(1)) == 0.0
    assert rebound_shares(np.ones(1), -np.ones(1), -20.0 * np.ones(1), 0.1, ~yes, half, 0.0)[0] == 0.0


def test_contacts_of_runs_do_no_work_on_bodies(rng: np.random.Generator) -> None:
    # a slender box with eight corners, e = 1 and much friction, where Newton's law gives energy
    system = ce.System(gravity=(0, 0, -9.81))
    body = system.add_body(
        "box", mass=1.0, com=(0, 0, 0.05), inertia=(0.02, 0.35, 0.35), parent=system.ground,
        hinge=ce.Free((0, 0, 0.05)),
    )  # fmt: skip
    corners = [(x, y, z) for x in (-1.0, 1.0) for y in (-0.2, 0.2) for z in (0.0, 0.1)]
    feet = [Contact(f"c{k}", body, at, Plane(0.9), restitution=1.0) for k, at in enumerate(corners)]
    unilateral = UnilateralModel(ce.compile(system), feet)
    for seed in range(2):
        y0 = np.zeros(13)
        y0[2] = 1.2
        turn = np.random.default_rng(seed).normal(size=4)
        y0[3:7] = turn / np.linalg.norm(turn)
        y0[7:13] = np.random.default_rng(seed + 9).normal(size=6) * 2.0
        run = simulate_unilateral(unilateral, duration=0.8, step=H, y0=y0, interval=H)
        work, start = run.results.contact_work.values, float(run.results.energy.values[0])
        hits = np.abs(np.diff(work)) > 1e-3
        assert run.statistics.unresolved == 0
        # what is left of a step behind its impacts: ½ p h |Gᵀ M⁻¹ f| with p ≤ h m g + what curvature leaves
        assert np.max(np.diff(work)) <= (9.81 * H) ** 2
        assert work[-1] < 0.0 or not np.any(hits)
        assert float(run.results.energy.values[-1]) <= start + 2.0 * H * 9.81 * 6.0 * max(1, len(run.events))


def test_bouncing_heap_of_plain_bodies_gains_nothing(rng: np.random.Generator) -> None:
    bodies, shapes = [], [RigidShape(None, HalfSpace())]
    for k in range(8):
        at = (0.21 * (k % 2) + 0.01 * rng.uniform(), 0.01 * rng.uniform(), 0.2 + 0.21 * (k // 2))
        bodies.append(RigidBody(f"s{k}", 1.0 + k % 3, (4e-3,) * 3, at, velocity=tuple(rng.normal(size=3))))
        shapes.append(RigidShape(f"s{k}", Sphere(0.095)))
    contacts = RigidContacts(RigidBodies(bodies), shapes, mu=0.7, restitution=0.9)
    run = simulate_rigid(contacts, duration=0.3, step=H, interval=H)
    mass = sum(1.0 + k % 3 for k in range(8))
    assert run.unresolved == 0
    assert run.contact_work[-1] < -1.0
    assert np.max(np.diff(run.contact_work)) <= mass * (9.81 * H) ** 2
