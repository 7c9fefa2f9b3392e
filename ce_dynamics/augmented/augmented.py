"""Common parts of the two augmented formulations, and the solution of (8) for accelerations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.linalg

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, concatenate
from ce_dynamics.algebra.dense import least_squares
from ce_dynamics.augmented.coupling_rows import HingeVelocities, hinge_velocities
from ce_dynamics.augmented.states import BodyState, gravity_potential, kinetic_energy
from ce_dynamics.compiled.tangent import Tangent, check_directions
from ce_dynamics.dynamics.state import Layout, motion_key
from ce_dynamics.embedding.aggregate import Embedding, slices
from ce_dynamics.embedding.closures.choices import ROUNDING
from ce_dynamics.errors import AssemblyError, MasslessFreedomError, ModelError
from ce_dynamics.mechanism.drives import Prescribed
from ce_dynamics.mechanism.forces.base import Response
from ce_dynamics.mechanism.system import System

RANK_TOLERANCE = 1e-9
"""Pivots of the row-normalised constraint Jacobian below this, relative to the largest, count as zero."""


class RowRank(NamedTuple):
    """Result of a rank-revealing factorisation of the constraint rows.

    Attributes
    ----------
    kept, dropped : (rank,), (n − rank,) int arrays
        Indices of a largest set of independent rows, and of the rows that are combinations of that set.
    """

    kept: Array
    dropped: Array

    @property
    def rank(self) -> int:
        """Number of independent rows."""
        return len(self.kept)


class SaddleSolution(NamedTuple):
    """Solution of the augmented equations.

    Attributes
    ----------
    V_dot : (n_V,) array
    multipliers : (n,) array
        λ of least norm (of the normalised rows) where rows are redundant.
    rank : int
    inconsistency : float
        Largest violation of a redundant row, relative to the right-hand side: rounding, if the rows agree.
    """

    V_dot: Array
    multipliers: Array
    rank: int
    inconsistency: float


def normalise_rows(G: Array) -> tuple[Array, Array]:
    """Return G with rows of length one, and their former lengths; rows that are rounding keep theirs as 1."""
    lengths = np.linalg.norm(G, axis=1)
    lengths = np.where(lengths > ROUNDING * np.max(lengths, initial=0.0), lengths, 1.0)
    return G / lengths[:, None], lengths


def row_rank(G: Array) -> RowRank:
    """Return a largest set of independent rows of G, by QR with pivoting of the normalised rows."""
    _, pivots, rank = factor_rows(G)
    return RowRank(np.sort(pivots[:rank]), np.sort(pivots[rank:]))


def factor_rows(G: Array) -> tuple[Array, Array, int]:
    """Return R and the pivots of QR of the normalised rows, and the rank."""
    if G.size == 0:
        return np.zeros((0, len(G))), np.arange(len(G)), 0
    R, pivots = scipy.linalg.qr(normalise_rows(G)[0].T, mode="r", pivoting=True)
    return R, pivots, count_pivots(R)


def redundant_rows(G: Array) -> Array:
    """Return the mask (n,) of redundant rows: combinations of others, and these others."""
    marked = np.zeros(len(G), dtype=bool)
    if G.size == 0:
        return marked
    R, pivots, rank = factor_rows(G)
    combined = scipy.linalg.solve_triangular(R[:rank, :rank], R[:rank, rank:])  # row = Σ combined × kept rows
    marked[pivots[rank:]] = True
    marked[pivots[:rank]] = np.any(np.abs(combined) > RANK_TOLERANCE, axis=1)
    return marked


def count_pivots(R: Array) -> int:
    """Rank from the diagonal of R."""
    diagonal = np.abs(np.diagonal(R))
    return int(np.sum(diagonal > RANK_TOLERANCE * max(diagonal[0], 1e-300)))


def solve_saddle(M: Array, G: Array, f: Array, gamma: Array) -> SaddleSolution:
    """Solve M V̇ = f + Gᵀ λ, G V̇ = −γ by the null space of G.

    M may be singular (points without inertia) as long as it is not along motions the constraints allow.

    Raises
    ------
    MasslessFreedomError
        If it is.
    """
    if len(G) == 0:
        return SaddleSolution(divide_by_mass(M, f), np.zeros(0), 0, 0.0)
    normal, lengths = normalise_rows(G)
    Q, R, pivots = scipy.linalg.qr(normal.T, pivoting=True)
    rank = count_pivots(R)
    Q1, Q2 = Q[:, :rank], Q[:, rank:]  # V̇ = Q1 y + Q2 z

    def solve(f: Array, target: Array) -> tuple[Array, Array]:
        y = scipy.linalg.solve_triangular(R[:rank, :rank], target[pivots[:rank]], trans="T")
        V_dot = Q1 @ y
        if Q2.shape[1]:
            V_dot = V_dot + Q2 @ divide_by_mass(Q2.T @ M @ Q2, Q2.T @ (f - M @ V_dot))
        return V_dot, R[:rank, rank:].T @ y - target[pivots[rank:]]

    target = -gamma / lengths
    V_dot, violation = solve(f, target)
    reaction = M @ V_dot - f
    multipliers = least_squares(normal.T, reaction, rcond=RANK_TOLERANCE)
    # light links have small pivots: a step of iterative refinement removes what these leave
    V_dot = V_dot + solve(normal.T @ multipliers - reaction, target - normal @ V_dot)[0]
    multipliers = least_squares(normal.T, M @ V_dot - f, rcond=RANK_TOLERANCE) / lengths
    scale = max(float(np.max(np.abs(target))), 1.0)
    return SaddleSolution(V_dot, multipliers, rank, float(np.max(np.abs(violation), initial=0.0)) / scale)


def divide_by_mass(M: Array, f: Array) -> Array:
    """Return M⁻¹ f; pivots as small as the rounding of M count as zero."""
    lu, order, _ = scipy.linalg.lapack.dgetrf(M)
    smallest = float(np.min(np.abs(np.diag(lu)), initial=np.inf))
    if smallest <= len(M) * np.finfo(float).eps * float(np.max(np.abs(M), initial=0.0)):
        raise MasslessFreedomError(
            "a motion that the constraints allow moves no mass or inertia; give its bodies mass and inertia"
        )
    solution, _ = scipy.linalg.lapack.dgetrs(lu, order, f)
    return np.asarray(solution)


Inputs: TypeAlias = "Array | Mapping[str, float] | None"
"""Values of the system's inputs: in order, or by name (the others at their defaults), or all defaults."""

InputSignal: TypeAlias = "Inputs | Callable[[float], Inputs]"
"""Constant inputs or a function of time."""


class Constraints(NamedTuple):
    """All constraint rows at one instant: g = 0.

    Attributes
    ----------
    g : (n_g,) array
        Residuals.
    rate : (n_g,) array
        ġ = G V + ∂g/∂t.
    G : (n_g, n_V) array
        Jacobian over velocities.
    gamma : (n_g,) array
        g̈ = G V̇ + γ.
    """

    g: Array
    rate: Array
    G: Array
    gamma: Array


@dataclass(frozen=True, eq=False)
class AugmentedInstant(ABC):
    """An augmented system at one instant: inertia V̇ = force + Gᵀ λ, with the constraints."""

    system: System
    p: Array
    V: Array
    x: Mapping[str, Array]
    u: Mapping[str, Scalar]
    prescribed: Mapping[str, Prescribed]

    @property
    @abstractmethod
    def constraints(self) -> Constraints:
        """The constraint rows."""

    @property
    @abstractmethod
    def inertia(self) -> Array:
        """Matrix (n_V, n_V) in front of V̇."""

    @property
    @abstractmethod
    def force(self) -> Array:
        """Right-hand side (n_V,) without reactions."""

    def momentum(self, V_dot: Array, reaction: Array) -> Array:
        """Return the residual (n_V,) of the equations of motion for generalised forces Gᵀ λ."""
        return self.inertia @ V_dot - self.force - reaction

    @abstractmethod
    def position_rate(self, W: Array) -> Array:
        """Return ṗ for velocities W, linear in W."""

    @property
    @abstractmethod
    def states(self) -> dict[str, BodyState]:
        """Motion of all bodies in the world."""

    @property
    @abstractmethod
    def responses(self) -> Mapping[str, Response]:
        """Answers of the force elements."""

    @cached_property
    def armature(self) -> list[HingeVelocities]:
        """Velocities of the hinges that have armature."""
        return [hinge_velocities(body, self.states) for body in self.system.bodies if body.has_armature]

    @property
    def x_dot(self) -> Array:
        """Rates of the first-order states."""
        rates = {motion_key(name): motion.x_dot for name, motion in self.prescribed.items()}
        rates |= {name: response.x_dot for name, response in self.responses.items()}
        return concatenate([np.asarray(rates[name], dtype=object) for name in self.x])

    @property
    def energy(self) -> Scalar:
        """Kinetic energy, potential of gravity and of the force elements."""
        total = kinetic_energy(self.system.bodies, self.states)
        for hinge in self.armature:  # ½ θ̇ᵀ A θ̇
            total = total + 0.5 * (hinge.A @ (hinge.rate * hinge.rate))
        total = total + gravity_potential(self.system.bodies, self.states, self.system.gravity)
        for response in self.responses.values():
            total = total + response.potential
        return total


class Augmented(ABC):
    """A system in an augmented formulation; its state is y = [p; V; x].

    Attributes
    ----------
    system : System
    n_p, n_V, n_x, n_g : int
        Numbers of positions, velocities, first-order states and constraint rows.
    row_names : tuple of str
        The joint each constraint row belongs to: ``hinge of <body>``, ``motion of <body>`` or the name of a
        closure.
    holonomic : (n_g,) array of bool
        Which rows are conditions on positions; g of the others (rolling) is zero everywhere.
    quaternions : dict of str to array of int
        Indices of the quaternion of each body that has one, in p.
    """

    n_p: int
    n_V: int
    row_names: tuple[str, ...]
    holonomic: Array
    quaternions: dict[str, Array]

    def __init__(self, system: System) -> None:
        if checks.instance("system", system, System, "a System").controllers:
            raise ModelError(
                f"{system.controllers[0].label} is not evaluated in the augmented formulation; "
                "compile the system instead (ce_dynamics.compile)"
            )
        self.system = system
        owners = {motion_key(name): motion.states for name, motion in system.prescribed.items()}
        owners |= {element.name: element.states for element in system.forces}
        self.x_of = slices((name, len(states)) for name, states in owners.items())
        self.x0 = np.array([state.initial for states in owners.values() for state in states], dtype=float)
        self.u0 = np.array([given.default for given in system.inputs.values()], dtype=float)
        self.n_x = len(self.x0)

    @abstractmethod
    def instant(self, p: Array, V: Array, x: Array, u: Array) -> AugmentedInstant:
        """Return the everything at one instant, on floats or traced scalars."""

    def solve(self, instant: AugmentedInstant) -> SaddleSolution:
        """Return V̇ and λ of an instant (floats only)."""
        rows = instant.constraints
        parts = (instant.inertia, rows.G, instant.force, rows.gamma)
        return solve_saddle(*(np.asarray(part, dtype=float) for part in parts))

    @abstractmethod
    def state_from_embedded(
        self, embedding: Embedding, q: Array, v: Array, x: Array, u: Inputs = None
    ) -> Array:
        """Return the state y of an embedded system; for starting and comparing."""

    @property
    def n_g(self) -> int:
        """Number of constraint rows, redundant ones included."""
        return len(self.row_names)

    @property
    def closure_rows(self) -> Array:
        """Mask of the constraint rows that belong to loop closures, (n_g,) bool."""
        closures = {loop.name for loop in self.system.closures}
        return np.array([name in closures for name in self.row_names], dtype=bool)

    def split(self, y: Array) -> tuple[Array, Array, Array]:
        """Return the parts p, V, x of a state (or of states in rows)."""
        return y[..., : self.n_p], y[..., self.n_p : self.n_p + self.n_V], y[..., self.n_p + self.n_V :]

    def at(self, y: Array, u: Inputs = None) -> AugmentedInstant:
        """Return the instant of a state."""
        return self.instant(*self.split(self.check_state("y", y)), self.input_vector(u))

    def check_state(self, name: str, y: Array) -> Array:
        """Return a user's state [p; V; x]: finite, with quaternions that are not zero."""
        y = checks.numbers(name, y)
        expected = self.n_p + self.n_V + self.n_x
        if y.shape != (expected,):
            raise ModelError(
                f"state {name} has shape {y.shape}; [p; V; x] of {self.system.name!r} has {expected} entries"
            )
        check_directions(name, self.quaternions, checks.vector(name, y, expected))
        return y

    def accelerations(self, y: Array, u: Inputs = None) -> SaddleSolution:
        """Return accelerations and multipliers from the augmented equations (8)."""
        return self.solve(self.at(y, u))

    def redundancy(self, y: Array, u: Inputs = None) -> RowRank:
        """Return the independent and the dependent constraint rows at a state."""
        return row_rank(self.at(y, u).constraints.G.astype(float))

    def assemble(
        self, y: Array, u: Inputs = None, tolerance: float = 1e-13, max_iterations: int = 30
    ) -> Array:
        """Return the state nearest to y that satisfies the constraints: Newton on g, then projection of V.

        Raises
        ------
        AssemblyError
            If Newton does not converge.
        """
        p, V, x = self.split(np.array(self.check_state("y", y)))
        values = self.input_vector(u)
        worst = np.inf
        for _ in range(max_iterations):
            instant = self.instant(p, V, x, values)
            g, rate, G, _ = (np.asarray(part, dtype=float) for part in instant.constraints)
            previous, worst = worst, float(np.max(np.abs(g), initial=0.0))
            if worst <= tolerance or (worst < 1e3 * tolerance and worst >= 0.5 * previous):  # at rounding
                V = V - least_squares(G, rate, rcond=1e-9) if len(G) else V
                return np.concatenate((self.normalise(p), V, x))
            if not np.isfinite(worst):
                break
            on_positions = G[self.holonomic], g[self.holonomic]
            p = p - instant.position_rate(least_squares(*on_positions, rcond=1e-9)).astype(float)
        k = int(np.argmax(np.abs(g)))
        raise AssemblyError(
            f"{self.system.name!r} cannot be assembled from this state: {self.row_names[k]!r} is off by"
            f" {g[k]:.3g} after {max_iterations} Newton iterations; start nearer to a closed configuration"
        )

    def normalise(self, p: Array) -> Array:
        """Return P with its quaternions made unit length."""
        return p

    def input_vector(self, u: Inputs) -> Array:
        """Return inputs in order."""
        names = list(self.system.inputs)
        if u is None:
            return self.u0
        given: Any = u
        if isinstance(u, Mapping):
            unknown = sorted(set(u) - set(names))
            if unknown:
                raise ModelError(f"unknown input {unknown[0]!r} of {self.system.name!r}; there are {names}")
            given = [u.get(name, declared.default) for name, declared in self.system.inputs.items()]
        values = checks.numbers("u", given)
        if values.shape != (len(names),):
            raise ModelError(
                f"inputs have shape {values.shape}; {self.system.name!r} has {len(names)}: {names}"
            )
        return values

    def check_embedded(
        self, embedding: Embedding, q: Array, v: Array, x: Array, u: Inputs
    ) -> tuple[Layout, Array, Array, Array, Array]:
        """Return the layout of an embedding of the same system, a finite state of it, and finite inputs."""
        if embedding.system is not self.system:
            raise ModelError(f"the embedding is one of {embedding.system!r}, not of {self.system!r}")
        layout = Layout(embedding)
        q, v, x = (
            checks.finite_array(name, part, (layout.sizes[name],))
            for name, part in {"q": q, "v": v, "x": x}.items()
        )
        check_directions("q", Tangent(embedding).quaternions, q)
        inputs = checks.finite_array("u", self.input_vector(u), (None,))
        return layout, q, v, x, inputs

    def signal(self, inputs: Any) -> Callable[[float], Array]:
        """Return the inputs as a function of time."""
        if callable(inputs):
            return lambda t: self.input_vector(inputs(t))
        constant = checks.finite_array("inputs", self.input_vector(inputs), (None,))
        return lambda t: constant

    def states_of(self, x: Array) -> dict[str, Array]:
        """Return first-order states by owner."""
        return {name: x[where] for name, where in self.x_of.items()}

    def inputs_of(self, u: Array) -> dict[str, Scalar]:
        """Return inputs by name."""
        return dict(zip(self.system.inputs, u, strict=True))

    def find_prescribed(self, x: Mapping[str, Array], u: Mapping[str, Scalar]) -> dict[str, Prescribed]:
        """Return prescribed motions by body name."""
        return {
            name: motion.evaluate(x[motion_key(name)], u) for name, motion in self.system.prescribed.items()
        }
