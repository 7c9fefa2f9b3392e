"""Driveline, engine and gearbox of a vehicle's file, as the section of the powertrain."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ce_dynamics.models.vehicles.chrono.assumed import HALF_SHAFT_TIME, HALF_SHAFT_WIND_UP
from ce_dynamics.models.vehicles.chrono.drivelines import DRIVELINES
from ce_dynamics.models.vehicles.chrono.engines import ENGINES
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject
from ce_dynamics.models.vehicles.chrono.pairing import FileChoice, companion
from ce_dynamics.models.vehicles.chrono.reading import Reading
from ce_dynamics.models.vehicles.chrono.transmissions import TRANSMISSIONS
from ce_dynamics.models.vehicles.chrono.writing import Sections, quantities, quantity


def shafts(reading: Reading, part: JsonObject, order: Sequence[int]) -> tuple[set[int], Sections]:
    """Numbers of the driven axles, and what the powertrain's section says of the driveline.

    All axles are in `order` from front to rear.
    """
    if not part.has("Driveline"):
        raise part.wrong("Driveline", "it is missing; expected a driveline's file and the driven suspensions")
    block = part.part("Driveline")
    file = reading.file(block, "Input File")
    driven = reading.by_template(file, "driveline", DRIVELINES)(reading, file)
    indexes = block.numbers("Suspension Indexes")
    for index in indexes:
        if index not in order:
            raise block.wrong(
                "Suspension Indexes", f"{index:g} is no axle; they count from 0 to {len(order) - 1}"
            )
    if len(set(indexes)) < len(indexes):
        raise block.wrong("Suspension Indexes", "an axle is there twice; give each once")
    if driven.axles is not None and len(indexes) != driven.axles:
        given = f"{len(indexes)} axle" + ("s" if len(indexes) > 1 else "")
        raise block.wrong("Suspension Indexes", f"{given}; this driveline drives {driven.axles}")
    parts = driven.split or (1.0 / len(indexes),) * len(indexes)
    ratios = driven.ratios or (driven.ratio,) * len(indexes)
    # From front to rear; an axle without a part of the torque turns freely.
    ranks = (order.index(int(index)) for index in indexes)
    shared = sorted(one for one in zip(ranks, indexes, parts, ratios, strict=True) if one[2] > 0.0)
    _, indexes, parts, ratios = (tuple(values) for values in zip(*shared, strict=True))
    section: Sections = {"axle_ratio": quantity(ratios[0])}
    if len(set(ratios)) > 1:
        section["axle_ratios"] = quantities(ratios)
    if driven.split is not None and len(parts) > 1:
        section["torque_split"] = quantities(parts)
    turning: Sections = {"inertia": f"{quantity(driven.inertia, 'kg*m^2')} [derived]"}
    if reading.like_chrono and driven.on_chassis:
        turning["roll_reaction"] = "1"
    section["shafts"] = turning
    return {int(index) for index in indexes}, section


def power(
    reading: Reading, part: JsonObject, choice: FileChoice, folder: Path, driveline: Sections
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
    reading.section("powertrain.engine", engine_file)
    for name in ("transmission", "converter", "clutch"):
        reading.section(f"powertrain.{name}", gearbox)
    return kind, {"source": "chrono", **section, **driveline, "shafts": elastic}
