"""Segments of recorded runs, simulated with exact derivatives of their outputs.

With the state y and one direction e of what is free, s = ∂y/∂e follows ṡ = ∂f/∂y s + ∂f/∂u u_e (as in
`ce_dynamics.simulation.sensitivities`).  [y; s] of one segment and one direction is a lane of a compiled loop
of steps of fixed length; the direction of an input that is corrected (offset, scale, delay) varies in time as
the input does.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.integration_methods import EXPLICIT
from ce_dynamics.compiler import CompiledFunction, compile_function, trace
from ce_dynamics.compiler.derivatives.forward_mode import directional_derivative
from ce_dynamics.compiler.tracing.inline import call
from ce_dynamics.models.identification.plant import Plant
from ce_dynamics.simulation.ensembles.arguments import available_processors
from ce_dynamics.simulation.integrators.batch import FixedBatch, Schedule
from ce_dynamics.simulation.integrators.settings import settings_of
from ce_dynamics.simulation.integrators.workspace import Code, StopSign, Workspace

LANES = 8


class Excitation(NamedTuple):
    """Start, inputs and parameters of a segment.

    Attributes
    ----------
    start : (n,) array
        Initial state.
    inputs : (steps, m) array
        Inputs, held over each step.
    parameters : (p,) array
    """

    start: Floats
    inputs: Floats
    parameters: Floats


class ExcitationDerivative(NamedTuple):
    """Derivative of a `Excitation` by one number; None where it is zero."""

    start: Floats | None = None
    inputs: Floats | None = None
    parameters: Floats | None = None


class Shot(NamedTuple):
    """Outputs (instants, outputs) of a segment, and their derivatives (directions, instants, outputs)."""

    values: Floats
    by: Floats


class Shooter:
    """Simulates segments of a plant.

    Parameters
    ----------
    plant : Plant
    step : float
        Of the classical Runge–Kutta method [s].
    every : int
        Steps between stored instants.
    """

    def __init__(self, plant: Plant, step: float, every: int) -> None:
        self.plant, self.step, self.every = plant, step, every
        self.n, self.width = len(plant.states), len(plant.inputs) + len(plant.parameters)
        self.rate = self._along("y_dot", plant.rate)
        self.read = self._along("outputs", plant.read)

    def _along(self, output: str, function: Any) -> CompiledFunction:
        """Compile [f; f_e] of [y; y_e] and [u; u_e]."""
        n, w = self.n, self.width
        name = f"{self.plant.name}: {output}"
        traced = trace(name, lambda y, u: {output: function(y, u)}, {"y": n, "u": w})
        along = directional_derivative(traced)

        def both(y: Array, u: Array) -> dict[str, Array]:
            by = call(along, y=y[:n], u=u[:w], y_direction=y[n:], u_direction=u[w:])
            return {output: array([*call(traced, y=y[:n], u=u[:w])[output], *by[f"{output}_direction"]])}

        return compile_function(trace(f"{name} along", both, {"y": 2 * n, "u": 2 * w}), LANES)

    def shoot(
        self, drives: Sequence[Excitation], directions: Sequence[Sequence[ExcitationDerivative]]
    ) -> list[Shot]:
        """Simulate segments, all of the same length.

        Outputs are NaN from where a simulation fails.
        """
        jobs = [(k, d) for k, each in enumerate(directions) for d in range(max(1, len(each)))]
        groups = [jobs[k : k + LANES] for k in range(0, len(jobs), LANES)]
        shares = [groups[k :: available_processors()] for k in range(available_processors())]

        def work(share: list[list[tuple[int, int]]]) -> list[Floats]:
            return self._work(share, drives, directions)

        with ThreadPoolExecutor(len(shares)) as pool:
            parts = list(pool.map(work, shares))
        found: dict[tuple[int, int], Floats] = {}
        for share, results in zip(shares, parts, strict=True):
            for group, result in zip(share, results, strict=True):
                found.update({job: result[..., lane] for lane, job in enumerate(group)})
        size = len(self.plant.outputs)
        return [
            Shot(
                found[k, 0][:, :size],
                np.array([found[k, d][:, size:] for d in range(len(each))]).reshape(
                    len(each), len(found[k, 0]), size
                ),
            )
            for k, each in enumerate(directions)
        ]

    def _work(
        self,
        groups: Sequence[Any],
        drives: Sequence[Excitation],
        directions: Sequence[Sequence[ExcitationDerivative]],
    ) -> list[Floats]:
        """Return outputs and their derivatives of groups of lanes, (instants, 2 outputs, lanes) each."""
        if not groups:
            return []
        n, m, w, steps = self.n, len(self.plant.inputs), self.width, len(drives[0].inputs)
        batch = FixedBatch(
            Workspace(Code(self.rate)), EXPLICIT["rk4"], settings_of("rk4", ["rk4"], step=self.step)
        )
        reader = self.read.bind()
        stored = steps // self.every + 1
        times = np.asarray(self.step * np.arange(steps), dtype=np.float64)
        begins = times[:: self.every][: stored - 1]
        where = np.array([*range(m), *range(w, w + m)], dtype=np.int64)
        results = []
        for group in groups:
            y0, u = np.zeros((2 * n, LANES)), np.zeros((2 * w, LANES))
            held = np.zeros((steps, 2 * m, LANES))
            for lane, (k, d) in enumerate([*group, *[group[-1]] * (LANES - len(group))]):
                drive = drives[k]
                along = directions[k][d] if directions[k] else ExcitationDerivative()
                y0[:n, lane], u[m:w, lane], held[:, :m, lane] = drive.start, drive.parameters, drive.inputs
                if along.start is not None:
                    y0[n:, lane] = along.start
                if along.parameters is not None:
                    u[w + m :, lane] = along.parameters
                if along.inputs is not None:
                    held[:, m:, lane] = along.inputs
            batch.space.held[:] = u
            batch.space.made[0] = 0
            batch.follow(Schedule(times, held, where), StopSign())
            batch.y[:], batch.alive[:], batch.steps[:] = y0, 1, 0
            batch.start()
            Y = np.full((stored, 2 * n, LANES), np.nan)
            Y[0] = y0
            batch.march(begins, self.every, self.step, Y[1:].reshape(stored - 1, -1))
            Z = np.empty((stored, 2 * len(self.plant.outputs), LANES))
            u_now = reader.inputs["u"]
            u_now[:] = u
            for i in range(stored):
                u_now[where] = held[min(i * self.every, steps - 1)]
                reader.inputs["y"][:] = Y[i]
                reader.run()
                Z[i] = reader.outputs["outputs"]
            results.append(Z)
        return results
