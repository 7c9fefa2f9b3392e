"""Accelerations: the embedded path against the fully augmented and the tree-augmented formulation."""

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.augmented import FullyAugmented
from ce_dynamics.augmented.observer import AbsoluteObserver
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.state import Layout
from ce_dynamics.embedding.embed import embed
from tests.ce_dynamics.augmented.systems import (
    KINDS,
    Link,
    add_random_body,
    four_bar,
    random_coordinates,
    vector,
)
from tests.support.augmented import assert_agrees

INPUTS = {
    "turn": 0.7, "turn_rate": 1.3, "turn_acceleration": -2.0, "slide": -0.4, "slide_rate": 0.9,
    "slide_acceleration": 3.0, "aim": 0.5,
}  # fmt: skip


def tree(kinds: tuple[str, ...], rng: np.random.Generator) -> ce.System:
    """Branched tree with prescribed hinges inside it, links between bodies and a state in every link."""
    system = ce.System(gravity=(0.4, -1.0, -9.81))
    for name in INPUTS:
        system.add_input(name, "")
    root = add_random_body(system, "root", system.ground, "Universal", rng)
    bodies = [root]
    for k, kind in enumerate(kinds):
        bodies.append(
            add_random_body(system, f"{kind} {k}", bodies[max(0, len(bodies) - 1 - k % 2)], kind, rng)
        )
    turning = system.add_body(
        "turning", mass=2.0, com=vector(rng), inertia=(0.3, 0.4, 0.5), parent=bodies[-1],
        hinge=ce.Revolute(vector(rng).tolist(), vector(rng).tolist()),
    )  # fmt: skip
    sliding = system.add_body(
        "sliding", mass=1.0, com=vector(rng), inertia=(0.3, 0.4, 0.5), parent=root,
        hinge=ce.Prismatic(vector(rng).tolist(), vector(rng).tolist()),
    )  # fmt: skip
    aimed = system.add_body(
        "aimed", mass=1.0, com=vector(rng), inertia=(0.3, 0.4, 0.5), parent=sliding,
        hinge=ce.Revolute(vector(rng).tolist(), vector(rng).tolist()),
    )  # fmt: skip
    system.prescribe(turning, ce.Driven("turn"))
    system.prescribe(sliding, ce.Driven("slide"))
    system.prescribe(aimed, ce.SecondOrderActuator("aim", 2.0, 5.0, 0.7))
    tip = add_random_body(system, "tip", turning, "Spherical", rng)
    wheel_axis = (0.0, 1.0, 0.0)
    wheel = system.add_body(
        "wheel", mass=3.0, com=(0.1, 0.2, 0.3), inertia=(0.3, 0.5, 0.3), parent=aimed,
        hinge=ce.Revolute(wheel_axis, (0.1, 0.7, 0.3)),
    )  # fmt: skip
    system.add_force(Link("one", bodies[1], vector(rng), tip, vector(rng)))
    system.add_force(Link("two", system.ground, vector(rng), wheel, vector(rng)))
    return system


def random_state(system: ce.System, rng: np.random.Generator) -> tuple[Array, Array, Array, Array]:
    embedding = embed(system)
    layout = Layout(embedding)
    q = random_coordinates(system, embedding.q_of, rng)
    x = layout.y0[embedding.n_q + embedding.n_v :] + 0.3 * rng.normal(size=len(layout.x))
    u = np.array([INPUTS.get(name, 0.0) for name in system.inputs])
    return q, rng.normal(size=embedding.n_v), x, u


def compare(system: ce.System, q: Array, v: Array, x: Array, u: Array) -> None:
    embedding = embed(system)
    full, y = assert_agrees(embedding, q, v, x, u, closed=1e-13, moving=1e-12, tree=True)
    assert full.accelerations(y, u).inconsistency < 1e-12
    x_dot = Instant(embedding, Layout(embedding), q, v, x, u).x_dot.astype(float)
    np.testing.assert_allclose(full.at(y, u).x_dot.astype(float), x_dot, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_every_hinge(kind: str, rng: np.random.Generator) -> None:
    system = tree((kind,), rng)
    compare(system, *random_state(system, rng))


@pytest.mark.parametrize("seed", range(2))
def test_tree_of_all_hinges(seed: int, rng: np.random.Generator) -> None:
    system = tree(tuple(rng.permutation(KINDS)), rng)
    compare(system, *random_state(system, rng))


@pytest.mark.parametrize("angle", [-1.0, -0.2, 0.5])
def test_four_bar(angle: float, rng: np.random.Generator) -> None:
    """The closed form of the embedded path against all hinges cut and against the loop cut at G."""
    system = four_bar((0.0, 0.0), (0.1, 0.4), (1.1, 0.9), (1.2, 0.0), embedded=True)
    system.add_force(Link("link", system.find("crank"), vector(rng), system.find("rocker"), vector(rng)))
    compare(system, np.array([angle]), np.array([3.0]), np.array([0.2]), np.zeros(0))


def test_planar_loop_along_nothing_with_a_redundant_closure(rng: np.random.Generator) -> None:
    """Three pins about a tilted axis and a cylindrical closure: the rows across the axis are rounding."""
    axis = np.array((0.05, 1.0, 0.1)) / np.linalg.norm((0.05, 1.0, 0.1))
    across = np.cross(axis, (0.3, 0.1, 1.0))
    across /= np.linalg.norm(across)
    other = np.cross(axis, across)
    at = [0.0 * across, 0.3 * across, 0.8 * across + 1.1 * other, 1.0 * other]  # the crank turns fully
    system = ce.System(gravity=(0.4, -1.0, -9.81))
    base = system.add_body("base", mass=4.0, inertia=(1.0, 1.1, 1.2), parent=system.ground, hinge=ce.Free())
    carrier = base
    for k, name in enumerate(("crank", "rod", "lever")):
        com, inertia = 0.5 * (at[k] + at[k + 1]), (0.1, 0.2, 0.15)
        carrier = system.add_body(
            name, mass=1.0 + k, com=com, inertia=inertia, parent=carrier, hinge=ce.Revolute(axis, at[k])
        )
    system.close_loop("slide", carrier, base, ce.Cylindrical(axis, at[3]), independent=["crank"])
    for _ in range(3):
        compare(system, *random_state(system, rng))


def test_loop_that_moves_by_prescribed_motion(rng: np.random.Generator) -> None:
    """The crank is prescribed: η_S and its rate against rheonomic rows; only the pendulum is free."""
    system = four_bar((0.0, 0.0), (0.1, 0.4), (1.1, 0.9), (1.2, 0.0), embedded=True, independent=())
    for name in ("turn", "turn_rate", "turn_acceleration"):
        system.add_input(name, "")
    system.prescribe("crank", ce.Driven("turn"))
    system.add_body(
        "pendulum", mass=1.0, com=(0.3, 0.1, 0.2), inertia=(0.1, 0.1, 0.1), parent="coupler",
        hinge=ce.Universal((1.0, 0.0, 0.2), (0.0, 1.0, 0.0), (0.6, 0.7, 0.0)),
    )  # fmt: skip
    compare(system, np.array([0.3, -0.5]), np.array([1.0, -2.0]), np.zeros(0), np.array([0.2, 2.0, -30.0]))


def test_observer_agrees_with_the_embedded_one(rng: np.random.Generator) -> None:
    """Observed quantities: points, directions, angular velocities, coordinates, rates."""
    system = tree(KINDS, rng)
    q, v, x, u = random_state(system, rng)
    embedding = embed(system)
    embedded = Instant(embedding, Layout(embedding), q, v, x, u).outward
    full = FullyAugmented(system)
    absolute = AbsoluteObserver(full.at(full.state_from_embedded(embedding, q, v, x, u), u).states)
    bodies = [system.ground, *system.bodies]
    for _ in range(40):
        body, frame = bodies[rng.integers(len(bodies))], bodies[rng.integers(len(bodies))]
        at, axis = vector(rng), vector(rng)
        for mine, theirs in zip(
            absolute.point(body, at, frame), embedded.point(body, at, frame), strict=True
        ):
            np.testing.assert_allclose(
                mine, theirs.astype(float), rtol=0, atol=1e-11
            )  # sums of 12 bodies' motions
        mine, theirs = absolute.direction(body, axis, frame), embedded.direction(body, axis, frame)
        np.testing.assert_allclose(mine, theirs.astype(float), rtol=0, atol=1e-13)
        mine, theirs = absolute.angular_velocity(body, frame), embedded.angular_velocity(body, frame)
        np.testing.assert_allclose(mine, theirs.astype(float), rtol=0, atol=1e-12)
    for body in system.bodies:
        quaternion = "qw" in body.inboard.coordinate_names
        for k in range(0 if quaternion else body.inboard.n_q):
            assert absolute.coordinate(body, k) == pytest.approx(embedded.coordinate(body, k), abs=1e-12)
        for k in range(body.inboard.n_v):
            assert absolute.rate(body, k) == pytest.approx(embedded.rate(body, k), abs=1e-11)


def driven_on_an_aggregated_arm() -> ce.System:
    """A crank is driven on an arm, with a loop of both to the ground; a slider's tab is tied to the crank.

    The slider moves on the arm, which is no end of the crank's own aggregated body but inside of it.
    """
    system = ce.System(gravity=(1.0, 2.0, -9.0))
    for what in ("turn", "turn_rate", "turn_acceleration"):
        system.add_input(what, "")
    arm = ce.Revolute((0.2, 1.0, 0.1), (0.1, -0.2, 0.3))
    crank = ce.Revolute((1.0, 0.2, -0.3), (0.9, 0.1, 0.2))
    slider, tab = ce.Prismatic((0.1, 0.3, 1.0)), ce.Revolute((0.1, 0.3, 1.0), (0.2, 0.6, 0.1))
    for name, parent, hinge, com in (
        ("arm", "ground", arm, (0.5, 0.1, 0.2)),
        ("crank", "arm", crank, (1.0, 0.3, 0.4)),
        ("bob", "ground", ce.Spherical((1.0, 1.5, -0.4)), (1.1, 1.2, 0.1)),
        ("slider", "arm", slider, (0.3, 0.8, 0.2)),
        ("tab", "slider", tab, (0.25, 0.7, 0.2)),
    ):
        system.add_body(name, mass=1.0, com=com, inertia=(0.1, 0.2, 0.15), parent=parent, hinge=hinge)
    system.prescribe("crank", ce.Driven("turn"))
    system.close_loop("to the bob", "crank", "bob", ce.Distance((1.1, 0.5, 0.6), (1.0, 1.0, 0.3)))
    system.close_loop("to the tab", "crank", "tab", ce.Distance((0.9, 0.6, 0.5), (0.3, 0.9, 0.4)))
    return system


def test_closure_against_driven_body_that_carries_it(rng: np.random.Generator) -> None:
    system = driven_on_an_aggregated_arm()
    embedding = embed(system)
    S = embedding.owner["slider"]
    assert [body.name for body in S.siblings] == ["crank"]
    assert S.parent.name == "arm"
    assert embedding.owner["arm"] is embedding.owner["crank"] is not S
    q = Layout(embedding).split(Layout(embedding).y0)[0]
    for name, part in embedding.q_of.items():
        step = 0.05 * rng.uniform(-1.0, 1.0, size=embedding.coordinates[name].inboard.n_v)
        q[part] += embedding.coordinates[name].inboard.q_dot(q[part], step)
        q[part] /= np.linalg.norm(q[part]) if len(q[part]) == 4 else 1.0
    u = np.array([INPUTS[name] for name in system.inputs]) * -0.3  # 0.3 may be out of reach
    compare(system, q, rng.normal(size=embedding.n_v), np.zeros(0), u)


def test_energy_balance_of_undamped_motion(rng: np.random.Generator) -> None:
    """Conservative and scleronomic: the derivative of the energy along ẏ, by differences, is zero."""
    system = ce.System()
    parent = system.ground
    for k, kind in enumerate(("Free", "Universal", "Cylindrical", "Screw", "Planar")):
        body = add_random_body(system, f"b{k}", parent, kind, rng)
        parent = body
    system.forces.clear()
    embedding = embed(system)
    full = FullyAugmented(system)
    q = random_coordinates(system, embedding.q_of, rng)
    y = full.state_from_embedded(embedding, q, rng.normal(size=embedding.n_v), np.zeros(0))
    instant = full.at(y)
    y_dot = np.concatenate((instant.position_rate(instant.V).astype(float), full.accelerations(y).V_dot))
    h = 1e-5 / np.max(np.abs(y_dot))
    power = (full.at(y + h * y_dot).energy - full.at(y - h * y_dot).energy) / (2.0 * h)
    # rounding of an energy of order E at a step of h; the truncation h² is far below it
    assert abs(power) < 1e-14 * abs(instant.energy) / h
    assert 1e-14 * abs(instant.energy) / h < 1e-4 * np.abs(y_dot[full.n_p :]).max() * np.abs(instant.V).max()
