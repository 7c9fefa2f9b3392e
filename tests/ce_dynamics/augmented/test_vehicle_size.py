"""A system of a vehicle's size: a free chassis with four spatial suspensions, 29 bodies and 12 loops."""

import numpy as np
import pytest

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.augmented import BodyState, FullyAugmented, Preparation, TreeAugmented, simulate_dae
from ce_dynamics.augmented.states import position_vector, velocity_vector
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.hinges import Cylindrical, Free, Hinge, Revolute, Spherical, Universal
from ce_dynamics.mechanism.system import System
from tests.ce_dynamics.augmented.systems import Link, slender


def add_corner(system: System, chassis: Body, name: str, x: float, side: float) -> None:
    """Double wishbone with tilted upper axis, tie rod on a universal joint, telescopic shock, wheel."""

    def at(forward: float, outward: float, up: float) -> Array:
        return np.array((x + forward, side * outward, up))

    def bar(part: str, a: Array, b: Array, mass: float, parent: Body, hinge: Hinge) -> Body:
        return slender(system, f"{name} {part}", a, b, mass, parent, hinge)

    A, D, F, H = at(0.0, 0.35, 0.45), at(0.02, 0.8, 0.4), at(-0.01, 0.75, 0.7), at(0.03, 0.4, 0.75)
    lower = bar("lower arm", A, D, 8.0, chassis, Revolute((1, 0, 0), A.tolist()))
    upper = bar("upper arm", H, F, 6.0, chassis, Revolute((1.0, 0.05, 0.1), H.tolist()))
    upright = bar("upright", D, F, 15.0, lower, Spherical(D.tolist()))
    system.close_loop(f"{name} F", upright, upper, Spherical(F.tolist()))
    inner, outer = at(-0.15, 0.4, 0.5), at(-0.15, 0.8, 0.5)
    rod = bar("tie rod", inner, outer, 2.0, chassis, Universal((0, 0, 1), (1, 0, 0), inner.tolist()))
    system.close_loop(f"{name} tie", rod, upright, Spherical(outer.tolist()))
    foot, top = at(0.05, 0.6, 0.42), at(0.05, 0.45, 0.9)
    middle = (foot + top) / 2.0
    tube = bar("tube", foot, middle, 3.0, lower, Universal((1, 0, 0), (0, 0, 1), foot.tolist()))
    piston = bar("piston", top, middle, 3.0, chassis, Universal((1, 0, 0), (0, 0, 1), top.tolist()))
    system.close_loop(f"{name} shock", tube, piston, Cylindrical((top - foot).tolist(), foot.tolist()))
    centre = at(0.0, 0.95, 0.47)
    system.add_body(
        f"{name} wheel",
        mass=40.0,
        com=centre,
        inertia=(1.0, 1.8, 1.0),
        parent=upright,
        hinge=Revolute((0, 1, 0), centre.tolist()),
    )
    system.add_force(Link(f"{name} spring", lower, foot, chassis, top))


@pytest.fixture
def vehicle() -> System:
    system = System(name="vehicle")
    hinge = Free((0.0, 0.0, 0.8))
    chassis = system.add_body(
        "chassis", mass=1500.0, com=(0, 0, 0.8), inertia=(500, 2000, 2200), parent=system.ground, hinge=hinge
    )
    for name, x, side in (("fl", 1.6, 1.0), ("fr", 1.6, -1.0), ("rl", -1.6, 1.0), ("rr", -1.6, -1.0)):
        add_corner(system, chassis, name, x, side)
    return system


def assembled_states(system: System, rng: np.random.Generator) -> tuple[Array, Array]:
    """A state in motion away from the design pose, for both formulations."""
    cut, full = TreeAugmented(system), FullyAugmented(system)
    y = cut.initial_state()
    y[: cut.n_p] += 0.03 * rng.normal(size=cut.n_p)
    y[cut.n_p : cut.n_p + cut.n_V] = rng.normal(size=cut.n_V)
    y = cut.assemble(y)
    states = cut.at(y).states
    parts = (position_vector(system.bodies, states), velocity_vector(system.bodies, states), cut.x0)
    assert full.n_p == len(parts[0])
    return y, np.concatenate(parts).astype(float)


def test_accelerations(vehicle: System, rng: np.random.Generator) -> None:
    """Chassis and wheels: all hinges cut against the tree with its loops cut."""
    y_tree, y_full = assembled_states(vehicle, rng)
    cut, full = TreeAugmented(vehicle), FullyAugmented(vehicle)
    tree, free = cut.accelerations(y_tree), full.accelerations(y_full)
    assert (
        (free.rank, tree.rank) == (full.n_g, cut.n_g) == (160, 40)
    )  # nothing redundant; 14 degrees of freedom
    scale = np.max(np.abs(free.V_dot))
    # v of Free is that of the hinge point, here the centre of mass
    np.testing.assert_allclose(tree.V_dot[:6], free.V_dot[:6], rtol=0, atol=1e-11 * scale)
    # λ of the closures do not depend on how the tree is described
    np.testing.assert_allclose(
        tree.multipliers,
        free.multipliers[full.closure_rows],
        rtol=0,
        atol=1e-9 * np.max(np.abs(tree.multipliers)),
    )


def momentum(system: System, states: dict[str, BodyState]) -> tuple[Array, Array, Array]:
    """Centre of mass, momentum and moment of momentum about it."""
    masses = np.array([body.mass for body in system.bodies])
    centre = masses @ np.array([states[body.name].r for body in system.bodies]) / masses.sum()
    linear = masses @ np.array([states[body.name].v for body in system.bodies])
    angular = np.zeros(3)
    for body in system.bodies:
        s = states[body.name]
        angular += s.R @ body.inertia @ s.R.T @ s.w + np.cross(s.r - centre, body.mass * s.v)
    return centre, linear, angular


def test_free_fall(vehicle: System, rng: np.random.Generator) -> None:
    """Only internal forces: the centre of mass falls on a parabola and the moment of momentum stays."""
    _, y = assembled_states(vehicle, rng)
    prepared = Preparation(FullyAugmented(vehicle), y)
    times = np.linspace(0.0, 0.1, 3)
    run = simulate_dae(prepared, None, times, rtol=1e-8, atol=1e-8)
    assert prepared.ggl.size == 29 * 13 + 4 + 2 * 160
    centre, linear, angular = momentum(vehicle, run.states[0])
    mass = sum(body.mass for body in vehicle.bodies)
    for t, states in zip(times, run.states, strict=True):
        found = momentum(vehicle, states)
        np.testing.assert_allclose(
            found[0], centre + linear / mass * t + vehicle.gravity * t**2 / 2, atol=1e-6
        )
        np.testing.assert_allclose(
            found[2], angular, rtol=0, atol=1e-6 * float(np.linalg.norm(angular)) + 1e-3
        )
    assert run.constraint_error.max() < 1e-8
    assert np.linalg.norm(run.body("fl wheel").w[-1] - run.body("fl wheel").w[0]) > 0.1  # it does something
