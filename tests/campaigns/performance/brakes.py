"""Campaign ``performance.brakes [VEHICLE ...]``: what adhesion the brakes of vehicles use."""

from __future__ import annotations

import sys

import numpy as np

from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.files import SHIPPED
from tests.campaigns.performance.brake_balance import brake_balance


def main(vehicles: list[str]) -> None:
    """Print a table, front and rear adhesion at several decelerations."""
    z = np.array((0.2, 0.4, 0.6, 0.8))
    print("| vehicle | front load | front brakes | rear locks first from | adhesion used, front and rear, at "
          "z = 0.2, 0.4, 0.6, 0.8 | UN R 13-H |\n| --- | --- | --- | --- | --- | --- |")  # fmt: skip
    for name in vehicles:
        found = brake_balance(VehicleParameters.load(name))
        pairs = ", ".join(f"{f:.2f} {r:.2f}" for f, r in zip(*found.adhesion(z), strict=True))
        kept = "kept" if found.keeps_to_regulation else "not kept"
        parts = f"{found.front:.3f} | {found.brake_front:.3f} | {found.rear_locks_first:.2f} g"
        print(f"| {name} | {parts} | {pairs} | {kept} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or list(SHIPPED))
