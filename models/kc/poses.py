"""The axle as functions of its coordinates: traced geometry, its derivatives, and figures made of both.

All functions have one input c = [q; s; p]: coordinates q of the suspension, the steering's coordinate s (if
there is one), and the free parameters p of the model.  The chassis is held in its design pose.

What is a derivative here is one exactly: the geometry is traced once, and its directional derivatives are
called beside it.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import TracedFunction, trace
from ce_dynamics.compiler.derivatives.directional import directional_derivative
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
from ce_dynamics.models.kc.travels import Travels, travels_of

IDLE = 1e-9
"""Part of the largest motion of a wheel that counts as none."""


class Places(NamedTuple):
    """Places of the entries of c in the model's state and inputs."""

    q: list[int]
    s: list[int]
    p: list[int]


class Geometry(NamedTuple):
    """An axle in one pose; first index left and right.

    Attributes
    ----------
    W : (2, 3) array
        Wheel centres [m].
    W_0 : (2, 3) array
        In the design pose.
    e : (2, 3) array
        Spin axes, to the left.
    R : (2, 3, 3) array
        Axes of the carriers; the identity in the design pose.
    kingpin : (2, 2, 3) array
        Lower and upper point of the steering axes; empty where there are none.
    lengths : (n,) array
        Of springs, dampers and what else has a length, and twists of bars.
    energy : (2,) array
        Stored in springs, in bars [J].
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

    Parameters
    ----------
    model : Model
    axle : Axle

    Attributes
    ----------
    places : Places
    start : (n,) array
        c in the design pose.
    elements : tuple of str
        Force elements that store energy or have a length, in the order of ``lengths``.
    travels : Travels
        How the wheels may travel.
    settling : Settling or None
        Finds coordinates that do not follow from the travels, where there are any.

    Raises
    ------
    DataError
        If something that the axle names is not there, or its wheels do not travel.
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

    # What moves

    def _coordinates(self) -> list[Body]:
        """Owners of the independent coordinates between the carriers and the chassis."""
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
        """Bodies that the travel of the wheels moves."""
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

        def measured(c: Array) -> tuple[Array, Array]:
            found = self.at(c)
            return found.W[:, 2], found.energy

        return Settling(self.axle.name, measured, self.start, moves, rows)

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
            return self._q_places(free)  # led by forces
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
        """The state with the chassis in its design pose, at rest."""
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
        """y and u of c."""
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
        """`Geometry` of c."""
        return trace(f"{self.axle.name} axle", self._measure, {"c": self.size})

    @cached_property
    def geometry_along(self) -> TracedFunction:
        """Its derivative along a direction of c."""
        return directional_derivative(self.geometry)

    def at(self, c: Array) -> Geometry:
        """The axle at c, traced or not."""
        return Geometry(**call(self.geometry, c=c))

    def along(self, c: Array, k: int) -> Geometry:
        """Its derivative by entry k of c."""
        direction = np.zeros(self.size)
        direction[k] = 1.0
        found = call(self.geometry_along, c=c, c_direction=direction)
        return Geometry(**{name.removesuffix("_direction"): value for name, value in found.items()})
