"""Runs that were prepared before: the same bits, nothing read, built, settled or traced."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any, NoReturn

import pytest

from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import disk_cache
from ce_dynamics.compiler.fingerprint import content_key
from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles import case as building
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.prepared import Case
from ce_dynamics.models.vehicles.recalled import recalled
from ce_dynamics.models.vehicles.shipped import SHIPPED


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(disk_cache.VARIABLE, str(tmp_path / "code"))
    return tmp_path / "code"


def refuse(*_: Any, **__: Any) -> NoReturn:
    raise AssertionError("built or traced again")


def run_of(case: Case) -> dict[str, bytes]:
    """Everything that a run stores, but for the time it took."""
    record = case.simulate_to_record()
    return {name: column.values.tobytes() for name, column in record.variables.items()}


def test_the_second_time_nothing_is_built_and_every_bit_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {"speed": "13 m/s", "duration": "0.3", "overrides": ["chassis.mass=2400 kg"]}
    first = recalled("step-steer", options={"steer": "0.2"}, **asked)
    run = run_of(first)
    monkeypatch.setattr(building, "prepare", refuse)
    monkeypatch.setattr(Model, "__init__", refuse)
    monkeypatch.setattr(Model, "traced", refuse)
    again = recalled("step-steer", options={"steer": "0.2"}, **asked)
    assert again is not first
    assert again.y0.tobytes() == first.y0.tobytes()
    assert (again.title, again.duration, again.attributes) == (first.title, first.duration, first.attributes)
    assert run_of(again) == run
    with pytest.raises(AssertionError, match="built"):
        recalled("step-steer", options={"steer": "0.21"}, **asked)


@pytest.mark.parametrize("vehicle", SHIPPED)
def test_all_shipped_vehicles_can_be_kept(vehicle: str) -> None:
    system = build(VehicleParameters.load(vehicle))
    again = pickle.loads(pickle.dumps(system))
    assert content_key(again) == content_key(system) is not None


def test_a_recalled_model_is_the_same_description() -> None:
    """What its run did not ask, such as derivatives, is found under the key of the model that was built."""
    first, again = (recalled("step-steer", duration="0.1") for _ in range(2))
    keys = [content_key(c.model.system, c.model.embedding, c.model.layout) for c in (first, again)]
    assert keys[0] == keys[1] is not None
    slopes = [c.model.linearize(c.y0).A.tobytes() for c in (first, again)]
    assert slopes[0] == slopes[1]
    assert again.model.dynamics.traced.digest() == first.model.dynamics.traced.digest()


def test_files_of_a_user_are_read_every_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def prepare(*_: Any, model: str, **__: Any) -> NoReturn:
        made.append(model)
        raise DataError("read")

    monkeypatch.setattr(building, "prepare", prepare)
    path = str(tmp_path / "own.yaml")
    asked: tuple[dict[str, Any], ...] = {"model": path}, {"road": "own.crg"}, {"tyres": ["own.tir"]}
    for given in asked:
        for _ in range(2):
            with pytest.raises(DataError, match="read"):
                recalled(**given)
    assert made == [path, path, *["hmmwv"] * 4]
