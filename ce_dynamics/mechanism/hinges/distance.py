"""Distance: a massless rod with a ball joint at each end, as a closure of a loop."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.compiler.free_numbers import decide
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.checked import finite_number, finite_vector, magnitude
from ce_dynamics.mechanism.hinges.conditions import Condition, Separation


class Distance:
    """A point of the parent and a point of the child keep their distance.

    Not a hinge, for it has no coordinates: it closes loops.

    Parameters
    ----------
    at_a : sequence of 3 floats
        Point fixed on the parent (the first body), in the design pose [m].
    at_b : sequence of 3 floats
        Point fixed on the child (the second body), in the design pose [m].
    length : float, optional
        Distance to keep [m]; by default that of the design pose.
    """

    def __init__(self, at_a: ArrayLike, at_b: ArrayLike, length: float | None = None) -> None:
        self.at_a = finite_vector(at_a, "Distance", "at_a")
        self.at_b = finite_vector(at_b, "Distance", "at_b")
        self.length = self._design_length() if length is None else finite_number(length, "Distance", "length")
        if decide(self.length <= 0.0, "Distance: the two points coincide, or the length is not positive"):
            raise ModelError(
                f"Distance: length is {self.length!r} m between at_a {at_a!r} and at_b {at_b!r}; it must be"
                " positive (points that coincide are closed by Spherical)"
            )

    @property
    def at_parent(self) -> Array:
        """Design position of the point on the parent."""
        return self.at_a

    @property
    def at_child(self) -> Array:
        """Design position of the point on the child."""
        return self.at_b

    @property
    def constraints(self) -> tuple[Condition, ...]:
        """The one condition, on the two points."""
        return (Separation(self.length),)

    def _design_length(self) -> Scalar:
        return magnitude(self.at_b - self.at_a)
