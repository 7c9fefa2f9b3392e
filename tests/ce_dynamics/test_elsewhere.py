"""The mechanisms of other tests, each at one of the places of the campaign ``orientations --builders``."""

import pytest

from tests.campaigns.orientations.builders import EVERYWHERE, HOMES, There, fits, put

LONG = (
    "A02 1 four-bars", "A02 5 four-bars", "linkage: double arms by equations", "linkage: four-bar, skew",
    "linkage: planar double wishbone", "linkage: rear left", "linkage: shock, planar",
    "linkage: skew double wishbone", "linkage: wishbone loop",
)  # fmt: skip
"""Left to the command: others are like them."""


@pytest.mark.filterwarnings("ignore::ce_dynamics.errors.PhysicalityWarning")  # of published data
@pytest.mark.parametrize(
    ("name", "there"),
    [(name, EVERYWHERE[(3 * k + 1) % len(EVERYWHERE)]) for k, name in enumerate(HOMES) if name not in LONG],
)
def test_a_mechanism_elsewhere_moves_as_at_home(name: str, there: There) -> None:
    verdict = put(name, there)
    assert fits(name, there, verdict), verdict
