"""Definition of a sweep: the varied numbers, the number of runs, and the work of each run.

Free parameters (see `ce_dynamics.models.vehicles.free`), hardpoints included, vary within one compiled
model, in SIMD lanes.  Every combination of the few other numbers gets a model of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property

from ce_dynamics._version import __version__
from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.integration_methods import FIXED, NATIVE_METHODS
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import ParameterQuantity
from ce_dynamics.models.data.reading import parse_override
from ce_dynamics.models.data.sampling import (
    KINDS,
    MOST_RUNS,
    Kind,
    overrides,
    parse_distribution,
    sample,
)
from ce_dynamics.models.data.schema import lay
from ce_dynamics.models.parts.roads.kinds import road as road_of
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.driving import make_manoeuvre
from ce_dynamics.models.vehicles.files import RIDE
from ce_dynamics.models.vehicles.fitted_tyres import fit_tyres
from ce_dynamics.models.vehicles.free import can_be_free
from ce_dynamics.models.vehicles.layout import VehicleLayout
from ce_dynamics.models.vehicles.schema import groups_of
from ce_dynamics.models.vehicles.tree import short_name
from ce_dynamics.simulation.integrators.settings import Settings, check_steps, settings_of


def check_conflicts(names: Sequence[str], overrides: Sequence[str], layout: VehicleLayout) -> None:
    """Refuse two names of one number: both varied, or varied and set by a name that is as specific."""
    taken: dict[tuple[str, ...], str] = {}
    for name in names:
        for path in paths_of(name, layout)[1]:
            if path in taken:
                raise DataError(
                    f"{taken[path]} and {name} both vary {'.'.join(path)}; vary it once, by one of the names"
                )
            taken[path] = name
    for text in overrides:
        name = text.partition("=")[0].strip()
        specific, paths = paths_of(name, layout)
        for path in paths:
            if path in taken and specific >= paths_of(taken[path], layout)[0]:
                if taken[path] == name:
                    raise DataError(f"{name} is both set and varied; do one of them")
                raise DataError(f"{name} is set, and {taken[path]} varies {'.'.join(path)}; do one of them")


def paths_of(name: str, layout: VehicleLayout) -> tuple[int, list[tuple[str, ...]]]:
    """Return the specificity of a dotted name and the paths of the numbers it stands for."""
    key = short_name(tuple(name.split(".")), layout.mechanisms)
    return groups_of(layout).expand(key)


def quantity_of(name: str, layout: VehicleLayout) -> ParameterQuantity:
    """Return the quantity of a number of the data, by its dotted name."""
    quantities = groups_of(layout).quantities
    _, paths = paths_of(name, layout)
    path = paths[0]
    if path in quantities and quantities[path].scalar:
        return quantities[path]
    if path[:-1] in quantities and quantities[path[:-1]].component_index(path[-1]) is not None:
        return quantities[path[:-1]].component()
    if path in quantities:
        components = quantities[path].components or ("0",)
        raise DataError(
            f"'{name}' is more than one number; name a component, such as '{name}.{components[0]}'"
        )
    lay({}, [parse_override(f"{name}=0")], groups_of(layout))  # refuses, and suggests others
    raise DataError(f"'{name}' is not one number")


BATCH = 16
"""Most runs of one task and one file, which are lost when it is killed."""

MOST_INSTANTS = 10_000_000
"""Most stored instants of a run."""


@dataclass(frozen=True)
class SweepPlan:
    """The settings that determine the results of a sweep, as they were typed.

    ``kind`` is one of `ce_dynamics.models.data.sampling.sample`; ``vary`` are distributions by dotted name;
    further ones are those of `ce_dynamics.models.vehicles.case.run`.  The method is one of ensembles: ``rk4``
    in steps of 1 ms unless given, or ``dopri5`` or ``tsit5`` with rtol 1e-6 and atol 1e-8 unless given.
    """

    kind: Kind
    vary: Mapping[str, str]
    runs: int | None = None
    seed: int = 0
    model: str = "hmmwv"
    manoeuvre: str = "double-lane-change"
    speed: str | None = None
    duration: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    overrides: tuple[str, ...] = ()
    tyres: tuple[str, ...] = ()
    road: str | None = None
    method: str = "rk4"
    step: float | None = None
    rtol: float | None = None
    atol: float | None = None
    interval: float = 0.01
    version: str = __version__

    def __post_init__(self) -> None:
        self._check_types()
        if self.model == RIDE:
            raise DataError("sweeps need the full vehicle; give hmmwv or a data file")
        _ = self.values
        check_conflicts(self.names, self.overrides, self.vehicle.layout)
        given = {k: v for k, v in (("speed", self.speed), ("duration", self.duration)) if v is not None}
        task = make_manoeuvre(
            self.manoeuvre, {**self.options, **given}, VehicleParameters.load(self.model, self.overrides)
        )
        fit_tyres(self.tyres, self.vehicle.corners)
        if self.road is not None:
            road_of(self.road, nominal(task.values["friction"]))
        if self.method in FIXED:
            check_steps(task.duration, self.settings.step)
        if not task.duration / self.interval <= MOST_INSTANTS:
            raise DataError(
                f"interval {self.interval!r} s makes {task.duration / self.interval:.3g} stored instants of "
                f"{task.duration!r} s, {MOST_INSTANTS:,} are allowed; give a longer interval"
            )

    def _check_types(self) -> None:
        """Check types that Python leaves unchecked and JSON may violate."""
        checks.choice("kind", self.kind, KINDS, DataError)
        for name, text in checks.mapping("vary", self.vary, DataError).items():
            checks.text(f"vary: {name}", text, DataError)
        if self.runs is not None:
            checks.integer("runs", self.runs, at_least=1, at_most=MOST_RUNS, error=DataError)
        checks.integer("seed", self.seed, at_least=0, error=DataError)
        for name in ("model", "manoeuvre", "version"):
            checks.text(name, getattr(self, name), DataError)
        for name in ("speed", "duration", "road"):
            if getattr(self, name) is not None:
                checks.text(name, getattr(self, name), DataError)
        checks.mapping("options", self.options, DataError)
        checks.texts("overrides", self.overrides, DataError)
        checks.texts("tyres", self.tyres, DataError)
        checks.choice("method", self.method, NATIVE_METHODS, DataError)
        _ = self.settings
        checks.number("interval", self.interval, above=0.0, error=DataError)

    @property
    def settings(self) -> Settings:
        """Steps and tolerances as they are used."""
        return settings_of(self.method, NATIVE_METHODS, step=self.step, rtol=self.rtol, atol=self.atol)

    @cached_property
    def vehicle(self) -> VehicleParameters:
        """The vehicle whose numbers are varied, before any is changed."""
        return VehicleParameters.load(self.model)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(self.vary)

    @cached_property
    def units(self) -> dict[str, str]:
        return {name: quantity_of(name, self.vehicle.layout).unit for name in self.names}

    @cached_property
    def values(self) -> Floats:
        """Values in SI, a row per run."""
        distributions = {
            name: parse_distribution(name, text, quantity_of(name, self.vehicle.layout))
            for name, text in self.vary.items()
        }
        return sample(self.kind, distributions, self.runs, self.seed)

    @cached_property
    def free(self) -> tuple[str, ...]:
        """Names of the numbers that vary within one compiled model."""
        return tuple(name for name in self.names if can_be_free(name, self.vehicle.groups))

    def list_fixed_overrides(self, run: int) -> tuple[str, ...]:
        """Return overrides that take a model of their own."""
        row = self.values[run].tolist()
        pairs = [(name, value) for name, value in zip(self.names, row, strict=True) if name not in self.free]
        return tuple(overrides([name for name, _ in pairs], [value for _, value in pairs]))

    @cached_property
    def models(self) -> int:
        """Number of models that the sweep takes."""
        return len({self.list_fixed_overrides(run) for run in range(len(self.values))})

    def batches(self, todo: Sequence[int]) -> list[list[int]]:
        """Return runs that share a model, some at a time."""
        by_model: dict[tuple[str, ...], list[int]] = {}
        for run in todo:
            by_model.setdefault(self.list_fixed_overrides(run), []).append(run)
        return [runs[k : k + BATCH] for runs in by_model.values() for k in range(0, len(runs), BATCH)]

    def text(self) -> str:
        """Return the sweep as JSON, the same text for equal sweeps."""
        return json.dumps(asdict(self), indent=2)

    @classmethod
    def from_text(cls, text: str) -> SweepPlan:
        try:
            content = json.loads(checks.text("sweep", text, DataError))
        except (ValueError, RecursionError) as error:
            raise DataError(f"sweep {checks.show(text)} is not JSON") from error
        known = [field.name for field in fields(cls)]
        if not isinstance(content, dict) or set(content) != set(known):
            raise DataError(f"sweep {checks.show(text)} must be a mapping of {', '.join(known)}")
        listed = {name: checks.texts(name, content[name], DataError) for name in ("overrides", "tyres")}
        return cls(**{**content, **listed})
