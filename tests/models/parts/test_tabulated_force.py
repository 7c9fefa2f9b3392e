"""Laws by tables: through their points, constant beyond, and energies that are their integrals."""

import numpy as np
import pytest
from scipy.integrate import quad

import ce_dynamics as ce
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.forces.laws import Law, Linear, Polynomial
from ce_dynamics.models.parts.rounding import OFFSET, RoundedTable
from ce_dynamics.models.vehicles.springs import (
    DAMPER_ROUNDING,
    Degressive,
    StoppedSpring,
    TabulatedStops,
    Together,
    Travel,
)

X, Y = (-0.2, -0.05, 0.0, 0.1), (-900.0, -100.0, 0.0, 500.0)
CURVE = RoundedTable(X, Y)
STOPS = TabulatedStops(-0.1, 0.05, RoundedTable((0.0, 0.01, 0.03), (0.0, 50.0, 900.0)))


def test_ramps_pass_by_their_points_and_stay_beyond() -> None:
    """Off by OFFSET times the change of slope times a tenth of the narrower interval."""
    slopes = np.array([0.0, 16000.0 / 3.0, 2000.0, 5000.0, 0.0])
    widths = np.array([0.015, 0.005, 0.005, 0.01])
    assert [CURVE.force(x) for x in X] == pytest.approx(np.array(Y) + OFFSET * widths * np.diff(slopes))
    assert CURVE.force(0.05) == pytest.approx(250.0)
    assert (CURVE.force(-3.0), CURVE.force(3.0)) == pytest.approx((-900.0, 500.0))


def test_stops_push_back_by_their_table() -> None:
    assert STOPS.force(0.0) == 0.0
    assert STOPS.force(0.055) == pytest.approx(25.0)  # tension, 5 mm beyond the longest
    # 10 mm beyond: a corner from 5 to 42.5 kN/m, rounded within ± 1 mm
    assert STOPS.force(0.06) == pytest.approx(50.0 + OFFSET * 1e-3 * 37500.0)
    assert [STOPS.force(x) for x in (-0.099, 0.0, 0.049)] == [0.0, 0.0, 0.0]
    assert STOPS.force(-0.12) == pytest.approx(-475.0)  # 20 mm short: half way from 50 to 900
    assert STOPS.force(1.0) == pytest.approx(900.0)


@pytest.mark.parametrize("law", [CURVE, STOPS, Polynomial((-40.0,)), Together([CURVE, STOPS, Linear(700.0)])])
@pytest.mark.parametrize("x", [-0.3, -0.11, 0.0, 0.055, 0.4])
def test_energy_is_the_integral_of_the_force(law: Law, x: float) -> None:
    """SciPy's adaptive quadrature with the corners told; 1e-9 of the largest energy, some 200 J."""
    stops = ((-0.13, 0.002), (-0.11, 1e-3), (-0.1, 1e-3), (0.05, 1e-3), (0.06, 1e-3), (0.08, 0.002))
    rounded = (*zip(X, (0.015, 0.005, 0.005, 0.01), strict=True), *stops)
    places = (c + side * w for c, w in rounded for side in (-1.0, 0.0, 1.0))
    corners = sorted(place for place in places if min(0.0, x) < place < max(0.0, x))
    integral = quad(lambda s: float(law.force(s)), 0.0, x, points=corners or None)[0]
    assert float(law.energy(x)) == pytest.approx(integral, abs=2e-7)


def test_degressive_dampers_by_hand() -> None:
    damper = Degressive(1000.0, compression=2.0, extension=1.0)
    assert damper.force(0.5) == pytest.approx(1000.0 * 0.5 / 1.5)
    assert damper.force(-0.5) == pytest.approx(-1000.0 * 0.5 / 2.0)
    # at rest |v| is rounded to 5/16 of the width, by the mean of both degressions
    slopes = [damper.force(h) / h for h in (1e-9, -1e-9)]
    assert slopes == pytest.approx([1000.0 / (1.0 + 1.5 * 2.0 * OFFSET * DAMPER_ROUNDING)] * 2, rel=1e-8)
    assert 1.0 - slopes[0] / 1000.0 < 0.0024


@pytest.mark.parametrize("travel", [3e-4, 9e-4])
def test_stops_less_than_their_roundings_apart(travel: float) -> None:
    """Half a millimetre of rounding each would jump in the middle: at most 1 MN/m."""
    table = RoundedTable((0.0, 0.01, 0.02), (0.0, 1e4, 3e4), Travel(0.0, travel).rounding)
    for law in (StoppedSpring(0.0, 0.0, 0.0, travel, 1e6, 0.0), TabulatedStops(0.0, travel, table)):
        x = np.linspace(-2e-3, travel + 2e-3, 2001)
        steps = np.diff([float(law.force(value)) for value in x])
        assert steps.min() >= 0.0
        assert steps.max() <= 1e6 * (x[1] - x[0]) * (1.0 + 1e-9)


def test_tables_that_are_no_functions() -> None:
    with pytest.raises(DataError, match="must increase"):
        RoundedTable((0.0, 0.0), (1.0, 2.0))
    with pytest.raises(DataError, match=r"begins at \(0, 5\); it must at \(0, 0\)"):
        TabulatedStops(0.0, 1.0, RoundedTable((0.0, 1.0), (5.0, 6.0)))
    assert np.isfinite(CURVE.force(1e9))


def slider_on(x: tuple[float, ...], y: tuple[float, ...], free: str) -> ce.Model:
    """A mass of 2 kg on a spring by a table, whose abscissae or forces are free parameters."""
    system = ce.System(gravity=(0, 0, 0), name="table")
    named = x if free == "x" else y
    numbers = [system.add_parameter(ce.Parameter(f"{free}{k}", value, "1")) for k, value in enumerate(named)]
    law = RoundedTable(tuple(numbers), y) if free == "x" else RoundedTable(x, tuple(numbers))
    slider = system.add_body(
        "slider",
        mass=2.0,
        com=(0, 0, 0),
        parent=system.ground,
        hinge=ce.Prismatic((1, 0, 0)),
        inertia=(1, 1, 1),
    )
    system.add_force(ce.TorsionSpringDamper("spring", slider, spring=law))
    return ce.compile(system)


def test_forces_of_a_table_as_free_parameters() -> None:
    """A force between two points is linear in both: a hat over the abscissa."""
    model = slider_on((-1.0, 0.0, 2.0), (-10.0, 5.0, 30.0), "y")
    for x, hats in (
        (-1.5, (1.0, 0.0, 0.0)),
        (-0.25, (0.25, 0.75, 0.0)),
        (0.5, (0.0, 0.75, 0.25)),
        (3.0, (0, 0, 1)),
    ):
        found = model.derivatives("rate of slider_rate", ["y0", "y1", "y2"], [x, 0.0])
        assert np.allclose(found.matrix[0], -0.5 * np.array(hats), rtol=1e-14, atol=1e-15)


def test_abscissae_of_a_table_as_free_parameters() -> None:
    """If a point moves by dx, the force sinks by the slope times that, weighted by a hat function."""
    model = slider_on((-1.0, 0.0, 2.0), (-10.0, 5.0, 30.0), "x")
    for x, by in ((-1.5, (0.0, 0.0, 0.0)), (-0.25, (-3.75, -11.25, 0.0)), (0.5, (0.0, -9.375, -3.125))):
        found = model.derivatives("rate of slider_rate", ["x0", "x1", "x2"], [x, 0.0])
        assert np.allclose(found.matrix[0], -0.5 * np.array(by), rtol=1e-14, atol=1e-14)
    assert model.accelerations([0.2], [0.0], u=model.inputs_with({"x1": 0.5})) == pytest.approx([-1.0])
    with pytest.raises(ce.ModelError, match="x1 = 3: the abscissae of a table must increase"):
        model.accelerations([0.5], [0.0], u=model.inputs_with({"x1": 3.0}))
