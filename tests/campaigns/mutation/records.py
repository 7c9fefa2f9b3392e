"""Records of earlier runs, and of equivalent mutants, which no test can tell from the source.

Both count for as long as the line that a mutant changes is unchanged.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.campaigns.mutation.mutants import Difference, Mutant, that_makes


@dataclass(frozen=True)
class Outcome:
    """Outcome of a mutant: ``killed_by`` names the test that failed, None if all passed."""

    mutant: Mutant
    killed_by: str | None
    seconds: float
    tests: int
    difference: Difference

    def line(self) -> str:
        told = asdict(self) | {"mutant": str(self.mutant), "difference": str(self.difference)}
        return json.dumps(told) + "\n"


def recorded(record: Path | None, checkout: Path) -> list[Outcome]:
    """The outcomes of a record that still count, the last of every mutant."""
    if record is None or not record.exists():
        return []
    lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    last: dict[tuple[str, str], dict[str, Any]] = {}
    for line in lines:
        source = line["mutant"].rpartition(":")[0]
        last[source, line["difference"]] = line
    found = (_still(line, Path(source), checkout) for (source, _), line in last.items())
    return [outcome for outcome in found if outcome is not None]


def _still(line: dict[str, Any], source: Path, checkout: Path) -> Outcome | None:
    before, _, after = line["difference"].partition("\n")
    wanted = Difference(before.removeprefix("- "), after.removeprefix("+ "))
    operator = line["mutant"].rpartition(":")[2].split()[1]
    mutant = that_makes(wanted, operator, source, checkout)
    if mutant is None:
        return None
    return Outcome(mutant, line["killed_by"], line["seconds"], line["tests"], wanted)


def equivalent() -> dict[tuple[str, str, str], str]:
    """Return why mutants compute the same, by source, line before and line after."""
    lines = map(json.loads, Path(__file__).with_name("equivalent.jsonl").read_text("utf-8").splitlines())
    return {(one["source"], one["before"], one["after"]): one["why"] for one in lines}


def stale(checkout: Path) -> list[str]:
    """Return the equivalent mutants whose line is another now: they are to be taken out."""
    return [
        f"{source}: {before}"
        for source, before, _ in equivalent()
        if before not in map(str.strip, (checkout / source).read_text("utf-8").splitlines())
    ]
