"""Driveline, engine and gearbox of a vehicle's file, as the section of the powertrain."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ce_dynamics.models.vehicles.chrono.bodies import (
    HALF_SHAFT_TIME,
    HALF_SHAFT_WIND_UP,
    RIGID_TIME,
    RIGID_WIND_UP,
)
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject, quantities, quantity
from ce_dynamics.models.vehicles.chrono.pairing import FileChoice, find_companion
from ce_dynamics.models.vehicles.chrono.reading import Reading, Sections
from ce_dynamics.models.vehicles.chrono.transmissions import ENGINES, TRANSMISSIONS

LIGHT = 2.0
"""[kg m²] at the wheels for the shafts of drivelines that have none."""


ROLLING = {"roll_reaction": "1"}
"""The torque of the propeller shaft rolls Chrono's chassis."""
BLOCKS = {"roll_reaction": "2"}
"""Blocks of engine and gearbox pass it to Chrono's chassis once more, in the same direction."""
TORQUES_ON_WHEELS = {"reaction": "0"}
"""Chrono's simple drivelines are torques on wheels."""


class DrivenAxle(NamedTuple):
    """Wheel speed over shaft speed; inertia at the shaft [kg m²]; parts of the torque by axle, if unequal.

    ``biases``: torque of an axle's slower wheel over that of the faster one, by axle or of all.
    ``ratios``: by axle, if they differ.  ``axles``: how many it drives, if not any number.  ``like_chrono``:
    numbers of the shafts that only Chrono's drivelines have.
    """

    ratio: float
    inertia: float
    split: tuple[float, ...] | None = None
    ratios: tuple[float, ...] | None = None
    axles: int | None = None
    like_chrono: Mapping[str, str] = ROLLING
    biases: tuple[float, ...] = (1.0,)


def two_wheels(reading: Reading, part: JsonObject) -> DrivenAxle:
    """Return ``ShaftsDriveline2WD``: driveshaft, conical gear, one differential."""
    inertia, ratio = part.part("Shaft Inertia"), part.part("Gear Ratio").positive("Conical Gear")
    box = inertia.number("Differential Box", least=0.0)
    _left_out(reading, part)
    turning = inertia.number("Driveshaft", least=0.0) + ratio**2 * box
    return DrivenAxle(ratio, turning, axles=1)


def four_wheels(reading: Reading, part: JsonObject) -> DrivenAxle:
    """Return ``ShaftsDriveline4WD``: three differentials; all shafts at the speed of the first."""
    inertia, gears = part.part("Shaft Inertia"), part.part("Gear Ratio")
    front, rear = gears.positive("Front Conical Gear"), gears.positive("Rear Conical Gear")
    gears.read.update(gears.data)
    shafts = (inertia.number(key, least=0.0) for key in ("Driveshaft", "Front Driveshaft", "Rear Driveshaft"))
    boxes = [inertia.number(f"{end} Differential Box", least=0.0) for end in ("Front", "Rear")]
    _left_out(reading, part)
    turning = sum(shafts) + sum(a**2 * box for a, box in zip((front, rear), boxes, strict=True))
    return DrivenAxle(front, turning, ratios=(front, rear), axles=2)


def simple(reading: Reading, part: JsonObject) -> DrivenAxle:
    """Return ``SimpleDriveline``: a fixed split between two axles, without inertia."""
    front, rear = part.positive("Front Conical Gear Ratio"), part.positive("Rear Conical Gear Ratio")
    share = part.number("Front Torque Fraction", least=0.0)
    if share > 1.0:
        raise part.key_error("Front Torque Fraction", f"{share:g} is no part of the torque; give 0 to 1")
    biases = tuple(part.number(f"{end} Differential Max Bias", 1.0, least=1.0) for end in ("Front", "Rear"))
    # Chrono multiplies the wheels' speeds by the ratios by which it divides torques.
    seen = front * (share * front + (1.0 - share) * rear)
    return DrivenAxle(
        front,
        LIGHT * front**2,
        (share, 1.0 - share),
        ratios=(front, rear),
        axles=2,
        like_chrono={**TORQUES_ON_WHEELS, "seen_speed": quantity(seen)},
        biases=biases,
    )


def simple_many(reading: Reading, part: JsonObject) -> DrivenAxle:
    """Return ``SimpleDrivelineXWD``: equal parts for all driven axles, no gears."""
    bias = part.number("Differential Max Bias", 1.0, least=1.0)
    return DrivenAxle(1.0, LIGHT, like_chrono=TORQUES_ON_WHEELS, biases=(bias,))


def _left_out(reading: Reading, part: JsonObject) -> None:
    for key in ("Axle Differential Locking Limit", "Central Differential Locking Limit"):
        if part.has(key):
            reading.note(
                "locks of differentials: they are open, as in Chrono until a program locks them; "
                "'differential: locked' of an axle closes one, 'powertrain.centre' the one between axles"
            )
    directions = part.part("Shaft Direction") if part.has("Shaft Direction") else None
    if directions is not None:
        for key in ("Motor Block", "Axle"):
            directions.vector(key)
    if not reading.like_chrono:
        reading.note("the reaction of the propeller shaft, which rolls the chassis")


DRIVELINES: Mapping[str, Callable[[Reading, JsonObject], DrivenAxle]] = {
    "ShaftsDriveline2WD": two_wheels,
    "ShaftsDriveline4WD": four_wheels,
    "SimpleDriveline": simple,
    "SimpleDrivelineXWD": simple_many,
}


def shafts(reading: Reading, part: JsonObject, order: Sequence[int]) -> tuple[set[int], Sections]:
    """Return numbers of the driven axles, and the driveline's part of the powertrain's section.

    All axles are in `order` from front to rear.
    """
    if not part.has("Driveline"):
        raise part.key_error(
            "Driveline", "it is missing; expected a driveline's file and the driven suspensions"
        )
    block = part.part("Driveline")
    file = reading.file(block, "Input File")
    driven = reading.by_template(file, "driveline", DRIVELINES)(reading, file)
    indexes = block.numbers("Suspension Indexes")
    for index in indexes:
        if index not in order:
            raise block.key_error(
                "Suspension Indexes", f"{index:g} is no axle; they count from 0 to {len(order) - 1}"
            )
    if len(set(indexes)) < len(indexes):
        raise block.key_error("Suspension Indexes", "an axle is there twice; give each once")
    if driven.axles is not None and len(indexes) != driven.axles:
        given = f"{len(indexes)} axle" + ("s" if len(indexes) > 1 else "")
        raise block.key_error("Suspension Indexes", f"{given}; this driveline drives {driven.axles}")
    parts = driven.split or (1.0 / len(indexes),) * len(indexes)
    ratios = driven.ratios or (driven.ratio,) * len(indexes)
    # From front to rear; an axle without a part of the torque turns freely.
    ranks = (order.index(int(index)) for index in indexes)
    biases = driven.biases * (len(indexes) if len(driven.biases) == 1 else 1)
    shared = sorted(one for one in zip(ranks, indexes, parts, ratios, biases, strict=True) if one[2] > 0.0)
    _, indexes, parts, ratios, biases = (tuple(values) for values in zip(*shared, strict=True))
    section: Sections = {"axle_ratio": quantity(ratios[0])}
    if len(set(ratios)) > 1:
        section["axle_ratios"] = quantities(ratios)
    if driven.split is not None and len(parts) > 1:
        section["torque_split"] = quantities(parts)
    turning: Sections = {"inertia": quantity(driven.inertia, "kg*m^2", "derived")}
    if max(biases) > 1.0:
        turning["torque_bias"] = quantities(biases)
    if reading.like_chrono:
        turning |= {"gyroscopic": "0", **driven.like_chrono}  # Chrono's shafts have an angle only
    section["shafts"] = turning
    return {int(index) for index in indexes}, section


def power(
    reading: Reading, part: JsonObject, choice: FileChoice, folder: Path, driveline: Sections
) -> tuple[str, Sections]:
    """Return the kind of the powertrain, and its section."""
    block = part.part("Powertrain") if part.has("Powertrain") else None
    files = {"engine": choice.engine, "transmission": choice.transmission}
    for what in files:
        if block is not None and files[what] is None:
            files[what] = reading.path_of(block, f"{what.capitalize()} Input File")
    engine_file = find_companion(reading, "engine", files["engine"], folder)
    engine = reading.by_template(engine_file, "engine", ENGINES)(reading, engine_file)
    gearbox = find_companion(reading, "transmission", files["transmission"], folder)
    kind, section = reading.by_template(gearbox, "transmission", TRANSMISSIONS)(reading, gearbox, engine)
    # As stiff as half-shafts that twist by some hundredths of a radian: Chrono's do not twist.
    strongest = max(abs(torque) for torque in engine.full[1]) / float(driveline["axle_ratio"])
    turning = driveline["shafts"]
    assert isinstance(turning, dict)
    rigid, usual = (RIGID_WIND_UP, RIGID_TIME), (HALF_SHAFT_WIND_UP, HALF_SHAFT_TIME)
    wind_up, lag = rigid if "roll_reaction" in turning else usual  # whose shafts have inertia in Chrono
    stiffness = strongest / wind_up
    blocks = engine_file.template == "EngineShafts" and gearbox.template.endswith("TransmissionShafts")
    if blocks and "roll_reaction" in turning:
        turning = turning | BLOCKS
    elastic: Sections = {
        **turning,
        "stiffness": quantity(stiffness, "N*m/rad", "assumed"),
        "damping": quantity(lag * stiffness, "N*m*s/rad", "assumed"),
    }
    reading.section("powertrain.engine", engine_file)
    for name in ("transmission", "converter", "clutch"):
        reading.section(f"powertrain.{name}", gearbox)
    return kind, {"source": "chrono", **section, **driveline, "shafts": elastic}
