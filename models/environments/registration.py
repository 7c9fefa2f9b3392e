"""Registers environments under names of Gymnasium."""

from __future__ import annotations

import importlib.util

from ce_dynamics.errors import ModelError

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
