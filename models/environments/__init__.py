"""Vehicles as environments of Gymnasium, for agents that learn to drive.

>>> import gymnasium
>>> import ce_dynamics.models.environments
>>> env = gymnasium.make("ce-dynamics/LaneChange-v0", vehicle="hmmwv")     # doctest: +SKIP

Importing this package makes the names known; it takes the extra ``gym``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce_dynamics.algebra.lazy_names import lazy_names
from ce_dynamics.models.environments.registration import register as register

if TYPE_CHECKING:
    from ce_dynamics.models.environments.env import VehicleEnv as VehicleEnv
    from ce_dynamics.models.environments.task import Feature as Feature, Judgement as Judgement, Task as Task
    from ce_dynamics.models.environments.vector_env import VehicleVectorEnv as VehicleVectorEnv
    from ce_dynamics.models.environments.vehicle import (
        DrivenVehicle as DrivenVehicle,
        prepare_vehicle as prepare_vehicle,
    )

register()
__getattr__, __dir__, __all__ = lazy_names({"prepared": "prepare_vehicle", "Vehicle": "DrivenVehicle"})
