"""Rigs, targets, tolerances, optimisation; manoeuvres, procedures, drive pages."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from ce_dynamics.models import handling, hmmwv, kc
from tests.bad_input import values
from tests.bad_input.cases import Case
from tests.bad_input.description import calls

HERE, X, Z = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


@cache
def rig() -> Any:
    """Of the sedan's front axle."""
    return kc.rig_of("sedan", "front", free=["front.D.y"])


def of_rigs() -> list[Case]:
    """Rigs, targets, discs, scatter, optimisation."""
    word, vector = values.NO_WORD, values.NO_VECTOR
    vehicles: dict[str, Any] = {k: v for k, v in values.NO_OBJECT.items() if k not in ("nothing",)}
    numbers: dict[str, Any] = {"text": "wide", "nan": [math.nan], "texts": ["a"], "thing": values.Thing()}
    found = calls(
        "rig_of",
        lambda **given: kc.rig_of(**{"vehicle": "sedan", **given}),
        {},
        {
            "vehicle": vehicles,
            "axle": word,
            "overrides": {**values.NO_NAMES, "text": "front.D=1"},
            "free": {**values.NO_NAMES, "no hardpoint": ["chassis.title"]},
        },
        (),
        {"vehicle": "", "axle": "", "overrides": "", "free": ""},
    )
    found += calls(
        "Target",
        kc.Target,
        {"quantity": "camber", "wanted": 0.0, "tolerance": 0.1},
        {
            "quantity": values.NO_TEXT,
            "wanted": {**numbers, "nothing": None},
            "tolerance": values.NO_POSITIVE,
            "sweep": word,
            "values": numbers,
            "side": word,
        },
        (),
        {"values": "", "sweep": "", "wanted": "", "quantity": ""},
    )
    found += calls(
        "Disc",
        kc.Disc,
        {"body": "chassis", "centre": HERE, "axis": X, "size": 0.1},
        {
            "body": values.NO_TEXT,
            "centre": vector,
            "axis": values.NO_DIRECTION,
            "size": values.NO_POSITIVE,
            "radius": values.NO_NOT_NEGATIVE,
        },
    )
    spreads: dict[str, Any] = {
        **values.NO_MAPPING,
        "unknown": {"front.E.y": 0.001},
        "negative": {"front.D.y": -1.0},
        "nan": {"front.D.y": math.nan},
        "empty": {},
    }
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
        {
            "rig": values.NO_OBJECT,
            "spreads": spreads,
            "kind": word,
            "values": numbers,
            "quantities": values.NO_NAMES | {"text": "no such", "empty": []},
            "runs": {**values.NO_INTEGER, "zero": 0},
            "seed": values.NO_INTEGER,
            "distribution": word,
        },
        (),
        {"rig": "", "spreads": "", "kind": "", "values": "", "quantities": ""},
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
        {
            "rig": values.NO_OBJECT,
            "vary": {
                **values.NO_MAPPING,
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
            "tolerance": values.NO_POSITIVE,
        },
        (),
        dict.fromkeys(("rig", "vary", "targets", "clearances", "start"), ""),
    )
    found += calls(
        "ends_of_travel",
        lambda **given: kc.ends_of_travel(**{"rig": rig(), **given}),
        {},
        {
            "rig": values.NO_OBJECT,
            "kind": word,
            "parameters": {**values.NO_MAPPING},
            "within": values.NO_POSITIVE,
        },
        (),
        {"rig": "", "kind": "", "parameters": ""},
    )
    return found


def of_vehicles() -> list[Case]:
    """Procedures, manoeuvres, pages."""
    objects, word = values.NO_OBJECT, values.NO_WORD
    options: dict[str, Any] = {
        "number": 1,
        "list": ["radius"],
        "unknown": {"nothing": 1.0},
        "nan": {"radius": math.nan},
        "text": {"radius": "far"},
        "unit": {"radius": "1 kg"},
        "nothing": {"radius": None},
        "list as value": {"radius": [1.0]},
        "negative": {"radius": -1.0},
        "number as name": {1: 1.0},
    }
    found = calls(
        "make_manoeuvre",
        lambda **given: hmmwv.make_manoeuvre(**{"name": "steady-circle", **given}),
        {},
        {
            "name": word,
            "options": options,
            "parameters": {k: v for k, v in objects.items() if k != "nothing"},
        },
        (),
        {"name": "", "options": "", "parameters": ""},
    )
    found += calls(
        "perform",
        lambda **given: handling.perform(**{"name": "step-steer", "subject": object(), **given}),
        {},
        {"name": word, "subject": objects},
        (),
        {"name": "", "subject": ""},
    )
    found += calls(
        "compare",
        lambda **given: handling.compare(**{"names": ["step-steer"], "subjects": [], **given}),
        {},
        {
            "names": values.NO_NAMES | {"text": "step-steer", "empty": []},
            "subjects": {**objects, "ones": [1]},
        },
        (),
        {"names": "", "subjects": ""},
    )
    found += calls(
        "drive_page",
        hmmwv.drive_page,
        {},
        {
            "vehicles": {**values.NO_NAMES, "text": "hmmwv", "empty": []},
            "manoeuvre": {k: v for k, v in word.items() if k != "nothing"},
            "road": {k: v for k, v in word.items() if k != "nothing"},
            "speed": {
                k: v for k, v in values.NO_NOT_NEGATIVE.items() if k not in ("nothing", "text", "NumPy text")
            },
            "overrides": {**values.NO_NAMES, "text": "nothing=1"},
            "tyres": {**values.NO_NAMES, "text": "no.tir"},
            "sliders": {**values.NO_NAMES, "text": "chassis.mass", "down": ["chassis.mass=2:1"]},
            "step": values.NO_POSITIVE | {"long": 1.0, "minute": 1e-300},
        },
        (),
        dict.fromkeys(("vehicles", "manoeuvre", "road", "overrides", "tyres", "sliders", "speed"), ""),
    )
    found += calls(
        "build_ride",
        hmmwv.build_ride,
        {},
        {
            "overrides": {**values.NO_NAMES, "text": "nothing=1"},
            "variant": word,
            "free": {**values.NO_NAMES, "no hardpoint": ["chassis"]},
        },
        (),
        dict.fromkeys(("overrides", "variant", "free"), ""),
    )
    found += calls("settled", hmmwv.settle, {}, {"model": objects}, (), {"model": ""})
    return found


def cases() -> list[Case]:
    """All of them."""
    return [*of_rigs(), *of_vehicles()]
