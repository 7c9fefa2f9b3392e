"""An assembled pose of a robot whose loops are open, or singular, where its joints are at zero.

Method.  Poses are closed by Levenberg and Marquardt's steps over the coordinates that the loops see:

1. the wanted pose itself, if it is closed and regular, and the independent coordinates lead it if they must;
2. the wanted pose with the independent coordinates held, if that closes and is regular;
3. else `STARTS` poses: the wanted one, poses scattered about it, farther and farther, and poses drawn from
   the whole range of the joints.  Of the closed poses those count in which the loops have as few freedoms as
   in any of them, the independent coordinates determine the others no worse than `WORST` times as well as in
   the best of them, and the loops stay closed when the independent coordinates move by `AROUND` either way,
   no more seldom than in the best less `SELDOMER`.  The nearest of these to the wanted pose is taken.  Where
   the independent coordinates must lead, poses count in which most of them do.

Frames that meet to no better than a tolerance in any pose, as in files with few digits, are taken to meet
there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.dense import least_squares, singular_values_and_vectors
from ce_dynamics.mechanism.assumptions import TOLERANCE
from ce_dynamics.readers.chains import Chains, frame_of
from ce_dynamics.readers.frames import Gap, Pose, gap_between

STARTS = 96
ITERATIONS = 60
LONGEST = 0.5  # step of any coordinate [rad, or sizes]
CLOSED = 1e-9  # residual from where Newton's steps do the rest [rad, or sizes]
ROUNDING = 1e-13  # residual that counts as closed [rad, or sizes]
MEANT = 1e-12  # the same of the wanted pose: frames so near are taken as one
HELD = 32  # starts with the independent coordinates held
NEIGHBOURS = 8
CLOSE = 0.05  # rad, or sizes, that neighbours start away
SINGULAR = 1e-6  # of the largest singular value
POOR = 0.03  # smallest singular value of Y₁ below which a pose is nearly singular
WORST = 0.3
AROUND = 0.5  # rad, and as much of a size
SAMPLES = 12
STEPS = 5
SELDOMER = 0.1
COMPARED = 6  # poses whose surroundings are searched
SAME = 1e-3
SEED = 20240517  # the same pose is found every time


@dataclass(frozen=True, eq=False)
class ClosedPose:
    """A closed pose."""

    q: Array  # (n,): Coordinates of all joints
    # Smallest singular value of Y₁ over the dependent coordinates, 1 rad or a size of the robot as units
    quality: float
    freedoms: int
    # Independent coordinates: requested ones, as far as possible, and others chosen
    lead: tuple[int, ...]
    how: str  # How it was found, for people
    error: float = 0.0  # Largest residual that is left [rad, or sizes of the robot]


class DesignPoseSearch:
    """The search for an assembled pose.

    Parameters
    ----------
    chains : Chains
    wanted : (n,) array
        Coordinates that the pose is to be near to.
    lead : sequence of int
        Coordinates that are to be independent, as far as they can.
    limits : (n, 2) array, optional
        Ranges of the coordinates from which starts are drawn.
    tolerance : float
        Residual that may be the precision of the file [rad, or sizes].
    must_lead : bool
        Leave the wanted pose if ``lead`` cannot lead there, as at a dead centre.
    """

    def __init__(
        self,
        chains: Chains,
        wanted: Array,
        lead: Sequence[int] = (),
        limits: Array | None = None,
        tolerance: float = TOLERANCE,
        must_lead: bool = False,
    ) -> None:
        self.chains, self.wanted = chains, np.asarray(wanted, dtype=float)
        chains.orient(self.wanted)
        self.seen = chains.moved_by_loops()
        self.requested = [k for k in lead if self.seen[k]]
        half = math.pi * chains.scales
        self.low, self.high = self.wanted - half, self.wanted + half
        if limits is not None:
            self.low, self.high = np.maximum(self.low, limits[:, 0]), np.minimum(self.high, limits[:, 1])
            empty = self.low >= self.high
            self.low[empty], self.high[empty] = (
                self.wanted[empty] - half[empty],
                self.wanted[empty] + half[empty],
            )
        self.tried = self.assembled = 0
        self.must_lead = must_lead
        self.tolerance = max(tolerance, CLOSED)

    def find(self) -> ClosedPose | None:
        """Return the pose that the method chooses; None if none was closed."""
        target = None
        if self.error(self.wanted) <= MEANT:
            target = self._judge(self.wanted, "as given")
            most = min(len(self.requested), target.freedoms)
            as_many = not self.must_lead or self._count_led(target) == most
            if as_many and target.freedoms <= self._search_nearby(target):
                return target
        elif self.requested:
            held = self.seen.copy()
            held[self.requested] = False
            poses = self._find_distinct(self._scatter_starts(HELD, held), held)
            kept = self._choose([self._judge(q, "with the independent coordinates as wanted") for q in poses])
            if kept is not None and kept.quality >= POOR and kept.freedoms <= self._search_nearby(kept):
                return kept
        poses = self._find_distinct(self._scatter_starts(STARTS, self.seen), self.seen)
        self.tried, self.assembled = STARTS, len(poses)
        return self._choose(
            [*([] if target is None else [target]), *(self._judge(q, "by search") for q in poses)]
        )

    def _search_nearby(self, pose: ClosedPose) -> int:
        """Return freedoms of closed poses close to a closed one; its own if none is found."""
        rng = np.random.default_rng(SEED)
        step = rng.uniform(-CLOSE, CLOSE, (NEIGHBOURS, self.chains.n)) * self.chains.scales * self.seen
        found = self._close_poses(pose.q + step, self.seen)
        return min((self._judge(q, "").freedoms for q in found), default=pose.freedoms)

    def _choose(self, poses: list[ClosedPose]) -> ClosedPose | None:
        if not poses:
            return None
        fewest = min(pose.freedoms for pose in poses)
        regular = [pose for pose in poses if pose.freedoms == fewest]
        if self.must_lead:
            most = max(self._count_led(pose) for pose in regular)
            regular = [pose for pose in regular if self._count_led(pose) == most]
        best = max(pose.quality for pose in regular)
        good = sorted((pose for pose in regular if pose.quality >= WORST * best), key=self._distance)
        rooms = [(self._closable_share(pose), pose) for pose in good[:COMPARED]]
        roomiest = max(room for room, _ in rooms)
        return next(pose for room, pose in rooms if room >= roomiest - SELDOMER)

    def _count_led(self, pose: ClosedPose) -> int:
        """Return the number of requested coordinates that are independent in a pose."""
        return len({*self.requested} & {*pose.lead})

    def _distance(self, pose: ClosedPose) -> float:
        off = np.where(self.chains.slides, pose.q - self.wanted, wrap_angle(pose.q - self.wanted))
        return float(np.linalg.norm(off / self.chains.scales))

    def _scatter_starts(self, count: int, free: Array) -> Array:
        """Return starts around the target pose, and over the whole range."""
        rng = np.random.default_rng(SEED)
        n = self.chains.n
        starts = np.tile(self.wanted, (count, 1))
        for m in range(1, count):
            if m % 2:
                spread = math.pi * m / count
                starts[m] += rng.uniform(-spread, spread, n) * self.chains.scales
            else:
                starts[m] = rng.uniform(self.low, self.high)
        starts[:, ~free] = self.wanted[~free]
        return starts

    def _find_distinct(self, starts: Array, free: Array) -> list[Array]:
        """Return closed poses that the starts lead to, each once."""
        different: list[Array] = []
        for q in self._close_poses(starts, free):
            turn = np.where(self.chains.slides, q, self.wanted + wrap_angle(q - self.wanted))
            if all(np.max(np.abs(turn - other)) > SAME for other in different):
                different.append(turn)
        return different

    def _close_poses(self, q: Array, free: Array) -> Array:
        """Return the closed poses that moving the free coordinates of given poses (M, n) leads to.

        The poses are closed to rounding where there are any such, else to the tolerance.
        """
        q = self._descend(q, free, ITERATIONS)
        residual, _ = self.chains.errors(q)
        near = q[np.max(np.abs(residual), axis=1, initial=0.0) < self.tolerance]
        polished = [self._polish(each, free) for each in near]
        found = [pose for pose, error in polished if error <= ROUNDING] or [pose for pose, _ in polished]
        return np.array(found).reshape(len(found), self.chains.n)

    def _descend(self, q: Array, free: Array, iterations: int) -> Array:
        """Make Levenberg–Marquardt steps on all poses together."""
        q = q.copy()
        columns = np.flatnonzero(free)
        damping = np.full(len(q), 1e-3)
        r, J = self.chains.errors(q)
        cost = np.einsum("mi,mi->m", r, r)
        for _ in range(iterations):
            busy = np.flatnonzero(cost > CLOSED**2 * 1e-2)
            if not len(busy) or not len(columns):
                break
            Jb = J[busy][:, :, columns]
            A = np.swapaxes(Jb, 1, 2) @ Jb + damping[busy, None, None] * np.eye(len(columns))
            g = np.einsum("mij,mi->mj", Jb, r[busy])
            step = -np.linalg.solve(A, g[:, :, np.newaxis])[:, :, 0]
            longest = np.max(np.abs(step), axis=1, keepdims=True)
            step *= np.minimum(1.0, LONGEST / np.maximum(longest, 1e-300))
            trial = q[busy]
            trial[:, columns] += step * self.chains.scales[columns]
            r_t, J_t = self.chains.errors(trial)
            cost_t = np.einsum("mi,mi->m", r_t, r_t)
            better = cost_t < cost[busy]
            taken = busy[better]
            q[taken], r[taken], J[taken] = trial[better], r_t[better], J_t[better]
            cost[taken] = cost_t[better]
            damping[busy] = np.where(better, np.maximum(0.2 * damping[busy], 1e-14), 5.0 * damping[busy])
        return q

    def _polish(self, q: Array, free: Array) -> tuple[Array, float]:
        """Return the pose that Newton's steps of least length lead to, and its largest residual."""
        columns = np.flatnonzero(free)
        best, least = q, math.inf
        for _ in range(12):
            r, J = (part[0] for part in self.chains.errors(q[np.newaxis]))
            error = float(np.max(np.abs(r), initial=0.0))
            if not error < 0.5 * least:
                break
            best, least = q, error
            step = least_squares(J[:, columns], -r, rcond=self.tolerance)
            q = q.copy()
            q[columns] += step * self.chains.scales[columns]
        return self._round_to_wanted(best), least

    def _round_to_wanted(self, q: Array) -> Array:
        """Return the pose with coordinates equal to their targets up to rounding set to these."""
        rounded = np.where(np.abs(q - self.wanted) < MEANT, self.wanted, q)
        return rounded if self.error(rounded) <= max(ROUNDING, 1.1 * self.error(q)) else q

    def error(self, q: Array) -> float:
        """Return the largest residual of a pose [rad, or sizes]."""
        residual, _ = self.chains.errors(q[np.newaxis])
        return float(np.max(np.abs(residual), initial=0.0))

    def choose_leads(self, acting: Sequence[int], pose: ClosedPose) -> tuple[int, ...]:
        """Return independent coordinates among requested ones; none if others are clearly better."""
        led = self._judge(pose.q, "", acting)
        well = led.quality >= WORST * self._judge(pose.q, "", ()).quality
        return led.lead if well and {*acting} & {*led.lead} else ()

    def _judge(self, q: Array, how: str, requested: Sequence[int] | None = None) -> ClosedPose:
        """Return freedoms of a closed pose, its independent coordinates, and their quality."""
        requested = self.requested if requested is None else requested
        seen = np.flatnonzero(self.seen)
        J = self.chains.errors(q[np.newaxis])[1][0][:, seen]
        singular = np.linalg.svd(J, compute_uv=False)
        rank = int(np.sum(singular > SINGULAR * max(float(np.max(singular, initial=0.0)), 1e-300)))
        N = singular_values_and_vectors(J)[2][rank:].T
        lead = leading(N, [int(np.flatnonzero(seen == k)[0]) for k in requested])
        rest = [k for k in range(len(seen)) if k not in lead]
        values = np.linalg.svd(J[:, rest], compute_uv=False)
        quality = float(values[len(rest) - 1]) if len(values) >= len(rest) > 0 else float(not rest)
        led = tuple(int(seen[k]) for k in lead)
        return ClosedPose(q, quality, len(seen) - rank, led, how, self.error(q))

    def _closable_share(self, pose: ClosedPose) -> float:
        """Return the part of states around a pose in which the loops can be closed."""
        rng = np.random.default_rng(SEED)
        lead = list(pose.lead)
        if not lead:
            return 1.0
        free = self.seen.copy()
        free[lead] = False
        q = np.tile(pose.q, (SAMPLES, 1))
        step = rng.uniform(-AROUND, AROUND, (SAMPLES, len(lead))) * self.chains.scales[lead] / STEPS
        for _ in range(STEPS):
            q[:, lead] += step
            q = self._descend(q, free, 8)
        residual, _ = self.chains.errors(q)
        return float(np.mean(np.max(np.abs(residual), axis=1, initial=0.0) < 1e-6))


def leading(N: Array, requested: Sequence[int]) -> list[int]:
    """Choose leading coordinates for the null space N: requested ones if possible, and the best others."""
    chosen: list[int] = []
    left = np.eye(N.shape[1])
    for pool in (list(requested), [k for k in range(len(N)) if k not in requested]):
        while left.shape[1] and pool:
            sizes = np.linalg.norm(N[pool] @ left, axis=1)
            best = int(np.argmax(sizes))
            if sizes[best] < 1e-3:
                break
            k = pool.pop(best)
            chosen.append(k)
            _, _, Vt = singular_values_and_vectors((N[k] @ left)[np.newaxis])
            left = left @ Vt[1:].T
    return chosen


def wrap_angle(angle: Array) -> Array:
    """Return angles in (−π, π]."""
    return np.asarray(math.pi - np.mod(math.pi - angle, 2.0 * math.pi))


LISTED = 12
"""Coordinates that are listed."""


def report(
    search: DesignPoseSearch, found: ClosedPose, names: Sequence[str], places: Mapping[str, str], file: str
) -> list[str]:
    """Return notes on the design pose; none if it is as given.

    Notes name the loops that are open in the wanted pose, and the coordinates that differ from wanted ones.
    """
    if found.how == "as given":
        return []
    where = "in the wanted pose" if np.any(search.wanted) else "in the zero pose"
    gaps = gaps_of(search.chains, search.wanted)
    notes = [f"{places[name]}: open by {gap} {where}" for name, gap in gaps if not gap.is_closed]
    changed = [
        f"{name}={value:.6g}"
        for name, value, wanted in zip(names, found.q.tolist(), search.wanted.tolist(), strict=True)
        if value != wanted
    ]
    more = f" and {len(changed) - LISTED} more" if len(changed) > LISTED else ""
    tried = f", one of {search.assembled} assembled from {search.tried} starts" if search.tried else ""
    held = search.error(search.wanted) <= MEANT
    unled = f"{[names[k] for k in search.requested]} cannot lead" if search.must_lead else ""
    why = f"closed {where}, but {unled or 'singular'}" if held else f"couplings do not hold {where}"
    singular = "" if notes else f" ({why})"
    chosen = (
        f"{file}: design pose found {found.how}{tried}{singular}: "
        f"{', '.join(changed[:LISTED])}{more}; there the loops have {found.freedoms} freedoms, and the "
        f"smallest singular value of Y1 is {found.quality:.2g}"
    )
    if found.error > MEANT:
        chosen += (
            f"; in no pose are the loops closed better than to {found.error:.2g} (rad, or sizes of it), "
            f"as with data of few digits, and their frames are taken to meet there"
        )
    return [*notes, chosen]


def gaps_of(chains: Chains, q: Array) -> Iterator[tuple[str, Gap]]:
    """Yield the name and the gap of each loop at coordinates (n,)."""
    poses = chains.poses(q[np.newaxis])
    for loop in chains.loops:
        (R_a, r_a), (R_b, r_b) = (
            frame_of(poses, end, at) for end, at in ((loop.a, loop.at_a), (loop.b, loop.at_b))
        )
        yield loop.name, gap_between(loop.kind, Pose(R_a[0], r_a[0]), Pose(R_b[0], r_b[0]), loop.axis)
