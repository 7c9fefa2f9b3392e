"""``python -m tests.pictures``: draw docs/figures/played.png and docs/figures/driven.png."""

from __future__ import annotations

import tempfile
from pathlib import Path

from ce_dynamics.models import hmmwv
from tests.browser import answer

FIGURES = Path(__file__).parents[2] / "docs" / "figures"

PLAYED = """
    ce.show("forces", true);
    ce.runs[0].take.showBody("translucent");
    ce.trace("ay");
    ce.plot(["tyre_Fz front_left", "tyre_Fz front_right", "roll"]);
    ce.seek(2.6);
    await new Promise((done) => setTimeout(done, 500));
    ce.cameras.look(ce.runs[0].take.position(0), 4.6);
"""
DRIVEN = """
    ce.pause(true);
    ce.controls.pressed.add("KeyW");
    for (let frame = 0; frame < 340; ++frame) {
        if (frame === 290) ce.controls.pressed.add("KeyA");
        ce.controls.apply(ce.physics.u, 0.016);
        ce.advance(16);
        ce.cameras.update();
    }
    await new Promise((done) => setTimeout(done, 500));
"""


def main() -> None:
    """Make both pages and look at them."""
    case = hmmwv.prepare("double-lane-change", duration=5.0)
    played = hmmwv.picture_of(case, case.simulate(method="rk4")).html
    driven = hmmwv.drive_page(["hmmwv"]).html
    for name, page, script in (("played", played, PLAYED), ("driven", driven, DRIVEN)):
        with tempfile.TemporaryDirectory() as folder:
            answer(page, script, Path(folder), FIGURES / f"{name}.png")
        print(f"drawn: {FIGURES / name}.png")


if __name__ == "__main__":
    main()
