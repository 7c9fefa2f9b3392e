"""Linkages given by loop equations: the search for closed forms, their use in systems, and mistakes."""

import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp

import ce_dynamics as ce
from ce_dynamics.augmented import FullyAugmented, compute_accelerations
from ce_dynamics.embedding.motion import HingeMotion, SubgraphMotion
from ce_dynamics.kinematics import ClosedForm, Cut, FourBar, Joint, SymbolicLinkage
from ce_dynamics.kinematics.checking import check_linkage
from tests.kinematics.symbolic import cases
from tests.kinematics.symbolic.cases import CRANK_ROCKER, Z, phi, pin, psi, theta, x

CIRCLES = "intersection of circles"


@pytest.mark.parametrize(
    ("build", "patterns"),
    [
        (cases.four_bar, [f"psi: {CIRCLES}, A cos + B sin = C", "phi: end of the bar"]),
        (cases.serial_four_bar, [f"psi: {CIRCLES}, A cos + B sin = C", "phi: end of the bar"]),
        (cases.slider_crank, ["phi: A cos + B sin = C", "x: linear"]),
        (cases.inverted_slider_crank, [f"x: {CIRCLES}, quadratic", "psi: end of the bar"]),
        (cases.rssr, ["psi: A cos + B sin = C"]),
    ],
)
def test_closed_forms_are_found(build: Callable[[], SymbolicLinkage], patterns: list[str]) -> None:
    assert list(build().closed_form) == patterns


def test_one_loop_after_the_other() -> None:
    """Six bars: the first loop's rocker leads the second loop."""
    linkage = cases.six_bar()
    assert [line.split(":")[0] for line in linkage.closed_form] == ["psi", "phi", "eta", "x"]
    check_linkage(linkage, {"crank": (-3.0, 3.0)}, samples=5)


def test_X_is_that_of_the_paper() -> None:
    """Four-bar with absolute angles: p = b sin(θ − θ4) / (c sin(θ3 − θ4)) (27), and q likewise."""
    b, c, d = sp.symbols("b c d", positive=True)
    joints = [Joint(name, "ground", pin((0.0, 0.0))) for name in ("one", "two", "three")]
    values = {b: 1.0, c: 2.0, d: 3.0}
    linkage = SymbolicLinkage(
        joints,
        {theta: "one", phi: "two", psi: "three"},
        [
            b * (sp.cos(theta) - 1) - c * (sp.cos(phi) - 1) - d * (sp.cos(psi + 1) - sp.cos(1)),
            b * sp.sin(theta) - c * sp.sin(phi) - d * (sp.sin(psi + 1) - sp.sin(1)),
        ],
        "one",
        parameters=values,
    )  # fmt: skip
    p = b * sp.sin(theta - psi - 1) / (c * sp.sin(phi - psi - 1))
    q = b * sp.sin(theta - phi) / (d * sp.sin(psi + 1 - phi))
    rng = np.random.default_rng(0)
    for _ in range(3):
        point = dict(zip((theta, phi, psi), rng.uniform(-3, 3, 3), strict=True)) | values
        found = [float(entry.subs(point)) for entry in linkage.X]
        assert found == pytest.approx([float(p.subs(point)), float(q.subs(point))], rel=1e-10)


def answers(linkage: ClosedForm, q: float, v: float) -> dict[str, HingeMotion]:
    from ce_dynamics.kinematics.checking import BenchState, LinkageBench

    bench = LinkageBench(linkage, {"crank": (-1.0, 1.0)})
    return bench.motion(BenchState(np.array((q,)), np.array((v,)), np.zeros(3))).hinge_motions


@pytest.mark.parametrize("q", [-2.5, 0.0, 1.3])
def test_four_bar_by_equations_is_one_by_hand(q: float) -> None:
    A, D, F, G = ((*p, 0.0) for p in CRANK_ROCKER)
    by_hand, by_equations = answers(FourBar(A, D, F, G, Z), q, 1.7), answers(cases.serial_four_bar(), q, 1.7)
    for name in ("coupler", "rocker"):
        for one, other in zip(by_hand[name][:4], by_equations[name][:4], strict=True):
            np.testing.assert_allclose(other, one, rtol=0.0, atol=1e-12 * max(1.0, np.abs(one).max()))


def accelerations_agree(system: ce.System, q: list[float], v: list[float]) -> None:
    """With free bodies held together by closures (and written couplings): nothing of the linkage."""
    model = ce.compile(system)
    embedding, full = model.embedding, FullyAugmented(system)
    state = np.array(q), np.array(v), np.zeros(0)
    y = full.state_from_embedded(embedding, *state)
    assert np.max(np.abs(full.at(y).constraints.g.astype(float))) < 1e-12
    expected = full.accelerations(y).V_dot.reshape(-1, 6)
    found = compute_accelerations(embedding, *state, np.zeros(0))
    for body, a in zip(system.bodies, expected, strict=True):
        np.testing.assert_allclose(found[body.name], a, rtol=0.0, atol=1e-9 * max(1.0, np.abs(a).max()))
    compiled = model.accelerations(q, v)
    np.testing.assert_allclose(compiled, model.instant(np.array([*q, *v]), model.u0).accelerations.v_dot)


def built(linkage: SymbolicLinkage, *offset: float) -> ce.System:
    s = ce.System(gravity=(0.3, -9.81, 0.1))
    for name, carrier, hinge in linkage.joints():
        com = hinge.at + np.array(offset or (0.1, 0.05, 0.02))
        s.add_body(name, mass=1.1, com=com, inertia=(0.03, 0.02, 0.04), parent=carrier, hinge=hinge)
    linkage.close(s)
    return s


@pytest.mark.parametrize("build", [cases.slider_crank, cases.inverted_slider_crank, cases.rssr])
def test_linkages_by_equations_agree_with_free_bodies(build: Callable[[], SymbolicLinkage]) -> None:
    accelerations_agree(built(build()), [0.6], [2.0])


def test_a_prescribed_crank_drives_a_linkage_by_equations() -> None:
    """Nothing is independent: η and its derivative are all there is."""
    s = built(cases.inverted_slider_crank())
    for name, value in (("turn", 0.5), ("turn_rate", 2.0), ("turn_acceleration", -3.0)):
        s.add_input(name, "rad", value)
    s.prescribe("crank", ce.Driven("turn"))
    model, full = ce.compile(s), FullyAugmented(s)
    nothing = np.zeros(0)
    y = full.state_from_embedded(model.embedding, nothing, nothing, nothing, model.u0)
    expected = full.accelerations(y, model.u0).V_dot.reshape(-1, 6)
    found = compute_accelerations(model.embedding, nothing, nothing, nothing, model.u0)
    for body, a in zip(s.bodies, expected, strict=True):
        np.testing.assert_allclose(found[body.name], a, rtol=0.0, atol=1e-9 * max(1.0, np.abs(a).max()))


def cam() -> SymbolicLinkage:
    """A follower on a disc cam, and a wheel that turns by a polynomial law: no closure but the equations."""
    rise = sp.Symbol("rise")
    return SymbolicLinkage(
        joints=(
            Joint("cam", "ground", pin((0.0, 0.0))),
            Joint("follower", "ground", ce.Prismatic((0, 1, 0))),
            Joint("dial", "ground", pin((1.0, 0.0))),
        ),
        coordinates={theta: "cam", x: "follower", psi: "dial"},
        equations=[x - rise * (1 - sp.cos(2 * theta)), psi - theta**2 / 3 + theta / 5 - 4 * x],
        independent="cam",
        parameters={rise: 0.02},
    )


def test_cam_by_its_lift_curve() -> None:
    linkage = cam()
    assert linkage.closed_form == ("x: linear", "psi: linear")
    check_linkage(linkage, {"cam": (-1.5, 1.5)})
    accelerations_agree(built(linkage), [0.6], [2.0])


def geneva(n: int = 4) -> SymbolicLinkage:
    """A Geneva wheel with n slots while the driver's pin is in one: tan ψ = r sin θ / (d − r cos θ)."""
    d, r = 1.0, float(np.sin(np.pi / n))
    return SymbolicLinkage(
        joints=(Joint("driver", "ground", pin((0.0, 0.0))), Joint("wheel", "ground", pin((d, 0.0)))),
        coordinates={theta: "driver", psi: "wheel"},
        equations=[sp.tan(psi) * (d - r * sp.cos(theta)) + r * sp.sin(theta)],
        independent="driver",
    )


def test_geneva_wheel() -> None:
    """It leaves the slot after a quarter turn of the driver, the wheel an eighth on, and at rest."""
    linkage = geneva()
    check_linkage(linkage, {"driver": (-0.7, 0.7)})
    model = ce.compile(built(linkage))
    outward = model.instant(np.array((np.pi / 4, 1.0)), model.u0).outward
    assert outward.coordinate(model.system.find("wheel")) == pytest.approx(-np.pi / 4, abs=1e-12)
    assert outward.rate(model.system.find("wheel")) == pytest.approx(0.0, abs=1e-12)
    accelerations_agree(model.system, [0.3], [2.0])


def test_several_independent_coordinates() -> None:
    """A five-bar: two cranks are given, the pin of its two bars follows."""
    A, B, C, D, E = (0.0, 0.0), (0.0, 0.4), (0.5, 1.0), (1.0, 0.3), (1.0, 0.0)
    turn = cases.plane_turned
    eta = sp.Symbol("eta", real=True)

    def minus(p: tuple[float, float], q: tuple[float, float]) -> sp.Matrix:
        return sp.Matrix(np.subtract(p, q))

    left = sp.Matrix(A) + turn(theta, minus(B, A)) + turn(theta + phi, minus(C, B))
    right = sp.Matrix(E) + turn(psi, minus(D, E)) + turn(psi + eta, minus(C, D))
    linkage = SymbolicLinkage(
        joints=(
            Joint("left", "ground", pin(A)),
            Joint("left_bar", "left", pin(B)),
            Joint("right", "ground", pin(E)),
            Joint("right_bar", "right", pin(D)),
        ),
        coordinates={theta: "left", phi: "left_bar", psi: "right", eta: "right_bar"},
        equations=[left - right],
        independent=("left", "right"),
        cuts=(Cut("pin", "left_bar", "right_bar", pin(C)),),
    )
    assert len(linkage.closed_form) == 2
    assert linkage.closes == ("pin",)  # from which systems find the superfluous closures
    check_linkage(linkage, {"left": (-0.3, 0.3), "right": (-0.3, 0.3)})
    accelerations_agree(built(linkage), [0.2, -0.1], [1.0, 2.0])


def test_equations_without_closed_form_are_solved_numerically() -> None:
    """Kepler's equation: the mean anomaly drives the eccentric one."""
    linkage = SymbolicLinkage(
        joints=(Joint("mean", "ground", pin((0.0, 0.0))), Joint("body", "ground", pin((0.0, 0.0)))),
        coordinates={theta: "mean", psi: "body"},
        equations=[psi - sp.Rational(3, 10) * sp.sin(psi) - theta],
        independent="mean",
    )
    assert linkage.closed_form == ()
    assert linkage.closes == linkage.equation_names != ()
    model = ce.compile(built(linkage))
    q = 0.8
    exact = float(sp.nsolve(psi - 0.3 * sp.sin(psi) - q, psi, 0.8))
    outward = model.instant(np.array((q, 1.3)), model.u0).outward
    body = model.system.find("body")
    assert outward.coordinate(body) == pytest.approx(exact, abs=1e-13)
    assert outward.rate(body) == pytest.approx(1.3 / (1.0 - 0.3 * np.cos(exact)), rel=1e-12)
    accelerations_agree(model.system, [q], [1.3])


def test_sympy_solves_what_no_pattern_fits() -> None:
    """A cubic spring-like law x + x³ = sin θ: one real root near zero, by Cardano's formula."""
    y = sp.Symbol("y", real=True)
    linkage = SymbolicLinkage(
        joints=(
            Joint("crank", "ground", pin((0.0, 0.0))),
            Joint("piston", "ground", ce.Prismatic((1, 0, 0))),
        ),
        coordinates={theta: "crank", y: "piston"},
        equations=[sp.exp(2 * y) - 1 - sp.sin(theta) / 2],
        independent="crank",
    )
    assert linkage.closed_form == ("y: sympy.solve",)
    check_linkage(linkage, {"crank": (-1.0, 1.0)})


def test_what_is_linear_is_put_into_the_others() -> None:
    """x + y = sin θ and x² + 3 x = 2 y: neither has one unknown, together they are a quadratic equation."""
    y = sp.Symbol("y", real=True)
    linkage = SymbolicLinkage(
        joints=(
            Joint("crank", "ground", pin((0.0, 0.0))),
            Joint("first", "ground", ce.Prismatic((1, 0, 0))),
            Joint("second", "ground", ce.Prismatic((1, 0, 0))),
        ),
        coordinates={theta: "crank", x: "first", y: "second"},
        equations=[x + y - sp.sin(theta), x**2 + 3 * x - 2 * y],
        independent="crank",
    )
    assert len(linkage.closed_form) == 2
    assert any(line.endswith(": linear") for line in linkage.closed_form)
    check_linkage(linkage, {"crank": (-1.0, 1.0)})
    found = answers_of(linkage, 0.6)
    assert found["first"] + found["second"] == pytest.approx(np.sin(0.6), abs=1e-14)
    assert found["first"] ** 2 + 3.0 * found["first"] == pytest.approx(2.0 * found["second"], abs=1e-14)


def answers_of(linkage: ClosedForm, q: float) -> dict[str, float]:
    return {name: float(motion.c[0]) for name, motion in answers(linkage, q, 1.0).items()}


# Mistakes


def wrong_rod() -> SymbolicLinkage:
    """A four-bar whose second equation forgets the offset of the coupler's pin."""
    right = cases.four_bar()
    first, second = right.equations
    return SymbolicLinkage(
        right.joints(),
        {theta: "crank", phi: "coupler", psi: "rocker"},
        [first, second + sp.sin(phi) / 50],
        "crank",
        right.cuts(),
    )


@pytest.mark.parametrize("scale", [1e-9, 1e4])
def test_size_does_not_matter(scale: float) -> None:
    """Angles of similar figures are equal; equations are accepted whatever their unit of length is."""
    points = tuple((scale * x, scale * y) for x, y in cases.CRANK_ROCKER)
    found, expected = answers_of(cases.four_bar(points), 0.7), answers_of(cases.four_bar(), 0.7)
    assert found == pytest.approx(expected, rel=0.0, abs=1e-13)


def test_equation_other_than_closures_is_named() -> None:
    with pytest.raises(ce.ModelError, match=r"equation 2, .* is -?\d.* where the closures \['pin'\] hold"):
        wrong_rod()


def test_mistakes_are_named() -> None:
    joints = (Joint("crank", "ground", pin((0.0, 0.0))), Joint("piston", "ground", ce.Prismatic((1, 0, 0))))
    meaning = {theta: "crank", x: "piston"}
    a = sp.Symbol("a")

    def build(equations: list[sp.Expr], **changed: object) -> SymbolicLinkage:
        arguments = {"coordinates": meaning, "independent": "crank"} | changed
        return SymbolicLinkage(joints, equations=equations, **arguments)  # type: ignore[arg-type]

    with pytest.raises(ce.ModelError, match=r"equation 1, .* is -1 in the design pose"):
        build([x - sp.cos(theta)])
    with pytest.raises(ce.ModelError, match=r"equation 1 contains \['a'\]"):
        build([x - a * sp.sin(theta)])
    with pytest.raises(ce.ModelError, match="2 equations for 1 dependent"):
        build([x - sp.sin(theta), x])
    with pytest.raises(ce.ModelError, match="parameter a nan must be"):
        build([x - a * sp.sin(theta)], parameters={a: float("nan")})
    with pytest.raises(ce.ModelError, match="'rod', which is no body"):
        build([x], coordinates=meaning | {phi: "rod"})
    with pytest.raises(ce.ModelError, match=r"\['piston\[0\]'\] have no symbol"):
        build([theta], coordinates={theta: "crank"})
    with pytest.raises(ce.ModelError, match="do not determine"):
        build([x**2 - sp.sin(theta)])
    with pytest.raises(ce.ModelError, match="gamma"):
        build([x - sp.gamma(theta + 1) + 1])


class Halved(ClosedForm):
    """A linkage whose bias is forgotten by half: what a wrong derivation looks like."""

    def __init__(self) -> None:
        self.right = cases.four_bar()
        self.independent, self.determines, self.closes = "crank", self.right.determines, self.right.closes

    def joints(self) -> tuple[Joint, ...]:
        return self.right.joints()

    def cuts(self) -> tuple[Cut, ...]:
        return self.right.cuts()

    def solve(self, motion: SubgraphMotion) -> None:
        self.right.solve(motion)
        rocker = motion.hinge_motions["rocker"]
        motion.set("rocker", rocker._replace(bias=0.5 * rocker.bias))


def test_the_checker_finds_a_wrong_bias() -> None:
    check_linkage(cases.four_bar(), {"crank": (-1.0, 1.0)}, samples=3)
    with pytest.raises(ce.ModelError, match=r"closure_acceleration is wrong by"):
        check_linkage(Halved(), {"crank": (-1.0, 1.0)}, samples=3)


def test_sympy_is_not_loaded_with_the_package() -> None:
    """It takes longer to load than everything else together."""
    program = "import sys, ce_dynamics.kinematics; sys.exit('sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
