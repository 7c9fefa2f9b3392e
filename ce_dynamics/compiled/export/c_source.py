"""A compiled model as C99 without dependencies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from ce_dynamics._version import __version__
from ce_dynamics.algebra import checks
from ce_dynamics.algebra.files import path_of, replace_on_success, shown_path
from ce_dynamics.compiled.export.interface import Interface
from ce_dynamics.compiled.integration_methods import RK4
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import TracedFunction
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


def template(what: str, name: str, **values: object) -> str:
    """Return a file of `sources` with the name and other values filled in."""
    text = (SOURCES / what).read_text("utf-8")
    for place, value in {"NAME": name, "UPPER": name.upper(), **values}.items():
        text = text.replace(f"@{place}@", str(value))
    return text


def write_texts(folder: Path, texts: dict[str, str]) -> list[Path]:
    """Return files with these texts in a folder."""
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


def functions_of(interface: Interface, derivatives: bool) -> dict[str, TracedFunction]:
    """Return the traced functions by the ends of their names."""
    names = ("rate", "observe", "sample", "renew", *(("direction",) if derivatives else ()))
    return {name: getattr(interface, name) for name in names}


def header(interface: Interface, derivatives: bool) -> str:
    """Return the declarations, with names and units of all numbers."""
    name, model = interface.name, interface.model
    functions = functions_of(interface, derivatives)
    text = template(
        "model.h",
        name,
        STATES=len(interface.states),
        INPUTS=interface.n_inputs,
        PARAMETERS=len(interface.given) - interface.n_inputs,
        U=len(interface.given),
        OUTPUTS=len(interface.outputs),
        CLOSURES=len(model.system.closures),
        VERSION=__version__,
        **{what: prototype(traced, f"{name}_{what}") for what, traced in functions.items()},
        TITLE=format_comment(model.system.name),
    )
    return text if derivatives else re.sub(r"/\*[^/]*\*/\n@direction@;\n\n", "", text)


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
    parts = [
        f'#include "{name}.h"\n\n#include <math.h>\n#include <stddef.h>\n',
        *tables,
        *(
            c_function(traced, f"{name}_{what}")
            for what, traced in functions_of(interface, derivatives).items()
        ),
        template("step.c", name, EVALUATIONS=RK4.evaluations, STAGES=format_stages(name)),
        check_values_source(interface),
    ]
    return "\n".join(parts)


def format_stages(name: str) -> str:
    """Return the stages of a step, summed in the order of the compiled loops."""
    sums = [" + ".join(f"{w} * rates[{j}][k]" for j, w in enumerate(row) if w) for row in (*RK4.A[1:], RK4.b)]
    return "\n".join(
        f"    {name}_rate({'ahead' if s else 'start'}, u, rates[{s}]);\n"
        f"    for (k = 0; k < {name.upper()}_STATES; ++k)\n"
        f"        ahead[k] = start[k] + {f'h / {RK4.over}' if s + 1 == len(sums) else 'h'} * ({total});"
        for s, total in enumerate(sums)
    )


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
