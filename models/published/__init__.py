"""Mechanisms that others have published figures of: what a solver has to reproduce, and good first examples.

Examples
--------
>>> import ce_dynamics as ce
>>> from ce_dynamics.models import published
>>> model = ce.compile(published.squeezer())
>>> run = ce.simulate(model, duration=0.03, rtol=1e-9, atol=1e-11)
>>> print(f"{float(run['beta'][-1]):.6f}")
15.810771

Notes
-----
`MECHANISMS` has all of them, each with its figures and how long it runs.  Names are loaded when they are
first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce_dynamics.algebra.lazy_names import lazy_names

if TYPE_CHECKING:
    from ce_dynamics.models.published.a03_squeezer import squeezer as squeezer
    from ce_dynamics.models.published.collection import (
        MECHANISMS as MECHANISMS,
        RoughRoad as RoughRoad,
        bricard as bricard,
        car_axis as car_axis,
        four_bars as four_bars,
        governor as governor,
        modelica_four_bar as modelica_four_bar,
        pendulum as pendulum,
    )
    from ce_dynamics.models.published.mechanism import (
        PublishedFigure as PublishedFigure,
        PublishedMechanism as PublishedMechanism,
    )

__getattr__, __dir__, __all__ = lazy_names({"Figure": "PublishedFigure"})
