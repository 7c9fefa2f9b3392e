"""Vehicles of the library by name."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent
SHIPPED = {
    "hmmwv": HERE / "hmmwv" / "hmmwv.yaml",
    "hmmwv-automatic": HERE / "hmmwv" / "hmmwv-automatic.yaml",
    "hmmwv-chrono": HERE / "hmmwv" / "hmmwv-chrono.yaml",
    "hmmwv-hull": HERE / "hmmwv" / "hmmwv-hull.yaml",
    "hmmwv-assisted": HERE / "hmmwv" / "hmmwv-assisted.yaml",
    "sedan": HERE / "sedan" / "sedan.yaml",
    "sedan-manual": HERE / "sedan" / "sedan-manual.yaml",
    "sedan-cvt": HERE / "sedan" / "sedan-cvt.yaml",
    "sedan-electric": HERE / "sedan" / "sedan-electric.yaml",
    "sedan-column": HERE / "sedan" / "sedan-column.yaml",
    "sedan-assisted": HERE / "sedan" / "sedan-assisted.yaml",
    "hatchback": HERE / "generic" / "hatchback.yaml",
    "off-roader": HERE / "generic" / "off-roader.yaml",
    "formula-student": HERE / "generic" / "formula-student.yaml",
    "truck": HERE / "generic" / "truck.yaml",
    "van": HERE / "generic" / "van.yaml",
    "van-trailer": HERE / "generic" / "van-trailer.yaml",
}
"""Vehicles by name."""
VARIANTS = {"ride": HERE / "hmmwv" / "ride.yaml"}
"""Files with just the numbers that differ from the HMMWV's, by name."""
RIDE = "ride"
"""Name of the HMMWV's ride model."""
