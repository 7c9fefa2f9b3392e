"""From the HMMWV's data to the parameters of its tyres, brakes, driveline and driver."""

from __future__ import annotations

from ce_dynamics.models.parts.brake import BrakeParameters
from ce_dynamics.models.parts.driver import DriverParameters
from ce_dynamics.models.parts.powertrain import PowertrainParameters
from ce_dynamics.models.parts.tmeasy_parameters import LoadPair, TMeasyParameters
from ce_dynamics.models.vehicles.hmmwv.corner import CornerParameters, TyreParameters, Vector
from ce_dynamics.models.vehicles.hmmwv.schema import HmmwvParameters
from ce_dynamics.models.vehicles.hmmwv.sections import PowertrainData
from ce_dynamics.models.vehicles.hmmwv.steering_angle import max_wheel_angle

CURVES = ("dfx0", "fxm", "sxm", "fxs", "sxs", "dfy0", "fym", "sym", "fys", "sys")


def tyre_parameters(tyre: TyreParameters) -> TMeasyParameters:
    """TMeasy parameters of a tyre."""
    curves: dict[str, LoadPair] = {name: pair(getattr(tyre, name)) for name in CURVES}
    return TMeasyParameters(
        unloaded_radius=tyre.radius,
        cz=tyre.cz,
        dz=tyre.dz,
        cx=tyre.cx,
        dx=tyre.dx,
        cy=tyre.cy,
        dy=tyre.dy,
        pn=tyre.pn,
        pn_max=tyre.pn_max,
        mu0=tyre.mu0,
        rolling_resistance=tyre.rolling_resistance,
        v_n=tyre.slip_speed,
        nl0=pair(tyre.nL0),
        sq0=pair(tyre.sq0),
        sqe=pair(tyre.sqe),
        **curves,
    )


def pair(values: Vector) -> LoadPair:
    """The values at the two loads as floats."""
    first, second = values.tolist()  # floats, or free parameters
    return first, second


def brake_parameters(corner: CornerParameters) -> BrakeParameters:
    """Parameters of a corner's brake."""
    brake = corner.brake
    return BrakeParameters(brake.max_torque, brake.stiffness, brake.damping)


def powertrain_parameters(data: PowertrainData) -> PowertrainParameters:
    """Engine, gears and axle."""
    engine = data.engine
    return PowertrainParameters(
        full_speed=engine.full_throttle.speed,
        full_torque=engine.full_throttle.torque,
        zero_speed=engine.closed_throttle.speed,
        zero_torque=engine.closed_throttle.torque,
        max_speed=engine.max_speed,
        idle_speed=data.transmission.downshift,
        gear_ratios=data.transmission.gears,
        axle_ratio=data.axle_ratio,
    )


def driver_parameters(parameters: HmmwvParameters) -> DriverParameters:
    """A driver who knows this vehicle's wheelbase and steering."""
    return DriverParameters(
        wheelbase=parameters.wheelbase,
        max_wheel_angle=max_wheel_angle(parameters),
        **parameters.driver.model_dump(),
    )
