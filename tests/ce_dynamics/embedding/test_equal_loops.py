"""Loops that are equal up to a rigid motion are solved once."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import ce_dynamics as ce
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel
from ce_dynamics.embedding.closures.freedoms import Freedoms

Floats = NDArray[np.float64]

ABOUT_Z = Rotation.from_rotvec((0.0, 0.0, 1.1)).as_matrix()


def add_ring(system: ce.System, name: str, R: Floats, r: Floats, seed: int = 3) -> None:
    """A spatial loop of seven hinges, which has no closed form, turned by R and moved by r."""
    rng = np.random.default_rng(seed)
    axes = rng.normal(size=(7, 3))
    angles = np.linspace(0.0, 6.0, 7)
    points = np.column_stack((np.cos(angles), np.sin(angles), 0.0 * angles)) + 0.15 * rng.normal(size=(7, 3))
    hinges = [ce.Revolute(axis=R @ a, at=R @ p + r) for a, p in zip(axes, points, strict=True)]
    carrier, bodies = system.ground, []
    for k, hinge in enumerate(hinges[:6]):
        com = R @ (0.5 * (points[k] + points[k + 1])) + r
        carrier = system.add_body(
            f"{name} {k}", mass=1.0, com=com, inertia=(0.1, 0.1, 0.1), parent=carrier, hinge=hinge
        )
        bodies.append(carrier)
    system.close_loop(f"{name} closed", carrier, system.ground, hinges[6], independent=bodies[:1])


def two_rings(R: Floats, r: Floats) -> ce.System:
    """A loop, and one that is turned and moved."""
    system = ce.System(gravity=(0, 0, -9.81))
    add_ring(system, "one", np.eye(3), np.zeros(3))
    add_ring(system, "other", R, r)
    return system


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the classes made, one for each time."""
    found: list[str] = []
    for kind in (LoopKernel, Freedoms):
        given = kind.__init__

        def counted(self: object, *args: object, _given: object = given, **kwargs: object) -> None:
            found.append(type(self).__name__)
            _given(self, *args, **kwargs)  # type: ignore[operator]

        monkeypatch.setattr(kind, "__init__", counted)
    return found


def test_moved_loop_is_solved_once(made: list[str]) -> None:
    ce.compile(two_rings(np.eye(3), np.array((300.0, 0.1, -7.0)))).accelerations([0.05, 0.05], [1.0, 1.0])
    assert made.count("LoopKernel") == 1


def test_turned_loop_accelerates_alike() -> None:
    """About the vertical, along which gravity is; 1e-12 is rounding at three metres, times the condition."""
    model = ce.compile(two_rings(ABOUT_Z, np.array((3.0, -1.0, 0.5))))
    one, other = model.accelerations([0.05, 0.05], [1.0, 1.0])
    assert other == pytest.approx(one, rel=1e-12)


def test_mirrored_loop_is_solved_apart(made: list[str]) -> None:
    ce.compile(two_rings(np.diag((1.0, -1.0, 1.0)), np.zeros(3)))
    assert made.count("LoopKernel") == 2


def test_other_geometry_is_solved_apart(made: list[str]) -> None:
    system = ce.System(gravity=(0, 0, -9.81))
    add_ring(system, "one", np.eye(3), np.zeros(3), seed=3)
    add_ring(system, "other", np.eye(3), np.zeros(3), seed=4)
    ce.compile(system)
    assert made.count("LoopKernel") == 2


def test_loop_is_analysed_once(made: list[str]) -> None:
    system = ce.System(gravity=(0, 0, -9.81))
    add_ring(system, "one", np.eye(3), np.zeros(3))
    ce.compile(system)
    assert made.count("Freedoms") == 1
