"""Cost against the number of loops: four-bars in a row, each on the rocker of the one before."""

from __future__ import annotations

from typing import Any

import numpy as np

from ce_dynamics.compiler.machine import linked, object_code
from ce_dynamics.kinematics.four_bar_linkage import FourBar
from ce_dynamics.model import Model
from ce_dynamics.system import System
from tests.benchmarks import pinocchio_native
from tests.benchmarks.evaluation import prepared
from tests.benchmarks.mechanism import BAR_INERTIA, Floats, Y, four_bar_chain, four_bar_points
from tests.benchmarks.options import Options
from tests.benchmarks.pinocchio_native import Driver, MissingError
from tests.benchmarks.report import Result, Table, number
from tests.benchmarks.timing import best_of, stopwatch

PATIENCE = 60.0
"""[s] of compiling that is waited for: a size is not tried if it would take longer, growing quadratically."""

LARGEST_PEER = 50
"""Four-bars for which Pinocchio is timed: its work space grows so fast that 200 take tens of gigabytes."""

SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def chain(n: int) -> Model:
    """The chain of `mechanism.four_bar_chain` as a model."""
    system = System(gravity=(0.0, 0.0, -9.81), name=f"{n} four-bars")
    frame, start_at = "ground", np.zeros(3)
    for k in range(n):
        A, D, F, G = four_bar_points(start_at)
        linkage = FourBar(
            A.tolist(), D.tolist(), F.tolist(), G.tolist(), Y.tolist(),
            f"crank {k}", f"coupler {k}", f"rocker {k}", frame,
        )  # fmt: skip
        ends = {f"crank {k}": (A, D), f"coupler {k}": (D, F), f"rocker {k}": (G, F)}
        for joint in linkage.joints():
            start, end = ends[joint.body]
            system.add_body(
                joint.body, mass=1.0, com=0.5 * (start + end), inertia=BAR_INERTIA,
                parent=joint.carrier, hinge=joint.hinge,
            )  # fmt: skip
        for cut in linkage.cuts():
            system.close_loop(cut.name, cut.body_a, cut.body_b, cut.closure)
        system.use_linkage(linkage)
        system.start(f"crank {k}", v=[0.3])
        frame, start_at = f"rocker {k}", F
    return Model(system)


def run(options: Options) -> Result:
    """Trace, compile and time ever longer chains; Pinocchio on the same."""
    program, notes = None, []
    try:
        program = pinocchio_native.build() if options.native else None
        notes += [] if options.native else ["Pinocchio in C++ not measured: switched off."]
    except MissingError as reason:
        notes.append(f"Pinocchio in C++ not measured: {reason}.")
    rows, data = [], []
    compiled, took = 1, 0.0
    for n in (1, 2, 5) if options.quick else SIZES:
        entry = measured(n, took * (n / compiled) ** 2 < PATIENCE, options)
        if entry["compile"] == entry["compile"]:
            compiled, took = n, entry["compile"]
        if program is not None and n <= LARGEST_PEER:
            entry |= pinocchio(program, n, entry.pop("v_dot"), options)
        entry.pop("v_dot", None)
        data.append(entry)
        rows.append(row(n, entry))
    head = ("four-bars", "instructions", "trace, s", "compile, s", "code, kB", "µs", "µs per four-bar",
            "Pinocchio C++ exact, µs per four-bar", "lcaba, µs per four-bar", "deviation")  # fmt: skip
    notes += [
        "One straight-line function for the whole model; – where it was not compiled or timed because of "
        f"the time that takes ({PATIENCE:g} s at most).  Deviation: largest relative difference between the "
        "cranks' accelerations and those of Pinocchio's exact solve.  lcaba has three rows per loop, one of "
        "them redundant, with mu = 1e-8 and one iteration; Pinocchio is timed up to "
        f"{LARGEST_PEER} four-bars, because the memory of its work space grows much faster than linearly."
    ]
    return Result((Table("Chains of four-bars", head, tuple(rows), tuple(notes)),), {"chains": data})


def measured(n: int, compiling: bool, options: Options) -> dict[str, Any]:
    """Our side for one size."""
    holder: list[Model] = []
    nan = float("nan")
    describe = stopwatch(lambda: holder.append(chain(n)))
    model = holder[0]
    traced: list[Any] = []
    tracing = stopwatch(lambda: traced.append(model.trace_dynamics()))
    entry: dict[str, Any] = {"n": n, "instructions": traced[0].n_instructions, "trace": tracing}
    entry |= {"describe": describe, "compile": nan, "code": nan, "us": nan, "v_dot": None}
    if compiling:
        code: list[bytes] = []
        entry["compile"] = stopwatch(lambda: code.append(object_code(traced[0], 1)))
        entry["code"] = len(code[0]) / 1000.0
        function = linked(code[0], traced[0])
        loop, y_dot = prepared(function, model.y0)
        entry["us"] = 1e6 * best_of(loop, 3 if options.quick else 40)
        entry["v_dot"] = model.layout.split(y_dot)[1]
    return entry


def pinocchio(program: Any, n: int, v_dot: Floats | None, options: Options) -> dict[str, Any]:
    """Its side: exact and by lcaba, and how far our cranks' accelerations are from the exact ones."""
    mechanism = four_bar_chain(n)
    driver = Driver(program, mechanism)
    rounds = 3 if options.quick else 20
    exact = driver.accelerations("exact")[::3]
    found = {"pinocchio": 1e6 * best_of(driver.batch("exact"), rounds)}
    driver.close()
    spatial = Driver(program, four_bar_chain(n, "P"))
    found["lcaba"] = 1e6 * best_of(spatial.batch("lcaba", 1e-8), rounds)
    spatial.close()
    if v_dot is not None:
        found["deviation"] = float(np.max(np.abs(v_dot - exact)) / np.max(np.abs(exact)))
    return found


def row(n: int, entry: dict[str, Any]) -> tuple[str, ...]:
    """A line of the table."""
    nan = float("nan")
    return (
        f"{n:,}",
        f"{entry['instructions']:,}",
        number(entry["trace"]),
        number(entry["compile"]),
        number(entry["code"]),
        number(entry["us"]),
        number(entry["us"] / n),
        number(entry.get("pinocchio", nan) / n),
        number(entry.get("lcaba", nan) / n),
        "–" if "deviation" not in entry else f"{entry['deviation']:.0e}",
    )
