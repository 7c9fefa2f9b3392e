"""The vehicle as a whole against what can be said of it on paper."""

from collections.abc import Iterable
from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.augmented import compute_accelerations
from ce_dynamics.augmented.states import observe_states
from ce_dynamics.compiled.model import Model
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.errors import AssemblyError
from ce_dynamics.mechanism.forces.base import PointLoad
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.case import build_ride, prepare
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.equilibrium import settle
from ce_dynamics.models.vehicles.hmmwv import CORNERS
from ce_dynamics.simulation.simulate import simulate
from tests.models.vehicles.hmmwv.vehicle_states import driven_vehicle, random_instant

G = 9.81
MIRROR = {"left": "right", "right": "left"}


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(build())


def tyre(instant: Instant, corner: str, output: str = "Fz") -> float:
    return float(instant.loads.responses[f"{corner}.tyre"].outputs[output])


def total_mass(system: System) -> float:
    return sum(body.mass for body in system.bodies)


def outer_wrench(instant: Instant) -> tuple[Array, Array]:
    """Return the force of tyres and air and its moment about the world's origin."""
    outer = [f"{name}.tyre" for name in CORNERS] + ["chassis.air"]
    loads = [load for name in outer for load in instant.loads.responses[name].loads]
    assert len(loads) == 5
    applied = [load for load in loads if isinstance(load, PointLoad)]
    return (
        total(load.force for load in applied),
        total(load.torque + np.cross(load.r, load.force) for load in applied),
    )


def total(vectors: Iterable[Array]) -> Array:
    return np.sum([np.asarray(vector, dtype=float) for vector in vectors], axis=0)  # type: ignore[no-any-return]


# Equilibrium


def test_tyres_carry_the_weight(model: Model) -> None:
    """Σ F = weight and Σ r × F = its moment about the origin, all 36 bodies where they have settled."""
    assert len(model.system.bodies) == 36
    instant = model.instant(settle(model), model.u0)
    weight = G * total_mass(model.system)
    states = observe_states(instant.outward)
    moment_of_weight = total(np.cross(states[b.name].r, (0.0, 0.0, G * b.mass)) for b in model.system.bodies)
    force, moment = outer_wrench(instant)
    np.testing.assert_allclose(force, np.array((0.0, 0.0, weight)), rtol=0.0, atol=1e-6 * weight)
    np.testing.assert_allclose(moment, moment_of_weight, rtol=0.0, atol=1e-6 * weight)


def test_load_of_every_wheel(model: Model) -> None:
    """By statics of a beam on two axles in the design pose: m g b / l in front.

    Settling moves the axles by less than 10 mm of 3302 mm.  Left and right differ by the steering linkage,
    6.9 kg less than 0.1 m off the middle, over a track of 1.8 m.
    """
    instant = model.instant(settle(model), model.u0)
    mass = total_mass(model.system)
    x = sum(body.mass * body.com[0] for body in model.system.bodies) / mass
    front, rear = (model.system.find(f"{axle}_left.wheel").com[0] for axle in ("front", "rear"))
    expected = 0.5 * G * mass * (x - rear) / (front - rear)
    assert tyre(instant, "front_left") == pytest.approx(expected, rel=0.01)
    for axle in ("front", "rear"):
        difference = tyre(instant, f"{axle}_left") - tyre(instant, f"{axle}_right")
        assert 0.0 < abs(difference) < 6.9 * G * 0.1 / 1.8


def test_settled_means_at_rest(model: Model) -> None:
    """No rate of any state is left: 1e-9 of g, and of the tyres' relaxation."""
    y_dot = model.dynamics(settle(model), model.u0)[0]
    assert np.max(np.abs(y_dot)) < 1e-6


def test_parked_vehicle_stays_parked() -> None:
    case = prepare("stand-still", duration=1.0)
    run = case.simulate()
    for name in ("x", "y", "z", "yaw", "pitch", "roll"):
        assert np.ptp(run[name].values) < 1e-6, name
    assert float(np.abs(run["speed"]).max()) < 1e-6


def test_parked_vehicle_holds_on_a_grade() -> None:
    """It leans on tyres and brakes, rocks, and stays; the tyres carry m g sin α along the road.

    The tyres yield by m g sin α / (4 × 185 kN/m), brakes by as little; it falls into them, twice as far.
    """
    grade = -0.3
    case = prepare("stand-still", duration=4.0, options={"grade": grade})
    run = case.simulate()
    late = run.sel(time=slice(3.0, None))
    along = G * total_mass(case.model.system) * np.sin(np.arctan(grade))
    assert np.ptp(run["x"].values) < 8.0 * abs(along) / (4.0 * 185e3)
    assert np.ptp(late["x"].values) < 1e-3  # rocks still, a little
    np.testing.assert_allclose(late["tyre_Fx"].sum("corner").values, along, rtol=1e-2)


# Newton and Euler for the vehicle as one


@pytest.mark.parametrize("seed", range(3))
def test_momentum_of_the_whole_vehicle(seed: int, rng: np.random.Generator) -> None:
    """Σ m a and the rate of Σ r × m v + I ω are forces of tyres, air and weight: all else is internal.

    Springs, dampers, brakes, driveline, steering actuator and the reactions of all hinges and loops cancel.
    """
    system = driven_vehicle()
    instant = random_instant(system, rng)
    states = observe_states(instant.outward)
    found = compute_accelerations(instant.embedding, instant.q, instant.v, instant.x, instant.u)
    force, moment, scale = np.zeros(3), np.zeros(3), np.zeros(2)
    for body in system.bodies:
        s, alpha, a = states[body.name], found[body.name][:3], found[body.name][3:]
        inertia = np.asarray(s.R @ body.inertia @ s.R.T, dtype=float)
        w, r = np.asarray(s.w, dtype=float), np.asarray(s.r, dtype=float)
        own = inertia @ alpha + np.cross(w, inertia @ w)
        force += body.mass * (a - system.gravity)
        moment += own + np.cross(r, body.mass * (a - system.gravity))
        scale += (body.mass * np.linalg.norm(a), np.linalg.norm(r) * body.mass * np.linalg.norm(a))
    expected, torque = outer_wrench(instant)
    assert np.linalg.norm(expected) > 1e3
    # 36 terms that cancel, each good to 1e-12 (see test_vehicle_against_dae)
    np.testing.assert_allclose(force, expected, rtol=0.0, atol=1e-11 * scale[0])
    np.testing.assert_allclose(moment, torque, rtol=0.0, atol=1e-11 * scale[1])


# Symmetries


def mirrored(model: Model, y: Array) -> Array:
    """The state seen in a mirror across the vehicle's x–z plane."""
    entries = [*model.layout.q, *model.layout.v]
    names = [entry.name for entry in entries]
    flipped = {"chassis.y", "chassis.qx", "chassis.qz", "chassis.wx", "chassis.wz", "chassis.vy"}
    result = np.empty(len(names))
    for k, name in enumerate(names):
        corner, _, rest = name.partition(".")
        axle, _, side = corner.partition("_")
        other = f"{axle}_{MIRROR[side]}.{rest}" if side in MIRROR else name
        sign = -1.0 if name in flipped or "lower_arm" in name else 1.0  # wheels spin about +y on both sides
        result[names.index(other)] = sign * y[k]
    return result


@pytest.mark.parametrize("seed", range(3))
def test_mirrored_ride_model_accelerates_mirrored(seed: int, rng: np.random.Generator) -> None:
    model = ride_model()
    instant = random_instant(model.system, rng)
    y = np.concatenate((instant.q, instant.v))
    y_dot = instant.y_dot.astype(float)
    found = model.instant(mirrored(model, y), model.u0).y_dot.astype(float)
    assert not np.allclose(found, y_dot, rtol=1e-3)
    # the arms' accelerations follow from forces of all corners; 1e-12 is what their rounding adds up to
    np.testing.assert_allclose(found, mirrored(model, y_dot), rtol=0.0, atol=1e-12 * np.max(np.abs(y_dot)))


@cache
def ride_model() -> Model:
    return Model(build_ride())


def test_place_and_heading_do_not_matter(rng: np.random.Generator) -> None:
    """On a flat road: moved and turned about the vertical, the vehicle does the same."""
    start = random_instant(driven_vehicle(), rng)
    turn = Rotation.from_rotvec((0.0, 0.0, 1.2))
    q, v = start.q.copy(), start.v.copy()
    q[:3] = turn.apply(q[:3]) + (40.0, -70.0, 0.0)
    q[3:7] = np.roll((turn * Rotation.from_quat(np.roll(start.q[3:7], -1))).as_quat(), 1)
    v[:3], v[3:6] = turn.apply(v[:3]), turn.apply(v[3:6])
    moved = Instant(start.embedding, start.layout, q, v, start.x, start.u)
    expected, found = (i.accelerations.v_dot.astype(float) for i in (start, moved))
    expected[:3], expected[3:6] = turn.apply(expected[:3]), turn.apply(expected[3:6])
    scale = np.max(np.abs(expected))
    # tyre deflections of centimetres are differences of coordinates of 80 m: 1e-14/1e-2 of the largest force
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-11 * scale)
    np.testing.assert_allclose(moved.x_dot.astype(float), start.x_dot.astype(float), rtol=1e-9, atol=1e-10)


def test_angles_of_the_wheels_do_not_matter(model: Model, rng: np.random.Generator) -> None:
    """Wheels are bodies of revolution: the angle they have turned by enters nothing."""
    y = settle(model)
    y[len(model.layout.q) :][:14] += rng.normal(size=14)
    turned = y.copy()
    for k, entry in enumerate(model.layout.q):
        if entry.name.endswith(".wheel"):
            turned[k] += rng.uniform(-100.0, 100.0)
    np.testing.assert_array_equal(model.dynamics(turned, model.u0)[0], model.dynamics(y, model.u0)[0])


# Driving


@pytest.mark.parametrize("steer", [0.1, -0.1])
def test_positive_steering_turns_left(steer: float) -> None:
    case = prepare("step-steer", duration=2.0, speed=8.0, options={"steer": steer, "start": 0.1})
    run = case.simulate().isel(time=-1)
    left = np.sign(steer)
    assert left * float(run["yaw_rate"]) > 0.05
    assert left * float(run["yaw"]) > 0.0
    assert left * float(run["y"]) > 0.0
    assert left * float(run["ay"]) > 0.5
    assert left * float(run["roll"]) > 0.0  # outwards; positive to the right
    # The path curves as the front wheels point, Ackermann's 1/R = δ/l, with some understeer.
    curvature = float(run["yaw_rate"] / run["speed"])
    expected = steer * case.manoeuvre.driver.max_wheel_angle / case.manoeuvre.driver.wheelbase  # type: ignore[union-attr]
    assert 0.6 < curvature / expected < 1.1
    # load goes to the outer wheels: m ay h over the track
    outer, inner = ("right", "left") if steer > 0.0 else ("left", "right")
    for axle in ("front", "rear"):
        assert float(run["tyre_Fz"].sel(corner=f"{axle}_{outer}")) > float(
            run["tyre_Fz"].sel(corner=f"{axle}_{inner}")
        )


def test_load_transfer_under_braking() -> None:
    """ΔFz of the front axle = m |ax| h / l in a stationary deceleration; all are read off the run."""
    case = prepare("braking", duration=1.8, speed=20.0, options={"brake": 0.25, "start": 0.1})
    run = case.simulate()
    now = run.isel(time=-1)
    mass = total_mass(case.model.system)
    deceleration = -float(run["ax"].sel(time=slice(1.4, None)).mean())
    assert deceleration > 1.5
    # forces: four tyres and the air slow the vehicle down
    slowing = float(now["chassis_air_drag"] - now["tyre_Fx"].sum("corner"))
    assert slowing == pytest.approx(mass * deceleration, rel=0.03)
    front = {n: float(r["tyre_Fz"].sel(corner=["front_left", "front_right"]).sum()) for n, r in
             (("before", run.isel(time=0)), ("during", now))}  # fmt: skip
    centres = {body.name: body.com for body in case.model.system.bodies}
    masses = np.array([body.mass for body in case.model.system.bodies])
    height = (masses @ np.array([centres[b.name][2] for b in case.model.system.bodies])) / mass
    height += float(now["z"])
    wheelbase = 3.302
    expected = mass * deceleration * height / wheelbase
    assert front["during"] - front["before"] == pytest.approx(expected, rel=0.08)


# Overrides


FREE = ("front.spring.linear", "rear_left.spring.linear", "tyre.cz", "chassis.mass")


@cache
def free_model() -> Model:
    """With the numbers that are changed: it is the vehicle built with them (test_free)."""
    return Model(build(VehicleParameters.load(free=FREE)))


@cache
def pose(name: str = "", value: float = 0.0) -> dict[str, float]:
    """Heave, pitch, arms and tyre loads of the settled vehicle."""
    return settled_pose(free_model(), {name: value} if name else {})


def settled_pose(model: Model, values: dict[str, float]) -> dict[str, float]:
    u = model.inputs_with(values)
    y = settle(model, u)
    names = [entry.name for entry in model.layout.q]
    seen = model.outputs(y, u=u)
    loads = {f"{name}.Fz": seen[f"{name}.tyre.Fz"] for name in CORNERS}
    return dict(zip(names, y.tolist(), strict=False)) | seen | loads


def test_stiffer_front_springs_raise_the_front() -> None:
    before, after = pose(), pose("front.spring.linear", 200e3)
    assert after["pitch"] < before["pitch"] - 1e-4  # nose up
    assert after["front_left.lower_arm"] < before["front_left.lower_arm"]  # the wheel moves down
    total = [sum(p[f"{name}.Fz"] for name in CORNERS) for p in (before, after)]
    assert total[1] == pytest.approx(total[0], rel=1e-9)


def test_softer_tyres_lower_the_vehicle_by_their_deflection() -> None:
    """Half the stiffness doubles δ = Fz/cz; the suspension stays, up to the camber of wheels and arms."""
    before, after = pose(), pose("tyre.cz", 205560.5)
    sunk = np.mean([before[f"{name}.wheel_z"] - after[f"{name}.wheel_z"] for name in CORNERS])
    load = np.mean([before[f"{name}.Fz"] for name in CORNERS])
    assert sunk == pytest.approx(load / 411121.0, rel=1e-3)


def test_mass_and_gravity_load_the_tyres() -> None:
    before = pose()
    heavier = pose("chassis.mass", 2186.52)
    on_the_moon = settled_pose(Model(build(overrides=["vehicle.gravity=1.62 m/s^2"])), {})
    loads = [sum(p[f"{name}.Fz"] for name in CORNERS) for p in (before, heavier, on_the_moon)]
    assert loads[1] - loads[0] == pytest.approx(100.0 * G, rel=1e-6)
    assert loads[2] / loads[0] == pytest.approx(1.62 / G, rel=1e-6)


def test_one_corner_alone_can_be_changed() -> None:
    before, after = pose(), pose("rear_left.spring.linear", 500e3)
    assert after["roll"] > before["roll"]  # the left rises
    # the stiffer corner and the one across carry more
    for name, sign in zip(CORNERS, (-1.0, 1.0, 1.0, -1.0), strict=True):
        assert sign * (after[f"{name}.Fz"] - before[f"{name}.Fz"]) > 1.0


def test_spring_that_cannot_carry_the_vehicle_is_refused() -> None:
    nothing = ("linear=0 N/m", "cubic=0 N/m^3", "stop_stiffness=0 N/m", "stop_progression=0 N/m^3")
    model = Model(build(overrides=[f"spring.{law}" for law in nothing]))
    with pytest.raises(AssemblyError, match="no equilibrium"):
        settle(model)


@cache
def rolling_model() -> Model:
    return Model(build(VehicleParameters.load(free=["road.friction"]), speed=12.0))


@pytest.mark.parametrize("friction", [0.0005, 0.002])
def test_wheels_slide_steadily_on_too_slippery_roads(friction: float) -> None:
    """Tyres beyond the slip of their largest force turn the wheels against all that drags: none accelerates.

    They transmit less than the friction allows then, but more than a third of it.
    """
    model = rolling_model()
    u = model.inputs_with({"road.friction": friction})
    y = settle(model, u)
    names = model.layout.y_names
    rates, seen = model.dynamics(y, u)[0], model.outputs(y, u=u)
    for name in CORNERS:
        wheel = names.index(f"{name}.wheel_rate")
        assert 0.0 < y[wheel] < 0.01 * 12.0 / 0.4699
        assert abs(rates[wheel]) < 1e-6
        used = -seen[f"{name}.tyre.Fx"] / seen[f"{name}.tyre.Fz"]
        assert friction / 3.0 < used < friction


def test_starting_speed_rolls_the_wheels() -> None:
    """Settled at speed, wheels roll on their dynamic radius (2 r0 + r_loaded)/3."""
    model = Model(build(speed=10.0))
    y = settle(model)
    names = [entry.name for entry in (*model.layout.q, *model.layout.v)]
    for name in CORNERS:
        rate = y[names.index(f"{name}.wheel_rate")]
        instant = model.instant(y, model.u0)
        deflection, slip = (tyre(instant, name, output) for output in ("deflection", "slip"))
        assert -0.01 < slip < 0.0  # wheels drag the closed engine along
        # rolling with slip: v = r ω (1 − s); toe and camber of 0.04 rad change it by half their square
        assert rate * (0.4699 - deflection / 3.0) * (1.0 - slip) == pytest.approx(10.0, rel=1e-3)
    run = simulate(model, duration=0.5, y0=y)
    assert float(np.abs(run["y"]).max()) < 1e-4  # straight on
    assert float(np.ptp(run["z"].values)) < 2e-3
