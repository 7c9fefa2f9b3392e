"""Inputs of a model: by name, and as laws of time and sensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiled.law_memory import evaluate_law_twice
from ce_dynamics.compiled.observed import system_outputs
from ce_dynamics.compiler import CompiledFunction, trace
from ce_dynamics.compiler.fingerprint import content_in_process
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.parameters import refusals

CONTROLS_KEPT = 8  # laws of which a model keeps the code, the latest ones


class InputLaw(Protocol):
    """Inputs as a function of time and of the sensors (the system's outputs).

    `inputs` is written on arrays and `where`, like force elements, and returns any of the system's inputs;
    those it leaves out keep their defaults.
    """

    def inputs(self, t: Scalar, sensors: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        """Return inputs by name."""
        ...


def ranges(model: CompiledSystem) -> dict[str, tuple[float, float]]:
    """Return the ranges of bounded inputs by name."""
    inputs = model.system.inputs.values()
    return {entry.name: entry.between for entry in inputs if entry.between is not None}


def inputs_with(
    model: CompiledSystem,
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | None = None,
) -> Floats:
    """Return the input vector u with some inputs and free parameters given by name, defaults for the others.

    Raises
    ------
    ModelError
        If a name is unknown, a value not finite, or the model cannot be used with a parameter's value.
    """
    u = model.u0
    names = [entry.name for entry in model.layout.u]
    n_inputs = model.layout.n_inputs
    for given, known, what in (
        (parameters, names[n_inputs:], "parameter"),
        (inputs, names[:n_inputs], "input"),
    ):
        for name, value in checks.mapping(f"{what}s", {} if given is None else given).items():
            if name not in known:
                raise ModelError(f"no {what} {name!r}; the system's {what}s are {known}")
            u[names.index(name)] = checks.number(f"{what} {name!r}:", value)
    if parameters:
        check_parameters(model, u[n_inputs:])
    return u


def check_parameters(model: CompiledSystem, values: Floats) -> None:
    """Refuse values of the free parameters with which the model cannot be used."""
    _ = model.dynamics  # decisions are made until it is traced
    given = {p.name: np.array([x]) for p, x in zip(model.layout.parameters, values, strict=True)}
    reason = refusals(model.layout.parameters, given)[0]
    if reason:
        raise ModelError(reason)


def control(model: CompiledSystem, law: InputLaw, held: Floats | None = None) -> CompiledFunction:
    """Return U = law(t, sensors(y)), compiled.

    Parameters
    ----------
    law : InputLaw
    held : array, optional
        Inputs and free parameters that the law does not return; their defaults if not given.

    Raises
    ------
    ModelError
        If the law returns an input that the system does not have.
    """
    others = model.u0 if held is None else held

    def control(t: Array, y: Array) -> dict[str, Array]:
        return {"u": evaluate_law(model, law, t[0], y, others)}

    key = content_in_process(law, others)
    if key is not None and key in model.controls:
        return model.controls[key]
    sizes = {"t": 1, "y": len(model.layout.y0)}
    compiled = model.load_function("control", lambda: trace("control", control, sizes), law, others)
    if key is not None:
        if len(model.controls) >= CONTROLS_KEPT:
            model.controls.pop(next(iter(model.controls)), None)
        model.controls[key] = compiled
    return compiled


def evaluate_law(model: CompiledSystem, law: InputLaw, t: Scalar, y: Array, held: Array) -> Array:
    """Return u from a law; ``held`` has the inputs that it does not return.

    Raises
    ------
    ModelError
        If the law returns an input that the system does not have.
    """
    sensors = system_outputs(model, model.instant(y, held))
    owner = f"input law {type(law).__name__}"

    def ask() -> Mapping[str, Scalar]:
        with checks.name_user_errors(owner):
            answer = law.inputs(t, sensors)
        return checks.mapping(f"{owner}: its answer", answer)

    given = evaluate_law_twice(law, ask)
    unknown = sorted(set(given) - set(model.system.inputs))
    if unknown:
        raise ModelError(
            f"{owner} returns {checks.show(unknown)}; the system's inputs are {list(model.system.inputs)}"
        )
    answered = {
        name: checks.one(f"input {name!r} as {owner} returns it", value) for name, value in given.items()
    }
    entries = zip(model.layout.u, held, strict=True)
    return array(answered.get(entry.name, value) for entry, value in entries)
