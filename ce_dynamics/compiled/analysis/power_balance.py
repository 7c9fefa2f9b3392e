"""Power balance at one instant: powers of force elements and drives, and rates of the energies [W]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, array, concatenate
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiled.state_arguments import StateArguments, Unpack, state_given, takes_state
from ce_dynamics.compiler import CompiledFunction
from ce_dynamics.dynamics.articulated_body import with_armature
from ce_dynamics.dynamics.energy import energy_rates, load_power, transmit_forces, velocities
from ce_dynamics.dynamics.instant import Instant, run_controllers
from ce_dynamics.dynamics.inverse_dynamics import compute_drive_forces
from ce_dynamics.dynamics.loads import gather_loads, sum_loads
from ce_dynamics.dynamics.outward import Outward
from ce_dynamics.mechanism.drives import Prescribed


class ElementPower(NamedTuple):
    """Power of one force element [W].

    Attributes
    ----------
    load : float
        Power of its forces on the bodies.
    stored : float
        Rate of its own potential energy.
    """

    load: float
    stored: float

    @property
    def dissipated(self) -> float:
        """Dissipated mechanical power [W]; negative for a source (a motor, a wrench)."""
        return 0.0 - self.load - self.stored


@dataclass(frozen=True, eq=False)
class PowerBalance:
    """Powers at one instant [W].

    Attributes
    ----------
    kinetic, gravitational : float
        Rates of the kinetic energy and of the gravitational potential.
    elements : dict of str to ElementPower
        By the name of the force element.
    drives : dict of str to float
        Power of the drive of each prescribed hinge, by body name.
    """

    kinetic: float
    gravitational: float
    elements: Mapping[str, ElementPower]
    drives: Mapping[str, float]

    @property
    def elastic(self) -> float:
        """Rate of the potential energies of all force elements."""
        return sum(element.stored for element in self.elements.values())

    @property
    def loads(self) -> float:
        """Power that all force elements deliver to the bodies [W]."""
        return sum(element.load for element in self.elements.values())

    @property
    def prescribed(self) -> float:
        """Power that all drives deliver [W]."""
        return sum(self.drives.values())

    @property
    def dissipated(self) -> float:
        """Net mechanical power dissipated by all force elements [W]."""
        return 0.0 - self.loads - self.elastic

    @property
    def mechanical(self) -> float:
        """Rate of the mechanical energy: kinetic, gravitational and elastic."""
        return self.kinetic + self.gravitational + self.elastic

    @property
    def residual(self) -> float:
        """Rounding error of the balance, mechanical − (prescribed − dissipated) [W]."""
        return self.mechanical - self.prescribed + self.dissipated

    def __str__(self) -> str:
        """Return rates of stored energies, then supplied powers; both sums are equal."""
        rows = [("kinetic energy", self.kinetic), ("gravitational potential", self.gravitational)]
        rows += [(f"stored in {name}", e.stored) for name, e in self.elements.items() if e.stored]
        rows += [(f"supplied by {name}", -e.dissipated) for name, e in self.elements.items()]
        rows += [(f"supplied by the drive of {name}", power) for name, power in self.drives.items()]
        return "\n".join(f"{power:12.4g} W  {name}" for name, power in rows)


@takes_state("y", "u")
def power(model: CompiledSystem, *here: ArrayLike | None, **named: Unpack[StateArguments]) -> PowerBalance:
    """Return powers at a state, by force element and drive.

    ``prescribed - dissipated`` is the rate of ``work`` and of ``energy`` in the results of
    ``simulate(..., audit=True)``.

    Parameters
    ----------
    q, v, x, u, y : array_like, optional
        State and inputs, see `Model`.  Inputs count as constant, except that driven hinges move at the
        rates they are given.

    Raises
    ------
    AssemblyError
        If a loop cannot be assembled at the state.

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> system = ce.System(gravity=(0, 0, -9.81))
    >>> mass = system.add_body("mass", mass=2.0, com=(0, 0, -1), parent=system.ground,
    ...                        hinge=ce.Prismatic(axis=(0, 0, 1)))
    >>> system.add_force(ce.SpringDamper("strut", system.ground, (0, 0, 0), mass, (0, 0, -1),
    ...                                  spring=100.0, damper=5.0))
    >>> balance = ce.compile(system).power([-0.1, 0.4])  # 0.1 m below, going up with 0.4 m/s
    >>> strut = balance.elements["strut"]
    >>> round(strut.load, 9), round(strut.stored, 9), round(strut.dissipated, 9)
    (3.2, -4.0, 0.8)
    >>> round(balance.gravitational, 9), abs(balance.residual) < 1e-14
    (7.848, True)
    """
    state, given = state_given(model, *here, **named)
    rates, loads, forces, positions, speeds = power_function(model)(state, given)
    model.refuse_not_finite(state, given, rates, loads, forces)
    stored = rates_of_stored(model, state, given, positions, speeds)
    kinetic, gravitational = rates.tolist()
    names = [element.name for element in model.system.forces]
    parts = zip(names, loads.tolist(), stored.tolist(), strict=True)
    return PowerBalance(
        kinetic,
        gravitational,
        {name: ElementPower(load, rate) for name, load, rate in parts},
        dict(zip(model.system.prescribed, (forces * speeds).tolist(), strict=True)),
    )


def power_function(model: CompiledSystem) -> CompiledFunction:
    """Return the function of rates of energies, powers of loads, and motion and forces of drives."""

    def powers(y: Array, u: Array) -> dict[str, Array]:
        instant = model.instant(y, u)
        return {
            "rates": array(energy_rates(instant.outward, instant.accelerations)),
            "loads": element_powers(instant),
            "forces": drive_forces(instant),
            "positions": array(motion.position for motion in instant.prescribed.values()),
            "speeds": array(motion.rate for motion in instant.prescribed.values()),
        }

    return model.function("powers", powers, model.sizes_of("y", "u"))


def rates_of_stored(model: CompiledSystem, y: Floats, u: Floats, positions: Floats, speeds: Floats) -> Floats:
    """Return rates of the potential energies of all force elements: derivatives along the motion."""

    def potentials(y: Array, u: Array, driven: Array) -> dict[str, Array]:
        q, v, x = model.layout.split(y)
        model.layout.bind_parameters(u, (q, v, x))
        prescribed = {
            name: Prescribed(position, 0.0, 0.0)
            for name, position in zip(model.system.prescribed, driven, strict=True)
        }
        outward = Outward(model.embedding, q, v, prescribed)
        elements = {element.name: element for element in model.system.forces}
        inputs = run_controllers(model.system, model.layout, outward, (q, v, x), u).inputs
        loads = gather_loads(outward, elements, model.layout.states_of(x), inputs)
        return {"potentials": array(loads.responses[name].potential for name in elements)}

    sizes = {**model.sizes_of("y", "u"), "driven": len(positions)}
    traced = model.function("potentials", potentials, sizes).traced
    by_y = model.derivative(traced, "potentials", "y")(y, u, positions)
    by_driven = model.derivative(traced, "potentials", "driven")(y, u, positions)
    result: Floats = by_y @ model.dynamics(y, u)[0] + by_driven @ speeds
    return result


def element_powers(instant: Instant) -> Array:
    """Return the power that every force element delivers to the bodies."""
    V = velocities(instant.outward)
    powers = []
    for response in instant.loads.responses.values():
        own = sum_loads(instant.outward, response.loads)
        powers.append(load_power(instant.outward, own, V))
    return array(powers)


def drive_forces(instant: Instant) -> Array:
    """Return the generalised force of the drive of every prescribed hinge."""
    forces: dict[str, Array] = {}
    for node in instant.nodes.values():
        forces |= transmit_forces(node, instant.accelerations)
    torques = with_armature(instant.outward, instant.loads.torques, instant.accelerations.v_dot)
    found = compute_drive_forces(instant.outward, instant.q, instant.prescribed, forces, torques)
    return array(found[name] for name in instant.prescribed)


def trace_audited_dynamics(model: CompiledSystem) -> CompiledFunction:
    """Trace [ẏ; Ẇ] = f(y, u), with Ẇ the power of all loads and drives, which changes T + V_g."""

    def audit(y: Array, u: Array) -> dict[str, Array]:
        instant = model.instant(y, u)
        feed = instant.power
        return {"y_dot": concatenate((instant.y_dot, array((feed.loads + feed.prescribed,))))}

    return model.function_of_state("audited_dynamics", audit)
