"""Every template of an axle with a beam against the formulation with all hinges cut; its steering gear."""

import numpy as np
import pytest
from numpy.random import Generator

from ce_dynamics.algebra.arrays import array
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import DataError
from tests.models.vehicles.any_vehicle import assert_accelerations
from tests.models.vehicles.suspensions.rig import (
    BEAM_CASES,
    CLAMP,
    OTHER_BEAMS,
    beam,
    beam_on_rig,
    corners_of,
    instant,
)

LEAVES, LINKS = "shackled-leaf-spring", "parallel-links"
AXLES = [
    *((name, "toe-bar", 0.1, 0.04, 1 if name == "pinned-axle" else 2) for name in BEAM_CASES),
    *((name, "", -0.1, 0.04, 1 if name == "pinned-axle" else 2) for name in BEAM_CASES),
    *(("twist-beam", "", travel, 0.0, 2) for travel in (0.08, -0.08)),
    (LEAVES, "toe-bar", 0.06, 0.02, 4),  # sideways, height, roll, wind-up
    (LEAVES, "", -0.06, 0.02, 4),
    (LINKS, "tie-rods", 0.08, 0.02, 1),
    (LINKS, "", -0.08, 0.02, 1),
    *((name, "bell-crank", 0.06, 0.03, 2) for name in ("leaf-spring", "three-link-axle")),
]
"""Template, steering gear if steered, travel [rad, or m], steering [m], freedoms of the axle."""


@pytest.mark.parametrize(("template", "gear", "travel", "steer", "freedoms"), AXLES)
def test_axles_accelerate_as_with_all_hinges_cut(
    template: str, gear: str, travel: float, steer: float, freedoms: int, rng: Generator
) -> None:
    system = beam_on_rig(beam(template, bool(gear), gear or "toe-bar"))
    found = instant(system, rng, travel, steer)
    assert len(found.v) == 6 + freedoms + 2  # chassis, axle, wheels
    assert_accelerations(found)


def test_leaf_springs_carry_their_preload(monkeypatch: pytest.MonkeyPatch) -> None:
    """By virtual work: with level halves and upright shackles the beam's height turns each half by dz/r.

    So dE/dz is the sum of the preloads, and d²E/dz² the sum of k/r² there.
    """
    own, end = OTHER_BEAMS["shackled-leaf-spring"]
    level = {
        "front_leaf": end["front_leaf"] | {"clamp": (0.05, 0.4, 0.1), "eye": (0.55, 0.4, 0.1)},
        "rear_leaf": end["rear_leaf"] | {"clamp": (-0.05, 0.4, 0.1), "eye": (-0.45, 0.4, 0.1)},
        "shackle": end["shackle"] | {"pivot": (-0.45, 0.4, 0.2)},
    }
    clamps = {"front_clamp": CLAMP, "rear_clamp": CLAMP | {"bending": 8e3, "preload": 700.0}}
    monkeypatch.setitem(OTHER_BEAMS, "shackled-leaf-spring", (own | clamps, level))
    model = Model(beam_on_rig(beam("shackled-leaf-spring", False)))
    height = [entry.name for entry in model.layout.q].index("front.heave")
    step, energies = 1e-4, []
    for z in (-step, 0.0, step):
        y = model.y0
        y[height] += z
        responses = model.instant(y, model.u0).loads.responses
        energies.append(
            sum(
                float(r.potential) for name, r in responses.items() if name.endswith((".bending", ".lateral"))
            )
        )
    below, here, above = energies
    assert (above - below) / (2.0 * step) == pytest.approx(2.0 * (1500.0 + 700.0), rel=1e-5)
    # k/r² of either half on either side; preloads times second derivatives of the angles are of no weight
    stiffness = 2.0 * (9e3 / 0.5**2 + 8e3 / 0.4**2)
    assert (above - 2.0 * here + below) / step**2 == pytest.approx(stiffness, rel=0.05)


def test_twist_beam_rolls_about_pivot_and_shear_centre() -> None:
    """The left wheel of the first order: with both halves twisted alike, points on that line stay."""
    axle = beam("twist-beam", False)
    system = beam_on_rig(axle)
    model = Model(system)
    names = [entry.name for entry in model.layout.q]
    small = 1e-5
    y = model.y0  # the right half twists back what the left one pitches, twice: heave of the middle stays
    y[names.index("front_left.half.pitch")], y[names.index("front_right.half")] = small, -2.0 * small
    outward = model.instant(y, model.u0).outward
    chassis, half = system.find("chassis"), system.find("front_left.half")
    pivot, centre = axle.sides[0].points["half.pivot"], axle.middle.points["shear_centre"]
    for at in (pivot, centre):
        still = np.asarray(outward.point(half, at, chassis).r + chassis.com) - at
        assert np.abs(still).max() < 0.02 * small  # second order beside 0.25 m times the angle, and sliding
    W = corners_of(axle)[0].W
    moved = np.asarray(outward.point(half, W, chassis).r + chassis.com) - W
    assert abs(moved[2]) > 0.2 * small


@pytest.mark.parametrize("gear", ["toe-bar", "bell-crank"])
@pytest.mark.parametrize("moved", [0.05, -0.04])
def test_wheel_angles_are_those_of_the_mechanism(moved: float, gear: str) -> None:
    """Drag link and toe bar: the formula from the hardpoints against the poses with the bar displaced."""
    axle = beam("leaf-spring", True, gear)
    system = beam_on_rig(axle)
    model = Model(system)
    outward = model.instant(model.y0, model.inputs_with(inputs={"driven": moved})).outward
    for end in corners_of(axle):
        knuckle = system.find(f"{end.name}.knuckle")
        left = outward.direction(knuckle, array((0.0, 1.0, 0.0)), system.find("chassis"))
        found = np.arctan2(-float(left[0]), float(left[1]))
        assert abs(found) > 0.1
        told = float(end.wheel_angle(end.tie_rod_end + np.array((moved, 0.0, 0.0))))
        assert told == pytest.approx(found, abs=1e-13)


def test_a_leaf_spring_axle_only_heaves_and_rolls() -> None:
    """About the roll centre, which slides along the beam's own vertical."""
    system = beam_on_rig(beam("leaf-spring", False))
    model = Model(system)
    y = model.y0
    names = [entry.name for entry in model.layout.q]
    y[names.index("front.guide")], y[names.index("front.axle")] = 0.2, 0.05
    outward = model.instant(y, model.u0).outward
    chassis, axle = system.find("chassis"), system.find("front.axle")
    centre = np.array((1.2, 0.0, 0.15))
    moved = np.asarray(outward.point(axle, centre, chassis).r + chassis.com) - centre
    assert moved == pytest.approx((0.0, -0.05 * np.sin(0.2), 0.05 * np.cos(0.2)), abs=1e-15)


@pytest.mark.parametrize(
    ("template", "point", "value", "message"),
    [
        ("leaf-spring", "roll_centre", (0.1, 0.0, 0.05), r"front.roll_centre.x: .* along x, .* 0.1 m has no"),
        ("pinned-axle", "pin", (-0.1, 0.0, 0.05), r"front.pin.x: .* give 0 m"),
    ],
)
def test_numbers_along_an_axis_are_refused(
    template: str,
    point: str,
    value: tuple[float, float, float],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own, end = BEAM_CASES[template]
    monkeypatch.setitem(BEAM_CASES, template, (own | {point: value}, end))
    with pytest.raises(DataError, match=message):
        beam(template, False)


def test_links_without_length_are_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    own, end = BEAM_CASES["panhard"]
    bar = {"panhard": {"axle": (-0.1, 0.5, 0.02), "chassis": (-0.1, 0.5, 0.02)}}
    monkeypatch.setitem(BEAM_CASES, "panhard", (own | bar, end))
    with pytest.raises(
        DataError, match=r"front\.panhard_rod: its end on axle and that on chassis coincide at"
    ):
        beam_on_rig(beam("panhard", False))
