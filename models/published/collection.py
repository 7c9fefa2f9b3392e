"""All published mechanisms and their figures."""

from __future__ import annotations

from functools import partial

from ce_dynamics.models.published.a01_pendulum import pendulum
from ce_dynamics.models.published.a02_four_bars import four_bars
from ce_dynamics.models.published.a03_squeezer import squeezer
from ce_dynamics.models.published.a04_bricard import bricard
from ce_dynamics.models.published.a05_governor import governor
from ce_dynamics.models.published.mechanism import Figure, PublishedMechanism
from ce_dynamics.models.published.modelica import modelica_four_bar
from ce_dynamics.models.published.moving_axis import RoughRoad, car_axis

IFTOMM = "IFToMM library of computational benchmark problems, {}"
IVP = "Test Set for Initial Value Problem Solvers, {}"
A02_TOP = {
    1: (0.4783850578, 0.8781501788),
    2: (0.3284581115, 0.9445185382),
    5: (0.2357891358, 0.9718042413),
}


MODELICA_SOLVER = 1e-5
"""The figures are a solver's at its usual tolerance; what deviates grows along the run as its errors do."""


def at(time: float, precision: float, turns: bool = False, **values: float) -> tuple[Figure, ...]:
    """Figures of several outputs at one instant."""
    return tuple(Figure(name, time, value, precision, turns) for name, value in values.items())


def decimals(number: int) -> float:
    """A unit of the last of so many decimals."""
    return 10.0**-number


SQUEEZER_ANGLES, SQUEEZER_RATES = 2e-9, 1e-6
"""The test set prints 16 digits, but they are off by this much: its own equations, integrated at a tolerance
of 1e-13 with projection of positions and velocities, give a beta that is 1.15e-9 less."""


MECHANISMS: dict[str, PublishedMechanism] = {
    "A01 pendulum": PublishedMechanism(
        IFTOMM.format("A01"), pendulum, 10.0, at(10.0, decimals(10), x=-0.2750874626, y=-0.9614192051)
    ),
    **{
        f"A02 {n} four-bars": PublishedMechanism(
            IFTOMM.format("A02"), partial(four_bars, n), 10.0, at(10.0, decimals(10), x=x, y=y)
        )
        for n, (x, y) in A02_TOP.items()
    },
    "A03 Andrews' squeezer": PublishedMechanism(
        IVP.format("Andrews' squeezing mechanism"),
        squeezer,
        0.03,
        (
            *at(0.03, SQUEEZER_ANGLES, beta=15.81077119629904),
            *at(
                0.03,
                SQUEEZER_ANGLES,
                turns=True,
                Theta=-15.75637105984298,
                gamma=0.04082224013073101,
                Phi=-0.5347301163226948,
                delta=0.5244099658805304,
                Omega=0.5347301163226948,
                epsilon=1.048080741042263,
            ),
            *at(
                0.03,
                SQUEEZER_RATES,
                beta_rate=1139.920302151208,
                Theta_rate=-1424.379294994111,
                gamma_rate=11.03291221937134,
                Phi_rate=19.29337464421385,
            ),
        ),
    ),
    "A04 Bricard": PublishedMechanism(
        IFTOMM.format("A04"),
        bricard,
        1.0,
        at(0.5, decimals(7), x=0.7747178, y=-0.9798151, z=-0.1999062)
        + at(1.0, decimals(7), x=0.2744813, y=-0.8867079, z=-0.4623300),
    ),
    "A05 flyball governor": PublishedMechanism(
        IFTOMM.format("A05"),
        governor,
        10.0,
        at(0.5, decimals(8), s=0.74324942) + at(1.0, decimals(8), s=0.50142092),
        stiff=True,
    ),
    "Modelica four-bar": PublishedMechanism(
        "Modelica Standard Library 4, MultiBody.Examples.Loops.Fourbar_analytic",
        modelica_four_bar,
        0.3,
        tuple(
            Figure("phi", t, phi, MODELICA_SOLVER)
            for t, phi in ((0.1, 0.573376668), (0.2, 1.327559802), (0.3, 2.336372125))
        ),
    ),
    "car axis": PublishedMechanism(
        IVP.format("car axis"),
        car_axis,
        3.0,
        at(
            3.0,
            1e-11,
            xl=0.0493455784275403,
            yl=0.496989460230171,
            xr=1.04174252488543,
            yr=0.373911027265361,
        ),
        RoughRoad(),
    ),
}
"""By name."""
