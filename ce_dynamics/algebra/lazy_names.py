"""Packages that hand on names of their modules, and load a module when a name of it is first used.

The list of the names is the block of imports that a package has under ``if TYPE_CHECKING:``, which people and
type checkers read.  It is never executed; what it says is read off the package's compiled code, so that there
is no second list to keep.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def lazy_names() -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of the package that calls this as its last statement.

    Examples
    --------
    ``__getattr__, __dir__, __all__ = lazy_names()``
    """
    caller = sys._getframe(1)
    package: dict[str, Any] = caller.f_globals
    homes: dict[str, str] = {}
    there: list[str] = []
    module = ""
    for step in dis.get_instructions(caller.f_code):
        if step.opname == "IMPORT_NAME":
            module = str(step.argval)
        elif step.opname == "IMPORT_FROM":
            name = str(step.argval)
            if name not in package:
                homes[name] = module
            elif module.startswith(package["__name__"]):  # executed
                there.append(name)
    names = sorted({*homes, *there} - {lazy_names.__name__})

    def getattr_(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package['__name__']!r} has no attribute {name!r}")
        value = package[name] = getattr(import_module(homes[name]), name)
        return value

    return getattr_, lambda: names, names
