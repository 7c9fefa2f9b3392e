"""Independent coordinates that are no whole hinge: components of hinges, functions of positions.

Reference are the fully augmented model, which has no independent coordinates, and the same mechanism
led by other coordinates.  Everything is of order 1 (masses, lengths, rates), so that rounding is some 1e-15
of the largest acceleration per body; 1e-10 is asked for.
"""

import math
import pickle
import re
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.embedding.closures.choices import IndependentChoice
from ce_dynamics.embedding.closures.freedoms import Freedoms
from ce_dynamics.embedding.embed import embed
from ce_dynamics.mechanism.system import Independent, System
from tests.support.augmented import assert_agrees

NOTHING = np.zeros(0)
HERE = np.eye(3), np.zeros(3)
ELSEWHERE = Rotation.random(random_state=3).as_matrix(), np.array((3e3, -2e3, 500.0))
Frame = tuple[Array, Array]


def placed(frame: Frame) -> tuple[Callable[..., Array], Callable[..., Array], Callable[..., Array]]:
    """Points, directions and inertias in a frame that is turned and far away."""
    R, origin = frame
    return (
        lambda *x: R @ np.array(x, dtype=float) + origin,
        lambda *e: R @ np.array(e, dtype=float),
        lambda *moments: R @ np.diag(moments) @ R.T,
    )


def axle(independent: Sequence[Independent], frame: Frame = HERE) -> System:
    """A rigid axle, free but for two trailing arms, a Panhard rod and an upper link: five links."""
    p, d, inertia = placed(frame)
    s = System(gravity=d(0.0, 0.0, -9.81))
    beam = s.add_body(
        "axle", mass=8.0, com=p(0, 0.01, 0.3), inertia=inertia(2, 0.2, 2), parent=s.ground,
        hinge=ce.Free(p(0, 0, 0.3)),
    )  # fmt: skip
    for side, y in (("left", 0.5), ("right", -0.5)):
        arm = s.add_body(
            side, mass=1.0, com=p(0.3, y, 0.3), inertia=inertia(0.01, 0.05, 0.05), parent=s.ground,
            hinge=ce.Universal(d(0, 1, 0), d(0, 0, 1), p(0.6, y, 0.35)),
        )  # fmt: skip
        s.close_loop(f"{side} ball", arm, beam, ce.Spherical(p(0, y, 0.3)))
        seat = p(0.0, y, 0.9)
        s.add_force(
            ce.SpringDamper(f"{side} spring", s.ground, seat, beam, p(0, y, 0.3), spring=900.0, damper=0.0,
                            free_length=0.65)
        )  # fmt: skip
    s.close_loop("panhard", beam, s.ground, ce.Distance(p(0, 0.4, 0.3), p(0, -0.4, 0.35)))
    s.close_loop("upper link", beam, s.ground, ce.Distance(p(0, 0, 0.5), p(0.5, 0, 0.5)), independent)
    return s


def moving(model: ce.Model, seed: int, amount: float = 0.05) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    q, v, _ = model.layout.split(model.y0)
    return q + amount * rng.uniform(-1.0, 1.0, len(q)), rng.uniform(-1.0, 1.0, len(v))


def equals_the_augmented_model(model: ce.Model, q: Array, v: Array, closed: float = 1e-12) -> None:
    assert_agrees(model.embedding, q, v, u=model.u0, closed=closed, moving=10.0 * closed)


@pytest.fixture(scope="module")
def led_by_travel() -> ce.Model:
    return ce.compile(axle([("axle", "z"), ("axle", "roll")]))


def test_names_contain_the_leading_hinge(led_by_travel: ce.Model) -> None:
    layout = led_by_travel.layout
    assert [(entry.name, entry.unit) for entry in layout.q] == [("axle.z", "m"), ("axle.roll", "rad")]
    assert [(entry.name, entry.unit) for entry in layout.v] == [
        ("axle.z_rate", "m/s"),
        ("axle.roll_rate", "rad/s"),
    ]
    description = led_by_travel.system.describe()
    assert "independent  axle.z, axle.roll" in str(description)
    roles = {line.name: line.role.value for line in description.bodies}
    assert roles.pop("axle") == "partly independent"
    assert set(roles.values()) == {"dependent"}


def test_coordinates_are_what_they_are_called(led_by_travel: ce.Model) -> None:
    """Read off the axle's pose by SciPy's Euler angles."""
    q, v = moving(led_by_travel, 1)
    poses = led_by_travel.poses(np.concatenate((q, v)))
    k = poses.bodies.index("axle")
    R = poses.rotations[k]
    point = poses.positions[k] + R @ (0.0, -0.01, 0.0)
    _, _, roll = Rotation.from_matrix(R).as_euler("ZYX")
    assert point[2] - 0.3 == pytest.approx(q[0], abs=1e-14)
    assert roll == pytest.approx(q[1], abs=1e-14)


@pytest.mark.parametrize(
    ("independent", "frame", "closed"),
    [
        ([ce.Component("axle", 2), ce.Component("axle", "roll")], HERE, 1e-12),
        ([("left", 0), ("right", "1")], HERE, 1e-12),
        # positions of 4e3 m are known to 4.5e-13, of which a closure subtracts several
        ([("left", "1"), ("right", 0)], ELSEWHERE, 2e-11),
    ],
)
def test_a_five_link_axle(independent: list[Independent], frame: Frame, closed: float) -> None:
    model = ce.compile(axle(independent, frame))
    q, v = moving(model, 2)
    equals_the_augmented_model(model, q, v, closed)
    reactions = model.reactions(np.concatenate((q, v)))
    assert reactions.residual < 1e-9 * 8.0 * 9.81


def test_the_same_motion_whatever_leads(led_by_travel: ce.Model) -> None:
    """Loops stay closed, and the arms turn as they do in the same axle led by the arms."""
    arms = ce.compile(axle([("left", 0), ("right", 0)]))
    one, other = (
        ce.simulate(model, duration=0.15, method="DOP853", rtol=1e-10, atol=1e-12)
        for model in (led_by_travel, arms)
    )
    for run in (one, other):
        assert float(run["closure_error"].max()) < 1e-13
    last = {name: float(other[name.replace(".", "_")][-1]) for name in ("left.1", "right.1")}
    found = led_by_travel.assemble(last).coordinates
    assert found["axle.z"] == pytest.approx(float(one["axle_z"][-1]), abs=1e-8)
    assert found["axle.roll"] == pytest.approx(float(one["axle_roll"][-1]), abs=1e-8)


def test_assembly_finds_what_is_connected(led_by_travel: ce.Model) -> None:
    """Poses that random travel and roll lead to, from the angles of two arms alone."""
    rng = np.random.default_rng(0)
    size = len(led_by_travel.layout.q)
    names, tried = ["left.1", "right.2"], 0
    while tried < 12:
        y = led_by_travel.y0
        y[:size] += rng.uniform(0.2, 1.2) * rng.uniform(-1.0, 1.0, size)
        try:
            there = led_by_travel.assemble(y=y).coordinates
        except ce.AssemblyError:
            continue
        tried += 1
        found = led_by_travel.assemble({name: there[name] for name in names}).coordinates
        for name in names:
            assert math.remainder(found[name] - there[name], 2.0 * math.pi) == pytest.approx(0.0, abs=1e-9)


def test_assembly_reports_the_nearest_pose(led_by_travel: ce.Model) -> None:
    with pytest.raises(ce.AssemblyError, match=r"missing in the nearest .* with axle\.z = .*, axle\.roll = "):
        led_by_travel.assemble({"axle.z": 3.0})


def test_all_components_of_a_hinge_are_the_hinge() -> None:
    """Then nothing has to be tied to it."""
    S = embed(axle([("left", 0), ("left", "2")])).aggregates[0]
    assert [body.name for body in S.independent] == ["left"]
    assert not S.leading


# Automatic choice


def joint(kind: str, e1: Array, e2: Array, at: Array) -> ce.Hinge:
    hinges: dict[str, Callable[[], ce.Hinge]] = {
        "R": lambda: ce.Revolute(e1, at), "U": lambda: ce.Universal(e1, e2, at),
        "C": lambda: ce.Cylindrical(e1, at), "S": lambda: ce.Spherical(at), "P": lambda: ce.Planar(e1, at),
        "F": lambda: ce.Fixed(at), "6": lambda: ce.Free(at),
    }  # fmt: skip
    return hinges[kind]()


def chain(kinds: Sequence[str], seed: int, frame: Frame = HERE) -> System:
    p, d, inertia = placed(frame)
    rng = np.random.default_rng(seed)
    s, parent, at = System(gravity=d(1.0, 2.0, -9.0)), "ground", np.zeros(3)
    for k, kind in enumerate(kinds):
        hinge = joint(kind, d(*rng.normal(size=3)), d(*rng.normal(size=3)), p(*at))
        following = at + rng.uniform(-0.3, 0.3, 3) + (0.4, 0.0, 0.0)
        name = f"{kind}{k}"
        s.add_body(
            name, mass=1.0, com=p(*(0.5 * (at + following) + 0.05)), inertia=inertia(0.1, 0.11, 0.12),
            parent=parent, hinge=hinge,
        )  # fmt: skip
        parent, at = name, following
    s.close_loop("end", parent, "ground", ce.Fixed(p(*at)))
    return s


@pytest.mark.parametrize(
    ("kinds", "freedoms", "frame"),
    [("SSU", 2, ELSEWHERE), ("USUC", 3, ELSEWHERE), ("PSU", 2, HERE), ("6C", 2, HERE), ("FSFSFC", 2, HERE)],
)
def test_components_lead_where_whole_hinges_cannot(kinds: str, freedoms: int, frame: Frame) -> None:
    model = ce.compile(chain(kinds, 5, frame))
    assert len(model.layout.v) == freedoms
    q, v = moving(model, 3, 0.02)
    equals_the_augmented_model(model, q, v, 1e-12 if frame is HERE else 5e-11)


def test_hinges_without_freedom_crowd_nothing_out() -> None:
    """Eighteen revolutes in a ring with as many Fixed hinges between: 12 freedoms of whole hinges."""
    embedding = embed(chain("RF" * 18, 1))
    assert embedding.n_v == 12
    assert all(name.startswith("R") for name in embedding.q_of)


def test_the_search_for_whole_hinges_is_through() -> None:
    """Ten ball joints and a hinge that has to be in: found although most sets are never looked at.

    Of 36 velocities 30 are free; 3 a − 2 b sums to 30 only with ten of eleven ball joints, or nine and
    1.5 universals, which is none.
    """
    system = chain("S" * 11 + "R" * 3, 2)
    freedoms = Freedoms(system.bodies, system.closures, system.bodies)
    assert freedoms.number == 30
    choice = IndependentChoice(freedoms.Y, freedoms.free, freedoms.number)
    whole = choice.whole_hinges()
    assert whole is not None
    assert sum(body.inboard.n_v for body in whole) == 30


def test_absence_of_whole_set_is_true() -> None:
    """Every set of hinges with the right number of velocities is tried against the rank of Y₁."""
    from itertools import combinations

    for seed, kinds in enumerate(("SSU", "UUUU", "SUCR", "USRU", "CCCC", "PRRP", "SRRR")):
        system = chain(kinds, seed)
        freedoms = Freedoms(system.bodies, system.closures, system.bodies)
        choice = IndependentChoice(freedoms.Y, freedoms.free, freedoms.number)
        owners = [body for body in system.bodies for _ in range(body.inboard.n_v)]
        possible = False
        for count in range(len(system.bodies) + 1):
            for bodies in combinations(system.bodies, count):
                if sum(body.inboard.n_v for body in bodies) == freedoms.number:
                    rest = [k for k, body in enumerate(owners) if body not in bodies]
                    possible |= int(np.linalg.matrix_rank(freedoms.Y[:, rest])) == len(rest)
        assert (choice.whole_hinges() is not None) == possible
        assert (choice._first(choice.free) is not None) == possible
        assert choice.searched


# Functions of positions


def height_of_hub(see: object) -> object:
    """The height of the hub above the ground, module level so that it can be pickled."""
    return see.point("hub", (0.5, 0.0, 0.35), "ground")[2]  # type: ignore[attr-defined]


def quarter_car(independent: Sequence[Independent]) -> System:
    y = (0, 1, 0)
    s = System(gravity=(0.0, 0.0, -9.81))
    arm = s.add_body("arm", mass=5.0, com=(0.2, 0, 0.3), inertia=(0.1,) * 3, parent=s.ground,
                     hinge=ce.Revolute(y, at=(0, 0, 0.3)))  # fmt: skip
    s.add_body("hub", mass=9.0, com=(0.4, 0, 0.4), inertia=(0.1,) * 3, parent=arm,
               hinge=ce.Revolute(y, at=(0.4, 0, 0.3)))  # fmt: skip
    s.add_body("link", mass=2.0, com=(0.2, 0, 0.53), inertia=(0.1,) * 3, parent=s.ground,
               hinge=ce.Revolute(y, at=(0.0, 0, 0.55)))  # fmt: skip
    s.close_loop("pin", "link", "hub", ce.Revolute(y, at=(0.45, 0, 0.5)), independent)
    return s


TRAVEL = ce.FunctionCoordinate("travel", ("hub", "ground"), height_of_hub)


def test_wheel_travel_leads_a_suspension() -> None:
    model = ce.compile(quarter_car([TRAVEL]))
    assert [(entry.name, entry.unit) for entry in model.layout.q] == [("travel", "m")]
    q, v = np.array((0.07,)), np.array((0.8,))
    equals_the_augmented_model(model, q, v)
    place, velocity = model.instant(np.concatenate((q, v)), model.u0).outward.point(
        model.system.find("hub"), np.array((0.5, 0.0, 0.35)), model.system.ground
    )
    assert float(place[2]) - 0.35 == pytest.approx(0.07, abs=1e-15)
    assert float(velocity[2]) == pytest.approx(0.8, abs=1e-14)


def test_linearisation_and_equilibrium() -> None:
    """Equilibrium and its frequency do not depend on what leads."""
    found = []
    for leads in ([TRAVEL], ["arm"]):
        system = quarter_car(leads)
        ends = system.ground, (0.4, 0, 1.0), system.find("hub"), (0.4, 0, 0.3)
        system.add_force(ce.SpringDamper("spring", *ends, spring=2e3, damper=0.0, free_length=0.7))
        model = ce.compile(system)
        rest = model.equilibrium()
        modes = model.modes(rest.y)
        found.append((model.assemble(y=rest.y).coordinates["arm"], *np.sort(modes.frequency)))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-7)
    assert found[0][0] > 0.01


def test_initial_values_of_components_and_functions() -> None:
    system = quarter_car([TRAVEL])
    system.start(TRAVEL, q=0.05, v=-0.2)
    np.testing.assert_array_equal(ce.compile(system).y0, (0.05, -0.2))
    system = axle([("axle", "z"), ("axle", "roll")])
    system.start(("axle", "z"), q=0.02)
    system.start(ce.Component("axle", "roll"), v=0.1)
    np.testing.assert_array_equal(ce.compile(system).y0, (0.02, 0.0, 0.0, 0.1))
    system.start(("axle", "x"), q=0.1)
    with pytest.raises(ce.IndependentCoordinatesError, match=r"coordinate 'axle\.x': initial values"):
        ce.compile(system)


def test_what_leads_can_be_pickled() -> None:
    system = pickle.loads(pickle.dumps(axle([("axle", "z"), ("axle", "roll")])))
    assert [entry.name for entry in ce.compile(system).layout.q] == ["axle.z", "axle.roll"]


def test_an_angle_comes_round() -> None:
    """A crank led by the absolute angle of the coupler's end turns through whole turns."""

    def build(independent: Sequence[Independent]) -> System:
        s, y = System(), (0, 1, 0)
        crank = s.add_body("crank", mass=1.0, com=(0.1, 0, 0), inertia=(0.1,) * 3, parent=s.ground,
                           hinge=ce.Universal(y, (1, 0, 0)))  # fmt: skip
        rod = s.add_body("rod", mass=1.0, com=(0.5, 0, 0), inertia=(0.1,) * 3, parent=crank,
                         hinge=ce.Spherical((0.2, 0, 0)))  # fmt: skip
        slider = s.add_body("slider", mass=1.0, com=(1, 0, 0), inertia=(0.1,) * 3, parent=s.ground,
                            hinge=ce.Prismatic((1, 0, 0), (1, 0.05, 0)))  # fmt: skip
        s.close_loop("end", rod, slider, ce.Universal((0, 0, 1), (0, 1, 0), (1, 0.05, 0)))
        s.close_loop("plane", crank, s.ground, ce.Planar((0, 1, 0)), independent)
        return s

    model = ce.compile(build([("crank", "1")]))
    assert [entry.name for entry in model.layout.q] == ["crank.1"]
    for q in (2.0, 5.0, 2.0 + 2.0 * math.pi, -40.0):
        equals_the_augmented_model(model, np.array((q,)), np.array((3.0,)))


# Errors


@pytest.mark.parametrize(
    ("independent", "message"),
    [
        ([("axle", "qx")], r"Free hinge of body 'axle' has no component 'qx'.*\['x', 'y', 'z', 'roll'"),
        ([("axle", 4)], r"has no component 4 that can be independent"),
        ([("ground", 0)], r"the ground has no hinge"),
        ([("axle", "z", 1)], r"component of a hinge .* must be a list of 2"),
        ([("axle", "z"), "axle"], r"'axle\.z': the whole hinge of 'axle' is independent"),
        ([("axle", "z")], r"2 degrees of freedom .* 1 independent coordinates \['axle\.z'\]"),
        (
            [ce.FunctionCoordinate("axle", ("axle",), lambda see: see.coordinate("axle", 2))],
            r"coordinate 'axle' is called as a body is",
        ),
        ([ce.FunctionCoordinate("h", ("axle",), lambda see: math.nan)], r"coordinate 'h' is \[nan\]"),
        ([ce.FunctionCoordinate("h", ("axle",), lambda see: 0.0, "kg")], r"unit 'kg' must be one of"),
        ([ce.FunctionCoordinate("h", (), lambda see: 0.0)], r"name the bodies it looks at"),
        ([ce.FunctionCoordinate("h", ("ground",), lambda see: 0.0)], r"looks at \['ground'\]"),
    ],
)
def test_mistakes_are_named(independent: list[Independent], message: str) -> None:
    with pytest.raises(ce.CeDynamicsError) as caught:
        ce.compile(axle(independent))
    assert re.search(message, str(caught.value))


def test_components_lead_though_some_velocities_rest() -> None:
    """A rod free in space between two parallel bars: of its six velocities four rest in the plane."""
    s = ce.System()

    def add(name: str, parent: ce.Body, com: tuple[float, ...], hinge: ce.Hinge) -> ce.Body:
        return s.add_body(name, mass=1.0, com=com, inertia=(0.02, 0.02, 0.01), parent=parent, hinge=hinge)

    y = (0, 1, 0)
    upper = add("upper", s.ground, (0, 0, -0.2), ce.Revolute(y))
    lower = add("lower", upper, (0, 0, -0.6), ce.Revolute(y, at=(0, 0, -0.4)))
    crank = add("crank", upper, (0.08, 0.03, 0), ce.Revolute(y, at=(0.05, 0.03, 0)))
    rod = add("rod", s.ground, (0.11, 0.03, -0.2), ce.Free((0.11, 0.03, -0.2)))
    s.close_loop("top", crank, rod, ce.Spherical((0.11, 0.03, 0)))
    s.close_loop("bottom", rod, lower, ce.Spherical((0.11, 0.03, -0.42)))
    embedding = embed(s)
    assert {*embedding.coordinates} == {"crank", "rod.pitch", "rod.yaw"}
