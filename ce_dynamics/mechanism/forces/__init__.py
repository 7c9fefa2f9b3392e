"""Force elements and force laws."""

from ce_dynamics.mechanism.forces.actuator import Actuator
from ce_dynamics.mechanism.forces.base import (
    ForceElement,
    HingeLoad,
    Observer,
    PointLoad,
    PointState,
    Response,
    StateDeclaration,
)
from ce_dynamics.mechanism.forces.laws import Law, Linear, Polynomial, Tabulated
from ce_dynamics.mechanism.forces.spring_damper import SpringDamper
from ce_dynamics.mechanism.forces.torsion import TorsionSpringDamper
from ce_dynamics.mechanism.forces.wrench import AppliedWrench

__all__ = [
    "Actuator",
    "AppliedWrench",
    "ForceElement",
    "HingeLoad",
    "Law",
    "Linear",
    "Observer",
    "PointLoad",
    "PointState",
    "Polynomial",
    "Response",
    "SpringDamper",
    "StateDeclaration",
    "Tabulated",
    "TorsionSpringDamper",
]
