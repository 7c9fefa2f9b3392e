"""Tables: what is read, and what they are known by."""

import gc
import math
import pickle

import numpy as np
import pytest

from ce_dynamics.algebra.tables import Table, known_table, look_up


def test_numbers_are_read_at_index_plus_offset() -> None:
    table = Table(np.arange(10.0) ** 2, reach=3)
    assert table.last == 6
    assert [table.at(4.0, k) for k in range(4)] == [16.0, 25.0, 36.0, 49.0]


@pytest.mark.parametrize(("index", "read"), [(-5.0, 0.0), (math.nan, 0.0), (1e300, 8.0), (math.inf, 8.0)])
def test_memory_beyond_the_ends_is_never_read(index: float, read: float) -> None:
    assert Table(np.arange(10.0), reach=1).at(index) == read


def test_equal_content_has_an_equal_key() -> None:
    numbers = np.linspace(0.0, 1.0, 7)
    one, same = Table(numbers, 2), Table(numbers, 2)
    others = [Table(numbers, 1), Table(numbers + 1e-15, 2), Table(numbers[:-1], 2)]
    assert one.key == same.key
    assert one.key not in [other.key for other in others]
    assert float(one.key) == one.key < 2**52
    assert one is same
    assert pickle.loads(pickle.dumps(one)) is one


def test_a_table_is_known_while_something_holds_it() -> None:
    table = Table([math.pi, math.e])
    key = table.key
    assert known_table(key) is table
    del table
    gc.collect()
    assert known_table(key) is None
    with pytest.raises(LookupError, match="gone"):
        look_up(0.0, float(key), 0.0)


def test_wrong_offsets_are_refused() -> None:
    with pytest.raises(ValueError, match="reach"):
        Table([1.0, 2.0], reach=2)
    with pytest.raises(ValueError, match="offset"):
        Table([1.0, 2.0], reach=1).at(0.0, 2)
