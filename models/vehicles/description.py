"""Vehicles' parameters: loaded, layered, checked, and handed out as arrays in vehicle coordinates.

>>> parameters = VehicleParameters.load(overrides=["front_left.spring.linear=120 kN/m"])
>>> parameters.corners["front_left"].spring.linear
120000.0
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.compiler.free_numbers import number
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.parameters import Parameter
from ce_dynamics.models.data.reading import OVERRIDE, DataFile, Table, parse_override
from ce_dynamics.models.data.schema import Groups, ListedNumber, flatten, lay, validate
from ce_dynamics.models.parts.aerodynamics import AerodynamicsData
from ce_dynamics.models.parts.assistance import AssistanceData
from ce_dynamics.models.parts.body_contact import HullData
from ce_dynamics.models.parts.brake import ClutchData
from ce_dynamics.models.parts.driver import DriverData
from ce_dynamics.models.powertrain.base import PowertrainData
from ce_dynamics.models.powertrain.differentials import LockedData
from ce_dynamics.models.vehicles import plausibility
from ce_dynamics.models.vehicles.bodies import BodyParameters, Vector, body, shift_points
from ce_dynamics.models.vehicles.bushings import VehicleBushing
from ce_dynamics.models.vehicles.files import (
    TYRE_FILE,
    data_file,
    describes_a_vehicle,
    example_of,
    files_of,
    name_errors,
    variant_path,
)
from ce_dynamics.models.vehicles.free import release_numbers
from ce_dynamics.models.vehicles.layout import AXES, AxleLayout, VehicleLayout, layout_of
from ce_dynamics.models.vehicles.schema import (
    axle_of,
    bar_of,
    check_tyre_files,
    corners_of,
    groups_of,
    merge_layers,
    schema_of,
    steering_of,
)
from ce_dynamics.models.vehicles.sections import PublishedData, RoadData, VehicleDescription
from ce_dynamics.models.vehicles.steering.base import Steering
from ce_dynamics.models.vehicles.suspensions.axle import BuiltAxle
from ce_dynamics.models.vehicles.suspensions.builder import AntiRollBarData
from ce_dynamics.models.vehicles.trailers import Trailer, build_trailers
from ce_dynamics.models.vehicles.tree import SIDES, short_name
from ce_dynamics.models.vehicles.tyre_kinds import BuiltTyre


@dataclass(frozen=True, eq=False)
class VehicleParameters:
    """All parameters of a vehicle; SI, vehicle coordinates (x forward, y left, z up), design position.

    `data` holds the same numbers as in the file, in left-side coordinates.  ``label`` names the file in
    messages, and whether it is taken as it stands; ``body_file`` is the shape of the body in pictures, glTF.
    Corners go from front to rear, left before right; trailers each after what tows it; bars and axles by the
    name of the axle, steerings by that of their section.

    ``notes`` are entries of files of other formats that have no effect, and choices made in reading them;
    what tyre files leave open; points of a base that are kept though the axle's hardpoints changed.
    ``origins`` names the files of other formats that sections come from.
    """

    name: str
    label: str
    title: str
    body_file: Path | None
    layout: VehicleLayout
    data: VehicleDescription
    sources: dict[str, str]
    gravity: Vector
    ride_height: float
    chassis: BodyParameters
    trailers: dict[str, Trailer]
    corners: dict[str, Any]
    axles: dict[str, BuiltAxle]
    anti_roll_bars: dict[str, AntiRollBarData]
    steerings: dict[str, Steering]
    bushings: tuple[VehicleBushing, ...]
    powertrain: PowertrainData
    aerodynamics: AerodynamicsData | None
    hull: HullData | None
    road: RoadData
    driver: DriverData
    published: PublishedData | None
    assistance: AssistanceData | None
    free: tuple[Parameter, ...]
    notes: tuple[str, ...]
    origins: Mapping[str, str]
    _table: Table = field(repr=False)

    @classmethod
    def load(
        cls,
        path: str | Path | None = None,
        overrides: Sequence[str] = (),
        variant: str | Path | None = None,
        free: Sequence[str] = (),
        tyres: Sequence[str] = (),
    ) -> VehicleParameters:
        """Load a data file, lay a variant over it, then the overrides.

        A ``path`` is a data file or a shipped vehicle by name, or a file with just the numbers that differ
        from the HMMWV's; the HMMWV if None.  A ``variant`` is one of the package by name (``ride``), or a
        file with just the numbers that differ.  Overrides are ``key=value`` each, for example
        ``front.spring.linear=120 kN/m``; corner values are always given as for the left side.  The more
        specific of two overrides wins; of equal ones the last.

        Numbers named in ``free``, by their dotted names, become free parameters of the model (see
        `ce_dynamics.Parameter`), with the data's as nominal values; `models.vehicles.free` lists which can
        be.  Tyre property files that will be fitted bring the friction of their road.

        An inertia that no real body can have raises a `PhysicalityWarning`, unless its note is
        ``unphysical``.
        """
        if tyres:
            from ce_dynamics.models.vehicles.fitted_tyres import default_friction  # here, because few fit any

            own = cls.load(path, overrides, variant, free)
            friction = default_friction(tyres, own.corners, own.road.friction)
            fitted = [f"road.friction={friction!r}", *overrides]
            return own if friction is None else cls.load(path, fitted, variant, free)
        layers = files_of("hmmwv" if path is None else path)
        label = next(file.label for file in reversed(layers) if describes_a_vehicle(file))
        if variant is not None:
            layers.append(data_file(variant_path(variant)))
        words = [word for layer in layers for word in layer.words]
        layout = layout_of(words, label)
        groups = groups_of(layout)
        check_tyre_files(layers, groups)
        before, kept = merge_layers(layers, layout, groups)
        notes = [note for file in layers for note in file.notes] + kept
        given = [parse_override(text) for text in checks.texts("overrides", overrides, DataError)]
        changes = [one._replace(key=short_name(one.key, layout.mechanisms)) for one in given]
        for change in changes:
            if change.key[-2:] == TYRE_FILE:
                raise DataError(
                    f"override: {'.'.join(change.key)}: vehicle files name tyre files; give --tyre "
                    f"{checks.show(change.entry.value)}"
                )
        table = lay(before, changes, groups)
        name, shown = Path(label).stem, layers[-1].label + " as changed" * bool(changes)
        origins = {} if changes else dict(layers[-1].origins)
        with name_errors(name, shown, origins):
            replaced = {key: entry for key, entry in before.items() if table[key] is not entry}
            examples = partial(example_of, groups=groups, replaced=replaced)
            data = validate(schema_of(layout), table, groups, label, examples)
            plausibility.warn_of_units(changes, before, groups)
            found = {"name": name, "label": shown, "origins": origins, "notes": tuple(notes), "_table": table}
            return cls._build(layout, data, layers, free, found)

    @classmethod
    def _build(
        cls,
        layout: VehicleLayout,
        data: VehicleDescription,
        layers: Sequence[DataFile],
        free: Sequence[str],
        found: Mapping[str, Any],
    ) -> VehicleParameters:
        """Build all parts; ``found`` are fields that are known already."""
        given, free_parameters = release_numbers(data, free, groups_of(layout))
        trailers = build_trailers(layout.trailers, given)
        towed = {name: axle.trailer for axle in layout.axles if axle.trailer for name in axle.corners}
        towed |= {name: steered[0].trailer for name, steered in layout.steered.items() if steered[0].trailer}
        placed = {name: shift_points(getattr(given, name), trailers[unit].at) for name, unit in towed.items()}
        given = given.model_copy(update=placed)
        axles = {axle.name: axle_of(axle, given) for axle in layout.axles}
        corners = {one.name: one for axle in axles.values() for one in corners_of(axle, given)}
        parameters = cls(
            **found,
            title=next(file.title for file in reversed(layers) if file.title or file is layers[0]),
            body_file=next((Path(file.body) for file in reversed(layers) if file.body), None),
            layout=layout,
            data=data,
            sources={k: text for file in layers for k, text in file.sources.items()}
            | {OVERRIDE: "given by the user"},
            gravity=np.array([0.0, 0.0, -given.vehicle.gravity]),
            ride_height=given.vehicle.ride_height,
            chassis=body(given.chassis, np.zeros(3)),
            trailers=trailers,
            corners=corners,
            axles=axles,
            anti_roll_bars={
                axle.name: bar_of(axle, given, trailers)
                for axle in layout.axles
                if axle.anti_roll_bar is not None
            },
            steerings={name: steering_of(name, layout, given, corners) for name in layout.steered},
            bushings=tuple(
                VehicleBushing.of(item, axle, corners[corner], getattr(given, corner), layout.bushings)
                for axle in layout.axles
                for corner in axle.corners
                for item in axle.bushings
            ),
            powertrain=given.powertrain,
            aerodynamics=given.aerodynamics,
            hull=given.hull,
            road=given.road,
            driver=given.driver,
            published=data.published,
            assistance=given.assistance,
            free=free_parameters,
        )
        parameters._check(layers[-1].label)
        return parameters

    def _check(self, label: str) -> None:
        """Refuse what does not belong together, warn of what no real vehicle has."""
        layout, powertrain = self.layout, self.powertrain
        driven = layout.driven
        plausibility.check_order(layout, self.corners)
        plausibility.check_split(powertrain, len(driven))
        for axle in driven:
            plausibility.check_final_drive(axle, self.axles[axle.name], label)
        inside = any(self.housing(axle) is not None for axle in driven)
        plausibility.check_engine_axis(layout, powertrain, inside, label)
        plausibility.warn_of_written(self.data, self._table, self.groups)
        plausibility.warn_of_derived(layout, self.corners)
        plausibility.warn_of_light_chassis(self.chassis.mass, self.unsprung_mass)

    def naming(self) -> AbstractContextManager[None]:
        """Name the vehicle in errors raised within the block, see `ce_dynamics.models.vehicles.files`."""
        return name_errors(self.name, self.label, self.origins)

    @property
    def short_title(self) -> str:
        """The title up to its first comma, without what stands in parentheses."""
        return self.title.partition(",")[0].partition(" (")[0]

    @property
    def schema(self) -> type[VehicleDescription]:
        return schema_of(self.layout)

    @property
    def groups(self) -> Groups:
        """Corners, and which of them the name of an axle stands for."""
        return groups_of(self.layout)

    @property
    def tyre(self) -> BuiltTyre:
        """The tyre, if all corners have the same one."""
        tyres: set[BuiltTyre] = {corner.tyre for corner in self.corners.values()}
        if len(tyres) > 1:
            raise DataError("the corners have different tyres; use corners[name].tyre")
        return next(iter(tyres))

    @property
    def driven(self) -> tuple[str, ...]:
        """Names of the corners that the engine drives."""
        return tuple(name for axle in self.layout.driven for name in axle.corners)

    def housing(self, axle: AxleLayout) -> str | None:
        """Return the name of the body that carries an axle's final drive; None where it is the chassis."""
        whole = self.axles[axle.name]
        chosen = axle.final_drive or whole.final_drive
        return axle.trailer if chosen == "chassis" or not whole.is_joined else whole.housing()

    @property
    def engine_axis(self) -> tuple[float, float, float]:
        """About which engine and shafts turn forwards: along the vehicle, unless only the front is driven."""
        if self.layout.engine is not None:
            return AXES[self.layout.engine]
        driven = self.layout.driven
        across = driven == self.layout.axles[:1] and self.housing(driven[0]) is None
        return AXES["transverse" if across else "longitudinal"]

    @property
    def torque_shares(self) -> tuple[float, ...]:
        """Parts of the shafts' torque that the driven wheels get."""
        split = self.powertrain.torque_split
        axles = len(self.driven) // 2
        per_axle = (1.0 / axles,) * axles if split is None else split
        return tuple(0.5 * share for share in per_axle for _ in range(2))

    @property
    def axle_ratios(self) -> dict[str, float]:
        """Wheel speed over shaft speed of each driven axle."""
        driven = [axle.name for axle in self.layout.driven]
        own = self.powertrain.axle_ratios or (self.powertrain.axle_ratio,) * len(driven)
        return dict(zip(driven, own, strict=True))

    @property
    def wheel_shares(self) -> tuple[float, ...]:
        """Parts of all driven wheels' torque that each of them gets: as their shafts', times their gears."""
        gears = [1.0 / ratio for ratio in self.axle_ratios.values() for _ in SIDES]
        parts = [share * gear for share, gear in zip(self.torque_shares, gears, strict=True)]
        return tuple(part / sum(parts) for part in parts)

    @property
    def steering(self) -> Any:
        """The steering mechanism; the first one of several."""
        return next(iter(self.steerings.values()))

    def mechanism_of(self, corner: str) -> str:
        """Return the name of the steering mechanism that steers a corner."""
        return next(axle.mechanism for axle in self.layout.axles if corner in axle.corners)

    def differential(self, axle: str) -> LockedData | ClutchData | None:
        """Return the lock of an axle's differential; none where it is open."""
        kind = next(one.differential for one in self.layout.axles if one.name == axle)
        lock: LockedData | ClutchData | None = None if kind is None else getattr(self.data, axle).differential
        return lock

    @property
    def wheelbase(self) -> Scalar:
        """Distance along x of the first axle's wheel centres from the mean of the others' (m).

        Left side, design position; without trailers, with the rear chassis of a vehicle that folds or twists.
        """
        first, *others = (self.corners[axle.corners[0]].W[0] for axle in self.layout.own_axles)
        if not others:
            raise DataError(
                f"{self.label}: axles: the vehicle has one axle without its trailers, so that it has no "
                "wheelbase; add an axle, or couple the rear chassis by hitch: torsion or articulated"
            )
        return number(
            first - (sum(others[1:], start=others[0]) / len(others) if len(others) > 1 else others[0])
        )

    @property
    def axle_spacing(self) -> Scalar:
        """Distance along x of the first and the last corner origin on the left side (m)."""
        axles = self.layout.own_axles
        first, last = (self.corners[axles[k].corners[0]].origin[0] for k in (0, -1))
        return number(first - last)

    @property
    def mass(self) -> float:
        """Mass of the whole vehicle with its trailers (kg)."""
        mass: float = sum(b.mass for b in self.bodies(self.layout.axles, self.trailers))
        return mass

    @property
    def unsprung_mass(self) -> float:
        """Mass of the corners and axles that are on the chassis (kg)."""
        own = self.layout.axles_of(None)
        corners = [b for axle in own for name in axle.corners for b in corner_bodies(self.corners[name])]
        beams = [b for axle in own for b in self.axles[axle.name].bodies(axle.name)]
        mass: float = sum(b.mass for b in (*corners, *beams))
        return mass

    def bodies(self, axles: Iterable[AxleLayout], trailers: Iterable[str]) -> list[BodyParameters]:
        """Return the chassis, the steerings and anti-roll bars, and the bodies of axles and trailers."""
        chosen = list(axles)
        corners = [b for axle in chosen for name in axle.corners for b in corner_bodies(self.corners[name])]
        bars = [half for bar in self.anti_roll_bars.values() for half in (bar.half, bar.half)]
        beams = [b for axle in chosen for b in self.axles[axle.name].bodies(axle.name)]
        towed = [self.trailers[name].body for name in trailers]
        steered = [b for mechanism in self.steerings.values() for b in mechanism.bodies()]
        return [self.chassis, *towed, *corners, *bars, *beams, *steered]

    def flat(self) -> list[ListedNumber]:
        """Return every number as (key, value, unit, source, text), corner values as for the left side.

        Keys are the most general ones that are true: ``front.D`` while both front corners agree.  The strings
        ``key=text`` are overrides that reproduce this parameter set.
        """
        return flatten(self.data, self._table, self.groups)


HmmwvParameters = VehicleParameters
"""The HMMWV's data; what it offers is gathered in `ce_dynamics.models.hmmwv`."""


def corner_bodies(c: Any) -> tuple[BodyParameters, ...]:
    """Return all bodies of a corner and its wheel."""
    return (*c.bodies(), c.wheel)
