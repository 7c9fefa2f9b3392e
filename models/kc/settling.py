"""The balance of an axle's springs where the travels of its wheels leave coordinates open."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.ldl import LDL
from ce_dynamics.compiler import TracedFunction, trace
from ce_dynamics.compiler.derivatives.forward_mode import directional_derivative
from ce_dynamics.compiler.tracing.inline import call
from ce_dynamics.errors import DataError

MOST = 400_000
"""Instructions of ∇²V at most: more take minutes to compile with the figures that are made of it."""
SINGULAR = 1e-9
"""Singular value over the largest that counts as none."""
WITH_BARS, WITHOUT_BARS = np.array([1.0, 1.0]), np.array([1.0, 0.0])
"""Parts of the energies of springs and of bars."""


def inverse(A: Array) -> Array:
    """Return the inverse of a 1 × 1 or 2 × 2 matrix."""
    if len(A) == 1:
        return array(((1.0 / A[0, 0],),))
    (a, b), (c, d) = A
    found: Array = array((array((d, -b)), array((-c, a)))) / (a * d - b * c)
    return found


def right_inverse(Z: Array) -> Array:
    """Return the inverse of a square matrix; of more columns Zᵀ (Z Zᵀ)⁻¹, which gives the least change."""
    if Z.shape[0] == Z.shape[1]:
        return inverse(Z)
    result: Array = Z.T @ inverse(Z @ Z.T)
    return result


class Settling:
    """The balance of an axle's springs at given travels of its wheels.

    The coordinates q of a beam on leaf springs, which also goes sideways and winds up, do not follow from the
    travels t(q) of its wheels.  With the energy V(q) of springs and bars and the forces λ that hold wheels,

        ∇V − Tᵀ λ = 0,    t(q) = t,    T = ∂t/∂q.

    Newton's method and all derivatives along the balance are solutions of

        [H −Tᵀ; T 0] [dq; dλ] = [r; dt],    H = ∇²V − Σ λᵢ ∇²tᵢ,

    written as dq = P r + D dt with D = W⁻¹Tᵀ(T W⁻¹Tᵀ)⁻¹, P = W⁻¹ − D T W⁻¹ and any W = H + γ TᵀT, which is
    positive definite where the balance is stable.  The stiffness at the wheels is K = Dᵀ H D.

    ``measured`` gives heights of both wheels and energies of springs and of bars at c (`AxlePoses`);
    ``moves`` (n, n_m) are motions with each coordinate in the design pose c; ``rows`` (m, 2) the chosen
    travels.
    """

    def __init__(
        self,
        name: str,
        measured: Callable[[Array], tuple[Array, Array]],
        start: Floats,
        moves: Floats,
        rows: Floats,
    ) -> None:
        self.name, self.rows, self._measured = f"axle {name!r}", rows, measured
        self.n, self.size = len(moves), len(start)
        if self.second.n_instructions * self.n > MOST:
            raise DataError(
                f"{self.name}: its wheels move in {self.n} ways and springs have to find what their heights "
                "leave open, but its linkage, which is solved as a whole, is too large for that; describe it "
                "by a template, or by closed loops that are recognised"
            )
        self.weight, self.idle = 0.0, np.zeros((0, self.n))
        self._choose(start, moves)

    # Traced functions

    @cached_property
    def _scalars(self) -> TracedFunction:
        """Heights of both wheels, energy of springs and of bars."""

        def scalars(c: Array) -> dict[str, Array]:
            heights, energies = self._measured(c)
            return {"z": heights, "V": energies}

        return trace(f"{self.name}: energy", scalars, {"c": self.size})

    @cached_property
    def first(self) -> TracedFunction:
        """z (2,), Z = ∂z/∂q (2, n) and ∇V (2, n) of springs and of bars."""
        along = directional_derivative(self._scalars)

        def first(c: Array) -> dict[str, Array]:
            columns = [call(along, c=c, c_direction=self._unit(k)) for k in range(self.n)]
            return {
                "z": call(self._scalars, c=c)["z"],
                "Z": array(column["z_direction"] for column in columns).T,
                "g": array(column["V_direction"] for column in columns).T,
            }

        return trace(f"{self.name}: gradient", first, {"c": self.size})

    @cached_property
    def second(self) -> TracedFunction:
        """Their derivatives along a direction of c."""
        return directional_derivative(self.first)

    def _unit(self, k: int) -> Floats:
        direction = np.zeros(self.size)
        direction[k] = 1.0
        return direction

    # At c

    def travels_and_balance(self, c: Array) -> tuple[Array, Array]:
        """Return travels (m,), and ∇V less its best balance by wheel forces (n,): zero in equilibrium."""
        now = call(self.first, c=c)
        T, g = self.rows @ now["Z"], now["g"][0] + now["g"][1]
        return self.rows @ now["z"], g - T.T @ wheel_forces(T, g)

    def at(self, c: Array) -> Settled:
        """Return the balance near c, traced or not."""
        now = call(self.first, c=c)
        by = [call(self.second, c=c, c_direction=self._unit(k)) for k in range(self.n)]
        return Settled(self, c, now, by)

    # Directions without a spring

    def _choose(self, start: Floats, moves: Floats) -> None:
        """Choose γ, and the coordinates that move and store nothing, which stay where they are."""
        here = self.at(start)
        H, T = np.asarray(here.H, dtype=float), np.asarray(here.T, dtype=float)
        H_size, T_size = np.linalg.norm(H), np.linalg.norm(T)
        _, sizes, directions = np.linalg.svd(np.vstack((H / (H_size or 1.0), T / T_size)))
        idle = directions[np.count_nonzero(sizes > SINGULAR * sizes[0]) :]
        if np.max(np.abs(idle @ moves), initial=0.0) > 1e-6 * np.max(np.abs(moves)):
            raise DataError(
                f"{self.name}: its wheels move in {self.n} ways when their heights are held, and no spring "
                "holds some of these; give the axle the springs or bushings that hold it"
            )
        self.weight, self.idle = float(H_size / T_size**2), np.sqrt(H_size) * idle
        free = np.linalg.svd(np.vstack((T / T_size, idle)))[2][T.shape[0] + len(idle) :]
        if np.min(np.linalg.eigvalsh(free @ (0.5 * (H + H.T)) @ free.T), initial=np.inf) <= 0.0:
            raise DataError(
                f"{self.name}: with the wheels held at their design heights its springs give way; check "
                "their preloads and signs"
            )


class Settled:
    """An axle at c and its balance nearby: T = ∂t/∂q (m, n), H (n, n), ``force`` on the wheels.

    D (n, m) is the change of the coordinates per travel, the springs in balance.
    """

    def __init__(self, of: Settling, c: Array, now: dict[str, Array], by: list[dict[str, Array]]) -> None:
        self._of, self._c, self._by = of, c, by
        self.T = of.rows @ now["Z"]
        self._g = now["g"]
        self._sum = now["g"][0] + now["g"][1]
        self._force = wheel_forces(self.T, self._sum)
        self.H = self._hessian(WITH_BARS, self._force)
        if of.weight:
            self._factors, self.D = self._factorise(self.H)
            self.force = self.D.T @ self._sum

    def _hessian(self, groups: Floats, force: Array) -> Array:
        pull = force @ self._of.rows
        return array(groups @ one["g_direction"] - pull @ one["Z_direction"] for one in self._by)

    def _factorise(self, H: Array) -> tuple[LDL, Array]:
        of, T = self._of, self.T
        factors = LDL(H + of.weight * (T.T @ T) + of.idle.T @ of.idle)
        Y = factors.solve_columns(T.T)
        return factors, Y @ inverse(T @ Y)

    def across(self, r: Array) -> Array:
        """Return P r: change of the coordinates by forces, the travels held."""
        x = self._factors.solve(r)
        found: Array = x - self.D @ (self.T @ x)
        return found

    @property
    def step(self) -> Array:
        """Newton's step to the balance, the travels held."""
        found: Array = -self.across(self._sum)
        return found

    def by_steering(self) -> Array:
        """Change of the coordinates per unit of the steering, the travels held, the springs in balance."""
        of = self._of
        one = call(of.second, c=self._c, c_direction=of._unit(of.n))
        r = WITH_BARS @ one["g_direction"] - (self._force @ of.rows) @ one["Z_direction"]
        found: Array = -self.across(r) - self.D @ (of.rows @ one["z_direction"])
        return found

    def stiffness(self) -> Array:
        """Return K (m, m)."""
        K: Array = self.D.T @ self.H @ self.D
        return K

    def stiffness_without_bars(self) -> Array:
        """Return K of the springs alone, in balance without the bars; forces are those of this pose."""
        H = self._hessian(WITHOUT_BARS, self.D.T @ self._g[0])
        _, D = self._factorise(H)
        K: Array = D.T @ H @ D
        return K


def wheel_forces(T: Array, g: Array) -> Array:
    """Return λ with Tᵀ λ as near to g as it can be."""
    found: Array = inverse(T @ T.T) @ (T @ g)
    return found
