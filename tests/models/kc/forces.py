"""Sweeps of forces on axles: ``python -m tests.models.kc.forces [vehicle or JSON file ...]``.

Of every axle of the vehicles that are named (all shipped ones else), under lateral, longitudinal and aligning
loads at both wheels, alike and opposed, at constant height and at constant load: figures are finite, the
mirror image of a load moves an axle to the mirror image, and no small load does negative work (eigenvalues of
the compliance matrix).  What deviates makes the exit code 1; axles with drag links or track bars have no
mirror image.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from time import process_time

import numpy as np

from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import CeDynamicsError
from ce_dynamics.models import kc
from ce_dynamics.models.kc.force_sweeps import FORCES, ForceSweep, force_sweep_of
from ce_dynamics.models.kc.vehicle import elastic_joints
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.files import SHIPPED

PARTS = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
LARGEST = {"N": 2e3, "N*m": 100.0}
MIRRORED = {"toe_angle": 1.0, "camber_angle": 1.0, "steer_angle": -1.0, "wheel_centre_y": -1.0,
            "wheel_centre_x": 1.0, "contact_y": -1.0, "contact_z": 1.0, "vertical_force": 1.0}  # fmt: skip
"""Figures, and what the mirror makes of them."""
ALIKE = 1e-6
"""Part of the total change of a mirrored figure, and of figures that hardly change."""


def is_mirrored(elastic: kc.Compliance) -> bool:
    """Return True if all joints of the axle have a mirror image."""
    ends = [
        np.array([nominal(joint.at_parent), nominal(joint.at_child)], dtype=float)
        for joint in elastic.axle.all_joints
    ]
    images = [points * (1.0, -1.0, 1.0) for points in ends]
    return all(any(np.allclose(image, points, rtol=0.0, atol=1e-9) for points in ends) for image in images)


def swept(elastic: kc.Compliance, kind: str, hold: str, mirrored: bool) -> Iterator[str]:
    unit, axis = FORCES[kind].unit, FORCES[kind].axis
    sweep: ForceSweep = force_sweep_of(kind, LARGEST[unit] * PARTS, hold=hold)
    found = kc.force_sweep(elastic, sweep)
    values = {name: np.asarray(found[name].values, dtype=float) for name in MIRRORED}
    for name, value in values.items():
        if not np.all(np.isfinite(value)):
            yield f"{name} is not finite"
    # A lateral or aligning load alike on both sides is turned round by the mirror, an opposed one is not;
    # with longitudinal ones it is the other way.
    mirrors = (axis != 0) != kind.endswith("opposed")
    for name, sign in MIRRORED.items():
        there = values[name]
        mirror = sign * (there[::-1] if mirrors else there)[:, ::-1]
        size = max(float(np.ptp(there)), 1e-6 if not name.startswith("vertical") else 1.0)
        off = float(np.max(np.abs(there - mirror))) / size
        if mirrored and off > ALIKE:
            yield f"{name} is not mirrored: {off:.1e} of its change of {float(np.ptp(there)):.2e}"
    steer = np.degrees(values["steer_angle"][:, 0])
    side, up = (1e3 * np.ptp(values[f"contact_{x}"][:, 0]) for x in "yz")
    turned = " ".join(f"{angle:+.4f}" for angle in steer[::2])
    print(f"    {kind:22} {hold:6} steer {turned}°, contact {side:.3f} mm aside, {up:.3f} mm up", flush=True)


def tried(vehicle: str | Path) -> int:
    data = VehicleParameters.load(vehicle)
    wrong = 0
    for axle in data.layout.axles:
        start = process_time()
        try:
            rig = kc.rig_of(data, axle.name)
            elastic = kc.Compliance(rig, elastic_joints(data, rig))
            C = elastic.at(rig.solve_poses([[0.0, 0.0]])[0]).C
        except CeDynamicsError as error:
            print(f"  {axle.name}: refused: {error}", flush=True)
            continue
        soft = "bushings" if any(one.axle == axle.name for one in data.bushings) else "no bushings"
        mirrored = is_mirrored(elastic)
        image = "" if mirrored else ", without a mirror image"
        print(f"  {axle.name}, {soft}{image}: 1/C33 {1e-3 / C[2, 2]:.2f} N/mm", flush=True)
        if np.min(np.linalg.eigvalsh(0.5 * (C + C.T))) < -1e-9 * np.max(np.abs(C)):
            wrong += 1
            print("    WRONG: a load does negative work", flush=True)
        for kind in FORCES:
            for hold in ("height", "load"):
                try:
                    problems = list(swept(elastic, kind, hold, mirrored))
                except CeDynamicsError as error:
                    print(f"    {kind:22} {hold:6} refused: {error}", flush=True)
                    continue
                wrong += len(problems)
                for problem in problems:
                    print(f"    WRONG {kind}, {hold}: {problem}", flush=True)
        print(f"  {axle.name}: {process_time() - start:.0f} s of processor", flush=True)
    return wrong


def main() -> None:
    """Print a line for each sweep, and what deviates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vehicles", nargs="*", default=list(SHIPPED))
    wrong = 0
    for vehicle in parser.parse_args().vehicles:
        print(vehicle, flush=True)
        wrong += tried(vehicle if vehicle in SHIPPED else Path(vehicle))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
