"""Energies, momentum and power against dense sums, finite differences along the motion, and conservation."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from ce_dynamics.algebra.arrays import Array, array, concatenate
from ce_dynamics.compiler import trace
from ce_dynamics.dynamics.articulated_body import tip_to_base
from ce_dynamics.dynamics.energy import (
    Power,
    elastic_potential,
    gravitational_potential,
    kinetic_energy,
    momentum,
    power,
    velocities,
)
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.forces.spring_damper import SpringDamper
from ce_dynamics.mechanism.forces.torsion import TorsionSpringDamper
from ce_dynamics.mechanism.hinges import Free, Prismatic, Revolute, Spherical, Universal
from ce_dynamics.mechanism.system import System
from tests.ce_dynamics.recursion_dense import Dense
from tests.ce_dynamics.recursion_systems import SYSTEMS, Case, add_drive, add_random, make_case

CASES = [(name, seed) for name in SYSTEMS for seed in (range(4) if name == "tree" else range(2))]


@pytest.fixture(params=CASES, ids=lambda given: f"{given[0]}{given[1]}")
def case(request: pytest.FixtureRequest) -> Case:
    return make_case(*request.param)


def power_of(instant: Instant) -> Power:
    nodes = tip_to_base(instant.outward, instant.loads.wrenches, instant.loads.torques)
    return power(instant.outward, instant.loads, instant.accelerations, nodes)


def energy_of(instant: Instant) -> Array:
    return array((kinetic_energy(instant.outward), gravitational_potential(instant.outward)))


def test_kinetic_energy_equals_the_dense_sum(case: Case) -> None:
    dense = Dense(case.instant())
    expected = 0.5 * dense.V @ dense.M @ dense.V
    assert kinetic_energy(case.instant().outward) == pytest.approx(expected, rel=1e-12)


def test_velocities_are_those_of_dense_operators(case: Case) -> None:
    dense, V = Dense(case.instant()), velocities(case.instant().outward)
    assert np.array_equal(V["ground"], np.zeros(6))
    for body in case.system.bodies:
        k, R = dense.place[body.name], dense.R(body)
        expected = np.concatenate((R.T @ dense.V[k : k + 3], R.T @ dense.V[k + 3 : k + 6]))
        np.testing.assert_allclose(V[body.name], expected, atol=1e-12 * np.max(np.abs(dense.V)))


def test_momentum_equals_the_dense_sums(case: Case) -> None:
    dense, result = Dense(case.instant()), momentum(case.instant().outward)
    linear, angular, mass_r, mass = np.zeros(3), np.zeros(3), np.zeros(3), 0.0
    for body in case.system.bodies:
        k, r = dense.place[body.name], dense.r(body)
        h = dense.M[k : k + 6, k : k + 6] @ dense.V[k : k + 6]
        linear, angular = linear + h[3:], angular + h[:3] + np.cross(r, h[3:])
        mass_r, mass = mass_r + body.mass * r, mass + body.mass
    np.testing.assert_allclose(result.linear, linear, atol=1e-12 * np.max(np.abs(linear)))
    np.testing.assert_allclose(result.angular, angular, atol=1e-12 * np.max(np.abs(angular)))
    np.testing.assert_allclose(result.com, mass_r / mass, atol=1e-13)
    about_com = sum(
        dense.M[k : k + 3, k : k + 3] @ dense.V[k : k + 3]
        + np.cross(dense.r(body) - mass_r / mass, body.mass * dense.V[k + 3 : k + 6])
        for body, k in zip(case.system.bodies, dense.place.values(), strict=True)
    )
    np.testing.assert_allclose(result.angular_about_com, about_com, atol=1e-11 * np.max(np.abs(angular)))
    assert result.mass == pytest.approx(mass)


def test_linear_momentum_is_mass_times_velocity_of_centre(case: Case) -> None:
    result = momentum(case.instant().outward)
    rate = case.derivative(lambda instant: momentum(instant.outward).com, np.zeros(case.n_v))
    np.testing.assert_allclose(result.linear, result.mass * rate, atol=1e-7 * result.mass)


def test_power_balance(case: Case) -> None:
    """d/dt (T + V_g) = power of loads + power of drives, by central differences along the motion.

    Their error is h² = 1e-10 times a third derivative, which large accelerations make larger, and EPS E / h,
    below 1e-9 for energies of up to 100.
    """
    instant = case.instant()
    rate = float(np.sum(case.derivative(energy_of, instant.accelerations.v_dot)))
    result = power_of(instant)
    v_dot = max(1.0, float(np.max(np.abs(instant.accelerations.v_dot))))
    assert rate == pytest.approx(result.loads + result.prescribed, rel=1e-7, abs=1e-8 * v_dot)
    assert (result.prescribed != 0.0) == bool(case.system.prescribed)


def test_gravitational_potential_is_referred_to_the_world_origin() -> None:
    system = System(gravity=(1.0, 2.0, -9.0))
    system.add_body("a", mass=2.0, com=(1, 1, 1), parent="ground", hinge=Prismatic((0, 0, 1)))
    case = Case(system, np.random.default_rng(0))
    case.q[:] = 0.5
    assert gravitational_potential(case.instant().outward) == pytest.approx(-2.0 * (1.0 + 2.0 - 9.0 * 1.5))


def test_elastic_potential_is_what_springs_give_back(rng: np.random.Generator) -> None:
    """Without dampers the power of the loads is −d/dt of the elastic potential."""
    case = Case(free_system(rng, damping=0.0), rng)
    instant = case.instant()
    rate = case.derivative(lambda later: elastic_potential(later.loads), instant.accelerations.v_dot)
    assert power_of(instant).loads == pytest.approx(-float(rate), rel=1e-7)


def free_system(rng: np.random.Generator, damping: float, gravity: Array | None = None) -> System:
    """Bodies that float, joined by hinges and by springs and dampers among themselves."""
    system = System(gravity=np.zeros(3) if gravity is None else gravity)
    base = add_random(system, rng, "base", system.ground, Free())
    arm = add_random(system, rng, "arm", base, Revolute((1, 2, 3), (0.2, 0, 0)))
    hand = add_random(system, rng, "hand", arm, Universal((1, 0, 0), (0, 1, 0), (0.5, 0.5, 0)))
    ball = add_random(system, rng, "ball", base, Spherical((0, -0.4, 0)))
    for a, b in ((hand, ball), (arm, base)):
        system.add_force(
            SpringDamper(f"{a.name}-{b.name}", a, (1, 0, 0), b, (0, 1, 1), spring=5.0, damper=damping)
        )
    system.add_force(TorsionSpringDamper("elbow", arm, spring=3.0, damper=damping, free=0.4))
    return system


def test_momentum_obeys_gravity_alone(rng: np.random.Generator) -> None:
    """Internal forces, conservative or not, change neither momentum: ṗ = m g and L̇ = com × m g."""
    g = np.array((0.3, -0.2, -9.0))
    case = Case(free_system(rng, damping=0.8, gravity=g), rng)
    instant = case.instant()
    now = momentum(instant.outward)
    rate = case.derivative(
        lambda later: concatenate((momentum(later.outward).linear, momentum(later.outward).angular)),
        instant.accelerations.v_dot,
    )
    expected = np.concatenate((now.mass * g, np.cross(now.com, now.mass * g)))
    np.testing.assert_allclose(rate, expected, atol=1e-6)


def integrated(case: Case, duration: float, rtol: float) -> tuple[Array, Array]:
    """Start and end of an integration of [q; v; work]."""
    n_q, n_v = len(case.q), case.n_v

    def instant_at(t: float, q: Array, v: Array) -> Instant:
        u = case.u
        if case.system.prescribed:
            u = np.array((np.sin(3.0 * t), 3.0 * np.cos(3.0 * t), -9.0 * np.sin(3.0 * t)))
        return Instant(case.embedding, case.layout, q, v, case.x, u)

    def rates(t: float, y: Array) -> Array:
        instant = instant_at(t, y[:n_q], y[n_q : n_q + n_v])
        return concatenate((instant.q_dot, instant.accelerations.v_dot, array((sum(power_of(instant)),))))

    y0 = np.concatenate((case.q, case.v, [0.0]))
    y1 = solve_ivp(rates, (0.0, duration), y0, method="DOP853", rtol=rtol, atol=rtol).y[:, -1]
    result = []
    for t, y in ((0.0, y0), (duration, y1)):
        instant = instant_at(t, y[:n_q], y[n_q : n_q + n_v])
        h = momentum(instant.outward)
        result.append(np.concatenate(([np.sum(energy_of(instant)), y[-1]], h.linear, h.angular)))
    return result[0], result[1]


def test_momentum_and_energy_balance_along_a_free_motion(rng: np.random.Generator) -> None:
    """Tolerances: some hundred times the integrator's, on quantities of order 10."""
    start, end = integrated(Case(free_system(rng, damping=0.5), rng), 0.5, rtol=1e-10)
    assert end[0] - start[0] == pytest.approx(end[1] - start[1], abs=1e-7)
    assert abs(end[0] - start[0]) > 0.1
    np.testing.assert_allclose(end[2:], start[2:], atol=1e-7)


def test_work_of_drive_is_accounted_for_along_motion(rng: np.random.Generator) -> None:
    system = System()
    base = add_random(system, rng, "base", system.ground, Revolute((0, 1, 0)))
    slider = add_random(system, rng, "slider", base, Prismatic((1, 0, 0.3)))
    add_random(system, rng, "rod", slider, Universal((1, 0, 0), (0, 1, 0), (0, 0, -0.2)))
    add_drive(system, "slider")
    system.add_force(TorsionSpringDamper("hub", base, spring=20.0, damper=0.4))
    case = Case(system, rng)
    start, end = integrated(case, 0.5, rtol=1e-10)
    assert end[0] - start[0] == pytest.approx(end[1] - start[1], abs=1e-7)
    assert abs(end[1]) > 0.1


def test_system_without_mass_has_no_centre_of_mass() -> None:
    system = System()
    system.add_body("ghost", mass=0.0, inertia=(1, 1, 1), parent="ground", hinge=Revolute((0, 0, 1)))
    with pytest.raises(ModelError, match="no mass"):
        momentum(Case(system, np.random.default_rng(0)).instant().outward)


@pytest.mark.parametrize("name", ["tree", "coupled", "corner"])
def test_traced_equals_float(name: str) -> None:
    case = make_case(name)

    def everything(q: Array, v: Array, u: Array) -> dict[str, Array]:
        instant = Instant(case.embedding, case.layout, q, v, case.x, u)
        h = momentum(instant.outward)
        return {
            "energy": energy_of(instant),
            "elastic": array((elastic_potential(instant.loads),)),
            "momentum": concatenate((h.linear, h.angular, h.angular_about_com, h.com)),
            "power": array(power_of(instant)),
        }

    given = {"q": case.q, "v": case.v, "u": case.u}
    traced = trace("energy", everything, {key: len(value) for key, value in given.items()}).evaluate(**given)
    for key, value in everything(**given).items():
        np.testing.assert_allclose(traced[key], value, rtol=1e-10, atol=1e-11, err_msg=key)
