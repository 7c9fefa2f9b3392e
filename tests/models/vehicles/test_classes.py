"""Every shipped vehicle is plausible for its class, and the statics that say so agree with simulation."""

import pytest

from ce_dynamics.models import handling
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.files import SHIPPED
from tests.campaigns.performance.by_hand import top_speed
from tests.campaigns.performance.classes import CLASS_OF, CLASSES, SOURCES, Range, at_rest, by_statics


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_vehicles_are_plausible_for_their_class(name: str) -> None:
    """Ride frequencies, roll gradient, top speed; the campaign ``performance.classes`` has the rest."""
    found = by_statics(name)
    assert len(found) == len(VehicleParameters.load(name).layout.axles_of(None)) + 2
    assert [one for one in found if not one.within.has(one.value)] == []


def test_every_range_has_a_source() -> None:
    entries = [entry for one in CLASSES.values() for entry in one]
    ranges = [entry if isinstance(entry, Range) else entry[1] for entry in entries]
    assert {within.source for within in ranges} == set(SOURCES)
    assert set(CLASS_OF.values()) == set(CLASSES)
    assert all(within.low < within.high for within in ranges)


def test_roll_gradient_by_statics_is_that_of_cornering() -> None:
    """Side forces at the tilted wheels and roll centres that move with the roll are left out: 10 %."""
    cornering = handling.perform("constant-speed", handling.vehicle("sedan"))
    assert at_rest(VehicleParameters.load("sedan")).roll_gradient == pytest.approx(
        cornering["roll_gradient"], rel=0.1
    )


def test_top_speed_by_forces_is_where_acceleration_ends() -> None:
    """From the top speed by hand: the HMMWV's slipping wheels, which balance leaves out, lose 2 %."""
    speed = top_speed(VehicleParameters.load("hmmwv"))
    run = handling.perform("acceleration", handling.vehicle("hmmwv"), speed=speed, duration=30.0)
    assert run["final_speed"] / 3.6 == pytest.approx(speed, rel=0.03)
