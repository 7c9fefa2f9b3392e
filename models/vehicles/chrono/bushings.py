"""``Bushing Data`` of joints: six springs and dampers in place of a constraint, where that is asked for."""

from __future__ import annotations

from ce_dynamics.models.vehicles.bushing_data import ABOUT, ALONG
from ce_dynamics.models.vehicles.chrono.frames import Matrix
from ce_dynamics.models.vehicles.chrono.json_file import Part
from ce_dynamics.models.vehicles.chrono.reading import Reading
from ce_dynamics.models.vehicles.chrono.writing import Sections, quantities, quantity

BUSHINGS = "bushings"
"""Key under which the words of bushings stand among an axle's numbers until the vehicle's file is written."""
RIGID = "bushings: their joints are rigid"
ASK = f"{RIGID}; 'simulate-vehicle convert --bushings' lets those of arms yield"


def bushed(reading: Reading, part: Part) -> None:
    """Name bushings that are not done."""
    for key in part.data:
        if key.startswith("Bushing Data"):
            part.has(key)
            reading.note(RIGID)


def yielding(
    reading: Reading, part: Part, joint: str, at: Matrix, key: str = "Bushing Data", ball: bool = False
) -> Sections:
    """The bushing of a body's joint with the chassis: its words and its numbers, if it is to yield.

    Diagonal in the axes of the joint: one stiffness along them, one about them, and ``DOF`` about those about
    which the joint turns, its z axis or, of a ball, all three.
    """
    if not part.has(key):
        return {}
    if not reading.elastic:
        block = part.part(key)
        block.read.update(block.data)
        if block.has("DOF"):
            block.part("DOF").read.update(block.part("DOF").data)
        reading.note(ASK)
        return {}
    block, name = part.part(key), f"{joint}_bushing"
    free = block.part("DOF") if block.has("DOF") else Part({}, part.path, block.name("DOF"))
    for unused in ("Stiffness Linear", "Damping Linear"):
        free.has(unused)  # which Chrono does not use

    def law(source: Part, kind: str, units: tuple[str, str], default: float | None = None) -> Sections:
        stiffness = source.number(f"Stiffness {kind}", default, least=0.0)
        damping = source.number(f"Damping {kind}", default, least=0.0)
        return {"stiffness": quantity(stiffness, units[0]), "damping": quantity(damping, units[1])}

    along = law(block, "Linear", ("N/m", "N*s/m"))
    across = law(block, "Rotational", ("N*m/rad", "N*m*s/rad"))
    about = law(free, "Rotational", ("N*m/rad", "N*m*s/rad"), 0.0)
    numbers: Sections = {"at": quantities(at, "m"), **{axis: dict(along) for axis in ALONG}}
    numbers |= {axis: dict(about if ball or axis == ABOUT[2] else across) for axis in ABOUT}
    return {BUSHINGS: {name: {"joint": joint}}, name: numbers}


def together(*sections: Sections) -> Sections:
    """Sections of several bushings as one."""
    words: Sections = {}
    numbers: Sections = {}
    for section in sections:
        found = section.get(BUSHINGS, {})
        assert isinstance(found, dict)
        words |= found
        numbers |= {key: value for key, value in section.items() if key != BUSHINGS}
    return {**({BUSHINGS: words} if words else {}), **numbers}
