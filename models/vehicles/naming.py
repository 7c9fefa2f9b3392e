"""Errors of a vehicle name it, and the files of other formats that the sections they speak of come from.

>>> with naming("v", "v.json", {"front": "strut.json"}):
...     raise DataError("front_left: the linkage cannot be assembled")
Traceback (most recent call last):
ce_dynamics.errors.DataError: v.json: front_left: the linkage cannot be assembled (front is of strut.json)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice

from ce_dynamics.errors import AssemblyError, DataError, ModelError
from ce_dynamics.models.data.entries import OVERRIDE

KEY = re.compile(r"\b[a-z]\w*(?:\.\w+)+|\b[a-z]\w*_(?:left|right)\b|^[a-z]\w*(?=:)")
"""What in a message is a key, or a corner's name."""


@contextmanager
def naming(name: str, shown: str, origins: Mapping[str, str]) -> Iterator[None]:
    """Put a vehicle before what its data, assembly or equilibrium are refused for.

    Parameters
    ----------
    name : str
        Of the vehicle.  Messages that begin with it, with a line of a file or with the override that is
        wrong say already what is meant.
    shown : str
        What is put before others.
    origins : mapping of str
        Names of files by sections that come from them.
    """
    try:
        yield
    except (DataError, ModelError, AssemblyError) as error:
        message, files = str(error), from_files(str(error), origins)
        told = re.match(rf"{re.escape(name)}[.:,]|{OVERRIDE}:|\S+:\d+:", message)
        before = "" if told else f"{shown}: "
        error.args = (before + message.removesuffix(files) + files,)
        raise


def from_files(message: str, origins: Mapping[str, str]) -> str:
    """Return the files of the sections in a message, in parentheses; empty without any."""
    found = {section: origins[section] for section in sections(message, origins)}
    told = ", ".join(f"{section} is of {file}" for section, file in found.items())
    return f" ({told})" if told else ""


def sections(message: str, origins: Mapping[str, str]) -> Iterator[str]:
    """The closest section that each key of a message lies in."""
    for key in KEY.findall(message):
        first, *rest = key.split(".")
        words = [re.sub("_(left|right)$", "", first), *rest]
        heads = (".".join(words[:count]) for count in range(len(words), 0, -1))
        yield from islice((head for head in heads if head in origins), 1)
