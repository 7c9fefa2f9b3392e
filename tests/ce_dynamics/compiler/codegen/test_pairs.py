"""Instructions in pairs: the same bits as one by one, and half as many where formulas are used twice."""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from ce_dynamics.algebra import arrays
from ce_dynamics.compiler import TracedFunction, llvm, machine, trace
from ce_dynamics.compiler.code_levels import QUICK
from ce_dynamics.compiler.codegen.emit import emit_llvm
from ce_dynamics.compiler.codegen.fused import FUSED, CodeArrays, code_of, number_formulas
from ce_dynamics.compiler.codegen.pairs import PAIRED, SUMS, Pairs
from ce_dynamics.compiler.tracing.operations import Op
from tests.ce_dynamics.compiler.codegen.test_outliner import numbers, run, steps
from tests.searching import examples

N = 3
CONST, INPUT = Op.CONST, Op.INPUT


def compiled(traced: TracedFunction, pairs: bool) -> Any:
    module = llvm.binding().parse_assembly(emit_llvm(traced, pairs=pairs))
    module.verify()
    target = llvm.target_machine(QUICK)
    module.triple, module.data_layout = llvm.host_cpu()[0], str(target.target_data)
    return machine.link(bytes(target.emit_object(module)), traced)


def assert_same_bits(traced: TracedFunction, *inputs: Any) -> None:
    for got, expected in zip(compiled(traced, True)(*inputs), compiled(traced, False)(*inputs), strict=True):
        np.testing.assert_array_equal(got, expected)


def side(x: Sequence[Any], common: Any, s: float) -> list[Any]:
    """A formula for the left (s = 1) and the right side, which is its mirror image."""
    r = (0.3 * x[0] + 0.1, s * (0.7 + x[1] * x[1]), x[2] - 0.2)
    turned = (
        r[1] * common[2] - r[2] * common[1],
        r[2] * common[0] - r[0] * common[2],
        r[0] * common[1] - r[1] * common[0],
    )
    length = arrays.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    push = (length - 1.0) / length
    return [turned[0] + push * r[0], -(push * r[1]) + turned[1], turned[2] * arrays.sin(push) + r[2]]


def both_sides(x: Any) -> dict[str, Any]:
    left, right = side(x[:3], x[6:], 1.0), side(x[3:6], x[6:], -1.0)
    return {"left": left, "right": right, "sum": [a + b for a, b in zip(left, right, strict=True)]}


def test_mirror_images_are_computed_together() -> None:
    traced = trace("sides", both_sides, {"x": 9})
    code = code_of(traced)
    pairs = Pairs(code)
    one = trace("side", lambda x: {"left": side(x[:3], x[6:], 1.0)}, {"x": 9})
    each = np.count_nonzero(np.isin(code_of(one).op, list(PAIRED)) & code_of(one).computes)
    assert len(pairs.of) >= 2 * each
    x = np.random.default_rng(3).normal(size=9)
    assert_same_bits(traced, x)
    got = compiled(traced, True)(x)
    np.testing.assert_allclose(np.concatenate(got), np.concatenate(list(both_sides(x).values())), rtol=1e-13)


def test_pairs_are_independent_and_of_one_operation() -> None:
    code = code_of(trace("sides", both_sides, {"x": 9}))
    pairs = Pairs(code)
    for first, second in set(pairs.of.values()):
        a, b = int(code.op[first]), int(code.op[second])
        assert a == b or {a, b} <= SUMS or {a, b} <= FUSED
        assert not {first, second} & (needed_by(code, first) | needed_by(code, second))


def needed_by(code: CodeArrays, n: int) -> set[int]:
    """Return the instructions that an instruction needs, directly or not."""
    found: set[int] = set()
    ahead = [n]
    while ahead:
        m = ahead.pop()
        below = (
            {k for k in code.operands[m].tolist() if k >= 0} if code.op[m] not in (CONST, INPUT) else set()
        )
        ahead += below - found
        found |= below
    return found


@examples(60)
@example([("where", 0, 3, 0), ("sqrt", 54, 0, 0)], [-1.0] * (2 * N), 0)  # a choice whose root is taken
@given(
    steps,
    st.sampled_from([2, 4]).flatmap(
        lambda n: st.lists(st.sampled_from([-1.0, 1.0]), min_size=n * N, max_size=n * N)
    ),
    st.integers(0, 2**32 - 1),
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_random_functions_used_often_give_the_same_bits(
    program: list[tuple[str, int, int, int]], signs: list[float], seed: int
) -> None:
    """For two sides or four wheels, in which signs differ from the start and on the way."""
    n = len(signs) // N

    def often(x: Any) -> dict[str, Any]:
        turned = [s * v for s, v in zip(signs, x, strict=True)]
        found = [run(program, turned[N * k : N * (k + 1)], signs[k]) for k in range(n)]
        one, other = found[0][-1], found[-1][-1]
        # what is used of all, what one needs of the other, and calls that need each other
        return {"y": [*chain(*found), *run(program, [one, other, one - other])]}

    assert_same_bits(trace("often", often, {"x": n * N}), numbers(seed, n * N))


@pytest.mark.parametrize("x", [np.nan, np.inf, -np.inf, 0.0, 1e308, 5e-324])
def test_special_values_stay_on_their_side(x: float) -> None:
    given_there = np.full(6, 0.5)
    given_there[1] = x
    traced = trace(
        "sides",
        lambda x: {"y": side(x[:3], (0.1, 0.2, 0.3), 1.0) + side(x[3:], (0.1, 0.2, 0.3), -1.0)},
        {"x": 6},
    )
    assert_same_bits(traced, given_there)
    assert np.isfinite(compiled(traced, True)(given_there)[0][3:]).all()


@pytest.mark.parametrize(
    "form",
    [
        lambda a, b, c, s: a * b + s * c,
        lambda a, b, c, s: s * c - a * b,
        lambda a, b, c, s: s * (a * b) - c,
        lambda a, b, c, s: 0.3 * b + s * c,
        lambda a, b, c, s: s * a + b,
        lambda a, b, c, s: b - s * (a + c),
        lambda a, b, c, s: (s * a) / (b + s * c),
        lambda a, b, c, s: arrays.sqrt(s * (s * a * a + s * b * b)),
        lambda a, b, c, s: arrays.absolute(s * a - s * b) * c,
        lambda a, b, c, s: arrays.maximum(s * a * c, b - 1.0) + arrays.minimum(s * a, s * b),
        lambda a, b, c, s: arrays.where(s * (a - c) < s * (b - c), s * (a + b), b * c),
        lambda a, b, c, s: arrays.where((a + b) * c == s * (b + c), a * b, -s * (a + c)),
        lambda a, b, c, s: arrays.where((s * a * b <= c * b) & (a + b > s), 2.0, s * 3.0) * c,
    ],
)
def test_signs_that_one_side_has(form: Callable[..., Any]) -> None:
    """Sums in which one term has the other sign on the other side, in all ways they are written."""
    traced = trace("signs", lambda x: {"y": [form(*x[:3], 1.0), form(*x[3:], -1.0)]}, {"x": 6})
    x = np.random.default_rng(5).uniform(0.5, 2.0, 6)
    assert_same_bits(traced, x)
    np.testing.assert_allclose(
        compiled(traced, True)(x)[0], [form(*x[:3], 1.0), form(*x[3:], -1.0)], rtol=1e-13
    )


@pytest.mark.parametrize("x", [np.nan, np.inf, -np.inf])
def test_choices_of_nan_are_those_of_one_side(x: float) -> None:
    def form(a: Any, b: Any, s: float) -> Any:
        return arrays.maximum(s * (a + b), s * b) + arrays.where(a * b < s, arrays.absolute(s * a), b)

    traced = trace("choices", lambda x: {"y": [form(x[0], x[1], 1.0), form(x[2], x[3], -1.0)]}, {"x": 4})
    for k in range(4):
        given_there = np.array([0.3, 0.8, 0.4, 0.9])
        given_there[k] = x
        assert_same_bits(traced, given_there)


def test_calls_of_pairs_are_made_four_at_once() -> None:
    """The calls of a tyre's formula on four wheels, two of them mirrored, are made at once."""

    def tyre(x: Any, s: float) -> Any:
        y = arrays.arctan(s * x[0] * x[1] + 0.2)
        for _ in range(3):
            y = arrays.sin(1.3 * arrays.arctan(2.0 * y - 0.5 * (y - arrays.arctan(y * x[1]))))
        return s * y

    def tyres(x: Any) -> dict[str, Any]:
        return {
            "y": [tyre([x[2 * k] + 0.1 * k, x[2 * k + 1]], s) for k, s in enumerate((1.0, -1.0, 1.0, -1.0))]
        }

    traced = trace("tyres", tyres, {"x": 8})
    text = emit_llvm(traced, pairs=True)
    assert text.count("= call {") == 1 + 3 * 3
    assert all(f"@{name}_of_4" in text for name in ("atan", "sincos"))
    assert_same_bits(traced, np.random.default_rng(2).uniform(0.2, 0.9, 8))


def test_products_join_sums_alike_on_both_sides() -> None:
    """a b + c d has one product joined: the same one wherever it stands, and whatever its sign."""
    traced = trace(
        "sums",
        lambda x: {"y": [x[0] * x[1] + (x[2] + x[3]) * x[0], (x[6] + x[7]) * x[4] - x[4] * x[5]]},
        {"x": 8},
    )
    code = code_of(traced)
    joined = [n for n in range(len(code.op)) if code.op[n] >= 64]
    (a, b) = joined
    # the product that is left by itself is of the same kind
    marks = number_formulas(code_of(traced, fuse=False))
    assert marks[code.operands[a, 2]] == marks[code.operands[b, 2]]
    assert len(Pairs(code).of) == 6
