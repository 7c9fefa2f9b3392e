"""Engine, transmission and tyres of a vehicle: its file names none, programs put them together."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject
from ce_dynamics.models.vehicles.chrono.reading import Reading
from ce_dynamics.models.vehicles.chrono.transmissions import ENGINES, TRANSMISSIONS
from ce_dynamics.models.vehicles.chrono.tyres import TYRES

MOST_CANDIDATES = 2000
"""JSON files of a folder that are looked at."""


@dataclass(frozen=True)
class FileChoice:
    """Files that the user names; what is not named is looked for in the vehicle's folder.

    ``tyres`` are those of the axles in the order of the vehicle's file; the last one is that of all others.
    """

    engine: Path | None = None
    transmission: Path | None = None
    tyres: tuple[Path, ...] = ()
    trailer: Path | None = None

    def tyre(self, axle: int) -> Path | None:
        return self.tyres[min(axle, len(self.tyres) - 1)] if self.tyres else None


def find_companion(
    reading: Reading,
    what: str,
    chosen: Path | None,
    folder: Path,
    axle: str = "",
    kind: str | None = None,
) -> JsonObject:
    """Return the file of an engine, a transmission or a tyre.

    The user's; else the one of the vehicle's folder that comes first by template and then by name, of tyres
    one that is named after the axle before others, if a kind is given of this kind.  Choosing is noted.
    """
    templates = {"engine": ENGINES, "transmission": TRANSMISSIONS, "tyre": TYRES}[what]
    if chosen is not None:
        part = reading.open(chosen)
        if part.template not in templates:
            raise part.wrong_kind(
                f"{what} that can be read; known are {', '.join(templates)}",
            )
        return part
    if kind is not None:
        templates = {name: one for name, one in TYRES.items() if one[0] == kind}
    found = candidates(folder, templates)
    if not found:
        raise DataError(
            f"{reading.path.name}: it names no {what}, and no file in {folder.name} describes one that can "
            f"be read ({', '.join(templates)}); name one by --{what} FILE"
        )
    mine = [path for path in found if axle and axle in path.stem.lower()]
    others = [path for path in found if not {"front", "rear"} & set(ends_in_name(path))]
    path = (mine or others or found)[0]
    reading.note(f"{what} of {axle or 'the vehicle'}: the vehicle's file names none, {path.name} is taken")
    return reading.open(path)


def candidates(folder: Path, templates: Collection[str]) -> list[Path]:
    """Yield JSON files of a folder and its subfolders with one of some templates, in the order of these."""
    found: list[tuple[int, int, str, Path]] = []
    order = list(templates)
    for path in first_paths(sorted(folder.rglob("*.json"))):
        try:
            template = JsonObject.of(path).data.get("Template")
        except DataError:  # some other file
            continue
        if template in order:
            found.append((order.index(template), len(path.name), path.name, path))
    return [path for *_, path in sorted(found)]


def first_paths(paths: Iterable[Path]) -> Iterable[Path]:
    """Return the first so many."""
    for count, path in enumerate(paths):
        if count == MOST_CANDIDATES:
            return
        yield path


def ends_in_name(path: Path) -> list[str]:
    """Return the ends of the vehicle, front or rear, that are part of a file's name."""
    name = path.stem.lower()
    return [end for end in ("front", "rear") if end in name]


def own_folder(reading: Reading, chassis_path: Path) -> Path:
    """Return the folder of this vehicle: the first one on the way from the common folder to its chassis.

    Without a common folder it is that of the vehicle's file, or the one above, if the chassis is in there.
    """
    if reading.root is None:
        own = reading.path.parent
        return next((f for f in (own, own.parent) if f in chassis_path.parents), chassis_path.parent)
    return reading.root / chassis_path.relative_to(reading.root).parts[0]
