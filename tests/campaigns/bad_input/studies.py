"""Studies of many runs in a file, advice of a method, steady states, derivatives of runs, exports."""

import random
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import ce_dynamics as ce
from tests.campaigns.bad_input import values
from tests.campaigns.bad_input.cases import Case, in_folder
from tests.campaigns.bad_input.runs import INPUT_LAWS, PROGRESS, given_model, model, of_times
from tests.campaigns.bad_input.values import calls

Call = Callable[..., Any]


def in_a_folder(call: Call, name: str) -> Call:
    """Return a function that is called with a path in a folder of its own."""
    return lambda **given: in_folder(lambda folder: call(**{"path": folder / name, **given}))


def study(**given: Any) -> Any:
    usual = {"model": model(), "y0s": np.zeros((2, 4)), "duration": 0.01, "lanes": 2}
    return ce.simulate_study(**{**usual, **given})


NO_PATH: dict[str, Any] = {
    "number": 1, "nothing": None, "bytes": b"study.h5", "zero byte": "a\0b", "long": "x" * 5000,
    "no folder": "no/such/folder/study.h5", "folder": tempfile.gettempdir(), "device": "/dev/null/x",
}  # fmt: skip


def of_studies() -> list[Case]:
    """`ce_dynamics.simulate_study` and `ce_dynamics.Study`."""
    own = {
        "path": {k: v for k, v in NO_PATH.items() if k != "no folder"}, "inputs": INPUT_LAWS,
        "keep": {"text": "angle"}, "statistics": {"text": "angle"}, "batch": {"zero": 0},
        "threads": {"zero": 0}, "lanes": {"zero": 0, "three": 3}, "progress": PROGRESS,
    }  # fmt: skip
    spec = (
        "path:~ y0s:state4-nan-infinity parameters:parameters-list-nan~ inputs:~ step:-infinity "
        "rtol:-infinity atol:-infinity max_step:-infinity keep:names~ statistics:names~ batch:integer "
        "threads:integer lanes:integer retries:integer client:object progress: controls: "
        "jacobian_every: hinges:"
    )
    short = in_a_folder(study, "study.h5")
    found = calls(ce.simulate_study, {}, spec, own, run=short)
    found += of_times(short, "simulate_study", {
        "step 1e-12": {"duration": 10.0, "step": 1e-12},
        "many instants": {"duration": 1e6, "interval": 1e-6},
        "many runs": {"y0s": np.broadcast_to(np.zeros(4), (10**9, 4))},
        "step of dopri5": {"method": "dopri5", "step": 1e-3}, "rtol of rk4": {"rtol": 1e-6},
    })  # fmt: skip
    contents = {
        "empty": b"", "text": b"hello", "random": random.Random(1).randbytes(3000),
        "HDF": b"\x89HDF\r\n\x1a\n" + b"\0" * 2000, "none": None,
    }  # fmt: skip

    def onto(function: Call, content: bytes | None) -> Call:
        def run(path: Path) -> Any:
            if content is not None:
                path.write_bytes(content)
            return function(path)

        return in_a_folder(run, "study.h5")

    for name, content in contents.items():
        continued = onto(lambda path: study(path=path), content or b"1")
        found += [
            Case(f"Study of a file: {name}", onto(ce.Study, content)),
            Case(f"simulate_study onto a file: {name}", continued),
        ]
    return found + [Case(f"Study({name})", partial(ce.Study, path)) for name, path in NO_PATH.items()]


def of_advice() -> list[Case]:
    advised = given_model(ce.recommend_method, horizon=0.01)
    spec = "y:state4 inputs:laws~ parameters:parameters~ x: u: q: v: methods:"
    found = calls(ce.recommend_method, {}, spec, run=advised)
    numbers = {k: v for k, v in values.NO_MAPPING.items() if "torque" not in str(v)}
    steady = given_model(ce.steady_state, targets={"angle": 0.1}, find=["torque"])
    own = {
        "targets": {**numbers, "nan": {"angle": float("nan")}, "text as value": {"angle": "1"}},
        "find": {"text": "no such name"}, "moving": {"text": "no such name"},
    }  # fmt: skip
    spec = "targets:~ find:names~ y:state4 u:state2 moving:names~ hinges: bounds:"
    found += calls(ce.steady_state, {}, spec, own, run=steady)
    derived = given_model(ce.simulate_sensitivities, by="stiffness", duration=0.01)
    names = {**values.NO_NAMES, "text": "no such name", "nothing": None, "empty": []}
    own = {"by": names, "of": {"text": "no such name"}, "y0_by": {"row": np.zeros(4)}}
    spec = "inputs:laws~ by:~ of:names~ y0:state4 y0_by:state4 parameters:parameters~ hinges: max_step:"
    return found + calls(ce.simulate_sensitivities, {}, spec, own, run=derived)


def of_exports() -> list[Case]:
    names = {"digit": "1x", "space": "a b", "keyword": "double", "path": "../x", "umlaut": "ä"}
    paths = {k: v for k, v in NO_PATH.items() if k not in ("no folder", "bytes")}
    own = {"folder": {k: v for k, v in paths.items() if k != "folder"}, "name": names}
    source = lambda path, **given: ce.export_c(**{"model": model(), "folder": path, **given})  # noqa: E731
    spec = "folder:~ y0:state4 hinges: inputs:"
    found = calls(ce.export_c, {}, spec, own, run=in_a_folder(source, "c"))
    platforms: dict[str, Any] = {
        "number": 1, "unknown": ["amiga"], "text": "x86_64-linux", "empty": [], "numbers": [1],
        "nothing": None,
    }  # fmt: skip
    versions = {"number": 3.0, "one": "1.0"}
    own = {"path": paths, "fmi": versions, "platforms": platforms, "name": names}
    unit = given_model(ce.export_fmu, platforms=["x86_64-linux"])
    spec = "path:~ platforms:~platform y0:state4 hinges: inputs:"
    return found + calls(ce.export_fmu, {}, spec, own, run=in_a_folder(unit, "model.fmu"))


def prepare() -> None:
    in_a_folder(study, "study.h5")()
    ce.recommend_method(model(), horizon=0.01)
    ce.simulate_sensitivities(model(), by="stiffness", duration=0.01)
