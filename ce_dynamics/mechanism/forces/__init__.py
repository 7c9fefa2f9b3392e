"""Force elements and force laws."""

from ce_dynamics.forces.actuator import Actuator
from ce_dynamics.forces.base import (
    ForceElement,
    HingeLoad,
    Observer,
    PointLoad,
    PointState,
    Response,
    StateDeclaration,
)
from ce_dynamics.forces.laws import Law, Linear, Polynomial, Tabulated
from ce_dynamics.forces.spring_damper import SpringDamper
from ce_dynamics.forces.torsion import TorsionSpringDamper
from ce_dynamics.forces.wrench import AppliedWrench

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
