"""Axles with one freedom: a beam that only rises, and one pinned in its middle; figures by hand."""

from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.errors import DataError
from ce_dynamics.models import kc

A, K, TYRE = 0.8, 5e4, 2e5
PIN = 0.55
SPRING_AT = 0.5


def beam(hinge: Any, spring: bool = True) -> kc.KCRig:
    """Wheels 0.3 m high on a beam; springs from right above it, 0.5 m from the middle."""
    system = ce.System(gravity=(0, 0, 0), name="beam")
    axle = system.add_body(
        "axle", mass=40, com=(0, 0, 0.3), inertia=(5, 5, 5), parent=system.ground, hinge=hinge
    )
    for side, sign in (("left", 1.0), ("right", -1.0)):
        centre = (0.0, sign * A, 0.3)
        spins = ce.Revolute((0, 1, 0), at=centre)
        system.add_body(f"{side}.wheel", mass=10, com=centre, inertia=(1, 1, 1), parent=axle, hinge=spins)
        ends = system.ground, (0.0, sign * SPRING_AT, 0.8), axle, (0.0, sign * SPRING_AT, PIN)
        if spring:
            system.add_force(ce.SpringDamper(f"{side}.spring", *ends, spring=K, free_length=0.25))
    left, right = (kc.Wheel(f"{side}.wheel", loaded_radius=0.3, tyre_rate=TYRE) for side in ("left", "right"))
    return kc.KCRig(
        ce.compile(system),
        kc.Axle("rear", left, right, chassis="ground", wheelbase=2.5, centre_of_mass=(1.0, 0.5)),
    )


def rising() -> kc.KCRig:
    return beam(ce.Prismatic((0, 0, 1), at=(0, 0, 0.3)))


def pinned() -> kc.KCRig:
    return beam(ce.Revolute((1, 0, 0), at=(0, 0, PIN)))


def test_a_beam_that_only_rises() -> None:
    """Both springs over both wheels: each wheel has the rate of one."""
    rig = rising()
    assert rig.kinds == ("parallel",)
    found = rig.sweep("parallel", [-0.05, 0.0, 0.04])
    assert np.allclose(found["wheel_centre_z"].values.T, 0.3 + np.array([-0.05, 0.0, 0.04]), atol=1e-13)
    assert np.allclose(found["wheel_rate"], K, rtol=1e-12)
    assert np.allclose(found["wheel_force"].values.T, K * np.array([-0.05, 0.0, 0.04]), rtol=1e-12, atol=1e-9)
    assert np.allclose(found["ride_rate"], K * TYRE / (K + TYRE), rtol=1e-12)
    assert np.allclose(found["spring_motion_ratio"], 1.0, rtol=1e-12)
    assert not {"roll_rate", "roll_centre_height", "single_wheel_rate", "roll_steer"} & set(found)


def test_a_beam_pinned_in_its_middle() -> None:
    """It turns about its pin: that is the roll centre, and springs at ±b turn it back with 2 k b²."""
    rig = pinned()
    assert rig.kinds == ("opposed",)
    found = rig.sweep("opposed", [-0.05, 0.0, 0.05])
    assert np.allclose(found["camber_angle"].sel(side="left"), -np.arcsin(np.array([-0.05, 0, 0.05]) / A))
    level = found.isel(pose=1)
    assert np.isclose(level["roll_centre_height"], PIN, rtol=1e-12)
    assert np.isclose(level["roll_rate"], 2.0 * K * SPRING_AT**2, rtol=1e-12)
    with_tyres = 1.0 / (1.0 / (2.0 * K * SPRING_AT**2) + 1.0 / (2.0 * TYRE * A**2))
    assert np.isclose(level["roll_rate_with_tyres"], with_tyres, rtol=1e-12)
    assert not {"wheel_rate", "ride_steer", "anti_squat", "spring_motion_ratio"} & set(found)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (
            lambda: rising().sweep("opposed", [0.01]),
            "together.*10 mm left and -10 mm.*parallel",
        ),
        (lambda: rising().solve_poses([[0.01, 0.0]]), "no travel of 10 mm left and 0 mm right"),
        (lambda: pinned().sweep("parallel", [0.01]), "against each other.*take opposed travel"),
        (lambda: kc.ends_of_travel(rising(), "left"), "take parallel travel"),
        (lambda: rising().read(np.zeros((1, 1)), ["roll_rate"]), "no roll_rate.*parallel travel only"),
        (
            lambda: kc.rig_of("sedan", "front").function(["roll"]),
            "no quantity 'roll'; did you mean 'roll_rate'",
        ),
        (lambda: beam(ce.Prismatic((0, 1, 0), at=(0, 0, 0.3))), "neither rise nor fall"),
    ],
)
def test_what_is_not_there_is_named(wrong: Any, words: str) -> None:
    with pytest.raises(DataError, match=words):
        wrong()


def test_travels_are_those_of_the_wheels() -> None:
    """A beam of ±a pinned h above its wheels comes to h − h cos φ ± a sin φ; given is half the difference."""
    found = pinned().sweep("opposed", [-0.1, 0.1])
    phi, h = np.arcsin(np.array([-0.1, 0.1]) / A), PIN - 0.3
    expected = np.stack([h - h * np.cos(phi) + sign * A * np.sin(phi) for sign in (1.0, -1.0)], axis=1)
    assert np.allclose(found["wheel_travel"], expected, rtol=0, atol=1e-13)


def test_ends_of_the_travel_of_a_pinned_beam() -> None:
    """The ends of a beam come as high as it is long: half the difference of both heights is a sin φ."""
    low, high = kc.ends_of_travel(pinned(), "opposed")
    assert low is not None
    assert high is not None
    assert np.isclose(high.value, A, atol=1e-8)
    assert np.isclose(low.value, -A, atol=1e-8)


def test_roll_centre_of_trailing_arms_is_on_road() -> None:
    """Their contact centres move along the vehicle only: lines through them are level and never meet."""
    rig = kc.rig_of("van-trailer", "trailer_1")
    found = rig.sweep("opposed", [-0.04, 0.0, 0.05], quantities=["roll_centre_height", "roll_centre_lateral"])
    assert np.allclose(found["roll_centre_height"], 0.0, atol=1e-9)
    assert np.all(np.isnan(found["roll_centre_lateral"]))


def test_axles_of_a_trailer_are_behind_its_hitch() -> None:
    """Both of a tandem go the same way on arms of the same shape, so both wheelbases change alike."""
    rigs = [kc.rig_of("van-trailer", name) for name in ("trailer_1", "trailer_2")]
    one, other = (rig.sweep("parallel", [-0.05, 0.05], quantities=["wheelbase_change"]) for rig in rigs)
    assert np.allclose(one["wheelbase_change"], other["wheelbase_change"], atol=1e-12)
    assert np.all(np.abs(one["wheelbase_change"]) > 1e-3)
    assert "anti_squat" in {quantity.name for quantity in rigs[0].quantities}
