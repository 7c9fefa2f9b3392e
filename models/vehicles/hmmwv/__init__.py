"""The HMMWV: four double-wishbone corners, Pitman steering, TMeasy tyres, powertrain and driver.

>>> import ce_dynamics as ce
>>> from ce_dynamics.models import hmmwv
>>> model = ce.compile(hmmwv.build(speed=12.0))
>>> run = ce.simulate(model, hmmwv.double_lane_change(12.0), duration=10.0)

or, from a settled state and with the road of the manoeuvre, ``run = hmmwv.run("double-lane-change")``.
Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ce_dynamics.models.vehicles.hmmwv.case import Case, prepare, run
    from ce_dynamics.models.vehicles.hmmwv.driving import double_lane_change, make_manoeuvre
    from ce_dynamics.models.vehicles.hmmwv.equilibrium import settled, steady
    from ce_dynamics.models.vehicles.hmmwv.plots import figure
    from ce_dynamics.models.vehicles.hmmwv.ride import build_ride
    from ce_dynamics.models.vehicles.hmmwv.schema import HmmwvParameters
    from ce_dynamics.models.vehicles.hmmwv.summary import summarise
    from ce_dynamics.models.vehicles.hmmwv.vehicle import build

_HOME = {
    "Case": "case",
    "HmmwvParameters": "schema",
    "build": "vehicle",
    "build_ride": "ride",
    "double_lane_change": "driving",
    "figure": "plots",
    "make_manoeuvre": "driving",
    "prepare": "case",
    "run": "case",
    "settled": "equilibrium",
    "steady": "equilibrium",
    "summarise": "summary",
}

__all__ = [
    "Case",
    "HmmwvParameters",
    "build",
    "build_ride",
    "double_lane_change",
    "figure",
    "make_manoeuvre",
    "prepare",
    "run",
    "settled",
    "steady",
    "summarise",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
