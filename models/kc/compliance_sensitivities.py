"""Exact derivatives of an axle with bushings by free parameters: hardpoints, springs, bushings.

In balance f(x, p) = 0, g(x, p) = 0 and, where wheels keep heights, h(x) = h(p), with x the displacements,
reactions and vertical forces of `Compliance`; so dx = −(∂F/∂x)⁻¹ ∂F/∂p dp with the matrix of its Newton's
method.  The compliance matrix is C = Eᵀ X with

    K X − Gᵀ Λ = E,  G X = 0,    so    dC = dEᵀ X + Eᵀ dX,
    K dX − Gᵀ dΛ = dE − (dK X − dGᵀ Λ),  G dX = −dG X,

where KX − GᵀΛ and GX are derivatives of f and g along (X, Λ), and their changes derivatives of these along
the bodies' movement: forward mode of forward mode.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, concatenate, skew
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import CompiledFunction, TracedFunction, compile_function, trace
from ce_dynamics.compiler.derivatives.forward_mode import directional_derivative
from ce_dynamics.compiler.tracing.inline import call
from ce_dynamics.errors import DataError
from ce_dynamics.models.kc.compliance import (
    FORCE,
    Compliance,
    Elastic,
    State,
    least_squares,
    solve_constrained,
    with_vertical,
)
from ce_dynamics.models.kc.force_sweeps import ForceSweep, figures_of_balance, force_sweep_of
from ce_dynamics.models.kc.quantities import list_compliance_quantities
from ce_dynamics.models.kc.sensitivities import label_derivatives

if TYPE_CHECKING:
    import xarray as xr


class Changes(NamedTuple):
    """An axle in balance, and derivatives by all free parameters of the rig's model.

    Attributes
    ----------
    now : Elastic
    vertical : (2, n_p) array
        Of the vertical forces at the wheels.
    values, figures : (n_f,) and (n_f, n_p) arrays
        Figures of `force_sweep`, left and right of each beside each other, and their derivatives.
    C : (n_p, 12, 12) array
        Of the compliance matrix.
    """

    now: Elastic
    vertical: Floats
    values: Floats
    figures: Floats
    C: Floats


class ComplianceSensitivities:
    """Derivatives of the balance of an axle with bushings.

    Parameters
    ----------
    elastic : Compliance
        On a rig with free parameters, see `kc.compliance_of`.
    """

    def __init__(self, elastic: Compliance) -> None:
        checks.instance("elastic", elastic, Compliance, "a Compliance (kc.compliance_of)", DataError)
        if not elastic.rig.parameters:
            raise DataError(
                "the rig's model has no free parameters: name some by compliance_of(..., free=[...])"
            )
        self.elastic, self.axle = elastic, elastic.axle
        carriers = elastic.rig.poses.carriers
        self.places = [self.axle.place[carrier.name] // 6 for carrier in carriers]
        self._along = compile_function(directional_derivative(self.axle.traced))
        self._read = compile_function(self._figures)
        self._read_along = compile_function(directional_derivative(self._figures))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the figures."""
        return tuple(quantity.name for quantity in list_compliance_quantities())

    @cached_property
    def _figures(self) -> TracedFunction:
        """Figures of a balance; those that nothing of it changes are left to the forces."""
        traced, axle = self.axle.traced, self.elastic.rig.axle

        def read(vertical: Array, **given: Array) -> dict[str, Array]:
            found = call(traced, **given)
            R = found["axes"]
            here = Elastic(R, vertical, R, R, found["W"], found["e"], R)
            rows = figures_of_balance(here, axle)
            return {"figures": concatenate([np.asarray(rows[name], dtype=object) for name in self.names])}

        return trace("figures of the balance", read, {"vertical": (2,), **traced.input_shapes})

    @cached_property
    def _twice(self) -> CompiledFunction:
        """Changes of K X − Gᵀ Λ and G X with all that is not X and Λ."""
        traced = self.axle.traced
        shapes = traced.input_shapes
        first = directional_derivative(traced)

        def product(X: Array, reactions: Array, **given: Array) -> dict[str, Array]:
            none = {f"{name}_direction": np.zeros(shape) for name, shape in shapes.items()}
            ways = none | {"delta_direction": X, "force_direction": reactions}
            found = call(first, **given, **ways)
            return {"f": found["f_direction"], "g": found["g_direction"]}

        sizes = {"X": shapes["delta"], "reactions": shapes["force"], **shapes}
        return compile_function(
            directional_derivative(trace("stiffness along a displacement", product, sizes))
        )

    def at(self, c: ArrayLike, wheels: ArrayLike | None = None, *, vertical: str = "height") -> Changes:
        """Compute the compliance near a pose of the rig, under loads at the wheels; see `Compliance.at`.

        Parameters
        ----------
        c : (n_c,) array_like
        wheels : (2, 9) array_like, optional
        vertical : str
            Constant quantity of the wheels: their ``height``, or the vertical ``load`` without forces.
        """
        elastic, none = self.elastic, np.zeros((2, 9))
        loads = none if wheels is None else checks.finite_array("loads", wheels, (2, 9), DataError)
        pose, given, given_by = np.asarray(c, dtype=float), None, np.zeros((2, len(elastic.rig.parameters)))
        if vertical == "load":
            free, *_ = elastic.settle(pose, none, None)
            given, given_by = free.vertical, self._move(free, none, True, given_by)[1]
        state, start, ideal = elastic.settle(pose, loads, given)
        way, vertical_by = self._move(state, loads, given is None, given_by)
        return self._changes(elastic.linearise(loads, state, start, ideal), state, loads, way, vertical_by)

    # Balance

    def _direction(self, state: State, k: int) -> list[Floats]:
        """Return the direction of the traced inputs along which parameter k alone changes."""
        zero = [np.zeros_like(np.asarray(x, dtype=float)) for x in self._inputs(state, np.zeros((2, 9)))]
        zero[-1][k] = 1.0
        return zero

    def _balance_along(self, inputs: Sequence[Floats], direction: Sequence[Floats]) -> dict[str, Floats]:
        """Return derivatives of all outputs of the traced balance along a direction of its inputs."""
        found = self._along(*inputs, *direction)
        return {name: np.array(x) for name, x in zip(self.axle.traced.output_shapes, found, strict=True)}

    def _inputs(self, state: State, given: Floats) -> list[Floats]:
        return self.axle.at(state.R, state.r, state.force, given, state.p)

    def _move(self, state: State, loads: Floats, held: bool, vertical_by: Floats) -> tuple[Floats, Floats]:
        """Return displacements and reactions (n + rows, n_p), vertical forces (2, n_p) per parameter."""
        n, rows = self.axle.size, self.axle.rows
        given = with_vertical(loads, state.vertical)
        matrix, _ = self.elastic.system(state, loads, np.zeros(2), held)
        here = self.axle.balance(*state[:3], given, state.p)
        E = self.axle.wheel_columns(state.r, here.W)[:, [2, 8]]
        found = np.zeros((n + rows + 2, len(state.p)))
        for k in range(len(state.p)):
            by = self._balance_along(self._inputs(state, given), self._direction(state, k))
            gap = by["W"][:, 2] - by["W_0"][:, 2] if held else np.zeros(2)
            f = by["f"] - (0.0 if held else E @ vertical_by[:, k])
            left = np.concatenate((f / FORCE, by["g"], gap))
            found[:, k] = least_squares(matrix, -left)
        found[n:] *= FORCE
        return found[: n + rows], found[n + rows :] if held else vertical_by

    # Changes of the answers

    def _changes(
        self, now: Elastic, state: State, loads: Floats, way: Floats, vertical_by: Floats
    ) -> Changes:
        inputs = self._inputs(state, with_vertical(loads, state.vertical))
        values = np.array(self._read(state.vertical, *inputs)[0])
        by = np.empty((len(values), len(state.p)))
        for k in range(len(state.p)):
            direction = self._way(state, way, vertical_by, k)
            by[:, k] = self._read_along(state.vertical, *inputs, vertical_by[:, k], *direction)[0]
        C = self._compliance(state, inputs, way, vertical_by)
        return Changes(now, vertical_by, values, by, C)

    def _way(self, state: State, way: Floats, vertical_by: Floats, k: int) -> list[Floats]:
        """Return the direction of the traced inputs in which parameter k moves the balance."""
        n = self.axle.size
        direction = self._direction(state, k)
        turn = way[:n, k].reshape(-1, 6)
        for body in range(len(turn)):
            direction[0][body] = skew(turn[body, :3]) @ state.R[body]
            direction[1][body] = turn[body, 3:]
        direction[3] = way[n:, k].copy()
        direction[4] = with_vertical(np.zeros((2, 9)), vertical_by[:, k])
        return direction

    def _compliance(self, state: State, inputs: Sequence[Floats], way: Floats, vertical_by: Floats) -> Floats:
        n, rows, axle = self.axle.size, self.axle.rows, self.axle
        here = axle.balance(*state[:3], inputs[4], state.p)
        K, G = axle.stiffness(*state[:3], inputs[4], state.p), here.G
        E = axle.wheel_columns(state.r, here.W)
        X = solve_constrained(K, G, E)
        reactions = np.linalg.lstsq(G.T, K @ X - E, rcond=None)[0]
        matrix = np.zeros((n + rows, n + rows))
        matrix[:n, :n], matrix[:n, n:], matrix[n:, :n] = K / FORCE, -G.T, G
        found = np.empty((len(state.p), 12, 12))
        for k in range(len(state.p)):
            direction = self._way(state, way, vertical_by, k)
            W_by = self._balance_along(inputs, direction)["W"]
            dE = self._columns_along(here.W, state.r, W_by, direction[1])
            right = np.zeros((n + rows, 12))
            for column in range(12):
                along = X[:, column], reactions[:, column]
                still = [np.zeros_like(x) for x in along]
                f_by, g_by = self._twice(*along, *inputs, *still, *direction)
                right[:n, column], right[n:, column] = (dE[:, column] - f_by) / FORCE, -g_by
            dX = np.stack([least_squares(matrix, b)[:n] for b in right.T], axis=1)
            found[k] = dE.T @ X + E.T @ dX
        return found

    def _columns_along(self, W: Floats, r: Floats, W_by: Floats, r_by: Floats) -> Floats:
        """Change of `FreeBodies.wheel_columns`, which is linear in the arms."""
        axle = self.axle
        return axle.wheel_columns(r + r_by, W + W_by) - axle.wheel_columns(r, W)


def differentiate_force_sweep(
    elastic: Compliance,
    sweep: str | ForceSweep,
    values: ArrayLike | None = None,
    *,
    quantities: Sequence[str],
) -> xr.Dataset:
    """Compute exact derivatives of curves over forces (`force_sweep`) by all free parameters of the rig.

    Parameters
    ----------
    elastic : Compliance
        On a rig with free parameters, see `kc.compliance_of`.
    sweep, values
        As of `force_sweep`.
    quantities : sequence of str
        Figures to differentiate.

    Returns
    -------
    xarray.Dataset
        For every figure its derivatives over ``pose``, ``side`` and ``parameter``; SI units.
    """
    one = force_sweep_of(sweep, values)
    changes = ComplianceSensitivities(elastic)
    known = changes.names
    names = checks.texts("quantities", quantities, DataError)
    for name in names:
        checks.check_name("differentiate_force_sweep", name, known, "quantity", DataError)
    pose = elastic.rig.solve_poses([one.travel])[0]
    found = np.array(
        [changes.at(pose, one.loads(float(x)), vertical=one.hold).figures for x in one.values]
    ).reshape(len(one.values), len(known), 2, -1)
    by_name = {name: found[:, changes.names.index(name)] for name in names}
    labelled = label_derivatives(elastic.rig, list_compliance_quantities(), by_name)
    return labelled.assign_coords(force=("pose", one.values))
