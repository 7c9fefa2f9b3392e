"""Making a batch of a study: what is stored of its runs, and what is kept for statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.mechanism.signals import Excess
from ce_dynamics.simulation.ensembles.arguments import EnsembleOptions
from ce_dynamics.simulation.ensembles.lane_functions import Progress, make
from ce_dynamics.simulation.ensembles.records import CLOSURE_ERROR, Records
from ce_dynamics.simulation.studies.plan import BatchPart
from ce_dynamics.simulation.studies.statistics import partial

NOT_MADE, COMPLETED, FAILED = range(3)
"""Status of a run in the file."""


class StudyBatch(NamedTuple):
    """Runs that need no repetition.

    Attributes
    ----------
    first : int
        Number of the first run.
    values : dict of str to (runs, time, ...) array
        Of the variables that are stored.
    parameters : dict of str to (runs, ...) array
    status : (runs,) int8 array
        `COMPLETED` or `FAILED`.
    failure : list of str
        Why, or empty.
    time_reached, steps, evaluations : (runs,) arrays
    lowest, highest : dict of str to (runs, ...) array
        Extremes of each run over its time.
    partial : dict of str to array
        For statistics over runs, see `ce_dynamics.simulation.studies.statistics.partial`.
    excesses : list of (int, Excess)
        Of every input that a law set out of its range the value furthest out, with its run.
    """

    first: int
    values: dict[str, Floats]
    parameters: dict[str, Floats]
    status: NDArray[np.int8]
    failure: list[str]
    time_reached: Floats
    steps: NDArray[np.int64]
    evaluations: NDArray[np.int64]
    lowest: dict[str, Floats]
    highest: dict[str, Floats]
    partial: dict[str, Floats]
    excesses: list[tuple[int, Excess]]


class StudyTask(NamedTuple):
    """Data shared by all batches of a study.

    Attributes
    ----------
    model : Model
    options : EnsembleOptions
        Options that keep all variables for storage or statistics.
    kept, statistics : tuple of str
        Variables to store, and variables for statistics.
    """

    model: Model
    options: EnsembleOptions
    kept: Sequence[str]
    statistics: Sequence[str]


def make_batch(task: StudyTask, part: BatchPart, report: Progress | None = None) -> StudyBatch | None:
    """Make the runs of a part; None if it was interrupted."""
    runs = part.runs(task.model)
    records, whole = make(task.model, runs, task.options, report or (lambda done, total: None))
    return batch_of(task, part.first, records) if whole else None


def columns_of(records: Records) -> Mapping[str, Floats]:
    """Return all values over runs and time, by name."""
    closures = {} if records.closures is None else {CLOSURE_ERROR: records.closures}
    return {**records.values, **closures}


def batch_of(task: StudyTask, first: int, records: Records) -> StudyBatch:
    """Return a batch, of the records of its runs."""
    columns = columns_of(records)
    names = [entry.name for entry in task.model.layout.u]
    failure = [str(text) for text in records.failure]
    lowest, highest = {}, {}
    for name in task.statistics:
        fine = np.isfinite(columns[name])
        none = ~fine.any(axis=1)
        lowest[name] = np.where(none, np.nan, np.where(fine, columns[name], np.inf).min(axis=1))
        highest[name] = np.where(none, np.nan, np.where(fine, columns[name], -np.inf).max(axis=1))
    return StudyBatch(
        first,
        {name: columns[name] for name in task.kept},
        {v.name: records.runs.u[:, [names.index(entry) for entry in v.entries]] for v in records.parameters},
        np.array([FAILED if text else COMPLETED for text in failure], dtype=np.int8),
        failure,
        records.time_reached,
        records.steps,
        records.evaluations,
        lowest,
        highest,
        {name: partial(columns[name], first) for name in task.statistics},
        [(first + run, excess) for excess, run in records.worst_excesses()],
    )
