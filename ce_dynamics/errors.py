"""The errors users meet.  Each names the thing, the offending value, what is allowed and the remedy."""

from __future__ import annotations

from typing import Any


class CeDynamicsError(Exception):
    """Base of all errors raised for reasons a user can mend."""


class ModelError(CeDynamicsError, ValueError):
    """A system is described wrongly: a mass, an axis, a hinge, a loop, a name."""


class WrongTypeError(ModelError, TypeError):
    """An argument has a type that cannot be meant: text for a number, a class for one of its objects."""


class OverConstrainedError(ModelError):
    """Closures or prescribed motions leave fewer freedoms than there are independent coordinates, or none."""


class UnderConstrainedError(ModelError):
    """Closures leave freedoms that no independent coordinate accounts for."""


class IndependentCoordinatesError(ModelError):
    """The number of independent coordinates is right, but they do not determine the others."""


class SingularConfigurationError(ModelError):
    """The design pose is a dead centre or a branching point: what holds there does not hold close by."""


class MasslessFreedomError(ModelError):
    """A degree of freedom moves neither mass nor inertia, so its acceleration is not determined."""


class DataError(CeDynamicsError, ValueError):
    """A parameter file or an override is wrong: key, unit, sign or range."""


class AssemblyError(CeDynamicsError, ValueError):
    """A linkage cannot be assembled at the given coordinates; ``partial`` holds what was reached before."""

    def __init__(self, message: str, partial: Any = None) -> None:
        super().__init__(message)
        self.partial = partial


class SimulationError(CeDynamicsError, RuntimeError):
    """An integration stopped before its end; ``partial`` holds what was computed."""

    def __init__(self, message: str, partial: Any = None) -> None:
        super().__init__(message)
        self.partial = partial


class PhysicalityWarning(UserWarning):
    """A value is used as given although no real thing can have it."""


class ImmobilityWarning(UserWarning):
    """A loop, or a hinge of one, cannot move although its hinges could, or moves less than by exact data."""


class SingularityWarning(UserWarning):
    """A run came near a configuration where independent coordinates do not determine the loop's motion."""


class RangeWarning(UserWarning):
    """An input law returned a value out of its input's range."""


class AccuracyWarning(UserWarning):
    """A run came to its end, but its results contradict themselves by more than its tolerances explain."""
