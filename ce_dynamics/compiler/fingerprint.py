"""Keys of descriptions: equal only where tracing them gives the same graph.

A traced function follows from the objects it reads and from the code that reads them.  The key covers both:
every object that can be reached, by value, and the source text of the whole package.  Attributes that a class
lists as ``UNTRACED`` are left out: initial values, so that runs from other starts find the same code.
Objects whose code lies elsewhere (a user's own force element, a function given for an output) have no key,
nor has anything that is not known to be plain data: such descriptions are traced every time.

Not seen is a package that is changed in memory, by replacing its functions or constants in a running process.
"""

from __future__ import annotations

import enum
import functools
import hashlib
import os
import struct
import sys
import types
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ce_dynamics import _version
from ce_dynamics.compiler.compiled_function import CompiledFunction

FORMAT = 1  # raise whenever the way keys are made changes

_PACKAGE = "ce_dynamics"
_FOREIGN_BASES = {"builtins", "abc", "enum", "typing", "collections", "pydantic"}
"""Packages whose classes may be bases of ours: what they add to an object is among its attributes."""
_FOREIGN_FUNCTIONS = {"builtins", "math", "numpy", "operator"}


class _UnknownError(Exception):
    """Raised for an object that its content does not identify."""


def content_key(*things: object) -> str | None:
    """Return a key of some objects (systems, laws, numbers) and of the package that is to read them.

    None where an object is of a kind that cannot be known by its content, or the package's source is not at
    hand or younger than what runs.
    """
    source = None if changed_since_import() else source_key()
    content = None if source is None else content_in_process(*things)
    if content is None:
        return None
    head = repr((FORMAT, source, sys.version, np.__version__)).encode()
    return hashlib.sha256(head + content).hexdigest()


def content_in_process(*things: object) -> bytes | None:
    """Return the content of some objects, which identifies the objects within one process.

    `content_key` adds the package.  None where an object cannot be identified by its content.
    """
    walk = _ContentWalk(_source_files())
    try:
        for thing in things:
            walk.add(thing)
    except (_UnknownError, RecursionError):
        return None
    return b"".join(walk.parts)


@functools.cache
def _source_files() -> frozenset[str]:
    """Return absolute paths of the package's modules, as stated by the modules."""
    return frozenset(path for path, _ in _modules())


@functools.cache
def _modules() -> list[tuple[str, str]]:
    """Return absolute path and path within the package of every module."""
    package = Path(_version.__file__).parent
    beside = [package.parent / name for name in BESIDE if not (package / name).is_dir()]
    found = []
    for root in (package, *beside):
        start = package if root is package else package.parent
        for folder, folders, files in os.walk(root, followlinks=True):
            folders[:] = sorted(name for name in folders if name != "__pycache__")
            for name in sorted(files):
                if name.endswith(".py"):
                    path = os.path.join(folder, name)
                    found.append((path, os.path.relpath(path, start)))
    return found


BESIDE = ("kinematics", "models")  # folders that lie beside the package in a checkout


def changed_since_import() -> bool:
    """Return True if a module file is newer than the import of the package, or missing.

    The running code may then be an older version of the file.
    """
    try:
        found = [os.stat(path) for path in _source_files()]
    except OSError:  # one is gone
        return True
    return any(max(status.st_mtime, status.st_ctime) > _version.IMPORTED for status in found)


@functools.cache
def source_key() -> str | None:
    """Return the hash of the package's source; None if there is none."""
    total = hashlib.sha256()
    if __file__ not in _source_files():
        return None
    for path, name in _modules():
        try:
            with open(path, "rb") as file:
                content = file.read()
        except OSError:
            return None
        total.update(f"{name} {len(content)}\n".encode() + content)
    return total.hexdigest()


class _ContentWalk:
    """Everything that can be reached from objects, as bytes in `parts`."""

    def __init__(self, sources: frozenset[str]) -> None:
        self.parts: list[bytes] = []
        self._sources = sources
        self._number: dict[int, int] = {}
        self._alive: list[object] = []  # so that no identity is given twice

    def add(self, x: Any) -> None:
        """Append an object's content, or a reference to where it was met before."""
        kind = type(x)
        simple = _SIMPLE.get(kind)
        if simple is not None:
            self.parts.append(simple(x))
            return
        known = self._number.get(id(x))
        if known is not None:
            self.parts.append(b"@%d;" % known)
            return
        self._number[id(x)] = len(self._alive)
        self._alive.append(x)
        self._add_new(x, kind)

    def _add_new(self, x: Any, kind: type) -> None:
        if kind is np.ndarray:
            self._add_array(x)
        elif kind in (tuple, list):
            self._add_all(kind.__name__, x)
        elif kind is dict:
            self._add_all("dict", (part for item in x.items() for part in item))
        elif kind in (set, frozenset):
            self._add_unordered(kind.__name__, x)
        elif kind is slice:
            self._add_all("slice", (x.start, x.stop, x.step))
        elif isinstance(x, np.generic):
            self.parts.append(b"n" + x.dtype.str.encode() + x.tobytes())
        elif isinstance(x, type):
            self._add_class(x)
        elif kind is types.FunctionType:
            self._add_function(x)
        elif kind is types.MethodType:
            self._add_all("method", (x.__func__, x.__self__))
        elif kind is functools.partial:
            self._add_all("partial", (x.func, x.args, x.keywords))
        elif kind is types.CodeType:
            self._add_code(x)
        elif isinstance(x, (types.BuiltinFunctionType, np.ufunc)):
            self._add_foreign(x)
        elif kind is CompiledFunction:
            self._add_all("compiled", (x.signature.digest, x.lanes))
        elif isinstance(x, enum.Enum):
            self._add_all("enum", (kind, x.name))
        else:
            self._add_object(x, kind)

    def _add_all(self, name: str, things: Iterable[object]) -> None:
        self.parts.append(b"(%s " % name.encode())
        for thing in things:
            self.add(thing)
        self.parts.append(b")")

    def _add_unordered(self, name: str, things: Iterable[object]) -> None:
        if not all(type(thing) in _SIMPLE for thing in things):
            raise _UnknownError
        self.parts.append(b"(%s %s)" % (name.encode(), b"".join(sorted(map(_simple, things)))))

    def _add_array(self, x: Any) -> None:
        self.parts.append(b"a%s%r" % (x.dtype.str.encode(), x.shape))
        if x.dtype.hasobject:
            self._add_all("", x.ravel().tolist())
        else:
            self.parts.append(x.tobytes())

    def _add_class(self, x: type) -> None:
        """Add a class by its name where that leads to it and to code that the key covers."""
        self._check_is_ours(x)
        self.parts.append(b"c%s.%s;" % (x.__module__.encode(), x.__qualname__.encode()))

    def _check_is_ours(self, x: type) -> None:
        module = sys.modules.get(x.__module__)
        found: Any = module
        for part in x.__qualname__.split("."):
            found = getattr(found, part, None)
        if found is not x or getattr(module, "__file__", None) not in self._sources:
            raise _UnknownError

    def _add_function(self, x: Any) -> None:
        if x.__code__.co_filename not in self._sources:
            raise _UnknownError
        cells = tuple(cell.cell_contents for cell in x.__closure__ or ())
        self._add_all(
            "function", (x.__module__, x.__qualname__, x.__code__, x.__defaults__, x.__kwdefaults__, *cells)
        )

    def _add_code(self, x: Any) -> None:
        self._add_all("code", (x.co_code, x.co_names, x.co_firstlineno, *x.co_consts))

    def _add_foreign(self, x: Any) -> None:
        module = getattr(x, "__module__", None) or "numpy"
        owner = getattr(x, "__self__", None)
        if module.split(".")[0] not in _FOREIGN_FUNCTIONS or not (
            owner is None or isinstance(owner, types.ModuleType)
        ):
            raise _UnknownError
        self.parts.append(b"f%s.%s;" % (module.encode(), x.__name__.encode()))

    def _add_object(self, x: Any, kind: type) -> None:
        """Add an instance of a class of the package: its class and its attributes."""
        self._check_is_ours(kind)
        derived: set[str] = set()
        slots: list[str] = []
        for base in kind.__mro__:
            if base.__module__.split(".")[0] == _PACKAGE:
                self._check_is_ours(base)
            elif base.__module__.split(".")[0] not in _FOREIGN_BASES:
                raise _UnknownError
            slots += [name for name in slots_of(base) if not name.startswith("__")]
            derived |= {n for n, v in vars(base).items() if isinstance(v, functools.cached_property)}
            derived.update(vars(base).get("UNTRACED", ()))
        self.parts.append(b"o%s.%s{" % (kind.__module__.encode(), kind.__qualname__.encode()))
        if isinstance(x, tuple):
            names = getattr(x, "_fields", range(len(x)))
            self._add_all("items", (item for name, item in zip(names, x, strict=True) if name not in derived))
        elif isinstance(x, (dict, list, set, frozenset, str, bytes, int, float)):
            raise _UnknownError  # this walk does not reach attributes of subclasses
        attributes = {name: getattr(x, name) for name in slots if hasattr(x, name)}
        attributes |= getattr(x, "__dict__", {})
        for name, value in attributes.items():
            if name not in derived:
                self.parts.append(name.encode() + b"=")
                self.add(value)
        self.parts.append(b"}")


def slots_of(kind: type) -> tuple[str, ...]:
    """Return names of the slots that a class itself declares."""
    names = vars(kind).get("__slots__", ())
    return (names,) if isinstance(names, str) else tuple(names)


def _text(x: str) -> bytes:
    content = x.encode("utf-8", "surrogatepass")
    return b"s%d:%s" % (len(content), content)


def _simple(x: Any) -> bytes:
    return _SIMPLE[type(x)](x)


_SIMPLE: dict[type, Callable[[Any], bytes]] = {
    float: lambda x: b"d" + struct.pack("<d", x),
    str: _text,
    int: lambda x: b"i%d;" % x,
    bool: lambda x: b"T" if x else b"F",
    type(None): lambda x: b"N",
    type(Ellipsis): lambda x: b"E",
    bytes: lambda x: b"b%d:%s" % (len(x), x),
    complex: lambda x: b"z" + struct.pack("<dd", x.real, x.imag),
}
