from typing import Any

import pytest

import ce_dynamics as ce
from ce_dynamics import augmented
from ce_dynamics.models import environments, hmmwv, kc
from ce_dynamics.views.scene import rod

FORMER = [
    (hmmwv, "settled", "settle"), (environments, "prepared", "prepare_vehicle"),
    (augmented, "Poses", "StoredPoses"), (kc, "forced", "force_sweep"),
    (kc.KCRig, "solved", "solve_poses"), (rod((0, 0, 0), (1, 0, 0), 0.1), "painted", "paint"),
]  # fmt: skip


@pytest.mark.parametrize(("owner", "old", "new"), FORMER)
def test_former_names_warn_and_return_the_present(owner: Any, old: str, new: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"{old} is now called {new}") as caught:
        found = getattr(owner, old)
    assert found == getattr(owner, new)
    assert caught[0].filename == __file__
    with pytest.raises(AttributeError):
        getattr(owner, f"{old}_no_more")


def test_former_methods_of_subclasses_override() -> None:
    """A coupling that was written for `solved` solves."""
    with pytest.warns(DeprecationWarning, match="Twice.solved is now called solve"):

        class Twice(ce.Coupling):
            def residual(self, q: Any) -> Any:
                return q[1] - 2.0 * q[0]

            def solved(self, k: int, q: Any) -> Any:
                return 2.0 * q[0]

    assert Twice().solve(1, [3.0, 0.0]) == 6.0
