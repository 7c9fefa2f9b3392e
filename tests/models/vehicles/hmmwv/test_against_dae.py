"""The full vehicle by constraint embedding against the augmented formulations of the same `System`.

The two share masses, hardpoints and force elements; the augmented ones know nothing of the closed forms.
"""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.augmented import (
    Augmented,
    FullyAugmented,
    Preparation,
    Trajectory,
    TreeAugmented,
    compute_accelerations,
    simulate_dae,
)
from ce_dynamics.augmented.states import observe_states
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.vehicles.case import Case, build_ride, prepare
from ce_dynamics.models.vehicles.hmmwv import CORNERS
from ce_dynamics.simulation.right_hand_side import RightHandSide
from tests.models.vehicles.hmmwv.vehicle_states import driven_vehicle, measured, random_instant
from tests.support.close import assert_close, deviations

# Relative to every body's own angular and linear acceleration and every hinge's own acceleration: beside the
# largest in the vehicle those of the chassis would vanish.  Rounding alone makes up to
# 1e-16 times the condition of the mass matrix along the allowed motions, which is below 1e5 here.
RELATIVE = 1e-10


@pytest.fixture(scope="module")
def vehicle() -> System:
    return driven_vehicle()


@pytest.fixture(scope="module")
def ride() -> System:
    return build_ride()


def absolute_accelerations(instant: Instant, u: Array | None = None) -> dict[str, Array]:
    """Angular and linear acceleration of every body, all hinges cut."""
    system = instant.embedding.system
    full = FullyAugmented(system)
    y = full.state_from_embedded(instant.embedding, instant.q, instant.v, instant.x, instant.u)
    at = full.at(y, instant.u if u is None else u)
    if u is None:
        rows = at.constraints
        assert np.max(np.abs(rows.g)) < 1e-12  # the same poses: lengths of about 10 m, cosines
        assert np.max(np.abs(rows.rate)) < 1e-11  # the same velocities: some 10 m/s and rad/s
    answer = full.solve(at)
    assert answer.inconsistency < 1e-12  # the one redundant row (planar steering) agrees with the others
    halves = answer.V_dot.reshape(-1, 2, 3)
    return named_halves([body.name for body in system.bodies], halves)


def named_halves(names: list[str], halves: Array) -> dict[str, Array]:
    return {
        f"{name}, {kind}": halves[k, i]
        for k, name in enumerate(names)
        for i, kind in enumerate(("angular", "linear"))
    }


def embedded(instant: Instant) -> dict[str, Array]:
    """Angular and linear acceleration of every body by the recursion."""
    found = compute_accelerations(instant.embedding, instant.q, instant.v, instant.x, instant.u)
    names = list(found)
    return named_halves(names, np.array([found[name] for name in names]).reshape(-1, 2, 3))


def embedded_hinge_accelerations(instant: Instant) -> dict[str, Array]:
    """X_S θ̈ + Ẋ_S θ̇ + η̇ of every hinge, independent or not."""
    v_dot, result = instant.accelerations.v_dot, {}
    for S in instant.embedding.aggregates:
        mine = [v_dot[instant.embedding.v_of[body.name]] for body in S.independent]
        theta_ddot = np.concatenate([*mine, np.zeros(0)])
        for body in S.bodies:
            if body.name not in instant.prescribed:
                hinge = instant.outward.motions[S.name].hinge_motions[body.name]
                result[body.name] = np.asarray(hinge.X @ theta_ddot + hinge.bias, dtype=float)
    return result


def tree_hinge_accelerations(instant: Instant) -> dict[str, Array]:
    cut = TreeAugmented(instant.embedding.system)
    y = cut.state_from_embedded(instant.embedding, instant.q, instant.v, instant.x, instant.u)
    at = cut.at(y, instant.u)
    V_dot = cut.solve(at).V_dot
    return {name: V_dot[where] for name, where in cut.embedding.v_of.items()}


@pytest.mark.parametrize("upright", [True, False], ids=["on its wheels", "any attitude"])
@pytest.mark.parametrize("seed", range(5))
def test_accelerations_of_every_body(
    vehicle: System, seed: int, upright: bool, rng: np.random.Generator
) -> None:
    """36 bodies, steering angle, rate and acceleration all there; every hinge cut, and the loops cut."""
    instant = random_instant(vehicle, rng, upright)
    assert np.all(np.abs(instant.u[-3:]) > 0.0)
    expected = embedded(instant)
    assert len(expected) == 2 * 36
    all_cut = assert_close(absolute_accelerations(instant), expected, RELATIVE)
    hinges = tree_hinge_accelerations(instant), embedded_hinge_accelerations(instant)
    measured("deviation, all hinges cut", all_cut)
    measured("deviation, loops cut", assert_close(*hinges, RELATIVE))


@pytest.mark.parametrize("seed", range(3))
def test_rates_of_tyres_and_brakes(vehicle: System, seed: int, rng: np.random.Generator) -> None:
    """Force elements answer both observers equally; some tyres carry load."""
    instant = random_instant(vehicle, rng)
    loads = [instant.loads.responses[f"{name}.tyre"].outputs["Fz"] for name in CORNERS]
    assert max(loads) > 1e3
    full = FullyAugmented(vehicle)
    y = full.state_from_embedded(instant.embedding, instant.q, instant.v, instant.x, instant.u)
    found = full.at(y, instant.u).x_dot.astype(float)
    # deflections grow by up to some m/s; the observed velocities are good to 1e-14 of 10 m/s
    np.testing.assert_allclose(found, instant.x_dot.astype(float), rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("entry", ["driven", "driven_rate", "driven_acceleration"])
def test_every_part_of_the_steering_motion_counts(
    vehicle: System, entry: str, rng: np.random.Generator
) -> None:
    """The comparison would notice if one formulation missed a hundred-thousandth of the steering motion."""
    instant = random_instant(vehicle, rng)
    expected = embedded(instant)
    u = np.array(instant.u)
    u[[given.name for given in instant.layout.u].index(entry)] *= 1.0 + 1e-5
    if entry == "driven_acceleration":
        missed = absolute_accelerations(instant, u)
    else:  # another state
        moved = Instant(instant.embedding, instant.layout, instant.q, instant.v, instant.x, u)
        missed = absolute_accelerations(moved)
    assert max(deviations(missed, expected).values()) > 10.0 * RELATIVE


@pytest.mark.parametrize("upright", [True, False], ids=["on its wheels", "any attitude"])
def test_accelerations_of_the_ride_model(ride: System, upright: bool, rng: np.random.Generator) -> None:
    """All hinges cut only: the ride model has bodies without mass, which a tree cannot have at its tips."""
    instant = random_instant(ride, rng, upright)
    expected = embedded(instant)
    assert len(expected) == 2 * 33
    deviation = assert_close(absolute_accelerations(instant), expected, RELATIVE)
    measured("deviation, all hinges cut", deviation)


# Trajectories

DURATION = 3.0
TIMES = np.linspace(0.0, DURATION, 31)


@pytest.fixture(scope="module")
def case() -> Case:
    """A double lane change that begins at once: in three seconds it is in the second lane."""
    return prepare("double-lane-change", duration=DURATION, options={"lead_in": 0.0})


@pytest.fixture(scope="module")
def exact(case: Case) -> Array:
    """States of the embedded model with an error below 1e-8, a tenth of what is allowed of the finest runs.

    Curves of tyres have kinks.  Where a step meets one, as that of the front left tyre at t = 1.697 s, its
    error is above the tolerance for some tenths of a second; elsewhere it is below 1e-10.
    """
    solutions = [
        solve_ivp(
            RightHandSide(case.model, case.manoeuvre),
            (0.0, DURATION),
            case.y0,
            method="DOP853",
            t_eval=TIMES,
            rtol=tolerance,
            atol=tolerance,
        ).y.T
        for tolerance in (1e-12, 1e-13)
    ]
    np.testing.assert_allclose(solutions[0], solutions[1], rtol=1e-10, atol=1e-8)
    assert np.median(np.max(np.abs(solutions[0] - solutions[1]), axis=1)) < 1e-10
    return np.asarray(solutions[1])


def worst_deviation(case: Case, exact: Array, run: Trajectory, tolerance: float) -> float:
    """Return the worst deviation of poses and velocities, in units of IDA's tolerance rtol |value| + atol.

    |value| is the largest of its kind: angle turned (by the wheels) 77 rad, distance 38 m, angular velocity
    26 rad/s, velocity 12 m/s.
    """
    system = case.model.system
    expected = [observe_states(case.model.instant(y, u).outward) for y, u in zip(exact, run.u, strict=True)]
    wheels = [k for k, entry in enumerate(case.model.layout.q) if entry.name.endswith(".wheel")]
    turned = np.max(np.abs(exact[:, wheels]))
    worst = 0.0
    for k in range(4):  # R, r, w, v
        mine, theirs = (
            np.array([[states[body.name][k] for body in system.bodies] for states in source], dtype=float)
            for source in (expected, run.states)
        )
        value = turned if k == 0 else np.max(np.abs(mine))
        worst = max(worst, float(np.max(np.abs(mine - theirs)) / (tolerance * (value + 1.0))))
    return worst


@pytest.mark.slow
@pytest.mark.parametrize("formulation", [FullyAugmented, TreeAugmented])
def test_trajectories_converge_to_the_embedded_one(
    case: Case, exact: Array, formulation: Callable[[System], Augmented]
) -> None:
    """GGL by IDA: whatever its tolerance, the deviation is that tolerance times a moderate factor.

    The factor is by how much local errors add up and are amplified over hundreds of steps.  That it stays
    moderate while the tolerance falls by 10⁴ means that both solve the same equations to ten digits.
    """
    model = formulation(case.model.system)
    y0 = model.state_from_embedded(case.model.embedding, *case.model.layout.split(case.y0))
    prepared = Preparation(model, y0, case.manoeuvre)
    for tolerance in (1e-6, 1e-10):
        run = simulate_dae(prepared, None, TIMES, rtol=tolerance, atol=tolerance)
        deviation = worst_deviation(case, exact, run, tolerance)
        measured(f"deviation in tolerances of {tolerance:g}", deviation)
        assert deviation < 100.0
    assert np.ptp(run.y[:, 1]) > 2.5  # it did change lanes
