"""Costs of ẏ: suspensions, shipped vehicles, tyres, closed forms, large aggregated bodies."""

import math
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import partial
from unittest.mock import patch

import numpy as np
from numpy.typing import ArrayLike

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.dense import one_blas_thread
from ce_dynamics.mechanism.system import System
from ce_dynamics.models import hmmwv
from ce_dynamics.models.tyres import MagicFormula, MagicFormulaTyre, TMeasyTyre, TyreModel
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.files import SHIPPED
from tests.benchmarks.report import Options, Result, Table, number
from tests.benchmarks.timing import Contender, evaluation, race
from tests.models.tyres.magic_formula.figures import coefficients
from tests.models.vehicles.suspensions.rig import (
    BEAM_CASES,
    CASES,
    STEERED,
    beam,
    beam_on_rig,
    corner,
    on_rig,
)
from tests.support import systems
from tests.support.stewart import stewart

RIGID_BEAMS = ("twist-beam", "pinned-axle")
VERSIONS = (52, 61, 62)
LADDERS, FREEDOMS, SPATIAL, LOOPS = (7, 14, 28), (8, 16, 32, 64), (7, 8, 9), 1000
"""Steps of ladders, freedoms of polygons, bars of spatial loops, equal four-bars."""
CLOSED_FORMS: dict[str, Callable[[], System]] = {
    "four-bar": lambda: systems.four_bar((1.0, 3.0, 2.5, 3.2), 0.7),
    "slider-crank, led by its crank": lambda: systems.slider_crank(0.3, 1.0, 0.5),
    "slider-crank, led by its piston": lambda: systems.slider_crank(0.3, 1.0, 0.5, ("slider",)),
    "lever on a rail": lambda: systems.swinging_lever(0.4),
    "five-bar": systems.five_bar,
    "Stewart platform, led by the platform": lambda: stewart("platform"),
    "Stewart platform, led by its legs": stewart,
}
UNRECOGNISED = {
    "ce_dynamics.embedding.complete.recognise": lambda part: None,
    "ce_dynamics.embedding.closed_forms.without_legs.legs_of": lambda *_: [],
    "ce_dynamics.embedding.closed_forms.without_legs.rods_of": lambda *_: [],
    "ce_dynamics.embedding.closed_forms.without_legs.peel_of": lambda *_: None,
}
"""Replacements that leave every loop to Newton's method."""


def contender(name: str, system: System, y: Callable[[ce.Model], Floats] | None = None) -> Contender:
    """Compile a system to be timed; its settings are freedoms and instructions."""
    model = ce.compile(system)
    return Contender(
        name,
        f"{len(model.layout.v)} freedoms, {model.dynamics.traced.n_instructions:,} instructions",
        evaluation(model, None if y is None else y(model)),
    )


def timed(title: str, contenders: Iterable[Contender], options: Options, head: str) -> Table:
    """Time in turn; in rows, freedoms and instructions, microseconds, and multiples of the first."""
    every = list(contenders)[: 2 if options.quick else None]
    race(every, min(options.rounds, 20))
    rows = tuple(
        (c.name, c.settings, number(1e6 * c.seconds), number(c.seconds / every[0].seconds)) for c in every
    )
    return Table(title, (head, "size", "µs", "of the first"), rows)


def suspensions(options: Options) -> Result:
    """Time one corner, or one axle with a beam, on a chassis in free flight, without tyres."""
    made = {name: partial(lambda name: on_rig(corner(name, steered=name in STEERED)), name) for name in CASES}
    for name in (*BEAM_CASES, "twist-beam"):
        steered = name not in RIGID_BEAMS
        made[f"{name}, both wheels"] = partial(lambda name, s: beam_on_rig(beam(name, s)), name, steered)
    found = (contender(name, make()) for name, make in list(made.items())[: 2 if options.quick else None])
    return Result((timed("Suspensions", found, options, "suspension"),))


def vehicles(options: Options) -> Result:
    """Time ẏ with tyres and powertrain, of which RK4 takes four in each step of 1 ms."""
    names = list(SHIPPED)[: 2 if options.quick else None]
    found = [contender(name, build(path=name, speed=15.0)) for name in names]
    table = timed("Vehicles", found, options, "vehicle")
    rows = tuple(
        (*row[:3], number(1e-3 / (4.0 * c.seconds))) for row, c in zip(table.rows, found, strict=True)
    )
    head = (*table.head[:3], "times real time, RK4 at 1 ms")
    return Result((Table(table.title, head, rows),))


def tyres(options: Options) -> Result:
    """Time ẏ of the HMMWV on TMeasy and on three versions of the Magic Formula."""
    corners = VehicleParameters.load().corners
    kinds: dict[str, dict[str, TyreModel]] = {
        "TMeasy": {name: TMeasyTyre(corner.tyre) for name, corner in corners.items()}
    }
    size = {"UNLOADED_RADIUS": 0.47, "RIM_RADIUS": 0.2, "FZMIN": 0.0}
    for version in VERSIONS:
        c = coefficients(version, FNOMIN=8500.0, VERTICAL_STIFFNESS=4e5, **size)
        kinds[f"Magic Formula {version / 10:.1f}"] = {n: MagicFormulaTyre(MagicFormula(c)) for n in corners}
    found = (
        contender(name, hmmwv.build(speed=15.0, tyres=fitted), hmmwv.settle) for name, fitted in kinds.items()
    )
    return Result((timed("ẏ of the HMMWV", found, options, "tyres"),))


def closed_forms(options: Options) -> Result:
    """Time loops in closed form, as they are recognised, and the same by Newton's method."""
    rows = []
    for name, make in list(CLOSED_FORMS.items())[: 1 if options.quick else None]:
        recognised = contender(name, make())
        with ExitStack() as stack:
            for place, instead in UNRECOGNISED.items():
                stack.enter_context(patch(place, instead))
            newton = contender(name, make())
        race((recognised, newton), options.rounds)
        costs = ((c.settings, number(1e6 * c.seconds)) for c in (recognised, newton))
        rows.append(
            (name, *(cell for cost in costs for cell in cost), number(newton.seconds / recognised.seconds))
        )
    head = ("loop", "closed form", "µs", "by Newton's method", "µs", "ratio")
    return Result((Table("Loops in closed form and by Newton's method", head, tuple(rows)),))


def large_bodies(options: Options) -> Result:
    """Describe and compile many equal loops and large aggregated bodies; compare hinges, paths and charts."""
    with one_blas_thread():
        return Result(tuple(large_tables(options)))


def large_tables(options: Options) -> Iterable[Table]:
    """Make the tables of `large_bodies`."""
    ce.compile(four_bars(2))  # imports, and code that is kept on disk
    made: dict[str, Callable[[], System]] = {f"{LOOPS} equal four-bars": partial(four_bars, LOOPS)}
    made = {} if options.quick else made
    made |= {f"{2 * n + 1} bodies, N = 1": partial(ladder, n) for n in LADDERS}
    made |= {f"{N + 2} bodies, N = {N}": partial(polygon, N) for N in FREEDOMS}
    made |= {f"{N + 2} bodies of an open chain": partial(polygon, N, is_open=True) for N in FREEDOMS}
    rows = []
    for name, make in list(made.items())[: 2 if options.quick else None]:
        start = time.process_time()
        model = ce.compile(make())
        took = time.process_time() - start
        rows.append((name, number(took), "" if name.startswith(str(LOOPS)) else instructions(model)))
    head = ("system", "built [s of one processor]", "instructions")
    yield Table("Large aggregated bodies", head, tuple(rows))
    with patch("ce_dynamics.embedding.complete.recognise", lambda part: None):
        bars = [instructions(ce.compile(make())) for make in (partial(four_bars, 1), four_bar_on_path)]
    others = [("1, four-bar", *bars)]
    others += [
        (str(n - 5), *(instructions(ce.compile(spatial(n, alone))) for alone in (False, True)))
        for n in (() if options.quick else SPATIAL)
    ]
    yield Table("Instructions of spatial loops", ("N", "led by hinges", "on a path or charts"), tuple(others))


def instructions(model: ce.Model) -> str:
    """Return the instructions of one evaluation of the dynamics."""
    return f"{model.trace_dynamics().n_instructions:,}"


def pin(x: float, z: float) -> ce.Revolute:
    return ce.Revolute((0, 1, 0), at=(x, 0, z))


def bar(s: System, name: str, carrier: ce.Body, hinge: ce.Revolute, com: ArrayLike) -> ce.Body:
    """A body of 1 kg."""
    return s.add_body(name, mass=1, com=com, inertia=(0.1,) * 3, parent=carrier, hinge=hinge)


def four_bars(n: int) -> System:
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


def four_bar_on_path() -> System:
    """The first of them, led by none of its hinges."""
    s = four_bars(1)
    del s.closures[:]
    s.close_loop("tip", "rod 0", "rocker 0", pin(1.1, 0.8), through_dead_centres=True)
    return s


def ladder(n: int) -> System:
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


def chain_closed(points: Floats, axes: Floats, leads: int | None) -> System:
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


def polygon(N: int, is_open: bool = False) -> System:
    """A planar loop of N + 2 bars, N of which lead; or the same bars without the closure."""
    angles = np.linspace(0.0, 2.0 * np.pi, N + 4)[:-1]
    points = (N + 2) / 6.0 * np.stack((np.cos(angles), 0.0 * angles, np.sin(angles)), axis=1)
    s = chain_closed(points, np.tile((0.0, 1.0, 0.0), (N + 3, 1)), N)
    if is_open:
        del s.closures[:]
    return s


def spatial(n: int, alone: bool) -> System:
    """A loop of n bars on askew hinges, led by n − 5 of them, or by none."""
    rng = np.random.default_rng(9)
    axes, turns = rng.normal(size=(n + 1, 3)), np.linspace(0.0, 6.0, n + 1)
    points = np.stack((np.cos(turns), np.sin(turns), 0.0 * turns), axis=1)
    points += 0.2 * rng.normal(size=points.shape)
    axes /= np.linalg.norm(axes, axis=1)[:, np.newaxis]
    return chain_closed(points, axes, None if alone else n - 5)
