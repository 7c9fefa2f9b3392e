"""Compiled models against analytical mechanics, against the uncompiled equations, and their messages."""

import importlib
import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pytest
import sympy as sp
import threadpoolctl
from scipy.spatial.transform import Rotation
from scipy.special import ellipj

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Scalar, sin, where
from ce_dynamics.kinematics.four_bar import FourBar
from ce_dynamics.mechanism.forces.base import Observer
from tests.ce_dynamics.dense_poses import Floats
from tests.ce_dynamics.recursion_systems import SYSTEMS, Case, add_linkage

G = 9.81
TIGHT: dict[str, Any] = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13}


# One and two pendulums


def pendulum() -> ce.System:
    """A mass of 1 kg on a massless rod of 1 m that is held out to the left."""
    system = ce.System(gravity=(0, 0, -G))
    rod = system.add_body("rod", mass=1.0, com=(-1, 0, 0), parent="ground", hinge=ce.Revolute((0, 1, 0)))

    def place(k: int, seen: Observer) -> Scalar:
        return seen.point(rod, rod.com, system.ground).r[k]

    for k, name in enumerate("xyz"):
        system.add_output(name, "m", partial(place, k))
    return system


def test_benchmark_pendulum_is_in_place_after_ten_seconds() -> None:
    # IFToMM benchmark library, A01.
    run = ce.simulate(ce.Model(pendulum()), duration=10.0, interval=1.0, **TIGHT)
    found = [float(run[name][-1]) for name in "xyz"]
    np.testing.assert_allclose(found, (-0.2750874626, 0.0, -0.9614192051), rtol=0.0, atol=1e-9)


def test_benchmark_pendulum_rests_again_after_its_period() -> None:
    period = 2.3678419476
    run = ce.simulate(ce.Model(pendulum()), duration=period, interval=period, **TIGHT)
    # Where it turns back it accelerates at g / l: half a unit of the last digit of the period is 5e-10 rad/s.
    assert float(run["rod_rate"][-1]) == pytest.approx(0.0, abs=2e-9)
    assert float(run["rod"][-1]) == pytest.approx(0.0, abs=1e-10)
    half = ce.simulate(ce.Model(pendulum()), duration=period / 2.0, interval=period, **TIGHT)
    assert float(half["x"][-1]) == pytest.approx(1.0, abs=1e-10)


def lagrange_double_pendulum() -> Callable[..., Any]:
    """Accelerations of a double pendulum with mass centres off the line of the pins, from its Lagrangian."""
    t = sp.Symbol("t")
    names = "m1 m2 I1 I2 l c1 d1 c2 d2 g"
    m1, m2, I1, I2, length, c1, d1, c2, d2, g = parameters = sp.symbols(names)
    a, b = (sp.Function(name)(t) for name in "ab")

    def turned(angle: Any, x: Any, z: Any) -> Any:
        """The vector (x, z) after a rotation about y."""
        return sp.Matrix((sp.cos(angle) * x + sp.sin(angle) * z, -sp.sin(angle) * x + sp.cos(angle) * z))

    r1 = turned(a, c1, d1)
    r2 = turned(a, length, 0) + turned(a + b, c2, d2)
    v1, v2 = r1.diff(t), r2.diff(t)
    T = (m1 * v1.dot(v1) + m2 * v2.dot(v2) + I1 * a.diff(t) ** 2 + I2 * (a.diff(t) + b.diff(t)) ** 2) / 2
    L = T - g * (m1 * r1[1] + m2 * r2[1])
    equations = [L.diff(q.diff(t)).diff(t) - L.diff(q) for q in (a, b)]
    ddot = [a.diff(t, 2), b.diff(t, 2)]
    symbols = sp.symbols("q1 q2 v1 v2")
    plain = dict(zip((a.diff(t), b.diff(t), a, b), (*symbols[2:], *symbols[:2]), strict=True))
    M = sp.Matrix(equations).jacobian(ddot)
    rest = sp.Matrix(equations).subs(dict.fromkeys(ddot, 0))
    arguments = (*parameters, *symbols)
    matrices = sp.lambdify(arguments, (M.subs(plain), rest.subs(plain)), "numpy")

    def accelerations(*values: float) -> Floats:
        mass, bias = matrices(*values)
        return np.asarray(np.linalg.solve(mass, -bias).ravel())

    return accelerations


def test_a_double_pendulum_obeys_lagrange(rng: np.random.Generator) -> None:
    m1, m2, I1, I2, length = 1.3, 0.8, 0.21, 0.13, 0.9
    c1, d1, c2, d2 = 0.4, 0.1, 0.55, -0.2
    system = ce.System(gravity=(0, 0, -G))
    arm = system.add_body(
        "arm",
        mass=m1,
        com=(c1, 0.3, d1),
        inertia=(0.1, I1, 0.2),
        parent="ground",
        hinge=ce.Revolute((0, 1, 0)),
    )
    system.add_body(
        "bob", mass=m2, com=(length + c2, -0.1, d2), inertia=(0.05, I2, 0.1), parent=arm,
        hinge=ce.Revolute((0, 1, 0), (length, 0, 0)),
    )  # fmt: skip
    model, expected = ce.compile(system), lagrange_double_pendulum()
    for _ in range(50):
        q, v = rng.uniform(-math.pi, math.pi, 2), rng.normal(size=2) * 5.0
        wanted = expected(m1, m2, I1, I2, length, c1, d1, c2, d2, G, *q, *v)
        np.testing.assert_allclose(model.accelerations(q, v), wanted, rtol=1e-11, atol=1e-11)


# A rigid body and a top

MOMENTS = np.array((1.0, 2.0, 3.0))


def brick(at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> ce.Model:
    """A free body; its coordinates count the displacement of the point ``at``."""
    system = ce.System(gravity=(0, 0, 0))
    system.add_body("brick", mass=2.0, com=(0, 0, 0), inertia=MOMENTS, parent="ground", hinge=ce.Free(at))
    return ce.Model(system)


def in_body_axes(quaternions: Floats, vectors: Floats) -> Floats:
    rotation = Rotation.from_quat(quaternions, scalar_first=True)
    return np.asarray(rotation.inv().apply(vectors))


@pytest.mark.parametrize("at", [(0.0, 0.0, 0.0), (0.5, -0.3, 0.8)])
def test_a_free_body_obeys_euler(at: tuple[float, float, float], rng: np.random.Generator) -> None:
    model = brick(at)
    for _ in range(20):
        q, v = rng.normal(size=7), rng.normal(size=6)
        R = Rotation.from_quat(q[3:], scalar_first=True)
        w_b = R.inv().apply(v[:3])
        w = v[:3]
        # I ω̇ + ω × I ω = 0 in body axes; ω × ω = 0, so ω̇ only needs to be turned.
        w_dot = R.apply(-np.cross(w_b, MOMENTS * w_b) / MOMENTS)
        e = R.apply(at)  # from the centre of mass, which does not accelerate
        a = np.cross(w_dot, e) + np.cross(w, np.cross(w, e))
        np.testing.assert_allclose(model.accelerations(q, v), [*w_dot, *a], rtol=1e-11, atol=1e-12)


def test_the_intermediate_axis_flips_by_jacobis_solution() -> None:
    model = brick()
    A, C = 1.0, 0.58  # barely beyond the separatrix: the body stays near its intermediate axis between flips
    y0 = model.y0
    y0[7:10] = (A, 0.0, C)
    run = ce.simulate(model, duration=25.0, y0=y0, interval=0.1, **TIGHT)
    quaternions = np.stack([run[f"brick_q{k}"] for k in "wxyz"], axis=1)
    w = np.stack([run[f"brick_w{k}"] for k in "xyz"], axis=1)
    found = in_body_axes(quaternions, w)
    I1, I2, I3 = MOMENTS
    E2, H2 = I1 * A**2 + I3 * C**2, (I1 * A) ** 2 + (I3 * C) ** 2  # 2 E and H²
    assert H2 > E2 * I2
    rate = math.sqrt((I3 - I2) * (H2 - E2 * I1) / (I1 * I2 * I3))
    m = (I2 - I1) * (E2 * I3 - H2) / ((I3 - I2) * (H2 - E2 * I1))
    sn, cn, dn, _ = ellipj(rate * run["time"].values, m)
    middle = math.sqrt((E2 * I3 - H2) / (I2 * (I3 - I2)))
    np.testing.assert_allclose(found, np.stack((A * cn, middle * sn, C * dn), axis=1), rtol=0.0, atol=1e-8)
    assert np.ptp(np.sign(found[:, 1])) == 2.0  # it did flip


def test_a_free_body_keeps_energy_and_angular_momentum() -> None:
    model = brick((0.5, -0.3, 0.8))
    y0 = model.y0
    y0[7:] = (1.0, -2.0, 0.5, 0.3, 0.2, -0.1)
    run = ce.simulate(model, duration=20.0, y0=y0, interval=0.5, **TIGHT)
    energy = run["energy"].values
    np.testing.assert_allclose(energy, energy[0], rtol=1e-9)
    quaternions = np.stack([run[f"brick_q{k}"] for k in "wxyz"], axis=1)
    w = np.stack([run[f"brick_w{k}"] for k in "xyz"], axis=1)
    h = Rotation.from_quat(quaternions, scalar_first=True).apply(MOMENTS * in_body_axes(quaternions, w))
    np.testing.assert_allclose(h, np.tile(h[0], (len(h), 1)), rtol=0.0, atol=1e-8)
    assert np.ptp(w, axis=0).min() > 0.5


TRANSVERSE, AXIAL, HEIGHT, MASS, TILT, PRECESSION = 0.7, 0.2, 0.4, 1.5, 0.6, 2.3
"""A heavy top: moments about its tip and axis [kg m²], height of its centre of mass, mass, steady motion."""


def spin_about_axis() -> float:
    """ω₃ of steady precession: I₁ Ω² cos θ − I₃ ω₃ Ω + m g h = 0."""
    return (TRANSVERSE * PRECESSION**2 * math.cos(TILT) + MASS * G * HEIGHT) / (AXIAL * PRECESSION)


def about_com() -> tuple[float, float, float]:
    transverse = TRANSVERSE - MASS * HEIGHT**2
    return (transverse, transverse, AXIAL)


def test_a_top_on_its_tip_precesses_steadily() -> None:
    system = ce.System(gravity=(0, 0, -G))
    system.add_body(
        "top", mass=MASS, com=(0, 0, HEIGHT), inertia=about_com(), parent="ground", hinge=ce.Spherical()
    )
    axis = np.array((0.0, -math.sin(TILT), math.cos(TILT)))  # of the top, turned about x
    w = PRECESSION * np.array((0.0, 0.0, 1.0)) + (spin_about_axis() - PRECESSION * math.cos(TILT)) * axis
    system.start("top", q=(math.cos(TILT / 2.0), math.sin(TILT / 2.0), 0.0, 0.0), v=w)
    run = ce.simulate(ce.Model(system), duration=3.0, interval=0.1, **TIGHT)
    quaternions = np.stack([run[f"top_q{k}"] for k in "wxyz"], axis=1)
    found = Rotation.from_quat(quaternions, scalar_first=True).apply((0.0, 0.0, 1.0))
    turned = Rotation.from_rotvec(np.outer(PRECESSION * run["time"].values, (0.0, 0.0, 1.0)))
    np.testing.assert_allclose(found, turned.apply(axis), rtol=0.0, atol=1e-8)


@pytest.mark.parametrize("angle", [0.0, 1.0, -2.0])
def test_a_gyroscope_in_a_massless_gimbal_precesses_steadily(angle: float) -> None:
    system = ce.System(gravity=(0, 0, -G))
    gimbal = system.add_body("gimbal", mass=0.0, parent="ground", hinge=ce.Universal((0, 0, 1), (1, 0, 0)))
    system.add_body(
        "rotor", mass=MASS, com=(0, 0, HEIGHT), inertia=about_com(), parent=gimbal,
        hinge=ce.Revolute((0, 0, 1)),
    )  # fmt: skip
    system.start("gimbal", q=(0.0, TILT))  # upright, its first axis and the rotor's are one
    model = ce.Model(system)
    spin = spin_about_axis() - PRECESSION * math.cos(TILT)
    found = model.accelerations([angle, TILT, 3.0 * angle], [PRECESSION, 0.0, spin])
    np.testing.assert_allclose(found, np.zeros(3), rtol=0.0, atol=1e-12)
    # With a little more spin the axis would rise: I₁ θ̈ = (m g h + I₁ Ω² cos θ − I₃ ω₃ Ω) sin θ.
    found = model.accelerations([angle, TILT, 0.0], [PRECESSION, 0.0, spin + 1.0])
    assert found[1] == pytest.approx(-AXIAL * PRECESSION * math.sin(TILT) / TRANSVERSE, rel=1e-12)


# Compiled and plain


@pytest.mark.parametrize("name", SYSTEMS)
def test_compiled_functions_equal_plain_ones_at_random_states(name: str) -> None:
    rng = np.random.default_rng(3)
    case = Case(SYSTEMS[name](rng), rng)
    body = case.system.bodies[-1]
    case.system.add_measurement("lift", "m/s^2", lambda instant: instant.acceleration(body, body.com)[2])
    model = ce.Model(case.system)
    for scale in (0.0, 0.3, 1.0):
        y = model.y0 + scale * (np.concatenate((case.q, case.v, case.x)) - model.y0)
        u = scale * case.u
        instant = model.instant(y, u)
        # The same operations but for fused multiply-adds: rounding, amplified by the condition of D.
        atol = 1e-10 * float(np.max(np.abs(instant.y_dot)))
        audited = model.audited_dynamics(y, u)[0]
        for y_dot in (model.dynamics(y, u)[0], audited[:-1]):
            np.testing.assert_allclose(y_dot, instant.y_dot.astype(float), rtol=1e-9, atol=atol)
        power = instant.power
        assert audited[-1] == pytest.approx(power.loads + power.prescribed, rel=1e-8, abs=1e-8)
        outputs, closures, _ = model.observation(y, u)
        named = dict(zip([entry.name for entry in model.output_entries], outputs, strict=True))
        assert named["energy"] == pytest.approx(float(instant.energy), rel=1e-12, abs=1e-12)
        assert named["lift"] == pytest.approx(float(instant.acceleration(body, body.com)[2]), rel=1e-8)
        for element, response in instant.loads.responses.items():
            for output, value in response.outputs.items():
                assert named[f"{element}.{output}"] == pytest.approx(value, rel=1e-10, abs=1e-12)
        assert closures.shape == (len(case.system.closures),)


# Input laws


def carriage() -> ce.Model:
    system = ce.System(gravity=(0, 0, 0))
    body = system.add_body("cart", mass=1.0, parent="ground", hinge=ce.Prismatic((1, 0, 0)))
    system.add_input("push", "N", default=0.5)
    system.add_input("pull", "N", default=0.25)
    system.add_force(ce.AppliedWrench("push", body, (0, 0, 0), force=("push", 0.0, 0.0)))
    system.add_force(ce.AppliedWrench("pull", body, (0, 0, 0), force=("pull", 0.0, 0.0)))
    system.add_output("place", "m", lambda seen: seen.coordinate(body))
    return ce.Model(system)


class Law:
    def __init__(self, function: Callable[[Scalar, Mapping[str, Scalar]], Mapping[str, Scalar]]) -> None:
        self.function = function

    def inputs(self, t: Scalar, sensors: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        return self.function(t, sensors)


def test_law_sees_sensors_and_others_keep_defaults() -> None:
    law = Law(lambda t, seen: {"push": where(t > 1.0, sin(t), 3.0 * seen["place"])})
    control = carriage().control(law)
    np.testing.assert_allclose(control(np.array((0.5,)), np.array((2.0, 7.0)))[0], (6.0, 0.25))
    np.testing.assert_allclose(control(np.array((2.5,)), np.array((2.0, 7.0)))[0], (math.sin(2.5), 0.25))


def test_a_law_that_returns_unknown_inputs_is_refused() -> None:
    law = Law(lambda t, seen: {"push": 1.0, "shove": 1.0})
    with pytest.raises(
        ce.ModelError, match=r"returns \['shove'\]; the system's inputs are \['push', 'pull'\]"
    ):
        carriage().control(law)
    with pytest.raises(ce.ModelError, match="shove"):
        ce.simulate(carriage(), law, duration=1.0)


# Refusals


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"q": (), "v": (0.0,)}, r"q must be 1 finite numbers, got \[\]"),
        ({"q": (0.0, 1.0), "v": (0.0,)}, "q must be 1"),
        ({"q": ((0.0,),), "v": (0.0,)}, "q must be 1"),
        ({"q": (math.nan,), "v": (0.0,)}, "q must be 1"),
        ({"q": (0.0,), "v": (math.inf,)}, "v must be 1"),
        ({"q": (0.0,), "v": ()}, "v must be 1"),
        ({"q": (0.0,), "v": (0.0,), "u": (1.0,)}, "u must be 2"),
        ({"q": (0.0,), "v": (0.0,), "u": (1.0, math.nan)}, "u must be 2"),
        ({"q": (0.0,), "v": (0.0,), "x": (1.0,)}, "x must be 0"),
        ({"y": (0.0,)}, "y must be 2"),
        ({"q": (0.0, math.nan)}, "y must be 2"),
        ({"q": (0.0,)}, "q: give the 1 velocities v beside the 1 coordinates, or the whole state y of 2"),
        ({"q": (0.0, 0.0, 0.0)}, "whole state y of 2 numbers in the place of q; got 3"),
        ({"v": (0.0,)}, "v: give the 1 coordinates q beside"),
        ({"q": (0.0,), "y": (0.0, 0.0)}, "y is the whole state and holds q already"),
    ],
)
def test_accelerations_check_their_arguments(arguments: Any, message: str) -> None:
    with pytest.raises(ce.ModelError, match=message):
        carriage().accelerations(**arguments)


# Ways to give a state

ASKED: dict[str, tuple[Any, ...]] = {
    "accelerations": (), "inverse_dynamics": (), "mass_matrix": (), "inverse_mass_matrix": (),
    "solve_mass": (), "innovations": (), "energy": (), "momentum": (), "centroidal": (), "reactions": (),
    "power": (), "outputs": (), "poses": (), "linearize": (), "modes": (), "equilibrium": (),
    "sensitivities": (), "aggregated_body": ("bob",), "derivatives": ("bob", "bob_rate"),
    "eigenvalue_derivatives": ("torque",), "reaction_derivatives": ("bob", "bob_rate"),
}  # fmt: skip
"""Answers at a state, and what they are asked about."""


@pytest.fixture(scope="module")
def hanging() -> ce.Model:
    """A pendulum near its rest, with a motor and a spring that may be changed."""
    system = ce.System(gravity=(0, 0, -G))
    k = system.add_parameter(ce.Parameter("k", 1.0, "N*m/rad"))
    system.add_input("torque", "N*m", default=0.2)
    bob = system.add_body("bob", mass=2.0, com=(0, 0, -1), parent="ground", hinge=ce.Revolute((0, 1, 0)))
    system.add_force(ce.TorsionSpringDamper("spring", bob, spring=ce.Linear(k), damper=0.1))
    system.add_force(ce.AppliedWrench("motor", bob, bob.com, torque=(0, "torque", 0)))
    return ce.Model(system)


def numbers(answer: Any) -> Floats:
    """Return all numbers of an answer in one vector."""
    if isinstance(answer, (bool, str, ce.Model)) or answer is None:
        return np.zeros(0)
    if isinstance(answer, Mapping):
        return numbers(list(answer.values()))
    if isinstance(answer, (list, tuple)):
        return np.concatenate([np.zeros(0), *map(numbers, answer)])
    if hasattr(answer, "__dict__"):
        return numbers(vars(answer))
    return np.ravel(np.asarray(answer)).view(float) if np.asarray(answer).dtype.kind in "fc" else np.zeros(0)


def ask(model: ce.Model, name: str, *state: Any, **given: Any) -> Floats:
    """Ask at a state with inputs of its own."""
    given |= {"T": [1.0]} if name == "solve_mass" else {}
    return numbers(getattr(model, name)(*ASKED[name], *state, **given))


@pytest.mark.parametrize("name", ASKED)
def test_answers_take_a_state_in_every_form(name: str, hanging: ce.Model) -> None:
    u = hanging.inputs_with({"k": 3.0}, {"torque": 0.7})
    q, v = [0.03], [0.4]
    expected = ask(hanging, name, q, v, u=u)
    assert len(expected) > 0
    for state, given in (((), {"q": q, "v": v}), (([*q, *v],), {}), ((), {"y": [*q, *v]})):
        np.testing.assert_array_equal(ask(hanging, name, *state, u=u, x=None, **given), expected)
    np.testing.assert_array_equal(ask(hanging, name), ask(hanging, name, hanging.y0, u=hanging.u0))


OUTDATED: dict[str, tuple[Any, ...]] = {
    "accelerations": ([0.1], [0.4]),
    "energy": ([0.1], [0.4]),
    "momentum": ([0.1], [0.4]),
    "centroidal": ([0.1], [0.4]),
    "inverse_dynamics": ([0.1], [0.4], [0.0]),
    "mass_matrix": ([0.1],),
    "inverse_mass_matrix": ([0.1],),
    "innovations": ([0.1],),
    **{name: ([0.1, 0.4],) for name in ("reactions", "power", "outputs", "poses", "linearize", "modes")},
    **{name: ([0.1, 0.4],) for name in ("equilibrium", "sensitivities", "aggregated_body", "derivatives")},
    **{name: ([0.1, 0.4],) for name in ("eigenvalue_derivatives", "reaction_derivatives")},
}


@pytest.mark.parametrize("name", OUTDATED)
def test_inputs_by_position_warn_and_count(name: str, hanging: ce.Model) -> None:
    u = hanging.inputs_with({"k": 3.0}, {"torque": 0.7})
    with pytest.warns(DeprecationWarning, match=rf"{name}\(.*\) by position is the old order"):
        found = ask(hanging, name, *OUTDATED[name], u)
    np.testing.assert_array_equal(found, ask(hanging, name, *OUTDATED[name], u=u))


def test_old_order_of_forces_warns(hanging: ce.Model) -> None:
    with pytest.warns(DeprecationWarning, match=r"solve_mass\(q, T\) by position is the old order"):
        found = hanging.solve_mass([0.1], [3.0])  # type: ignore[call-arg]
    np.testing.assert_array_equal(found, hanging.solve_mass([0.1], T=[3.0]))


def test_points_take_a_state_in_every_form(hanging: ce.Model) -> None:
    for asked in (hanging.point("bob"), hanging.frame("bob")):
        expected = numbers(asked([0.1], [0.4], u=[0.7, 3.0]))
        np.testing.assert_array_equal(numbers(asked([0.1, 0.4], u=[0.7, 3.0])), expected)
        with pytest.warns(DeprecationWarning, match="by position"):
            old = numbers(asked([0.1, 0.4], [0.7, 3.0]))
        np.testing.assert_array_equal(old, expected)


def test_velocities_and_inputs_of_equal_length_need_names() -> None:
    system = ce.System()
    mass = system.add_parameter(ce.Parameter("m", 2.0, "kg"))
    system.add_body("bob", mass=mass, com=(0, 0, -1), parent="ground", hinge=ce.Revolute((0, 1, 0)))
    model = ce.Model(system)
    with pytest.raises(ce.ModelError, match=r"1 numbers may be the velocities or the inputs here; name them"):
        model.mass_matrix([0.0], [3.0])
    assert model.mass_matrix([0.0], v=[3.0])[0, 0] == 2.0
    assert model.mass_matrix([0.0], u=[3.0])[0, 0] == 3.0


def test_accelerations_use_defaults_and_given_inputs() -> None:
    model = carriage()
    np.testing.assert_array_equal(model.accelerations([0.0], [0.0]), (0.75,))
    np.testing.assert_array_equal(model.accelerations([0.0], [0.0], u=[1.0, 2.0]), (3.0,))
    np.testing.assert_array_equal(model.accelerations([0.0], [0.0], x=[]), (0.75,))


def test_copies_of_the_initial_state_and_inputs() -> None:
    model = carriage()
    model.y0[:] = model.u0[:] = 7.0
    np.testing.assert_array_equal(model.y0, (0.0, 0.0))
    np.testing.assert_array_equal(model.u0, (0.5, 0.25))


def test_unassembled_initial_state_names_loop_and_range() -> None:
    system = ce.System()
    # Coupler and rocker reach 1.54 m together, the crank's pin at 3 rad is 2 m away.
    linkage = FourBar((0, 0, 0), (0, 0.2, 1), (0, 0.7, 1), (0, 1, 0), (1, 0, 0), frame="ground")
    add_linkage(system, linkage, np.random.default_rng(0))
    ce.Model(system)
    system.start("crank", q=3.0)
    with pytest.raises(ce.AssemblyError) as caught:
        ce.compile(system)
    text = str(caught.value)
    assert "loop of 'crank' cannot be assembled at its initial coordinates {'crank': [3.0]}" in text
    low, high = linkage.reach() or (math.nan, math.nan)
    assert f"admissible is {low:.4g} to {high:.4g} for 'crank'" in text
    assert low < 0.0 < high < 3.0
    for inside in (low + 1e-6, high - 1e-6):
        system.start("crank", q=inside)
        ce.Model(system)
    for outside in (low - 1e-6, high + 1e-6):
        system.start("crank", q=outside)
        with pytest.raises(ce.AssemblyError):
            ce.Model(system)


@pytest.mark.parametrize(
    "stage", ["ce_dynamics.compiled.compiled_system.embed", "ce_dynamics.compiled.model.check_start"]
)
def test_models_are_built_with_one_blas_thread(stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, _, name = stage.rpartition(".")
    original, threads = getattr(importlib.import_module(module), name), set[int]()

    def watched(given: Any) -> Any:
        info = threadpoolctl.threadpool_info()
        threads.update(library["num_threads"] for library in info if library["user_api"] == "blas")
        return original(given)

    monkeypatch.setattr(stage, watched)
    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        ce.Model(pendulum())
    assert threads == {1}


@pytest.mark.parametrize("name", ["rod", "rod_rate", "energy"])
def test_two_quantities_of_one_name_are_refused(name: str) -> None:
    system = pendulum()
    system.add_input(name, "N")
    with pytest.raises(ce.ModelError, match=f"two quantities are named '{name}'"):
        ce.Model(system)


def test_names_that_become_equal_in_results_are_refused() -> None:
    system = pendulum()
    system.add_input("a.b", "N")
    system.add_output("a b", "N", lambda seen: 0.0)
    with pytest.raises(ce.ModelError, match=r"'a b' and 'a\.b' 'a_b'"):
        ce.Model(system)


@pytest.mark.parametrize("name", ["time", "work", "closure_error", "side"])
def test_names_that_results_use_themselves_are_refused(name: str) -> None:
    system = pendulum()
    system.group("side", ["left", "right"])
    system.add_output(name, "N", lambda seen: 0.0)
    with pytest.raises(ce.ModelError, match=f"'{name}'"):
        ce.Model(system)


def test_a_body_that_moves_no_mass_is_refused() -> None:
    system = ce.System()
    system.add_body("feather", mass=0.0, parent="ground", hinge=ce.Revolute((0, 0, 1)))
    with pytest.raises(ce.ModelError, match="feather"):
        ce.Model(system)


def test_repr() -> None:
    assert repr(ce.Model(pendulum())) == "Model('system': 1 degree of freedom, 1 bodies)"


@pytest.mark.parametrize(
    "function", [np.sin, np.sqrt, lambda x: np.arctan2(x, 1.0), lambda x: np.maximum(x, 0.0)]
)
def test_functions_of_numpy_name_those_that_serve(function: Callable[[Any], Any]) -> None:
    system = ce.System(gravity=(0, 0, -9.81))
    arm = system.add_body("arm", mass=1.0, com=(1, 0, 0), parent="ground", hinge=ce.Revolute((0, 1, 0)))
    system.add_output("height", "m", lambda observer: function(observer.coordinate(arm)))
    with pytest.raises(ce.ModelError, match=r"output 'height' .*use those of ce_dynamics\.algebra\.arrays"):
        ce.Model(system).outputs()
