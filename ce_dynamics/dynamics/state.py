"""Layout of the state y = [q; v; x] and of the input vector u, with names and units."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, concatenate
from ce_dynamics.embedding.aggregate import Embedding, slices
from ce_dynamics.embedding.whole_loop import neutral_state
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.controller import Controller, Sampling
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.mechanism.hinges.base import CoordinateRole
from ce_dynamics.mechanism.parameters import bind

COUNT = "samples"  # state of a controller that skips samples: their number since the last one that it used


@dataclass(frozen=True)
class Entry:
    """One number of a vector."""

    name: str
    unit: str
    # "chart" of a coordinate that stays as it is and records which chart a loop is on: of no use in results
    role: CoordinateRole = field(default="quantity", repr=False)


class Layout:
    """The state and input vectors of an embedded system.

    Attributes
    ----------
    q, v, x, u : tuples of Entry
        Names and units of coordinates, velocities, first-order states and inputs; free parameters are the
        last of the inputs.
    n_inputs : int
        How many entries of u are inputs proper.
    channels : dict of str to float
        Signals that controllers set, by name, and their values before that; not part of u.
    x_of : dict of str to slice
        States of each prescribed motion (``"<body>.motion"``), force element and controller, in x.
    sampling : Sampling
        When controllers look at what they remember from sample to sample.
    y0 : array
        Initial state.
    u0 : array
        Default inputs.
    """

    UNTRACED = ("y0",)

    def __init__(self, embedding: Embedding) -> None:
        system = embedding.system
        bodies = list(embedding.coordinates.values())
        self.q = tuple(
            Entry(join_name(b.name, suffix), unit, b.inboard.role_of(k))
            for b in bodies
            for k, (suffix, unit) in enumerate(
                zip(b.inboard.coordinate_names, b.inboard.coordinate_units, strict=True)
            )
        )
        self.v = tuple(
            Entry(rate_name(b.name, suffix, b.inboard.coordinate_names), unit)
            for b in bodies
            for suffix, unit in zip(b.inboard.velocity_names, b.inboard.velocity_units, strict=True)
        )
        owners: dict[str, tuple[StateDeclaration, ...]] = {
            motion_key(name): motion.states for name, motion in system.prescribed.items()
        }
        owners |= {element.name: element.states for element in system.forces}
        self.sampling = Sampling(system.controllers)
        owners |= {c.name: list_memory(c, self.sampling) for c in system.controllers}
        self.x_of = slices((name, len(states)) for name, states in owners.items())
        self.x = tuple(
            Entry(join_name(name, state.name), state.unit)
            for name, states in owners.items()
            for state in states
        )
        self.parameters = tuple(system.parameters.values())
        self.n_inputs = len(system.inputs)
        self.channels = {name: channel.default for name, channel in system.channels.items()}
        set_by = {name for controller in system.controllers for name in controller.answers}
        for name in self.channels:
            if name not in set_by:
                raise ModelError(f"no controller sets the channel {name!r}; add one, or use add_input")
        self.u = (
            *(Entry(entry.name, entry.unit) for entry in system.inputs.values()),
            *(Entry(entry.name, entry.unit) for entry in self.parameters),
        )
        defaults = [entry.default for entry in system.inputs.values()]
        self.u0 = np.array([*defaults, *(entry.value for entry in self.parameters)], dtype=float)
        x0 = [state.initial for states in owners.values() for state in states]
        self.y0 = np.concatenate((*neutral_state(embedding), np.array(x0, dtype=float)))

    @property
    def y_names(self) -> list[str]:
        """Names of the entries of y."""
        return [entry.name for entry in (*self.q, *self.v, *self.x)]

    @property
    def sizes(self) -> dict[str, int]:
        """Lengths of q, v, x and u."""
        return {"q": len(self.q), "v": len(self.v), "x": len(self.x), "u": len(self.u)}

    def split(self, y: Array) -> tuple[Array, Array, Array]:
        """Return the parts q, v, x of a state (or of states in rows)."""
        n_q, n_v = len(self.q), len(self.v)
        return y[..., :n_q], y[..., n_q : n_q + n_v], y[..., n_q + n_v :]

    def states_of(self, x: Array) -> dict[str, Array]:
        """Return first-order states by owner."""
        return {name: x[where] for name, where in self.x_of.items()}

    def inputs_of(self, u: Array) -> dict[str, Scalar]:
        """Return inputs by name, and channels as they are before controllers set them."""
        return self.channels | {entry.name: value for entry, value in zip(self.u, u, strict=True)}

    def bind_parameters(self, u: Array, others: Iterable[Array]) -> None:
        """Let formulas of free parameters meet traced scalars: those of u, q, v or x."""
        bind(self.parameters, u[self.n_inputs :], others)

    def collect(self, x_dot: Mapping[str, Array]) -> Array:
        """Return rates of the first-order states in the order of x."""
        for name, where in self.x_of.items():
            if len(x_dot[name]) != where.stop - where.start:
                raise ModelError(
                    f"{name!r} returned {len(x_dot[name])} state rates; it declares"
                    f" {where.stop - where.start} states and must return as many"
                )
        return concatenate([x_dot[name] for name in self.x_of])


def list_memory(controller: Controller, sampling: Sampling) -> tuple[StateDeclaration, ...]:
    """List a controller's memory; last, where it skips samples, their number since the last one used."""
    own = (*controller.states, *controller.sampled)
    return (*own, StateDeclaration(COUNT, "1")) if sampling.every.get(controller.name, 1) > 1 else own


def motion_key(body: str) -> str:
    """Name under which the states of a prescribed motion are kept."""
    return f"{body}.motion"


def join_name(owner: str, suffix: str) -> str:
    """Return ``owner.suffix``, or the owner alone where it has one such name only."""
    return f"{owner}.{suffix}" if suffix else owner


def rate_name(owner: str, suffix: str, coordinates: tuple[str, ...]) -> str:
    """Name of a velocity: of its own (``chassis.wx``), or that of the coordinate it is the rate of."""
    name = join_name(owner, suffix)
    return f"{name}_rate" if suffix in coordinates else name
