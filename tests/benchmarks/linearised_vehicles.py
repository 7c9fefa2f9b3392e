"""``python -m tests.benchmarks.linearised_vehicles``: A, B, C, D of whole vehicles against differences.

Every vehicle rolls at 15 m/s as it settled, disturbed by a thousandth in every state so that nothing is
symmetrical, and no brake rests on the kink where it turns.  Central differences with h = 1e-6 are good to
1e-16/h of the size of a row and h² of its third derivatives; where a table or a switch has its kink within h,
they are not, and the script says which entry.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.equilibrium import settle

OUTPUTS = ("yaw_rate", "ay", "roll", "front_left.tyre.Fz", "front_left.tyre.Fy")
STEP = 1e-6
BEGIN = 15.0


class Worst(NamedTuple):
    """The largest difference, over the size of its row, and where it is."""

    difference: float
    row: str
    column: str


def compared(vehicle: str, seed: int = 0) -> Worst:
    """All entries of the four matrices of a vehicle."""
    model = Model(build(VehicleParameters.load(vehicle), speed=BEGIN))
    u = model.inputs_with(inputs={"throttle": 0.1, "brake": 0.05, "steering": 0.02})
    y = settle(model, u)
    y = y + 1e-3 * np.random.default_rng(seed).normal(size=len(y))
    y = model.with_unit_quaternions(y)
    outputs = [name for name in OUTPUTS if name in [entry.name for entry in model.output_entries]]
    linear = model.linearize(y, u=u, outputs=outputs)
    exact = np.block([[linear.A, linear.B], [linear.C, linear.D]])
    places = [[entry.name for entry in model.output_entries].index(name) for name in outputs]

    def at(z: Floats) -> Floats:
        state, given = np.split(z, [len(y)])
        (y_dot,) = model.dynamics(state, given)
        return np.concatenate((y_dot, np.asarray(model.observation(state, given)[0])[places]))

    z = np.concatenate((y, u))
    steps = STEP * np.maximum(1.0, np.abs(z))
    slopes = np.stack(
        [(at(z + h * e) - at(z - h * e)) / (2.0 * h) for h, e in zip(steps, np.eye(len(z)), strict=True)],
        axis=1,
    )
    size = np.max(np.abs(slopes), axis=1, keepdims=True) + 1e-12
    off = np.abs(exact - slopes) / size
    row, column = np.unravel_index(int(np.argmax(off)), off.shape)
    rows = (*linear.states, *linear.outputs)
    return Worst(float(off[row, column]), rows[row], (*linear.states, *linear.inputs)[column])


if __name__ == "__main__":
    for name in sys.argv[1:] or ("sedan",):
        found = compared(name)
        print(
            f"{name}: off by {found.difference:.1e} of its row at most, {found.row} by {found.column}",
            flush=True,
        )
