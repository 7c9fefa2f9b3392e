"""Limits the copies that ``<replicate>`` makes of bodies, as MuJoCo makes all of them at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ce_dynamics.algebra import checks
from ce_dynamics.readers.xml_file import Element

MOST_COPIES = 10_000
"""Largest number of copies of one element, by all nested ``<replicate>`` elements together."""
MOST_FILES = 100
"""Largest number of files that a file may include."""


def check_copies(
    elements: Iterable[Element], included: Callable[[Element], Iterable[Element]], copies: int = 1
) -> None:
    """Refuse replicates, alone or within one another, that make more than `MOST_COPIES`.

    Raises
    ------
    DataError
        Naming file and line.
    """
    for element in elements:
        if element.tag == "include":
            check_copies(included(element), included, copies)
            continue
        refuse_devices(element)
        own = copies
        if element.tag == "replicate":
            given = element.text("count").strip()
            if not given.isdecimal() or not 0 < len(given) < 19 or int(given) < 1:
                raise element.error(f"count={checks.show(given)} must be an integer of at least 1")
            own = copies * int(given)
            if own > MOST_COPIES:
                raise element.error(f"count={given} makes {own:,} copies, {MOST_COPIES:,} are allowed")
        check_copies(element, included, own)


def refuse_devices(element: Element) -> None:
    """Refuse files of an element (meshes, textures, models) that are folders, pipes or devices.

    MuJoCo reads them itself, and would never come to the end of some.
    """
    name = element.attributes.get("file", "")
    path = element.path.parent / name
    if name and "\0" not in name and path.exists() and not path.is_file():
        raise element.error(f"file={checks.show(name)} must be a file, and is a folder, a pipe or a device")
