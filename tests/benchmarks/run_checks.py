"""Cost of the checks that runs make of themselves: the same run with all of them and with none.

Switched off are the looks at closure, finiteness and ends of reach, and what observes them; the compiled
loops' test for finite states stays, because it is what ends them.  The promise is 2 %.

    python -m tests.benchmarks.run_checks

Differences of some per cent take a quiet machine.  With ``--looks`` what looks at a run that is over is timed
by itself, the best of many times, which a busy machine shows as well.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from ce_dynamics.algebra.arrays import zeros
from ce_dynamics.compiled import observed
from ce_dynamics.compiled.model import Model, compile as compile_model
from ce_dynamics.compiler import compile_function
from ce_dynamics.contact import UnilateralModel, simulate_unilateral
from ce_dynamics.mechanism.system import System
from ce_dynamics.models import hmmwv
from ce_dynamics.simulation import simulate as runs
from ce_dynamics.simulation.ensembles.simulation import simulate_ensemble
from ce_dynamics.simulation.in_the_loop.simulator import Simulator
from ce_dynamics.simulation.monitors.failure_location import NearSingular
from ce_dynamics.simulation.monitors.jumps import Jumps, ReachGuard, Thrown
from ce_dynamics.simulation.monitors.postconditions import Postconditions
from ce_dynamics.simulation.monitors.unstable_steps import UnstableSteps
from ce_dynamics.simulation.options import RunOptions
from ce_dynamics.simulation.right_hand_side import RightHandSide
from ce_dynamics.simulation.simulate import monitors_of
from tests.benchmarks.report import Table, number

PROMISED = 0.02


@contextmanager
def unchecked() -> Iterator[None]:
    """Without any check while a run is made or a model compiled."""

    def blind(guard: ReachGuard, model: Model) -> None:
        guard._model, guard._reaches, guard.bounds, guard._warned = model, [], np.zeros((0, 5)), set()

    with ExitStack() as stack:
        for target, name, instead in (
            (Jumps, "judge", lambda *_: None),
            (Thrown, "look", lambda *_: False),
            (NearSingular, "judge", lambda *_: None),
            (UnstableSteps, "judge", lambda *_: None),
            (Postconditions, "first_fault", lambda *_: None),
            (Postconditions, "faults", lambda *_: {}),
            (ReachGuard, "__init__", blind),
            (observed, "closure_norms", lambda model, _: zeros(len(model.system.closures))),
            (observed, "gearing", lambda *_: 0.0),
        ):
            stack.enter_context(patch.object(target, name, instead))
        yield


class Pair(NamedTuple):
    """A run with its checks, and without."""

    name: str
    checked: Callable[[], float]
    bare: Callable[[], float]


def extra(pair: Pair, rounds: int) -> tuple[float, float]:
    """Best time with checks [s], and what they add to the best without, of runs in turn."""
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        for k, run in enumerate((pair.checked, pair.bare)):
            best[k] = min(best[k], run())
    return best[0], best[0] / best[1] - 1.0


def timed(run: Callable[[], object]) -> Callable[[], float]:
    """Seconds of processor time of a call: other work on the machine does not count."""

    def once() -> float:
        start = time.process_time()
        run()
        return time.process_time() - start

    return once


def pair(name: str, models: tuple[Model, Model], run: Callable[[Model], Callable[[], object]]) -> Pair:
    """The same run of a model with its checks and of one without."""
    with unchecked():
        bare = run(models[1])

    def without() -> object:
        with unchecked():
            return bare()

    return Pair(name, timed(run(models[0])), timed(without))


def both(build: Callable[[], System]) -> tuple[Model, Model]:
    """A model, and one whose observation leaves the checks out and is not kept on disk."""
    model, bare = compile_model(build()), compile_model(build())
    with unchecked():
        bare.__dict__["observation"] = compile_function(bare.trace("observation", bare.observe))
    count = [one.observation.traced.n_instructions for one in (model, bare)]
    assert count[0] > count[1], "loops have closures to be looked at"
    return model, bare


def stepping(inputs: dict[str, float], y0: Any, steps: int) -> Callable[[Model], Callable[[], object]]:
    """Return a function that makes a number of steps of a `Simulator` from Python."""

    def run(model: Model) -> Callable[[], object]:
        simulator = Simulator(model, y0=y0)

        def go() -> None:
            simulator.reset()
            for _ in range(steps):
                simulator.step(**inputs)

        return go

    return run


def four_bar() -> System:
    """A small system: what a step costs is mostly Python."""
    from tests.support.systems import four_bar as build

    return build((0.2, 0.5, 0.4, 0.5), 0.7)  # the crank turns fully


def vehicle_pairs(duration: float, lanes: int) -> list[Pair]:
    """The HMMWV in the double lane change, by every way to run it."""
    case = hmmwv.prepare("double-lane-change")
    models = both(lambda: case.model.system)

    def single(**settings: Any) -> Callable[[Model], Callable[[], object]]:
        return lambda model: (
            lambda: runs.simulate_to_record(
                model, case.manoeuvre, RunOptions(y0=case.y0, duration=duration, **settings)
            )
        )

    y0s = np.tile(case.y0, (lanes, 1))

    def ensemble(model: Model) -> Callable[[], object]:
        return lambda: simulate_ensemble(
            model, y0s, inputs=case.manoeuvre, duration=duration, method="rk4", step=1e-3, threads=1, lanes=8
        )

    held = {"steering": 0.0, "throttle": 0.1, "brake": 0.0}
    return [
        pair("HMMWV, RK45 (SciPy)", models, single(method="RK45")),
        pair("HMMWV, rk4 (native), 1 ms", models, single(method="rk4", step=1e-3)),
        pair("HMMWV, rosenbrock (native), 1 ms", models, single(method="rosenbrock", step=1e-3)),
        pair("HMMWV, dopri5 (native)", models, single(method="dopri5")),
        pair(f"HMMWV, rk4, {lanes} runs in lanes", models, ensemble),
        pair("HMMWV, Simulator.step(), rk4", models, stepping(held, case.y0, int(1e3 * duration))),
        pair("HMMWV, complementarity, 1 ms", models, contact(case.y0, 0.1 * duration)),
    ]


def contact(y0: Any, duration: float) -> Callable[[Model], Callable[[], object]]:
    """Time stepping without rows: what is left is the step itself."""

    def run(model: Model) -> Callable[[], object]:
        unilateral = UnilateralModel(model, [])
        return lambda: simulate_unilateral(unilateral, duration=duration, step=1e-3, y0=y0, interval=1e-2)

    return run


def small_pairs(duration: float) -> list[Pair]:
    """A four-bar: nothing hides what checks cost in Python."""
    models = both(four_bar)

    def single(**settings: Any) -> Callable[[Model], Callable[[], object]]:
        return lambda model: (
            lambda: runs.simulate_to_record(model, None, RunOptions(duration=duration, **settings))
        )

    return [
        pair("four-bar, RK45 (SciPy)", models, single(method="RK45")),
        pair("four-bar, rk4 (native), 1 ms", models, single(method="rk4", step=1e-3)),
        pair("four-bar, Simulator.step(), rk4", models, stepping({}, None, int(1e3 * duration))),
    ]


def looks(duration: float, rounds: int) -> Table:
    """Time the checks of a finished run of the HMMWV, and the observation of closures and gearing for it."""
    case, rows = hmmwv.prepare("double-lane-change"), []
    model, bare = both(lambda: case.model.system)

    def best(run: Callable[[], object]) -> float:
        return min(timed_by_wall(run) for _ in range(rounds))

    for given in ({"method": "dopri5"}, {"method": "rosenbrock", "step": 1e-3}):
        rhs, options = RightHandSide(model, case.manoeuvre), RunOptions(duration=duration, **given)
        made = min(
            (runs.integrate_run(rhs, model.given_state(case.y0, "y0"), options) for _ in range(20)),
            key=lambda pair: pair[1].wall_time,
        )
        run, whole = made[0], best(partial(runs.simulate_to_record, model, case.manoeuvre, options))
        observed_twice = partial(model.observation.at_rows, run.states, run.U)
        without = partial(bare.observation.at_rows, run.states, run.U)
        parts = {"closures and gearing, observed": best(observed_twice) - best(without)}
        for monitor in monitors_of(model):
            parts[type(monitor).__name__] = best(partial(monitor.check_run, run))
        parts["all"] = sum(parts.values())
        name = f"{given['method']}, {duration:g} s, {1e3 * whole:.3g} ms"
        rows += [
            (name, part, number(1e6 * took), f"{100.0 * took / whole:.2f}") for part, took in parts.items()
        ]
    return Table("What looks at a run", ("run", "part", "us", "% of the run"), tuple(rows))


def timed_by_wall(run: Callable[[], object]) -> float:
    """Seconds on the wall, for what takes microseconds."""
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def main(arguments: list[str] | None = None) -> int:
    """Measure all and say what is above the promise."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.run_checks", description=__doc__)
    parser.add_argument("--duration", type=float, default=1.0, help="seconds of every run")
    parser.add_argument("--rounds", type=int, default=25, help="pairs of runs")
    parser.add_argument("--small", action="store_true", help="the small mechanism only")
    parser.add_argument("--looks", action="store_true", help="only what looks at runs that are over")
    given = parser.parse_args(arguments)
    if given.looks:
        print(looks(given.duration, 8 * given.rounds).terminal())
        return 0
    pairs = small_pairs(given.duration)
    if not given.small:
        pairs += vehicle_pairs(given.duration, 16)
    rows = []
    for one in pairs:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            best, more = extra(one, given.rounds)
        kept = "yes" if more < PROMISED else "NO"
        rows.append((one.name, number(1e3 * best), f"{100.0 * more:+.1f}", kept))
        print(*rows[-1], flush=True)
    head = ("run", "ms with its checks", "% they add", f"below {100 * PROMISED:g} %")
    print(Table("What the checks of runs cost", head, tuple(rows)).terminal())
    return int(any(row[-1] == "NO" for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
