"""Control laws with memory: contract of controllers, and periods of sampled ones."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.forces.base import StateDeclaration

Named = Mapping[str, Scalar]
"""Numbers by name."""


class Controller(ABC):
    """Contract of a control law with memory; part of a system by `System.add_controller`.

    A controller stands between the inputs that are given and the force elements that read them.  It sees
    `sensors`: the state of the system, its outputs and its inputs, by name; the inputs as the controllers
    before it have left them.

    1. ``name``: unique in the system; prefixes its states.
    2. ``states``: its continuous states; `rates` returns their rates in the same order.
    3. ``sampled``: its values from sample to sample; `update` returns the new values in the same
       order, every ``period`` seconds from t = 0 on.  In between they are constant, and integrators end their
       steps at samples, so that they keep their order.  At a sample `update` sees the state before it.
    4. ``answers``: names of the inputs that `act` returns, from their given values (``sensors[name]``); it
       must return all of them.
    5. All three are written on arrays and `where`: they never branch on a value, and store nothing in
       attributes.
    """

    name: str
    states: tuple[StateDeclaration, ...] = ()
    sampled: tuple[StateDeclaration, ...] = ()
    period: float | None = None
    answers: tuple[str, ...] = ()

    @abstractmethod
    def act(self, sensors: Named, x: Named) -> Named:
        """Return inputs by name, from what is seen and remembered."""

    def rates(self, sensors: Named, x: Named) -> Sequence[Scalar]:
        """Return rates of ``states``."""
        return ()

    def update(self, sensors: Named, x: Named) -> Sequence[Scalar]:
        """Return values of ``sampled`` from now on."""
        return ()

    @property
    def label(self) -> str:
        """Kind and name of the controller, for messages."""
        return f"controller {self.name!r}"


def check_controller(controller: Controller) -> None:
    """Reject a controller that does not declare its memory."""
    who = controller.label
    declared = [
        entry
        for what in ("states", "sampled")
        for entry in checks.items(f"{who}: {what}", getattr(controller, what))
    ]
    what = "a StateDeclaration(name, unit, initial value)"
    for entry in declared:
        checks.instance(f"{who}: state", entry, StateDeclaration, what)
        checks.number(f"{who}: initial value of state {entry.name!r}", nominal(entry.initial))
    names = [state.name for state in declared]
    for name in names:
        checks.name_of(f"{who}: state", name)
        if names.count(name) > 1:
            raise ModelError(f"{who} has two states {name!r}; give every state its own name")
    if not controller.sampled:
        if controller.period is not None:
            raise ModelError(
                f"{who}: period {controller.period!r} has no effect, for nothing is sampled; leave it out"
            )
        return
    if controller.period is None:
        raise ModelError(f"{who} has sampled states but no period; give the time between samples [s]")
    checks.number(f"{who}: period", controller.period, above=0.0)


class Sampling:
    """Sampling instants of the controllers of a system; their periods must be in simple proportion.

    Samples are taken at whole multiples of ``period`` [s], zero if nothing is sampled; a controller uses
    every ``every[name]``-th of them.
    """

    def __init__(self, controllers: Iterable[Controller]) -> None:
        periods = {c.name: float(c.period) for c in controllers if c.period is not None}
        self.period = 0.0
        self.every: dict[str, int] = {}
        if not periods:
            return
        common = common_part(periods.values())
        counts = [round(period / common) if common else 0 for period in periods.values()]
        apart = [abs(n * common - period) for n, period in zip(counts, periods.values(), strict=True)]
        unlike = max(a / period for a, period in zip(apart, periods.values(), strict=True)) > 1e-6
        if unlike or common < 0.01 * min(periods.values()):
            given = ", ".join(f"{name} {period:g} s" for name, period in periods.items())
            raise ModelError(f"sampled controllers need periods in simple proportion, got {given}")
        self.period = common if len(set(periods.values())) > 1 else next(iter(periods.values()))
        self.every = {name: round(period / self.period) for name, period in periods.items()}


def common_part(lengths: Iterable[float]) -> float:
    """Return the greatest length of which all are whole multiples, to nine digits."""
    parts = [Fraction(length).limit_denominator(10**9) for length in lengths]
    denominator = math.lcm(*(part.denominator for part in parts))
    return math.gcd(*(int(part * denominator) for part in parts)) / denominator
