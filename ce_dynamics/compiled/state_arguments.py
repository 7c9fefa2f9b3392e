"""Arguments of all analyses of a model: the subject, then the state, then options by name.

A state is ``q, v`` (with ``x=``), or the whole ``y`` in the place of q, or by name.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Sequence, Sized
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypedDict, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.errors import ModelError

if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack
else:
    Unpack = None  # annotations are not evaluated

P = ParamSpec("P")
R = TypeVar("R")


class StateArguments(TypedDict, total=False):
    """State and inputs by name, see `Model`."""

    q: ArrayLike | None
    v: ArrayLike | None
    x: ArrayLike | None
    u: ArrayLike | None
    y: ArrayLike | None


def state_given(
    model: CompiledSystem,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    *,
    x: ArrayLike | None = None,
    u: ArrayLike | None = None,
    y: ArrayLike | None = None,
    moving: bool = True,
) -> tuple[Floats, Floats]:
    """Return the state y and the inputs u that a user's arguments stand for, see `Model`.

    If the result depends on velocities (``moving``), they must be given with coordinates.
    """
    sizes = model.sizes
    if y is None and v is None and x is None and length(q) == sizes["y"] != sizes["q"]:
        y, q = q, None
    if y is not None:
        for name, part in (("q", q), ("v", v), ("x", x)):
            if part is not None:
                raise ModelError(f"y is the whole state and holds {name} already; give one of them")
        return model.given_state(y), model.given_inputs(u)
    q0, v0, _ = model.layout.split(model.layout.y0)
    if q is None and v is None:
        q, v = q0, v0
    elif q is None:
        raise ModelError(f"v: give the {sizes['q']} coordinates q beside the velocities")
    elif v is None:
        if moving and len(v0) > 0:
            raise ModelError(
                f"q: give the {sizes['v']} velocities v beside the {sizes['q']} coordinates, or the whole "
                f"state y of {sizes['y']} numbers in the place of q; got {length(q)}"
            )
        v = np.zeros(len(v0))
    return model.state(q, v, x), model.given_inputs(u)


def takes_state(*old: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Show q, v, x, u and y in the signature of a function of ``*here, **named``.

    Positional arguments after the model are accepted in their old order too, with a `DeprecationWarning`.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = with_state(inspect.signature(function))
        names = [p.name for p in signature.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD][1:]
        place = names.index("v")
        title = function.__qualname__.removesuffix(".__call__").lower()  # point(q, v) of a Point

        @wraps(function)
        def answer(*args: Any, **given: Any) -> Any:
            model, *values = args
            if len(values) > place and (
                len(values) > len(names)
                or is_outdated(getattr(model, "model", model), values, place, old[place], given)
            ):
                if len(values) > len(old):
                    raise TypeError(f"{title}() takes at most {', '.join(old)}; name the others")
                known = dict(zip(old, values, strict=False))
                named = [f"{name}=" for name in known if name not in (*names, "y")]
                warnings.warn(
                    f"{title}({', '.join(known)}) by position is the old order of arguments; "
                    f"write {title}({', '.join((*names, *named))}), or y in the place of q and v",
                    DeprecationWarning,
                    stacklevel=2,
                )
                return function(model, **known, **given)
            for name in given.keys() - signature.parameters.keys():
                raise TypeError(f"{title}() got an unexpected keyword argument {name!r}")
            return function(*args, **given)

        answer.__signature__ = signature  # type: ignore[attr-defined]  # what inspect reads
        return answer

    return decorate


def with_state(signature: inspect.Signature) -> inspect.Signature:
    """Return a signature with the arguments of `state_given` in the place of ``*here, **named``."""
    given = [p for p in signature.parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    if len(given) == len(signature.parameters):
        return signature
    state = [p for name, p in inspect.signature(state_given).parameters.items() if name in "qvxuy"]
    return signature.replace(parameters=sorted((*given, *state), key=lambda p: p.kind))


def is_outdated(
    model: CompiledSystem, values: Sequence[Any], place: int, old: str, given: dict[str, Any]
) -> bool:
    """Return True if the argument in the place of v is one that stood there before; raise if ambiguous."""
    state, value = values[place - 1], values[place]
    if old == "v" or value is None:
        return False
    if old == "T":
        return "T" not in given
    sizes = model.sizes
    if state is None or length(state) == sizes["y"] != sizes["q"] or length(value) != sizes["v"]:
        return True
    if old == "u" and sizes["u"] == sizes["v"] and sizes["u"] > 0 and moved_by_inputs(model):
        raise ModelError(
            f"{sizes['u']} numbers may be the velocities or the inputs here; name them: v=... or u=..."
        )
    return False


def moved_by_inputs(model: CompiledSystem) -> bool:
    """Return True if inputs or free parameters change positions or masses of bodies."""
    return bool(model.layout.parameters or model.system.prescribed)


def length(value: object) -> int:
    """Return the length of a vector; −1 if the argument is none."""
    return len(value) if isinstance(value, Sized) else -1
