"""Loops led along the curve of their configurations, through dead centres and crossings of branches.

Lengths are about 1.  A series of K terms whose coefficients are good to 1e-16 gives positions to about 1e-15
and rates to K times that; K is below 100 unless a test states otherwise.
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.dynamics.outward import Outward
from ce_dynamics.embedding.aggregate import Embedding
from ce_dynamics.embedding.closures.curve import close_across
from ce_dynamics.embedding.closures.loop import EPSILON, held_at_design
from ce_dynamics.embedding.embed import embed
from ce_dynamics.embedding.path import table
from ce_dynamics.embedding.path.linkage import PathLinkage
from ce_dynamics.embedding.whole_loop import path_of
from ce_dynamics.mechanism.couplings.cut_edge import LoopClosure
from tests.support.systems import (
    CHANGE_POINT,
    CRANK_ROCKER,
    DOUBLE_ROCKER,
    PATHS,
    Z,
    add,
    drive,
    dyad,
    five_bar,
    four_bar,
    slider_crank,
    spatial_slider,
    through,
)


@pytest.fixture(scope="module", params=PATHS)
def mechanism(request: pytest.FixtureRequest) -> Embedding:
    return embed(PATHS[request.param]())


def linkage_of(embedding: Embedding) -> PathLinkage:
    linkage = path_of(next(S for S in embedding.aggregates if S.closures))
    assert linkage is not None
    return linkage


def moving(embedding: Embedding, s: float, s_dot: float) -> Outward:
    return Outward(embedding, np.array((s,)), np.array((s_dot,)), {})


def test_the_path_is_smooth_across_its_seam(mechanism: Embedding) -> None:
    """Once round leads back to the same pose, and the coordinates go on without a jump."""
    linkage = linkage_of(mechanism)
    assert linkage.curve.closed
    L = linkage.curve.length
    a, b = moving(mechanism, -0.1, 1.0), moving(mechanism, L - 0.1, 1.0)
    system = mechanism.system
    for body in system.bodies:
        one, other = a.placement(body, system.ground), b.placement(body, system.ground)
        np.testing.assert_allclose(one.R, other.R, rtol=0.0, atol=1e-13)
        np.testing.assert_allclose(one.r, other.r, rtol=0.0, atol=1e-13)
        np.testing.assert_allclose(one.v, other.v, rtol=0.0, atol=1e-11)


# Dead centres by geometry


def test_dead_centres_of_a_slider_crank() -> None:
    model = ce.Model(slider_crank(0.3, 1.0, 0.5))  # by its crank: any loop with one freedom is examined
    centres = model.dead_centres()
    assert [(c.body, c.kind) for c in centres] == [("slider", "dead centre")] * 2
    x0 = 0.3 * math.cos(0.5) + math.sqrt(1.0 - (0.3 * math.sin(0.5)) ** 2)
    found = sorted((c.coordinates["slider"] + x0, math.cos(c.coordinates["crank"] + 0.5)) for c in centres)
    np.testing.assert_allclose(found, ((0.7, -1.0), (1.3, 1.0)), rtol=0.0, atol=1e-14)


def test_dead_centres_of_a_crank_rocker() -> None:
    """The rocker turns back where crank and coupler are in line: |A C| = b ± a."""
    a, b, c, d = CRANK_ROCKER
    system = four_bar(CRANK_ROCKER, 0.7)
    B = a * np.array((math.cos(0.7), math.sin(0.7), 0.0))
    C = dyad(B, np.array((d, 0.0, 0.0)), b, c, 1.0)
    psi_0 = math.atan2(C[1], C[0] - d)
    found = sorted(x.coordinates["rocker"] for x in ce.Model(system).dead_centres() if x.body == "rocker")
    inner = [math.pi - math.acos((c * c + d * d - (b + k * a) ** 2) / (2.0 * c * d)) for k in (1.0, -1.0)]
    np.testing.assert_allclose(found, np.array(inner) - psi_0, rtol=0.0, atol=1e-14)
    assert not any(x.body == "crank" or x.kind == "crossing" for x in ce.Model(system).dead_centres())


def test_no_hinge_of_a_triple_rocker_turns_fully() -> None:
    """Neither Grashof's inequality holds: every one of the four angles turns back twice at least."""
    centres = ce.Model(four_bar(DOUBLE_ROCKER, 1.0)).dead_centres()
    assert {x.body for x in centres} == {"crank", "coupler", "rocker"}
    assert all(sum(x.body == name for x in centres) >= 2 for name in ("crank", "coupler", "rocker"))


def test_crossing_of_a_linkage_at_grashofs_limit() -> None:
    """All bars in line at a crank angle of 0; the path goes round twice, once on either side."""
    centres = ce.Model(four_bar(CHANGE_POINT, 0.7)).dead_centres()
    crossings = [x.coordinates["crank"] + 0.7 for x in centres if x.kind == "crossing"]
    np.testing.assert_allclose(crossings, (2.0 * math.pi, 4.0 * math.pi), rtol=0.0, atol=1e-6)


@pytest.mark.parametrize("start", [0.003, -0.001])
def test_crossing_next_to_the_design_pose_is_found(start: float) -> None:
    """It lies between the last point of the closed curve and the first, wherever these are."""
    centres = ce.Model(four_bar(CHANGE_POINT, start)).dead_centres()
    turns = [(x.coordinates["crank"] + start) / (2.0 * math.pi) for x in centres if x.kind == "crossing"]
    assert len(turns) == 2  # the path goes round twice
    np.testing.assert_allclose(turns, np.round(turns), rtol=0.0, atol=1e-6)
    assert round(turns[0]) % 2 != round(turns[1]) % 2


# Runs through dead centres equal those by a coordinate that has none.  DOP853 at rtol 1e-12 makes errors of
# about 1e-12 a step, some hundred steps; motions here are not chaotic, errors grow about linearly.

TIGHT = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13, "interval": 0.02}


def compared(by_crank: ce.System, by_path: ce.System, duration: float) -> tuple[Any, Any]:
    one = ce.simulate(ce.Model(by_crank), duration=duration, **TIGHT)  # type: ignore[arg-type]
    other = ce.simulate(ce.Model(by_path), duration=duration, **TIGHT)  # type: ignore[arg-type]
    np.testing.assert_allclose(other["crank"], one["crank"], rtol=0.0, atol=1e-8)
    np.testing.assert_allclose(other["crank_rate"], one["crank_rate"], rtol=0.0, atol=1e-7)
    return one, other


def test_slider_crank_started_and_driven_by_its_slider() -> None:
    """A spring on the slider turns the crank over and over; no dead centre is noticed."""

    def engine(path: bool) -> ce.System:
        system = slider_crank(0.3, 1.0, 0.5, ["slider" if path else "crank"])
        if path:
            through(system, "slider")
        spring = ce.TorsionSpringDamper("gas", system.find("slider"), spring=40.0, damper=0.0, free=-0.2)
        system.add_force(spring)
        return system

    by_path, by_crank = engine(True), engine(False)
    x0 = 0.3 * math.cos(0.5) + math.sqrt(1.0 - (0.3 * math.sin(0.5)) ** 2)
    theta = 0.9
    root = math.sqrt(1.0 - (0.3 * math.sin(theta)) ** 2)
    x = 0.3 * math.cos(theta) + root
    dx = -0.3 * math.sin(theta) * (1.0 + 0.3 * math.cos(theta) / root)
    by_crank.start("crank", q=theta - 0.5, v=11.0)
    by_path.start("slider", q=x - x0, v=dx * 11.0)
    one, other = compared(by_crank, by_path, 2.0)
    assert one["crank"].values[-1] > 6.0 * math.pi
    assert np.sum(np.diff(np.sign(other["slider_rate"].values)) != 0.0) > 5  # dead centres passed
    assert float(other["closure_error"].max()) < 1e-14


def test_crank_rocker_led_by_its_rocker() -> None:
    by_crank = four_bar(CRANK_ROCKER, 0.7)
    by_path = PATHS["crank-rocker"]()
    for system in (by_crank, by_path):
        system.start("crank", v=6.0)
    one, _ = compared(by_crank, by_path, 3.0)
    assert abs(one["crank"].values[-1]) > 2.0 * math.pi


def test_spatial_slider_through_its_dead_centres() -> None:
    by_crank, by_path = spatial_slider("prismatic"), PATHS["prismatic slider"]()
    for system in (by_crank, by_path):
        system.start("crank", v=12.0)
    one, other = compared(by_crank, by_path, 1.5)
    assert abs(one["crank"].values[-1]) > 2.0 * math.pi
    assert np.sum(np.diff(np.sign(other["slider_rate"].values)) != 0.0) > 2


def test_odd_gear_on_a_path() -> None:
    """A gear that turns 2.5 times with each turn of the crank: the path closes after two turns."""

    def geared(path: bool) -> ce.System:
        system = slider_crank(0.3, 1.0, 0.5)
        if path:
            through(system, "slider")
        add(system, "gear", "ground", ce.Revolute(Z, (0.0, 1.0, 0.0)), np.array((0.0, 1.1, 0.0)))
        system.couple("gears", ["crank", "gear"], ce.Gear(-2.5))
        system.start("crank", v=7.0)
        return system

    by_path = geared(True)
    curve = linkage_of(embed(by_path)).curve
    assert curve.closed
    np.testing.assert_allclose(np.abs(curve.points[-1].q), np.array((4.0, 4.0, 0.0, 10.0)) * math.pi)
    _, other = compared(geared(False), by_path, 2.0)
    np.testing.assert_allclose(other["gear"], -2.5 * other["crank"], rtol=0.0, atol=1e-12)


def test_newton_to_the_curve_ends_at_rounding() -> None:
    """It doubles the digits: from a hundredth of the size four steps reach rounding, and one shows it."""

    class Counted:
        def __init__(self, kernel: Any) -> None:
            self._kernel, self.calls = kernel, 0

        def __getattr__(self, name: str) -> Any:
            return getattr(self._kernel, name)

        def __call__(self, q: Array, p: Array) -> Any:
            self.calls += 1
            return self._kernel(q, p)

    linkage = linkage_of(embed(through(four_bar((0.2, 0.5, 0.4, 0.5), 0.7), "crank")))
    for point in linkage.curve.points[::20]:
        kernel: Any = Counted(linkage.kernel)
        ahead = kernel.advance(point.q, 1e-2 * point.t * kernel.column_scales)
        found = close_across(kernel, ahead, kernel.p0, point.t)
        assert found is not None
        assert kernel.calls <= 6


@pytest.mark.parametrize("method", ["dopri5", "rk4"])
def test_native_methods_pass_dead_centres(method: Any) -> None:
    """Energy is kept to the method's accuracy over some turns; a jump would cost percents."""
    system = PATHS["slider-crank"]()
    system.start("crank", v=11.0)
    steps: dict[str, Any] = {"step": 1e-4} if method == "rk4" else {"rtol": 1e-9, "atol": 1e-9}
    run = ce.simulate(ce.Model(system), duration=2.0, method=method, **steps)
    assert run["crank"].values[-1] > 4.0 * math.pi
    assert np.ptp(run["energy"].values) < 1e-4 * run["energy"].values[0]


def test_linkage_at_grashofs_limit_keeps_its_branch() -> None:
    """At each passage of the crossing the rocker's tip changes sides, which is the smooth way on."""
    a, b, c, d = CHANGE_POINT
    embedding = embed(PATHS["change point"]())
    linkage, system = linkage_of(embedding), embedding.system
    B0 = a * np.array((math.cos(0.7), math.sin(0.7), 0.0))
    C0 = dyad(B0, np.array((d, 0.0, 0.0)), b, c, 1.0)
    for s in np.linspace(-1.0, 1.0, 41) * linkage.curve.length:
        outward = moving(embedding, s, 0.0)
        crank = 0.7 + float(outward.coordinate(system.find("crank")))
        side = 1.0 if math.floor(crank / (2.0 * math.pi)) % 2 == 0 else -1.0
        B = a * np.array((math.cos(crank), math.sin(crank), 0.0))
        expected = dyad(B, np.array((d, 0.0, 0.0)), b, c, side)
        found = outward.point(system.find("rocker"), C0, system.ground).r
        # the closed form loses digits like rounding / distance from the crossing
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12)


# Benchmark A02: N square loops in a row, all bars in line at θ = 0 and π


def square_loops(N: int) -> ce.System:
    """Slender bars of 1 m and 1 kg; the top moves at 1 m/s to the right."""
    system = ce.System(gravity=(0.0, -9.81, 0.0))
    upright, level = (1.0 / 12.0, 0.0, 1.0 / 12.0), (0.0, 1.0 / 12.0, 1.0 / 12.0)
    for k in range(N + 1):
        com = (float(k), 0.5, 0.0)
        hinge = ce.Revolute(Z, (k, 0.0, 0.0))
        system.add_body(f"crank {k}", mass=1.0, com=com, inertia=upright, parent="ground", hinge=hinge)
    for k in range(N):
        com = (k + 0.5, 1.0, 0.0)
        hinge = ce.Revolute(Z, (k, 1.0, 0.0))
        name = f"coupler {k}"
        system.add_body(name, mass=1.0, com=com, inertia=level, parent=f"crank {k}", hinge=hinge)
        pin, named = ce.Revolute(Z, (k + 1.0, 1.0, 0.0)), ["crank 0"] if k == 0 else []
        system.close_loop(f"pin {k}", name, f"crank {k + 1}", pin, named, through_dead_centres=True)
    system.start("crank 0", v=-1.0)
    return system


def test_code_of_closures_grows_with_the_loops() -> None:
    """Rows of 5 per loop over 2 N + 1 hinges have 6 entries that move: code for all others is quadratic."""

    def written(N: int) -> int:
        linkage = path_of(embed(square_loops(N)).aggregates[0])
        assert linkage is not None
        kernel = linkage.kernel
        r, Y = kernel(linkage.q0 + 0.1, kernel.p0)
        held = held_at_design((), kernel.loop.parent)
        expected = kernel.loop.errors(linkage.q0 + 0.1, np.zeros(Y.shape[1]), {}, held)
        np.testing.assert_allclose(r, expected.residual, rtol=0.0, atol=1e-13)
        np.testing.assert_allclose(Y, expected.Y, rtol=0.0, atol=1e-13)
        return sum(int(np.prod(shape)) for shape in kernel._compiled.output_shapes.values())

    few, many = written(5), written(15)
    assert many == 3 * few


def test_forty_loops_in_row_close_along_their_path() -> None:
    model = ce.Model(square_loops(40))
    run = ce.simulate(model, duration=1.0, rtol=1e-9, atol=1e-10)
    assert np.min(run["crank_0"].values) < -2.0  # beyond the collinear position
    assert float(run["closure_error"].max()) < 4.0 * EPSILON * 2.0 * 40.0  # lengths of 40 along 80 bars


@pytest.mark.parametrize(
    ("N", "published"),
    [(1, (0.4783850578, 0.8781501788)), (2, (0.3284581115, 0.9445185382)), (5, (0.2357891358, 0.9718042413))],
)
def test_loops_in_row_run_through_their_collinear_positions(N: int, published: tuple[float, float]) -> None:
    """Published figures have ten digits; the exact one-freedom form is integrated beside."""
    model = ce.Model(square_loops(N))
    crossings = [x.coordinates["crank 0"] for x in model.dead_centres() if x.kind == "crossing"]
    np.testing.assert_allclose(crossings, (0.5 * math.pi, 1.5 * math.pi), rtol=0.0, atol=1e-6)
    run = ce.simulate(model, duration=10.0, method="DOP853", rtol=1e-12, atol=1e-13, interval=0.1)
    theta = 0.5 * math.pi + run["crank_0"].values
    assert np.min(theta) < -2.0 * math.pi  # it went round, through both collinear positions
    stiffness = 9.81 * ((N + 1) / 2 + N) / ((N + 1) / 3 + N)
    exact = solve_ivp(
        lambda t, y: (y[1], -stiffness * math.cos(y[0])),
        (0.0, 10.0),
        (0.5 * math.pi, -1.0),
        "DOP853",
        t_eval=run["time"].values,
        rtol=1e-13,
        atol=1e-13,
    )
    np.testing.assert_allclose(theta, exact.y[0], rtol=0.0, atol=1e-9)
    np.testing.assert_allclose((math.cos(theta[-1]), math.sin(theta[-1])), published, rtol=0.0, atol=2e-10)
    assert np.ptp(run["energy"].values) < 1e-10 * 20.0 * (N + 1)
    assert float(run["closure_error"].max()) < 1e-14
    for k in range(1, N + 1):  # parallelograms, before and behind
        np.testing.assert_allclose(run[f"crank_{k}"], run["crank_0"], rtol=0.0, atol=1e-12)


# Other questions to such a model


def test_reactions_and_linearisation_agree_with_those_by_crank() -> None:
    by_crank, by_path = slider_crank(0.3, 1.0, 0.5), PATHS["slider-crank"]()
    for system in (by_crank, by_path):
        system.start("crank", q=0.4, v=3.0)
    one, other = ce.Model(by_crank), ce.Model(by_path)
    a, b = one.reactions(one.y0), other.reactions(other.y0)
    assert b.residual < 1e-12
    for name, reaction in a.hinges.items():
        np.testing.assert_allclose(b.hinges[name].force, reaction.force, rtol=0.0, atol=1e-11)
        np.testing.assert_allclose(b.hinges[name].torque, reaction.torque, rtol=0.0, atol=1e-11)
    X = float(other.instant(other.y0, other.u0).outward.rate(other.system.find("crank"))) / other.y0[1]
    # kinetic energy is the same: M transforms with the square of dθ/ds
    np.testing.assert_allclose(
        other.mass_matrix(other.y0[:1]), X**2 * one.mass_matrix(one.y0[:1]), rtol=1e-12
    )
    A = other.linearize(other.y0).A
    f = [other.dynamics(other.y0 + d * np.eye(2)[0], other.u0)[0] for d in (1e-6, -1e-6)]
    np.testing.assert_allclose(A[:, 0], (f[0] - f[1]) / 2e-6, rtol=1e-6, atol=1e-6)


def test_results_hold_hinges_unless_output_has_the_name() -> None:
    system = PATHS["slider-crank"]()
    slider = system.find("slider")
    system.add_output("slider", "mm", lambda motion: 1000.0 * motion.coordinate(slider))
    system.start("crank", v=10.0)
    run = ce.simulate(ce.Model(system), duration=0.1)
    assert {"crank_path", "crank_path_rate", "crank", "crank_rate", "rod", "slider_rate"} <= set(run)
    assert run["slider"].units == "mm"
    np.testing.assert_allclose(run["crank"].values[0], 0.0, atol=1e-14)
    np.testing.assert_allclose(run["crank_rate"].values[0], 10.0, rtol=1e-13)


def test_description_names_the_path() -> None:
    text = str(PATHS["slider-crank"]().describe())
    assert "independent  crank.path" in text
    assert "found along the path of its configurations" in text


def test_open_path_of_a_nut() -> None:
    """A spindle's angle does not determine the place of its nut; the path does, as far as it was followed."""
    system = ce.System()
    add(system, "spindle", "ground", ce.Revolute((1.0, 0.0, 0.0)), np.zeros(3))
    add(system, "nut", "ground", ce.Prismatic((1.0, 0.0, 0.0), (0.5, 0.0, 0.0)), np.array((0.5, 0.0, 0.0)))
    thread = ce.Screw((1.0, 0.0, 0.0), 0.2, (0.5, 0.0, 0.0))
    system.close_loop("thread", "spindle", "nut", thread, ["nut"], through_dead_centres=True)
    embedding = embed(system)
    linkage = linkage_of(embedding)
    assert not linkage.curve.closed
    lower, upper = linkage.reach()
    assert -65.0 < lower < -55.0
    assert 55.0 < upper < 65.0
    for s in (lower, -7.3, 0.0, 1.0, upper):
        outward = moving(embedding, s, 1.0)
        spindle, nut = (float(outward.coordinate(system.find(name))) for name in ("spindle", "nut"))
        assert spindle == pytest.approx(-nut / 0.2, abs=1e-12)
        assert nut * s >= 0.0
    assert np.isnan(moving(embedding, upper + 1e-9, 1.0).coordinate(system.find("nut")))


# Initial values


def test_initial_values_by_any_hinge() -> None:
    crank = {"q": 0.3, "v": 2.0}
    by_crank = PATHS["crank-rocker"]()
    by_crank.start("crank", **crank)
    model = ce.Model(by_crank)
    outward = model.instant(model.y0, model.u0).outward
    for name in ("coupler", "rocker"):
        body = by_crank.find(name)
        again = PATHS["crank-rocker"]()
        again.start(name, q=outward.coordinate(body), v=outward.rate(body))
        np.testing.assert_allclose(ce.Model(again).y0, model.y0, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("turns", [-3, -1, 0, 2])
def test_initial_angles_beyond_a_turn(turns: int) -> None:
    system = PATHS["crank-rocker"]()
    angle = 0.3 + 2.0 * math.pi * turns
    system.start("crank", q=angle)
    model = ce.Model(system)
    crank = model.instant(model.y0, model.u0).outward.coordinate(system.find("crank"))
    assert crank == pytest.approx(angle, abs=1e-13)


def test_initial_rate_at_a_dead_centre_is_none() -> None:
    for name, rate, moves in (("slider", 0.0, False), ("crank", 2.0, True)):
        system = PATHS["slider-crank"]()
        system.start("crank", q=-0.5)
        system.start(name, v=rate)
        assert (ce.Model(system).y0[1] != 0.0) == moves


@pytest.mark.parametrize(
    ("system", "starts", "error", "message"),
    [
        (
            "slider-crank", {"slider": {"q": 0.2}}, ce.AssemblyError,
            r"'slider': its initial coordinate 0.2 is not between .* -0.5528\d* and 0.0471",
        ),
        (
            "slider-crank", {"crank": {"q": -0.5}, "slider": {"v": 1.0}}, ce.ModelError,
            r"'slider': an initial rate of 1 at its dead centre.*'crank'",
        ),
        (
            "slider-crank", {"crank": {"q": 0.1}, "slider": {"q": 0.0}}, ce.ModelError,
            r"one degree of freedom, but initial coordinates were given for",
        ),
        (
            "RSUR", {"coupler": {"q": (1.0, 0.0, 0.0, 0.0)}}, ce.ModelError,
            r"'coupler': initial values .* choose from \['crank', 'rocker'\]",
        ),
    ],
)  # fmt: skip
def test_impossible_initial_values_are_refused(
    system: str, starts: dict[str, Any], error: type[Exception], message: str
) -> None:
    built = PATHS[system]()
    for name, values in starts.items():
        built.start(name, **values)
    with pytest.raises(error, match=message):
        ce.Model(built)


def test_design_pose_at_dead_centre_of_leading_hinge() -> None:
    """No coordinate of the slider can start there, but the path goes on."""
    system = through(slider_crank(0.3, 1.0, 0.0), "slider")
    system.start("slider", q=-0.01)
    with pytest.raises(ce.AssemblyError, match=r"design pose is a dead centre of 'slider'"):
        ce.Model(system)
    system = through(slider_crank(0.3, 1.0, 0.0), "slider")
    system.start("crank", v=8.0)
    run = ce.simulate(ce.Model(system), duration=1.0, rtol=1e-10, atol=1e-12, method="DOP853")
    assert np.ptp(run["energy"].values) < 1e-7


# Impossible loops


def test_path_of_a_loop_that_is_driven() -> None:
    system = drive(five_bar(["left"]), "right")
    closure = system.closures[0]
    assert isinstance(closure, LoopClosure)
    system.closures[0] = replace(closure, through_dead_centres=True)
    with pytest.raises(ce.ModelError, match=r"the prescribed motion of \['right'\]"):
        embed(system)


def test_a_path_too_sharp_for_its_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "SAMPLES", (64,))
    embedding = embed(through(slider_crank(0.99, 1.0, 0.5)))
    with pytest.raises(ce.ModelError, match=r"'crank': its path turns too sharply"):
        moving(embedding, 0.0, 0.0)


def test_rough_guess_is_assembled_on_the_path() -> None:
    system = ce.System()
    add(system, "crank", "ground", ce.Revolute(Z), np.array((0.0, 0.15, 0.0)))
    add(system, "slider", "ground", ce.Prismatic((1.0, 0.0, 0.0), (1.0, 0.0, 0.0)), np.array((1.0, 0.0, 0.0)))
    rod = ce.Distance((0.0, 0.3, 0.0), (1.0, 0.0, 0.0), 1.1)
    system.close_loop("rod", "crank", "slider", rod, ["slider"], through_dead_centres=True)
    model = ce.Model(system)
    outward = model.instant(model.y0, model.u0).outward
    crank, slider = (float(outward.coordinate(system.find(name))) for name in ("crank", "slider"))
    pin = 0.3 * np.array((-math.sin(crank), math.cos(crank)))
    assert math.hypot(1.0 + slider - pin[0], pin[1]) == pytest.approx(1.1, abs=1e-14)
