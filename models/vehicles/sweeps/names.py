"""Names of what is varied, and the numbers they stand for."""

from __future__ import annotations

from collections.abc import Sequence

from ce_dynamics.errors import DataError
from ce_dynamics.models.data.layers import lay
from ce_dynamics.models.data.quantities import Quantity
from ce_dynamics.models.data.reading import parse_override
from ce_dynamics.models.data.schema import leaves
from ce_dynamics.models.vehicles.layout import Layout, groups_of, schema_of
from ce_dynamics.models.vehicles.tree import short_name


def check_conflicts(names: Sequence[str], overrides: Sequence[str], layout: Layout) -> None:
    """Refuse two names of one number: both varied, or varied and set by a name that is as specific."""
    taken: dict[tuple[str, ...], str] = {}
    for name in names:
        for path in paths_of(name, layout)[1]:
            if path in taken:
                raise DataError(
                    f"{taken[path]} and {name} both vary {'.'.join(path)}; vary it once, by one of the names"
                )
            taken[path] = name
    for text in overrides:
        name = text.partition("=")[0].strip()
        specific, paths = paths_of(name, layout)
        for path in paths:
            if path in taken and specific >= paths_of(taken[path], layout)[0]:
                if taken[path] == name:
                    raise DataError(f"{name} is both set and varied; do one of them")
                raise DataError(f"{name} is set, and {taken[path]} varies {'.'.join(path)}; do one of them")


def paths_of(name: str, layout: Layout) -> tuple[int, list[tuple[str, ...]]]:
    """Return the specificity of a dotted name and the paths of the numbers it stands for."""
    key = short_name(tuple(name.split(".")), layout.mechanisms)
    return groups_of(layout).expand(key, schema_of(layout))


def quantity_of(name: str, layout: Layout) -> Quantity:
    """The quantity of a number of the data, by its dotted name."""
    quantities = leaves(schema_of(layout))
    _, paths = paths_of(name, layout)
    path = paths[0]
    if path in quantities and quantities[path].scalar:
        return quantities[path]
    if path[:-1] in quantities and quantities[path[:-1]].component_index(path[-1]) is not None:
        return quantities[path[:-1]].component()
    if path in quantities:
        components = quantities[path].components or ("0",)
        raise DataError(
            f"'{name}' is more than one number; name a component, such as '{name}.{components[0]}'"
        )
    lay(
        {}, [parse_override(f"{name}=0")], schema_of(layout), groups_of(layout)
    )  # refuses, and suggests others
    raise DataError(f"'{name}' is not one number")
