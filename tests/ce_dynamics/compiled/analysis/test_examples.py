"""The examples in the docstrings of the analysis modules are true."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

MODULES = (
    "configurations",
    "equilibria",
    "mechanics",
    "modes",
    "operational_space",
    "operators",
    "poses",
    "points",
    "power_balance",
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    result = doctest.testmod(import_module(f"ce_dynamics.compiled.analysis.{name}"))
    assert result.attempted > 0
    assert result.failed == 0
