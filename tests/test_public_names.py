"""Public names stay: what programs of users write is listed, and nothing of it vanishes without a warning."""

import inspect
import re
import warnings
from pathlib import Path
from typing import Any

import ce_dynamics as ce
from ce_dynamics.cli.options import SUBCOMMANDS

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "tests" / "data" / "public_names.txt"


def members(owner: Any) -> set[str]:
    """Return public names that a class defines or inherits from a class of the project."""
    own = [c for c in inspect.getmro(owner) if c.__module__.startswith("ce_dynamics")]
    names = {name for c in own for name in (*vars(c), *vars(c).get("__annotations__", ()))}
    return {name for name in names if not name.startswith("_")}


def offered() -> set[str]:
    """Return names of the package, members of its classes that the documentation uses, and commands."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    used = {word for page in pages for word in re.findall(r"\.([a-z]\w*)|\b(\w+)=", page.read_text("utf-8"))}
    words = {word for pair in used for word in pair}
    found = {f"command {name}" for name in SUBCOMMANDS}
    for name in ce.__all__:
        found.add(f"ce.{name}")
        value = getattr(ce, name)
        if inspect.isclass(value):
            found |= {f"ce.{name}.{member}" for member in members(value) & words}
    return found


def is_there(name: str) -> bool:
    """Return True if a name can be used, with a warning at most."""
    kind, _, rest = name.partition(" ")
    if kind == "command":
        return rest in SUBCOMMANDS
    _, first, *member = name.split(".")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        value = getattr(ce, first, None)
        return value is not None and (not member or member[0] in members(value) or hasattr(value, member[0]))


def test_listed_public_names_are_there() -> None:
    """A name may be taken off the list after a minor version in which it has warned."""
    listed = LIST.read_text().split("\n")[:-1]
    assert len(listed) > 200
    assert [name for name in listed if not is_there(name)] == []


def test_new_public_names_are_listed() -> None:
    """``python -m tests.test_public_names`` adds them."""
    assert offered() - set(LIST.read_text().split("\n")) == set()


def test_a_name_that_is_gone_is_noticed() -> None:
    assert all(map(is_there, ("ce.System.add_body", "command sweep")))
    assert not any(map(is_there, ("ce.Sistem", "ce.System.add_bdy", "command swep")))


if __name__ == "__main__":
    LIST.write_text("\n".join(sorted(offered() | set(LIST.read_text().split("\n")[:-1]))) + "\n")
