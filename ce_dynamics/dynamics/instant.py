"""The equations of motion of an embedded system as plain functions of q, v, x, u.

These functions are the one source of the physics: they run on floats as they are, and on traced scalars when
a model is compiled.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ce_dynamics.algebra.arrays import Array, Scalar, array, concatenate, cross
from ce_dynamics.dynamics.articulated_body import Accelerations, Articulated, base_to_tip, tip_to_base
from ce_dynamics.dynamics.energy import Power, gravitational_potential, kinetic_energy, power
from ce_dynamics.dynamics.loads import Loads, gather_loads
from ce_dynamics.dynamics.outward import Outward
from ce_dynamics.dynamics.state import Layout, motion_key
from ce_dynamics.embedding.aggregate import Embedding
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.drives import Prescribed


@dataclass(frozen=True, eq=False)
class Instant:
    """A system at one instant: everything that can be computed from q, v, x, u, each part once.

    Attributes
    ----------
    embedding : Embedding
    layout : Layout
    q, v, x, u : arrays
    """

    embedding: Embedding
    layout: Layout
    q: Array
    v: Array
    x: Array
    u: Array

    def __post_init__(self) -> None:
        self.layout.bind_parameters(self.u, (self.q, self.v, self.x))

    @cached_property
    def prescribed(self) -> dict[str, Prescribed]:
        """Prescribed motions by body name."""
        states, inputs = self.layout.states_of(self.x), self.layout.inputs_of(self.u)
        motions = self.embedding.system.prescribed
        return {name: motion.evaluate(states[motion_key(name)], inputs) for name, motion in motions.items()}

    @cached_property
    def outward(self) -> Outward:
        """Motion of all bodies."""
        return Outward(self.embedding, self.q, self.v, self.prescribed)

    @cached_property
    def loads(self) -> Loads:
        """Loads of all force elements."""
        elements = {element.name: element for element in self.embedding.system.forces}
        return gather_loads(
            self.outward, elements, self.layout.states_of(self.x), self.layout.inputs_of(self.u)
        )

    @cached_property
    def nodes(self) -> dict[str, Articulated]:
        """What the tip-to-base sweep leaves at every aggregated body."""
        return tip_to_base(self.outward, self.loads.wrenches, self.loads.torques)

    @cached_property
    def accelerations(self) -> Accelerations:
        """Forward dynamics."""
        return base_to_tip(self.outward, self.nodes, self.embedding.system.gravity)

    def acceleration(self, body: Body, at: Array) -> Array:
        """Second time derivative of the position of a body-fixed point, in world axes [m/s²]."""
        ground = self.embedding.system.ground
        place = self.outward.placement(body, ground)
        alpha = self.accelerations.alpha[body.name]
        e = self.outward.point(body, at, ground).r - place.r
        swing = cross(place.R @ alpha[:3], e) + cross(place.w, cross(place.w, e))
        result: Array = place.R @ alpha[3:] + self.embedding.system.gravity + swing
        return result

    @property
    def energy(self) -> Scalar:
        """Kinetic and gravitational energy [J]."""
        return kinetic_energy(self.outward) + gravitational_potential(self.outward)

    @property
    def power(self) -> Power:
        """What changes the energy: the power of the loads and of the prescribed motions."""
        return power(self.outward, self.loads, self.accelerations, self.nodes)

    @property
    def q_dot(self) -> Array:
        """Rates of the independent coordinates."""
        rates = []
        for name, body in self.embedding.coordinates.items():
            q_slice = self.embedding.q_of[name]
            rates.append(body.inboard.q_dot(self.q[q_slice], self.v[self.embedding.v_of[name]]))
        return concatenate(rates)

    @property
    def x_dot(self) -> Array:
        """Rates of the first-order states."""
        rates = {motion_key(name): array(motion.x_dot) for name, motion in self.prescribed.items()}
        rates |= {name: array(response.x_dot) for name, response in self.loads.responses.items()}
        return self.layout.collect(rates)

    @property
    def y_dot(self) -> Array:
        """The right-hand side of the ordinary differential equation."""
        return concatenate((self.q_dot, self.accelerations.v_dot, self.x_dot))
