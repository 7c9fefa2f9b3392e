"""Modules that other libraries import without using them, loaded when something of them is used."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType

LATE = {"fontTools.agl", "numpy.f2py", "numpy.ma", "numpy.testing", "scipy.spatial"}
"""What matplotlib imports for TeX alone, and `scipy.integrate` for others than `solve_ivp`: a twentieth of
the processor time of the first import, a third of the second.
"""


class LateModules(MetaPathFinder):
    """Finds modules as Python does, and leaves executing those that are named until they are used."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in LATE:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


def load_late() -> None:
    """From now on, load what is named here when it is used."""
    sys.meta_path.insert(0, LateModules())
