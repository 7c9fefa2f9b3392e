"""Values that are wrong, by what is asked for."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np


class Thing:
    """An object that knows nothing."""


def ragged() -> Any:
    """A list of lists that make no array."""
    return [[1.0, 2.0], [3.0]]


HUGE = 10**400
DIGITS = 10**6000  # more digits than Python prints

NO_NUMBER: dict[str, Any] = {
    "text": "1.0", "bytes": b"1", "nothing": None, "true": True, "list": [1.0],
    "array": np.array([1.0, 2.0]), "mapping": {"a": 1.0}, "complex": 1j, "function": lambda: 1.0,
    "class": float, "thing": Thing(), "huge integer": HUGE, "unprintable integer": DIGITS, "nan": math.nan,
    "NumPy nan": np.float32("nan"), "decimal nan": Decimal("nan"), "infinity": math.inf, "text nan": "nan",
    "NumPy text": np.str_("1.0"), "NumPy true": np.True_, "decimal": Decimal("0.5"),
    "exact fraction": Fraction(1, 2), "array of text": np.array("1.0"),
    "masked": np.ma.masked_array(1.0, mask=True),
}  # fmt: skip
NO_POSITIVE = {**NO_NUMBER, "zero": 0.0, "negative": -1.0, "minus infinity": -math.inf}
NO_NOT_NEGATIVE = {**NO_NUMBER, "negative": -1.0, "minus infinity": -math.inf}
NO_FRACTION = {**NO_NOT_NEGATIVE, "above one": 1.5}
NO_SECONDS = {**NO_POSITIVE, "shortest": 5e-324, "longest": 1e308}
NO_INTEGER = {
    **{key: NO_NUMBER[key] for key in NO_NUMBER if key != "true"}, "fraction": 1.5, "float": 1.0,
    "negative": -1, "true": True,
}  # fmt: skip
NO_VECTOR: dict[str, Any] = {
    "number": 1.0, "text": "xyz", "bytes": b"xyz", "nothing": (None, None, None), "two": (1.0, 2.0),
    "four": (1.0, 2.0, 3.0, 4.0), "empty": (), "nan": (0.0, math.nan, 1.0),
    "infinity": (0.0, math.inf, 1.0), "ragged": ragged(), "texts": ("1", "2", "3"),
    "one text": (1.0, 2.0, "3"), "one bytes": (1.0, 2.0, b"3"), "complex": (1.0, 2.0, 3j),
    "huge": (1.0, 2.0, HUGE), "matrix": np.eye(3), "column": np.ones((3, 1)),
    "mapping": {0: 1.0, 1: 2.0, 2: 3.0}, "set": {1.0, 2.0, 3.0}, "things": (Thing(), Thing(), Thing()),
    "thing": Thing(), "booleans": np.array([True, False, True]),
    "masked": np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False]),
    "dates": np.array(["2020-01-01"] * 3, dtype="datetime64[D]"),
}  # fmt: skip
NO_DIRECTION = {**NO_VECTOR, "zero": (0.0, 0.0, 0.0)}
NO_TEXT: dict[str, Any] = {
    "nothing": None, "number": 1, "empty": "", "bytes": b"name", "list": ["name"], "mapping": {},
    "nan": math.nan, "thing": Thing(), "class": str,
}  # fmt: skip
NO_UNIT = {name: value for name, value in NO_TEXT.items() if name != "empty"}
"""The empty unit is that of numbers without dimension."""
NO_WORD = {**NO_TEXT, "unknown": "no such word", "wrong case": "XxX"}
NO_FLAG: dict[str, Any] = {"text": "yes", "one": 1, "nothing": None, "list": [], "nan": math.nan}
NO_OBJECT: dict[str, Any] = {
    "nothing": None, "text": "Revolute", "bytes": b"x", "number": 1.0, "function": lambda *given: 0.0,
    "class": Thing, "thing": Thing(), "list": [], "mapping": {}, "nan": math.nan,
}  # fmt: skip
NO_FUNCTION = {key: NO_OBJECT[key] for key in NO_OBJECT if key != "function"}
NO_MAPPING: dict[str, Any] = {
    "zero": 0, "empty list": [], "text": "torque", "number": 1.0, "list": ["torque"], "thing": Thing(),
    "function": lambda t, sensors: {}, "unknown name": {"no such name": 1.0}, "number as name": {1: 1.0},
    "nothing as value": {"torque": None}, "text as value": {"torque": "1.0"},
    "nan as value": {"torque": math.nan}, "list as value": {"torque": [1.0, 2.0]},
}  # fmt: skip
NO_NAMES: dict[str, Any] = {
    "number": 1, "numbers": [1, 2], "unknown": ["no such name"], "thing": Thing(), "nan": [math.nan],
}  # fmt: skip


def no_state(n: int) -> dict[str, Any]:
    """Vectors that are no state of n numbers."""
    good = np.zeros(n)
    bad: dict[str, Any] = {
        "one more": np.zeros(n + 1), "empty" if n > 1 else "three": np.zeros(0 if n > 1 else 3),
        "twice": np.zeros(2 * n + 1), "matrix": np.zeros((n, n + 1)), "text": "state", "bytes": b"0" * n,
        "thing": Thing(), "mapping": {"q": 0.0}, "ragged": ragged(), "number": 0.0,
    }  # fmt: skip
    if n:
        bad["one less"] = np.zeros(n - 1)
        for name, value in (("nan", math.nan), ("infinity", math.inf)):
            wrong = good.copy()
            wrong[-1] = value
            bad[name] = wrong
        bad["texts"] = ["0"] * n
        bad["huge"] = [HUGE] * n
        bad["complex"] = [0j] * n
        bad["nothing in it"] = [None] * n
    return bad


NO_BODY = {**NO_OBJECT, "unknown": "no such body"}
NO_NAMED_BODY = {**{key: NO_OBJECT[key] for key in NO_OBJECT if key != "text"}, "unknown": "nobody"}
NO_BODY_NAMES: dict[str, Any] = {
    "number": 1, "unknown": ["no such body"], "text": "arm", "things": [Thing()], "numbers": [1.0],
    "nothing": None,
}  # fmt: skip


POOLS = {name.removeprefix("NO_").lower(): pool for name, pool in globals().items() if name.startswith("NO_")}
"""Wrong values by kind; generators add pools of their own."""


def pool(kind: str) -> dict[str, Any]:
    """Return the wrong values of a kind; ``state4`` names those of a state of four numbers."""
    if kind.startswith("state"):
        return no_state(int(kind.removeprefix("state")))
    return POOLS[kind] if kind else {}
