"""The point-to-point constraint: the printed 15×15 system, the library's constraint, the embedded pair.

Accelerations in random states are of order 100; linear solves of 15 unknowns with condition numbers below 1e3
lose some 1e-13 of that, so ROUNDING is relative to the largest.
"""

import math
from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.spatial.transform import Rotation

import ce_dynamics as ce
from ce_dynamics.augmented import compute_accelerations
from ce_dynamics.augmented.constrained_system import ConstrainedSystem, PointToPoint
from ce_dynamics.augmented.states import observe_states
from ce_dynamics.compiled.variables import valid_name
from ce_dynamics.dynamics.outward import Outward
from ce_dynamics.embedding.embed import embed
from ce_dynamics.models.demonstrations.point_to_point import (
    BLOCKS,
    RIGHT_HAND_SIDE,
    UNKNOWNS,
    BodyPair,
    PairBody,
    PairState,
    example_pair,
    example_state,
    pendulum_pair,
    run_embedded,
    simulate,
)

ROUNDING = 1e-12


def random_pair(seed: int) -> tuple[BodyPair, PairState]:
    rng = np.random.default_rng(seed)

    def body() -> PairBody:
        A = rng.normal(size=(3, 3))
        spread = A @ A.T + 0.1 * np.eye(3)
        return PairBody(0.5 + rng.random(), np.trace(spread) * np.eye(3) - spread, rng.normal(size=3))

    pair = BodyPair(body(), body(), rng.normal(size=3) * 5.0)
    x1, v1, w1, w2 = rng.normal(size=(4, 3))
    return pair, pair.state(x1=x1, q1=rng.normal(size=4), q2=rng.normal(size=4), v1=v1, w1=2 * w1, w2=2 * w2)


def tilde(c: Any) -> Any:
    """The source's definition of c̃, entry by entry."""
    return np.array([[0.0, -c[2], c[1]], [c[2], 0.0, -c[0]], [-c[1], c[0], 0.0]])


def in_world(pair: BodyPair, state: PairState) -> dict[str, Any]:
    """Symbols of the source, by SciPy's rotations."""
    R1, R2 = (Rotation.from_quat(np.roll(q, -1)).as_matrix() for q in (state.q1, state.q2))
    one, two = pair.body_1, pair.body_2
    return {
        "m₁": one.mass * np.eye(3),
        "m₂": two.mass * np.eye(3),
        "I₁": R1 @ one.inertia @ R1.T,
        "I₂": R2 @ two.inertia @ R2.T,
        "c₁": R1 @ one.c,
        "c₂": R2 @ two.c,
    }


@pytest.mark.parametrize("seed", range(3))
def test_matrix_and_right_hand_side_are_printed_ones(seed: int) -> None:
    """The labels are the source's text; each is evaluated as it reads."""
    pair, state = random_pair(seed)
    s = in_world(pair, state)
    c1, c2, w1, w2, g = s["c₁"], s["c₂"], state.w1, state.w2, pair.gravity
    meaning = {
        "0": np.zeros((3, 3)), "1": np.eye(3), "−1": -np.eye(3), "−c̃₁": -tilde(c1), "c̃₂": tilde(c2),
        **{name: s[name] for name in ("m₁", "m₂", "I₁", "I₂")},
    }  # fmt: skip
    right = {
        "m₁ g": pair.body_1.mass * g,
        "−ω₁ × (I₁ ω₁)": -np.cross(w1, s["I₁"] @ w1),
        "m₂ g": pair.body_2.mass * g,
        "−ω₂ × (I₂ ω₂)": -np.cross(w2, s["I₂"] @ w2),
        "−ω₁ × (ω₁ × c₁) + ω₂ × (ω₂ × c₂)": -np.cross(w1, np.cross(w1, c1)) + np.cross(w2, np.cross(w2, c2)),
    }
    equations = pair.equations(state)
    assert equations.matrix.shape == (15, 15)
    for i in range(5):
        given = equations.right_hand_side[3 * i : 3 * i + 3]
        np.testing.assert_allclose(given, right[RIGHT_HAND_SIDE[i]], atol=ROUNDING)
        for j in range(5):
            np.testing.assert_allclose(equations.block(i, j), meaning[BLOCKS[i][j]], atol=ROUNDING)
    assert UNKNOWNS == ("ẍ₁", "ω̇₁", "ẍ₂", "ω̇₂", "F")


@pytest.mark.parametrize("seed", range(3))
def test_solution_satisfies_newton_euler_and_keeps_points_together(seed: int) -> None:
    """The equations before they were put into a matrix, with cross products as the source derives them."""
    pair, state = random_pair(seed)
    s, a = in_world(pair, state), pair.equations(state).solve()
    F, c1, c2, w1, w2 = a.force, s["c₁"], s["c₂"], state.w1, state.w2
    size = max(np.max(np.abs(part)) for part in a)
    for left, right in (
        (F + pair.body_1.mass * pair.gravity, pair.body_1.mass * a.x1_ddot),
        (np.cross(c1, F), s["I₁"] @ a.w1_dot + np.cross(w1, s["I₁"] @ w1)),
        (-F + pair.body_2.mass * pair.gravity, pair.body_2.mass * a.x2_ddot),
        (np.cross(c2, -F), s["I₂"] @ a.w2_dot + np.cross(w2, s["I₂"] @ w2)),
        (
            a.x1_ddot + np.cross(a.w1_dot, c1) + np.cross(w1, np.cross(w1, c1)),
            a.x2_ddot + np.cross(a.w2_dot, c2) + np.cross(w2, np.cross(w2, c2)),
        ),
    ):
        np.testing.assert_allclose(left, right, atol=10 * ROUNDING * size)


@pytest.mark.parametrize("seed", range(6))
def test_three_formulations_agree_to_rounding(seed: int) -> None:
    """The 15×15 system, the library's constraint, and the embedded pair; accelerations and force."""
    pair, state = random_pair(seed)
    a = pair.equations(state).solve()
    printed = np.concatenate((a.w1_dot, a.x1_ddot, a.w2_dot, a.x2_ddot))
    size = np.max(np.abs(printed))
    system, joint = pair.make_constrained()
    placed = system.default_state()
    placed = placed.place("body 1", r=state.x1, quaternion=state.q1, v=state.v1, w=state.w1)
    placed = placed.place("body 2", r=state.x2, quaternion=state.q2, v=state.v2, w=state.w2)
    np.testing.assert_allclose(placed.solution.V_dot, printed, atol=ROUNDING * size)
    np.testing.assert_allclose(joint.force(placed), a.force, atol=ROUNDING * size)
    np.testing.assert_allclose(joint.position_error(placed), 0.0, atol=1e-14)
    np.testing.assert_allclose(joint.velocity_error(placed), 0.0, atol=1e-14)
    np.testing.assert_allclose(joint.acceleration_error(placed), 0.0, atol=ROUNDING * size)
    q, v = pair.make_embedded_state(state)
    found = compute_accelerations(embed(pair.make_embedded()), q, v, np.zeros(0), np.zeros(0))
    np.testing.assert_allclose(
        np.concatenate((found["body 1"], found["body 2"])), printed, atol=ROUNDING * size
    )


def test_embedded_reaction_is_the_force_of_the_constraint() -> None:
    pair, state = random_pair(11)
    model = ce.compile(pair.make_embedded())
    reaction = model.reactions(np.concatenate(pair.make_embedded_state(state))).hinges["body 2"]
    F = pair.equations(state).solve().force
    np.testing.assert_allclose(reaction.force, -F, atol=ROUNDING * np.max(np.abs(F)) * 10)  # on body 2
    np.testing.assert_allclose(reaction.torque, 0.0, atol=1e-11)
    c1, _ = pair.levers(state)
    np.testing.assert_allclose(reaction.at, state.x1 + c1, atol=1e-14)


def test_drift_of_source_baumgarte_and_embedded_pair() -> None:
    """All at rtol 1e-6 by RK45; the drift grows like t, Baumgarte's stays, and the embedded pair has none."""
    pair = example_pair()
    state, t = example_state(pair), np.linspace(0.0, 2.0, 41)
    free = simulate(pair, state, t)
    stabilised = simulate(pair, state, t, alpha=20.0, beta=20.0)
    embedded = run_embedded(pair, state, t, 1e-6)
    assert 1e-6 < free.drift[-1] < 1e-3
    assert free.drift[-1] > 20.0 * stabilised.drift.max()
    assert embedded.drift.max() < 1e-13  # rounding of positions of some 60 m
    for run in (free, stabilised, embedded):
        assert np.max(np.abs(run.energy - run.energy[0])) < 1e-3  # of 100 J
        # The common centre of mass falls freely, whatever the joint does.
        m1, m2 = pair.body_1.mass, pair.body_2.mass
        centre = np.array([(m1 * s.x1 + m2 * s.x2) / (m1 + m2) for s in run.states])
        velocity = (m1 * state.v1 + m2 * state.v2) / (m1 + m2)
        fall = centre[0] + np.outer(t, velocity) + np.outer(0.5 * t**2, pair.gravity)
        np.testing.assert_allclose(centre, fall, atol=1e-3)
    np.testing.assert_allclose(free.states[20].x1, embedded.states[20].x1, atol=1e-4)
    tight = simulate(pair, state, t, rtol=1e-9, atol=1e-11)
    assert tight.drift[-1] < 0.05 * free.drift[-1]  # it is the integrator's error


def test_pendulum_pair_agrees_with_its_embedded_form() -> None:
    """Forces at rest are the weights below; small swings have the frequencies of the eigenproblem."""
    pair = BodyPair(
        PairBody(2.0, (0.2, 0.2, 0.01), (0, 0, -0.5)), PairBody(1.0, (0.05, 0.05, 0.01), (0, 0, 0.3))
    )
    system, hook, joint = pendulum_pair(pair)
    rest = system.default_state()
    np.testing.assert_allclose(hook.force(rest), (0.0, 0.0, 3.0 * 9.81), atol=1e-12)
    np.testing.assert_allclose(joint.force(rest), (0.0, 0.0, -9.81), atol=1e-12)  # body 1 carries body 2
    assert set(hook.body_forces(rest)) == {"ground", "body 1"}
    # Linearised about the vertical, with angles from it: M θ̈ + K θ = 0.
    l1, a1, a2, m1, m2, g = 1.0, 0.5, 0.3, 2.0, 1.0, 9.81
    M = np.array([[0.2 + m1 * a1**2 + m2 * l1**2, m2 * l1 * a2], [m2 * l1 * a2, 0.05 + m2 * a2**2]])
    K = np.diag([(m1 * a1 + m2 * l1) * g, m2 * a2 * g])
    squares, modes = eigh(K, M)
    small = 1e-5
    for square, mode in zip(squares, modes.T, strict=True):
        t1, t2 = small * mode / np.max(np.abs(mode))
        top = np.array((0.0, 0.0, 0.5))  # the hook, above the centre of mass of body 1

        def lean(angle: float, length: float) -> Any:
            return length * np.array((-math.sin(angle), 0.0, -math.cos(angle)))  # rotation about +y

        q1, q2 = ((math.cos(a / 2), 0.0, math.sin(a / 2), 0.0) for a in (t1, t2))
        x1 = top + lean(t1, a1)
        x2 = top + lean(t1, l1) + lean(t2, a2)
        state = rest.place("body 1", r=x1, quaternion=q1).place("body 2", r=x2, quaternion=q2)
        np.testing.assert_allclose(joint.position_error(state), 0.0, atol=1e-15)
        found = np.array((state.acceleration("body 1")[1], state.acceleration("body 2")[1]))
        np.testing.assert_allclose(
            found, -square * np.array((t1, t2)), rtol=1e-8
        )  # cubic terms: small² = 1e-10
    # A large motion: same as two spherical hinges.
    embedded = ce.System()
    first = embedded.add_body(
        "body 1",
        mass=2.0,
        com=(0, 0, 0),
        inertia=(0.2, 0.2, 0.01),
        parent="ground",
        hinge=ce.Spherical((0, 0, 0.5)),
    )
    embedded.add_body(
        "body 2", mass=1.0, com=(0, 0, -0.8), inertia=(0.05, 0.05, 0.01), parent=first,
        hinge=ce.Spherical((0, 0, -0.5)),
    )  # fmt: skip
    model = ce.compile(embedded)
    y0 = model.with_unit_quaternions(np.array((1, 0.4, 0.3, 0.1, 1, -0.5, 0.2, 0, 1, 0.5, 2, -1, 3, 1.0)))
    outward: Outward = model.instant(y0, model.u0).outward
    start = rest.with_motions(observe_states(outward))
    end = system.simulate(start, [0.0, 2.0], rtol=1e-10, atol=1e-11).states[-1]
    run = ce.simulate(model, duration=2.0, y0=y0, method="DOP853", rtol=1e-11, atol=1e-12, interval=2.0)
    entries = (*model.layout.q, *model.layout.v)
    y = np.array([float(run[valid_name(entry.name)][-1]) for entry in entries])
    expected = observe_states(model.instant(y, model.u0).outward)
    for name in ("body 1", "body 2"):
        np.testing.assert_allclose(end.body(name).r, expected[name].r.astype(float), atol=1e-7)
    assert end.energy == pytest.approx(start.energy, abs=1e-7)
    assert np.max(np.abs(hook.position_error(end))) < 1e-8


def test_points_apart_in_design_pose_and_disabling() -> None:
    system = ce.System()
    for name, x in (("a", 0.0), ("b", 5.0)):
        system.add_body(
            name, mass=1.0, com=(x, 0, 0), inertia=(0.1, 0.1, 0.1), parent="ground", hinge=ce.Free((x, 0, 0))
        )
    a, b = system.bodies
    joint = PointToPoint("joint", a, b, at=(1, 0, 0), at_2=(4, 0, 0))
    constrained = ConstrainedSystem(system, joint)
    apart = constrained.default_state()
    np.testing.assert_allclose(joint.position_error(apart), (-3.0, 0.0, 0.0))
    with pytest.raises(ce.AssemblyError, match="'joint': position error 3"):
        constrained.simulate(apart, [0.0, 1.0])
    together = apart.assemble()
    np.testing.assert_allclose(joint.position_error(together), 0.0, atol=1e-13)
    spinning = together.place("a", w=(0, 0, 3.0)).assemble()
    assert np.linalg.norm(joint.force(spinning)) > 0.1
    loose = joint.disable(spinning)
    assert not joint.force(loose).any()
    np.testing.assert_allclose(loose.acceleration("a"), (0, 0, 0, 0, 0, -9.81), atol=1e-14)
    flown = constrained.simulate(loose, [0.0, 0.5]).states[-1]
    assert np.linalg.norm(joint.position_error(flown)) > 0.1  # nothing holds it


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mass": 0.0}, "mass 0 must be > 0 kg"),
        ({"mass": -2.0}, "mass -2 must be > 0 kg"),
        ({"mass": math.nan}, "mass nan must"),
        ({"inertia": (1.0, 1.0, 0.0)}, "principal moment of inertia 0 must be > 0"),
        ({"inertia": (1.0, math.inf, 1.0)}, "finite"),
        ({"c": (0.0, 0.0, math.nan)}, "c .* must be three finite numbers"),
    ],
)
def test_impossible_bodies_are_refused(changes: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0), "c": (1.0, 0.0, 0.0)} | changes
    with pytest.raises(ce.ModelError, match=message):
        PairBody(**given)


def test_impossible_starts_and_wrong_arguments_are_refused() -> None:
    pair = example_pair()
    state = example_state(pair)
    with pytest.raises(ce.AssemblyError, match=r"the two points are 0\.1 m apart"):
        simulate(pair, state._replace(x2=state.x2 + (0.1, 0.0, 0.0)), [0.0, 1.0])
    with pytest.raises(ce.AssemblyError, match="the two points move 2 m/s apart"):
        simulate(pair, state._replace(v2=state.v2 + (0.0, 2.0, 0.0)), [0.0, 1.0])
    for wrong in (
        lambda: simulate(pair, state._replace(x1=np.array((math.nan, 0, 0))), [0.0, 1.0]),
        lambda: simulate(pair, state, [0.0, -1.0]),
        lambda: simulate(pair, state, [0.0, math.nan]),
        lambda: simulate(pair, state, [0.0, 1.0], alpha=-1.0),
        lambda: pair.state(w1=(0, math.inf, 0)),
        lambda: pair.state(q1=(0, 0, 0, 0)),
        lambda: BodyPair(pair.body_1, pair.body_2, (0, 0)),
    ):
        with pytest.raises(ce.ModelError):
            wrong()
    system, _ = pair.make_constrained()
    body = system.system.find("body 1")
    with pytest.raises(ce.ModelError, match="joins body 'body 1' to itself"):
        PointToPoint("loop", body, body, at=(0, 0, 0))
    with pytest.raises(ce.ModelError, match="at_2"):
        PointToPoint("nowhere", body, system.system.ground, at=(0, 0, 0), at_2=(0, math.nan, 0))


def test_degenerate_joint_at_both_centres_of_mass() -> None:
    """c₁ = c₂ = 0: rotations decouple, the bodies fall as one, and the force is zero."""
    pair = BodyPair(PairBody(1.0, (1, 2, 3), (0, 0, 0)), PairBody(2.0, (3, 2, 1), (0, 0, 0)))
    a = pair.equations(pair.state(w1=(1, 2, 3), w2=(-3, 1, 0))).solve()
    np.testing.assert_allclose(a.force, 0.0, atol=1e-14)
    np.testing.assert_allclose(a.x1_ddot, pair.gravity, atol=1e-14)
    np.testing.assert_allclose(a.w1_dot, (-6.0, 3.0, -2.0 / 3.0), atol=1e-14)  # (I₂ − I₃) ω₂ ω₃ / I₁, ...


def test_extreme_mass_ratio_still_agrees_with_embedded_pair() -> None:
    """A millionth of the mass: the 15×15 matrix is ill-conditioned (1e7), which costs up to seven digits."""
    pair = BodyPair(
        PairBody(1e3, (50.0, 60.0, 70.0), (0.5, 0.2, 0.1)), PairBody(1e-3, (1e-5, 2e-5, 2e-5), (0.1, 0, 0))
    )
    state = pair.state(w1=(1, -2, 0.5), w2=(0.3, 4, 2), q2=(0.8, 0.2, 0.4, 0.1))
    a = pair.equations(state).solve()
    q, v = pair.make_embedded_state(state)
    found = compute_accelerations(embed(pair.make_embedded()), q, v, np.zeros(0), np.zeros(0))
    np.testing.assert_allclose(found["body 2"], np.concatenate((a.w2_dot, a.x2_ddot)), rtol=1e-9, atol=1e-9)
