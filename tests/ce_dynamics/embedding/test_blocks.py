"""Closures solved one after the other, against the same closures solved at once and the augmented form."""

from collections.abc import Sequence

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.augmented import FullyAugmented, compute_accelerations
from ce_dynamics.embedding import complete
from ce_dynamics.embedding.blocks import blocks
from ce_dynamics.embedding.closures.loop import Loop

AXIS = np.array((0.2, 1.0, -0.3)) / np.linalg.norm((0.2, 1.0, -0.3))
E1 = np.cross(AXIS, (0.0, 0.0, 1.0)) / np.linalg.norm(np.cross(AXIS, (0.0, 0.0, 1.0)))
E2 = np.cross(AXIS, E1)


def at(x: float, y: float) -> Array:
    return np.asarray(0.3 + x * E1 + y * E2)


def stacked() -> ce.System:
    """A five-bar whose tip carries another one's foot: the second needs what the first finds."""
    s = ce.System()
    for name, parent, a, b in (
        ("left", "ground", (-0.5, 0.0), (-0.9, 0.8)),
        ("right", "ground", (0.5, 0.0), (0.9, 0.8)),
        ("left_rod", "left", (-0.9, 0.8), (0.0, 1.5)),
        ("right_rod", "right", (0.9, 0.8), (0.0, 1.5)),
        ("arm", "left_rod", (0.0, 1.5), (-0.2, 2.2)),
        ("arm_rod", "arm", (-0.2, 2.2), (1.3, 2.0)),
        ("lever", "right_rod", (0.6, 1.2), (1.3, 2.0)),
    ):
        start, end = at(*a), at(*b)
        s.add_body(
            name,
            mass=1.0,
            com=0.5 * (start + end) + 0.05 * AXIS,
            inertia=(0.1, 0.12, 0.15),
            parent=parent,
            hinge=ce.Revolute(AXIS, start),
        )
    s.close_loop("lower", "left_rod", "right_rod", ce.Revolute(AXIS, at(0.0, 1.5)), ["left", "right"])
    s.close_loop("upper", "arm_rod", "lever", ce.Revolute(AXIS, at(1.3, 2.0)), ["arm"])
    return s


def loop_of(s: ce.System, dependent: Sequence[ce.Body]) -> Loop:
    return Loop(s.ground, tuple(s.bodies), tuple(s.closures), tuple(dependent))


def parts_of(s: ce.System) -> list[Loop]:
    dependent = [s.find(name) for name in ("left_rod", "right_rod", "arm_rod", "lever")]
    return blocks(loop_of(s, dependent))


def at_once(loop: Loop) -> list[Loop]:
    return [loop]


def test_what_can_be_solved_first_is() -> None:
    first, second = parts_of(stacked())
    assert [edge.name for edge in first.closures] == ["lower"]
    assert [body.name for body in first.dependent] == ["left_rod", "right_rod"]
    assert [body.name for body in second.dependent] == ["arm_rod", "lever"]
    assert second.parent.is_ground  # both branches go down to it


def test_loops_that_need_each_other_stay_together() -> None:
    s = stacked()
    dependent = [s.find(name) for name in ("left", "right_rod", "arm_rod", "lever")]
    s.closures = list(reversed(s.closures))
    # "upper" sees all four unknowns with two conditions in the plane; "lower" alone finds its two
    assert [len(part.dependent) for part in blocks(loop_of(s, dependent))] == [2, 2]
    dependent = [s.find(name) for name in ("left", "right", "left_rod", "right_rod")]
    assert len(blocks(loop_of(s, dependent))) == 1


def test_the_same_accelerations_as_at_once(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    model = ce.compile(stacked())
    [S] = [S for S in model.embedding.aggregates if S.closures]
    assert len(S.linkages) == 2
    monkeypatch.setattr(complete, "blocks", at_once)
    whole = ce.compile(stacked())
    dae = FullyAugmented(model.system)
    none = np.zeros(0)
    for _ in range(3):
        q, v = rng.uniform(-0.15, 0.15, 3), rng.uniform(-1.0, 1.0, 3)
        one, other = (each.accelerations(q, v) for each in (model, whole))
        # both close their loops to 4e-13, whose condition is some tens
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)
        bodies = compute_accelerations(model.embedding, q, v, none, none)
        found = np.concatenate([bodies[body.name] for body in model.system.bodies])
        expected = dae.accelerations(dae.state_from_embedded(model.embedding, q, v, none)).V_dot
        assert np.max(np.abs(found - expected)) < 1e-10 * np.max(np.abs(expected))
