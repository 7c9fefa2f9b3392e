"""The axle as functions of its coordinates: traced geometry, its derivatives, and figures made of both.

All functions have one input c = [q; s; p]: coordinates q of the suspension, the steering's coordinate s (if
there is one), and the free parameters p of the model.  The chassis is held in its design pose.

The geometry is traced once; its directional derivatives are called beside it, so all derivatives are exact.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import TracedFunction, trace
from ce_dynamics.compiler.derivatives.forward_mode import directional_derivative
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.compiler.tracing.inline import call
from ce_dynamics.dynamics.loads import gather_loads
from ce_dynamics.dynamics.outward import axes
from ce_dynamics.dynamics.state import motion_key
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.hinges.free import Free
from ce_dynamics.models.kc.axle import Axle, spin_axis, spin_hinge, supports
from ce_dynamics.models.kc.settling import Settling

ROUNDING = 1e-12
"""[m] that the travel of the wheels may be off what an axle with one freedom can have."""


class Travels(NamedTuple):
    """Possible travels of an axle's wheels: each by itself, both together, or one against the other.

    An axle with one freedom between its wheels and the chassis has one travel.  For a beam that pivots keep
    from rolling, this travel is the mean of both wheels' travels.  For a beam pinned in its middle, it is
    half their difference.

    ``rows`` (m, 2) make the travels that are chosen of those of both wheels; ``why`` is the cause that sweeps
    of other ``kinds`` are missing, as a clause.
    """

    rows: Floats
    kinds: tuple[str, ...]
    why: str

    @property
    def number(self) -> int:
        """Number of travels that can be chosen."""
        return len(self.rows)

    def spread(self, of_travels: Array) -> Array:
        """Return forces (2,), or stiffnesses (2, 2), of the wheels from those of the travels."""
        if self.number == 2:
            return of_travels
        found: Array = self.rows.T @ of_travels
        return found if found.ndim == 1 else found @ self.rows

    def check(self, axle: str, goals: Floats) -> None:
        """Refuse travels (n, 2) that the wheels cannot have at once."""
        part = self.rows / np.sum(self.rows**2, axis=1, keepdims=True)
        off = goals - goals @ self.rows.T @ part
        if np.any(np.abs(off) > ROUNDING):
            left, right = 1e3 * goals[int(np.argmax(np.max(np.abs(off), axis=1)))]
            raise DataError(
                f"axle {axle!r}: {self.why}, so there is no travel of {left:.5g} mm left and {right:.5g} mm "
                f"right; take {' or '.join(self.kinds)} travel"
            )


SEPARATE = Travels(np.eye(2), ("parallel", "opposed", "left", "right"), "")
TOGETHER = Travels(np.array([[0.5, 0.5]]), ("parallel",), "its wheels rise and fall together")
AGAINST = Travels(
    np.array([[0.5, -0.5]]), ("opposed",), "its wheels travel against each other, in one way only"
)
ALIKE = 1e-9
"""Singular value of the wheels' heights below which they follow from each other, over the largest."""


def travels_of(Z: Array) -> Travels | None:
    """Return travels by derivatives (2, n) of both wheels' heights; None if nothing travels."""
    directions, sizes, _ = np.linalg.svd(np.asarray(Z, dtype=float))
    if not np.any(sizes > 0.0):
        return None
    if len(sizes) == 2 and sizes[1] > ALIKE * sizes[0]:
        return SEPARATE
    left, right = directions[:, 0]
    return TOGETHER if left * right > 0.0 else AGAINST


IDLE = 1e-9
"""Part of the largest motion of a wheel that counts as none."""


class Places(NamedTuple):
    """Places of the entries of c in the model's state and inputs."""

    q: list[int]
    s: list[int]
    p: list[int]


class Geometry(NamedTuple):
    """An axle in one pose; first index left and right.

    W (2, 3) are wheel centres, W_0 those of the design pose [m], e spin axes, to the left; R (2, 3, 3) axes
    of the carriers, the identity in the design pose; ``kingpin`` (2, 2, 3) lower and upper points of the
    steering axes, empty where there are none; ``lengths`` those of springs, dampers and others, twists of
    bars; ``energy`` that of springs and of bars [J].
    """

    W: Array
    W_0: Array
    e: Array
    R: Array
    kingpin: Array
    lengths: Array
    energy: Array


class AxlePoses:
    """Traced functions of an axle.

    ``start`` is c in the design pose; ``elements`` are force elements that store energy or have a length, in
    the order of ``lengths``; ``settling`` finds coordinates that do not follow from the ``travels``, if any.
    """

    def __init__(self, model: Model, axle: Axle) -> None:
        self.model, self.axle = model, axle
        system = model.system
        self.hinges = [spin_hinge(system, wheel) for wheel in axle.wheels]
        self.carriers = [system.find(wheel.body).carrier for wheel in axle.wheels]
        self.spin_axes = [spin_axis(hinge) for hinge in self.hinges]
        self.chassis = system.find(axle.chassis)
        owners = self._coordinates()
        self._check_freedoms(owners)
        self.places = Places(self._q_places(owners), self._s_place(), self._p_places())
        self._y0, self._u0 = self._design(), model.u0
        self.start = np.concatenate(
            (self._y0[self.places.q], self._y0[self.places.s], self._u0[self.places.p])
        )
        self.supports = supports(system, axle, self.moving())
        measured = {
            name: next((key for key in ("length", "twist") if key in element.outputs), "")
            for name, element in self.supports.items()
        }
        self.measured = {name: key for name, key in measured.items() if key}
        self.elements = tuple(self.measured)
        self.travels = self._travels()
        self.settling = self._settling()

    # Motion

    def _coordinates(self) -> list[Body]:
        """Return owners of the independent coordinates between the carriers and the chassis."""
        owners: list[Body] = []
        for carrier, wheel in zip(self.carriers, self.axle.wheels, strict=True):
            body = carrier
            while not body.is_ground and body is not self.chassis:
                S = self.model.embedding.owner[body.name]
                led = [one for one in S.independent if one.name != self.axle.steered_by]
                owners += [one for one in led if one not in owners]
                body = S.parent
            if body is not self.chassis:
                raise DataError(
                    f"axle {self.axle.name!r}: wheel {wheel.body!r} is not carried by {self.axle.chassis!r}"
                )
        return owners

    def moving(self) -> list[Body]:
        """Return bodies that the travel of the wheels moves."""
        embedding = self.model.embedding
        own = {body.name for body in self._coordinates()}
        mine = [S for S in embedding.aggregates if any(one.name in own for one in S.independent)]
        bodies = {body.name: body for S in mine for body in S.bodies if body.name != self.axle.steered_by}
        for S in embedding.aggregates:  # from base to tip
            if S.parent.name in bodies:
                bodies |= {body.name: body for body in S.bodies}
        return list(bodies.values())

    def _check_freedoms(self, owners: list[Body]) -> None:
        if not owners:
            raise DataError(
                f"axle {self.axle.name!r} has no degree of freedom between its wheels and "
                f"{self.axle.chassis!r}: nothing travels, and there is nothing to try on the rig"
            )

    def _travels(self) -> Travels:
        by = [self.along(self.start, k).W[:, 2] for k in range(self.moved)]
        found = travels_of(array(by).T)
        if found is None:
            raise DataError(
                f"axle {self.axle.name!r}: its wheels neither rise nor fall from the design pose; there is "
                "nothing to try on the rig"
            )
        return found

    def _settling(self) -> Settling | None:
        """Return the settling of coordinates beyond the travels.

        None if no such coordinate moves a wheel, as with a rod that turns about itself.
        """
        n, rows = self.moved, self.travels.rows
        if n == len(rows):
            return None
        by = [self.along(self.start, k) for k in range(n)]
        Z = np.array([[one.W[side, 2] for one in by] for side in (0, 1)], dtype=float)
        others = np.linalg.svd(rows @ Z)[2][len(rows) :]
        moves = np.array([np.concatenate((one.W.ravel(), one.R.ravel())) for one in by], dtype=float)
        if np.max(np.abs(others @ moves), initial=0.0) <= IDLE * np.max(np.abs(moves)):
            return None

        def measure(c: Array) -> tuple[Array, Array]:
            found = self.at(c)
            return found.W[:, 2], found.energy

        return Settling(self.axle.name, measure, self.start, moves, rows)

    def _q_places(self, owners: list[Body]) -> list[int]:
        layout, q_of = self.model.layout, self.model.embedding.q_of
        places = [k for body in owners for k in range(q_of[body.name].start, q_of[body.name].stop)]
        return [k for k in places if layout.q[k].role == "quantity"]

    def _s_place(self) -> list[int]:
        name = self.axle.steered_by
        if name is None:
            return []
        layout, system = self.model.layout, self.model.system
        S = self.model.embedding.owner.get(name)
        free = [] if S is None else [body for body in S.independent if body.name == name]
        if free and free[0].inboard.n_v == 1:
            return self._q_places(free)  # driven by forces
        if name not in system.prescribed:
            known = ", ".join(system.prescribed) or "nothing"
            raise DataError(f"axle {self.axle.name!r}: steered_by {name!r}; prescribed are: {known}")
        where = layout.x_of[motion_key(name)]
        states = [state.name for state in system.prescribed[name].states]
        if "position" not in states:
            raise DataError(
                f"axle {self.axle.name!r}: the motion of {name!r} has no state 'position' to set; steer by "
                "a SecondOrderActuator"
            )
        offset = len(layout.q) + len(layout.v)
        return [offset + where.start + states.index("position")]

    def _p_places(self) -> list[int]:
        return list(range(self.model.layout.n_inputs, len(self.model.layout.u)))

    def _design(self) -> Array:
        """Return the state with the chassis in its design pose, at rest."""
        model = self.model
        y = model.y0
        n_q, n_v = len(model.layout.q), len(model.layout.v)
        y[n_q : n_q + n_v] = 0.0
        body = self.chassis
        while not body.is_ground:
            if isinstance(body.inboard, Free):  # a hitch of a trailer starts in line
                y[model.embedding.q_of[body.name]] = nominal(body.inboard.neutral)
            body = body.carrier
        return y

    # Traced functions

    def state(self, c: Array) -> tuple[Array, Array]:
        """Return the y and u of c."""
        y, u = list(self._y0), list(self._u0)
        n_q, n_s = len(self.places.q), len(self.places.s)
        for place, value in zip(self.places.q + self.places.s, c[: n_q + n_s], strict=True):
            y[place] = value
        for place, value in zip(self.places.p, c[n_q + n_s :], strict=True):
            u[place] = value
        return array(y), array(u)

    @property
    def size(self) -> int:
        """Length of c."""
        return len(self.start)

    @property
    def moved(self) -> int:
        """Number of entries of c that are coordinates of the suspension."""
        return len(self.places.q)

    def _measure(self, c: Array) -> dict[str, Array]:
        y, u = self.state(c)
        instant = self.model.instant(y, u)
        outward, ground = instant.outward, self.model.system.ground
        layout = self.model.layout
        sides = list(zip(self.hinges, self.spin_axes, self.carriers, strict=True))
        find = self.model.system.find
        loads = gather_loads(outward, self.supports, layout.states_of(instant.x), layout.inputs_of(instant.u))
        energy = [0.0, 0.0]
        for name, response in loads.responses.items():
            energy[name in self.axle.bars] += response.potential
        pins = [wheel.kingpin for wheel in self.axle.wheels if wheel.kingpin is not None]
        return Geometry(
            W=array(outward.point(carrier, hinge.at_parent, ground).r for hinge, _, carrier in sides),
            W_0=array(array(hinge.at_parent) for hinge in self.hinges),
            e=array(outward.direction(carrier, e, ground) for _, e, carrier in sides),
            R=array(axes(outward, carrier) for carrier in self.carriers),
            kingpin=array(
                array(outward.point(find(body), at, ground).r for body, at in pin) for pin in pins
            ).reshape(-1, 2, 3),
            lengths=array(loads.responses[name].outputs[key] for name, key in self.measured.items()),
            energy=array(energy),
        )._asdict()

    @cached_property
    def geometry(self) -> TracedFunction:
        return trace(f"{self.axle.name} axle", self._measure, {"c": self.size})

    @cached_property
    def geometry_along(self) -> TracedFunction:
        """Its derivative along a direction of c."""
        return directional_derivative(self.geometry)

    def at(self, c: Array) -> Geometry:
        """Return the axle at c, traced or not."""
        return Geometry(**call(self.geometry, c=c))

    def along(self, c: Array, k: int) -> Geometry:
        """Return its derivative by entry k of c."""
        direction = np.zeros(self.size)
        direction[k] = 1.0
        found = call(self.geometry_along, c=c, c_direction=direction)
        return Geometry(**{name.removesuffix("_direction"): value for name, value in found.items()})
