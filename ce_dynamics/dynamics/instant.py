"""The equations of motion of an embedded system as plain functions of q, v, x, u.

These functions are the one source of the physics: they run on floats as they are, and on traced scalars when
a model is compiled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, array, concatenate, cross, where
from ce_dynamics.dynamics.articulated_body import Accelerations, Articulated, base_to_tip, tip_to_base
from ce_dynamics.dynamics.energy import (
    ENERGIES,
    Power,
    elastic_potential,
    gravitational_potential,
    kinetic_energy,
    power,
)
from ce_dynamics.dynamics.loads import Loads, gather_loads
from ce_dynamics.dynamics.outward import Outward
from ce_dynamics.dynamics.state import Layout, motion_key
from ce_dynamics.embedding.aggregate import Embedding
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.controller import Controller
from ce_dynamics.mechanism.drives import Prescribed
from ce_dynamics.mechanism.signals import Output
from ce_dynamics.mechanism.system import System


class Controlled(NamedTuple):
    """Inputs as force elements see them, and what every controller saw."""

    inputs: dict[str, Scalar]
    seen: dict[str, dict[str, Scalar]]  # Sensors by controller
    answered: dict[str, dict[str, Scalar]]  # Answers of each controller


def run_controllers(
    system: System, layout: Layout, outward: Outward, y: tuple[Array, Array, Array], u: Array
) -> Controlled:
    """Run the controllers one after the other."""
    inputs = layout.inputs_of(u)
    if not system.controllers:
        return Controlled(inputs, {}, {})
    motion = {
        entry.name: value
        for entries, part in zip((layout.q, layout.v, layout.x), y, strict=True)
        for entry, value in zip(entries, part, strict=True)
    }
    motion |= {name: evaluate_output(output, outward) for name, output in system.outputs.items()}
    x = layout.states_of(y[2])
    seen, answered = {}, {}
    for controller in system.controllers:
        seen[controller.name] = motion | inputs
        with checks.name_user_errors(controller.label):
            given = controller.act(seen[controller.name], memory(controller, x[controller.name]))
        answer = dict(checks.mapping(f"{controller.label}: its answer", given))
        if set(answer) != set(controller.answers):
            raise ModelError(
                f"{controller.label} answers {sorted(answer)}; it declares {sorted(controller.answers)}"
            )
        for name, value in answer.items():
            checks.one(f"input {name!r} as {controller.label} answers it", value)
        answered[controller.name] = answer
        inputs = inputs | answer
    return Controlled(inputs, seen, answered)


def rates(controller: Controller, sensors: Mapping[str, Scalar], x: Array) -> Array:
    """Return rates of a controller's memory: zero between samples for what is sampled."""
    with checks.name_user_errors(controller.label):
        given = controller.rates(sensors, memory(controller, x))
    found = numbers(controller, "rates", given, len(controller.states))
    return array((*found, *(0.0 for _ in range(len(x) - len(found)))))


def update_memory(controller: Controller, every: int, sensors: Mapping[str, Scalar], x: Array) -> Array:
    """Return a controller's memory after a sample."""
    n, m = len(controller.states), len(controller.sampled)
    with checks.name_user_errors(controller.label):
        given = controller.update(sensors, memory(controller, x))
    new = numbers(controller, "values", given, m)
    if every == 1:
        return array((*x[:n], *new))
    count = x[n + m]
    looks = count < 0.5
    kept = [where(looks, value, old) for value, old in zip(new, x[n : n + m], strict=True)]
    return array((*x[:n], *kept, where(count > every - 1.5, 0.0, count + 1.0)))


def memory(controller: Controller, x: Array) -> dict[str, Scalar]:
    """Return the states of a controller by name, continuous and sampled."""
    return {
        state.name: value for state, value in zip((*controller.states, *controller.sampled), x, strict=False)
    }


def numbers(controller: Controller, what: str, given: Sequence[Scalar], n: int) -> list[Scalar]:
    """Return the n numbers that a controller answers."""
    found = checks.items(f"{controller.label}: {what}", given)
    if len(found) != n:
        raise ModelError(f"{controller.label} answers {len(found)} {what}; it declares {n} of them")
    return [checks.one(f"{controller.label}: {what}", value) for value in found]


def evaluate_output(output: Output, motion: object) -> Scalar:
    """Return the value of a user's output, one number."""
    with checks.name_user_errors(f"output {output.name!r}"):
        value: Scalar = output.function(motion)
    return checks.one(f"output {output.name!r}, as its function returns it,", value)


@dataclass(frozen=True, eq=False)
class Instant:
    """A system at one instant: everything that can be computed from q, v, x, u, each part once."""

    embedding: Embedding
    layout: Layout
    q: Array
    v: Array
    x: Array
    u: Array

    def __post_init__(self) -> None:
        self.layout.bind_parameters(self.u, (self.q, self.v, self.x))

    @cached_property
    def seen(self) -> Outward:
        """Motion of all bodies as controllers see it: of accelerations, without their own doing."""
        return Outward(self.embedding, self.q, self.v, self._motions(self.layout.inputs_of(self.u)))

    @cached_property
    def controlled(self) -> Controlled:
        """Inputs after the controllers, with the sensors and answers of every controller."""
        return run_controllers(
            self.embedding.system, self.layout, self.seen, (self.q, self.v, self.x), self.u
        )

    @cached_property
    def prescribed(self) -> dict[str, Prescribed]:
        """Prescribed motions by body name."""
        return self._motions(self.controlled.inputs if self._steered else self.layout.inputs_of(self.u))

    def _motions(self, inputs: Mapping[str, Scalar]) -> dict[str, Prescribed]:
        states, motions = self.layout.states_of(self.x), self.embedding.system.prescribed
        return {name: motion.evaluate(states[motion_key(name)], inputs) for name, motion in motions.items()}

    @cached_property
    def outward(self) -> Outward:
        """Motion of all bodies."""
        return Outward(self.embedding, self.q, self.v, self.prescribed) if self._steered else self.seen

    @property
    def _steered(self) -> bool:
        """True if controllers have a hand in prescribed motions."""
        system = self.embedding.system
        read = {name for motion in system.prescribed.values() for name in motion.inputs}
        return any(name in read for controller in system.controllers for name in controller.answers)

    @cached_property
    def loads(self) -> Loads:
        """Loads of all force elements."""
        elements = {element.name: element for element in self.embedding.system.forces}
        return gather_loads(self.outward, elements, self.layout.states_of(self.x), self.controlled.inputs)

    @cached_property
    def nodes(self) -> dict[str, Articulated]:
        """Results of the tip-to-base sweep, by the name of the aggregated body."""
        return tip_to_base(self.outward, self.loads.wrenches, self.loads.torques)

    @cached_property
    def accelerations(self) -> Accelerations:
        """Forward dynamics."""
        return base_to_tip(self.outward, self.nodes, self.embedding.system.gravity)

    def acceleration(self, body: Body, at: Array) -> Array:
        """Return the second time derivative of the position of a body-fixed point, in world axes [m/s²]."""
        ground = self.embedding.system.ground
        place = self.outward.placement(body, ground)
        alpha = self.accelerations.alpha[body.name]
        e = self.outward.point(body, at, ground).r - place.r
        swing = cross(place.R @ alpha[:3], e) + cross(place.w, cross(place.w, e))
        result: Array = place.R @ alpha[3:] + self.embedding.system.gravity + swing
        return result

    @cached_property
    def energies(self) -> dict[str, Scalar]:
        """Energies by the names of `ENERGIES` [J]."""
        kinetic, elastic = kinetic_energy(self.outward), elastic_potential(self.loads)
        potential = gravitational_potential(self.outward) + elastic
        return dict(zip(ENERGIES, (kinetic, potential, elastic, kinetic + potential), strict=True))

    @property
    def energy(self) -> Scalar:
        """Kinetic, gravitational and elastic energy [J]."""
        return self.energies["energy"]

    @property
    def power(self) -> Power:
        """Power of all loads and of the prescribed motions."""
        return power(self.outward, self.loads, self.accelerations, self.nodes)

    @property
    def q_dot(self) -> Array:
        """Rates of the independent coordinates."""
        rates = []
        for name, body in self.embedding.coordinates.items():
            q_slice = self.embedding.q_of[name]
            rates.append(body.inboard.q_dot(self.q[q_slice], self.v[self.embedding.v_of[name]]))
        return concatenate(rates)

    @property
    def x_dot(self) -> Array:
        """Rates of the first-order states."""
        found = {motion_key(name): array(motion.x_dot) for name, motion in self.prescribed.items()}
        found |= {name: array(response.x_dot) for name, response in self.loads.responses.items()}
        x, seen = self.layout.states_of(self.x), self.controlled.seen
        found |= {c.name: rates(c, seen[c.name], x[c.name]) for c in self.embedding.system.controllers}
        return self.layout.collect(found)

    @property
    def y_sampled(self) -> Array:
        """The state with what sampled controllers remember after they have looked."""
        every, seen = self.layout.sampling.every, self.controlled.seen
        parts = self.layout.states_of(self.x)
        for c in self.embedding.system.controllers:
            if c.name in every:
                parts[c.name] = update_memory(c, every[c.name], seen[c.name], parts[c.name])
        return concatenate((self.q, self.v, *parts.values()))

    @property
    def y_dot(self) -> Array:
        """The right-hand side of the ordinary differential equation."""
        return concatenate((self.q_dot, self.accelerations.v_dot, self.x_dot))
