"""Assembly from a rough guess of a loop that only moves because its lengths are special: Bricard (A04).

The chain is drawn with its hinges turned at random, so that its end lies somewhere else than where the
closure wants it; the closure is written between two frames that are apart in that drawing.
"""

from dataclasses import dataclass

import numpy as np
import pytest

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.rotation import rotation_about
from ce_dynamics.augmented import FullyAugmented, compute_accelerations
from ce_dynamics.compiled.model import Model
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel
from ce_dynamics.embedding.closures.loop import Loop
from ce_dynamics.embedding.embed import embed
from ce_dynamics.errors import AssemblyError, ModelError
from ce_dynamics.mechanism.checked import across
from ce_dynamics.mechanism.hinges import Revolute
from ce_dynamics.mechanism.hinges.conditions import Angle, Coincident, Condition
from ce_dynamics.mechanism.system import System

POINTS = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
AXES = np.array([(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)], dtype=float)


@dataclass(frozen=True, eq=False)
class Apart:
    """A revolute closure whose ends are apart in the design pose."""

    at_parent: Array
    at_child: Array
    constraints: tuple[Condition, ...]


def drawn(angles: Array, longer: float = 0.0) -> System:
    """The chain of five bars with its hinges turned; the fourth bar may be too long."""
    system = System(gravity=(0.0, -9.81, 0.0))
    R, shift, parent = np.eye(3), np.zeros(3), "ground"
    for k in range(5):
        along = np.abs(POINTS[k + 1] - POINTS[k])
        inertia = np.diag(along * (0.02 / 12.0) + (1.0 - along) * (1.01 / 12.0))
        at, axis = R @ POINTS[k] + shift, R @ AXES[k]
        turn = rotation_about(axis, np.cos(angles[k]), np.sin(angles[k]))
        R, shift = turn @ R, at + turn @ (shift - at)
        com = R @ (0.5 * (POINTS[k] + POINTS[k + 1])) + shift
        name = f"bar {k + 1}"
        hinge = Revolute(axis, at)
        system.add_body(name, mass=1.0, com=com, inertia=R @ inertia @ R.T, parent=parent, hinge=hinge)
        if k == 3:
            shift = shift + longer * (R @ (POINTS[4] - POINTS[3]))
        parent = name
    e1, e2 = across(AXES[5])
    end, axis = R @ POINTS[5] + shift, R @ AXES[5]
    closure = Apart(end, POINTS[5], (Coincident(), Angle(axis, e1), Angle(axis, e2)))
    system.close_loop("last", parent, "ground", closure, ["bar 1"])
    return system


@pytest.mark.parametrize("size", [0.0, 0.05, 0.2, 0.4])
def test_bricard_is_assembled_from_a_rough_guess(size: float, rng: np.random.Generator) -> None:
    """One freedom is found where counting gives none, whatever configuration the search leads to."""
    for _ in range(3):
        angles = rng.uniform(-size, size, 5)
        system = drawn(angles)
        model = Model(system)
        assert model.embedding.n_v == 1
        full = FullyAugmented(system)
        nothing = np.zeros(0)
        q, v = model.y0[:1], np.array((0.7,))
        y = full.state_from_embedded(model.embedding, q, v, nothing, nothing)
        constraints = full.at(y, nothing).constraints
        assert np.max(np.abs(constraints.g)) < 1e-13
        assert np.max(np.abs(constraints.rate)) < 1e-12
        by_body = compute_accelerations(model.embedding, q, v, nothing, nothing)
        found = np.concatenate([by_body[body.name] for body in system.bodies])
        expected = full.accelerations(y, nothing).V_dot
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9 * np.max(np.abs(expected)))


def test_led_to_its_known_configuration(rng: np.random.Generator) -> None:
    """With the first hinge where it belongs the others have to return to where they were."""
    angles = np.concatenate(((0.0,), rng.uniform(-0.1, 0.1, 4)))
    model = Model(drawn(angles))
    outward = model.instant(model.y0, model.u0).outward
    found = [float(outward.coordinate(body)) for body in model.system.bodies]
    np.testing.assert_allclose(found, -angles, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("longer", [0.05, 0.5])
def test_a_bar_too_long_is_refused(longer: float) -> None:
    """Then the loop does not move, or does not close: the error names the loop or the closure."""
    with pytest.raises((ModelError, AssemblyError), match=r"'last'|'bar 1'"):
        embed(drawn(np.zeros(5), longer))


def test_far_too_long_bar_names_closure_and_gap() -> None:
    """Four bars of 1 m cannot bridge 9 m: 5 m stay open, of which one component is 5/√3 m at least."""
    with pytest.raises(AssemblyError, match=r"closure 'last' stays open by [3-9]"):
        embed(drawn(np.zeros(5), 8.0))


def test_rows_across_a_plane_are_not_live(rng: np.random.Generator) -> None:
    """Two of the five conditions of a hinge in a planar loop are live, in any pose."""
    system, axis = System(), (0.0, 1.0, 0.0)
    carrier, bars = system.ground, []
    for x, z in ((0.0, 0.0), (0.2, 0.3), (1.1, 0.8)):
        hinge = Revolute(axis, (x, 0.0, z))
        carrier = system.add_body(
            f"at {x}", mass=1.0, com=(x, 0.0, z), inertia=(1, 1, 1), parent=carrier, hinge=hinge
        )
        bars.append(carrier)
    system.close_loop("end", carrier, system.ground, Revolute(axis, (1.2, 0.0, 0.0)))
    kernel = LoopKernel(Loop(system.ground, tuple(bars), tuple(system.closures), tuple(bars)), ())
    poses = [kernel(q, kernel.p0)[1] for q in rng.uniform(-3.0, 3.0, (5, 3))]
    moving = np.max([np.max(np.abs(Y), axis=1) for Y in poses], axis=0) > 1e-12  # rounding is 1e-15
    assert np.sum(moving) == 2
    assert np.array_equal(moving, kernel.live)
