"""Traced functions as a WebAssembly module: every array is a piece of memory, every function fills some."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from math import prod
from pathlib import Path

from ce_dynamics.compiled.export.c_source import SOURCES
from ce_dynamics.compiled.export.cross_compiler import WASM_FLAGS, web_assembly
from ce_dynamics.compiler import TracedFunction, disk_cache
from ce_dynamics.compiler.codegen.c import c_function
from ce_dynamics.errors import ModelError

HEAD = """#include <math.h>

#define EXPORT(NAME) __attribute__((export_name(#NAME))) at_##NAME
"""


def function_module(functions: Mapping[str, TracedFunction]) -> bytes:
    """The module, from the cache if it was compiled before.

    Parameters
    ----------
    functions : mapping of str to TracedFunction
        By the name that each is exported with, as a function without arguments.  Arrays of one name are one
        piece of memory, whose address the function of that name tells.

    Raises
    ------
    ModelError
        If two arrays of one name differ in size, a function and an array have the same name, or the compiler
        is missing or fails.
    """
    text = source_of(functions)
    key = hashlib.sha256("".join((*WASM_FLAGS, text)).encode("utf-8")).hexdigest()
    found = disk_cache.load(key)
    if found is not None:
        return found
    with tempfile.TemporaryDirectory(prefix="ce-dynamics-") as folder:
        code, result = Path(folder) / "functions.c", Path(folder) / "functions.wasm"
        code.write_text(text, "utf-8")
        (Path(folder) / "math.h").write_text((SOURCES / "math.h").read_text("utf-8"), "utf-8")
        web_assembly(code, result)
        found = result.read_bytes()
    disk_cache.store(key, found)
    return found


def source_of(functions: Mapping[str, TracedFunction]) -> str:
    """The C code."""
    sizes: dict[str, int] = {}
    for what, traced in functions.items():
        shapes = {**traced.input_shapes, **traced.output_shapes}
        if len(shapes) < len(traced.input_shapes) + len(traced.output_shapes):
            raise ModelError(f"module: {what!r} has an array that is input and output")
        for name, shape in shapes.items():
            size = max(1, prod(shape))
            if sizes.setdefault(name, size) != size or name in functions:
                raise ModelError(f"module: array {name!r} has several sizes, or is the name of a function")
    parts = [HEAD]
    parts += [
        f"static double {name}[{n}];\ndouble *EXPORT({name})(void) {{ return {name}; }}"
        for name, n in sizes.items()
    ]
    for what, traced in functions.items():
        arrays = ", ".join((*traced.input_shapes, *traced.output_shapes))
        parts.append(c_function(traced, f"f_{what}"))
        parts.append(f"void EXPORT({what})(void) {{ f_{what}({arrays}); }}\n")
    return "\n".join(parts)
