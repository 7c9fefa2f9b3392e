"""Data model of a recorded run for the 3-D viewer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.views.scene.shapes import Shape

GROUND = -1
"""Number of the ground, where bodies are numbered."""


@dataclass(frozen=True, eq=False)
class BodyPicture:
    """A body.

    Attributes
    ----------
    name : str
    shapes : sequence of Shape
        Points from its centre of mass, in its axes.
    aggregate : str
        Aggregated body that it belongs to, if several do.
    com : (3,) array
        Centre of mass in the design pose [m]; zero where points are given from it.
    """

    name: str
    shapes: Sequence[Shape]
    aggregate: str = ""
    com: Array = field(default_factory=lambda: np.zeros(3))


@dataclass(frozen=True, eq=False)
class Strand:
    """Something between points of two bodies.

    Attributes
    ----------
    kind : {"spring", "damper", "cable"}
    name : str
    body_a, body_b : int
    at_a, at_b : (3,) arrays
        From the centres of mass, in body axes [m].
    length : float
        Of a cable [m]: it sags where its ends are closer.
    """

    kind: str
    name: str
    body_a: int
    at_a: Array
    body_b: int
    at_b: Array
    length: float = 0.0


@dataclass(frozen=True, eq=False)
class Mark:
    """A hinge or a cut edge.

    Attributes
    ----------
    kind : {"independent", "dependent", "prescribed", "cut"}
    body : int
    at : (3,) array
        From the centre of mass, in body axes [m].
    axes : (n, 3) array
        Unit vectors of the hinge: none of a ball joint, two of a universal hinge.
    joint : str
        Type of the hinge in lower case, which decides how it is drawn.
    name : str
    """

    kind: str
    body: int
    at: Array
    axes: Array
    joint: str = ""
    name: str = ""


@dataclass(frozen=True, eq=False)
class Camera:
    """A camera that rides on a body.

    Attributes
    ----------
    name : str
    body : str
    eye, target : (3,) array_like
        Where it is and what it looks at, in the design pose [m].
    steady : bool
        Whether it follows with some delay and does not roll.
    """

    name: str
    body: str
    eye: Array | Sequence[float]
    target: Array | Sequence[float]
    steady: bool = False


@dataclass(frozen=True)
class TyreGauge:
    """Quantities of one tyre for instruments.

    Attributes
    ----------
    body : str
        Wheel.
    x, y : float
        Place of the wheel, forward and to the left [m].
    radius, width : float
        Of the tyre [m].
    load, slip, brake : str
        Outputs: vertical load [N], bounded slip [1], brake torque [N·m]; empty where there is none.
    """

    body: str
    x: float
    y: float
    radius: float
    width: float
    load: str = ""
    slip: str = ""
    brake: str = ""


@dataclass(frozen=True)
class Instruments:
    """Outputs and inputs that the instruments of a vehicle show; empty where there is none.

    Attributes
    ----------
    speed, ax, ay, steering_wheel, throttle, brake, gear : str
        In SI units.
    wheels : sequence of TyreGauge
    """

    speed: str = ""
    ax: str = ""
    ay: str = ""
    steering_wheel: str = ""
    throttle: str = ""
    brake: str = ""
    gear: str = ""
    wheels: Sequence[TyreGauge] = ()


@dataclass(frozen=True, kw_only=True)
class SceneOptions:
    """Options of a picture of a system; `ce_dynamics.view` describes them."""

    shapes: Mapping[str, Sequence[Shape]] | None = None
    scenery: Sequence[Shape] = ()
    cameras: Sequence[Camera] = ()
    camera: str | None = None
    instruments: Instruments | None = None

    def check(self, owner: str) -> None:
        """Reject entries of other types."""
        given = {f"shapes: {body}": pieces for body, pieces in self.given_shapes(owner).items()}
        for name, listed in (given | {"scenery": self.scenery}).items():
            for piece in checks.items(f"{owner}: {name}", listed):
                checks.instance(f"{owner}: {name}: entry", piece, Shape, "a shape of ce_dynamics.views.scene")
        for one in checks.items(f"{owner}: cameras", self.cameras):
            checks.instance(f"{owner}: cameras: entry", one, Camera, "a Camera")
        if self.instruments is not None:
            checks.instance(f"{owner}: instruments", self.instruments, Instruments, "Instruments")

    def given_shapes(self, owner: str = "view") -> Mapping[str, Sequence[Shape]]:
        """Return the shapes that are given, by body."""
        return checks.mapping(f"{owner}: shapes", {} if self.shapes is None else self.shapes)


@dataclass(frozen=True, eq=False)
class TimeSeries:
    """A quantity over time, for plots."""

    name: str
    unit: str
    values: Floats


@dataclass(eq=False)
class Take:
    """One run as a page shows it.

    Attributes
    ----------
    label : str
    bodies : list of BodyPicture
    strands : list of Strand
    marks : list of Mark
    cameras : list of dict
        Name, number of the body, eye and target in body axes.
    forces : list of str
        Names of what pushes, in the order of the arrows.
    moments : sequence of int
        Numbers of the arrows that are moments about an axis [N·m].
    traced : list of (int, array)
        Points whose ways are drawn: body, and place from its centre of mass in its axes [m].
    scenery : list of Shape
        What rests: roads, walls, paths; in the world.
    up : (3,) array
        World direction that is drawn upwards.
    weight : float
        Of all bodies [N]: forces are drawn against it.
    t : (n,) array
        [s].
    places : (n, bodies, 7) array
        Centres of mass [m] and quaternions (x, y, z, w) in the world.
    arrows : (n, forces, 6) array
        Where each acts [m], and the force [N] or moment [N·m].
    series : list of Series
    instruments : Instruments, optional
    """

    label: str
    bodies: list[BodyPicture]
    t: Floats
    places: Floats
    strands: list[Strand] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    cameras: list[dict[str, object]] = field(default_factory=list)
    forces: list[str] = field(default_factory=list)
    moments: Sequence[int] = ()
    traced: list[tuple[int, Floats]] = field(default_factory=list)
    arrows: Floats = field(default_factory=lambda: np.zeros((0, 0, 6)))
    scenery: list[Shape] = field(default_factory=list)
    up: Floats = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    weight: float = 0.0
    series: list[TimeSeries] = field(default_factory=list)
    instruments: Instruments | None = None

    @property
    def camera_names(self) -> list[str]:
        """Cameras that a page of it has."""
        riding = [str(camera["name"]) for camera in self.cameras]
        return ["orbit", *(f"follow {body.name}" for body in self.bodies), *riding]


def quaternions(R: Floats) -> Floats:
    """Return unit quaternions (..., 4) as (x, y, z, w) of rotation matrices (..., 3, 3)."""
    from scipy.spatial.transform import Rotation  # here, because only pictures need it

    found: Floats = Rotation.from_matrix(R.reshape(-1, 3, 3)).as_quat()
    return found.reshape(*R.shape[:-2], 4)


def upwards(gravity: Array) -> Floats:
    """Return the unit vector against gravity; z without any."""
    g = nominal(np.asarray(gravity)).astype(float)
    length = float(np.linalg.norm(g))
    return np.array([0.0, 0.0, 1.0]) if length == 0.0 else np.asarray(-g / length)
