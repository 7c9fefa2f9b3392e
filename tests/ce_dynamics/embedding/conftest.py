"""What tests of embeddings share."""

from __future__ import annotations

import pytest


@pytest.fixture
def by_newton(monkeypatch: pytest.MonkeyPatch) -> None:
    """No part of a loop is recognised: all of it is solved by Newton's method."""
    for name in ("complete.planar_dyad", "complete.turn_to_length"):
        monkeypatch.setattr(f"ce_dynamics.embedding.{name}", lambda part: None)
    monkeypatch.setattr("ce_dynamics.embedding.closed_forms.without_legs.legs_of", lambda *_: [])
