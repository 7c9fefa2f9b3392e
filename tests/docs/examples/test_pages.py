"""Pages of the demonstrations: what they draw meets where it should, at every instant."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.models.demonstrations.cable_towing import simulate as tow
from ce_dynamics.models.demonstrations.pgs_suspension import (
    Suspension,
    SuspensionParameters,
    simulate as drive,
)
from ce_dynamics.models.demonstrations.point_to_point import (
    example_pair,
    example_state,
    simulate as throw,
)
from ce_dynamics.models.demonstrations.rolling_ball import (
    SCENES as ROLLED,
    RollingBall,
    run_embedded,
)
from ce_dynamics.models.demonstrations.socket_motion import Socket
from ce_dynamics.models.parts.roads.surfaces import BumpRoad
from ce_dynamics.views.scene import Take
from docs.examples.cable_towing import SCENES as TOWED, page as page_of_towing
from docs.examples.pgs_suspension import page as page_of_suspension
from docs.examples.point_to_point import page as page_of_pair
from docs.examples.rolling_ball import page as page_of_ball

ROUNDING = 1e-12


def point(take: Take, name: str, at: Floats) -> Floats:
    """A point of a body in its axes, at every instant, in the world."""
    k = [body.name for body in take.bodies].index(name)
    return np.asarray(take.places[:, k, :3] + Rotation.from_quat(take.places[:, k, 3:]).apply(at))


def test_the_joint_of_the_pair_holds() -> None:
    pair = example_pair()
    run = throw(pair, example_state(pair), np.linspace(0.0, 0.5, 6))
    (take,) = page_of_pair({"one": run}).takes
    ends = [
        point(take, name, np.asarray(body.c))
        for name, body in (("body 1", pair.body_1), ("body 2", pair.body_2))
    ]
    assert np.linalg.norm(ends[0] - ends[1], axis=1) == pytest.approx(run.drift, abs=ROUNDING)
    assert take.arrows[:, 0, :3] == pytest.approx(ends[0], abs=ROUNDING)
    masses = np.array((pair.body_1.mass, pair.body_2.mass))
    assert np.abs(np.einsum("b,tbi->ti", masses, take.places[:, :, :3])).max() < ROUNDING


def test_bar_and_wheel_meet_at_the_pin() -> None:
    suspension = Suspension(SuspensionParameters(), Socket(5.0), BumpRoad(0.8, 0.06, 0.9, 0.5))
    q0, V0 = suspension.initial_state(0.0)
    run = drive(suspension, duration=0.15, step=1e-3, q0=q0, V0=V0)
    (take,) = page_of_suspension(run, suspension).takes
    length = suspension.parameters.length
    pin = point(take, "bar", np.array((0.0, 0.0, -0.5 * length)))
    off = np.linalg.norm(pin - point(take, "wheel", np.zeros(3)), axis=1)
    expected = np.hypot(
        run.q[:, 3] - run.q[:, 0] - 0.5 * length * np.sin(run.q[:, 2]),
        run.q[:, 4] - run.q[:, 1] + 0.5 * length * np.cos(run.q[:, 2]),
    )
    assert off == pytest.approx(expected, abs=ROUNDING)
    assert off.max() < 1e-4  # what the solver leaves open
    # a mark on the rim turns with the wheel: a rolling one goes forward with ω = -u/R
    rim = point(take, "wheel", np.array((0.0, 0.0, suspension.parameters.radius)))[:, [0, 2]] - run.q[:, 3:5]
    angle = np.unwrap(np.arctan2(rim[:, 0], rim[:, 1]))
    assert -(angle - angle[0]) == pytest.approx(run.q[:, 5] - run.q[0, 5], abs=1e-9)
    road = [float(suspension.road.height(x, 0.0)) for x in take.arrows[:, 0, 0]]
    assert take.arrows[:, 0, 2] - road == pytest.approx(run.gap, abs=1e-3)
    assert take.arrows[:, 0, 5].max() > 1000.0


def test_cables_are_no_longer_than_they_are() -> None:
    for name in ("robots", "train"):
        scene = TOWED[name]()
        run = tow(scene.towing, duration=0.1, step=5e-3)
        (take,) = page_of_towing(scene, run).takes
        names = [body.name for body in take.bodies]
        for k, strand in enumerate(take.strands):
            a = point(take, names[strand.body_a], np.asarray(strand.at_a))
            b = point(take, names[strand.body_b], np.asarray(strand.at_b))
            span = np.linalg.norm(b - a, axis=1)
            assert strand.length - span == pytest.approx(run.psi[:, k], abs=ROUNDING)
            pull = take.arrows[:, k, 3:]
            assert np.linalg.norm(pull, axis=1) == pytest.approx(run.force[:, k], rel=1e-12)
            assert np.einsum("ti,ti->t", pull, b - a) == pytest.approx(run.force[:, k] * span, rel=1e-9)


@pytest.mark.parametrize("name", ["incline", "turntable"])
def test_the_ball_touches_its_plane(name: str) -> None:
    scene = ROLLED[name](RollingBall())
    record = run_embedded(scene, np.linspace(0.0, 0.4, 5))
    view = page_of_ball(scene, {"embedded": record})
    (take,) = view.takes
    if scene.plate is None:
        (slab,) = take.scenery
        middle = np.tile(slab.points[0], (len(record.t), 1))
        axes = np.tile(scene.normal, (len(record.t), 1))
    else:
        (slab,) = take.bodies[1].shapes
        middle = point(take, "plate", slab.points[0])
        axes = Rotation.from_quat(take.places[:, 1, 3:]).apply(scene.normal)
    thick = np.linalg.norm(slab.points[3] - slab.points[0])
    above = np.einsum("ti,ti->t", point(take, "ball", np.zeros(3)) - middle, axes) - thick
    assert above == pytest.approx(np.full(len(record.t), scene.ball.radius), abs=1e-9)
    assert np.linalg.norm(take.arrows[:, 0, :3] - record.centre, axis=1) == pytest.approx(scene.ball.radius)
    assert "with the ball" in take.camera_names
    assert len(view.html) < 2e6
