"""The inertia of a body in the form that is cheap to turn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, cross, dot, zeros
from ce_dynamics.algebra.spatial import IDENTITY, symmetric_from_upper
from ce_dynamics.compiler.free_numbers import is_free
from ce_dynamics.mechanism.free_inertia import free_principal
from ce_dynamics.mechanism.orientation import Orientation

ROUNDING = 1e-14


class PrincipalInertia(NamedTuple):
    """I = a 1 + Σ k e eᵀ with vectors e: two terms at most, one if axisymmetric, none if isotropic.

    Only the vectors turn with the body.  (With free parameters there may be more terms, and vectors of other
    lengths.)
    """

    a: Scalar
    terms: tuple[tuple[Scalar, Array], ...]

    def rotate(self, orientation: Orientation) -> PrincipalInertia:
        """R I Rᵀ."""
        return PrincipalInertia(self.a, tuple((k, orientation.rotate(e)) for k, e in self.terms))

    @property
    def matrix(self) -> Array:
        """The symmetric (3, 3) matrix."""
        I: Array = self.a * IDENTITY  # noqa: E741 (the symbol of the theory)
        for k, e in self.terms:
            I = I + symmetric_from_upper(np.outer(k * e, e))  # noqa: E741
        return I

    def gyroscopic(self, omega: Array) -> Array:
        """ω × I ω = Σ k (e · ω) ω × e: what is isotropic has no part in it."""
        if len(self.terms) > 1:
            return cross(omega, self.matrix @ omega)
        torque = zeros(3)
        for k, e in self.terms:
            torque = torque + (k * dot(e, omega)) * cross(omega, e)
        return torque


def principal_inertia(inertia: Array) -> PrincipalInertia:
    """The form of a symmetric (3, 3) inertia."""
    if is_free(inertia):
        return PrincipalInertia(*free_principal(inertia))
    moments, axes = np.linalg.eigh(inertia)
    a = float(moments[1])
    differences = moments - a
    significant = np.flatnonzero(np.abs(differences) > ROUNDING * np.abs(moments).max())
    return PrincipalInertia(
        a, tuple((float(differences[k]), clean_direction(axes[:, k])) for k in significant)
    )


def clean_direction(vector: Array) -> Array:
    """A unit vector without the rounding errors beside its significant components."""
    return np.where(np.abs(vector) < ROUNDING, 0.0, vector)
