"""Analyses of models, views, tables, quantities of results."""

from __future__ import annotations

import math
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import ce_dynamics as ce
from tests.bad_input import values
from tests.bad_input.cases import Case
from tests.bad_input.description import calls
from tests.bad_input.runs import model

HERE, X, Z = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
NO_BODY: dict[str, Any] = {k: v for k, v in values.NO_OBJECT.items() if k != "text"} | {"unknown": "nobody"}


def of_analyses() -> list[Case]:
    """Methods of `Model`."""
    q = values.no_state(2)
    inputs = values.no_state(2)
    names = {**values.NO_NAMES, "text": "no such name", "bytes": b"angle"}
    found = []

    def of(method: str, good: dict[str, Any], bad: dict[str, Any], **says: str) -> None:
        found.extend(
            calls(method, lambda **given: getattr(model(), method)(**{**good, **given}), {}, bad, (), says)
        )

    of("aggregated_body", {"body": "arm"}, {"body": NO_BODY, "y": values.no_state(4), "u": inputs}, body="")
    of("centroidal", {"q": np.zeros(2), "v": np.zeros(2)}, {"q": q, "v": q, "u": inputs})
    of("innovations", {"q": np.zeros(2)}, {"q": q, "u": inputs})
    of("inverse_mass_matrix", {"q": np.zeros(2)}, {"q": q, "u": inputs})
    of(
        "solve_mass",
        {"q": np.zeros(2), "T": np.zeros(2)},
        {"q": q, "T": {k: v for k, v in q.items() if k != "matrix"}, "u": inputs},
    )
    of(
        "frame",
        {"body": "arm"},
        {"body": NO_BODY, "at": values.NO_VECTOR},
        body="",
    )
    of("point", {"body": "arm"}, {"body": NO_BODY, "at": values.NO_VECTOR}, body="")
    of(
        "derivatives",
        {"of": "angle", "by": "stiffness"},
        {
            "of": names,
            "by": names,
            "keeping": names,
            "adjusting": names,
            "y": values.no_state(4),
            "u": inputs,
        },
        of="",
        by="",
        keeping="",
        adjusting="",
    )
    of(
        "eigenvalue_derivatives",
        {"by": "stiffness"},
        {"by": names, "y": values.no_state(4), "u": inputs, "at_rest": values.NO_FLAG},
        by="",
    )
    of(
        "reaction_derivatives",
        {"of": "arm", "by": "stiffness"},
        {"of": names, "by": names, "y": values.no_state(4), "u": inputs},
        of="",
        by="",
    )
    points: dict[str, Any] = {**values.NO_OBJECT, "points": [1], "texts": ["arm"], "pair": ["arm", None]}
    for method, argument in (("operational_space", "targets"), ("contact_space", "contacts")):
        pool = {k: v for k, v in points.items() if k != "list" or argument == "targets"}
        of(method, {argument: None}, {argument: pool}, **{argument: ""})
    targets: dict[str, Any] = {
        **values.NO_OBJECT,
        "text": {"arm": HERE},
        "number": {1: HERE},
    }
    of("inverse_kinematics", {}, {"targets": targets}, targets="")

    def to_a_point(wanted: Any) -> Any:
        return model().inverse_kinematics({model().point("arm", X): wanted}, evaluations=200)

    found += [
        Case(f"inverse_kinematics(point at {name})", lambda value=value: to_a_point(value))  # type: ignore[misc]
        for name, value in values.NO_VECTOR.items()
    ]
    for what in ("y", "u"):
        pool = values.no_state(4) if what == "y" else inputs
        of("modes", {}, {what: pool})
        of("linearize", {}, {what: pool})
    of("modes", {}, {"hold": names, "damped": values.NO_FLAG}, hold="")
    of("linearize", {}, {"outputs": names}, outputs="")
    return found


@cache
def results() -> Any:
    """A short run."""
    return ce.simulate(model(), duration=0.01)


def of_pictures() -> list[Case]:
    """Views, tables, quantities."""
    objects, word = values.NO_OBJECT, values.NO_WORD
    texts: dict[str, Any] = {"number": 1, "bytes": b"x", "list": [], "thing": values.Thing(), "nan": math.nan}

    def table(**given: Any) -> Any:
        folder = Path(tempfile.mkdtemp())
        try:
            return ce.save_table(**{"results": results(), "path": folder / "run.csv", **given})
        finally:
            shutil.rmtree(folder)

    found = calls("describe", ce.describe, {}, {"system": objects})
    found += calls(
        "view",
        ce.view,
        {"system": model(), "results": results()},
        {
            "system": objects,
            "results": {k: v for k, v in objects.items() if k != "nothing"},
            "shapes": {"list": [1], "number": 1, "nobody": {"nobody": []}, "things": {"arm": [1]}},
            "scenery": {"number": 1, "text": "tree", "things": [1]},
            "cameras": {"number": 1, "text": "eye", "things": [1]},
            "camera": {k: v for k, v in word.items() if k != "nothing"},
            "title": texts,
        },
        ("results:mapping",),
        {"shapes": "", "camera": "", "scenery": "", "cameras": "", "results": ""},
    )
    found += calls(
        "quantity",
        ce.quantity,
        {"results": results(), "name": "angle"},
        {"results": objects, "name": word},
        (),
        {"name": ""},
    )
    found += calls(
        "save_table",
        table,
        {},
        {
            "results": objects,
            "path": {
                **texts,
                "nothing": None,
                "ending": "/tmp/bad.xyz",
                "no ending": "bad",
                "folder": "/tmp",
                "device": "/dev/null/x.csv",
                "long": "x" * 5000 + ".csv",
                "zero byte": "a\0.csv",
            },
        },
        (),
        {"path": ""},
    )
    return found


def prepare() -> None:
    """Compile what is compiled once."""
    results()


def cases() -> list[Case]:
    """All of them."""
    return [*of_analyses(), *of_pictures()]
