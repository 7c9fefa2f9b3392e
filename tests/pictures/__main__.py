"""``python -m tests.pictures [NAME...]``: draw pictures of the documentation, print what a frame costs."""

import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import ce_dynamics as ce
from ce_dynamics.contact import GaussSeidel
from ce_dynamics.models.demonstrations.cable_towing import simulate as tow
from ce_dynamics.models.kc.live import live_page
from ce_dynamics.models.vehicles.case import prepare
from ce_dynamics.models.vehicles.drive import drive_page
from ce_dynamics.models.vehicles.pictures import picture_of
from ce_dynamics.views.scene import View
from docs.examples.cable_towing import page as towing_page, robots
from tests.browser import answer, answer_in_time
from tests.pictures import by_mujoco

FIGURES = Path(__file__).parents[2] / "docs" / "figures"
SIZES = {"": "1000,640", "-phone": "390,780"}
"""Sizes of the window [pixels], by the suffix of a picture's name."""
WIDTH, QUALITY = 800, 72
"""Width of picture files [pixels] at most, and quality of WebP."""
FRAMES = 80
MOST = {"calls": 150, "triangles": 300_000, "ms": 4.0}
"""Budget of a frame: draw calls, triangles, script [ms]."""

COST = """
    const times = [];
    for (let k = 0; k < FRAMES; ++k) {
        const begun = performance.now();
        NEXT
        times.push(performance.now() - begun);
    }
    const { calls, triangles } = ce.stage.renderer.info.render;
    return { calls, triangles, ms: Math.min(...times) };
"""
NEXT = {
    "play": "ce.seek(ce.start + (ce.end - ce.start) * (k + 0.5) / FRAMES); ce.draw();",
    "drive": "ce.advance(16); ce.draw(); ce.cameras.update(); ce.stage.render(); ce.vehicle.draw();",
    "axle": "ce.go('parallel', 0.04 * Math.sin(k)); ce.cameras.update(); ce.stage.render();",
}
"""A frame of each kind of page."""
SETTLED = "await new Promise((done) => setTimeout(done, 500));"


@dataclass(frozen=True)
class Scene:
    """A page, of a kind of `NEXT`, and the script that makes it look as it is to be drawn."""

    page: Callable[[], Any]
    script: str
    kind: str = "play"


def played(vehicle: str, manoeuvre: str, duration: float) -> Callable[[], View]:
    def made() -> View:
        case = prepare(manoeuvre, model=vehicle, duration=duration)
        return picture_of(case, case.simulate(method="rk4"))

    return made


FIRST, MIDDLE = "ce.runs[0].take.position(0)", "ce.stage.controls.target.clone()"
"""Places that scripts look at: the first body, or the middle of all that followed it from the start."""


def near(time: float, distance: float, more: str = "", at: str = FIRST) -> str:
    """Return a script that looks at a place at a time [s] from a distance [m]."""
    look = f"ce.cameras.look({at}, {distance});"
    return f"ce.seek({time}); {more} {SETTLED} {look}"


def driven(frames: int, turn: int) -> str:
    """Return a script that drives for some frames, and to the left from one of them on."""
    return f"""
    ce.pause(true);
    ce.controls.pressed.add("KeyW");
    for (let frame = 0; frame < {frames}; ++frame) {{
        if (frame === {turn}) ce.controls.pressed.add("KeyA");
        ce.controls.apply(ce.physics.u, 0.016, (name) => ce.value(name));
        ce.advance(16);
        ce.draw();
        ce.cameras.update();
    }}
    {SETTLED}
    """


def four_bar() -> View:
    system = ce.System(name="four-bar", gravity=(0, 0, -9.81))
    y: tuple[int, int, int] = (0, 1, 0)
    rod: dict[str, Any] = {"mass": 1.5, "inertia": (0.1, 0.1, 0.1)}
    crank = system.add_body("crank", com=(0.1, 0, 0.05), parent=system.ground, hinge=ce.Revolute(y), **rod)
    pin = ce.Revolute(y, at=(0.2, 0, 0.1))
    coupler = system.add_body("coupler", com=(0.4, 0, 0.2), parent=crank, hinge=pin, **rod)
    foot = ce.Revolute(y, at=(0.7, 0, 0))
    rocker = system.add_body("rocker", com=(0.7, 0, 0.2), parent=system.ground, hinge=foot, **rod)
    system.close_loop("pin", coupler, rocker, ce.Revolute(y, at=(0.7, 0, 0.5)), independent=[crank])
    ends = (system.ground, (1.2, 0, 0.3), rocker, (0.7, 0, 0.4))
    system.add_force(ce.SpringDamper("spring", *ends, spring=80.0, damper=2.0))
    model = ce.compile(system)
    return ce.view(model, ce.simulate(model, duration=2.0)).trace("coupler", (0.45, 0, 0.25))


def towed() -> View:
    """Return the page of robots that tow a load."""
    scene = robots()
    run = tow(scene.towing, duration=2.0, step=2e-3, solver=GaussSeidel(1e-9))
    return towing_page(scene, run)


PLOTTED = 'ce.plot(["tyre_Fz front_left", "tyre_Fz front_right", "roll"]);'
SEEN_THROUGH = (
    'ce.show("forces", true); ce.scaleForces(0.4); ce.runs[0].take.showBody("translucent"); ce.trace("ay");'
)
SCENES = {
    "played": Scene(played("hmmwv", "double-lane-change", 5.0), near(2.2, 6.5, SEEN_THROUGH + PLOTTED)),
    "driven": Scene(lambda: drive_page(["hmmwv"]), driven(340, 290), "drive"),
    "saloon": Scene(played("sedan", "double-lane-change", 5.0), near(2.2, 9.5)),
    "truck": Scene(played("truck", "step-steer", 4.0), near(3.0, 14.5)),
    "trailer": Scene(played("van-trailer", "step-steer", 4.0), near(3.0, 18.5, at=MIDDLE)),
    "single-seater": Scene(played("formula-student", "step-steer", 3.0), near(2.5, 6.5)),
    "bump": Scene(played("off-roader", "bump", 3.0), near(1.2, 9.0, 'ce.show("forces", true);')),
    "proving-ground": Scene(lambda: drive_page(["sedan"], road="proving-ground"), driven(260, 160), "drive"),
    "axle": Scene(lambda: live_page("sedan", "front"), 'ce.go("parallel", 0.05);' + 2 * SETTLED, "axle"),
    "four-bar": Scene(
        four_bar, 'ce.seek(0.4); for (const what of ["forces", "loops", "names"]) ce.show(what, true);'
    ),
    "towing": Scene(towed, near(1.5, 5.5, 'ce.show("forces", true);', MIDDLE)),
}

BY_MUJOCO = {"saloon": (2.2, np.array((0.55, -1.0, 0.3)), 9.5, (1000, 574))}
"""Scenes that MuJoCo draws, too, as its page looks at them: time, way, distance, size."""


def main(names: list[str]) -> None:
    print("| scene | draw calls | triangles | script per frame, ms | page, kB |")
    print("| --- | --- | --- | --- | --- |")
    for name in names or SCENES:
        scene = SCENES[name]
        shown = scene.page()
        page = shown.html
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            cost = COST.replace("NEXT", NEXT[scene.kind]).replace("FRAMES", str(FRAMES))
            found = answer_in_time(page, cost, folder)
            for suffix, size in SIZES.items():
                drawn = folder / "drawn.png"
                answer(page, scene.script, folder, drawn, size)
                with Image.open(drawn) as picture:
                    save_small(picture, FIGURES / f"{name}{suffix}.webp")
        if name in BY_MUJOCO:
            save_small(
                Image.fromarray(by_mujoco.draw(shown.takes[0], *BY_MUJOCO[name])),
                FIGURES / f"{name}-mujoco.webp",
            )
        size_kb = round(len(page) / 1e3)
        figures = f"{found['calls']} | {found['triangles']:,} | {found['ms']:.1f} | {size_kb:,}"
        print(f"| {name} | {figures} |", flush=True)
        beyond = [what for what, most in MOST.items() if found[what] > most]
        if beyond:
            print(f"{name}: beyond its budget of {', '.join(beyond)}", file=sys.stderr)


def save_small(picture: Image.Image, path: Path) -> None:
    picture.thumbnail((WIDTH, 10_000))
    picture.convert("RGB").save(path, quality=QUALITY, method=6)


if __name__ == "__main__":
    main(sys.argv[1:])
