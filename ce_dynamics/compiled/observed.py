"""Outputs of a model, of its force elements and paths; its closure errors and energies."""

from __future__ import annotations

from functools import partial

from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, Scalar, array, norm
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiled.state_arguments import StateArguments, Unpack, state_given, takes_state
from ce_dynamics.compiled.variables import path_values
from ce_dynamics.compiler import CompiledFunction
from ce_dynamics.dynamics.instant import Instant, evaluate_output
from ce_dynamics.embedding.aggregate import gearing
from ce_dynamics.embedding.closures.loop import closure_errors


def observation(model: CompiledSystem) -> CompiledFunction:
    """Trace all outputs, closure errors, and the gearing of every geared loop, at (y, u)."""
    return model.function_of_state("observation", partial(observe, model))


def system_outputs(model: CompiledSystem, instant: Instant) -> dict[str, Scalar]:
    """Return the system's outputs at an instant."""
    return {name: evaluate_output(output, instant.outward) for name, output in model.system.outputs.items()}


def observe(model: CompiledSystem, y: Array, u: Array) -> dict[str, Array]:
    """Return all outputs and closure errors, for floats or traced scalars."""
    instant = model.instant(y, u)
    values = path_values(instant.outward) | system_outputs(model, instant) | instant.energies
    values |= {name: evaluate_output(output, instant) for name, output in model.system.measurements.items()}
    for element, response in instant.loads.responses.items():
        values |= {f"{element}.{name}": value for name, value in response.outputs.items()}
    for name, answered in instant.controlled.answered.items():
        values |= {f"{name}.{signal}": value for signal, value in answered.items()}
    return {
        "outputs": array(values[entry.name] for entry in model.output_entries),
        "closure": closure_norms(model, instant),
        "gearing": array(gearing(S, instant.outward.motions[S.name]) for S in model.geared_loops),
    }


def closure_norms(model: CompiledSystem, instant: Instant) -> Array:
    """Return the closure error of every loop closure, in the order of `System.closures`."""
    errors = {
        loop.name: norm(closure_errors(instant.outward.motions[S.name], [loop]).residual)
        for S in model.embedding.aggregates
        for loop in S.closures
    }
    return array(errors[loop.name] for loop in model.system.closures)


@takes_state("y", "u")
def outputs(
    model: CompiledSystem, *here: ArrayLike | None, **named: Unpack[StateArguments]
) -> dict[str, float]:
    """Return all outputs at one state by name: the system's own, those of its force elements, its energies.

    Parameters
    ----------
    q, v, x, u, y : array_like, optional
        State and inputs, see `Model`.

    Returns
    -------
    dict of str to float
        In the order of ``output_entries``, which has the units.

    Raises
    ------
    AssemblyError
        If a loop cannot be assembled at the state.

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> system = ce.System(gravity=(0, 0, -10.0))
    >>> bob = system.add_body("bob", mass=2.0, com=(0, 0, -1), parent=system.ground,
    ...                       hinge=ce.Revolute((0, 1, 0)))
    >>> system.add_output("height", "m", lambda o: o.point(bob, bob.com, system.ground).r[2])
    >>> ce.compile(system).outputs([0.0, 3.0])
    {'height': -1.0, 'kinetic_energy': 9.0, 'potential_energy': -20.0, 'elastic_energy': 0.0, 'energy': -11.0}
    """
    state, given = state_given(model, *here, **named)
    values, closure, *_ = observation(model)(state, given)
    model.refuse_not_finite(state, given, closure)
    return {entry.name: float(x) for entry, x in zip(model.output_entries, values, strict=True)}
