"""Coordinates and rates of hinges that the state does not hold: dependent ones, and those on paths."""

from __future__ import annotations

from collections.abc import Iterable

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.dynamics.outward import Outward
from ce_dynamics.dynamics.state import Entry, join_name, rate_name
from ce_dynamics.embedding.aggregate import Embedding
from ce_dynamics.embedding.whole_loop import led_by_no_hinge
from ce_dynamics.mechanism.body import Body


def hinges_on_paths(embedding: Embedding) -> list[Body]:
    """Return the bodies of aggregated bodies with a path coordinate."""
    return [body for S in embedding.aggregates if led_by_no_hinge(S) for body in S.bodies]


def path_entries(embedding: Embedding) -> list[Entry]:
    """Return names and units, except those of the user's outputs."""
    taken = {*embedding.system.outputs, *embedding.system.measurements}
    return [entry for entry in hinge_entries(hinges_on_paths(embedding)) if entry.name not in taken]


def path_values(outward: Outward) -> dict[str, Scalar]:
    """Return values by name."""
    return hinge_values(outward, hinges_on_paths(outward.embedding))


def hinge_entries(bodies: Iterable[Body]) -> list[Entry]:
    """Return names and units of the coordinates and rates of inboard hinges."""
    entries = []
    for body in bodies:
        hinge = body.inboard
        for suffix, unit in zip(hinge.coordinate_names, hinge.coordinate_units, strict=True):
            entries.append(Entry(join_name(body.name, suffix), unit))
        for suffix, unit in zip(hinge.velocity_names, hinge.velocity_units, strict=True):
            entries.append(Entry(rate_name(body.name, suffix, hinge.coordinate_names), unit))
    return entries


def hinge_values(outward: Outward, bodies: Iterable[Body]) -> dict[str, Scalar]:
    """Return coordinates and rates of inboard hinges by name."""
    values: dict[str, Scalar] = {}
    for body in bodies:
        hinge = body.inboard
        for k, suffix in enumerate(hinge.coordinate_names):
            values[join_name(body.name, suffix)] = outward.coordinate(body, k)
        for k, suffix in enumerate(hinge.velocity_names):
            values[rate_name(body.name, suffix, hinge.coordinate_names)] = outward.rate(body, k)
    return values
