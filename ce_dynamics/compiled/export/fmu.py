"""A compiled model as a functional mock-up unit: one file for simulation tools on all platforms."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import tempfile
import zipfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.files import check_place, path_of, replace_on_success, shown_path
from ce_dynamics.compiled.export.c_source import header, quote, source, template, write_texts
from ce_dynamics.compiled.export.cross_compiler import (
    PLATFORMS,
    Compilers,
    build_library,
    require,
    universal,
)
from ce_dynamics.compiled.export.fmu_description import build_description, description, fmu_variables
from ce_dynamics.compiled.export.interface import Interface
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import ModelError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

VERSIONS = ("2.0", "3.0")
LONGEST_STEP = 1e3
"""Longest step of the method inside a step of co-simulation [s]; no mechanism needs longer ones."""

FOLDERS_OF_FMI_2 = {"x86_64-linux": "linux64", "x86_64-windows": "win64"}
"""Others keep the names of FMI 3.0, and both of macOS share a universal library in darwin64."""


def export_fmu(
    model: Model,
    path: str | Path,
    *,
    fmi: str = "3.0",
    step: float = 1e-3,
    platforms: Iterable[str] = tuple(PLATFORMS),
    name: str | None = None,
    y0: ArrayLike | None = None,
    sources: bool = False,
) -> Path:
    """Write a model as an FMU for model exchange and co-simulation.

    Parameters
    ----------
    model : Model
    path : str or Path
        File to write; replaced if there is one.
    fmi : {"3.0", "2.0"}
        Version of the Functional Mock-up Interface.
    step : float
        Longest step of the Runge–Kutta method inside a step of co-simulation [s]: start value of the
        parameter ``longest_step``.
    platforms : iterable of str
        For which to compile; all by default, from any of them: "x86_64-linux", "aarch64-linux",
        "x86_64-windows", "x86_64-darwin", "aarch64-darwin".
    name : str, optional
        Model identifier; derived from the system's name if not given.
    y0 : array_like, optional
        State to start from; that of the model if not given.
    sources : bool
        Whether to include the C code.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ModelError
        If an argument is wrong, a loop is followed on charts, the extra ``fmi`` is not installed, or the file
        cannot be written.

    Notes
    -----
    States, inputs, free parameters and outputs have the names and units of the model; rates are
    ``der(name)``, and ``closure_error`` is the largest error of a loop.  States are saved, restored and
    serialised as a whole, directional derivatives are exact.  The memory of sampled controllers is discrete
    variables; they sample at multiples of their period: inside steps of co-simulation, and at time events
    of model exchange.  Loops on charts move to fresh charts in steps of
    co-simulation, and at state events of model exchange.  There are no other events: if a loop cannot be
    assembled, or a force element exceeds a limit (a wheel leaves its road), a call is discarded
    with a message, and the instance stays at the last valid time; model exchange requests termination.
    """
    path = path_of("export_fmu: path", path, ModelError)
    checks.choice("export_fmu: fmi", fmi, VERSIONS)
    step = checks.number("export_fmu: step", step, above=0.0, at_most=LONGEST_STEP, unit="s")
    chosen = list(dict.fromkeys(checks.texts("export_fmu: platforms", platforms)))
    unknown = [p for p in chosen if p not in PLATFORMS]
    if unknown or not chosen:
        raise ModelError(f"export_fmu: platforms {chosen} must be some of {list(PLATFORMS)}")
    checks.flag("export_fmu: sources", sources)
    require("ziglang", "fmpy")
    check_place(path, ModelError)
    interface = Interface(model, name, y0)
    with tempfile.TemporaryDirectory(prefix="fmu-") as scratch:
        texts, token = source_texts(interface, fmi, step)
        code = write_texts(Path(scratch), texts)
        libraries = compile_libraries(interface.name, code, fmi, chosen)
        inside = [c.name for c in code if c.suffix == ".c"] if sources else []
        variables = fmu_variables(interface, step)
        members = {"modelDescription.xml": description(fmi, interface, variables, token, step, inside)}
        members |= libraries
        if sources:
            members |= {f"sources/{c.name}": c.read_bytes() for c in code}
            members |= {f"sources/{h.name}": h.read_bytes() for h in headers().glob(f"fmi{fmi[0]}*.h")}
            if fmi == "3.0":
                members["sources/buildDescription.xml"] = build_description(interface, inside)
        write_archive(path, members)
    return path


def source_texts(interface: Interface, fmi: str, step: float) -> tuple[dict[str, str], str]:
    """Return the C files of an FMU by their names, and a token derived from their content."""
    name = interface.name
    texts = {f"{name}.h": header(interface, True), f"{name}.c": source(interface, True)}
    tables = {
        "PLACES": map(str, interface.continuous),
        "LIMITS": map(str, interface.limits),
        "BEYOND": map(quote, interface.limits.values()),
    }
    values = {
        "SHARED": template("fmi.c", name, FMI=f"fmi{fmi[0]}"),
        "STEP": repr(step),
        "CONTINUOUS": len(interface.continuous),
        "INDICATORS": int(interface.has_charts),
        "LIMITED": len(interface.limits),
        **{place: ", ".join(listed) or "0" for place, listed in tables.items()},
    }
    texts |= {file: template(file, name, **values) for file in ("instance.h", "instance.c", f"fmi{fmi[0]}.c")}
    token = hashlib.sha256("".join(texts.values()).encode()).hexdigest()[:32]
    return {file: text.replace("@TOKEN@", token) for file, text in texts.items()}, token


def compile_libraries(
    name: str, code: Sequence[Path], fmi: str, platforms: Sequence[str]
) -> dict[str, bytes]:
    """Return libraries by their place in the archive."""
    folder = code[0].parent
    files = [c for c in code if c.suffix == ".c"]

    def library(platform: str) -> bytes:
        result = folder / f"{name}-{platform}{PLATFORMS[platform].suffix}"
        build_library(compilers, files, [headers(), folder], platform, result)
        return result.read_bytes()

    with ThreadPoolExecutor(os.cpu_count()) as pool, Compilers() as compilers:
        libraries = dict(zip(platforms, pool.map(library, platforms), strict=True))
    if fmi == "3.0":
        return {f"binaries/{p}/{name}{PLATFORMS[p].suffix}": code for p, code in libraries.items()}
    apple = [code for p, code in libraries.items() if p.endswith("darwin")]
    members = {
        f"binaries/{FOLDERS_OF_FMI_2.get(p, p)}/{name}{PLATFORMS[p].suffix}": code
        for p, code in libraries.items()
        if not p.endswith("darwin")
    }
    if apple:
        members[f"binaries/darwin64/{name}.dylib"] = universal(apple)
    return members


def headers() -> Path:
    """Return the folder of the headers of the FMI standard in FMPy."""
    found = importlib.util.find_spec("fmpy")
    assert found is not None, "asked for before"
    return Path(str(found.origin)).parent / "c-code"


def write_archive(path: Path, members: dict[str, bytes]) -> None:
    """Write a zip file, completely or not at all, with the same bytes for the same members."""
    try:
        with replace_on_success(path) as part, zipfile.ZipFile(part, "w") as archive:
            for name, content in members.items():
                archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    except OSError as error:
        raise ModelError(f"cannot write {shown_path(path)}: {error.strerror}; choose another file") from None
