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
from time import time
from typing import TYPE_CHECKING, Any

from ce_dynamics._version import __version__

_IMPORTED = time()
"""When: source files that are younger may not be what runs."""

if TYPE_CHECKING:
    from ce_dynamics.body import Body
    from ce_dynamics.constraints import ConstrainedSystem, PointToPoint
    from ce_dynamics.couplings import (
        Coupling,
        FunctionCoupling,
        Gear,
        ImplicitCoupling,
        LinearCoupling,
        PolynomialCoupling,
        RackAndPinion,
    )
    from ce_dynamics.describing.description import Description
    from ce_dynamics.describing.pose import draw
    from ce_dynamics.ensembles.arguments import HeldInputs
    from ce_dynamics.ensembles.simulation import simulate_ensemble
    from ce_dynamics.errors import (
        AccuracyWarning,
        AssemblyError,
        CeDynamicsError,
        DataError,
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
    from ce_dynamics.forces.actuator import Actuator
    from ce_dynamics.forces.base import ForceElement
    from ce_dynamics.forces.laws import Law, Linear, Polynomial, Tabulated
    from ce_dynamics.forces.spring_damper import SpringDamper
    from ce_dynamics.forces.torsion import TorsionSpringDamper
    from ce_dynamics.forces.wrench import AppliedWrench
    from ce_dynamics.hinges import (
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
    from ce_dynamics.linkage import Linkage
    from ce_dynamics.model import InputLaw, Model, compile
    from ce_dynamics.motions import Driven, Held, Motion, SecondOrderActuator
    from ce_dynamics.parameters import Parameter
    from ce_dynamics.readers import read_mjcf, read_urdf
    from ce_dynamics.rolling import BallRollingOnPlane
    from ce_dynamics.rolling_hinge import RollingOnPlane
    from ce_dynamics.simulation import simulate
    from ce_dynamics.stepping.simulator import Simulator
    from ce_dynamics.system import System
    from ce_dynamics.trimming import trim

_HOMES = {
    "body": ("Body",),
    "constraints": ("ConstrainedSystem", "PointToPoint"),
    "couplings": (
        "Coupling",
        "FunctionCoupling",
        "Gear",
        "ImplicitCoupling",
        "LinearCoupling",
        "PolynomialCoupling",
        "RackAndPinion",
    ),
    "ensembles.arguments": ("HeldInputs",),
    "ensembles.simulation": ("simulate_ensemble",),
    "describing.description": ("Description",),
    "errors": (
        "AccuracyWarning",
        "AssemblyError",
        "CeDynamicsError",
        "DataError",
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
    "forces.actuator": ("Actuator",),
    "forces.base": ("ForceElement",),
    "forces.laws": ("Law", "Linear", "Polynomial", "Tabulated"),
    "forces.spring_damper": ("SpringDamper",),
    "forces.torsion": ("TorsionSpringDamper",),
    "forces.wrench": ("AppliedWrench",),
    "hinges": (
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
    "linkage": ("Linkage",),
    "model": ("InputLaw", "Model", "compile"),
    "motions": ("Driven", "Held", "Motion", "SecondOrderActuator"),
    "parameters": ("Parameter",),
    "describing.pose": ("draw",),
    "readers": ("read_mjcf", "read_urdf"),
    "rolling": ("BallRollingOnPlane",),
    "rolling_hinge": ("RollingOnPlane",),
    "simulation": ("simulate",),
    "stepping.simulator": ("Simulator",),
    "system": ("System",),
    "trimming": ("trim",),
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
    "FunctionCoupling",
    "Gear",
    "Held",
    "HeldInputs",
    "Hinge",
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
    "System",
    "Tabulated",
    "TorsionSpringDamper",
    "UnderConstrainedError",
    "Universal",
    "WrongTypeError",
    "__version__",
    "compile",
    "draw",
    "read_mjcf",
    "read_urdf",
    "simulate",
    "simulate_ensemble",
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
