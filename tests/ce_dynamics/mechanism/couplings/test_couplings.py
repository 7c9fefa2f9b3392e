"""Gears, racks, differentials, cams and written constraints: embedded, against references and by hand."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import array, cos, sin
from ce_dynamics.augmented import FullyAugmented, TreeAugmented, simulate_dae
from ce_dynamics.compiler.fingerprint import content_key
from ce_dynamics.embedding.couplings_solved import CoupledHinges
from ce_dynamics.embedding.numeric.linkage import NumericLinkage
from ce_dynamics.errors import AssemblyError
from ce_dynamics.mechanism.couplings import ConstraintView, Coupled
from ce_dynamics.mechanism.system import System
from tests.support.augmented import assert_agrees
from tests.support.elements import HingeInput

Z = (0.0, 0.0, 1.0)


def wheel(s: System, name: str, J: float, x: float = 0.0, parent: str = "ground", com_y: float = 0.0) -> None:
    hinge = ce.Revolute(Z, (x, 0.0, 0.0))
    s.add_body(name, mass=1.0, com=(x, com_y, 0.0), inertia=(J, J, J), parent=parent, hinge=hinge)


def slider(s: System, name: str, axis: tuple[float, float, float], mass: float = 1.0) -> None:
    hinge = ce.Prismatic(axis)
    s.add_body(name, mass=mass, inertia=(0.1, 0.1, 0.1), parent=s.ground, hinge=hinge)


def linkages(model: ce.Model) -> list[str]:
    return [type(link).__name__ for S in model.embedding.aggregates for link in S.linkages]


# Figures by hand


def test_gear_train_has_the_inertias_times_squared_ratios() -> None:
    s = ce.System(gravity=(0, 0, 0))
    inertias, ratios = (1e-4, 3e-3, 2e-3, 0.05), (-18 / 47, -1.0, math.pi / 7)
    for k, J in enumerate(inertias):
        wheel(s, f"w{k}", J, 0.1 * k)
    for k, ratio in enumerate(ratios):
        s.couple(f"mesh{k}", (f"w{k}", f"w{k + 1}"), ce.Gear(ratio))
    model = ce.compile(s)
    assert [entry.name for entry in model.layout.q] == ["w0"]
    assert linkages(model) == ["CoupledHinges"]
    total = np.cumprod((1.0, *ratios))
    assert model.mass_matrix([0.3]) == pytest.approx(np.sum(inertias * total**2), rel=1e-14)


def test_couplings_without_offset_cost_no_bias() -> None:
    """X_S of a gear is constant: its acceleration has no velocity-dependent part, exactly."""
    s = ce.System(gravity=(0, 0, 0))
    wheel(s, "a", 1.0)
    wheel(s, "b", 2.0, 0.1)
    s.couple("mesh", ("a", "b"), ce.Gear(-0.7))
    model = ce.compile(s)
    hinge = model.instant(np.array((0.3, 5.0)), model.u0).outward.motions["a"].hinge_motions["b"]
    assert hinge.X.tolist() == [[-0.7]]
    assert hinge.eta.tolist() == hinge.bias.tolist() == [0.0]


def test_winch_lifts_by_torque_over_radius() -> None:
    s = ce.System()
    wheel(s, "drum", 0.02)
    slider(s, "load", Z, mass=8.0)
    s.couple("rope", ("drum", "load"), ce.RackAndPinion(radius=0.05))
    s.add_input("torque", "N m")
    s.add_force(HingeInput("motor", s.find("drum"), "torque"))
    model = ce.compile(s)
    acceleration = model.accelerations([300.0], [1.0], u=[5.0])[0]
    assert acceleration == pytest.approx((5.0 - 8.0 * 9.81 * 0.05) / (0.02 + 8.0 * 0.05**2), rel=1e-13)
    reaction = model.reactions(np.array((300.0, 1.0)), u=np.array((5.0,)))
    rope = 8.0 * (9.81 + 0.05 * acceleration)
    assert reaction.closures["rope"].along == pytest.approx((-0.05 * rope, rope), rel=1e-12)
    assert reaction.closures["rope"].force == pytest.approx((0.0, 0.0, rope), rel=1e-12)
    assert reaction.hinges["drum"].along == pytest.approx([5.0 - 0.05 * rope], rel=1e-12)


def planetary(held: str | None) -> System:
    """Sun 20, planets 16, ring 52 teeth; the planet turns on the carrier."""
    s = ce.System(gravity=(0, 0, 0))
    for name, J in (("sun", 0.01), ("ring", 0.2), ("carrier", 0.05)):
        wheel(s, name, J)
    wheel(s, "planet", 0.003, 0.18, "carrier")
    # velocities at the meshes, in the carrier's frame: z_s (s − c) = −z_p p, z_p p = z_r (r − c)
    s.couple("sun mesh", ("sun", "carrier", "planet"), ce.LinearCoupling((20.0, -20.0, 16.0)))
    s.couple("ring mesh", ("ring", "carrier", "planet"), ce.LinearCoupling((52.0, -52.0, -16.0)))
    if held:
        s.prescribe(held, ce.Held(0.0))
    return s


def test_planetary_gear_with_held_ring() -> None:
    """Willis: the sun turns 1 + 52/20 times per turn of the carrier, the planet −52/16 relative to it."""
    model = ce.compile(planetary("ring"))
    assert linkages(model) == ["CoupledHinges"]
    (free,) = model.layout.q
    sun, planet = 1.0 + 52 / 20, -52 / 16
    about_axis = 0.05 + 0.003 * (1.0 + planet) ** 2 + 1.0 * 0.18**2  # planet: spin 1 + p, mass 1 at 0.18
    J = (about_axis + 0.01 * sun**2) * {"sun": sun**-2, "carrier": 1.0, "planet": planet**-2}[free.name]
    assert model.mass_matrix([0.7])[0, 0] == pytest.approx(J, rel=1e-13)


def test_planetary_gear_has_mass_matrix_of_differential() -> None:
    s = planetary(None)
    model = ce.compile(s)
    assert len(model.layout.v) == 2
    compare(s, seed=1)


def test_simultaneous_linear_couplings_are_eliminated_together() -> None:
    """b + c = 3 a and b − c = a need elimination: b = 2 a, c = a."""
    s = ce.System(gravity=(0, 0, 0))
    for name, J in (("a", 1.0), ("b", 2.0), ("c", 5.0)):
        wheel(s, name, J)
    s.couple("sum", ("a", "b", "c"), ce.LinearCoupling((3.0, -1.0, -1.0), 0.5), independent=["a"])
    s.couple("difference", ("b", "c", "a"), ce.LinearCoupling((1.0, -1.0, -1.0)))
    model = ce.compile(s)
    assert linkages(model) == ["CoupledHinges"]
    assert model.mass_matrix([0.0])[0, 0] == pytest.approx(1.0 + 4.0 * 2.0 + 5.0, rel=1e-13)
    outward = model.instant(np.array((100.0, 0.0)), model.u0).outward
    assert outward.coordinate(s.find("b")) == pytest.approx(200.0 - 0.25, rel=1e-14)


def test_turns_are_counted_without_jumps() -> None:
    """A wheel geared by an irrational ratio is where it must be after hundreds of turns."""
    s = ce.System(gravity=(0, 0, 0))
    wheel(s, "a", 1.0)
    wheel(s, "b", 1.0, 0.2, com_y=0.1)
    ratio = -math.sqrt(2.0) / 3.0
    s.couple("mesh", ("a", "b"), ce.Gear(ratio, offset=0.4))
    model = ce.compile(s)
    y = np.array((1234.5, 0.0))
    outward = model.instant(y, model.u0).outward
    x = outward.point(s.find("b"), np.array((0.2, 0.1, 0.0)), s.ground).r[0]
    assert x == pytest.approx(0.2 - 0.1 * math.sin(1234.5 * ratio + 0.4), abs=1e-12)
    assert outward.coordinate(s.find("b")) == pytest.approx(1234.5 * ratio + 0.4, rel=1e-15)
    assert outward.rate(s.find("b")) == 0.0


# Against the augmented references


def compare(s: System, seed: int = 0, amplitude: float = 0.3, tolerance: float = 1e-9) -> None:
    """Accelerations, also of the cut tree, and reactions in a random state.

    The references solve for constraint forces in double precision: 1e-9 of the largest acceleration leaves
    them a condition number of 1e6, which no mechanism here exceeds.
    """
    rng = np.random.default_rng(seed)
    model = ce.compile(s)
    e = model.embedding
    q = model.y0[: e.n_q] + amplitude * rng.uniform(-1, 1, e.n_q)
    v, u = rng.uniform(-2, 2, e.n_v), model.u0 + rng.uniform(-0.2, 0.2, len(model.u0))
    x = model.layout.split(model.y0)[2]
    full, _ = assert_agrees(e, q, v, x, u, relative=tolerance, closed=1e-11, tree=True)
    assert_reactions_agree(model, full, q, v, x, u)


def assert_reactions_agree(model: ce.Model, full: FullyAugmented, q: Any, v: Any, x: Any, u: Any) -> None:
    """Hinge reactions are those of the free bodies, whose hinges do not carry the couplings' forces.

    Least-norm multipliers of redundant rows differ between the formulations; there they are not compared.
    """
    y = full.state_from_embedded(model.embedding, q, v, x, u)
    if len(full.redundancy(y, u).kept) < full.n_g:
        return
    ours = model.reactions(np.concatenate((q, v, x)), u=u)
    theirs = full.reactions(y, u)
    size = max(1.0, max(float(np.max(np.abs(w))) for w in theirs.values()))
    coupled = {c.name: c for c in full.couplings if isinstance(c, Coupled)}
    multipliers = dict(zip(full.row_names, full.accelerations(y, u).multipliers, strict=True))
    outward = model.instant(np.concatenate((q, v, x)), u).outward
    for name, edge in coupled.items():
        at = array(outward.coordinate(body, k) for body, k in edge.coordinates)
        h = 1e-6 * np.eye(len(at))
        phi = edge.coupling.residual
        gradient = [(phi(at + step) - phi(at - step)) / 2e-6 for step in h]
        forces = multipliers[name] * np.array(gradient)
        assert ours.closures[name].along == pytest.approx(forces, rel=1e-7, abs=1e-8 * size), name
    touched = {body.name for c in coupled.values() for body in c.bodies} | set(model.system.prescribed)
    touched |= {body.name for c in full.couplings for body in getattr(c, "hinged", ())}
    for body in model.system.bodies:
        mine = ours.hinges[body.name]
        if body.name not in touched and f"hinge of {body.name}" in theirs:
            wrench = np.concatenate((mine.torque, mine.force))
            expected = theirs[f"hinge of {body.name}"]
            assert wrench == pytest.approx(expected, rel=0, abs=1e-8 * size), body.name


def arm(s: System, name: str, parent: str, hinge: ce.Hinge, offset: tuple[float, float, float]) -> None:
    com = hinge.at + np.array(offset)
    s.add_body(name, mass=1.2, com=com, inertia=(0.05, 0.07, 0.06), parent=parent, hinge=hinge)


def spatial_tree() -> System:
    """Six moving bodies on skew hinges of several kinds, two of them on a body that flies freely."""
    s = ce.System(gravity=(0.5, -1.0, -9.81))
    arm(s, "base", "ground", ce.Free(), (0.0, 0.0, 0.0))
    arm(s, "a", "base", ce.Revolute((1.0, 0.2, 0.1), (0.3, 0.0, 0.1)), (0.2, 0.1, 0.0))
    arm(s, "b", "base", ce.Revolute((0.1, -0.3, 1.0), (0.0, 0.4, 0.0)), (0.1, 0.2, 0.1))
    arm(s, "c", "b", ce.Prismatic((0.3, 1.0, -0.2), (0.1, 0.6, 0.0)), (0.0, 0.1, 0.2))
    arm(s, "d", "a", ce.Screw((0.0, 0.2, 1.0), 0.3, (0.5, 0.2, 0.1)), (0.1, 0.1, 0.1))
    arm(s, "e", "c", ce.Cylindrical((1.0, 0.0, 0.4), (0.0, 0.8, 0.1)), (0.1, 0.0, 0.1))
    arm(s, "f", "base", ce.Universal((1.0, 0.1, 0.0), (0.0, 1.0, 0.2), (-0.3, 0.0, 0.2)), (0.1, 0.2, 0.3))
    return s


def cam(angle: Any) -> Any:
    return 0.2 * sin(angle) + 0.1 * (1.0 - cos(2.0 * angle))


COUPLINGS: dict[str, Callable[[System], None]] = {
    "gear": lambda s: add(s, ("a", "b"), ce.Gear(-0.6)),
    "gear across levels": lambda s: add(s, ("a", "d"), ce.Gear(1.7)),
    "rack": lambda s: add(s, ("b", "c"), ce.RackAndPinion(0.23)),
    "gear with offset": lambda s: add(s, ("a", "b"), ce.Gear(0.9, offset=0.2)),
    "differential": lambda s: add(s, ("a", "b", "d"), ce.LinearCoupling((1.0, -2.0, 0.7))),
    "two of them": lambda s: two(s),
    "coordinate of several": lambda s: add(s, (("e", 0), ("f", 1), "a"), ce.LinearCoupling((1.0, 0.5, -1.2))),
    "polynomial": lambda s: add(s, ("a", "c"), ce.PolynomialCoupling((0.1, 0.5, -0.7, 0.3), (0.1, 0.1))),
    "cam": lambda s: add(s, ("b", "d"), ce.FunctionCoupling(cam)),
    "implicit": lambda s: add(s, ("a", "d"), ce.ImplicitCoupling(lambda a, d: sin(d) + 0.3 * d - cam(a))),
    "implicit of three": lambda s: add(s, ("a", "b", "c"), ce.ImplicitCoupling(three)),
}


def two(s: System) -> None:
    add(s, ("a", "b"), ce.Gear(0.5))
    add(s, ("b", "c"), ce.Gear(-0.4))


def three(a: Any, b: Any, c: Any) -> Any:
    return c + c**3 - 0.4 * sin(a) * cos(b) - 0.2 * b


def add(s: System, coordinates: Any, coupling: ce.Coupling) -> None:
    s.couple(f"coupling {len(s.closures)}", coordinates, coupling)


@pytest.mark.parametrize("name", COUPLINGS)
def test_spatial_systems_agree_with_both_references(name: str) -> None:
    s = spatial_tree()
    COUPLINGS[name](s)
    compare(s, seed=len(name))


@pytest.mark.parametrize("seed", range(6))
def test_random_linear_couplings_agree_with_both_references(seed: int) -> None:
    """Some hinges coupled at random, one prescribed: whatever the roles turn out to be."""
    rng = np.random.default_rng(seed)
    s = spatial_tree()
    s.add_input("way", "rad", 0.1)
    s.add_input("way_rate", "rad/s", 0.7)
    s.add_input("way_acceleration", "rad/s²", -0.4)
    s.prescribe(str(rng.choice(["a", "b", "c"])), ce.Driven("way"))
    for _ in range(1 + seed % 3):
        bodies = rng.choice(["a", "b", "c", "d"], size=rng.integers(2, 4), replace=False)
        add(s, [str(b) for b in bodies], ce.LinearCoupling(rng.uniform(0.4, 2.0, len(bodies)).tolist()))
    compare(s, seed)


# Couplings and loops in one aggregated body


def four_bar(s: System) -> None:
    """Crank, coupler, rocker by rods in the plane; the rocker swings."""
    wheel(s, "crank", 0.01, 0.0, com_y=0.1)
    wheel(s, "rocker", 0.02, 1.0, com_y=0.3)
    s.close_loop("coupler", "crank", "rocker", ce.Distance((0.0, 0.3, 0.0), (1.0, 0.7, 0.0)), ["crank"])


def test_gear_on_the_rocker_comes_after_the_loop() -> None:
    s = ce.System()
    four_bar(s)
    wheel(s, "output", 0.05, 2.0, com_y=0.2)
    s.couple("mesh", ("rocker", "output"), ce.Gear(-math.pi))
    model = ce.compile(s)
    assert linkages(model) == ["NumericLinkage", "CoupledHinges"]
    compare(s, amplitude=2.0)


def test_geared_motor_drives_the_loop_from_before() -> None:
    """Motor and crank are one parameter: the branch is followed over the coupling as well."""
    s = ce.System()
    wheel(s, "motor", 1e-3, -0.3, com_y=0.01)
    four_bar(s)
    s.closures.clear()
    s.close_loop("coupler", "crank", "rocker", ce.Distance((0.0, 0.3, 0.0), (1.0, 0.7, 0.0)))
    s.couple("mesh", ("motor", "crank"), ce.Gear(2.0), independent=["motor"])
    compare(s, amplitude=1.0)


def five_bar(ratio: float) -> System:
    """Two cranks that are geared together move the pin of two bars: one degree of freedom."""
    s = ce.System()
    wheel(s, "left", 0.01, 0.0, com_y=0.1)
    wheel(s, "right", 0.02, 1.0, com_y=0.1)
    hinge = ce.Revolute(Z, (0.0, 0.3, 0.0))
    s.add_body("bar", mass=0.5, com=(0.25, 0.7, 0.0), inertia=(0.01,) * 3, parent="left", hinge=hinge)
    s.close_loop("rod", "bar", "right", ce.Distance((0.5, 1.1, 0.0), (1.0, 0.3, 0.0)))
    s.couple("mesh", ("left", "right"), ce.Gear(ratio), independent=["left"])
    return s


@pytest.mark.parametrize("ratio", [-1.0, 2.0])
def test_geared_five_bar_turns_round_and_round(ratio: float) -> None:
    s = five_bar(ratio)
    compare(s, amplitude=1.0)
    model = ce.compile(s)
    here, there = (model.accelerations([0.4 + turns], [1.0]) for turns in (0.0, 20.0 * math.pi))
    assert there == pytest.approx(here, rel=1e-9)
    outward = model.instant(np.array((0.4 + 20.0 * math.pi, 1.0)), model.u0).outward
    assert outward.coordinate(s.find("right")) == pytest.approx(ratio * (0.4 + 20.0 * math.pi), rel=1e-12)


def closure_error(model: ce.Model, theta: float) -> float:
    instant = model.instant(np.array((theta, 1.0)), model.u0)
    return float(np.max(model.closure_norms(instant)))


@pytest.mark.parametrize("ratio", [1.5, -2.0 / 3.0])
def test_geared_five_bar_returns_after_few_turns(ratio: float) -> None:
    model = ce.compile(five_bar(ratio))
    left = model.system.find("left")
    assert [entry.name for entry in model.layout.q] == ["left"]
    period = 2.0 * math.pi * (2 if ratio == 1.5 else 3)
    for theta in (0.3, 4.0, 7.7, -60.2):
        assert closure_error(model, theta) < 1e-12
        outward = model.instant(np.array((theta, 1.0)), model.u0).outward
        assert outward.coordinate(left) == theta
        assert outward.coordinate(model.system.find("right")) == pytest.approx(ratio * theta, rel=1e-12)
    here, there, between = (
        model.accelerations([0.3 + turn], [1.0])[0] for turn in (0.0, 5.0 * period, 2.0 * math.pi)
    )
    assert there == pytest.approx(here, rel=1e-9)
    assert abs(between - here) > 1e-2 * abs(here)  # after one turn the other crank is elsewhere


def test_loops_without_return_are_followed_few_turns() -> None:
    """An irrational ratio, and a polynomial whose ends of a turn differ by a whole turn by chance."""
    for coupling in (ce.Gear(math.sqrt(2.0)), ce.PolynomialCoupling((0.0, 1.0, 0.05))):
        s = five_bar(1.0)
        s.closures.pop()
        s.couple("mesh", ("left", "right"), coupling, independent=["left"])
        model = ce.compile(s)
        for theta in (-6.0, 0.4, 3.5, 6.1):
            assert closure_error(model, theta) < 1e-11
        right = model.system.find("right")
        expected = coupling.solve(1, (3.5, 0.0))
        outward = model.instant(np.array((3.5, 1.0)), model.u0).outward
        assert outward.coordinate(right) == pytest.approx(expected, abs=1e-12)
        with pytest.raises(AssemblyError, match=r"cannot be assembled at \{'left': \[60\.0\]\}"):
            model.accelerations([60.0], [1.0])


def test_user_linkage_between_couplings() -> None:
    """A closed form is fed by one coupling and feeds another."""
    from ce_dynamics.kinematics import FourBar

    s = ce.System()
    linkage = FourBar((0, 0, 0), (0.2, 0.3, 0), (1.1, 0.8, 0), (1.2, -0.1, 0), Z)
    wheel(s, "motor", 1e-3, -0.5, com_y=0.02)
    for name, carrier, hinge in linkage.joints():
        arm(s, name, carrier, hinge, (0.1, 0.1, 0.0))
    linkage.close(s)
    wheel(s, "output", 0.05, 2.0, com_y=0.2)
    s.couple("in", ("motor", "crank"), ce.Gear(-0.5))
    s.couple("out", ("rocker", "output"), ce.Gear(1.5))
    model = ce.compile(s)
    assert [entry.name for entry in model.layout.q] == ["motor"]
    assert linkages(model) == ["CoupledHinges", "FourBar", "CoupledHinges"]
    compare(s, amplitude=1.0)


def test_redundant_gears_are_found_and_contradicting_ones_refused() -> None:
    def ring(last: float) -> System:
        s = ce.System(gravity=(0, 0, 0))
        for k in range(3):
            wheel(s, f"w{k}", 1.0, 0.1 * k)
        s.couple("01", ("w0", "w1"), ce.Gear(2.0))
        s.couple("12", ("w1", "w2"), ce.Gear(-0.25))
        s.couple("20", ("w2", "w0"), ce.Gear(last))
        return s

    model = ce.compile(ring(-2.0))
    (S,) = model.embedding.aggregates
    (link,) = S.linkages
    assert isinstance(link, CoupledHinges)
    assert link.redundant == (("20", 0),)
    assert model.mass_matrix([0.0])[0, 0] == pytest.approx(1.0 + 4.0 + 0.25, rel=1e-13)
    with pytest.raises(ce.OverConstrainedError, match="nothing of system"):
        ce.compile(ring(-1.9))


def test_energy_is_kept_over_many_turns() -> None:
    """An unbalanced gear pair with irrational ratio, swinging over and over: no jump, no drift."""
    model = ce.compile(unbalanced_pair(-math.sqrt(3.0)))
    run = ce.simulate(model, duration=5.0, y0=np.array((0.0, 25.0)), rtol=1e-10, atol=1e-10)
    assert float(run["a"][-1]) > 15.0 * 2.0 * math.pi
    energy = run["energy"].to_numpy()
    assert np.ptp(energy) < 1e-6 * np.max(np.abs(energy))


def unbalanced_pair(ratio: Any, s: System | None = None) -> System:
    s = s or ce.System(gravity=(0, -9.81, 0))
    wheel(s, "a", 0.1, com_y=-0.2)
    wheel(s, "b", 0.1, 0.5, com_y=-0.1)
    s.couple("mesh", ("a", "b"), ce.Gear(ratio))
    return s


@pytest.mark.parametrize(
    ("formulation", "ratio"),
    [(FullyAugmented, -1.5), (TreeAugmented, -1.5), (FullyAugmented, -math.sqrt(3.0))],
)
def test_references_follow_gears_over_several_turns(formulation: Any, ratio: float) -> None:
    """Free bodies do not count their turns: sin(n φ)/n, or velocities only, keep the wheels in mesh.

    IDA's tolerance of 1e-9 per step leaves 1e-6 after four turns.
    """
    s = unbalanced_pair(ratio)
    model, dae = ce.compile(s), formulation(s)
    q, v = np.array((0.0,)), np.array((25.0,))
    start = dae.state_from_embedded(model.embedding, q, v, np.zeros(0))
    trajectory = simulate_dae(dae, start, np.linspace(0.0, 1.0, 3), rtol=1e-9, atol=1e-9)
    run = ce.simulate(model, duration=1.0, interval=0.5, y0=np.array((0.0, 25.0)), rtol=1e-11, atol=1e-11)
    angle = ratio * float(run["a"][-1])
    assert abs(angle) > 5.0 * 2.0 * math.pi
    R = trajectory.body("b").R[-1]
    assert (R[0, 0], R[1, 0]) == pytest.approx((math.cos(angle), math.sin(angle)), abs=1e-5)
    assert dae.holonomic[-1] == (formulation is TreeAugmented or ratio == -1.5)


def test_ratio_may_be_a_free_parameter() -> None:
    s = ce.System(gravity=(0, -9.81, 0))
    ratio = s.add_parameter(ce.Parameter("ratio", -1.5))
    model = ce.compile(unbalanced_pair(ratio, s))
    for value in (-1.5, 2.2):
        plain = ce.compile(unbalanced_pair(value)).accelerations([0.3], [2.0])
        assert model.accelerations([0.3], [2.0], u=[value]) == pytest.approx(plain, rel=1e-14)


def test_models_are_known_by_their_couplings() -> None:
    """Coefficients are part of what a compiled model is known by; a user's function has no key."""

    def key(coupling: ce.Coupling) -> str | None:
        s = ce.System()
        wheel(s, "a", 0.1)
        wheel(s, "b", 0.1, 0.5)
        s.couple("mesh", ("a", "b"), coupling)
        return content_key(s)

    keys = [key(ce.Gear(2.0)), key(ce.Gear(3.0)), key(ce.PolynomialCoupling((0.0, 2.0)))]
    assert None not in keys
    assert len({*keys, key(ce.PolynomialCoupling((0.0, 3.0)))}) == 4
    assert key(ce.FunctionCoupling(lambda q: 2.0 * q)) is None


# Written constraints


def rod(see: ConstraintView) -> Any:
    gap = see.point("crank", (0.0, 0.3, 0.0), "ground") - see.point("rocker", (1.0, 0.7, 0.0), "ground")
    return gap @ gap - (1.0 + 0.4**2)


def test_written_distance_is_a_distance() -> None:
    """The same four-bar with the closure and with its equation written out."""
    accelerations = []
    for is_written in (False, True):
        s = ce.System()
        four_bar(s)
        if is_written:
            s.closures.clear()
            s.constrain("coupler", ("crank", "rocker", "ground"), rod)
            compare(s, amplitude=1.0)
        accelerations.append(ce.compile(s).accelerations([0.8], [3.0]))
    assert accelerations[1] == pytest.approx(accelerations[0], rel=1e-11)


def test_written_constraint_on_moving_base_needs_its_bodies() -> None:
    """A point of b stays on an ellipsoid fixed on a; both hang on a free body, which stays outside."""
    s = spatial_tree()

    def ellipsoid(see: ConstraintView) -> Any:
        r = see.point("c", (0.1, 0.7, 0.2), "a")
        x, y, z = r - np.array((0.1, 0.2, 0.0))
        return x * x / 0.5 + y * y / 0.4 + z * z / 0.7 - 0.9

    s.constrain("contact", ("c", "a"), ellipsoid)
    model = ce.compile(s)
    S = model.embedding.owner["c"]
    assert [body.name for body in S.bodies] == ["a", "b", "c"]
    assert S.parent.name == "base"
    compare(s, amplitude=0.1)


def test_written_constraint_with_several_rows_directions_and_coordinates() -> None:
    """Two rows: a body keeps its direction, and a third body's angle follows a height."""
    s = spatial_tree()

    def rows(see: ConstraintView) -> Any:
        level = see.direction("b", (0.3, 1.0, 0.0), "base")[2]
        tilt = see.direction("a", (0.0, 1.0, 0.0), "base")[2]
        return (level + 0.5 * sin(tilt), see.coordinate("c") - 0.3 * see.coordinate("d") ** 2)

    s.constrain("level", ("a", "b", "base", "c", "d"), rows, independent=["a", "d"])
    model = ce.compile(s)
    assert isinstance(model.embedding.owner["b"].linkages[0], NumericLinkage)
    compare(s, amplitude=0.2)


# Errors


MISTAKES: list[tuple[Callable[[System], object], str]] = [
    (lambda s: s.couple("mesh", ("a", "g"), ce.Gear(2.0)), "no body 'g'"),
    (lambda s: s.couple("mesh", ("a", "ground"), ce.Gear(2.0)), "ground has no hinge"),
    (lambda s: s.couple("mesh", ("a", "base"), ce.Gear(2.0)), "Free hinge of body 'base'"),
    (lambda s: s.couple("mesh", ("a", ("e", 2)), ce.Gear(2.0)), r"no coordinate 2; it has 2: \[0, 1\]"),
    (lambda s: s.couple("mesh", ("a", "a"), ce.Gear(2.0)), "named twice"),
    (lambda s: s.couple("mesh", ("a", "b", "c"), ce.Gear(2.0)), "couples 2 coordinates, 3 were given"),
    (
        lambda s: s.couple("mesh", ("a", "b"), 2.0),  # type: ignore[arg-type]
        r"coupling 2\.0 must be a coupling, such as Gear",
    ),
    (lambda s: ce.Gear(0.0), "ratio"),
    (lambda s: ce.Gear(math.nan), "ratio"),
    (lambda s: ce.Gear(math.inf), "ratio"),
    (lambda s: ce.RackAndPinion(math.nan), "radius"),
    (lambda s: ce.LinearCoupling((1.0, 0.0)), "coefficient 1 is zero"),
    (lambda s: ce.PolynomialCoupling((math.nan,)), "coefficient 0 nan must be a finite number"),
    (
        lambda s: [s.couple("mesh", ("a", "b"), ce.Gear(2.0)), s.constrain("mesh", ("a",), lambda see: 0.0)],
        "'mesh' exists already",
    ),
    (
        lambda s: s.constrain("one", ("a",), lambda see: see.point("b", (0, 0, 0), "a")[0]),
        "not declared; it was for",
    ),
    (lambda s: s.constrain("two", ("base",), lambda see: see.coordinate("base", 3)), "no hinge coordinate"),
    (lambda s: s.constrain("three", ("a",), lambda see: math.nan), "nan"),
    (lambda s: s.constrain("four", ("a",), lambda see: ()), "returns nothing"),
]


@pytest.mark.parametrize(("call", "message"), MISTAKES, ids=range(len(MISTAKES)))
def test_mistakes_are_named(call: Callable[[System], object], message: str) -> None:
    with pytest.raises(ce.ModelError, match=message):
        call(spatial_tree())


def test_wrong_number_of_independent_coordinates_is_refused() -> None:
    s = ce.System()
    wheel(s, "a", 1.0)
    wheel(s, "b", 1.0)
    s.couple("mesh", ("a", "b"), ce.Gear(2.0), independent=["a", "b"])
    with pytest.raises(ce.ModelError, match="1 degrees of freedom"):
        ce.compile(s)
