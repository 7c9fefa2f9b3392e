"""Simple tyre models: what their numbers mean, against other derivations; fitting."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad

from ce_dynamics.errors import DataError
from ce_dynamics.models.tyres.simple.base import SlipModel
from ce_dynamics.models.tyres.simple.brush import BrushTyre
from ce_dynamics.models.tyres.simple.fiala import FialaTyre
from ce_dynamics.models.tyres.simple.fit import MeasuredPoints, fit
from ce_dynamics.models.tyres.simple.linear import LinearTyre
from ce_dynamics.models.tyres.simple.pac89 import Pac89Tyre
from ce_dynamics.models.tyres.simple.tmsimple import TMsimpleTyre
from tests.models.tyres.test_models import MODELS, SIZE, A

FZ = 4000.0
SIMPLE = [name for name, (model, _) in MODELS.items() if isinstance(model, SlipModel)]


def model(name: str) -> Any:
    return MODELS[name][0]


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.12, 0.4])
def test_brush_is_a_row_of_bristles(alpha: float) -> None:
    """Bristles one by one: deflected until friction lets go, under a parabola of pressure."""
    brush: BrushTyre = model("brush")
    a = 3.0 * brush.trail  # half the contact length
    stiffness = brush.cornering_stiffness * FZ / (2.0 * a * a)  # per length (3.6)

    def shear(x: float) -> float:
        pressure = 0.75 * FZ / a * (1.0 - (x / a) ** 2)
        return min(stiffness * (a - x) * math.tan(alpha), brush.mu * pressure)

    edge = 4.0 * stiffness * a**3 * math.tan(alpha) / (3.0 * brush.mu * FZ) - a
    points = [min(max(edge, -a), a)]  # where bristles let go
    force = quad(shear, -a, a, points=points, epsabs=1e-9)[0]
    moment = quad(lambda x: x * shear(x), -a, a, points=points, epsabs=1e-9)[0]
    _, Fy, Mz = brush.forces(FZ, alpha=alpha)
    assert Fy == pytest.approx(-force, rel=1e-8)
    assert Mz == pytest.approx(-moment, rel=1e-6, abs=1e-6)  # bristles lag: the force acts behind the centre


@pytest.mark.parametrize("name", SIMPLE)
def test_slopes_and_limits(name: str) -> None:
    tyre = model(name)
    h = 1e-7
    slope_x = tyre.forces(FZ, kappa=h)[0] / h
    slope_y = -tyre.forces(FZ, alpha=h)[1] / h
    expected = {
        "linear": (15.0 * FZ, 12.0 * FZ),
        "brush": (15.0 * FZ, 12.0 * FZ),
        "Fiala": (6e4, 4.5e4),
        "TMsimple": (8e4, 6.7e4),
        # BCD of the formulas at 4 kN: (b3 f² + b4 f) exp(−b5 f) per cent, a3 sin(2 arctan(f/a4)) per degree
        "Pac89": (
            100.0 * (-2.553 * 16.0 + 208.8 * 4.0) * math.exp(-0.0073 * 4.0),
            math.degrees(2613.9 * math.sin(2.0 * math.atan(4.0 / 48.86))),
        ),
    }[name]
    assert slope_x == pytest.approx(expected[0], rel=1e-4)
    assert slope_y == pytest.approx(expected[1], rel=1e-4)
    slips = np.linspace(0.0, 1.5, 3001)
    Fx = np.array([tyre.forces(FZ, kappa=float(s))[0] for s in slips])
    Fy = np.array([tyre.forces(FZ, alpha=float(s))[1] for s in slips])
    peaks = {
        "linear": (FZ, FZ), "brush": (FZ, FZ), "TMsimple": (4500.0, 4000.0),
        "Pac89": (4.0 * (4.0 * -15.78 + 1022.1), 4.0 * (4.0 * -4.85 + 812.4)),
    }  # fmt: skip
    if name in peaks:
        assert Fx.max() == pytest.approx(peaks[name][0], rel=1e-5)
        assert -Fy.min() == pytest.approx(peaks[name][1], rel=1e-5)
    assert Fx.min() >= 0.0
    # together within an ellipse of the largest, which Fiala's axes do not know of each other
    both = tyre.forces(FZ, kappa=0.3, alpha=0.3)
    assert (both[0] / Fx.max()) ** 2 + (both[1] / Fy.min()) ** 2 < (2.0 if name == "Fiala" else 1.001)


def test_fiala_by_hand() -> None:
    """At κ = 0.1, 4 kN: U = 1 − 0.2·0.1; S* = U Fz/(2 C); beyond: U Fz − (U Fz)²/(4 κ C)."""
    fiala: FialaTyre = model("Fiala")
    UFz = 0.98 * FZ
    assert fiala.forces(FZ, kappa=0.1)[0] == pytest.approx(UFz - UFz**2 / (4.0 * 0.1 * 6e4), rel=1e-12)
    assert fiala.forces(FZ, kappa=0.02)[0] == pytest.approx(0.02 * 6e4, rel=1e-12)
    alpha = 0.05
    U = 1.0 - 0.2 * math.tan(alpha)
    H = 1.0 - 4.5e4 * math.tan(alpha) / (3.0 * U * FZ)
    _, Fy, Mz = fiala.forces(FZ, alpha=alpha)
    assert Fy == pytest.approx(-U * FZ * (1.0 - H**3), rel=1e-12)
    assert Mz == pytest.approx(U * FZ * 0.2 * (1.0 - H) * H**3, rel=1e-12)


@pytest.mark.parametrize("road", [0.3, 0.8, 1.2])
def test_fiala_reaches_the_friction_of_the_road(road: float) -> None:
    """Friction that falls from 0.98 to 0.56, as of Chrono's HMMWV: by 1e-3, to which the peak is searched.

    At half the nominal load the peak is at less slip, and friction up to 4 % larger.
    """
    tyre = FialaTyre(
        radius=0.47, cz=326332.0, cx=1e5, cy=1e5, width=0.3, mu=0.9835, mu_sliding=0.5568,
        slip_stiffness=193929.0, cornering_stiffness=5e4,
    )  # fmt: skip

    def peak(load: float) -> float:
        friction, slips = road / tyre.own_friction, np.geomspace(2e-3, 1.5, 400)
        return max(tyre.forces(load, slip, 0.0, friction)[0] for slip in slips) / load

    assert peak(tyre.nominal_load) == pytest.approx(road, rel=1e-3)
    assert 1.03 * road < peak(0.5 * tyre.nominal_load) < 1.04 * road


def test_tmsimple_carries_nothing_without_load() -> None:
    """In the air: zeros, sliding or not."""
    for slip in ((0.1, -0.1), (0.0, 0.0)):
        assert tuple(model("TMsimple").steady(0.0, *slip, 1.0)) == (0.0, 0.0, 0.0, 0.0)


def test_tmsimple_slides() -> None:
    tyre: TMsimpleTyre = model("TMsimple")
    assert tyre.forces(FZ, kappa=50.0)[0] == pytest.approx(3300.0, rel=1e-6)
    assert tyre.forces(2.0 * FZ, kappa=50.0)[0] == pytest.approx(6500.0, rel=1e-6)
    assert tyre.forces(0.0, kappa=50.0)[0] == pytest.approx(0.0, abs=1e-5)


@pytest.mark.parametrize(
    ("kind", "wrong", "message"),
    [
        (LinearTyre, {"slip_stiffness": -1.0, "cornering_stiffness": 1.0}, "slip_stiffness"),
        (BrushTyre, {"slip_stiffness": 1.0, "cornering_stiffness": math.nan}, "cornering_stiffness"),
        (
            FialaTyre,
            {"slip_stiffness": 1.0, "cornering_stiffness": 1.0, "mu_sliding": 2.0, "width": 0.2},
            "mu_sliding = 2 exceeds mu = 1",
        ),
        (Pac89Tyre, {"a": A[:5], "b": 11 * (1.0,)}, "a has 5 coefficients; 14 are needed"),
        (Pac89Tyre, {"a": 14 * (1.0,), "b": 11 * (1.0,)}, "a5 = 1 is of camber or a shift"),
    ],
)
def test_numbers_that_make_no_tyre(kind: type[SlipModel], wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        kind(**SIZE, **wrong)


Floats = NDArray[np.float64]


def test_fit_finds_the_numbers_that_made_the_points(rng: np.random.Generator) -> None:
    true: BrushTyre = model("brush")
    alpha, kappa = rng.uniform(-0.2, 0.2, (2, 60))
    loads = rng.uniform(2000.0, 6000.0, 60)
    forces = np.array([true.forces(*row) for row in zip(loads, kappa, alpha, strict=True)])
    points = MeasuredPoints(loads, kappa, alpha, *forces.T)
    start = BrushTyre(**SIZE, slip_stiffness=8.0, cornering_stiffness=20.0, trail=0.1, mu=0.6)
    found = fit(start, ["mu", "slip_stiffness", "cornering_stiffness", "trail"], points)
    for name in found.changed:
        assert getattr(found.model, name) == pytest.approx(getattr(true, name), rel=1e-6), name
    assert max(found.rms.values()) < 1e-3
    # pairs too, from side forces alone
    simple: TMsimpleTyre = model("TMsimple")
    Fy = [simple.forces(load, 0.0, angle)[1] for load, angle in zip(loads, alpha, strict=True)]
    guess = TMsimpleTyre(
        **SIZE, pn=4000.0, dfx0=simple.dfx0, fxm=simple.fxm, fxs=simple.fxs,
        dfy0=(5e4, 8e4), fym=(3600.0, 7000.0), fys=simple.fys,
    )  # fmt: skip
    again = fit(guess, ["dfy0", "fym"], MeasuredPoints(loads, 0.0, alpha, Fy=Fy))
    assert again.model.dfy0 == pytest.approx(simple.dfy0, rel=1e-4)
    assert again.model.fym == pytest.approx(simple.fym, rel=1e-4)


def test_fit_says_what_it_cannot_do() -> None:
    brush = model("brush")
    points = MeasuredPoints([4000.0], alpha=[0.05], Fy=[-2000.0])
    with pytest.raises(DataError, match="no number of the tyre 'muu'; did you mean 'mu'"):
        fit(brush, ["muu"], points)
    with pytest.raises(DataError, match="1 measured values cannot determine 2 numbers"):
        fit(brush, ["mu", "trail"], points)
    with pytest.raises(DataError, match="camber_stiffness starts from zero"):
        fit(brush, ["camber_stiffness"], points)
    with pytest.raises(DataError, match="Fz of measured points must be positive"):
        fit(brush, ["mu"], MeasuredPoints([-1.0], alpha=[0.05], Fy=[-2000.0]))
