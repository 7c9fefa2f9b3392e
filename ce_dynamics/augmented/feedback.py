"""Inputs that depend on the motion: the same laws as those of the embedded model, on absolute states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ce_dynamics.algebra.arrays import Array, Scalar, array
from ce_dynamics.augmented.augmented import Augmented
from ce_dynamics.augmented.observer import AbsoluteObserver
from ce_dynamics.errors import ModelError


class FeedbackLaw(Protocol):
    """Inputs as a function of time and of the system's outputs, written on arrays and `where`."""

    def inputs(self, t: Scalar, sensors: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        """Inputs by name; those left out keep their defaults."""
        ...


def applied_inputs(
    model: Augmented, law: FeedbackLaw | None, t: Scalar, p: Array, V: Array, x: Array, u: Array
) -> Array:
    """What a law answers at a state, or u where there is none.

    Raises
    ------
    ModelError
        If the law answers an input that the system does not have.
    """
    if law is None:
        return u
    system = model.system
    observer = AbsoluteObserver(model.instant(p, V, x, model.u0).states)
    sensors = {name: output.function(observer) for name, output in system.outputs.items()}
    given = law.inputs(t, sensors)
    unknown = sorted(set(given) - set(system.inputs))
    if unknown:
        raise ModelError(f"input law answers {unknown}; the system's inputs are {list(system.inputs)}")
    return array(given.get(name, declared.default) for name, declared in system.inputs.items())
