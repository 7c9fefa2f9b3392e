"""Tables of results: for the terminal, for Markdown pages, for JSON."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Table:
    """A table and what is to be said below it; cells are text."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def terminal(self) -> str:
        lines = [self.head, *self.rows]
        widths = [max(len(line[k]) for line in lines) for k in range(len(self.head))]
        rule = tuple("-" * width for width in widths)
        aligned = [self._padded(line, widths) for line in (self.head, rule, *self.rows)]
        return "\n".join(["", self.title, "", *aligned, *(f"  {note}" for note in self.notes)])

    def _padded(self, line: Sequence[str], widths: Sequence[int]) -> str:
        cells = [
            cell.ljust(width) if k == 0 or self._is_text(k) else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        return "  ".join(cells).rstrip()

    def _is_text(self, column: int) -> bool:
        return any(" " in row[column] and not row[column][:1].isdigit() for row in self.rows)

    def markdown(self) -> str:
        lines = [f"**{self.title}**", "", row_of(self.head), row_of(["---"] * len(self.head))]
        lines += [row_of(row) for row in self.rows]
        for note in self.notes:
            lines += ["", note]
        return "\n".join(lines)


def row_of(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |"


@dataclass(frozen=True)
class Result:
    """Tables of a part of the suite, and the numbers behind them."""

    tables: tuple[Table, ...]
    data: dict[str, Any] = field(default_factory=dict)


def number(x: float, digits: int = 3) -> str:
    """Format a number with given significant digits, without an exponent where there is no need."""
    if x != x:
        return "–"
    text = f"{x:.{digits}g}"
    if "e" in text and 1e-3 <= abs(x) < 1e7:
        return f"{x:,.0f}"
    return f"{x:,.0f}" if abs(x) >= 10**digits else text


def written_into(page: Path, blocks: dict[str, str]) -> None:
    """Replace what stands between ``<!-- name -->`` and ``<!-- /name -->`` in a page."""
    text = page.read_text(encoding="utf-8")
    for name, content in blocks.items():
        start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        if start in text and end in text:
            before, _, rest = text.partition(start)
            text = before + start + content + "\n" + end + rest.partition(end)[2]
    page.write_text(text, encoding="utf-8")


@dataclass(frozen=True)
class Options:
    """Choices."""

    quick: bool = False  # just see that it runs: few repeats, small sizes
    native: bool = True  # compile the C++ driver of Pinocchio (minutes, the first time)

    @property
    def rounds(self) -> int:
        return 3 if self.quick else 150
