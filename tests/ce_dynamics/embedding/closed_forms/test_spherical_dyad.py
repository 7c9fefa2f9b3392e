"""Triangles on a sphere, side by side and one after the other: against the augmented form."""

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.embedding.closed_forms.spherical_dyad import SphericalDyad, keeps_point
from ce_dynamics.embedding.closed_forms.step import InnerLinkage
from ce_dynamics.embedding.embed import embed
from tests.ce_dynamics.embedding.closed_forms.test_leg_linkage import rotation
from tests.support.augmented import largest_difference


def wrist(one_after_the_other: bool, seed: int, centre: tuple[float, float, float]) -> ce.System:
    """Two motors about a point, whose cranks move two bars hinged together; all axes meet in the point."""
    R = rotation(seed) if seed else np.eye(3)
    at = np.array(centre)
    s = ce.System(gravity=R @ (0.0, 0.0, -9.81))

    def bar(name: str, parent: str, axis: tuple[float, ...]) -> ce.Body:
        u = R @ np.array(axis)
        return s.add_body(
            name,
            mass=1.0,
            com=at + 0.3 * u + R @ (0.05, 0.02, 0.1),
            inertia=R @ np.diag((0.1, 0.12, 0.15)) @ R.T,
            parent=parent,
            hinge=ce.Revolute(u, at=at - 0.4 * u),
        )

    base = bar("base", "ground", (0.2, 0.1, 1.0))
    bar("left", base.name, (1.0, 0.0, 0.1))
    bar("right", base.name, (0.0, 1.0, -0.1))
    bar("a", "left", (0.3, -0.8, 0.5))
    axis = R @ (0.5, 0.4, 0.8)
    if one_after_the_other:
        s.add_body("flange", mass=0.1, com=at, inertia=(0.01,) * 3, parent="a", hinge=ce.Fixed(at))
        bar("b", "flange", (0.7, 0.5, -0.6))
        s.close_loop("joint", "b", "right", ce.Revolute(axis, at=at), independent=["left", "right"])
    else:
        bar("b", "right", (0.9, 0.2, -0.4))
        s.close_loop("joint", "b", "a", ce.Revolute(axis, at=at), independent=["left", "right"])
    return s


@pytest.mark.parametrize("one_after_the_other", [False, True])
@pytest.mark.parametrize(("seed", "centre"), [(0, (0.0, 0.0, 0.0)), (3, (0.4, -2.0, 3.0))])
def test_wrists(one_after_the_other: bool, seed: int, centre: tuple[float, float, float]) -> None:
    """The condition of the augmented matrix is some 1e4, and rounding of what is metres away 1e-15 of it."""
    embedding = embed(wrist(one_after_the_other, seed, centre))
    (linkage,) = (link for S in embedding.aggregates for link in S.linkages)
    found = linkage.stands_for if isinstance(linkage, InnerLinkage) else linkage
    assert isinstance(found, SphericalDyad)
    assert found.serial == one_after_the_other
    assert largest_difference(embedding, around=0.2) < 1e-11


def test_hinges_that_keep_a_point() -> None:
    point, like = np.array((1.0, 2.0, 3.0)), ce.Revolute((0, 0, 1), at=(1, 2, 0))
    kept = (ce.Fixed(), ce.Revolute((1, 2, 3)), ce.Spherical(point), ce.Revolute((0, 1, 0), at=(1, 9, 3)))
    left = (ce.Revolute((1, 2, 3), at=(0, 0, 1e-6)), ce.Spherical((1, 2, 3.000001)), ce.Prismatic((1, 2, 3)))
    assert all(keeps_point(hinge, point, like) for hinge in kept)
    assert not any(keeps_point(hinge, point, like) for hinge in left)
