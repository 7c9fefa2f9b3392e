"""A beam that springs hold sideways, against one scalar equation of SciPy in every pose.

The beam heaves by z, rolls by φ and goes sideways by y; z and φ follow from the heights of its wheels, y from
∂V/∂y = 0, here by hand and to 1e-15 m.  Central differences of order four with h = 2 mm leave h⁴/30 f⁽⁵⁾ ~
5e-13 f⁽⁵⁾ in first and h⁴/90 f⁽⁶⁾ in second derivatives, and rounding 1e-16 V/h² ~ 1e-8 N/m.
"""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import newton

import ce_dynamics as ce
from ce_dynamics.errors import DataError
from ce_dynamics.models import kc

H = 2e-3
A = 0.7
SPRING, ROD = 3e4, 2e5
ENDS = {"left": ((0.0, 0.5, 0.8), (0.0, 0.55, 0.35)), "right": ((0.0, -0.5, 0.8), (0.0, -0.5, 0.35))}
ROD_ENDS = (0.1, 0.6, 0.42), (0.1, -0.4, 0.45)
FREE_LENGTH = 0.5
POSES = np.array([(0.0, 0.0), (0.06, -0.03), (-0.05, -0.05), (0.02, 0.07)])


def beam(hold: float = ROD, rod_height: ce.Parameter | None = None) -> kc.KCRig:
    """Wheels on a beam on the ground; springs carry it, one along a rod holds it sideways."""
    system = ce.System(gravity=(0, 0, 0), name="beam")
    height = ROD_ENDS[0][2] if rod_height is None else system.add_parameter(rod_height)
    carrier = system.ground
    at = (0.0, 0.0, 0.3)
    for name, hinge in (
        ("heave", ce.Prismatic((0, 0, 1), at=at)),
        ("sideways", ce.Prismatic((0, 1, 0), at=at)),
    ):
        carrier = system.add_body(name, mass=0, com=at, inertia=(0, 0, 0), parent=carrier, hinge=hinge)
    rolls = ce.Revolute((1, 0, 0), at=at)
    axle = system.add_body("axle", mass=40, com=at, inertia=(5, 5, 5), parent=carrier, hinge=rolls)
    for side, y in (("left", A), ("right", -A)):
        centre = (0.0, y, 0.3)
        spins = ce.Revolute((0, 1, 0), at=centre)
        system.add_body(f"{side}.wheel", mass=10, com=centre, inertia=(1, 1, 1), parent=axle, hinge=spins)
        above, below = ENDS[side]
        ends = system.ground, above, axle, below
        system.add_force(ce.SpringDamper(f"{side}.spring", *ends, spring=SPRING, free_length=FREE_LENGTH))
    if hold:
        (x, y, _), there = ROD_ENDS
        ends = system.ground, (x, y, height), axle, there
        length = float(np.linalg.norm(np.subtract(*ROD_ENDS)))
        system.add_force(ce.SpringDamper("rod", *ends, spring=hold, free_length=length))
    left, right = (kc.Wheel(f"{side}.wheel", loaded_radius=0.3, tyre_rate=2e5) for side in ("left", "right"))
    return kc.KCRig(
        ce.compile(system),
        kc.Axle("rear", left, right, chassis="ground", wheelbase=2.5, centre_of_mass=(1.0, 0.5)),
    )


class Pose:
    def __init__(self, left: float, right: float, rod_height: float = ROD_ENDS[0][2]) -> None:
        self.phi = np.arcsin((left - right) / (2.0 * A))
        self.z = 0.5 * (left + right)
        self.rod = (ROD_ENDS[0][0], ROD_ENDS[0][1], rod_height), ROD_ENDS[1]
        self.y = newton(self.pull, 0.0, tol=1e-16, rtol=1e-15, maxiter=100)

    def at(self, point: tuple[float, float, float], y: float) -> np.ndarray:
        _, py, pz = point
        c, s = np.cos(self.phi), np.sin(self.phi)
        return np.array((point[0], y + c * py - s * (pz - 0.3), 0.3 + self.z + s * py + c * (pz - 0.3)))

    def springs(self, y: float) -> list[tuple[float, float, float]]:
        """Stiffness, extension and slope of the length by y of all springs."""
        found = []
        for above, below, k, free in (
            (*ENDS["left"], SPRING, FREE_LENGTH),
            (*ENDS["right"], SPRING, FREE_LENGTH),
            (*self.rod, ROD, float(np.linalg.norm(np.subtract(*ROD_ENDS)))),
        ):
            d = self.at(below, y) - above
            length = float(np.linalg.norm(d))
            found.append((k, length - free, float(d[1]) / length))
        return found

    def pull(self, y: float) -> float:
        return sum(k * e * slope for k, e, slope in self.springs(y))

    @property
    def energy(self) -> float:
        return sum(0.5 * k * e**2 for k, e, _ in self.springs(self.y))


def first(f: Callable[[float], float]) -> float:
    a, b, c, d = (f(k * H) for k in (-2, -1, 1, 2))
    return (8.0 * (c - b) - (d - a)) / (12.0 * H)


def second(f: Callable[[float], float]) -> float:
    a, b, c, d, e = (f(k * H) for k in (-2, -1, 0, 1, 2))
    return (16.0 * (b + d) - (a + e) - 30.0 * c) / (12.0 * H * H)


@pytest.fixture(scope="module")
def rig() -> kc.KCRig:
    return beam()


def test_poses_and_figures_are_those_of_the_balance(rig: kc.KCRig) -> None:
    assert rig.kinds == ("parallel", "opposed", "left", "right")
    read = rig.read(rig.solve_poses(POSES))
    for k, (left, right) in enumerate(POSES):
        here = Pose(left, right)
        centre = here.at((0.0, A, 0.3), here.y)
        assert np.allclose(read["wheel_centre_y"][k, 0], centre[1], rtol=0, atol=1e-13)
        assert np.allclose(read["wheel_centre_z"][k], 0.3 + POSES[k], rtol=0, atol=1e-13)

        def energy(a: float, b: float) -> float:
            return Pose(left + a, right + b).energy  # noqa: B023

        forces = first(lambda d: energy(d, 0.0)), first(lambda d: energy(0.0, d))
        assert np.allclose(read["wheel_force"][k], forces, rtol=1e-7)
        both = second(lambda d: energy(d, d)), second(lambda d: energy(d, -d))
        assert np.isclose(read["wheel_rate"][k].sum(), both[0], rtol=1e-6)
        K = np.array([second(lambda d: energy(d, 0.0)), second(lambda d: energy(0.0, d))])
        coupling = 0.25 * (both[0] - both[1])
        C = np.linalg.inv(np.array(((K[0], coupling), (coupling, K[1]))))
        assert np.isclose(read["single_wheel_rate"][k, 0], 1.0 / C[0, 0], rtol=1e-6)
        rate = read["track"][k] ** 2 / (C[0, 0] - 2.0 * C[0, 1] + C[1, 1])
        assert np.isclose(read["roll_rate"][k], rate, rtol=1e-6)


def test_the_roll_centre_is_where_the_beam_turns(rig: kc.KCRig) -> None:
    """In opposed travel the beam turns by 1/a and goes sideways by dy/ds: at rest its centre is level."""
    read = rig.read(rig.solve_poses([[0.0, 0.0]]), ["roll_centre_height"])
    sideways = first(lambda d: Pose(d, -d).y)
    assert np.isclose(read["roll_centre_height"][0], 0.3 + A * sideways, rtol=0, atol=1e-9)


def test_bodies_let_loose_stay_where_they_are(rig: kc.KCRig) -> None:
    elastic = kc.Compliance(rig, [])
    for pose in rig.solve_poses(POSES):
        found = elastic.at(pose)
        assert np.max(np.abs(found.shifts)) < 1e-12
        read = rig.read(pose[np.newaxis], ["single_wheel_rate"])["single_wheel_rate"][0]
        assert np.allclose(read, [1.0 / found.C[2, 2], 1.0 / found.C[8, 8]], rtol=1e-9)


def test_derivatives_along_the_balance() -> None:
    """The rate is a second difference and has 1e-8 N/m of noise, of which 1e-8/H is left in its slope."""
    height = ce.Parameter("rod height", ROD_ENDS[0][2], "m")
    open_rig = beam(rod_height=height)
    names = ["wheel_centre_y", "wheel_rate"]
    by = kc.sensitivities(open_rig, "opposed", [0.03], quantities=names)

    def y(d: float) -> float:
        here = Pose(0.03, -0.03, ROD_ENDS[0][2] + d)
        return float(here.at((0.0, A, 0.3), here.y)[1])

    def rate(d: float) -> float:
        return second(lambda z: Pose(0.03 + z, -0.03 + z, ROD_ENDS[0][2] + d).energy)

    assert np.isclose(by["wheel_centre_y"].values[0, 0, 0], first(y), rtol=1e-9)
    assert np.isclose(by["wheel_rate"].values[0, :, 0].sum(), first(rate), rtol=1e-4)


def test_what_no_spring_holds_is_named() -> None:
    """Springs under compression push the beam aside when the rod is gone."""
    with pytest.raises(DataError, match="its springs give way"):
        beam(hold=0.0)
