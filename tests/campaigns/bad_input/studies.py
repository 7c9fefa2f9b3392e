"""Studies of many runs in a file, advice of a method, steady states, derivatives of runs, exports."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import ce_dynamics as ce
from tests.campaigns.bad_input import values
from tests.campaigns.bad_input.cases import Case
from tests.campaigns.bad_input.description import calls
from tests.campaigns.bad_input.runs import LAWS, model

Call = Callable[..., Any]


def in_a_folder(call: Call, name: str) -> Call:
    """Called with a path in a folder of its own, which is taken away again."""

    def run(**given: Any) -> Any:
        folder = Path(tempfile.mkdtemp())
        try:
            return call(**{"path": folder / name, **given})
        finally:
            shutil.rmtree(folder)

    return run


def study(**given: Any) -> Any:
    """A short study."""
    usual = {"model": model(), "y0s": np.zeros((2, 4)), "duration": 0.01, "lanes": 2}
    return ce.simulate_study(**{**usual, **given})


NO_PATH: dict[str, Any] = {
    "number": 1, "nothing": None, "bytes": b"study.h5", "zero byte": "a\0b", "long": "x" * 5000,
    "no folder": "no/such/folder/study.h5", "folder": tempfile.gettempdir(), "device": "/dev/null/x",
}  # fmt: skip


def of_studies() -> list[Case]:
    """`ce_dynamics.simulate_study` and `ce_dynamics.Study`."""
    counts = {**values.NO_INTEGER, "zero": 0}
    found = calls(
        "simulate_study",
        in_a_folder(study, "study.h5"),
        {},
        (
            "model:object path~ y0s:state4-nan-infinity parameters:parameters-list-nan~ "
            "duration:seconds inputs~ method:word step:positive-infinity-nothing "
            "rtol:positive-infinity-nothing atol:positive-infinity-nothing "
            "max_step:positive-infinity-nothing interval:seconds keep:names~ statistics:names~ "
            "batch:integer-nothing threads:integer-nothing lanes:-nothing precision:word "
            "retries:integer client:object-nothing progress"
        ),
        {
            "path": {k: v for k, v in NO_PATH.items() if k != "no folder"},
            "inputs": {k: v for k, v in LAWS.items() if k not in (*values.NO_MAPPING, "law of nan")},
            "keep": {"text": "angle"},
            "statistics": {"text": "angle"},
            "batch": {"zero": 0},
            "threads": {"zero": 0},
            "lanes": {**counts, "three": 3},
            "progress": {"text": "yes", "number": 1, "thing": values.Thing()},
        },
    )
    for name, times in {
        "step 1e-12": {"duration": 10.0, "step": 1e-12},
        "many instants": {"duration": 1e6, "interval": 1e-6},
        "many runs": {"y0s": np.broadcast_to(np.zeros(4), (10**9, 4))},
        "step of dopri5": {"method": "dopri5", "step": 1e-3},
        "rtol of rk4": {"rtol": 1e-6},
    }.items():

        def run(times: Any = times) -> Any:
            return in_a_folder(study, "study.h5")(**times)

        found.append(Case(f"simulate_study({name})", run))
    contents = {
        "empty": b"", "text": b"hello", "random": random.Random(1).randbytes(3000),
        "HDF": b"\x89HDF\r\n\x1a\n" + b"\0" * 2000, "none": None,
    }  # fmt: skip
    for name, content in contents.items():

        def read(content: bytes | None = content) -> Any:
            folder = Path(tempfile.mkdtemp())
            try:
                if content is not None:
                    (folder / "study.h5").write_bytes(content)
                return ce.Study(folder / "study.h5")
            finally:
                shutil.rmtree(folder)

        def go_on(content: bytes | None = content) -> Any:
            folder = Path(tempfile.mkdtemp())
            try:
                (folder / "study.h5").write_bytes(content or b"1")
                return study(path=folder / "study.h5")
            finally:
                shutil.rmtree(folder)

        found += [Case(f"Study of a file: {name}", read), Case(f"simulate_study onto a file: {name}", go_on)]
    found += [Case(f"Study({name})", partial(ce.Study, path)) for name, path in NO_PATH.items()]
    return found


def of_advice() -> list[Case]:
    """Advice, steady states, derivatives of runs."""
    found = calls(
        "recommend_method",
        lambda **given: ce.recommend_method(**{"model": model(), "horizon": 0.01, **given}),
        {},
        ("model:object y:state4 tolerance:positive inputs:laws~ parameters:parameters~ horizon:positive"),
    )
    names = {**values.NO_NAMES, "text": "no such name"}
    numbers = {k: v for k, v in values.NO_MAPPING.items() if "torque" not in str(v)}
    found += calls(
        "steady_state",
        lambda **given: ce.steady_state(
            **{"model": model(), "targets": {"angle": 0.1}, "find": ["torque"], **given}
        ),
        {},
        "model:object targets~ find:names~ y:state4 u:state2 moving:names~ tolerance:positive",
        {
            "targets": {**numbers, "nan": {"angle": float("nan")}, "text as value": {"angle": "1"}},
            "find": {"text": "no such name"},
            "moving": {"text": "no such name"},
        },
    )
    found += calls(
        "simulate_sensitivities",
        lambda **given: ce.simulate_sensitivities(
            **{"model": model(), "by": "stiffness", "duration": 0.01, **given}
        ),
        {},
        (
            "model:object inputs:laws~ by~ of:names~ duration:seconds y0:state4 y0_by:state4 "
            "parameters:parameters~ method:word rtol:positive atol:positive interval:seconds"
        ),
        {
            "by": {**names, "nothing": None, "empty": []},
            "of": {"text": "no such name"},
            "y0_by": {"row": np.zeros(4)},
        },
    )
    return found


def of_exports() -> list[Case]:
    """C source and FMUs."""
    folders = {k: v for k, v in NO_PATH.items() if k not in ("folder", "no folder", "bytes")}
    c = calls(
        "export_c",
        in_a_folder(lambda path, **given: ce.export_c(**{"model": model(), "folder": path, **given}), "c"),
        {},
        "model:object folder~ name:text-nothing y0:state4 derivatives:flag",
        {
            "folder": folders,
            "name": {"digit": "1x", "space": "a b", "keyword": "double", "path": "../x", "umlaut": "ä"},
        },
    )
    platforms: dict[str, Any] = {
        "number": 1, "unknown": ["amiga"], "text": "x86_64-linux", "empty": [], "numbers": [1],
        "nothing": None,
    }  # fmt: skip
    fmu = calls(
        "export_fmu",
        in_a_folder(
            lambda path, **given: ce.export_fmu(
                **{"model": model(), "path": path, "platforms": ["x86_64-linux"], **given}
            ),
            "model.fmu",
        ),
        {},
        (
            "model:object path~ fmi:word step:positive platforms~platform name:text-nothing y0:state4 "
            "sources:flag"
        ),
        {
            "path": {k: v for k, v in NO_PATH.items() if k not in ("no folder", "bytes")},
            "fmi": {"number": 3.0, "one": "1.0"},
            "platforms": platforms,
            "name": {"digit": "1x", "space": "a b", "keyword": "double", "path": "../x", "umlaut": "ä"},
        },
    )
    return [*c, *fmu]


def prepare() -> None:
    """Compile what is compiled once."""
    in_a_folder(study, "study.h5")()
    ce.recommend_method(model(), horizon=0.01)
    ce.simulate_sensitivities(model(), by="stiffness", duration=0.01)


def cases() -> list[Case]:
    """All of them."""
    return [*of_studies(), *of_advice(), *of_exports()]
