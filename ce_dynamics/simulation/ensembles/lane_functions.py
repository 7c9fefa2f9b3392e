"""Runs of an ensemble: functions compiled for lanes, and threads that share the runs."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from queue import SimpleQueue
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.input_laws import InputLaw
from ce_dynamics.compiled.integration_methods import EMBEDDED, FIXED, IMPLICIT
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import CompiledFunction, TracedFunction, compile_function, trace
from ce_dynamics.compiler.progress import log_work
from ce_dynamics.compiler.tracing.inline import with_entries
from ce_dynamics.embedding.numeric.substeps import single_precision_tolerances
from ce_dynamics.embedding.whole_loop import chart_of
from ce_dynamics.errors import ModelError
from ce_dynamics.simulation.ensembles.arguments import EnsembleOptions, Runs
from ce_dynamics.simulation.ensembles.records import Records
from ce_dynamics.simulation.integrators.settings import Settings
from ce_dynamics.simulation.integrators.workspace import Code, StopSign
from ce_dynamics.simulation.monitors.charts import Charts
from ce_dynamics.simulation.options import list_times

if TYPE_CHECKING:
    from ce_dynamics.compiler.derivatives.compiled import CompiledJacobian
    from ce_dynamics.simulation.ensembles.lanes import LaneChecks, Lanes

Progress = Callable[[int, int], None]  # callback with the number of completed runs and of all runs

BETWEEN_REPORTS = 0.05
"""Time between reports [s].  Each report takes the interpreter from a thread that computes."""


def make(model: Model, runs: Runs, options: EnsembleOptions, report: Progress) -> tuple[Records, bool]:
    """Make runs; return their records, and False if they were interrupted."""
    records = Records(
        model, runs, list_times(options.duration, options.interval), options.keep, options.hinges
    )
    observed = records.observed
    implicit = options.settings.method in IMPLICIT
    code = compile_lanes(
        model, options.inputs, options.width(runs.number), observed, options.single, implicit
    )
    if options.single:
        check_single(model, runs, code)
    with log_work(f"integrating {runs.number} runs of {model.system.name!r} by {options.settings.method}"):
        whole = march_all(code, options.settings, runs, records, options.workers, report)
    records.clear_missing()
    records.find_hinges()
    records.explain(options.settings)
    return records, whole


def check_single(model: Model, runs: Runs, code: Code) -> None:
    """Reject single precision if it finds no accelerations at the first start but double precision does."""
    run = next((k for k, reason in enumerate(runs.refused) if not reason), None)
    if run is None:
        return
    y, u = runs.y0[run], runs.inputs_at(run, 0.0)
    assert code.dynamics is not None, "steps call it"
    lanes = code.dynamics.lanes
    (rates,) = code.dynamics(*(np.repeat(part[:, np.newaxis], lanes, axis=1) for part in (y, u)))
    if np.all(np.isfinite(rates)) or not np.all(np.isfinite(model.dynamics(y, u)[0])):
        return
    numeric = solved_by_iteration(model)
    because = f": loops that are solved by iteration ({', '.join(numeric)}) take more digits than it has"
    raise ModelError(
        f"precision 'single' finds no accelerations of {model.system.name!r}{because if numeric else ''}; "
        "give precision='double'"
    )


def compile_lanes(
    model: Model,
    law: InputLaw | None,
    lanes: int,
    observed: frozenset[int] | None,
    single: bool = False,
    implicit: bool = False,
) -> Code:
    """Compile the functions of a model for several lanes, with the observed outputs only.

    Observations are computed in double precision, at most eight lanes at a time, even if runs are in single.
    """
    if lanes not in (2, 4, 8, 16):
        raise ModelError(f"lanes {lanes!r}: allowed are 2, 4, 8 and 16")
    period, kept = model.layout.sampling.period, _kept.setdefault(model, {})
    charts = Charts(model)

    def function(
        name: str, traced: Callable[[], TracedFunction], width: int, narrow: bool
    ) -> CompiledFunction:
        """Return the compiled function; a new control law is compiled again."""
        seen = observed if name == "observation" else None
        key, about = (name, width, narrow, seen), law if name == "control" else None
        if key not in kept or kept[key][0] is not about:
            kept[key] = about, compile_function(traced(), width, single=narrow)
        return kept[key][1]

    def rates(narrow: bool) -> TracedFunction:
        return rates_in_single_precision(model) if narrow else model.dynamics.traced

    def jacobian(width: int, narrow: bool) -> CompiledJacobian:
        """Return the compiled Jacobian of ẏ with respect to y."""
        from ce_dynamics.compiler.derivatives.compiled import compile_jacobian  # here, because few need it

        made = _jacobians.setdefault(model, {})
        if (width, narrow) not in made:
            made[width, narrow] = compile_jacobian(rates(narrow), "y_dot", "y", width, narrow)
        return made[width, narrow]

    def observation() -> TracedFunction:
        return with_entries(model.observation.traced, "outputs", observed or ())

    def code(width: int, narrow: bool, steps: bool, sees: bool, observer: Code | None = None) -> Code:
        return Code(
            function("dynamics", lambda: rates(narrow), width, narrow) if steps else None,
            None if law is None else function("control", lambda: trace_law(model, law), width, narrow),
            function("observation", observation, width, False) if sees else None,
            function("sample", lambda: model.sample.traced, width, False) if steps and period else None,
            period,
            observer,
            jacobian(width, narrow) if steps and implicit else None,
            charts or None,
        )

    if not single or observed is None:
        return code(lanes, single, True, observed is not None)
    return code(lanes, True, True, False, code(min(lanes, 8), False, False, True))


def rates_in_single_precision(model: Model) -> TracedFunction:
    """Trace the right-hand side; iterated loops count as closed at the precision of single numbers."""
    if not solved_by_iteration(model):
        return model.dynamics.traced
    with single_precision_tolerances():
        return model.trace_dynamics()


def solved_by_iteration(model: Model) -> list[str]:
    """Return the names of the loops without a closed form."""
    found = model.embedding.aggregates
    return [S.name for S in found if chart_of(S) or any(x.why_numeric for x in S.linkages)]


_Key = tuple[str, int, bool, frozenset[int] | None]
_kept: WeakKeyDictionary[Model, dict[_Key, tuple[InputLaw | None, CompiledFunction]]] = WeakKeyDictionary()
"""Functions compiled for several lanes, each with the control law that it was compiled for."""

_jacobians: WeakKeyDictionary[Model, dict[tuple[int, bool], CompiledJacobian]] = WeakKeyDictionary()
"""Jacobians by lanes and precision."""


def trace_law(model: Model, law: InputLaw) -> TracedFunction:
    """Trace the inputs u as a function of t, y and the held inputs."""

    def control(t: Array, y: Array, held: Array) -> dict[str, Array]:
        return {"u": model.answers(law, t[0], y, held)}

    return trace("control", control, {"t": 1, "y": len(model.layout.y0), "held": len(model.layout.u)})


def describe_integration(settings: Settings) -> dict[str, float | str]:
    """Return the attributes of results that describe the integration."""
    if settings.method in FIXED:
        every = {"jacobian_every": float(settings.jacobian_every)} if settings.method in IMPLICIT else {}
        return {"method": settings.method, "step": settings.step, **every}
    return {"method": settings.method, "rtol": settings.rtol, "atol": settings.atol}


def lanes_of(code: Code, runs: Runs, t_store: Floats, look: LaneChecks, settings: Settings) -> Lanes:
    """Return the integrator of runs in the lanes of one thread."""
    # here, because these load Numba
    from ce_dynamics.simulation.ensembles.adaptive_lanes import AdaptiveLanes
    from ce_dynamics.simulation.ensembles.lanes import FixedLanes

    if settings.method in EMBEDDED:
        return AdaptiveLanes(code, runs, t_store, look, EMBEDDED[settings.method], settings)
    return FixedLanes(code, runs, t_store, look, settings)


def march_all(
    code: Code, settings: Settings, runs: Runs, records: Records, workers: int, report: Progress
) -> bool:
    """Execute all runs; return False if interrupted."""
    # here, because it loads Numba
    from ce_dynamics.simulation.ensembles.lanes import look_of, thrown_runs

    good = [run for run, reason in enumerate(runs.refused) if not reason]
    look = look_of(records.model, records.postconditions, records.observed)
    waiting, lock, stop = deque(good), threading.Lock(), StopSign()
    over: SimpleQueue[int] = SimpleQueue()  # numbers of runs

    def take(most: int) -> list[int]:
        with lock:
            return [waiting.popleft() for _ in range(min(most, len(waiting)))]

    def work() -> None:
        for members, outcome in lanes_of(code, runs, records.t, look, settings).work(take, stop):
            thrown = thrown_runs(records.model, code, runs, records.t, members, outcome)
            records.write(members, outcome, thrown)
            over.put(len(members))

    done = runs.number - len(good)
    report(done, runs.number)
    with ThreadPoolExecutor(workers) as pool:
        try:
            futures = [pool.submit(work) for _ in range(workers)]
            going = set(futures)
            while going:
                going, before = wait(going, BETWEEN_REPORTS).not_done, done
                while not over.empty():
                    done += over.get()
                if done > before:
                    report(done, runs.number)
            for future in futures:
                future.result()
        except KeyboardInterrupt:
            stop.set()
            return False
        except BaseException:
            stop.set()
            raise
    return True
