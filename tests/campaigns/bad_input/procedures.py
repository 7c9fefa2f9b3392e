"""Rigs, targets, tolerances, optimisation; manoeuvres, procedures, drive pages."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from ce_dynamics.models import handling, hmmwv, kc
from tests.campaigns.bad_input import values
from tests.campaigns.bad_input.cases import Case
from tests.campaigns.bad_input.description import calls

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
    found += calls("settled", hmmwv.settle, {}, "model:object~")
    return found


def cases() -> list[Case]:
    """All of them."""
    return [*of_rigs(), *of_vehicles()]
