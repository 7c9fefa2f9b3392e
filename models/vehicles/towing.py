"""The HMMWV on a hard, unilateral ground, alone or towing a sledge with two cables.

Its wheels are rigid discs with Coulomb friction instead of tyres: they stand, roll, slide and lift off.
(Their toe angles, without a tyre that gives, make them scrub against each other.)  The vehicle is the
constraint-embedded one with fixed tie-rod ends; ground and cables are rows of one complementarity problem,
with M⁻¹G from the O(N) recursion.

>>> from ce_dynamics.contact import simulate_unilateral
>>> from ce_dynamics.models.vehicles.towing import tow
>>> case = tow()
>>> run = simulate_unilateral(case.unilateral, {"drive": 400.0}, duration=2.0, y0=case.y0)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, dot
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiled.trim import trim
from ce_dynamics.contact import Cable, Contact, Plane, UnilateralElement, UnilateralModel
from ce_dynamics.contact.contact import Friction
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import ForceElement, HingeLoad, Observer, Response
from ce_dynamics.mechanism.hinges.free import Free
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import check_number
from ce_dynamics.models.parts.body_contact import GroundSpring
from ce_dynamics.models.vehicles.bodies import add_rigid_body
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.equilibrium import suspension_coordinates
from ce_dynamics.models.vehicles.standing import UPRIGHT, UPRIGHT_RATES

TRIM_STIFFNESS, TRIM_DAMPING = 300e3, 2e3
"""Springs and dampers under the wheels that find the equilibrium [N/m], [N s/m]; any values serve."""


@dataclass(frozen=True)
class SledgeParameters:
    """The sledge: a homogeneous box on four corner points, its mass [kg], edges [m] and friction μ."""

    mass: float = 800.0
    edges: tuple[float, float, float] = (2.4, 1.6, 0.6)
    friction: float = 0.35

    def __post_init__(self) -> None:
        check_number("sledge", "mass", self.mass, above=0.0)
        check_number("sledge", "friction", self.friction, at_least=0.0)
        if len(self.edges) != 3:
            raise DataError(f"sledge: edges = {self.edges!r} must be three lengths")
        for edge in self.edges:
            check_number("sledge", "edge", edge, above=0.0)

    @property
    def inertia(self) -> Floats:
        """Principal moments [kg m²]."""
        squares = np.square(np.array(self.edges))
        return np.asarray(self.mass / 12.0 * (np.sum(squares) - squares))


class HubDrive(ForceElement):
    """The same torque on all wheels, from their spindles: the input ``drive`` [N m], positive forwards."""

    inputs = ("drive",)

    def __init__(self, wheels: Sequence[Body]) -> None:
        self.name, self.wheels = "hub_drive", tuple(wheels)

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return tuple((wheel, wheel.inboard.at) for wheel in self.wheels)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        return Response([HingeLoad(wheel, 0, u["drive"]) for wheel in self.wheels])


@dataclass(frozen=True, eq=False)
class TowingCase:
    """A model ready to run, at rest in equilibrium on the ground, cables slack or just taut.

    Its input ``drive`` is the torque on each wheel [N m]; elements are named ``<corner>.ground``,
    ``sledge.<k>``, ``cable.left`` and ``cable.right``.
    """

    unilateral: UnilateralModel
    y0: Floats


def tow(
    *,
    parameters: VehicleParameters | None = None,
    sledge: SledgeParameters | None = None,
    cable_length: float = 4.0,
    slack: float = 0.05,
    friction: float = 0.9,
    friction_kind: Friction = "disc",
) -> TowingCase:
    """Return the HMMWV and a sledge behind it on two parallel cables.

    Vehicle and sledge are those of the package if None.  Cables have a length, of which they are ``slack`` at
    the start [m]; ``friction`` is μ of the wheels, its kind that of `ce_dynamics.contact.Contact`.
    """
    data = VehicleParameters.load() if parameters is None else parameters
    load = SledgeParameters() if sledge is None else sledge
    length = check_number("towing", "cable_length", cable_length, above=0.0)
    spare = check_number("towing", "slack", slack, at_least=0.0, at_most=0.5 * length, unit="m")
    system, wheels = vehicle(data)
    chassis = system.find("chassis")
    y_start = standing(data)
    # hooks at the rear axle's x, half as far apart as its wheels, at the height of the sledge's middle
    rear = data.corners["rear_left"].W
    side = 0.4 * load.edges[1]
    hook = rear + np.array((-0.6, 0.0, 0.0))
    hook_height = hook[2] + y_start["chassis.z"]
    height = 0.5 * load.edges[2]
    run = np.sqrt((length - spare) ** 2 - (hook_height - height) ** 2)
    centre = np.array((hook[0] - run - 0.5 * load.edges[0], 0.0, height))
    box = system.add_body(
        "sledge", mass=load.mass, com=centre, inertia=load.inertia, parent=system.ground, hinge=Free(centre)
    )
    elements = wheel_contacts(data, wheels, friction, friction_kind)
    half = 0.5 * np.array(load.edges)
    for k, (i, j) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
        at = centre + half * np.array((i, j, -1.0))
        elements.append(Contact(f"sledge.{k}", box, at, Plane(load.friction), friction=friction_kind))
    for name, sign in (("cable.left", 1.0), ("cable.right", -1.0)):
        on_chassis = np.array((hook[0], sign * side, hook[2]))
        on_sledge = centre + np.array((half[0], sign * side, 0.0))
        elements.append(Cable(name, box, on_sledge, chassis, on_chassis, length=length))
    model = Model(system)
    return TowingCase(UnilateralModel(model, elements), set_state(model, y_start))


def on_hard_ground(
    *,
    parameters: VehicleParameters | None = None,
    friction: float = 0.9,
    friction_kind: Friction = "disc",
    speed: float = 0.0,
    drop: float = 0.0,
    restitution: float = 0.0,
) -> TowingCase:
    """Return the HMMWV alone on a hard ground.

    It starts at a forward speed [m/s], wheels rolling, and falls from a height ``drop`` above the ground [m];
    ``restitution`` is that of the wheels' impacts, 0 … 1.  See `tow` for the others.
    """
    data = VehicleParameters.load() if parameters is None else parameters
    height = check_number("hard ground", "drop", drop, at_least=0.0)
    forward = check_number("hard ground", "speed", speed)
    system, wheels = vehicle(data)
    model = Model(system)
    start = standing(data)
    start["chassis.z"] += height
    start["chassis.vx"] = forward
    for name, corner in data.corners.items():
        start[f"{name}.wheel_rate"] = forward / corner.tyre.unloaded_radius
    elements = wheel_contacts(data, wheels, friction, friction_kind, restitution)
    return TowingCase(UnilateralModel(model, elements), set_state(model, start))


def vehicle(data: VehicleParameters) -> tuple[System, list[Body]]:
    """Return chassis, corners and wheels with nothing under them, and the input ``drive``."""
    system = System(gravity=data.gravity, name="hmmwv on hard ground")
    system.add_input("drive", "N m")
    system.group("corner", tuple(data.corners))
    chassis = add_rigid_body(system, "chassis", data.chassis, system.ground, Free())
    corners = data.corners.values()
    wheels = [corner.add_wheel(system, corner.add(system, chassis, None)) for corner in corners]
    system.add_force(HubDrive(wheels))
    return system, wheels


def wheel_contacts(
    data: VehicleParameters,
    wheels: Sequence[Body],
    friction: float,
    kind: Friction,
    restitution: float = 0.0,
) -> list[UnilateralElement]:
    """Return contacts of the wheels as thin, rigid discs."""
    elements: list[UnilateralElement] = []
    for (name, corner), wheel in zip(data.corners.items(), wheels, strict=True):
        elements.append(
            Contact(
                f"{name}.ground",
                wheel,
                corner.W,
                Plane(friction),
                radius=corner.tyre.unloaded_radius,
                axis=corner.wheel.axis,
                friction=kind,
                restitution=restitution,
            )
        )
    return elements


def standing(data: VehicleParameters) -> dict[str, float]:
    """Return coordinates by name in which the vehicle rests on its springs with all wheels on the ground.

    It is trimmed on springs under the wheels, whose forces act where those of the ground do (but for camber),
    and then put down.
    """
    system, wheels = vehicle(data)
    for (name, corner), wheel in zip(data.corners.items(), wheels, strict=True):
        at = corner.W
        law = TRIM_STIFFNESS, TRIM_DAMPING, 0.0
        system.add_force(GroundSpring(f"{name}.trim", wheel, at, system.ground, *law))
    system.start("chassis", q=[0.0, 0.0, -data.corners["front_left"].W[2], 1.0, 0.0, 0.0, 0.0])
    model = Model(system)
    own = suspension_coordinates(model)
    y = trim(model, [*UPRIGHT, *own.positions], [*UPRIGHT_RATES, *own.rates])
    outward = model.instant(y, model.u0).outward
    lowest = []
    for corner, wheel in zip(data.corners.values(), wheels, strict=True):
        centre = outward.point(wheel, corner.W, system.ground).r
        axis = outward.direction(wheel, corner.wheel.axis, system.ground)
        reach = corner.tyre.unloaded_radius * float(np.sqrt(1.0 - dot(axis, np.array((0.0, 0.0, 1.0))) ** 2))
        lowest.append(float(centre[2]) - reach)
    names = [entry.name for entry in (*model.layout.q, *model.layout.v)]
    state = {name: float(value) for name, value in zip(names, y, strict=False)}
    state["chassis.z"] -= min(lowest)
    return state


def set_state(model: Model, values: Mapping[str, float]) -> Floats:
    """Return the model's initial state with some entries replaced."""
    y = model.y0
    names = [entry.name for entry in (*model.layout.q, *model.layout.v)]
    for name, value in values.items():
        y[names.index(name)] = value
    return y
