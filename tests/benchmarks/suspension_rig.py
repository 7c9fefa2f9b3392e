"""``python -m tests.benchmarks.suspension_rig``: curves of an axle, their derivatives, an optimisation.

Each beside the same by differences over the same poses: one more solved curve for every parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

from ce_dynamics.models import kc
from ce_dynamics.models.kc.sensitivities import Sensitivities
from tests.benchmarks.report import Table, number
from tests.models.kc.soft_sedan import soft_sedan

PIVOTS = [f"{arm}.{end}_pivot" for arm in ("lower_arm", "upper_arm") for end in ("front", "rear")]
POINTS = ["D", "F", "K", "L", "W", *PIVOTS]
HARDPOINTS = [f"front.{point}.{x}" for point in POINTS for x in "xyz"]
STRUT = [f"front.{point}.{x}" for point in ("D", "K", "L", "W", "lower_arm.front_pivot") for x in "xyz"]
VARIED = [f"front.{p}" for p in ("L.x", "L.y", "L.z", "upper_arm.front_pivot.z", "upper_arm.rear_pivot.z")]
VARIED += ["front.D.z"]
POSES = 41
TRAVEL = np.linspace(-0.08, 0.08, POSES)
BOTH = np.stack((TRAVEL, TRAVEL), axis=1)


def best(work: Callable[[], Any], repeats: int = 7) -> float:
    """Shortest of some runs [s]."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return min(times)


def by_differences(rig: kc.KCRig, read: Callable[[dict[str, float]], Any], names: list[str]) -> None:
    """A Jacobian by forward differences."""
    read({})
    for name in names:
        read({name: rig.nominal[name] + 1e-7})


def rows_of(vehicle: str) -> list[tuple[str, str, str, str]]:
    """Milliseconds for one vehicle's front axle."""
    rig = kc.rig_of(vehicle, "front")
    rig.read(rig.solve_poses(BOTH))
    rows = [
        (
            f"{vehicle}: {POSES} poses, all figures",
            number(1e3 * best(lambda: rig.read(rig.solve_poses(BOTH)))),
            "–",
            "5",
        )
    ]
    hardpoints = STRUT if vehicle == "hatchback" else HARDPOINTS
    free = kc.rig_of(vehicle, "front", free=hardpoints)
    toe = Sensitivities(free, ["toe_angle"])
    exact = best(lambda: toe.at(free.solve_poses(BOTH)))

    def read(changed: dict[str, float]) -> Any:
        return free.read(free.solve_poses(BOTH, 0.0, changed), ["toe_angle"])

    read({})
    differences = best(lambda: by_differences(free, read, hardpoints), 3)
    what = f"{vehicle}: bump steer by {len(hardpoints)} hardpoint coordinates"
    rows.append((what, number(1e3 * exact), number(1e3 * differences), "20"))
    return rows


def optimisation() -> tuple[str, str, str, str]:
    """Six coordinates for four curves."""
    from scipy.optimize import least_squares  # here, because only this needs it

    rig = kc.rig_of("sedan", "front", free=VARIED)
    rng = np.random.default_rng(0)
    hidden = {name: rig.nominal[name] + 0.008 * rng.uniform(-1.0, 1.0) for name in VARIED}
    tolerances = {"toe_angle": 1e-4, "camber_angle": 1e-3, "caster_angle": 1e-3, "roll_centre_height": 1e-3}
    names = list(tolerances)

    def read(parameters: dict[str, float]) -> Any:
        found = rig.read(rig.solve_poses(BOTH, 0.0, parameters), names)
        return [value[:, 0] if value.ndim == 2 else value for value in found.values()]

    wanted = read(hidden)
    targets = [
        kc.Target(name, curve, tolerances[name], values=TRAVEL)
        for name, curve in zip(names, wanted, strict=True)
    ]
    vary = {name: (rig.nominal[name] - 0.03, rig.nominal[name] + 0.03) for name in VARIED}
    kc.optimise(rig, vary, targets)
    exact = best(lambda: kc.optimise(rig, vary, targets), 3)
    x0 = np.array([rig.nominal[name] for name in VARIED])

    def deviations(x: Any) -> Any:
        found = read(dict(zip(VARIED, map(float, x), strict=True)))
        parts = zip(found, wanted, tolerances.values(), strict=True)
        return np.concatenate([(curve - goal) / tolerance for curve, goal, tolerance in parts])

    bounds = np.array(list(vary.values())).T
    differences = best(
        lambda: least_squares(
            deviations, x0, bounds=tuple(bounds), x_scale=bounds[1] - bounds[0], xtol=1e-12
        ),
        1,
    )
    what = "sedan: six coordinates for four curves, optimised"
    return what, number(1e3 * exact), number(1e3 * differences), "2000"


def with_bushings() -> list[tuple[str, str, str, str]]:
    """Balances of the sedan's front axle, both arms on bushings and an elastic tie rod."""
    with TemporaryDirectory() as folder:
        elastic = kc.compliance_of(soft_sedan(Path(folder)), "front")
    pose = elastic.rig.solve_poses([[0.03, 0.03]])[0]
    wheels = np.zeros((2, 9))
    wheels[:, 4] = 2e3
    return [
        (f"sedan: {what}", number(1e3 * best(work)), "–", "–")
        for what, work in (
            ("one balance of springs and bushings, with its 12 × 12 matrix", lambda: elastic.at(pose)),
            ("the same under 2 kN of side force at each wheel", lambda: elastic.at(pose, wheels)),
        )
    ]


def table() -> Table:
    """All that is measured."""
    rows = [row for vehicle in ("sedan", "hmmwv", "hatchback") for row in rows_of(vehicle)]
    head = ("what", "exact, ms", "by differences, ms", "at most, ms")
    return Table("The rig for suspensions, once compiled", head, (*rows, optimisation(), *with_bushings()))


if __name__ == "__main__":
    print(table().markdown())
