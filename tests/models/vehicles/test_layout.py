"""Layouts of vehicles: axles by name, files that build on others, and refused ones."""

import math
import re
import warnings
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ce_dynamics.errors import (
    AccuracyWarning,
    AssemblyError,
    DataError,
    ModelError,
    PhysicalityWarning,
)
from ce_dynamics.models.tyres.simple.brush import BrushTyre
from ce_dynamics.models.tyres.simple.linear import LinearTyre
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.case import prepare
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.driving import make_manoeuvre
from ce_dynamics.models.vehicles.files import SHIPPED
from ce_dynamics.models.vehicles.steering_angle import (
    max_wheel_angle,
    mean_wheel_angle,
    steering_ratio,
    steering_wheel_lock,
)
from ce_dynamics.models.vehicles.tree import convert_text

BAR = ", ".join(f"front.anti_roll_bar.{point}" for point in ("com", "pivot", "end", "link"))
SEDAN = SHIPPED["sedan"].read_text(encoding="utf-8")


def written(folder: Path, text: str, name: str = "own.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_vehicles_are_complete_and_list_sources(name: str) -> None:
    vehicle = VehicleParameters.load(name)
    assert all(parameter.source in vehicle.sources for parameter in vehicle.flat())
    again = VehicleParameters.load(name, [f"{p.key}={p.text}" for p in vehicle.flat()])
    assert again.data == vehicle.data


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("kind: double-wishbone", "kind: twin", "front.suspension: unknown 'twin'"),
        ("kind: double-wishbone", "kind: mcpherson", "'mcpherson'; did you mean 'macpherson'? known are de-"),
        ("      kind: double-wishbone\n", "", "no suspension is named"),
        ("      kind: rack\n", "", "none is steered; give one of them steering: pitman or rack"),
        (
            "kind: automatic",
            "kind: steam",
            "powertrain.kind: unknown 'steam'; known are envelope, automatic,",
        ),
        ("axles:", "axes:", "unknown parameter 'axes.front.suspension.kind'; did you mean 'axles'?"),
        ("like: front", "like: front\n    wheels: 2", "'rear.wheels': an axle has suspension, steering"),
        ("like: front", "like: front\n    final_drive: chassis", "not driven, so final_drive has no effect"),
        ("  front:\n", "  front:\n    final_drive: axle\n", "no beam carries both wheels"),
        ("  front:\n", "  front:\n    final_drive: chassis\n", "is always on the chassis"),
        ("kind: automatic", "kind: automatic\n  engine_axis: boxer", "unknown 'boxer'; known are long"),
        ("  rear:  ", "  tyre:  ", "'tyre' is no name for an axle"),
        ("  rear:  ", "  rear_left:  ", "reads like a corner; leave out the side"),
        ("  rear:  ", "  front:  ", "the key 'front' is there twice"),
        ("like: front", "like: middle", "axles.rear.like: unknown 'middle'; known are front"),
        ("like: front", "like: rear", "axles.rear.like: unknown 'rear'; known are front"),
        ("  front:\n", "  front:\n    driven: false\n", "none is driven; take 'driven: no' from one"),
        ("format: 2", "format: 3", ":7: format: '3' is not known; this version reads 1 and 2"),
        ("format: 2", "kinds: {tyre: tmeasy}\nformat: 2", "kinds: a table of format 1; write the kind"),
    ],
)
def test_axles_that_are_none(tmp_path: Path, before: str, after: str, message: str) -> None:
    assert SEDAN.count(before) == 1
    own = written(tmp_path, SEDAN.replace(before, after))
    with pytest.raises(DataError) as caught:
        VehicleParameters.load(own)
    assert message in str(caught.value)
    assert str(caught.value).startswith("own.yaml")


def test_files_of_format_1_load_with_a_note(tmp_path: Path) -> None:
    """And convert to a file of format 2 with the same numbers and comments."""
    old = """# A car.

base: sedan
sources: {book: of numbers}

axles:
  rear: {suspension: graph, anti_roll_bar: none}
kinds: {powertrain: manual, engine: transverse-reversed}  # other kinds
graphs:
  rear:
    arm: {body: mirrored}
    pivot: {revolute: chassis arm}
    coil: {spring: chassis arm}
    wheel: {carrier: arm}
rear:                      # trailing arms
  source: book
  arm: {mass: 8 kg, com: "(-1.2, 0.6, 0) m", inertia: "diag(0.1, 0.2, 0.2) kg*m^2"}
  pivot: {at: "(0.3, 0.5, 0) m", through: "(0.3, 0.7, 0) m"}
  coil:                    # between chassis and arm
    chassis: (0, 0.6, 0.3) m
    arm: (0, 0.6, 0) m
    free_length: 0.4 m
    linear: 60 kN/m
  brake: {max_torque: 700 N*m}
rear_left: {coil: {linear: 61 kN/m}}
steering: {travel: 80 mm}
powertrain:
  clutch: {max_torque: 600 N*m, stiffness: 2000 N*m/rad, damping: 10 N*m*s/rad}
"""
    before = VehicleParameters.load(written(tmp_path, old))
    assert (
        "own.yaml:8: kinds: a table of format 1; 'simulate-vehicle convert' writes format 2" in before.notes
    )
    new = convert_text(old, "own.yaml", before.layout.parts)
    after = VehicleParameters.load(written(tmp_path, new, "new.yaml"))
    assert (after.data, after.layout) == (before.data, before.layout)
    assert not any("format" in note for note in after.notes)
    comments = "# A car.", "# other kinds", "# trailing arms", "# between chassis and arm"
    assert [comment for comment in comments if comment not in new] == []
    with pytest.raises(DataError, match=r"own\.yaml: it is of format 2; nothing to convert"):
        convert_text(new, "own.yaml")


@pytest.mark.parametrize(
    ("long", "short", "value"),
    [
        ("axles.front.suspension.spring.linear", "front.spring.linear", "80 kN/m"),
        ("axles.front.left.suspension.D.y", "front_left.D.y", "0.75 m"),
        ("axles.front.steering.travel", "steering.travel", "0.075 m"),
        ("axles.rear.brake.max_torque", "rear.brake.max_torque", "800 N*m"),
        ("axles.rear.right.tyre.cy", "rear_right.tyre.cy", "140 kN/m"),
        ("axles.rear.anti_roll_bar.stiffness", "rear.anti_roll_bar.stiffness", "900 N*m/rad"),
    ],
)
def test_long_names_override_as_short_ones(long: str, short: str, value: str) -> None:
    one, other = (VehicleParameters.load("sedan", [f"{name}={value}"]).data for name in (long, short))
    assert one == other != VehicleParameters.load("sedan").data


def test_words_may_be_booleans(tmp_path: Path) -> None:
    path = written(
        tmp_path, "base: sedan\naxles: {rear: {driven: true, braked: false}, front: {driven: False}}\n"
    )
    front, rear = VehicleParameters.load(path).layout.axles
    assert (front.driven, rear.driven, rear.braked) == ("no", "yes", "no")


def test_axle_like_another_takes_its_suspension() -> None:
    """The rear axle of the sedan has the front's arms, its own spring, no steering, and its own bar."""
    car = VehicleParameters.load("sedan")
    front, rear = car.data.front_left, car.data.rear_left  # type: ignore[attr-defined]
    assert rear.lower_arm == front.lower_arm
    assert rear.spring == front.spring.model_copy(update={"free_length": 0.582, "linear": 86e3})
    assert (front.spring.free_length, front.spring.linear) == (0.603, 92e3)
    assert [axle.steering for axle in car.layout.axles] == ["rack", None]
    assert car.anti_roll_bars["rear"].stiffness == 700.0


@pytest.mark.parametrize(
    ("name", "axis", "housings"),
    [
        ("sedan", (0.0, 1.0, 0.0), [None]),
        ("formula-student", (-1.0, 0.0, 0.0), [None]),
        ("hmmwv-automatic", (-1.0, 0.0, 0.0), [None, None]),
        ("off-roader", (-1.0, 0.0, 0.0), ["front.axle", "rear.axle"]),
        ("truck", (-1.0, 0.0, 0.0), ["rear.axle", "last.axle"]),
        ("van-trailer", (-1.0, 0.0, 0.0), ["rear.axle"]),
    ],
)
def test_what_carries_engine_and_final_drives(
    name: str, axis: tuple[float, ...], housings: list[str | None]
) -> None:
    vehicle = VehicleParameters.load(name)
    driven = [axle for axle in vehicle.layout.axles if axle.driven == "yes"]
    assert vehicle.engine_axis == axis
    assert [vehicle.housing(axle) for axle in driven] == housings


STEERED = "axles:\n  front: {suspension: %s, steering: rotary-arm}\n  rear: {suspension: rigid}\n"


@pytest.mark.parametrize(
    "suspension",
    ["semi-trailing-arm", "trailing-arm", "three-link", "swing-axle", "rigid", "twist-beam"],
)
def test_suspensions_without_tie_rods_are_not_steered(tmp_path: Path, suspension: str) -> None:
    with pytest.raises(
        DataError, match=rf"^axles\.front: a {suspension} suspension cannot be steered; leave steering out$"
    ):
        VehicleParameters.load(written(tmp_path, STEERED % suspension))


def test_what_is_missing_is_told_with_units(tmp_path: Path) -> None:
    """A missing axle is listed by names, as an example would fill a page; its parts are not its corners'."""
    bare = STEERED % "single-wishbone" + (
        "kinds: {powertrain: manual}\nvehicle: {gravity: 9.81, ride_height: 0.2, width: 1.6}\n"
        "chassis: {mass: 1, com: '(0, 0, 0)', inertia: 'diag(1, 1, 1)'}\n"
    )
    with pytest.raises(DataError) as caught:
        VehicleParameters.load(written(tmp_path, bare))
    assert "missing powertrain, road, driver, front, rear, steering; " in str(caught.value)
    assert "engine {full_throttle {speed in rad/s, torque in N*m}" in str(caught.value)
    for axle, missing in (
        (
            "rear: {suspension: de-dion}",
            "rear.axle, rear.ball, rear.centre_link, rear.left_link, rear.right_",
        ),
        (
            "front: {anti_roll_bar: torsion}",
            "front.anti_roll_bar; write for example 'anti_roll_bar: {mass: ",
        ),
    ):
        with pytest.raises(DataError, match=rf"^own\.yaml: missing {re.escape(missing)}"):
            VehicleParameters.load(written(tmp_path, f"base: hmmwv\naxles:\n  {axle}\n"))


def test_steering_by_wheel_angle_is_part_of_lock() -> None:
    """A column has a lock of 540°; a ratio times the road wheels' angle at full lock is one, too."""
    for name, overrides in (
        ("sedan-column", []),
        ("sedan", ["steering.ratio=14"]),
        ("hmmwv", ["steering.ratio=20"]),
    ):
        data = VehicleParameters.load(name, overrides)
        lock = steering_wheel_lock(data)
        if overrides:
            ratio = float(overrides[0].partition("=")[2])
            assert lock == pytest.approx(ratio * float(max_wheel_angle(data)), rel=1e-12)
        else:
            assert lock == pytest.approx(3.0 * math.pi)
        task = make_manoeuvre("step-steer", {"steer": "-45 deg"}, data)
        assert task.values["steer"] == pytest.approx(-0.25 * math.pi / lock, rel=1e-12)
        # the mean of the rates' ratios, each over an equal part of the road wheels' angle, is that of angles
        inputs = np.linspace(-1.0, 1.0, 401)
        angles = np.array([mean_wheel_angle(data, u) for u in inputs])
        ratios = [steering_ratio(data, u) for u in 0.5 * (inputs[1:] + inputs[:-1])]
        assert ratios @ np.diff(angles) == pytest.approx(2.0 * lock, rel=1e-4)


def test_assumed_steering_ratios_are_stated() -> None:
    with pytest.warns(AccuracyWarning, match=r"sedan\.yaml: steering\.ratio is not given; 16 is assumed"):
        make_manoeuvre("step-steer", {"steer": "45 deg"}, VehicleParameters.load("sedan"))
    assert (
        make_manoeuvre("step-steer", {"steer": "0.1"}, VehicleParameters.load("sedan")).values["steer"] == 0.1
    )
    with pytest.raises(DataError, match="ratio has no effect beside a column"):
        VehicleParameters.load("sedan-column", ["steering.ratio=15"])


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("chassis.mass=2", "in kg, but the file has 1550 kg; write the unit, for example chassis.mass='2 t'"),
        ("front.spring.linear=60", "for example front.spring.linear='60 kN/m'"),
        ("vehicle.width=1800", "for example vehicle.width='1800 mm'"),
        ("chassis.mass=100 kg", "chassis.mass: 100 kg is less than wheels and suspensions have, 1"),
    ],
)
def test_implausible_overrides_are_warned_of(override: str, words: str) -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        VehicleParameters.load("sedan", [override])
    assert words in str(seen[0].message)


@pytest.mark.parametrize(
    "override",
    ["chassis.mass=3000", "front.spring.linear=120e3", "vehicle.width=1800 mm", "chassis.mass=0.2 t"],
)
def test_plausible_overrides_pass_without_warning(override: str) -> None:
    VehicleParameters.load("sedan", [override])


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("front: {L: [-0.2, 0.4, -0.09]}", [("front.L", "steering.com")]),
        ("front: {D: [0, 0.75, -0.1]}", [("front.D", BAR)]),
        ("front_left: {D: [0, 0.75, -0.1]}", [("front_left.D", BAR)]),
        ("front: {origin: [1.4, 0, 0.13]}", [("front.origin", BAR), ("front.origin", "steering.com")]),
        ("front: {spring: {arm: [0, 0.6, -0.1]}, upright: {com: [0, 0.7, 0]}, wheel: {rim: {mass: 9}}}", []),
        ("front: {L: [-0.2, 0.4, -0.09]}\nsteering: {com: [1.2, 0, 0.14]}", []),
        ("title: other", []),
    ],
)
def test_points_that_bases_keep_are_named(text: str, notes: list[tuple[str, str]], tmp_path: Path) -> None:
    """By the file that moved what they hang on, unless it gives them anew; shipped files keep none."""
    found = VehicleParameters.load(written(tmp_path, f"base: sedan\n{text}\n")).notes
    end = "; give these too if they move"
    assert found == tuple(f"own.yaml: {by} changed; kept from sedan.yaml: {kept}{end}" for by, kept in notes)
    over = written(tmp_path, "base: own.yaml\nchassis: {mass: 1 t}\n", "over.yaml")
    assert VehicleParameters.load(over).notes == found


def test_points_of_another_suspension_are_named(tmp_path: Path) -> None:
    """All that the corners keep, and the bar."""
    assert [VehicleParameters.load(name).notes for name in SHIPPED] == [()] * len(SHIPPED)
    text = "base: sedan\naxles: {rear: {suspension: rigid}}\n"
    (note,) = VehicleParameters.load(written(tmp_path, text)).notes
    bar = BAR.replace("front", "rear")
    end = f"rear.origin, rear.W, {bar}; give these too if they move"
    assert note == f"own.yaml: axles.rear.suspension changed; kept from sedan.yaml: {end}"


def test_examples_in_messages_are_of_vehicle_or_files(tmp_path: Path) -> None:
    """Examples have the same key: a mass centre in one corner's place, not a point that fits none."""
    own, hmmwv = (VehicleParameters.load(name).data for name in ("sedan", "hmmwv"))
    for name, attribute, nested in (
        ("chassis.mass", "chassis.mass", "chassis: {mass: 1 K}"),
        ("front.upright.com", "front_left.upright.com", "front: {upright: {com: 1 K}}"),
    ):
        file = written(tmp_path, f"base: sedan\n{nested}\n")
        for vehicle, changes, whose in (("sedan", [f"{name}=1 K"], own), (file, [], hmmwv)):
            with pytest.raises(DataError) as caught:
                VehicleParameters.load(vehicle, changes)
            example = str(caught.value).rpartition(", for example ")[2]
            made = VehicleParameters.load("sedan", [f"{name}={example}"]).data
            assert attrgetter(attribute)(made) == attrgetter(attribute)(whose)


def test_vehicle_on_its_bump_stops_is_warned_of() -> None:
    """A spring that is 62 mm shorter lets the sedan down on them; the shipped one stands clear of them."""
    prepare("straight", model="sedan", duration=0.1)
    with pytest.warns(
        PhysicalityWarning, match=r"^rear_left, rear_right: .* m long .*, min_length is 0.45 m"
    ):
        prepare("straight", model="sedan", overrides=["rear.spring.free_length=520 mm"], duration=0.1)


def test_a_file_that_builds_on_another(tmp_path: Path) -> None:
    written(tmp_path, "base: sedan\ntitle: Family car\nchassis:\n  mass: 1700 kg\n", "family.yaml")
    loaded = written(tmp_path, "base: family.yaml\nfront:\n  spring:\n    linear: 80 kN/m\n")
    vehicle = VehicleParameters.load(loaded, [])
    assert (vehicle.title, vehicle.name, vehicle.chassis.mass) == ("Family car", "own", 1700.0)
    assert [c.spring.linear for c in vehicle.corners.values()] == [80e3, 80e3, 86e3, 86e3]


def test_several_bases_are_laid_one_over_the_other(tmp_path: Path) -> None:
    written(tmp_path, "chassis:\n  mass: 1700 kg\nroad:\n  friction: 0.5\n", "heavy.yaml")
    own = written(tmp_path, "base: [sedan, heavy.yaml]\nroad:\n  friction: 0.4\n")
    vehicle = VehicleParameters.load(own)
    assert (vehicle.chassis.mass, vehicle.road.friction) == (1700.0, 0.4)


def test_a_file_takes_parts_of_its_base_away(tmp_path: Path) -> None:
    """Their numbers go with them; those that the file itself writes for what is not there are refused."""
    off = "axles:\n  rear: {anti_roll_bar: none, braked: no, final_drive: none}\n"
    own = VehicleParameters.load(written(tmp_path, f"base: sedan\n{off}"))
    assert list(own.anti_roll_bars) == ["front"]
    assert [axle.braked for axle in own.layout.axles] == ["yes", "no"]
    with pytest.raises(DataError, match=r"own\.yaml:5: unknown parameter 'rear\.anti_roll_bar\.stiffness'"):
        VehicleParameters.load(
            written(tmp_path, f"base: sedan\n{off}rear:\n  anti_roll_bar: {{stiffness: 1 N*m/rad}}\n")
        )
    written(tmp_path, f"base: sedan\n{off}", "off.yaml")
    again = "axles:\n  rear: {anti_roll_bar: torsion}\nrear:\n  anti_roll_bar: {stiffness: 1 N*m/rad}\n"
    with pytest.raises(DataError, match=r"own\.yaml: missing rear\.anti_roll_bar\.mass, "):
        VehicleParameters.load(written(tmp_path, f"base: off.yaml\n{again}"))


def test_another_kind_keeps_common_numbers_of_base(tmp_path: Path) -> None:
    """The rule holds for tyres and powertrains; keys of the old kind go, missing ones are named."""
    slips = "kinds: {tyre: tmsimple}\ntyre: {contact_damping: 0.002 s}\n"
    own = VehicleParameters.load(written(tmp_path, f"base: sedan\n{slips}"))
    assert own.data.front_left.tyre.radius == VehicleParameters.load("sedan").data.front_left.tyre.radius  # type: ignore[attr-defined]  # by the axles


def test_fields_of_simple_tyre_are_numbers_of_files(tmp_path: Path) -> None:
    """A kind is the model's file and its name; the model's own checks refuse numbers at their line."""
    slopes = "slip_stiffness: 20, cornering_stiffness: 15 1/rad, contact_damping: 2 ms"
    for kind, model in (("brush", BrushTyre), ("linear", LinearTyre)):
        own = written(tmp_path, f"base: sedan\ntyre: {{kind: {kind}, mu: 0.9, {slopes}}}\n")
        tyre: Any = VehicleParameters.load(own, ["front.tyre.trail=3 cm"]).corners["front_left"].tyre
        assert isinstance(tyre, model)
        assert (tyre.mu, tyre.slip_stiffness, tyre.cornering_stiffness, tyre.trail) == (0.9, 20.0, 15.0, 0.03)
        assert (tyre.damping, tyre.reference_friction) == (
            2e-3,
            VehicleParameters.load("sedan").road.friction,
        )
    stiffness = "slip_stiffness: 60 kN, cornering_stiffness: 50 kN/rad, contact_damping: 2 ms"
    falling = f"{{kind: fiala, mu: 0.9, mu_sliding: 1, width: 0.2 m, {stiffness}}}"
    own = written(tmp_path, f"base: sedan\ntyre: {falling}\n")
    with pytest.raises(DataError, match=r"own\.yaml.*: tyre: mu_sliding = 1 exceeds mu = 0\.9"):
        VehicleParameters.load(own)


TWICE = "front: {W: [0, 1, 0]}\naxles: {front: {suspension: {W: [0, 1, 0]}}}"
ARM = "graphs: {rear: {arm: {body: mirrored}}}"
SINGLE = "axles: {rear: {suspension: graph}}\ngraphs: {rear: {arm: {body: mirrored, single: yes}}}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TWICE, r"own\.yaml:2: front\.W is there twice, first own\.yaml:3; remove"),
        ("kindsx: {tyre: fiala}", r"own\.yaml:2: unknown parameter 'kindsx\.tyre'; did you mean 'kinds'\?"),
        ("trailer: {cart: {hitch: ball}}", r"'trailer\.cart\.hitch'; did you mean 'trailers'\?"),
        ("titel: My car", r"'titel'; did you mean 'title'\?"),
        ("sources: {book: [1, 2]}", r"own\.yaml:2: sources: expected lines 'key: text'"),
        (ARM, r"arm: a double-wishbone suspension has no items.*no effect"),
        (SINGLE, r"axles\.rear\.suspension\.arm: single has no effect on a body; write body: single"),
        ("axles: {front: {suspension: none}}", r"suspension: unknown 'none'"),
        ("kinds: {tyre: magic-formula}", r"own\.yaml: missing tyre\.version, tyre\.side, tyre\.PCY1"),
        ("kinds: {powertrain: geared}", r"own\.yaml: powertrain\.transmission: upshift has 0 speeds for 6"),
        ("steering: {max_angle: 30 deg}", r"unknown parameter 'steering.max_angle'"),  # of another vehicle
        ("tyre: {width: 0.2 m}", r"unknown parameter 'tyre.width'"),
        ("base: nothing", r"own.yaml:1: base: no file 'nothing' beside it, and no vehicle 'nothing'"),
        ("base: hatchbak", r"'hatchbak' is shipped; did you mean 'hatchback'\?$"),
        ("base: other.yaml", r"builds on itself by way of other.yaml"),
        ("base: {sedan: 1}", "expected the name of a file or a list"),
        ("base: ''", r"^own\.yaml:1: base '' must be the name of a file"),
        ("base: hmmwv\ntitle: own\nkinds: {engine: transverse}", "engine_axis: transverse has no effect"),
        ("base: hmmwv\nfront: {anti_roll_bar: {stiffness: 1 N*m/rad}}", "anti_roll_bar"),
    ],
)
def test_bases_that_are_none_and_words_without_effect(tmp_path: Path, text: str, message: str) -> None:
    written(tmp_path, "base: own.yaml\n", "other.yaml")
    base = "" if text.startswith("base:") else "base: sedan\n"
    with pytest.raises(DataError, match=message):
        VehicleParameters.load(written(tmp_path, f"{base}{text}\n"))


def test_file_with_just_numbers_is_laid_over_hmmwv(tmp_path: Path) -> None:
    just = VehicleParameters.load(written(tmp_path, "chassis:\n  mass: 3 t\n", "numbers.yaml"), [])
    assert (just.name, just.chassis.mass) == ("hmmwv", 3000.0)
    based = VehicleParameters.load(written(tmp_path, "base: numbers.yaml\nroad: {friction: 0.5}\n"))
    assert (based.chassis.mass, based.road.friction) == (3000.0, 0.5)
    assert list(based.corners) == list(just.corners)
    with pytest.raises(DataError, match=r"no vehicle 'lorry'; give hmmwv, .*ride or an existing data file"):
        VehicleParameters.load("lorry")


def test_numbers_of_an_axle_itself() -> None:
    """They are the bar's, and no corner's."""
    stiff = VehicleParameters.load("sedan", ["front.anti_roll_bar.stiffness=3000 N*m/rad"])
    assert stiff.anti_roll_bars["front"].stiffness == 3000.0
    assert stiff.anti_roll_bars["rear"].stiffness == 700.0
    assert stiff.mass == pytest.approx(VehicleParameters.load("sedan").mass)


def test_graph_of_a_base_goes_with_its_suspension(tmp_path: Path) -> None:
    """Parts that another suspension replaces are no mistake of the file that builds on it."""
    graph = (
        "axles: {rear: {suspension: graph}}\ngraphs: {rear: {arm: {body: mirrored}, wheel: {carrier: arm}}}\n"
    )
    written(tmp_path, f"base: sedan\n{graph}", "graph.yaml")
    with pytest.raises(DataError, match=r"missing rear\."):  # nothing but the numbers of the arm
        VehicleParameters.load(
            written(tmp_path, "base: graph.yaml\naxles: {rear: {suspension: trailing-arm}}\n")
        )


def test_numbers_of_a_steering_go_with_it(tmp_path: Path) -> None:
    """One base has a steered axle that is steered no longer, such as that of a vehicle that folds instead."""
    file = """
base: sedan
trailers: {half: {hitch: articulated}}
axles:
  front: {steering: none}
  rear: {suspension: rigid, anti_roll_bar: none, trailer: half}
rear: {origin: "(-1, 0, -0.1) m", W: "(0, 0.8, 0) m"}
half:
  mass: 300 kg
  com: (-1, 0, 0.1) m
  inertia: diag(50, 200, 220) kg*m^2
  hitch: {x: 0 m, z: 0.2 m, max_angle: 30 deg, actuator: {natural_frequency: 5 Hz, damping_ratio: 1}}
"""
    assert not VehicleParameters.load(written(tmp_path, file)).steerings


def test_ground_springs_are_of_the_ride_model() -> None:
    changes = [f"front.ground_spring.{x}" for x in ("stiffness=2e5", "damping=1e3", "height=0.3")]
    data = VehicleParameters.load("sedan", changes)
    with pytest.raises(DataError, match=r"front_left\.ground_spring has no effect beside a tyre"):
        build(data)


def test_messages_of_parts_and_bases_name_file(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "base: sedan\npowertrain: {converter: {torque_ratio: [2, 1.8, 1.5, 1.2, 1.1, 0.9]}}\n",
        "v.yaml",
    )
    with pytest.raises(
        DataError,
        match=r"^v\.yaml: powertrain.converter: torque_ratio at speed ratio 1 is 0\.9; it must be 1",
    ):
        build(VehicleParameters.load(path))
    straight = ["front.anti_roll_bar.end=(1.1, 0.56, -0.9) m", "front.anti_roll_bar.link=(1.1, 0.6, -1.5) m"]
    with pytest.raises(
        ModelError,
        match=r"^sedan\.yaml as changed: tie rod of 'front_left\.anti_roll_bar': the design pose is a dead",
    ):
        build(VehicleParameters.load("sedan", straight))


def test_messages_of_assembly_and_of_equilibrium_name_file(tmp_path: Path) -> None:
    low = written(tmp_path, "base: sedan\nfront: {K: {z: 5 m}}\n", "low.yaml")
    with pytest.raises(AssemblyError, match=r"^low\.yaml: front_left: the steering linkage cannot be"):
        prepare(model=low)
    ahead = written(tmp_path, "base: sedan\nchassis: {com: {x: 9 m}}\n", "ahead.yaml")
    warnings.simplefilter("error", AccuracyWarning)  # steps on the way there are nobody's concern
    with pytest.raises(AssemblyError, match=r"^ahead\.yaml: the vehicle finds no equilibrium"):
        prepare(model=ahead)
    with pytest.raises(AssemblyError, match=r"^sedan\.yaml as changed: front_left: a load of .* kN presses"):
        prepare(model="sedan", overrides=["chassis.mass=100 t"])
