"""Physics in WebAssembly has Python's bits, in Node.js and in a browser; what was driven is driven again."""

import json
import math
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.mechanism.parameters import values_at
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.drive import drive_page
from ce_dynamics.models.vehicles.steering_angle import steering_wheel_lock
from ce_dynamics.views.drive import Control, DrivePage, Gauge, Machine, Slider, rerun
from ce_dynamics.views.drive.page import machine_content, module
from ce_dynamics.views.scene.page import WEB, Packed
from tests.browser import answer, answer_in_time, needs_chromium
from tests.support.sampled import cart

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js")

H = 1e-3
STEPS = """
import {{ readFileSync }} from "node:fs";
import {{ Physics }} from "./physics.mjs";
const machine = JSON.parse(readFileSync("machine.json"));
const physics = await Physics.from(readFileSync("machine.wasm"), machine);
{script}
console.log(JSON.stringify(answer));
"""


def crank_system() -> ce.System:
    """A driven four-bar with a spring and two free numbers, one of them a hardpoint."""
    system = ce.System(name="driven four-bar", gravity=(0, 0, -9.81))
    y = (0, 1, 0)
    length = system.add_parameter(ce.Parameter("rocker length", 0.5, "m"))
    mass = system.add_parameter(ce.Parameter("coupler mass", 1.5, "kg"))
    rods: dict[str, Any] = {"inertia": (0.1, 0.1, 0.1)}
    hinge = ce.Revolute(y)
    crank = system.add_body("crank", mass=1.0, com=(0.1, 0, 0.05), parent=system.ground, hinge=hinge, **rods)
    hinge = ce.Revolute(y, at=(0.2, 0, 0.1))
    coupler = system.add_body("coupler", mass=mass, com=(0.4, 0, 0.2), parent=crank, hinge=hinge, **rods)
    hinge = ce.Revolute(y, at=(0.7, 0, 0))
    rocker = system.add_body("rocker", mass=1.0, com=(0.7, 0, 0.2), parent=system.ground, hinge=hinge, **rods)
    system.close_loop("pin", coupler, rocker, ce.Revolute(y, at=(0.7, 0, length)), independent=[crank])
    system.add_input("torque", "N m", between=(-20.0, 20.0))
    system.add_force(ce.Actuator("motor", crank, command="torque"))
    ends = (system.ground, (1.2, 0, 0.3), rocker, (0.7, 0, 0.4))
    system.add_force(ce.SpringDamper("spring", *ends, spring=80.0, damper=2.0))
    system.add_output("height", "m", lambda o: o.point(coupler, coupler.com, system.ground).r[2])
    return system


@pytest.fixture(scope="module")
def machine() -> Machine:
    return Machine(
        "crank",
        ce.compile(crank_system()),
        controls=[Control("torque", (("ArrowLeft",), ("ArrowRight",)), rates=(40.0, 80.0))],
        sliders=[Slider("rocker length", 0.4, 0.6), Slider("coupler mass", 0.5, 5.0)],
        gauges=[Gauge("height", "height", "mm", 1e3)],
    )


def in_node(machine: Machine, script: str, folder: Path) -> Any:
    """Return the value of ``answer`` after a script with ``machine`` and ``physics``."""
    (folder / "machine.json").write_text(json.dumps(machine_content(machine, Packed())))
    (folder / "machine.wasm").write_bytes(module(machine))
    (folder / "physics.mjs").write_text((WEB / "physics.js").read_text("utf-8"))
    (folder / "run.mjs").write_text(STEPS.format(script=script))
    done = subprocess.run(["node", "run.mjs"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def position(model: ce.Model, name: str, y: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return the position of a body's centre of mass, by the uncompiled reference."""
    body = model.system.find(name)
    r = model.instant(y, u).outward.point(body, body.com, model.system.ground).r
    return values_at(r, model.layout.parameters, u[model.layout.n_inputs :])


def recording(machine: Machine, steps: int, inputs: list[list[float]], end: Any) -> Mapping[str, Any]:
    about = {"machine": machine.label, "step": H, "steps": steps, "y0": machine.y0.tolist()}
    return {**about, "inputs": inputs, "end": end}


@needs_node
def test_physics_in_node_has_the_bits_of_python(machine: Machine, tmp_path: Path) -> None:
    script = """
    const done = [physics.steps(300, 1e-3)];
    physics.u[0] = 3.5;
    physics.u[2] = 2.5;
    done.push(physics.steps(700, 1e-3));
    physics.picture();
    const outputs = [...physics.observe()];
    const answer = { done, y: [...physics.y], outputs, places: [...physics.places] };
    """
    found = in_node(machine, script, tmp_path)
    assert found["done"] == [300, 700]
    u_0, u_1 = [0.0, 0.5, 1.5], [3.5, 0.5, 2.5]
    again = rerun(machine, recording(machine, 1000, [[0, *u_0], [300, *u_1]], found["y"]))
    assert again.same
    assert again.states[-1].tolist() == found["y"]
    # against the library's own integrator, to its tolerance; RK4 at 1 ms errs by less
    first = ce.simulate(machine.model, duration=0.3, rtol=1e-11, atol=1e-12)
    start = np.array([first["crank"].values[-1], first["crank_rate"].values[-1]])
    second = ce.simulate(
        machine.model,
        {"torque": 3.5},
        y0=start,
        duration=0.7,
        parameters={"coupler mass": 2.5},
        rtol=1e-11,
        atol=1e-12,
    )
    np.testing.assert_allclose(
        found["y"], [second["crank"].values[-1], second["crank_rate"].values[-1]], rtol=1e-8
    )
    r = position(machine.model, "rocker", np.array(found["y"]), np.array(u_1))
    np.testing.assert_allclose(found["places"][24:27], r, atol=1e-13)
    outputs = machine.model.outputs(found["y"], u=u_1)
    np.testing.assert_allclose(found["outputs"], list(outputs.values()), rtol=1e-11, atol=1e-11)


HELD = """
const runs = [];
for (const h of [1e-3, 3e-3, 0.025]) {
    physics.reset();
    const n = Math.round(0.75 / h), done = [physics.steps(7, h)];
    physics.u[0] = 1.0;
    done.push(physics.steps(n - 7, h));
    runs.push({ h, n, done, y: [...physics.y] });
}
const answer = runs;
"""


@needs_node
def test_sampled_controllers_look_in_pages_as_in_python(tmp_path: Path) -> None:
    """Bit by bit as driven again; as runs with steps of 1 ms to RK4's error in steps of 1, 3 and up to 10 ms.

    That is h⁴ ‖y⁽⁵⁾‖ / 120 a second, with |λ| ≤ 20/s and 5 m/s²: 7e-9, 6e-7 and 7e-5.
    """
    held = Machine("held", ce.compile(cart()), controls=[Control("force")])
    for found in in_node(held, HELD, tmp_path):
        h, n = found["h"], found["n"]
        assert found["done"] == [7, n - 7]
        content = dict(recording(held, n, [[0, 0.0, 2.0], [7, 1.0, 2.0]], found["y"]), step=h)
        again = rerun(held, content)
        assert again.same
        simulator = ce.Simulator(held.model, method="rk4", step=1e-4)
        simulator.step(7 * h)
        wanted = simulator.step((n - 7) * h, force=1.0)
        tolerance = 5.0 * 20.0**4 * min(h, 0.01) ** 4 / 120.0
        # what is remembered of the place is 40 N/m
        np.testing.assert_allclose(found["y"], wanted, rtol=0, atol=40.0 * tolerance, err_msg=f"{h}")
        assert found["y"][4:] == [38.0, 1.0, 1.0, 0.0]


@needs_node
def test_failures_are_reported_and_change_nothing(machine: Machine, tmp_path: Path) -> None:
    script = """
    physics.y[1] = 1e200; // its square is no number
    const before = [...physics.y];
    const far = physics.steps(5, 1e-3), kept = physics.y.every((x, k) => x === before[k]);
    physics.reset();
    physics.u[2] = -1.0;
    const refused = physics.refused();
    physics.reset();
    const answer = { far, kept, refused, fine: physics.refused(), points: [...physics.points(3)] };
    """
    found = in_node(machine, script, tmp_path)
    assert found["far"] == 0
    assert found["kept"] is True
    assert found["refused"] == "body 'coupler': mass must be at least 0"
    assert found["fine"] == ""
    np.testing.assert_allclose(found["points"], machine.take.bodies[0].shapes[0].points[0], atol=1e-15)


def answer_of_node(script: str, folder: Path, *modules: str) -> Any:
    """Return what a script prints as JSON, beside modules of the pages."""
    for name in modules:
        (folder / name).write_text((WEB / name).read_text("utf-8"))
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "run.js").write_text(script)
    done = subprocess.run(["node", "run.js"], cwd=folder, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@needs_node
def test_tyres_find_the_ground_of_a_grid(tmp_path: Path) -> None:
    """Between the points of an uneven grid heights are bilinear, exact for such a function."""
    script = """
    import { heightsOfGrid } from "./ground.js";
    const z = (x, y) => 1 + x / 10 + y / 5 + x * y, points = [];
    for (const x of [-1, 0, 0.5, 3]) for (const y of [-2, -1.5, 4]) points.push([x, y, z(x, y)]);
    const height = heightsOfGrid(points), places = [[-1, -2], [0.25, 1], [2.9, 3.9], [3, 4]];
    const off = places.map(([x, y]) => Math.abs(height(x, y) - z(x, y)));
    console.log(JSON.stringify({ off: Math.max(...off), outside: [height(3.1, 0), height(0, -2.1)] }));
    """
    found = answer_of_node(script, tmp_path, "ground.js", "dom.js", "looks.js")
    assert found["off"] < 1e-14
    assert found["outside"] == [None, None]


@needs_node
def test_help_eases_pedals_and_not_the_steering(tmp_path: Path) -> None:
    script = """
    globalThis.window = { addEventListener: () => {} };
    Object.defineProperty(globalThis, "navigator", { value: {} });
    const { Controls } = await import("./controls.js");
    const pedal = { index: 0, keys: [[], ["KeyW"]], rest: 0, rates: [2, 4], between: [0, 1], calm: null };
    const wheel = { ...pedal, index: 1, keys: [["KeyD"], ["KeyA"]], between: [-1, 1], calm: ["speed", 10] };
    const found = [1, 0.25].map((ease) => {
        const controls = new Controls([pedal, wheel]), u = [0, 0];
        controls.pressed.add("KeyW").add("KeyA");
        for (let k = 0; k < 100; ++k) controls.apply(u, 0.01, () => 20, ease);
        return [...u];
    });
    console.log(JSON.stringify(found));
    """
    free, eased = answer_of_node(script, tmp_path, "controls.js", "dom.js")
    assert free == [1.0, 0.25]  # at twice the calm speed a quarter of the lock
    assert eased == [0.25, 0.25]


@needs_node
def test_laps_are_timed_between_frames(tmp_path: Path) -> None:
    """At 2 rad/s a lap takes π s, whatever instants it is seen at; who leaves the ring begins anew."""
    script = """
    import { Laps } from "./laps.js";
    const laps = new Laps({ x: 5, y: -3, inner: 20, outer: 30 }), found = [];
    let begun = 0;
    for (let t = 0; t < 7; t += 0.0731) {
        laps.at(5 + 25 * Math.cos(-2 * t), -3 + 25 * Math.sin(-2 * t), t);
        if (laps.begun !== begun) { found.push(laps.last); begun = laps.begun; }
    }
    laps.at(5 + 40, -3, 7.1);
    laps.at(5 + 25, -3, 7.2);
    console.log(JSON.stringify({ found, best: laps.best, turned: laps.turned }));
    """
    found = answer_of_node(script, tmp_path, "laps.js")
    np.testing.assert_allclose(found["found"], [math.pi, math.pi], rtol=1e-12)  # turns at an even rate
    assert found["best"] == min(found["found"])
    assert found["turned"] == 0


DRIVE = """
    ce.pause(true);
    ce.controls.pressed.add("ArrowRight");
    for (let frame = 0; frame < 30; ++frame) {
        ce.controls.apply(ce.physics.u, 0.016);
        ce.advance(16);
        if (frame === 10) ce.controls.pressed.clear();
        if (frame === 20) ce.set("rocker length", 0.55);
    }
    const heights = ce.machine.take.bodies[2].shapes.flatMap(({ points }) => points.map((point) => point[2]));
    const longer = Math.max(...heights);
    ce.draw();
    const recording = ce.recording(), csv = ce.csv(), place = [...ce.take.bodies[1].matrix.elements];
    const gauge = ce.gauges[0].shown.textContent;
    const torque = Math.max(...recording.inputs.map((change) => change[1]));
    ce.plot(["height", "energy"]);
    ce.chips.firstChild.click();
    const chips = ce.chips.textContent;
    ce.camera("follow coupler");
    ce.cameras.update();
    ce.stage.render();
    ce.replay();
    ce.pause(true);
    ce.advance(100000);
    const same = ce.same, end = [...ce.physics.y];
    ce.reset();
    const start = [...ce.physics.y];
    await ce.choose("other");
    ce.pause(false);
    // frames, not seconds: the page's clock runs ahead where drawing is slow
    for (let wait = 0; wait < 100 && !ce.recorder.steps; ++wait) await new Promise(requestAnimationFrame);
    const { fault, recorder: { steps } } = ce;
    ce.pause(true);
    ce.physics.u[0] = 100;
    ce.advance(1000);
    const ended = ce.fault;
    const shown = { gauge, chips, torque, longer };
    return { recording, csv, place, ...shown, same, end, start, went: steps, fault, ended };
"""


@needs_chromium
def test_browser_drives_and_python_drives_the_same_again(machine: Machine, tmp_path: Path) -> None:
    other = Machine("other", ce.compile(cart()))
    page = DrivePage([machine, other], "Cranks")
    found = answer(page.html, DRIVE, tmp_path)
    assert found["fault"] == ""
    assert found["same"] is True
    assert found["chips"] == "energy ×"
    assert found["ended"] == "'rail' has passed the end: reset"
    assert found["end"] == found["recording"]["end"]
    assert found["start"] == machine.y0.tolist()
    assert found["torque"] == pytest.approx(40.0 * 11 * 0.016)
    (tmp_path / "drive.json").write_text(json.dumps(found["recording"]))
    again = rerun(machine, tmp_path / "drive.json")
    assert again.same
    assert len(again.t) == 481
    names, *rows = found["csv"].splitlines()
    assert names.startswith('"time [s]","torque [N m]","rocker length [m]","coupler mass [kg]","height [m]"')
    assert len(rows) == 48
    last = [float(x) for x in rows[-1].split(",")]
    u = again.inputs[479]
    np.testing.assert_allclose(last[:4], [0.48, *u], rtol=1e-12)
    outputs = machine.model.outputs(again.states[480], u=u)
    np.testing.assert_allclose(last[4:], list(outputs.values()), rtol=1e-10, atol=1e-10)
    assert float(found["gauge"].split()[0]) == pytest.approx(1e3 * outputs["height"], abs=0.006)
    r = position(machine.model, "coupler", again.states[480], u)
    np.testing.assert_allclose(found["place"][12:15], r, atol=1e-12)
    assert found["longer"] == pytest.approx(0.55 - 0.2)  # the rocker's end follows its hardpoint
    assert found["went"] > 0


SHAKEN = """
    const calls = [], effect = (...given) => { calls.push(given); return Promise.resolve("complete"); };
    let pad = { axes: [0.5], buttons: [], vibrationActuator: { playEffect: effect } };
    navigator.getGamepads = () => [null, pad];
    const pause = () => new Promise((done) => setTimeout(done, 150));
    ce.pause(true);
    const shake = async (strength) => { ce.controls.shake(strength); await pause(); };
    ce.controls.shake(0.4);
    await shake(0.4); // too early
    for (const strength of [0, 3]) await shake(strength);
    pad = { axes: [0.5], buttons: [], hapticActuators: [{ pulse: effect }] };
    await shake(0.5);
    pad = { axes: [0.5], buttons: [] };
    await shake(0.5);
    ce.controls.apply(ce.physics.u, 0.016);
    return { calls, u: [...ce.physics.u] };
"""


@needs_chromium
def test_a_gamepad_turns_and_shakes(tmp_path: Path) -> None:
    axis = Control("force", (("ArrowLeft",), ("ArrowRight",)), gamepad="axis 0", between=(-8.0, 8.0))
    found = answer(DrivePage([Machine("cart", ce.compile(cart()), controls=[axis])]).html, SHAKEN, tmp_path)
    rumbles = [
        ["dual-rumble", {"duration": 100, "strongMagnitude": strength, "weakMagnitude": strength}]
        for strength in (0.4, 1)
    ]
    assert found["calls"] == [*rumbles, [0.5, 100]]
    assert found["u"][0] == 4.0


RESTING = """
    const passed = async () => { for (let k = 0; k < 4; ++k) await new Promise(requestAnimationFrame); };
    await passed(); // the stage has its size
    ce.pause(true);
    ce.frames.left = 2;
    await passed();
    const { drawn } = ce.frames;
    await passed();
    const still = ce.frames.drawn - drawn, at = ce.stage.controls.target.clone().project(ce.stage.camera);
    window.dispatchEvent(new KeyboardEvent("keydown", { code: "KeyC" }));
    await passed();
    const { top } = document.querySelector(".pads div").getBoundingClientRect();
    const covered = 1 - top / ce.stage.renderer.domElement.clientHeight;
    return { still, woken: ce.frames.drawn > drawn, height: at.y, covered };
"""


@needs_chromium
@pytest.mark.parametrize("narrow", [True, False])
def test_pictures_rest_and_stand_above_pads(machine: Machine, tmp_path: Path, narrow: bool) -> None:
    touched = DrivePage([machine]).html.replace("(pointer: coarse)", "all")
    found = answer_in_time(touched, RESTING, tmp_path, "390,780" if narrow else "1000,700")
    assert found["still"] == 0
    assert found["woken"]
    pixel = 2.0 / 300  # of a stage 300 pixels high at least; the script reads whole ones
    assert found["height"] == pytest.approx(found["covered"] if narrow else 0.0, abs=pixel)


@pytest.mark.slow
@needs_chromium
def test_a_vehicle_is_driven(tmp_path: Path) -> None:
    page = drive_page(["sedan"], speed="50 km/h", sliders=["road.friction=0.1:1"])
    drive = """
    ce.pause(true);
    ce.controls.pressed.add("KeyA");
    for (let frame = 0; frame < 60; ++frame) { ce.controls.apply(ce.physics.u, 0.016); ce.advance(16); }
    ce.set("road.friction", 0.2);
    ce.advance(200);
    ce.cameras.update();
    ce.draw();
    return { recording: ce.recording(), fault: ce.fault };
    """
    found = answer(page.html, drive, tmp_path)
    assert found["fault"] == ""
    again = rerun(page.machines[0], found["recording"])
    assert again.same
    names = [entry.name for entry in page.machines[0].interface.states]
    assert again.states[-1][names.index("chassis.y")] > 0.5  # to the left
    assert len(page.html) < 1.5e6


def test_mistakes_are_named(machine: Machine) -> None:
    model = machine.model
    with pytest.raises(ce.ModelError, match="no input 'torqe'; did you mean 'torque'"):
        Machine("x", model, controls=[Control("torqe")])
    with pytest.raises(ce.ModelError, match="no parameter or input 'mass'"):
        Machine("x", model, sliders=[Slider("mass", 0, 1)])
    with pytest.raises(ce.ModelError, match="low 5 must be below high 1"):
        Machine("x", model, sliders=[Slider("coupler mass", 5, 1)])
    with pytest.raises(ce.ModelError, match="different labels"):
        DrivePage([machine, machine])
    with pytest.raises(ce.ModelError, match="'end' is missing"):
        rerun(machine, {"machine": "x", "step": H, "steps": 1, "inputs": [], "y0": []})
    other = {**recording(machine, 1, [], []), "y0": [1.0, 2.0]}
    with pytest.raises(ce.ModelError, match="starts from another state"):
        rerun(machine, other)
    with pytest.raises(ce.ModelError, match="number of a step and 3 finite numbers"):
        rerun(machine, recording(machine, 1, [[0, 1.0]], []))


def test_steering_reaches_a_steering_wheel_angle(machine: Machine) -> None:
    """In parts of full lock, as the input is, and so in the page."""
    ratio = ["steering.ratio=16"]
    data = VehicleParameters.load("sedan", ratio)
    (sedan,) = drive_page(["sedan"], overrides=ratio, steering="270 deg", sliders=()).machines
    low, high = sedan.controls[0].between or (0.0, 0.0)
    assert (-low, high * steering_wheel_lock(data)) == pytest.approx((high, 1.5 * math.pi))
    narrow = Machine("crank", machine.model, controls=[Control("torque", between=(-5.0, 7.0))])
    assert machine_content(narrow, Packed())["controls"][0]["between"] == [-5.0, 7.0]
    with pytest.raises(ce.ModelError, match=r"control of 'torque': between"):
        Control("torque", between=(1.0, 1.0))
