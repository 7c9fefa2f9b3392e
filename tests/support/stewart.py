"""Stewart platforms, described in the ways in which users and files describe them."""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array

Leading = Literal["platform", "legs", "nothing"]
BASE = np.radians((-8.0, 8.0, 112.0, 128.0, 232.0, 248.0))
TOP = np.radians((-52.0, 52.0, 68.0, 172.0, 188.0, 292.0))


def points(R: Array | None = None) -> tuple[Array, Array]:
    """Feet and heads of the legs [m]; ``R`` turns everything."""
    feet = np.array([(0.75 * math.cos(a), 0.75 * math.sin(a), 0.0) for a in BASE])
    heads = np.array([(0.4 * math.cos(a), 0.4 * math.sin(a), 0.8) for a in TOP])
    return (feet, heads) if R is None else (feet @ R.T, heads @ R.T)


def stewart(
    lead: Leading = "legs",
    *,
    revolutes: bool = False,
    on_a_leg: bool = False,
    skew: bool = False,
    offset: float = 0.0,
    R: Array | None = None,
) -> ce.System:
    """Six legs, each a lower half on a universal hinge and an upper half that slides along it.

    Parameters
    ----------
    lead : str
        What the closures name as independent.
    revolutes : bool
        Whether universal hinges are two revolute ones with a small body between.
    on_a_leg : bool
        Whether the tree reaches the platform by the first leg, not by a free hinge.
    skew : bool
        Whether the axes of the universal hinges are neither perpendicular to each other nor to the legs.
    offset : float
        How far the line along which an upper half slides passes by the foot [m].
    R : (3, 3) array, optional
        Turns everything.
    """
    turn = np.eye(3) if R is None else R
    feet, heads = points(R)
    s = ce.System(gravity=(turn @ (0.0, 0.0, -9.81)).tolist(), name="stewart")
    up = turn @ (0.0, 0.0, 1.0)
    names = []
    platform: ce.Body | None = None
    if not on_a_leg:
        platform = top(s, s.ground, ce.Free(at=heads.mean(axis=0)), turn)
        names.append("platform")
    ends: list[ce.Body] = []
    for k, (foot, head) in enumerate(zip(feet, heads, strict=True)):
        along = (head - foot) / np.linalg.norm(head - foot)
        a1 = np.cross(up, along) / np.linalg.norm(np.cross(up, along))
        a2 = np.cross(along, a1)
        if skew:
            a1, a2 = a1 + 0.2 * along, a2 + 0.3 * a1 - 0.1 * along
        aside = offset * a1
        carrier = s.ground
        if revolutes:
            carrier = s.add_body(
                f"cross{k}", mass=0.2, com=foot, inertia=(1e-3, 1e-3, 1e-3), parent=s.ground,
                hinge=ce.Revolute(a1, at=foot),
            )  # fmt: skip
            hinge: ce.Hinge = ce.Revolute(a2, at=foot)
        else:
            hinge = ce.Universal(a1, a2, at=foot)
        lower = s.add_body(
            f"lower{k}", mass=2.0, com=foot + 0.25 * (head - foot), inertia=(0.05, 0.06, 0.03),
            parent=carrier, hinge=hinge,
        )  # fmt: skip
        upper = s.add_body(
            f"upper{k}", mass=1.5, com=foot + 0.75 * (head - foot), inertia=(0.03, 0.04, 0.02),
            parent=lower, hinge=ce.Prismatic(along + aside, at=head),
        )  # fmt: skip
        ends.append(upper)
        if on_a_leg and k == 0:
            platform = top(s, ends[0], ce.Spherical(at=head), turn)
    assert platform is not None
    leading: Sequence[str] = {"platform": names, "legs": [f"upper{k}" for k in range(6)], "nothing": []}[lead]
    for k, head in enumerate(heads):
        if not (on_a_leg and k == 0):
            s.close_loop(f"ball{k}", ends[k], platform, ce.Spherical(at=head), independent=list(leading))
    return s


def top(s: ce.System, carrier: ce.Body, hinge: ce.Hinge, turn: Array) -> ce.Body:
    return s.add_body(
        "platform", mass=20.0, com=turn @ (0.01, 0.02, 0.85), inertia=(2.0, 2.2, 3.5), parent=carrier,
        hinge=hinge,
    )  # fmt: skip
