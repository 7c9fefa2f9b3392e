"""Values of a model's free parameters for the rig, checked in compiled code: thousands per second."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, array, where
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import compile_function, trace
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.parameters import guards_of, outcomes_of, refusals


class FreeValues:
    """The free parameters of a model whose functions for the rig have been traced.

    Parameters
    ----------
    model : Model

    Attributes
    ----------
    names : tuple of str
    nominal : (n_p,) array
    """

    def __init__(self, model: Model) -> None:
        self.parameters = model.layout.parameters
        self.names = tuple(parameter.name for parameter in self.parameters)
        self.nominal = np.array([parameter.value for parameter in self.parameters], dtype=float)
        guards = guards_of(self.parameters)
        self._decided = np.array([float(guard.value) for guard in guards.values()])
        if not guards:
            return

        def outcomes(p: Array) -> dict[str, Array]:
            found = outcomes_of(guards, self.parameters, p)
            return {"outcomes": array(where(outcome, 1.0, 0.0) for outcome in found)}

        self._bound = compile_function(trace("decisions", outcomes, {"p": len(self.names)})).bind()

    def at(self, given: Mapping[str, float] | None) -> Floats:
        """Values of all parameters with some given.

        Raises
        ------
        ModelError
            If a name is unknown, a value not finite, or the model is another one with it.
        """
        p = self.nominal.copy()
        for name, value in checks.mapping("parameters", given or {}).items():
            if name not in self.names:
                raise ModelError(f"no parameter {name!r}; the system's parameters are {list(self.names)}")
            p[self.names.index(name)] = checks.number(f"parameter {name!r}:", value)
        if len(self._decided):
            self._bound.inputs["p"][:] = p
            self._bound.run()
            if not np.array_equal(self._bound.outputs["outcomes"], self._decided):
                values = {name: [value] for name, value in zip(self.names, p, strict=True)}
                raise ModelError(refusals(self.parameters, values)[0])
        return p
