"""Hinges: how a body may move relative to its parent, and closures that are not hinges."""

from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.conditions import Closure, Condition
from ce_dynamics.mechanism.hinges.cylindrical import Cylindrical
from ce_dynamics.mechanism.hinges.distance import Distance
from ce_dynamics.mechanism.hinges.fixed import Fixed
from ce_dynamics.mechanism.hinges.free import Free
from ce_dynamics.mechanism.hinges.planar import Planar
from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.hinges.screw import Screw
from ce_dynamics.mechanism.hinges.spherical import Spherical
from ce_dynamics.mechanism.hinges.universal import Universal

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
