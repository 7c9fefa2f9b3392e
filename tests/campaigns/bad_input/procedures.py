"""Rigs, targets, tolerances, optimisation; manoeuvres, procedures, drive pages."""

import inspect
import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

import ce_dynamics as ce
from ce_dynamics import augmented, vehicles
from ce_dynamics.models import environments, handling, hmmwv, kc
from ce_dynamics.models.kc.sweeps import sweep_of
from tests.campaigns.bad_input import values
from tests.campaigns.bad_input.cases import Case
from tests.campaigns.bad_input.description import HERE, X, fresh
from tests.campaigns.bad_input.runs import model
from tests.campaigns.bad_input.values import calls

THING = values.Thing()
values.POOLS |= {
    "numbers": {
        "text": "wide", "nan": [math.nan], "texts": ["a"], "thing": THING, "empty": [], "matrix": np.eye(2),
        "bytes": b"1", "ragged": values.ragged(), "huge": [values.HUGE], "nothing in it": [None],
    },
    "options": {
        "number": 1, "list": ["speed"], "unknown": {"no such option": 1.0}, "nan": {"speed": math.nan},
        "text": {"speed": "fast"}, "nothing": {"speed": None}, "number as name": {1: 1.0},
    },
    "road": values.NO_WORD | {"bad": "bump:height=nan"},
    "speed": {k: v for k, v in values.NO_POSITIVE.items() if k not in ("text", "NumPy text", "zero")},
    "file": {k: v for k, v in values.NO_TEXT.items() if k != "empty"} | {"folder": "/"},
    "inputs": {
        "text": "torque", "unknown": {"no such name": 1.0}, "nan": {"torque": math.nan}, "number": 1.0,
    },
    "vehicle": values.NO_OBJECT | {"name": "no such vehicle"},
}  # fmt: skip
values.POOLS["times"] = values.POOLS["numbers"] | {
    "down": [1.0, 0.0], "one": [0.0], "nothing": None, "text": "ab",
}  # fmt: skip
USUAL = (
    "manoeuvre:word speed:speed duration:speed options:options tyres:names overrides:names free:names "
    "steering:speed road:road values:numbers quantities:names rig:object elastic:object vehicle:vehicle "
    "randomise:mapping-zero-empty_list parameters:mapping-zero-empty_list travel:numbers"
)
"""Kinds of arguments of these functions."""
OWN: dict[str, Any] = {
    "free": {"text": "chassis.mass"},
    "points": {
        "no points": [], "short": [(0, 0)], "nan in it": [(0, 0, math.nan)], "texts in it": [("a", "b", "c")],
    },
    "tyres": {"text": "no.tir"}, "overrides": {"text": "no.such=1"},
    "num_envs": {"zero": 0}, "between": {"one": ["a"]}, "no_such": {"option": 1.0},
    "outcomes": {"ones": [1]}, "bushings": {"ones": [1]},
    "changes": {"mapping": {"chassis.mass": math.nan}, "unknown key": {"no.such": 1.0}, "text": "a"},
}  # fmt: skip
Good = Callable[[], dict[str, Any]]


def tried(
    make: Callable[..., Any], good: Good = dict, spec: str = "", own: Any = None, label: str = ""
) -> list[Case]:
    """Return cases of a function whose good arguments are made when they are needed."""
    arguments = inspect.signature(make).parameters
    named = [entry.partition(":")[0] for entry in spec.split()]
    usual = [entry for entry in USUAL.split() if entry.partition(":")[0] in arguments]
    own = {name: pool for name, pool in OWN.items() if name in arguments or name in named} | (own or {})
    run = lambda **bad: make(**{**good(), **bad})  # noqa: E731
    return calls(make, {}, f"{' '.join(usual)} {spec}", own, run, label)


@cache
def rig() -> Any:
    return kc.rig_of("sedan", "front", free=["front.D.y"])


@cache
def elastic() -> Any:
    return kc.compliance_of("sedan", "front")


@cache
def car() -> vehicles.Vehicle:
    return vehicles.load("sedan")


@cache
def run() -> Any:
    return car().drive("straight", duration=0.02, method="rk4")


def of_rigs() -> list[Case]:
    own: dict[str, Any] = {"overrides": {"text": "front.D=1"}, "free": {"no hardpoint": ["chassis.title"]}}
    found = tried(
        kc.rig_of, lambda: {"vehicle": "sedan"}, "vehicle:object-nothing~ axle~ overrides~ free~ tyres~", own
    )
    wanted = {k: v for k, v in values.POOLS["numbers"].items() if k != "matrix"} | {"nothing": None}
    good: dict[str, Any] = {"quantity": "camber", "wanted": 0.0, "tolerance": 0.1}
    found += tried(
        kc.Target,
        partial(dict, good),
        "wanted: quantity~ sweep~ values:numbers-empty~ weight:",
        {"wanted": wanted},
    )
    disc = {"body": "chassis", "centre": HERE, "axis": X, "size": 0.1}
    found += calls(kc.Disc, disc, "centre:vector")
    spread = {
        "rig": rig, "spreads": {"front.D.y": 0.001}, "kind": "parallel", "quantities": ["camber_angle"],
        "runs": 2,
    }  # fmt: skip
    own = {
        "spreads": {
            "unknown": {"front.E.y": 0.001}, "negative": {"front.D.y": -1.0}, "nan": {"front.D.y": math.nan},
            "empty": {},
        },
        "quantities": {"text": "no such", "empty": []}, "runs": {"zero": 0},
    }  # fmt: skip
    made = lambda: spread | {"rig": rig()}  # noqa: E731
    found += tried(
        kc.scatter,
        made,
        "spreads:mapping~ distribution:word values:numbers-empty~ rig~ kind~ quantities~",
        own,
    )
    optimised = lambda: {  # noqa: E731
        "rig": rig(), "vary": {"front.D.y": (0.7, 0.8)}, "targets": [kc.Target("camber_angle", 0.0, 0.1)],
    }  # fmt: skip
    own = {
        "vary": {
            "down": {"front.D.y": (0.5, 0.3)}, "one": {"front.D.y": (0.5,)}, "empty": {},
            "nan": {"front.D.y": (0.3, math.nan)}, "unknown": {"front.E.y": (0.0, 1.0)},
        },
        "targets": {"nothing": None, "empty": [], "number": 1, "texts": ["camber"], "thing": THING},
        "clearances": {"number": 1, "texts": ["gap"]},
        "start": {"unknown": {"front.E.y": 0.0}, "nan": {"front.D.y": math.nan}, "number": 1},
    }  # fmt: skip
    found += tried(kc.optimise, optimised, "vary:mapping~ targets~ clearances~ start~ rig~", own)
    return found + tried(
        kc.ends_of_travel, lambda: {"rig": rig()}, "rig~ kind~ parameters:mapping~ within:positive"
    )


def of_vehicles() -> list[Case]:
    options: dict[str, Any] = {
        "number": 1, "list": ["radius"], "unknown": {"nothing": 1.0}, "nan": {"radius": math.nan},
        "text": {"radius": "far"}, "unit": {"radius": "1 kg"}, "nothing": {"radius": None},
        "list as value": {"radius": [1.0]}, "negative": {"radius": -1.0}, "number as name": {1: 1.0},
    }  # fmt: skip
    found = tried(
        hmmwv.make_manoeuvre,
        lambda: {"name": "steady-circle"},
        "name:word~ options:~ parameters:object~",
        {"options": options},
    )
    good: dict[str, Any] = {"name": "step-steer", "subject": object()}
    found += tried(handling.perform, partial(dict, good), "name:word~ subject:object~ options:~ progress:")
    own: dict[str, Any] = {"names": {"text": "step-steer", "empty": []}, "subjects": {"ones": [1]}}
    good = {"names": ["step-steer"], "subjects": []}
    found += tried(
        handling.compare, partial(dict, good), "names:names~ subjects:object~ options:~ progress:", own
    )
    own = {
        "vehicles": {"text": "hmmwv", "empty": []}, "overrides": {"text": "nothing=1"},
        "sliders": {"text": "chassis.mass", "down": ["chassis.mass=2:1"]},
        "step": {"long": 1.0, "minute": 1e-300},
    }  # fmt: skip
    spec = (
        "vehicles:names~ manoeuvre~ road:word~ speed:not_negative-text-NumPy_text~ overrides~ tyres~ "
        "sliders:names~ steering:"
    )
    found += tried(hmmwv.drive_page, dict, spec, own)
    own = {"overrides": {"text": "nothing=1"}, "free": {"no hardpoint": ["chassis"]}}
    found += tried(hmmwv.build_ride, dict, "overrides~ variant:word~ free~", own)
    return found + tried(hmmwv.settle, dict, "model:object~ u:")


def start() -> dict[str, Any]:
    """Return the arguments of a simulation in absolute coordinates."""
    two, empty = ce.compile(fresh()), np.zeros(0)
    parts: dict[str, Any] = {"embedding": two.embedding, "q": np.zeros(2), "v": np.zeros(2), "x": empty}
    form = augmented.FullyAugmented(two.system)
    return {"model": form, "y0": form.state_from_embedded(**parts, u={"torque": 0.0}), "t_eval": [0.0, 1e-3]}


def wheel() -> dict[str, Any]:
    one = kc.Wheel("left", 0.3)
    return {"name": "front", "left": one, "right": one}


DAE = "model:object y0:state26 inputs:inputs"
FUNCTIONS: tuple[tuple[Callable[..., Any], Good, str], ...] = (
    (augmented.simulate_dae, start, f"{DAE} t_eval:times max_step:number linear_solver:word"),
    (augmented.simulate_baumgarte, start,
     f"{DAE} t_eval:times alpha:not_negative beta:not_negative max_step:positive-infinity"),
    (augmented.Preparation, lambda: {k: v for k, v in start().items() if k != "t_eval"},
     f"{DAE} t0:number"),
    (augmented.FullyAugmented, dict, ""), (augmented.TreeAugmented, dict, ""),
    (augmented.AbsoluteObserver, dict, "system: states:object-mapping"),
    (ce.identify, lambda: {"runs": "run.csv", "vehicle": "sedan", "free": ["chassis.mass"]},
     "runs:object-text vehicle: free:names-unknown progress: options:"),
    (ce.predict, lambda: {"fit": None, "runs": []}, "fit:object runs: options:"),
    (environments.prepare_vehicle, lambda: {"vehicle": "sedan", "manoeuvre": "straight", "speed": 10.0},
     "vehicle:-nothing manoeuvre:word-nothing speed:speed-nothing"),
    (environments.VehicleVectorEnv, lambda: {"vehicle": "sedan", "num_envs": 2},
     "vehicle:-nothing autoreset_mode:word lanes:integer threads:integer render_mode:"),
    (environments.DrivenVehicle, lambda: {
        "title": "a", "model": model(), "y0": np.zeros(4), "speed": 1.0, "length": 1.0, "width": 1.0,
        "middle": 0.0,
    }, "y0:state4 speed:positive width:positive manoeuvre:object steering:positive"),
    (handling.vehicle, dict, "model:object-nothing"),
    (handling.make_run, lambda: {
        "subject": handling.vehicle("sedan"), "name": "a",
        "task": hmmwv.make_manoeuvre("straight", {"duration": 0.1}),
    }, "subject:object task:object interval:positive"),
    (handling.page, dict, "outcomes:object"),
    (handling.save_page, lambda: {"outcomes": [], "path": "a.html"}, "outcomes:object path:file"),
    (kc.Bushing, lambda: {"between": ("a", "b"), "at": HERE, "axis": X, "stiffness": [1e6] * 6},
     "between:names stiffness:numbers"),
    (kc.Part, lambda: {"body": "arm", "points": [HERE, X]}, "body:text points:vector-matrix"),
    (kc.Clearance, lambda: {"name": "gap", "one": kc.Part("a", [HERE]), "other": kc.Part("b", [X]),
     "least": 0.0}, "one:object other:object"),
    (kc.Wheel, lambda: {"body": "left", "loaded_radius": 0.3},
     "body:text loaded_radius:positive tyre_rate:positive-infinity kingpin:object prefix:"),
    (kc.Axle, wheel, "left:object right:object steering_unit: wheelbase: in_front: centre_of_mass: "
     "drive_torque_on_carrier: brake_torque_on_carrier:"),
    (kc.KCRig, lambda: {"model": rig().model, "axle": rig().axle}, "axle:object"),
    (kc.Compliance, lambda: {"rig": rig(), "bushings": []}, "bushings:object-list"),
    (kc.ComplianceSensitivities, dict, ""),
    (kc.ForceSweep, lambda: {"kind": "lateral", "values": [0.0, 1.0]}, ""),
    (kc.axle_of, lambda: {"data": car().data, "system": car().system(), "axle": "front"}, "data:object"),
    (kc.compliance_figures, lambda: {"C": np.eye(12), "track": 1.5, "loaded_radius": 0.3},
     "C:numbers track:positive loaded_radius:positive tyre_rate:positive-infinity"),
    (kc.compliance_of, lambda: {"vehicle": "sedan"}, ""),
    (kc.differentiate_force_sweep, lambda: {"elastic": elastic(), "sweep": "lateral",
     "quantities": ["toe_angle"]}, ""),
    (kc.force_sweep, lambda: {"elastic": elastic(), "sweep": "lateral"}, ""),
    (kc.force_sweep_of, lambda: {"kind": "lateral"}, ""),
    (kc.travel_sweep, lambda: {"elastic": elastic(), "kind": "parallel"}, ""),
    (kc.hardpoint, lambda: {"data": car().data, "key": "front.D"}, "data:object key:word"),
    (kc.sensitivities, lambda: {"rig": rig(), "kind": "parallel", "quantities": ["toe_angle"]}, ""),
    (hmmwv.build, dict,
     "parameters:object path:word road:object speed:not_negative-negative tyres:object-mapping"),
    (hmmwv.double_lane_change, dict, "no_such:"),
    (hmmwv.figure, lambda: {"results": run()}, "results:object manoeuvre:object"),
    (hmmwv.summarise, lambda: {"results": run()}, "results:object manoeuvre:object"),
    (hmmwv.picture_of, lambda: {"case": car().prepare("straight", practice=False), "results": run()},
     "case:object results:object"),
    (hmmwv.prepare, dict,
     "model:object-nothing speed:speed-nothing duration:speed-nothing options:options task:"),
    (hmmwv.run, lambda: {"manoeuvre": "straight", "duration": 0.01},
     "manoeuvre:word-nothing overrides:names speed:speed-nothing duration:speed-nothing options:options"),
    (hmmwv.steady, lambda: {"model": model(), "speed": 1.0}, "speed:positive radius:positive"),
    (sweep_of, lambda: {"kind": "parallel"}, ""),
    (vehicles.load, dict, "vehicle:-nothing changes:names"),
)  # fmt: skip
"""Functions, their good arguments, and kinds of arguments that names and annotations do not give."""
METHODS: dict[str, tuple[dict[str, Any], str]] = {
    "variant": ({}, "changes:names"), "prepare": ({}, ""),
    "drive": ({"manoeuvre": "straight"}, "method:word rtol:positive-nothing atol:positive-nothing "
              "step:positive-nothing"),
    "system": ({}, "speed:not_negative-negative ground:object"), "axle": ({}, "name:word"),
    "test": ({"name": "step-input"}, "name:word no_such:"), "environment": ({}, ""),
    "export_c": ({"folder": "c"}, "folder:file-folder"), "export_fmu": ({"path": "a.fmu"}, "path:file"),
}  # fmt: skip
"""Methods of a loaded vehicle."""


def of_functions() -> list[Case]:
    """Cases of `FUNCTIONS` and `METHODS`."""
    found: list[Case] = []
    for make, good, spec in FUNCTIONS:
        found += tried(make, good, f"~ {spec}")
    for name, (needed, spec) in METHODS.items():
        found += tried(getattr(car(), name), partial(dict, needed), f"~ {spec}", label=f"Vehicle.{name}")
    return found
