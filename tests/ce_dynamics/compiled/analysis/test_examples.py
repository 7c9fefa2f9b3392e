"""The examples in the docstrings of the answers are true, and every answer of a model is described."""

import doctest
import inspect
from importlib import import_module

import pytest

from ce_dynamics.compiled.model import Model

MODULES = (
    "analysis.aggregated_bodies", "analysis.configurations", "analysis.equilibria",
    "analysis.linearization", "analysis.mechanics", "analysis.operational_space", "analysis.operators",
    "analysis.points", "analysis.poses", "analysis.power_balance", "analysis.vibrations", "observed",
)  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    result = doctest.testmod(import_module(f"ce_dynamics.compiled.{name}"))
    assert result.attempted > 0
    assert result.failed == 0


def test_every_answer_of_a_model_is_described() -> None:
    public = {name: kind for name, kind in inspect.getmembers(Model) if not name.startswith("_")}
    assert {"mass_matrix", "modes", "outputs", "equilibrium", "observation"} <= set(public)
    assert [name for name, kind in public.items() if not inspect.getdoc(kind)] == []
