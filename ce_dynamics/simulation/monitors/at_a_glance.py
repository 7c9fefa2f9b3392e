"""Whether one pass over a run finds that some monitors have nothing to say of it.

It asks what they ask of runs whose every step was observed, all at once; where it does not answer that all is
well, they look themselves.
"""

from __future__ import annotations

from functools import partial

from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler.stored_rows.columns import Bounds
from ce_dynamics.compiler.stored_rows.glance import Glance
from ce_dynamics.simulation.monitors.approaches import ended_of, headings_of
from ce_dynamics.simulation.monitors.input_ranges import places_of
from ce_dynamics.simulation.monitors.monitor import Run
from ce_dynamics.simulation.monitors.promises import Promises
from ce_dynamics.simulation.monitors.reach import CLOSE


def nothing_to_say(run: Run) -> bool:
    """Whether `Jumps`, `Promises` and `InputRanges` have nothing to say of a run."""
    if run.trouble or run.steps_Y is not run.Y or len(run.t) < 2:
        return False
    glance = run.model.once("glance", partial(glance_of, run.model))
    if glance is None or run.Y.shape[1] != len(run.model.layout.y0):  # with the work done as a last state
        return False
    return glance.all_well(run.t, run.Y, run.U, *run.seen)


def glance_of(model: Model) -> Glance | None:
    """Of the runs of a model; None where no glance will do."""
    ended, promises = ended_of(model), Promises.of(model)
    if ended.known or not ended.apart:
        return None
    ranges = places_of(model)[1] if model.ranges else Bounds((), (), ())
    shapes = model.observation.output_shapes.values()
    widths = (len(model.layout.y0), len(model.layout.u), *(shape[0] for shape in shapes))
    bounds = promises.closed, promises.not_beyond, ranges, ended.calm
    return Glance(widths, bounds, headings_of(model) if ended.others else None, CLOSE)
