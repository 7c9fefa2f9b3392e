"""ẏ(t, y) of a model under its inputs, as integrators call it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.input_laws import InputLaw
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler.compiled_function import Binding
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.signals import check_range, held_number

Inputs = InputLaw | Mapping[str, float] | None


class RightHandSide:
    """ẏ(t, y) in the form SciPy calls it, on preallocated buffers.

    ``audit``: y has the work done on the system as a last entry.  ``preparation`` is the time [s] taken,
    while integrating, to compile what was not known to be needed before.
    """

    def __init__(
        self,
        model: Model,
        inputs: Inputs,
        audit: bool = False,
        parameters: Mapping[str, float] | None = None,
    ) -> None:
        self.evaluations = 0
        self.preparation = 0.0
        self.model = model
        self._given = inputs, parameters
        self.dynamics = model.audited_dynamics if audit else model.dynamics
        self.control = None
        self._dynamics = self.dynamics.bind()
        self._y = self._dynamics.inputs["y"]
        self._n = len(self._y)
        self._u = self._dynamics.inputs["u"]
        self._y_dot = self._dynamics.outputs["y_dot"]
        self._u[:] = constant_inputs(model, inputs, parameters)
        self._control = None
        self._sample: Binding | None = None
        if inputs is not None and not isinstance(inputs, Mapping):
            self.control = model.control(inputs, self._u.copy())
            self._control = self.control.bind()

    def audit(self) -> RightHandSide:
        """Return the same with the work done as the last entry of y, its law compiled once."""
        inputs, parameters = self._given
        twin = RightHandSide(self.model, None, True, parameters)
        twin._u[:] = self._u
        twin._given = inputs, parameters
        if self.control is not None:
            twin.control, twin._control = self.control, self.control.bind()
        return twin

    def __call__(self, t: float, y: Floats) -> Floats:
        """Evaluate; the result is a fresh array."""
        self.evaluations += 1
        self._y[:] = y[: self._n]
        if self._control is not None:
            self._u[:] = self.inputs_at(t, y)
        self._dynamics.run()
        return self._y_dot.copy()

    @property
    def bindings(self) -> tuple[Binding, ...]:
        """Compiled functions that an evaluation calls, with the buffers of the last evaluation."""
        return (self._dynamics,) if self._control is None else (self._control, self._dynamics)

    def sample(self, t: float, y: Floats) -> Floats:
        """Return the state after sampled controllers have looked at it (a fresh array)."""
        if self._sample is None:
            self._sample = self.model.sample.bind()
        self._sample.inputs["y"][:] = y[: self._n]
        self._sample.inputs["u"][:] = self.inputs_at(t, y)
        self._sample.run()
        return np.concatenate((self._sample.outputs["y_sampled"], y[self._n :]))

    def inputs_at(self, t: float, y: Floats) -> Floats:
        """Return inputs at an instant (a view that the next call overwrites)."""
        if self._control is None:
            return self._u
        self._control.inputs["t"][0] = t
        self._control.inputs["y"][:] = y[: self._n]
        self._control.run()
        return self._control.outputs["u"]

    def inputs_over(self, t: Floats, Y: Floats) -> Floats:
        """Return inputs at several instants and states, in rows."""
        if self.control is None:
            return np.tile(self._u, (len(t), 1))
        (U,) = self.control.at_rows(t[:, np.newaxis], Y[:, : self._n])
        return U


def constant_inputs(model: Model, inputs: Inputs, parameters: Mapping[str, float] | None) -> Floats:
    """Return inputs and free parameters given once, by name; the defaults where none are given."""
    u = model.u0
    if isinstance(inputs, Mapping):
        names = [entry.name for entry in model.layout.u][: model.layout.n_inputs]
        for name, value in checks.mapping("inputs", inputs).items():
            if name in model.system.parameters:
                raise ModelError(
                    f"{name!r} is a free parameter, no input; give it by parameters={{{name!r}: ...}}"
                )
            if name not in names:
                raise ModelError(f"no input {name!r}; the system's inputs are {names}")
            u[names.index(name)] = held_number(name, value)
            if name in model.ranges:
                check_range(name, float(value), model.ranges[name])
    elif inputs is not None:
        check_law(inputs)
    u[model.layout.n_inputs :] = model.inputs_with(parameters)[model.layout.n_inputs :]
    return u


LAW = "a law: an object with inputs(t, sensors) that returns a mapping"
INPUTS = f"a mapping of names to constants, or {LAW} (histories of held inputs are for simulate_ensemble)"


def check_law(inputs: object, what: str = INPUTS) -> None:
    """Refuse what gives no constant inputs: a function, a history."""
    checks.provides("inputs", inputs, ("inputs",), what)
