"""Compiled models: all analyses of a system, each a function of its own module."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.dense import one_blas_thread
from ce_dynamics.compiled import input_laws, observed
from ce_dynamics.compiled.analysis import (
    aggregated_bodies,
    configurations,
    contact_space as contact_spaces,
    coordinates,
    derivatives as all_derivatives,
    eigenvalue_derivatives as eigenvalues,
    equilibria,
    inverse_kinematics as inverse,
    linearization,
    mechanics,
    operational_space as operational_spaces,
    operators,
    points,
    poses as places,
    power_balance,
    small_motion as small_motions,
    vibrations,
)
from ce_dynamics.compiled.compiled_system import CompiledSystem, reach_text
from ce_dynamics.compiled.observed import closure_norms
from ce_dynamics.compiled.variables import variables
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.compiler.progress import log_work
from ce_dynamics.dynamics.articulated_body import smallest_inertia
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.embedding.aggregate import CLOSED
from ce_dynamics.errors import AssemblyError, MasslessFreedomError
from ce_dynamics.mechanism.parameters import values_at
from ce_dynamics.mechanism.system import System


class Model(CompiledSystem):
    """An embedded system whose evaluations run as machine code.

    Every function is traced and compiled at its first use, and cached on disk.
    A method is a function of its module that takes the model first; its description is there.

    Every analysis at a state takes the same arguments: its subject, if any; then the coordinates
    ``q`` and velocities ``v``, in the order of ``layout.q`` and ``layout.v``, or the whole state ``y`` in the
    place of q; then by name ``x`` (first-order states; their initial values if not given), ``u`` (inputs and
    free parameters; their defaults) and options.  Without q and y it is the initial state.
    ``model.reactions(q, v, u=u)`` and ``model.reactions(y, u=u)`` are the same.

    Parameters
    ----------
    system : System

    Attributes
    ----------
    system : System
    embedding : Embedding
    layout : Layout
        Names and units of the state y = [q; v; x] and of the inputs u.
    variables : list of Variable
        Named variables of the results, with their entries.

    Raises
    ------
    ModelError
        If the system is described wrongly, or two of its quantities have the same name; of the classes of
        `ce_dynamics.embedding.embed.embed` where its loops are at fault.
    MasslessFreedomError
        If a degree of freedom moves neither mass nor inertia.
    AssemblyError
        If a loop cannot be assembled at the initial state.
    """

    def __init__(self, system: System) -> None:
        checks.instance("compile: system", system, System, "a System")
        super().__init__(system)
        with log_work(f"checking {system.name!r}"), one_blas_thread():
            self.variables = variables(self.entries, system.groups)
            check_start(self)

    # Inputs

    inputs_with = input_laws.inputs_with
    check_parameters = input_laws.check_parameters
    ranges = cached_property(input_laws.ranges)
    control = input_laws.control
    answers = input_laws.evaluate_law

    # Outputs and closure errors

    outputs = observed.outputs
    observation = cached_property(observed.observation)
    observe = observed.observe
    sense = observed.system_outputs
    closure_norms = observed.closure_norms

    # Motion, forces and energies at one state

    accelerations = mechanics.accelerations
    inverse_dynamics = mechanics.inverse_dynamics
    mass_matrix = mechanics.mass_matrix
    energy = mechanics.energy
    momentum = mechanics.momentum
    centroidal = mechanics.centroidal
    reactions = mechanics.reactions
    reaction_derivatives = all_derivatives.reaction_derivatives
    power = power_balance.power
    audited_dynamics = cached_property(power_balance.trace_audited_dynamics)

    # Spatial operators

    inverse_mass_matrix = operators.inverse_mass_matrix
    solve_mass = operators.solve_mass
    innovations = operators.innovations
    aggregated_body = aggregated_bodies.aggregated_body

    # Bodies, points and frames

    poses = places.poses
    point = points.point
    frame = points.frame
    frame_kinematics = points.frame_kinematics
    operational_space = operational_spaces.operational_space
    contact_space = contact_spaces.contact_space

    # Configurations

    assemble = configurations.assemble
    inverse_kinematics = inverse.inverse_kinematics
    coordinate_entries = property(coordinates.coordinate_entries)
    slope_of = coordinates.slope_of
    dead_centres = aggregated_bodies.dead_centres

    # Linearised motion

    linearize = linearization.linearize
    sensitivities = linearization.sensitivities
    derivatives = all_derivatives.derivatives
    eigenvalue_derivatives = eigenvalues.eigenvalue_derivatives
    small_motion = small_motions.small_motion
    balance = small_motions.balance
    equilibrium = equilibria.equilibrium
    resting = equilibria.resting
    modes = vibrations.modes

    def __repr__(self) -> str:
        bodies = len(self.system.bodies)
        n = self.embedding.n_v
        freedoms = "degree" if n == 1 else "degrees"
        return f"Model({self.system.name!r}: {n} {freedoms} of freedom, {bodies} bodies)"


def compile(system: System) -> Model:
    """Embed the loops of a system and prepare its compiled evaluations.

    Raises
    ------
    ModelError
        If the system is described wrongly.
    AssemblyError
        If a loop cannot be assembled at the initial state.
    """
    return Model(system)


NEGLIGIBLE = 1e-14
"""Inertia of a motion, of what it would be if it moved the heaviest body, that counts as none: rounding."""


def check_start(model: CompiledSystem) -> None:
    """Reject a system that cannot start: check all quantities at one instant."""
    instant = model.instant(model.y0, model.u0)
    check_initial_state(model, instant)
    check_closure(model, instant)
    check_inertia(model, instant)


def check_initial_state(model: CompiledSystem, instant: Instant) -> None:
    """Refuse a system whose loops cannot be assembled at its initial state."""
    broken = model.find_unassembled_in(instant)
    if broken is not None:
        q = {b.name: model.layout.y0[model.embedding.q_of[b.name]].tolist() for b in broken.independent}
        raise AssemblyError(
            f"the loop of {broken.name!r} cannot be assembled at its initial coordinates {q}"
            f"{reach_text(broken)}"
        )


def check_closure(model: CompiledSystem, instant: Instant) -> None:
    """Refuse a system whose linkages leave a loop open at its initial state."""
    if not model.system.closures:
        return
    with np.errstate(all="ignore"):
        gaps = closure_norms(model, instant)
    numbers = values_at(gaps, model.layout.parameters, model.u0[model.layout.n_inputs :])
    for loop, gap, limit in zip(model.system.closures, numbers, model.closure_limits, strict=True):
        if not gap <= limit:
            S = next(S for S in model.embedding.aggregates if loop in S.closures)
            linkages = [type(link).__name__ for link in S.linkages]
            raise AssemblyError(
                f"the loop of {S.name!r} is open by {gap:.3g} at its initial state (closure "
                f"{loop.name!r}, {limit / CLOSED:.3g} m across), found by {linkages}; "
                "start from another state, or lead it by another hinge"
            )


def check_inertia(model: CompiledSystem, instant: Instant) -> None:
    """Refuse degrees of freedom that move no mass, whose acceleration is not determined."""
    with np.errstate(all="ignore"):
        nodes = instant.nodes
    for S in reversed(model.embedding.aggregates):  # outer bodies first: NaN spreads to the base
        if S.N == 0:
            continue
        if not smallest_inertia(nodes[S.name]) > NEGLIGIBLE:
            inertia = np.linalg.eigvalsh(nominal(nodes[S.name].D_matrix).astype(float))
            hinges = ", ".join(body.name for body in S.independent)
            raise MasslessFreedomError(
                f"hinge {hinges}: a motion of it moves no mass or inertia (D has the eigenvalue "
                f"{inertia[0]:.3g}); give {S.name!r} or what it carries mass and inertia"
            )
