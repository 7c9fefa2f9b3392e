"""The state a run starts from: the vehicle settled on its springs and tyres."""

from __future__ import annotations

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.analysis.trim import trim
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import AssemblyError
from ce_dynamics.models.vehicles.hmmwv.schema import CORNERS

ARMS = tuple(f"{name}.lower_arm" for name in CORNERS)
WHEEL_RATES = tuple(f"{name}.wheel_rate" for name in CORNERS)
DEFLECTIONS = tuple(f"{name}.tyre.{state}" for name in CORNERS for state in ("x_e", "y_e"))


def settled(model: Model, u: Floats | None = None) -> Floats:
    """The initial state with the vehicle at its ride height, rolling steadily if it rolls.

    Found are heave, roll and pitch and the arms' angles at which their accelerations vanish; if the vehicle
    rolls, also the wheels' speeds and tyres' deflections at which theirs do.  Speed, position and heading
    stay.  (At rest the deflections of the tyres stay as they are: any of them is in equilibrium.)

    Parameters
    ----------
    model : Model
        The full vehicle.
    u : array, optional
        Inputs; the defaults if not given.

    Raises
    ------
    AssemblyError
        If there is no such state, for instance because a spring is too soft to carry the vehicle.
    """
    speed = model.y0[[entry.name for entry in (*model.layout.q, *model.layout.v)].index("chassis.vx")]
    rolling = (*WHEEL_RATES, *DEFLECTIONS) if speed > 0.0 else ()
    try:
        return trim(
            model,
            change=["chassis.z", "chassis.qx", "chassis.qy", *ARMS, *rolling],
            still=["chassis.vz", "chassis.wx", "chassis.wy", *(f"{arm}_rate" for arm in ARMS), *rolling],
            u=u,
        )
    except AssemblyError as error:
        raise AssemblyError(
            "the vehicle finds no equilibrium on its springs and tyres near its design position; "
            "check masses, spring and tyre.cz"
        ) from error
