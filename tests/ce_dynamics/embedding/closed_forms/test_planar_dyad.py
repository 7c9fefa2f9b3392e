"""Triangles of two bars, side by side and one after the other: against the augmented form."""

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.embedding.closed_forms.planar import PlanarBars, keeps_plane
from ce_dynamics.embedding.embed import embed
from tests.ce_dynamics.embedding.closed_forms.test_leg_linkage import rotation
from tests.support.augmented import largest_difference


def five_bar(one_after_the_other: bool, R: Array, side: float, turned_axis: bool) -> ce.System:
    """Two cranks and two couplers, whose points lie in different parallel planes."""

    def place(x: float, y: float, z: float) -> Array:
        placed: Array = R @ (x, y * side, z)
        return placed

    s = ce.System(gravity=place(0.0, -9.81, 0.0), name="five-bar")
    z = R @ (0.0, 0.0, 1.0)
    inertia = R @ np.diag((0.1, 0.2, 0.3)) @ R.T

    def bar(name: str, parent: str, at: Array, com: Array, axis: Array) -> None:
        s.add_body(name, mass=1.0, com=com, inertia=inertia, parent=parent, hinge=ce.Revolute(axis, at=at))

    bar("left", "ground", place(0, 0, 0), place(-0.1, 0.3, 0.1), z)
    bar("right", "ground", place(1, 0, 0), place(1.1, 0.3, -0.1), -z)
    bar("a", "left", place(-0.2, 0.6, 0.05), place(0.1, 0.8, 0.1), -z if turned_axis else z)
    joint, far = place(0.45, 1.3, 0.05), place(1.2, 0.6, 0.07)
    if one_after_the_other:
        s.add_body("flange", mass=0.1, com=joint, inertia=(0.01,) * 3, parent="a", hinge=ce.Fixed())
        bar("b", "flange", joint, place(0.8, 0.9, 0.1), z)
        s.close_loop("joint", "b", "right", ce.Revolute(z, at=far), independent=["left", "right"])
    else:
        bar("b", "right", far, place(0.8, 0.9, 0.1), z)
        s.close_loop("joint", "b", "a", ce.Spherical(at=joint), independent=["left", "right"])
    return s


@pytest.mark.parametrize("one_after_the_other", [False, True])
@pytest.mark.parametrize(("seed", "side", "turned_axis"), [(0, 1.0, False), (1, -1.0, True)])
def test_five_bars(one_after_the_other: bool, seed: int, side: float, turned_axis: bool) -> None:
    """The condition of the augmented matrix is some 1e3; 1e-12 leaves as much again for sums."""
    R = np.eye(3) if seed == 0 else rotation(seed)
    embedding = embed(five_bar(one_after_the_other, R, side, turned_axis))
    ((linkage,),) = (S.linkages for S in embedding.aggregates)
    assert isinstance(linkage, PlanarBars)
    assert largest_difference(embedding, around=0.2) < 1e-12


def test_hinges_that_keep_a_plane() -> None:
    z = np.array((0.0, 0.0, 1.0))
    kept = (ce.Fixed(), ce.Revolute((0, 0, -2)), ce.Prismatic((1, 2, 0)), ce.Planar((0, 0, 1)))
    left = (
        ce.Revolute((0, 1e-6, 1)), ce.Prismatic((1, 0, 0.1)), ce.Planar((0, 1, 1)),
        ce.Universal((0, 0, 1), (1, 0, 0)), ce.Cylindrical((0, 0, 1)),
    )  # fmt: skip
    assert all(keeps_plane(hinge, z) for hinge in kept)
    assert not any(keeps_plane(hinge, z) for hinge in left)
