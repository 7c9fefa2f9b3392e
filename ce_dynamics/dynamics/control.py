"""Inputs that controllers answer, and the rates and samples of their states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, array, where
from ce_dynamics.dynamics.outward import Outward
from ce_dynamics.dynamics.state import Layout
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.controller import Controller
from ce_dynamics.mechanism.signals import Output
from ce_dynamics.mechanism.system import System


class Controlled(NamedTuple):
    """Inputs as force elements see them, and what every controller saw."""

    inputs: dict[str, Scalar]
    seen: dict[str, dict[str, Scalar]]  # Sensors by controller
    answered: dict[str, dict[str, Scalar]]  # What each controller answered


def run_controllers(
    system: System, layout: Layout, outward: Outward, y: tuple[Array, Array, Array], u: Array
) -> Controlled:
    """Ask the controllers, one after the other."""
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
        with checks.calling(controller.label):
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
    """Rates of all that a controller remembers: zero between samples for what is sampled."""
    with checks.calling(controller.label):
        given = controller.rates(sensors, memory(controller, x))
    found = numbers(controller, "rates", given, len(controller.states))
    return array((*found, *(0.0 for _ in range(len(x) - len(found)))))


def update_memory(controller: Controller, every: int, sensors: Mapping[str, Scalar], x: Array) -> Array:
    """All that a controller remembers after a sample."""
    n, m = len(controller.states), len(controller.sampled)
    with checks.calling(controller.label):
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
    """So many numbers."""
    found = checks.items(f"{controller.label}: {what}", given)
    if len(found) != n:
        raise ModelError(f"{controller.label} answers {len(found)} {what}; it declares {n} of them")
    return [checks.one(f"{controller.label}: {what}", value) for value in found]


def evaluate_output(output: Output, motion: object) -> Scalar:
    """Return the value of a user's output, one number."""
    with checks.calling(f"output {output.name!r}"):
        value: Scalar = output.function(motion)
    return checks.one(f"output {output.name!r}, as its function returns it,", value)
