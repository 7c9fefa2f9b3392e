"""Mistakes that people make, thought of one by one: options of methods, exports, bushings, the command."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import ce_dynamics as ce
from ce_dynamics.models import kc
from tests.campaigns.bad_input.cases import Case, in_folder
from tests.campaigns.bad_input.command_line import SHORT, command
from tests.campaigns.bad_input.controllers import Law
from tests.campaigns.bad_input.description import fresh
from tests.campaigns.bad_input.runs import model
from tests.models.kc.soft_sedan import soft_sedan


def given_folder(run: Callable[[Path], Any]) -> Callable[[], Any]:
    """Return a call with an empty folder."""
    return partial(in_folder, run)


OPTIONS: tuple[dict[str, Any], ...] = (
    {"method": "dopri5", "step": 1e-3}, {"method": "rk4", "rtol": 1e-6},
    {"method": "rosenbrock", "atol": 1e-6}, {"method": "rk4", "max_step": 1e-2},
    {"method": "rk4", "jacobian_every": 3}, {"parameters": {"mass": 2.0}},
    {"inputs": {"torqe": 1.0}}, {"interval": (0.01, 0.02)},
)  # fmt: skip
"""Given to runs and to many; the last of the names is in the message."""


def of_options() -> list[Case]:
    """Options of runs, and of many runs, that do not go together."""
    y0s = np.zeros((2, 4))
    found = []
    for given in OPTIONS:
        says = "torqe" if "inputs" in given else "mass" if "parameters" in given else list(given)[-1]
        run = partial(ce.simulate, model(), **{"duration": 0.01, **given})
        found.append(Case(f"simulate({given})", run, (says,)))
        if "rtol" not in given and "interval" not in given:
            many = partial(ce.simulate_ensemble, model(), y0s, **{"duration": 0.01, **given})
            found.append(Case(f"simulate_ensemble({given})", many, (says,)))
    return found


def sampled(**given: Any) -> Any:
    """A model whose motor a sampled controller holds."""
    from ce_dynamics.mechanism.forces.base import StateDeclaration

    state = given.pop("state", "held")
    system = fresh()
    system.add_force(ce.Actuator("motor", system.find("arm"), command="torque"))
    law = {"sampled": (StateDeclaration(state, "rad", 0.0),), "period": 0.01, **given}
    system.add_controller(Law(**law))
    return ce.compile(system)


def of_exports() -> list[Case]:
    """Sampled controllers that leave Python; `studies` tries the arguments of exports."""

    def c(says: tuple[str, ...], laws: dict[str, Any] | None = None, **given: Any) -> Case:
        title = f"export_c({list(laws or {}) or ''}{given})"
        run = given_folder(
            lambda folder: ce.export_c(
                sampled(**laws or {}), **{"folder": folder / "c", "name": "arm", **given}
            )
        )
        return Case(title, run, says)

    def none(sensors: Any, x: Any) -> Any:
        return [float(x["held"])]

    def branches(sensors: Any, x: Any) -> Any:
        return [1.0 if x["held"] > 0.0 else 0.0]

    return [
        c(("y0",), y0=[0.0, 0.0]),
        c(("law", "where"), {"new": none}),
        c(("law", "where"), {"new": branches}),
        c(("period",), {"period": "10 ms"}),
    ]


def of_bushings() -> list[Case]:
    """Stiffness of bushings and abscissae of tables as parameters; sweeps of forces."""

    def soft(says: tuple[str, ...], old: str, new: str) -> Case:
        def run(folder: Path) -> Any:
            return kc.compliance_of(str(soft_sedan(folder, changed=(old, new))), "front")

        return Case(f"bushings: {new!r} for {old!r}", given_folder(run), says)

    def freed(says: tuple[str, ...], names: Any, values: Any) -> Case:
        def run(folder: Path) -> Any:
            rig = kc.rig_of(str(soft_sedan(folder)), "front", free=names)
            return rig.sweep("parallel", [0.0, 0.01], parameters=values)

        return Case(f"free {names}: {values}", given_folder(run), says)

    def pushed(says: tuple[str, ...], *given: Any, **options: Any) -> Case:
        def run(folder: Path) -> Any:
            elastic = kc.compliance_of(str(soft_sedan(folder)), "front")
            if options:
                return kc.force_sweep(elastic, kc.force_sweep_of(*given, **options))
            return kc.force_sweep(elastic, *given)

        return Case(f"forced{given}{options or ''}", given_folder(run), says)

    return [
        soft(("lower_front.x", "-6"), "x: {stiffness: 6 kN/mm}", "x: {stiffness: -6 kN/mm}"),
        soft(("lower_front.x",), "x: {stiffness: 6 kN/mm}", "x: {stiffness: 6 kN}"),
        soft(("lower_front.x", "stifness"), "x: {stiffness: 6 kN/mm}", "x: {stifness: 6 kN/mm}"),
        soft(("lower_front",), "about_x: {stiffness: 800 N*m/rad}", "about_x: {stiffness: nan N*m/rad}"),
        soft(("deflection",), "(-2, -1, 0, 1, 2) mm", "(-2, -1, 0, 1, 1) mm"),
        soft(("force",), "(-6, -1.5, 0, 1.5, 6) kN", "(-6, -1.5, 0, 6) kN"),
        soft(("deflection",), "(-2, -1, 0, 1, 2) mm", "(2, 1, 0, -1, -2) mm"),
        soft(("force",), "(-6, -1.5, 0, 1.5, 6) kN", "(6, 1.5, 0, -1.5, -6) kN"),
        soft(("lower_arn",), "lower_front: {joint: lower_arm}", "lower_front: {joint: lower_arn}"),
        soft(("through",), "through: (0.6, 0.37, -0.275) m", "through: (0.2, 0.42, -0.27) m"),
        freed(("unknown", "x.stiffness"), ["front.lower_front.x.stifness"], {}),
        freed(
            ("front.lower_front.x.stiffness", "-1"),
            ["front.lower_front.x.stiffness"],
            {"front.lower_front.x.stiffness": -1.0},
        ),
        freed(
            ("front.lower_front.x.stiffness",),
            ["front.lower_front.x.stiffness"],
            {"front.lower_front.x.stiffness": "6 kN/mm"},
        ),
        freed(("front.D.q",), ["front.D.q"], {}),
        freed(("unknown", "front.D"), ["front.Dd"], {}),
        freed(("front.D.z", "front.D.y"), ["front.D.z"], {"front.D.y": 0.1}),
        freed(("free",), "front.D.z", {}),
        freed(("front.spring.force[99]",), ["front.spring.force[99]"], {}),
        pushed(("sideways",), "sideways"),
        pushed(("lateral",), "lateral", [np.nan]),
        pushed(("lateral",), "lateral", []),
        pushed(("place", "hub"), "lateral", place="hub"),
        pushed(("torque",), "aligning", place="centre"),
        pushed(("hold",), "lateral", hold="nothing"),
        pushed(("travel",), "lateral", travel=(0.0,)),
        pushed(("front",), "lateral", [1e9]),
    ]


def of_commands() -> list[Case]:
    """The command: options that subcommands share, files of results."""

    def case(says: tuple[str, ...], *words: str) -> Case:
        run = given_folder(lambda folder: command(*(word.replace("@", str(folder)) for word in words)))
        return Case(" ".join(words), run, says)

    def titled(title: str, *, may: bool = False) -> Case:
        def run(folder: Path) -> Any:
            (folder / "a.yaml").write_text(f"base: sedan\ntitle: {title}\n", "utf-8")
            return command("--vehicle", str(folder / "a.yaml"), *SHORT, "--output", str(folder))

        return Case(
            f"title of {len(title)} characters: {title[:20]}",
            given_folder(run),
            () if may else ("title",),
            may,
        )

    out = ("--output", "@/out")
    return [
        case(("--vehicle",), "--vehicle", "sedan", "--model", "ride", *out),
        case(("boat",), "handling", "--vehicle", "boat", *out),
        case(("vehicle",), "kc", "--vehicle", "", *out),
        case(("nowhere",), "export", "c", "--tyre", "nowhere=docs/examples/car.tir", *out),
        case(("missing.tir",), "export", "c", "--tyre", "front=missing.tir", *out),
        case(("tyre",), "drive", "--tyre", "=car.tir", "--output", "@/drive.html"),
        case(("tyre",), "handling", "--tyre", "front=", *out),
        case(("speed",), "drive", "--speed", "-3 km", "--output", "@/drive.html"),
        case(("speed",), "export", "c", "--speed", "fast", *out),
        case(("road",), "handling", "step-input", "--road", "", *out),
        case(("iso8608",), "drive", "--road", "iso8608:Z", "--output", "@/drive.html"),
        case(("front.spring.linear",), "handling", "--set", "front.spring.linear", *out),
        case(("front.spring.linear",), "kc", "--set", "front.spring.linear=1=2", *out),
        case(("override",), "export", "c", "--set", "=3", *out),
        case(("xlsx",), *SHORT, *out, "--table", "@/t.xlsx"),
        case((".csv",), *SHORT, *out, "--table", "@"),
        case(("folder",), *SHORT, *out, "--view", "@"),
        case(("0.2",), "drive", "--step", "0.2", "--output", "@/drive.html"),
        case(("ride",), "export", "c", "--vehicle", "ride", "--speed", "3", *out),
        case(("fmi",), "export", "fmu", "--fmi", "1.0", "--output", "@/a.fmu"),
        case(("sources",), "export", "c", "--sources", *out),
        case(("step-inptu",), "handling", "step-inptu", *out),
        case(("--variant",), "handling", "step-input", "--variant", "stiffer", *out),
        case(("stear",), "handling", "step-input", "-o", "stear=1", *out),
        case(("rtol",), "sweep", "front.D.z=-0.13:-0.1", "-n", "2", "--rtol", "1e-6", *out),
        case(("step",), "sweep", "front.D.z=-0.13:-0.1", "--method", "dopri5", "--step", "1 ms", *out),
        case(("front.D.z",), "sweep", "front.D.z=-0.1:-0.13", "-n", "2", *out),
        titled("x" * 70_000),
        titled("'\u2028 <b> $x$ %s'", may=True),
        titled('"\\0"'),
        titled("''", may=True),
    ]


IDENTIFIED: dict[str, dict[str, Any]] = {
    "needs a mapping": {}, "at least one run": {"runs": []}, "runs 1.0 must be a list": {"runs": 1.0},
    "runs: entry": {"runs": [1.0]}, "must be a list of names": {"free": "chassis.mass"},
    "free: the key 1": {"free": {1: 2.0}}, "lenght": {"lenght": 5.0}, "length": {"length": -1.0},
    "overrides": {"overrides": "chassis.mass=2"}, "progress": {"progress": 1},
    "no-such": {"vehicle": "no-such"},
}  # fmt: skip


def of_identification() -> list[Case]:
    """Fits and predictions."""
    usual: dict[str, Any] = {"runs": "run.csv", "vehicle": "sedan", "free": ["chassis.mass"]}
    found = [
        Case(f"identify({given})", partial(ce.identify, **{**usual, **given}), (says,))
        for says, given in IDENTIFIED.items()
    ]
    wrong: tuple[Any, ...] = (None, "fit.json")
    found += [Case(f"predict({fit!r})", partial(ce.predict, fit, []), ("must be a fit",)) for fit in wrong]
    return found
