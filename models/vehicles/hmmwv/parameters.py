"""The HMMWV's parameters are those of any vehicle; loaded from its own file unless another is named."""

from __future__ import annotations

from ce_dynamics.models.vehicles.description import VehicleParameters

HmmwvParameters = VehicleParameters
