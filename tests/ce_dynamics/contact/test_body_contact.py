"""Contact between bodies: gaps against brute force, rows against differences, motion against theory."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq, minimize

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.contact import (
    BodyContact,
    Box,
    Capsule,
    Contact,
    HalfSpace,
    Plane,
    RoadSurface,
    Sphere,
    UnilateralModel,
    simulate_unilateral,
)
from ce_dynamics.contact.pairs import pair_of
from ce_dynamics.contact.shapes import PlacedShape, Shape, corners, frame
from ce_dynamics.errors import ModelError
from ce_dynamics.models.parts.body_contact import WavyRoad
from ce_dynamics.models.parts.roads.surfaces import BumpRoad
from tests.benchmarks.contact import box, standing, throw

G = 9.81
SPHERE, CAPSULE = Sphere(0.3, (0.1, -0.2, 0.05)), Capsule((-0.4, 0.1, 0.0), (0.5, 0.2, 0.1), 0.15)
BOX, SPACE = Box((0.8, 0.5, 0.4), (0.05, 0.1, -0.05)), HalfSpace((0.2, -0.3, 0.9), (0.0, 0.1, 0.2))
SHAPES: dict[str, Shape] = {"sphere": SPHERE, "capsule": CAPSULE, "box": BOX, "space": SPACE}
PAIRS = [
    (one, other)
    for k, one in enumerate(SHAPES)
    for other in list(SHAPES)[k:]
    if (one, other) != ("space", "space")
]


def rotation(rng: np.random.Generator) -> Floats:
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return np.asarray(Q * np.linalg.det(Q))


def placed(shape: Shape, R: Floats, r: Floats) -> PlacedShape:
    return PlacedShape([r + R @ p for p in shape.points], [R @ a for a in shape.axes], shape.sizes)


def point_in(shape: Shape, at: PlacedShape, s: Floats) -> Floats:
    """A point of a convex shape's core from numbers in 0 … 1."""
    if isinstance(shape, Box):
        return np.asarray(
            at.points[0] + sum((2 * t - 1) * h * e for t, h, e in zip(s, at.sizes, at.axes, strict=True))
        )
    if isinstance(shape, Capsule):
        return np.asarray(at.points[0] + s[0] * (at.points[1] - at.points[0]))
    return np.asarray(at.points[0])


def distance(one: Shape, other: Shape, P: PlacedShape, Q: PlacedShape) -> float:
    """Return the distance of two separate shapes by minimisation over points of their cores."""
    radius = sum(
        float(at.sizes[0]) for shape, at in ((one, P), (other, Q)) if isinstance(shape, Sphere | Capsule)
    )

    def apart(s: Floats) -> float:
        a = point_in(one, P, s[:3])
        if isinstance(other, HalfSpace):
            return float((a - Q.points[0]) @ Q.axes[0])
        return float(np.linalg.norm(a - point_in(other, Q, s[3:])))

    best = min(
        float(minimize(apart, start, bounds=[(0.0, 1.0)] * 6, options={"ftol": 1e-15, "gtol": 1e-12}).fun)
        for start in (np.full(6, 0.5), np.array([0.1, 0.9, 0.2, 0.8, 0.3, 0.7]))
    )
    return best - radius


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_gap_is_the_distance_of_the_shapes(a: str, b: str, rng: np.random.Generator) -> None:
    one, other = SHAPES[a], SHAPES[b]
    for _ in range(6 if (a, b) != ("box", "box") else 20):
        far = 2.0 if b != "space" else 3.0
        direction = rng.normal(size=3)
        P = placed(one, rotation(rng), far * direction / np.linalg.norm(direction))
        R = rotation(rng) if b != "space" else np.eye(3)
        Q = placed(other, R, np.zeros(3))
        if b == "space" and distance(one, other, P, Q) < 0.1:
            P = placed(one, rotation(rng), 3.0 * np.array((0.2, -0.3, 0.9)))
        meetings = pair_of(one, other)(P, Q)
        nearest = min(meetings, key=lambda m: float(m.psi))
        # L-BFGS ends where the distance is flat to its tolerance: its root in the points, its square in it
        np.testing.assert_allclose(float(nearest.psi), distance(one, other, P, Q), atol=1e-6)
        for m in meetings:
            np.testing.assert_allclose(m.n @ m.n, 1.0, atol=1e-14)
            np.testing.assert_allclose((m.a - m.b) @ m.n, m.psi, atol=1e-13)
            np.testing.assert_allclose(m.a - m.b, m.psi * m.n, atol=1e-10)
        # the other way round
        swapped = min(pair_of(other, one)(Q, P), key=lambda m: float(m.psi))
        edges = 1e-12 if (a, b) == ("box", "box") else 1e-15  # where they cross follows from their angle
        np.testing.assert_allclose(swapped.n, -nearest.n, atol=edges)
        np.testing.assert_allclose(swapped.a, nearest.b, atol=edges)


def test_sphere_inside_box_leaves_by_the_nearest_face() -> None:
    box, ball = PlacedShape([np.zeros(3)], list(np.eye(3)), (1.0, 2.0, 3.0)), Sphere(0.1)
    pair = pair_of(ball, Box((2.0, 4.0, 6.0)))
    for c, n, depth in (
        ((0.7, 0, 0), (1, 0, 0), 0.3),
        ((0, -1.9, 0), (0, -1, 0), 0.1),
        ((0, 0, 2.95), (0, 0, 1), 0.05),
    ):
        (m,) = pair(PlacedShape([np.array(c, dtype=float)], [], (0.1,)), box)
        np.testing.assert_allclose(m.n, n)
        np.testing.assert_allclose(m.psi, -depth - 0.1)


def test_frames_are_right_handed_everywhere(rng: np.random.Generator) -> None:
    normals = [
        *rng.normal(size=(50, 3)), np.eye(3)[2], -np.eye(3)[2], np.array((1.0, 0, 0)),
        np.array((0, 1e-9, -1.0)),
    ]  # fmt: skip
    for direction in normals:
        n = direction / np.linalg.norm(direction)
        axes = np.array((*frame(n), n), dtype=float)
        np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-14)
        assert np.linalg.det(axes) == pytest.approx(1.0)


def two_bodies(gravity: float = 0.0) -> ce.System:
    system = ce.System(gravity=(0.0, 0.0, -gravity))
    for name, mass in (("one", 2.0), ("two", 3.0)):
        system.add_body(name, mass=mass, inertia=(0.2, 0.3, 0.4), parent=system.ground, hinge=ce.Free())
    return system


@pytest.fixture(scope="module")
def pairs() -> UnilateralModel:
    """Two free bodies with all pairs of shapes at once."""
    system = two_bodies()
    one, two = system.find("one"), system.find("two")
    elements = [
        BodyContact(f"{a} {b}", one, SHAPES[a], two, SHAPES[b], friction="none")
        for a, b in PAIRS
        if "box" not in (a,)
    ]
    elements.append(BodyContact("box space", one, BOX, two, SPACE, friction="none"))
    full = BodyContact("full", one, SPHERE, two, BOX, mu=0.5, rolling=0.01, spinning=0.02)
    ground = BodyContact("ground", one, SPHERE, system.ground, SPACE, mu=0.3)
    return UnilateralModel(ce.compile(system), [*elements, full, ground])


def scattered(pairs: UnilateralModel, rng: np.random.Generator) -> Floats:
    y = pairs.model.y0.copy()
    for k, x in ((0, 1.5), (7, -1.5)):
        q = rng.normal(size=4)
        y[k : k + 7] = [x, *0.3 * rng.normal(size=2), *q / np.linalg.norm(q)]
    y[14:] = rng.normal(size=12)
    return y


def test_rows_are_the_rates_of_the_gaps(pairs: UnilateralModel, rng: np.random.Generator) -> None:
    model, h = pairs.model, 1e-6
    for _ in range(3):
        y = scattered(pairs, rng)
        q, v, _ = model.layout.split(y)
        stage = pairs.stage(0.0, y, model.u0)

        def psi(sign: float, q: Floats = q, v: Floats = v) -> Floats:
            there = model.with_unit_quaternions(
                np.concatenate((q + sign * h * pairs.compiled.rates(q, v)[0], v))
            )
            return pairs.stage(0.0, there, model.u0).psi

        gaps = pairs.unilateral
        rate = (psi(1.0) - psi(-1.0)) / (2.0 * h)
        # differences of numbers of order one: rounding 1e-16/h, truncation h² times third derivatives
        np.testing.assert_allclose(stage.rate[gaps], rate[gaps], atol=1e-8)
        np.testing.assert_allclose(stage.rate, stage.GT @ v, atol=1e-12)


def test_action_is_reaction(pairs: UnilateralModel, rng: np.random.Generator) -> None:
    # a unit multiplier leaves momentum and angular momentum of the two bodies as they are
    y = scattered(pairs, rng)
    model = pairs.model
    stage = pairs.stage(0.0, y, model.u0)
    names = [e.name for e in model.layout.v]
    linear = np.array(
        [[i for i, name in enumerate(names) if name.startswith(b) and ".v" in name] for b in ("one", "two")]
    )
    inner = np.array([not name.startswith("ground") for name in pairs.row_names])
    forces = stage.GT[inner][:, linear]  # (m, 2, 3) world forces
    np.testing.assert_allclose(forces.sum(axis=1), 0.0, atol=1e-13)
    # rigid motions of both at once are not resisted: translation and rotation about the origin
    for w, v0 in ((np.zeros(3), rng.normal(size=3)), (rng.normal(size=3), np.zeros(3))):
        moved = y.copy()
        for k, at in ((14, 0), (20, 7)):
            moved[k : k + 3] = w
            moved[k + 3 : k + 6] = v0 + np.cross(w, y[at : at + 3])
        rate = pairs.stage(0.0, moved, model.u0).rate[inner]
        np.testing.assert_allclose(rate, 0.0, atol=1e-12)


# Motion


def test_balls_that_meet_head_on_exchange_their_momentum() -> None:
    system = two_bodies()
    one, two = system.find("one"), system.find("two")
    e = 0.7
    hit = BodyContact("hit", one, Sphere(0.1), two, Sphere(0.2), restitution=e)
    model = ce.compile(system)
    y0 = model.y0.copy()
    y0[0], y0[7] = -0.5, 0.5
    y0[17], y0[23] = 2.0, -1.0  # vx of both
    run = simulate_unilateral(UnilateralModel(model, [hit]), duration=1.0, step=1e-3, y0=y0)
    v_one, v_two = float(run.results.one_vx[-1]), float(run.results.two_vx[-1])
    # momentum 2·2 − 3·1 = 1 and separation e·3: v_2 − v_1 = 2.1, 2 v_1 + 3 v_2 = 1
    np.testing.assert_allclose([v_one, v_two], [(1 - 3 * 2.1) / 5, (1 + 2 * 2.1) / 5], atol=1e-9)
    assert [event.active for event in run.events] == [True, False]


def test_stacked_boxes_slide_by_coulombs_law() -> None:
    system = two_bodies(G)
    one, two = system.find("one"), system.find("two")
    slab, top = Box((2.0, 2.0, 0.2)), Box((0.4, 0.4, 0.4))
    elements = [
        BodyContact("floor", two, slab, system.ground, HalfSpace(), mu=1.0),
        BodyContact("top", one, top, two, slab, mu=0.3),
    ]
    model = ce.compile(system)
    y0 = model.y0.copy()
    y0[2], y0[9] = 0.4, 0.1
    y0[17] = 1.0
    run = simulate_unilateral(UnilateralModel(model, elements), duration=0.3, step=1e-3, y0=y0)
    # μ g t of its speed are lost; the slab, held by more friction, stays
    np.testing.assert_allclose(float(run.results.one_vx[-1]), 1.0 - 0.3 * G * 0.3, atol=1e-6)
    np.testing.assert_allclose(float(run.results.two_vx[-1]), 0.0, atol=1e-8)
    load = run.results.multiplier.isel(time=-1)
    normals = [float(load.sel(row=name)) for name in run.results.row.values if name.endswith("normal")]
    np.testing.assert_allclose(sum(normals), (5.0 + 2.0) * G, rtol=1e-7)  # floor carries both, top one


@pytest.fixture(scope="module")
def ball() -> Model:
    system = ce.System(gravity=(0.0, 0.0, -G))
    system.add_body("ball", mass=2.0, inertia=(0.02,) * 3, parent=system.ground, hinge=ce.Free())
    return ce.compile(system)


def test_rolling_resistance_brakes_ball_and_spinning_resistance_top(ball: Model) -> None:
    R, m, I = 0.1, 2.0, 0.02  # noqa: E741
    rolling, spinning = 2e-3, 1e-2
    body = ball.system.find("ball")
    feet = [Contact("c", body, (0, 0, 0), Plane(0.5), radius=R, rolling=rolling, spinning=spinning)]
    y0 = ball.y0.copy()
    y0[2], y0[10], y0[8], y0[9] = R, 1.0, 1.0 / R, 4.5
    run = simulate_unilateral(UnilateralModel(ball, feet), duration=0.5, step=1e-3, y0=y0, interval=1e-3)
    # m v̇ = −F, I ω̇ = F R − rolling m g with v = ω R: v̇ = −rolling m g R / (I + m R²), constant, so that
    # steps of first order are exact
    a = rolling * m * G * R / (I + m * R * R)
    np.testing.assert_allclose(float(run.results.ball_vx[-1]), 1.0 - 0.5 * a, rtol=1e-7)
    # I ω̇_z = −spinning m g, until it stands
    t = run.results.time.values
    wz = np.maximum(4.5 - spinning * m * G / I * t, 0.0)
    np.testing.assert_allclose(run.results.ball_wz.values, wz, atol=1e-6)
    assert wz[-1] == 0.0
    assert float(np.diff(run.results.contact_work.values).max()) < 1e-12


def test_ball_rests_on_slope_below_its_rolling_angle(ball: Model) -> None:
    # it rolls off where tan β exceeds rolling / R
    body, R, rolling = ball.system.find("ball"), 0.1, 5e-3
    for slope, moves in ((0.045, False), (0.055, True)):
        n = (math.sin(slope), 0.0, math.cos(slope))
        feet = [Contact("c", body, (0, 0, 0), Plane(0.5, n), radius=R, rolling=rolling)]
        y0 = ball.y0.copy()
        y0[:3] = R * np.array(n)
        run = simulate_unilateral(UnilateralModel(ball, feet), duration=0.2, step=2e-3, y0=y0)
        speed = float(np.hypot(run.results.ball_vx[-1], run.results.ball_vz[-1]))
        a = (math.sin(slope) - rolling / R * math.cos(slope)) * G * 2.0 * R * R / (0.02 + 2.0 * R * R)
        np.testing.assert_allclose(speed, 0.2 * a if moves else 0.0, atol=1e-7)


# Curved roads


@pytest.mark.parametrize("kind", ["sphere", "disc"])
def test_gap_over_curved_road_has_row_as_rate(ball: Model, kind: str) -> None:
    body, R, speed, step = ball.system.find("ball"), 0.35, 5.0, 1e-6
    for road in (WavyRoad(0.8, 0.03, 2.0), BumpRoad(0.8, 0.06, 0.9, 2.0)):
        wheel = Contact(
            "c", body, (0, 0, 0), RoadSurface(road), radius=R, axis=None if kind == "sphere" else (0, 1, 0)
        )
        un = UnilateralModel(ball, [wheel])
        for x in np.linspace(1.93, 3.07, 9):

            def nearest(z: float, x: float = x, road: WavyRoad | BumpRoad = road) -> float:
                s = x + np.linspace(-R, R, 2001)
                away = np.hypot(s - x, np.array([float(road.height(a, 0.0)) for a in s]) - z)
                k = int(np.argmin(away))
                a, b, c = away[k - 1], away[k], away[k + 1]
                return float(b - (a - c) ** 2 / (8.0 * (a - 2 * b + c)) - R)  # vertex of a parabola

            z = float(brentq(nearest, float(road.height(x, 0.0)) + 0.3, float(road.height(x, 0.0)) + 0.5))
            y = np.array([x, 0, z, 1, 0, 0, 0, 0.1, 0.2, 0.3, speed, 0.2, 0.3])

            def stage(s: float, y: Floats = y, un: UnilateralModel = un) -> tuple[float, float]:
                moved = y.copy()
                moved[:3] += s * step * y[10:13]
                seen = un.stage(0.0, moved, ball.u0)
                return float(seen.psi[0]), float(seen.rate[0])

            here = stage(0.0)
            # raster of 0.35 mm, vertex of a parabola through it: fourth order
            np.testing.assert_allclose(here[0], 0.0, atol=1e-9)
            if kind == "sphere":  # the rotation does not change it
                np.testing.assert_allclose((stage(1.0)[0] - stage(-1.0)[0]) / (2 * step), here[1], atol=1e-8)


def test_bodies_that_cannot_touch_are_refused() -> None:
    system, stranger = two_bodies(), two_bodies().find("one")
    one, two = system.find("one"), system.find("two")
    with pytest.raises(ModelError, match="touch itself"):
        BodyContact("c", one, SPHERE, one, BOX)
    with pytest.raises(ModelError, match="move first"):
        BodyContact("c", system.ground, SPHERE, one, BOX)
    with pytest.raises(ModelError, match="different systems"):
        BodyContact("c", one, SPHERE, stranger, BOX)
    with pytest.raises(ModelError, match="HalfSpace and HalfSpace is not known"):
        BodyContact("c", one, SPACE, two, SPACE)
    with pytest.raises(ModelError, match="mu"):
        BodyContact("c", one, SPHERE, two, BOX, mu=-1.0)
    with pytest.raises(ModelError, match="rolling"):
        BodyContact("c", one, SPHERE, two, BOX, rolling=-1.0)
    with pytest.raises(ModelError, match="spinning"):
        Contact("c", one, (0, 0, 0), Plane(), spinning=math.nan)
    for bad in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(ModelError, match="radius"):
            Sphere(bad)
        with pytest.raises(ModelError, match="edge"):
            Box((1.0, bad, 1.0))
    with pytest.raises(ModelError, match="same point"):
        Capsule((0, 0, 0), (0, 0, 0), 0.1)
    with pytest.raises(ModelError, match="right angles"):
        Box((1, 1, 1), axes=((1, 0, 0), (0, 1, 0), (0, 1, 1)))


def test_corners_of_a_box() -> None:
    at = PlacedShape([np.array((1.0, 2.0, 3.0))], list(np.eye(3)), (0.5, 1.0, 1.5))
    found = np.array(corners(at), dtype=float)
    np.testing.assert_allclose(found.min(axis=0), (0.5, 1.0, 1.5))
    np.testing.assert_allclose(found.max(axis=0), (1.5, 3.0, 4.5))
    assert len(np.unique(found, axis=0)) == 8


def test_thrown_boxes_come_down_and_gain_no_energy() -> None:
    # python -m tests.benchmarks thrown_boxes throws a thousand
    model, body = box()
    unilateral = standing(model, body, 1.0)
    for seed in (1, 14):
        one = throw(unilateral, 1.0, seed, 0.8)
        assert one.reached == 0.8
        # what a step leaves open, (v h)²/2R at some 10 m/s of a corner 1 m away, is lifted by the next
        assert one.gained < (10.0 * 1e-3) ** 2 / 2.0
        assert one.residual < 1e-6
