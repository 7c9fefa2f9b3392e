"""Former name of `ce_dynamics.contact`, with its public names."""

from __future__ import annotations

import warnings
from typing import Any

from ce_dynamics import contact

warnings.warn(
    "ce_dynamics.complementarity is now called ce_dynamics.contact", DeprecationWarning, stacklevel=2
)


def __getattr__(name: str) -> Any:
    return getattr(contact, name)


def __dir__() -> list[str]:
    return dir(contact)
