"""What a case of bad input is, and how its end is judged."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ce_dynamics.errors import CeDynamicsError

LONGEST_MESSAGE = 1500
"""Characters: what lists all names of a vehicle is long, a page is not an answer."""


class End(str, Enum):
    """How a case may end."""

    REFUSED = "refused by name"
    WARNED = "accepted with a warning"
    ALLOWED = "accepted, as it may be"
    SILENT = "accepted in silence"
    NAMELESS = "refused without the name"
    FOREIGN = "foreign exception"
    HANG = "hang"
    MEMORY = "memory"
    DIED = "process died"


FINE = (End.REFUSED, End.WARNED, End.ALLOWED)


@dataclass(frozen=True)
class Case:
    """One bad input.

    Attributes
    ----------
    name : str
        What is handed in, for people.
    run : callable
        Hands it in.
    says : tuple of str
        What the message must contain: the name of the argument, the key of the file.
    may : bool
        Whether it may also be accepted: what is generated at random is sometimes right.
    """

    name: str
    run: Callable[[], Any]
    says: tuple[str, ...] = ()
    may: bool = False


def judged(case: Case) -> tuple[End, str]:
    """Run a case in this process; how it ended, and what was said."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            case.run()
        except CeDynamicsError as error:
            return of_message(case, str(error))
        except MemoryError as error:
            return End.MEMORY, repr(error)
        except Exception as error:
            return End.FOREIGN, f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
    own = [str(w.message) for w in said if issubclass(w.category, UserWarning)]
    if own:
        return End.WARNED, own[0]
    return (End.ALLOWED if case.may else End.SILENT), ""


def of_message(case: Case, message: str) -> tuple[End, str]:
    """Whether a refusal says what it must."""
    wanting = [word for word in case.says if word not in message]
    if wanting or not message or "Traceback" in message or len(message) > LONGEST_MESSAGE:
        return End.NAMELESS, f"{wanting} not in: {' '.join(message.split())[:400]}"
    return End.REFUSED, message


def spread(cases: Sequence[Case], number: int | None) -> list[Case]:
    """So many cases, evenly from all; all of them if None."""
    if number is None or number >= len(cases):
        return list(cases)
    return [cases[(k * len(cases)) // number] for k in range(number)]
