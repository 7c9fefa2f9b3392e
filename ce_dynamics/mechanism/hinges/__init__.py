"""Hinges: how a body may move relative to its parent, and closures that are not hinges."""

from ce_dynamics.hinges.base import Hinge
from ce_dynamics.hinges.conditions import Closure, Condition
from ce_dynamics.hinges.cylindrical import Cylindrical
from ce_dynamics.hinges.distance import Distance
from ce_dynamics.hinges.fixed import Fixed
from ce_dynamics.hinges.free import Free
from ce_dynamics.hinges.planar import Planar
from ce_dynamics.hinges.prismatic import Prismatic
from ce_dynamics.hinges.revolute import Revolute
from ce_dynamics.hinges.screw import Screw
from ce_dynamics.hinges.spherical import Spherical
from ce_dynamics.hinges.universal import Universal

__all__ = [
    "Closure",
    "Condition",
    "Cylindrical",
    "Distance",
    "Fixed",
    "Free",
    "Hinge",
    "Planar",
    "Prismatic",
    "Revolute",
    "Screw",
    "Spherical",
    "Universal",
]
