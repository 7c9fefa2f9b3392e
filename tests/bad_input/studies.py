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
from tests.bad_input import values
from tests.bad_input.cases import Case
from tests.bad_input.description import calls
from tests.bad_input.runs import BAD_TIMES, LAWS, PARAMETERS, TIMES, model

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
    "number": 1,
    "nothing": None,
    "bytes": b"study.h5",
    "zero byte": "a\0b",
    "long": "x" * 5000,
    "no folder": "no/such/folder/study.h5",
    "folder": tempfile.gettempdir(),
    "device": "/dev/null/x",
}


def of_studies() -> list[Case]:
    """`ce_dynamics.simulate_study` and `ce_dynamics.Study`."""
    states = {k: v for k, v in values.no_state(4).items() if k not in ("nan", "infinity")}
    counts = {**values.NO_INTEGER, "zero": 0}
    names = {**values.NO_NAMES, "text": "angle"}
    bad: dict[str, Any] = {
        "model": values.NO_OBJECT,
        "path": {k: v for k, v in NO_PATH.items() if k != "no folder"},  # a folder is made
        "y0s": states,
        "parameters": {k: v for k, v in PARAMETERS.items() if k not in ("list", "nan")},
        "duration": values.NO_SECONDS,
        "inputs": {k: v for k, v in LAWS.items() if k not in (*values.NO_MAPPING, "law of nan")},
        "method": values.NO_WORD,
        "step": TIMES,
        "rtol": TIMES,
        "atol": TIMES,
        "max_step": TIMES,
        "interval": values.NO_SECONDS,
        "keep": names,
        "statistics": names,
        "batch": counts,
        "threads": counts,
        "lanes": {**counts, "three": 3},
        "precision": values.NO_WORD,
        "retries": values.NO_INTEGER,
        "client": {k: v for k, v in values.NO_OBJECT.items() if k != "nothing"},
        "progress": {"text": "yes", "number": 1, "thing": values.Thing()},
    }
    none = tuple(
        f"{name}:nothing" for name in ("step", "rtol", "atol", "max_step", "batch", "threads", "lanes")
    )
    free = ("parameters", "inputs", "keep", "statistics", "path")
    found = calls("simulate_study", in_a_folder(study, "study.h5"), {}, bad, none, dict.fromkeys(free, ""))
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
        "empty": b"",
        "text": b"hello",
        "random": random.Random(1).randbytes(3000),
        "HDF": b"\x89HDF\r\n\x1a\n" + b"\0" * 2000,
        "none": None,
    }
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
    states, inputs = values.no_state(4), values.no_state(2)
    free = {"inputs": "", "parameters": ""}
    found = calls(
        "recommend_method",
        lambda **given: ce.recommend_method(**{"model": model(), "horizon": 0.01, **given}),
        {},
        {
            "model": values.NO_OBJECT,
            "y": states,
            "tolerance": BAD_TIMES,
            "inputs": LAWS,
            "parameters": PARAMETERS,
            "horizon": BAD_TIMES,
        },
        says=free,
    )
    names = {**values.NO_NAMES, "text": "no such name"}
    numbers = {k: v for k, v in values.NO_MAPPING.items() if "torque" not in str(v)}
    found += calls(
        "steady_state",
        lambda **given: ce.steady_state(
            **{"model": model(), "targets": {"angle": 0.1}, "find": ["torque"], **given}
        ),
        {},
        {
            "model": values.NO_OBJECT,
            "targets": {**numbers, "nan": {"angle": float("nan")}, "text as value": {"angle": "1"}},
            "find": names,
            "y": states,
            "u": inputs,
            "moving": names,
            "tolerance": BAD_TIMES,
        },
        says={"targets": "", "find": "", "moving": ""},
    )
    found += calls(
        "simulate_sensitivities",
        lambda **given: ce.simulate_sensitivities(
            **{"model": model(), "by": "stiffness", "duration": 0.01, **given}
        ),
        {},
        {
            "model": values.NO_OBJECT,
            "inputs": LAWS,
            "by": {**names, "nothing": None, "empty": []},
            "of": names,
            "duration": values.NO_SECONDS,
            "y0": states,
            "y0_by": {**states, "row": np.zeros(4)},
            "parameters": PARAMETERS,
            "method": values.NO_WORD,
            "rtol": BAD_TIMES,
            "atol": BAD_TIMES,
            "interval": values.NO_SECONDS,
        },
        says={**free, "by": "", "of": ""},
    )
    return found


def of_exports() -> list[Case]:
    """C source and FMUs."""
    states = values.no_state(4)
    c_names = {k: v for k, v in values.NO_TEXT.items() if k != "nothing"}
    no_c_names = {
        **c_names,
        "digit": "1x",
        "space": "a b",
        "keyword": "double",
        "path": "../x",
        "umlaut": "ä",
    }
    folders = {k: v for k, v in NO_PATH.items() if k not in ("folder", "no folder", "bytes")}
    c = calls(
        "export_c",
        in_a_folder(lambda path, **given: ce.export_c(**{"model": model(), "folder": path, **given}), "c"),
        {},
        {
            "model": values.NO_OBJECT,
            "folder": folders,
            "name": no_c_names,
            "y0": states,
            "derivatives": values.NO_FLAG,
        },
        says={"folder": ""},
    )
    platforms: dict[str, Any] = {
        "number": 1,
        "unknown": ["amiga"],
        "text": "x86_64-linux",
        "empty": [],
        "numbers": [1],
        "nothing": None,
    }
    fmu = calls(
        "export_fmu",
        in_a_folder(
            lambda path, **given: ce.export_fmu(
                **{"model": model(), "path": path, "platforms": ["x86_64-linux"], **given}
            ),
            "model.fmu",
        ),
        {},
        {
            "model": values.NO_OBJECT,
            "path": {k: v for k, v in NO_PATH.items() if k not in ("no folder", "bytes")},
            "fmi": {**values.NO_WORD, "number": 3.0, "one": "1.0"},
            "step": BAD_TIMES,
            "platforms": platforms,
            "name": no_c_names,
            "y0": states,
            "sources": values.NO_FLAG,
        },
        says={"path": "", "platforms": "platform"},
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
