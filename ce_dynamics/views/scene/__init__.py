"""Systems in three dimensions: shapes of bodies, motion of a run, pages that play it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce_dynamics.algebra.lazy_names import lazy_names

if TYPE_CHECKING:
    from ce_dynamics.views.scene.shapes import (
        Shape as Shape,
        ball as ball,
        block as block,
        line as line,
        mesh as mesh,
        plane as plane,
        plate as plate,
        rod as rod,
        terrain as terrain,
        wheel as wheel,
    )
    from ce_dynamics.views.scene.take import Camera as Camera, Strand as Strand, Take as Take
    from ce_dynamics.views.scene.view import View as View, view as view

__getattr__, __dir__, __all__ = lazy_names()
