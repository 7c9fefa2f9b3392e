"""One mechanism, integrated in four formulations to the same tolerances."""

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

import numpy as np
from scipy.integrate import solve_ivp

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.augmented import (
    FullyAugmented,
    Preparation,
    Trajectory,
    simulate_baumgarte,
    simulate_dae,
)
from ce_dynamics.compiled.model import Model
from ce_dynamics.dynamics.energy import elastic_potential, gravitational_potential, kinetic_energy
from ce_dynamics.errors import SimulationError
from ce_dynamics.models.published import PublishedMechanism
from ce_dynamics.simulation.right_hand_side import RightHandSide

RTOL, ATOL = 1e-8, 1e-10
TIGHT = 1e-13
INSTANTS = 200
BAUMGARTE = 100.0
"""α and β times the duration: errors decay within some hundredths of the run."""


class Motion(NamedTuple):
    """Compared quantities at the instants that were reached."""

    t: Array
    constraint: Array  # largest error of all hinges and closures [m, or cosine of an angle]
    # kinetic, energy: Kinetic energy; the sum of that, and of the potentials of gravity and springs [J]
    kinetic: Array
    energy: Array
    places: Array  # centres of mass [m]


class Line(NamedTuple):
    """One formulation's largest errors over the run."""

    constraint: float  # [m]
    energy: float  # off the accurate motion's, by so much of its largest kinetic energy
    off: float  # distance of a body from where it is in the accurate motion [m]
    end: float  # how far the run came [s]


class Comparison(NamedTuple):
    """All about one mechanism; ``figures`` is the largest error of a figure in units of its precision."""

    duration: float
    figures: float
    lines: dict[str, Line]


class Case:
    def __init__(self, mechanism: PublishedMechanism, duration: float | None, instants: int) -> None:
        self.mechanism = mechanism
        self.duration = mechanism.duration if duration is None else duration
        self.model: Model = ce.compile(mechanism.build())
        self.full = FullyAugmented(self.model.system)
        stored = [f.time for f in mechanism.figures if f.time <= self.duration]
        self.times = np.unique([*np.linspace(0.0, self.duration, instants + 1), *stored])

    def inputs(self, t: float) -> Mapping[str, float]:
        law = self.mechanism.inputs
        return {} if law is None else {name: float(x) for name, x in law.inputs(t, {}).items()}

    def u(self, t: float) -> Array:
        return self.model.inputs_with(inputs=self.inputs(t))

    # Embedded

    def embedded(self, rtol: float, atol: float) -> tuple[Array, Array]:
        how: dict[str, Any] = {"method": "DOP853"}
        if self.mechanism.stiff:
            how = {"method": "Radau", "jac": lambda t, y: self.model.linearize(y, u=self.u(t)).A}
        rhs = RightHandSide(self.model, self.mechanism.inputs)
        integrate: Any = solve_ivp
        span = 0.0, self.duration
        run = integrate(rhs, span, self.model.y0, t_eval=self.times, rtol=rtol, atol=atol, **how)
        return run.t, run.y.T

    def of_embedded(self, times: Array, states: Array) -> Motion:
        model, ground = self.model, self.model.system.ground
        rows = []
        for t, y in zip(times, states, strict=True):
            u = self.u(t)
            instant = model.instant(y, u)
            kinetic = float(kinetic_energy(instant.outward))
            potential = gravitational_potential(instant.outward) + elastic_potential(instant.loads)
            absolute = self.full.state_from_embedded(model.embedding, *model.layout.split(y), u)
            g = np.asarray(self.full.at(absolute, u).constraints.g, dtype=float)
            places = [instant.outward.placement(body, ground).r for body in model.system.bodies]
            rows.append(
                (np.max(np.abs(g)), kinetic, kinetic + float(potential), np.array(places, dtype=float))
            )
        constraint, kinetic_energies, energy, all_places = zip(*rows, strict=True)
        return Motion(times, *map(np.array, (constraint, kinetic_energies, energy, all_places)))

    def figure_errors(self, times: Array, states: Array) -> float:
        """Largest error of a published figure, in units of its precision."""
        worst = np.nan  # where the run is too short for any
        for figure in self.mechanism.figures:
            for k in np.flatnonzero(times == figure.time):
                seen = self.model.sense(self.model.instant(states[k], self.u(figure.time)))
                worst = np.fmax(worst, abs(figure.error(float(seen[figure.output]))) / figure.precision)
        return float(worst)

    # Augmented

    def augmented(self) -> dict[str, Motion]:
        """The fully augmented model with three treatments of its constraints."""
        model = self.model
        start = self.full.state_from_embedded(model.embedding, *model.layout.split(model.y0), self.u(0.0))
        law = None if self.mechanism.inputs is None else self.inputs
        prepared = Preparation(self.full, start, law)
        method = "Radau" if self.mechanism.stiff else "DOP853"
        rate = BAUMGARTE / self.duration
        given: dict[str, Any] = {"rtol": RTOL, "atol": ATOL}

        def treated(alpha: float) -> Trajectory:
            return simulate_baumgarte(
                prepared, None, self.times, alpha=alpha, beta=alpha, method=method, **given
            )

        return {
            "not stabilised": self.of_trajectory(lambda: treated(0.0)),
            "Baumgarte": self.of_trajectory(lambda: treated(rate)),
            "GGL, IDA": self.of_trajectory(lambda: simulate_dae(prepared, None, self.times, **given)),
        }

    def of_trajectory(self, integrate: Any) -> Motion:
        """Return the compared quantities of a trajectory, or of its part that exists."""
        try:
            run: Trajectory = integrate()
        except SimulationError as error:
            run = cast("Trajectory", error.partial)
        bodies = self.model.system.bodies
        places = np.stack([run.body(body.name).r for body in bodies], axis=1)
        return Motion(run.t, run.constraint_error, np.zeros(len(run.t)), run.energy, places)


def compared(
    mechanism: PublishedMechanism, duration: float | None = None, instants: int = INSTANTS
) -> Comparison:
    """Run all formulations, over the published time or less, and compare them at so many instants."""
    case = Case(mechanism, duration, instants)
    tight = 10.0 * TIGHT if mechanism.stiff else TIGHT  # Radau's order makes less too costly
    times, states = case.embedded(tight, 0.1 * tight)
    accurate = case.of_embedded(times, states)
    motions = {"embedded": case.of_embedded(*case.embedded(RTOL, ATOL)), **case.augmented()}
    return Comparison(
        case.duration,
        case.figure_errors(times, states),
        {name: errors(motion, accurate) for name, motion in motions.items()},
    )


def errors(motion: Motion, accurate: Motion) -> Line:
    n = min(len(motion.t), len(accurate.t))
    energy = np.abs(motion.energy[:n] - accurate.energy[:n]) / np.max(accurate.kinetic)
    off = np.linalg.norm(motion.places[:n] - accurate.places[:n], axis=-1)
    return Line(float(motion.constraint.max()), float(energy.max()), float(off.max()), float(motion.t[-1]))
