"""No energy from nowhere: what has entered, impulses that are no solution, gaps closed far away; runs end."""

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.compiled.model import Model
from ce_dynamics.contact import (
    Chain,
    Conditions,
    Contact,
    GaussSeidel,
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
)
from ce_dynamics.contact.problem import limit_gain
from ce_dynamics.contact.solvers.chain import Patience
from ce_dynamics.contact.steps import Acting, SmoothSteps

G, H, REST = 9.81, 1e-3, 1e-2


@pytest.fixture(scope="module")
def body() -> Model:
    system = ce.System(gravity=(0.0, 0.0, -G))
    system.add_body("body", mass=2.0, inertia=(0.05, 0.09, 0.05), parent=system.ground, hinge=ce.Free())
    return ce.compile(system)


@pytest.mark.parametrize("solver", [Chain(), GaussSeidel(1e-12)], ids=["machine code", "Python"])
@pytest.mark.parametrize("falling", [0.0, 3.0])
def test_penetrating_bodies_leave_no_faster_than_they_came(
    body: Model, solver: Chain | GaussSeidel, falling: float
) -> None:
    # 5 cm deep: ψ/h would be 50 m/s; what it went in with, what gravity adds, and the speed of rest
    expected = falling + G * H + REST
    ball = Contact("ball", body.system.find("body"), (0, 0, 0), Plane(0.3), radius=0.1)
    y = body.y0.copy()
    y[2], y[12] = 0.05, -falling
    done = UnilateralModel(body, [ball]).step(0.0, y, body.u0, H, solver)
    assert done.solution.v[5] == pytest.approx(expected, rel=1e-9)

    bodies = RigidBodies([RigidBody("b", 2.0, (0.1,) * 3, (0, 0, 0.05), velocity=(0, 0, -falling))])
    plain = RigidContacts(bodies, [RigidShape("b", Sphere(0.1)), RigidShape(None, HalfSpace())], mu=0.3)
    state = plain.step(bodies.start, H, solver)[0]
    assert state.v[0, 2] == pytest.approx(expected, rel=1e-9)


def test_impulses_that_are_no_solution_give_no_energy(rng: np.random.Generator) -> None:
    shortened = 0
    for _ in range(30):
        n, m = 5, 4
        root = rng.normal(size=(n, n))
        M = root @ root.T + 0.1 * np.eye(n)
        GT, v = rng.normal(size=(m, n)), rng.normal(size=n)
        YT = np.linalg.solve(M, GT.T).T
        conditions = Conditions.of([Kind.UNILATERAL] * m)
        problem = Problem(GT, YT, v, np.zeros(m), conditions)
        found = problem.solution(rng.uniform(0.0, 3.0, size=m), "drawn", 0, 1e-10)
        assert not found.converged
        tame = limit_gain(problem, found, GT @ v, GT @ found.v)
        before, drawn, after = (float(0.5 * u @ M @ u) for u in (v, found.v, tame.v))
        assert after <= before * (1.0 + 1e-12) or after <= drawn * (1.0 + 1e-12) <= before
        if drawn > before:
            shortened += 1
            np.testing.assert_allclose(tame.p * found.p.max(), found.p * tame.p.max(), atol=1e-12)
    assert shortened > 5


@pytest.mark.parametrize(("apart", "possible"), [(1e-4, False), (0.2, True)])
def test_gaps_are_closed_nearby_or_not_at_all(body: Model, apart: float, possible: bool) -> None:
    # gaps that differ by apart/100: of points that hardly differ, closing both turns the body by 0.01
    points = [
        Contact(f"c{k}", body.system.find("body"), (0.1 + k * apart, 0, 0), Plane(0.0), friction="none")
        for k in range(2)
    ]
    unilateral = UnilateralModel(body, points)
    y = body.y0.copy()
    y[3], y[5] = np.cos(0.005), np.sin(0.005)
    y[2] = 0.1 * np.sin(0.01)
    steps = SmoothSteps(unilateral, 2, body.u0)
    held = np.array([True, True])
    found = steps.project(0.0, y, Acting(held, ~held, np.ones(2)))
    assert (found is not None) == possible
    if found is not None:
        np.testing.assert_allclose(unilateral.stage(0.0, found[0], body.u0).psi, 0.0, atol=1e-5)


def test_a_run_of_steps_without_solution_ends() -> None:
    full = Chain(time_limit=8.0)
    patience = Patience(full)
    limits = []
    for _ in range(20):
        patience.record_outcome(False)
        assert isinstance(patience.solver, Chain)
        limits.append(patience.solver.time_limit)
    assert limits[:3] == [4.0, 2.0, 1.0]
    assert limits[-1] == 8e-3
    for _ in range(10):
        patience.record_outcome(True)
    assert patience.solver is full
    other = Patience(GaussSeidel(1e-9))
    other.record_outcome(False)
    assert other.solver == GaussSeidel(1e-9)
