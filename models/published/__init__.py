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

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ce_dynamics.models.published.a01_pendulum import pendulum
    from ce_dynamics.models.published.a02_four_bars import four_bars
    from ce_dynamics.models.published.a03_squeezer import squeezer
    from ce_dynamics.models.published.a04_bricard import bricard
    from ce_dynamics.models.published.a05_governor import governor
    from ce_dynamics.models.published.collection import MECHANISMS
    from ce_dynamics.models.published.mechanism import Figure, PublishedMechanism
    from ce_dynamics.models.published.modelica import modelica_four_bar
    from ce_dynamics.models.published.moving_axis import RoughRoad, car_axis

_HOME = {
    "Figure": "mechanism",
    "MECHANISMS": "collection",
    "PublishedMechanism": "mechanism",
    "RoughRoad": "moving_axis",
    "bricard": "a04_bricard",
    "car_axis": "moving_axis",
    "four_bars": "a02_four_bars",
    "governor": "a05_governor",
    "modelica_four_bar": "modelica",
    "pendulum": "a01_pendulum",
    "squeezer": "a03_squeezer",
}

__all__ = [
    "MECHANISMS",
    "Figure",
    "PublishedMechanism",
    "RoughRoad",
    "bricard",
    "car_axis",
    "four_bars",
    "governor",
    "modelica_four_bar",
    "pendulum",
    "squeezer",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
