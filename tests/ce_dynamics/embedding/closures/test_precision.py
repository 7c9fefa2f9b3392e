"""Geometry that is exact up to the digits of its data, in any orientation and far from the origin."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.state import Layout
from ce_dynamics.embedding.aggregate import Embedding
from ce_dynamics.embedding.embed import embed
from ce_dynamics.mechanism.assumptions import TOLERANCE
from ce_dynamics.mechanism.drives import Driven
from ce_dynamics.mechanism.system import System
from tests.campaigns.orientations.__main__ import main
from tests.ce_dynamics.closure_sampling import closure_errors_at
from tests.ce_dynamics.moved_systems import Elsewhere, rotation
from tests.support.systems import bricard, floating_coupler, slider_crank

Y = (0.0, 1.0, 0.0)


def hanging_four_bar(off: float, tolerance: float = TOLERANCE) -> System:
    """A four-bar on an arm, one of whose axes is off by an angle."""
    system = System(gravity=(0.0, 0.0, -9.81), tolerance=tolerance)
    for name, parent, axis, at, com in (
        ("arm", "ground", Y, (0.0, 0.0, -1.0), (0.5, 0.0, 0.0)),
        ("crank", "arm", Y, (0.0, 0.0, 0.0), (0.1, 0.0, 0.15)),
        ("rod", "crank", Y, (0.2, 0.0, 0.3), (0.65, 0.0, 0.55)),
        ("lever", "arm", (off, 1.0, 0.0), (1.2, 0.0, 0.0), (1.2, 0.0, 0.4)),
    ):
        hinge = ce.Revolute(axis, at)
        system.add_body(name, mass=1.0, com=com, inertia=(0.1, 0.1, 0.1), parent=parent, hinge=hinge)
    system.close_loop("top", "rod", "lever", ce.Spherical((1.1, 0.0, 0.8)))
    return system


def accelerations(embedding: Embedding, q: Array) -> Array:
    layout = Layout(embedding)
    instant = Instant(embedding, layout, q, np.ones(embedding.n_v), np.zeros(0), np.zeros(0))
    return np.asarray(instant.accelerations.v_dot, dtype=float)


@pytest.mark.parametrize("off", [6e-17, 1e-9, 3e-6])
def test_nearly_parallel_axis_is_taken_as_parallel(off: float) -> None:
    """The angle changes accelerations by as much at most; taken as exact, by nothing but rounding."""
    q = np.array((0.1, 0.2))
    exact, near = embed(hanging_four_bar(0.0)), embed(hanging_four_bar(off))
    assert near.n_v == 2
    np.testing.assert_allclose(accelerations(near, q), accelerations(exact, q), rtol=1e-12)
    some = q + np.random.default_rng(0).uniform(-0.1, 0.1, (1000, 2))
    assert np.max(closure_errors_at(near, some)) < 2e-14
    assumed = [str(found) for found in near.system.assumptions]
    expected = f"axis of 'lever': off by {off:.2g} rad, taken as exact"
    assert assumed == ([expected] if off > 1e-12 else [])
    assert off < 1e-11 or expected in str(near.system.describe())


def test_what_user_gave_comes_back_with_another_tolerance() -> None:
    system = hanging_four_bar(3e-6)
    assert embed(system).n_v == 2
    system.tolerance = 0.0
    with pytest.warns(
        ce.ImmobilityWarning, match=r"'crank', 'rod', 'lever'\] move as one.*System\(tolerance="
    ):
        assert embed(system).n_v == 1
    np.testing.assert_array_equal(
        system.find("lever").inboard.axis,  # type: ignore[attr-defined]
        ce.Revolute((3e-6, 1.0, 0.0)).axis,
    )
    (kept,) = system.assumptions
    assert str(kept) == "axis of 'lever': off by 3e-06 rad, kept as given"


def test_conditions_that_contradict_each_other_are_refused() -> None:
    """Taken literally, 1e-10 rad leave the loop open by as much: neither closed nor held."""
    with pytest.raises(ce.OverConstrainedError, match=r"contradict each other: 0\.03 rad from"):
        embed(hanging_four_bar(1e-10, tolerance=0.0))


def tables_in_a_plane(digits: int, tolerance: float = TOLERANCE) -> System:
    """Two tables that slide in a plane that holds them both, written down with some digits.

    That they do not leave it depends on three directions that are perpendicular to one normal.
    """
    there = Elsewhere(rotation(np.random.default_rng(3)), np.zeros(3), digits)
    system = System(tolerance=tolerance)
    for name, parent, angle in (("one", "ground", 0.3), ("two", "one", 1.4), ("three", "ground", 2.0)):
        hinge = ce.Prismatic(there.direction(np.array((np.cos(angle), np.sin(angle), 0.0))))
        system.add_body(name, mass=1.0, com=np.zeros(3), inertia=(1.0, 1.0, 1.0), parent=parent, hinge=hinge)
    system.couple("gear", ("one", "two"), ce.LinearCoupling((1.0, -0.7)))
    system.close_loop("plane", "one", "three", ce.Planar(there.direction(np.array((0.0, 0.0, 1.0)))))
    return system


@pytest.mark.parametrize("digits", [6, 9])
def test_directions_in_plane_are_perpendicular_to_its_normal(digits: int) -> None:
    embedding = embed(tables_in_a_plane(digits))
    assert embedding.n_v == 2
    some = np.random.default_rng(0).uniform(-1.0, 1.0, (1000, 2))
    assert np.max(closure_errors_at(embedding, some)) < 1e-15  # a row of sums of three numbers below 1


def test_barely_held_freedoms_are_not_lost_silently() -> None:
    """Everything moves, but one table only as the other does, along the line that both planes share."""
    with pytest.warns(ce.ImmobilityWarning, match=r"barely hold 1 more.*or System\(tolerance=1e-05\)"):
        assert embed(tables_in_a_plane(6, tolerance=0.0)).n_v == 1


@pytest.mark.parametrize("size", [1e-6, 1e-4, 1.0, 1e4])
@pytest.mark.parametrize("kind", ["planar", "spatial"])
def test_sizes_of_loops_do_not_hold_freedoms_barely(size: float, kind: str) -> None:
    """A four-bar, and a crank that leads a rod by a ball; rows in m are small or large beside others."""
    system = System()
    part: dict[str, Any] = {"mass": 1.0, "inertia": size**2 * np.ones(3)}
    joints: dict[str, tuple[Any, Any, Any]] = {
        "planar": (
            ce.Revolute(Y, size * np.array((0.2, 0.0, 0.3))),
            ce.Revolute(Y, (1.2 * size, 0.0, 0.0)),
            ce.Spherical(size * np.array((1.1, 0.0, 0.8))),
        ),
        "spatial": (
            ce.Spherical(size * np.array((0.3, 0.1, 0.4))),
            ce.Revolute((1.0, 0.2, 0.0), (1.3 * size, 0.0, 0.0)),
            ce.Universal((0, 0, 1), Y, size * np.array((1.3, 0.5, 0.2))),
        ),
    }
    first, last, end = joints[kind]
    crank = system.add_body("crank", parent="ground", hinge=ce.Revolute(Y), **part)
    rod = system.add_body("rod", parent=crank, hinge=first, **part)
    lever = system.add_body("lever", parent="ground", hinge=last, **part)
    system.close_loop("end", rod, lever, end)
    assert embed(system).n_v == 1  # warnings are errors


def test_contradictions_are_refused_where_nothing_is_solved_numerically() -> None:
    """Couplings find all dependent hinges; nine digits leave the redundant condition open by 1e-10."""
    with pytest.raises(ce.OverConstrainedError, match="contradict each other"):
        embed(tables_in_a_plane(9, tolerance=0.0))


def test_what_is_prescribed_moves_as_well() -> None:
    """A door whose frame is driven, on a floor that is off by 1e-9 rad: both hinges are taken as exact."""
    system = System()
    for what in ("turn", "turn_rate", "turn_acceleration"):
        system.add_input(what, "")
    part = np.array((0.1, 0.1, 0.1))
    for name, parent, axis in (("door", "ground", (0.0, 0.0, 1.0)), ("latch", "door", (1.0, 0.0, 0.0))):
        hinge = ce.Revolute(axis)
        system.add_body(name, mass=1.0, com=(0.5, 0.0, 0.0), inertia=part, parent=parent, hinge=hinge)
    system.prescribe("door", Driven("turn"))
    system.close_loop("floor", "ground", "door", ce.Planar((1e-9, 0.0, 1.0), (0.4, 0.0, 0.0)))
    embedding = embed(system)
    assert [found.owner for found in system.assumptions] in (["door"], ["floor"])
    turns = np.random.default_rng(0).uniform(-3.0, 3.0, (100, 1))
    errors = closure_errors_at(embedding, np.zeros((100, 1)), np.hstack((turns, np.zeros((100, 2)))))
    assert np.max(errors) < 1e-15


@pytest.mark.parametrize("value", [-1e-9, 0.1, float("nan")])
def test_tolerances_that_make_no_sense(value: float) -> None:
    with pytest.raises(ce.ModelError, match="System: tolerance"):
        System(tolerance=value)


MECHANISMS: dict[str, Callable[[], System]] = {
    "slider-crank led by its slider": lambda: slider_crank(0.3, 1.0, 0.5, ("slider",)),
    "floating coupler": floating_coupler,
    "Bricard": bricard,
}


@pytest.mark.parametrize(("digits", "away"), [(None, 5e3), (12, 0.0), (9, 0.0), (6, 5e3)])
@pytest.mark.parametrize("name", MECHANISMS)
def test_mechanisms_elsewhere(name: str, digits: int | None, away: float) -> None:
    """Turned, moved and rounded they move as they did, to the precision of their data, and close to rounding.

    Positions 5 km away are multiples of 9e-13 m, a few of which add up along a loop.  A Bricard whose points
    are rounded moves because conditions are left out that agree to those.
    """
    rng = np.random.default_rng(5)
    home = MECHANISMS[name]()
    there = Elsewhere(rotation(rng), away * rng.uniform(-1.0, 1.0, 3), digits)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        embedding = embed(there(home))
    q = np.array((0.03,))
    precision = 9e-13 if digits is None else 10.0**-digits
    tolerance = 100.0 * precision  # what lengths of about 1 m are multiplied by in accelerations
    expected = accelerations(embed(home), q)
    np.testing.assert_allclose(accelerations(embedding, q), expected, rtol=tolerance, atol=tolerance)
    some = rng.uniform(-0.04, 0.04, (1000, 1))
    assert np.max(closure_errors_at(embedding, some)) < (2e-11 if away else 5e-15)


def two_balls(length: float, tilt: float) -> System:
    """A four-bar whose last hinge is two balls on its axis, 0.1 m and ``length`` apart on its bodies."""
    system = System(gravity=(0.0, 0.0, -9.81))
    for name, parent, at, com in (
        ("crank", "ground", (0.0, 0.0, 0.0), (0.1, 0.0, 0.1)),
        ("rod", "crank", (0.3, 0.0, 0.0), (0.6, 0.0, 0.4)),
        ("lever", "ground", (1.32, 0.0, 0.24), (1.1, 0.0, 0.5)),
    ):
        hinge = ce.Revolute(Y, at)
        system.add_body(name, mass=1.0, com=com, inertia=(0.1, 0.1, 0.1), parent=parent, hinge=hinge)
    near, far = (0.9, 0.0, 0.8), (0.9, 0.1, 0.8)
    system.close_loop("near", "rod", "lever", ce.Spherical(near), independent=["crank"])
    other = (0.9 + tilt, length, 0.8)
    system.close_loop("far", "rod", "lever", ce.BetweenFrames("spherical", far, other))
    return system


@pytest.mark.parametrize(("length", "tilt"), [(0.1, 0.0), (0.1 + 2e-7, 0.0), (0.1, 2e-7), (0.1 - 3e-7, 4e-7)])
def test_hinge_of_two_balls_moves_as_one(length: float, tilt: float) -> None:
    """Lengths of about 1 m that are off by 5e-7 m change accelerations by some times that."""
    hinged = two_balls(0.1, 0.0)
    hinged.closures = [hinged.closures[0]]
    q = np.array((0.2,))
    expected = accelerations(embed(hinged), q)
    embedding = embed(two_balls(length, tilt))
    np.testing.assert_allclose(accelerations(embedding, q), expected, rtol=1e-5)
    off = max(abs(length - 0.1), tilt)
    left_out = [found for found in embedding.system.assumptions if found.what == "conditions"]
    assert bool(left_out) == (off > 0.0)
    assert all(found.amount < 4.0 * off for found in left_out)
    some = np.random.default_rng(0).uniform(-0.3, 0.3, (1000, 1))
    assert np.max(closure_errors_at(embedding, some)) < 1e-14


def test_two_balls_that_are_farther_apart_need_tolerance() -> None:
    system = two_balls(0.1 + 2e-5, 0.0)
    with pytest.raises(ce.AssemblyError, match=r"give System\(tolerance=0.0001\)"):
        embed(system)
    system.tolerance = 1e-4
    assert embed(system).n_v == 1
    assert "conditions of 'far': those that others imply" in str(system.describe())
    system.tolerance = 1e-5
    with pytest.raises(ce.AssemblyError):
        embed(system)


def test_random_mechanisms_in_random_orientations(capsys: pytest.CaptureFixture[str]) -> None:
    """A sample of what ``python -m tests.campaign orientations`` tries by the thousand."""
    assert main(["--count", "4", "--states", "300", "--seed", "11"]) == 0
    assert "closed at" in capsys.readouterr().out
