"""Consequences of a vehicle's numbers: the graph of its dynamics, its start, its driver."""

import re
import warnings
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler.tracing.function import TracedFunction
from ce_dynamics.compiler.tracing.operations import Op, arity
from ce_dynamics.errors import CeDynamicsError, PhysicalityWarning
from ce_dynamics.models.data.schema import leaves
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.driving import make_manoeuvre
from ce_dynamics.models.vehicles.free import can_be_free

COMPARED = ("published.",)
"""Keys of numbers that are there to compare with, and say so."""
FACTORS = (1.001, 0.999, 1.03, 0.97)
"""Tried one after the other: not every change of a number makes a vehicle."""
ADDED = 1e-4
"""Change of a number that is zero."""


class Consequences(NamedTuple):
    """Digest of the equations of motion, every number folded in; initial state; answers of the driver."""

    equations: str
    start: bytes
    driver: tuple[float, ...]


def consequences(vehicle: str, overrides: Sequence[str] = ()) -> Consequences:
    """Return the consequences of the numbers; nothing is compiled."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PhysicalityWarning)
        data = VehicleParameters.load(vehicle, overrides)
    model = Model(build(data, speed=15.0))
    task = make_manoeuvre("double-lane-change", {}, data)
    answers: list[float] = []
    places = (
        (0.0, 0.0, -0.4, 3.0),  # where arms do not saturate at low speed
        (2.5, 30.0, 1.6, 12.0),  # in the first bend, where what lies ahead counts and arms do not saturate
        (4.0, 50.0, 1.0, 14.0),
        (7.0, 100.0, 3.0, 10.5),
        (8.0, 120.0, 0.3, 11.98),
    )
    for t, x, y, v in places:
        sensors = {"x": x, "y": y, "yaw": 0.05, "speed": v, "vx": v, "vy": 0.2, "yaw_rate": 0.1}
        sensors |= {"steering.position": 0.02, "steering.position_rate": 0.01}
        answers += map(float, task.inputs(t, sensors).values())
    equations = " ".join(function.digest() for function in functions_of(model))
    return Consequences(equations, model.y0.tobytes(), tuple(answers))


def functions_of(model: Model) -> list[TracedFunction]:
    """ẏ, and what sampled controllers remember after they have looked."""
    found = [model.trace_dynamics()]
    if model.system.controllers:
        found.append(model.trace("sample", lambda y, u: {"y_sampled": model.instant(y, u).y_sampled}))
    return found


@lru_cache(maxsize=4)
def unchanged(vehicle: str) -> Consequences:
    return consequences(vehicle)


@lru_cache(maxsize=4)
def components(vehicle: str) -> dict[str, float]:
    data = VehicleParameters.load(vehicle)
    quantities = leaves(data.schema)
    found: dict[str, float] = {}
    for parameter in data.flat():
        if parameter.key.startswith(COMPARED):
            continue
        _, paths = data.groups.expand(tuple(parameter.key.split(".")))
        quantity = quantities[paths[0]]
        if isinstance(parameter.value, tuple):
            names = quantity.components or tuple(map(str, range(len(parameter.value))))
            for name, value in zip(names, parameter.value, strict=True):
                found[f"{parameter.key}.{name}"] = value
        else:
            found[parameter.key] = parameter.value
    return found


def of_the_equations(vehicle: str) -> set[str]:
    """Numbers that the equations of motion contain: all that can be are free in one trace.

    Those that cannot be free are left to `verdict`, and so is what can be but is in no equation.
    """
    data = VehicleParameters.load(vehicle)
    keys = [key for key in components(vehicle) if can_be_free(key, data.groups)]
    while keys:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PhysicalityWarning)
                model = Model(build(VehicleParameters.load(vehicle, free=keys), speed=15.0))
                functions = functions_of(model)
        except CeDynamicsError as error:
            named = [key for key in keys if re.search(rf"(?<![\w.]){re.escape(key)}(?![\w.])", str(error))]
            if not named:
                raise
            keys = [key for key in keys if key not in named]
            continue
        names = [*model.system.inputs, *model.system.parameters]
        used = {names[k] for function in functions for k in entries_in_use(function, "u")}
        return used - set(model.system.inputs)
    return set()


def entries_in_use(traced: TracedFunction, name: str) -> set[int]:
    """Entries of an input on which an output depends."""
    which = list(traced.input_shapes).index(name)
    found: set[int] = set()
    seen: set[int] = set()
    left = [node for nodes in traced.outputs for node in nodes]
    while left:
        node = left.pop()
        if node in seen:
            continue
        seen.add(node)
        op, *operands = traced.instructions[node]
        if op == Op.INPUT:
            if operands[0] == which:
                found.add(operands[1])
        else:
            left += operands[: arity(Op(op))]
    return found


def has_effect(vehicle: str, key: str) -> bool:
    """Return True if a change of one number changes anything; raise if every change is refused."""
    value = components(vehicle)[key]
    values = [factor * value for factor in FACTORS] if value else [ADDED, -ADDED]
    refused: CeDynamicsError | None = None
    for changed in values:
        try:
            return consequences(vehicle, [f"{key}={changed!r}"]) != unchanged(vehicle)
        except CeDynamicsError as error:
            refused = error
    assert refused is not None, "there is a change to try"
    raise refused


LINES = (("pivot", "shaft"), ("front_pivot", "rear_pivot"), ("outer_pivot", "inner_pivot"), ("D", "F"))
"""Pairs of points that say a line."""
ACROSS = ("anti_roll_bar.pivot.y",)
"""Ends of names of components of points of lines that lie across the vehicle, along these lines."""
OF_A_MAP = re.compile(r"_throttle\.(speed|torque)\.\d+$")
"""Published maps go beyond speeds that a gearbox uses, and have points on straight lines."""
UPRIGHT = tuple(f"steering.{joint}.z" for joint in "TUVW")
"""Joints of a steering parallelogram, whose axes are vertical unless it is tilted."""


def along_its_line(vehicle: str, key: str) -> bool:
    """Return True if a component shifts one of two points of a line along that line."""
    found = components(vehicle)
    if key.endswith(ACROSS) or (key in UPRIGHT and found.get("steering.tilt") == 0.0):
        return True
    owner, _, component = key.rpartition(".")
    for pair in LINES:
        for mine, other in (pair, pair[::-1]):
            if owner.rpartition(".")[2] != mine:
                continue
            there = owner[: len(owner) - len(mine)] + other
            if f"{there}.{component}" not in found:
                continue
            aside = [c for c in "xyz" if c != component]
            return all(found[f"{owner}.{c}"] == found[f"{there}.{c}"] for c in aside)
    return False


class Verdict(NamedTuple):
    """Effect of one number, or the reason why it can be no other number."""

    key: str
    effect: bool
    refused: str = ""


def verdict(vehicle: str, key: str) -> Verdict:
    """Describe the effect of a change of one number; a refusal is reported, not raised."""
    if along_its_line(vehicle, key):
        return Verdict(key, effect=False, refused="it shifts a point of a line along this line")
    try:
        effect = has_effect(vehicle, key)
        beyond = "" if effect or not OF_A_MAP.search(key) else "the vehicle never is at this point of the map"
        return Verdict(key, effect, beyond)
    except CeDynamicsError as error:
        return Verdict(key, effect=False, refused=str(error))
