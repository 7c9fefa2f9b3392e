"""Formulas: numbers that are known at nominal values of some parameters and can be evaluated at others.

They stand where floats stand, in Python arithmetic and in NumPy object arrays, and meet the traced scalars of
a graph by being evaluated in it (`Formula.to_graph`).  Like the nodes of a graph they are hash-consed: the
same operation on the same operands is the same object, so that equal numbers are known to be equal.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn, TypeVar
from weakref import WeakValueDictionary

import numpy as np

from ce_dynamics.algebra.arrays import PLAIN, arctan2, broadcast_operator, where
from ce_dynamics.algebra.tables import Table, known_table
from ce_dynamics.compiler.tracing.graph import Graph
from ce_dynamics.compiler.tracing.operations import FUNCTIONS, LOGICAL, MEANING, OPERATORS, UNARY, Op
from ce_dynamics.compiler.tracing.traced import Condition, Traced
from ce_dynamics.errors import ModelError

_LONGEST_TEXT = 100
_DEEPEST_TEXT = 5

_ON_TRACED: dict[int, Callable[..., Any]] = {
    **{op: operator.methodcaller(name) for op, name in FUNCTIONS.items()},
    **{op: written.of for op, written in OPERATORS.items()},
    Op.NEG: operator.neg,
    Op.NOT: operator.invert,
    Op.SELECT: where,
    Op.ATAN2: arctan2,
    Op.LOOKUP: lambda index, key, offset: _table(key).at(index, int(offset)),
}


class Formula:
    """An operation on numbers and other formulas, with its value at the nominal parameters."""

    __slots__ = ("__weakref__", "op", "operands", "value")
    __array_ufunc__ = None

    def __init__(self, op: Op, operands: tuple[Any, ...], value: Any) -> None:
        self.op = op
        self.operands = operands
        self.value = value

    def to_graph(self, graph: Graph) -> Any:
        """Evaluate the formula in a graph with bound parameters; see `bind`."""
        known = graph.formulas.get(id(self))
        return evaluate((self,), graph.formulas)[0] if known is None else known[1]

    def text(self, depth: int = _DEEPEST_TEXT) -> str:
        """Return a readable text for messages, shortened if it is long."""
        if depth == 0:
            return "…"
        parts = [x.text(depth - 1) if isinstance(x, Formula) else f"{x:.6g}" for x in self.operands]
        if self.op in OPERATORS:
            text = f" {OPERATORS[self.op].symbol} ".join(
                f"({part})" if " " in part else part for part in parts
            )
        else:
            text = f"{self.op.name.lower()}({', '.join(parts)})"
        return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…"

    def __repr__(self) -> str:
        return f"<{self.text()}, nominally {self.value:g}>"

    def __hash__(self) -> int:
        return id(self)


_order = itertools.count()


class FreeCondition(Formula):
    """A comparison of free numbers.

    `where` keeps both alternatives open; ``if`` takes the branch of the nominal values, and the parameters it
    depends on remember that: values that decide it otherwise are refused
    (`ce_dynamics.mechanism.parameters.refusals`).
    """

    __slots__ = ("meaning", "order")

    def __init__(self, op: Op, operands: tuple[Any, ...], value: Any) -> None:
        super().__init__(op, operands, value)
        self.meaning: str | None = None
        self.order = 0

    def where(self, if_true: Any, if_false: Any) -> Any:
        """Return if_true where the condition holds, else if_false."""
        for other in (if_true, if_false):
            if isinstance(other, Traced):
                return where(self.to_graph(other.graph), if_true, if_false)
        if if_true is if_false:
            return if_true
        return combine(Op.SELECT, self, if_true, if_false)

    def __and__(self, other: Any) -> Any:
        return self._joined(Op.AND, other)

    def __or__(self, other: Any) -> Any:
        return self._joined(Op.OR, other)

    __rand__ = __and__
    __ror__ = __or__

    def __invert__(self) -> FreeCondition:
        return intern_formula(FreeCondition, Op.NOT, (self,), not self.value)

    def _joined(self, op: Op, other: Any) -> Any:
        if isinstance(other, Condition):
            return _ON_TRACED[op](self.to_graph(other.graph), other)
        if isinstance(other, (bool, np.bool_)):
            return self if bool(other) is (op == Op.AND) else bool(other)
        if isinstance(other, FreeCondition):
            return intern_formula(
                FreeCondition, op, (self, other), bool(MEANING[op](self.value, other.value))
            )
        return NotImplemented

    def __bool__(self) -> bool:
        return self.decide("")

    def decide(self, meaning: str) -> bool:
        """Return True if it holds at the nominal values, from now on for all values."""
        if self.meaning is None:
            self.meaning, self.order = meaning, next(_order)
            for formula in postorder((self,), {}):
                guards = getattr(formula, "guards", None)
                if guards is not None:
                    guards[id(self)] = self
        return bool(self.value)


def decide(condition: Any, meaning: str) -> bool:
    """Return the truth of a condition; for free numbers that at the nominal values, from now on for all.

    Values that decide it otherwise are refused with ``meaning`` as the cause.
    """
    return condition.decide(meaning) if isinstance(condition, FreeCondition) else bool(condition)


def _operator(op: Op, swapped: bool = False) -> Callable[[Any, Any], Any]:
    """Return an operator method; `swapped` for the reflected one."""
    plain = OPERATORS[op].of

    def method(self: FreeNumber, other: Any) -> Any:
        here = self.to_graph(other.graph) if isinstance(other, Traced) else self
        pair = (other, here) if swapped else (here, other)
        if isinstance(other, np.ndarray):
            return broadcast_operator(plain, *pair)
        if isinstance(other, Traced):
            return plain(*pair)
        if not isinstance(other, (FreeNumber, *PLAIN)):
            return NotImplemented
        return apply_operation(op, list(pair))

    return method


def _function(op: Op) -> Callable[[Any], Any]:
    def method(self: FreeNumber) -> Any:
        return combine(op, self)

    method.__name__ = FUNCTIONS[op]
    method.__doc__ = f"{FUNCTIONS[op]} of this number; NaN outside its domain."
    return method


class FreeNumber(Formula):
    """A number that depends on free parameters."""

    __slots__ = ()
    __hash__ = Formula.__hash__

    __add__ = _operator(Op.ADD)
    __sub__ = _operator(Op.SUB)
    __mul__ = _operator(Op.MUL)
    __truediv__ = _operator(Op.DIV)
    __pow__ = _operator(Op.POW)
    __radd__ = _operator(Op.ADD, swapped=True)
    __rsub__ = _operator(Op.SUB, swapped=True)
    __rmul__ = _operator(Op.MUL, swapped=True)
    __rtruediv__ = _operator(Op.DIV, swapped=True)
    __rpow__ = _operator(Op.POW, swapped=True)

    __lt__ = _operator(Op.LT)
    __le__ = _operator(Op.LE)
    __gt__ = _operator(Op.LT, swapped=True)
    __ge__ = _operator(Op.LE, swapped=True)
    __eq__ = _operator(Op.EQ)
    __ne__ = _operator(Op.NE)

    def __neg__(self) -> Any:
        return combine(Op.NEG, self)

    def __pos__(self) -> FreeNumber:
        return self

    def __abs__(self) -> Any:
        return combine(Op.FABS, self)

    def arctan2(self, x: Any) -> Any:
        """Return the angle of the point (x, self)."""
        if isinstance(x, Traced):
            return x.arctan2_of(self)
        return combine(Op.ATAN2, self, x)

    def arctan2_of(self, y: Any) -> Any:
        """Return the angle of the point (self, y): for a plain number y."""
        return combine(Op.ATAN2, y, self)

    def look_up(self, table: Table, offset: int) -> Any:
        """Return the number of a table at this index plus an offset; see `Table.at`."""
        return combine(Op.LOOKUP, self, float(table.key), float(offset))

    def conjugate(self) -> FreeNumber:
        """Return the number itself, for NumPy's vdot."""
        return self

    def __float__(self) -> float:
        self._refuse()

    def __int__(self) -> int:
        self._refuse()

    def __bool__(self) -> bool:
        return bool(self != 0.0)

    def __format__(self, specification: str) -> str:
        return format(self.value, specification)

    def _refuse(self) -> NoReturn:
        raise ModelError(
            f"a plain number is needed where {self.text()} was given: what is computed from it there cannot "
            "stay open when the model is compiled; give a number, and build a model for every value"
        )


def _table(key: float) -> Table:
    """Return the table of a key; its users keep it alive."""
    table = known_table(key)
    assert table is not None, "a table lives as long as the road or map that is looked up"
    return table


for _op in FUNCTIONS:
    setattr(FreeNumber, FUNCTIONS[_op], _function(_op))


def combine(op: Op, *operands: Any) -> Any:
    """Return an operation on free and plain numbers; fold structural zeros and ones as in traced graphs."""
    folded = _folded(op, operands)
    if folded is not None:
        return folded
    with np.errstate(all="ignore"):
        value = float(
            MEANING[op](*(np.float64(nominal(x)) if op != Op.SELECT else nominal(x) for x in operands))
        )
    return intern_formula(FreeNumber, op, operands, value)


_Kind = TypeVar("_Kind", bound=Formula)
_consed: WeakValueDictionary[tuple[Any, ...], Formula] = WeakValueDictionary()


def intern_formula(kind: type[_Kind], op: Op, operands: tuple[Any, ...], value: Any) -> _Kind:
    """Return the one formula of an operation on these operands."""
    # An identity in a key belongs to an operand that the formula keeps alive; zeros keep their signs.
    key = (op, *(id(x) if isinstance(x, Formula) else float(x).hex() for x in operands))
    known = _consed.get(key)
    if known is None:
        known = _consed[key] = kind(op, operands, value)
    assert isinstance(known, kind), "an operation makes one kind of formula"
    return known


def _folded(op: Op, operands: tuple[Any, ...]) -> Any:
    """Return the result of an operation that needs no evaluation (x + 0, 1 x, x − x); else None."""
    if len(operands) != 2:
        return operands[0].operands[0] if op == Op.NEG and operands[0].op == Op.NEG else None
    a, b = operands
    zero = [isinstance(x, PLAIN) and x == 0.0 for x in operands]
    one = [isinstance(x, PLAIN) and x == 1.0 for x in operands]
    if op == Op.ADD and any(zero):
        return b if zero[0] else a
    if op == Op.SUB and (zero[1] or a is b):
        return a if zero[1] else 0.0
    if op == Op.SUB and zero[0]:
        return combine(Op.NEG, b)
    if op == Op.MUL and (any(zero) or any(one)):
        return 0.0 if any(zero) else (b if one[0] else a)
    if op == Op.DIV and (zero[0] or one[1]):
        return 0.0 if zero[0] else a
    if op == Op.POW and one[1]:
        return a
    return None


def nominal(value: Any) -> Any:
    """Return a number or an array at the nominal values of the free parameters in it."""
    if isinstance(value, Formula):
        return value.value
    if isinstance(value, np.ndarray) and value.dtype == object:
        return np.array([nominal(x) for x in value.flat], dtype=float).reshape(value.shape)
    return value


def number(value: Any) -> Any:
    """Return a number as a float; one that is free stays so."""
    return value if isinstance(value, Formula) else float(value)


def is_free(value: Any) -> bool:
    """Return True if a number, or anything in a (nested) sequence of numbers, depends on a free parameter."""
    if isinstance(value, Formula):
        return True
    if isinstance(value, np.ndarray):
        return value.dtype == object and any(isinstance(x, Formula) for x in value.flat)
    return isinstance(value, (list, tuple)) and any(is_free(x) for x in value)


def postorder(formulas: Iterable[Formula], known: dict[int, Any]) -> Iterator[Formula]:
    """Yield all formulas that these consist of and that are not known, operands first, each once."""
    seen: set[int] = set()
    stack = [(formula, False) for formula in formulas]
    while stack:
        formula, ready = stack.pop()
        if ready:
            yield formula
        elif id(formula) not in seen and id(formula) not in known:
            seen.add(id(formula))
            stack.append((formula, True))
            stack += [(x, False) for x in formula.operands if isinstance(x, Formula)]


def evaluate(formulas: Iterable[Any], known: dict[int, tuple[Formula, Any]]) -> list[Any]:
    """Return values of formulas (numbers stay as they are), from those of the parameters.

    ``known`` has formulas and their values by id, at least every parameter, and is completed.  Values are
    floats, arrays of floats, other formulas, or traced scalars of one graph.
    """
    wanted = list(formulas)
    for formula in postorder((x for x in wanted if isinstance(x, Formula)), known):
        if formula.op == Op.INPUT:
            raise ModelError(
                f"parameter {formula.text()!r} has no value here: declare it with add_parameter; what a "
                "user's function brings into a loop without a closed form cannot be free"
            )
        operands = [known[id(x)][1] if isinstance(x, Formula) else x for x in formula.operands]
        known[id(formula)] = formula, apply_operation(formula.op, operands)
    return [known[id(x)][1] if isinstance(x, Formula) else x for x in wanted]


def apply_operation(op: Op, operands: list[Any]) -> Any:
    """Return an operation on arrays of floats, formulas or traced scalars."""
    if any(isinstance(x, (Traced, Condition)) for x in operands):
        return _ON_TRACED[op](*operands)
    if any(isinstance(x, Formula) for x in operands):
        if op not in LOGICAL:
            return combine(op, *operands)
        return intern_formula(FreeCondition, op, tuple(operands), bool(MEANING[op](*map(nominal, operands))))
    if op in UNARY and op != Op.NOT:
        operands = [np.asarray(x, dtype=float)[()] for x in operands]
    with np.errstate(all="ignore"):
        return MEANING[op](*operands)
