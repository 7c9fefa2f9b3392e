"""The file of a study: NetCDF-4 whose every number has its place from the beginning.

Its variables are laid out, and filled with NaN, when it is made: nothing of HDF5's own structure changes
after that, and the disk is known to suffice.  Results are then written into their places as plain bytes.  So
the file may be read at any time, and a process that is killed cannot damage it.  A batch counts
from the moment its mark is written, which is after all its results have reached the disk; a run counts by its
``status``.

==================  ====================================================================================
in the file
==================  ====================================================================================
(root)              variables over ``run`` and ``time``; parameters, ``status``, ``failure``,
                    ``time_reached``, ``steps``, ``evaluations`` over ``run``
``over_time/``      ``<variable>_lowest``, ``<variable>_highest`` of each run
``batches/``        ``made``, and per variable what statistics are merged from, see
                    `ce_dynamics.simulation.studies.statistics`
==================  ====================================================================================
"""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics._version import __version__
from ce_dynamics.algebra.files import clear, replace_on_success, shown_path
from ce_dynamics.compiled.variables import Variable
from ce_dynamics.errors import ModelError
from ce_dynamics.simulation.ensembles.lane_functions import describe_integration
from ce_dynamics.simulation.ensembles.records import CLOSURE_ERROR
from ce_dynamics.simulation.studies.batch import COMPLETED, FAILED, NOT_MADE, StudyBatch
from ce_dynamics.simulation.studies.plan import Plan
from ce_dynamics.simulation.studies.statistics import ROWS

LONGEST_FAILURE = 480  # bytes of a run's failure; longer ones end with an ellipsis
MADE = "batches/made"
DIGEST = "study_digest"  # attribute that identifies a study


class VariablePlace(NamedTuple):
    """Place of a variable in the file: offset [bytes], type, and numbers per row."""

    offset: int
    dtype: np.dtype[Any]
    row: int


class Laid(NamedTuple):
    """A variable to be laid out."""

    dims: tuple[str, ...]
    dtype: str
    attrs: Mapping[str, Any]


def layout(plan: Plan) -> tuple[dict[str, int], dict[str, Laid]]:
    """Return dimensions and variables of a study's file."""
    system = plan.model.system
    sizes = {
        "run": plan.number,
        "time": len(plan.t),
        "failure_length": LONGEST_FAILURE,
        "batch": plan.batches,
        "kept": ROWS,
    }
    variables = {v.name: v for v in (*plan.records.variables, *plan.records.dependent)}
    shared = [v.dimension for v in (*variables.values(), *plan.records.parameters) if v.dimension]
    sizes |= {name: len(system.groups[name]) for name in dict.fromkeys(shared)}
    if CLOSURE_ERROR in (*plan.kept, *plan.statistics):
        sizes["closure"] = len(system.closures)
        variables[CLOSURE_ERROR] = Variable(CLOSURE_ERROR, "m", "closure", ())

    def over(variable: Variable, *dims: str) -> tuple[str, ...]:
        return (*dims, variable.dimension) if variable.dimension else dims

    laid = {
        name: Laid(over(variables[name], "run", "time"), "f8", {"units": variables[name].unit})
        for name in plan.kept
    }
    laid |= {v.name: Laid(over(v, "run"), "f8", {"units": v.unit}) for v in plan.records.parameters}
    flags = np.array((NOT_MADE, COMPLETED, FAILED), dtype="i1")
    laid |= {
        "status": Laid(("run",), "i1", {"flag_values": flags, "flag_meanings": "not_made completed failed"}),
        "failure": Laid(("run", "failure_length"), "S1", {"_Encoding": "utf-8"}),
        "time_reached": Laid(("run",), "f8", {"units": "s"}),
        "steps": Laid(("run",), "i8", {}),
        "evaluations": Laid(("run",), "i8", {}),
        MADE: Laid(("batch",), "i1", {"long_name": "whether a batch is stored"}),
    }
    for name in plan.statistics:
        variable = variables[name]
        for extreme in ("lowest", "highest"):
            about = {"units": variable.unit, "long_name": f"{extreme} {name} of the run"}
            laid[f"over_time/{name}_{extreme}"] = Laid(over(variable, "run"), "f8", about)
        about = {"long_name": f"what statistics of {name} are merged from"}
        laid[f"batches/{name}"] = Laid(over(variable, "batch", "kept", "time"), "f8", about)
    return sizes, laid


def create(plan: Plan, path: Path) -> None:
    """Make the file, all its places empty; no other process does so meanwhile."""
    import h5netcdf  # here, because these load slowly
    import h5py

    sizes, laid = layout(plan)
    size = float(
        sum(np.dtype(v.dtype).itemsize * np.prod([float(sizes[d]) for d in v.dims]) for v in laid.values())
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        clear(path)
        free = shutil.disk_usage(path.parent).free
        if size > free:
            raise ModelError(
                f"the study would take {size / 2**30:.3g} GiB in {shown_path(path)}, {free / 2**30:.3g} GiB "
                "are free; store fewer instants (interval) or fewer variables (keep), or choose another disk"
            )
        with replace_on_success(path) as temporary:
            content = io.BytesIO()  # HDF5 crashes where the disk is full; without places, this is small
            with h5netcdf.File(content, "w") as file:
                file.dimensions = sizes
                for name, (dims, dtype, attrs) in laid.items():
                    empty = {"fillvalue": np.nan} if dtype == "f8" else {}
                    file.create_variable(f"/{name}", dims, dtype, **empty).attrs.update(attrs)
                system = plan.model.system
                file.create_variable("time", ("time",), "f8", data=plan.t).attrs["units"] = "s"
                names = {d: list(system.groups[d]) for d in sizes if d in system.groups}
                if "closure" in sizes:
                    names["closure"] = [loop.name for loop in system.closures]
                for dimension, members in names.items():
                    texts = np.array(members, dtype=object)
                    file.create_variable(dimension, (dimension,), h5py.string_dtype(), data=texts)
                file.attrs.update(attributes_of(plan))
            temporary.write_bytes(content.getbuffer())
            reserve(temporary, int(size) + 2 * len(content.getbuffer()))  # whose parts are written once more
            with h5py.File(temporary, "r+") as file:  # takes the room of every variable, and fills it
                for name in laid:
                    variable = file[name]
                    first = (0,) * variable.ndim
                    variable[first] = variable[first]
    except OSError as error:
        raise ModelError(f"cannot make {shown_path(path)}: {error.strerror or error}") from None


def reserve(path: Path, size: int) -> None:
    """Take the room of a file on the disk, where the system can, so that later writing does not fail."""
    if hasattr(os, "posix_fallocate"):
        with path.open("r+b") as file:
            os.posix_fallocate(file.fileno(), 0, size)


def attributes_of(plan: Plan) -> dict[str, Any]:
    """Return the attributes of the file."""
    return {
        DIGEST: json.dumps(plan.digests),
        "title": f"study of {plan.model.system.name}: {plan.number} runs",
        "source": f"ce-dynamics {__version__}",
        "system": plan.model.system.name,
        "duration": float(plan.options.duration),
        "batch": plan.batch,
        "told": " ".join(plan.statistics),
        **describe_integration(plan.options.settings),
    }


class StudyFile:
    """A study's file, to write into the places of its variables."""

    def __init__(self, path: Path, names: Iterator[str]) -> None:
        import h5py  # here, because it loads slowly

        self.path = path
        self._places: dict[str, VariablePlace] = {}
        with h5py.File(path, "r") as file:
            for name in names:
                data = file[name]
                row = int(np.prod(data.shape[1:], dtype=int))
                self._places[name] = VariablePlace(data.id.get_offset(), data.dtype, row)
            self.made: NDArray[np.int8] = file[MADE][:]
        self._file = path.open("r+b", buffering=0)

    def add(self, k: int, batch: StudyBatch) -> None:
        """Keep batch k: results first, then its mark."""
        for name, values in {**batch.values, **batch.parameters}.items():
            self._write(name, batch.first, values)
        for extremes, ending in ((batch.lowest, "lowest"), (batch.highest, "highest")):
            for name, values in extremes.items():
                self._write(f"over_time/{name}_{ending}", batch.first, values)
        for name in ("time_reached", "steps", "evaluations"):
            self._write(name, batch.first, getattr(batch, name))
        texts = np.array([fitting(text) for text in batch.failure], dtype=f"S{LONGEST_FAILURE}")
        self._write("failure", batch.first, texts.view("S1"))
        for name, values in batch.partial.items():
            self._write(f"batches/{name}", k, values)
        os.fsync(self._file.fileno())
        self._write("status", batch.first, batch.status)
        self._write(MADE, k, np.ones(1))
        os.fsync(self._file.fileno())
        self.made[k] = 1

    def _write(self, name: str, row: int, values: NDArray[Any]) -> None:
        place = self._places[name]
        content = memoryview(np.ascontiguousarray(values, dtype=place.dtype).data).cast("B")
        self._file.seek(place.offset + row * place.row * place.dtype.itemsize)
        while content:
            content = content[self._file.write(content) :]

    def close(self) -> None:
        self._file.close()


def fitting(text: str) -> bytes:
    """Return a text in at most so many bytes, cut where it is longer."""
    content = text.encode()
    if len(content) <= LONGEST_FAILURE:
        return content
    return content[: LONGEST_FAILURE - 3].decode(errors="ignore").encode() + "…".encode()


def digests_of(path: Path) -> dict[str, str]:
    """Return the digests, by name, that identify the study in a file."""
    import h5py  # here, because it loads slowly

    try:
        if not path.is_file():  # a pipe would wait for a writer
            raise KeyError(path)
        with h5py.File(path, "r") as file:
            digests = json.loads(file.attrs[DIGEST])
            return {str(name): str(value) for name, value in digests.items()}
    except (OSError, KeyError, ValueError, AttributeError):
        raise ModelError(
            f"{shown_path(path)} holds no study; choose another file, or remove this one"
        ) from None
