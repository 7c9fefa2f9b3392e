"""Campaign ``performance.brakes [VEHICLE ...]``: adhesion that the brakes of vehicles use.

At a deceleration z g on a level road the loads N_i of the axles follow from the equilibrium of the whole
vehicle; the adhesion that axle i uses is

    f_i = T_i/(R_i N_i),      Σ T_i/R_i = z m g,

T_i being its brakes' torques and R_i the radius of its wheels.  The axle that uses more locks first.  UN
Regulation 13-H (annex 5, two axles) requires that f of the front axle is above that of the rear one for
0.15 ≤ z ≤ 0.8, and that z ≥ 0.1 + 0.85 (f − 0.2) for 0.2 ≤ f ≤ 0.8.  With more than two axles, those behind
the first count as one.
"""

import sys
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.files import SHIPPED

LEAST, LARGEST = 0.15, 0.8
"""Decelerations in g between which the rear axle must not lock first."""


class BrakeBalance(NamedTuple):
    """Static and dynamic load, and what the brakes make of it."""

    mass: float  # of the vehicle without trailers [kg]
    front: float  # part of the weight on the front axle at rest
    # part of the weight that moves to the front axle per g of deceleration: height over wheelbase
    transfer: float
    brake_front: float  # part of the brake force that the front axle gives

    def adhesion(self, z: Floats | float) -> tuple[Floats, Floats]:
        """Return the f of the front and of the rear axle at decelerations of z g."""
        z = np.asarray(z, dtype=float)
        front, rear = self.brake_front * z, (1.0 - self.brake_front) * z
        return front / (self.front + self.transfer * z), rear / (1.0 - self.front - self.transfer * z)

    @property
    def rear_locks_first(self) -> float:
        """z from which the rear axle locks first, on a road of just this adhesion."""
        return (self.brake_front - self.front) / self.transfer

    @property
    def keeps_to_regulation(self) -> bool:
        """True if both conditions of UN Regulation 13-H are met."""
        z = np.linspace(LEAST, LARGEST, 66)
        front, rear = self.adhesion(z)
        used = np.maximum(front, rear)
        asked = (used < 0.2) | (used > 0.8) | (z >= 0.1 + 0.85 * (used - 0.2))
        return bool(np.all(front > rear) and np.all(asked))


def brake_balance(parameters: VehicleParameters) -> BrakeBalance:
    """Return the brake balance of a vehicle with its data's masses, in design position, without trailers."""
    data = parameters
    axles = data.layout.axles_of(None)
    if len(axles) < 2:
        raise DataError("brake_balance: the vehicle has a single axle; its load does not shift")
    system = build(data)
    towed = {corner for axle in data.layout.axles if axle.trailer is not None for corner in axle.corners}
    own = [
        body
        for body in system.bodies
        if body.name not in data.trailers
        and not any(body.name.startswith((f"{name}.", f"{name}_")) for name in data.trailers)
        and body.name.partition(".")[0] not in towed
    ]
    masses = np.array([float(nominal(body.mass)) for body in own])
    com = masses @ np.array([np.asarray(nominal(body.com), dtype=float) for body in own]) / masses.sum()
    places, forces, ground = [], [], []
    for axle in axles:
        corners = [data.corners[name] for name in axle.corners]
        radius = [float(nominal(corner.tyre.unloaded_radius)) for corner in corners]
        centre = [np.asarray(nominal(corner.W), dtype=float) for corner in corners]
        places.append(float(np.mean([W[0] for W in centre])))
        ground.append(float(np.mean([W[2] - r for W, r in zip(centre, radius, strict=True)])))
        forces.append(sum(c.brake_torque / r for c, r in zip(corners, radius, strict=True)))
    rear = float(np.mean(places[1:]))
    wheelbase = places[0] - rear
    return BrakeBalance(
        mass=float(masses.sum()),
        front=(float(com[0]) - rear) / wheelbase,
        transfer=(float(com[2]) - float(np.mean(ground))) / wheelbase,
        brake_front=float(nominal(forces[0])) / float(nominal(sum(forces))),
    )


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
