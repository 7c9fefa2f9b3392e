"""Unilateral contact, friction, joint stops and cables: complementarity time stepping.

A time step solves M v⁺ − G p = M v + h f with ψ/h + Gᵀ v⁺ + ∂ψ/∂t ≥ 0 and its impulses p; see
docs/contact.md.
Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce_dynamics.algebra.lazy_names import lazy_names

if TYPE_CHECKING:
    from ce_dynamics.contact.cable import (
        Cable as Cable,
        CablePath as CablePath,
        Straight as Straight,
        Weaving as Weaving,
    )
    from ce_dynamics.contact.conditions import (
        Conditions as Conditions,
        ConvergenceError as ConvergenceError,
        InfeasibleError as InfeasibleError,
        InitialStateError as InitialStateError,
        Kind as Kind,
        SparseRows as SparseRows,
    )
    from ce_dynamics.contact.contact import BodyContact as BodyContact, Contact as Contact
    from ce_dynamics.contact.element import (
        Row as Row,
        RowKind as RowKind,
        UnilateralElement as UnilateralElement,
    )
    from ce_dynamics.contact.embedded import UnilateralModel as UnilateralModel
    from ce_dynamics.contact.exact import (
        Exact as Exact,
        Uniqueness as Uniqueness,
        evenly as evenly,
        uniqueness as uniqueness,
    )
    from ce_dynamics.contact.gauss_seidel import GaussSeidel as GaussSeidel, Solver as Solver
    from ce_dynamics.contact.joint import JointFriction as JointFriction, RigidStop as RigidStop
    from ce_dynamics.contact.meetings import RigidShape as RigidShape
    from ce_dynamics.contact.problem import Problem as Problem, Solution as Solution
    from ce_dynamics.contact.recorder import ContactRun as ContactRun, Event as Event
    from ce_dynamics.contact.rigid import (
        RigidBodies as RigidBodies,
        RigidBody as RigidBody,
        RigidRows as RigidRows,
    )
    from ce_dynamics.contact.rigid_contacts import (
        RigidContacts as RigidContacts,
        RigidRun as RigidRun,
        simulate_rigid as simulate_rigid,
    )
    from ce_dynamics.contact.shapes import (
        Box as Box,
        Capsule as Capsule,
        HalfSpace as HalfSpace,
        Sphere as Sphere,
    )
    from ce_dynamics.contact.simulation import simulate_unilateral as simulate_unilateral
    from ce_dynamics.contact.solvers.chain import Chain as Chain
    from ce_dynamics.contact.solvers.friction_problem import (
        FrictionSolution as FrictionSolution,
        solve_friction as solve_friction,
    )
    from ce_dynamics.contact.surfaces import (
        Plane as Plane,
        RoadSurface as RoadSurface,
        Surface as Surface,
    )

__getattr__, __dir__, __all__ = lazy_names(
    {"Run": "ContactRun", "Path": "CablePath", "JointStop": "RigidStop"}
)
