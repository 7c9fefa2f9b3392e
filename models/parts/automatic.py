"""Engine, torque converter, automatic gearbox and elastic driveline on the driven wheels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ce_dynamics.algebra.arrays import Array, Scalar, maximum
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, Response, StateDeclaration
from ce_dynamics.models.data.checks import check_number
from ce_dynamics.models.parts.differentials import DrivenWheel, DrivenWheels
from ce_dynamics.models.parts.engine import EngineParameters
from ce_dynamics.models.parts.gear_choice import GearParameters
from ce_dynamics.models.parts.torque_converter import ConverterParameters

ENGINE, SHAFT, WINDUP = 0, 1, 2
"""Places of the states; those of the gears follow."""


@dataclass(frozen=True)
class AutomaticParameters:
    """A powertrain with a torque converter.

    Attributes
    ----------
    engine : EngineParameters
    converter : ConverterParameters
    gears : GearParameters
    axle_ratio : float
        Wheel speed over gearbox output speed.
    inertia : float
        Of what turns with the gearbox' output: shafts, cases of the differentials [kg m²].
    stiffness, damping : float
        Of the half-shafts' wind-up, all together, between mean wheel angle and gearbox [N m/rad, N m s/rad].
    """

    engine: EngineParameters
    converter: ConverterParameters
    gears: GearParameters
    axle_ratio: float
    inertia: float
    stiffness: float
    damping: float

    def __post_init__(self) -> None:
        for name in ("axle_ratio", "inertia", "stiffness", "damping"):
            check_number("driveline", name, getattr(self, name), above=0.0)


class AutomaticDriveline(ForceElement):
    """An engine with a state of its own drives wheels by converter, gears and shafts that wind up.

    With ω_e and ω_s the speeds of engine and gearbox output, φ the wind-up of the half-shafts, i the gearbox'
    revolutions of the input per output and a the axle's ratio,

        J_e ω̇_e = T_e(ω_e, throttle) − T_p,
        J_s ω̇_s = i T_t − a T_w,
        φ̇ = a ω_s − ω_w,      T_w = k φ + c φ̇,

    T_p and T_t being the torques of the converter at ω_e and i ω_s, and ω_w the mean speed of the driven
    wheels.
    The input ``selector`` is 1 to drive forwards, 0 in neutral and −1 in reverse.

    The wheels' torques react on the chassis; that of shafts along x, which rolls it, is neglected.

    Parameters
    ----------
    name : str
        Unique in the system.
    chassis : Body
        The body that carries engine and differentials.
    wheels : sequence of (Body, Body, centre, axis)
        Wheel, its carrier, and in the design pose its centre [m] and spin axis to the left.
    parameters : AutomaticParameters
    shares : sequence of float, optional
        Part of the torque that each wheel gets; equal parts if not given.
    wheel_speed : float
        Of all wheels at the start [rad/s].
    throttle, selector : str
        Names of the inputs.
    """

    outputs: Mapping[str, str] = {
        "torque": "N*m",
        "speed": "rad/s",
        "power": "W",
        "engine_torque": "N*m",
        "gear": "1",
    }

    def __init__(
        self,
        name: str,
        chassis: Body,
        wheels: Sequence[DrivenWheel],
        parameters: AutomaticParameters,
        shares: Sequence[float] | None = None,
        wheel_speed: float = 0.0,
        throttle: str = "throttle",
        selector: str = "selector",
    ) -> None:
        self.name = name
        self.driven = DrivenWheels(f"driveline {name}", chassis, wheels, shares)
        self.parameters = p = parameters
        self.throttle, self.selector = throttle, selector
        self.inputs = (throttle, selector)
        shaft = check_number(f"driveline {name}", "wheel_speed", wheel_speed) / p.axle_ratio
        z = p.gears.at_speed(shaft)
        engine = max(p.engine.idle_speed, shaft * float(p.gears.turns(z)))
        self.states = (
            StateDeclaration("engine_speed", "rad/s", engine),
            StateDeclaration("shaft_speed", "rad/s", shaft),
            StateDeclaration("windup", "rad"),
            *(StateDeclaration(f"shift_{k}_{k + 1}", "1", state) for k, state in enumerate(z, 1)),
        )

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return self.driven.attachments

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        p = self.parameters
        omega_e, omega_s, phi, *z = list(x)
        axes, omega_w = self.driven.observed(observer)
        forwards, backwards = (maximum(sign * u[self.selector], 0.0) for sign in (1.0, -1.0))
        turns = forwards * p.gears.turns(z) + backwards / p.gears.reverse
        engaged = forwards + backwards
        T_e = p.engine.torque(omega_e, u[self.throttle])
        T_p, T_t = p.converter.torques(omega_e, turns * omega_s)
        phi_dot = p.axle_ratio * omega_s - omega_w
        T_w = p.stiffness * phi + p.damping * phi_dot
        omega_e_dot = (T_e - engaged * T_p) / p.engine.inertia
        omega_s_dot = (turns * T_t - p.axle_ratio * T_w) / p.inertia
        turning = p.engine.inertia * omega_e * omega_e + p.inertia * omega_s * omega_s
        return Response(
            loads=self.driven.loads(observer, axes, T_w),
            x_dot=(omega_e_dot, omega_s_dot, phi_dot, *p.gears.rates(z, omega_s)),
            outputs={
                "torque": T_w,
                "speed": omega_w,
                "power": T_w * omega_w,
                "engine_torque": T_e,
                "gear": forwards * p.gears.gear(z) - backwards,
            },
            potential=0.5 * (p.stiffness * phi * phi + turning),
        )
