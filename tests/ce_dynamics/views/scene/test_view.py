"""Pages show what Python computes: places, forces, quantities; every kind of system; in a real browser."""

import base64
import gzip
import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import ce_dynamics as ce
from ce_dynamics.contact import (
    Box,
    Cable,
    Contact,
    HalfSpace,
    Plane,
    RigidBodies,
    RigidBody,
    RigidContacts,
    RigidShape,
    Straight,
    UnilateralModel,
    simulate_rigid,
    simulate_unilateral,
)
from ce_dynamics.views.scene import Camera, block, mesh, wheel
from ce_dynamics.views.scene.page import LIBRARY, WEB, Packed, script
from ce_dynamics.views.scene.players import primitives
from ce_dynamics.views.scene.shapes import plate, rod
from tests.browser import answer, needs_chromium

ROBOTS = Path(__file__).parents[3] / "data" / "robots"
EPS = 2.0**-24
"""Half a unit in the last place of 32-bit floats near one."""


def four_bar() -> ce.System:
    """A four-bar that stands upright, with a spring to the ground; centres of mass are outputs."""
    system = ce.System(name="four-bar <b>", gravity=(0, 0, -9.81))
    y = (0, 1, 0)
    rods: dict[str, Any] = {"inertia": (0.1, 0.1, 0.1), "mass": 1.5}
    hinge = ce.Revolute(y)
    crank = system.add_body("crank", com=(0.1, 0, 0.05), parent=system.ground, hinge=hinge, **rods)
    coupler = system.add_body(
        "coupler", com=(0.4, 0, 0.2), parent=crank, hinge=ce.Revolute(y, at=(0.2, 0, 0.1)), **rods
    )
    rocker = system.add_body(
        "rocker", com=(0.7, 0, 0.2), parent=system.ground, hinge=ce.Revolute(y, at=(0.7, 0, 0)), **rods
    )
    system.close_loop("pin", coupler, rocker, ce.Revolute(y, at=(0.7, 0, 0.5)), independent=[crank])
    ends = (system.ground, (1.2, 0, 0.3), rocker, (0.7, 0, 0.4))
    system.add_force(ce.SpringDamper("spring", *ends, spring=80.0, damper=2.0))
    for body in (crank, coupler, rocker):
        for k in range(3):
            system.add_output(f"{body.name} {k}", "m", shown_at(body, system.ground, k))
    return system


def shown_at(body: ce.Body, ground: ce.Body, k: int) -> Any:
    return lambda o: o.point(body, body.com, ground).r[k]


@pytest.fixture(scope="module")
def model() -> ce.Model:
    return ce.compile(four_bar())


@pytest.fixture(scope="module")
def run(model: ce.Model) -> Any:
    return ce.simulate(model, duration=1.0, interval=0.05)


def content(page: str) -> dict[str, Any]:
    (found,) = re.findall(r'<script type="application/json" id="content">(.*?)</script>', page)
    read: dict[str, Any] = json.loads(found)
    return read


def packed(page: str, place: dict[str, Any]) -> np.ndarray:
    (found,) = re.findall(r'<script type="text/plain" id="packed">(.*?)</script>', page)
    kind, size = np.dtype(f"<{place['kind']}"), int(np.prod(place["shape"]))
    whole = np.frombuffer(
        gzip.decompress(base64.b64decode(found)), np.uint8, kind.itemsize * size, place["at"]
    )
    if kind.kind != "f":
        return whole.view(kind).reshape(place["shape"])
    bytes_by_value = np.ascontiguousarray(whole.reshape(kind.itemsize, size).T)  # columns behind one another
    return bytes_by_value.view(kind).reshape(-1, place["shape"][0]).T.reshape(place["shape"])


def test_places_equal_outputs_and_turn_with_hinges(model: ce.Model, run: Any) -> None:
    view = ce.view(model, run)
    (take,) = view.takes
    for k, body in enumerate(model.system.bodies):
        outputs = np.stack([run[f"{body.name}_{j}"].values for j in range(3)], axis=1)
        # outputs are compiled with fused multiply-adds, places without: rounding of some ten operations
        np.testing.assert_allclose(take.places[:, k, :3], outputs, atol=1e-14)
    half = 0.5 * run["crank"].values  # the crank turns about y: (0, sin, 0, cos) of the half angle
    turned = np.stack((0 * half, np.sin(half), 0 * half, np.cos(half)), axis=1)
    same = np.abs(np.sum(turned * take.places[:, 0, 3:], axis=1))
    np.testing.assert_allclose(same, 1.0, atol=1e-14)


def test_forces_are_those_of_the_spring(model: ce.Model, run: Any) -> None:
    (take,) = ce.view(model, run).takes
    assert take.forces == ["spring"]  # the ground feels the other end
    at, force = take.arrows[:, 0, :3], take.arrows[:, 0, 3:]
    pull = np.array([1.2, 0, 0.3]) - at
    length = np.linalg.norm(pull, axis=1)
    np.testing.assert_allclose(length, run["spring_length"], rtol=1e-13)
    np.testing.assert_allclose(
        force, pull / length[:, None] * run["spring_force"].values[:, None], atol=1e-12
    )


def test_motors_joints_and_feet_are_where_they_act() -> None:
    system, tilted = ce.System(name="lift", gravity=(0, 0, -9.81)), np.array((3.0, 0.0, 4.0))
    mast, arm = ce.Revolute(tilted, at=(1, 2, 3)), ce.Prismatic((0, 1, 0), at=(1, 2, 4))
    inertia: Any = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}
    base = system.add_body("base", com=(1, 2, 3.5), parent=system.ground, hinge=mast, **inertia)
    wrist = ce.Universal((1, 0, 0), (0, 0, 1), at=(1, 3, 4))
    slide = system.add_body("slide", com=(1, 3, 4), parent=base, hinge=arm, **inertia)
    system.add_body("hand", com=(1, 3, 4.5), parent=slide, hinge=wrist, **inertia)
    for name in ("base", "slide"):
        system.add_input(f"{name} load", "N m" if name == "base" else "N")
        system.add_force(ce.Actuator(f"{name} motor", system.find(name), command=f"{name} load"))
    model = ce.compile(system)
    inputs = {"base load": 5.0, "slide load": -7.0}
    (take,) = ce.view(model, ce.simulate(model, inputs, duration=0.2)).takes
    assert take.forces == ["base motor", "slide motor"]
    assert list(take.moments) == [0]
    # an axis through fixed points keeps its direction; the slide's turns with the base
    np.testing.assert_allclose(take.arrows[:, 0], len(take.t) * [[1, 2, 3, 3, 0, 4]], atol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(take.arrows[:, 1, 3:], axis=1), 7.0, rtol=1e-14)
    np.testing.assert_allclose(take.arrows[0, 1], [1, 2, 4, 0, -7, 0], atol=1e-14)
    assert [(mark.joint, len(mark.axes)) for mark in take.marks] == [
        ("revolute", 1),
        ("prismatic", 1),
        ("universal", 2),
    ]
    (foot,) = take.scenery
    np.testing.assert_array_equal(foot.points[0], [1, 2, 3])
    assert np.all(foot.points[1:, 2] < 3.0)


def test_gears_and_fixed_hinges_have_no_marks() -> None:
    system = ce.read_urdf(ROBOTS / "styles" / "arm.urdf")
    (take,) = ce.view(ce.compile(system)).takes
    assert [type(loop).__name__ for loop in system.closures] == ["Coupled", "Coupled"]
    hinges = {body.name for body in system.bodies if body.inboard.n_v > 0}
    assert {mark.name for mark in take.marks} == hinges
    assert len(hinges) < len(system.bodies)


def test_ways_of_points_are_given_in_design_pose(model: ce.Model, run: Any) -> None:
    view = ce.view(model, run).over(ce.view(model, run)).trace("coupler", (0.45, 0, 0.25))
    for take in content(view.html)["takes"]:
        assert take["traced"] == [[1, 0.05, 0.0, 0.05]]  # from the centre of mass at (0.4, 0, 0.2)
    with pytest.raises(ce.ModelError, match=r"no body 'couple'.*did you mean 'coupler'"):
        view.trace("couple", (0, 0, 0))
    with pytest.raises(ce.ModelError, match=r"View\.trace"):
        view.trace("coupler", (0, np.nan, 0))


def test_page_is_complete_without_the_network(model: ce.Model, run: Any) -> None:
    page = ce.view(model, run, camera="follow coupler").html
    (take,) = content(page)["takes"]
    assert content(page)["camera"] == "follow coupler"
    np.testing.assert_array_equal(packed(page, take["t"]), run["time"].values)
    series = {series["name"]: series for series in take["series"]}
    assert series["closure_error pin"]["unit"] == "m"
    energy = packed(page, series["energy"]["values"])
    np.testing.assert_array_equal(energy, run["energy"].values.astype(np.float32))
    assert {mark["kind"] for mark in take["marks"]} == {"independent", "dependent", "cut"}
    assert [strand["kind"] for strand in take["strands"]] == ["spring"]
    assert "<b>" not in page
    assert "http" not in re.sub(r'id="(packed|library)">[^<]*', "", page)
    assert len(page) < 2e6
    assert ce.view(model, run, camera="follow coupler").html == page


def test_a_notebook_gets_the_page_inline(model: ce.Model) -> None:
    view = ce.view(model, title="at rest")
    (inside,) = re.findall(r'srcdoc="([^"]*)"', view._repr_html_())
    assert unescape(inside) == view.html


def test_two_runs_play_together_and_views_join(model: ce.Model, run: Any) -> None:
    slower = ce.simulate(model, y0=[0.1, 0.0], duration=0.5)
    together = ce.view(model, {"first": run, "second": slower})
    joined = ce.view(model, run).over(ce.view(model, slower))
    assert [take.label for take in together.takes] == ["first", "second"]
    for a, b in zip(together.takes, joined.takes, strict=True):
        np.testing.assert_array_equal(a.places, b.places)


def test_given_shapes_are_drawn_in_their_places(model: ce.Model) -> None:
    crank = model.system.find("crank")
    tyre = wheel(crank.com, (0, 2, 0), 0.1, 0.04)
    camera = Camera("beside", "crank", np.array([0.1, -1.0, 0.05]), crank.com)
    (take,) = ce.view(model, shapes={"crank": [tyre.paint("#123456")]}, cameras=[camera]).takes
    (shape,) = take.bodies[0].shapes
    np.testing.assert_allclose(shape.points, [[0, -0.02, 0], [0, 0.02, 0]], atol=1e-16)
    assert shape.colour == "#123456"
    assert take.cameras[0]["eye"] == pytest.approx([0.0, -1.0, 0.0])


def test_plates_wrap_their_points() -> None:
    square = plate([(0, 0, 0), (1, 1, 0), (1, 0, 0), (0, 1, 0)])
    corners = square.points[square.triangles]
    areas = 0.5 * np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    assert areas.sum() == pytest.approx(1.0)
    tetrahedron = plate([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    assert len(tetrahedron.triangles) == 4
    assert len(plate([(0, 0, 0), (1, 0, 0), (2, 0, 0)]).triangles) == 0


def test_free_hardpoints_and_inertia_blocks_are_drawn() -> None:
    system = ce.System(gravity=(0, 0, 0))
    length = system.add_parameter(ce.Parameter("length", 0.5, "m"))
    inertia = (1.0 / 12 * (0.2**2 + 0.3**2), 1.0 / 12 * (0.1**2 + 0.3**2), 1.0 / 12 * (0.1**2 + 0.2**2))
    system.add_body("block", mass=1.0, com=(0, 0, 0), inertia=inertia, parent=system.ground, hinge=ce.Free())
    system.add_body(
        "rod",
        mass=1.0,
        com=(0, 0, -length),
        inertia=(0.1, 0.1, 0.1),
        parent=system.ground,
        hinge=ce.Revolute((0, 1, 0)),
    )
    longer = ce.simulate(ce.compile(system), duration=0.1, parameters={"length": 0.75})
    (take,) = ce.view(ce.compile(system), longer).takes
    (drawn,) = take.bodies[0].shapes
    edges = 2.0 * np.linalg.norm(drawn.points[1:] - drawn.points[0], axis=1)
    np.testing.assert_allclose(np.sort(edges), [0.1, 0.2, 0.3], rtol=1e-12)
    rod = take.bodies[1].shapes[0]
    assert np.linalg.norm(rod.points[1] - rod.points[0]) == pytest.approx(0.75)
    np.testing.assert_array_equal(take.up, [0, 0, 1])


def crate() -> tuple[UnilateralModel, Any]:
    """A crate that stands on four feet and hangs on a slack cable."""
    system = ce.System(gravity=(0, 0, -10.0))
    free = ce.Free()
    body = system.add_body(
        "crate", mass=3.0, com=(0, 0, 0.2), inertia=(0.1, 0.1, 0.1), parent=system.ground, hinge=free
    )
    plane = Plane(friction=0.5)
    feet = [
        Contact(f"foot {k}", body, (0.3 * x, 0.2 * y, 0), plane)
        for k, (x, y) in enumerate([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    ]
    cable = Cable("cable", body, (0, 0, 0.4), Straight((0, 0, 1.0), (0.1, 0, 0)), length=0.8)
    unilateral = UnilateralModel(ce.compile(system), [*feet, cable])
    return unilateral, simulate_unilateral(unilateral, duration=0.1, interval=0.05)


def test_contact_forces_carry_weight_and_cables_follow_pulleys() -> None:
    unilateral, run = crate()
    (take,) = ce.view(unilateral, run, shapes={"crate": [block((0.6, 0.4, 0.4), (0, 0, 0.2))]}).takes
    assert take.forces == ["foot 0", "foot 1", "foot 2", "foot 3", "cable"]
    # the solver leaves 1e-12 of an impulse, divided by a step of 1 ms
    np.testing.assert_allclose(take.arrows[:, :, 5].sum(axis=1), 30.0, atol=1e-6)
    np.testing.assert_allclose(take.arrows[0, 0, :3], [-0.3, -0.2, 0.0], atol=1e-12)
    (cable,) = take.strands
    assert (cable.kind, cable.length, cable.body_b) == ("cable", 0.8, 1)
    np.testing.assert_allclose(take.places[:, 1, 0], 0.1 * take.t)
    assert [shape.kind for shape in take.scenery] == ["plane"]
    assert len(ce.view(unilateral).takes[0].t) == 1


def test_plain_bodies_in_contact() -> None:
    half = np.sqrt(0.5)
    box = RigidBody("box", 1.0, (0.1, 0.1, 0.1), position=(0, 0, 1), orientation=(half, 0, 0, half))
    shapes = [RigidShape("box", Box((1, 2, 3))), RigidShape(None, HalfSpace(point=(0, 0, -1)))]
    contacts = RigidContacts(RigidBodies([box]), shapes)
    run = simulate_rigid(contacts, duration=0.02)
    (take,) = ce.view(contacts, run).takes
    np.testing.assert_allclose(take.places[0, 0], [0, 0, 1, 0, 0, half, half])
    np.testing.assert_allclose(take.places[-1, 0, 2], 1 - 0.5 * 9.81 * 0.02**2, atol=9.81 * 0.02 * 1e-3)
    (drawn,) = take.bodies[0].shapes
    np.testing.assert_allclose(np.linalg.norm(drawn.points[1:], axis=1), [0.5, 1.0, 1.5])
    assert [series.name for series in take.series] == ["energy", "contact work", "contacts"]


def test_arrows_between_plain_bodies_carry_their_weights() -> None:
    """Two cubes fall by 5 mm, on each other and on an incline of 0.1 rad that friction holds."""
    slope, cube = 0.1, Box((1.0, 1.0, 1.0))
    normal = np.array((-np.sin(slope), 0.0, np.cos(slope)))
    turned = (np.cos(slope / 2), 0.0, -np.sin(slope / 2), 0.0)
    bodies = [
        RigidBody(name, mass, (0.1, 0.1, 0.1), position=height * normal, orientation=turned)
        for name, mass, height in (("lower", 2.0, 0.505), ("upper", 3.0, 1.505))
    ]
    shapes = [*(RigidShape(body.name, cube) for body in bodies), RigidShape(None, HalfSpace(normal=normal))]
    contacts = RigidContacts(RigidBodies(bodies), shapes, mu=0.5)
    run = simulate_rigid(contacts, duration=0.5)
    (take,) = ce.view(contacts, run).takes
    assert take.weight == pytest.approx(5.0 * 9.81)
    (below, ground) = (take.forces.index(f"{other} on lower") for other in ("upper", "what is at rest"))
    np.testing.assert_array_equal(take.arrows[0, :, 3:], 0.0)  # they have not met
    last = take.arrows[-1]  # the solver leaves 1e-9 m/s, 5 kg of it in a step of 1 ms
    np.testing.assert_allclose(last[ground, 3:], [0.0, 0.0, 5.0 * 9.81], atol=1e-4)
    np.testing.assert_allclose(last[below, 3:], [0.0, 0.0, -3.0 * 9.81], atol=1e-4)
    assert np.isfinite(take.arrows).all()
    heights = take.arrows[-1, :, :3] @ normal
    np.testing.assert_allclose(heights[[ground, below]], [0.0, 1.0], atol=1e-4)
    assert len(ce.view(contacts).takes[0].forces) == 0


def test_mcap_has_places_and_shapes_for_its_library(model: ce.Model, run: Any, tmp_path: Path) -> None:
    reader = pytest.importorskip("mcap.reader", reason="the extra tables is not installed")
    path = ce.view(model, run).save(tmp_path / "run.mcap")
    (take,) = ce.view(model, run).takes
    with path.open("rb") as stream:
        found = list(reader.make_reader(stream).iter_messages())
    topics = [channel.topic for _, channel, _ in found]
    assert (topics.count("/tf"), topics.count("/scene")) == (len(take.t), 1)
    contents = [(c.topic, m.log_time, json.loads(m.data)) for _, c, m in found]
    frames = [content for topic, _, content in contents if topic == "/tf"]
    last = {f["child_frame_id"]: f for f in frames[-1]["transforms"]}["crank"]
    places = take.places[-1, [body.name for body in take.bodies].index("crank")]
    np.testing.assert_array_equal([*last["translation"].values(), *last["rotation"].values()], places)
    times = [time for topic, time, _ in contents if topic == "/tf"]
    np.testing.assert_allclose(times, 1e9 * take.t, atol=0.5)  # whole nanoseconds
    (scene,) = [content for topic, _, content in contents if topic == "/scene"]
    kinds = ("triangles", "spheres", "cubes", "cylinders", "lines")
    counts = {entity["id"]: sum(len(entity[kind]) for kind in kinds) for entity in scene["entities"]}
    flat = {"plate"}  # of points on a line: nothing is seen of it
    drawn = {b.name: sum(s.kind not in flat or len(s.triangles) > 0 for s in b.shapes) for b in take.bodies}
    drawn["world"] = len(take.scenery)
    assert counts == {name: count for name, count in drawn.items() if count}
    quantities = [content for topic, _, content in contents if topic == "/quantities"]
    assert quantities[-1]["crank"] == float(run["crank"].values[-1])


def test_rrd_has_places_shapes_and_quantities(model: ce.Model, run: Any, tmp_path: Path) -> None:
    chunk = pytest.importorskip("rerun.chunk", reason="the extra rerun is not installed")
    view = ce.view(model, run, shapes={"crank": [rod((0, 0, 0), (0.2, 0, 0.1), 0.01)]})
    path = view.save(tmp_path / "run.rrd")
    (take,) = view.takes
    found: dict[str, dict[str, Any]] = {}
    for part in chunk.RrdReader(path).stream():
        found.setdefault(part.entity_path, {}).update(part.to_record_batch().to_pydict())
    places = found["/world/crank"]
    rows = np.concatenate(
        [
            np.array(places[f"Transform3D:{what}"]).reshape(len(take.t), -1)
            for what in ("translation", "quaternion")
        ],
        axis=1,
    )
    drawn = take.places[:, [body.name for body in take.bodies].index("crank")]
    np.testing.assert_allclose(rows, drawn, rtol=EPS, atol=EPS)  # Rerun keeps 32-bit floats
    seconds = [time.total_seconds() for time in places["time"]]
    np.testing.assert_allclose(seconds, take.t, atol=1e-6)  # as Python's durations count
    angle = np.ravel(found["/quantities/crank"]["Scalars:scalars"])
    np.testing.assert_array_equal(angle, run["crank"].values)
    (length,) = np.ravel(found["/world/crank/cylinders_0"]["Cylinders3D:lengths"])
    assert length == pytest.approx(np.hypot(0.2, 0.1), rel=EPS)


def test_a_widget_keeps_its_page_and_its_traits(model: ce.Model, run: Any) -> None:
    pytest.importorskip("anywidget", reason="the extra widget is not installed")
    view = ce.view(model, run)
    widget = view.widget()
    assert (widget.time, widget.playing, widget.camera) == (0.0, False, "orbit")
    synced = set(widget.keys)
    assert {"html", "title", "height", "time", "playing", "camera"} <= synced
    assert widget.html == view.html


@needs_chromium
def test_a_widget_and_its_page_hear_each_other(model: ce.Model, run: Any, tmp_path: Path) -> None:
    """A model as notebooks have it: what Python sets moves the page, what the page does reaches Python."""
    page = json.dumps(ce.view(model, run).html).replace("</", "<\\/")
    code = base64.b64encode((WEB / "widget.js").read_bytes()).decode()
    source = json.dumps(f"data:text/javascript;base64,{code}")
    ready = "<script>window.ce = {ready: Promise.resolve({})};</script>"
    host = f'<html><body><div id="el"></div>{ready}</body></html>'
    script = f"""
        const {{ render }} = await import({source});
        const traits = {{ html: {page}, title: "t", height: 300, time: 0, playing: false, camera: "orbit" }};
        const heard = {{}}, el = document.getElementById("el");
        const model = {{ get: (name) => traits[name], set: (name, value) => {{ traits[name] = value; }},
            on: (name, act) => {{ heard[name] = act; }}, save_changes: () => {{}} }};
        render({{ model, el }});
        const wait = (ms) => new Promise((go) => setTimeout(go, ms));
        for (let k = 0; k < 200 && !heard["change:playing"]; ++k) await wait(50);
        traits.time = 0.25;
        heard["change:time"]();
        const inner = await el.querySelector("iframe").contentWindow.ce.ready, moved = inner.time;
        inner.seek(0.125);
        inner.camera("follow crank");
        await wait(400);
        return [moved, traits.time, traits.camera];
    """
    assert answer(host, script, tmp_path) == [0.25, 0.125, "follow crank"]


def test_cylinders_of_mcap_lie_along_rods() -> None:
    """Turned by the quaternion, the cylinder's axis is the way from end to end."""
    ((kind, found),) = primitives(rod((1.0, 0.0, 0.0), (1.0, 3.0, 4.0), 0.1))
    x, y, z, w = found["pose"]["orientation"].values()
    axis = (2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y))
    assert (kind, found["size"]["z"]) == ("cylinders", pytest.approx(5.0))
    np.testing.assert_allclose(axis, (0.0, 0.6, 0.8), atol=1e-15)
    assert list(found["pose"]["position"].values()) == [1.0, 1.5, 2.0]


def test_what_cannot_be_shown_is_refused(model: ce.Model, run: Any, tmp_path: Path) -> None:
    with pytest.raises(ce.WrongTypeError, match="must be a Model"):
        ce.view(four_bar())  # type: ignore[arg-type]
    with pytest.raises(ce.ModelError, match="results have no 'crank'"):
        ce.view(model, run.drop_vars("crank"))
    with pytest.raises(ce.ModelError, match="take one of an ensemble"):
        ce.view(model, run.expand_dims(run=2))
    with pytest.raises(ce.ModelError, match=r"ce\.simulate returned"):
        ce.view(model, 3.0)  # type: ignore[arg-type]
    with pytest.raises(ce.ModelError, match=r"no body .*did you mean 'crank'"):
        ce.view(model, run, shapes={"cranc": []})
    with pytest.raises(ce.ModelError, match=r"no camera .*did you mean 'follow crank'"):
        ce.view(model, run, camera="follow cranc")
    with pytest.raises(ce.ModelError, match="cannot write"):
        ce.view(model).save(tmp_path / "no" / "page.html")


def test_scripts_are_modules_that_a_page_joins() -> None:
    """Each imports what it uses in one form, so that joining them leaves no import; names are used once."""
    for page in ("play.js", "drive.js", "kc.js"):
        joined = script(page)
        assert not re.search(r"^\s*(import|export)\b", joined, re.MULTILINE)
        named = re.findall(r"^(?:async )?(?:function|class|const|let) (\w+)", joined, re.MULTILINE)
        assert len(named) == len(set(named))
        assert ("class Hud" in joined) == (page != "kc.js")
    assert "MIT License" in (WEB / LIBRARY).read_text("utf-8")[:200]


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js to check scripts with")
def test_scripts_unpack_what_python_packed(tmp_path: Path) -> None:
    """Every kind and shape, to the last bit, one after another in one buffer."""
    random = np.random.default_rng(5)
    shapes = ((7,), (1,), (5, 3), (4, 3, 2), (0, 2, 6))
    bag, arrays, places = Packed(), [], []
    for kind in ("f4", "f8", "u4", "u1"):
        for shape in shapes:
            arrays.append(random.uniform(0.0, 200.0, size=shape).astype(kind))
            places.append(bag.add(arrays[-1], kind))
    (tmp_path / "packed.mjs").write_text((WEB / "packed.js").read_text("utf-8"))
    (tmp_path / "run.mjs").write_text(
        f"""
        import {{ arrayOf, unpacked }} from "./packed.mjs";
        const buffer = await unpacked("{bag.text()}"), places = {json.dumps(places)};
        console.log(JSON.stringify(places.map((place) => [...arrayOf(buffer, place)])));
        """
    )
    done = subprocess.run(["node", "run.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True)
    for found, array in zip(json.loads(done.stdout), arrays, strict=True):
        np.testing.assert_array_equal(np.array(found, dtype=array.dtype), array.ravel())


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js to check scripts with")
def test_scripts_are_sound_modules(tmp_path: Path) -> None:
    for path in WEB.iterdir():
        if path.name.endswith(".js") and not path.name.startswith("three"):
            (tmp_path / "module.mjs").write_text(path.read_text("utf-8"))
            subprocess.run(["node", "--check", str(tmp_path / "module.mjs")], check=True)


LOOK = """
    const places = [], run = ce.runs[0];
    for (const t of run.times) {
        ce.seek(t);
        places.push(run.content.bodies.map(({ name }) => ce.place(0, name)));
    }
    ce.seek(0.5 * (run.times[3] + run.times[4]));
    const between = ce.place(0, "crank");
    for (const name of ["forces", "loops", "names"]) ce.show(name, true);
    for (const camera of ce.cameras.choices.keys()) {
        ce.camera(camera);
        ce.cameras.update();
        ce.stage.render();
    }
    const riding = ce.stage.camera.position.toArray();
    ce.plot(["crank", "energy"]);
    ce.seek(0.3);
    const clientX = ce.canvas.getBoundingClientRect().right - 12;
    ce.canvas.dispatchEvent(new PointerEvent("pointerdown", { clientX, buttons: 1 }));
    const cursor = ce.time;
    ce.play(true);
    const playing = ce.playing;
    for (let wait = 0; wait < 100 && !ce.time; ++wait) await new Promise(requestAnimationFrame);
    const { width, height } = ce.stage.renderer.domElement;
    const labels = document.querySelectorAll(".label:not(.force)").length;
    return { places, between, riding, cursor, playing, stopped: ce.time, labels, size: [width, height] };
"""


@needs_chromium
def test_browser_shows_every_frame_where_python_has_it(model: ce.Model, run: Any, tmp_path: Path) -> None:
    crank = model.system.find("crank")
    camera = Camera("beside", "crank", np.array([0.1, -1.0, 0.05]), crank.com)
    ramp = mesh([(-1, -1, -0.5), (2, -1, -0.5), (2, 1, -0.3)], [(0, 1, 2)])
    view = ce.view(model, {"one": run, "two": run}, cameras=[camera], scenery=[ramp])
    found = answer(view.html, LOOK, tmp_path)
    matrices = np.array(found["places"]).reshape(len(run["time"]), 3, 4, 4)  # columns first
    for k, body in enumerate(model.system.bodies):
        expected = np.stack([run[f"{body.name}_{j}"].values for j in range(3)], axis=1)
        np.testing.assert_allclose(matrices[:, k, 3, :3], expected, rtol=EPS, atol=1e-14)
    # numbers of quaternions are rounded to EPS; R has sums of two products 2 q q', each off by 4 EPS at most
    angle = run["crank"].values
    np.testing.assert_allclose(matrices[:, 0, 0, 0], np.cos(angle), atol=8 * EPS)
    np.testing.assert_allclose(matrices[:, 0, 2, 0], np.sin(angle), atol=8 * EPS)
    middle = 0.5 * (matrices[3, 0, 3, :3] + matrices[4, 0, 3, :3])
    np.testing.assert_allclose(np.array(found["between"])[12:15], middle, atol=2 * EPS)
    # the last camera rides 1 m beside the crank, along the axis about which it turns
    assert found["riding"][1] == pytest.approx(-1.0, abs=8 * EPS)
    assert found["cursor"] == pytest.approx(1.0)
    assert found["playing"] is True
    assert 0.0 < found["stopped"] <= 1.0
    assert found["labels"] == 3
    assert min(found["size"]) > 100


ODD = """
    const pressed = (key) => new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
    const press = (key, to) => to.dispatchEvent(pressed(key));
    const { values } = ce.runs[0].series.get("energy"), kept = [...values], found = {};
    values[2] = NaN;
    kept.splice(2, 1);
    ce.plot(["energy"]);
    found.range = ce.trace("energy");
    found.least = [Math.min(...kept), Math.max(...kept)];
    ce.seek(99);
    for (const [k, key] of ["ArrowRight", "ArrowLeft", "ArrowLeft"].entries()) {
        press(key, document.body);
        found[k] = ce.time;
    }
    ce.boxes.forces.focus();
    found.taken = press(" ", ce.boxes.forces) && !ce.playing;
    ce.boxes.forces.blur();
    found.played = !press(" ", document.body) && ce.playing;
    return found;
"""


@needs_chromium
def test_keys_step_through_runs_and_gaps_stay(model: ce.Model, run: Any, tmp_path: Path) -> None:
    """A number that is none makes no range; keys that an element takes do not play."""
    view = ce.view(model, {"short": run.isel(time=slice(0, 6)), "long": run})
    found = answer(view.html, ODD, tmp_path)
    assert found["range"] == found["least"]
    times = run["time"].values
    assert [found[k] for k in "012"] == [times[-1], times[-2], times[-3]]
    assert found["taken"]
    assert found["played"]


@needs_chromium
def test_without_webgl_a_plan_is_drawn(model: ce.Model, run: Any, tmp_path: Path) -> None:
    without = """<script>
        const own = HTMLCanvasElement.prototype.getContext;
        HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
            return kind.startsWith("webgl") ? null : own.call(this, kind, ...more);
        };
    </script>"""
    page = ce.view(model, run).html.replace("<main", f"{without}<main", 1)
    seen = answer(
        page,
        """
        ce.seek(0.5);
        ce.draw();
        const { canvas } = ce.stage, pen = canvas.getContext("2d");
        const pixels = pen.getImageData(0, 0, canvas.width, canvas.height).data;
        const colours = new Set();
        for (let k = 0; k < pixels.length; k += 4) colours.add(pixels.slice(k, k + 3).join());
        return { colours: colours.size, note: document.querySelector(".flat").textContent };
        """,
        tmp_path,
    )
    assert seen["note"] == "plan view: this browser has no WebGL"
    assert seen["colours"] > 3  # the background and three bodies, at least


@needs_chromium
def test_a_film_has_frames_that_move(model: ce.Model, run: Any, tmp_path: Path) -> None:
    path = ce.view(model, run).save(tmp_path / "film.gif")
    with Image.open(path) as film:
        assert getattr(film, "n_frames") == 13  # noqa: B009  # 1 s at 12.5 a second, rounded up
        pictures = []
        for k in (0, 12):
            film.seek(k)
            pictures.append(np.asarray(film.convert("RGB"), dtype=int))
    assert pictures[0].shape[1] == 480
    assert np.abs(pictures[1] - pictures[0]).max() > 50
    still = ce.view(model, run).save(tmp_path / "still.png")
    with Image.open(still) as picture:
        # the same scene: the mean colour of a film differs by less than a level of its palette, 255/3
        mean = np.asarray(picture.convert("RGB")).mean(axis=(0, 1))
    assert np.abs(mean - pictures[0].mean(axis=(0, 1))).max() < 85 / 2


def test_a_missing_browser_is_named(
    model: ce.Model, run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CE_DYNAMICS_BROWSER", "no-such-browser")
    with pytest.raises(ce.ModelError, match=r"a GIF file: there is no 'no-such-browser'; install Chromium"):
        ce.view(model, run).save(tmp_path / "film.gif")
    assert not list(tmp_path.iterdir())
