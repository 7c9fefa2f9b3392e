"""The ride model: the HMMWV's multibody part on vertical springs, as validated by independent engines."""

from __future__ import annotations

from collections.abc import Sequence

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.hinges.free import Free
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.parts.body_contact import GroundSpring
from ce_dynamics.models.vehicles.bodies import add_rigid_body
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.sensors import add_sensors


def build_ride(overrides: Sequence[str] = (), variant: str = "ride", free: Sequence[str] = ()) -> System:
    """The HMMWV with fixed tie-rod ends and a vertical spring and damper under every wheel centre.

    Parameters
    ----------
    overrides : sequence of str
        ``key=value`` each, see `VehicleParameters.load`.
    variant : str
        Variant of the data file.
    free : sequence of str
        Dotted names of numbers that become free parameters, see `VehicleParameters.load`.

    Returns
    -------
    System
        14 degrees of freedom; its initial state is the one the reference runs start from.
    """
    checks.text("variant", variant, DataError)
    parameters = VehicleParameters.load(overrides=overrides, variant=variant, free=free)
    system = System(gravity=parameters.gravity, name="hmmwv ride model")
    for parameter in parameters.free:
        system.add_parameter(parameter)
    chassis = add_rigid_body(system, "chassis", parameters.chassis, system.ground, Free())
    system.group("corner", tuple(parameters.corners))
    for name, corner in parameters.corners.items():
        wheel = corner.add_wheel(system, corner.add(system, chassis, None))
        spring = corner.ground_spring
        assert spring is not None, "the ride variant defines ground springs"
        system.add_force(
            GroundSpring(
                f"{name}.ground_spring",
                wheel,
                corner.W,
                system.ground,
                spring.stiffness,
                spring.damping,
                spring.height,
            )
        )
        system.start(wheel, v=[10.0])
    add_sensors(system, chassis)
    q = [0.0, 0.0, parameters.ride_height, 1.0, 0.0, 0.0, 0.0]
    system.start(chassis, q=q, v=[0.3, 0.2, 0.1, 10.0, 0.0, -0.5])
    return system
