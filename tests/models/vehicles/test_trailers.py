"""Trains: against the formulation with all hinges cut, Newton's laws, and a linear single-track model."""

from pathlib import Path

import numpy as np
import pytest

from ce_dynamics.compiled.model import Model
from ce_dynamics.compiled.steady_state import steady_state
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import PointLoad
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.kc.vehicle import rig_of
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.corner import sprung_body
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.equilibrium import settle, wheel_rates
from ce_dynamics.models.vehicles.sensors import crossing_force
from tests.models.vehicles.any_vehicle import assert_accelerations, driven, random_instant
from tests.models.vehicles.single_track import single_track

TWO_TRAILERS = """
base: van
trailers:
  semi: {hitch: fifth-wheel, behind: dolly}
  dolly: {hitch: pintle}
axles:
  dolly_axle: {suspension: rigid, trailer: dolly}
  semi_axle: {suspension: rigid, trailer: semi}
dolly:
  mass: 320 kg
  com: (-1.9, 0.01, 0.1) m
  inertia: diag(90, 120, 180) kg*m^2
  hitch: {x: -2.7 m, z: 0.05 m}
dolly_axle:
  origin: (-2, 0, -0.06) m
  W: (0, 0.85, 0) m
semi:
  mass: 1500 kg
  com: (-2.4, -0.02, 0.3) m
  inertia: diag(900, 3500, 3800) kg*m^2
  hitch:
    x: -1.95 m
    z: 0.35 m
    yaw_damping: 40 N*m*s/rad
    roll_stiffness: 90 kN*m/rad
    roll_damping: 900 N*m*s/rad
semi_axle:
  origin: (-4, 0, -0.4) m
  W: (0, 0.85, 0) m
"""
STIFF = "    roll_stiffness: 90 kN*m/rad\n    roll_damping: 900 N*m*s/rad\n"


def two_trailers(folder: Path, text: str = TWO_TRAILERS) -> VehicleParameters:
    path = folder / "two.yaml"
    path.write_text(text, encoding="utf-8")
    return VehicleParameters.load(path)


@pytest.fixture(scope="module")
def van() -> VehicleParameters:
    return VehicleParameters.load("van-trailer")


TRAINS = ["ball", "pintle and rocking fifth wheel", "pintle and fifth wheel"]


@pytest.fixture(scope="module", params=TRAINS)
def moving(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Instant:
    """A train that moves anyhow, steered by a rack that moves anyhow."""
    if request.param == "ball":
        data = VehicleParameters.load("van-trailer")
    else:
        stiff = request.param == "pintle and fifth wheel"
        data = two_trailers(
            tmp_path_factory.mktemp("train"), TWO_TRAILERS.replace(STIFF, "") if stiff else TWO_TRAILERS
        )
    system = driven(build(data), "steering.rack")
    return random_instant(system, np.random.default_rng(5), data.ride_height, travel=0.03, steer=0.03)


def test_accelerations_of_every_body_against_all_hinges_cut(moving: Instant) -> None:
    """The tolerance is that of the HMMWV's test."""
    assert_accelerations(moving)


def test_forces_of_hitches_and_tyres_move_trains(moving: Instant) -> None:
    """Newton's second law, of what each hitch tows, of all; rounding of forces of some 10 kN."""
    system = moving.embedding.system
    for first in (None, *(hitched(system, name) for name in system.groups["trailer"])):
        bodies = [body for body in system.bodies if first is None or is_behind(body, first)]
        accelerations = [moving.acceleration(body, body.com).astype(float) for body in bodies]
        momentum = sum(float(body.mass) * a for body, a in zip(bodies, accelerations, strict=True))
        weight = sum(float(body.mass) for body in bodies) * system.gravity.astype(float)
        names = {body.name for body in bodies}
        tyres = [
            load.force.astype(float)
            for response in moving.loads.responses.values()
            for load in response.loads
            if isinstance(load, PointLoad) and load.frame is system.ground and load.body.name in names
        ]
        force = weight + sum(tyres, start=np.zeros(3))
        if first is not None:
            R = moving.outward.placement(first.carrier, system.ground).R.astype(float)
            force -= R @ crossing_force(moving, first).astype(float)
        assert np.linalg.norm(momentum) > 1e2
        np.testing.assert_allclose(momentum, force, rtol=0.0, atol=1e-7)


def hitched(system: System, name: str) -> Body:
    """Return the first body on a hitch: the trailer, or the plate that it turns on."""
    trailer = system.find(name)
    return trailer.carrier if trailer.carrier.name == f"{name}.plate" else trailer


def is_behind(body: Body, first: Body) -> bool:
    while not body.is_ground and body is not first:
        body = body.carrier
    return body is first


def test_energy_changes_by_the_power_of_the_loads(moving: Instant) -> None:
    """Along the motion, by central differences: 1e-6 s, rounding of 1e5 J leaves 1e-5 of 1e6 W."""
    h = 1e-6
    u_dot = (
        np.array([e.name == "driven" for e in moving.layout.u]) * moving.u[input_of(moving, "driven_rate")]
    )
    u_dot += (
        np.array([e.name == "driven_rate" for e in moving.layout.u])
        * moving.u[input_of(moving, "driven_acceleration")]
    )
    energies = []
    for sign in (1.0, -1.0):
        y = np.concatenate((moving.q, moving.v, moving.x)) + sign * h * moving.y_dot
        q, v, x = moving.layout.split(y.astype(float))
        there = Instant(moving.embedding, moving.layout, q, v, x, moving.u + sign * h * u_dot)
        energies.append(float(there.energy - there.energies["elastic_energy"]))
    rate = (energies[0] - energies[1]) / (2.0 * h)
    power = float(moving.power.loads) + float(moving.power.prescribed)
    assert rate == pytest.approx(power, rel=1e-5)


def input_of(instant: Instant, name: str) -> int:
    return [entry.name for entry in instant.layout.u].index(name)


def test_train_does_the_same_under_any_heading(moving: Instant) -> None:
    """On a flat road: rates of all hinges but the chassis' own; a kilometre away four digits are lost."""
    q = moving.q.copy()
    half = 1.3
    turn = np.array([np.cos(half), 0.0, 0.0, np.sin(half)])
    q[:2] = rotated(q[:2], 2.0 * half) + (1000.0, -700.0)
    q[3:7] = product(turn, q[3:7])
    v = moving.v.copy()
    v[:2], v[3:5] = rotated(v[:2], 2.0 * half), rotated(v[3:5], 2.0 * half)
    turned = Instant(moving.embedding, moving.layout, q, v, moving.x, moving.u)
    own = moving.accelerations.v_dot.astype(float)
    found = turned.accelerations.v_dot.astype(float)
    np.testing.assert_allclose(found[6:], own[6:], rtol=0.0, atol=1e-8 * np.abs(own).max())
    np.testing.assert_allclose(
        found[3:5], rotated(own[3:5], 2.0 * half), rtol=0.0, atol=1e-8 * np.abs(own).max()
    )


def rotated(vector: np.ndarray, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * vector[0] - s * vector[1], s * vector[0] + c * vector[1]])


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    scalar = a[0] * b[0] - a[1:] @ b[1:]
    return np.array([scalar, *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])


def test_a_trailer_stands_where_its_coupling_point_is(van: VehicleParameters) -> None:
    """All of it moves with ``hitch.x`` and ``hitch.z``, and nothing of the vehicle does."""
    shift = np.array([-0.3, 0.0, 0.02])
    moved = VehicleParameters.load("van-trailer", ["trailer.hitch.x=-3 m", "trailer.hitch.z=0.11 m"])
    before, after = build(van), build(moved)
    for one, other in zip(before.bodies, after.bodies, strict=True):
        expected = shift if sprung_body(before, one).name == "trailer" else np.zeros(3)
        np.testing.assert_allclose((other.com - one.com).astype(float), expected, atol=1e-12)
    assert moved.wheelbase == van.wheelbase == pytest.approx(3.3)


FREE = ("chassis.com.z", "trailer.com.z", "trailer.com.x", "tyre.cy", "trailer.hitch.yaw_damping")
LOW = {"chassis.com.z": -0.36, "trailer.com.z": -0.47, "tyre.cy": 5e6}
"""Centres of mass at the height of the road and stiff carcasses: what a single-track model leaves out."""
SWAYING = {**LOW, "trailer.com.x": -4.4, "trailer.hitch.yaw_damping": 0.0}
"""And a trailer that carries its load behind its axles."""


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(build(VehicleParameters.load("van-trailer", free=list(FREE)), speed=20.0))


def test_it_settles_with_weight_on_wheels_and_hitch(model: Model, van: VehicleParameters) -> None:
    """Loads carry the train; the hitch carries what the trailer's wheels do not."""
    y = settle(model)
    seen = model.outputs(y, u=model.u0)
    loads = {name: seen[f"{name}.tyre.Fz"] for name in van.corners}
    lift = 0.5 * 1.2 * 4.4 * (0.05 + 0.02) * 20.0**2  # of the data's coefficients
    assert sum(loads.values()) == pytest.approx(9.81 * van.mass - lift, rel=1e-4)  # it coasts, and pitches
    towed = [body for body in model.system.bodies if sprung_body(model.system, body).name == "trailer"]
    weight = 9.81 * sum(float(body.mass) for body in towed)
    behind = sum(loads[name] for axle in van.layout.axles_of("trailer") for name in axle.corners)
    assert seen["trailer.hitch_Fz"] == pytest.approx(behind - weight, abs=0.01 * weight)
    assert -0.08 * weight < seen["trailer.hitch_Fz"] < 0.0
    assert max(abs(seen[f"{name}.wheel_travel"]) for name in van.corners) < 0.02


@pytest.mark.parametrize(
    ("speed", "values", "tolerance"), [(12.0, LOW, 0.08), (20.0, LOW, 0.05), (20.0, SWAYING, 0.08)]
)
def test_sway_is_that_of_a_single_track_model(
    model: Model, speed: float, values: dict[str, float], tolerance: float
) -> None:
    """The pair of eigenvalues that makes trailers sway.

    Left out of the linear model are the roll that is left with suspensions above the road, load transfer
    between tyres whose stiffness is not proportional to load, steer by travel, resistances: some per cent.
    """
    u = model.u0.copy()
    for k, parameter in enumerate(model.layout.parameters, start=model.layout.n_inputs):
        u[k] = values.get(parameter.name, parameter.value)
    y, u = cruising(model, speed, u)
    seen = model.outputs(y, u=u)
    overrides = [f"{name}={value!r}" for name, value in values.items()]
    data = VehicleParameters.load("van-trailer", overrides)
    loads = {name: seen[f"{name}.tyre.Fz"] for name in data.corners}
    pairs = [pole for pole in single_track(data, build(data), speed, loads) if pole.imag > 0.0]
    expected = max(pairs, key=lambda pole: float(pole.real))  # that which is damped least
    poles = np.linalg.eigvals(jacobian(model, y, u))
    nearest = poles[np.argmin(np.abs(poles - expected))]
    assert abs(nearest - expected) < tolerance * abs(expected)
    assert (nearest.real > 0.0) == (expected.real > 0.0) == (values is SWAYING)


def cruising(model: Model, speed: float, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Straight on at constant speed, with free parameters as given."""
    names = model.layout.y_names
    y = settle(model, u)
    y[[names.index(name) for name in ("chassis.vx", *wheel_rates(model))]] *= speed / 20.0
    u[[entry.name for entry in model.layout.u].index("throttle")] = 0.2
    found = steady_state(model, {"speed": speed}, ["throttle"], y, u)
    return found.y, found.u


def jacobian(model: Model, y: np.ndarray, u: np.ndarray) -> np.ndarray:
    """By central differences: 1e-6 leaves 1e-6 of rates near 1."""
    h, columns = 1e-6, []
    for k in range(len(y)):
        step = np.zeros(len(y))
        step[k] = h
        columns.append((model.dynamics(y + step, u)[0] - model.dynamics(y - step, u)[0]) / (2.0 * h))
    return np.array(columns).T


def test_an_axle_of_a_trailer_on_the_rig(van: VehicleParameters) -> None:
    """Trailing arms with axes across the trailer: no toe, no camber; the spring's force by its lever."""
    found = rig_of(van, "trailer_1").sweep("parallel", [-0.03, 0.0, 0.03])
    assert np.abs(found["toe_angle"].values).max() < 1e-12
    assert np.abs(found["camber_angle"].values).max() < 1e-12
    force = 115e3 * (0.341 - 0.300) * (0.180 - 0.020) / 0.180
    np.testing.assert_allclose(found["wheel_force"].values[1], force, rtol=1e-9)
    ahead, above = 0.180, 0.010  # of the pivot to the centre of the wheel, which goes round it
    radius = np.hypot(ahead, above)
    risen = np.arcsin((0.03 - above) / radius)
    x = ahead - radius * np.cos(risen)
    np.testing.assert_allclose(
        found["wheel_centre_x"].values[2] - found["wheel_centre_x"].values[1], x, atol=1e-12
    )
