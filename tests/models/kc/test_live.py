"""The page in which hardpoints are dragged: its figures are those of the rig, in Node.js and in a browser."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from ce_dynamics.compiler import trace
from ce_dynamics.compiler.codegen.wasm import wasm_module
from ce_dynamics.errors import DataError, ModelError
from ce_dynamics.models import kc
from ce_dynamics.models.kc.live import LivePage, live_page
from ce_dynamics.models.kc.sweeps import sweep_of
from ce_dynamics.views.scene.page import WEB, Packed
from tests.browser import answer, needs_chromium

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js")

POINTS = ["front.L", "front.upper_arm.rear_pivot"]
MOVED = {"front.L.z": -0.075, "front.L.y": 0.43, "front.upper_arm.rear_pivot.z": 0.125}
RUN = """
import {{ readFileSync }} from "node:fs";
import {{ Axle }} from "./axle.mjs";
const content = JSON.parse(readFileSync("content.json"));
const axle = await Axle.from(readFileSync("axle.wasm"), content);
const answer = {{}};
{script}
console.log(JSON.stringify(answer));
"""


@pytest.fixture(scope="module")
def page() -> LivePage:
    return live_page("sedan", "front", points=POINTS)


def in_node(page: LivePage, script: str, folder: Path) -> dict[str, object]:
    (folder / "axle.mjs").write_text((WEB / "axle.js").read_text())
    (folder / "content.json").write_text(json.dumps(page.content(Packed())))
    (folder / "axle.wasm").write_bytes(wasm_module(page.functions))
    (folder / "run.mjs").write_text(RUN.format(script=script))
    done = subprocess.run(["node", "run.mjs"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def compare(
    page: LivePage, kind: str, rows: list[list[list[float | None]]], parameters: dict[str, float]
) -> None:
    """Figures of a sweep against the rig's.

    Both solve for the travel to 1e-13 m and round differently; per metre or radian of what the figure follows
    1e-9 of its size over the sweep is generous, while 0.1 mm of a hardpoint is 1e-2 of it.
    """
    content = page.content(Packed())
    last = 1.0 if kind == "steering" else content["travel"]
    sweep = sweep_of(kind, np.linspace(-last, last, content["poses"]))
    poses = page.rig.solve_poses(sweep.travel, sweep.steering, parameters)
    expected = page.rig.read(poses, page.names)
    for n, name in enumerate(page.names):
        want = expected[name].reshape(len(poses), -1)
        got = np.array([[np.nan if x is None else x for x in row[n]] for row in rows])
        finite = np.isfinite(want)
        size = np.max(np.abs(want[finite]), initial=1e-3)  # a millimetre, where nothing is wanted of it
        np.testing.assert_allclose(got[finite], want[finite], rtol=1e-9, atol=1e-9 * size, err_msg=name)
        assert not np.isfinite(got[~finite]).any()  # straight on there is no Ackermann angle


@needs_node
def test_figures_in_node_are_those_of_the_rig(page: LivePage, tmp_path: Path) -> None:
    values = page.rig.nominal | MOVED
    script = f"""
answer.before = axle.sweep("parallel").rows;
answer.why = axle.set({[values[name] for name in page.rig.parameters]});
for (const kind of ["parallel", "opposed", "steering"]) answer[kind] = axle.sweep(kind).rows;
const far = [...axle.values];
far[axle.content.parameters.indexOf("front.L.z")] = 9;
answer.refused = axle.set(far);
answer.far = axle.led(axle.home(), [0.5, 0.5], 0);
answer.after = axle.sweep("parallel").rows;
"""
    found = in_node(page, script, tmp_path)
    assert found["why"] == ""
    compare(page, "parallel", found["before"], {})  # type: ignore[arg-type]
    for kind in ("parallel", "opposed", "steering"):
        compare(page, kind, found[kind], MOVED)  # type: ignore[arg-type]
    assert found["before"] != found["parallel"]
    # what is refused leaves everything as it was, and half a metre of travel is out of reach
    assert found["refused"]
    assert found["far"] is None
    assert found["after"] == found["parallel"]


@needs_chromium
def test_a_point_is_dragged_in_a_browser(page: LivePage, tmp_path: Path) -> None:
    """With events of a pointer over the picture; what the page then shows is what the rig says there."""
    script = """
const canvas = ce.stage.renderer.domElement, box = canvas.getBoundingClientRect();
ce.choose(0);
const before = ce.at(0), clear = before.map((x, j) => ce.content.points[0].at[j]);
ce.stage.camera.updateMatrixWorld();
const point = ce.balls[0].position.clone().project(ce.stage.camera);
const x = box.left + 0.5 * (1 + point.x) * canvas.clientWidth;
const y = box.top + 0.5 * (1 - point.y) * canvas.clientHeight;
const send = (kind, dx, dy, to = canvas) => to.dispatchEvent(
  new PointerEvent(kind, { clientX: x + dx, clientY: y + dy, buttons: 1, pointerId: 1, bubbles: true }));
send("pointerdown", 2, 1);
send("pointermove", 3, -6);
send("pointerup", 3, -6, window);
ce.go("parallel", 0.05);
return { before, clear, values: ce.axle.values, rows: ce.sweeps.parallel.rows, row: ce.row,
  note: ce.note.textContent, charts: ce.charts.length, text: ce.overrides() };
"""
    seen = answer(page.html, script, tmp_path)
    assert seen["note"] == ""
    np.testing.assert_allclose(seen["before"], seen["clear"])
    values = dict(zip(page.rig.parameters, seen["values"], strict=True))
    changed = {name: x for name, x in values.items() if x != page.rig.nominal[name]}
    assert set(changed) == {"front.L.x", "front.L.y", "front.L.z"}
    assert changed["front.L.z"] > page.rig.nominal["front.L.z"]
    compare(page, "parallel", seen["rows"], values)
    poses = page.rig.solve_poses([[0.05, 0.05]], parameters=values)
    expected = page.rig.read(poses, ["toe_angle"])["toe_angle"][0]
    np.testing.assert_allclose(seen["row"][page.names.index("toe_angle")], expected, rtol=1e-9)
    assert seen["charts"] == len(page.content(Packed())["panels"])
    assert f"front.L.z={changed['front.L.z']}"[:15] in seen["text"]


def test_other_axles_lie_over_the_first() -> None:
    """With figures of their own rig, at the places of the page's own curves."""
    page = live_page("sedan", "front", points=POINTS)
    page.others = {"stiff": kc.rig_of("sedan", "front", overrides=["front.spring.linear=120 kN/m"])}
    (other,) = page.content(Packed())["others"]
    curve = other["sweeps"]["parallel"]
    n = page.names.index("wheel_rate")
    expected = page.others["stiff"].sweep("parallel", curve["x"])["wheel_rate"].values
    np.testing.assert_allclose([row[n] for row in curve["rows"]], expected)
    assert expected[16, 0] > 1.3 * float(page.rig.sweep("parallel", [0.0, 0.01])["wheel_rate"][0, 0])
    assert set(other["sweeps"]) == set(page.rig.kinds)


@needs_node
def test_spring_arrows_carry_the_wheels(page: LivePage, tmp_path: Path) -> None:
    """By virtual work: the spring's force times its shortening per travel is the force at the wheel."""
    script = """
const c = axle.led(axle.home(), [0.01, 0.01], 0);
axle.picture(c);
answer.arrows = [...axle.arrows];
"""
    arrows = np.array(in_node(page, script, tmp_path)["arrows"]).reshape(-1, 6)
    assert page.take.forces == ["front_left.spring", "front_right.spring"]
    poses = page.rig.solve_poses([[0.01, 0.01]])
    figures = page.rig.read(poses, ["wheel_force", "spring_motion_ratio"])
    carried = np.linalg.norm(arrows[:, 3:], axis=1) * figures["spring_motion_ratio"][0]
    np.testing.assert_allclose(carried, figures["wheel_force"][0], rtol=1e-9)  # as `compare`


def test_targets_are_bands_around_curves() -> None:
    travel = np.array([-0.05, 0.05])
    targets = [
        kc.Target("toe_angle", np.radians([0.2, 0.0]), np.radians(0.1), values=travel),
        kc.Target("roll_centre_height", 0.12, 2e-3),
    ]
    toe, height = live_page("sedan", "front", points=POINTS, targets=targets).content(Packed())["targets"]
    assert (toe["quantity"], toe["sweep"], toe["x"]) == ("toe_angle", "parallel", [-50.0, 50.0])
    np.testing.assert_allclose([toe["low"], toe["high"]], [[0.1, -0.1], [0.3, 0.1]])  # deg
    np.testing.assert_allclose([height["x"], height["low"], height["high"]], [[0.0], [118.0], [122.0]])  # mm
    with pytest.raises(DataError, match="no figure 'toe'"):
        live_page("sedan", "front", points=POINTS, targets=[kc.Target("toe", 0.0, 1.0)])


def test_page_is_small_and_says_what_is_missing(page: LivePage) -> None:
    assert len(page.html) < 1.5e6
    assert "http" not in page.content(Packed())["title"]
    with pytest.raises(DataError, match="hardpoint"):
        live_page("sedan", "front", points=["front.Q"])
    double = trace("f", lambda a: {"b": a}, {"a": 2})
    with pytest.raises(ModelError, match="several sizes"):
        wasm_module({"f": double, "g": trace("g", lambda a: {"b": a}, {"a": 3})})
    assert kc.rig_of("sedan", "front").parameters == ()
