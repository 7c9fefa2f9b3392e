"""Hinges: how a body may move relative to its parent, and closures that are not hinges."""

from ce_dynamics.mechanism.hinges.base import Hinge as Hinge
from ce_dynamics.mechanism.hinges.closures import (
    Distance as Distance,
    PointOnLine as PointOnLine,
    PointOnPlane as PointOnPlane,
)
from ce_dynamics.mechanism.hinges.conditions import Closure as Closure, Condition as Condition
from ce_dynamics.mechanism.hinges.cylindrical import Cylindrical as Cylindrical, Screw as Screw
from ce_dynamics.mechanism.hinges.fixed import Fixed as Fixed
from ce_dynamics.mechanism.hinges.free import Free as Free
from ce_dynamics.mechanism.hinges.planar import Planar as Planar
from ce_dynamics.mechanism.hinges.prismatic import Prismatic as Prismatic
from ce_dynamics.mechanism.hinges.revolute import Revolute as Revolute
from ce_dynamics.mechanism.hinges.spherical import Spherical as Spherical
from ce_dynamics.mechanism.hinges.universal import Universal as Universal
