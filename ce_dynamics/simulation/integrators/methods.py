"""The native methods, registered once for runs, simulators and ensembles; importing this costs nothing."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

NativeMethod = Literal["rk4", "rosenbrock", "implicit-euler", "dopri5"]


class Scheme(NamedTuple):
    """What is known of a method.

    Attributes
    ----------
    order : int
        Of its error: h^order over a given time.
    evaluations : int
        Of the right-hand side, per step.
    implicit : bool
        Whether it needs the Jacobian.
    fixed : bool
        Whether its steps are all as long as they are told to be.
    lanes : bool
        Whether ensembles have it, which make steps of several runs side by side.
    """

    order: int
    evaluations: int
    implicit: bool = False
    fixed: bool = True
    lanes: bool = False


SCHEMES: dict[str, Scheme] = {
    "rk4": Scheme(order=4, evaluations=4, lanes=True),
    "rosenbrock": Scheme(order=2, evaluations=2, implicit=True),
    "implicit-euler": Scheme(order=1, evaluations=1, implicit=True),
    "dopri5": Scheme(order=5, evaluations=6, fixed=False),
}

NATIVE_METHODS: tuple[str, ...] = get_args(NativeMethod)
IMPLICIT = tuple(name for name, scheme in SCHEMES.items() if scheme.implicit)
FIXED = tuple(name for name, scheme in SCHEMES.items() if scheme.fixed)
WITH_LANES = tuple(name for name, scheme in SCHEMES.items() if scheme.lanes)
