"""Cases of bad input, and the rules for their ends."""

import faulthandler
import resource
import shutil
import signal
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, TypeAlias

from ce_dynamics.errors import CeDynamicsError

LONGEST_MESSAGE = 1500
"""Characters: what lists all names of a vehicle is long, a page is not an answer."""


class End(str, Enum):
    REFUSED = "refused by name"
    WARNED = "accepted with a warning"
    ALLOWED = "accepted, as it may be"
    SILENT = "accepted in silence"
    NAMELESS = "refused without the name"
    FOREIGN = "foreign exception"
    HANG = "hang"
    MEMORY = "memory"


FINE = (End.REFUSED, End.WARNED, End.ALLOWED)


@dataclass(frozen=True)
class Case:
    """One bad input."""

    name: str  # what is handed in, for people
    run: Callable[[], Any]  # hands it in
    says: tuple[str, ...] = ()  # what the message must contain: the name of the argument, the key of the file
    may: bool = False  # whether it may also be accepted: what is generated at random is sometimes right


def in_folder(run: Callable[[Path], Any]) -> Any:
    """Call a function with an empty folder that is taken away again."""
    folder = Path(tempfile.mkdtemp(prefix="bad-input-"))
    try:
        return run(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


Content: TypeAlias = "str | bytes | Callable[[], str | bytes]"
"""Content of a file, or a function that makes a large one."""


def reading(read: Callable[..., Any], content: Content, suffix: str, **given: Any) -> Callable[[], Any]:
    """Return a call that reads a file with some content."""

    def run(folder: Path) -> Any:
        made = content() if callable(content) else content
        path = folder / f"file{suffix}"
        path.write_bytes(made.encode("utf-8", "surrogateescape") if isinstance(made, str) else made)
        return read(path, **given)

    return lambda: in_folder(run)


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
    wanting = [word for word in case.says if word not in message]
    if wanting or not message or "Traceback" in message or len(message) > LONGEST_MESSAGE:
        return End.NAMELESS, f"{wanting} not in: {' '.join(message.split())[:400]}"
    return End.REFUSED, message


def spread(cases: Sequence[Case], number: int | None) -> list[Case]:
    """Return a number of cases, evenly from all; all of them if None."""
    if number is None or number >= len(cases):
        return list(cases)
    return [cases[(k * len(cases)) // number] for k in range(number)]


SECONDS, WALL_SECONDS, BYTES, GRACE = 10, 300, 2**30, 60
"""Limits of a case: processor time and wall time [s], memory, wall time beyond which its process ends [s]."""


class TooLongError(BaseException):
    """Nobody may catch it as an error of a case."""


def judged_within_limits(case: Case) -> tuple[End, str]:
    """Judge a case within its limits; a process that sees no signal in compiled code ends itself."""

    def stop(number: int, frame: object) -> None:
        raise TooLongError

    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, stop)
    before = resource.getrlimit(resource.RLIMIT_AS)
    taken = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.setitimer(signal.ITIMER_REAL, WALL_SECONDS)
    faulthandler.dump_traceback_later(WALL_SECONDS + GRACE, exit=True)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (taken + BYTES, before[1]))
        return judged(case)
    except TooLongError:
        return End.HANG, f"more than {SECONDS} s"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()
        resource.setrlimit(resource.RLIMIT_AS, before)
