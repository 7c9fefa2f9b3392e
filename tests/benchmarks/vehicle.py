"""The full vehicle with tyres, driveline and driver: how much faster than real time one core is."""

from typing import Any

from ce_dynamics.models.hmmwv import prepare
from ce_dynamics.models.vehicles.case import Case
from ce_dynamics.simulation.in_the_loop.simulator import Simulator
from ce_dynamics.simulation.simulate import simulate
from tests.benchmarks.report import Options, Result, Table, number
from tests.benchmarks.timing import best_of, prepared, python_loop

RUNS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("rk4 (native), 1 ms", {"method": "rk4", "step": 1e-3}),
    ("rosenbrock (native), 1 ms", {"method": "rosenbrock", "step": 1e-3}),
    (
        "rosenbrock (native), 1 ms, a Jacobian in 10 steps",
        {"method": "rosenbrock", "step": 1e-3, "jacobian_every": 10},
    ),
    (
        "implicit-euler (native), 1 ms, a Jacobian in 10 steps",
        {"method": "implicit-euler", "step": 1e-3, "jacobian_every": 10},
    ),
    ("dopri5 (native), rtol 1e-6", {"method": "dopri5", "rtol": 1e-6, "atol": 1e-8}),
    ("tsit5 (native), rtol 1e-6", {"method": "tsit5", "rtol": 1e-6, "atol": 1e-8}),
    ("RK45 (SciPy), rtol 1e-6", {"method": "RK45", "rtol": 1e-6, "atol": 1e-8}),
    ("LSODA (SciPy), rtol 1e-6", {"method": "LSODA", "rtol": 1e-6, "atol": 1e-8}),
)


def run(options: Options) -> Result:
    """Real-time factors in a double lane change, and the cost of stepping from outside."""
    case = prepare("double-lane-change")
    duration = 0.5 if options.quick else case.duration
    rows, data = [], {}
    for name, settings in RUNS:
        repeats = 1 if options.quick else (12 if "native" in name else 3)
        best = min((once(case, duration, settings) for _ in range(repeats)), key=lambda run: run[0])
        wall, evaluations = best
        rows.append((name, number(duration / wall), number(1e6 * wall / evaluations), f"{evaluations:,}"))
        data[name] = {"real_time_factor": duration / wall, "us_per_evaluation": 1e6 * wall / evaluations}
    head = ("method", "× real time", "µs per evaluation, all included", "evaluations")
    dynamics, _ = prepared(case.model.dynamics, case.y0)
    us = 1e6 * best_of(dynamics, options.rounds)
    count = case.model.dynamics.traced.n_instructions
    notes = [
        f"HMMWV in the double lane change, {duration:g} s, driver in the loop, one core, best of repeats.",
        f"One evaluation of the equations alone: {number(us)} µs, {count:,} instructions.",
    ]
    data["dynamics"] = {"us": us, "instructions": count}
    step = stepping(case, options)
    bare = 4.0 * us
    data["step"] = {"us": step, "bare": bare}
    notes.append(
        f"Simulator.step() from Python, one rk4 step with three inputs: {number(step)} µs, "
        f"{number(step / bare)} times four evaluations ({number(bare)} µs)."
    )
    return Result((Table("The full vehicle on one core", head, tuple(rows), tuple(notes)),), data)


def once(case: Case, duration: float, settings: dict[str, Any]) -> tuple[float, int]:
    results = simulate(case.model, case.manoeuvre, duration=duration, y0=case.y0, **settings)
    return float(results.attrs["wall_time_s"]), int(results.attrs["evaluations"])


def stepping(case: Case, options: Options) -> float:
    simulator = Simulator(case.model, y0=case.y0)

    def step() -> None:
        simulator.step(steering=0.0, throttle=0.1, brake=0.0)

    def batch(n: int) -> float:
        simulator.reset()
        return python_loop(step)(n)

    return 1e6 * best_of(batch, options.rounds)
