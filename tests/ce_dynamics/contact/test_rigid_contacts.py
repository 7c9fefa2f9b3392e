"""Many plain bodies in contact: pairs against brute force, motion against theory and the embedded form."""

import math
import warnings
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.contact import (
    BodyContact,
    Box,
    Capsule,
    GaussSeidel,
    HalfSpace,
    InitialStateError,
    Problem,
    RigidBodies,
    RigidBody,
    RigidContacts,
    RigidShape,
    Solution,
    Sphere,
    UnilateralModel,
    simulate_rigid,
    simulate_unilateral,
)
from ce_dynamics.contact.pairs import WITH_MANY_POINTS, pair_of
from ce_dynamics.contact.rigid import rotations
from ce_dynamics.contact.shapes import PlacedShape, Shape
from ce_dynamics.errors import AccuracyWarning, ModelError, SimulationError
from tests.ce_dynamics.contact.numpy_steps import contact_rows_of

G = 9.81
FLOOR = RigidShape(None, HalfSpace())


def quaternion(rng: np.random.Generator) -> Floats:
    q = rng.normal(size=4)
    return np.asarray(q / np.linalg.norm(q))


def crowd(rng: np.random.Generator, count: int = 40) -> RigidContacts:
    """Spheres, capsules and boxes strewn about, some overlapping, some bodies with two shapes."""
    bodies, shapes = [], [FLOOR]
    makes: list[Shape] = [
        Sphere(0.2, (0.1, 0, 0)),
        Capsule((-0.2, 0, 0), (0.3, 0.1, 0), 0.1),
        Box((0.4, 0.3, 0.2), (0, 0, 0.1)),
    ]
    for k in range(count):
        at, v, w = rng.uniform(0, 2, 3), rng.normal(size=3), rng.normal(size=3)
        bodies.append(RigidBody(f"b{k}", 1.0, (0.1, 0.2, 0.25), at, quaternion(rng), v, w))
        shapes.append(RigidShape(f"b{k}", makes[k % 3]))
        if k % 5 == 0:
            shapes.append(RigidShape(f"b{k}", Sphere(0.15, (0, 0, -0.2))))
    return RigidContacts(RigidBodies(bodies), shapes, mu=0.5)


def test_meetings_are_those_of_all_pairs(rng: np.random.Generator) -> None:
    contacts = crowd(rng)
    state, margin = contacts.bodies.start, 0.05
    shapes_of = contacts.placed
    shapes = shapes_of.shapes
    R = rotations(state.quaternion)

    def placed(k: int) -> PlacedShape:
        shape, body = shapes[k].shape, int(shapes_of.body[k])
        if body < 0:
            return PlacedShape(shape.points, shape.axes, shape.sizes)
        points = [state.r[body] + R[body] @ p for p in shape.points]
        return PlacedShape(points, [R[body] @ a for a in shape.axes], shape.sizes)

    expected = []
    for i in range(len(shapes)):
        for k in range(i + 1, len(shapes)):
            if shapes_of.body[i] == shapes_of.body[k]:
                continue
            one, other = shapes[i].shape, shapes[k].shape
            pair = WITH_MANY_POINTS.get((type(one), type(other))) or pair_of(one, other)
            expected += [float(m.psi) for m in pair(placed(i), placed(k)) if m.psi < margin]
    found = contacts.meetings(state, margin)
    assert len(expected) > 40
    np.testing.assert_allclose(np.sort(found.psi), np.sort(expected), atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(found.n, axis=1), 1.0, atol=1e-12)
    assert len(np.unique(found.key)) == len(found.key)


def test_rows_are_the_rates_of_the_gaps(rng: np.random.Generator) -> None:
    contacts = crowd(rng)
    state, h = contacts.bodies.start, 1e-6
    v = state.v

    def psi(sign: float) -> dict[int, float]:
        moved = contacts.bodies.move(state, sign * v.ravel(), h)
        found = contacts.meetings(moved, 0.3)
        return dict(zip(found.key.tolist(), found.psi.tolist(), strict=True))

    here = contacts.meetings(state, 0.2)
    rows, _ = contact_rows_of(contacts, here, state.r)
    rate = (
        np.sum(rows.J_a * v[rows.body_a], axis=1)
        + np.sum(rows.J_b * v[rows.body_b], axis=1) * (rows.body_b >= 0)
    )[::3]
    ahead, behind = psi(1.0), psi(-1.0)
    # not where the axis of a capsule is in a box: then it has no nearest point there
    shallow = here.psi > -0.08
    for key, value in zip(here.key[shallow].tolist(), rate[shallow].tolist(), strict=True):
        np.testing.assert_allclose(value, (ahead[key] - behind[key]) / (2.0 * h), atol=1e-7)


def test_plain_and_embedded_bodies_collide_alike() -> None:
    start = {"one": ((-0.5, 0.02, 0.4), (2.0, 0, 0)), "two": ((0.4, 0.0, 0.45), (-1.0, 0.3, 0))}
    shapes: dict[str, Shape] = {"one": Sphere(0.2), "two": Box((0.4, 0.5, 0.6))}
    bodies = [RigidBody(n, 2.0, (0.1, 0.2, 0.25), position=r, velocity=v) for n, (r, v) in start.items()]
    plain = RigidContacts(
        RigidBodies(bodies), [RigidShape(n, s) for n, s in shapes.items()], mu=0.4, restitution=0.5
    )
    run = simulate_rigid(plain, duration=0.5, step=2e-3)
    system = ce.System(gravity=(0, 0, -G))
    for name in start:
        system.add_body(name, mass=2.0, inertia=(0.1, 0.2, 0.25), parent=system.ground, hinge=ce.Free())
    one, two = system.find("one"), system.find("two")
    touch = BodyContact("c", one, shapes["one"], two, shapes["two"], mu=0.4, restitution=0.5)
    model = ce.compile(system)
    y0 = model.y0.copy()
    y0[0:3], y0[7:10], y0[17:20], y0[23:26] = (
        start["one"][0], start["two"][0], start["one"][1], start["two"][1],
    )  # fmt: skip
    other = simulate_unilateral(UnilateralModel(model, [touch]), duration=0.5, step=2e-3, y0=y0)
    assert len(other.events) == 2
    for k, name in enumerate(start):
        there = [float(other.results[f"{name}_{x}"][-1]) for x in "xyz"]
        # the same steps but for the gyroscopic terms' rounding and the solver's tolerance
        np.testing.assert_allclose(run.states[-1].r[k], there, atol=1e-8)
        there = [float(other.results[f"{name}_w{x}"][-1]) for x in "xyz"]
        np.testing.assert_allclose(run.states[-1].v[k, 3:], there, atol=1e-7)


def test_heap_comes_to_rest_and_bears_its_weight(rng: np.random.Generator) -> None:
    bodies, shapes = [], [FLOOR]
    walls = [((1, 0, 0), 0.0), ((-1, 0, 0), 0.5), ((0, 1, 0), 0.0), ((0, -1, 0), 0.5)]
    shapes += [RigidShape(None, HalfSpace(n, tuple(-d * x for x in n))) for n, d in walls]
    for k in range(18):
        i, j, layer = k % 3, (k // 3) % 3, k // 9
        at = np.array((0.1 + 0.15 * i, 0.1 + 0.15 * j, 0.08 + 0.15 * layer)) + 0.01 * rng.uniform(-1, 1, 3)
        bodies.append(RigidBody(f"s{k}", 1.0, (0.4 * 0.06**2,) * 3, position=at))
        shapes.append(RigidShape(f"s{k}", Sphere(0.06)))
    contacts = RigidContacts(RigidBodies(bodies), shapes, mu=0.6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AccuracyWarning)
        run = simulate_rigid(contacts, duration=1.0, step=5e-3)
    # of 200 steps some 20 jam; of these few may leave a little more than 1e-10 of the speeds
    assert run.unresolved <= 2
    assert run.residual_max < 1e-9
    assert np.max(np.linalg.norm(run.states[-1].v[:, :3], axis=1)) < 0.05
    # penetration: gaps are linear in a step, (ω h)² R and v² h² / R at most
    assert np.min(contacts.meetings(run.states[-1], 0.01).psi) > -1e-3
    # friction and impacts take energy; of what a step leaves open, (v h)²/2R at 1 m/s, the next lifts
    assert np.max(np.diff(run.contact_work)) < 18.0 * G * 5e-3**2 / 0.12
    assert run.contact_work[-1] < -5.0
    momentum = np.sum([state.v[:, 2] for state in run.states[-3:]], axis=1)
    np.testing.assert_allclose(np.diff(momentum), 0.0, atol=0.2)


def test_box_slides_to_rest_and_sphere_rolls_on() -> None:
    mu, v0 = 0.3, 2.0
    bodies = [
        RigidBody("box", 2.0, (0.1,) * 3, position=(0, 0, 0.1), velocity=(v0, 0, 0)),
        RigidBody("ball", 1.0, (0.4 * 0.01,) * 3, position=(0, 2, 0.1), velocity=(v0, 0, 0)),
    ]
    shapes = [RigidShape("box", Box((0.6, 0.4, 0.2))), RigidShape("ball", Sphere(0.1)), FLOOR]
    h = 2e-3
    run = simulate_rigid(RigidContacts(RigidBodies(bodies), shapes, mu=mu), duration=1.0, step=h)
    np.testing.assert_allclose(run.states[-1].r[0, 0], v0**2 / (2 * mu * G), atol=v0 * h)
    np.testing.assert_allclose(run.states[-1].v[0], 0.0, atol=1e-8)
    np.testing.assert_allclose(run.states[-1].v[1, 0], 5.0 / 7.0 * v0, rtol=1e-7)
    np.testing.assert_allclose(run.states[-1].v[1, 4], 5.0 / 7.0 * v0 / 0.1, rtol=1e-7)
    assert run.contacts[-1] >= 4


def test_impulses_are_carried_over_by_the_meeting() -> None:
    bodies = [RigidBody(f"b{k}", 1.0, (0.1,) * 3, position=(k, 0, 0.1)) for k in range(3)]
    contacts = RigidContacts(
        RigidBodies(bodies), [*(RigidShape(f"b{k}", Sphere(0.1)) for k in range(3)), FLOOR], mu=0.3
    )
    keys = contacts.meetings(contacts.bodies.start, 1e-3).key
    step = contacts.stepper(1e-3)
    # in any order, with one that is gone, without that of the second ball
    given = np.array([keys[2], 10**6, keys[0]])
    step.take(contacts.bodies.start, given, np.arange(9.0))
    step.attempt(solve=False)
    assert step.rows.p[: 3 * step.count].tolist() == [6, 7, 8, 0, 0, 0, 0, 1, 2]
    step.take(contacts.bodies.start, given[:0], np.zeros(0))
    step.attempt(solve=False)
    assert not np.any(step.rows.p)


def test_impossible_scenes_are_refused_and_interrupted_runs_kept() -> None:
    body = RigidBody("ball", 1.0, (0.1,) * 3, position=(0, 0, 0.05))
    bodies = RigidBodies([body])
    ball = RigidShape("ball", Sphere(0.1))
    with pytest.raises(InitialStateError, match=r"'ball' and what is at rest overlap by 0.05 m"):
        simulate_rigid(RigidContacts(bodies, [ball, FLOOR]), duration=0.1)
    with pytest.raises(ModelError, match="no body 'cube'"):
        RigidContacts(bodies, [RigidShape("cube", Sphere(0.1))])
    with pytest.raises(ModelError, match="must be at rest"):
        RigidContacts(bodies, [RigidShape("ball", HalfSpace())])
    for name in ("mu", "restitution", "rest_speed"):
        with pytest.raises(ModelError, match=name):
            RigidContacts(bodies, [ball], **{name: -1.0})
        with pytest.raises(ModelError, match=name):
            RigidContacts(bodies, [ball], **{name: math.nan})

    def impatient(t: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):  # between steps it is the caller's
        simulate_rigid(RigidContacts(bodies, [ball]), duration=1.0, progress=impatient)
    with pytest.raises(ModelError, match="step"):
        simulate_rigid(RigidContacts(bodies, [ball]), duration=1.0, step=0.0)
    assert issubclass(SimulationError, Exception)


def test_runs_of_one_interval_keep_their_end_state() -> None:
    """By the user in the eleventh step: ten are kept, as a run of ten makes them."""
    ball = RigidBody("ball", 1.0, (0.004,) * 3, (0, 0, 0.1), velocity=(1.0, 0, 0))
    contacts = RigidContacts(RigidBodies([ball]), [RigidShape("ball", Sphere(0.1)), FLOOR], mu=0.3)

    class Impatient:
        solved = 0

        def solve(self, problem: Problem, start: Floats | None = None) -> Solution:
            self.solved += 1
            if self.solved > 10:
                raise KeyboardInterrupt
            return GaussSeidel().solve(problem, start)

    with pytest.raises(SimulationError, match=r"interrupted at t = 0\.02 s") as stop:
        simulate_rigid(contacts, duration=10.0, step=2e-3, interval=10.0, solver=Impatient())
    run: Any = stop.value.partial
    np.testing.assert_allclose(run.t, (0.0, 0.02), rtol=1e-12)
    whole = simulate_rigid(contacts, duration=0.02, step=2e-3, interval=0.02, solver=GaussSeidel())
    np.testing.assert_array_equal(run.states[-1].r, whole.states[-1].r)
    np.testing.assert_array_equal(run.states[-1].v, whole.states[-1].v)


def test_crossed_planks_lie_on_each_other() -> None:
    # no corner of either is over the other: four pairs of edges cross
    long, thick = 1.0, 0.1
    shapes = [RigidShape("top", Box((0.2, long, thick))), RigidShape(None, Box((long, 0.2, thick)))]
    top = RigidBody("top", 1.0, (0.08, 0.01, 0.09), position=(0.0, 0.3, thick), angular_velocity=(0, 0, 0.5))
    contacts = RigidContacts(RigidBodies([top]), shapes, mu=0.5)
    found = contacts.meetings(contacts.bodies.start, 1e-3)
    np.testing.assert_allclose(np.sort(found.C[:, 0]), (-0.1, -0.1, 0.1, 0.1), atol=1e-12)
    np.testing.assert_allclose(np.sort(found.C[:, 1]), (-0.1, -0.1, 0.1, 0.1), atol=1e-12)
    np.testing.assert_allclose(found.n, np.tile((0, 0, 1.0), (4, 1)), atol=1e-12)
    # its middle is 0.2 m beyond the edge: it tips, and a second plank in the middle does not
    tipped = simulate_rigid(contacts, duration=0.4, step=4e-3)
    assert tipped.states[-1].r[0, 2] < thick - 0.02
    middle = RigidBody("top", 1.0, (0.08, 0.01, 0.09), position=(0.0, 0.05, thick))
    still = simulate_rigid(
        RigidContacts(RigidBodies([middle]), shapes, mu=0.5), duration=0.2, step=4e-3
    ).states[-1]
    np.testing.assert_allclose(still.r[0], (0.0, 0.05, thick), atol=1e-9)


def test_plates_face_to_face_meet_in_an_octagon() -> None:
    half = 0.25 * math.pi / 2.0
    plates = [RigidBody("top", 1.0, (0.1,) * 3, (0, 0, 0.1), (math.cos(half), 0, 0, math.sin(half)))]
    shapes = [RigidShape("top", Box((1, 1, 0.1))), RigidShape(None, Box((1, 1, 0.1)))]
    found = RigidContacts(RigidBodies(plates), shapes).meetings(RigidBodies(plates).start, 1e-3)
    assert len(found.psi) == 8
    # corners of the regular octagon around a circle of radius 0.5
    np.testing.assert_allclose(np.hypot(*found.C[:, :2].T), 0.5 / math.cos(math.pi / 8.0), rtol=1e-12)


def test_rolling_and_spinning_friction_bring_ball_to_rest() -> None:
    R, rolling, spinning, v0, w0 = 0.1, 0.004, 0.003, 1.0, 20.0
    inertia = 0.4 * R * R
    bodies = [
        RigidBody("rolls", 1.0, (inertia,) * 3, (0, 0, R), (1, 0, 0, 0), (v0, 0, 0), (0, v0 / R, 0)),
        RigidBody("spins", 1.0, (inertia,) * 3, (0, 3, R), angular_velocity=(0, 0, w0)),
    ]
    shapes = [RigidShape("rolls", Sphere(R)), RigidShape("spins", Sphere(R)), FLOOR]
    contacts = RigidContacts(RigidBodies(bodies), shapes, mu=0.8, rolling=rolling, spinning=spinning)
    run = simulate_rigid(contacts, duration=0.6, step=4e-3, interval=0.1)
    # (m R² + I) ω̇ = −rolling m g, and I ω̇ = −spinning m g
    rolls = v0 - R * rolling * G / (R * R + inertia) * run.t
    spins = np.maximum(w0 - spinning * G / inertia * run.t, 0.0)
    np.testing.assert_allclose([s.v[0, 0] for s in run.states], rolls, atol=1e-8)
    np.testing.assert_allclose([s.v[1, 5] for s in run.states], spins, atol=1e-8)
    assert run.unresolved == 0
