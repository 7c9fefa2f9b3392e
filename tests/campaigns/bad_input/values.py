"""Values that are wrong, by kind, and a case for each argument that takes them."""

import inspect
import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from tests.campaigns.bad_input.cases import Case


class Thing:
    """An object that knows nothing."""


def ragged() -> Any:
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


NO_AXES = {
    "row": (1.0, 2.0, 3.0), "text": "I", "zeros": np.zeros((3, 3)), "nan": np.full((3, 3), math.nan),
    "stretched": 2.0 * np.eye(3), "large": np.eye(4), "thing": Thing(), "number": 1.0,
}  # fmt: skip
NO_BODY = {**NO_OBJECT, "unknown": "no such body"}
NO_NAMED_BODY = {**{key: NO_OBJECT[key] for key in NO_OBJECT if key != "text"}, "unknown": "nobody"}
NO_BODY_NAMES: dict[str, Any] = {
    "number": 1, "unknown": ["no such body"], "text": "arm", "things": [Thing()], "numbers": [1.0],
    "nothing": None,
}  # fmt: skip


PATHS: dict[str, Any] = {
    "number": 1, "nothing": None, "bytes": b"file", "zero byte": "a\0b", "long": "x" * 5000,
    "no file": "no/such/file", "folder": "/tmp", "endless": "/dev/zero", "null device": "/dev/null",
    "address": "http://127.0.0.1:9/file", "empty": "",
}  # fmt: skip
"""Paths of files that nobody can read."""
POOLS = {name.removeprefix("NO_").lower(): pool for name, pool in globals().items() if name.startswith("NO_")}
"""Wrong values by kind; generators add pools of their own."""
ANNOTATED = {
    "float": "number", "int": "integer", "str": "text", "bool": "flag", "Point": "vector",
    "ArrayLike": "vector", "Sequence[str]": "names", "Collection[str]": "names",
}  # fmt: skip
"""Kinds by annotation; other classes are those of objects."""
NAMED = {
    "axes": "R_a R_b axes",
    "body": "parent",
    "direction": "across axis axis1 axis2 default_plane_normal normal x_axis",
    "fraction": "brake_share drive_share restitution",
    "function": "function progress",
    "mapping": "randomise",
    "not_negative": (
        "around density dissipation friction left level mass mu onset radius rest_speed right rolling "
        "spinning viscosity"
    ),
    "positive": (
        "atol creep damping_ratio default_ball_radius dt dx dy edge fade frequency horizon length limit "
        "longest max_step natural_frequency rounding rtol size step time_limit tolerance"
    ),
    "seconds": "duration interval",
    "state4": "orientation",
    "unit": "unit",
    "vector": "at",
    "word": (
        "axle extrapolation fmi hold interpolation kind method place precision side sweep task track"
    ),
}  # fmt: skip
"""Kinds by name of the argument, where annotations say less."""
BY_NAME = {name: kind for kind, names in NAMED.items() for name in names.split()}


def kind_of(parameter: inspect.Parameter) -> str:
    """Return the kind of an argument; empty if neither name nor annotation gives one."""
    annotation = str(getattr(parameter.annotation, "__forward_arg__", parameter.annotation))
    kind, _, rest = annotation.partition(" | ")
    if parameter.name not in BY_NAME and rest not in ("", "None"):
        return ""
    is_class = kind.isidentifier() and kind[0].isupper() and kind not in ("Any", "Array", "Scalar")
    return BY_NAME.get(parameter.name) or ANNOTATED.get(kind, "object" * is_class)


def calls(
    make: Callable[..., Any],
    good: Mapping[str, Any] | None = None,
    spec: str = "",
    own: Mapping[str, Any] | None = None,
    run: Callable[..., Any] | None = None,
    label: str = "",
) -> list[Case]:
    """Return a case for every argument of a function and every value that is wrong for it.

    Names and annotations give the kinds of arguments.  A specification corrects them by entries
    ``argument:kind-value~word``: the kind's values but those that are right here (None is, where it is the
    default), and the word of the message instead of the argument (none after a bare ``~``).  ``argument:``
    alone leaves it out, ``argument:-value`` and ``argument~word`` keep its kind.  Own values follow those of
    the kind.  ``run`` is called instead.
    """
    own, called, words = own or {}, run or make, {}
    parameters = inspect.signature(make).parameters
    kinds = {name: kind_of(parameter) for name, parameter in parameters.items()}
    for entry in spec.split():
        entry, tilde, word = entry.partition("~")
        argument, colon, kind = entry.partition(":")
        if colon:
            kinds[argument] = kinds.get(argument, "") + kind if kind.startswith("-") else kind
        if tilde:
            words[argument] = word.replace("_", " ")
    if words.get("") == "":  # a bare ~ is for all
        words = dict.fromkeys(kinds, "") | words
    found = []
    for argument in dict.fromkeys((*kinds, *own)):
        kind, *right = kinds.get(argument, "").split("-")
        is_optional = argument in parameters and parameters[argument].default is None
        wrong = {name: value for name, value in pool(kind).items() if not (is_optional and value is None)}
        for name, value in {**wrong, **own.get(argument, {})}.items():
            if name.replace(" ", "_") not in right:
                case = partial(lambda given: called(**{**(good or {}), **given}), {argument: value})
                title = f"{label or make.__name__}({argument}: {name})"
                found.append(Case(title, case, (words.get(argument, argument),)))
    return found


def pool(kind: str) -> dict[str, Any]:
    """Return the wrong values of a kind; ``state4`` names those of a state of four numbers."""
    if kind.startswith("state"):
        return no_state(int(kind.removeprefix("state")))
    return POOLS[kind] if kind else {}
