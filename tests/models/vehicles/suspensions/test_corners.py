"""Every template of a corner against the formulation with all hinges cut, mirrored, turned and steered."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from ce_dynamics.algebra.arrays import array
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles.suspensions.template import read_template
from tests.kinematics.registry import TILT
from tests.models.vehicles.any_vehicle import assert_accelerations
from tests.models.vehicles.suspensions.rig import (
    CASES,
    LEADS,
    STEERED,
    corner,
    instant,
    on_rig,
    turned,
    wheel_centre,
)

TRAVEL = 0.12
"""[rad, or m]: some 100 mm at the wheel."""


@pytest.mark.parametrize("template", CASES)
@pytest.mark.parametrize(("side", "travel", "steer"), [("left", TRAVEL, 0.05), ("right", -TRAVEL, -0.03)])
def test_accelerations_against_all_hinges_cut(
    template: str, side: str, travel: float, steer: float, rng: np.random.Generator
) -> None:
    """Poses close to 1e-12 m, velocities to 1e-11 (`assert_accelerations`), accelerations agree to 1e-10."""
    system = on_rig(corner(template, side, steered=template in STEERED))
    assert_accelerations(instant(system, rng, travel, steer))


@pytest.mark.parametrize("template", [name for name in CASES if name != "rigid"])
def test_the_same_in_other_axes_and_elsewhere(template: str, rng: np.random.Generator) -> None:
    """No axis lies along anything; a corner 3 m away loses three bits, which the tolerances forgive."""
    one = corner(template, steered=template in STEERED)
    shift = np.array((-2.0, 1.0, 2.0))
    system = on_rig(turned(one, TILT, shift), TILT[:, 1])
    found = instant(system, rng, 0.1, 0.04)
    assert_accelerations(found)
    # the wheel is where that of the corner as it stands is, turned
    plain = instant(on_rig(one), rng, 0.1, 0.04)
    in_chassis_axes = ("three-link", "five-link")  # their coordinate is told so
    if one.template not in in_chassis_axes:
        expected = TILT @ wheel_centre(plain, one.W) + shift
        assert wheel_centre(found, TILT @ one.W + shift) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("template", STEERED)
@pytest.mark.parametrize("moved", [0.05, -0.04])
def test_wheel_angle_is_that_of_the_mechanism(template: str, moved: float) -> None:
    """The formula from the hardpoints against the poses of all bodies with the rack displaced."""
    one = corner(template, steered=True)
    system = on_rig(one)
    model = Model(system)
    u = model.inputs_with(inputs={"driven": moved})
    outward = model.instant(model.y0, u).outward
    carrier = system.find("front_left.wheel").carrier
    axis = outward.direction(carrier, array((0.0, 1.0, 0.0)), system.find("chassis"))
    found = np.arctan2(-float(axis[0]), float(axis[1]))
    told = float(one.wheel_angle(one.tie_rod_end + np.array((0.0, moved, 0.0))))
    assert abs(found) > 0.1
    assert told == pytest.approx(found, abs=1e-12)


@pytest.mark.parametrize("template", [name for name in CASES if name != "rigid"])
def test_the_right_corner_is_the_mirror_image(template: str) -> None:
    left, right = (on_rig(corner(template, side)) for side in ("left", "right"))
    lead = LEADS.get(template, "trailing_arm")
    centres = []
    for side, system in (("left", left), ("right", right)):
        model = Model(system)
        y = model.y0
        names = [entry.name for entry in model.layout.q]
        mirrored = lead in ("upright.z", "trailing_arm.pitch")  # heights and pitch are their own mirror image
        sign = 1.0 if side == "left" or mirrored else -1.0
        y[names.index(f"front_{side}.{lead}")] = 0.1 * sign
        centres.append(wheel_centre(model.instant(y, model.u0), corner(template, side).W))
    assert abs(centres[0][2] - 0.1) > 0.02
    assert centres[1] * (1.0, -1.0, 1.0) == pytest.approx(centres[0], abs=1e-13)


@pytest.mark.parametrize("template", [name for name in CASES if name not in STEERED])
def test_what_has_no_tie_rod_cannot_be_steered(template: str) -> None:
    with pytest.raises(
        DataError, match=f"front_left: a {template} suspension has no tie rod and cannot be steered"
    ):
        corner(template).wheel_angle(np.zeros(3))


def test_anti_roll_bar_needs_wheel_moving_on_chassis() -> None:
    with pytest.raises(DataError, match=r"axles\.front: an anti-roll bar does nothing where wheels turn on"):
        _ = corner("rigid").drop_link_carrier


ARM: dict[str, Any] = {
    "title": "an arm", "wheel": "arm", "bar": "arm",
    "side": {
        "parts": {"arm": "body pivot"},
        "joints": {"arm": {"spherical": "chassis arm", "at": "arm.pivot"}},
    },
}  # fmt: skip
"""A template that can be read."""


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({"parts": {"arm": "bdy pivot"}}, "own.yaml: arm: no kind of part 'bdy'; did you mean 'body'"),
        ({"joints": {"arm": {"hinge": "chassis arm"}}}, "own.yaml: arm: no kind of joint 'hinge'"),
        ({"closed_form": ["spindle arm rod"]}, "own.yaml: closed_form spindle: no joint 'rod'"),
        ({"closed_form": ["spindel arm"]}, "own.yaml: no closed form 'spindel'; did you mean 'spindle'"),
    ],
)
def test_unknown_words_of_templates_are_refused(tmp_path: Path, block: dict[str, Any], message: str) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(yaml.safe_dump(ARM))
    assert read_template(path).side.joints[0].points == ("arm.pivot",)
    path.write_text(yaml.safe_dump({**ARM, "side": {**ARM["side"], **block}}))
    with pytest.raises(DataError, match=message):
        read_template(path)
