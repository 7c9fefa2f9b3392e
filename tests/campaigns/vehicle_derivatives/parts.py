"""The kinds of derivatives: outputs and rates, along what is kept, reactions, eigenvalues, runs, figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

import ce_dynamics as ce
from ce_dynamics.compiled.analysis.derivatives import QuantityRows, all_names
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import AssemblyError
from ce_dynamics.mechanism.couplings.base import Coupled
from ce_dynamics.models import kc
from ce_dynamics.models.kc.sensitivities import Sensitivities
from tests.campaigns.vehicle_derivatives.differences import Floats, compared
from tests.campaigns.vehicle_derivatives.sample import Sample, Tally, chosen, driving

STATES = 6
"""Number of state variables of differentiation, besides inputs and free numbers."""


TRAVEL = 10.0
"""Poses have their travel to 1e-13 m, and figures change by some 1 rad/m with it: 1e-14 of this."""


class Point:
    """Point of differentiation: a state of driving, inputs and free numbers."""

    def __init__(self, sample: Sample, model: Model) -> None:
        self.model = model
        self.y, self.u = driving(model, sample.rng)
        self.names = all_names(model)
        self.states = self.names[: len(self.y)]
        self.given = [entry.name for entry in model.layout.u if entry.name != "selector"]

    def moved(self, name: str, distance: float) -> tuple[Floats, Floats]:
        """State and inputs with one entry moved."""
        whole = np.concatenate((self.y, self.u))
        whole[self.names.index(name)] += distance
        return whole[: len(self.y)], whole[len(self.y) :]

    def step(self, name: str) -> float:
        """Return the step of differences by one entry."""
        value = abs(float(np.concatenate((self.y, self.u))[self.names.index(name)]))
        return 1e-4 * value if name in self.given and value else 1e-4

    def variables(self, sample: Sample) -> list[str]:
        """Inputs that are no switches, free numbers, some states."""
        return [*self.given, *chosen(sample.rng, self.states, STATES)]

    def along(self, f: Callable[[Floats, Floats], Floats], name: str) -> Callable[[float], Floats]:
        """A function of state and inputs along one entry."""
        return lambda distance: f(*self.moved(name, distance))

    def function(self, of: list[str]) -> Callable[[Floats, Floats], Floats]:
        """Named quantities of y and u."""
        rows = QuantityRows(self.model, of)
        found = self.model.function(
            f"quantities {rows.labels}", rows.quantities, self.model.sizes_of("y", "u")
        )
        return lambda y, u: np.array(found(y, u)[0])


def outputs(sample: Sample, model: Model, n: int) -> Tally:
    """Outputs and rates of states."""
    tally, at = Tally("outputs and rates"), Point(sample, model)
    known = [entry.name for entry in model.output_entries]
    of = chosen(sample.rng, [*known, *(f"rate of {name}" for name in at.states)], n)
    by = at.variables(sample)
    exact, f = model.derivatives(of, by, at.y, u=at.u).matrix, at.function(of)
    for k, name in enumerate(by):
        tally.add(name, compared(of, exact[:, k], at.along(f, name), at.step(name)))
    return tally


def kept(sample: Sample, model: Model) -> Tally:
    """Compare derivatives that keep the accelerations of four parts of the suspension."""
    tally, at = Tally("along what is kept"), Point(sample, model)
    wheels = {f"{corner}.wheel" for corner in model.system.groups["corner"]}
    rates = {entry.name for entry in model.layout.v}
    led = [
        entry.name
        for entry in model.layout.q
        if f"{entry.name}_rate" in rates and not entry.name.startswith("chassis.")
        if entry.name not in wheels
    ][:4]
    still, by = [f"rate of {name}_rate" for name in led], at.given
    try:
        exact = model.derivatives(led, by, at.y, u=at.u, keeping=still, adjusting=led).matrix
    except ce.ModelError as error:
        tally.part += f" (refused: {error})"
        return tally
    places, f = [at.states.index(name) for name in led], at.function(still)
    goal, J = QuantityRows(model, still).at(at.y, at.u)

    def solved(y: Floats, u: Floats) -> Floats:
        """By the slopes of the start: what is left is smaller by the distance with every step."""
        for _ in range(12):
            y[places] -= np.linalg.solve(J[:, places], f(y, u) - goal)
        found: Floats = y[places]
        return found

    for k, name in enumerate(by):
        h = 0.1 * at.step(name)
        tally.add(name, compared(led, exact[:, k], at.along(solved, name), h))
    return tally


def reactions(sample: Sample, model: Model, n: int) -> Tally:
    """Compare forces that hinges and closures transmit."""
    tally, at = Tally("reactions"), Point(sample, model)
    known = [body.name for body in model.system.bodies if not body.is_ground]
    known += [edge.name for edge in model.system.closures if not isinstance(edge, Coupled)]
    joints = chosen(sample.rng, known, n)
    by = at.variables(sample)
    found = model.reaction_derivatives(joints, by, at.y, u=at.u)
    exact = np.vstack([*found.derivatives.values()])
    sizes = np.repeat([float(np.max(np.abs(value))) for value in found.values.values()], 6)
    names = [f"{joint}[{k}]" for joint in joints for k in range(6)]
    least = 1e-3 * np.max(np.abs(exact), axis=0)

    def transmitted(y: Floats, u: Floats) -> Floats:
        return np.concatenate([*model.reaction_derivatives(joints, by[:1], y, u=u).values.values()])

    for k, name in enumerate(by):
        tally.add(
            name,
            compared(
                names,
                exact[:, k],
                at.along(transmitted, name),
                at.step(name),
                least[k],
                sizes,
            ),
        )
    return tally


def eigenvalues(sample: Sample, model: Model, n: int) -> Tally:
    """Compare eigenvalues of small motions about the state, which is held."""
    tally, at = Tally("eigenvalues"), Point(sample, model)
    by = chosen(sample.rng, at.given, n)
    found = model.eigenvalue_derivatives(by, at.y, u=at.u, at_rest=False)
    single = np.all(np.isfinite(found.matrix), axis=1)
    names = [f"{part} of {value:.4g}" for part in ("Re", "Im") for value in found.eigenvalues[single]]

    # Rounding moves an eigenvalue by some 5 ε |A| over the cosine between its left and its right vector, of A
    # with rows and columns scaled as LAPACK does: a tenth of what `slope` allows for a size.
    A = scipy.linalg.matrix_balance(model.linearize(at.y, u=at.u).A)[0]
    found_all: Any = scipy.linalg.eig(A, left=True)
    every, left, right = found_all
    nearest = np.argmin(np.abs(every[:, np.newaxis] - found.eigenvalues[single]), axis=0)
    cosines = np.abs(np.sum(left.conj() * right, axis=0))[nearest]
    sizes = np.tile(0.1 * np.linalg.norm(A, 2) / cosines, 2)

    def values(y: Floats, u: Floats) -> Floats:
        every = np.linalg.eigvals(model.linearize(y, u=u).A)
        away = np.abs(every[np.newaxis] - found.eigenvalues[single][:, np.newaxis])
        nearest = every[np.argmin(away, axis=1)]
        return np.concatenate((nearest.real, nearest.imag))

    for k, name in enumerate(by):
        slopes = found.matrix[single, k]
        exact, least = np.concatenate((slopes.real, slopes.imag)), 1e-2 * np.tile(np.abs(slopes), 2)
        tally.add(
            name,
            compared(names, exact, at.along(values, name), at.step(name), least, sizes),
        )
    return tally


def runs(sample: Sample, model: Model) -> Tally:
    """A run of a twentieth of a second, by free numbers and one state."""
    tally, at = Tally("runs"), Point(sample, model)
    free = [entry.name for entry in model.layout.parameters]
    by = [*chosen(sample.rng, free, 2), *chosen(sample.rng, at.states, 1)]
    inputs = model.layout.n_inputs

    def run(of: list[str], y: Floats, u: Floats) -> tuple[Floats, Floats]:
        found = ce.simulate_sensitivities(
            model,
            {entry.name: float(u[k]) for k, entry in enumerate(model.layout.u[:inputs])},
            by=of,
            duration=0.05,
            interval=0.05,
            y0=y,
            parameters=dict(zip(free, map(float, u[inputs:]), strict=True)),
            rtol=1e-11,
            atol=1e-13,
        )
        return found["values"].values[-1], found["derivatives"].values[-1]

    try:
        _, exact = run(by, at.y, at.u)
    except ce.ModelError as error:
        tally.part += f" (refused: {error})"
        return tally
    for k, name in enumerate(by):
        least = 1e-6 * float(np.max(np.abs(exact[:, k])))
        tally.add(
            name,
            compared(
                at.states,
                exact[:, k],
                at.along(lambda y, u: run(by[:1], y, u)[0], name),
                at.step(name),
                least,
            ),
        )
    return tally


def rig(sample: Sample, axle: str, n: int) -> Tally:
    """Figures of the rig, by all free numbers, in a pose."""
    tally = Tally(f"{axle} axle on the rig")
    found = kc.rig_of(sample.data(), axle)
    travel = sample.rng.uniform(-0.04, 0.04, (1, 2))
    lock = float(sample.rng.uniform(-0.5, 0.5)) if found.axle.steered_by else 0.0
    figures = Sensitivities(found, chosen(sample.rng, [quantity.name for quantity in found.quantities], n))
    labels = [name for name, place in figures.places.items() for _ in range(place.stop - place.start)]
    try:
        exact = figures.at(found.solve_poses(travel, lock)).by_parameters[0]
    except AssemblyError as error:
        tally.part += f" (not reached: {error})"
        return tally
    for k, (name, value) in enumerate(found.nominal.items()):

        def f(d: float, name: str = name, value: float = value) -> Floats:
            return np.array(figures.at(found.solve_poses(travel, lock, {name: value + d})).values[0])

        h = 1e-4 * (abs(value) or 1.0)
        tally.add(name, compared(labels, exact[:, k], f, h, 0.0, TRAVEL))
    return tally
