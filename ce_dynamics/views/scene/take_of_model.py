"""A run of a model as a page shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.checked import finite_vector
from ce_dynamics.mechanism.parameters import Values
from ce_dynamics.mechanism.system import System
from ce_dynamics.views.scene.derived import (
    Numbers,
    body_pictures,
    derive_shapes,
    feet,
    marks,
    place_of_body,
    size_of,
    strands,
)
from ce_dynamics.views.scene.motion import picture, states_of
from ce_dynamics.views.scene.shapes import Shape
from ce_dynamics.views.scene.take import Camera, SceneOptions, Take, TimeSeries, quaternions, upwards

if TYPE_CHECKING:
    import xarray as xr


def take_of_model(
    model: Model,
    results: xr.Dataset | None,
    label: str,
    options: SceneOptions,
) -> Take:
    """Return a run, or the initial state."""
    if results is None:
        t, Y, U = np.zeros(1), model.y0[None], model.u0[None]
    else:
        if not hasattr(results, "data_vars") or "time" not in results:
            raise checks.wrong_type(f"view: results {checks.show(results)} must be what ce.simulate returned")
        t, (Y, U) = np.asarray(results["time"].values, dtype=float), states_of(model, results)
    seen = picture(model)
    motion = seen.traced.evaluate_many(y=Y, u=U)
    places = convert_places(motion["places"])
    if not np.all(np.isfinite(places)):
        k = int(np.argmax(~np.isfinite(places).all(axis=(1, 2))))
        raise ModelError(f"view: bodies have no place at t = {t[k]:g} s; cut the results off before")
    numbers = Values(model.layout.parameters, U[0, model.layout.n_inputs :])
    spread = size_of(motion["places"][0, :, :3])
    still = still_parts(model, numbers, options.given_shapes(), spread, options.cameras)
    return Take(
        label=label,
        t=t,
        places=places,
        forces=seen.forces,
        moments=seen.moments,
        arrows=motion["arrows"],
        scenery=list(options.scenery)
        or feet(model, max(spread, reach(model)), upwards(model.system.gravity)),
        series=[] if results is None else series_of(results),
        instruments=options.instruments,
        **still,
    )


def still_parts(
    model: Model,
    numbers: Numbers,
    shapes: Mapping[str, Sequence[Shape]],
    spread: float,
    cameras: Sequence[Camera] = (),
) -> dict[str, Any]:
    """Return the fields of a take that do not change with time, in the axes of the bodies."""
    for name in shapes:
        model.system.find(name)
    extent = max(spread, reach(model))
    return {
        "bodies": body_pictures(model, shapes, numbers, extent),
        "strands": strands(model, numbers),
        "marks": marks(model, numbers),
        "cameras": [
            riding(one, place_of_body(model.system, body), body.com, numbers)
            for one, body in ((one, model.system.find(one.body)) for one in cameras)
        ],
        "up": upwards(model.system.gravity),
        "weight": weight_of(model.system),
    }


def derive_with(model: Model, more: Mapping[str, Sequence[Shape]]) -> dict[str, list[Shape]]:
    """Return derived shapes of some bodies, and more on these."""
    size = reach(model)
    return {
        name: [*derive_shapes(model, model.system.find(name), size), *found] for name, found in more.items()
    }


def reach(model: Model) -> float:
    """Return the extent of the design pose: hinges and centres of mass [m]."""
    bodies = model.system.bodies
    points = [nominal(np.asarray(body.com)) for body in bodies]
    points += [nominal(np.asarray(body.inboard.at_child)) for body in bodies]
    return size_of(np.array(points).reshape(-1, 3).astype(float))


def weight_of(system: System) -> float:
    """Return the weight of all bodies [N]; without gravity, the weight at 9.81 m/s²."""
    g = float(np.linalg.norm(nominal(np.asarray(system.gravity)).astype(float))) or 9.81
    return g * float(sum(nominal(body.mass) for body in system.bodies))


def riding(camera: Camera, body: int, com: Array, numbers: Numbers) -> dict[str, object]:
    """Return a camera in the axes of its body, which has a number and a centre of mass."""
    eye, target = (
        numbers(finite_vector(at, f"camera {camera.name!r}", what) - com).tolist()
        for what, at in (("eye", camera.eye), ("target", camera.target))
    )
    return {
        "name": camera.name,
        "body": body,
        "eye": eye,
        "target": target,
        "steady": camera.steady,
    }


def convert_places(rows: Array) -> Floats:
    """Convert places (n, bodies, 12) to (n, bodies, 7) as pages need them."""
    found = np.full((*rows.shape[:-1], 7), np.nan)
    sound = np.isfinite(rows).all(axis=-1)
    found[sound, :3] = rows[sound, :3]
    if sound.any():
        found[sound, 3:] = quaternions(rows[sound, 3:].reshape(-1, 3, 3))
    return found


def series_of(results: xr.Dataset) -> list[TimeSeries]:
    """Return all quantities over time, those of groups one by one."""
    found = []
    for name, values in results.data_vars.items():
        if values.dims[:1] != ("time",) or values.ndim > 2:
            continue
        unit = str(values.attrs.get("units", ""))
        columns = np.asarray(values.values, dtype=float).reshape(len(values), -1)
        members = [""] if values.ndim == 1 else [f" {x}" for x in results[values.dims[1]].values]
        found += [
            TimeSeries(f"{name}{member}", unit, column)
            for member, column in zip(members, columns.T, strict=True)
            if np.all(np.isfinite(column))
        ]
    return found
