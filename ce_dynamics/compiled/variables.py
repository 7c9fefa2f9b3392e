"""Named variables of results: entries of state, inputs and outputs, and of hinges outside the state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.dynamics.outward import Outward
from ce_dynamics.dynamics.state import Entry, join_name, rate_name
from ce_dynamics.embedding.aggregate import Embedding
from ce_dynamics.embedding.whole_loop import led_by_no_hinge
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body

RESERVED = ("time", "closure", "closure_error", "work")  # names that results use for themselves

READABLE = str.maketrans("./ ", "___")


class Variable(NamedTuple):
    """One variable of the results.

    Attributes
    ----------
    name : str
    unit : str
    dimension : str or None
        Group whose members are its second dimension.
    entries : tuple of str
        Names of the entries it holds: one, or one per member of the group.
    """

    name: str
    unit: str
    dimension: str | None
    entries: tuple[str, ...]


def variables(entries: Iterable[Entry], groups: Mapping[str, Sequence[str]]) -> list[Variable]:
    """Return variables of all entries; entries of a group share one variable.

    Quantities named ``<member>.<rest>`` for every member of a group become one variable ``<rest>``.
    """
    units: dict[str, str] = {}
    for entry in entries:
        if entry.role == "chart":
            continue
        if entry.name in units:
            raise ModelError(f"two quantities are named {entry.name!r}; rename one")
        units[entry.name] = entry.unit
    left = list(units)
    result = []
    for dimension, members in groups.items():
        for rest in find_common_suffixes(left, members):
            names = tuple(f"{member}.{rest}" for member in members)
            left = [name for name in left if name not in names]
            result.append(Variable(valid_name(rest), units[names[0]], dimension, names))
    result += [Variable(valid_name(name), units[name], None, (name,)) for name in left]
    taken = {name: f"what results call {name!r}" for name in (*RESERVED, *groups)}
    for variable in result:
        what = repr(variable.entries[0])
        if variable.name in taken:
            raise ModelError(
                f"results would name both {what} and {taken[variable.name]} {variable.name!r}; rename one"
            )
        taken[variable.name] = what
    return result


def find_common_suffixes(names: Sequence[str], members: Sequence[str]) -> list[str]:
    """Return the suffixes after ``<member>.`` that the names of all members share."""
    first = f"{members[0]}."
    rests = [name.removeprefix(first) for name in names if name.startswith(first)]
    return [rest for rest in rests if all(f"{member}.{rest}" in names for member in members)]


def valid_name(name: str) -> str:
    """Return a name that is valid as a variable in files: NetCDF reserves / for groups."""
    return name.translate(READABLE)


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


def hinge_values(outward: Outward, bodies: Sequence[Body]) -> dict[str, Scalar]:
    """Return coordinates and rates of inboard hinges by name."""
    values: list[Scalar] = []
    for body in bodies:
        values += [outward.coordinate(body, k) for k in range(body.inboard.n_q)]
        values += [outward.rate(body, k) for k in range(body.inboard.n_v)]
    return dict(zip((entry.name for entry in hinge_entries(bodies)), values, strict=True))
