"""Unilateral contact, friction, joint stops and cables: complementarity time stepping.

A time step solves M v⁺ − G p = M v + h f with ψ/h + Gᵀ v⁺ + ∂ψ/∂t ≥ 0 and its impulses p; see
docs/complementarity.md.
Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ce_dynamics.complementarity.body_contact import BodyContact
    from ce_dynamics.complementarity.cable import Cable
    from ce_dynamics.complementarity.contact import Contact
    from ce_dynamics.complementarity.element import Row, RowKind, UnilateralElement
    from ce_dynamics.complementarity.embedded import UnilateralModel
    from ce_dynamics.complementarity.errors import ConvergenceError, InfeasibleError, InitialStateError
    from ce_dynamics.complementarity.events import Event
    from ce_dynamics.complementarity.exact import Exact
    from ce_dynamics.complementarity.gauss_seidel import GaussSeidel, Solver
    from ce_dynamics.complementarity.joint import JointFriction, JointStop
    from ce_dynamics.complementarity.paths import Path, Straight, Weaving
    from ce_dynamics.complementarity.problem import Conditions, Kind, Problem, Solution, SparseRows
    from ce_dynamics.complementarity.rigid import RigidBodies, RigidBody, RigidRows
    from ce_dynamics.complementarity.rigid_contacts import RigidContacts, RigidRun, RigidShape, simulate_rigid
    from ce_dynamics.complementarity.shapes import Box, Capsule, HalfSpace, Sphere
    from ce_dynamics.complementarity.simulation import Run, simulate_unilateral
    from ce_dynamics.complementarity.solvers.chain import Chain
    from ce_dynamics.complementarity.solvers.friction_problem import FrictionSolution, solve_friction
    from ce_dynamics.complementarity.surfaces import Plane, RoadSurface, Surface
    from ce_dynamics.complementarity.unique import Uniqueness, evenly, uniqueness

_HOMES = {
    "body_contact": ("BodyContact",),
    "cable": ("Cable",),
    "solvers.chain": ("Chain",),
    "solvers.friction_problem": ("FrictionSolution", "solve_friction"),
    "contact": ("Contact",),
    "element": ("Row", "RowKind", "UnilateralElement"),
    "embedded": ("UnilateralModel",),
    "errors": ("ConvergenceError", "InfeasibleError", "InitialStateError"),
    "events": ("Event",),
    "exact": ("Exact",),
    "gauss_seidel": ("GaussSeidel", "Solver"),
    "joint": ("JointFriction", "JointStop"),
    "paths": ("Path", "Straight", "Weaving"),
    "problem": ("Conditions", "Kind", "Problem", "Solution", "SparseRows"),
    "rigid": ("RigidBodies", "RigidBody", "RigidRows"),
    "rigid_contacts": ("RigidContacts", "RigidRun", "RigidShape", "simulate_rigid"),
    "shapes": ("Box", "Capsule", "HalfSpace", "Sphere"),
    "simulation": ("Run", "simulate_unilateral"),
    "surfaces": ("Plane", "RoadSurface", "Surface"),
    "unique": ("Uniqueness", "evenly", "uniqueness"),
}

_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "BodyContact",
    "Box",
    "Cable",
    "Capsule",
    "Chain",
    "Conditions",
    "Contact",
    "ConvergenceError",
    "Event",
    "Exact",
    "FrictionSolution",
    "GaussSeidel",
    "HalfSpace",
    "InfeasibleError",
    "InitialStateError",
    "JointFriction",
    "JointStop",
    "Kind",
    "Path",
    "Plane",
    "Problem",
    "RigidBodies",
    "RigidBody",
    "RigidContacts",
    "RigidRows",
    "RigidRun",
    "RigidShape",
    "RoadSurface",
    "Row",
    "RowKind",
    "Run",
    "Solution",
    "Solver",
    "SparseRows",
    "Sphere",
    "Straight",
    "Surface",
    "UnilateralElement",
    "UnilateralModel",
    "Uniqueness",
    "Weaving",
    "evenly",
    "simulate_rigid",
    "simulate_unilateral",
    "solve_friction",
    "uniqueness",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
