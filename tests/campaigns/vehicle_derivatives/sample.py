"""Random samples of a vehicle: free numbers, a state in which it drives, names of quantities."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np

import ce_dynamics as ce
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import CeDynamicsError, PhysicalityWarning
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from tests.campaigns.number_effects.effects import components
from tests.campaigns.vehicle_derivatives.differences import Floats, Verdict

SPEED = 12.0
"""[m/s]"""


@dataclass
class Sample:
    """Some numbers of a vehicle that are free, and those that cannot be, with the reason."""

    vehicle: str
    rng: np.random.Generator
    free: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)

    def draw(self, n: int, under: str = "") -> Sample:
        """Free n numbers that may be free together, whose keys begin with something."""
        known = [key for key in components(self.vehicle) if key.startswith(under)]
        for key in self.rng.permutation(known):
            if len(self.free) == n:
                break
            try:
                self.built([*self.free, str(key)])
            except CeDynamicsError as error:
                self.refused[str(key)] = str(error)
            else:
                self.free.append(str(key))
        return self

    def data(self, free: list[str] | None = None) -> VehicleParameters:
        """The vehicle's data with what is free."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PhysicalityWarning)
            return VehicleParameters.load(self.vehicle, free=self.free if free is None else free)

    def built(self, free: list[str] | None = None) -> Model:
        """The vehicle on the road."""
        return ce.compile(build(self.data(free), speed=SPEED))


def driving(model: Model, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """A state near the start in which everything moves a little, and inputs."""
    y, u = model.y0.copy(), model.u0.copy()
    n_q, n_v = len(model.layout.q), len(model.layout.v)
    y[:n_q] += 2e-3 * rng.normal(size=n_q)
    y[n_q : n_q + n_v] += 0.1 * rng.normal(size=n_v)
    y[n_q + n_v :] += 1e-3 * rng.normal(size=len(y) - n_q - n_v)
    given = {"steering": 0.1, "throttle": 0.4, "brake": 0.05}
    for k, entry in enumerate(model.layout.u[: model.layout.n_inputs]):
        u[k] = given.get(entry.name, u[k])
    return y, u


def chosen(rng: np.random.Generator, names: list[str], n: int) -> list[str]:
    """Some of the names."""
    return [str(name) for name in rng.permutation(names)[:n]]


@dataclass
class Tally:
    """Result of the comparisons of one part of a vehicle."""

    part: str
    compared: int = 0
    zero: int = 0
    silent: int = 0
    worst: float = 0.0
    wrong: list[str] = field(default_factory=list)

    def add(self, by: str, verdict: Verdict) -> None:
        """Take derivatives by one number."""
        self.compared += verdict.compared
        self.zero += verdict.zero
        self.silent += verdict.silent
        self.worst = max(self.worst, verdict.worst)
        for of, exact, found, off in verdict.wrong:
            self.wrong.append(f"{of} by {by}: {exact:.9g}, by differences {found:.9g} ± {off:.2g}")
