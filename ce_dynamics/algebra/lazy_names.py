"""Packages that hand on names of their modules, and load a module when a name of it is first used.

The list of the names is the block of imports that a package has under ``if TYPE_CHECKING:``, which people and
type checkers read.  It is never executed; its names are read from the package's compiled code, so that there
is no second list to keep.
"""

from __future__ import annotations

import dis
import sys
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    former: Mapping[str, str] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__, __dir__, __all__`` of the package that calls this as its last statement.

    ``former`` has the present names by former ones, whose use warns.
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
        if former and name in former:
            warn_of_former_name(f"{package['__name__']}.{name}", former[name])
            return getattr(sys.modules[package["__name__"]], former[name])
        if name not in homes:
            raise AttributeError(f"module {package['__name__']!r} has no attribute {name!r}")
        value = package[name] = getattr(import_module(homes[name]), name)
        return value

    return getattr_, lambda: names, names


def warn_of_former_name(old: str, new: str) -> None:
    """Warn the caller's caller that a name has changed."""
    warnings.warn(f"{old} is now called {new}", DeprecationWarning, stacklevel=3)


class FormerName:
    """Former name of a method: its use warns and returns the method of the present name."""

    def __init__(self, new: str) -> None:
        self.new = new

    def __set_name__(self, owner: type, name: str) -> None:
        self.old = name

    def __get__(self, instance: object, owner: type) -> Any:
        warn_of_former_name(f"{owner.__name__}.{self.old}", self.new)
        return getattr(owner if instance is None else instance, self.new)


def adopt_former_methods(owner: type, former: Mapping[str, str]) -> None:
    """Let a subclass, when it is defined, override methods by their former names; each warns."""
    for old, new in former.items():
        if old in vars(owner):
            warnings.warn(f"{owner.__name__}.{old} is now called {new}", DeprecationWarning, stacklevel=3)
            setattr(owner, new, vars(owner)[old])
