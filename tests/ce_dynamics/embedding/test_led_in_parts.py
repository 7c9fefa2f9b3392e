"""Loops that a coordinate leads which is no hinge's, solved part after part: a steered beam on rods.

Five rods and its height find the beam, the drag link then the crank on it, and the crank, by the bar between
them, the knuckles.  Masses, lengths and rates are of order 1.  References are the form with all hinges cut,
without leading coordinates and parts, the same solved at once, and differences.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ce_dynamics as ce
from ce_dynamics.augmented import FullyAugmented, compute_accelerations
from ce_dynamics.embedding import complete
from ce_dynamics.embedding.aggregate import Aggregate
from ce_dynamics.embedding.blocks import blocks
from ce_dynamics.embedding.closed_forms.turn_to_length import TurnToLength
from ce_dynamics.embedding.closures.loop import Loop
from ce_dynamics.embedding.embed import embed
from ce_dynamics.embedding.numeric.linkage import NumericLinkage
from ce_dynamics.kinematics.rod import Rod
from tests.ce_dynamics.embedding.test_blocks import at_once

NOTHING = np.zeros(0)
HERE = np.eye(3), np.zeros(3)
ELSEWHERE = Rotation.random(random_state=5).as_matrix(), np.array((300.0, -200.0, 50.0))
RODS = {
    "upper link": ((0.0, 0.1, 0.7), (0.8, 0.2, 0.75)),
    "left link": ((0.05, 0.6, 0.2), (0.9, 0.5, 0.25)),
    "right link": ((0.05, -0.6, 0.2), (0.9, -0.4, 0.23)),
    "upper bar": ((-0.1, -0.6, 0.75), (-0.15, 0.6, 0.8)),
    "track bar": ((-0.1, 0.6, 0.35), (-0.1, -0.6, 0.42)),
}
MIDDLE, PIN = (0.0, 0.0, 0.4), (-0.1, 0.1, 0.45)


def plainly(name: str, x: float) -> Any:
    return x


def number_of(values: dict[str, float], name: str, x: float) -> float:
    return values[name]


def axle(
    *,
    driven: bool,
    leads: Sequence[Any] = (ce.Component("beam", "z"),),
    frame: tuple[Any, Any] = HERE,
    value: Callable[[str, float], Any] = plainly,
    system: ce.System | None = None,
    slides: bool = False,
) -> ce.System:
    """The axle; its drag link is held by a rack with an input, or by the ground.

    ``value`` makes the numbers of a rod's end and of the drag link's.  The crank turns, or slides.
    """
    R, origin = frame

    def p(x: Any, y: Any, z: Any) -> Any:
        return R @ np.array((x, y, z)) + origin

    s = ce.System(gravity=R @ (0.5, 0.3, -9.8)) if system is None else system

    def add(name: str, parent: str, hinge: ce.Hinge, com: Any) -> None:
        s.add_body(name, mass=1.0, com=p(*com), inertia=(0.2, 0.25, 0.3), parent=parent, hinge=hinge)

    pin: ce.Hinge = ce.Revolute(R @ (0.1, 0, 1), p(*PIN))
    add("beam", "ground", ce.Free(p(*MIDDLE)), (0.02, 0.1, 0.4))
    add("crank", "beam", ce.Prismatic(R @ (0.1, 1, 0), p(*PIN)) if slides else pin, (-0.2, 0.0, 0.45))
    for side, y in (("left", 0.7), ("right", -0.7)):
        add(side, "beam", ce.Revolute(R @ (0.1, -0.1 * y, 1), p(0, y, 0.4)), (-0.1, y, 0.4))
    add("bar", "right", ce.Universal(R @ (1, 0, 0), R @ (0, 0.1, 1), p(-0.3, -0.6, 0.4)), (-0.3, 0.1, 0.4))
    steering = "ground"
    if driven:
        for part in ("", "_rate", "_acceleration"):
            s.add_input(f"rack{part}", "")
        add("rack", "ground", ce.Prismatic(R @ (0, 1, 0.1), p(-0.2, -0.6, 0.6)), (-0.2, -0.6, 0.6))
        s.prescribe("rack", ce.Driven("rack"))
        steering = "rack"
    for name, (one, other) in RODS.items():
        far = (*other[:2], value("z", other[2])) if name == "track bar" else other
        s.close_loop(name, "beam", s.ground, ce.Distance(p(*one), p(*far)), leads)
    end = value("y", -0.6)
    s.close_loop("drag link", "crank", steering, ce.Distance(p(-0.3, 0.1, 0.5), p(-0.2, end, 0.6)))
    s.close_loop("ball", "bar", "left", ce.Spherical(p(-0.3, 0.6, 0.4)))
    s.close_loop("plane", "bar", "crank", ce.PointOnPlane(R @ (0.1, 1, 0), p(-0.3, 0.05, 0.4)))
    return s


def loop_of(system: ce.System) -> Aggregate:
    (found,) = (S for S in embed(system).aggregates if S.closures)
    return found


def in_some_pose(
    system: ce.System, rng: np.random.Generator, closed: float = 1e-12
) -> tuple[Any, Any, Any, float]:
    """q, v, u and the largest deviation of accelerations from those with all hinges cut, over the largest."""
    embedding = embed(system)
    q, v = rng.uniform(-0.05, 0.05, embedding.n_q), rng.uniform(-1.0, 1.0, embedding.n_v)
    u = np.array((0.04, 0.7, -3.0)) if system.inputs else NOTHING
    dae = FullyAugmented(system)
    at = dae.at(dae.state_from_embedded(embedding, q, v, NOTHING, u), u)
    assert np.max(np.abs(at.constraints.g)) < closed
    assert np.max(np.abs(at.constraints.rate)) < 10.0 * closed
    expected = dae.solve(at).V_dot
    found = np.concatenate(list(compute_accelerations(embedding, q, v, NOTHING, u).values()))
    return q, v, u, float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))


@pytest.mark.parametrize("driven", [False, True])
def test_beam_comes_first_then_crank_then_the_knuckles(driven: bool) -> None:
    beam, crank, knuckles = loop_of(axle(driven=driven)).linkages
    assert isinstance(beam, NumericLinkage)
    assert (beam.determines, beam.parameter) == (("beam",), "beam.z")  # a table
    assert set(beam.closes) == {*RODS, "beam.z"}
    assert isinstance(crank, TurnToLength)
    assert (crank.determines, crank.closes) == (("crank",), ("drag link",))
    assert isinstance(knuckles, NumericLinkage)
    assert (knuckles.determines, knuckles.parameter) == (("left", "right", "bar"), "crank")


# Lengths of 400 m are known to 6e-14, of which a closure subtracts several
@pytest.mark.parametrize(("frame", "closed"), [(HERE, 1e-12), (ELSEWHERE, 3e-12)])
@pytest.mark.parametrize("driven", [False, True])
@pytest.mark.parametrize("lead", ["component", "function"])
def test_against_all_hinges_cut(
    driven: bool, lead: str, frame: Any, closed: float, rng: np.random.Generator
) -> None:
    leads = [ce.Component("beam", "z") if lead == "component" else height_of_an_end(frame)]
    system = axle(driven=driven, leads=leads, frame=frame)
    assert len(loop_of(system).linkages) == 3
    for _ in range(2):
        assert in_some_pose(system, rng, closed)[-1] < 1e-10


def height_of_an_end(frame: Any) -> ce.FunctionCoordinate:
    """Return the height of a point at one end of the beam."""
    R, origin = frame
    point, up = R @ (0.0, 0.7, 0.4) + origin, R[:, 2]
    return ce.FunctionCoordinate(
        "end", ("beam", "ground"), lambda see: see.point("beam", point, "ground") @ up, "m"
    )


def test_the_same_as_at_once(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both close the loop to 4e-13, whose condition is some tens."""
    model = ce.compile(axle(driven=True))
    monkeypatch.setattr(complete, "blocks", at_once)
    whole = ce.compile(axle(driven=True))
    assert len(loop_of(whole.system).linkages) == 1
    for _ in range(3):
        y, u = rng.uniform(-0.05, 0.05, 2), np.array((rng.uniform(-0.05, 0.05), 0.5, 2.0))
        one, other = (np.concatenate(each.dynamics(y, u)) for each in (model, whole))
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)
    assert 2 * model.trace_dynamics().n_instructions < whole.trace_dynamics().n_instructions


@pytest.mark.parametrize("driven", [False, True])
def test_free_hardpoints_are_those_of_model_built_there(driven: bool, rng: np.random.Generator) -> None:
    free = ce.System(gravity=(0.5, 0.3, -9.8))
    names = {"z": 0.42, "y": -0.6}
    parameters = {name: free.add_parameter(ce.Parameter(name, x)) for name, x in names.items()}
    model = ce.compile(axle(driven=driven, value=lambda name, _: parameters[name], system=free))
    for _ in range(2):
        values = {name: x + rng.uniform(-0.03, 0.03) for name, x in names.items()}
        plain = ce.compile(axle(driven=driven, value=partial(number_of, values)))
        y = rng.uniform(-0.05, 0.05, 2)
        u = np.array((0.02, 0.5, 2.0)) if driven else NOTHING
        (expected,) = plain.dynamics(y, u)
        given = model.inputs_with(values)
        given[[k for k, entry in enumerate(model.layout.u) if entry.name not in values]] = u
        (found,) = model.dynamics(y, given)
        np.testing.assert_allclose(found, expected, rtol=1e-10)
        _, closure, _ = model.observation(y, given)
        assert np.max(np.abs(closure)) < 1e-12


def test_derivatives(rng: np.random.Generator) -> None:
    """Against central differences of steps h: h² + 1e-16/h of numbers of some 10, whatever the signs."""
    model = ce.compile(axle(driven=True))
    y, u, h = rng.uniform(-0.05, 0.05, 2), np.array((0.02, 0.5, 2.0)), 1e-5
    A = model.linearize(y, u=u).A
    columns = []
    for e in h * np.eye(2):
        (ahead,), (behind,) = model.dynamics(y + e, u), model.dynamics(y - e, u)
        columns.append((ahead - behind) / (2.0 * h))
    np.testing.assert_allclose(A, np.array(columns).T, rtol=1e-6, atol=1e-6)


def test_common_leader_has_one_table_unless_all_differ() -> None:
    """A crank that slides is no formula, and would be led straight by the six coordinates of the beam."""
    (whole,) = loop_of(axle(driven=False, slides=True)).linkages
    assert isinstance(whole, NumericLinkage)
    assert whole.parameter == "beam.z"
    _, crank, _ = loop_of(axle(driven=True, slides=True)).linkages
    assert isinstance(crank, NumericLinkage)
    assert crank.is_led_straight


def test_slides_that_follow_a_beam(rng: np.random.Generator) -> None:
    assert in_some_pose(axle(driven=True, slides=True), rng)[-1] < 1e-10


def test_parts_on_what_a_formula_turns(rng: np.random.Generator) -> None:
    """A rod on an arm, pointed by a formula that gives directions in axes of the ground, carries a shoe.

    The part of the shoe is solved as seen from the arm.
    """
    s = ce.System(gravity=(0.5, 0.3, -9.8))

    def add(name: str, parent: str, hinge: ce.Hinge, com: Any) -> None:
        s.add_body(name, mass=1.0, com=com, inertia=(0.2, 0.25, 0.3), parent=parent, hinge=hinge)

    add("arm", "ground", ce.Revolute((0.1, 1, 0.2)), (0.5, 0.1, 0.1))
    rod = Rod((0.8, 0.1, 0.0), (0.7, 0.3, 1.0), "rod", "arm", "ground", fixed_length=False)
    for joint in rod.joints():
        add(joint.body, joint.carrier, joint.hinge, (0.75, 0.2, 0.5))
    add("shoe", "rod", ce.Prismatic((0.1, -0.2, 1), (0.75, 0.2, 0.5)), (0.8, 0.2, 0.5))
    add("flap", "arm", ce.Prismatic((0.2, 1, 0.3), (0.4, 0.2, 0)), (0.4, 0.3, 0.0))
    rod.close(s)
    leads = ["arm"]
    s.close_loop("shoe", "shoe", "arm", ce.Distance((0.9, 0.2, 0.6), (0.3, -0.2, 0.3)), leads)
    s.close_loop("flap", "flap", "ground", ce.Distance((0.5, 0.4, 0.1), (0.3, 0.5, 0.9)), leads)
    _, *newton = loop_of(s).linkages
    assert [one.loop.parent.name for one in newton if isinstance(one, NumericLinkage)] == ["arm", "ground"]
    for _ in range(2):
        assert in_some_pose(s, rng)[-1] < 1e-10


def test_rods_that_hold_body_are_found_among_many() -> None:
    """More than are tried together, and one that repeats the others is no part of them."""
    s = axle(driven=True)
    dependent = tuple(body for body in s.bodies if body.name != "rack")
    found = blocks(Loop(s.ground, tuple(s.bodies), tuple(s.closures), dependent))
    assert len(found) == 1  # five rods do not hold the beam
    s.close_loop("sixth", "beam", s.ground, ce.Distance((0, 0.2, 0.3), (0.1, 0.3, 1.2)))
    first, *_ = blocks(Loop(s.ground, tuple(s.bodies), tuple(s.closures), dependent))
    assert {edge.name for edge in first.closures} == {*RODS, "sixth"}
    assert [body.name for body in first.dependent] == ["beam"]
