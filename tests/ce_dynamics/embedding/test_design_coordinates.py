"""Coordinates that are not zero in the design pose: the same mechanism, counted from elsewhere."""

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array

AXIS = (0.1, 1.0, -0.2)
SHIFTS = {"crank": 1.0, "coupler": -2.5, "rocker": 4.0}  # 1.0 is also what the real part of a quaternion is


def four_bar(
    lengths: tuple[float, float, float, float],
    shifts: dict[str, float],
    lead: tuple[str, ...],
    **closed: bool,
) -> ce.System:
    """A planar four-bar from its lengths: crank, coupler, rocker, base; in a plane along nothing."""
    n = np.array(AXIS) / np.linalg.norm(AXIS)
    e1 = np.cross(n, (0.0, 0.0, 1.0))
    e1 /= np.linalg.norm(e1)
    e2 = np.cross(n, e1)
    a, b, c, d = lengths
    A, D = np.zeros(3), d * e1
    B = a * (0.6 * e1 + 0.8 * e2)
    u = D - B
    far = float(np.linalg.norm(u))
    x = (b * b - c * c + far * far) / (2.0 * far)
    C = B + (x * u + np.sqrt(b * b - x * x) * np.cross(n, u)) / far
    s = ce.System()
    for name, parent, at, end in (
        ("crank", "ground", A, B),
        ("coupler", "crank", B, C),
        ("rocker", "ground", D, C),
    ):
        s.add_body(
            name,
            mass=1.0,
            com=0.5 * (at + end),
            inertia=(0.1, 0.2, 0.15),
            parent=parent,
            hinge=ce.Revolute(AXIS, at, q_design=shifts.get(name, 0.0)),
        )
    s.close_loop("pin", "coupler", "rocker", ce.Revolute(AXIS, C), lead, **closed)
    return s


def assert_same(lengths: tuple[float, float, float, float], lead: str, angles: Array) -> None:
    plain, shifted = (ce.compile(four_bar(lengths, shifts, (lead,))) for shifts in ({}, SHIFTS))
    assert shifted.y0[0] == SHIFTS[lead]
    for angle in angles:
        one = plain.accelerations([angle], [1.3])
        other = shifted.accelerations([angle + SHIFTS[lead]], [1.3])
        # the same loop from another table: both closed to 1e-13, and turned by angles of a few radians
        np.testing.assert_allclose(other, one, rtol=1e-10, atol=1e-10)
        found = shifted.assemble({lead: angle + SHIFTS[lead]}).coordinates
        expected = plain.assemble({lead: angle}).coordinates
        for name, shift in SHIFTS.items():
            off = found[name] - shift - expected[name]
            assert abs(np.remainder(off + np.pi, 2.0 * np.pi) - np.pi) < 1e-10


def test_a_crank_that_turns_whole_turns() -> None:
    assert_same((0.3, 0.9, 0.8, 1.0), "crank", np.linspace(-7.0, 7.0, 9))


def test_a_rocker_with_ends() -> None:
    assert_same((0.8, 0.7, 0.6, 0.5), "rocker", np.linspace(-0.2, 0.2, 5))


def test_a_coordinate_of_the_path() -> None:
    """Led by none of its hinges: the same energy and the same way, whatever hinges are counted from."""
    runs = []
    for shifts in ({}, SHIFTS):
        s = four_bar((0.3, 0.9, 0.8, 1.0), shifts, ("crank",), through_dead_centres=True)
        model = ce.compile(s)
        runs.append(ce.simulate(model, duration=0.5, method="RK45", rtol=1e-9, atol=1e-11, interval=0.1))
    for name, shift in SHIFTS.items():
        off = runs[1][name].to_numpy() - shift - runs[0][name].to_numpy()
        np.testing.assert_allclose(np.remainder(off + np.pi, 2.0 * np.pi) - np.pi, 0.0, atol=1e-6)


@pytest.mark.parametrize("shifts", [{}, {"a": 0.7, "b": -3.0, "c": 2.0}])
def test_several_freedoms(shifts: dict[str, float]) -> None:
    """A five-bar led by two cranks from its start: the shift is all that differs."""
    s = ce.System()
    C = np.array((0.0, 0.4, 0.0))
    for name, parent, at, end in (
        ("a", "ground", (-0.1, 0, 0), (-0.25, 0.2, 0)),
        ("b", "ground", (0.1, 0, 0), (0.25, 0.2, 0)),
        ("c", "a", (-0.25, 0.2, 0), C),
        ("d", "b", (0.25, 0.2, 0), C),
    ):
        s.add_body(
            name,
            mass=1.0,
            com=0.5 * (np.array(at) + np.array(end)),
            inertia=(0.01, 0.01, 0.02),
            parent=parent,
            hinge=ce.Revolute((0, 0, 1), at, q_design=shifts.get(name, 0.0)),
        )
    s.close_loop("tip", "c", "d", ce.Revolute((0, 0, 1), C), ("a", "b"))
    start = {name: shifts.get(name, 0.0) + 0.2 for name in "ab"}
    for name, q in start.items():
        s.start(name, q)
    model = ce.compile(s)
    found = model.accelerations([q + 0.1 for q in start.values()], [1.0, -0.5])
    np.testing.assert_allclose(found, REFERENCE.setdefault("several", found), rtol=1e-10)


REFERENCE: dict[str, Array] = {}
