"""Campaign ``performance.accounts [VEHICLE ...] [KEY=VALUE ...]``: energy and momentum, balanced.

Every vehicle drives for a second from 15 m/s, pulled, steered and braked at once, with RK4 at two steps.
"""

import sys

import numpy as np
import xarray as xr

import ce_dynamics as ce
from ce_dynamics.compiled.model import Model
from ce_dynamics.models.vehicles.accounts import energy_account, momentum_account
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.equilibrium import settle
from ce_dynamics.models.vehicles.files import SHIPPED

SPEED, DURATION, STEPS = 15.0, 1.0, (1e-3, 5e-4)
INPUTS = {"steering": 0.05, "throttle": 0.5, "brake": 0.05, "gear": 3.0}


def drive(model: Model, step: float, duration: float = DURATION) -> xr.Dataset:
    inputs = {name: value for name, value in INPUTS.items() if name in model.system.inputs}
    y0 = settle(model)
    return ce.simulate(model, inputs, duration=duration, method="rk4", y0=y0, step=step, interval=step)


def main(words: list[str]) -> None:
    """Print the accounts, and what does not add up at both steps."""
    overrides = [word for word in words if "=" in word]
    for name in [word for word in words if "=" not in word] or list(SHIPPED):
        model = ce.compile(build(VehicleParameters.load(name, overrides), speed=SPEED))
        print(f"\n{name}")
        for step in STEPS:
            run = drive(model, step)
            energy, momentum = energy_account(model, run), momentum_account(model, run)
            if step == STEPS[0]:
                print(energy)
            left = energy.residual / energy.turnover
            largest = sum((np.abs(given) for given in momentum.given.values()), start=np.zeros(6))
            angular, linear = (np.linalg.norm(momentum.residual[k]) for k in (slice(3), slice(3, 6)))
            beside = [np.linalg.norm(largest[k]) for k in (slice(3), slice(3, 6))]
            print(
                f"step {1e3 * step:g} ms: energy {left:.1e} of what is turned over, momentum "
                f"{linear / beside[1]:.1e}, angular {angular / beside[0]:.1e}",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
