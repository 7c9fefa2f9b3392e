"""The HMMWV's data; what it offers is gathered in `ce_dynamics.models.hmmwv`."""

from __future__ import annotations

from pathlib import Path

DATA_FILE = Path(__file__).with_name("hmmwv.yaml")
CORNERS = ("front_left", "front_right", "rear_left", "rear_right")
