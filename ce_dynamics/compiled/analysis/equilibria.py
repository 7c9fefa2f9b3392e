"""Static equilibrium: coordinates at which a system stays at rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.dense import least_squares, singular_values_and_vectors
from ce_dynamics.algebra.newton import SUFFICIENT, backtrack, largest_residual
from ce_dynamics.compiled.analysis.small_motion import Freedom, SmallMotion, balance, small_motion
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiled.state_arguments import StateArguments, Unpack, state_given, takes_state
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.compiler.progress import log_work
from ce_dynamics.errors import AssemblyError, ModelError

ITERATIONS = 300
LONGEST_TURN = 0.5  # rad, of one step
LONGEST_SLIDE = 0.5  # of one step, in extents of the system
SHORTEST = 2.0**-20  # part of a step that is worth trying
NEUTRAL = 1e-10  # singular values below this part of the largest are zero but for rounding


class EquilibriumSearch:
    """One search for an equilibrium; its unknowns z are free displacements and first-order states."""

    def __init__(self, model: CompiledSystem, u: Floats, freedom: Freedom) -> None:
        self.model, self.u, self.freedom = model, u, freedom
        units = [model.tangent.entries[k].unit for k in freedom.free]
        self._turns = np.array([unit == "rad" for unit in units] + [False] * len(freedom.states), dtype=bool)
        self._slides = np.array([unit == "m" for unit in units] + [False] * len(freedom.states), dtype=bool)
        points = [nominal(body.com) for body in model.system.bodies]
        points += [nominal(body.inboard.at) for body in model.system.bodies]
        extent = np.ptp(np.array(points, dtype=float).reshape(-1, 3), axis=0) if points else np.zeros(3)
        self._longest_slide = LONGEST_SLIDE * (float(np.linalg.norm(extent)) or 1.0)

    def run(self, y: Floats, tolerance: float) -> Floats:
        """Return the state of rest found from a start."""
        near = self.neighbourhood(y)
        g, _ = self.residual_and_jacobian(near)
        allowed = tolerance * max(1.0, largest_residual(g))
        for k in range(ITERATIONS):
            if largest_residual(g) <= allowed:
                return self._polish(y, near)
            step = self._newton(y, near, wary=k < ITERATIONS // 2)
            if step is None:
                step = self._descend(y, near)
            if step is None:
                break
            y = self._displace(y, step)
            near = self.neighbourhood(y)
            g, _ = self.residual_and_jacobian(near)
        raise AssemblyError(self._failure(near))

    def neighbourhood(self, y: Floats) -> SmallMotion:
        """Return the linearised motion about a state, without held coordinates."""
        return small_motion(self.model, y, self.u, self.freedom)

    def residual_and_jacobian(self, near: SmallMotion) -> tuple[Floats, Floats]:
        """Return g = [T; −ẋ] and ∂g/∂z, in the metric of the masses: T/√M and √M δ."""
        d, m, s = self.freedom.free, self.freedom.moving, self.freedom.states
        rows, columns = self._weights(near)
        g = np.concatenate((near.T[m], -near.x_dot[s]))
        J = np.block(
            [
                [near.K[np.ix_(m, d)], near.T_x[np.ix_(m, s)]],
                [-near.X_q[np.ix_(s, d)], -near.X_x[np.ix_(s, s)]],
            ]
        )
        return rows * g, rows[:, np.newaxis] * J * columns

    def _weights(self, near: SmallMotion) -> tuple[Floats, Floats]:
        """Return the factors that weight g, and the factors that convert weighted unknowns to unknowns."""
        states = np.ones(len(self.freedom.states))
        light = 1.0 / np.sqrt(np.diag(near.M))
        of = [self.model.tangent.velocity[k] for k in self.freedom.free]
        columns = np.array([1.0 if k is None else light[k] for k in of], dtype=float)
        return np.concatenate((light[self.freedom.moving], states)), np.concatenate((columns, states))

    # Steps, in weighted unknowns

    def _newton(self, y: Floats, near: SmallMotion, *, wary: bool) -> Floats | None:
        """Return a step that reduces the forces towards an equilibrium; None if there is none.

        A wary search accepts it only if the stiffness is that of a stable equilibrium.
        """
        g, J = self.residual_and_jacobian(near)
        if wary and lowest(self._stiffness(J)) < -NEUTRAL * largest_residual(J):
            return None
        rows, columns = self._weights(near)
        p = -least_squares(J, g, rcond=NEUTRAL)
        if not np.linalg.norm(g + J @ p) <= 0.5 * np.linalg.norm(g):
            return None  # no descent
        p = p * self._find_step_factor(columns * p)

        def nearer(part: float) -> Floats | None:
            step = part * columns * p
            left = np.linalg.norm(rows * self._forces(self._displace(y, step)))
            return step if left < (1.0 - SUFFICIENT * part) * np.linalg.norm(g) else None

        return backtrack(nearer, SHORTEST)

    def _descend(self, y: Floats, near: SmallMotion) -> Floats | None:
        """Return a step along the forces, damped in unstable directions; None if loops break at once."""
        g, J = self.residual_and_jacobian(near)
        _, columns = self._weights(near)
        n = min(len(self.freedom.free), len(self.freedom.moving))
        mu = max(-1.5 * lowest(self._stiffness(J)), 1e-6 * largest_residual(J), 1e-3 * largest_residual(g))
        damped = J.copy()
        damped[np.arange(n), np.arange(n)] += mu
        p = columns * -least_squares(damped, g, rcond=NEUTRAL)
        p = p * self._find_step_factor(p)

        def is_assembled(part: float) -> Floats | None:
            return part * p if np.all(np.isfinite(self._forces(self._displace(y, part * p)))) else None

        return backtrack(is_assembled, SHORTEST)

    def _stiffness(self, J: Floats) -> Floats:
        """Return the part of the Jacobian over displacements."""
        return J[: len(self.freedom.moving), : len(self.freedom.free)]

    def _polish(self, y: Floats, near: SmallMotion) -> Floats:
        """Take one more Newton step, down to rounding, if it is small."""
        g, J = self.residual_and_jacobian(near)
        rows, columns = self._weights(near)
        closer = self._displace(y, -columns * least_squares(J, g, rcond=NEUTRAL))
        return closer if largest_residual(rows * self._forces(closer)) < largest_residual(g) else y

    def _find_step_factor(self, step: Floats) -> float:
        """Return the factor by which a step must be shortened."""
        turn = largest_residual(step[self._turns]) / LONGEST_TURN
        slide = largest_residual(step[self._slides]) / self._longest_slide
        return 1.0 / max(1.0, turn, slide)

    def _displace(self, y: Floats, step: Floats) -> Floats:
        """Return a state displaced by a step of the unknowns."""
        q, v, x = (part.copy() for part in self.model.layout.split(y))
        n = len(self.freedom.free)
        delta = np.zeros(len(self.model.tangent))
        delta[self.freedom.free] = step[:n]
        x[self.freedom.states] += step[n:]
        return np.concatenate((self.model.tangent.normalise(self.model.tangent.displace(q, delta)), v, x))

    def _forces(self, y: Floats) -> Floats:
        """Return [T; −ẋ]."""
        T, x_dot = balance(self.model, y, self.u)
        return np.concatenate((T[self.freedom.moving], -x_dot[self.freedom.states]))

    # Messages

    def _failure(self, near: SmallMotion) -> str:
        g, J = self.residual_and_jacobian(near)
        k = int(np.argmax(np.abs(g)))
        entry, value = self._row(k, near)
        text = f"no equilibrium found: {entry} is out of balance by {value}"
        if not np.isfinite(J).all():
            return f"{text}, where a derivative is not finite because a formula has a kink; start beside it"
        U, singular, _ = singular_values_and_vectors(J)
        loose = U[:, rank(singular) :]
        if np.linalg.norm(loose.T @ g) > 0.9 * np.linalg.norm(g):
            return f"{text} and nothing resists its motion; support it, or hold it (hold=[...])"
        return f"{text}; start nearer to an equilibrium, hold coordinates, or check loads and stiffnesses"

    def _row(self, k: int, near: SmallMotion) -> tuple[str, str]:
        """Name of a row of g, and its value with its unit."""
        layout, moving = self.model.layout, self.freedom.moving
        if k >= len(moving):
            place = self.freedom.states[k - len(moving)]
            state = layout.x[place]
            return state.name, f"{near.x_dot[place]:.3g} {state.unit}/s"
        entry = layout.v[moving[k]]
        unit = {"rad/s": "N m", "m/s": "N"}.get(entry.unit, "J per unit")
        tangent = self.model.tangent
        displacement = tangent.entries[tangent.velocity.index(moving[k])]
        return displacement.name, f"{-near.T[moving[k]]:.3g} {unit}"

    def refuse_neutral(self, near: SmallMotion) -> None:
        """Refuse an equilibrium that some motions leave; name one coordinate to hold for each."""
        _, J = self.residual_and_jacobian(near)
        columns, rows = list(range(J.shape[1])), list(range(J.shape[0]))
        names: list[str] = []
        while chosen := neutral(J[np.ix_(rows, columns)], [k >= len(self.freedom.free) for k in columns]):
            for k in [columns[place] for place in chosen]:
                names.append(self.freedom.names[k])
                columns.remove(k)
                if (row := self._row_of(k)) is not None:
                    rows.remove(row)
        if names:
            raise ModelError(
                f"the equilibrium is one of many: {len(names)} motion(s) change no force; "
                f"hold={sorted(names, key=self.freedom.names.index)} chooses one"
            )

    def _row_of(self, k: int) -> int | None:
        """Return the row of g that is dropped with a held unknown."""
        n = len(self.freedom.free)
        if k >= n:
            return len(self.freedom.moving) + k - n
        v = self.model.tangent.velocity[self.freedom.free[k]]
        return None if v is None else self.freedom.moving.index(v)


def neutral(J: Floats, states: Sequence[bool]) -> list[int]:
    """Return unknowns to hold, one for each neutral motion; none if there is no such motion.

    First-order states are chosen before displacements: holding them holds no body.
    """
    from scipy.linalg import qr  # here, because few runs need it

    if J.shape[1] == 0:
        return []
    _, singular, Vt = singular_values_and_vectors(J)
    null = Vt[rank(singular) :]
    if len(null) == 0:
        return []
    moved = np.where(np.abs(null) > 1e-6, null, 0.0) * np.where(states, 1e6, 1.0)
    return list(qr(moved, mode="r", pivoting=True)[1][: len(null)])


def lowest(K: Floats) -> float:
    """Return the lowest eigenvalue of the symmetric part of a square matrix; 0 where there is none."""
    if K.shape[0] != K.shape[1] or K.size == 0:
        return 0.0
    return float(np.linalg.eigvalsh(0.5 * (K + K.T))[0])


def rank(singular: Floats) -> int:
    """Return the number of singular values above rounding."""
    return int(np.sum(singular > NEUTRAL * singular[0])) if singular.size and singular[0] > 0.0 else 0


MARGINAL = 1e-7  # growth below this part of the largest |λ| is that of an undamped motion


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A state of rest.

    Attributes
    ----------
    y : (n,) array
        The state; velocities are zero.
    u : (m,) array
        The inputs it belongs to.
    holding : dict of str to float
        Generalised forces on held coordinates [N m] or [N], by the names of the velocities.
    imbalance : float
        Largest remaining T/√M [√J/s], or rate of a first-order state.
    eigenvalues : (k,) complex array
        Eigenvalues of small motions without the held coordinates [1/s]; the fastest growing first.
    """

    y: Floats
    u: Floats
    holding: dict[str, float]
    imbalance: float
    eigenvalues: NDArray[np.complex128] = field(repr=False)

    @property
    def growth(self) -> float:
        """Largest real part of the eigenvalues [1/s]."""
        return float(np.max(self.eigenvalues.real, initial=-np.inf))

    @property
    def stable(self) -> bool:
        """True if no small motion grows; undamped oscillations do not."""
        return self.growth <= MARGINAL * float(np.max(np.abs(self.eigenvalues), initial=0.0))


@takes_state("y", "u")
def equilibrium(
    model: CompiledSystem,
    *here: ArrayLike | None,
    hold: Iterable[str] = (),
    tolerance: float = 1e-9,
    **named: Unpack[StateArguments],
) -> Equilibrium:
    """Return the static equilibrium near a state: v = 0 and v̇ = 0, with first-order states at rest.

    Parameters
    ----------
    q, v, x, u, y : array_like, optional
        Where to start, and inputs, see `Model`; velocities do not matter.
    hold : iterable of str
        Displacements that keep their values, by name (``model.tangent.entries`` lists them; the name of a
        body selects all of its hinge), and names of first-order states.  Held coordinates need not
        balance: ``holding`` of the result has the forces on them.
    tolerance : float
        Largest remaining imbalance (see `Equilibrium`), relative to that at the start or to 1.

    Returns
    -------
    Equilibrium
        A stable one if the search has a choice.  It is unstable if the start is already such an
        equilibrium, or if no stable one is found; see ``stable``.

    Raises
    ------
    ModelError
        If a name is unknown, or the equilibrium is one of many because some motion changes no force (a
        vehicle on a plane); the message names coordinates to hold.
    AssemblyError
        If the loops cannot be assembled at the start, or no equilibrium is found: the message names the
        coordinate farthest from balance.

    See Also
    --------
    ce_dynamics.trim : steady states with velocities.

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> system = ce.System(gravity=(0, 0, -9.81))
    >>> arm = system.add_body("arm", mass=2.0, com=(0.5, 0, 0), inertia=(0, 0.2, 0.2),
    ...                       parent=system.ground, hinge=ce.Revolute(axis=(0, 1, 0)))
    >>> rest = ce.compile(system).equilibrium()
    >>> rest.y.round(6), rest.stable
    (array([1.570796, 0.      ]), True)
    """
    checks.number("tolerance", tolerance, above=0.0)
    start, given = state_given(model, *here, moving=False, **named)
    search = EquilibriumSearch(model, given, Freedom(model, hold))
    with log_work(f"searching an equilibrium of {model.system.name!r}"):
        found = search.run(resting(model, start), tolerance)
    near = search.neighbourhood(found)
    search.refuse_neutral(near)
    eigenvalues = np.linalg.eigvals(near.matrix(search.freedom)).astype(complex)
    moving = search.freedom.moving
    holding = {e.name: float(near.T[k]) for k, e in enumerate(model.layout.v) if k not in moving}
    return Equilibrium(
        found,
        given,
        holding,
        largest_residual(search.residual_and_jacobian(near)[0]),
        eigenvalues[np.argsort(-eigenvalues.real, kind="stable")],
    )


def resting(model: CompiledSystem, y: Floats) -> Floats:
    """Return a state with zero velocities and unit quaternions."""
    q, v, x = model.layout.split(y)
    return np.concatenate((model.tangent.normalise(q), np.zeros(len(v)), x))
