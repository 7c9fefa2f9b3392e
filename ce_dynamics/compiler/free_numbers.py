"""Formulas: numbers that are known at nominal values of some parameters and can be evaluated at others.

They stand where floats stand, in Python arithmetic and in NumPy object arrays, and meet the traced scalars of
a graph by being evaluated in it (`Formula.traced`).  Like the nodes of a graph they are hash-consed: the same
operation on the same operands is the same object, so that equal numbers are known to be equal.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn, TypeVar
from weakref import WeakValueDictionary

import numpy as np

from ce_dynamics.algebra.arrays import broadcast_operator, where
from ce_dynamics.compiler.tracing.graph import Graph
from ce_dynamics.compiler.tracing.operations import LOGICAL, MEANING, UNARY, Op
from ce_dynamics.compiler.tracing.traced import Condition, Traced
from ce_dynamics.errors import ModelError

_PLAIN = (float, int, np.floating, np.integer, np.bool_)

_SYMBOL = {
    Op.ADD: "+",
    Op.SUB: "-",
    Op.MUL: "*",
    Op.DIV: "/",
    Op.POW: "**",
    Op.LT: "<",
    Op.LE: "<=",
    Op.EQ: "==",
    Op.NE: "!=",
    Op.AND: "and",
    Op.OR: "or",
}
_LONGEST_TEXT = 100
_DEEPEST_TEXT = 5

_METHOD = {
    Op.SQRT: "sqrt",
    Op.FABS: "fabs",
    Op.SIN: "sin",
    Op.COS: "cos",
    Op.TAN: "tan",
    Op.ASIN: "arcsin",
    Op.ACOS: "arccos",
    Op.ATAN: "arctan",
    Op.EXP: "exp",
    Op.LOG: "log",
    Op.TANH: "tanh",
}
"""Elementary functions of one operand, by the names of the methods of traced scalars."""

_ON_TRACED: dict[int, Callable[..., Any]] = {
    Op.ADD: operator.add,
    Op.SUB: operator.sub,
    Op.MUL: operator.mul,
    Op.DIV: operator.truediv,
    Op.POW: operator.pow,
    Op.NEG: operator.neg,
    Op.LT: operator.lt,
    Op.LE: operator.le,
    Op.EQ: operator.eq,
    Op.NE: operator.ne,
    Op.AND: operator.and_,
    Op.OR: operator.or_,
    Op.NOT: operator.invert,
    Op.SELECT: where,
    Op.ATAN2: lambda y, x: y.arctan2(x) if isinstance(y, Traced) else x.arctan2_of(y),
    **{op: operator.methodcaller(name) for op, name in _METHOD.items()},
}


class Formula:
    """An operation on numbers and other formulas, with its value at the nominal parameters.

    Attributes
    ----------
    op : Op
    operands : tuple
        Numbers and formulas.
    value : float or bool
        At the nominal values.
    """

    __slots__ = ("__weakref__", "op", "operands", "value")
    __array_ufunc__ = None

    def __init__(self, op: Op, operands: tuple[Any, ...], value: Any) -> None:
        self.op = op
        self.operands = operands
        self.value = value

    def traced(self, graph: Graph) -> Any:
        """What this is in a graph that has been told the parameters: see `bind`."""
        known = graph.formulas.get(id(self))
        return evaluate((self,), graph.formulas)[0] if known is None else known[1]

    def text(self, depth: int = _DEEPEST_TEXT) -> str:
        """Readable, for messages; shortened where it is long."""
        if depth == 0:
            return "…"
        parts = [x.text(depth - 1) if isinstance(x, Formula) else f"{x:.6g}" for x in self.operands]
        if self.op in _SYMBOL:
            text = f" {_SYMBOL[self.op]} ".join(f"({part})" if " " in part else part for part in parts)
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

    Attributes
    ----------
    meaning : str or None
        What is the matter where it is decided otherwise; None as long as nothing has been decided by it.
    order : int
        The earlier a decision was made, the lower.
    """

    __slots__ = ("meaning", "order")

    def __init__(self, op: Op, operands: tuple[Any, ...], value: Any) -> None:
        super().__init__(op, operands, value)
        self.meaning: str | None = None
        self.order = 0

    def where(self, if_true: Any, if_false: Any) -> Any:
        """if_true where the condition holds, else if_false."""
        for other in (if_true, if_false):
            if isinstance(other, Traced):
                return where(self.traced(other.graph), if_true, if_false)
        if if_true is if_false:
            return if_true
        return combined(Op.SELECT, self, if_true, if_false)

    def __and__(self, other: Any) -> Any:
        return self._joined(Op.AND, other)

    def __or__(self, other: Any) -> Any:
        return self._joined(Op.OR, other)

    __rand__ = __and__
    __ror__ = __or__

    def __invert__(self) -> FreeCondition:
        return consed(FreeCondition, Op.NOT, (self,), not self.value)

    def _joined(self, op: Op, other: Any) -> Any:
        if isinstance(other, Condition):
            return _ON_TRACED[op](self.traced(other.graph), other)
        if isinstance(other, (bool, np.bool_)):
            return self if bool(other) is (op == Op.AND) else bool(other)
        if isinstance(other, FreeCondition):
            return consed(FreeCondition, op, (self, other), bool(MEANING[op](self.value, other.value)))
        return NotImplemented

    def __bool__(self) -> bool:
        return self.decide("")

    def decide(self, meaning: str) -> bool:
        """Whether it holds at the nominal values, from now on for all values."""
        if self.meaning is None:
            self.meaning, self.order = meaning, next(_order)
            for formula in postorder((self,), {}):
                guards = getattr(formula, "guards", None)
                if guards is not None:
                    guards[id(self)] = self
        return bool(self.value)


def decided(condition: Any, meaning: str) -> bool:
    """The truth of a condition; of one on free numbers that at the nominal values, from now on for all.

    Parameters
    ----------
    condition : bool or FreeCondition
    meaning : str
        What is the matter with values that decide it otherwise, for the message that refuses them.
    """
    return condition.decide(meaning) if isinstance(condition, FreeCondition) else bool(condition)


def _operator(op: Op, plain: Callable[[Any, Any], Any], swapped: bool = False) -> Callable[[Any, Any], Any]:
    """An operator method; `swapped` for the reflected one."""

    def method(self: Free, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return (
                broadcast_operator(plain, other, self) if swapped else broadcast_operator(plain, self, other)
            )
        if isinstance(other, Traced):
            here = self.traced(other.graph)
            return plain(other, here) if swapped else plain(here, other)
        if isinstance(other, (Free, *_PLAIN)):
            return combined(op, other, self) if swapped else combined(op, self, other)
        return NotImplemented

    return method


def _comparison(op: Op, plain: Callable[[Any, Any], Any], swapped: bool = False) -> Callable[[Any, Any], Any]:
    def method(self: Free, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return broadcast_operator(plain, self, other)
        if isinstance(other, Traced):
            return plain(self.traced(other.graph), other)
        if not isinstance(other, (Free, *_PLAIN)):
            return NotImplemented
        pair = (other, self) if swapped else (self, other)
        return consed(FreeCondition, op, pair, bool(MEANING[op](*map(nominal, pair))))

    return method


def _unary(op: Op) -> Callable[[Any], Any]:
    def method(self: Free) -> Any:
        return combined(op, self)

    method.__name__ = _METHOD[op]
    method.__doc__ = f"{_METHOD[op]} of this number; NaN outside its domain."
    return method


class Free(Formula):
    """A number that depends on free parameters."""

    __slots__ = ()
    __hash__ = Formula.__hash__

    __add__ = _operator(Op.ADD, operator.add)
    __sub__ = _operator(Op.SUB, operator.sub)
    __mul__ = _operator(Op.MUL, operator.mul)
    __truediv__ = _operator(Op.DIV, operator.truediv)
    __pow__ = _operator(Op.POW, operator.pow)
    __radd__ = _operator(Op.ADD, operator.add, swapped=True)
    __rsub__ = _operator(Op.SUB, operator.sub, swapped=True)
    __rmul__ = _operator(Op.MUL, operator.mul, swapped=True)
    __rtruediv__ = _operator(Op.DIV, operator.truediv, swapped=True)
    __rpow__ = _operator(Op.POW, operator.pow, swapped=True)

    __lt__ = _comparison(Op.LT, operator.lt)
    __le__ = _comparison(Op.LE, operator.le)
    __gt__ = _comparison(Op.LT, operator.gt, swapped=True)
    __ge__ = _comparison(Op.LE, operator.ge, swapped=True)
    __eq__ = _comparison(Op.EQ, operator.eq)
    __ne__ = _comparison(Op.NE, operator.ne)

    sqrt = _unary(Op.SQRT)
    fabs = _unary(Op.FABS)
    sin = _unary(Op.SIN)
    cos = _unary(Op.COS)
    tan = _unary(Op.TAN)
    arcsin = _unary(Op.ASIN)
    arccos = _unary(Op.ACOS)
    arctan = _unary(Op.ATAN)
    exp = _unary(Op.EXP)
    log = _unary(Op.LOG)
    tanh = _unary(Op.TANH)
    __abs__ = fabs

    def __neg__(self) -> Any:
        return combined(Op.NEG, self)

    def __pos__(self) -> Free:
        return self

    def arctan2(self, x: Any) -> Any:
        """Angle of the point (x, self)."""
        if isinstance(x, Traced):
            return x.arctan2_of(self)
        return combined(Op.ATAN2, self, x)

    def arctan2_of(self, y: Any) -> Any:
        """Angle of the point (self, y): for a plain number y."""
        return combined(Op.ATAN2, y, self)

    def conjugate(self) -> Free:
        """Itself: NumPy's vdot asks."""
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


def combined(op: Op, *operands: Any) -> Any:
    """An operation on free and plain numbers, with structural zeros and ones folded as in traced graphs."""
    folded = _folded(op, operands)
    if folded is not None:
        return folded
    with np.errstate(all="ignore"):
        value = float(
            MEANING[op](*(np.float64(nominal(x)) if op != Op.SELECT else nominal(x) for x in operands))
        )
    return consed(Free, op, operands, value)


_Kind = TypeVar("_Kind", bound=Formula)
_consed: WeakValueDictionary[tuple[Any, ...], Formula] = WeakValueDictionary()


def consed(kind: type[_Kind], op: Op, operands: tuple[Any, ...], value: Any) -> _Kind:
    """The one formula of an operation on these operands."""
    # An identity in a key belongs to an operand that the formula keeps alive; zeros keep their signs.
    key = (op, *(id(x) if isinstance(x, Formula) else float(x).hex() for x in operands))
    known = _consed.get(key)
    if known is None:
        known = _consed[key] = kind(op, operands, value)
    assert isinstance(known, kind), "an operation makes one kind of formula"
    return known


def _folded(op: Op, operands: tuple[Any, ...]) -> Any:
    """What an operation is without being carried out, if it is known; None if not."""
    if len(operands) != 2:
        return operands[0].operands[0] if op == Op.NEG and operands[0].op == Op.NEG else None
    a, b = operands
    zero = [isinstance(x, _PLAIN) and x == 0.0 for x in operands]
    one = [isinstance(x, _PLAIN) and x == 1.0 for x in operands]
    if op == Op.ADD and any(zero):
        return b if zero[0] else a
    if op == Op.SUB and (zero[1] or a is b):
        return a if zero[1] else 0.0
    if op == Op.SUB and zero[0]:
        return combined(Op.NEG, b)
    if op == Op.MUL and (any(zero) or any(one)):
        return 0.0 if any(zero) else (b if one[0] else a)
    if op == Op.DIV and (zero[0] or one[1]):
        return 0.0 if zero[0] else a
    if op == Op.POW and one[1]:
        return a
    return None


def nominal(value: Any) -> Any:
    """A number or an array at the nominal values of the free parameters in it."""
    if isinstance(value, Formula):
        return value.value
    if isinstance(value, np.ndarray) and value.dtype == object:
        return np.array([nominal(x) for x in value.flat], dtype=float).reshape(value.shape)
    return value


def number(value: Any) -> Any:
    """A number as a float; one that is free stays so."""
    return value if isinstance(value, Formula) else float(value)


def is_free(value: Any) -> bool:
    """Whether a number, or anything in a (nested) sequence of numbers, depends on a free parameter."""
    if isinstance(value, Formula):
        return True
    if isinstance(value, np.ndarray):
        return value.dtype == object and any(isinstance(x, Formula) for x in value.flat)
    return isinstance(value, (list, tuple)) and any(is_free(x) for x in value)


def postorder(formulas: Iterable[Formula], known: dict[int, Any]) -> Iterator[Formula]:
    """All formulas that these consist of and that are not known, operands first, each once."""
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
    """Values of formulas (numbers stay as they are), from those of the parameters.

    Parameters
    ----------
    formulas : iterable of Formula or float
    known : dict
        By id: a formula and its value, at least for every parameter; completed.  Values are floats, arrays of
        floats, other formulas, or traced scalars of one graph.
    """
    wanted = list(formulas)
    for formula in postorder((x for x in wanted if isinstance(x, Formula)), known):
        if formula.op == Op.INPUT:
            raise ModelError(
                f"parameter {formula.text()!r} has no value here: declare it with add_parameter; what a "
                "user's function brings into a loop without a closed form cannot be free"
            )
        operands = [known[id(x)][1] if isinstance(x, Formula) else x for x in formula.operands]
        known[id(formula)] = formula, applied(formula.op, operands)
    return [known[id(x)][1] if isinstance(x, Formula) else x for x in wanted]


def applied(op: Op, operands: list[Any]) -> Any:
    """An operation on arrays of floats, formulas or traced scalars."""
    if any(isinstance(x, (Traced, Condition)) for x in operands):
        return _ON_TRACED[op](*operands)
    if any(isinstance(x, Formula) for x in operands):
        if op not in LOGICAL:
            return combined(op, *operands)
        return consed(FreeCondition, op, tuple(operands), bool(MEANING[op](*map(nominal, operands))))
    if op in UNARY and op != Op.NOT:
        operands = [np.asarray(x, dtype=float)[()] for x in operands]
    with np.errstate(all="ignore"):
        return MEANING[op](*operands)
