"""Runs over time: cost against the error of the ride model, and drift of closed loops over a minute."""

import contextlib
import runpy
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import SimulationError
from ce_dynamics.models.hmmwv import build_ride, prepare
from ce_dynamics.simulation.simulate import simulate
from tests.benchmarks.moving_peers import Peer, peers
from tests.benchmarks.report import Options, Result, Table, number

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "loop_closure_drift.py"
DURATION = 2.0
TARGETS = (1e-6, 1e-9)
"""[m]"""


class Point(NamedTuple):
    """One run: largest error of the chassis' position [m], wall time per simulated second, evaluations."""

    error: float
    wall: float
    evaluations: int


def run(options: Options) -> Result:
    """Error and cost of every method over its steps or tolerances."""
    model = Model(build_ride())
    tight = simulate(model, duration=DURATION, method="DOP853", rtol=1e-12, atol=1e-13, interval=0.01)
    exact = positions(tight)
    curves = {name: list(points(make, exact, options)) for name, make in methods(model, options).items()}
    curves |= {name: peer_points(peer, exact, options) for name, peer in peers().items()}
    curves |= dae(model, exact, options)
    rows = []
    for name, curve in curves.items():
        cells = [name]
        for target in TARGETS:
            found = at_error(curve, target)
            cells += ["–", "–"] if found is None else [number(1e3 * found[0]), number(1.0 / found[0])]
        rows.append((*cells, f"{min(p.error for p in curve):.0e}" if curve else "–"))
    each = (text for e in TARGETS for text in (f"ms per s at {e:g} m", "× real time"))
    head = ("method", *each, "least error of a run, m")
    note = (
        f"Ride model, {DURATION:g} s; error: largest distance of the chassis from the solution of DOP853 at "
        "rtol = 1e-12, over all instants 0.01 s apart; costs interpolated between runs (logarithmically), "
        "– where no run was made on both sides of the error.  MuJoCo steps by itself, with "
        "springs and dampers of its own; of Pinocchio, evaluations of constraintDynamics are counted; "
        "forces and the integration around it, the same as ours, are for nothing."
    )
    return Result(
        (Table("Cost at equal accuracy", head, tuple(rows), (note,)),),
        {name: [p._asdict() for p in curve] for name, curve in curves.items()},
    )


Make = tuple[Callable[[float], Any], tuple[float, ...]]
"""A run for one step or tolerance, and those to try."""


def methods(model: Model, options: Options) -> dict[str, Make]:
    def fixed(method: Any) -> Callable[[float], Any]:
        return lambda h: simulate(model, duration=DURATION, method=method, step=h)

    def adaptive(method: Any) -> Callable[[float], Any]:
        return lambda e: simulate(model, duration=DURATION, method=method, rtol=e, atol=1e-2 * e)

    steps: tuple[float, ...] = (1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4)
    tolerances: tuple[float, ...] = (1e-2, 1e-4, 1e-6, 1e-8, 1e-10)
    if options.quick:
        steps, tolerances = (1e-3,), (1e-6,)
    found: dict[str, Make] = {f"{m} (native)": (fixed(m), steps) for m in ("rk4", "rosenbrock")}
    found |= {f"{m} (native)": (adaptive(m), tolerances) for m in ("dopri5", "tsit5")}
    return found | {f"{m} (SciPy)": (adaptive(m), tolerances) for m in ("RK45", "DOP853", "LSODA")}


def points(make: Make, exact: Floats, options: Options) -> Iterable[Point]:
    """The runs of a method; those that fail (steps too long) are left out."""
    one, settings = make
    for setting in settings:
        with contextlib.suppress(SimulationError):
            runs = [one(setting) for _ in range(1 if options.quick else 5)]
            wall = min(run.attrs["wall_time_s"] for run in runs) / DURATION
            error = float(np.max(np.linalg.norm(positions(runs[0]) - exact, axis=1)))
            yield Point(error, wall, int(runs[0].attrs["evaluations"]))


def peer_points(peer: Peer, exact: Floats, options: Options) -> list[Point]:
    found = []
    for step in (1e-3,) if options.quick else peer.steps:
        track = peer.run(DURATION, step, DURATION / (len(exact) - 1))
        error = float(np.max(np.linalg.norm(track.chassis - exact, axis=1)))
        if np.isfinite(error):
            found.append(Point(error, track.seconds / DURATION, track.evaluations))
    return found


def positions(run: Any) -> Floats:
    return np.column_stack([run[f"chassis_{axis}"].values for axis in "xyz"])


def dae(model: Model, exact: Floats, options: Options) -> dict[str, list[Point]]:
    """The fully augmented model: GGL by SUNDIALS IDA, Baumgarte by RK45."""
    from ce_dynamics.augmented import FullyAugmented, Preparation, simulate_baumgarte, simulate_dae

    full = FullyAugmented(model.system)
    ready = Preparation(full, full.state_from_embedded(model.embedding, *model.layout.split(model.y0)))
    times = np.linspace(0.0, DURATION, len(exact))
    chassis = model.system.find("chassis")
    offset = np.asarray(chassis.inboard.at - chassis.com, dtype=float)
    curves: dict[str, list[Point]] = {}
    integrations: dict[str, Callable[[float], Any]] = {
        "own DAE, GGL by IDA": lambda e: simulate_dae(ready, None, times, rtol=e, atol=e),
        "own DAE, Baumgarte by RK45": lambda e: simulate_baumgarte(
            ready, None, times, rtol=e, atol=e, method="RK45"
        ),
    }
    for name, integrate in integrations.items():
        curve = []
        for tolerance in (1e-4,) if options.quick else (1e-3, 1e-5, 1e-7, 1e-9):
            with contextlib.suppress(SimulationError):
                run = integrate(tolerance)
                states = [state["chassis"] for state in run.states]
                found = np.array([s.r + s.R @ offset for s in states], dtype=float)
                error = float(np.max(np.linalg.norm(found - exact, axis=1)))
                wall = run.statistics["integration"] / DURATION
                curve.append(Point(error, wall, int(run.statistics.get("evaluations", 0))))
        curves[name] = curve
    return curves


def at_error(curve: list[Point], target: float) -> tuple[float] | None:
    """Wall time per simulated second at an error, between the runs around it."""
    ordered = sorted(curve)
    errors, walls = np.array([p.error for p in ordered]), np.array([p.wall for p in ordered])
    if len(ordered) < 2 or not errors[0] <= target <= errors[-1]:
        return None
    return (float(np.exp(np.interp(np.log(target), np.log(errors), np.log(walls)))),)


def run_drift(options: Options) -> Result:
    """Embedded by LSODA and by native RK4; augmented, three ways."""
    example: dict[str, Any] = runpy.run_path(str(EXAMPLE))
    duration = 1.0 if options.quick else 60.0
    case = prepare("sine-steer", duration=duration, options={"periods": 0.5 * duration, "steer": 0.15})
    lines = [
        example["embedded"](case, "constraint embedding, LSODA", "LSODA", example["RTOL"], example["ATOL"])
    ]
    native = simulate(case.model, case.manoeuvre, duration=duration, y0=case.y0, method="rk4", interval=0.05)
    closure = native["closure_error"]
    worst = closure.max(dim=[d for d in closure.dims if d != "time"]).values
    wall = float(native.attrs["wall_time_s"])
    lines.append(
        example["Line"]("constraint embedding, rk4 1 ms", native.time.values, worst, np.zeros(3), wall)
    )
    lines += example["augmented"](case)
    rows = tuple(
        (
            line.label,
            f"{line.closure.max():.1e}",
            f"{line.closure[-1]:.1e}",
            number(1e3 * line.wall / line.t[-1]),
        )
        for line in lines
    )
    head = ("formulation", "largest closure error, m", "at the end, m", "wall, ms per s")
    note = (
        f"HMMWV weaving at 12 m/s for {duration:g} s, rtol = {example['RTOL']:g}, atol = {example['ATOL']:g}."
    )
    data = {line.label: {"max": float(line.closure.max()), "end": float(line.closure[-1])} for line in lines}
    table, others = ride(0.1 if options.quick else duration)
    return Result((Table("Loop closure over time", head, rows, (note,)), table), data | others)


def ride(duration: float) -> tuple[Table, dict[str, dict[str, float]]]:
    """The ride model left to itself, by other engines as well."""
    model, step = Model(build_ride()), 2e-3
    own = simulate(model, duration=duration, method="rk4", step=step, interval=0.05)
    found = {"constraint embedding, rk4, ride model": own["closure_error"].max(dim="closure").values}
    found |= {name: peer.run(duration, step, 0.05).closure for name, peer in peers().items()}
    data = {name: {"max": float(closure.max()), "end": float(closure[-1])} for name, closure in found.items()}
    rows = tuple((name, f"{entry['max']:.1e}", f"{entry['end']:.1e}") for name, entry in data.items())
    note = (
        f"Ride model left to itself for {duration:g} s, steps of {1e3 * step:g} ms; MuJoCo's closures are "
        "soft, Pinocchio's are not stabilised."
    )
    head = ("engine", "largest closure error, m", "at the end, m")
    return Table("Loop closure of the ride model", head, rows, (note,)), data
