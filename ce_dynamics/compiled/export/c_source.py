"""A compiled model as C99 without dependencies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from ce_dynamics._version import __version__
from ce_dynamics.algebra import checks
from ce_dynamics.algebra.files import path_of, replace_on_success, shown_path
from ce_dynamics.compiled.export.interface import Interface
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler.codegen.c import c_function, literal, prototype
from ce_dynamics.embedding.charts import WORN
from ce_dynamics.errors import ModelError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

SOURCES = files("ce_dynamics.compiled.export") / "sources"


def export_c(
    model: Model,
    folder: str | Path,
    name: str | None = None,
    *,
    y0: ArrayLike | None = None,
    derivatives: bool = False,
) -> list[Path]:
    """Write a model as C: its rates, steps of the classical Runge–Kutta method, its outputs.

    Parameters
    ----------
    model : Model
    folder : str or Path
        Made if need be; files of these names in it are replaced.
    name : str, optional
        Name of the files, and prefix of all names in them; derived from the system's name if not given.
    y0 : array_like, optional
        State to start from; that of the model if not given.
    derivatives : bool
        Whether to add exact directional derivatives of rates and outputs.

    Returns
    -------
    list of Path
        ``name.h`` with all declarations, ``name.c``, ``example.c`` and ``CMakeLists.txt``.

    Raises
    ------
    ModelError
        If the name is no identifier of C, a loop is followed on charts, or the files cannot be written.

    Notes
    -----
    The code has the instructions of compiled evaluations, without fused multiply-adds:
    compiled with ``-ffp-contract=off`` it gives the same bits wherever sine, cosine and the like are the
    same. Nothing is allocated; functions may be called from any number of threads.

    Examples
    --------
    >>> import tempfile
    >>> import ce_dynamics as ce
    >>> system = ce.System(name="pendulum", gravity=(0, 0, -9.81))
    >>> bob = system.add_body("bob", mass=2.0, com=(0, 0, -1), parent=system.ground,
    ...                       hinge=ce.Revolute((0, 1, 0)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in ce.export_c(ce.compile(system), folder)]
    ['pendulum.h', 'pendulum.c', 'example.c', 'CMakeLists.txt']
    """
    checks.flag("export_c: derivatives", derivatives)
    interface = Interface(model, name, y0)
    name = interface.name
    texts = {
        f"{name}.h": header(interface, derivatives),
        f"{name}.c": source(interface, derivatives),
        **{what: template(what, name) for what in ("example.c", "CMakeLists.txt")},
    }
    return write_texts(path_of("export_c: folder", folder, ModelError), texts)


def template(what: str, name: str) -> str:
    """Return a file of `sources` with the name filled in."""
    text = (SOURCES / what).read_text("utf-8")
    return text.replace("@NAME@", name).replace("@UPPER@", name.upper())


def write_texts(folder: Path, texts: dict[str, str]) -> list[Path]:
    """Return files with these texts in a folder.

    Raises
    ------
    ModelError
        If they cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            with replace_on_success(folder / name) as part:
                part.write_text(text, "utf-8")
    except OSError as error:
        raise ModelError(
            f"cannot write into {shown_path(folder)}: {error.strerror}; choose another folder"
        ) from None
    return [folder / name for name in texts]


def header(interface: Interface, derivatives: bool) -> str:
    """Return the declarations, with names and units of all numbers."""
    name, model = interface.name, interface.model
    counts = {
        "STATES": len(interface.states),
        "INPUTS": interface.n_inputs,
        "PARAMETERS": len(interface.given) - interface.n_inputs,
        "U": len(interface.given),
        "OUTPUTS": len(interface.outputs),
        "CLOSURES": len(model.system.closures),
    }
    lines = [
        f"/* {format_comment(model.system.name)}, written by ce-dynamics {__version__}.",
        " *",
        " * State y, inputs and free parameters u, and outputs: names, units and first values are tables.",
        " * All numbers are SI.  NaN in a result means that a loop cannot be assembled at the state.",
        " */",
        f"#ifndef {name.upper()}_H",
        f"#define {name.upper()}_H",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        "enum {",
        *(f"    {name.upper()}_{what} = {number}," for what, number in counts.items()),
        "};",
        "",
        *(
            f"extern const char *const {name}_{what}_{kind}[];"
            for what in ("state", "u", "output")
            for kind in ("names", "units")
        ),
        f"extern const double {name}_y0[];",
        f"extern const double {name}_u0[];",
        "",
        "/* The rate of the state. */",
        f"{prototype(interface.rate, f'{name}_rate')};",
        "",
        "/* Outputs, and how far every loop is open: rounding, unless a state is far out. */",
        f"{prototype(interface.observe, f'{name}_observe')};",
        "",
        "/* Loops may be followed on charts, which hold for a part of the way each: the same motion on fresh",
        " * ones, and how much of a chart is worn, 0 without any.  It is to be left beyond this number. */",
        f"{prototype(interface.renew, f'{name}_renew')};",
        f"extern const double {name}_worn;",
        "",
        "/* One step of the classical Runge-Kutta method with u held; 0, or -1 with y left as it is where",
        " * the result would not be finite.  Worn charts are left before.  No controller samples. */",
        f"int {name}_step(double y[], const double u[], double h);",
        "",
        "/* Sampled controllers look at whole multiples of so many seconds; 0 if there are none.  The state",
        " * after they have looked at y and u. */",
        f"extern const double {name}_period;",
        f"{prototype(interface.sample, f'{name}_sample')};",
        "",
        "/* From *t on for `length` seconds, in equal steps no longer than `longest` from sample to sample;",
        " * a sample that is due at *t is made, one at the end is left for the next call.  0, or -1 with y",
        " * and *t left where they were last finite. */",
        f"int {name}_advance(double y[], const double u[], double *t, double length, double longest);",
        "",
        "/* NULL, or why the code cannot be used with these values of the parameters. */",
        f"const char *{name}_refused(const double u[]);",
        "",
    ]
    if derivatives:
        lines += [
            "/* Derivatives of rates and outputs along a direction of y and u. */",
            f"{prototype(interface.direction, f'{name}_direction')};",
            "",
        ]
    return "\n".join([*lines, "#ifdef __cplusplus", "}", "#endif", "", "#endif", ""])


def source(interface: Interface, derivatives: bool) -> str:
    """Return the definitions."""
    name, layout = interface.name, interface.model.layout
    tables = [
        table(f"const char *const {name}_{what}_{kind}", (quote(getattr(entry, field)) for entry in entries))
        for what, entries in (
            ("state", interface.states),
            ("u", interface.given),
            ("output", interface.outputs),
        )
        for kind, field in (("names", "name"), ("units", "unit"))
    ]
    tables += [
        table(f"const double {name}_{what}", (literal(float(x)) for x in values))
        for what, values in (("y0", interface.y0), ("u0", layout.u0))
    ]
    tables += [
        f"const double {name}_{what} = {literal(number)};\n"
        for what, number in (("period", interface.period), ("worn", WORN))
    ]
    functions = {
        "rate": interface.rate,
        "observe": interface.observe,
        "sample": interface.sample,
        "renew": interface.renew,
    }
    if derivatives:
        functions["direction"] = interface.direction
    parts = [
        f'#include "{name}.h"\n\n#include <math.h>\n#include <stddef.h>\n',
        *tables,
        *(c_function(traced, f"{name}_{what}") for what, traced in functions.items()),
        template("step.c", name),
        check_values_source(interface),
    ]
    return "\n".join(parts)


def check_values_source(interface: Interface) -> str:
    """Return the function that checks values of the parameters."""
    name, reasons = interface.name, interface.refusals
    head = f"const char *{name}_refused(const double u[])\n{{"
    finite = [
        "    int k;",
        f"    for (k = 0; k < {len(interface.given)}; ++k)",
        "        if (!(u[k] - u[k] == 0.0))",
        '            return "an input or parameter is not finite";',
    ]
    if not interface.given:
        return "\n".join([head, "    (void)u;", "    return NULL;", "}", ""])
    if not reasons:
        return "\n".join([head, *finite, "    return NULL;", "}", ""])
    return "\n".join(
        [
            c_function(interface.guards, f"{name}_kept").replace("void ", "static void ", 1),
            table(f"static const char *const {name}_reasons", map(quote, reasons)),
            head,
            f"    double kept[{len(reasons)}];",
            *finite,
            f"    {name}_kept(u, kept);",
            f"    for (k = 0; k < {len(reasons)}; ++k)",
            "        if (kept[k] == 0.0)",
            f"            return {name}_reasons[k];",
            "    return NULL;",
            "}",
            "",
        ]
    )


def table(head: str, entries: Iterable[str]) -> str:
    """Return an array; an empty one gets an unused entry, because C has no empty arrays."""
    listed: Sequence[str] = list(entries) or ["0"]
    return "\n".join([f"{head}[] = {{", *(f"    {entry}," for entry in listed), "};", ""])


def quote(text: str) -> str:
    """Return a string literal of C in UTF-8."""
    escaped = "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\?' else f"\\{byte:03o}"
        for byte in text.encode("utf-8")
    )
    return f'"{escaped}"'


def format_comment(text: str) -> str:
    """Return a text that is safe inside a comment of C."""
    return " ".join(text.split()).replace("*/", "* /")
