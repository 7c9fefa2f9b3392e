"""The order of instructions around calls: what waits lets others go first, nothing precedes its operands."""

from hypothesis import given, strategies as st

from ce_dynamics.compiler.codegen.pairs import as_it_gets_ready
from ce_dynamics.compiler.tracing.operations import Op
from tests.searching import examples

INPUT, ADD, MUL, ATAN = int(Op.INPUT), int(Op.ADD), int(Op.MUL), int(Op.ATAN)


def test_work_that_does_not_wait_goes_between_calls() -> None:
    op = [INPUT, ATAN, ATAN, ADD, ADD]  # 0 is there; 2 reads 1; 3 and 4 read 0
    reads = [[], [0], [1], [0], [3]]
    assert list(as_it_gets_ready([(1,), (2,), (3,), (4,)], reads, op)) == [(1,), (3,), (4,), (2,)]


def test_without_waiting_the_order_stays() -> None:
    op, reads = [INPUT, *[ADD] * 40], [[], *[[0]] * 40]
    units = [(n,) for n in range(1, 41)]
    assert list(as_it_gets_ready(units, reads, op)) == units


@examples(50)
@given(
    st.lists(
        st.tuples(st.sampled_from([ADD, MUL, ATAN]), st.integers(0, 100), st.integers(0, 100)), max_size=60
    )
)
def test_everything_comes_once_and_after_what_it_reads(drawn: list[tuple[int, int, int]]) -> None:
    op = [INPUT]
    reads: list[list[int]] = [[]]
    for k, (kind, a, b) in enumerate(drawn, start=1):
        op.append(kind)
        reads.append([a % k] if kind == ATAN else [a % k, b % k])
    # neighbours that do not need each other are a unit
    units: list[tuple[int, ...]] = []
    n = 1
    while n < len(op):
        pair = n + 1 < len(op) and op[n] == op[n + 1] and n not in reads[n + 1]
        units.append((n, n + 1) if pair else (n,))
        n += len(units[-1])
    found = [tuple(unit) for unit in as_it_gets_ready(units, reads, op)]
    assert sorted(found) == units
    there = {0}
    for unit in found:
        assert all(m in there for k in unit for m in reads[k])
        there.update(unit)
