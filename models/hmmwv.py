"""The HMMWV: four double-wishbone corners, Pitman steering, TMeasy tyres, powertrain and driver.

>>> import ce_dynamics as ce
>>> from ce_dynamics.models import hmmwv
>>> model = ce.compile(hmmwv.build(speed=12.0))
>>> run = ce.simulate(model, hmmwv.double_lane_change(12.0), duration=10.0)

or, from a settled state and with the road of the manoeuvre, ``run = hmmwv.run("double-lane-change")``.
Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce_dynamics.algebra.lazy_names import lazy_names

if TYPE_CHECKING:
    from ce_dynamics.models.vehicles.assembly import build as build
    from ce_dynamics.models.vehicles.case import (
        Case as Case,
        build_ride as build_ride,
        prepare as prepare,
        run as run,
    )
    from ce_dynamics.models.vehicles.description import HmmwvParameters as HmmwvParameters
    from ce_dynamics.models.vehicles.drive import drive_page as drive_page
    from ce_dynamics.models.vehicles.driving import (
        double_lane_change as double_lane_change,
        make_manoeuvre as make_manoeuvre,
    )
    from ce_dynamics.models.vehicles.equilibrium import settle as settle
    from ce_dynamics.models.vehicles.pictures import picture_of as picture_of
    from ce_dynamics.models.vehicles.plots import figure as figure
    from ce_dynamics.models.vehicles.steady import steady as steady
    from ce_dynamics.models.vehicles.summary import summarise as summarise

__getattr__, __dir__, __all__ = lazy_names({"settled": "settle"})
