"""Roads as people write them: ``iso8608:C,seed=3 + mu:left=0.3,right=0.8``, ``track.crg``."""

from __future__ import annotations

import difflib
from typing import Any

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import Quantity
from ce_dynamics.models.parts.roads.composition import SumRoad
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.roads.friction import Friction
from ce_dynamics.models.parts.roads.kinds import FRICTIONS, ROADS, Word, filled
from ce_dynamics.models.parts.roads.map_files import FILE_WORDS, is_map_file, read_map
from ce_dynamics.models.parts.roads.planes import FlatRoad


def road(text: str, friction: float = 0.8) -> Road:
    """A road from its description.

    Parameters
    ----------
    text : str
        Terms joined by ``+``, each a name or a file, after a colon what is to be said of it:
        ``NAME:VALUE``, ``NAME:WORD=VALUE,WORD=VALUE``.  Heights are added up; friction is that of a file that
        has it, or of ``mu``, and ``patch`` lies over it.  Numbers are in SI or have units.
    friction : float
        Friction coefficient where nothing else is said.

    Raises
    ------
    DataError
        If a name, a word or a value is wrong, or a file is no road.

    Examples
    --------
    >>> rough = road("grade:0.05 + iso8608:C,seed=3")
    >>> round(rough.height(-10.0, 0.0), 12)
    -0.5
    """
    checks.instance("road", text, str, "a text such as bump:height=0.1", DataError)
    terms = [taken_apart(term.strip()) for term in text.split("+")]
    # what lies under patches first, wherever it is written
    frictions = sorted((term for term in terms if term[0] in FRICTIONS), key=lambda term: term[0] != "mu")
    roads = [made(name, given, friction) for name, given in terms if name not in FRICTIONS]
    whole = [name for name, _ in frictions if name == "mu"]
    whole += [part.title for part in roads if isinstance(part.given_friction, Friction)]
    if len(whole) > 1:
        raise DataError(
            f"road {checks.shown(text)}: the friction of all of it is said {len(whole)} times, by "
            f"{', '.join(whole)}; leave all but one out, or lay patches over it"
        )
    mu = next((part.given_friction for part in roads if isinstance(part.given_friction, Friction)), friction)
    for name, given in frictions:
        kind = FRICTIONS[name]
        mu = kind.make(mu, filled(name, kind.words, values(name, kind.words, given)))
    if not roads:
        return FlatRoad(mu)
    return roads[0].with_friction(mu) if len(roads) == 1 else SumRoad(mu, roads)


def taken_apart(term: str) -> tuple[str, dict[str, Any]]:
    """Name and what is said of it; what has no name of its own is under the empty one."""
    name, colon, rest = term.partition(":")
    if len(name) == 1 and name.isalpha() and rest[:1] in ("\\", "/"):  # a drive of Windows
        name, colon, rest = term[:2] + rest.partition(":")[0], *rest.partition(":")[1:]
    given: dict[str, Any] = {}
    if colon:
        for part in rest.split(","):
            word, equals, value = part.partition("=")
            key, said = (word.strip(), value.strip()) if equals else ("", word.strip())
            if not said or key in given or (equals and not key) or (given and not key):
                raise DataError(
                    f"road {term!r}: {part!r} is not of the form word=value, or said twice; "
                    "for example bump:height=0.1,length=2"
                )
            given[key] = said
    return name.strip(), given


def made(name: str, given: dict[str, Any], friction: float | Friction) -> Road:
    """One road of a description."""
    if is_map_file(name):
        return read_map(name, friction, **values(name, FILE_WORDS, given))
    if name not in ROADS:
        known = [*ROADS, *FRICTIONS]
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise DataError(
            f"no road {checks.shown(name)}{hint}; known are {', '.join(known)}, "
            "and files .crg, .npy, .npz, .tif"
        )
    kind = ROADS[name]
    return kind.make(friction, filled(name, kind.words, values(name, kind.words, given)))


def values(owner: str, words: tuple[Word, ...], given: dict[str, Any]) -> dict[str, Any]:
    """Return the given values in SI, by word; a value without a word belongs to the first word."""
    known = {word.name: word for word in words}
    result: dict[str, Any] = {}
    for key, text in given.items():
        if not key and not words:
            raise DataError(f"road {owner!r} takes nothing, got {text!r}")
        word = known.get(key or words[0].name)
        if word is None:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise DataError(
                f"road {owner!r}: unknown word {key!r}{hint}; known are {', '.join(known) or 'none'}"
            )
        if word.name in result:
            raise DataError(f"road {owner!r}: {word.name} is said twice")
        try:
            result[word.name] = Quantity(word.unit).parse(text) if word.unit else text
        except ValueError as error:
            raise DataError(f"road {owner!r}: {word.name}: {error}") from None
    return result
