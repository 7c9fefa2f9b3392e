"""Data files of vehicles: shipped ones by name, files that build on others; errors that name them.

>>> with naming("v", "v.json", {"front": "strut.json"}):
...     raise DataError("front_left: the linkage cannot be assembled")
Traceback (most recent call last):
ce_dynamics.errors.DataError: v.json: front_left: the linkage cannot be assembled (front is of strut.json)
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from ce_dynamics.algebra import checks, files
from ce_dynamics.errors import AssemblyError, DataError, ModelError
from ce_dynamics.models.data.reading import OVERRIDE, Assignment, DataFile, FileEntry, Table, read_file
from ce_dynamics.models.data.schema import Groups
from ce_dynamics.models.vehicles.tree import shorten

HERE = Path(__file__).parent
FOLDERS = {
    "hmmwv": ("hmmwv", "hmmwv-automatic", "hmmwv-chrono", "hmmwv-hull", "hmmwv-assisted"),
    "sedan": ("sedan", "sedan-manual", "sedan-cvt", "sedan-electric", "sedan-column", "sedan-assisted"),
    "generic": ("hatchback", "off-roader", "formula-student", "truck", "van", "van-trailer"),
}
SHIPPED = {name: HERE / folder / f"{name}.yaml" for folder, names in FOLDERS.items() for name in names}
"""Vehicles by name."""
VARIANTS = {"ride": HERE / "hmmwv" / "ride.yaml"}
"""Files with just the numbers that differ from the HMMWV's, by name."""
RIDE = "ride"
"""Name of the HMMWV's ride model."""
MODELS = (*SHIPPED, RIDE)
"""Models by name; anything else is the path of a data file."""

TYRE_FILE = ("tyre", "file")
"""End of the keys that name tyre property files."""
BODY_FILES = (".glb", ".gltf")
"""Ends of the names of files that show a vehicle's body."""
MOST_FILES = 32
"""Most files that a vehicle's file may build on."""


def files_of(name: str | Path) -> list[DataFile]:
    """Return a vehicle's file (itself last) and its bases; the HMMWV too where none of them has axles."""
    found: list[DataFile] = []
    _gather(path_of_vehicle(name), (), found)
    return found if any(file.words_of("axles") for file in found) else [*files_of("hmmwv"), *found]


def data_file(path: Path) -> DataFile:
    """Return a file of any format that can be read, as a data file; by the end of its name, YAML else."""
    return shorten(FORMATS.get(path.suffix.lower(), read_file)(path))


def chrono_file(path: Path) -> DataFile:
    """Project Chrono's JSON."""
    # here, because few vehicles come from there
    from ce_dynamics.models.vehicles.chrono.reading import write_data_file
    from ce_dynamics.models.vehicles.chrono.vehicle import convert_vehicle

    made = convert_vehicle(path)
    return write_data_file(made.text, path.name)._replace(
        notes=made.notes, origins=tuple(made.origins.items())
    )


FORMATS: Mapping[str, Callable[[Path], DataFile]] = {".json": chrono_file}
"""Readers of formats other than our own, by the end of the file's name."""


def _gather(path: Path, above: tuple[Path, ...], found: list[DataFile]) -> None:
    resolved = Path(os.path.realpath(path))  # which links in a circle do not stop
    if resolved in above:
        raise DataError(f"{path.name}: builds on itself by way of {above[-1].name}; take one 'base' away")
    file = with_body(with_tyre_files(with_likes(data_file(path)), path.parent), path.parent)
    for base in bases(file):
        _gather(base_path(base, path), (*above, resolved), found)
    if len(found) == MOST_FILES:
        raise DataError(f"{path.name}: builds on more than {MOST_FILES} files")
    found.append(file)


def with_body(file: DataFile, folder: Path) -> DataFile:
    """Return the data file with the path of the shape of its body, which is looked for beside it."""
    if not file.body:
        return file
    path = folder / files.path_of(f"{file.label}: body", file.body)
    if not path.is_file() or path.suffix.lower() not in BODY_FILES:
        named = " or ".join(BODY_FILES)
        raise DataError(
            f"{file.label}: body: no file {checks.show(file.body)} beside it; name a {named} file"
        )
    return file._replace(body=str(path))


def with_likes(file: DataFile) -> DataFile:
    """Return the data file with what its axles take from others: ``rear: {like: front, driven: no}``.

    An axle takes the other's suspension with the numbers that this file gives under that axle's name, but
    for its anti-roll bar and its differential.  Words and numbers of its own change these.
    """
    own = ("anti_roll_bar", "differential")
    for (_, axle, *choice), entry in file.words_of("axles"):
        if choice != ["like"]:
            continue
        others = dict.fromkeys(key[1] for key, _ in file.words_of("axles") if key[1] != axle)
        entry.one_of(f"axles.{axle}.like", others)
        words = [
            Assignment((key[0], axle, *key[2:]), value)
            for key, value in file.words
            if key[1:2] == (entry.value,) and (key[0] in ("graphs", "bushings") or key[2:] == ("suspension",))
        ]
        numbers = [
            Assignment((axle, *key[1:]), value)
            for key, value in file.assignments
            if key[0] == entry.value and key[1:2] not in [(name,) for name in own]
        ]
        first = next(k for k, word in enumerate(file.words) if word.key[:2] == ("axles", axle))
        rest = [word for word in file.words[first:] if word.key != ("axles", axle, "like")]
        file = file._replace(entries=[*file.words[:first], *words, *rest, *numbers, *file.assignments])
    return file


def with_tyre_files(file: DataFile, folder: Path) -> DataFile:
    """Return the data file with the numbers of the tyre property files that it names.

    ``tyre: {file: car.tir}``, of all wheels, an axle or a corner, stands for the coefficients of the file,
    which is looked for beside the data file.  Numbers beside ``file`` change those of the file.
    """
    named = [one for one in file.assignments if one.key[-2:] == TYRE_FILE]
    if not named:
        return file
    # here, because few files name any
    from ce_dynamics.models.vehicles.fitted_tyres import measurement_friction, read_tyre
    from ce_dynamics.models.vehicles.magic_formula_data import report_on, written_values
    from ce_dynamics.models.vehicles.tyre_kinds import MAGIC_FORMULA

    for (_, kind, *_), entry in file.words_of("kinds"):
        if kind == "tyre" and entry.value != MAGIC_FORMULA:
            raise DataError(
                f"{entry.where}: tyre.kind: {checks.show(entry.value)} does not go with "
                f"{'.'.join(named[0].key)}, which makes it {MAGIC_FORMULA}; leave it out"
            )
    numbers: list[Assignment] = []
    reports: dict[str, None] = {}
    frictions: dict[str, float] = {}
    for key, entry in named:
        owner = f"{entry.where}: {'.'.join(key)}"
        if not isinstance(entry.value, str):
            raise DataError(f"{owner}: expected the name of a property file, for example car.tir")
        path = folder / files.path_of(owner, entry.value)
        if not path.is_file():
            raise DataError(f"{owner}: no file {checks.show(entry.value)} beside it; name a .tir file")
        try:
            tyre = read_tyre(str(path))
        except DataError as error:
            raise DataError(f"{owner}: {error}") from None
        for name, (value, unit) in written_values(tyre).items():
            numbers.append(
                Assignment(
                    (*key[:-1], name), FileEntry(f"{value!r} {unit}".rstrip(), entry.source, entry.where)
                )
            )
        reports |= dict.fromkeys(f"tyre {line}" for line in report_on(tyre).splitlines())
        if all(one.key != (*key[:-1], "mu0") for one in file.assignments):
            frictions[tyre.name] = measurement_friction(tyre)
    if frictions:
        # of different tyres that with the most grip reaches the road's coefficient: they keep their ratios
        most = max(frictions.values())
        keys = [(*key[:-1], "mu0") for key, _ in named]
        if TYRE_FILE in (key for key, _ in named):
            keys.insert(0, ("road", "friction"))
        numbers += [Assignment(key, FileEntry(repr(most), *_place(named[0][1]))) for key in keys]
        reports |= {
            f"tyre {name}: as its file has it on a road of friction {most:.4g} (tyre.mu0)": None
            for name in frictions
        }
    return file._replace(
        entries=[
            *file.words,
            Assignment(("kinds", "tyre"), FileEntry(MAGIC_FORMULA, *_place(named[0].entry))),
            *numbers,
            *(one for one in file.assignments if one not in named),
        ],
        notes=(*file.notes, *reports),
        whole=tuple(key[:-1] for key, _ in named),
    )


def _place(entry: FileEntry) -> tuple[str, str]:
    return entry.source, entry.where


def bases(file: DataFile) -> list[FileEntry]:
    """Return the bases that a file names, one or several; later ones override earlier ones."""
    entries: list[FileEntry] = []
    for _, *rest in (word.key for word in file.words_of("base")):
        if rest:
            raise DataError(f"{file.label}: base: expected the name of a file or a list of these")
    for word in file.words_of("base"):
        values = word.entry.value if isinstance(word.entry.value, list) else [word.entry.value]
        for value in values:
            if not isinstance(value, str):
                raise DataError(f"{word.entry.where}: base: expected the name of a file or a list of these")
            entries.append(FileEntry(value, word.entry.source, word.entry.where))
    return entries


def base_path(base: FileEntry, by: Path) -> Path:
    """Return a shipped vehicle, or a file beside the one that names it."""
    name = str(base.value)
    if name in SHIPPED:
        return SHIPPED[name]
    path = by.parent / files.path_of(f"{base.where}: base", name)
    if not path.is_file():
        shown, hint = checks.show(name), checks.suggest_name(name, SHIPPED)
        raise DataError(
            f"{base.where}: base: no file {shown} beside it, and no vehicle {shown} is shipped{hint}"
        )
    return path


def path_of_vehicle(name: str | Path) -> Path:
    """Return the file of a shipped vehicle, or the file itself."""
    if str(name) in SHIPPED:
        return SHIPPED[str(name)]
    path = files.path_of("vehicle", name)
    try:
        there = path.exists()
    except OSError:  # no file can have this name
        there = False
    if there:
        return path
    known = f"give {', '.join(MODELS)} or an existing data file"
    raise DataError(
        f"no vehicle {checks.show(str(name))}{checks.suggest_name(str(name), MODELS) or ';'} {known}"
    )


def example_of(key: tuple[str, ...], groups: Groups, replaced: Table) -> str | None:
    """Return the value that an override replaced, or that of a shipped file, whose corners share theirs."""
    if key in replaced and isinstance(replaced[key].value, str):
        return str(replaced[key].value)
    known = _shipped_values()
    of_axle = key[0] in groups.members or key[0] in groups.groups
    return known.get(key) or (known.get(key[1:]) if of_axle else None)


@functools.cache
def _shipped_values() -> dict[tuple[str, ...], str]:
    """Return values of all shipped files as they are written, those of axles without their names too."""
    files = [data_file(path) for path in SHIPPED.values()]
    axles = {word.key[1] for file in files for word in file.words_of("axles")}
    places = axles.union(f"{axle}_{side}" for axle in axles for side in ("left", "right"))
    found: dict[tuple[str, ...], str] = {}
    for key, entry in (assignment for file in files for assignment in file.assignments):
        if isinstance(entry.value, str):
            found.setdefault(key, entry.value)
            if key[0] in places:
                found.setdefault(key[1:], entry.value)
    return found


def describes_a_vehicle(file: DataFile) -> bool:
    """Return True if a file stands on its own or names its base; else it holds overrides only."""
    return any(word.key[0] in ("base", "axles") for word in file.words)


def variant_path(variant: str | Path) -> Path:
    """Return the file of a variant given by name or path."""
    if str(variant) in VARIANTS:
        return VARIANTS[str(variant)]
    path = files.path_of("variant", variant)
    if path.exists():
        return path
    raise DataError(
        f"unknown variant '{variant}'; give one of {', '.join(VARIANTS)}, or an existing YAML file"
    )


KEY = re.compile(r"\b[a-z]\w*(?:\.\w+)+|\b[a-z]\w*_(?:left|right)\b|^[a-z]\w*(?=:)")
"""Keys and names of corners in a message."""


@contextmanager
def name_errors(name: str, shown: str, origins: Mapping[str, str]) -> Iterator[None]:
    """Put a vehicle as it is ``shown`` before errors of its data, assembly or equilibrium.

    Messages that begin with its ``name``, a line of a file or the wrong override need no further name.
    ``origins`` are names of files by sections that come from them.
    """
    try:
        yield
    except (DataError, ModelError, AssemblyError) as error:
        message, files = str(error), name_files(str(error), origins)
        named = re.match(rf"{re.escape(name)}[.:,]|{OVERRIDE}:|\S+:\d+:", message)
        before = "" if named else f"{shown}: "
        error.args = (before + message.removesuffix(files) + files,)
        raise


def name_files(message: str, origins: Mapping[str, str]) -> str:
    """Return the files of the sections in a message, in parentheses; empty without any."""
    found = {section: origins[section] for section in sections(message, origins)}
    listed = ", ".join(f"{section} is of {file}" for section, file in found.items())
    return f" ({listed})" if listed else ""


def sections(message: str, origins: Mapping[str, str]) -> Iterator[str]:
    """Yield the closest section that each key of a message lies in."""
    for key in KEY.findall(message):
        first, *rest = key.split(".")
        words = [re.sub("_(left|right)$", "", first), *rest]
        heads = (".".join(words[:count]) for count in range(len(words), 0, -1))
        yield from islice((head for head in heads if head in origins), 1)
