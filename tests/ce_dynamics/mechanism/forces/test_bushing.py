"""Bushings: loads against the gradient of their energy, mirror images, and what joints become."""

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ce_dynamics as ce
from ce_dynamics.algebra.rotation import rotation_vector, turning_rate
from ce_dynamics.augmented import compute_accelerations
from ce_dynamics.augmented.observer import AbsoluteObserver
from ce_dynamics.augmented.states import AT_REST, BodyState
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.elastic_joints import ElasticJoint, make_elastic

Floats = Any
STIFFNESS = (4e5, 2e5, 7e5, 900.0, ce.Tabulated((-1.0, 0.0, 0.5), (-300.0, 0.0, 400.0)), 150.0)
DAMPING = (30.0, 40.0, 50.0, 1.0, 2.0, 3.0)
AT = np.array([0.3, -0.2, 0.5])


def two_bodies() -> tuple[ce.System, Any, Any]:
    system = ce.System(gravity=(0, 0, 0))
    a, b = (
        system.add_body(
            name, mass=2.0, com=com, inertia=(0.1, 0.2, 0.15), parent=system.ground, hinge=ce.Free(com)
        )
        for name, com in (("a", (0.1, 0.0, 0.4)), ("b", (0.5, -0.3, 0.6)))
    )
    return system, a, b


def state(body: Any, *motion: Floats) -> BodyState:
    """Return the state of a body that is shifted and turned, with its angular velocity and velocity."""
    shift, turn, w, v = (np.asarray(part, dtype=float) for part in motion)
    return BodyState(Rotation.from_rotvec(turn).as_matrix(), np.asarray(body.com) + shift, w, v)


def loads_of(element: Any, a: BodyState, b: BodyState) -> tuple[dict[str, Floats], Any]:
    """Wrenches [torque; force] about the centres of mass, by body, and the answer."""
    observer = AbsoluteObserver({"ground": AT_REST, "a": a, "b": b})
    answer = element.evaluate(observer, np.zeros(0), {})
    frame, found = a, {}
    for load in answer.loads:
        body = {"a": a, "b": b}[load.body.name]
        force = frame.R @ load.force
        lever = frame.r + frame.R @ load.r - body.r
        found[load.body.name] = np.concatenate((frame.R @ load.torque + np.cross(lever, force), force))
    return found, answer


POSE_A = (0.01, -0.02, 0.03), (0.2, -0.4, 0.3)
POSE_B = (0.03, 0.01, -0.02), (-0.3, 0.5, 0.9)


@pytest.mark.parametrize("turn", [POSE_B[1], (0.2, -0.4, 0.3 + 1e-9), (0.2, -0.4, 0.3)])
def test_loads_are_the_gradient_of_the_energy(turn: Floats) -> None:
    """Central differences over h = 1e-6: h² times third derivatives, and rounding of 1e4 J by 1e-16/h."""
    _, a, b = two_bodies()
    axes = Rotation.from_rotvec((0.4, 0.1, -0.7)).as_matrix()
    element = ce.Bushing("bush", a, b, AT, STIFFNESS, axes=axes)
    still = np.zeros(3), np.zeros(3)
    at = {"a": [np.array(x) for x in POSE_A], "b": [np.array(POSE_B[0]), np.array(turn)]}
    found, _ = loads_of(element, *(state(body, *at[body.name], *still) for body in (a, b)))
    h = 1e-6

    def energy(name: str, k: int, step: float) -> float:
        moved = {key: [x.copy() for x in value] for key, value in at.items()}
        if k < 3:
            small = Rotation.from_rotvec(step * np.eye(3)[k])
            moved[name][1] = (small * Rotation.from_rotvec(moved[name][1])).as_rotvec()
        else:
            moved[name][0] = moved[name][0] + step * np.eye(3)[k - 3]
        _, answer = loads_of(element, *(state(body, *moved[body.name], *still) for body in (a, b)))
        return float(answer.potential)

    for name in ("a", "b"):
        slope = [(energy(name, k, h) - energy(name, k, -h)) / (2 * h) for k in range(6)]
        np.testing.assert_allclose(found[name], -np.array(slope), atol=1e-5, rtol=1e-6)


def test_dampers_take_energy_and_loads_balance() -> None:
    """Σ forces and Σ moments vanish; the power of dampers alone is −Σ c r² of the relative rates."""
    _, a, b = two_bodies()
    element = ce.Bushing("bush", a, b, AT, (0.0,) * 6, DAMPING)
    moving = [
        state(a, *POSE_A, (0.3, 0.2, -0.5), (1.0, -0.4, 0.2)),
        state(b, *POSE_B, (-0.7, 0.4, 0.1), (0.1, 0.3, -0.6)),
    ]
    found, _ = loads_of(element, *moving)
    total = sum(
        np.concatenate((found[n][:3] + np.cross(s.r, found[n][3:]), found[n][3:]))
        for n, s in zip("ab", moving, strict=True)
    )
    np.testing.assert_allclose(total, 0.0, atol=1e-12)
    power = sum(found[n][:3] @ s.w + found[n][3:] @ s.v for n, s in zip("ab", moving, strict=True))
    A, B = moving
    point = B.r + B.R @ (AT - np.asarray(b.com))
    w = A.R.T @ (B.w - A.w)
    v = A.R.T @ (B.v + np.cross(B.w, point - B.r) - A.v - np.cross(A.w, point - A.r))
    assert power == pytest.approx(-float(np.array(DAMPING) @ np.concatenate((v, w)) ** 2), rel=1e-12)


def test_a_mirrored_bushing_answers_as_the_mirror_image() -> None:
    """Tables that are not odd: the right one has to see deflections, turns and rates of the same sign."""
    M = np.diag((1.0, -1.0, 1.0))
    system = ce.System(gravity=(0, 0, 0))
    b = system.add_body(
        "b", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1), parent=system.ground, hinge=ce.Free()
    )
    soft, lossy = (
        [ce.Tabulated((-0.5, 0.0, 0.5), (-most, 0.0, 4.0 * most)) for _ in range(6)] for most in (1e3, 1e2)
    )
    axes = Rotation.from_rotvec((0.4, 0.1, -0.7)).as_matrix()
    pair = [
        ce.Bushing(n, system.ground, b, m @ AT, soft, lossy, axes=m @ axes)
        for n, m in (("l", np.eye(3)), ("r", M))
    ]
    shift, turn = np.array((0.02, 0.05, -0.03)), np.array((0.1, -0.2, 0.3))
    w, v = np.array((0.4, -0.3, 0.2)), np.array((-0.2, 0.1, 0.3))
    answers: list[Any] = []
    for element, moved in zip(
        pair, ((shift, turn, w, v), (M @ shift, -M @ turn, -M @ w, M @ v)), strict=True
    ):
        observer = AbsoluteObserver({"ground": AT_REST, "b": state(b, *moved)})
        answers.append(element.evaluate(observer, np.zeros(0), {}))
    left, right = answers
    for name, value in left.outputs.items():
        assert right.outputs[name] == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(right.loads[0].force, M @ left.loads[0].force, rtol=1e-12)
    np.testing.assert_allclose(right.loads[0].torque, -M @ left.loads[0].torque, rtol=1e-12)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-7, 1e-4, 2.1e-3, 0.5, 3.1])
def test_rotation_vectors(angle: float) -> None:
    """Against SciPy; φ̇ = J⁻¹ ω by central differences of exp(h ω) R over h = 1e-6: 1e-10 by rounding."""
    axis = np.array((0.48, -0.6, 0.64))
    phi = angle * axis
    R = Rotation.from_rotvec(phi)
    np.testing.assert_allclose(rotation_vector(R.as_matrix()), phi, rtol=1e-13 / (3.2 - angle), atol=1e-16)
    w, h = np.array((0.3, 0.8, -0.5)), 1e-6
    if angle < 3.0:
        ahead, behind = ((Rotation.from_rotvec(s * h * w) * R).as_rotvec() for s in (1.0, -1.0))
        np.testing.assert_allclose(turning_rate(phi) @ w, (ahead - behind) / (2 * h), atol=2e-9)


def four_bar() -> ce.System:
    system = ce.System(gravity=(0, 0, -9.81))
    y = (0, 1, 0)

    def rod(name: str, parent: Any, at: Floats, to: Floats) -> Any:
        com = 0.5 * (np.array(at) + np.array(to))
        return system.add_body(
            name, mass=2.0, com=com, inertia=(0.1, 0.1, 0.1), parent=parent, hinge=ce.Revolute(y, at=at)
        )

    crank = rod("crank", system.ground, (0, 0, 0), (0.2, 0, 0.4))
    rocker = rod("rocker", system.ground, (1, 0, 0), (1.1, 0, 0.7))
    coupler = rod("coupler", crank, (0.2, 0, 0.4), (1.1, 0, 0.7))
    system.close_loop("pin", coupler, rocker, ce.Revolute(y, at=(1.1, 0, 0.7)))
    return system


def bushed(system: ce.System, joint: str, one: str, other: str, at: Floats) -> ElasticJoint:
    loaded = [ce.Polynomial((preload, 1e4)) for preload in (300.0, -200.0, 500.0, 3.0, 40.0, -2.0)]
    element = ce.Bushing("bush", system.find(one), system.find(other), at, loaded, (20.0,) * 6)
    return ElasticJoint(joint, element)


@pytest.mark.parametrize(
    ("joint", "one", "other", "at", "carriers"),
    [
        ("hinge of crank", "ground", "crank", (0, 0, 0), {"crank": "coupler", "coupler": "rocker"}),
        ("hinge of coupler", "crank", "coupler", (0.2, 0, 0.4), {"coupler": "rocker"}),
        ("pin", "coupler", "rocker", (1.1, 0, 0.7), {"coupler": "crank"}),
    ],
)
def test_an_elastic_joint_against_the_same_by_multipliers(
    joint: str, one: str, other: str, at: Floats, carriers: dict[str, str]
) -> None:
    """The branch hangs elsewhere: accelerations of the bodies are those of free bodies with multipliers.

    Bushings are loaded in the design pose, so that they matter there.
    """
    system = four_bar()
    make_elastic(system, [bushed(system, joint, one, other, at)])
    assert {name: system.find(name).carrier.name for name in carriers} == carriers
    assert not system.closures
    model = ce.compile(system)
    assert len(model.layout.v) == 3
    q, v, x = model.layout.split(model.y0)
    by_embedding = compute_accelerations(model.embedding, q, v, x, model.u0)
    plain = four_bar()  # the same bodies and hinges but for the one joint
    if joint == "pin":
        plain.closures.clear()
    else:
        object.__setattr__(plain.find(other), "hinge", ce.Free(at))
    plain.add_force(bushed(plain, joint, one, other, at).element)
    state = ce.ConstrainedSystem(plain).default_state()
    expected = np.concatenate([state.acceleration(body) for body in plain.bodies])
    found = np.concatenate([by_embedding[body.name] for body in plain.bodies])
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-11 * np.max(np.abs(expected)))


def test_what_nothing_else_carries_moves_freely() -> None:
    system = four_bar()
    system.closures.clear()
    make_elastic(system, [bushed(system, "hinge of crank", "ground", "crank", (0, 0, 0))])
    assert isinstance(system.find("crank").hinge, ce.Free)
    assert len(ce.compile(system).layout.v) == 8


def test_mistakes_are_named() -> None:
    system, a, b = two_bodies()
    given: dict[str, Any] = {"name": "x", "body_a": a, "body_b": b, "at": AT, "stiffness": (1.0,) * 6}
    for more, words in (
        ({"body_b": a}, "both ends"),
        ({"stiffness": (1.0,) * 5}, "6"),
        ({"stiffness": (1.0, 1.0, -1.0, 1.0, 1.0, 1.0)}, "stiffness z"),
        ({"damping": (1.0, 1.0, 1.0, 1.0, 1.0, -1.0)}, "damping about z"),
        ({"axes": 2.0 * np.eye(3)}, "right angles"),
    ):
        with pytest.raises(ModelError, match=words):
            ce.Bushing(**given | more)
    system = four_bar()
    element = bushed(system, "none", "ground", "crank", (0, 0, 0))
    with pytest.raises(ModelError, match="no closure 'none'"):
        make_elastic(system, [element])
    system.prescribe("crank", ce.Held(0.0))
    with pytest.raises(ModelError, match="prescribed"):
        make_elastic(system, [bushed(system, "hinge of crank", "ground", "crank", (0, 0, 0))])
