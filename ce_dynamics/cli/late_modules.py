"""Modules that other libraries import without using them, loaded when something of them is used."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
from types import ModuleType
from typing import Any

LATE = {"fontTools.agl", "numpy.f2py", "numpy.ma", "numpy.testing", "scipy.spatial"}
"""Modules that matplotlib imports for TeX alone, and `scipy.integrate` for others than `solve_ivp`.

They take a twentieth of the processor time of the first import, a third of the second.
"""

EXECUTING = "executing"

_alone = RLock()


class LateModule(ModuleType):
    """Module that is executed at the first access to one of its attributes, by one thread.

    Others wait meanwhile: `importlib.util.LazyLoader` lets them find it empty in Python 3.10 to 3.12.1.
    """

    def __getattribute__(self, name: str) -> Any:
        spec: ModuleSpec = ModuleType.__getattribute__(self, "__spec__")  # super() needs this very class
        if name == "__spec__":  # import statements look at it
            return spec
        with _alone:
            if type(self) is LateModule and spec.loader_state is not EXECUTING:
                assert spec.loader is not None, "it was found with one"
                spec.loader_state = EXECUTING
                try:
                    spec.loader.exec_module(self)
                    self.__class__ = ModuleType  # type: ignore[assignment]  # without further checks
                finally:
                    spec.loader_state = None
        return ModuleType.__getattribute__(self, name)


class LateLoader(Loader):
    """Leaves executing a module by a loader to `LateModule`."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None, "Python sets it"
        module.__spec__.loader = module.__loader__ = self._loader
        module.__class__ = LateModule


class LateModules(MetaPathFinder):
    """Finds modules as Python does, and leaves executing those that are named until they are used."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in LATE:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = LateLoader(spec.loader)
        return spec


def load_late() -> None:
    """Load the modules named here at their first use from now on."""
    sys.meta_path.insert(0, LateModules())
