"""Hinge reactions and multipliers against free-body equations, statics by hand and independent engines."""

from functools import cache
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.dynamics.articulated_body import Accelerations
from ce_dynamics.dynamics.energy import momentum
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.inverse_dynamics import compute_drive_forces, inverse_dynamics
from ce_dynamics.dynamics.reactions import Reactions, reactions
from ce_dynamics.dynamics.state import Layout
from ce_dynamics.kinematics.double_wishbone import DoubleWishbone
from ce_dynamics.kinematics.four_bar import FourBar
from ce_dynamics.mechanism.couplings.components import ConstraintView
from ce_dynamics.models.vehicles.case import build_ride
from tests.ce_dynamics.recursion_dense import Dense, accelerations
from tests.ce_dynamics.recursion_systems import SYSTEMS, Case, make_case

CASES = [(name, seed) for name in SYSTEMS if name != "coupled" for seed in range(2)]


@pytest.fixture(params=CASES, ids=lambda given: f"{given[0]}{given[1]}")
def case(request: pytest.FixtureRequest) -> Case:
    return make_case(*request.param)


def reactions_of(instant: Instant, frame: ce.Body | None = None) -> Reactions:
    return reactions(instant.outward, instant.loads, instant.accelerations, frame)


def shifted(body_r: Array, at: Array, torque: Array, force: Array) -> Array:
    """A force at a point as a wrench at the centre of mass."""
    return np.concatenate((torque + np.cross(at - body_r, force), force))


def test_reactions_and_loads_accelerate_every_single_body(case: Case) -> None:
    """m (a − g) and I α + ω × I ω equal the sum of what acts, with a and α by finite differences.

    Differences with h = 1e-5 leave 1e-7 of the accelerations, times masses and inertias of up to 20.
    """
    instant = case.instant()
    result, dense = reactions_of(instant), Dense(instant)
    alpha = accelerations(case, instant.accelerations.v_dot)
    acting = {body.name: np.zeros(6) for body in (case.system.ground, *case.system.bodies)}
    r = {body.name: dense.r(body) for body in case.system.bodies} | {"ground": np.zeros(3)}
    for body in case.system.bodies:
        at, torque, force, _ = result.hinges[body.name]
        acting[body.name] += shifted(r[body.name], at, torque, force)
        acting[body.carrier.name] -= shifted(r[body.carrier.name], at, torque, force)
    for loop in case.system.closures:
        at, torque, force, _ = result.closures[loop.name]
        acting[loop.body_b.name] += shifted(r[loop.body_b.name], at, torque, force)
        acting[loop.body_a.name] -= shifted(r[loop.body_a.name], at, torque, force)
    needed = dense.force_needed(alpha)
    tolerance = 3e-6 * max(1.0, float(np.max(np.abs(alpha))))
    for name, k in dense.place.items():
        np.testing.assert_allclose(acting[name], needed[k : k + 6], atol=tolerance, err_msg=name)


def test_free_hinges_transmit_only_applied_loads(case: Case) -> None:
    instant = case.instant()
    result = reactions_of(instant)
    size = max(1.0, *(float(np.max(np.abs(h.force))) for h in result.hinges.values()))
    assert result.residual < 1e-11 * size
    for body in case.system.bodies:
        if body.name not in case.system.prescribed:
            applied = instant.loads.torques.get(body.name, np.zeros(body.inboard.n_v))
            np.testing.assert_allclose(result.hinges[body.name].along, applied, atol=1e-11 * size)


def test_drives_agree_with_virtual_work(case: Case) -> None:
    """The force along a prescribed hinge is that of its drive and of the torques applied there."""
    instant, loads = case.instant(), case.instant().loads
    forces = inverse_dynamics(
        instant.outward, loads.wrenches, loads.torques, instant.accelerations.v_dot
    ).forces
    drives = compute_drive_forces(instant.outward, case.q, instant.prescribed, forces, loads.torques)
    result = reactions_of(instant)
    assert set(drives) == set(case.system.prescribed)
    for name, drive in drives.items():
        assert result.hinges[name].along[0] == pytest.approx(drive + loads.torques[name][0], rel=1e-10)


def test_the_ground_takes_what_changes_the_momentum(case: Case) -> None:
    """Reactions of all hinges on the ground, wrenches and weights sum up to ṗ."""
    instant, dense = case.instant(), Dense(case.instant())
    result = reactions_of(instant)
    from_ground = sum(
        (result.hinges[body.name].force for body in case.system.bodies if body.carrier.is_ground), np.zeros(3)
    )
    applied = dense.applied().reshape(-1, 6)[:, 3:].sum(axis=0)
    rate = case.derivative(lambda later: momentum(later.outward).linear, instant.accelerations.v_dot)
    scale = max(1.0, float(np.max(np.abs(instant.accelerations.v_dot))))
    np.testing.assert_allclose(from_ground + applied, rate, atol=1e-6 * scale)


@pytest.mark.parametrize("name", ["tree", "corner"])
def test_frame_only_turns_the_axes(name: str) -> None:
    case = make_case(name)
    instant = case.instant()
    frame = case.system.bodies[-1]
    R = np.array(
        [instant.outward.direction(frame, e, case.system.ground) for e in np.eye(3)]
    )  # world to frame
    world, turned = reactions_of(instant), reactions_of(instant, frame)
    for one, other in zip(
        [*world.hinges.values(), *world.closures.values()],
        [*turned.hinges.values(), *turned.closures.values()],
        strict=True,
    ):
        np.testing.assert_array_equal(one.at, other.at)
        np.testing.assert_array_equal(one.along, other.along)
        np.testing.assert_allclose(other.force, R @ one.force, atol=1e-11 * np.max(np.abs(one.force)))
        np.testing.assert_allclose(other.torque, R @ one.torque, atol=1e-10)


def test_axes_of_a_spinning_wheel_turn_with_it() -> None:
    system = ce.System(gravity=(0, 0, -10.0))
    hinge = ce.Revolute((0, 1, 0))
    wheel = system.add_body("wheel", mass=2.0, inertia=(1, 2, 1), parent="ground", hinge=hinge)
    case = Case(system, np.random.default_rng(0))
    case.q[:], case.v[:] = np.pi / 2, 3.0
    force = reactions_of(case.instant(), wheel).hinges["wheel"].force
    np.testing.assert_allclose(force, (-20.0, 0.0, 0.0), atol=1e-13)  # world z is −x of a wheel turned by π/2


# Statics


def resting(system: ce.System) -> Reactions:
    case = Case(system, np.random.default_rng(0), scale=0.0)
    case.v[:] = 0.0
    instant = case.instant()
    np.testing.assert_allclose(instant.accelerations.v_dot, 0.0, atol=1e-12)
    return reactions_of(instant)


def test_cantilever() -> None:
    """Two beams fixed to each other: both weights and their moments at the wall, one between them."""
    system = ce.System(gravity=(0, 0, -10.0))
    first = system.add_body("first", mass=3.0, com=(0.5, 0, 0), parent="ground", hinge=ce.Fixed())
    system.add_body("second", mass=2.0, com=(1.5, 0.2, 0), parent=first, hinge=ce.Fixed())
    system.add_force(ce.AppliedWrench("pull", first, (1, 0, 0), force=(7.0, 0, 0)))
    result = resting(system)
    wall, joint = result.hinges["first"], result.hinges["second"]
    torque = wall.torque + np.cross(wall.at, wall.force)  # about the world origin
    np.testing.assert_allclose(wall.force, (-7.0, 0.0, 50.0), atol=1e-13)
    np.testing.assert_allclose(torque, (0.2 * 20.0, -(0.5 * 30.0 + 1.5 * 20.0), 0.0), atol=1e-13)
    np.testing.assert_allclose(joint.force, (0.0, 0.0, 20.0), atol=1e-13)
    assert result.closures == {}
    assert result.redundant == {}


def test_hanging_chain_carries_what_is_below() -> None:
    system = ce.System(gravity=(0, 0, -10.0))
    carrier: ce.Body = system.ground
    for i in range(4):
        carrier = system.add_body(
            f"link{i}", mass=1.0 + i, com=(0, 0, -i - 0.5), inertia=(0.1, 0.1, 0.1), parent=carrier,
            hinge=ce.Spherical((0, 0, -i)),
        )  # fmt: skip
    hinges = resting(system).hinges
    tension = [hinges[f"link{i}"].force[2] for i in range(4)]
    np.testing.assert_allclose(tension, (100.0, 90.0, 70.0, 40.0), rtol=1e-14)


def test_held_arm_needs_the_torque_of_its_weight() -> None:
    system = ce.System(gravity=(0, 0, -10.0))
    system.add_body("arm", mass=2.0, com=(0.6, 0, 0), parent="ground", hinge=ce.Revolute((0, 1, 0)))
    system.prescribe("arm", ce.Held(0.0))
    result = resting(system)
    assert result.hinges["arm"].along[0] == pytest.approx(-12.0)
    np.testing.assert_allclose(result.hinges["arm"].torque, (0.0, -12.0, 0.0), atol=1e-14)


def test_parallelogram_shares_a_platform_by_the_lever_rule() -> None:
    """A platform on two massless legs, its weight at a quarter; spatial hinges make 3 rows redundant."""
    system = ce.System(gravity=(0, 0, -10.0))
    linkage = FourBar((0, 0, 0), (0, 0, 1), (2, 0, 1), (2, 0, 0), (0, 1, 0))
    heavy: dict[str, Any] = {"coupler": {"mass": 4.0, "com": (0.5, 0, 1), "inertia": (1, 1, 1)}}
    for name, carrier, hinge in linkage.joints():
        system.add_body(name, parent=carrier, hinge=hinge, **heavy.get(name, {"mass": 0.0}))
    linkage.close(system)
    result = resting(system)
    np.testing.assert_allclose(result.hinges["crank"].force, (0, 0, 30.0), atol=1e-12)
    np.testing.assert_allclose(result.hinges["coupler"].force, (0, 0, 30.0), atol=1e-12)
    np.testing.assert_allclose(result.hinges["rocker"].force, (0, 0, -10.0), atol=1e-12)
    (foot,) = result.closures.values()  # on the ground, which is body_b
    np.testing.assert_allclose(foot.force, (0, 0, -10.0), atol=1e-12)
    np.testing.assert_allclose(foot.at, (2, 0, 0), atol=1e-15)
    assert result.redundant == {"crank": 3}


def test_multiplier_of_distance_is_force_in_the_rod() -> None:
    """Two weights on vertical sliders, a rod of fixed length between them, and a lift under the lower one."""
    system = ce.System(gravity=(0, 0, -10.0))
    lower = system.add_body("lower", mass=3.0, parent="ground", hinge=ce.Prismatic((0, 0, 1)))
    system.add_body("upper", mass=1.0, parent="ground", hinge=ce.Prismatic((0, 0, 1), (0, 0, 1)))
    system.close_loop("rod", "lower", "upper", ce.Distance((0, 0, 0), (0, 0, 1)), independent=("lower",))
    system.add_force(ce.AppliedWrench("lift", lower, (0, 0, 0), force=(0, 0, 40.0)))
    rod = resting(system).closures["rod"]
    np.testing.assert_allclose(rod.force, (0, 0, 10.0), atol=1e-12)  # carries the upper one
    np.testing.assert_allclose(rod.along, (10.0,), atol=1e-12)


def test_residual_is_the_largest_of_all_hinges() -> None:
    """Too large an angular acceleration of the last hinge leaves I δ there, and nothing elsewhere."""
    system = ce.System(gravity=(0, 0, -10.0))
    y, inertia, delta = (0, 1, 0), 0.8, 2.5
    system.add_body(
        "crank", mass=1.0, com=(0, 0, 0.5), inertia=(1, 1, 1), parent="ground", hinge=ce.Revolute(y)
    )
    pins = [ce.Revolute(y, at) for at in ((0, 0, 1), (1, 0, 2), (2, 0, 0))]
    system.add_body("bar", mass=1.0, com=(0.5, 0, 1), inertia=(1, 1, 1), parent="crank", hinge=pins[0])
    moments = (inertia,) * 3
    system.add_body("rocker", mass=1.0, com=(2, 0, 1), inertia=moments, parent="ground", hinge=pins[2])
    system.close_loop("pin", "bar", "rocker", pins[1], independent=["rocker"])
    model = ce.Model(system)
    q, v, x = model.layout.split(model.y0)
    instant = Instant(model.embedding, model.layout, q, v, x, np.zeros(0))
    assert [body.name for body in model.embedding.aggregates[0].bodies][-1] == "rocker"
    right = instant.accelerations
    assert reactions_of(instant).residual < 1e-13
    alpha = {**right.alpha, "rocker": right.alpha["rocker"] + delta * np.eye(6)[1]}
    wrong = Accelerations(right.v_dot, alpha)
    left = reactions(instant.outward, instant.loads, wrong).residual
    assert left == pytest.approx(inertia * delta, rel=1e-12)


def test_reaction_of_coupling_lies_along_its_coordinate() -> None:
    """A pinion lifts and turns a rack in a cylinder: by a force along it, and by a torque about it."""
    system = ce.System(gravity=(0, 0, -10.0))
    system.add_body("pinion", mass=1.0, inertia=(1, 1, 1), parent="ground", hinge=ce.Revolute((0, 1, 0)))
    guide = ce.Cylindrical((0, 0, 1), (0.1, 0, 0))
    system.add_body("rack", mass=3.0, com=(0.1, 0, 0), inertia=(1, 1, 1), parent="ground", hinge=guide)
    system.couple("lift", ("pinion", ("rack", 1)), ce.Gear(0.1), independent=("pinion",))
    system.couple("turn", ("pinion", ("rack", 0)), ce.Gear(1.0), independent=("pinion",))
    model = ce.Model(system)
    found = model.reactions(model.y0).closures
    # Twice 1 kg m², and 3 kg at 0.1 m: α = −3 g 0.1 / (2 + 3 · 0.01); the rack rises with 0.1 α.
    alpha = -3.0 * 10.0 * 0.1 / (2.0 + 3.0 * 0.01)
    np.testing.assert_allclose(found["lift"].force, (0, 0, 3.0 * (0.1 * alpha + 10.0)), atol=1e-12)
    np.testing.assert_allclose(found["lift"].torque, (0, 0, 0), atol=1e-12)
    np.testing.assert_allclose(found["turn"].torque, (0, 0, alpha), atol=1e-12)
    np.testing.assert_allclose(found["turn"].force, (0, 0, 0), atol=1e-12)


def test_condition_on_a_direction_holds_with_a_torque() -> None:
    """An arm of 2 kg on a ball joint, its centre 1 m away: kept level, against 20 N m of its weight."""
    system = ce.System(gravity=(0, 0, -10.0))
    arm = system.add_body(
        "arm", mass=2.0, com=(1, 0, 0), inertia=(1, 1, 1), parent="ground", hinge=ce.Spherical((0, 0, 0))
    )

    def level(see: ConstraintView) -> list[Scalar]:
        return [see.direction(arm, (1, 0, 0), system.ground)[2]]

    system.constrain("level", (system.ground, arm), level)
    model = ce.Model(system)
    found = model.reactions(model.y0)
    np.testing.assert_allclose(found.closures["level"].torque, (0, -20.0, 0), atol=1e-12)
    np.testing.assert_allclose(found.closures["level"].force, (0, 0, 0), atol=1e-12)
    np.testing.assert_allclose(found.hinges["arm"].force, (0, 0, 20.0), atol=1e-12)


# Free parameters


def loaded_linkage(mass: Scalar, drop: Scalar) -> ce.Model:
    """A parallelogram with a bob on a ball joint."""
    system = ce.System(gravity=(0, 0, -10.0))
    for number in (mass, drop):
        if isinstance(number, ce.Parameter):
            system.add_parameter(number)
    y = (0, 1, 0)
    system.add_body(
        "crank", mass=1.0, com=(0, 0, 0.5), inertia=(1, 1, 1), parent="ground", hinge=ce.Revolute(y)
    )
    pins = [ce.Revolute(y, at) for at in ((0, 0, 1), (2, 0, 0), (2, 0, 1))]
    system.add_body("bar", mass=mass, com=(1, 0, 1), inertia=(1, 1, 1), parent="crank", hinge=pins[0])
    system.add_body("rocker", mass=1.0, com=(2, 0, 0.5), inertia=(1, 1, 1), parent="ground", hinge=pins[1])
    system.add_body(
        "bob", mass=mass, com=(1, 0, -drop), inertia=(1, 1, 1), parent="bar", hinge=ce.Spherical((1, 0, 1))
    )
    system.close_loop("pin", "bar", "rocker", pins[2], independent=["crank"])
    return ce.Model(system)


def test_free_parameters_take_the_values_they_are_given() -> None:
    """The same numbers as those of a system that was described with these values."""
    free = loaded_linkage(ce.Parameter("mass", 1.0, "kg"), ce.Parameter("drop", 0.6, "m"))
    plain = loaded_linkage(3.0, 0.9)
    y = plain.y0 + 0.2 * np.arange(len(plain.y0))
    found = free.reactions(y, u=free.inputs_with({"mass": 3.0, "drop": 0.9}), frame="bob")
    expected = plain.reactions(y, frame="bob")
    for one, other in zip(
        [*found.hinges.values(), *found.closures.values()],
        [*expected.hinges.values(), *expected.closures.values()],
        strict=True,
    ):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-11)
    assert found.redundant == expected.redundant == {"crank": 3}


def geared(inertia: Scalar) -> ce.Model:
    """Two wheels in mesh, and a third that a written constraint keeps at half the height of a rim point."""
    system = ce.System(gravity=(0, 0, -10.0))
    if isinstance(inertia, ce.Parameter):
        system.add_parameter(inertia)
    about = [ce.Revolute((0, 1, 0), (x, 0, 0)) for x in (0, 3)]
    for name, hinge in zip(("a", "b"), about, strict=True):
        moments = (inertia, 2.0 * inertia, inertia)
        system.add_body(name, mass=1.0, inertia=moments, com=hinge.at, parent="ground", hinge=hinge)
    system.couple("mesh", ("a", "b"), ce.Gear(-2.0), independent=("a",))
    system.add_body(
        "lift", mass=2.0, com=(0, 0, 1), parent="ground", hinge=ce.Prismatic((0, 0, 1), (0, 0, 1))
    )
    a, lift = system.find("a"), system.find("lift")

    def halfway(see: ConstraintView) -> list[Scalar]:
        rim, top = see.point(a, (1, 0, 2), system.ground), see.point(lift, (0, 0, 1), system.ground)
        return [top[2] - 0.5 * rim[2]]

    system.constrain("follow", (system.ground, a, lift), halfway, independent=("a",))
    return ce.Model(system)


def test_free_parameters_of_coupled_hinges() -> None:
    free, plain = geared(ce.Parameter("inertia", 0.5, "kg*m^2")), geared(0.8)
    y = plain.y0 + (0.4, 1.3)
    found, expected = free.reactions(y, u=free.inputs_with({"inertia": 0.8})), plain.reactions(y)
    for name in ("mesh", "follow"):
        for a, b in zip(found.closures[name], expected.closures[name], strict=True):
            np.testing.assert_allclose(a, b, atol=1e-11)
    # The mesh turns b by twice the angle of a, the other way: I ω̇ = the torque on b.
    v_dot = plain.accelerations(*plain.layout.split(y)[:2])
    assert expected.closures["mesh"].along[1] == pytest.approx(1.6 * -2.0 * v_dot[0], rel=1e-10)


# The HMMWV

# Pinocchio 4.1.0 with an exact KKT solve, HMMWV ride model with its published data at t = 0: force of the
# upper arm's ball joint F on the upright (world axes) and compression of the tie rod [N].
BALL_JOINT_F = {
    "front_left": (50.71913610240487, 5787.883049559933, -399.30611706746333),
    "front_right": (23.789457746714977, -5847.914024396455, -435.79731150235926),
    "rear_left": (-55.67519440464273, 8389.66451562915, 75.55869352443457),
    "rear_right": (-52.517958184708604, -8572.288577314577, 47.22661618310888),
}
TIE_ROD_COMPRESSION = {
    "front_left": 85.88957552043216, "front_right": 278.3678766785151, "rear_left": 515.1115744365844,
    "rear_right": 187.5890257242449,
}  # fmt: skip


@cache
def ride() -> tuple[Instant, Reactions]:
    case = Case(build_ride(), np.random.default_rng(0))
    q, v, x = case.layout.split(Layout(case.embedding).y0)
    instant = Instant(case.embedding, case.layout, q, v, x, case.u)
    return instant, reactions_of(instant)


@pytest.mark.parametrize("corner", BALL_JOINT_F)
def test_ride_model_ball_joint_force(corner: str) -> None:
    """Published to 16 digits; the accelerations behind it agree to 1e-13."""
    _, result = ride()
    force = result.closures[f"{corner}.upper_arm/{corner}.upright_link"].force
    np.testing.assert_allclose(force, BALL_JOINT_F[corner], rtol=0.0, atol=1e-7)


@pytest.mark.parametrize("corner", TIE_ROD_COMPRESSION)
def test_ride_model_tie_rod_force(corner: str) -> None:
    instant, result = ride()
    (rod,) = (
        np.array(link.points.L, dtype=float) - np.array(link.points.K, dtype=float)
        for link in instant.embedding.system.linkages
        if isinstance(link, DoubleWishbone) and link.independent == f"{corner}.lower_arm"
    )
    direction = rod / np.linalg.norm(rod)  # the chassis is not turned at t = 0
    force = result.closures[f"{corner}.tie_rod/chassis"].force  # of the rod on the chassis
    assert force @ direction == pytest.approx(TIE_ROD_COMPRESSION[corner], rel=1e-9)
    np.testing.assert_allclose(force, direction * (force @ direction), atol=1e-8)  # a massless rod
