"""Bushings in vehicle files: what they become on either side, what is refused by file and key."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ce_dynamics.embedding.embed import embed
from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from tests.models.kc.soft_sedan import soft_sedan
from tests.models.vehicles.any_vehicle import assert_accelerations, driven, random_instant

DYNAMIC = "kinds: {bushings: dynamic}\n"
MIRROR = np.diag((1.0, -1.0, 1.0))


def elements(path: Path, *overrides: str) -> dict[str, Any]:
    data = VehicleParameters.load(path, overrides)
    system = build(data, ideal_joints=True)
    return {bushing.name: bushing.elastic(system)[0] for bushing in data.bushings}


def test_right_side_is_mirror_image_of_the_left(tmp_path: Path) -> None:
    found = elements(soft_sedan(tmp_path))
    names = [name for name in found if name.startswith("front_left.")]
    assert len(names) == 4
    for name in names:
        left, right = found[name], found[name.replace("_left", "_right")]
        assert right.joint == left.joint.replace("_left", "_right")
        if name.endswith("tie_rod_end"):
            assert left.element.spring.k == 20e6
            np.testing.assert_array_equal(right.element.at_a, MIRROR @ left.element.at_a)
            continue
        np.testing.assert_array_equal(right.element.at, MIRROR @ left.element.at)
        np.testing.assert_allclose(right.element.axes, MIRROR @ left.element.axes, atol=1e-15)
        assert (left.element.sense, right.element.sense) == (1.0, -1.0)


@pytest.mark.parametrize(
    ("base", "axle", "joint", "name"),
    [
        ("hatchback", "rear", "link_1", "rear_left.upright/chassis link_1"),
        ("hatchback", "front", "tie_rod", "front_left.upright/steering.rack tie rod"),
        ("truck", "rear", "link", "rear.axle/chassis rear_left.link"),
        ("sedan", "front", "spindle steering", "front_left.spindle/steering.rack"),
    ],
)
def test_rods_are_found_by_their_names(tmp_path: Path, base: str, axle: str, joint: str, name: str) -> None:
    """The joint that keeps a rod's length yields, not the body that shows the rod."""
    path = tmp_path / "rods.yaml"
    path.write_text(
        f"title: Rods\nbase: {base}\nbushings: {{{axle}: {{rod: {{joint: {joint}}}}}}}\n"
        f"{axle}: {{rod: {{z: {{stiffness: 5 kN/mm}}}}}}\n"
    )
    found = elements(path)[f"{axle}_left.rod"]
    assert found.joint == name
    assert found.element.spring.k == 5e6


def test_axes_are_those_of_the_joint(tmp_path: Path) -> None:
    """z along the upper arm's axis by its published pivots, x square to it and upwards."""
    axes = elements(soft_sedan(tmp_path))["front_left.upper"].element.axes
    along = np.array((-0.100, 0.470, 0.105)) - np.array((-0.250, 0.510, 0.110))
    np.testing.assert_allclose(axes[:, 2], along / np.linalg.norm(along), atol=1e-12)
    assert axes[2, 0] > 0.99
    assert abs(axes[2, 1]) < 1e-12


def test_a_table_is_stiffer_as_it_is_written(tmp_path: Path) -> None:
    """Through its points, beyond them with the slope at the last one, which PCHIP takes from the last two."""
    law = elements(soft_sedan(tmp_path))["front_left.lower_front"].element.stiffness[2]
    for d, force in ((-2e-3, -6e3), (-1e-3, -1.5e3), (0.0, 0.0), (2e-3, 6e3)):
        assert law.force(d) == pytest.approx(force, abs=1e-9)
    assert law.force(3e-3) > 9e3


def test_dynamic_bushings_free_the_bodies(tmp_path: Path) -> None:
    """Two arms on bushings and an elastic rod: 12 freedoms a side instead of one."""
    ideal = embed(build(VehicleParameters.load(soft_sedan(tmp_path))))
    system = build(VehicleParameters.load(soft_sedan(tmp_path, more=DYNAMIC)))
    assert embed(system).n_v == ideal.n_v + 2 * (12 - 1)
    assert {"front_left.upper", "front_right.tie_rod_end"} <= {element.name for element in system.forces}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (
            ("upper: {joint: upper_arm}", "upper: {joint: uper_arm}"),
            "soft.yaml:8: bushings.front.upper: no joint",
        ),
        (("upper: {joint: upper_arm}", "upper: {joint: a b c}"), "the name of a joint or of two bodies"),
        (("upper: {joint: upper_arm}", "upper: {hinge: upper_arm}"), "names its joint"),
        (("upper: {joint: upper_arm}", "wheel: {joint: upper_arm}"), "something else already"),
        (("bushings:\n  front:", "bushings:\n  middle:"), "none of the axles"),
        (("    x: {stiffness: 8 kN/mm}\n", ""), r"soft.yaml: front.upper.x: missing; give its stiffness"),
        (("x: {stiffness: 8 kN/mm}", "x: {stiffness: -8 kN/mm}"), r"front.upper.x.stiffness: .*at least 0"),
        (("x: {stiffness: 8 kN/mm}", "x: {stiffness: 8 kN}"), "front.upper.x.stiffness"),
        (("x: {stiffness: 8 kN/mm}", "x: {damping: 8 N*s/m}"), "either a stiffness or a curve"),
        (("x: {stiffness: 8 kN/mm}", "x: {stiffness: 8 N/m, damping: 1 N*s/m}"), "damping: it has no effect"),
        (
            ("z: {stiffness: 20 kN/mm}", "z: {stiffness: 20 kN/mm}\n    x: {stiffness: 1 N/m}"),
            "along its line",
        ),
        (("    at: (-0.2, 0.47, -0.265) m\n", ""), "without 'at'"),
        (("at: (-0.2, 0.47, -0.265) m", "at: (-0.2, 0.47, -0.165) m"), "99.99 mm from the axis"),
        (('deflection: "(-2, -1,', 'deflection: "(-1, -2,'), "deflection"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, changed: tuple[str, str], words: str) -> None:
    path = soft_sedan(tmp_path, changed=changed)
    with pytest.raises(DataError, match=words):
        build(VehicleParameters.load(path))


def test_a_kind_without_bushings_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "stiff.yaml"
    path.write_text("title: Nothing yields\nbase: sedan\n" + DYNAMIC)
    with pytest.raises(DataError, match="there are none, so it has no effect"):
        VehicleParameters.load(path)


@pytest.mark.parametrize(("axle", "joint", "more"), [("rear", "link_1", 2), ("front", "tie_rod", 2)])
def test_rods_of_linkages_that_nothing_whole_leads(tmp_path: Path, axle: str, joint: str, more: int) -> None:
    """One freedom more a side, led by what components of hinges there are; the augmented equations agree."""
    path = tmp_path / "rods.yaml"
    path.write_text(
        f"title: Rods\nbase: hatchback\n{DYNAMIC}bushings: {{{axle}: {{rod: {{joint: {joint}}}}}}}\n"
        f"{axle}: {{rod: {{z: {{stiffness: 5 kN/mm, damping: 50 N*s/m}}}}}}\n"
    )
    data = VehicleParameters.load(path)
    system = build(data)
    assert embed(system).n_v == embed(build(VehicleParameters.load("hatchback"))).n_v + more
    rng = np.random.default_rng(0)
    instant = random_instant(driven(system, "steering.rack"), rng, data.ride_height, 0.005, 0.01)
    assert_accelerations(instant, 1e-9)


def test_stiffness_may_stay_open_where_effective(tmp_path: Path) -> None:
    """On both sides alike, of bushings that yield as the vehicle drives, and for the rig."""
    key = "front.lower_rear.z.stiffness"
    driving = VehicleParameters.load(soft_sedan(tmp_path, more=DYNAMIC), free=[key])
    laws = [one.stiffness["z"] for one in driving.bushings if one.name.endswith("lower_rear")]
    assert [getattr(law, "name", "") for law in laws] == [key, key]
    assert [*build(driving).parameters] == [key]
    still = VehicleParameters.load(soft_sedan(tmp_path), free=[key])
    assert build(still, ideal_joints=True).parameters
    with pytest.raises(
        DataError, match=r"soft.yaml: front.lower_rear.z.stiffness cannot be a free parameter"
    ):
        build(still)
    with pytest.raises(DataError, match="a bushing's curve is a monotone cubic"):
        VehicleParameters.load(soft_sedan(tmp_path), free=["front.lower_front.z.curve.force.1"])
