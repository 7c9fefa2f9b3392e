"""Unilateral contact, friction, joint stops and cables: complementarity time stepping.

A time step solves M v⁺ − G p = M v + h f with ψ/h + Gᵀ v⁺ + ∂ψ/∂t ≥ 0 and its impulses p; see
docs/complementarity.md.
Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce_dynamics.algebra.lazy_names import lazy_names

if TYPE_CHECKING:
    from ce_dynamics.complementarity.body_contact import BodyContact as BodyContact
    from ce_dynamics.complementarity.cable import Cable as Cable
    from ce_dynamics.complementarity.conditions import Conditions as Conditions, Kind as Kind
    from ce_dynamics.complementarity.contact import Contact as Contact
    from ce_dynamics.complementarity.element import (
        Row as Row,
        RowKind as RowKind,
        UnilateralElement as UnilateralElement,
    )
    from ce_dynamics.complementarity.embedded import UnilateralModel as UnilateralModel
    from ce_dynamics.complementarity.errors import (
        ConvergenceError as ConvergenceError,
        InfeasibleError as InfeasibleError,
        InitialStateError as InitialStateError,
    )
    from ce_dynamics.complementarity.events import Event as Event
    from ce_dynamics.complementarity.exact import Exact as Exact
    from ce_dynamics.complementarity.gauss_seidel import GaussSeidel as GaussSeidel, Solver as Solver
    from ce_dynamics.complementarity.joint import JointFriction as JointFriction, JointStop as JointStop
    from ce_dynamics.complementarity.meetings import RigidShape as RigidShape
    from ce_dynamics.complementarity.paths import Path as Path, Straight as Straight, Weaving as Weaving
    from ce_dynamics.complementarity.problem import Problem as Problem, Solution as Solution
    from ce_dynamics.complementarity.recorder import Run as Run
    from ce_dynamics.complementarity.rigid import (
        RigidBodies as RigidBodies,
        RigidBody as RigidBody,
        RigidRows as RigidRows,
    )
    from ce_dynamics.complementarity.rigid_contacts import RigidContacts as RigidContacts
    from ce_dynamics.complementarity.rigid_run import RigidRun as RigidRun, simulate_rigid as simulate_rigid
    from ce_dynamics.complementarity.shapes import (
        Box as Box,
        Capsule as Capsule,
        HalfSpace as HalfSpace,
        Sphere as Sphere,
    )
    from ce_dynamics.complementarity.simulation import simulate_unilateral as simulate_unilateral
    from ce_dynamics.complementarity.solvers.chain import Chain as Chain
    from ce_dynamics.complementarity.solvers.friction_problem import (
        FrictionSolution as FrictionSolution,
        solve_friction as solve_friction,
    )
    from ce_dynamics.complementarity.sparse_rows import SparseRows as SparseRows
    from ce_dynamics.complementarity.surfaces import (
        Plane as Plane,
        RoadSurface as RoadSurface,
        Surface as Surface,
    )
    from ce_dynamics.complementarity.unique import (
        Uniqueness as Uniqueness,
        evenly as evenly,
        uniqueness as uniqueness,
    )

__getattr__, __dir__, __all__ = lazy_names()
