"""Inertias: checks of given ones, the form that is cheap to rotate, and armature of hinges."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, array, cross, dot, where, zeros
from ce_dynamics.algebra.spatial import IDENTITY, symmetric_from_upper
from ce_dynamics.compiler.free_numbers import decide, is_free, nominal
from ce_dynamics.errors import ModelError, PhysicalityWarning
from ce_dynamics.mechanism.checked import finite_number, free_numbers
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.orientation import Orientation

MINOR_ROUNDING = 1e-12
"""Rounding of principal minors of an inertia, relative to powers of its trace [-]."""


def checked_free_inertia(value: object, name: str, check: Callable[[Array], Array]) -> Array:
    """Return a user's inertia with free entries as a symmetric (3, 3) array."""
    given = np.array(value, dtype=object)
    check(nominal(given))
    if given.shape == (3,):
        free = np.zeros((3, 3), dtype=object)
        free[np.diag_indices(3)] = given
    else:
        free = 0.5 * (given + given.T)
        free[np.diag_indices(3)] = given[np.diag_indices(3)]
    if negative(free, f"body {name!r}: its inertia is not positive"):
        raise ModelError(f"body {name!r}: inertia {nominal(free)} must be positive")
    return free


def negative(A: Array, meaning: str) -> bool:
    """Return True if a symmetric matrix with free entries has a negative eigenvalue, beyond rounding.

    It has none exactly if none of the principal minors is negative.  The condition on the nominal values is
    kept for all (see `decide`).
    """
    if any(decide(A[i, i] < 0.0, meaning) for i in range(3)):
        return True
    if not has_products(A):
        return False
    trace = A[0, 0] + A[1, 1] + A[2, 2]
    pairs = [A[i, i] * A[j, j] - A[i, j] * A[i, j] for i, j in ((0, 1), (0, 2), (1, 2))]
    determinant = (
        A[0, 0] * (A[1, 1] * A[2, 2] - A[1, 2] * A[1, 2])
        - A[0, 1] * (A[0, 1] * A[2, 2] - A[1, 2] * A[0, 2])
        + A[0, 2] * (A[0, 1] * A[1, 2] - A[1, 1] * A[0, 2])
    )
    least = -MINOR_ROUNDING * trace * trace
    return any(decide(minor < least, meaning) for minor in pairs) or decide(
        determinant < least * trace, meaning
    )


def has_products(A: Array) -> bool:
    """Return True if an off-diagonal entry is free or not zero."""
    return any(is_free(A[i, j]) or A[i, j] != 0.0 for i, j in ((0, 1), (0, 2), (1, 2)))


def free_principal(inertia: Array) -> tuple[Scalar, tuple[tuple[Scalar, Array], ...]]:
    """Return I = a 1 + Σ k e eᵀ for an inertia with free entries.

    A diagonal one has a = I_22 (or another, of middle size) and constant vectors.  One with products is
    L D Lᵀ, whose three terms take fewer operations to rotate than the matrix: a = 0 and e are the columns of
    L, which depend on the parameters and have no unit length.
    """
    if has_products(inertia):
        return 0.0, cholesky_terms(inertia)
    middle = int(np.argsort(nominal(inertia).diagonal())[1])
    a = inertia[middle, middle]
    differences = [(inertia[i, i] - a, IDENTITY[i]) for i in range(3)]
    return a, tuple((k, e) for k, e in differences if is_free(k) or k != 0.0)


def cholesky_terms(A: Array) -> tuple[tuple[Scalar, Array], ...]:
    """Return A = L D Lᵀ as Σ d l lᵀ for positive semi-definite A: zero pivots have zero columns."""

    def ratio(entry: Scalar, pivot: Scalar) -> Scalar:
        return where(pivot == 0.0, 0.0, entry / where(pivot == 0.0, 1.0, pivot))

    l21, l31 = ratio(A[0, 1], A[0, 0]), ratio(A[0, 2], A[0, 0])
    d2, m32 = A[1, 1] - l21 * A[0, 1], A[1, 2] - l31 * A[0, 1]
    l32 = ratio(m32, d2)
    d3 = A[2, 2] - l31 * A[0, 2] - l32 * m32
    columns = np.array([[1.0, l21, l31], [0.0, 1.0, l32], [0.0, 0.0, 1.0]], dtype=object)
    return tuple(zip((A[0, 0], d2, d3), columns, strict=True))


ROUNDING = 1e-14


class PrincipalInertia(NamedTuple):
    """I = a 1 + Σ k e eᵀ with vectors e: two terms at most, one if axisymmetric, none if isotropic.

    Only the vectors turn with the body.  (With free parameters there may be more terms, and vectors of other
    lengths.)
    """

    a: Scalar
    terms: tuple[tuple[Scalar, Array], ...]

    def rotate(self, orientation: Orientation) -> PrincipalInertia:
        """Return R I Rᵀ."""
        return PrincipalInertia(self.a, tuple((k, orientation.rotate(e)) for k, e in self.terms))

    @property
    def matrix(self) -> Array:
        """The symmetric (3, 3) matrix."""
        I: Array = self.a * IDENTITY  # noqa: E741 (the symbol of the theory)
        for k, e in self.terms:
            I = I + symmetric_from_upper(np.outer(k * e, e))  # noqa: E741
        return I

    def gyroscopic(self, omega: Array) -> Array:
        """Return ω × I ω = Σ k (e · ω) ω × e: the isotropic part drops out."""
        if len(self.terms) > 1:
            return cross(omega, self.matrix @ omega)
        torque = zeros(3)
        for k, e in self.terms:
            torque = torque + (k * dot(e, omega)) * cross(omega, e)
        return torque


def principal_inertia(inertia: Array) -> PrincipalInertia:
    """Return the form of a symmetric (3, 3) inertia."""
    if is_free(inertia):
        return PrincipalInertia(*free_principal(inertia))
    moments, axes = np.linalg.eigh(inertia)
    a = float(moments[1])
    differences = moments - a
    significant = np.flatnonzero(np.abs(differences) > ROUNDING * np.abs(moments).max())
    axes = np.where(np.abs(axes) < ROUNDING, 0.0, axes)  # rounding relative to significant components
    return PrincipalInertia(a, tuple((float(differences[k]), axes[:, k]) for k in significant))


def check_inertia(value: Any, name: str) -> Array:
    """Check a user's inertia; return a symmetric (3, 3) copy, and warn where no rigid body can have it."""
    if free_numbers(value):
        return checked_free_inertia(value, name, lambda plain: check_inertia(plain, name))
    given = checks.numbers(f"body {name!r}: inertia", value)
    inertia = np.diag(given) if given.shape == (3,) else given
    if inertia.shape != (3, 3) or not np.all(np.isfinite(inertia)):
        raise ModelError(f"body {name!r}: inertia {checks.show(value)} must be 3 or 3×3 finite numbers")
    # Rounding of a product such as R I Rᵀ is relative to the largest entry, not to each.
    if not np.allclose(inertia, inertia.T, rtol=0.0, atol=1e-12 * np.max(np.abs(inertia))):
        raise ModelError(f"body {name!r}: inertia {value!r} must be symmetric")
    inertia = 0.5 * (inertia + inertia.T)
    moments = np.linalg.eigvalsh(inertia)
    rounding = 1e-12 * max(abs(moments))
    if moments[0] < -rounding:
        raise ModelError(f"body {name!r}: principal moment of inertia {moments[0]:g} must be >= 0 kg m²")
    if moments[2] > moments[0] + moments[1] + rounding + 1e-9 * moments[2]:
        warnings.warn(
            f"body {name!r}: principal moments {moments} violate the triangle inequality; no rigid body has"
            " them",
            PhysicalityWarning,
            stacklevel=3,
        )
    return inertia


def check_armature(value: object, hinge: Hinge, name: str) -> Array:
    """Return a user's armature as one number for every velocity of the hinge; empty if it has none."""
    owner, units = f"body {name!r}", hinge.velocity_units
    if checks.is_scalar(value) or not hasattr(value, "__len__"):
        number = finite_number(value, owner, "armature", at_least=0.0)
        if len(set(units)) > 1 and (is_free(number) or number != 0.0):
            raise ModelError(
                f"{owner}: armature {checks.show(value)} cannot be that of velocities in "
                f"{sorted(set(units))} at once; give {hinge.n_v} numbers, for {list(hinge.velocity_names)}"
            )
        numbers = [number] * hinge.n_v
    else:
        given = checks.items(f"{owner}: armature", value, hinge.n_v)
        numbers = [finite_number(x, owner, f"armature {k}", at_least=0.0) for k, x in enumerate(given)]
    if not any(is_free(x) or x != 0.0 for x in numbers):
        return zeros(0)
    quasi = hinge.n_q > hinge.n_v
    turns = [x for x, unit in zip(numbers, units, strict=True) if unit == "rad/s"]
    if quasi and any(x is not turns[0] and x != turns[0] for x in turns):
        raise ModelError(
            f"{owner}: armature {checks.show(value)} of the rotation behind a {type(hinge).__name__} hinge "
            f"must be the same about all axes; give it to simpler hinges in a row otherwise"
        )
    return array(numbers)
