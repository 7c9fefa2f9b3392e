"""A vehicle's file and all that it names, as one data file of ours."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ce_dynamics.models.vehicles.chrono.anti_roll_bar import anti_roll_bar
from ce_dynamics.models.vehicles.chrono.assumed import DRIVER, HALF_SHAFT_TIME, HALF_SHAFT_WIND_UP
from ce_dynamics.models.vehicles.chrono.chassis import chassis
from ce_dynamics.models.vehicles.chrono.drivelines import DRIVELINES
from ce_dynamics.models.vehicles.chrono.engines import ENGINES
from ce_dynamics.models.vehicles.chrono.frames import Matrix
from ce_dynamics.models.vehicles.chrono.generic import GEAR, GRAPH, held
from ce_dynamics.models.vehicles.chrono.json_file import Part
from ce_dynamics.models.vehicles.chrono.pairing import Choice, companion
from ce_dynamics.models.vehicles.chrono.reading import Reading
from ce_dynamics.models.vehicles.chrono.rear_chassis import RearChassis, rear_chassis
from ce_dynamics.models.vehicles.chrono.steering import steering
from ce_dynamics.models.vehicles.chrono.suspensions import SUSPENSIONS
from ce_dynamics.models.vehicles.chrono.transmissions import TRANSMISSIONS
from ce_dynamics.models.vehicles.chrono.tyres import tyre
from ce_dynamics.models.vehicles.chrono.wheels import brake, lean, rotor, wheel_files
from ce_dynamics.models.vehicles.chrono.writing import Sections, quantities, quantity, yaml_text
from ce_dynamics.models.vehicles.layout import MECHANISMS
from ce_dynamics.models.vehicles.suspensions.listed import BEAMS

WHEEL_WIDTH = 0.25
"""[m] of a wheel whose tyre does not say it, for the width of the vehicle."""


UNCHOSEN = Choice()


class Converted(NamedTuple):
    """A data file of ours, and what of Chrono's files it does not say."""

    text: str
    notes: tuple[str, ...]


class Axle(NamedTuple):
    """An axle as read: its place in ``axles``, its corners' section, where a wheel is."""

    words: Sections
    section: Sections
    wheel: Matrix
    radius: float
    stiffness: float
    width: float
    tyre_kind: str
    graph: Sections | None


def converted(path: Path, choice: Choice = UNCHOSEN, like_chrono: bool = False) -> Converted:
    """A vehicle's JSON file as our YAML.

    Parameters
    ----------
    path : Path
        A vehicle (``"Type": "Vehicle"``), or a file that names one with its tyres.
    choice : Choice
        Engine, transmission and tyres, which vehicles' files do not name.
    like_chrono : bool
        Whether ways of Chrono that no vehicle has are copied: those that docs/chrono-vehicles.md lists.

    Raises
    ------
    DataError
        One line: file, key, what is wrong, what to do.
    """
    reading = Reading(path, like_chrono)
    part = reading.open(path)
    if part.has("Vehicle") and not part.has("Axles"):
        choice = named(reading, part, choice)
        reading.path = reading.path_of(part.part("Vehicle"), "Input File")
        part = reading.open(reading.path)
    if part.template != "WheeledVehicle":
        raise part.wrong("Template", f"'{part.template}' is no vehicle on wheels; give a file of one")
    sections = vehicle(reading, part, choice)
    unread = reading.unread()
    if unread:
        reading.note("keys that say nothing: " + ", ".join(unread))
    if any(other.cosmetic() for other in reading.files.values()):
        reading.note("visualisation")
    notes = tuple(reading.notes)
    heading = f"Written from Project Chrono's {path.name}.\n"
    if notes:
        heading += "Not done as those files say, or chosen:\n" + "".join(f"- {note}\n" for note in notes)
    return Converted(yaml_text(sections, heading), notes)


def named(reading: Reading, part: Part, choice: Choice) -> Choice:
    """The tyre that a file names beside the vehicle."""
    if part.has("Powertrain"):
        reading.note("powertrains in one file, as of Chrono before version 9")
        part.part("Powertrain").has("Input File")
    part.has("Zombie")
    if choice.tyre is None and part.has("Tire"):
        return Choice(choice.engine, choice.transmission, reading.path_of(part.part("Tire"), "Input File"))
    return choice


def vehicle(reading: Reading, part: Part, choice: Choice) -> Sections:
    """All sections."""
    body_path = reading.path_of(part.part("Chassis"), "Input File")
    main = reading.open(body_path)
    body = chassis(reading, main)
    rears = rear_chassis(reading, part, main) if part.has("Rear Chassis") else []
    folder = own_folder(reading, body_path)
    sources: Sections = {
        "chrono": f"Project Chrono, {reading.path.name} and the files that it names, www.projectchrono.org",
        "assumed": "not in Chrono's files; a plausible value",
        "derived": "computed from other numbers of these files",
        "convention": "a definition",
    }
    files = part.list_of_parts("Axles")
    if not files:
        raise part.wrong("Axles", "it is empty; describe one axle at least")
    names = axle_names(len(files))
    mechanisms = part.list_of_parts("Steering Subsystems") if part.has("Steering Subsystems") else []
    driven, driveline = shafts(reading, part, len(files))
    read: dict[str, Axle] = {}
    steerings: dict[int, tuple[str, Sections]] = {}
    named_as: dict[int, str] = {}
    for k, (name, file) in enumerate(zip(names, files, strict=True)):
        steered = None
        if file.has("Steering Index"):
            index = file.number("Steering Index")
            if index not in range(len(mechanisms)):
                raise file.wrong(
                    "Steering Index", f"{index:g}: there are {len(mechanisms)} steering subsystems"
                )
            if int(index) not in named_as:
                if len(named_as) == len(MECHANISMS):
                    raise file.wrong(
                        "Steering Index", f"more than {len(MECHANISMS)} mechanisms; leave some out"
                    )
                named_as[int(index)] = MECHANISMS[len(named_as)]
                ours, section = steering(reading, mechanisms[int(index)])
                steerings[int(index)] = ours, section
            steered = steerings[int(index)][0], named_as[int(index)]
        read[name] = axle(reading, file, name, steered, k in driven, choice, folder, rears)
    kinds = sorted({one.tyre_kind for one in read.values()})
    if len(kinds) > 1:
        raise part.wrong("Axles", f"tyres of the kinds {' and '.join(kinds)}; give all axles the same kind")
    powertrain, engine = power(reading, part, choice, folder, driveline)
    width = max(2.0 * one.wheel[1] + one.width for one in read.values())
    axles: Sections = {name: one.words for name, one in read.items()}
    if reading.like_chrono:  # whose final drives are all on the chassis
        axles = {name: on_chassis(one.words) for name, one in read.items()}
    sections: Sections = {
        "title": part.text("Name"),
        "sources": sources,
        "axles": axles,
        "kinds": {"powertrain": powertrain, "tyre": kinds[0]},
        "vehicle": {
            "gravity": "9.81 m/s^2 [convention]",
            "ride_height": f"{quantity(ride_height(body, rears, list(read.values())), 'm')} [derived]",
            "width": f"{quantity(width, 'm')} [derived]",
        },
        "chassis": body,
        **{rear.name: rear.section for rear in rears},
        **{name: one.section for name, one in read.items()},
        "powertrain": engine,
        "road": {"friction": "0.8 [convention]"},
        "driver": {"source": "assumed", **DRIVER},
    }
    if rears:
        sections["trailers"] = {rear.name: rear.words for rear in rears}
    graphs: Sections = {name: one.graph for name, one in read.items() if one.graph is not None}
    if graphs:
        sections["graphs"] = graphs
    sections |= {named_as[index]: section for index, (_, section) in steerings.items()}
    keys = ("Wheelbase", "Maximum Steering Angle (deg)", "Minimum Turning Radius")
    there = [part.has(key) for key in keys]  # each of them counts as read
    if all(there) and not (rears and part.number(keys[1]) == 0.0):  # what folds turns no wheels
        sections["published"] = {
            "source": "chrono",
            "wheelbase": quantity(part.positive(keys[0]), "m"),
            "max_wheel_angle": quantity(part.positive(keys[1]), "deg"),
            "min_turning_radius": quantity(part.positive(keys[2]), "m"),
        }
    return sections


def axle_names(count: int) -> list[str]:
    """Front and rear, or numbers from the front."""
    return ["front", "rear"] if count == 2 else [f"axle_{k}" for k in range(1, count + 1)]


def own_folder(reading: Reading, chassis_path: Path) -> Path:
    """The folder of this vehicle: the first one on the way from the common folder to its chassis."""
    if reading.root is None:
        return chassis_path.parent
    return reading.root / chassis_path.relative_to(reading.root).parts[0]


def axle(
    reading: Reading,
    file: Part,
    name: str,
    steered: tuple[str, str] | None,
    driven: bool,
    choice: Choice,
    folder: Path,
    rears: Sequence[RearChassis],
) -> Axle:
    """One axle, with the kind and the name of the mechanism that steers it."""
    carrier = carrier_of(file, rears, steered is not None, driven)
    if file.has("Subchassis Index"):
        reading.note("beams of a subchassis: springs on them are fixed to the chassis")
    part = reading.file(file, "Suspension Input File")
    template = reading.by_template(part, "suspension", SUSPENSIONS)
    origin, spindle = file.vector("Suspension Location"), part.part("Spindle")
    if carrier is not None:
        origin = origin - carrier.front
    centre = spindle.vector("COM")
    rim, spacing = wheel_files(reading, file)
    if file.has("Tire Input File"):
        tyre_path: Path | None = reading.path_of(file, "Tire Input File")
    else:
        tyre_path = choice.tyre
    mounted = tyre(reading, companion(reading, "tyre", tyre_path, folder, name))
    words: Sections = {"suspension": template.name}
    if carrier is not None:
        words["trailer"] = carrier.name
    if steered is not None:
        words["steering"], mechanism = steered
        if mechanism != MECHANISMS[0]:
            words["mechanism"] = mechanism
    own = template.read(reading, part)
    graph = own.pop(GRAPH, None)
    if GEAR in own:
        words["steering_gear"] = own.pop(GEAR)
    if isinstance(graph, dict) and steered is None:
        graph = held(graph)
    section: Sections = {
        "source": "chrono",
        "origin": quantities(origin, "m"),
        "W": quantities(centre, "m"),
        **own,
        "wheel": {
            "hub": rotor(spindle),
            "rim": rotor(rim),
            "tyre": mounted.body,
            "axle_inertia": quantity(part.part("Axle").number("Inertia", least=0.0), "kg*m^2"),
            **({} if spacing is None else {"twin_spacing": quantity(spacing, "m")}),
            **lean(reading, part),
        },
        "brake": brake(reading, file),
        "tyre": mounted.section,
    }
    if file.has("Antirollbar Input File"):
        words["anti_roll_bar"] = "torsion"
        section["anti_roll_bar"] = anti_roll_bar(reading, file)
    if not driven and carrier is None:
        words["driven"] = "no"
    width = WHEEL_WIDTH if mounted.width is None else mounted.width
    assert graph is None or isinstance(graph, dict)
    stiffness = mounted.stiffness if spacing is None else 2.0 * mounted.stiffness
    width += spacing or 0.0
    wheel = origin + centre if carrier is None else carrier.at + origin + centre
    return Axle(words, section, wheel, mounted.radius, stiffness, width, mounted.kind, graph)


def carrier_of(file: Part, rears: Sequence[RearChassis], steered: bool, driven: bool) -> RearChassis | None:
    """The rear chassis that an axle is on; none if it is on the main one."""
    index = file.number("Chassis Index", -1.0)
    if index == -1.0:
        return None
    if index not in range(len(rears)):
        raise file.wrong(
            "Chassis Index", f"{index:g}: there are {len(rears)} rear chassis; -1 is the main one"
        )
    for what, there in (
        ("steered", steered),
        ("driven", driven),
        ("held by an anti-roll bar", has_bar(file)),
    ):
        if there:
            raise file.wrong(
                "Chassis Index", f"axles of a rear chassis that are {what} cannot be read; leave that out"
            )
    return rears[int(index)]


def has_bar(file: Part) -> bool:
    """Whether an axle names an anti-roll bar."""
    return file.has("Antirollbar Input File")


def on_chassis(words: Sections) -> Sections:
    """What is said of an axle, with its final drive on the chassis if it is a driven beam's."""
    beam = BEAMS.get(str(words["suspension"]))
    driven = words.get("driven") != "no"
    return {**words, "final_drive": "chassis"} if driven and beam is not None else words


def shafts(reading: Reading, part: Part, count: int) -> tuple[set[int], Sections]:
    """Numbers of the driven axles, and what the powertrain's section says of the driveline."""
    if not part.has("Driveline"):
        raise part.wrong("Driveline", "it is missing; expected a driveline's file and the driven suspensions")
    block = part.part("Driveline")
    file = reading.file(block, "Input File")
    driven = reading.by_template(file, "driveline", DRIVELINES)(reading, file)
    indexes = block.numbers("Suspension Indexes")
    for index in indexes:
        if index not in range(count):
            raise block.wrong("Suspension Indexes", f"{index:g} is no axle; they count from 0 to {count - 1}")
    section: Sections = {"axle_ratio": quantity(driven.ratio)}
    if driven.split is not None:
        if len(indexes) != len(driven.split):
            raise block.wrong("Suspension Indexes", f"{len(indexes)} axles; this driveline drives two")
        section["torque_split"] = quantities(driven.split)
    turning: Sections = {"inertia": f"{quantity(driven.inertia, 'kg*m^2')} [derived]"}
    if reading.like_chrono and driven.on_chassis:
        turning["roll_reaction"] = "1"
    section["shafts"] = turning
    return {int(index) for index in indexes}, section


def power(
    reading: Reading, part: Part, choice: Choice, folder: Path, driveline: Sections
) -> tuple[str, Sections]:
    """The kind of the powertrain, and its section."""
    block = part.part("Powertrain") if part.has("Powertrain") else None
    files = {"engine": choice.engine, "transmission": choice.transmission}
    for what in files:
        if block is not None and files[what] is None:
            files[what] = reading.path_of(block, f"{what.capitalize()} Input File")
    engine_file = companion(reading, "engine", files["engine"], folder)
    engine = reading.by_template(engine_file, "engine", ENGINES)(reading, engine_file)
    gearbox = companion(reading, "transmission", files["transmission"], folder)
    kind, section = reading.by_template(gearbox, "transmission", TRANSMISSIONS)(reading, gearbox, engine)
    # As stiff as half-shafts that twist by some hundredths of a radian: Chrono's do not twist.
    strongest = max(abs(torque) for torque in engine.full[1]) / float(driveline["axle_ratio"])  # type: ignore[arg-type]  # text
    stiffness = strongest / HALF_SHAFT_WIND_UP
    turning = driveline["shafts"]
    assert isinstance(turning, dict)
    elastic: Sections = {
        **turning,
        "stiffness": f"{quantity(stiffness, 'N*m/rad')} [assumed]",
        "damping": f"{quantity(HALF_SHAFT_TIME * stiffness, 'N*m*s/rad')} [assumed]",
    }
    return kind, {"source": "chrono", **section, **driveline, "shafts": elastic}


def ride_height(body: Sections, rears: Sequence[RearChassis], axles: list[Axle]) -> float:
    """Height of the vehicle's origin with the wheels in their design positions and the tyres carrying it."""
    mass = float(str(body["mass"]).split()[0]) + sum(rear.mass for rear in rears)
    weight = 9.81 * mass / (2.0 * len(axles))
    heights = [one.radius - weight / one.stiffness - one.wheel[2] for one in axles]
    return round(float(np.mean(heights)), 4)
