"""``python -m tests.benchmarks.tyres``: a Magic Formula tyre alone and on a vehicle, beside TMeasy.

Alone: nanoseconds per operating point of all 29 outputs, and of forces and moments only; one point again and
again, a sweep of slip angles, and points at random, whose branches the mathematical library cannot foresee.
On a vehicle: ẏ of the HMMWV with four of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ce_dynamics as ce
from ce_dynamics.compiler import compile_function, trace
from ce_dynamics.models import hmmwv
from ce_dynamics.models.tyres import MagicFormula, MagicFormulaTyre, TMeasyTyre, TyreModel
from ce_dynamics.models.tyres.magic_formula.operating_point import Inputs, Mode, operating_point
from ce_dynamics.models.tyres.magic_formula.outputs import forces
from ce_dynamics.models.tyres.magic_formula.tyre import LANES
from ce_dynamics.models.vehicles.description import VehicleParameters
from tests.benchmarks.report import Table, number
from tests.benchmarks.timing import Contender, native_loop, race
from tests.models.tyres.magic_formula.figures import coefficients

Floats = NDArray[np.float64]
POINTS = 2048


def points(nominal: float, pressure: float, kind: str, rng: np.random.Generator) -> Floats:
    """Operating points as columns: one, a sweep, or random ones."""
    x = np.tile([nominal, 0.03, 0.05, 0.01, 0.0, 20.0, pressure], (POINTS, 1))
    if kind == "sweep":
        x[:, 2] = np.linspace(-0.2, 0.2, POINTS)
    elif kind == "random":
        x[:, 0] *= rng.uniform(0.4, 1.4, POINTS)
        x[:, 1:4] = rng.uniform(-0.2, 0.2, (POINTS, 3)) * [1.0, 1.0, 0.5]
    return x


def all_outputs(tyre: MagicFormula, mode: Mode, x: Any) -> Any:
    return tyre.outputs(mode, Inputs(*x))


def only_forces(tyre: MagicFormula, mode: Mode, x: Any) -> Any:
    return forces(tyre.coefficients, mode, operating_point(tyre.coefficients, mode, Inputs(*x)))[:5]


def alone() -> Table:
    """Nanoseconds per point."""
    rng = np.random.default_rng(0)
    rows = []
    for version in (52, 61, 62):
        tyre = MagicFormula(coefficients(version))
        c = tyre.coefficients
        for what in (only_forces, all_outputs):
            row = [f"{version / 10:.1f}, {what.__name__.replace('_', ' ')}"]
            for lanes, kind in ((1, "one"), (1, "sweep"), (1, "random"), (LANES, "sweep"), (LANES, "random")):
                x = points(c.FNOMIN, c.INFLPRES, kind, rng)
                row.append(number(1e9 * per_point(tyre, what, lanes, x)))
            rows.append(tuple(row))
    head = ("tyre", "one point, ns", "sweep, ns", "random, ns", f"{LANES} lanes: sweep, ns", "random, ns")
    return Table("Magic Formula, per operating point", head, tuple(rows))


def per_point(tyre: MagicFormula, what: Any, lanes: int, x: Floats) -> float:
    """Seconds per operating point in machine code, the loop over rows of lanes included."""
    traced = trace("tyre", lambda x: {"y": np.array(what(tyre, Mode(), x), dtype=object)}, {"x": 7})
    function = compile_function(traced, lanes)
    rows = x if lanes == 1 else x.reshape(-1, lanes, x.shape[1]).transpose(0, 2, 1)

    def batch(n: int) -> float:
        start = perf_counter()
        for _ in range(n):
            function.at_rows(rows)
        return perf_counter() - start

    contender = Contender("", "", batch)
    race([contender], 60, 0.01)
    return contender.seconds / len(x)


def on_the_vehicle() -> Table:
    """Microseconds per evaluation of ẏ."""
    corners = VehicleParameters.load().corners
    kinds: dict[str, dict[str, TyreModel]] = {
        "TMeasy": {name: TMeasyTyre(corner.tyre) for name, corner in corners.items()}
    }
    for version in (52, 61, 62):
        c = coefficients(
            version, UNLOADED_RADIUS=0.47, FNOMIN=8500.0, VERTICAL_STIFFNESS=4e5, RIM_RADIUS=0.2, FZMIN=0.0
        )
        kinds[f"Magic Formula {version / 10:.1f}"] = {
            name: MagicFormulaTyre(MagicFormula(c)) for name in corners
        }
    contenders = []
    for name, tyres in kinds.items():
        model = ce.compile(hmmwv.build(speed=15.0, tyres=tyres))
        bound = model.dynamics.bind()
        bound.inputs["y"][:] = hmmwv.settle(model)
        arrays: Sequence[Any] = [*bound.inputs.values(), *bound.outputs.values()]
        loop = native_loop(model.dynamics.address, [a.ctypes.data for a in arrays], (model, bound))
        contenders.append(Contender(name, str(model.dynamics.signature.n_instructions), loop))
    race(contenders, 60)
    rows = tuple(
        (c.name, c.settings, number(1e6 * c.seconds), number(c.seconds / contenders[0].seconds))
        for c in contenders
    )
    return Table("ẏ of the HMMWV", ("tyres", "instructions", "µs", "of TMeasy"), rows)


if __name__ == "__main__":
    print(alone().terminal())
    print(on_the_vehicle().terminal())
