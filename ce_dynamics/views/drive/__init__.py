"""Pages with the physics inside: models that people drive in their browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce_dynamics.algebra.lazy_names import lazy_names

if TYPE_CHECKING:
    from ce_dynamics.views.drive.machine import (
        Circuit as Circuit,
        Control as Control,
        Gauge as Gauge,
        Machine as Machine,
        Slider as Slider,
    )
    from ce_dynamics.views.drive.page import DrivePage as DrivePage, Rerun as Rerun, rerun as rerun

__getattr__, __dir__, __all__ = lazy_names()
