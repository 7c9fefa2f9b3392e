"""Free geometry of loops without a closed form: the model that is built there, or NaN."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.compiler import TracedFunction
from ce_dynamics.errors import ModelError
from ce_dynamics.kinematics import FourBar
from ce_dynamics.mechanism.parameters import Parameter, interpolate_parameters, to_nominal, values_at

Numbers = dict[str, float]
Z = (0.0, 0.0, 1.0)
INERTIA = (0.03, 0.04, 0.05)


def numbers(text: str) -> Numbers:
    """``B = 0.1 0.2, pitch = 0.6``: components are called B.x, B.y; a single number by its name."""
    found: Numbers = {}
    for entry in text.split(","):
        name, _, values = entry.partition("=")
        row = [float(x) for x in values.split()]
        keys = [name.strip()] if len(row) == 1 else [f"{name.strip()}.{axis}" for axis in "xyz"[: len(row)]]
        found |= dict(zip(keys, row, strict=True))
    return found


class Points:
    """Points and numbers by name, from a source of single numbers; what is flat lies in the plane z = 0."""

    def __init__(self, value: Callable[[str], Any], names: Numbers) -> None:
        self.value, self.names = value, names

    def __call__(self, name: str) -> Any:
        if name in self.names:
            return self.value(name)
        return np.array([self.value(f"{name}.{a}") if f"{name}.{a}" in self.names else 0.0 for a in "xyz"])


def add(system: ce.System, name: str, parent: str, hinge: Any, com: Any) -> None:
    system.add_body(name, mass=1.0, com=com, inertia=INERTIA, parent=parent, hinge=hinge)


def four_bar(s: ce.System, p: Points) -> None:
    A, D, F, G = map(p, "ADFG")
    add(s, "crank", "ground", ce.Revolute(Z, A), 0.5 * (A + D))
    add(s, "coupler", "crank", ce.Revolute(Z, D), 0.5 * (D + F))
    add(s, "rocker", "ground", ce.Revolute(Z, G), 0.5 * (F + G))
    s.close_loop("pin", "coupler", "rocker", ce.Revolute(Z, F), ["crank"])


def slider_with_a_rod_of_given_length(s: ce.System, p: Points) -> None:
    """The design pose closes at the nominal length only; elsewhere the slider starts beside it."""
    add(s, "crank", "ground", ce.Revolute(Z), 0.5 * p("B"))
    add(s, "slider", "ground", ce.Prismatic((1.0, 0.0, 0.0), p("C")), p("C"))
    s.close_loop("rod", "crank", "slider", ce.Distance(p("B"), p("C"), p("length")), ["crank"])


def five_bar(s: ce.System, p: Points) -> None:
    A, B, C, D, E = map(p, "ABCDE")
    add(s, "left", "ground", ce.Revolute(Z, A), 0.5 * (A + B))
    add(s, "left coupler", "left", ce.Revolute(Z, B), 0.5 * (B + C))
    add(s, "right", "ground", ce.Revolute(Z, E), 0.5 * (D + E))
    add(s, "right coupler", "right", ce.Revolute(Z, D), 0.5 * (C + D))
    s.close_loop("pin", "left coupler", "right coupler", ce.Revolute(Z, C), ["left", "right"])


def rsur(s: ce.System, p: Points) -> None:
    B, C, D = map(p, "BCD")
    add(s, "crank", "ground", ce.Revolute(p("crank")), 0.5 * B)
    add(s, "rocker", "ground", ce.Revolute(p("rocker"), D), 0.5 * (C + D))
    add(s, "coupler", "crank", ce.Spherical(B), 0.5 * (B + C))
    s.close_loop("joint", "rocker", "coupler", ce.Universal(p("first"), p("second"), C), ["crank"])


def screw(s: ce.System, p: Points) -> None:
    B, C = p("B"), p("C")
    add(s, "crank", "ground", ce.Revolute((0.1, 0.2, 1.0)), 0.5 * B)
    add(s, "rod", "crank", ce.Universal((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), B), 0.5 * (B + C))
    add(s, "nut", "ground", ce.Screw(p("axis"), p("pitch"), p("at")), C)
    s.close_loop("ball", "rod", "nut", ce.Spherical(C), ["crank"])


def brace(s: ce.System, p: Points) -> None:
    """A structure without freedom on a cart: nothing is given, yet a length determines its place."""
    add(s, "cart", "ground", ce.Prismatic((1.0, 0.0, 0.0)), (0.0, 0.0, 0.0))
    add(s, "post", "cart", ce.Revolute(Z, p("A")), p("A") + np.array((0.0, 0.5, 0.0)))
    s.close_loop("stay", "cart", "post", ce.Distance((1.0, 0.0, 0.0), p("B"), p("length")))


MECHANISMS: dict[str, tuple[Callable[[ce.System, Points], None], Numbers]] = {
    "four-bar": (four_bar, numbers("A = 0 0, D = 0.2 0.3, F = 1.1 0.8, G = 1.2 -0.1")),
    "slider with a rod of given length": (
        slider_with_a_rod_of_given_length,
        numbers("B = 0.2 0.15, C = 0.95 0.05, length = 0.75663729752"),
    ),
    "five-bar": (five_bar, numbers("A = 0 0, B = -0.3 0.6, C = 0.54 1.31, D = 1.4 0.5, E = 1 0")),
    "RSUR": (
        rsur,
        numbers(
            "B = 0 0.3 0.1, C = 1 0.2 0.9, D = 1.2 0 0.1, crank = 1 0 0.1, rocker = 0.2 1 0,"
            "first = 1 0 0.2, second = 0.1 1 0"
        ),
    ),
    "screw": (
        screw,
        numbers("B = 0.1 0.2 0.05, C = 1.2 0.1 0.1, axis = 1 0.1 0, pitch = 0.6, at = 1.2 0 0.1"),
    ),
    "brace": (brace, numbers("A = 0 0, B = 0 1, length = 1.41421356237")),
}


def built(mechanism: str, value: Callable[[str], Any], system: ce.System | None = None) -> ce.System:
    system = system or ce.System(gravity=(0.5, -9.81, 0.3))
    make, names = MECHANISMS[mechanism]
    make(system, Points(value, names))
    return system


def free_model(mechanism: str) -> ce.Model:
    system = ce.System(gravity=(0.5, -9.81, 0.3))
    parameters = {n: system.add_parameter(Parameter(n, x)) for n, x in MECHANISMS[mechanism][1].items()}
    return ce.compile(built(mechanism, parameters.__getitem__, system))


def state(model: ce.Model, seed: int, spread: float = 0.4) -> Any:
    return model.y0 + np.random.default_rng(seed).uniform(-spread, spread, len(model.y0))


@pytest.mark.filterwarnings("ignore:.*'post'.* move as one:ce_dynamics.errors.ImmobilityWarning")
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_free_geometry_is_that_of_model_built_there(mechanism: str) -> None:
    names = MECHANISMS[mechanism][1]
    model = free_model(mechanism)
    traced = model.trace_dynamics()
    rng = np.random.default_rng(1)
    trials = [{name: x + rng.uniform(-0.04, 0.04) for name, x in names.items()} for _ in range(2)]
    for k, values in enumerate(trials):
        plain = ce.compile(built(mechanism, values.__getitem__))
        y = state(model, k)
        expected = plain.trace_dynamics().evaluate(y=y, u=np.zeros(0))["y_dot"]
        found = traced.evaluate(y=y, u=np.array(list(values.values())))["y_dot"]
        # Newton's steps end at rounding, 1e-15 of lengths of 1; the condition of M and Y₁ is below 1e3.
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-11 * np.abs(expected).max())
        if k == 0:
            _, closure, _ = model.observation(y, model.inputs_with(values))
            assert np.max(np.abs(closure)) < 1e-13


HINGES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "revolute": lambda axis, other, at: ce.Revolute(axis, at),
    "prismatic": lambda axis, other, at: ce.Prismatic(axis, at),
    "cylindrical": lambda axis, other, at: ce.Cylindrical(axis, at),
    "screw": lambda axis, other, at: ce.Screw(axis, 0.1 * other[0], at),
    "universal": lambda axis, other, at: ce.Universal(axis, other, at),
    "spherical": lambda axis, other, at: ce.Spherical(at),
    "planar": lambda axis, other, at: ce.Planar(axis, at),
    "fixed": lambda axis, other, at: ce.Fixed(at),
    "free": lambda axis, other, at: ce.Free(at),
}


@pytest.mark.parametrize("hinge", HINGES)
def test_points_and_axes_of_every_hinge(hinge: str) -> None:
    """A tree of two bodies on such hinges, with a spring, an applied force and an output at free points."""
    names = numbers(
        "axis = 0.3 1 -0.2, other = 1 0.1 0.4, at = 0.2 0.1 0.3, com = 0.5 0.2 0.1, tip = 0.9 0.4 0.2"
    )

    def system(value: Callable[[str], Any], s: ce.System) -> ce.System:
        p = Points(value, names)
        joint = HINGES[hinge](p("axis"), p("other"), p("at"))
        one = s.add_body("one", mass=2.0, com=p("com"), inertia=INERTIA, parent="ground", hinge=joint)
        add(s, "two", "one", ce.Revolute(p("other"), p("com")), p("tip"))
        two = s.find("two")
        s.add_force(ce.SpringDamper("spring", s.ground, p("at"), two, p("tip"), spring=50.0, damper=2.0))
        s.add_force(ce.AppliedWrench("push", one, p("tip"), force=(1.0, 2.0, 3.0), frame=two))
        s.add_output("height", "m", lambda observer: observer.point(two, p("tip"), s.ground).r[2])
        return s

    s = ce.System()
    parameters = {name: s.add_parameter(Parameter(name, x)) for name, x in names.items()}
    model = ce.compile(system(parameters.__getitem__, s))
    rng = np.random.default_rng(3)
    values = {name: x + rng.uniform(-0.1, 0.1) for name, x in names.items()}
    plain = ce.compile(system(values.__getitem__, ce.System()))
    y = state(model, 5)
    u = np.array(list(values.values()))
    traces: list[Callable[[ce.Model], TracedFunction]] = [
        lambda m: m.trace_dynamics(),
        lambda m: m.trace("observation", m.observe),
    ]
    for traced in traces:
        found = traced(model).evaluate(y=y, u=u)
        expected = traced(plain).evaluate(y=y, u=np.zeros(0))
        for name in expected:
            scale = max(1.0, np.abs(expected[name]).max(initial=0.0))
            # A few eps, times the condition of M, below 1e3.
            np.testing.assert_allclose(found[name], expected[name], rtol=0.0, atol=1e-12 * scale)


def test_sensitivities_of_a_numeric_loop() -> None:
    """Exact derivatives pass through the substeps; central differences of models that are built anew."""
    mechanism = "slider with a rod of given length"
    names = MECHANISMS[mechanism][1]
    model = free_model(mechanism)
    y = state(model, 3)
    exact = model.sensitivities(y)
    h = 1e-5
    for k, (name, x) in enumerate(names.items()):
        ends = [
            ce.compile(built(mechanism, {**names, name: x + step}.__getitem__))
            .trace_dynamics()
            .evaluate(y=y, u=np.zeros(0))["y_dot"]
            for step in (h, -h)
        ]
        slope = (ends[0] - ends[1]) / (2.0 * h)
        # h² f'''/6 with lengths of 0.3: 1e-10 · 40 relative; rounding 1e-13 / 1e-5.
        np.testing.assert_allclose(exact[:, k], slope, rtol=0.0, atol=1e-7 * max(1.0, np.abs(slope).max()))


def test_far_geometry_is_right_or_nan() -> None:
    """Answers far from the nominal geometry are those of the linkage built there, in closed form."""
    names = MECHANISMS["four-bar"][1]
    model = free_model("four-bar")
    traced = model.trace_dynamics()
    rng = np.random.default_rng(2)
    answered = 0
    for _ in range(40):
        values = {name: x + rng.uniform(-0.5, 0.5) for name, x in names.items()}
        y = model.y0 + rng.uniform(-0.5, 0.5, 2)
        found = traced.evaluate(y=y, u=np.array(list(values.values())))["y_dot"]
        if np.isnan(found[1]):
            continue
        system = ce.System(gravity=(0.5, -9.81, 0.3))
        A, D, F, G = map(Points(values.__getitem__, names), "ADFG")
        linkage = FourBar(A, D, F, G, Z)
        coms = (0.5 * (A + D), 0.5 * (D + F), 0.5 * (F + G))
        for joint, com in zip(linkage.joints(), coms, strict=True):
            add(system, joint.body, joint.carrier, joint.hinge, com)
        linkage.close(system)
        expected = ce.compile(system).trace_dynamics().evaluate(y=y, u=np.zeros(0))["y_dot"]
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
        answered += 1
    assert answered > 10


def turned(v: Numbers, angle: Any) -> Any:
    """The coupler's pin at crank angles (…), for hardpoints v: (…, 2)."""
    ax, ay, dx, dy = (v[name] for name in ("A.x", "A.y", "D.x", "D.y"))
    x, y = dx - ax, dy - ay
    c, s = np.cos(angle), np.sin(angle)
    return np.stack((ax + c * x - s * y, ay + s * x + c * y), axis=-1)


def margin(v: Numbers, angles: Any) -> float:
    """Return the least distance of a four-bar from its dead centres over some crank angles [m].

    Coupler and rocker, b and c long, end in pins that must be between |b − c| and b + c apart.
    """
    F, G = (np.array((v[f"{name}.x"], v[f"{name}.y"])) for name in "FG")
    b, c = np.linalg.norm(F - turned(v, 0.0)), np.linalg.norm(F - G)
    apart = np.linalg.norm(turned(v, angles) - G, axis=-1)
    return float(min(np.min(b + c - apart), np.min(apart - abs(b - c))))


def pin_of_rocker(v: Numbers, angle: float) -> Any:
    """Return the intersection of two circles on the side of the design pose."""
    F, G = (np.array((v[f"{name}.x"], v[f"{name}.y"])) for name in "FG")
    start, D = turned(v, 0.0), turned(v, angle)
    b, c, d = np.linalg.norm(F - start), np.linalg.norm(F - G), np.linalg.norm(G - D)
    e = (G - D) / d
    along = (b * b - c * c + d * d) / (2.0 * d)
    side = np.sign((G - start)[0] * (F - start)[1] - (G - start)[1] * (F - start)[0])
    return D + along * e + side * np.sqrt(b * b - along * along) * np.array((-e[1], e[0]))


@pytest.mark.parametrize(
    "nominal",
    ["A = 0 0, D = 0.2 0.3, F = 1.1 0.8, G = 1.2 -0.1", "A = 0 0, D = -0.2 0.9, F = 1.1 0.4, G = 1.2 -0.1"],
)
def test_other_hardpoints_are_reached_round_either_side(
    nominal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever turns from its own design pose without a dead centre is answered, the rest is refused.

    The second mechanism turns by 1.4 rad only with its nominal hardpoints, but whole turns with others.
    """
    names = numbers(nominal)
    monkeypatch.setitem(MECHANISMS, "four-bar", (four_bar, names))
    system = ce.System()
    parameters = {name: system.add_parameter(Parameter(name, x)) for name, x in names.items()}
    built("four-bar", parameters.__getitem__, system)
    F, rocker = Points(parameters.__getitem__, names)("F"), system.find("rocker")

    def pin(k: int) -> Callable[[Any], Any]:
        return lambda observer: observer.point(rocker, F, system.ground).r[k]

    for k in range(2):
        system.add_output(f"{k}", "m", pin(k))
    model = ce.compile(system)
    traced = model.trace("observation", model.observe)
    rng = np.random.default_rng(11)
    seen = {"straight": 0, "round": 0, "never": 0}
    for _ in range(600):
        v = {name: x + rng.uniform(-0.3, 0.3) for name, x in names.items()}
        angle = rng.uniform(-np.pi, np.pi)
        ways = [margin(v, np.linspace(0.0, a, 500)) for a in (angle, angle - np.sign(angle) * 2.0 * np.pi)]
        near_dead_centre = margin(v, angle) < 0.02 or -0.01 < max(ways) < 0.08
        if near_dead_centre or (ways[0] > 0.0 and seen["straight"] == 30):
            continue
        found = traced.evaluate(y=np.array((angle, 0.0)), u=np.array(list(v.values())))["outputs"][:2]
        if max(ways) < 0.0:
            assert np.isnan(found).all()
            seen["never"] += 1
            continue
        # Newton's steps end at rounding of lengths of 1; 0.02 m from a dead centre that counts tenfold
        np.testing.assert_allclose(found, pin_of_rocker(v, angle), rtol=0.0, atol=1e-13)
        seen["straight" if ways[0] > 0.0 else "round"] += 1
    assert seen["straight"] == 30
    assert seen["round"] > 0


def test_geometry_that_cannot_be_assembled_is_nan() -> None:
    model = free_model("slider with a rod of given length")
    y = model.y0
    assert np.all(np.isfinite(model.dynamics(y, model.inputs_with({"length": 0.5}))[0]))
    assert np.isnan(model.dynamics(y, model.inputs_with({"length": 0.05}))[0]).any()
    runs = ce.simulate_ensemble(model, parameters={"length": [0.75, 0.05]}, duration=0.01)
    assert list(runs["status"].values) == ["completed", "failed"]
    failure = str(runs["failure"].values[1])
    assert "can be assembled" in failure
    assert "for 'crank' with the nominal hardpoints; it is led to others in 24 substeps" in failure


def test_free_masses_do_not_make_geometry_free() -> None:
    """They leave the look-up and the two Newton steps of a loop as they are."""
    names = MECHANISMS["four-bar"][1]
    plain = ce.compile(built("four-bar", names.__getitem__))
    system = built("four-bar", names.__getitem__)
    mass: Any = system.add_parameter(Parameter("mass", 1.0, "kg"))
    system.add_body("load", mass=mass, com=(1, 1, 0), parent="rocker", hinge=ce.Revolute(Z, (1.1, 0.8, 0)))
    extra = ce.compile(system).trace_dynamics().n_instructions
    assert extra < plain.trace_dynamics().n_instructions + 400
    assert free_model("four-bar").trace_dynamics().n_instructions > extra


def test_a_path_coordinate_refuses_free_geometry() -> None:
    system = ce.System()
    x: Any = system.add_parameter(Parameter("x", 1.1))
    names = MECHANISMS["four-bar"][1]
    A, D, F, G = map(Points(lambda n: x if n == "F.x" else names[n], names), "ADFG")
    add(system, "crank", "ground", ce.Revolute(Z, A), 0.5 * (A + D))
    add(system, "coupler", "crank", ce.Revolute(Z, D), 0.5 * (D + F))
    add(system, "rocker", "ground", ce.Revolute(Z, G), 0.5 * (F + G))
    system.close_loop("pin", "coupler", "rocker", ce.Revolute(Z, F), through_dead_centres=True)
    with pytest.raises(ModelError, match="depends on free parameters"):
        ce.compile(system)


def test_copies_on_the_way() -> None:
    p: Any = Parameter("p", 2.0)
    hinge = ce.Revolute((0, 0, 1), at=(p, 3.0 * p, 0.0))
    assert to_nominal(hinge).at.tolist() == [2.0, 6.0, 0.0]
    assert interpolate_parameters(hinge, 1.0) is hinge
    np.testing.assert_array_equal(
        values_at(interpolate_parameters(hinge, 0.25).at, (p,), [4.0]), [2.5, 7.5, 0.0]
    )
    plain = ce.Revolute((0, 0, 1), at=(1, 2, 3))
    assert to_nominal(plain) is plain
    pair = to_nominal((hinge, hinge))
    assert pair[0] is pair[1]
