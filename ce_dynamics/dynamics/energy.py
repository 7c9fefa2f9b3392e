"""Energies, momentum and power of an embedded system.

For any motion d/dt (T + V_g) = power of the loads + power of the prescribed motions, where T is the kinetic
energy and V_g the gravitational potential: what an integration can be audited with.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ce_dynamics.algebra.arrays import Array, Scalar, array, cross, dot, zeros
from ce_dynamics.algebra.spatial import phi_force, phi_T_motion, rotate_vector, spatial
from ce_dynamics.compiler.tracing.graph import mark
from ce_dynamics.dynamics.articulated_body import (
    Accelerations,
    Articulated,
    armature_energy,
    armature_power,
    with_armature,
)
from ce_dynamics.dynamics.inverse_dynamics import virtual_work
from ce_dynamics.dynamics.loads import Loads
from ce_dynamics.dynamics.outward import Outward
from ce_dynamics.embedding.aggregate import Aggregate
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body

ENERGIES = ("kinetic_energy", "potential_energy", "elastic_energy", "energy")
"""Names of the energies in results [J].

``elastic_energy`` is the part of ``potential_energy`` that force elements store, ``energy`` the sum of
kinetic and potential energy.
"""


class Momentum(NamedTuple):
    """Momentum of the bodies of a system, in world axes; armature of hinges has none.

    Attributes
    ----------
    mass : float
        [kg].
    com : (3,) array
        Centre of mass of the system [m].
    linear : (3,) array
        [kg m/s].
    angular : (3,) array
        About the world origin [kg m²/s].
    angular_about_com : (3,) array
        About the system's centre of mass [kg m²/s].
    """

    mass: float
    com: Array
    linear: Array
    angular: Array
    angular_about_com: Array


class Power(NamedTuple):
    """Powers that change the mechanical energy T + V_g [W].

    Attributes
    ----------
    loads : scalar
        Power of all force elements [W].
    prescribed : scalar
        Power of the drives of prescribed hinges [W].
    """

    loads: Scalar
    prescribed: Scalar


def velocities(outward: Outward) -> dict[str, Array]:
    """Return spatial velocity of every body's centre of mass in inertial space, in the body's own axes."""
    V: dict[str, Array] = {"ground": zeros(6)}
    for S, body in bodies_base_to_tip(outward):
        motion = outward.motions[S.name]
        j, com = motion.body(body.name), motion.point(body.name, body.com)
        # V = φᵀ(p, j) V(p) + J θ̇ + drift
        V_j = phi_T_motion(com.r, V[S.parent.name]) + spatial(j.w_total, com.v)
        V[body.name] = rotate_vector(j.R.T, V_j)
    return V


def kinetic_energy(outward: Outward) -> Scalar:
    """Return T = ½ Σ Vᵀ M V over all bodies, and ½ θ̇ᵀ A θ̇ of hinges with armature [J]."""
    V = velocities(outward)
    total: Scalar = 0.0
    for body in outward.embedding.system.bodies:
        mark()
        total = total + dot(V[body.name], body_momentum(body, V[body.name]))
    return 0.5 * total + armature_energy(outward)


def gravitational_potential(outward: Outward) -> Scalar:
    """Return V_g = −Σ m g · r [J], zero for a mass at the world origin."""
    system = outward.embedding.system
    total: Scalar = 0.0
    for body in system.bodies:
        mark()
        total = total - body.mass * dot(system.gravity, outward.placement(body, system.ground).r)
    return total


def elastic_potential(loads: Loads) -> Scalar:
    """Sum of the potential energies that the force elements report [J]."""
    total: Scalar = 0.0
    for response in loads.responses.values():
        total = total + response.potential
    return total


def momentum(outward: Outward) -> Momentum:
    """Return linear and angular momentum and the centre of mass of the whole system."""
    system = outward.embedding.system
    mass = sum(body.mass for body in system.bodies)
    if mass == 0.0:
        raise ModelError(
            f"system {system.name!r} has no mass and therefore no centre of mass; give its bodies one"
        )
    h_origin = momentum_about_origin(outward)
    moment = zeros(3)
    for body in system.bodies:
        moment = moment + body.mass * outward.placement(body, system.ground).r
    com = moment * (1.0 / mass)
    angular, linear = h_origin[:3], h_origin[3:]
    return Momentum(mass, com, linear, angular, angular - cross(com, linear))


def momentum_about_origin(outward: Outward) -> Array:
    """Return Σ φ M V gathered from tip to base: [angular; linear] momentum at the origin, world axes."""
    V = velocities(outward)
    h = {body.name: body_momentum(body, V[body.name]) for body in outward.embedding.system.bodies}
    h["ground"] = zeros(6)
    for S, body in reversed(list(bodies_base_to_tip(outward))):
        motion = outward.motions[S.name]
        r, R = motion.point(body.name, body.com).r, motion.body(body.name).R
        h[S.parent.name] = h[S.parent.name] + phi_force(r, rotate_vector(R, h[body.name]))
    return h["ground"]


def power(
    outward: Outward, loads: Loads, accelerations: Accelerations, nodes: Mapping[str, Articulated]
) -> Power:
    """Return the power of the loads and of the prescribed motions."""
    return Power(load_power(outward, loads), compute_drive_power(outward, loads, accelerations, nodes))


def energy_rates(outward: Outward, accelerations: Accelerations) -> tuple[Scalar, Scalar]:
    """Return rates of the kinetic energy and of the gravitational potential [W], from accelerations."""
    system = outward.embedding.system
    V = velocities(outward)
    both: Scalar = 0.0  # dT/dt + dV_g/dt: accelerations less gravity against velocities
    falling: Scalar = 0.0  # −dV_g/dt
    for body in system.bodies:
        V_j, alpha = V[body.name], accelerations.alpha[body.name]
        both = both + dot(V_j, body_momentum(body, alpha))  # ω × I ω does no work
        g = outward.placement(body, system.ground).R.T @ system.gravity
        falling = falling + body.mass * dot(g, V_j[3:])
    return both + falling + armature_power(outward, accelerations.v_dot), -falling


def load_power(outward: Outward, loads: Loads, V: Mapping[str, Array] | None = None) -> Scalar:
    """Return the power of wrenches on their bodies and of torques on their hinges [W]."""
    V = velocities(outward) if V is None else V
    total: Scalar = 0.0
    for name, wrench in loads.wrenches.items():
        R = outward.relative_to_p(outward.embedding.system.find(name)).R
        total = total + dot(rotate_vector(R.T, wrench), V[name])
    for S in outward.embedding.aggregates:
        mark()
        motion = outward.motions[S.name]
        for body in S.bodies:
            if body.name in loads.torques:
                hinge_motion = motion.hinge_motions[body.name]
                rate = hinge_motion.X @ motion.theta_dot + hinge_motion.eta
                total = total + dot(loads.torques[body.name], rate)
    return total


def compute_drive_power(
    outward: Outward, loads: Loads, accelerations: Accelerations, nodes: Mapping[str, Articulated]
) -> Scalar:
    """Return the power that the drives of prescribed motions deliver [W].

    By virtual work on the velocities that η_S causes at θ̇ = 0, see `virtual_work`.
    """
    total: Scalar = 0.0
    torques = with_armature(outward, loads.torques, accelerations.v_dot)
    for S in outward.embedding.aggregates:
        mark()
        forces = transmit_forces(nodes[S.name], accelerations)
        total = total + virtual_work(outward, S, forces, torques)
    return total


def transmit_forces(node: Articulated, accelerations: Accelerations) -> dict[str, Array]:
    """Return fⱼ = Pⱼ (αⱼ − aⱼ) + zⱼ, the force on body j and all it carries: at its COM, in p's axes."""
    forces = {}
    for j, P_j, z_j in zip(node.members, node.P, node.f, strict=True):
        alpha_j = rotate_vector(j.R, accelerations.alpha[j.body.name])
        forces[j.body.name] = P_j @ (alpha_j - j.a) + z_j
    return forces


def body_momentum(body: Body, V: Array) -> Array:
    """Return M V at the centre of mass, in the body's axes."""
    return array((*(body.inertia @ V[:3]), *(body.mass * V[3:])))


def bodies_base_to_tip(outward: Outward) -> Iterator[tuple[Aggregate, Body]]:
    """Yield all bodies, those that carry others first, with their aggregated bodies."""
    for S in outward.embedding.aggregates:
        mark()
        for body in S.bodies:
            yield S, body
