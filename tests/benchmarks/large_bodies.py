"""Cost of large aggregated bodies and of many equal loops, to build and to evaluate.

python -m tests.benchmarks.large_bodies
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from unittest.mock import patch

import numpy as np
from numpy.typing import ArrayLike

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.dense import one_blas_thread
from tests.benchmarks.report import Table, number

LOOPS = 1000
LADDERS = (7, 14, 28)
FREEDOMS = (8, 16, 32, 64)
SPATIAL = (7, 8, 9)
"""Bodies of spatial loops: two to four degrees of freedom."""


def pin(x: float, z: float) -> ce.Revolute:
    """A hinge about y."""
    return ce.Revolute((0, 1, 0), at=(x, 0, z))


def bar(s: ce.System, name: str, carrier: ce.Body, hinge: ce.Revolute, com: ArrayLike) -> ce.Body:
    """A body of 1 kg."""
    return s.add_body(name, mass=1, com=com, inertia=(0.1,) * 3, parent=carrier, hinge=hinge)


def four_bars(n: int) -> ce.System:
    """Equal four-bars, each on the rocker of the one before."""
    s = ce.System(gravity=(0, 0, -9.81))
    carrier = s.ground
    for k in range(n):
        x = 1.5 * k
        crank = bar(s, f"crank {k}", carrier, pin(x, 0), (x + 0.1, 0, 0.15))
        rod = bar(s, f"rod {k}", crank, pin(x + 0.2, 0.3), (x + 0.65, 0, 0.55))
        rocker = bar(s, f"rocker {k}", carrier, pin(x + 1.2, 0), (x + 1.2, 0, 0.4))
        s.close_loop(f"tip {k}", rod, rocker, pin(x + 1.1, 0.8), independent=[crank])
        carrier = rocker
    return s


def four_bar_on_path() -> ce.System:
    """The first of them, led by none of its hinges."""
    s = four_bars(1)
    del s.closures[:]
    s.close_loop("tip", "rod 0", "rocker 0", pin(1.1, 0.8), through_dead_centres=True)
    return s


def ladder(n: int) -> ce.System:
    """One aggregated body of 2 n + 1 bodies that one crank leads: every four-bar drives the next one."""
    s = ce.System(gravity=(0, 0, -9.81))
    crank = bar(s, "crank", s.ground, pin(0, 0), (0.1, 0, 0.15))
    driver, x, z = crank, 0.2, 0.3
    for j in range(n):
        foot, tip = 1.2 * (j + 1), 1.2 * (j + 1) + 0.1 * math.cos(j)
        rod = bar(s, f"rod {j}", driver, pin(x, z), (0.5 * (x + tip), 0, 0.4))
        lever = bar(s, f"lever {j}", s.ground, pin(foot, 0), (foot, 0, 0.3))
        s.close_loop(f"tip {j}", rod, lever, pin(tip, 0.45), independent=[crank])
        driver, x, z = lever, foot + 0.15 * math.cos(j), 0.35
    return s


def chain_closed(points: Floats, axes: Floats, leads: int | None) -> ce.System:
    """One loop of bars; its first hinges lead, or none of them."""
    s = ce.System(gravity=(0, 0, -9.81))
    bars: list[ce.Body] = []
    for k in range(len(points) - 1):
        carrier = bars[-1] if bars else s.ground
        hinge = ce.Revolute(axes[k], at=points[k])
        bars.append(bar(s, f"bar {k}", carrier, hinge, 0.5 * (points[k] + points[k + 1])))
    last = ce.Revolute(axes[-1], at=points[-1])
    if leads is None:
        s.close_loop("end", bars[-1], s.ground, last, through_dead_centres=True)
    else:
        s.close_loop("end", bars[-1], s.ground, last, independent=bars[:leads])
    return s


def polygon(N: int, is_open: bool = False) -> ce.System:
    """A planar loop of N + 2 bars, N of which lead; or the same bars without the closure."""
    angles = np.linspace(0.0, 2.0 * np.pi, N + 4)[:-1]
    points = (N + 2) / 6.0 * np.stack((np.cos(angles), 0.0 * angles, np.sin(angles)), axis=1)
    s = chain_closed(points, np.tile((0.0, 1.0, 0.0), (N + 3, 1)), N)
    if is_open:
        del s.closures[:]
    return s


def spatial(n: int, alone: bool) -> ce.System:
    """A loop of n bars on askew hinges, led by n − 5 of them, or by none."""
    rng = np.random.default_rng(9)
    axes, turns = rng.normal(size=(n + 1, 3)), np.linspace(0.0, 6.0, n + 1)
    points = np.stack((np.cos(turns), np.sin(turns), 0.0 * turns), axis=1)
    points += 0.2 * rng.normal(size=points.shape)
    axes /= np.linalg.norm(axes, axis=1)[:, np.newaxis]
    return chain_closed(points, axes, None if alone else n - 5)


def built(make: Callable[[], ce.System]) -> tuple[ce.Model, float]:
    """A model, and the processor time that its description and compilation take [s]."""
    start = time.process_time()
    model = ce.compile(make())
    return model, time.process_time() - start


def instructions(model: ce.Model) -> int:
    """Instructions of one evaluation of the dynamics."""
    return model.trace_dynamics().n_instructions


def tables() -> list[Table]:
    """Building times, growth with bodies and freedoms, loops that hinges lead against paths and charts."""
    ce.compile(four_bars(2))  # imports, and code that is kept on disk
    _, many = built(partial(four_bars, LOOPS))
    rows = [(f"{LOOPS} equal four-bars", number(many), "")]
    for n in LADDERS:
        model, took = built(partial(ladder, n))
        rows.append((f"{2 * n + 1} bodies, N = 1", number(took), f"{instructions(model):,}"))
    for N in FREEDOMS:
        model, took = built(partial(polygon, N))
        rows.append((f"{N + 2} bodies, N = {N}", number(took), f"{instructions(model):,}"))
    for N in FREEDOMS:
        model, took = built(partial(polygon, N, is_open=True))
        rows.append((f"{N + 2} bodies of an open chain", number(took), f"{instructions(model):,}"))
    with patch("ce_dynamics.embedding.complete.recognise", lambda part: None):
        bars = [f"{instructions(ce.compile(make())):,}" for make in (partial(four_bars, 1), four_bar_on_path)]
    others = [
        ("1, four-bar", *bars),
        *(
            (str(n - 5), *(f"{instructions(ce.compile(spatial(n, alone))):,}" for alone in (False, True)))
            for n in SPATIAL
        ),
    ]
    return [
        Table(
            "Large aggregated bodies", ("system", "built [s of one processor]", "instructions"), tuple(rows)
        ),
        Table("Instructions of spatial loops", ("N", "led by hinges", "on a path or charts"), tuple(others)),
    ]


def main() -> None:
    """Print the tables."""
    with one_blas_thread():
        for table in tables():
            print(table.terminal())


if __name__ == "__main__":
    main()
