"""Kinematics and compliance of suspensions: the rig on which an axle is tried, wheel by wheel."""

from __future__ import annotations

from ce_dynamics.algebra.lazy_names import lazy_names
from ce_dynamics.models.kc.axle import Axle as Axle, Wheel as Wheel
from ce_dynamics.models.kc.clearances import (
    Clearance as Clearance,
    Disc as Disc,
    Part as Part,
    hardpoint as hardpoint,
)
from ce_dynamics.models.kc.compliance import (
    Compliance as Compliance,
    Elastic as Elastic,
    compliance_figures as compliance_figures,
)
from ce_dynamics.models.kc.compliance_sensitivities import (
    Changes as Changes,
    ComplianceSensitivities as ComplianceSensitivities,
    differentiate_force_sweep as differentiate_force_sweep,
)
from ce_dynamics.models.kc.force_sweeps import (
    ForceSweep as ForceSweep,
    force_sweep as force_sweep,
    force_sweep_of as force_sweep_of,
    travel_sweep as travel_sweep,
)
from ce_dynamics.models.kc.free_bodies import Bushing as Bushing
from ce_dynamics.models.kc.optimisation import (
    Optimum as Optimum,
    Target as Target,
    optimise as optimise,
)
from ce_dynamics.models.kc.rig import KCRig as KCRig
from ce_dynamics.models.kc.sensitivities import (
    Scatter as Scatter,
    scatter as scatter,
    sensitivities as sensitivities,
)
from ce_dynamics.models.kc.travel_limits import (
    EndOfTravel as EndOfTravel,
    Ends as Ends,
    ends_of_travel as ends_of_travel,
)
from ce_dynamics.models.kc.vehicle import (
    axle_of as axle_of,
    compliance_of as compliance_of,
    rig_of as rig_of,
)

__getattr__, __dir__, __all__ = lazy_names(
    {
        "forced": "force_sweep",
        "travelled": "travel_sweep",
        "forced_sensitivities": "differentiate_force_sweep",
    }
)
