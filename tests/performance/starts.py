"""``python -m tests.performance.starts``: how far vehicles and trains that stand on grades and banks move."""

from __future__ import annotations

import numpy as np

from ce_dynamics.models.vehicles.case import prepare

PLACES: tuple[tuple[str, dict[str, float], str | None], ...] = (
    ("van-trailer", {"grade": 0.1}, None),
    ("van-trailer", {"grade": -0.15}, None),
    ("hmmwv", {}, "bank:slope=0.1"),
    ("van", {}, "bank:slope=-0.15"),
    ("van-trailer", {}, "bank:slope=0.1"),
)
DURATION = 4.0


def main() -> None:
    """Print how far each moves, braked, within some seconds."""
    for name, options, road in PLACES:
        case = prepare("stand-still", model=name, options=options, road=road, duration=DURATION)
        run = case.simulate(method="dopri5")
        place = np.stack([run[k].values for k in "xyz"])
        moved = float(np.abs(place - place[:, :1]).max())
        where = road or f"grade {options['grade']:g}"
        print(f"{name} on {where}: {moved:.1e} m in {DURATION:g} s", flush=True)


if __name__ == "__main__":
    main()
