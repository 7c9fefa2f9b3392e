"""What ensembles do outside compiled loops, where threads wait for each other.

    python -m tests.benchmarks.outside_loops

Where one thread spends a part s of its time there, which two cannot do at once, each finds the other there
with the probability that this one has alone, s (mean value analysis of two customers at one server): so two
gain 2 / (1 + s²).  Processor time of one thread is counted, which other work on the machine changes little.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np

import ce_dynamics as ce
from ce_dynamics.models.hmmwv import prepare
from ce_dynamics.simulation.ensembles import adaptive_lanes, observing_kernels
from ce_dynamics.simulation.integrators.batch import AdaptiveBatch, FixedBatch
from tests.benchmarks.report import Table, number

RUNS, DURATION = 128, 5.0


def main() -> None:
    """HMMWV in the double lane change with its driver."""
    case, rows = prepare("double-lane-change"), []
    y0s = np.tile(case.y0, (RUNS, 1))
    inside = [0.0]

    def timed(loop: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any) -> Any:
            began = time.thread_time()
            found = loop(*arguments)
            inside[0] += time.thread_time() - began
            return found

        return run

    with (
        patch.object(AdaptiveBatch, "march", timed(AdaptiveBatch.march)),
        patch.object(adaptive_lanes, "side_by_side", timed(observing_kernels.side_by_side)),
        patch.object(FixedBatch, "march", timed(FixedBatch.march)),
        patch.object(observing_kernels, "observe_lanes", timed(observing_kernels.observe_lanes)),
        patch.object(observing_kernels, "put_away", timed(observing_kernels.put_away)),
    ):
        for name, given in (
            ("rk4, 1 ms", {"method": "rk4"}),
            ("dopri5, 1e-6", {"method": "dopri5"}),
            ("tsit5, 1e-6", {"method": "tsit5"}),
            ("dopri5, 1e-4, single", {"method": "dopri5", "rtol": 1e-4, "atol": 1e-6, "precision": "single"}),
        ):
            best = (np.inf, 0.0)
            for _ in range(5):
                inside[0], began = 0.0, time.process_time()
                common: dict[str, Any] = {
                    "inputs": case.manoeuvre,
                    "duration": DURATION,
                    "keep": ["x"],
                    **given,
                }
                ce.simulate_ensemble(case.model, y0s, threads=1, **common)
                best = min(best, (time.process_time() - began, inside[0]))
            s = 1.0 - best[1] / best[0]
            rows.append(
                (name, number(RUNS * DURATION / best[0]), f"{100 * s:.1f} %", number(2.0 / (1.0 + s * s)))
            )
    head = ("method", "vehicle s per s of processor", "outside loops", "two threads gain")
    print(Table("Ensembles outside compiled loops", head, tuple(rows)).terminal())


if __name__ == "__main__":
    main()
