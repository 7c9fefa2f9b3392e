"""Traces poses of bodies and forces on them as one function of state and inputs of a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, array, concatenate
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.charts import LoopChart, charts_of
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import TracedFunction
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.outward import Outward, axes
from ce_dynamics.dynamics.state import join_name, rate_name
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import HingeLoad, PointLoad
from ce_dynamics.mechanism.hinges.prismatic import Prismatic
from ce_dynamics.mechanism.hinges.revolute import Revolute

if TYPE_CHECKING:
    import xarray as xr

Loads = Iterable[tuple[str, PointLoad | HingeLoad]]


class Picture(NamedTuple):
    """A traced function of y and u, and the names of the forces that it returns.

    Attributes
    ----------
    traced : TracedFunction
        ``places`` (bodies, 12): centres of mass, and rotation matrices row by row; ``arrows`` (forces, 6):
        where each acts, and the force or moment; all in the world.
    forces : list of str
    moments : list of int
        Numbers of the arrows that are moments.
    """

    traced: TracedFunction
    forces: list[str]
    moments: list[int]


def picture(model: Model) -> Picture:
    """Return places of all bodies, and forces and moments of all force elements."""
    forces: list[str] = []
    moments: list[int] = []
    return Picture(model.trace("picture", partial(trace_scene, model, forces, moments)), forces, moments)


def trace_scene(model: Model, names: list[str], moments: list[int], y: Array, u: Array) -> dict[str, Array]:
    """Trace the scene for floats or traced scalars; append names of forces and numbers of moments."""
    instant = model.instant(y, u)
    arrows = arrows_of(instant.outward, loads_of(instant))
    at_hinges = list(hinge_arrows(instant.outward, loads_of(instant)))
    moments[:] = [len(arrows) + k for k, (body, _, _) in enumerate(at_hinges) if body.inboard.turns]
    arrows += [(name, arrow) for _, name, arrow in at_hinges]
    names[:] = [name for name, _ in arrows]
    return {"places": places(instant.outward), "arrows": stack_rows([arrow for _, arrow in arrows])}


def places(outward: Outward) -> Array:
    """Return (bodies, 12)."""
    ground = outward.embedding.system.ground
    rows = []
    for body in outward.embedding.system.bodies:
        r = outward.point(body, body.com, ground).r
        rows.append(concatenate((r, axes(outward, body).ravel())))
    return array(concatenate(rows) if rows else ()).reshape(len(rows), 12)


def loads_of(instant: Instant) -> Loads:
    """Return loads of all force elements, by the names of these."""
    for name, response in instant.loads.responses.items():
        for load in response.loads:
            yield name, load


def arrows_of(outward: Outward, loads: Loads) -> list[tuple[str, Array]]:
    """Return name, and point and force (6,) in the world, of the loads that are forces on bodies."""
    ground = outward.embedding.system.ground
    found = []
    for name, load in loads:
        if isinstance(load, HingeLoad) or load.body.is_ground or is_always_zero(load.force):
            continue
        r, force = load.r, load.force
        if load.frame is not ground:
            R = axes(outward, load.frame)
            r = outward.point(load.frame, load.frame.com, ground).r + R @ r
            force = R @ force
        found.append((name, concatenate((r, force))))
    return found


def hinge_arrows(outward: Outward, loads: Loads) -> Iterator[tuple[Body, str, Array]]:
    """Yield body, name, and point and force or moment (6,) in the world, of loads on hinges with one axis."""
    ground = outward.embedding.system.ground
    for name, load in loads:
        hinge = load.body.inboard if isinstance(load, HingeLoad) else None
        if isinstance(load, HingeLoad) and isinstance(hinge, (Revolute, Prismatic)):
            axis = outward.direction(load.body, hinge.axis, ground)
            at = outward.point(load.body, hinge.at_child, ground).r
            yield load.body, name, concatenate((at, load.value * axis))


def is_always_zero(force: Array) -> bool:
    """Return True if a force is zero at every state."""
    return all(isinstance(x, (int, float)) and x == 0.0 for x in np.asarray(force).tolist())


def stack_rows(rows: Sequence[Array]) -> Array:
    """Return rows of six numbers."""
    return array(concatenate(rows) if rows else ()).reshape(len(rows), 6)


def states_of(model: Model, results: xr.Dataset) -> tuple[Floats, Floats]:
    """Return states and inputs of a run, (n, states) and (n, inputs).

    Raises
    ------
    ModelError
        If the results are not of this model, or lack hinges of a loop on charts.
    """
    columns: dict[str, Floats] = {}
    for variable in model.variables:
        if variable.name not in results:
            continue
        values = np.asarray(results[variable.name].values, dtype=float)
        if values.ndim != 1 + (variable.dimension is not None):
            raise ModelError(
                f"view: results have {variable.name!r} over {results[variable.name].dims}; a page plays one "
                "run, over time: take one of an ensemble with results.sel(run=0)"
            )
        values = values.reshape(len(values), -1)
        if values.shape[1] == len(variable.entries):
            columns |= {name: values[:, k] for k, name in enumerate(variable.entries)}
    layout = model.layout
    states = (*layout.q, *layout.v, *layout.x)
    for chart in charts_of(model):
        columns |= chart_columns(model, chart, columns)
    wanted = [entry.name for entry in (*states, *layout.u)]
    missing = [name for name in wanted if name not in columns]
    if missing:
        raise ModelError(
            f"view: results have no {missing[0]!r}; give those that ce.simulate returned for this model"
        )
    table = np.stack([columns[name] for name in wanted], axis=1)
    return table[:, : len(states)], table[:, len(states) :]


def chart_columns(model: Model, chart: LoopChart, columns: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return the columns of a loop on charts that results lack, from its coordinates and rates.

    The chart of an instant is the one that touches the configurations of the loop at that instant.

    Raises
    ------
    ModelError
        If results lack coordinates or rates of hinges of the loop.
    """
    linkage, layout = chart.linkage, model.layout
    hinges = [(body.name, body.inboard) for body in linkage.loop.dependent]
    names = [join_name(name, suffix) for name, hinge in hinges for suffix in hinge.coordinate_names]
    rates = [
        rate_name(name, suffix, hinge.coordinate_names)
        for name, hinge in hinges
        for suffix in hinge.velocity_names
    ]
    missing = [name for name in (*names, *rates) if name not in columns]
    if missing:
        raise ModelError(
            f"view: the loop of {linkage.loop.name!r} is followed on charts, which results do not contain, "
            f"nor {missing[0]!r}, with which charts could be made again; lead the loop by a hinge of its own"
        )
    q, v = (np.stack([columns[name] for name in which], axis=1) for which in (names, rates))
    charts = np.array([linkage.chart(row) for row in q])
    theta_dot = np.array([linkage.rates(*rows) for rows in zip(q, v, strict=True)])
    n_q = len(layout.q)
    entries = (*layout.q[chart.q], *layout.v[chart.v.start - n_q : chart.v.stop - n_q])
    table = np.hstack((charts, theta_dot))
    return {entry.name: table[:, k] for k, entry in enumerate(entries)}
