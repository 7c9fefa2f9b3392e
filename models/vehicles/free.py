"""Numbers of a vehicle's data as free parameters of one compiled model.

Free can be what enters the equations of motion: hardpoints, masses and inertias, springs, dampers, bars and
the points of their tables, bushings, brakes, tyres, gravity, friction.  The engine's maps, the lock of the
steering and what sets the initial state (ride height, radius of the tyres) take a model for every value.

A free hardpoint is that of the design position: the vehicle is the one that is built with its value, with all
arm and steering angles zero there.  Rods, shocks and the spindle, whose inertia follows from the hardpoints,
follow them; the driver model has the wheelbase and the steering angle at full lock that they make.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.parameters import Parameter
from ce_dynamics.models.data.quantities import ParameterQuantity
from ce_dynamics.models.data.schema import Groups

_FREE = re.compile(
    r"""chassis\.(mass|com\.[xyz]|inertia\.\w+)
    | vehicle\.gravity
    | road\.friction
    | steering\.(tilt|(origin|T|U|V|W)\.[xyz])
    | steering\.(pitman_arm|idler_arm|link)\.(mass|com\.[xyz]|inertia\.\w+)
    | steering\.actuator\.damping_ratio
    | (?!wheel)(\w+\.)*\w+\.[xyz]
    | (?!wheel)\w+\.(mass|com\.[xyz]|inertia\.\w+)
    | (tie_rod|upright_link|shock_lower|shock_upper|\w+\.rod)\.(mass|radius)
    | (shock_lower|shock_upper)\.length
    | wheel\.((hub|rim|tyre)\.mass|axle_inertia)
    | (\w+_)?(spring|damper)\.(chassis|arm)\.[xyz]
    | (\w+_)?spring\.(free_length|linear|cubic|min_length|max_length|stop_stiffness|stop_progression|preload)
    | (\w+_)?spring\.(curve\.(force|deflection)\.\d+|stop_curve\.(force|deflection)\.0*[1-9]\d*)
    | (\w+_)?damper\.(coefficient|(compression|extension)_degression|(curve|map)\.(force|speed|length)\.\d+)
    | (anti_roll_bar\.)?(stiffness|damping)
    | (front|rear)_clamp\.((bending|lateral)(_damping)?|preload)
    | steering\.column\.(inertia|damping|stop_stiffness|hands\.\w+|assistance\.\w+)
    | \w+\.hitch\.([xz]|yaw_damping)
    | \w+\.(about_)?[xyz]\.(stiffness|damping)
    | hull\.(stiffness|damping|friction)
    | (\w+\.)?aerodynamics\.\w+(\.[xy])?
    | ground_spring\.(stiffness|damping|height)
    | brake\.(max_torque|stiffness|damping)
    | assistance\.\w+\.(?!period)\w+
    | tyre\.(?!radius|UNLOADED_RADIUS|version|side|turn_slip|ellipse|ALPM|(MC|[CK][XY])$)\w+(\.\w+)?""",
    re.VERBOSE,
)


def can_be_free(key: str, groups: Groups) -> bool:
    """Return True if a parameter of the data, by its dotted name, can be free."""
    first, _, rest = key.partition(".")
    return _FREE.fullmatch(rest if first in (*groups.members, *groups.groups) else key) is not None


WHY = {
    r"powertrain\.": "gears are chosen, and the driver model works, by tables made of it beforehand",
    r"driver\.": "the driver is no part of the equations of motion",
    r".*\.stop_curve\.(force|deflection)\.0+$": "a stop begins with no force at no compression",
    r".*\.(about_)?[xyz]\.curve\.": "a bushing's curve is a monotone cubic; a stiffness can",
}
"""Reasons why some numbers cannot be free, by what their keys look like."""


def reason(key: str) -> str:
    """Explain as a clause why a number cannot be free; return an empty text if there is nothing to add."""
    return next((f": {why}" for pattern, why in WHY.items() if re.match(pattern, key)), "")


def release_numbers(data: Any, keys: Sequence[str], groups: Groups) -> tuple[Any, tuple[Parameter, ...]]:
    """Return validated data with some numbers replaced by free parameters named after their keys, and these.

    A key that stands for several corners makes one parameter, whose nominal value is that of the first.
    """
    checks.texts("free", keys, DataError)
    for key in keys:
        if keys.count(key) > 1:
            raise DataError(f"free: {key!r} is named twice; name it once")
    quantities = groups.quantities
    parameters = []
    # The more specific of two names wins, as it does among overrides.
    for key in sorted(keys, key=lambda key: groups.expand(tuple(key.split(".")))[0]):
        _, paths = groups.expand(tuple(key.split(".")))
        found = [(path, find_key(path, quantities)) for path in paths]
        there = all(leaf for _, leaf in found)
        whole = quantities[found[0][1]] if there and found[0][0] == found[0][1] else None
        if whole is not None and not whole.scalar and can_be_free(f"{key}.{_first(whole)}", groups):
            raise several_numbers_error(key, whole)
        if not can_be_free(key, groups) and (there or reason(key)):
            raise DataError(f"'{key}' cannot be a free parameter{reason(key)}; give it as an override")
        if not there:
            known = groups.list_known(key.partition(".")[0])
            near = ", ".join(difflib.get_close_matches(key, known, n=3, cutoff=0.5))
            raise DataError(f"unknown parameter '{key}'{near and f'; nearest: {near}'}")
        parameter = None
        for path, leaf in found:
            quantity = quantities[leaf]
            rest = path[len(leaf) :]
            index = quantity.component_index(rest[0]) if rest else None
            if bool(rest) == quantity.scalar or (rest and index is None):
                raise several_numbers_error(key, quantity)
            if parameter is None:
                parameter = Parameter(key, number_at(data, leaf, index), quantity.unit)
                quantity.check(parameter, key)
            data = replace_number(data, leaf, index, parameter)
        assert parameter is not None, "a key stands for at least one number"
        parameters.append(parameter)
    return data, tuple(parameters)


def find_key(
    path: tuple[str, ...], quantities: Mapping[tuple[str, ...], ParameterQuantity]
) -> tuple[str, ...]:
    """Return the key of the number, or of the numbers of which one is meant; empty if there is none."""
    return next((path[:n] for n in (len(path), len(path) - 1) if path[:n] in quantities), ())


def several_numbers_error(key: str, quantity: ParameterQuantity) -> DataError:
    """Return the error for a name of several numbers."""
    return DataError(f"'{key}' is not one number; name a component, such as '{key}.{_first(quantity)}'")


def _first(quantity: Any) -> str:
    return str(quantity.components[0]) if quantity.components else "0"


def number_at(data: BaseModel, leaf: Sequence[str], index: int | None) -> float:
    """Return the number of a leaf, or of a component of it."""
    value: Any = data
    for name in leaf:
        value = getattr(value, name, None)  # a section that is not there has none either
    if value is None:
        raise DataError(f"'{'.'.join(leaf)}' has no value in this vehicle's data, so that it cannot be free")
    if index is not None and not index < len(value):
        raise DataError(
            f"'{'.'.join(leaf)}' has {len(value)} numbers, counted from 0, so that number {index} cannot be "
            "free"
        )
    number = value if index is None else value[index]
    return float(getattr(number, "value", number))


def replace_number(
    data: BaseModel, leaf: Sequence[str], index: int | None, parameter: Parameter
) -> BaseModel:
    """Return a copy of a section with one number replaced."""
    old = getattr(data, leaf[0])
    new: Any
    if len(leaf) > 1:
        new = replace_number(old, leaf[1:], index, parameter)
    elif index is None:
        new = parameter
    else:
        new = (*old[:index], parameter, *old[index + 1 :])
    copy = data.model_copy(update={leaf[0]: new})
    for validator in type(copy).__pydantic_decorators__.model_validators.values():
        validator.func(copy)  # holds for all values of the parameter from now on
    return copy
