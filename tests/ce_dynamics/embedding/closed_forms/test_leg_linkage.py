"""Legs in closed form, against the augmented equations, which have no legs, and against plain distances."""

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiled.model import Model
from ce_dynamics.embedding.closed_forms.leg import LegLinkage
from ce_dynamics.embedding.embed import embed
from tests.support.augmented import largest_difference
from tests.support.stewart import Leading, points, stewart


def rotation(seed: int) -> Array:
    Q, R = np.linalg.qr(np.random.default_rng(seed).standard_normal((3, 3)))
    Q = Q * np.sign(np.diag(R))
    proper: Array = Q * np.sign(np.linalg.det(Q))
    return proper


CASES: list[tuple[Leading, dict[str, bool | float]]] = [
    ("platform", {"offset": 0.1}), ("platform", {"skew": True, "revolutes": True}), ("legs", {}),
    ("legs", {"skew": True, "offset": -0.2}), ("legs", {"on_a_leg": True, "revolutes": True}),
]  # fmt: skip


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("lead", "how"), CASES)
def test_accelerations_are_those_of_the_augmented_form(
    lead: Leading, how: dict[str, bool | float], turned: bool
) -> None:
    """Condition of the augmented matrix some 1e4, of which 1e-16 is lost: 1e-12 with room for sums."""
    system = stewart(lead, R=rotation(7) if turned else None, **how)  # type: ignore[arg-type]
    embedding = embed(system)
    legs = [link for S in embedding.aggregates for link in S.linkages if isinstance(link, LegLinkage)]
    assert len(legs) == (5 if how.get("on_a_leg") else 6)
    assert largest_difference(embedding, around=0.08) < 1e-12


@pytest.fixture(scope="module")
def led_by_legs() -> Model:
    return Model(stewart("legs"))


def test_no_leg_is_solved_by_newtons_method(led_by_legs: Model) -> None:
    """Six of 24 unknowns are left: the legs' hinges cost about as much as if the platform led."""
    (aggregate,) = led_by_legs.system.describe().aggregates
    assert sum("telescope on a universal hinge" in how for how in aggregate.solved_by) == 6
    assert led_by_legs.trace_dynamics().n_instructions < 24_000


def test_leg_lengths_at_a_wanted_pose_are_distances(led_by_legs: Model) -> None:
    """|head − foot| less that of the design pose, by vectors alone; `CLOSE` is 1e-10."""
    feet, heads = points()
    angle, shift = 0.2, np.array((0.03, -0.05, 0.06))
    R = np.array(((np.cos(angle), -np.sin(angle), 0.0), (np.sin(angle), np.cos(angle), 0.0), (0.0, 0.0, 1.0)))
    centre = heads.mean(axis=0)
    frame = led_by_legs.frame("platform", centre)
    found = led_by_legs.inverse_kinematics({frame: (centre + shift, R)})
    moved = centre + shift + (heads - centre) @ R.T
    expected = np.linalg.norm(moved - feet, axis=1) - np.linalg.norm(heads - feet, axis=1)
    lengths = [found.coordinates[f"upper{k}"] for k in range(6)]
    np.testing.assert_allclose(lengths, expected, rtol=0.0, atol=2e-10)
    np.testing.assert_allclose(found.poses.rotations[0], R, rtol=0.0, atol=2e-10)


def test_a_leg_that_something_hangs_on_is_none() -> None:
    system = stewart("platform")
    lower, platform = system.find("lower0"), system.find("platform")
    bracket = system.add_body(
        "bracket", mass=0.1, com=(0.7, 0, 0.4), inertia=(1e-3, 1e-3, 1e-3), parent=lower,
        hinge=ce.Spherical(at=(0.7, 0, 0.4)),
    )  # fmt: skip
    eye = system.add_body(
        "eye", mass=0.1, com=(0.5, 0, 0.7), inertia=(1e-3, 1e-3, 1e-3), parent=bracket,
        hinge=ce.Prismatic((-0.2, 0, 0.3), at=(0.5, 0, 0.7)),
    )  # fmt: skip
    system.close_loop("strut", eye, platform, ce.Universal((0, 1, 0), (0.3, 0, 0.2), at=(0.5, 0, 0.7)))
    embedding = embed(system)
    found = [name for S in embedding.aggregates for link in S.linkages for name in link.determines
             if isinstance(link, LegLinkage)]  # fmt: skip
    assert "lower0" not in found
    assert "lower1" in found


def test_ball_joint_on_ground_ends_no_leg() -> None:
    """Two freedoms, and a rod whose ball joint holds it on the ground: the end on the ground has no hinge."""
    s = ce.System()
    arm = s.add_body("arm", mass=1.0, inertia=(0.1,) * 3, parent=s.ground, hinge=ce.Spherical((0, 0, 0)))
    rod = s.add_body(
        "rod", mass=1.0, inertia=(0.1,) * 3, parent=arm, hinge=ce.Universal((0, 1, 0), (0, 0, 1), (1, 0, 0))
    )
    s.close_loop("ball", s.ground, rod, ce.Spherical((1.5, 0.2, 0.8)))
    embedding = embed(s)
    assert embedding.n_v == 2
    assert largest_difference(embedding, around=0.1) < 1e-12
