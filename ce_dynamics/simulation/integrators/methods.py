"""Names of the native methods; importing this costs nothing."""

from __future__ import annotations

from typing import Literal, get_args

NativeMethod = Literal["rk4", "rosenbrock", "implicit-euler", "dopri5"]
NATIVE_METHODS: tuple[str, ...] = get_args(NativeMethod)

IMPLICIT = ("rosenbrock", "implicit-euler")
"""Methods that need the Jacobian."""

FIXED = ("rk4", "rosenbrock", "implicit-euler")
"""Methods of fixed steps."""
