"""Keys of descriptions: the same for equal content, others where graphs may differ, none for strangers."""

import functools
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from ce_dynamics import _version
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import fingerprint
from ce_dynamics.compiler.fingerprint import content_key
from ce_dynamics.mechanism.forces.laws import Linear, Polynomial
from ce_dynamics.mechanism.hinges.revolute import Revolute
from ce_dynamics.mechanism.system import System
from ce_dynamics.models import hmmwv
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import HmmwvParameters, VehicleParameters
from tests.support.systems import CRANK_ROCKER, four_bar, through


def pendulum(length: float = 0.5, mass: float = 2.0, function: Callable[[Any], Any] | None = None) -> System:
    system = System(gravity=(0.0, 0.0, -9.81))
    arm = system.add_body(
        "arm", mass=mass, com=(length, 0.0, 0.0), inertia=(0.1, 0.2, 0.2), parent=system.ground,
        hinge=Revolute(axis=(0.0, 1.0, 0.0)),
    )  # fmt: skip
    if function is not None:
        system.add_output("height", "m", function)
    system.start(arm, q=[0.3])
    return system


DISTINCT: tuple[object, ...] = (
    None, True, False, 0, 1, 0.0, -0.0, 1.0, math.nan, math.inf, 1j, "1", b"1", "", "ab", ("a", "b"), ("ab",),
    ("a", "b", ()), (("a",), "b"), ["a", "b"], (), [], {}, set(), frozenset(), frozenset({"a"}), {"a": "b"},
    {"b": "a"}, slice(0, 1), slice(0, 2), np.float64(1.0), np.float32(1.0), np.int64(1), np.array(1.0),
    np.array([1.0]), np.array([[1.0]]), np.array([1]), np.array([1.0, 2.0]), np.array([[1.0], [2.0]]),
    np.array([1.0, "x"], dtype=object), Linear(1.0), Linear(2.0), Polynomial((1.0,)), math.sin, np.sin,
    Ellipsis, functools.partial(math.hypot, 1.0), functools.partial(math.hypot, 2.0), Linear,
)  # fmt: skip


def test_different_content_has_different_keys() -> None:
    keys = [content_key(thing) for thing in DISTINCT]
    assert None not in keys
    assert [DISTINCT[k] for k, key in enumerate(keys) if key in keys[:k]] == []


def test_how_things_are_grouped_matters() -> None:
    assert len({content_key(1, 2), content_key((1, 2)), content_key(1, (2,)), content_key(12)}) == 4


def test_the_same_content_has_the_same_key() -> None:
    assert content_key(Model(pendulum()).embedding) == content_key(Model(pendulum()).embedding)
    a, b = {"x": [1.0, np.eye(2)]}, {"x": [1.0, np.eye(2)]}
    assert content_key(a) == content_key(b)


def test_objects_that_refer_to_each_other() -> None:
    one: list[object] = [1.0]
    one.append(one)
    other: list[object] = [1.0]
    other.append(other)
    assert content_key(one) == content_key(other) is not None


def test_deep_nesting_has_no_key_rather_than_error() -> None:
    deep: tuple[object, ...] = ()
    for _ in range(100_000):
        deep = (deep,)
    assert content_key(deep) is None
    while deep:  # taken apart here: the interpreter would do it recursively
        (deep,) = deep  # type: ignore[assignment]


@pytest.mark.parametrize(
    "overrides",
    [
        (), ("chassis.mass=2500.5",), ("front.spring.linear=120 kN/m",), ("road.friction=0.7",),
        ("front.tyre.radius=0.46",), ("steering.actuator.damping_ratio=0.71",),
    ],
)  # fmt: skip
def test_keys_of_vehicles_differ_where_their_graphs_do(overrides: tuple[str, ...]) -> None:
    known = keys_and_graphs(())
    found = keys_and_graphs(overrides)
    assert (found[0] == known[0]) == (found[1] == known[1]) == (not overrides)


@functools.cache
def keys_and_graphs(overrides: tuple[str, ...]) -> tuple[str, str]:
    model = Model(hmmwv.build(HmmwvParameters.load(overrides=overrides)))
    key = content_key(model.system, model.embedding, model.layout)
    digest = model.trace_dynamics().digest()
    assert key is not None
    assert content_key(model.system, model.embedding, model.layout) == key  # tracing leaves nothing behind
    return key, digest


STARTS: dict[str, Callable[[float, float], System]] = {
    "tree": lambda q, v: started(pendulum(), "arm", q, v),
    "loop": lambda q, v: started(four_bar(CRANK_ROCKER, 0.7), "crank", q, v),
    "path": lambda q, v: started(through(four_bar(CRANK_ROCKER, 0.7)), "crank", q, v),
    "vehicle": lambda q, v: hmmwv.build(HmmwvParameters.load(), speed=v),
    "engine with a shaft": lambda q, v: build(VehicleParameters.load("sedan"), speed=v),
}


def started(system: System, body: str, angle: float, rate: float) -> System:
    system.start(system.find(body), q=[angle], v=[rate])
    return system


@pytest.mark.parametrize("make", STARTS.values(), ids=STARTS)
def test_rates_at_start_change_neither_graph_nor_key(make: Callable[[float, float], System]) -> None:
    one, other = (Model(make(0.1, rate)) for rate in (0.0, 3.0))
    assert np.any(one.y0 != other.y0)
    for traced in (Model.trace_dynamics, lambda model: model.observation.traced):
        assert traced(one).digest() == traced(other).digest()
    keys = {content_key(model.system, model.embedding, model.layout) for model in (one, other)}
    assert len(keys) == 1
    assert None not in keys


@pytest.mark.parametrize("make", [STARTS["tree"], STARTS["loop"], STARTS["path"]], ids=list(STARTS)[:3])
def test_start_coordinates_change_keys_with_graphs_only(make: Callable[[float, float], System]) -> None:
    one, other = (Model(make(angle, 0.0)) for angle in (0.1, 0.2))
    same_graph = one.trace_dynamics().digest() == other.trace_dynamics().digest()
    one_key, other_key = (content_key(m.system, m.embedding, m.layout) for m in (one, other))
    assert same_graph or one_key != other_key


def test_keys_of_loops_solved_by_newtons_method() -> None:
    """Their linkages hold tables of the branch and compiled functions."""
    models = [
        Model(four_bar(lengths, 0.9))
        for lengths in ((0.3, 0.9, 0.7, 1.0), (0.3, 0.9, 0.7, 1.0), (0.3, 0.9, 0.7, 1.01))
    ]
    keys = [content_key(model.system, model.embedding, model.layout) for model in models]
    digests = [model.trace_dynamics().digest() for model in models]
    assert keys == [content_key(model.system, model.embedding, model.layout) for model in models]
    assert keys[0] == keys[1] != keys[2]
    assert digests[0] == digests[1] != digests[2]
    assert None not in keys


def test_functions_of_one_line_differ_by_their_constants() -> None:
    system = hmmwv.build_ride()
    keys = [content_key(system.outputs[name].function) for name in ("x", "y", "vx", "vy")]
    assert len({*keys, None}) == 5


def test_manoeuvres_are_distinguished_by_their_options() -> None:
    keys = {content_key(hmmwv.double_lane_change(speed)) for speed in (10.0, 12.0)}
    keys.add(content_key(hmmwv.make_manoeuvre("step-steer", {"speed": 12.0})))
    assert len({*keys, None}) == 4


class Stranger:
    def __call__(self, x: Any) -> float:
        return 0.0


class OwnLaw(Linear):
    """A law of one's own that looks like one of the package."""


class OwnTuple(NamedTuple):
    x: float


def own_function(observer: Any) -> float:
    return 0.0


def disguised() -> Linear:
    law = Linear(1.0)
    object.__setattr__(law, "evaluate", own_function)
    return law


STRANGERS: dict[str, object] = {
    "instance": Stranger(), "class": Stranger, "subclass": OwnLaw(1.0), "tuple": OwnTuple(1.0),
    "function": own_function, "lambda": lambda observer: 0.0,
    "partial": functools.partial(own_function, 1.0), "bound method": Stranger().__call__,
    "method in an attribute": disguised(), "in a container": {"a": [(1.0, {"b": own_function})]},
    "array of objects": np.array([Stranger()], dtype=object), "generator": (x for x in (1.0,)),
    "iterator": iter([1.0]), "module": math, "method of a builtin object": [1.0].append,
    "set of objects": {(1.0, 2.0)}, "file": sys.stdout, "cached": functools.cache(own_function),
}  # fmt: skip


@pytest.mark.parametrize("name", STRANGERS)
def test_what_lies_outside_the_package_has_no_key(name: str) -> None:
    assert content_key(STRANGERS[name]) is None
    assert content_key(1.0, [STRANGERS[name]]) is None


def test_system_with_function_of_user_has_no_key() -> None:
    assert content_key(pendulum()) is not None
    assert content_key(pendulum(function=own_function)) is None


def test_class_replaced_in_its_module_has_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    law = Linear(1.0)
    monkeypatch.setattr("ce_dynamics.mechanism.forces.laws.Linear", OwnLaw)
    assert content_key(law) is None


PROGRAM = """
from ce_dynamics.compiler.fingerprint import content_key
from ce_dynamics.compiled.model import Model
from ce_dynamics.models import hmmwv
model = Model(hmmwv.build_ride())
print(content_key(model.system, model.embedding, model.layout))
"""


def test_another_process_finds_the_same_key() -> None:
    found = set()
    for seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": seed}
        answer = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
        )
        found.add(answer.stdout.strip())
    model = Model(hmmwv.build_ride())
    assert found == {content_key(model.system, model.embedding, model.layout)}


@pytest.fixture
def fresh() -> Iterator[None]:
    """The source is looked at anew, here and by whoever comes next."""
    looked_at = (fingerprint.source_key, fingerprint._source_files)
    for known in looked_at:
        known.cache_clear()
    yield
    for known in looked_at:
        known.cache_clear()


def test_source_younger_than_what_runs_has_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_version, "IMPORTED", os.stat(fingerprint.__file__).st_mtime - 1.0)
    assert content_key(1.0) is None


@pytest.mark.usefixtures("fresh")
def test_no_source_at_hand_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprint, "_modules", list)
    assert content_key(1.0) is None


@pytest.mark.usefixtures("fresh")
def test_another_source_is_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before, modules = content_key(1.0), fingerprint._modules()
    fingerprint.source_key.cache_clear()
    monkeypatch.setattr(fingerprint, "_modules", lambda: modules[:-1])
    assert before is not None
    assert content_key(1.0) not in (before, None)


def test_every_module_of_the_package_counts() -> None:
    names = {name.replace(os.sep, "/") for _, name in fingerprint._modules()}
    assert {
        "compiled/model.py",
        "kinematics/aim.py",
        "models/vehicles/corner.py",
        "dynamics/outward.py",
    } <= names
