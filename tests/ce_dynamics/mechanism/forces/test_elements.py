"""Spring and damper, torsion spring and applied wrench: by hand, by energy, and for any observer."""

import inspect
import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import ArrayLike

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiler import trace
from ce_dynamics.dynamics.energy import load_power
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.mechanism.body import common_ancestor
from ce_dynamics.mechanism.forces.base import HingeLoad, PointLoad
from tests.ce_dynamics.recursion_dense import Dense
from tests.ce_dynamics.recursion_systems import Case, add_random, random_hinge


def two_sliders() -> tuple[ce.System, ce.Body, ce.Body]:
    """Masses 2 and 3 that move along x, 1 m apart in the design pose; no gravity."""
    system = ce.System(gravity=(0, 0, 0))
    a = system.add_body("a", mass=2.0, parent="ground", hinge=ce.Prismatic((1, 0, 0)))
    b = system.add_body("b", mass=3.0, parent="ground", hinge=ce.Prismatic((1, 0, 0), (1, 0, 0)))
    return system, a, b


def case_of(
    system: ce.System, q: ArrayLike | None = None, v: ArrayLike | None = None, u: ArrayLike | None = None
) -> Case:
    case = Case(system, np.random.default_rng(0))
    for target, value in ((case.q, q), (case.v, v), (case.u, u)):
        if value is not None:
            target[:] = np.asarray(value, dtype=float)
    return case


def branched(rng: np.random.Generator) -> tuple[ce.System, list[ce.Body]]:
    """Two branches on a floating base, one of which ends in an axisymmetric wheel."""
    system = ce.System(gravity=(0, 0, -9.81))
    base = add_random(system, rng, "base", system.ground, ce.Free())
    left = add_random(system, rng, "left", base, random_hinge(rng, "universal"))
    hand = add_random(system, rng, "hand", left, random_hinge(rng, "revolute"))
    hub = ce.Revolute((0, 1, 0), (0.2, 0.5, 0.1))
    wheel = system.add_body("wheel", mass=2.0, com=hub.at, inertia=(1, 1.5, 1), parent=base, hinge=hub)
    return system, [base, left, hand, wheel]


def world_wrenches(case: Case, instant: Instant) -> dict[str, Array]:
    dense = Dense(instant)
    weightless = dense.applied().reshape(-1, 6)
    for row, body in zip(weightless, case.system.bodies, strict=True):
        row[3:] -= body.mass * case.system.gravity
    return {body.name: row for row, body in zip(weightless, case.system.bodies, strict=True)}


# Spring and damper


def test_two_masses_by_hand() -> None:
    """Length 1.4, rate −3, k = 10 over (1.4 − 0.9), c = 2: tension 5 − 6 = −1 N pushes the masses apart."""
    system, a, b = two_sliders()
    system.add_force(
        ce.SpringDamper("s", a, (0, 0, 0), b, (1, 0, 0), spring=10.0, damper=2.0, free_length=0.9)
    )
    instant = case_of(system, q=(0.1, 0.5), v=(1.0, -2.0)).instant()
    response = instant.loads.responses["s"]
    assert response.outputs["length"] == pytest.approx(1.4)
    assert response.outputs["rate"] == pytest.approx(-3.0)
    assert response.outputs["force"] == pytest.approx(-1.0)
    assert response.potential == pytest.approx(0.5 * 10.0 * 0.25)
    np.testing.assert_allclose(instant.accelerations.v_dot, (-1.0 / 2.0, 1.0 / 3.0), rtol=1e-14)
    assert load_power(instant.outward, instant.loads) == pytest.approx(-1.0 * 1.0 + 1.0 * -2.0)


def test_design_length_is_the_free_length_by_default() -> None:
    _, a, b = two_sliders()
    element = ce.SpringDamper("s", a, (0, 0, 0), b, (1, 0.75, 0), spring=10.0)
    assert element.free_length == 1.25


SPRINGS: dict[str, ce.Law | float] = {
    "linear": 50.0,
    "cubic": ce.Polynomial((1.0, 20.0, 0.0, 30.0)),
    "table": ce.Tabulated((-2.0, 0.0, 0.3, 3.0), (-9.0, 0.0, 4.0, 9.0), "cubic"),
}
PAIRS = ["base-hand", "left-wheel", "wheel-hand", "ground-hand", "hand-base", "wheel-ground"]


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("law", SPRINGS)
def test_power_is_minus_the_rate_of_the_potential(pair: str, law: str, rng: np.random.Generator) -> None:
    """Central difference with h = 1e-5 of energies of order 10: 1e-8."""
    system, _ = branched(rng)
    a, b = (system.find(name) for name in pair.split("-"))
    system.add_force(
        ce.SpringDamper(
            "s", a, rng.normal(size=3), b, rng.normal(size=3), spring=SPRINGS[law], free_length=0.5
        )
    )
    case = Case(system, rng)
    instant = case.instant()
    rate = case.derivative(lambda later: later.loads.responses["s"].potential, np.zeros(case.n_v))
    power = load_power(instant.outward, instant.loads)
    assert power == pytest.approx(-float(rate), rel=1e-7, abs=1e-7)
    assert abs(power) > 1e-3


@pytest.mark.parametrize("pair", PAIRS)
def test_damper_takes_out_force_times_rate(pair: str, rng: np.random.Generator) -> None:
    system, _ = branched(rng)
    a, b = (system.find(name) for name in pair.split("-"))
    element = ce.SpringDamper("d", a, rng.normal(size=3), b, rng.normal(size=3), damper=4.0)
    system.add_force(element)
    case = Case(system, rng)
    instant = case.instant()
    outputs = instant.loads.responses["d"].outputs
    lengths = case.derivative(lambda later: later.loads.responses["d"].outputs["length"], np.zeros(case.n_v))
    assert outputs["rate"] == pytest.approx(float(lengths), abs=1e-8)
    assert load_power(instant.outward, instant.loads) == pytest.approx(-4.0 * outputs["rate"] ** 2, rel=1e-12)


@pytest.mark.parametrize("pair", PAIRS)
def test_force_acts_oppositely_on_line_of_points(pair: str, rng: np.random.Generator) -> None:
    system, _ = branched(rng)
    a, b = (system.find(name) for name in pair.split("-"))
    ends = rng.normal(size=(2, 3))
    system.add_force(ce.SpringDamper("s", a, ends[0], b, ends[1], spring=50.0, damper=3.0))
    case = Case(system, rng)
    instant = case.instant()
    outward, ground = instant.outward, system.ground
    x_a, x_b = (outward.point(*end, ground).r for end in ((a, ends[0]), (b, ends[1])))
    force = instant.loads.responses["s"].outputs["force"] * (x_b - x_a) / np.linalg.norm(x_b - x_a)
    wrenches = world_wrenches(case, instant)
    for body, x, sign in ((a, x_a, 1.0), (b, x_b, -1.0)):
        if not body.is_ground:
            r = outward.placement(body, ground).r
            expected = sign * np.concatenate((np.cross(x - r, force), force))
            np.testing.assert_allclose(wrenches[body.name], expected, atol=1e-11)


def test_common_ancestor(rng: np.random.Generator) -> None:
    system, (base, left, hand, wheel) = branched(rng)
    assert common_ancestor(wheel, hand) is base
    assert common_ancestor(hand, left) is left
    assert common_ancestor(hand, system.ground) is system.ground


def test_no_direction_where_the_points_meet() -> None:
    system, a, b = two_sliders()
    system.add_force(ce.SpringDamper("s", a, (0, 0, 0), b, (1, 0, 0), spring=10.0, damper=1.0))
    case = case_of(system, q=(0.0, -1.0))
    response = case.instant().loads.responses["s"]
    assert response.outputs["length"] == 0.0
    assert response.potential == 5.0
    load = response.loads[0]
    assert isinstance(load, PointLoad)
    assert np.all(np.isnan(load.force.astype(float)))


# Torsion


ANGLES: dict[str, tuple[Callable[[], ce.Hinge], int, str]] = {
    "revolute": (lambda: ce.Revolute((0, 1, 0)), 0, "N*m"),
    "prismatic": (lambda: ce.Prismatic((0, 1, 1)), 0, "N"),
    "universal": (lambda: ce.Universal((1, 0, 0), (0, 1, 0)), 1, "N*m"),
    "cylindrical": (lambda: ce.Cylindrical((0, 1, 0)), 0, "N*m"),
    "planar": (lambda: ce.Planar((0, 1, 0)), 2, "N*m"),
    "screw": (lambda: ce.Screw((0, 1, 0), 0.2), 0, "N*m"),
}


@pytest.mark.parametrize("kind", ANGLES)
def test_torsion_acts_on_one_coordinate(kind: str, rng: np.random.Generator) -> None:
    """−k (q − free) − c q̇ on that coordinate alone, and its power is what spring and damper take."""
    make, k, unit = ANGLES[kind]
    system = ce.System()
    body = add_random(system, rng, "body", system.ground, make())
    element = ce.TorsionSpringDamper(
        "t", body, spring=ce.Polynomial((0, 8.0, 3.0)), damper=0.5, free=0.2, component=k
    )
    system.add_force(element)
    case = Case(system, rng)
    instant = case.instant()
    d, rate = case.q[k] - 0.2, case.v[k]
    expected = np.zeros(body.inboard.n_v)
    expected[k] = -(8.0 * d + 3.0 * d * d) - 0.5 * rate
    np.testing.assert_allclose(instant.loads.torques["body"], expected, rtol=1e-13, atol=1e-13)
    response = instant.loads.responses["t"]
    assert response.potential == pytest.approx(4.0 * d * d + d**3)
    assert response.outputs["deflection"] == pytest.approx(d)
    assert response.outputs["load"] == pytest.approx(expected[k])
    assert element.outputs["load"] == unit
    potential_rate = case.derivative(lambda later: later.loads.responses["t"].potential, np.zeros(case.n_v))
    power = load_power(instant.outward, instant.loads)
    assert power == pytest.approx(-float(potential_rate) - 0.5 * rate**2, abs=1e-7)


def test_torsion_reacts_on_the_carrier(rng: np.random.Generator) -> None:
    """It turns two free wheels on one axle in opposite ways: I₁ φ̈₁ + I₂ φ̈₂ = 0."""
    system = ce.System(gravity=(0, 0, 0))
    first = system.add_body(
        "first", mass=1.0, inertia=(1, 1, 1), parent="ground", hinge=ce.Revolute((0, 0, 1))
    )
    second = system.add_body(
        "second", mass=1.0, inertia=(1, 1, 1.5), parent=first, hinge=ce.Revolute((0, 0, 1))
    )
    system.add_force(ce.TorsionSpringDamper("t", second, spring=6.0))
    first_ddot, relative_ddot = case_of(system, q=(0.3, 0.5), v=0.0).instant().accelerations.v_dot
    assert 1.5 * (first_ddot + relative_ddot) == pytest.approx(-3.0)
    assert 1.0 * first_ddot == pytest.approx(3.0)


# Wrench


def test_wrench_reads_inputs_and_constants() -> None:
    system, a, _ = two_sliders()
    system.add_input("push", "N", 1.5)
    element = ce.AppliedWrench("w", a, (0, 0, 0), force=("push", 1.0, 0.0), torque=(0.0, 2.0, "push"))
    system.add_force(element)
    assert element.inputs == ("push",)
    instant = case_of(system, u=4.0).instant()
    assert instant.accelerations.v_dot[0] == pytest.approx(2.0)
    np.testing.assert_allclose(instant.loads.wrenches["a"], (0.0, 2.0, 4.0, 4.0, 1.0, 0.0), atol=1e-14)
    assert instant.loads.responses["w"].outputs["torque_z"] == 4.0


def test_wrench_reads_declared_inputs_only() -> None:
    system, a, _ = two_sliders()
    with pytest.raises(ce.ModelError, match="reads input 'push', which is not declared"):
        system.add_force(ce.AppliedWrench("w", a, (0, 0, 0), force=("push", 0, 0)))


@pytest.mark.parametrize("name", ["base", "hand", "wheel"])
@pytest.mark.parametrize("frame", [None, "ground", "base", "left", "hand", "wheel"])
def test_wrench_acts_where_and_as_it_should(name: str, frame: str | None, rng: np.random.Generator) -> None:
    """Also in the axes of a spinning wheel, whose frame the dynamics leave at rest."""
    system, _ = branched(rng)
    body = system.find(name)
    at, force, torque = rng.normal(size=(3, 3))
    given = None if frame is None else system.find(frame)
    system.add_force(ce.AppliedWrench("w", body, at, force=list(force), torque=list(torque), frame=given))
    case = Case(system, rng)
    instant = case.instant()
    R, r = poses(case)["ground" if frame is None else frame][0], poses(case)[name]
    lever = r[0] @ (at - body.com)
    expected = np.concatenate((R @ torque + np.cross(lever, R @ force), R @ force))
    np.testing.assert_allclose(world_wrenches(case, instant)[name], expected, atol=1e-12)


def poses(case: Case) -> dict[str, tuple[Array, Array]]:
    """Rotation matrix and hinge displacement chain of every body from its coordinates alone."""
    result = {"ground": (np.eye(3), np.zeros(3))}
    for body in case.system.bodies:
        R, d = body.inboard.pose(body.inboard.configuration(case.q[case.embedding.q_of[body.name]]))
        R_p, _ = result[body.carrier.name]
        result[body.name] = (R_p @ R, R_p @ d)
    return result


def test_follower_force_turns_with_its_body() -> None:
    system = ce.System(gravity=(0, 0, 0))
    body = system.add_body("body", mass=2.0, inertia=(1, 1, 1), parent="ground", hinge=ce.Free())
    system.add_force(ce.AppliedWrench("thrust", body, (0, 0, 0), force=(4.0, 0, 0), frame=body))
    half = math.sqrt(0.5)
    v_dot = case_of(system, q=(0, 0, 0, half, 0, 0, half), v=0.0).instant().accelerations.v_dot
    np.testing.assert_allclose(v_dot, (0, 0, 0, 0, 2.0, 0), atol=1e-14)  # turned by π/2 about z


# All of them


def test_traced_equals_float(rng: np.random.Generator) -> None:
    system, (_, left, hand, wheel) = branched(rng)
    system.add_input("push", "N", 1.0)
    table = ce.Tabulated((-2.0, 0.0, 0.3, 3.0), (-9.0, 0.0, 4.0, 9.0), "cubic")
    system.add_force(ce.SpringDamper("s", wheel, (1, 0, 0), hand, (0, 1, 0), spring=table, damper=2.0))
    system.add_force(ce.TorsionSpringDamper("t", left, spring=2.0, damper=1.0, component=1))
    system.add_force(ce.AppliedWrench("w", wheel, (0, 0, 1), force=("push", 1, 2), frame=wheel))
    case = Case(system, rng)

    def rates(q: Array, v: Array, u: Array) -> dict[str, Array]:
        instant = Instant(case.embedding, case.layout, q, v, case.x, u)
        return {"v_dot": instant.accelerations.v_dot}

    given = {"q": case.q, "v": case.v, "u": case.u}
    traced = trace("elements", rates, {key: len(value) for key, value in given.items()}).evaluate(**given)
    np.testing.assert_allclose(traced["v_dot"], case.instant().accelerations.v_dot, rtol=1e-11, atol=1e-11)


def test_attachments_and_outputs_are_what_evaluate_uses(rng: np.random.Generator) -> None:
    system, (base, left, hand, wheel) = branched(rng)
    elements: list[ce.ForceElement] = [
        ce.SpringDamper("s", wheel, (1, 0, 0), hand, (0, 1, 0), spring=1.0),
        ce.TorsionSpringDamper("t", left, spring=2.0),
        ce.AppliedWrench("w", wheel, (0, 0, 1), force=(1, 1, 2), frame=base),
    ]
    for element in elements:
        system.add_force(element)
    loads = Case(system, rng).instant().loads
    for element in elements:
        response = loads.responses[element.name]
        assert set(response.outputs) == set(element.outputs)
        attached = {body.name for body, _ in element.attachments}
        assert {load.body.name for load in response.loads} <= attached
    assert isinstance(loads.responses["t"].loads[0], HingeLoad)


def refusals() -> dict[str, tuple[Callable[[ce.Body, ce.Body], object], str]]:
    def spring(**given: object) -> Callable[[ce.Body, ce.Body], object]:
        return lambda a, b: ce.SpringDamper("s", a, (0, 0, 0), b, (1, 0, 0), **given)  # type: ignore[arg-type]

    def torsion(**given: object) -> Callable[[ce.Body, ce.Body], object]:
        return lambda a, b: ce.TorsionSpringDamper("t", a, **given)  # type: ignore[arg-type]

    def wrench(**given: object) -> Callable[[ce.Body, ce.Body], object]:
        return lambda a, b: ce.AppliedWrench("w", a, (0, 0, 0), **given)  # type: ignore[arg-type]

    return {
        "one body": (
            lambda a, b: ce.SpringDamper("s", a, (0, 0, 0), a, (1, 0, 0)),
            "both ends are on body 'a'",
        ),
        "one point": (
            lambda a, b: ce.SpringDamper("s", a, (1, 0, 0), b, (1, 0, 0)),
            "direction is undefined",
        ),
        "nan point": (lambda a, b: ce.SpringDamper("s", a, (math.nan, 0, 0), b, (1, 0, 0)), "at_a .* finite"),
        "stiffness": (spring(spring=-1.0), r"'s': stiffness: coefficient -1.0 must be a finite number >= 0"),
        "stiffness inf": (spring(spring=math.inf), "stiffness: coefficient inf must be a finite number"),
        "damping": (spring(damper="soft"), "damping 'soft' must be a number or a law"),
        "free length": (spring(free_length=-0.1), "free_length -0.1 must be a finite length >= 0 m"),
        "free length nan": (spring(free_length=math.nan), "free_length nan must be a finite number"),
        "component": (torsion(component=1), "component 1 does not exist; the Prismatic hinge of 'a' has 1"),
        "free": (torsion(free=math.nan), "'t': free nan must be a finite number"),
        "torsion": (torsion(spring=-2.0), "'t': stiffness: coefficient -2.0 must be a finite number >= 0"),
        "components": (wrench(force=(1.0, 2.0)), r"force \(1.0, 2.0\) must be a list of 3"),
        "string": (wrench(force="abc"), "force 'abc' must be a list"),
        "nan force": (wrench(torque=(0.0, math.nan, 0.0)), "torque nan must be a finite number"),
    }


@pytest.mark.parametrize("what", refusals())
def test_refuses(what: str) -> None:
    make, message = refusals()[what]
    _, a, b = two_sliders()
    with pytest.raises(ce.ModelError, match=message):
        make(a, b)


def test_refuses_quaternions_and_the_ground() -> None:
    system = ce.System()
    for name, hinge in (("ball", ce.Spherical()), ("floating", ce.Free())):
        body = system.add_body(name, mass=1.0, inertia=(1, 1, 1), parent="ground", hinge=hinge)
        with pytest.raises(ce.ModelError, match=f"hinge of '{name}' has no angle to act on"):
            ce.TorsionSpringDamper("t", body)
    with pytest.raises(ce.ModelError, match="the ground has no hinge"):
        ce.TorsionSpringDamper("t", system.ground)
    with pytest.raises(ce.ModelError, match="acts on the ground"):
        ce.AppliedWrench("w", system.ground, (0, 0, 0))


def test_fields_are_checked_whenever_they_are_set() -> None:
    """Signatures show names, types and defaults of the arguments."""
    system = ce.System()
    ball = system.add_body("ball", mass=1.0, parent=system.ground, hinge=ce.Free())
    foot = ce.PointContact("foot", ball, (0, 0, 0), 1e4, normal=(0, 0, 2))
    np.testing.assert_array_equal(foot.normal, (0, 0, 1))
    with pytest.raises(ce.ModelError, match=r"'foot': friction -0\.5 must be a finite number at least 0"):
        foot.friction = -0.5
    assert foot.friction == 0.0
    with pytest.raises(ValueError, match="read-only"):
        foot.normal[0] = 2.0
    other = system.add_body("other", mass=1.0, parent=system.ground, hinge=ce.Free((1, 0, 0)))
    spring = ce.SpringDamper("spring", ball, (0, 0, 0), other, (1, 0, 0), spring=10.0)
    with pytest.raises(AttributeError, match="spring 'spring': body_b cannot be changed; make another one"):
        spring.body_b = system.ground
    with pytest.raises(TypeError, match="stiffness"):
        ce.PointContact("foot", ball, (0, 0, 0))
    parameters = inspect.signature(ce.PointContact).parameters
    assert parameters["at"].annotation == "ArrayLike"
    assert parameters["at"].default is inspect.Parameter.empty
    assert parameters["creep"].annotation == "float"
    assert (parameters["creep"].default, parameters["creep"].kind) == (1e-3, inspect.Parameter.KEYWORD_ONLY)
