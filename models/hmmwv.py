"""The HMMWV by its short name: what `ce_dynamics.models.vehicles.hmmwv` offers, loaded when first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ce_dynamics.models.vehicles import hmmwv

if TYPE_CHECKING:
    from ce_dynamics.models.vehicles.hmmwv import *  # noqa: F403

__all__ = hmmwv.__all__


def __getattr__(name: str) -> Any:
    return getattr(hmmwv, name)


def __dir__() -> list[str]:
    return __all__
