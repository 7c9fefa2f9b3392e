"""Rigs, targets, tolerances, optimisation; manoeuvres, procedures, drive pages."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from ce_dynamics import augmented, vehicles
from ce_dynamics.augmented import simulate_baumgarte, simulate_dae
from ce_dynamics.models import environments, handling, hmmwv, kc
from tests.campaigns.bad_input import values
from tests.campaigns.bad_input.cases import Case
from tests.campaigns.bad_input.description import calls, fresh
from tests.campaigns.bad_input.runs import model

HERE, X, Z = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


@cache
def rig() -> Any:
    """Of the sedan's front axle."""
    return kc.rig_of("sedan", "front", free=["front.D.y"])


def of_rigs() -> list[Case]:
    """Rigs, targets, discs, scatter, optimisation."""
    numbers: dict[str, Any] = {"text": "wide", "nan": [math.nan], "texts": ["a"], "thing": values.Thing()}
    found = calls(
        "rig_of",
        lambda **given: kc.rig_of(**{"vehicle": "sedan", **given}),
        {},
        "vehicle:object-nothing~ axle:word~ overrides:names~ free:names~",
        {"overrides": {"text": "front.D=1"}, "free": {"no hardpoint": ["chassis.title"]}},
    )
    found += calls(
        "Target",
        kc.Target,
        {"quantity": "camber", "wanted": 0.0, "tolerance": 0.1},
        "quantity:text~ wanted~ tolerance:positive sweep:word~ values~ side:word",
        {"wanted": {**numbers, "nothing": None}, "values": numbers},
    )
    found += calls(
        "Disc",
        kc.Disc,
        {"body": "chassis", "centre": HERE, "axis": X, "size": 0.1},
        "body:text centre:vector axis:direction size:positive radius:not_negative",
    )
    found += calls(
        "scatter",
        lambda **given: kc.scatter(
            **{
                "rig": rig(),
                "spreads": {"front.D.y": 0.001},
                "kind": "parallel",
                "quantities": ["camber_angle"],
                "runs": 2,
                **given,
            }
        ),
        {},
        (
            "rig:object~ spreads:mapping~ kind:word~ values~ quantities:names~ runs:integer "
            "seed:integer distribution:word"
        ),
        {
            "spreads": {
                "unknown": {"front.E.y": 0.001},
                "negative": {"front.D.y": -1.0},
                "nan": {"front.D.y": math.nan},
                "empty": {},
            },
            "values": numbers,
            "quantities": {"text": "no such", "empty": []},
            "runs": {"zero": 0},
        },
    )
    found += calls(
        "optimise",
        lambda **given: kc.optimise(
            **{
                "rig": rig(),
                "vary": {"front.D.y": (0.7, 0.8)},
                "targets": [kc.Target("camber_angle", 0.0, 0.1)],
                **given,
            }
        ),
        {},
        "rig:object~ vary:mapping~ targets~ clearances~ start~ tolerance:positive",
        {
            "vary": {
                "down": {"front.D.y": (0.5, 0.3)},
                "one": {"front.D.y": (0.5,)},
                "nan": {"front.D.y": (0.3, math.nan)},
                "empty": {},
                "unknown": {"front.E.y": (0.0, 1.0)},
            },
            "targets": {
                "nothing": None,
                "empty": [],
                "number": 1,
                "texts": ["camber"],
                "thing": values.Thing(),
            },
            "clearances": {"number": 1, "texts": ["gap"]},
            "start": {"unknown": {"front.E.y": 0.0}, "nan": {"front.D.y": math.nan}, "number": 1},
        },
    )
    found += calls(
        "ends_of_travel",
        lambda **given: kc.ends_of_travel(**{"rig": rig(), **given}),
        {},
        "rig:object~ kind:word~ parameters:mapping~ within:positive",
    )
    return found


def of_vehicles() -> list[Case]:
    """Procedures, manoeuvres, pages."""
    options: dict[str, Any] = {
        "number": 1, "list": ["radius"], "unknown": {"nothing": 1.0}, "nan": {"radius": math.nan},
        "text": {"radius": "far"}, "unit": {"radius": "1 kg"}, "nothing": {"radius": None},
        "list as value": {"radius": [1.0]}, "negative": {"radius": -1.0}, "number as name": {1: 1.0},
    }  # fmt: skip
    found = calls(
        "make_manoeuvre",
        lambda **given: hmmwv.make_manoeuvre(**{"name": "steady-circle", **given}),
        {},
        "name:word~ options~ parameters:object-nothing~",
        {"options": options},
    )
    found += calls(
        "perform",
        lambda **given: handling.perform(**{"name": "step-steer", "subject": object(), **given}),
        {},
        "name:word~ subject:object~",
    )
    found += calls(
        "compare",
        lambda **given: handling.compare(**{"names": ["step-steer"], "subjects": [], **given}),
        {},
        "names:names~ subjects:object~",
        {"names": {"text": "step-steer", "empty": []}, "subjects": {"ones": [1]}},
    )
    found += calls(
        "drive_page",
        hmmwv.drive_page,
        {},
        (
            "vehicles:names~ manoeuvre:word-nothing~ road:word-nothing~ "
            "speed:not_negative-nothing-text-NumPy_text~ overrides:names~ tyres:names~ sliders:names~ "
            "step:positive"
        ),
        {
            "vehicles": {"text": "hmmwv", "empty": []},
            "overrides": {"text": "nothing=1"},
            "tyres": {"text": "no.tir"},
            "sliders": {"text": "chassis.mass", "down": ["chassis.mass=2:1"]},
            "step": {"long": 1.0, "minute": 1e-300},
        },
    )
    found += calls(
        "build_ride",
        hmmwv.build_ride,
        {},
        "overrides:names~ variant:word~ free:names~",
        {"overrides": {"text": "nothing=1"}, "free": {"no hardpoint": ["chassis"]}},
    )
    found += calls("settle", hmmwv.settle, {}, "model:object~")
    return found


OBJECT, WORD, NAMES, TEXT = values.NO_OBJECT, values.NO_WORD, values.NO_NAMES, values.NO_TEXT
POSITIVE, NUMBER, VECTOR, FLAG = values.NO_POSITIVE, values.NO_NUMBER, values.NO_VECTOR, values.NO_FLAG
NUMBERS: dict[str, Any] = {
    "text": "wide", "nan": [math.nan], "texts": ["a"], "thing": values.Thing(), "empty": [],
    "matrix": np.eye(2),
    "bytes": b"1", "ragged": values.ragged(), "huge": [values.HUGE], "nothing in it": [None],
}  # fmt: skip
OPTIONS: dict[str, Any] = {
    "number": 1, "list": ["speed"], "unknown": {"no such option": 1.0}, "nan": {"speed": math.nan},
    "text": {"speed": "fast"}, "nothing": {"speed": None}, "number as name": {1: 1.0},
}  # fmt: skip
PARAMETERS = {k: v for k, v in values.NO_MAPPING.items() if k not in ("zero", "empty list")}
ROAD = WORD | {"bad": "bump:height=nan"}
SPEED = {k: v for k, v in POSITIVE.items() if k not in ("text", "NumPy text", "zero")}
FILE = {k: v for k, v in TEXT.items() if k != "empty"} | {"folder": "/"}


def given(pool: dict[str, Any]) -> dict[str, Any]:
    """Return a pool for an argument that may be left out."""
    return {name: value for name, value in pool.items() if name not in ("nothing", "zero", "empty list")}


@cache
def elastic() -> Any:
    """Compliance of an axle with bushings."""
    return kc.compliance_of("sedan", "front")


@cache
def car() -> vehicles.Vehicle:
    """A vehicle."""
    return vehicles.load("sedan")


@cache
def run() -> Any:
    """Results of it."""
    return car().drive("straight", duration=0.02, method="rk4")


@cache
def subject() -> Any:
    """A vehicle for procedures."""
    return handling.vehicle("sedan")


def parts() -> dict[str, Any]:
    """Return what states of bodies are computed from."""
    two = model()
    empty = np.zeros(0)
    return {"embedding": two.embedding, "q": np.zeros(2), "v": np.zeros(2), "x": empty, "u": np.zeros(1)}


def prepared() -> Any:
    """A system in absolute coordinates."""
    return augmented.FullyAugmented(fresh())


def start() -> dict[str, Any]:
    """Return the arguments of its simulation."""
    form, two = prepared(), parts()
    two.pop("u")
    return {"model": form, "y0": form.state_from_embedded(**two, u={"torque": 0.0}), "t_eval": [0.0, 1e-3]}


def wheel() -> dict[str, Any]:
    """Return wheels of an axle."""
    one = kc.Wheel("left", 0.3)
    return {"name": "front", "left": one, "right": one}


NO_STATES = {k: v for k, v in OBJECT.items() if k != "mapping"}
ENDLESS = {k: v for k, v in POSITIVE.items() if k != "infinity"}
TIMES = NUMBERS | {"down": [1.0, 0.0], "one": [0.0], "nothing": None, "text": "ab"}
DAE: dict[str, Any] = {
    "model": OBJECT, "y0": values.no_state(26), "t_eval": TIMES, "rtol": POSITIVE, "atol": POSITIVE,
    "inputs": {"text": "torque", "unknown": {"no such name": 1.0}, "nan": {"torque": math.nan},
    "number": 1.0},
}  # fmt: skip
VEHICLE = {"vehicle": OBJECT | {"name": "no such vehicle"}}
FITTED = {"overrides": NAMES | {"text": "no.such=1"}, "free": NAMES, "axle": WORD}
SET_UP = {
    "changes": NAMES | {"mapping": {"chassis.mass": math.nan}, "unknown key": {"no.such": 1.0}, "text": "a"},
    "tyres": NAMES | {"text": "no.tir"}, "road": given(ROAD), "free": NAMES | {"text": "chassis.mass"},
}  # fmt: skip
TASK = {"manoeuvre": given(WORD), "speed": given(SPEED), "duration": given(SPEED), "options": given(OPTIONS)}
INTEGRATION = {"method": WORD, "rtol": given(POSITIVE), "atol": given(POSITIVE), "step": given(POSITIVE)}
SWEPT = {"kind": WORD, "values": NUMBERS}
ENVIRONMENT = {
    "task": WORD, "num_envs": values.NO_INTEGER | {"zero": 0}, "speed": given(SPEED), "dt": POSITIVE,
    "step": POSITIVE, "road": given(ROAD), "tyres": NAMES, "overrides": NAMES,
    "randomise": given(values.NO_MAPPING),
    "steering": SPEED, "autoreset_mode": WORD, "lanes": given(values.NO_INTEGER),
    "threads": given(values.NO_INTEGER),
    "options": given(OPTIONS),
}  # fmt: skip
FUNCTIONS: tuple[tuple[Callable[..., Any], Callable[[], dict[str, Any]], dict[str, Any]], ...] = (
    (simulate_dae, start, DAE | {"max_step": given(POSITIVE), "linear_solver": WORD}),
    (simulate_baumgarte, start, DAE | {"alpha": POSITIVE, "beta": POSITIVE, "method": WORD}),
    (augmented.Preparation, lambda: {k: v for k, v in start().items() if k != "t_eval"},
     {k: DAE[k] for k in ("model", "y0", "inputs")} | {"t0": NUMBER}),
    (augmented.FullyAugmented, dict, {"system": OBJECT}),
    (augmented.TreeAugmented, dict, {"system": OBJECT}),
    (augmented.AbsoluteObserver, dict, {"states": NO_STATES}),
    (environments.prepare_vehicle, lambda: {"vehicle": "sedan", "manoeuvre": "straight", "speed": 10.0},
     VEHICLE | {"manoeuvre": given(WORD), "speed": given(SPEED), "options": given(OPTIONS),
      "steering": SPEED}),
    (environments.VehicleVectorEnv, lambda: {"vehicle": "sedan", "num_envs": 2}, VEHICLE | ENVIRONMENT),
    (environments.DrivenVehicle, lambda: {
        "title": "a", "model": model(), "y0": np.zeros(4), "speed": 1.0, "length": 1.0, "width": 1.0,
        "middle": 0.0,
    }, {"title": TEXT, "model": OBJECT, "y0": values.no_state(4), "speed": POSITIVE, "length": POSITIVE,
        "width": POSITIVE, "middle": NUMBER, "manoeuvre": given(OBJECT), "steering": POSITIVE}),
    (handling.vehicle, dict, {"model": OBJECT, "overrides": NAMES, "title": given(TEXT), "tyres": NAMES,
                              "road": given(ROAD)}),
    (handling.make_run, lambda: {
        "subject": subject(), "name": "a", "task": hmmwv.make_manoeuvre("straight", {"duration": 0.1}),
    }, {"subject": OBJECT, "name": TEXT, "task": OBJECT, "road": given(ROAD), "interval": POSITIVE}),
    (handling.page, dict, {"outcomes": OBJECT | {"ones": [1]}}),
    (handling.save_page, lambda: {"outcomes": [], "path": "a.html"}, {"outcomes": OBJECT | {"ones": [1]},
     "path": FILE}),
    (kc.Bushing, lambda: {"between": ("a", "b"), "at": HERE, "axis": X, "stiffness": [1e6] * 6},
     {"between": NAMES | {"one": ["a"]}, "at": VECTOR, "axis": values.NO_DIRECTION, "stiffness": NUMBERS,
      "x_axis": given(values.NO_DIRECTION)}),
    (kc.Part, lambda: {"body": "arm", "points": [HERE, X]},
     {"body": TEXT, "points": NUMBERS, "radius": values.NO_NOT_NEGATIVE}),
    (kc.Clearance, lambda: {"name": "gap", "one": kc.Part("a", [HERE]), "other": kc.Part("b", [X]),
     "least": 0.0},
     {"name": TEXT, "one": OBJECT, "other": OBJECT, "least": NUMBER, "sweep": WORD,
      "values": given(NUMBERS)}),
    (kc.Wheel, lambda: {"body": "left", "loaded_radius": 0.3},
     {"body": TEXT, "loaded_radius": POSITIVE, "tyre_rate": ENDLESS, "kingpin": given(OBJECT)}),
    (kc.Axle, wheel, {"name": TEXT, "left": OBJECT, "right": OBJECT, "chassis": TEXT,
     "steered_by": given(TEXT),
                      "full_lock": NUMBER, "brake_share": values.NO_FRACTION,
                      "drive_share": values.NO_FRACTION}),
    (kc.KCRig, lambda: {"model": rig().model, "axle": rig().axle}, {"model": OBJECT, "axle": OBJECT}),
    (kc.Compliance, lambda: {"rig": rig(), "bushings": []}, {"rig": OBJECT,
     "bushings": OBJECT | {"ones": [1]}}),
    (kc.ComplianceSensitivities, dict, {"elastic": OBJECT}),
    (kc.ForceSweep, lambda: {"kind": "lateral", "values": [0.0, 1.0]}, {"kind": WORD, "values": NUMBERS,
     "place": WORD,
     "hold": WORD, "travel": NUMBERS}),
    (kc.axle_of, lambda: {"data": car().data, "system": car().system(), "axle": "front"},
     {"data": OBJECT, "system": OBJECT, "axle": WORD}),
    (kc.compliance_figures, lambda: {"C": np.eye(6), "track": 1.5, "loaded_radius": 0.3},
     {"C": NUMBERS, "track": POSITIVE, "loaded_radius": POSITIVE, "tyre_rate": POSITIVE}),
    (kc.compliance_of, lambda: {"vehicle": "sedan"}, {"vehicle": given(VEHICLE["vehicle"]), **FITTED}),
    (kc.differentiate_force_sweep, lambda: {"elastic": elastic(), "sweep": "lateral",
     "quantities": ["toe_angle"]},
     {"elastic": OBJECT, "sweep": WORD, "values": NUMBERS, "quantities": NAMES | {"empty": []}}),
    (kc.force_sweep, lambda: {"elastic": elastic(), "sweep": "lateral"},
     {"elastic": OBJECT, "sweep": WORD, "values": NUMBERS}),
    (kc.travel_sweep, lambda: {"elastic": elastic(), "kind": "parallel"}, {"elastic": OBJECT, **SWEPT}),
    (kc.hardpoint, lambda: {"data": car().data, "key": "front.D"}, {"data": OBJECT, "key": WORD}),
    (kc.sensitivities, lambda: {"rig": rig(), "kind": "parallel", "quantities": ["toe_angle"]},
     {"rig": OBJECT, **SWEPT, "quantities": NAMES, "parameters": PARAMETERS}),
    (hmmwv.build, dict, {"parameters": given(OBJECT), "overrides": NAMES, "path": given(WORD),
     "road": given(OBJECT),
                         "speed": values.NO_NOT_NEGATIVE, "tyres": given(NO_STATES), "ideal_joints": FLAG,
                         "steering_wheel": FLAG}),
    (hmmwv.double_lane_change, dict, {"speed": SPEED, "no_such": {"option": 1.0}}),
    (hmmwv.figure, lambda: {"results": run()}, {"results": OBJECT, "manoeuvre": given(OBJECT)}),
    (hmmwv.summarise, lambda: {"results": run()}, {"results": OBJECT, "manoeuvre": given(OBJECT)}),
    (hmmwv.picture_of, lambda: {"case": car().prepare("straight", practice=False), "results": run()},
     {"case": OBJECT, "results": OBJECT}),
    (hmmwv.prepare, dict, {"model": OBJECT, "overrides": NAMES, "tyres": NAMES, "road": given(ROAD),
     "free": NAMES} | TASK),
    (hmmwv.run, lambda: {"manoeuvre": "straight", "duration": 0.01}, {"overrides": NAMES, **TASK,
     **INTEGRATION}),
    (hmmwv.steady, lambda: {"model": model(), "speed": 1.0},
     {"model": OBJECT, "speed": POSITIVE, "radius": given(POSITIVE)}),
    (vehicles.load, dict, {**VEHICLE, **SET_UP}),
)  # fmt: skip
"""Functions, their good arguments, and pools of bad ones."""
METHODS: dict[str, dict[str, Any]] = {
    "variant": SET_UP,
    "drive": TASK | INTEGRATION,
    "prepare": TASK | {"practice": FLAG, "steering_wheel": FLAG},
    "system": {"speed": values.NO_NOT_NEGATIVE, "ground": given(OBJECT), "steering_wheel": FLAG},
    "axle": {"name": WORD},
    "test": {"name": WORD, "no_such": {"option": 1.0}},
    "environment": {"task": WORD},
    "export_c": {
        "folder": {k: v for k, v in FILE.items() if k != "folder"},
        "speed": given(SPEED),
        "steering_wheel": FLAG,
    },
    "export_fmu": {"path": FILE, "speed": given(SPEED), "steering_wheel": FLAG},
}
"""Methods of a loaded vehicle."""


def of_functions() -> list[Case]:
    """Cases of `FUNCTIONS` and `METHODS`."""

    def with_good(make: Callable[..., Any], good: Callable[[], dict[str, Any]]) -> Callable[..., Any]:
        return lambda **bad: make(**{**good(), **bad})

    def method(called: str, /, **given: Any) -> Any:
        return getattr(car(), called)(**given)

    found: list[Case] = []
    for make, good, bad in FUNCTIONS:
        found += calls(make.__name__, with_good(make, good), {}, " ".join(f"{name}:~" for name in bad), bad)
    for name, bad in METHODS.items():
        usual = {
            "export_c": {"folder": "c"},
            "export_fmu": {"path": "a.fmu"},
            "drive": {"manoeuvre": "straight"},
        }
        required = {"test": {"name": "step-input"}, **usual}.get(name, {})
        call = with_good(partial(method, name), partial(dict, required))
        found += calls(f"Vehicle.{name}", call, {}, " ".join(f"{name}:~" for name in bad), bad)
    return found


def cases() -> list[Case]:
    """All of them."""
    return [*of_rigs(), *of_vehicles(), *of_functions()]
