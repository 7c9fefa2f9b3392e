"""T = M θ̈ + C (1) against dense operators and finite differences, and against the forward dynamics."""

import math

import numpy as np
import pytest

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiler import trace
from ce_dynamics.dynamics.articulated_body import forward_dynamics, tip_to_base
from ce_dynamics.dynamics.energy import compute_drive_power
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.inverse_dynamics import compute_drive_forces, inverse_dynamics
from ce_dynamics.dynamics.mass_matrix import mass_matrix, solve_mass
from ce_dynamics.mechanism.hinges import Prismatic, Revolute
from ce_dynamics.mechanism.system import System
from tests.ce_dynamics.recursion_dense import Dense, accelerations
from tests.ce_dynamics.recursion_systems import SYSTEMS, Case, add_drive, make_case

EPS = float(np.finfo(float).eps)
CASES = [(name, seed) for name in SYSTEMS for seed in (range(4) if name == "tree" else range(2))]

# Central differences with h = 1e-5 of velocities whose third derivatives are below about 1e3: h² 1e3 / 6 and
# EPS · 1e2 / h are both below 1e-7.
FINITE_DIFFERENCE = 1e-7


@pytest.fixture(params=CASES, ids=lambda given: f"{given[0]}{given[1]}")
def case(request: pytest.FixtureRequest) -> Case:
    return make_case(*request.param)


def needed(instant: Instant, v_dot: Array) -> Array:
    return inverse_dynamics(instant.outward, instant.loads.wrenches, instant.loads.torques, v_dot).T


def test_velocities_of_dense_operators_are_rates_of_positions(case: Case) -> None:
    """The reference itself: J θ̇ + drift is the rate of positions, and of the observer."""
    dense = Dense(case.instant())
    rates = case.derivative(lambda instant: Dense(instant).positions(), np.zeros(case.n_v))
    np.testing.assert_allclose(dense.V.reshape(-1, 6)[:, 3:].ravel(), rates, atol=FINITE_DIFFERENCE)
    np.testing.assert_allclose(dense.V, dense.observed_velocities(), atol=1e-13 * np.max(np.abs(dense.V)))


def test_bias_forces_equal_dense_newton_euler(case: Case) -> None:
    instant = case.instant()
    C = needed(instant, np.zeros(case.n_v))
    dense = Dense(instant).generalised(accelerations(case, np.zeros(case.n_v)))
    np.testing.assert_allclose(C, dense, rtol=0.0, atol=FINITE_DIFFERENCE * max(1.0, np.max(np.abs(C))))


def test_is_linear_in_the_accelerations(case: Case, rng: np.random.Generator) -> None:
    """T(θ̈) − C = M θ̈ with the dense mass matrix."""
    instant, v_dot = case.instant(), rng.normal(size=case.n_v)
    difference = needed(instant, v_dot) - needed(instant, np.zeros(case.n_v))
    M = Dense(instant).mass_matrix()
    scale = np.max(np.abs(M)) + np.max(np.abs(difference))
    np.testing.assert_allclose(difference, M @ v_dot, rtol=0.0, atol=1000.0 * EPS * scale)


def test_forward_dynamics_solve_the_dense_equations(case: Case) -> None:
    """(5): θ̈ = M⁻¹ (T − C), with no T on top of the loads."""
    instant = case.instant()
    C = needed(instant, np.zeros(case.n_v))
    M = Dense(instant).mass_matrix()
    expected = np.linalg.solve(M, -C)
    tolerance = 100.0 * EPS * np.linalg.cond(M) * np.max(np.abs(expected))
    np.testing.assert_allclose(instant.accelerations.v_dot, expected, rtol=0.0, atol=tolerance)


def test_inverse_of_forward_needs_nothing(case: Case) -> None:
    instant = case.instant()
    result = inverse_dynamics(
        instant.outward, instant.loads.wrenches, instant.loads.torques, instant.accelerations.v_dot
    )
    scale = max(float(np.max(np.abs(f))) for f in result.forces.values())
    np.testing.assert_allclose(result.T, 0.0, atol=1e4 * EPS * scale)
    for name, alpha in instant.accelerations.alpha.items():
        np.testing.assert_allclose(result.alpha[name], alpha, atol=1e-11 * max(1.0, np.max(np.abs(alpha))))


def test_forward_of_inverse_is_identity(case: Case, rng: np.random.Generator) -> None:
    """Torques on the independent hinges found for random accelerations produce these accelerations."""
    instant, v_dot = case.instant(), rng.normal(size=case.n_v)
    T = needed(instant, v_dot)
    torques = dict(instant.loads.torques)
    for name, where in case.embedding.v_of.items():
        torques[name] = torques.get(name, np.zeros(where.stop - where.start)) + T[where]
    result = forward_dynamics(instant.outward, instant.loads.wrenches, torques)
    tolerance = 1000.0 * EPS * np.linalg.cond(mass_matrix(instant.outward)) * max(1.0, np.max(np.abs(T)))
    np.testing.assert_allclose(result.v_dot, v_dot, rtol=0.0, atol=tolerance)


def test_solving_with_mass_agrees_with_the_full_sweeps(case: Case, rng: np.random.Generator) -> None:
    """θ̈(T) − θ̈(0) = M⁻¹ T."""
    instant, v_dot = case.instant(), rng.normal(size=case.n_v)
    nodes = tip_to_base(instant.outward, {}, {})
    T = needed(instant, v_dot)
    difference = v_dot - instant.accelerations.v_dot
    tolerance = 1000.0 * EPS * np.linalg.cond(mass_matrix(instant.outward)) * max(1.0, np.max(np.abs(T)))
    np.testing.assert_allclose(solve_mass(instant.outward, nodes, T), difference, rtol=0.0, atol=tolerance)


@pytest.mark.parametrize("name", ["chain", "coupled", "corner"])
def test_drives_deliver_the_prescribed_power(name: str) -> None:
    case = make_case(name)
    instant = case.instant()
    forces = drive_forces(case, instant)
    nodes = tip_to_base(instant.outward, instant.loads.wrenches, instant.loads.torques)
    delivered = sum(force * instant.prescribed[body].rate for body, force in forces.items())
    expected = compute_drive_power(instant.outward, instant.loads, instant.accelerations, nodes)
    assert delivered == pytest.approx(expected, rel=1e-11)
    assert abs(delivered) > 1e-3


def drive_forces(case: Case, instant: Instant) -> dict[str, float]:
    result = inverse_dynamics(
        instant.outward, instant.loads.wrenches, instant.loads.torques, instant.accelerations.v_dot
    )
    return compute_drive_forces(
        instant.outward, case.q, instant.prescribed, result.forces, instant.loads.torques
    )


def test_drive_of_a_pendulum_by_hand() -> None:
    """A driven pendulum of mass m, length l with a point mass on a slider along it at distance r.

    Torque I φ̈ + m g l sin φ + M (r² φ̈ + 2 r ṙ φ̇ + g r sin φ); slider M (r̈ − r φ̇² − g cos φ) = F.
    """
    m, length, inertia, M, g = 2.0, 0.4, 0.3, 1.5, 9.81
    system = System(gravity=(0, 0, -g))
    rod = system.add_body(
        "rod",
        mass=m,
        com=(0, 0, -length),
        inertia=(0.3, inertia, 0.1),
        parent="ground",
        hinge=Revolute((0, -1, 0)),
    )
    system.add_body("bob", mass=M, com=(0, 0, -1), parent=rod, hinge=Prismatic((0, 0, -1)))
    add_drive(system, "rod")
    case = Case(system, np.random.default_rng(0))
    phi, phi_dot, phi_ddot, s, s_dot = 0.7, 1.3, -2.0, 0.2, 0.8
    case.q[:], case.v[:], case.u[:] = s, s_dot, (phi, phi_dot, phi_ddot)
    r = 1.0 + s
    expected = (inertia + m * length * length) * phi_ddot + m * g * length * math.sin(phi)
    expected += M * (r * r * phi_ddot + 2.0 * r * s_dot * phi_dot + g * r * math.sin(phi))
    instant = case.instant()
    assert drive_forces(case, instant)["rod"] == pytest.approx(expected, rel=1e-14)
    (s_ddot,) = instant.accelerations.v_dot
    assert s_ddot == pytest.approx(r * phi_dot**2 + g * math.cos(phi), rel=1e-14)
    assert needed(instant, np.array([0.25]))[0] == pytest.approx(M * (0.25 - s_ddot), rel=1e-14)


@pytest.mark.parametrize("name", ["tree", "coupled", "corner"])
def test_traced_equals_float(name: str) -> None:
    case = make_case(name)

    def everything(q: Array, v: Array, u: Array) -> dict[str, Array]:
        instant = Instant(case.embedding, case.layout, q, v, case.x, u)
        loads = instant.loads
        result = inverse_dynamics(instant.outward, loads.wrenches, loads.torques, np.cos(np.arange(case.n_v)))
        drives = compute_drive_forces(instant.outward, q, instant.prescribed, result.forces, loads.torques)
        return {"T": result.T, "drives": np.array(list(drives.values()), dtype=object)}

    given = {"q": case.q, "v": case.v, "u": case.u}
    traced = trace("inverse", everything, {key: len(value) for key, value in given.items()}).evaluate(**given)
    for key, value in everything(**given).items():
        np.testing.assert_allclose(traced[key], value.astype(float), rtol=1e-11, atol=1e-11, err_msg=key)
