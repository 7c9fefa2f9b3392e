"""Each answer of a model against something that is computed in another way.

Checks are identities between different functions of a model (energy and mass matrix, momentum and reactions)
and central differences.  Numbers are of order 1 to 100.  Differences with a step h = 1e-5 are good to
h² f‴ ~ 1e-10 f and to rounding 1e-13 f/h ~ 1e-8 f: `SLOPE` allows a hundred times that, `SAME` is rounding
amplified by the condition of mass matrices and loops, at most 1e3 here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats

SLOPE = 1e-6
SAME = 1e-9
H = 1e-5


def state_of(model: ce.Model) -> Floats:
    """Off the design pose, moving."""
    rng = np.random.default_rng(5)
    q, v, x = model.layout.split(model.y0)
    moved = model.tangent.displace(q, rng.uniform(-0.15, 0.15, len(v)))
    return np.concatenate((moved, rng.uniform(-1.0, 1.0, len(v)), x))


def parts(model: ce.Model, y: Floats) -> tuple[Floats, Floats]:
    q, v, _ = model.layout.split(y)
    return q, v


def close(found: Any, expected: Any, tolerance: float = SAME) -> None:
    size = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=tolerance * size)


def rate(model: ce.Model, y: Floats, u: Floats, of: Callable[[Floats, Floats], Any]) -> Any:
    """Time derivative of a function of state and inputs along the motion, by differences."""
    (y_dot,) = model.dynamics(y, u)
    u_dot = driven(model, u)
    ahead, behind = (np.asarray(of(y + s * H * y_dot, u + s * H * u_dot)) for s in (1.0, -1.0))
    return (ahead - behind) / (2.0 * H)


def driven(model: ce.Model, u: Floats) -> Floats:
    """Rates of inputs: those of a drive's position and rate."""
    names = [entry.name for entry in model.layout.u]
    u_dot = np.zeros(len(u))
    for name, its_rate in (("s", "s_rate"), ("s_rate", "s_acceleration")):
        if name in names:
            u_dot[names.index(name)] = u[names.index(its_rate)]
    return u_dot


def slope(m: ce.Model, y: Floats, u: Floats, of: Callable[[Floats, Floats], Any]) -> tuple[Floats, Any]:
    """A direction of all states and inputs, and the derivative of a function of them along it."""
    z = np.concatenate((y, u))
    along = np.random.default_rng(7).uniform(-1.0, 1.0, len(z))
    ahead, behind = (np.asarray(of(*np.split(z + s * H * along, [len(y)]))) for s in (1.0, -1.0))
    return along, (ahead - behind) / (2.0 * H)


# One function for each answer


def accelerations(m: ce.Model, y: Floats, u: Floats) -> None:
    q, v = parts(m, y)
    found = m.accelerations(q, v, u=u)
    n = len(q)
    close(m.dynamics(y, u)[0][n : n + len(v)], found)
    close(m.inverse_dynamics(q, v, found, u=u), np.zeros(len(v)), 1e-8)


def energies(m: ce.Model, y: Floats, u: Floats) -> None:
    q, v = parts(m, y)
    M, drive = m.mass_matrix(q, u=u), u.copy()
    names = [entry.name for entry in m.layout.u]
    if "s_rate" in names:  # at rest relative to the drive: M is of the independent rates alone
        drive[names.index("s_rate")] = 0.0
    close(0.5 * v @ M @ v, m.energy(q, v, u=drive).kinetic)


def momenta(m: ce.Model, y: Floats, u: Floats) -> None:
    q, v = parts(m, y)
    linear, angular = m.momentum(q, v, u=u)
    centre = m.centroidal(q, v, u=u)
    close(np.concatenate((angular - np.cross(centre.com, linear), linear)), centre.h)
    close(centre.A @ v + centre.drift, centre.h)
    close(
        rate(m, y, u, lambda y, u: m.centroidal(parts(m, y)[0], np.zeros(len(v)), u=u).com),
        centre.com_velocity,
        SLOPE,
    )
    close(centre.mass * centre.com_velocity, linear)


def reactions(m: ce.Model, y: Floats, u: Floats) -> None:
    """Compare the force of the ground and gravity with the rate of the momentum, about the world's origin."""
    found = m.reactions(y, u=u)
    assert found.residual < 1e-8


def reaction_derivatives(m: ce.Model, y: Floats, u: Floats) -> None:
    edges = [edge.name for edge in m.system.closures if edge.name != "mesh"]
    names = [b.name for b in m.system.bodies] + edges
    by = [entry.name for entry in (*m.layout.q, *m.layout.v, *m.layout.x, *m.layout.u)]
    found = m.reaction_derivatives(names, by, y, u=u)

    def whole(y: Floats, u: Floats) -> Floats:
        all_of_them = m.reactions(y, u=u)
        joints = [all_of_them.closures[n] if n in edges else all_of_them.hinges[n] for n in names]
        return np.concatenate([np.concatenate((joint.torque, joint.force)) for joint in joints])

    close(np.concatenate([found.values[n] for n in names]), whole(y, u))
    along, expected = slope(m, y, u, whole)
    close(np.concatenate([found.derivatives[n] for n in names]) @ along, expected, SLOPE)


def power(m: ce.Model, y: Floats, u: Floats) -> None:
    balance = m.power(y, u=u)
    close(balance.residual, 0.0, 1e-8)

    def stored(y: Floats, u: Floats) -> Floats:
        energy = m.energy(y, u=u)
        return np.array((energy.kinetic, energy.gravitational, energy.elastic))

    close((balance.kinetic, balance.gravitational, balance.elastic), rate(m, y, u, stored), SLOPE)


def audited(m: ce.Model, y: Floats, u: Floats) -> None:
    balance, (with_work,) = m.power(y, u=u), m.audited_dynamics(y, u)
    close(with_work[-1], balance.loads + balance.prescribed)


def operators(m: ce.Model, y: Floats, u: Floats) -> None:
    q, v = parts(m, y)
    M = m.mass_matrix(q, u=u)
    close(m.inverse_mass_matrix(q, u=u) @ M, np.eye(len(v)))
    close(M @ m.solve_mass(q, T=v, u=u), v)
    L, D, _, _ = m.innovations(q, u=u)
    close(L @ D @ L.T, M)


def aggregated(m: ce.Model, y: Floats, u: Floats) -> None:
    for one in m.system.bodies:
        assert m.aggregated_body(one, y, u=u) is not None


def places(m: ce.Model, y: Floats, u: Floats) -> None:
    last = m.system.bodies[-1]
    at = np.array((0.3, 0.2, 0.1))
    frame = m.frame(last, at)
    found = m.frame_kinematics(frame, y, u)
    _, v = parts(m, y)
    close(found.J @ v + found.drift, found.V)
    close(m.poses(y, u=u).positions[-1], m.point(last)(y, u=u).r)
    close(found.V[3:], rate(m, y, u, lambda y, u: frame(y, u=u).r), SLOPE)
    close(found.A, rate(m, y, u, lambda y, u: frame(y, u=u).V), SLOPE)
    R_dot = rate(m, y, u, lambda y, u: frame(y, u=u).R)
    spin = R_dot @ found.R.T
    close(found.V[:3], (spin[2, 1], spin[0, 2], spin[1, 0]), SLOPE)


def outputs(m: ce.Model, y: Floats, u: Floats) -> None:
    last = m.system.bodies[-1]
    found = m.outputs(y, u=u)
    close(found["height"], m.frame(last, (0.3, 0.2, 0.1))(y, u=u).r[2])
    assert np.max(m.observation(y, u)[1], initial=0.0) < 1e-12


def operational(m: ce.Model, y: Floats, u: Floats) -> None:
    q, _ = parts(m, y)
    point = m.point(m.system.bodies[-1])
    found = m.operational_space(point, y, u=u, directions=[(0.3, 0.2, 0.9)])
    mobility = found.J @ m.inverse_mass_matrix(q, u=u) @ found.J.T
    close(found.mobility, mobility)
    held = m.contact_space(point, (), y, u=u, held=[(0.3, 0.2, 0.9)])
    assert held is not None


def configurations(m: ce.Model, y: Floats, u: Floats) -> None:
    here = m.assemble(y=y, u=u)
    wanted = {e.name: here.coordinates[e.name] for e in m.coordinate_entries if "." not in e.name}
    if wanted:
        again = m.assemble(wanted, u=u)
        for name, value in wanted.items():
            assert again.coordinates[name] == pytest.approx(value, abs=1e-9)
    point = m.point(m.system.bodies[-1])
    goal = m.poses(y, u=u).positions[-1]
    found = m.inverse_kinematics({point: goal}, u=u)
    close(found.poses.positions[-1], goal)
    if m.system.parameters:
        with pytest.raises(ce.ModelError, match="depends on free parameters"):
            m.dead_centres()
    else:
        assert len(m.dead_centres()) in (0, 2)
    every = list(range(len(m.coordinate_entries)))
    assert m.slope_of(y, u, every).shape == (len(every), len(m.layout.v))


def linearised(m: ce.Model, y: Floats, u: Floats) -> None:
    def dynamics(y: Floats, u: Floats) -> Floats:
        return m.dynamics(y, u)[0]

    along, expected = slope(m, y, u, dynamics)
    found = m.linearize(y, u=u, outputs="height")
    close(np.hstack((found.A, found.B)) @ along, expected, SLOPE)
    if m.system.parameters:
        close(m.sensitivities(y, u=u), found.B[:, m.layout.n_inputs :])
    else:
        with pytest.raises(ce.ModelError, match="no free parameters"):
            m.sensitivities(y, u=u)
    names = [e.name for e in (*m.layout.q, *m.layout.v, *m.layout.x, *m.layout.u)]
    rows = m.derivatives("height", names, y, u=u)
    along, expected = slope(m, y, u, lambda y, u: [m.outputs(y, u=u)["height"]])
    close(rows.matrix @ along, expected, SLOPE)
    close(np.hstack((found.C, found.D)), rows.matrix)


def at_rest(m: ce.Model, y: Floats, u: Floats) -> None:
    still = u.copy()
    for k, entry in enumerate(m.layout.u):
        if entry.name in ("s_rate", "s_acceleration"):
            still[k] = 0.0
    rest = m.equilibrium(u=still).y
    (y_dot,) = m.dynamics(rest, still)
    close(y_dot, np.zeros(len(y)), 1e-7)
    modes = m.modes(rest, u=still)
    A = m.linearize(rest, u=still).A
    eigenvalues = np.linalg.eigvals(A)
    for value in modes.eigenvalues:
        assert np.min(np.abs(eigenvalues - value)) < 1e-6 * max(1.0, np.max(np.abs(eigenvalues)))
    by = [e.name for e in m.layout.u if e.name not in ("s", "s_rate", "s_acceleration")]
    if by:
        assert m.eigenvalue_derivatives(by, rest, u=still) is not None


ANSWERS = (
    accelerations, energies, momenta, reactions, reaction_derivatives, power, audited, operators,
    aggregated, places, outputs, operational, configurations, linearised, at_rest,
)  # fmt: skip
