"""Analyses of models, views, tables, quantities of results."""

import inspect
import math
from functools import cache
from typing import Any

import numpy as np

import ce_dynamics as ce
from tests.campaigns.bad_input import values
from tests.campaigns.bad_input.cases import Case, in_folder
from tests.campaigns.bad_input.description import HERE, X
from tests.campaigns.bad_input.runs import asked, model
from tests.campaigns.bad_input.values import calls


def of_analyses() -> list[Case]:
    """Methods of `Model`."""
    zero, at = np.zeros(2), model().point("arm", X)
    names = {"text": "no such name", "bytes": b"angle"}
    every = dict.fromkeys(("of", "by", "keeping", "adjusting", "hold", "outputs"), names)
    points = {"points": [1], "texts": ["arm"], "pair": ["arm", None]}
    targets = {"text": {"arm": HERE}, "number": {1: HERE}}
    listed = "of:names~ by:names~ keeping:names~ adjusting:names~"
    tried: tuple[tuple[str, dict[str, Any], str, dict[str, Any]], ...] = (
        ("aggregated_body", {"body": "arm"}, "body:named_body~", {}),
        ("centroidal", {"q": zero, "v": zero}, "", {}), ("innovations", {"q": zero}, "", {}),
        ("inverse_mass_matrix", {"q": zero}, "", {}),
        ("solve_mass", {"q": zero, "T": zero}, "T:state2-matrix", {}),
        ("frame", {"body": "arm"}, "body:named_body~", {}),
        ("point", {"body": "arm"}, "body:named_body~", {}),
        ("derivatives", {"of": "angle", "by": "stiffness"}, listed, every),
        ("eigenvalue_derivatives", {"by": "stiffness"}, "by:names~", every),
        ("reaction_derivatives", {"of": "arm", "by": "stiffness"}, "of:names~ by:names~", every),
        ("contact_space", {"contacts": at}, "contacts:object-list~ tasks: held:vector-matrix",
         {"contacts": points}),
        ("inverse_kinematics", {"targets": {at: X}}, "targets:object~", {"targets": targets}),
        ("modes", {}, "hold:names~", every), ("linearize", {}, "outputs:names~", every),
    )  # fmt: skip
    found = []
    for of, good, spec, own in tried:
        arguments = inspect.signature(getattr(model(), of)).parameters
        found += asked(of, good, spec, {name: own[name] for name in own if name in arguments})

    def to_a_point(wanted: Any) -> Any:
        return model().inverse_kinematics({model().point("arm", X): wanted}, evaluations=200)

    found += [
        Case(f"inverse_kinematics(point at {name})", lambda value=value: to_a_point(value))  # type: ignore[misc]
        for name, value in values.NO_VECTOR.items()
    ]
    return found


@cache
def results() -> Any:
    return ce.simulate(model(), duration=0.01)


def of_pictures() -> list[Case]:
    texts: dict[str, Any] = {"number": 1, "bytes": b"x", "list": [], "thing": values.Thing(), "nan": math.nan}

    def table(**given: Any) -> Any:
        return in_folder(
            lambda folder: ce.save_table(**{"results": results(), "path": folder / "run.csv", **given})
        )

    found = calls(ce.describe, {}, "system:object") + calls(
        ce.quantity, {"results": results(), "name": "angle"}, "results:object name:word~ model:"
    )
    own = {
        "shapes": {"list": [1], "number": 1, "nobody": {"nobody": []}, "things": {"arm": [1]}},
        "scenery": {"number": 1, "text": "tree", "things": [1]},
        "cameras": {"number": 1, "text": "eye", "things": [1]}, "title": texts,
    }  # fmt: skip
    spec = "system:object results:object-nothing-mapping~ camera:word~ shapes:~ title:"
    found += calls(ce.view, {"system": model(), "results": results()}, spec, own)
    paths = texts | {
        "nothing": None, "ending": "/tmp/bad.xyz", "no ending": "bad", "folder": "/tmp",
        "device": "/dev/null/x.csv", "long": "x" * 5000 + ".csv", "zero byte": "a\0.csv",
    }  # fmt: skip
    return found + calls(ce.save_table, {}, "results:object path:~", {"path": paths}, run=table)


def prepare() -> None:
    results()
