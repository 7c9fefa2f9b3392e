"""Free bodies that tumble: no energy gained or lost, angular momentum kept, second-order angular velocity."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact import (
    Chain,
    RigidBodies,
    RigidBody,
    RigidContacts,
    UnilateralModel,
    simulate_rigid,
    simulate_unilateral,
)
from ce_dynamics.contact.gyroscopic import spin
from ce_dynamics.contact.rigid import rotations

INERTIA = np.diag((0.1, 0.2, 0.28))
AXIS = np.array((0.1, 1.0, 0.1))
"""Near the unstable middle axis."""


def spun(inertia: Floats, w: Floats, h: float) -> Floats:
    """Angular velocities of free bodies after h, body axes."""
    new = np.empty_like(w)
    spin(inertia, w, h, new)
    return new


def euler(w: Floats, T: float) -> Floats:
    """Angular velocity after T by an integrator of high order."""
    done = solve_ivp(
        lambda t, w: np.linalg.solve(INERTIA, -np.cross(w, INERTIA @ w)),
        (0.0, T),
        w,
        method="DOP853",
        rtol=1e-12,
        atol=1e-12,
    )
    return np.asarray(done.y[:, -1])


def test_free_bodies_tumble_for_100_s_without_gain() -> None:
    # 100,000 steps of 1 ms, up to h |ω| = 0.3
    h, speeds, steps = 1e-3, np.array((1.0, 30.0, 300.0)), 100_000
    bodies = [
        RigidBody(f"b{k}", 2.0, np.diag(INERTIA), angular_velocity=speed * AXIS)
        for k, speed in enumerate(speeds)
    ]
    contacts = RigidContacts(RigidBodies(bodies, gravity=(0.0, 0.0, 0.0)), [])
    run = simulate_rigid(contacts, duration=steps * h, step=h, interval=1.0)
    assert len(run.t) == 101
    w = np.array([state.v[:, 3:] for state in run.states])  # (instants, bodies, 3)
    R = np.array([rotations(state.quaternion) for state in run.states])
    L = np.einsum("tnij,jk,tnlk,tnl->tni", R, INERTIA, R, w)
    energy = np.einsum("tni,tni->tn", w, L)
    # each step rounds by some units in the last place, which add up at most linearly
    rounding = 10.0 * steps * np.finfo(float).eps
    np.testing.assert_allclose(energy, np.broadcast_to(energy[0], energy.shape), rtol=rounding)
    size = np.linalg.norm(L, axis=2)
    np.testing.assert_allclose(size, np.broadcast_to(size[0], size.shape), rtol=rounding)
    # its direction errs by h/2 of the change of ω since the beginning: an angle of h |ω| at most, at any time
    change = np.linalg.norm(L - L[0], axis=2) / size[0]
    assert np.all(change <= h * np.linalg.norm(w[0], axis=1))


def test_midpoint_is_of_second_order() -> None:
    errors = []
    for steps in (100, 200, 400):
        w = 30.0 * AXIS[None]
        for _ in range(steps):
            w = spun(INERTIA[None], w, 0.2 / steps)
        errors.append(np.linalg.norm(w[0] - euler(30.0 * AXIS, 0.2)))
    # 4 per halving; the next terms of the error, relatively h ω = 6/100, change that by a few per cent
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.1)


@pytest.mark.parametrize("speed", [30.0, 1e3, 3e4])
def test_fast_turning_thin_bodies_gain_no_energy(speed: float) -> None:
    # h |ω| of 3 to 3,000; each part of a step is solved to rounding
    thin, h = np.diag((1e-3, 0.2, 0.2005)), 0.1
    rng = np.random.default_rng(3)
    before = speed * rng.normal(size=(50, 3))
    after = spun(np.broadcast_to(thin, (50, 3, 3)).copy(), before, h)
    for power in (1, 2):  # 2 T and |L|²
        size = [np.einsum("ni,ij,nj->n", w, np.linalg.matrix_power(thin, power), w) for w in (before, after)]
        np.testing.assert_allclose(size[1], size[0], rtol=1e-9)

    # the same of an embedded body, in parts
    system = ce.System(gravity=(0.0, 0.0, 0.0))
    system.add_body("b", mass=2.0, inertia=np.diag(thin), parent=system.ground, hinge=ce.Free())
    model = ce.compile(system)
    w = speed * AXIS * 0.01
    y = np.concatenate((model.layout.split(model.y0)[0], w, np.zeros(3)))
    new = UnilateralModel(model, []).step(0.0, y, model.u0, h, Chain()).y[7:10]
    np.testing.assert_allclose(new @ thin @ new, w @ thin @ w, rtol=1e-6)


@pytest.mark.parametrize("speed", [30.0, 300.0])
def test_an_embedded_free_body_keeps_its_energy(speed: float) -> None:
    system = ce.System(gravity=(0.0, 0.0, 0.0))
    body = system.add_body("b", mass=2.0, inertia=np.diag(INERTIA), parent=system.ground, hinge=ce.Free())
    system.start(body, v=[*(speed * AXIS), 0.0, 0.0, 0.0])
    run = simulate_unilateral(UnilateralModel(ce.compile(system), []), duration=0.5, interval=0.1)
    energy = run.results.energy.values
    # 500 steps, each solved to 1e-14 of the speeds
    np.testing.assert_allclose(energy, energy[0], rtol=500 * 4e-14)


def test_midpoint_in_parts_where_iteration_does_not_converge() -> None:
    system = ce.System(gravity=(0.0, 0.0, 0.0))
    slide = system.add_body("a", mass=1.0, parent=system.ground, hinge=ce.Prismatic((1, 0, 0)))
    other = system.add_body("b", mass=1.0, parent=slide, hinge=ce.Prismatic((1, 0, 0)))
    for body, damping in ((slide, 900.0), (other, 2500.0)):
        system.add_force(ce.HingeDamper(body.name, body, damping))
    model = ce.compile(system)
    v, h = np.array([1.0, 2.0]), 1e-3
    A = -np.linalg.solve([[2.0, 1.0], [1.0, 1.0]], np.diag((900.0, 2500.0)))  # h |A| / 2 = 2.7
    # of 1, 2, 4, 8 parts the last are the first in which 60 iterations leave less than 1e-14: 0.34 each
    part = 0.5 * h / 8 * A
    exact = np.linalg.matrix_power(np.linalg.solve(np.eye(2) - part, np.eye(2) + part), 8) @ v
    y = np.concatenate((np.zeros(2), v))
    new = UnilateralModel(model, []).step(0.0, y, model.u0, h, Chain()).y[2:]
    np.testing.assert_allclose(new, exact, rtol=1e-9)
