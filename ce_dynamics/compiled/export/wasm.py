"""A compiled model as a WebAssembly module: steps, outputs, and what a picture needs."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from ce_dynamics.compiled.export.c_source import SOURCES, header, source, template
from ce_dynamics.compiled.export.cross_compiler import web_assembly
from ce_dynamics.compiled.export.interface import Interface
from ce_dynamics.compiler import TracedFunction
from ce_dynamics.compiler.codegen.c import c_function

PICTURED = {"places": "picture", "arrows": "picture", "points": "shape"}
"""Arrays that only pictures need, and the function that fills each."""


def wasm(interface: Interface, more: Mapping[str, TracedFunction]) -> bytes:
    """The module.

    Parameters
    ----------
    interface : Interface
        Best with elementary functions written out, since there is no mathematical library inside.
    more : mapping of str to TracedFunction
        ``picture`` of y and u: ``places`` and ``arrows``; ``shape`` of u: ``points``.

    Returns
    -------
    bytes
        It exports ``memory``; addresses ``y()``, ``u()``, ``outputs()``, ``closure()``, ``places()``,
        ``arrows()``, ``points()``; ``steps(n, h, made)``, ``observe()``, ``picture()``, ``shape()``,
        ``refused()``.

    Raises
    ------
    ModelError
        If the compiler is missing or fails.
    """
    name = interface.name
    with tempfile.TemporaryDirectory(prefix="ce-dynamics-") as folder:
        (Path(folder) / f"{name}.h").write_text(header(interface, False), "utf-8")
        code, result = Path(folder) / f"{name}.c", Path(folder) / f"{name}.wasm"
        code.write_text(source_of_page(interface, more), "utf-8")
        (Path(folder) / "math.h").write_text((SOURCES / "math.h").read_text("utf-8"), "utf-8")
        web_assembly(code, result)
        return result.read_bytes()


def source_of_page(interface: Interface, more: Mapping[str, TracedFunction]) -> str:
    """The C code, without the header."""
    sizes = []
    for array, function in PICTURED.items():
        length = 1
        for n in more[function].output_shapes[array]:
            length *= n
        sizes.append(f"enum {{ N_{array.upper()} = {max(1, length)} }};")
    functions = (c_function(traced, f"{interface.name}_{what}") for what, traced in more.items())
    return "\n".join((source(interface, False), *functions, *sizes, "", template("page.c", interface.name)))
