"""Kinematics and compliance of suspensions: the rig on which an axle is tried, wheel by wheel."""

from __future__ import annotations

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
    forced_sensitivities as forced_sensitivities,
)
from ce_dynamics.models.kc.ends import (
    EndOfTravel as EndOfTravel,
    Ends as Ends,
    ends_of_travel as ends_of_travel,
)
from ce_dynamics.models.kc.force_sweeps import (
    ForceSweep as ForceSweep,
    force_sweep_of as force_sweep_of,
    forced as forced,
    travelled as travelled,
)
from ce_dynamics.models.kc.free_bodies import Bushing as Bushing
from ce_dynamics.models.kc.optimisation import (
    Optimum as Optimum,
    Scatter as Scatter,
    Target as Target,
    optimise as optimise,
    scatter as scatter,
)
from ce_dynamics.models.kc.rig import KCRig as KCRig
from ce_dynamics.models.kc.sensitivities import sensitivities as sensitivities
from ce_dynamics.models.kc.vehicle import (
    axle_of as axle_of,
    compliance_of as compliance_of,
    rig_of as rig_of,
)
