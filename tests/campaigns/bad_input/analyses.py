"""Analyses of models, views, tables, quantities of results."""

from __future__ import annotations

import math
import shutil
import tempfile
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import ce_dynamics as ce
from tests.campaigns.bad_input import values
from tests.campaigns.bad_input.cases import Case
from tests.campaigns.bad_input.description import calls
from tests.campaigns.bad_input.runs import model

HERE, X, Z = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def of_analyses() -> list[Case]:
    """Methods of `Model`."""
    found = []

    def of(method: str, good: dict[str, Any], spec: str, own: dict[str, Any] | None = None) -> None:
        made = partial(lambda name, **given: getattr(model(), name)(**given), method)
        found.extend(calls(method, made, good, spec, own))

    zero = np.zeros(2)
    of("aggregated_body", {"body": "arm"}, "body:named_body~ y:state4 u:state2")
    of("centroidal", {"q": zero, "v": zero}, "q:state2 v:state2 u:state2")
    of("innovations", {"q": zero}, "q:state2 u:state2")
    of("inverse_mass_matrix", {"q": zero}, "q:state2 u:state2")
    of("solve_mass", {"q": zero, "T": zero}, "q:state2 T:state2-matrix u:state2")
    for method in ("frame", "point"):
        of(method, {"body": "arm"}, "body:named_body~ at:vector")
    names = {"text": "no such name", "bytes": b"angle"}
    every = dict.fromkeys(("of", "by", "keeping", "adjusting", "hold", "outputs"), names)
    good = {"of": "angle", "by": "stiffness"}
    of("derivatives", good, "of:names~ by:names~ keeping:names~ adjusting:names~ y:state4 u:state2", every)
    of("eigenvalue_derivatives", {"by": "stiffness"}, "by:names~ y:state4 u:state2 at_rest:flag", every)
    of("reaction_derivatives", good | {"of": "arm"}, "of:names~ by:names~ y:state4 u:state2", every)
    points = {"points": [1], "texts": ["arm"], "pair": ["arm", None]}
    of("operational_space", {"targets": None}, "targets:object~", {"targets": points})
    of("contact_space", {"contacts": None}, "contacts:object-list~", {"contacts": points})
    targets = {"text": {"arm": HERE}, "number": {1: HERE}}
    of("inverse_kinematics", {}, "targets:object~", {"targets": targets})

    def to_a_point(wanted: Any) -> Any:
        return model().inverse_kinematics({model().point("arm", X): wanted}, evaluations=200)

    found += [
        Case(f"inverse_kinematics(point at {name})", lambda value=value: to_a_point(value))  # type: ignore[misc]
        for name, value in values.NO_VECTOR.items()
    ]
    for what, kind in (("y", "state4"), ("u", "state2")):
        for method in ("modes", "linearize"):
            of(method, {}, f"{what}:{kind}")
    of("modes", {}, "hold:names~ damped:flag", every)
    of("linearize", {}, "outputs:names~", every)
    return found


@cache
def results() -> Any:
    """A short run."""
    return ce.simulate(model(), duration=0.01)


def of_pictures() -> list[Case]:
    """Views, tables, quantities."""
    texts: dict[str, Any] = {"number": 1, "bytes": b"x", "list": [], "thing": values.Thing(), "nan": math.nan}

    def table(**given: Any) -> Any:
        folder = Path(tempfile.mkdtemp())
        try:
            return ce.save_table(**{"results": results(), "path": folder / "run.csv", **given})
        finally:
            shutil.rmtree(folder)

    found = calls("describe", ce.describe, {}, "system:object")
    found += calls(
        "view",
        ce.view,
        {"system": model(), "results": results()},
        (
            "system:object results:object-nothing-mapping~ shapes~ scenery~ cameras~ "
            "camera:word-nothing~ title"
        ),
        {
            "shapes": {"list": [1], "number": 1, "nobody": {"nobody": []}, "things": {"arm": [1]}},
            "scenery": {"number": 1, "text": "tree", "things": [1]},
            "cameras": {"number": 1, "text": "eye", "things": [1]},
            "title": texts,
        },
    )
    found += calls(
        "quantity", ce.quantity, {"results": results(), "name": "angle"}, "results:object name:word~"
    )
    found += calls(
        "save_table",
        table,
        {},
        "results:object path~",
        {
            "path": {
                **texts,
                "nothing": None,
                "ending": "/tmp/bad.xyz",
                "no ending": "bad",
                "folder": "/tmp",
                "device": "/dev/null/x.csv",
                "long": "x" * 5000 + ".csv",
                "zero byte": "a\0.csv",
            }
        },
    )
    return found


def prepare() -> None:
    """Compile what is compiled once."""
    results()


def cases() -> list[Case]:
    """All of them."""
    return [*of_analyses(), *of_pictures()]
