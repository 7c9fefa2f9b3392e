"""Tyres between a wheel and the road as force elements: single, dual, or leaning as far as lying flat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, arctan, cos, dot, maximum, minimum
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import finite_vector, unit_axis
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, PointLoad, Response
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.tyres.contact.choice import ContactMethod, method_for
from ce_dynamics.models.tyres.contact.frame import WheelContact, WheelPose, contact_on
from ce_dynamics.models.tyres.contract import TyreAnswer, TyreModel, WheelOnRoad, bound_slip

OUTPUTS: Mapping[str, str] = {
    **dict.fromkeys(("Fx", "Fy", "Fz"), "N"),
    **dict.fromkeys(("Mx", "My", "Mz"), "N*m"),
    "slip": "1",
    "slip_angle": "rad",
    "bounded_slip": "1",
    "deflection": "m",
    "inclination": "rad",
}
"""Outputs of every tyre: forces and moments at the contact centre, in its axes, slips, deflection, lean."""


SUMMED = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")
"""Outputs of which a pair reports the sum, moments each about its own contact; of others the mean."""
TURNED_OVER = 1e-12
"""1 + cos γ of a wheel that stands on its head."""

HEIGHT = "road_height"
"""Output of tyres on uneven roads: z of the contact point [m]."""
MARGIN = "road_margin"
"""Output of tyres on roads that end: distance of the contact from the nearest edge [m]."""


def share_forces(f: TyreAnswer, share: Scalar) -> TyreAnswer:
    """Return forces and moments where those of the contact partly cancel each other."""
    return f._replace(**{name: share * getattr(f, name) for name in SUMMED})


def wheel_on_road(c: WheelContact, axis: Array, omega: Array) -> WheelOnRoad:
    """Return a tyre model's input from a contact, the wheel's spin axis and angular velocity [rad/s]."""
    lean, upright = dot(axis, c.e_n), dot(axis, c.e_y)
    return WheelOnRoad(
        radius=c.radius,
        radius_rate=-c.deflection_rate,
        v_x=c.v_x,
        v_y=c.v_y,
        spin=c.spin,
        # tan γ/2 = sin γ/(1 + cos γ): one arctangent for wheels that lean any way
        gamma=2.0 * arctan(lean / maximum(1.0 + upright, TURNED_OVER)),
        yaw_rate=dot(omega, c.e_n) - c.spin * lean,
        friction=c.friction,
        v_centre=(dot(c.e_x, c.v), dot(c.e_y, c.v), dot(c.e_n, c.v)),
        sin_gamma=lean,  # the axis is a unit vector without a part along e_x
        heading=(c.e_x[0], c.e_x[1]),
    )


class RoadTyre(ForceElement):
    """A tyre between a wheel and the ground.

    The spin axis is taken from the carrier and only the centre and the angular velocity from the wheel, so
    that the wheel's body frame need not spin with it.

    Parameters
    ----------
    name : str
        Unique in the system.
    wheel : Body
        The wheel the forces act on.
    carrier : Body
        The body that carries it (the upright).
    centre : (3,) array_like
        Wheel centre in the design pose [m].
    spin_axis : (3,) array_like
        Spin axis in the design pose, to the left (about which rolling forward is positive).
    model : TyreModel
        The tyre: TMeasy, Magic Formula, ....
    road : Road
        What it rolls on.
    ground : Body
        The system's ground.
    method : ContactMethod, optional
        How the wheel meets the road; by the road if not given (`method_for`).
    """

    def __init__(
        self,
        name: str,
        wheel: Body,
        carrier: Body,
        centre: object,
        spin_axis: object,
        model: TyreModel,
        road: Road,
        ground: Body,
        method: ContactMethod | None = None,
    ) -> None:
        self.name = name
        self.wheel = wheel
        self.carrier = carrier
        self.centre = finite_vector(centre, f"tyre {name}", "centre")
        self.spin_axis = unit_axis(spin_axis, f"tyre {name}")
        self.model = checks.instance(
            f"tyre {name}: model", model, TyreModel, "a tyre model, for example MagicFormulaTyre", DataError
        )
        self.road = road
        self.ground = ground
        self.method = method_for(road, nominal(model.unloaded_radius)) if method is None else method
        self.states = model.states
        self.outputs: dict[str, str] = {**OUTPUTS, **model.outputs}
        if road.sharpness > 0.0:
            self.outputs[HEIGHT] = "m"
        if road.margin(0.0, 0.0) is not None:
            self.outputs[MARGIN] = "m"
            there = f" ({road.reach})" if road.reach else ""
            self.limits = {MARGIN: f"has left the road {road.title!r}{there}"}

    @property
    def unloaded_radius(self) -> float:
        """r0 [m]."""
        return self.model.unloaded_radius

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return ((self.wheel, self.centre), (self.carrier, self.centre), (self.ground, self.centre))

    def contact(self, observer: Observer) -> WheelContact:
        """Return the contact for the observed motion."""
        centre = observer.point(self.wheel, self.centre, self.ground)
        axis = observer.direction(self.carrier, self.spin_axis, self.ground)
        omega = observer.angular_velocity(self.wheel, self.ground)
        pose = WheelPose(self.model.unloaded_radius, self.model.tread_width, centre.r, axis)
        return contact_on(self.method.plane(self.road, pose), pose, centre.v, omega)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        c = self.contact(observer)
        axis = observer.direction(self.carrier, self.spin_axis, self.ground)
        omega = observer.angular_velocity(self.wheel, self.ground)
        seen = wheel_on_road(c, axis, omega)
        f = self.model.evaluate(seen, x)
        if not isinstance(c.share, float):
            f = share_forces(f, c.share)
        force = f.Fx * c.e_x + f.Fy * c.e_y + f.Fz * c.e_n
        torque = f.Mx * c.e_x + f.My * c.e_y + f.Mz * c.e_n
        edge = self.road.margin(c.r[0], c.r[1])
        return Response(
            loads=(PointLoad(self.wheel, self.ground, c.r, force, torque),),
            x_dot=tuple(f.x_dot),
            outputs={
                **{name: getattr(f, name) for name in SUMMED},
                "slip": f.slip,
                "slip_angle": f.slip_angle,
                "bounded_slip": bound_slip(c.v_x, f.rolling_speed),
                "deflection": f.deflection,
                "inclination": seen.gamma,
                **({HEIGHT: c.r[2]} if HEIGHT in self.outputs else {}),
                **({} if edge is None else {MARGIN: edge}),
            },
            potential=f.potential,
        )


PLACES = ("outer", "inner")


class TwinTyre(RoadTyre):
    """A pair of tyres of one model.

    Its states are those of both, called ``outer_...`` and ``inner_...``; beside what a single tyre reports,
    summed or as a mean, it reports the load of each.

    Parameters
    ----------
    name, wheel, carrier, centre, spin_axis, model, road, ground
        As of `RoadTyre`; the centre is the middle between both.
    outward : (3,) array_like
        From the centre to the middle of the outer tyre in the design pose [m].
    """

    def __init__(
        self,
        name: str,
        wheel: Body,
        carrier: Body,
        centre: object,
        spin_axis: object,
        model: TyreModel,
        road: Road,
        ground: Body,
        outward: object,
    ) -> None:
        super().__init__(name, wheel, carrier, centre, spin_axis, model, road, ground)
        out = finite_vector(outward, f"tyre {name}", "outward")
        common: tuple[Any, ...] = (spin_axis, model, road, ground)
        self.singles = tuple(
            RoadTyre(f"{name}.{place}", wheel, carrier, at, *common)
            for place, at in zip(PLACES, (self.centre + out, self.centre - out), strict=True)
        )
        self.states = tuple(
            state._replace(name=f"{place}_{state.name}") for place in PLACES for state in model.states
        )
        self.outputs = {**self.outputs, **{f"{place}_Fz": "N" for place in PLACES}}

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return tuple(one for single in self.singles for one in single.attachments)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        n = len(self.model.states)
        outer, inner = (
            single.evaluate(observer, x[k * n : (k + 1) * n], u) for k, single in enumerate(self.singles)
        )
        outputs = {}
        for name, one in outer.outputs.items():
            other = inner.outputs[name]
            both = one + other
            outputs[name] = both if name in SUMMED else minimum(one, other) if name == MARGIN else 0.5 * both
        outputs |= {f"{place}_Fz": r.outputs["Fz"] for place, r in zip(PLACES, (outer, inner), strict=True)}
        return Response(
            loads=(*outer.loads, *inner.loads),
            x_dot=(*outer.x_dot, *inner.x_dot),
            outputs=outputs,
            potential=outer.potential + inner.potential,
        )


def single_tyres(element: ForceElement) -> tuple[RoadTyre, ...]:
    """Return the tyres of a force element, each by itself; none if it is no tyre."""
    if isinstance(element, TwinTyre):
        return element.singles
    return (element,) if isinstance(element, RoadTyre) else ()


@dataclass(frozen=True, eq=False)
class LeaningTyre(TyreModel):
    """A tyre that may lean by any angle γ without gaining energy.

    Models count deflection δ in the wheel's plane, which for a wheel that nearly lies flat is many times the
    depth p = δ cos γ of the disc's lowest point in the road, and with it the load.  Here the forces are those
    of the depth, at the lowest point of the undeformed disc: F = cos γ F(δ), and M_x grows by F δ sin γ.
    With a tyre whose load is c δ that is the gradient of ½ c p², for every lean (|γ| ≤ 90 degrees).

    Attributes
    ----------
    model : TyreModel
    """

    model: TyreModel

    def __post_init__(self) -> None:
        object.__setattr__(self, "states", self.model.states)
        object.__setattr__(self, "outputs", dict(self.model.outputs))  # which can be pickled

    @property
    def unloaded_radius(self) -> float:
        """r0 [m]."""
        return self.model.unloaded_radius

    @property
    def tread_width(self) -> float:
        """Width [m]."""
        return self.model.tread_width

    def evaluate(self, wheel: WheelOnRoad, x: Array) -> TyreAnswer:
        """Return the model's answer, of the depth; states continue as the model has them."""
        f = self.model.evaluate(wheel, x)
        c = cos(wheel.gamma)
        forces = {name: c * getattr(f, name) for name in ("Fx", "Fy", "Fz", "Mx", "My", "Mz")}
        lever = maximum(self.unloaded_radius - wheel.radius, 0.0) * wheel.lean
        forces["Mx"] = forces["Mx"] + forces["Fz"] * lever
        return f._replace(**forces, potential=c * c * f.potential)
