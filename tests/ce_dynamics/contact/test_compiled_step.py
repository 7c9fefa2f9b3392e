"""The compiled step of an embedded system equals the theory, written in NumPy, with any solver."""

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.contact import (
    Cable,
    Chain,
    Contact,
    GaussSeidel,
    JointFriction,
    Plane,
    RigidStop,
    UnilateralModel,
)
from tests.ce_dynamics.contact.numpy_steps import tree_step


@pytest.fixture(scope="module")
def everything() -> UnilateralModel:
    """A jointed pair with contacts, a stop, dry friction and a cable, turning fast."""
    system = ce.System(gravity=(0.0, 0.0, -9.81))
    base = system.add_body("base", mass=2.0, inertia=(0.1, 0.2, 0.28), parent=system.ground, hinge=ce.Free())
    arm = system.add_body(
        "arm",
        mass=0.5,
        com=(0.5, 0.0, 0.0),
        inertia=(0.01, 0.02, 0.02),
        parent=base,
        hinge=ce.Revolute((0, 1, 0), at=(0.3, 0, 0)),
    )
    system.start(base, v=[3.0, 1.0, -2.0, 1.0, 0.5, -1.0])
    feet = [
        Contact(f"f{k}", base, at, Plane(0.6, point=(0, 0, -0.12)), restitution=0.4)
        for k, at in enumerate([(0.2, 0.2, -0.1), (-0.2, 0.2, -0.1), (0.2, -0.2, -0.1), (-0.2, -0.2, -0.1)])
    ]
    others = [
        RigidStop("stop", arm, lower=-0.05, upper=0.1),
        JointFriction("dry", arm, limit=0.3),
        Cable("cable", arm, (1.0, 0, 0), system.ground, (0, 0, 1.0), length=1.6),
    ]
    return UnilateralModel(ce.compile(system), [*feet, *others])


def test_the_compiled_step_is_that_of_the_theory(everything: UnilateralModel) -> None:
    h, y, p = 1e-3, everything.model.y0.copy(), np.zeros(len(everything.row_names))
    u = everything.model.u0
    loaded = np.zeros(len(p), dtype=bool)
    for k in range(200):
        ours = everything.step(k * h, y, u, h, Chain(1e-13), p)
        for theirs in (
            tree_step(everything, k * h, y, h, p),
            everything.step(k * h, y, u, h, GaussSeidel(1e-13), p),
        ):
            if theirs.solution.converged:
                # all leave 1e-13 of speeds of some m/s; velocities follow with the conditioning of A
                np.testing.assert_allclose(ours.y, theirs.y, atol=1e-9)
                np.testing.assert_allclose(ours.solution.w, theirs.solution.w, atol=1e-8)
                np.testing.assert_allclose(ours.work, theirs.work, atol=1e-8)
        stage = everything.stage(k * h, y, u)
        for mine, other in zip(ours.stage[:-1], stage[:-1], strict=True):
            np.testing.assert_array_equal(mine, other)
        y, p = ours.y, ours.solution.p
        loaded |= p != 0.0
    # the run met contacts and the stop, and friction of all kinds
    assert loaded[everything.unilateral].sum() >= 3
    assert loaded[~everything.unilateral].sum() >= 4


def test_problem_unsolved_by_newton_goes_to_the_chain() -> None:
    # a slide between two stops that contradict each other: no impulse helps
    system = ce.System(gravity=(0.0, 0.0, 0.0))
    body = system.add_body("body", mass=1.0, parent=system.ground, hinge=ce.Prismatic((1, 0, 0)))
    stops = [RigidStop("a", body, lower=0.0, upper=1.0), RigidStop("b", body, lower=-1.0, upper=-1e-3)]
    unilateral = UnilateralModel(ce.compile(system), stops)
    done = unilateral.step(0.0, unilateral.model.y0, unilateral.model.u0, 1e-3, Chain(time_limit=0.1))
    assert not done.solution.converged
    # v ≥ 0, and what has entered b shall leave at rest_speed, v ≤ −0.01: half is left of both, or all of one
    assert 0.4 <= done.solution.residual / unilateral.rest_speed <= 1.0
