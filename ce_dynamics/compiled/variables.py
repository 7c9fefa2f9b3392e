"""The named variables of a model's results: which entries of state, inputs and outputs each one holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ce_dynamics.dynamics.state import Entry
from ce_dynamics.errors import ModelError

RESERVED = ("time", "closure", "closure_error", "work")
"""Names that results use for themselves."""

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

    Raises
    ------
    ModelError
        If two quantities would have the same name.
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
            result.append(Variable(plain(rest), units[names[0]], dimension, names))
    result += [Variable(plain(name), units[name], None, (name,)) for name in left]
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


def plain(name: str) -> str:
    """Return a name that is valid as a variable in files: NetCDF reserves / for groups."""
    return name.translate(READABLE)
