"""Pages that play runs as widgets of notebooks, whose time, camera and playing Python reads and sets."""

from __future__ import annotations

import importlib.util
from typing import Any

from ce_dynamics.errors import ModelError
from ce_dynamics.views.scene.page import WEB

REMEDY = "pip install 'ce-dynamics[widget]'"


def page_widget(html: str, title: str, height: int, start: float, camera: str) -> Any:
    """Return a widget with the traits ``time`` [s], ``playing`` and ``camera``.

    Raises
    ------
    ModelError
        If the package anywidget is missing.
    """
    if importlib.util.find_spec("anywidget") is None:
        raise ModelError(f"a widget needs the package anywidget: {REMEDY}")
    import anywidget  # here, because it is an extra
    import traitlets

    class PageWidget(anywidget.AnyWidget):  # type: ignore[misc]  # has no types
        """A page inside a notebook."""

        _esm = (WEB / "widget.js").read_text("utf-8")
        html = traitlets.Unicode().tag(sync=True)
        title = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int().tag(sync=True)
        time = traitlets.Float().tag(sync=True)
        playing = traitlets.Bool().tag(sync=True)
        camera = traitlets.Unicode().tag(sync=True)

    return PageWidget(html=html, title=title, height=height, time=start, camera=camera)
