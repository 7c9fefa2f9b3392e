"""The order of integrators on a vehicle that passes corners of its tables."""

from itertools import pairwise

from tests.campaigns.performance.convergence import errors


def test_rk4_keeps_order_across_corners_of_motor_map() -> None:
    """Two corners in three seconds, which without roundings leave 6e-9, 7e-9, 1e-10 m.

    A halved step leaves a sixteenth of the error; of a step twice as long that term alone is not all.
    """
    found = errors("sedan-electric", steps=(1e-3, 5e-4, 2.5e-4))
    assert found[0] < 2e-9
    for long, short in pairwise(found):
        assert 12.0 < long / short < 22.0
