"""Vehicles as environments of Gymnasium, for agents that learn to drive.

>>> import gymnasium
>>> import ce_dynamics.models.environments
>>> env = gymnasium.make("ce-dynamics/LaneChange-v0", vehicle="hmmwv")     # doctest: +SKIP

Importing this package makes the names known; it takes the extra ``gym``.
"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from ce_dynamics.algebra.lazy_names import lazy_names
from ce_dynamics.errors import ModelError

if TYPE_CHECKING:
    from ce_dynamics.models.environments.env import VehicleEnv as VehicleEnv
    from ce_dynamics.models.environments.task import (
        DrivenVehicle as DrivenVehicle,
        Feature as Feature,
        Judgement as Judgement,
        Task as Task,
        prepare_vehicle as prepare_vehicle,
    )
    from ce_dynamics.models.environments.vector_env import VehicleVectorEnv as VehicleVectorEnv

NAMES = {
    "ce-dynamics/PathFollowing-v0": "path-following",
    "ce-dynamics/LaneChange-v0": "lane-change",
    "ce-dynamics/Parking-v0": "parking",
}
REMEDY = "environments need the package gymnasium: pip install 'ce-dynamics[gym]'"


def register() -> None:
    """Make the names known to Gymnasium.

    Raises
    ------
    ModelError
        If it is not installed.
    """
    if importlib.util.find_spec("gymnasium") is None:
        raise ModelError(REMEDY)
    import gymnasium  # here, because it is an extra

    here = __package__
    for name, task in NAMES.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                entry_point=f"{here}.env:VehicleEnv",
                vector_entry_point=f"{here}.vector_env:VehicleVectorEnv",
                kwargs={"task": task},
            )


register()
__getattr__, __dir__, __all__ = lazy_names({"prepared": "prepare_vehicle", "Vehicle": "DrivenVehicle"})
