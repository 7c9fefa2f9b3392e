"""Steady states with the inputs that keep them: a speed and its throttle, a radius and its steering."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.newton import Differenced, differences, find_root, largest_residual
from ce_dynamics.algebra.rotation import rotation_about
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler.progress import log_work
from ce_dynamics.errors import AssemblyError, ModelError
from ce_dynamics.mechanism.hinges.free import Free

STEP = 1e-6
"""Displacements whose influence is asked: rates near 1 leave 1e-10 of rounding, a thousandth of `CYCLIC`."""

CYCLIC = 1e-7  # influence of a displacement on the rates, relative to the largest, that counts as none


class SteadySearch:
    """Unknowns z = [δ of coordinates at rest; v; x; inputs] and the rates that must vanish."""

    def __init__(
        self,
        model: Model,
        targets: dict[str, float],
        find: list[str],
        y: ArrayLike | None,
        u: ArrayLike | None,
    ) -> None:
        layout = model.layout
        self.model, self.targets, self.find = model, targets, find
        self.y = model.with_unit_quaternions(model.given_state(y))
        self.u = model.given_inputs(u)
        inputs = [entry.name for entry in layout.u[: layout.n_inputs]]
        for name in find:
            if name not in inputs:
                raise ModelError(f"no input {name!r}; the system's inputs are {inputs}")
        if len(set(find)) != len(targets):
            raise ModelError(
                f"{len(set(find))} inputs cannot meet {len(targets)} targets; name as many of each"
            )
        self.found = [inputs.index(name) for name in find]
        known = [*layout.y_names, *(entry.name for entry in model.output_entries)]
        for name in targets:
            if name not in known:
                raise ModelError(f"no quantity {name!r}; known are {known}")
        self.aims, self.values = [known.index(name) for name in targets], np.array(list(targets.values()))
        self.turning = [
            name
            for name, body in model.embedding.coordinates.items()
            if isinstance(body.inboard, Free) and body.carrier.is_ground
        ]
        self.up = vertical(model.system.gravity)
        self.running: list[int] = []

    # Unknowns

    @property
    def still(self) -> list[int]:
        """Displacements that are to stand still."""
        return [k for k in range(len(self.model.tangent)) if k not in self.running]

    def start(self) -> Floats:
        """Return the unknowns of the start."""
        _, v, x = self.model.layout.split(self.y)
        return np.concatenate((np.zeros(len(self.still)), v, x, self.u[self.found]))

    def at(self, z: Floats) -> tuple[Floats, Floats]:
        """State and inputs of unknowns."""
        layout = self.model.layout
        q = layout.split(self.y)[0]
        n, rest = len(self.still), len(self.y) - len(q)
        delta = np.zeros(len(self.model.tangent))
        delta[self.still] = z[:n]
        u = self.u.copy()
        u[self.found] = z[n + rest :]
        return np.concatenate((self.model.tangent.displace(q, delta), z[n : n + rest])), u

    # Conditions

    def residual(self, z: Floats) -> Floats:
        """Return rates that are to vanish, and deviations from the targets."""
        y, u = self.at(z)
        return np.concatenate((self.rates(y, u)[self.vanishing_rates], self.deviations(y, u)))

    @property
    def vanishing_rates(self) -> list[int]:
        """Rates that are to vanish: all but those of the displacements that run on."""
        n = len(self.model.tangent)
        return self.still + list(range(n, n + len(self.y) - self.model.layout.sizes["q"]))

    def rates(self, y: Floats, u: Floats) -> Floats:
        """Return [δ̇; v̇; ẋ], accelerations of free bodies in axes that turn with them about the vertical."""
        q_dot, v_dot, x_dot = (part.copy() for part in self.model.layout.split(self.model.dynamics(y, u)[0]))
        q, v, _ = self.model.layout.split(y)
        for where in (self.model.embedding.v_of[name] for name in self.turning):
            omega, velocity = v[where][:3], v[where][3:]
            turn = self.up * (self.up @ omega)
            v_dot[where] -= np.concatenate((np.cross(turn, omega), np.cross(turn, velocity)))
        return np.concatenate((self.model.tangent.rows(q) @ q_dot, v_dot, x_dot))

    def deviations(self, y: Floats, u: Floats) -> Floats:
        """Return the deviations of states and outputs from the targets."""
        known = [y] if max(self.aims, default=0) < len(y) else [y, self.model.observation(y, u)[0]]
        found: Floats = np.concatenate(known)[self.aims] - self.values
        return found

    # Neutral coordinates

    def let_run(self, moving: Iterable[str] | None) -> None:
        """Decide which displacements may run on."""
        tangent = self.model.tangent
        if moving is not None:
            self.running = tangent.places(moving)
            return
        n, free, running = len(tangent), set[int](), []
        for where in (tangent.of[name] for name in self.turning):
            free |= set(range(where.start, where.stop))
            running += [where.start + (k if self.up[k] else 3 + k) for k in range(3)]
        rng, influence = np.random.default_rng(0), np.zeros(n)
        for _ in range(2):  # in two states nearby: a symmetry of the start may hide a dependence
            near = self.start() + 1e-3 * rng.normal(size=len(self.start()))

            def rates(delta: Floats, others: Floats = near[n:]) -> Floats:
                return self.rates(*self.at(np.concatenate((delta, others))))[n:]

            slopes = np.abs(differences(rates, near[:n], STEP))
            influence = np.maximum(influence, np.max(np.nan_to_num(slopes), axis=0, initial=0.0))
        limit = CYCLIC * max(1.0, float(np.max(influence, initial=0.0)))
        self.running = sorted(running + [k for k in range(n) if k not in free and influence[k] <= limit])

    # The search

    def solve(self, tolerance: float) -> Floats:
        """Return unknowns at which the residual vanishes."""
        z = self.start()
        first = self.residual(z)
        if not np.all(np.isfinite(first)):
            raise AssemblyError(
                "accelerations are not finite at the start; start where loops can be assembled"
            )
        allowed = tolerance * max(1.0, largest_residual(first))
        found = find_root(self.residual, z, allowed, patient=True)
        if not found.size <= allowed:
            raise AssemblyError(self.failure(found.x, np.abs(found.gap)))
        return np.asarray(found.x)

    def names(self) -> list[str]:
        """Return the names of the residuals."""
        layout, tangent = self.model.layout, self.model.tangent
        rates = [f"rate of {entry.name}" for entry in (*tangent.entries, *layout.v, *layout.x)]
        targets = [f"deviation of {name}" for name in self.targets]
        return [rates[k] for k in self.vanishing_rates] + targets

    def failure(self, z: Floats, remaining: Floats) -> str:
        """Return the error message: the largest residual, and the inputs without effect."""
        worst = int(np.argmax(remaining))
        J = np.nan_to_num(Differenced(self.residual).slope(z))
        idle = [
            f"{name} = {value:.4g}"
            for name, value, column in zip(
                self.find, z[-len(self.find) :], J.T[-len(self.find) :], strict=True
            )
            if np.max(np.abs(column)) <= CYCLIC * np.max(np.abs(J))
        ]
        left = f"{self.names()[worst]} remains at {remaining[worst]:.3g}"
        targets = ", ".join(f"{name} = {value:g}" for name, value in self.targets.items())
        text = f"no steady state with {targets} found: {left}"
        if idle:
            return f"{text}; {', '.join(idle)} has no influence there (saturated?): ask for less"
        return f"{text}; start nearer to it, or ask for less"

    def refuse_unsteady(self, z: Floats, tolerance: float) -> None:
        """Reject a state whose rates do not stay zero after neutral coordinates have moved on."""
        y, u = self.at(z)
        later = self.advance(y, u, 0.37)
        allowed = 1e3 * tolerance * max(1.0, float(np.max(np.abs(self.model.dynamics(self.y, self.u)[0]))))
        found = np.abs(self.rates(later, u)[self.vanishing_rates])
        if not np.max(found, initial=0.0) <= allowed:
            running = [self.model.tangent.entries[k].name for k in self.running]
            worst = self.names()[int(np.argmax(found))]
            raise ModelError(
                f"the state found is not steady: as {running} go on, {worst} becomes "
                f"{np.max(found):.3g}; only motion that changes nothing else can be steady (moving=[...])"
            )

    def advance(self, y: Floats, u: Floats, t: float) -> Floats:
        """Return the later state of a steady motion: displaced at constant rates, free bodies turned.

        A circle is left along its tangent: a steady state is so at any position.
        """
        layout = self.model.layout
        q, v, x = (part.copy() for part in layout.split(y))
        delta = np.zeros(len(self.model.tangent))
        delta[self.running] = t * self.rates(y, u)[self.running]
        for where in (self.model.embedding.v_of[name] for name in self.turning):
            angle = t * float(self.up @ v[where][:3])
            R = rotation_about(self.up, math.cos(angle), math.sin(angle))
            for part in (slice(where.start, where.start + 3), slice(where.start + 3, where.stop)):
                v[part] = R @ v[part]
        return np.concatenate((self.model.tangent.displace(q, delta), v, x))


def vertical(gravity: Floats) -> Floats:
    """Return the coordinate axis nearest to the direction of gravity; z without gravity."""
    result = np.zeros(3)
    size = np.abs(np.asarray(gravity, dtype=float))
    result[int(np.argmax(size)) if np.any(size > 0.0) else 2] = 1.0
    return result


@dataclass(frozen=True, eq=False)
class SteadyState:
    """Motion that is the same at all times, and the inputs that maintain it.

    Attributes
    ----------
    y : (n,) array
        The state.
    u : (m,) array
        All inputs and free parameters.
    inputs : dict of str to float
        Those that were to be found.
    moving : dict of str to float
        Displacements with constant rates [rad/s], [m/s].
    imbalance : float
        Largest rate that should be zero and is not, in its unit.
    """

    y: Floats
    u: Floats
    inputs: dict[str, float]
    moving: dict[str, float]
    imbalance: float = field(repr=False)


def steady_state(
    model: Model,
    targets: Mapping[str, float],
    find: Iterable[str],
    y: ArrayLike | None = None,
    u: ArrayLike | None = None,
    *,
    moving: Iterable[str] | None = None,
    tolerance: float = 1e-9,
) -> SteadyState:
    """Find inputs and a steady state for which quantities have given values.

    Steady is a state in which all velocities, first-order states and coordinates are constant, with two
    exceptions: neutral coordinates (the angle of a wheel or rotor) may grow, and a body that is
    free on the ground may drive on and turn about the vertical, on a straight line or a circle.

    Parameters
    ----------
    model : Model
    targets : mapping of str to float
        Target values by the names of entries of the state or of outputs.
    find : iterable of str
        Names of as many inputs, to be found with the state.
    y, u : array_like, optional
        Where to start; the model's own if not given.  Inputs that are not in ``find`` stay.
    moving : iterable of str, optional
        Displacements (``model.tangent.entries``) that may run on.  If not given, those that have no influence
        on any rate, and of free bodies on the ground those that drive and turn them.
    tolerance : float
        Largest rate (or deviation from a target) that may remain, relative to the largest at the start or
        to 1.

    Returns
    -------
    SteadyState
        One near the start, where there are many.

    Raises
    ------
    ModelError
        If a name is unknown, there are not as many inputs as targets, or the result is not steady (a road
        that is not even).
    AssemblyError
        If there is no such state near the start; the message names the residual.  An idle input is named
        (a throttle that is fully open already).

    Examples
    --------
    The torque that keeps a fan with the drag 0.1 ω at 30 rad/s:

    >>> import ce_dynamics as ce
    >>> system = ce.System()
    >>> fan = system.add_body("fan", mass=1.0, inertia=(0.1, 0.1, 0.2), parent=system.ground,
    ...                       hinge=ce.Revolute((0, 0, 1)))
    >>> system.add_input("motor", "N*m")
    >>> system.add_force(ce.AppliedWrench("shaft", fan, (0, 0, 0), torque=(0, 0, "motor")))
    >>> system.add_force(ce.TorsionSpringDamper("drag", fan, damper=0.1))
    >>> found = ce.steady_state(ce.compile(system), {"fan_rate": 30.0}, ["motor"])
    >>> {name: round(value, 9) for name, value in found.inputs.items()}
    {'motor': 3.0}
    """
    checks.instance("steady_state: model", model, Model, "a model, as ce_dynamics.compile(system) returns it")
    wanted = {
        name: checks.number(f"steady_state: targets: {name}", value)
        for name, value in checks.mapping("steady_state: targets", targets).items()
    }
    checks.number("steady_state: tolerance", tolerance, above=0.0)
    search = SteadySearch(model, wanted, list(checks.texts("steady_state: find", find)), y, u)
    search.let_run(moving)
    with log_work(f"searching a steady state of {model.system.name!r}"):
        z = search.solve(tolerance)
    state, inputs = search.at(z)
    search.refuse_unsteady(z, tolerance)
    rates = search.rates(state, inputs)
    names = [entry.name for entry in model.tangent.entries]
    return SteadyState(
        state,
        inputs,
        {name: float(inputs[k]) for name, k in zip(search.find, search.found, strict=True)},
        {names[k]: float(rates[k]) for k in search.running},
        float(np.max(np.abs(search.residual(z)), initial=0.0)),
    )
