"""Armature of hinges, against the augmented form, MuJoCo, a rotor with a gear, and energies.

Everything is of order 1; rounding of accelerations is some 1e-15 of the largest per body.
"""

from pathlib import Path

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.augmented import FullyAugmented, TreeAugmented
from ce_dynamics.dynamics.energy import kinetic_energy, momentum_about_origin
from ce_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from ce_dynamics.dynamics.mass_matrix import inverse_mass_matrix, mass_matrix
from ce_dynamics.mechanism.couplings.cut_edge import LoopClosure
from ce_dynamics.mechanism.system import System
from tests.support.augmented import assert_agrees
from tests.support.systems import rsur

NOTHING = np.zeros(0)


def everything(drive: bool = False) -> System:
    """Hinges of all kinds with armature, on a free base, with a loop all of whose hinges have some."""
    s = System(gravity=(0.5, -1.0, -9.0))
    rng = np.random.default_rng(11)

    def add(name: str, parent: str, hinge: ce.Hinge, armature: float | tuple[float, ...]) -> None:
        com, inertia = rng.uniform(-1.0, 1.0, 3), rng.uniform(0.1, 0.15, 3)
        s.add_body(name, mass=1.0, com=com, inertia=inertia, parent=parent, hinge=hinge, armature=armature)

    add("base", "ground", ce.Free((0.1, 0.2, 0.3)), (0.3, 0.3, 0.3, 1.0, 2.0, 3.0))
    add("gimbal", "base", ce.Universal((1, 0.2, 0), (0.1, 1, 0.3), (0.5, 0, 0)), (0.4, 0.7))
    add("ball", "gimbal", ce.Spherical((1, 0.1, 0)), 0.25)
    add("tube", "base", ce.Cylindrical((0, 0.3, 1), (0, 0.5, 0)), (0.2, 1.5))
    add("plate", "tube", ce.Planar((0.2, 0, 1), (0, 1, 0)), (1.0, 2.0, 0.3))
    add("screw", "plate", ce.Screw((0.3, 1, 0), 0.05, (0, 1.2, 0)), 0.6)
    add("slide", "base", ce.Prismatic((1, 1, 0)), 0.8)
    p = [np.array(x) for x in ((0, 0, 0.0), (0.3, 0, 0.9), (1.2, 0.2, 1.0), (1.0, 0.1, 0.0))]
    y = (0.05, 1, 0.1)
    add("crank", "slide", ce.Revolute(y, p[0]), 0.5)
    add("rod", "crank", ce.Spherical(p[1]), 0.9)
    add("rocker", "slide", ce.Revolute(y, p[3]), 0.3)
    s.close_loop("pin", "rod", "rocker", ce.Universal((1, 0, 0.1), (0, 0.2, 1), p[2]), ["crank"])
    if drive:
        for name in ("turn", "turn_rate", "turn_acceleration"):
            s.add_input(name, "rad", 0.3)
        s.prescribe("screw", ce.Driven("turn"))
    return s


@pytest.fixture(scope="module", params=[False, True], ids=["free", "driven"])
def model(request: pytest.FixtureRequest) -> ce.Model:
    return ce.compile(everything(request.param))


@pytest.fixture(scope="module")
def state(model: ce.Model) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    q, v, _ = model.layout.split(model.y0)
    q = q + 0.2 * rng.uniform(-1.0, 1.0, len(q))
    return model.layout.split(model.with_unit_quaternions(np.concatenate((q, v))))[0], rng.normal(size=len(v))


def test_accelerations_of_the_augmented_forms(model: ce.Model, state: tuple[np.ndarray, np.ndarray]) -> None:
    q, v = state
    u = model.u0
    full, y = assert_agrees(model.embedding, q, v, u=u, relative=1e-11)
    energy = float(kinetic_energy(model.instant(np.concatenate((q, v)), u).outward))
    instant = full.at(y, u)
    gravity = float(model.instant(np.concatenate((q, v)), u).energy) - energy
    assert float(instant.energy) - gravity == pytest.approx(energy, rel=1e-13)
    tree = TreeAugmented(model.system)
    y = tree.state_from_embedded(model.embedding, q, v, NOTHING, u)
    solved = tree.accelerations(y, u).V_dot
    motions = model.instant(np.concatenate((q, v)), u).outward.motions
    v_dot = np.asarray(model.instant(np.concatenate((q, v)), u).accelerations.v_dot, dtype=float)
    for name, where in tree.embedding.v_of.items():
        S = model.embedding.owner[name]
        hinge = motions[S.name].hinge_motions[name]
        own = np.concatenate([np.zeros(0), *(v_dot[model.embedding.v_of[b.name]] for b in S.independent)])
        np.testing.assert_allclose(
            solved[where], hinge.X @ own + hinge.bias, atol=1e-10 * np.max(np.abs(solved))
        )


def test_mass_matrix_energy_and_inverse_dynamics(
    model: ce.Model, state: tuple[np.ndarray, np.ndarray]
) -> None:
    q, v = state
    instant = model.instant(np.concatenate((q, v)), model.u0)
    M = np.asarray(mass_matrix(instant.outward), dtype=float)
    inverse = np.asarray(inverse_mass_matrix(instant.outward, instant.nodes), dtype=float)
    np.testing.assert_allclose(M @ inverse, np.eye(len(M)), atol=1e-11 * np.linalg.cond(M))

    def T(rates: np.ndarray) -> float:
        return float(kinetic_energy(model.instant(np.concatenate((q, rates)), model.u0).outward))

    unit, at_rest = np.eye(len(v)), T(np.zeros(len(v)))
    single = [T(e) for e in unit]
    second = [
        [T(a + b) - single[i] - single[k] + at_rest for k, b in enumerate(unit)] for i, a in enumerate(unit)
    ]
    np.testing.assert_allclose(second, M, atol=1e-12 * max(np.max(np.abs(M)), at_rest))
    loads, v_dot = instant.loads, np.asarray(instant.accelerations.v_dot, dtype=float)
    force = inverse_dynamics(instant.outward, loads.wrenches, loads.torques, v_dot).T
    np.testing.assert_allclose(
        np.asarray(force, dtype=float), 0.0, atol=1e-12 * np.max(np.abs(M)) * np.max(np.abs(v_dot))
    )


def test_power_balance_and_reactions(model: ce.Model, state: tuple[np.ndarray, np.ndarray]) -> None:
    """Energy changes by the power of the drive, which has to turn its hinge's armature too."""
    y, u = np.concatenate(state), model.u0
    instant = model.instant(y, u)
    rates = dict.fromkeys((entry.name for entry in model.layout.u), 0.0)
    if "turn" in rates:
        rates |= {"turn": 0.3, "turn_rate": 0.3}
    u_dot, h = np.array(list(rates.values())), 1e-4
    y_dot = np.asarray(instant.y_dot, dtype=float)

    def energy(s: float) -> float:
        return float(model.instant(y + s * y_dot, u + s * u_dot).energy)

    change = (8.0 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12.0 * h)
    power = instant.power
    # rounding of energies of 50 J over 1e-4 s
    assert change == pytest.approx(float(power.loads + power.prescribed), abs=1e-8)
    assert abs(model.power(y, u=u).residual) < 1e-8
    found = model.reactions(y, u=u)
    assert found.residual < 1e-10
    full = FullyAugmented(model.system)
    expected = full.reactions(full.state_from_embedded(model.embedding, *state, NOTHING, u), u)
    hinge = found.hinges["gimbal"]
    # the augmented hinge does not transmit what acts along it: armature is a force of its own there
    along = np.concatenate((hinge.torque, hinge.force))
    R = np.asarray(instant.outward.placement(model.system.find("base"), model.system.ground).R, dtype=float)
    c = instant.outward.motions["gimbal"].hinge_motions["gimbal"].c
    H = np.asarray(model.system.find("gimbal").inboard.H(c), dtype=float)
    turned = np.hstack((H[:, :3] @ R.T, H[:, 3:] @ R.T))
    np.testing.assert_allclose(turned @ along, hinge.along, atol=1e-10)
    across = along - np.linalg.lstsq(turned, turned @ along, rcond=None)[0]
    np.testing.assert_allclose(across, expected["hinge of gimbal"], atol=1e-9)


def test_momentum_has_no_armature(state: tuple[np.ndarray, np.ndarray]) -> None:
    """Forces between two bodies leave the momentum alone: that of a floating system is kept."""
    s = System(gravity=(0, 0, 0))
    s.add_body("base", mass=2.0, com=(0, 0, 0), inertia=(1, 1, 1), parent=s.ground, hinge=ce.Free())
    s.add_body("arm", mass=1.0, com=(1, 0, 0), inertia=(0.1,) * 3, parent="base",
               hinge=ce.Revolute((0, 1, 0.3), (0.5, 0, 0)), armature=2.0)  # fmt: skip
    model = ce.compile(s)
    y = np.concatenate((model.y0[:8], (0.3, -0.2, 0.5, 0.1, 0.2, -0.4, 3.0)))
    y_dot = np.asarray(model.instant(y, model.u0).y_dot, dtype=float)

    def h(step: float) -> np.ndarray:
        return np.asarray(
            momentum_about_origin(model.instant(y + step * y_dot, model.u0).outward), dtype=float
        )

    np.testing.assert_allclose((h(1e-5) - h(-1e-5)) / 2e-5, 0.0, atol=1e-9)
    assert np.linalg.norm(h(0.0)) > 0.5


def test_a_rotor_with_a_gear_is_armature() -> None:
    """A rotor on the ground that turns ratio times as fast: armature ratio² I on a four-bar's hinge."""
    ratio, inertia = 7.0, 0.02
    geared = rsur()
    rotor = geared.add_body("rotor", mass=0.0, com=(3, 0, 0), inertia=(inertia,) * 3, parent=geared.ground,
                            hinge=ce.Revolute((0, 0, 1), (3, 0, 0)))  # fmt: skip
    geared.couple("gear", ["rocker", rotor], ce.Gear(ratio))
    plain = System(geared.gravity)
    template = rsur()
    for body in template.bodies:
        plain.add_body(
            body.name, mass=body.mass, com=body.com, inertia=body.inertia, parent=body.carrier.name,
            hinge=body.inboard, armature=ratio**2 * inertia if body.name == "rocker" else None,
        )  # fmt: skip
    for loop in template.closures:
        assert isinstance(loop, LoopClosure)
        plain.close_loop(loop.name, loop.body_a.name, loop.body_b.name, loop.closure, loop.independent)
    one, other = ce.compile(geared), ce.compile(plain)
    q, v = np.array((0.3,)), np.array((2.0,))
    np.testing.assert_allclose(one.accelerations(q, v), other.accelerations(q, v), rtol=1e-13)
    light = ce.compile(template)
    assert abs(light.accelerations(q, v) - other.accelerations(q, v))[0] > 0.1
    assert len(one.embedding.aggregates[0].bodies) > len(other.embedding.aggregates[0].bodies)


def test_a_massless_body_with_armature_can_move() -> None:
    s = System()
    s.add_body("wheel", mass=0.0, parent=s.ground, hinge=ce.Revolute((0, 1, 0)), armature=0.5)
    model = ce.compile(s)
    np.testing.assert_array_equal(model.mass_matrix([0.0]), [[0.5]])
    bare = System()
    bare.add_body("wheel", mass=0.0, parent=bare.ground, hinge=ce.Revolute((0, 1, 0)))
    with pytest.raises(ce.MasslessFreedomError):
        ce.compile(bare)


def test_armature_may_be_a_free_parameter() -> None:
    s = System()
    A = s.add_parameter(ce.Parameter("A", 0.5, "kg m^2"))
    s.add_body("arm", mass=1.0, com=(1, 0, 0), inertia=(0.1,) * 3, parent=s.ground,
               hinge=ce.Revolute((0, 1, 0)), armature=A)  # fmt: skip
    model = ce.compile(s)
    values = [model.accelerations([0.0], [0.0], u=[a])[0] for a in (0.5, 1.5)]
    np.testing.assert_allclose(values, [9.81 / 1.6, 9.81 / 2.6], rtol=1e-14)


@pytest.mark.parametrize(
    ("hinge", "armature", "message"),
    [
        (ce.Revolute((0, 0, 1)), -1.0, "armature"),
        (ce.Revolute((0, 0, 1)), float("nan"), "armature"),
        (ce.Revolute((0, 0, 1)), (1.0, 2.0), "armature .* must be a list of 1"),
        (ce.Cylindrical((0, 0, 1)), 1.0, r"at once; give 2 numbers"),
        (ce.Spherical(), (1.0, 1.0, 2.0), "must be the same about all axes"),
        (ce.Free(), (1.0, 2.0, 1.0, 0.0, 0.0, 0.0), "must be the same about all axes"),
        (ce.Revolute((0, 0, 1)), "heavy", "armature"),
    ],
)
def test_mistakes_are_named(hinge: ce.Hinge, armature: object, message: str) -> None:
    s = System()
    with pytest.raises(ce.ModelError, match=f"body 'b'.*{message}"):
        s.add_body("b", mass=1.0, parent=s.ground, hinge=hinge, armature=armature)  # type: ignore[arg-type]


ROBOT = """<mujoco><option gravity="0.3 -0.2 -9.81"/><worldbody>
<body name="base" pos="0 0 1"><freejoint name="root"/>
 <inertial pos="0.1 0 0" mass="3" diaginertia="0.3 0.2 0.25"/>
 <body name="hip" pos="0.2 0 0" quat="0.9 0.1 0.3 0.2"><joint name="hip" type="ball" armature="0.4"/>
  <inertial pos="0 0 -0.2" mass="1" diaginertia="0.03 0.02 0.01"/>
  <body name="shank" pos="0 0 -0.4"><joint name="knee" axis="0 1 0.2" armature="0.7"/>
   <joint name="shift" type="slide" axis="0 0.1 1" armature="1.3"/>
   <inertial pos="0 0.1 -0.2" mass="1" diaginertia="0.03 0.02 0.01"/></body></body></body>
</worldbody></mujoco>"""


def test_against_mujoco(tmp_path: Path) -> None:
    """M q̈ + bias with dof_armature, a free base and a ball joint among them: velocities in MuJoCo's axes."""
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "robot.xml"
    path.write_text(ROBOT)
    model = ce.compile(ce.read_mjcf(path))
    assert all(len(S.bodies) == 1 for S in model.embedding.aggregates)
    peer = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(peer)
    v = np.random.default_rng(2).normal(size=len(model.layout.v))
    q = model.layout.split(model.y0)[0]
    names = [entry.name for entry in model.layout.v]
    # in the design pose MuJoCo's free joint has world axes for v and the body's for ω; the ball's are its own
    order = [names.index(f"base.{k}") for k in ("vx", "vy", "vz", "wx", "wy", "wz")]
    ball = [names.index(f"hip.{k}") for k in ("wx", "wy", "wz")]
    rest = [k for k in range(len(names)) if k not in (*order, *ball)]
    mujoco.mj_forward(peer, data)
    R = data.xmat[2].reshape(3, 3)
    data.qvel[:] = np.concatenate((v[order], R.T @ v[ball], v[rest]))
    mujoco.mj_forward(peer, data)
    found = model.accelerations(q, v)
    # ω̇ of components in moving axes: both are the rate of a relative angular velocity with itself, so no more
    got = np.concatenate((found[order], R.T @ found[ball], found[rest]))
    np.testing.assert_allclose(got, data.qacc, rtol=0.0, atol=1e-10 * np.max(np.abs(found)))
