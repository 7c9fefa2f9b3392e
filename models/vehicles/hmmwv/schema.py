"""The HMMWV's parameters: loaded, layered, checked, and handed out as arrays in vehicle coordinates.

>>> parameters = HmmwvParameters.load(overrides=["front_left.spring.linear=120 kN/m"])
>>> parameters.corners["front_left"].spring.linear
120000.0
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ce_dynamics.algebra import checks, files
from ce_dynamics.algebra.arrays import Scalar, cos, sin
from ce_dynamics.compiler.free_numbers import decided, nominal, number
from ce_dynamics.errors import DataError, PhysicalityWarning
from ce_dynamics.mechanism.checked import magnitude
from ce_dynamics.mechanism.parameters import Parameter as FreeParameter
from ce_dynamics.models.data.parameters import (
    OVERRIDE,
    DataFile,
    Groups,
    Parameter,
    Tree,
    entry_of,
    flatten,
    lay,
    leaves,
    parse_override,
    read_file,
    validate,
)
from ce_dynamics.models.data.quantities import INERTIA, inertia_matrix, triangle_excess
from ce_dynamics.models.vehicles.hmmwv.corner import (
    SMALLEST_LENGTH,
    BodyParameters,
    CornerParameters,
    TyreParameters,
    Vector,
    body,
    corner,
)
from ce_dynamics.models.vehicles.hmmwv.free import freed
from ce_dynamics.models.vehicles.hmmwv.sections import (
    ActuatorData,
    BodyData,
    DriverData,
    HmmwvData,
    PowertrainData,
    PublishedData,
    RoadData,
    SteeringData,
)

DATA_FILE = Path(__file__).with_name("hmmwv.yaml")
CORNERS = ("front_left", "front_right", "rear_left", "rear_right")
GROUPS = Groups(
    members=CORNERS,
    groups={"front": CORNERS[:2], "rear": CORNERS[2:]},
    shared=frozenset({"wheel", "tyre", "brake", "ground_spring"}),
)
MIRROR_NOTE = (
    "Corner values are always given as for the left side: "
    "front_right.D.y=0.79 moves the right ball joint to y = -0.79 m."
)
"""One sentence for the help text of ``--set``."""


@dataclass(frozen=True, eq=False)
class SteeringParameters:
    """Pitman steering in vehicle coordinates.

    `origin` and `R` place the steering frame (columns of R are its axes); `axis` is its z axis, about which a
    positive angle turns the Pitman arm.  `T`, `W` are chassis points, `U`, `V` the ends of the link.
    """

    origin: Vector
    R: Vector
    axis: Vector
    T: Vector
    U: Vector
    V: Vector
    W: Vector
    pitman_arm: BodyParameters
    idler_arm: BodyParameters
    link: BodyParameters
    max_angle: float
    actuator: ActuatorData


@dataclass(frozen=True, eq=False)
class HmmwvParameters:
    """All parameters of the HMMWV; SI, vehicle coordinates (x forward, y left, z up), design position.

    `data` holds the same numbers as in the file, in left-side coordinates.
    """

    title: str
    data: HmmwvData
    sources: dict[str, str]
    gravity: Vector
    ride_height: float
    chassis: BodyParameters
    corners: dict[str, CornerParameters]
    steering: SteeringParameters
    powertrain: PowertrainData
    road: RoadData
    driver: DriverData
    published: PublishedData
    free: tuple[FreeParameter, ...]
    _tree: Tree = field(repr=False)

    @classmethod
    def load(
        cls,
        path: str | Path | None = None,
        overrides: Sequence[str] = (),
        variant: str | Path | None = None,
        free: Sequence[str] = (),
    ) -> HmmwvParameters:
        """Load a data file, lay a variant over it, then the overrides.

        Parameters
        ----------
        path : path, optional
            A complete data file; the one that comes with the package if not given.
        overrides : sequence of str
            ``key=value`` each, for example ``front.spring.linear=120 kN/m``.  Corner values are always
            given as for the left side.  The more specific of two overrides wins; of equal ones the last.
        variant : str or path, optional
            The name of a variant in the package (``ride``), or a YAML file with just the numbers that differ.
        free : sequence of str
            Dotted names of numbers that become free parameters of the model (see `ce_dynamics.Parameter`),
            with the data's as nominal values; which can be is told by `models.hmmwv.free`.

        Raises
        ------
        DataError
            One line naming file and line, key, value, what is expected and an example.

        Warns
        -----
        PhysicalityWarning
            For an inertia that no real body can have, unless its note says ``unphysical``.
        """
        layers = [read_file(DATA_FILE if path is None else files.path_of("parameter file", path))]
        if variant is not None:
            layers.append(read_file(variant_path(variant)))
        tree: Tree = {}
        for layer in layers:
            tree = lay(tree, layer.assignments, HmmwvData, GROUPS)
        changes = [parse_override(text) for text in checks.texts("overrides", overrides, DataError)]
        tree = lay(tree, changes, HmmwvData, GROUPS)
        label = (DATA_FILE if path is None else Path(path)).name
        return cls._build(validate(HmmwvData, tree, GROUPS, label), tree, layers, free)

    @classmethod
    def _build(
        cls, data: HmmwvData, tree: Tree, layers: Sequence[DataFile], free: Sequence[str]
    ) -> HmmwvParameters:
        given, free_parameters = freed(data, free, GROUPS)
        parameters = cls(
            title=next(file.title for file in reversed(layers) if file.title or file is layers[0]),
            data=data,
            sources={k: text for file in layers for k, text in file.sources.items()}
            | {OVERRIDE: "given by the user"},
            gravity=np.array([0.0, 0.0, -given.vehicle.gravity]),
            ride_height=given.vehicle.ride_height,
            chassis=body(given.chassis, np.zeros(3)),
            corners={name: corner(name, getattr(given, name)) for name in CORNERS},
            steering=_steering(given.steering),
            powertrain=given.powertrain,
            road=given.road,
            driver=given.driver,
            published=data.published,
            free=free_parameters,
            _tree=tree,
        )
        _check_axles(parameters)
        _warn_unphysical(parameters)
        return parameters

    @property
    def tyre(self) -> TyreParameters:
        """The tyre, if all corners have the same one.

        Raises
        ------
        DataError
            If they differ; then use ``corners[name].tyre``.
        """
        if len({getattr(self.data, name).tyre for name in CORNERS}) > 1:
            raise DataError("the corners have different tyres; use corners[name].tyre")
        return self.corners["front_left"].tyre

    @property
    def wheelbase(self) -> Scalar:
        """Distance along x of front and rear wheel centres on the left side, design position (m)."""
        return number(self.corners["front_left"].W[0] - self.corners["rear_left"].W[0])

    @property
    def axle_spacing(self) -> Scalar:
        """Distance along x of the corner origins on the left side (m); published as the wheelbase."""
        return number(self.corners["front_left"].origin[0] - self.corners["rear_left"].origin[0])

    @property
    def mass(self) -> float:
        """Mass of the whole vehicle (kg)."""
        corners = [b for c in self.corners.values() for b in corner_bodies(c)]
        steering = (self.steering.pitman_arm, self.steering.idler_arm, self.steering.link)
        return self.chassis.mass + sum(b.mass for b in (*corners, *steering))

    def flat(self) -> list[Parameter]:
        """Every number as (key, value, unit, source, text), corner values as for the left side.

        Keys are the most general ones that are true: ``front.D`` while both front corners agree.  The strings
        ``key=text`` are overrides that reproduce this parameter set.
        """
        return flatten(self.data, self._tree, GROUPS)


def corner_bodies(c: CornerParameters) -> tuple[BodyParameters, ...]:
    """The paper's seven bodies of a corner and its wheel."""
    links = (c.lower_arm, c.upright_link, c.upper_arm, c.shock_lower, c.shock_upper, c.spindle, c.tie_rod)
    return (*links, c.wheel)


def _sources(files: Sequence[DataFile]) -> dict[str, str]:
    texts = {OVERRIDE: "given by the user"}
    for file in files:
        texts |= file.sources
    return texts


def variant_path(variant: str | Path) -> Path:
    """The file of a variant given by name or path."""
    built_in = sorted(p.stem for p in DATA_FILE.parent.glob("*.yaml") if p != DATA_FILE)
    if str(variant) in built_in:
        return DATA_FILE.with_name(f"{variant}.yaml")
    path = files.path_of("variant", variant)
    if path.exists():
        return path
    raise DataError(
        f"unknown variant '{variant}'; give one of {', '.join(built_in)}, or an existing YAML file"
    )


def _steering(data: SteeringData) -> SteeringParameters:
    c, s = cos(data.tilt), sin(data.tilt)
    R = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])  # about +y
    origin = np.array(data.origin)
    for first, second in (("T", "U"), ("W", "V"), ("U", "V"), ("T", "W")):
        a, b = np.array(getattr(data, first)[:2]), np.array(getattr(data, second)[:2])
        together = f"steering: {first} and {second} lie on one axis; they must be 1 mm apart or more"
        if decided(magnitude(a - b) < SMALLEST_LENGTH, together):
            raise DataError(together)

    def placed(b: BodyData) -> BodyParameters:
        return BodyParameters(b.mass, origin + R @ np.array(b.com), R @ inertia_matrix(b.inertia) @ R.T)

    return SteeringParameters(
        origin=origin,
        R=R,
        axis=R[:, 2],
        T=origin + R @ np.array(data.T),
        U=origin + R @ np.array(data.U),
        V=origin + R @ np.array(data.V),
        W=origin + R @ np.array(data.W),
        pitman_arm=placed(data.pitman_arm),
        idler_arm=placed(data.idler_arm),
        link=placed(data.link),
        max_angle=data.max_angle,
        actuator=data.actuator,
    )


def _check_axles(parameters: HmmwvParameters) -> None:
    for side in ("left", "right"):
        front, rear = (parameters.corners[f"{axle}_{side}"].W[0] for axle in ("front", "rear"))
        if not decided(front > rear, f"front_{side}.W must lie ahead of rear_{side}.W"):
            raise DataError(
                f"front_{side}.W at x = {front:g} m must lie ahead of rear_{side}.W at x = {rear:g} m "
                f"(vehicle coordinates: origin + W)"
            )


def _warn_unphysical(parameters: HmmwvParameters) -> None:
    """Warn of inertias that violate the triangle inequality, once per general name."""
    quantities = leaves(HmmwvData)
    for parameter in parameters.flat():
        _, keys = GROUPS.expand(tuple(parameter.key.split(".")), HmmwvData)
        if keys[0] not in quantities or quantities[keys[0]].components != INERTIA:
            continue
        entry = entry_of(parameters._tree, keys[0])
        if entry is not None and "unphysical" in entry.note:
            continue
        assert isinstance(parameter.value, tuple)
        _warn(parameter.key, inertia_matrix(parameter.value))
    for side in ("left", "right"):
        for axle in ("front", "rear"):
            c = parameters.corners[f"{axle}_{side}"]
            if not triangle_excess(nominal(c.upright.inertia)):  # else the upright itself was spoken of
                _warn(f"{c.name}.spindle (upright without upright_link)", nominal(c.spindle.inertia))


def _warn(key: str, inertia: Vector) -> None:
    excess = triangle_excess(inertia)
    if excess:
        warnings.warn(
            f"{key}: no real body has this inertia, its largest principal moment exceeds the sum of "
            f"the others by {excess:.4g} kg*m^2",
            PhysicalityWarning,
            stacklevel=5,
        )
