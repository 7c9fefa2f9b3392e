"""Page in which hardpoints are dragged: the axle as traced functions, and its drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, array, concatenate, where
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import TracedFunction, trace
from ce_dynamics.compiler.codegen.wasm import wasm_module
from ce_dynamics.compiler.elementary import written_out
from ce_dynamics.compiler.free_numbers import evaluate
from ce_dynamics.compiler.tracing.inline import call
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.errors import AssemblyError, DataError
from ce_dynamics.mechanism.forces.base import PointLoad
from ce_dynamics.mechanism.parameters import Values, guards_of, meaning_of, outcomes_of
from ce_dynamics.models.data.schema import leaves
from ce_dynamics.models.kc.optimisation import Target
from ce_dynamics.models.kc.page import AXES, LEAST, PANELS
from ce_dynamics.models.kc.pose_search import CLOSED, ITERATIONS, SHORTEST, STRIDE
from ce_dynamics.models.kc.rig import KCRig
from ce_dynamics.models.kc.sweeps import KINDS, shown_unit
from ce_dynamics.models.kc.vehicle import rig_of
from ce_dynamics.models.tyres.element import RoadTyre, single_tyres
from ce_dynamics.models.vehicles.case import VehicleSetup, setup_of
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.pictures import wheel_shape
from ce_dynamics.models.vehicles.summary import finite_numbers
from ce_dynamics.views.scene.motion import arrows_of, loads_of, places, stack_rows
from ce_dynamics.views.scene.page import Packed, Page, take_content
from ce_dynamics.views.scene.shapes import Shape
from ce_dynamics.views.scene.take import Take
from ce_dynamics.views.scene.take_of_model import convert_places, still_parts

TRAVEL, POSES, REACH = 0.08, 33, 0.05
"""Ends of the sweeps [m], their poses, and how far a hardpoint goes either way [m]."""
NO_POINTS = ("com", "origin")
"""Vectors of a corner that are no hardpoints."""


def hardpoints_of(data: VehicleParameters, axle: str) -> dict[str, Floats]:
    """Return hardpoints of an axle's left side by their names for both sides, in vehicle coordinates."""
    corner = f"{axle}_left"
    found: dict[str, Floats] = {}
    origin = np.zeros(3)
    for key, quantity in leaves(type(data.data)).items():
        if key[0] != corner or quantity.components != ("x", "y", "z") or quantity.unit != "m":
            continue
        value: Any = data.data
        for name in key:
            value = getattr(value, name, None)
        if value is None:
            continue
        at = np.array([float(getattr(x, "value", x)) for x in value])
        if key[-1] == "origin":
            origin = at
        elif key[-1] not in NO_POINTS:
            found[".".join((axle, *key[1:]))] = at
    return {name: origin + at for name, at in found.items()}


def live_page(
    vehicle: str | Path | VehicleSetup = "hmmwv",
    axle: str = "front",
    *,
    points: Sequence[str] | None = None,
    targets: Sequence[Target] = (),
) -> LivePage:
    """Return the page of an axle of a vehicle.

    Parameters
    ----------
    vehicle : str, path or VehicleSetup
    axle : str
    points : sequence of str, optional
        Hardpoints that can be dragged, such as ``front.L``; all of the axle's if not given.
    targets : sequence of Target
        Target curves, drawn with their tolerances behind those of the axle.
    """
    setup = setup_of(vehicle)
    known = hardpoints_of(setup.data, axle)
    if points is None:
        chosen = [name for name in known if can_move(setup, name)]
    else:
        chosen = [checks.check_name("points", name, list(known), "hardpoint", DataError) for name in points]
    if not chosen:
        raise DataError(f"axle {axle!r}: it has no hardpoints that can be moved")
    free = [f"{name}.{x}" for name in chosen for x in "xyz"]
    rig = rig_of(replace(setup, free=free), axle)
    found = LivePage(rig, {name: known[name] for name in chosen}, f"{setup.data.title}: {axle} axle")
    for target in targets:
        checks.instance("live_page: targets: entry", target, Target, "a Target", DataError)
        checks.check_name("live_page: targets", target.quantity, list(found.names), "figure", DataError)
    found.targets = list(targets)
    return found


def seen_through(tyre: RoadTyre) -> Shape:
    """Return a wheel that hides no linkage."""
    return wheel_shape(tyre).paint("#c3c9ce", 0.25)


def can_move(setup: VehicleSetup, point: str) -> bool:
    """Return True if a hardpoint can be free."""
    try:
        _ = replace(setup, free=[f"{point}.{x}" for x in "xyz"]).data
    except DataError:
        return False
    return True


class LivePage(Page):
    """A page in which hardpoints of an axle are dragged; curves and linkage follow.

    Hardpoints are those of the left side [m], with free parameters ``<point>.x``, ``.y``, ``.z``; curves of
    axles of ``others``, by label, lie over those of the first and do not change.
    """

    _start = "kc.js"

    def __init__(self, rig: KCRig, points: dict[str, Floats], title: str) -> None:
        self.rig, self.points, self.title = rig, points, title
        self.others: dict[str, KCRig] = {}
        self.targets: list[Target] = []
        known = {q.name: q for q in rig.quantities}
        self.names = tuple(dict.fromkeys(n for panel in PANELS for n in panel.curves if n in known))
        self.quantities = [known[name] for name in self.names]

    @cached_property
    def functions(self) -> dict[str, TracedFunction]:
        """Functions of c that the page calls.

        ``newton`` (with the goal) to ``ahead``, ``gap`` and ``travel``, ``read`` to ``figures``,
        ``picture`` to ``places`` and ``arrows``, ``shape`` to ``points``, ``decide`` to ``kept``.
        """
        poses, sizes = self.rig.poses, {"c": self.rig.poses.size}
        chosen = self.rig.figures.select(self.names)
        parameters = self.rig.model.layout.parameters

        def newton(c: Array, goal: Array) -> dict[str, Array]:
            found = call(self.rig.figures.newton, c=c, goal=goal)
            return {"ahead": found["c"], "gap": found["gap"], "travel": found["travel"]}

        def read(c: Array) -> dict[str, Array]:
            found = call(chosen, c=c)
            return {"figures": concatenate([np.asarray(found[name]).reshape(-1) for name in self.names])}

        def picture(c: Array) -> dict[str, Array]:
            instant = self.rig.model.instant(*poses.state(c))
            arrows = [arrow for _, arrow in self._arrows(instant)]
            return {"places": places(instant.outward), "arrows": stack_rows(arrows)}

        def shape(c: Array) -> dict[str, Array]:
            given = c[len(c) - len(parameters) :]
            values: dict[int, Any] = {id(p): (p, x) for p, x in zip(parameters, given, strict=True)}
            return {"points": array(evaluate(self._still_numbers, values))}

        def decide(c: Array) -> dict[str, Array]:
            given = c[len(c) - len(parameters) :]
            guards = guards_of(parameters)
            outcomes = outcomes_of(guards, parameters, given)
            signs = [
                where(x, 1.0, 0.0) if guard.value else where(x, 0.0, 1.0)
                for x, guard in zip(outcomes, guards.values(), strict=True)
            ]
            return {"kept": array(signs or [1.0])}

        traced = {
            "newton": trace("newton", newton, sizes | {"goal": 2}),
            "read": trace("read", read, sizes),
            "picture": trace("picture", picture, sizes),
            "shape": trace("shape", shape, sizes),
        }
        traced["decide"] = trace("decide", decide, sizes)  # last: tracing makes the decisions
        return {name: written_out(function) for name, function in traced.items()}

    def _arrows(self, instant: Instant) -> list[tuple[str, Array]]:
        """Return the forces on bodies of the axle, by names, but for those of tyres."""
        tyres = {force.name for force in self.rig.model.system.forces if isinstance(force, RoadTyre)}
        loads = ((n, x) for n, x in loads_of(instant) if n not in tyres and isinstance(x, PointLoad))
        return arrows_of(instant.outward, ((n, x) for n, x in loads if x.body.name in self._shown))

    @cached_property
    def _shown(self) -> set[str]:
        """Bodies of the axle and its steering."""
        rig, system = self.rig, self.rig.model.system
        shown = {body.name for body in rig.poses.moving()}
        if rig.axle.steered_by is not None:
            body = system.find(rig.axle.steered_by)
            shown |= {one.name for one in rig.model.embedding.owner[body.name].bodies}
        return shown

    @cached_property
    def _shapes(self) -> dict[str, list[Shape]]:
        system = self.rig.model.system
        shapes: dict[str, list[Shape]] = {b.name: [] for b in system.bodies if b.name not in self._shown}
        for tyre in (one for force in system.forces for one in single_tyres(force)):
            if tyre.wheel.name in self._shown:
                shapes.setdefault(tyre.wheel.name, []).append(seen_through(tyre))
        return shapes

    def _still(self, numbers: Any) -> dict[str, Any]:
        """Return the parts of the picture that are fixed in the axes of bodies; only those of the axle."""
        system = self.rig.model.system
        names = [body.name for body in system.bodies]
        still = still_parts(self.rig.model, numbers, self._shapes, 0.0)

        def mine(*bodies: int) -> bool:
            return any(k >= 0 and names[k] in self._shown for k in bodies)

        still["strands"] = [s for s in still["strands"] if mine(s.body_a, s.body_b)]
        still["marks"] = [mark for mark in still["marks"] if mine(mark.body)]
        return still

    @cached_property
    def _still_numbers(self) -> list[Any]:
        """All numbers of shapes, then of both ends of strands, then of marks."""
        still = self._still(np.asarray)
        parts = [shape.points for body in still["bodies"] for shape in body.shapes]
        parts += [at for strand in still["strands"] for at in (strand.at_a, strand.at_b)]
        parts += [mark.at for mark in still["marks"]]
        return [x for part in parts for x in np.asarray(part, dtype=object).flat]

    @cached_property
    def take(self) -> Take:
        """The axle in its design pose."""
        model = self.rig.model
        start = self.rig.start_pose(None)
        seen = self.functions["picture"].evaluate_many(c=start[np.newaxis])
        arrows = self._arrows(model.instant(*self.rig.poses.state(start)))
        values = Values(model.layout.parameters, start[len(start) - len(model.layout.parameters) :])
        return Take(
            label=self.title,
            t=np.zeros(1),
            places=convert_places(seen["places"]),
            forces=[name for name, _ in arrows],
            arrows=seen["arrows"],
            **self._still(values),
        )

    def content(self, packed: Packed) -> dict[str, Any]:
        """Return the page as JSON, arrays and the module packed."""
        rig = self.rig
        guards = guards_of(rig.model.layout.parameters)
        functions = self.functions
        kinds = rig.kinds
        return {
            "title": self.title,
            "take": take_content(self.take, packed),
            "module": packed.add(np.frombuffer(wasm_module(functions), np.uint8), "u1"),
            "sizes": {
                name: int(np.prod(shape))
                for function in functions.values()
                for name, shape in {**function.input_shapes, **function.output_shapes}.items()
            },
            "refusals": [meaning_of(guard) for guard in guards.values()],
            "start": rig.poses.start.tolist(),
            "moved": rig.poses.moved,
            "steered": bool(rig.poses.places.s),
            "lock": rig.axle.full_lock,
            "parameters": list(rig.parameters),
            "points": [{"name": name, "at": at.tolist()} for name, at in self.points.items()],
            "reach": REACH,
            "kinds": {kind: {"way": KINDS[kind], "axis": AXES[kind]} for kind in kinds},
            "travel": TRAVEL,
            "poses": POSES,
            "newton": {"closed": CLOSED, "iterations": ITERATIONS, "shortest": SHORTEST, "stride": STRIDE},
            "quantities": [
                {
                    "name": q.name,
                    "per_wheel": q.per_wheel,
                    "meaning": q.meaning,
                    **dict(zip(("factor", "unit"), shown_unit(q.unit), strict=True)),
                }
                for q in self.quantities
            ],
            "panels": [
                {
                    "sweep": panel.sweep,
                    "title": panel.title,
                    "curves": {n: label for n, label in panel.curves.items() if n in self.names},
                }
                for panel in PANELS
                if panel.sweep in kinds and any(name in self.names for name in panel.curves)
            ],
            "least": LEAST,
            "targets": [self._band(target) for target in self.targets],
            "others": [
                {"label": label, "sweeps": {kind: self._rows(rig, kind) for kind in rig.kinds}}
                for label, rig in self.others.items()
            ],
        }

    def _band(self, target: Target) -> dict[str, Any]:
        """Return a target as the page draws it: in the units and over the axis of its curve."""
        sweep = target.poses()
        (unit,) = (q.unit for q in self.quantities if q.name == target.quantity)
        factor, _ = shown_unit(unit)
        wanted = np.broadcast_to(np.asarray(target.wanted, dtype=float), sweep.values.shape)
        return {
            "quantity": target.quantity,
            "sweep": sweep.kind,
            "x": ((100.0 if sweep.over_steering else 1e3) * sweep.values).tolist(),
            "low": (factor * (wanted - target.tolerance)).tolist(),
            "high": (factor * (wanted + target.tolerance)).tolist(),
        }

    def _rows(self, rig: KCRig, kind: str) -> dict[str, Any]:
        """Return a sweep of another axle as the page has them: x and, by pose, all quantities."""
        last = 1.0 if kind == "steering" else TRAVEL
        x = np.linspace(-last, last, POSES)
        try:
            found: Any = rig.sweep(kind, x)
        except AssemblyError as error:  # within its reach
            found = error.partial
        if found is None:
            return {"x": x.tolist(), "rows": [None] * POSES}
        over = found["steering"].values
        if kind != "steering":
            over = found["wheel_travel"].values[:, 1 if kind == "right" else 0]
        none = np.full((len(over), 1), np.nan)
        columns = [
            found[name].values.reshape(len(over), -1) if name in found else none for name in self.names
        ]
        return {
            "x": over.tolist(),
            "rows": [[finite_numbers(column[k]) for column in columns] for k in range(len(over))],
        }
