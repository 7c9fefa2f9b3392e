"""Work that commands share: options as texts, vehicles, folders and files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ce_dynamics import vehicles
from ce_dynamics.algebra import checks
from ce_dynamics.algebra.files import replace_on_success, shown_path
from ce_dynamics.cli.progress import Interruption
from ce_dynamics.errors import DataError

Writer = Callable[[Path], object]


def parse_options(texts: Sequence[str]) -> dict[str, str]:
    """Return options of texts ``name=value``; the last of equal names wins."""
    options = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise DataError(
                f"option {checks.show(text)} is not of the form name=value, for example radius='40 m'"
            )
        options[name.strip()] = value.strip()
    return options


def parse_variant(text: str) -> tuple[str, list[str]]:
    """Return title and overrides of a ``--variant``."""
    title, colon, changes = text.partition(":")
    given = [change.strip() for change in changes.split(";") if change.strip()]
    if not colon or not title.strip() or not given:
        raise DataError(
            f"--variant {text!r} is not of the form 'TITLE: PATH=VALUE; PATH=VALUE', for example "
            "'stiffer bar: front.anti_roll_bar.stiffness=2 kN*m/rad'"
        )
    return title.strip(), given


def load_all(
    names: Sequence[str] | None,
    overrides: Sequence[str] | None,
    variants: Sequence[str] | None,
    tyres: Sequence[str] | None,
    road: str | None = None,
) -> list[tuple[str | None, vehicles.Vehicle]]:
    """Return vehicles to be compared, the HMMWV if none is named, and variants of the first with titles."""
    found: list[tuple[str | None, vehicles.Vehicle]] = [
        (None, vehicles.load(name, overrides or (), tyres=tyres or (), road=road))
        for name in names or ("hmmwv",)
    ]
    for text in variants or ():
        title, changes = parse_variant(text)
        found.append((title, found[0][1].variant(changes)))
    return found


def make_folder(path: Path, option: str = "--output") -> None:
    """Make the folder for output files."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise DataError(f"{option} {shown_path(path)} must be a folder, and is none") from None
    except OSError as error:
        raise DataError(f"{option} {shown_path(path)} cannot be made: {error.strerror or error}") from None


def save(files: Iterable[tuple[Path, Writer]], interruption: Interruption | None = None) -> list[Path]:
    """Write files, each as a whole or not at all, until an interruption is requested; return their paths."""
    saved = []
    for path, write in files:
        if interruption is not None and interruption.requested:
            break
        with replace_on_success(path) as temporary:
            write(temporary)
        saved.append(path)
    return saved
