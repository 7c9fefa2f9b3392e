"""Free parameters: numbers of a system that stay open when it is compiled.

A `Parameter` is given where a number is expected.  It has a nominal value, with which the system is checked
and its branches are chosen; a compiled model takes its value at run time, in the tail of the input vector u.

Nothing is frozen silently.  Functions of plain numbers reject a parameter, and every comparison that decided
something while the system was described or traced is kept as a *guard*: values for which it would have been
decided otherwise are refused (`refusals`).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler.free_numbers import (
    Formula,
    FreeCondition,
    FreeNumber,
    evaluate,
    is_free,
    nominal,
    postorder,
)
from ce_dynamics.compiler.tracing.graph import Graph
from ce_dynamics.compiler.tracing.operations import Op
from ce_dynamics.compiler.tracing.traced import Traced
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import finite_number

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class Parameter(FreeNumber):
    """A number of a system whose value is given when the compiled model is run.

    Parameters
    ----------
    name : str
        Unique among the quantities of the system.
    value : float
        Nominal value: used until another is given.
    unit : str

    Attributes
    ----------
    name, unit : str
    value : float
        The nominal one.
    guards : dict of int to FreeCondition
        Decisions that depend on this parameter and perhaps others, by identity.

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> system = ce.System(gravity=(0, 0, -10.0))
    >>> length = system.add_parameter(ce.Parameter("length", 1.0, "m"))
    >>> bob = system.add_body("bob", mass=1.0, com=(0, 0, -length), parent=system.ground,
    ...                       hinge=ce.Revolute(axis=(0, 1, 0)))
    >>> model = ce.compile(system)
    >>> model.accelerations(q=[0.1], v=[0.0]).round(3)
    array([-0.998])
    >>> model.accelerations(q=[0.1], v=[0.0], u=model.inputs_with({"length": 0.5})).round(3)
    array([-1.997])
    """

    __slots__ = ("guards", "name", "unit")
    __hash__ = Formula.__hash__

    def __init__(self, name: str, value: float, unit: str = "1") -> None:
        self.name = checks.name_of("Parameter: name", name)
        self.unit = checks.name_of(f"parameter {name!r}: unit", unit)
        super().__init__(Op.INPUT, (), finite_number(value, f"parameter {name!r}", "value"))
        self.guards: dict[int, FreeCondition] = {}

    def text(self, depth: int = 0) -> str:
        """Return its name."""
        return self.name


def bind(parameters: Sequence[Parameter], values: Array, arrays: Iterable[Array]) -> None:
    """Give the graph in which some arrays are traced, if they are, the values of the parameters."""
    if not parameters:
        return
    graph = graph_of((values, *arrays))
    if graph is None:
        return
    for parameter, value in zip(parameters, values, strict=True):
        known = graph.formulas.setdefault(id(parameter), (parameter, value))[1]
        if known is not value and not known == value:
            raise ModelError(f"parameter {parameter.name!r} has two values in one traced function")


def graph_of(arrays: Iterable[Array]) -> Graph | None:
    """Return the graph of the first traced scalar in some arrays; None if all are plain."""
    for given in arrays:
        for entry in np.asarray(given).flat:
            if isinstance(entry, Traced):
                return entry.graph
    return None


class Values:
    """Turns arrays that may contain formulas to floats, at given values of the parameters.

    Values are computed once, so that formulas with common parts cost no more than their parts.
    """

    def __init__(self, parameters: Sequence[Parameter] = (), values: ArrayLike = ()) -> None:
        given = np.asarray(values, dtype=float)
        self._known: dict[int, Any] = {id(p): (p, x) for p, x in zip(parameters, given, strict=True)}

    def __call__(self, value: Any) -> Floats:
        """Return the array as floats."""
        entries = np.asarray(value)
        if entries.dtype != object:
            return entries.astype(float)
        return np.array(evaluate(entries.flat, self._known), dtype=float).reshape(entries.shape)


def values_at(value: Any, parameters: Sequence[Parameter], values: ArrayLike) -> Floats:
    """Return an array that may contain formulas, at given values of the parameters."""
    return Values(parameters, values)(np.asarray(value, dtype=object))


def refusals(parameters: Sequence[Parameter], values: Mapping[str, ArrayLike]) -> list[str]:
    """Return why values of free parameters cannot be used with their model: for each run, '' if they can.

    Notes
    -----
    A guard is a comparison that an ``if`` decided: a check of a sign, the choice of a branch.  Where it would
    be decided otherwise, the model at hand is not that of the values.
    """
    if not parameters:
        return []
    columns = np.array([np.asarray(values[p.name], dtype=float) for p in parameters])
    reasons = [""] * columns.shape[1]
    for parameter, column in zip(parameters, columns, strict=True):
        for k in np.flatnonzero(~np.isfinite(column)):
            reasons[k] = reasons[k] or f"parameter {parameter.name!r}: {column[k]} must be finite"
    guards = guards_of(parameters)
    outcomes = outcomes_of(guards, parameters, columns)
    for (key, guard), outcome in zip(guards.items(), outcomes, strict=True):
        for k in np.flatnonzero(np.broadcast_to(outcome, len(reasons)) != guard.value):
            involved = ", ".join(
                f"{p.name} = {column[k]:g}"
                for p, column in zip(parameters, columns, strict=True)
                if key in p.guards and column[k] != p.value
            )
            reasons[k] = reasons[k] or f"{involved}: {meaning_of(guard)}"
    return reasons


def guards_of(parameters: Sequence[Parameter]) -> dict[int, FreeCondition]:
    """Return the guards of parameters, by identity, in the order of their decisions.

    The first guard whose outcome differs gives the message.
    """
    found = {key: guard for p in parameters for key, guard in p.guards.items()}
    return dict(sorted(found.items(), key=lambda item: item[1].order))


def outcomes_of(
    guards: Mapping[int, FreeCondition], parameters: Sequence[Parameter], values: Array
) -> list[Any]:
    """Return the outcomes of guards at other values of the parameters: floats, arrays or traced scalars."""
    known: dict[int, Any] = {id(p): (p, value) for p, value in zip(parameters, values, strict=True)}
    return evaluate(guards.values(), known)


def meaning_of(guard: FreeCondition) -> str:
    """Return the message for a guard whose outcome differs from the one at build time."""
    wanted = "holds" if guard.value else "does not hold"
    return guard.meaning or f"the model was built where {guard.text()} {wanted}"


T = TypeVar("T")
Replace = Callable[[Formula], Any]


def to_nominal(thing: T, root: Body | None = None) -> T:
    """Return a hinge, linkage, loop or body with plain numbers for its free ones; itself if it has none.

    What it refers to is copied along where that has free numbers; what was one object stays one.
    """
    return cast("T", _Copier(nominal, root).copy(thing))


def interpolate_parameters(thing: T, s: float, root: Body | None = None) -> T:
    """Return ``thing`` with parameters at the fraction s of the way from nominal to their own values.

    Copies are made as by `to_nominal`; ``thing`` itself is returned for s = 1.
    """
    known: dict[int, tuple[Formula, Any]] = {}

    def replace(formula: Formula) -> Any:
        for part in postorder((formula,), known):
            if part.op == Op.INPUT:
                known[id(part)] = part, part.value + s * (cast("Any", part) - part.value)
        return evaluate((formula,), known)[0]

    if s == 0.0:
        return to_nominal(thing, root)
    return thing if s == 1.0 else cast("T", _Copier(replace, root).copy(thing))


def sample_values(values: Array, number: int) -> list[Array]:
    """Return an array at nominal values of its free parameters and at more, which differ by about 1 %."""
    inputs = [part for part in postorder((x for x in values if is_free(x)), {}) if part.op == Op.INPUT]
    factors = np.random.default_rng(0).uniform(-0.01, 0.01, (number, len(inputs)))
    found = [np.asarray(nominal(values), dtype=float)]
    for row in factors:
        known = {id(p): (p, p.value + f * max(abs(p.value), 0.1)) for p, f in zip(inputs, row, strict=True)}
        found.append(np.array(evaluate(values, known), dtype=float))
    return found


class _Copier:
    """Copies what has free numbers in it, with others in their place."""

    def __init__(self, replace: Replace, root: Body | None) -> None:
        self.replace = replace
        self.known: dict[int, tuple[Any, Any]] = {}
        """By id: what has been seen, which is kept alive, and its copy."""
        if root is not None and root.parent is not None:
            self.known[id(root.parent)] = root.parent, root.parent

    def copy(self, thing: Any) -> Any:
        if isinstance(thing, Formula):
            return self.replace(thing)
        if isinstance(thing, np.ndarray):
            return self._array(thing) if is_free(thing) else thing
        if isinstance(thing, (tuple, list)):
            items = [self.copy(item) for item in thing]
            if all(new is old for new, old in zip(items, thing, strict=True)):
                return thing
            return type(thing)(*items) if hasattr(thing, "_fields") else type(thing)(items)
        if isinstance(thing, dict):
            values = {key: self.copy(value) for key, value in thing.items()}
            return values if any(values[key] is not thing[key] for key in values) else thing
        ours = any(kind.__module__.startswith("ce_dynamics.") for kind in type(thing).__mro__)
        return self._object(thing) if ours and hasattr(thing, "__dict__") else thing

    def _array(self, thing: Any) -> Any:
        entries = [self.copy(entry) for entry in thing.flat]
        return np.array(entries, dtype=object if is_free(entries) else float).reshape(thing.shape)

    def _object(self, thing: Any) -> Any:
        if id(thing) not in self.known:
            self.known[id(thing)] = thing, thing  # meets itself only where it is part of itself
            state = {key: self.copy(value) for key, value in vars(thing).items()}
            if any(state[key] is not value for key, value in vars(thing).items()):
                twin = copy.copy(thing)
                vars(twin).update(state)
                self.known[id(thing)] = thing, twin
        return self.known[id(thing)][1]
