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

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ce_dynamics._version import __version__

if TYPE_CHECKING:
    from ce_dynamics.augmented.constrained_system import ConstrainedSystem, PointToPoint
    from ce_dynamics.augmented.rolling_ball import BallRollingOnPlane
    from ce_dynamics.compiled.model import InputLaw, Model, compile
    from ce_dynamics.compiled.steady_state import SteadyState, steady_state
    from ce_dynamics.compiled.trim import trim
    from ce_dynamics.embedding.linkage import Linkage
    from ce_dynamics.errors import (
        AccuracyWarning,
        AssemblyError,
        CeDynamicsError,
        DataError,
        ImmobilityWarning,
        IndependentCoordinatesError,
        MasslessFreedomError,
        ModelError,
        OverConstrainedError,
        PhysicalityWarning,
        SimulationError,
        SingularConfigurationError,
        SingularityWarning,
        UnderConstrainedError,
        WrongTypeError,
    )
    from ce_dynamics.mechanism.body import Body
    from ce_dynamics.mechanism.couplings import (
        Coupling,
        FunctionCoupling,
        Gear,
        ImplicitCoupling,
        LinearCoupling,
        PolynomialCoupling,
        RackAndPinion,
    )
    from ce_dynamics.mechanism.couplings.components import Component, FunctionCoordinate
    from ce_dynamics.mechanism.drives import Driven, Held, Motion, SecondOrderActuator
    from ce_dynamics.mechanism.forces.actuator import Actuator
    from ce_dynamics.mechanism.forces.base import ForceElement
    from ce_dynamics.mechanism.forces.laws import Law, Linear, Polynomial, Tabulated
    from ce_dynamics.mechanism.forces.spring_damper import SpringDamper
    from ce_dynamics.mechanism.forces.torsion import TorsionSpringDamper
    from ce_dynamics.mechanism.forces.wrench import AppliedWrench
    from ce_dynamics.mechanism.hinges import (
        Cylindrical,
        Distance,
        Fixed,
        Free,
        Hinge,
        Planar,
        Prismatic,
        Revolute,
        Screw,
        Spherical,
        Universal,
    )
    from ce_dynamics.mechanism.hinges.rolling import RollingOnPlane
    from ce_dynamics.mechanism.parameters import Parameter
    from ce_dynamics.mechanism.system import System
    from ce_dynamics.readers import read_mjcf, read_urdf
    from ce_dynamics.simulation.ensembles.arguments import HeldInputs
    from ce_dynamics.simulation.ensembles.simulation import simulate_ensemble
    from ce_dynamics.simulation.in_the_loop.simulator import Simulator
    from ce_dynamics.simulation.simulate import simulate
    from ce_dynamics.views.description import Description, describe
    from ce_dynamics.views.drawing import draw

_HOMES = {
    "mechanism.body": ("Body",),
    "mechanism.couplings.components": ("Component", "FunctionCoordinate"),
    "augmented.constrained_system": ("ConstrainedSystem", "PointToPoint"),
    "mechanism.couplings": (
        "Coupling",
        "FunctionCoupling",
        "Gear",
        "ImplicitCoupling",
        "LinearCoupling",
        "PolynomialCoupling",
        "RackAndPinion",
    ),
    "simulation.ensembles.arguments": ("HeldInputs",),
    "simulation.ensembles.simulation": ("simulate_ensemble",),
    "views.description": ("Description", "describe"),
    "errors": (
        "AccuracyWarning",
        "AssemblyError",
        "CeDynamicsError",
        "DataError",
        "ImmobilityWarning",
        "IndependentCoordinatesError",
        "MasslessFreedomError",
        "ModelError",
        "OverConstrainedError",
        "PhysicalityWarning",
        "SimulationError",
        "SingularityWarning",
        "SingularityWarning",
        "SingularConfigurationError",
        "UnderConstrainedError",
        "WrongTypeError",
    ),
    "mechanism.forces.actuator": ("Actuator",),
    "mechanism.forces.base": ("ForceElement",),
    "mechanism.forces.laws": ("Law", "Linear", "Polynomial", "Tabulated"),
    "mechanism.forces.spring_damper": ("SpringDamper",),
    "mechanism.forces.torsion": ("TorsionSpringDamper",),
    "mechanism.forces.wrench": ("AppliedWrench",),
    "mechanism.hinges": (
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
    ),
    "embedding.linkage": ("Linkage",),
    "compiled.model": ("InputLaw", "Model", "compile"),
    "mechanism.drives": ("Driven", "Held", "Motion", "SecondOrderActuator"),
    "mechanism.parameters": ("Parameter",),
    "views.drawing": ("draw",),
    "readers": ("read_mjcf", "read_urdf"),
    "augmented.rolling_ball": ("BallRollingOnPlane",),
    "mechanism.hinges.rolling": ("RollingOnPlane",),
    "simulation.simulate": ("simulate",),
    "simulation.in_the_loop.simulator": ("Simulator",),
    "mechanism.system": ("System",),
    "compiled.steady_state": ("SteadyState", "steady_state"),
    "compiled.trim": ("trim",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AccuracyWarning",
    "Actuator",
    "AppliedWrench",
    "AssemblyError",
    "BallRollingOnPlane",
    "Body",
    "CeDynamicsError",
    "Component",
    "ConstrainedSystem",
    "Coupling",
    "Cylindrical",
    "DataError",
    "Description",
    "Distance",
    "Driven",
    "Fixed",
    "ForceElement",
    "Free",
    "FunctionCoordinate",
    "FunctionCoupling",
    "Gear",
    "Held",
    "HeldInputs",
    "Hinge",
    "ImmobilityWarning",
    "ImplicitCoupling",
    "IndependentCoordinatesError",
    "InputLaw",
    "Law",
    "Linear",
    "LinearCoupling",
    "Linkage",
    "MasslessFreedomError",
    "Model",
    "ModelError",
    "Motion",
    "OverConstrainedError",
    "Parameter",
    "PhysicalityWarning",
    "Planar",
    "PointToPoint",
    "Polynomial",
    "PolynomialCoupling",
    "Prismatic",
    "RackAndPinion",
    "Revolute",
    "RollingOnPlane",
    "Screw",
    "SecondOrderActuator",
    "SimulationError",
    "Simulator",
    "SingularConfigurationError",
    "SingularityWarning",
    "Spherical",
    "SpringDamper",
    "SteadyState",
    "System",
    "Tabulated",
    "TorsionSpringDamper",
    "UnderConstrainedError",
    "Universal",
    "WrongTypeError",
    "__version__",
    "compile",
    "describe",
    "draw",
    "read_mjcf",
    "read_urdf",
    "simulate",
    "simulate_ensemble",
    "steady_state",
    "trim",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
