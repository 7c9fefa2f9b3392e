"""Hardpoints for wanted curves: what was hidden is found again; bounds, dead ends, mistakes; scatter."""

from typing import Any

import numpy as np
import pytest

from ce_dynamics.errors import AssemblyError, DataError
from ce_dynamics.models import kc

VARIED = [
    f"front.{p}" for p in ("L.x", "L.y", "L.z", "upper_arm.front_pivot.z", "upper_arm.rear_pivot.z", "D.z")
]
TRAVEL = np.linspace(-0.08, 0.08, 17)


@pytest.fixture(scope="module")
def rig() -> kc.KCRig:
    return kc.rig_of("sedan", "front", free=VARIED)


def bounds(rig: kc.KCRig, room: float = 0.03) -> dict[str, tuple[float, float]]:
    return {name: (rig.nominal[name] - room, rig.nominal[name] + room) for name in VARIED}


def curves(rig: kc.KCRig, parameters: dict[str, float]) -> dict[str, Any]:
    names = ["toe_angle", "camber_angle", "caster_angle", "roll_centre_height"]
    return rig.read(rig.solve_poses(np.stack((TRAVEL, TRAVEL), axis=1), 0.0, parameters), names)


@pytest.mark.parametrize("seed", range(3))
def test_six_coordinates_are_found_from_their_curves(rig: kc.KCRig, seed: int) -> None:
    """Curves of a car that differs by up to 8 mm: its hardpoints come out to 1e-6 m."""
    steps = 0.008 * np.random.default_rng(seed).uniform(-1.0, 1.0, len(VARIED))
    hidden = {name: rig.nominal[name] + d for name, d in zip(VARIED, steps, strict=True)}
    wanted = curves(rig, hidden)
    tolerances = {"toe_angle": 1e-4, "camber_angle": 1e-3, "caster_angle": 1e-3, "roll_centre_height": 1e-3}
    targets = [
        kc.Target(
            name, wanted[name] if wanted[name].ndim == 1 else wanted[name][:, 0], tolerance, values=TRAVEL
        )
        for name, tolerance in tolerances.items()
    ]
    found = kc.optimise(rig, bounds(rig), targets)
    assert found.converged
    assert np.all(found.before > 0.1)
    assert np.all(found.after < 1e-6)
    for name in VARIED:
        assert found.parameters[name] == pytest.approx(hidden[name], abs=1e-6)
    assert found.at_bounds == ()
    text = str(found)
    assert all(name in text for name in VARIED)
    assert list(found.influence.values()) == sorted(found.influence.values(), reverse=True)


def test_a_bound_is_kept_and_named(rig: kc.KCRig) -> None:
    """A roll centre 10 mm lower than the bounds allow: the upper arm's pivot stops at its bound."""
    name = "front.upper_arm.front_pivot.z"
    low, high = rig.nominal[name] - 1e-3, rig.nominal[name] + 1e-3
    found = kc.optimise(rig, {name: (low, high)}, [kc.Target("roll_centre_height", 0.10, 1e-3)])
    assert found.at_bounds == (name,)
    assert min(abs(found.parameters[name] - bound) for bound in (low, high)) < 1e-5
    assert found.after[0] > 1.0


def test_steps_beyond_assembly_are_taken_back(rig: kc.KCRig) -> None:
    """Far too much toe is wanted: the search runs into tie rods that cannot reach, and still ends."""
    wide = {"front.L.y": (-0.3, 0.75), "front.L.z": (-0.8, 0.7)}
    wanted = kc.Target("toe_angle", np.linspace(-0.6, 0.6, len(TRAVEL)), 1e-3, values=TRAVEL)
    found = kc.optimise(rig, wide, [wanted])
    assert found.after[0] < found.before[0]
    rig.solve_poses(np.stack((TRAVEL, TRAVEL), axis=1), 0.0, found.parameters)  # it can be assembled


@pytest.mark.parametrize(
    ("vary", "targets", "words"),
    [
        ({}, [kc.Target("track", 1.6, 1e-3)], "nothing is to be varied"),
        ({"front.L.x": (-0.3, -0.1)}, [], "no target"),
        ({"front.K.x": (-0.3, 0.1)}, [kc.Target("track", 1.6, 1e-3)], "front.K.x"),
        ({"front.L.x": (0.0, 0.1)}, [kc.Target("track", 1.6, 1e-3)], "not between"),
        ({"front.L.x": (-0.3, -0.1)}, [kc.Target("trick", 1.6, 1e-3)], "trick"),
        ({"front.L.x": (-0.3, -0.1)}, [kc.Target("track", [1.6, 1.6], 1e-3)], "shape"),
    ],
)
def test_mistakes_are_named(rig: kc.KCRig, vary: Any, targets: Any, words: str) -> None:
    with pytest.raises(DataError, match=words):
        kc.optimise(rig, vary, targets)


def test_mistakes_in_targets_are_named(rig: kc.KCRig) -> None:
    with pytest.raises(DataError, match="tolerance"):
        kc.Target("track", 1.6, 0.0)
    with pytest.raises(DataError, match="finite"):
        kc.Target("track", np.nan, 1e-3)
    with pytest.raises(DataError, match="both"):
        kc.Target("track", 1.6, 1e-3, side="middle")
    with pytest.raises(AssemblyError, match="cannot be reached"):
        kc.optimise(rig, bounds(rig), [kc.Target("track", 1.6, 1e-3, values=[0.9])])


def test_small_scatter_is_the_linear_estimate(rig: kc.KCRig) -> None:
    """σ = 20 µm: standard deviations of 800 runs have an error of 1/√(2·799) = 2.5 %; four of these."""
    spreads = dict.fromkeys(VARIED, 2e-5)
    found = kc.scatter(rig, spreads, "parallel", [-0.05, 0.05], quantities=["toe_angle", "track"], runs=800)
    for name in ("toe_angle", "track"):
        scatter = found[name]
        assert scatter.failed == 0
        np.testing.assert_allclose(scatter.spread, scatter.estimated, rtol=0.1)
        assert sum(scatter.contributions.values()) == pytest.approx(np.ones(scatter.nominal.shape))
        low, high = scatter.percentiles()
        assert np.all((low < scatter.nominal) & (scatter.nominal < high))
    assert found["toe_angle"].curves.shape == (800, 2, 2)
    uniform = kc.scatter(
        rig, spreads, "parallel", [0.05], quantities=["track"], runs=800, distribution="uniform"
    )["track"]
    np.testing.assert_allclose(uniform.spread, uniform.estimated, rtol=0.1)
    np.testing.assert_allclose(uniform.estimated, found["track"].estimated[1:] / np.sqrt(3.0), rtol=1e-12)


def test_runs_that_cannot_be_assembled_are_counted(rig: kc.KCRig) -> None:
    found = kc.scatter(rig, {"front.D.z": 0.3}, "parallel", [0.05], quantities=["track"], runs=30)["track"]
    assert 0 < found.failed < 30
    assert len(found.curves) == 30 - found.failed
    with pytest.raises(DataError, match="runs"):
        kc.scatter(rig, {}, "parallel", quantities=["track"], runs=1)
    with pytest.raises(DataError, match="spread"):
        kc.scatter(rig, {"front.D.z": -1.0}, "parallel", quantities=["track"])
