"""``python -m tests.benchmarks.suspension_templates``: what every suspension costs, and the shipped vehicles.

Templates: one corner, or one axle with a beam, with its wheels on a chassis in free flight, without tyres.
Vehicles: ẏ with tyres and powertrain; RK4 with steps of 1 ms takes four evaluations for every millisecond.
"""

from __future__ import annotations

from typing import Any

import ce_dynamics as ce
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.files import SHIPPED
from tests.benchmarks.report import Table, number
from tests.benchmarks.timing import Contender, native_loop, race
from tests.models.vehicles.suspensions.rig import (
    BEAM_CASES,
    CASES,
    STEERED,
    beam,
    beam_on_rig,
    corner,
    on_rig,
)


def contender(name: str, system: System) -> tuple[Contender, int]:
    """A model to be timed, and its degrees of freedom."""
    model = ce.compile(system)
    bound = model.dynamics.bind()
    bound.inputs["y"][:] = model.y0
    arrays: list[Any] = [*bound.inputs.values(), *bound.outputs.values()]
    loop = native_loop(model.dynamics.address, [a.ctypes.data for a in arrays], (model, bound))
    instructions = str(model.dynamics.signature.n_instructions)
    return Contender(name, instructions, loop), len(model.layout.v)


def table(title: str, systems: dict[str, System], head: str, per_second: bool) -> Table:
    """Degrees of freedom, instructions and microseconds."""
    found = [contender(name, system) for name, system in systems.items()]
    race([c for c, _ in found], 20)
    rows = []
    for c, freedoms in found:
        row = (c.name, str(freedoms), c.settings, number(1e6 * c.seconds))
        rows.append((*row, number(1e-3 / (4.0 * c.seconds))) if per_second else row)
    last = ("times real time, RK4 at 1 ms",) if per_second else ()
    return Table(title, (head, "degrees of freedom", "instructions", "µs", *last), tuple(rows))


def templates() -> Table:
    """All templates, steered where they can be."""
    systems = {name: on_rig(corner(name, steered=name in STEERED)) for name in CASES}
    for name in (*BEAM_CASES, "twist-beam"):
        steered = name not in ("twist-beam", "pinned-axle")
        systems[f"{name}, both wheels"] = beam_on_rig(beam(name, steered))
    return table("suspensions", systems, "suspension", per_second=False)


def vehicles() -> Table:
    """All shipped vehicles."""
    systems = {name: build(path=name, speed=15.0) for name in SHIPPED}
    return table("vehicles", systems, "vehicle", per_second=True)


if __name__ == "__main__":
    print(templates().terminal())
    print(vehicles().terminal())
