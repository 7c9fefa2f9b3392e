"""Exact, drift-free multibody dynamics of mechanisms with loops, by constraint embedding.

>>> import ce_dynamics as ce
>>> system = ce.System(gravity=(0, 0, -9.81))
>>> arm = system.add_body("arm", mass=2.0, com=(0.5, 0, 0), inertia=(0, 0.17, 0.17),
...                       parent=system.ground, hinge=ce.Revolute(axis=(0, 1, 0)))
>>> model = ce.compile(system)
>>> model.accelerations(q=[0.0], v=[0.0]).round(3)
array([14.642])

Names are loaded when they are first used, so that importing this package is cheap.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import ModuleSpec, PathFinder
from typing import TYPE_CHECKING

from ce_dynamics._version import __version__ as __version__
from ce_dynamics.algebra.lazy_names import lazy_names

if TYPE_CHECKING:
    from ce_dynamics.augmented.constrained_system import (
        ConstrainedSystem as ConstrainedSystem,
        PointToPoint as PointToPoint,
    )
    from ce_dynamics.augmented.rolling_ball import BallRollingOnPlane as BallRollingOnPlane
    from ce_dynamics.compiled.export.c_source import export_c as export_c
    from ce_dynamics.compiled.export.fmu import export_fmu as export_fmu
    from ce_dynamics.compiled.input_laws import InputLaw as InputLaw
    from ce_dynamics.compiled.model import Model as Model, compile as compile
    from ce_dynamics.compiled.steady_state import SteadyState as SteadyState, steady_state as steady_state
    from ce_dynamics.compiled.trim import trim as trim
    from ce_dynamics.embedding.linkage import Linkage as Linkage
    from ce_dynamics.errors import (
        AccuracyWarning as AccuracyWarning,
        AssemblyError as AssemblyError,
        CeDynamicsError as CeDynamicsError,
        DataError as DataError,
        ImmobilityWarning as ImmobilityWarning,
        IndependentCoordinatesError as IndependentCoordinatesError,
        MasslessFreedomError as MasslessFreedomError,
        ModelError as ModelError,
        OverConstrainedError as OverConstrainedError,
        PhysicalityWarning as PhysicalityWarning,
        SimulationError as SimulationError,
        SingularConfigurationError as SingularConfigurationError,
        SingularityWarning as SingularityWarning,
        UnderConstrainedError as UnderConstrainedError,
        WrongTypeError as WrongTypeError,
    )
    from ce_dynamics.mechanism.body import Body as Body
    from ce_dynamics.mechanism.controller import Controller as Controller
    from ce_dynamics.mechanism.couplings import (
        Coupling as Coupling,
        FunctionCoupling as FunctionCoupling,
        Gear as Gear,
        ImplicitCoupling as ImplicitCoupling,
        LinearCoupling as LinearCoupling,
        PolynomialCoupling as PolynomialCoupling,
        RackAndPinion as RackAndPinion,
    )
    from ce_dynamics.mechanism.couplings.components import (
        Component as Component,
        FunctionCoordinate as FunctionCoordinate,
    )
    from ce_dynamics.mechanism.drives import (
        Driven as Driven,
        Held as Held,
        Motion as Motion,
        SecondOrderActuator as SecondOrderActuator,
    )
    from ce_dynamics.mechanism.forces.actuator import Actuator as Actuator, FixedTendon as FixedTendon
    from ce_dynamics.mechanism.forces.base import ForceElement as ForceElement
    from ce_dynamics.mechanism.forces.cord import Cord as Cord
    from ce_dynamics.mechanism.forces.laws import (
        DryFriction as DryFriction,
        Law as Law,
        Linear as Linear,
        Polynomial as Polynomial,
        Tabulated as Tabulated,
    )
    from ce_dynamics.mechanism.forces.point_contact import PointContact as PointContact
    from ce_dynamics.mechanism.forces.spring_damper import Bushing as Bushing, SpringDamper as SpringDamper
    from ce_dynamics.mechanism.forces.stop import JointStop as JointStop
    from ce_dynamics.mechanism.forces.torsion import (
        HingeDamper as HingeDamper,
        TorsionSpringDamper as TorsionSpringDamper,
    )
    from ce_dynamics.mechanism.forces.wrench import (
        AppliedWrench as AppliedWrench,
        DragBox as DragBox,
        Thruster as Thruster,
    )
    from ce_dynamics.mechanism.hinges import (
        Cylindrical as Cylindrical,
        Distance as Distance,
        Fixed as Fixed,
        Free as Free,
        Hinge as Hinge,
        Planar as Planar,
        PointOnLine as PointOnLine,
        PointOnPlane as PointOnPlane,
        Prismatic as Prismatic,
        Revolute as Revolute,
        Screw as Screw,
        Spherical as Spherical,
        Universal as Universal,
    )
    from ce_dynamics.mechanism.hinges.closures import BetweenFrames as BetweenFrames
    from ce_dynamics.mechanism.hinges.rolling import RollingOnPlane as RollingOnPlane
    from ce_dynamics.mechanism.parameters import Parameter as Parameter
    from ce_dynamics.mechanism.system import System as System
    from ce_dynamics.models.identification.identify import identify as identify, predict as predict
    from ce_dynamics.readers import (
        mjcf_feet as mjcf_feet,
        read_mjcf as read_mjcf,
        read_sdf as read_sdf,
        read_urdf as read_urdf,
        urdf_feet as urdf_feet,
    )
    from ce_dynamics.simulation.ensembles.arguments import (
        EnsembleOptions as EnsembleOptions,
        HeldInputs as HeldInputs,
    )
    from ce_dynamics.simulation.ensembles.simulation import simulate_ensemble as simulate_ensemble
    from ce_dynamics.simulation.exchange import save_table as save_table
    from ce_dynamics.simulation.in_the_loop.simulator import Simulator as Simulator
    from ce_dynamics.simulation.recommend import (
        Recommendation as Recommendation,
        recommend_method as recommend_method,
    )
    from ce_dynamics.simulation.results import quantity as quantity
    from ce_dynamics.simulation.sensitivities import simulate_sensitivities as simulate_sensitivities
    from ce_dynamics.simulation.simulate import simulate as simulate
    from ce_dynamics.simulation.studies.study import Study as Study, simulate_study as simulate_study
    from ce_dynamics.views.description import Description as Description, describe as describe
    from ce_dynamics.views.drawing import draw as draw
    from ce_dynamics.views.scene.robots import robot_shapes as robot_shapes
    from ce_dynamics.views.scene.view import View as View, view as view


class _Beside:
    """Finder of a checkout's `kinematics` and `models`, which lie beside this folder."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Return the spec of one of the two, or None for every other module."""
        if name in ("ce_dynamics.kinematics", "ce_dynamics.models"):
            return PathFinder.find_spec(name, [os.path.dirname(__path__[0])])
        return None


if not os.path.isdir(os.path.join(__path__[0], "models")):
    sys.meta_path.insert(0, _Beside)  # before finders of an installation elsewhere
__getattr__, __dir__, __all__ = lazy_names()
