"""HTML by small functions; every text is escaped here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path


def element(tag: str, *content: str, **attributes: str) -> str:
    """Return an element with content that is HTML already; ``class_`` stands for the attribute ``class``."""
    given = "".join(
        f' {name.rstrip("_")}="{escape(value, quote=True)}"' for name, value in attributes.items()
    )
    return f"<{tag}{given}>{''.join(content)}</{tag}>"


def text(tag: str, content: str, **attributes: str) -> str:
    """Return an element with plain text."""
    return element(tag, escape(content), **attributes)


def table(head: Iterable[str], rows: Iterable[Iterable[str]], **attributes: str) -> str:
    """Return a table whose first row and first column are headings; cells are HTML already.

    Where it is wider than the page, it scrolls by itself.
    """
    top = element("tr", *(element("th", cell, scope="col") for cell in head))
    body = []
    for row in rows:
        first, *others = row
        body.append(
            element("tr", element("th", first, scope="row"), *(element("td", cell) for cell in others))
        )
    whole = element("table", element("thead", top), element("tbody", *body), **attributes)
    return element("div", whole, class_="scroll")


def items(texts: Iterable[str], **attributes: str) -> str:
    """Return a list of plain texts."""
    return element("ul", *(text("li", each) for each in texts), **attributes)


def key(colours: Mapping[str, str]) -> str:
    """Return the key of the colours of several names; empty for a single name."""
    if len(colours) < 2:
        return ""
    marks = [
        element("span", element("i", style=f"background: {colour}"), escape(name), class_="key")
        for name, colour in colours.items()
    ]
    return element("p", *marks)


def number(value: float) -> str:
    """Format a number with three or four digits and a real minus; a dash where there is none."""
    if value != value or value in (float("inf"), float("-inf")):
        return "–"
    shown = f"{value:.0f}" if abs(value) >= 1e4 else f"{value:.4g}"
    if "e" in shown and abs(value) < 1e-6:
        shown = "0"
    return shown.replace("-", "−")


def unit(name: str) -> str:
    """Return a unit in readable form; empty for plain numbers."""
    if name == "1":
        return ""
    return (
        name.replace("^2", "²").replace("^3", "³").replace("*", " ").replace("deg", "°").replace("°/g", "°/g")
    )


STYLE = Path(__file__).with_name("report.css")


def document(title: str, *content: str) -> str:
    """Return a whole page that needs nothing else."""
    head = element(
        "head",
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
        text("title", title),
        element("style", STYLE.read_text("utf-8")),
    )
    return "<!DOCTYPE html>\n" + element("html", head, element("body", *content), lang="en") + "\n"
