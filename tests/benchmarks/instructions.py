"""How many scalar instructions each question needs, and each stage of an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import trace
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.models.hmmwv import prepare
from ce_dynamics.models.vehicles.case import build_ride
from tests.benchmarks.evaluation import HEAVY
from tests.benchmarks.report import Options, Result, Table

STAGES: tuple[tuple[str, Callable[[Instant], Any]], ...] = (
    ("dependent hinges (12)-(14)", lambda i: [m.hinge_motions for m in i.outward.motions.values()]),
    ("loads of the force elements", lambda i: (i.loads.wrenches, i.loads.torques)),
    ("sweep from the tips (4)-(6)", lambda i: [(n.nu, n.G, n.P_plus, n.z_plus) for n in i.nodes.values()]),
    ("ẏ: sweep from the base (7)", lambda i: i.y_dot),
)


def run(options: Options) -> Result:
    """Count."""
    case = prepare("double-lane-change")
    models = {
        "ride": Model(build_ride()),
        "ride, 28 bodies with mass": Model(build_ride(overrides=HEAVY)),
        "and the upright in two": Model(build_ride(overrides=(*HEAVY, "upright_link.mass=2 kg"))),
        "full vehicle": case.model,
    }
    counts = {
        name: [stage(model, [pick for _, pick in STAGES[: k + 1]]) for k in range(len(STAGES))]
        for name, model in models.items()
    }
    rows = [(text, *(f"{counts[name][k]:,}" for name in models)) for k, (text, _) in enumerate(STAGES)]
    rows.append(("ẏ alone", *(f"{model.dynamics.traced.n_instructions:,}" for model in models.values())))
    note = (
        "Summed up along the way: each line holds what its quantities and those above it need.  "
        "ẏ alone needs less: motions of massless bodies, for instance, have no influence."
    )
    tables = [Table("Instructions of one evaluation", ("up to", *models), tuple(rows), (note,))]
    functions = {"ẏ": case.model.dynamics.traced.n_instructions}
    functions["ẏ and the power"] = case.model.audited_dynamics.traced.n_instructions
    functions["all outputs and closure errors"] = case.model.observation.traced.n_instructions
    assert case.manoeuvre is not None, "a lane change has a driver"
    functions["driver"] = case.model.control(case.manoeuvre).traced.n_instructions
    if not options.quick:
        jacobian = case.model.jacobian
        functions[f"∂ẏ/∂y ({len(jacobian.rows)} entries)"] = jacobian.function.signature.n_instructions
    tables.append(
        Table(
            "Instructions of the functions of the full vehicle",
            ("function", "instructions"),
            tuple((name, f"{count:,}") for name, count in functions.items()),
        )
    )
    return Result(tuple(tables), {"stages": counts, "functions": functions})


def stage(model: Model, picks: Sequence[Callable[[Instant], Any]]) -> int:
    """Instructions that what is picked depends on."""

    def function(y: Any, u: Any) -> dict[str, Any]:
        instant = model.instant(y, u)
        return {"all": np.array(list(scalars([pick(instant) for pick in picks])), dtype=object)}

    sizes = {"y": len(model.layout.y0), "u": len(model.layout.u)}
    return trace("stage", function, sizes).n_instructions


def scalars(value: Any) -> Iterable[Any]:
    """All numbers in nested containers."""
    if isinstance(value, np.ndarray):
        yield from value.flat
    elif isinstance(value, Mapping):
        yield from scalars(tuple(value.values()))
    elif isinstance(value, (list, tuple)):
        for entry in value:
            yield from scalars(entry)
    elif value is not None:
        yield value
