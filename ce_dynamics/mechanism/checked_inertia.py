"""Inertias that users give, checked."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.errors import ModelError, PhysicalityWarning
from ce_dynamics.mechanism.checked import free_numbers
from ce_dynamics.mechanism.free_inertia import checked_free_inertia


def check_inertia(value: Any, name: str) -> Array:
    """A user's inertia as a symmetric (3, 3) array of its own; warns where no rigid body can have it.

    Raises
    ------
    ModelError
        If it is not 3 or 3×3 finite numbers, not symmetric (to rounding), or a principal moment is negative.
    """
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
