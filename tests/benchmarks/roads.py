"""``python -m tests.benchmarks.roads``: ẏ of the HMMWV on roads of several kinds, beside the plane.

One lane and four; the contenders take turns, so that all see the same machine.
"""

from __future__ import annotations

import numpy as np

import ce_dynamics as ce
from ce_dynamics.compiler import compile_function
from ce_dynamics.models import hmmwv
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.roads.iso8608 import RandomRoad
from ce_dynamics.models.parts.roads.map_files import HeightMap
from ce_dynamics.models.parts.roads.surfaces import BumpRoad, FlatRoad, KerbRoad
from tests.benchmarks.report import Table, number
from tests.benchmarks.timing import Contender, python_loop, race

LANES = 4


def roads() -> dict[str, Road]:
    """What is driven on."""
    z = np.random.default_rng(0).normal(size=(400, 40))
    return {
        "plane": FlatRoad(0.8),
        "ISO 8608, class C": RandomRoad(0.8),
        "height map": HeightMap(0.8, 0.002 * z, (-20.0, 0.25), (-4.0, 0.2)),
        "height map, linear": HeightMap(0.8, 0.002 * z, (-20.0, 0.25), (-4.0, 0.2), smooth=False),
        "long bump": BumpRoad(0.8, 0.1, 2.0, 8.0),
        "kerb": KerbRoad(0.8, 0.1, 10.0),
        "height map with edges": HeightMap(0.8, 0.01 * z, (-20.0, 0.1), (-4.0, 0.2)),
    }


def contenders(name: str, road: Road) -> list[Contender]:
    """ẏ in one lane and in several; a batch of the latter is as many vehicles."""
    model = ce.compile(hmmwv.build(road=road, speed=10.0))
    dynamics = model.dynamics
    one, many = dynamics.bind(), compile_function(dynamics.traced, lanes=LANES).bind()
    for key, value in (("y", model.y0), ("u", model.u0)):
        one.inputs[key][:] = value
        many.inputs[key][:] = value[:, None]
    n = str(dynamics.signature.n_instructions)
    return [Contender(name, n, python_loop(binding.run, binding)) for binding in (one, many)]


def main() -> None:
    """Measure and print."""
    entries = [contenders(name, road) for name, road in roads().items()]
    race([contender for both in entries for contender in both], 60)
    plane = entries[0]
    rows = tuple(
        (one.name, one.settings, number(1e6 * one.seconds))
        + tuple(number(c.seconds / flat.seconds) for c, flat in zip((one, many), plane, strict=True))
        for one, many in entries
    )
    head = ("road", "instructions", "µs", "over the plane", f"the same, {LANES} lanes")
    print(Table("HMMWV on roads", head, rows).terminal())


if __name__ == "__main__":
    main()
