"""Plan of a study: all data that determine the results, and the division into batches."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics._version import __version__
from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import ModelError
from ce_dynamics.simulation.ensembles.arguments import (
    Controls,
    EnsembleOptions,
    HeldInputs,
    Runs,
    as_histories,
    number_of_runs,
    numbers,
    spread,
)
from ce_dynamics.simulation.ensembles.lane_functions import trace_law
from ce_dynamics.simulation.ensembles.records import CLOSURE_ERROR, Records
from ce_dynamics.simulation.ensembles.simulation import check_room
from ce_dynamics.simulation.options import list_times

MOST_OF_A_BATCH = 1024  # runs
LEAST_OF_A_BATCH = 64  # runs: enough for some threads with eight lanes each
BATCH_BYTES = 64 * 2**20  # results that a batch should not exceed


class BatchPart(NamedTuple):
    """Initial data of the runs of a batch: arguments of `spread`, and number of the first run."""

    first: int
    y0s: Floats
    parameters: Mapping[str, Floats]
    controls: Controls

    def runs(self, model: Model) -> Runs:
        return spread(model, self.y0s, self.parameters, self.controls)


class Plan:
    """A study: runs as of `ce_dynamics.simulate_ensemble`, ``batch`` of which are made and stored together.

    ``options.keep`` names the variables that are stored of every run.
    """

    def __init__(
        self,
        model: Model,
        y0s: ArrayLike | None,
        parameters: Mapping[str, ArrayLike] | None,
        controls: Controls,
        options: EnsembleOptions,
        statistics: Sequence[str],
        batch: int | None,
    ) -> None:
        most = options if options.keep is None else replace(options, keep=(*options.keep, *statistics))
        check_room(
            model, LEAST_OF_A_BATCH if batch is None else checks.integer("batch", batch, at_least=1), most
        )
        self.model, self.t = model, list_times(options.duration, options.interval)
        self.y0s = model.y0 if y0s is None else numbers("y0s", y0s)
        given = checks.mapping("parameters", {} if parameters is None else parameters)
        self.parameters = {name: numbers(name, value) for name, value in given.items()}
        self.controlled, self.histories = as_histories(controls)
        self.number = number_of_runs(self.y0s, self.parameters, self.histories)
        records = self._records(options, None)
        hinges = [v.name for v in records.dependent]
        allowed = [*(v.name for v in records.variables), *hinges]
        allowed += [CLOSURE_ERROR] if model.system.closures else []
        kept = allowed if options.keep is None else [*options.keep, *hinges]
        self.kept = tuple(dict.fromkeys(kept))
        self.statistics = tuple(dict.fromkeys(statistics))
        for name in self.statistics:
            if name not in allowed:
                raise ModelError(f"no variable {name!r} to make statistics of; there are {allowed}")
        self.options = replace(options, keep=tuple(dict.fromkeys((*self.kept, *self.statistics))))
        self.records = self._records(self.options, self.options.keep)
        self.batch = self.suitable_batch() if batch is None else batch
        self.batches = -(-self.number // self.batch)

    def _records(self, options: EnsembleOptions, keep: Sequence[str] | None) -> Records:
        """Return the records of the first run, for names and shapes; refuse errors common to all runs."""
        return Records(self.model, self.part_of(0, 1).runs(self.model), self.t, keep, options.hinges)

    @property
    def bytes_per_run(self) -> int:
        """Memory of the stored variables of a run [bytes]."""
        columns = sum(len(v.entries) for v in (*self.records.variables, *self.records.dependent))
        columns += 0 if self.records.closures is None else len(self.model.system.closures)
        return 8 * len(self.t) * max(columns, 1)

    def suitable_batch(self) -> int:
        """Return runs of a batch: many, for as long as their results take little memory."""
        return min(max(BATCH_BYTES // self.bytes_per_run, LEAST_OF_A_BATCH), MOST_OF_A_BATCH)

    def part(self, k: int) -> BatchPart:
        return self.part_of(k * self.batch, min((k + 1) * self.batch, self.number))

    def part_of(self, first: int, last: int) -> BatchPart:
        """Return runs from one number up to another."""
        y0s = self.y0s[first:last] if self.y0s.ndim == 2 else self.y0s
        given = {k: v[first:last] if v.ndim == 1 else v for k, v in self.parameters.items()}
        values = {k: v[first:last] if v.ndim == 2 else v for k, v in self.histories.items()}
        controls = HeldInputs(self.controlled, values) if len(self.controlled) else None
        if y0s.ndim == 1 and not any(v.ndim == 1 for v in given.values()):
            y0s = np.tile(y0s, (last - first, 1))  # at least one argument determines their number
        return BatchPart(first, y0s, given, controls)

    @cached_property
    def digests(self) -> dict[str, str]:
        """All that determines the numbers, as it is or hashed, by name; the same in every process."""
        model, options, settings = self.model, self.options, self.options.settings
        given = {*self.parameters, *self.histories}
        left = [
            (e.name, u) for e, u in zip(model.layout.u, model.u0.tolist(), strict=True) if e.name not in given
        ]
        return {
            "version": __version__,
            "model": self._digest_of_model(),
            "defaults of inputs and parameters": digest_of(repr(left), []),
            "inputs": "none" if options.inputs is None else str(trace_law(model, options.inputs).digest()),
            "y0s": digest_of(str(self.number), [self.y0s]),
            "parameters": digest_of(repr([*self.parameters]), self.parameters.values()),
            "controls": digest_of(repr([*self.histories]), [self.controlled, *self.histories.values()]),
            **{name: str(value) for name, value in settings._asdict().items()},
            "precision": "single" if options.single else "double",
            "duration": str(options.duration),
            "interval": str(options.interval),
            "keep": ", ".join(self.kept),
            "statistics": ", ".join(self.statistics),
            "batch": str(self.batch),
        }

    def _digest_of_model(self) -> str:
        """Return the digest of the functions, names and limits of the model."""
        model = self.model
        functions = [model.dynamics.traced, model.observation.traced]
        functions += [model.sample.traced] if model.layout.sampling.period else []
        limited = [(element.name, list(element.limits)) for element in model.system.forces]
        described = (
            [function.digest() for function in functions],
            [(entry.name, entry.unit) for entry in model.entries],
            [loop.name for loop in model.system.closures],
            [(name, list(members)) for name, members in model.system.groups.items()],
            [(name, [float(end) for end in ends]) for name, ends in model.ranges.items()],
            model.layout.sampling.period,
            limited,
        )
        return digest_of(repr(described), [model.closure_limits])


def digest_of(text: str, arrays: Iterable[Floats]) -> str:
    """Return the hash of a text and of arrays, piece by piece: they may be on disk."""
    h = hashlib.sha256(text.encode())
    for values in arrays:
        h.update(repr(values.shape).encode())
        rows = max(1, 2**20 // max(1, values[:1].nbytes)) if values.ndim else 1
        for k in range(0, len(values) if values.ndim else 1, rows):
            piece = values[k : k + rows] if values.ndim else values
            h.update(np.ascontiguousarray(piece, dtype="<f8").tobytes())
    return h.hexdigest()
