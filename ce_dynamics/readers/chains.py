"""Kinematics of a robot's chains for many poses at once: errors of its loops, and their Jacobians.

A robot here is a tree of links, each on one joint with one coordinate or none, with loops between frames on
two of its links and laws between coordinates.  All is numbers; many poses are evaluated together because the
search for an assembled pose (`ce_dynamics.readers.design_pose`) starts from many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.readers.frames import Pose


@dataclass(frozen=True, eq=False)
class ChainLink:
    """A link and its joint."""

    parent: int  # Number of the link that carries it; −1 for the world
    frame: Pose  # Of the joint at coordinate zero, in the parent's frame
    kind: str  # ``"turn"``, ``"slide"`` or ``"still"``
    axis: Array  # (3,): In the joint's frame, of unit length


@dataclass(frozen=True, eq=False)
class ChainLoop:
    """Two frames that a joint keeps together: ``kind`` and ``axis`` as in `ce_dynamics.readers.frames`."""

    name: str
    kind: str
    a: int
    at_a: Pose
    b: int
    at_b: Pose
    axis: Array


@dataclass(frozen=True, eq=False)
class ChainLaw:
    """One coordinate is a polynomial of another, or a linear function of several: residual and its slope.

    ``factors`` are those of the coordinates ``columns``; the first of ``powers`` belong to the constant of
    the polynomial in the coordinate ``of``.
    """

    columns: tuple[int, ...]
    factors: tuple[float, ...]
    of: int = -1
    powers: tuple[float, ...] = (0.0,)


class LinkPoses(NamedTuple):
    """Frames of all links for many poses: rotations (M, links, 3, 3) and origins (M, links, 3)."""

    R: Array
    r: Array


class Chains:
    """The chains of a robot.

    Parameters
    ----------
    links : sequence of ChainLink
        From the root to the tips.
    loops : sequence of ChainLoop
    laws : sequence of ChainLaw

    Attributes
    ----------
    column : list of int
        Number of the coordinate of every link's joint; −1 where it has none.
    size : float
        A length of the robot, in which gaps are counted [m].
    """

    def __init__(
        self, links: Sequence[ChainLink], loops: Sequence[ChainLoop], laws: Sequence[ChainLaw] = ()
    ) -> None:
        self.links, self.loops, self.laws = list(links), list(loops), list(laws)
        moving = [k for k, link in enumerate(links) if link.kind != "still"]
        self.column = [-1] * len(links)
        for j, k in enumerate(moving):
            self.column[k] = j
        self.n = len(moving)
        self.slides = np.array([links[k].kind == "slide" for k in moving], dtype=bool)
        lengths = [float(np.linalg.norm(link.frame.r)) for link in links]
        lengths += [float(np.linalg.norm(f.r)) for loop in loops for f in (loop.at_a, loop.at_b)]
        self.size = max(lengths, default=0.0) or 1.0
        ends = [end for loop in loops for end in (loop.a, loop.b)]
        self.used = sorted({k for end in ends for k in self.path_to_root(end)})
        self.signs = [1.0] * len(loops)

    @cached_property
    def scales(self) -> Array:
        """Units of the coordinates, (n,): `size` [m] for lengths, 1 rad for angles."""
        return np.where(self.slides, self.size, 1.0)

    def poses(self, q: Array) -> LinkPoses:
        """Return frames of the links that loops depend on, at coordinates (M, n)."""
        M = len(q)
        R, r = np.empty((M, len(self.links), 3, 3)), np.empty((M, len(self.links), 3))
        for k in self.used:
            link = self.links[k]
            if link.parent < 0:
                R_k, r_k = np.broadcast_to(link.frame.R, (M, 3, 3)), np.broadcast_to(link.frame.r, (M, 3))
            else:
                R_p = R[:, link.parent]
                R_k, r_k = R_p @ link.frame.R, r[:, link.parent] + R_p @ link.frame.r
            if link.kind == "turn":
                R_k = R_k @ turns(link.axis, q[:, self.column[k]])
            elif link.kind == "slide":
                r_k = r_k + (R_k @ link.axis) * q[:, self.column[k], np.newaxis]
            R[:, k], r[:, k] = R_k, r_k
        return LinkPoses(R, r)

    def orient(self, q: Array) -> None:
        """Take axes of hinges as lines: that end meets the other's which is nearer at coordinates (n,)."""
        poses = self.poses(q[np.newaxis])
        for k, loop in enumerate(self.loops):
            axes = [
                frame_of(poses, *end)[0][0] @ loop.axis for end in ((loop.a, loop.at_a), (loop.b, loop.at_b))
            ]
            self.signs[k] = 1.0 if axes[0] @ axes[1] >= 0.0 else -1.0

    def errors(self, q: Array) -> tuple[Array, Array]:
        """Return residuals (M, rows), lengths in sizes, and their Jacobian (M, rows, n) by `scales`."""
        poses = self.poses(q)
        parts = [self.errors_of(loop, s, poses) for loop, s in zip(self.loops, self.signs, strict=True)]
        parts += [self._errors_by(law, q) for law in self.laws]
        if not parts:
            return np.zeros((len(q), 0)), np.zeros((len(q), 0, self.n))
        J = np.concatenate([part[1] for part in parts], axis=1)
        return np.concatenate([part[0] for part in parts], axis=1), J * self.scales

    def errors_of(self, loop: ChainLoop, sign: float, poses: LinkPoses) -> tuple[Array, Array]:
        """Return residuals and Jacobian of one loop."""
        R_a, r_a = frame_of(poses, loop.a, loop.at_a)
        R_b, r_b = frame_of(poses, loop.b, loop.at_b)
        to_a = np.swapaxes(R_a, 1, 2)
        M = len(r_b)
        linear, angular = np.zeros((M, 3, self.n)), np.zeros((M, 3, self.n))
        ways = self.path_to_root(loop.a), self.path_to_root(loop.b)
        for end, direction in zip(ways, (-1.0, 1.0), strict=True):
            for k in end:
                j, link = self.column[k], self.links[k]
                if j < 0 or (k in ways[0] and k in ways[1]):
                    continue
                axis = poses.R[:, k] @ link.axis
                if link.kind == "slide":
                    linear[:, :, j] += direction * axis
                else:
                    linear[:, :, j] += direction * np.cross(axis, r_b - poses.r[:, k])
                    angular[:, :, j] += direction * axis
        linear, angular = to_a @ linear / self.size, to_a @ angular
        p = (to_a @ (r_b - r_a)[:, :, np.newaxis])[:, :, 0] / self.size
        return rows_of(loop, sign, p, to_a @ R_b, linear, angular)

    def _errors_by(self, law: ChainLaw, q: Array) -> tuple[Array, Array]:
        J = np.zeros((len(q), 1, self.n))
        residual = np.zeros(len(q))
        for column, factor in zip(law.columns, law.factors, strict=True):
            residual = residual + factor * q[:, column]
            J[:, 0, column] += factor
        powers = np.polynomial.Polynomial(law.powers)
        if law.of >= 0:
            residual = residual - powers(q[:, law.of])
            J[:, 0, law.of] -= powers.deriv()(q[:, law.of])
        else:
            residual = residual - law.powers[0]
        return residual[:, np.newaxis], J

    def path_to_root(self, link: int) -> list[int]:
        """Return a link and all that carry it."""
        chain = []
        while link >= 0:
            chain.append(link)
            link = self.links[link].parent
        return chain

    def moved_by_loops(self) -> Array:
        """Return the mask (n,) of the coordinates that loops or laws depend on."""
        seen = np.zeros(self.n, dtype=bool)
        for loop in self.loops:
            ways = set(self.path_to_root(loop.a)) ^ set(self.path_to_root(loop.b))
            seen[[self.column[k] for k in ways if self.column[k] >= 0]] = True
        for law in self.laws:
            seen[[*law.columns, *([law.of] if law.of >= 0 else [])]] = True
        return seen


def parts(chains: Chains) -> list[Chains]:
    """Return the chains with only those loops and laws each that move a coordinate in common."""
    seen = [chains_with(chains, [loop], []).moved_by_loops() for loop in chains.loops]
    seen += [chains_with(chains, [], [law]).moved_by_loops() for law in chains.laws]
    groups: list[tuple[Array, list[int]]] = []
    for k, mask in enumerate(seen):
        touched = [group for group in groups if np.any(group[0] & mask)]
        groups = [group for group in groups if not any(group is other for other in touched)]
        members = [k, *(j for group in touched for j in group[1])]
        groups.append((np.logical_or.reduce([mask, *(group[0] for group in touched)]), sorted(members)))
    n = len(chains.loops)
    return [
        chains_with(
            chains,
            [chains.loops[k] for k in members if k < n],
            [chains.laws[k - n] for k in members if k >= n],
        )
        for _, members in sorted(groups, key=lambda group: group[1])
    ]


def chains_with(chains: Chains, loops: Sequence[ChainLoop], laws: Sequence[ChainLaw]) -> Chains:
    """Return the same links with some of the loops and laws."""
    return Chains(chains.links, loops, laws)


def frame_of(poses: LinkPoses, link: int, frame: Pose) -> tuple[Array, Array]:
    """Return a frame of a link in all poses; the link −1 is the world."""
    if link < 0:
        M = len(poses.r)
        return np.broadcast_to(frame.R, (M, 3, 3)), np.broadcast_to(frame.r, (M, 3))
    R = poses.R[:, link]
    return R @ frame.R, poses.r[:, link] + R @ frame.r


def rows_of(
    loop: ChainLoop, sign: float, p: Array, R: Array, linear: Array, angular: Array
) -> tuple[Array, Array]:
    """Return residuals and Jacobian of a closure from the pose of its frame b in a, and from its rates."""
    axis = loop.axis
    if loop.kind == "spherical":
        return p, linear
    if loop.kind == "fixed":
        return np.concatenate((p, vectors(R)), axis=1), np.concatenate((linear, angular), axis=1)
    if loop.kind == "prismatic":
        across = np.eye(3) - np.outer(axis, axis)
        return (
            np.concatenate((p @ across, vectors(R)), axis=1),
            np.concatenate((across @ linear, angular), axis=1),
        )
    turned = R @ (sign * axis)
    turning = -np.cross(turned[:, :, np.newaxis], angular, axis=1)
    if loop.kind == "planar":
        return (
            np.concatenate(((p @ axis)[:, np.newaxis], turned - axis), axis=1),
            np.concatenate(((axis @ linear)[:, np.newaxis], turning), axis=1),
        )
    return np.concatenate((p, turned - axis), axis=1), np.concatenate((linear, turning), axis=1)


def turns(axis: Array, angle: Array) -> Array:
    """Return rotations by angles (M,) about an axis: Rodrigues' formula, (M, 3, 3)."""
    K = np.array(((0.0, -axis[2], axis[1]), (axis[2], 0.0, -axis[0]), (-axis[1], axis[0], 0.0)))
    s, c = np.sin(angle)[:, np.newaxis, np.newaxis], np.cos(angle)[:, np.newaxis, np.newaxis]
    return np.asarray(np.eye(3) + s * K + (1.0 - c) * (K @ K))


def vectors(R: Array) -> Array:
    """Return rotation vectors (M, 3) of rotations (M, 3, 3), at most π long."""
    from scipy.spatial.transform import Rotation  # here, because it loads slowly and few robots have welds

    return np.asarray(Rotation.from_matrix(R).as_rotvec())
