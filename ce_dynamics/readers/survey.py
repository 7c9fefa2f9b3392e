"""Surveys a file for parts that are read, skipped because they do not affect motion, or refused.

A grammar lists the known parts.  All other parts are refused by name, so that none is silently ignored.
"""

from __future__ import annotations

import difflib
import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError, ModelError
from ce_dynamics.mechanism.system import System
from ce_dynamics.readers.xml_file import Element

logger = logging.getLogger(__name__)

LONGEST_LIST = 8
NAMES = ("name", "class", "childclass", "model", "link", "joint", "body", "site", "file")
"""Attributes that hold names, which may be any word."""
WORDS = ("type", "independent", "angle", "eulerseq", "active", "limited")
"""Attributes that hold one of some words."""
NEVER_EMPTY = ("anchor", "relpose", "polycoef")
"""Attributes that MuJoCo does not refuse by name where they are empty."""


@dataclass(frozen=True)
class Rule:
    """Attributes and children that an element may have."""

    # Attributes that are read; None where any is (another parser has checked them)
    attributes: frozenset[str] | None = frozenset()
    children: str = "nothing"  # Name of the context that lists the child elements
    settings: frozenset[str] = frozenset()  # Attributes that are not read because they do not move anything


LOOKS = Rule(None, "anything")
"""An element that does not move anything; skipped with all it contains."""
NOTED = Rule(None, "noted")
"""An element that acts only with an option: skipped, with one note."""
EVERYTHING = "all"
"""In ``ignore``: whatever would be refused."""

OTHER_KINDS = (
    "damping",
    "equality tendon",
    "friction",
    "limit@lower, limit@upper",
    "link gravity",
    "mimic",
    "stiffness",
)
"""Kinds of findings that are no words of a file."""

Grammar = Mapping[str, Mapping[str, Rule]]
"""Rules by context and tag."""


@dataclass(frozen=True)
class Finding:
    """Something in the file that is not read."""

    kind: str  # Tag, or ``tag@attribute``: name by which callers leave it out
    where: str  # File and line
    harmless: bool = False  # It has no effect on the motion
    noted: bool = False  # It is left out without being refused
    name: str = ""  # Of the element; empty if it has none

    def is_ignored(self, ignore: Collection[str]) -> bool:
        """Return True if the caller named its kind or the element, or everything."""
        return EVERYTHING in ignore or self.kind in ignore or (self.name != "" and self.name in ignore)


def make_rule(*attributes: str, children: str = "nothing", settings: Collection[str] = ()) -> Rule:
    """Return a rule with the given attributes."""
    return Rule(frozenset(attributes), children, frozenset(settings))


def check_names(what: str, given: object) -> None:
    """Reject arguments that are not lists or sets of names, such as a single text."""
    if isinstance(given, str):
        shown = checks.show(given)
        raise ModelError(f"{what} {shown} must be a set of names: {what.rpartition(' ')[2]}={{{shown}}}")
    checks.texts(what, given)


def check_ignored(
    file: str,
    ignore: Collection[str],
    root: Element,
    findings: Iterable[Finding],
    grammar: Grammar,
    included: Callable[[Element], Iterable[Element]] | None = None,
    more: Collection[str] = (),
) -> None:
    """Reject names to leave out that are neither in the file nor in its format or ``more``."""
    names = [name for name in ignore if name not in (EVERYTHING, *OTHER_KINDS, *more)]
    if not names:
        return
    known = {word for finding in findings for word in (finding.kind, finding.name)}
    known |= {*words_of(grammar), *words_in([root], included)}
    open_tags = {tag for rules in grammar.values() for tag, rule in rules.items() if rule.attributes is None}
    for name in names:
        if name not in known and name.partition("@")[0] not in (open_tags if "@" in name else ()):
            meant = checks.suggest_name(name, sorted(known), cutoff=0.6)
            raise DataError(
                f"{file}: ignore={{{checks.show(name)}}}: nothing there is called so, and it is no kind of "
                f"element or attribute of the format{meant}"
            )


def words_of(grammar: Grammar) -> Iterator[str]:
    """Yield the tags of a format, and its attributes with their tags."""
    for rules in grammar.values():
        for tag, rule in rules.items():
            yield tag
            yield from (f"{tag}@{name}" for name in (*(rule.attributes or ()), *rule.settings))


def words_in(
    elements: Iterable[Element], included: Callable[[Element], Iterable[Element]] | None
) -> Iterator[str]:
    """Yield tags, attributes with their tags and names of some elements and of what they contain."""
    for element in elements:
        yield element.tag
        for name, value in element.attributes.items():
            yield f"{element.tag}@{name}"
            if name == "name":
                yield value
        follow = included is not None and element.tag == "include"
        yield from words_in(included(element) if follow and included else element, included)


def survey(
    elements: Iterable[Element],
    grammar: Grammar,
    context: str = "file",
    included: Callable[[Element], Iterable[Element]] | None = None,
) -> Iterator[Finding]:
    """Yield findings for the parts of elements, and of their descendants, that are not read.

    ``included`` returns the elements of the file that ``<include>`` names, if the format has it.
    """
    for element in elements:
        refuse_nan(element)
        if included is not None and element.tag == "include":
            yield from survey(included(element), grammar, context, included)
            continue
        rule = grammar[context].get(element.tag)
        if rule is None or rule is LOOKS or rule is NOTED:
            name = element.attributes.get("name", "")
            yield Finding(element.tag, locate(element), rule is LOOKS, rule is NOTED, name)
            continue
        yield from unread_attributes(element, rule)
        yield from survey(element, grammar, rule.children, included)


def refuse_nan(element: Element) -> None:
    """Refuse NaN, which parsers take for a value that is not given, and infinite states of keyframes."""
    for name, value in element.attributes.items():
        words = [word.lstrip("+-") for word in value.lower().split()]
        wrong = "nan" in words or (element.tag == "key" and {"inf", "infinity"} & set(words))
        if wrong and not name.startswith(NAMES) and name not in WORDS:
            raise element.error(f"{name}={checks.show(value)} must be finite")
        if name in NEVER_EMPTY and not words:
            raise element.error(f"{name} is empty; give its numbers, or leave it out")


def unread_attributes(element: Element, rule: Rule) -> Iterator[Finding]:
    """Yield attributes that are not read."""
    if rule.attributes is not None:
        for name in element.attributes:
            if name not in rule.attributes:
                near = difflib.get_close_matches(name, sorted(rule.attributes), n=1)
                meant = f", perhaps for {near[0]!r}" if near and name not in rule.settings else ""
                kind, owner = f"{element.tag}@{name}", element.attributes.get("name", "")
                yield Finding(kind, locate(element) + meant, name in rule.settings, name=owner)


def locate(element: Element) -> str:
    """Return the line and name of an element, and its file if it is an included one."""
    named = element.attributes.get("name")
    file = f"{element.path.name} " if element.included else ""
    line = f"{file}line {element.line}"
    return line if named is None else f"{line} ({checks.show(named)})"


def refuse(file: str, findings: Iterable[Finding], ignore: Collection[str]) -> list[str]:
    """Reject elements that cannot be represented and are not ignored; add notes on the others.

    ``ignore`` names kinds, or elements, or `EVERYTHING`.
    """
    refused, notes = [], []
    found = sorted(findings, key=lambda finding: finding.kind)
    for kind, group in groupby(found, key=lambda finding: finding.kind):
        members = list(group)
        places = [member.where for member in members]
        wrong = [m.where for m in members if not (m.harmless or m.noted or m.is_ignored(ignore))]
        if all(member.harmless for member in members):
            notes.append(f"{file}: {kind}: skipped, it does not move anything: {format_places(places)}")
        elif wrong:
            short = kind if len(kind) <= checks.LONGEST else f"{kind[: checks.LONGEST]}…"
            refused.append((short, format_places(wrong)))
        elif any(not (m.harmless or m.noted) for m in members):
            notes.append(f"{file}: {kind}: left out as asked: {format_places(places)}")
        else:
            notes.append(f"{file}: {kind}: not acted on: {format_places(places)}")
    if refused:
        details = "".join(f"\n  {kind}: {places}" for kind, places in refused)
        names = ", ".join(repr(kind) for kind, _ in refused)
        raise DataError(
            f"{file} contains what cannot be represented:{details}\n"
            f"take it out of the file, or leave it out of the model with ignore={{{names}}}; "
            f"ignore={{{EVERYTHING!r}}} leaves out all that is not known, and notes it"
        )
    return notes


def format_places(places: list[str]) -> str:
    """Return places for a message, the first few of many."""
    different = list(dict.fromkeys(places))
    shown = "; ".join(different[:LONGEST_LIST])
    return shown if len(different) <= LONGEST_LIST else f"{shown}; and {len(different) - LONGEST_LIST} more"


def annotate(system: System, notes: Iterable[str]) -> None:
    """Keep notes with the system, and log them."""
    for note in notes:
        system.notes.append(note)
        logger.info("%s", note)
