"""Engine, torque converter, gear choice and the driveline that they make."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import Numbers
from ce_dynamics.models.parts.rounding import OFFSET
from ce_dynamics.models.powertrain.automatic import COUPLING_ROUNDING, LEAST_SPEED, ConverterData
from ce_dynamics.models.powertrain.engine import GOVERNOR_ROUNDING, TorqueCurve, TurningEngineData
from ce_dynamics.models.powertrain.gear_choice import AutomaticGearboxData

ENGINE = TurningEngineData(
    full_throttle=TorqueCurve(speed=(0.0, 200.0, 400.0), torque=(100.0, 300.0, 200.0)),
    closed_throttle=TorqueCurve(speed=(0.0, 400.0), torque=(0.0, -80.0)),
    max_speed=350.0,
    idle_speed=80.0,
    inertia=0.3,
)


def converter(nu: Numbers, capacity: Numbers, ratio: Numbers) -> ConverterData:
    return ConverterData(speed_ratio=nu, capacity=capacity, torque_ratio=ratio)


def gearbox(gears: Numbers, reverse: float = -0.3, downshift: float = 120.0) -> AutomaticGearboxData:
    return AutomaticGearboxData(
        gears=gears, reverse=reverse, upshift=300.0, downshift=downshift, shift_time=0.5
    )


CONVERTER = converter((0.0, 0.5, 0.8, 1.0), (4e-3, 4e-3, 3e-3, 1e-3), (2.0, 1.5, 1.1, 1.0))
GEARS = gearbox((0.25, 0.5, 1.0))


@pytest.mark.parametrize(
    ("speed", "throttle", "torque"),
    [
        (200.0, 1.0, 300.0 - OFFSET * 20.0 * 1.5),  # rounded within ± 20 rad/s, slopes 1 and −1/2
        (220.0, 1.0, 290.0),
        (200.0, 0.0, -40.0),
        (300.0, 0.25, 0.25 * 250.0 - 0.75 * 60.0),
        (100.0, 1.0, 200.0),
        (40.0, 0.0, 140.0),  # far below idle speed the governor opens fully
        (360.0, 1.0, -72.0),  # beyond the highest speed the fuel is cut off
        (82.0, 0.0, -16.4),
        (80.0, 0.0, -16.0 + OFFSET * GOVERNOR_ROUNDING * (180.0 + 16.0)),  # it sets in smoothly
        (72.0, 0.4, -14.4 + (0.4 + 0.6 * 0.5) * (172.0 + 14.4)),  # half of what the throttle leaves closed
    ],
)
def test_torque_of_the_engine(speed: float, throttle: float, torque: float) -> None:
    assert ENGINE.torque(speed, throttle) == pytest.approx(torque, rel=1e-14)


def test_the_engine_idles_where_its_drag_is_met() -> None:
    """Left to itself it comes to rest within the governor's band, from above and from below."""
    ends = []
    for start in (20.0, 300.0):
        run = solve_ivp(
            lambda _, w: ENGINE.torque(w[0], 0.0) / ENGINE.inertia, (0.0, 60.0), [start], rtol=1e-9
        )
        ends.append(run.y[0, -1])
    assert ends[0] == pytest.approx(ends[1], rel=1e-6)
    assert 0.8 * 80.0 < ends[0] < 80.0


def test_the_converter_never_gives_power(rng: np.random.Generator) -> None:
    """Input power equals output power plus heat, in both directions of flow and of turning.

    Below `LEAST_SPEED` of the impeller the ratio of the speeds is that at `LEAST_SPEED`.
    """
    for impeller, turbine in rng.uniform((-400.0, -900.0), (400.0, 900.0), (2000, 2)):
        taken, given = CONVERTER.torques(impeller, turbine)
        if abs(impeller) > LEAST_SPEED:
            heat = taken * impeller - given * turbine
            assert heat >= -1e-12 * abs(taken * impeller)
        with_it = impeller if impeller < 0.0 else impeller - turbine
        assert math.copysign(1.0, taken) == math.copysign(1.0, with_it) or taken == 0.0


def test_the_converter_at_stall_and_coupled() -> None:
    """At stall twice the impeller's torque; at equal speeds none; mirrored where the turbine is faster."""
    assert CONVERTER.torques(200.0, 0.0) == pytest.approx((160.0, 320.0))
    assert CONVERTER.torques(200.0, 200.0) == (0.0, 0.0)
    driving, driven = CONVERTER.torques(200.0, 160.0), CONVERTER.torques(200.0, 240.0)
    # but for the line of the ratio, of slope −1/2, that goes on up to the corner beyond equal speeds
    assert driven == pytest.approx((-driving[0], -driving[0] * (1.0 - 0.5 * COUPLING_ROUNDING)))


@pytest.mark.parametrize("first", [1e-4, 1e-3, 0.01])
def test_short_steep_ends_of_converter_tables_keep_signs(first: float) -> None:
    """Ends are moved outwards by 0.005 at most: along a steep line that would turn the torque round.

    The impeller takes no less than half of what is written at stall where the turbine turns backwards, and
    exactly that at stall.
    """
    nu, capacity = (0.0, first, 1.0 - first, 1.0), (1e-3, 3e-2, 1e-2, 1e-3)
    steep = converter(nu, capacity, (1.2, 2.0, 0.4, 1.0))
    taken, given = zip(*(steep.torques(100.0, 100.0 * v) for v in np.linspace(-0.02, 0.98, 501)), strict=True)
    assert min(taken) >= 0.5 * 1e-3 * 100.0**2 * (1.0 - 1e-12)
    assert min(given) > 0.0
    assert steep.torques(100.0, 0.0) == pytest.approx((10.0, 12.0))
    back, braked = steep.torques(100.0, 105.0)
    assert back < 0.0
    assert 1.0 < braked / back < 1.2


def test_engine_turned_backwards_has_no_own_rest() -> None:
    """It is braked however the turbine turns: what the engine gives has no equilibrium below zero."""
    for turbine in (-90.0, 0.0, 0.5, 90.0):
        found = [CONVERTER.torques(-speed, turbine) for speed in (1.0, 50.0)]
        assert [float(taken) for taken, _ in found] == pytest.approx([-4e-3, -10.0])
        assert [float(given) for _, given in found] == [0.0, 0.0]


def test_converters_that_make_power_are_refused() -> None:
    with pytest.raises(DataError, match=r"at speed ratio 0\.9.* hands on 1\.08 of the power"):
        converter((0.0, 0.9, 1.0), (4e-3, 3e-3, 1e-3), (2.0, 1.2, 1.0))
    with pytest.raises(DataError, match="speed_ratio must go from 0 to 1"):
        converter((0.0, 0.9), (4e-3, 3e-3), (2.0, 1.0))
    with pytest.raises(DataError, match=r"torque_ratio at speed ratio 1 is 1.1"):
        converter((0.0, 1.0), (4e-3, 3e-3), (2.0, 1.1))


def driven(speeds: list[tuple[float, float]]) -> list[float]:
    """Gears after each part of a journey: (output speed at its end, time), linear in between, from rest."""
    z, output, gears = np.array(GEARS.states_at_speed(0.0)), 0.0, []
    for end, duration in speeds:
        begin, output = output, end

        def rates(
            t: float, z: np.ndarray, a: float = begin, b: float = end, T: float = duration
        ) -> np.ndarray:
            return np.array(GEARS.rates(z.tolist(), a + (b - a) * t / T))

        run = solve_ivp(rates, (0.0, duration), z, rtol=1e-9, atol=1e-12, max_step=0.01)
        z = run.y[:, -1]
        assert np.all((z >= -1e-9) & (z <= 1.0 + 1e-9))
        gears.append(float(GEARS.gear(z.tolist())))
    return gears


def test_gears_are_shifted_with_hysteresis() -> None:
    """Output: up at 300 · ratio of the lower gear (75, 150), down at 120 · ratio of the upper (60, 120)."""
    journey = [
        (74.0, 2.0), (80.0, 2.0), (61.0, 2.0), (59.0, 2.0), (74.0, 2.0), (200.0, 4.0), (121.0, 2.0),
        (118.0, 2.0),
    ]  # fmt: skip
    assert driven(journey) == pytest.approx([1.0, 2.0, 2.0, 1.0, 1.0, 3.0, 3.0, 2.0], abs=2e-3)


def test_a_shift_takes_its_time() -> None:
    run = solve_ivp(
        lambda _, z: GEARS.rates(z.tolist(), 80.0),
        (0.0, GEARS.shift_time),
        GEARS.states_at_speed(0.0),
        rtol=1e-9,
    )
    gear = [float(GEARS.gear(z.tolist())) for z in run.y.T]
    assert gear[0] == 1.0
    assert gear[-1] == pytest.approx(2.0, abs=1e-3)
    assert all(a <= b for a, b in pairwise(gear))
    assert float(GEARS.turns(run.y[:, -1].tolist())) == pytest.approx(1.0 / 0.5, rel=1e-3)


def test_gears_shifted_to_and_fro_are_refused() -> None:
    with pytest.raises(DataError, match="gear 2 turns the input at 150 rad/s, below downshift = 160"):
        gearbox((0.25, 0.5), downshift=160.0)
    with pytest.raises(DataError, match="must increase"):
        gearbox((0.5, 0.25), downshift=100.0)
    with pytest.raises(DataError, match=r"reverse: .0.3. must be below 0"):
        gearbox((0.25, 0.5), 0.3, downshift=100.0)
