"""A planar suspension of a bar and a wheel with contact and friction, solved by projected Gauss–Seidel.

Velocities are V = [u_b, v_b, ω_b, u_w, v_w, ω_w] (bar, wheel); the bar is held by a socket that moves as
x_s(t) and carries the wheel on a pin at its lower end.  A step of length h solves

    J V₁ = J (V₀ + M⁻¹ F h) + J M⁻¹ Jᵀ λ

for impulses λ and moves by q₁ = q₀ + h V₁.  The rows, in order, with what J V₁ is to be:

====  ==================================================  =================================
row   J V                                                 target
====  ==================================================  =================================
0     u_b                                                 ẋ_s(t + h)
1     ω_b                                                 0
2     u_w − u_b − (L/2) cos θ_b ω_b                       −β [x_w − (x_b + (L/2) sin θ_b)]
3     v_w − v_b − (L/2) sin θ_b ω_b                       −β [y_w − (y_b − (L/2) cos θ_b)]
4     (u_w + ω_w × r_c) · n, the wheel on the road        ≥ −β d, or −e times what it was
5     (u_w + ω_w × r_c) · τ                               0, while |λ_5| ≤ μ λ_4
====  ==================================================  =================================

Rows 4 and 5 exist only while the wheel touches the road, d ≤ 0 (or always, see ``anticipate``), with d the
signed gap (negative in penetration), so that −β d pushes the wheel out.  n is the road's normal at its point
nearest to the wheel's centre, r_c = −R n, and τ = (n_y, −n_x) points forward: a rolling wheel has
ω_w = −u_w / R.

The spring, with a damper, acts on the centre of mass of the bar; its other end moves with the socket at a
given height.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.checks import Floats, checked
from ce_dynamics.contact import (
    Conditions,
    GaussSeidel,
    InitialStateError,
    Kind,
    Problem,
    Solution,
    Solver,
)
from ce_dynamics.contact.recorder import Event, EventWatch
from ce_dynamics.errors import DataError, SimulationError
from ce_dynamics.models.data.quantities import check_number
from ce_dynamics.models.demonstrations.socket_motion import Socket, SocketMotion
from ce_dynamics.models.parts.body_contact import Touch, touch
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.parts.roads.surfaces import FlatRoad

ROWS = ("socket_x", "socket_angle", "pin_x", "pin_y", "contact", "friction")
VELOCITIES = ("u_b", "v_b", "w_b", "u_w", "v_w", "w_w")
ALLOWED_PENETRATION = 1e-6
"""Allowed in an initial state [m]."""
ALLOWED_PIN_ERROR = 1e-6
"""Allowed in an initial state [m]."""


@dataclass(frozen=True)
class SuspensionParameters:
    """Data of the suspension, SI units."""

    bar_mass: float = 20.0  # [kg], positive
    bar_inertia: float = 0.6  # about the bar's centre of mass [kg m²], positive
    wheel_mass: float = 25.0  # [kg], positive
    wheel_inertia: float = 1.6  # about the wheel's centre of mass [kg m²], positive
    length: float = 0.6  # L: the pin is L/2 from the bar's centre of mass [m]
    radius: float = 0.35  # R of the wheel [m]
    angle: float = 0.25  # Θ_b that the socket holds [rad]
    stiffness: float = 30e3  # Of the spring [N/m], [N s/m]
    damping: float = 900.0  # Of the spring [N/m], [N s/m]
    free_length: float = 0.5  # Of the spring [m]
    anchor_height: float = 1.03  # Y of the spring's upper end [m]
    gravity: float = 9.81  # [m/s²]
    friction: float | None = None  # Coulomb's μ between wheel and road, instead of the road's; "road" is None
    # True bounds friction. False is the source, whose wheel never slides while it touches
    coulomb: bool = True
    restitution: float = 0.0  # E of impacts, 0 … 1
    beta: float = 100.0  # Baumgarte's β [1/s]; at most 1/h makes sense
    rest_speed: float = 0.01  # Impacts slower than this do not bounce [m/s]
    # Keep rows 4 and 5 also while d > 0: the wheel may close the gap within the step but not more.  Row 4
    # has the target −d/h then, on either side of the road, so that nothing happens where d changes sign.
    # Without it, as in the source, a wheel on a hollow road flies by a hair and lands again
    anticipate: bool = False

    def __post_init__(self) -> None:
        positive_ones = {"bar_mass", "bar_inertia", "wheel_mass", "wheel_inertia", "length", "radius"}
        not_negative = {
            "stiffness",
            "damping",
            "free_length",
            "friction",
            "restitution",
            "beta",
            "rest_speed",
        }
        for entry in fields(self):
            value = getattr(self, entry.name)
            if entry.name in ("coulomb", "anticipate") or (entry.name == "friction" and value is None):
                continue
            above = 0.0 if entry.name in positive_ones else -math.inf
            least = 0.0 if entry.name in not_negative else -math.inf
            most = 1.0 if entry.name == "restitution" else math.inf
            check_number("pgs suspension", entry.name, value, above=above, at_least=least, at_most=most)

    @property
    def inverse_mass(self) -> Floats:
        """Diagonal of M⁻¹."""
        b, w = 1.0 / self.bar_mass, 1.0 / self.wheel_mass
        return np.array((b, b, 1.0 / self.bar_inertia, w, w, 1.0 / self.wheel_inertia))


class Suspension:
    """The suspension on a road: flat with μ = 0.8, its socket at rest, unless given."""

    def __init__(
        self,
        parameters: SuspensionParameters | None = None,
        socket: SocketMotion | None = None,
        road: Road | None = None,
    ) -> None:
        self.parameters = SuspensionParameters() if parameters is None else parameters
        self.socket = Socket() if socket is None else socket
        self.road = FlatRoad(0.8) if road is None else road
        self._last: tuple[tuple[float, float], Touch] | None = None

    def touch(self, q: Floats) -> Touch:
        """Return the road seen from the wheel; cached, as a step evaluates it at its end and its start."""
        where = (float(q[3]), float(q[4]))
        if self._last is None or self._last[0] != where:
            self._last = (where, touch(self.road, *where, self.parameters.radius))
        return self._last[1]

    def initial_state(self, clearance: float = 0.0) -> tuple[Floats, Floats]:
        """Return q and V with the wheel rolling on the road with the socket's speed, or above it."""
        from scipy.optimize import brentq  # here, because few runs need it

        P = self.parameters
        height = check_number("pgs suspension", "clearance", clearance)
        x_b, u = self.socket.position(0.0), self.socket.velocity(0.0)
        x_w = x_b + 0.5 * P.length * math.sin(P.angle)
        level = float(self.road.height(x_w, 0.0))
        y_w = height + float(
            brentq(
                lambda y: touch(self.road, x_w, y, P.radius).gap, level, level + 4.0 * P.radius, xtol=1e-15
            )
        )
        y_b = y_w + 0.5 * P.length * math.cos(P.angle)
        q = np.array((x_b, y_b, P.angle, x_w, y_w, 0.0))
        n = touch(self.road, x_w, y_w, P.radius).n
        v = -u * n[0] / n[1]  # along the road
        return q, np.array((u, v, 0.0, u, v, -math.hypot(u, v) * math.copysign(1.0, u) / P.radius))

    def check_start(self, q: Floats, V: Floats) -> None:
        """Refuse an initial state that the constraints do not allow."""
        apart = float(np.max(np.abs(self.pin_error(q))))
        if apart > ALLOWED_PIN_ERROR:
            raise InitialStateError(f"pgs suspension: wheel and bar are {apart:.3g} m apart at the pin")
        gap = self.touch(q).gap
        if gap < -ALLOWED_PENETRATION:
            raise InitialStateError(f"pgs suspension: the wheel starts {-gap:.3g} m in the ground; lift it")
        off = abs(q[0] - self.socket.position(0.0))
        if off > ALLOWED_PIN_ERROR:
            raise InitialStateError(f"pgs suspension: the bar starts {off:.3g} m off its socket")

    def pin_error(self, q: Floats) -> Floats:
        """Return [x_w − (x_b + (L/2) sin θ_b), y_w − (y_b − (L/2) cos θ_b)]."""
        a = 0.5 * self.parameters.length
        return np.array((q[3] - (q[0] + a * math.sin(q[2])), q[4] - (q[1] - a * math.cos(q[2]))))

    def anchor(self, t: float) -> float:
        """Return the height y of the spring's upper end [m]."""
        return self.parameters.anchor_height + self.socket.lift(t)

    def spring_force(self, t: float, q: Floats, V: Floats) -> Floats:
        """Return (f_sp,x, f_sp,y) on the bar's centre of mass [N]."""
        P = self.parameters
        d = np.array((q[0] - self.socket.position(t), q[1] - self.anchor(t)))
        span = float(np.hypot(*d))
        if span == 0.0:
            raise SimulationError("pgs suspension: the spring has no length; raise its anchor")
        e = d / span
        rate = float(e @ (V[:2] - np.array((self.socket.velocity(t), self.socket.lift_rate(t)))))
        return np.asarray(e * (P.stiffness * (P.free_length - span) - P.damping * rate))

    def forces(self, t: float, q: Floats, V: Floats) -> Floats:
        """Return F_ext."""
        P = self.parameters
        f = self.spring_force(t, q, V)
        return np.array((f[0], f[1] - P.bar_mass * P.gravity, 0.0, 0.0, -P.wheel_mass * P.gravity, 0.0))

    def rows(self, q: Floats, contact: Touch) -> Floats:
        """Return J; rows 4 and 5 only if the wheel touches the road."""
        a, theta = 0.5 * self.parameters.length, q[2]
        J = np.zeros((6, 6))
        J[0, 0] = 1.0
        J[1, 2] = 1.0
        J[2, [3, 0, 2]] = 1.0, -1.0, -a * math.cos(theta)
        J[3, [4, 1, 2]] = 1.0, -1.0, -a * math.sin(theta)
        n, r_c = contact.n, -self.parameters.radius * contact.n
        for row, direction in ((4, n), (5, np.array((n[1], -n[0])))):
            J[row, 3:5] = direction
            J[row, 5] = r_c[0] * direction[1] - r_c[1] * direction[0]  # (ω × r_c) · direction
        return J if contact.gap <= 0.0 or self.parameters.anticipate else J[:4]

    def targets(self, t: float, q: Floats, V: Floats, J: Floats, h: float, contact: Touch) -> Floats:
        """Return J V₁."""
        P = self.parameters
        result = np.zeros(len(J))
        result[0] = self.socket.velocity(t + h)
        result[2:4] = -P.beta * self.pin_error(q)
        if len(J) > 4:
            result[4] = -contact.gap * (1.0 / h if P.anticipate else P.beta)
            approach = float(J[4] @ V)
            if approach < -P.rest_speed and P.restitution > 0.0 and contact.gap + h * approach <= 0.0:
                result[4] = max(result[4], -P.restitution * approach)
        return result

    def problem(self, t: float, q: Floats, V: Floats, h: float, grip: bool = True) -> tuple[Problem, Touch]:
        """Return the complementarity problem of a step: w = J V₁ − target; without row 5 off the ground."""
        P = self.parameters
        contact = self.touch(q)
        J = self.rows(q, contact)
        J = J if grip else J[:5]
        kinds = [Kind.BILATERAL] * 4
        normal, mu = [-1] * 4, [0.0] * 4
        if len(J) > 4:
            kinds += [Kind.UNILATERAL, Kind.FRICTION if P.coulomb else Kind.BILATERAL]
            normal += [-1, 4 if P.coulomb else -1]
            mu += [0.0, contact.mu if P.friction is None else P.friction]
            kinds, normal, mu = kinds[: len(J)], normal[: len(J)], mu[: len(J)]
        V_free = V + P.inverse_mass * self.forces(t, q, V) * h
        c = -self.targets(t, q, V, J, h, contact)
        return Problem(J, J * P.inverse_mass, V_free, c, Conditions.of(kinds, normal, mu)), contact

    def step(
        self, t: float, q: Floats, V: Floats, h: float, solver: Solver, start: Floats
    ) -> tuple[Floats, Floats, Floats, Touch, Solution]:
        """Return q, V and impulses (of all six rows) after a step, the contact before it, and the solution.

        Friction without bound sticks where there is a contact force and is absent where there is none: a
        wheel that has still a gap to close is first tried without it.
        """
        open_gap = not self.parameters.coulomb and self.touch(q).gap > 0.0
        problem, contact = self.problem(t, q, V, h, grip=not open_gap)
        solution = solver.solve(problem, start[: len(problem.c)]).require()
        if open_gap and len(solution.p) > 4 and solution.p[4] > 0.0:
            problem, contact = self.problem(t, q, V, h)
            solution = solver.solve(problem, start[: len(problem.c)]).require()
        impulses = np.zeros(6)
        impulses[: len(solution.p)] = solution.p
        return q + h * solution.v, solution.v, impulses, contact, solution

    def energy(self, q: Floats, V: Floats, t: float) -> float:
        """Return kinetic, gravitational and elastic energy [J]."""
        P = self.parameters
        span = math.hypot(q[0] - self.socket.position(t), q[1] - self.anchor(t))
        kinetic = 0.5 * float(V @ (V / P.inverse_mass))
        weight = P.gravity * (P.bar_mass * q[1] + P.wheel_mass * q[4])
        return float(kinetic + weight + 0.5 * P.stiffness * (P.free_length - span) ** 2)


class SuspensionRun(NamedTuple):
    """A run of n steps; arrays over the n + 1 instants."""

    t: Floats
    q: Floats
    V: Floats
    impulses: Floats  # Λ of the step that ends at an instant [N s]; first, of the step that begins there
    gap: Floats  # D [m]
    energy: Floats  # [J]
    sweeps: Floats  # Of the solver
    residual: Floats  # [m/s or rad/s]
    events: list[Event]  # When the wheel touched the road and left it


def simulate(
    suspension: Suspension,
    *,
    duration: float,
    step: float = 1e-3,
    q0: Floats | None = None,
    V0: Floats | None = None,
    solver: Solver | None = None,
    progress: Callable[[float], None] | None = None,
) -> SuspensionRun:
    """Advance the suspension by equal steps, from `Suspension.initial_state` unless a state is given.

    Errors hold the motion up to there as ``partial``.
    """
    T = check_number("pgs suspension", "duration", duration, above=0.0)
    steps = max(1, math.ceil(T / check_number("pgs suspension", "step", step, above=0.0) * (1.0 - 1e-12)))
    h = T / steps
    q, V = suspension.initial_state()
    q = q if q0 is None else checked("q0", q0, 6)
    V = V if V0 is None else checked("V0", V0, 6)
    suspension.check_start(q, V)
    chosen = GaussSeidel() if solver is None else solver
    watch = EventWatch(ROWS, np.arange(6) == 4)
    p = np.zeros(6)
    above = suspension.anchor(0.0) - q[1]
    sprung = max(suspension.parameters.stiffness, suspension.parameters.damping) > 0.0
    stored: list[SuspensionInstant] = []

    def store(t: float, sweeps: int, residual: float) -> None:
        gap = suspension.touch(q).gap
        stored.append(SuspensionInstant(t, q, V, p, gap, suspension.energy(q, V, t), sweeps, residual))

    store(0.0, 0, 0.0)
    try:
        for k in range(steps):
            q, V, p, _, solution = suspension.step(k * h, q, V, h, chosen, p)
            anchor = suspension.anchor((k + 1) * h)
            through = sprung and (anchor - q[1]) * above <= 0.0
            past = through and h * abs(V[1]) > 0.5 * abs(above)
            if not np.all(np.isfinite(V)) or abs(q[1]) > 1e6 or past:
                raise SimulationError("the motion grows without bound; use a smaller step")
            if through:
                raise SimulationError(
                    f"the bar's centre meets the spring's upper end at {anchor:.4g} m; raise anchor_height, "
                    "or let the end climb with the road (climb or lift of the socket)"
                )
            store((k + 1) * h, solution.sweeps, solution.residual)
            watch.look((k + 1) * h, p)
            if progress is not None:
                progress((k + 1) * h)
    except KeyboardInterrupt:
        raise SimulationError(f"interrupted at t = {stored[-1].t:.4g} s", motion(stored, watch)) from None
    except (SimulationError, DataError) as error:
        raise SimulationError(f"at t = {stored[-1].t:.4g} s: {error}", motion(stored, watch)) from error
    return motion(stored, watch)


class SuspensionInstant(NamedTuple):
    """Stored values of an instant; see `SuspensionRun`."""

    t: float
    q: Floats
    V: Floats
    impulses: Floats
    gap: float
    energy: float
    sweeps: int
    residual: float


def motion(stored: Sequence[SuspensionInstant], watch: EventWatch) -> SuspensionRun:
    """Return the stored values as arrays; the first instant has the impulses of the first step."""
    t, q, V, p, gap, energy, sweeps, residual = (np.array(part) for part in zip(*stored, strict=True))
    p[0] = p[min(1, len(p) - 1)]
    return SuspensionRun(t, q, V, p, gap, energy, sweeps, residual, watch.events)
