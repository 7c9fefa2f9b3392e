"""Bushings: the compliance matrix against rates of the ideal axle, and against a bushed suspension in SciPy.

The suspension is Adams' demonstration of a front axle: hardpoints in mm (x to the rear, y to the right), its
bushings in N/mm and N mm/rad.
"""

from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import ce_dynamics as ce
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.elastic_joints import ElasticJoint, make_elastic
from ce_dynamics.models import kc
from ce_dynamics.models.kc.page import compliance_rows, design_rows
from tests.models.kc.rods import Floats

MIRROR = np.array([1.0, -1.0, 1.0])


def point(x: float, y: float, z: float) -> Floats:
    return 1e-3 * np.array([-x, -y, z])


LEFT = {
    "upper_front": point(-367, -450, 555), "upper_rear": point(-517, -490, 560),
    "upper_ball": point(-307, -675, 555), "lower_front": point(-67, -400, 180),
    "lower_rear": point(-467, -450, 185), "lower_ball": point(-267, -750, 130),
    "rod_inner": point(-467, -400, 330), "rod_outer": point(-417, -750, 330),
    "centre": point(-267, -760, 330),
}  # fmt: skip
UPPER = np.array([1000e3, 2600e3, 1100e3, 332.315, 401.070, 21.772])
LOWER = np.array([4400e3, 4400e3, 800e3, 1489.690, 1489.690, 57.296])
ADAMS = 0.7265, 0.3929
"""[deg] Changes of toe and camber over ±10 mm that Adams Car 2024.1 gives for its demonstration."""
SPRING = 102e3, 0.038
"""Rate and lean of springs with which both come out (`tests.models.kc.adams`)."""


def points(side: str) -> dict[str, Floats]:
    return {name: at if side == "left" else MIRROR * at for name, at in LEFT.items()}


def axle(spring: float = 0.0, lean: float = 0.06) -> kc.KCRig:
    wheels = (kc.Wheel(f"{side}.wheel", 0.3) for side in ("left", "right"))
    left, right = wheels
    return kc.KCRig(ce.compile(linkage(spring, lean=lean)), kc.Axle("front", left, right, chassis="ground"))


def linkage(spring: float = 0.0, sides: tuple[str, ...] = ("left", "right"), lean: float = 0.06) -> ce.System:
    """The ideal axle; with a spring rate, springs on the lower arms that are relaxed in the design pose.

    They are 0.35 m high and lean inwards by ``lean``."""
    system = ce.System(gravity=(0, 0, 0), name="demonstration")
    for side in sides:
        p = points(side)

        def body(name: str, com: Floats, parent: Any, hinge: Any, side: str = side) -> Any:
            return system.add_body(
                f"{side}.{name}", mass=1.0, com=com, inertia=(0.01, 0.01, 0.01), parent=parent, hinge=hinge
            )

        arms = {}
        for arm in ("upper", "lower"):
            front, rear, ball = (p[f"{arm}_{end}"] for end in ("front", "rear", "ball"))
            hinge = ce.Revolute(front - rear, at=0.5 * (front + rear))
            arms[arm] = body(f"{arm}_arm", (front + rear + ball) / 3.0, system.ground, hinge)
        knuckle = body("knuckle", p["centre"], arms["lower"], ce.Spherical(at=p["lower_ball"]))
        lead = [arms["lower"]]
        upper = ce.Spherical(at=p["upper_ball"])
        system.close_loop(f"{side}.upper_ball", arms["upper"], knuckle, upper, independent=lead)
        rod = ce.Distance(p["rod_inner"], p["rod_outer"])
        system.close_loop(f"{side}.tie_rod", system.ground, knuckle, rod, independent=lead)
        body("wheel", p["centre"], knuckle, ce.Revolute((0, 1, 0), at=p["centre"]))
        if spring:
            low = 0.6 * p["lower_ball"] + 0.2 * (p["lower_front"] + p["lower_rear"])
            inward = -lean if side == "left" else lean
            ends = system.ground, low + (0.0, inward, 0.35), arms["lower"], low
            system.add_force(ce.SpringDamper(f"{side}.spring", *ends, spring=spring))
    return system


def bushings() -> list[kc.Bushing]:
    """Two at each arm, their z axes along the arm's axis."""
    made = []
    for side in ("left", "right"):
        p = points(side)
        for arm, stiffness in (("upper", UPPER), ("lower", LOWER)):
            along = p[f"{arm}_front"] - p[f"{arm}_rear"]
            made += [
                kc.Bushing(("ground", f"{side}.{arm}_arm"), p[f"{arm}_{end}"], along, stiffness)
                for end in ("front", "rear")
            ]
    return made


@pytest.fixture(scope="module")
def rig() -> kc.KCRig:
    return axle()


def turning(R: Rotation) -> Floats:
    """J with ω = J φ̇: the mean of exp(s φ×) over 0 ≤ s ≤ 1, by Gauss's rule of 8 points."""
    s, weights = np.polynomial.legendre.leggauss(8)
    phi = R.as_rotvec()
    parts = Rotation.from_rotvec(np.outer(0.5 * (s + 1.0), phi)).as_matrix()
    mean: Floats = np.einsum("i,ijk->jk", 0.5 * weights, parts)
    return mean


class Bushed:
    """The left side in SciPy: three free bodies, ball joints by multipliers, bushings by their forces."""

    def __init__(self) -> None:
        self.p = points("left")
        self.bodies = ("upper", "lower", "knuckle")
        p = self.p
        self.origin = {arm: 0.5 * (p[f"{arm}_front"] + p[f"{arm}_rear"]) for arm in ("upper", "lower")}
        self.origin["knuckle"] = p["centre"]
        by = {(b.between[1].split(".")[1][:5], tuple(np.asarray(b.at))): b for b in bushings()[:4]}
        self.bushes = [(arm, np.array(at), bush) for (arm, at), bush in by.items()]

    def residual(self, x: Floats, load: Floats, height: float | None) -> Floats:
        """Balance of the bodies, gaps of the joints; with a height the last entry is its vertical force."""
        parts = {b: x[6 * k : 6 * k + 6] for k, b in enumerate(self.bodies)}
        pose = {b: (part[:3], Rotation.from_rotvec(part[3:])) for b, part in parts.items()}
        forces = 1e3 * x[18:]
        wrench = {b: np.zeros(6) for b in self.bodies}

        def at(body: str, place: Floats) -> Floats:
            shift, turn = pose[body]
            moved: Floats = self.origin[body] + shift + turn.apply(place - self.origin[body])
            return moved

        def push(body: str, place: Floats, force: Floats, torque: Any = 0.0) -> None:
            centre = self.origin[body] + pose[body][0]
            wrench[body] += np.concatenate((force, np.cross(place - centre, force) + torque))

        for arm, place, bush in self.bushes:
            T, k = bush.frame(), np.asarray(bush.stiffness)
            now = at(arm, place)
            push(
                arm,
                now,
                -T @ (k[:3] * (T.T @ (now - place))),
                -np.linalg.solve(turning(pose[arm][1]).T, T @ (k[3:] * (T.T @ pose[arm][1].as_rotvec()))),
            )
        gaps: list[Any] = []
        for j, arm in enumerate(("upper", "lower")):
            ball, force = self.p[f"{arm}_ball"], forces[3 * j : 3 * j + 3]
            on_knuckle, on_arm = at("knuckle", ball), at(arm, ball)
            gaps.append(on_knuckle - on_arm)
            push("knuckle", on_knuckle, force)
            push(arm, on_arm, -force)
        outer = at("knuckle", self.p["rod_outer"])
        along = outer - self.p["rod_inner"]
        length = np.linalg.norm(along)
        gaps.append([length - np.linalg.norm(self.p["rod_outer"] - self.p["rod_inner"])])
        push("knuckle", outer, forces[6] * along / length)
        centre = at("knuckle", self.p["centre"])
        push("knuckle", centre, load[:3], load[3:])
        if height is not None:
            push("knuckle", centre, np.array([0.0, 0.0, forces[7]]))
            gaps.append([centre[2] - self.p["centre"][2] - height])
        return np.concatenate([*(1e-3 * wrench[b] for b in self.bodies), *gaps])

    def solved(self, load: Floats, height: float | None = None) -> tuple[Floats, Floats]:
        """Shift of the wheel's centre and turn of the knuckle."""
        x = np.zeros(25 if height is None else 26)
        for _ in range(12):  # Newton's method: stiff bushings, small loads
            if np.max(np.abs(self.residual(x, load, height))) < 1e-12:
                break
            steps = 1e-6 * np.eye(len(x))
            pairs = [(self.residual(x + h, load, height), self.residual(x - h, load, height)) for h in steps]
            J = np.array([(ahead - behind) / 2e-6 for ahead, behind in pairs]).T
            x = x - np.linalg.solve(J, self.residual(x, load, height))
        assert np.max(np.abs(self.residual(x, load, height))) < 1e-11
        return x[12:15], x[15:18]


def test_compliance_against_a_bushed_suspension(rig: kc.KCRig, elastic: kc.Compliance) -> None:
    """Loads of ±1 N and ±1 N m move by 0.5 mm at most: differences are good to (0.5 mm/0.35 m)² = 2e-6."""
    C = elastic.at(rig.solve_poses([[0.0, 0.0]])[0]).C
    np.testing.assert_allclose(C, C.T, rtol=1e-9, atol=1e-9 * np.abs(C).max())  # Maxwell: nothing is loaded
    assert (
        np.max(np.abs(C[:6, 6:])) < 1e-11 * np.abs(C).max()
    )  # sides are independent: rounding, as of C itself
    bushed = Bushed()
    for k, load in enumerate(np.eye(6)):
        ahead, behind = (np.concatenate(bushed.solved(sign * load)) for sign in (1.0, -1.0))
        expected = 0.5 * (ahead - behind)
        np.testing.assert_allclose(C[:6, k], expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())


def test_travel_with_bushings_against_scipy(rig: kc.KCRig, elastic: kc.Compliance) -> None:
    """±10 mm: both solve the same balance; steps of 1e-6 in the other's derivatives do not change its end."""
    yields = []
    for z in (-0.01, 0.01):
        pose = rig.solve_poses([[z, z]])
        found = kc.travel_sweep(elastic, "parallel", [z])
        ideal = rig.read(pose, ["toe_angle", "camber_angle"])
        _, turn = Bushed().solved(np.zeros(6), z)
        e = Rotation.from_rotvec(turn).apply([0.0, 1.0, 0.0])
        expected = {"toe_angle": np.arctan2(e[0], e[1]), "camber_angle": -np.arcsin(e[2])}
        for name, value in expected.items():
            yielded = value - ideal[name][0, 0]
            yields.append(abs(yielded))
            assert float(found[name][0, 0]) - ideal[name][0, 0] == pytest.approx(yielded, abs=1e-9)
    assert 1e-6 < max(yields) < 2e-4


@pytest.mark.parametrize(
    ("kind", "axis", "size"), [("lateral", 1, 4e3), ("longitudinal", 0, -5e3), ("aligning", 5, 150.0)]
)
def test_forces_against_scipy(elastic: kc.Compliance, kind: str, axis: int, size: float) -> None:
    """Wheels held at a height; the bushings yield by millimetres, which no linear step would give."""
    place = "contact" if kind == "aligning" else "centre"
    sweep = kc.force_sweep_of(kind, [-size, size], place=place, travel=(0.005, 0.005))
    found = kc.force_sweep(elastic, sweep).sel(side="left")
    for k, value in enumerate((-size, size)):
        shift, turn = Bushed().solved(value * np.eye(6)[axis], 0.005)
        expected = LEFT["centre"] + shift
        where = [found[f"wheel_centre_{x}"].values[k] for x in "xyz"]
        np.testing.assert_allclose(where, expected, rtol=0.0, atol=1e-9)
        e = Rotation.from_rotvec(turn).apply([0.0, 1.0, 0.0])
        assert found["steer_angle"].values[k] == pytest.approx(np.arctan2(-e[0], e[1]), abs=1e-9)
    assert np.ptp(found["wheel_centre_x"].values) > 1e-6


def test_small_forces_give_the_figures_of_the_matrix(sprung: kc.KCRig, elastic_sprung: kc.Compliance) -> None:
    """With constant load, ±10 N: curves bend by (10 N/5 kN)² of what they are, at most."""
    elastic = elastic_sprung
    C = elastic.at(sprung.solve_poses([[0.0, 0.0]])[0]).C
    figures = kc.compliance_figures(C, 1.5, 0.3)
    for kind, place, name in (
        ("lateral", "contact", "lateral_force_steer_parallel"),
        ("lateral-opposed", "contact", "lateral_force_steer_opposed"),
        ("aligning", "contact", "aligning_torque_steer_parallel"),
        ("longitudinal", "contact", "longitudinal_steer_at_contact"),
        ("longitudinal", "centre", "longitudinal_steer_at_centre"),
    ):
        sweep = kc.force_sweep_of(kind, [-10.0, 10.0], place=place, hold="load")
        steer = kc.force_sweep(elastic, sweep)["steer_angle"].sel(side="left").values
        assert np.ptp(steer) / 20.0 == pytest.approx(abs(figures[name]), rel=1e-4)
        assert np.sign(steer[1] - steer[0]) == np.sign(figures[name])


def test_dynamic_bushings_rest_where_the_rig_says(sprung: kc.KCRig) -> None:
    """The same joints replaced in a model that moves: its equilibrium under the same loads, to 1e-9."""
    load = np.array([[400.0, -900.0, 1500.0]])
    wheels = np.zeros((2, 9))
    wheels[0, :3] = load
    rig_system = sprung.model.system
    soft: list[Any] = [*bushings(), *(rod(rig_system, side) for side in ("left", "right"))]
    rigs = kc.Compliance(sprung, soft).at(sprung.solve_poses([[0.0, 0.0]])[0], wheels, np.zeros(2))
    rate, lean = SPRING
    system = linkage(rate, ("left",), lean)
    elastic = [
        ElasticJoint(f"hinge of {one.between[1]}", one.element(f"bushing {k}", system))
        for k, one in enumerate(bushings()[:4])
    ]
    make_elastic(system, [*elastic, rod(system, "left")])
    assert not system.closures
    assert system.find("left.upper_arm").carrier.name == "left.knuckle"  # one loop less
    centre = LEFT["centre"]
    knuckle = system.find("left.knuckle")
    push = ce.AppliedWrench("push", knuckle, at=centre, force=load[0].tolist())
    system.add_force(push)
    for k, x in enumerate("xyz"):
        system.add_output(x, "m", partial(coordinate, body=knuckle, at=centre, ground=system.ground, k=k))
    model = ce.compile(system)
    names = [entry.name for entry in model.output_entries]
    at_rest = model.observe(model.equilibrium(hold=["left.wheel"]).y, model.u0)["outputs"]
    found = [at_rest[names.index(x)] for x in "xyz"]
    np.testing.assert_allclose(found, rigs.W[0], rtol=0.0, atol=1e-9)
    assert np.linalg.norm(rigs.W[0] - centre) > 5e-3


def rod(system: ce.System, side: str) -> ElasticJoint:
    """The tie rod of a side, which gives way along its line: more in tension than in compression."""
    p = points(side)
    ends = system.ground, p["rod_inner"], system.find(f"{side}.knuckle"), p["rod_outer"]
    law = ce.Tabulated((-1e-3, 0.0, 1e-3), (-2e4, 0.0, 1e4), interpolation="cubic")
    return ElasticJoint(f"{side}.tie_rod", ce.SpringDamper(f"{side}.rod", *ends, spring=law))


def coordinate(observer: Any, body: Any, at: Floats, ground: Any, k: int) -> Any:
    return observer.point(body, at, ground).r[k]


@pytest.fixture(scope="module")
def sprung() -> kc.KCRig:
    return axle(*SPRING)


@pytest.fixture(scope="module")
def elastic(rig: kc.KCRig) -> kc.Compliance:
    return kc.Compliance(rig, bushings())


@pytest.fixture(scope="module")
def elastic_sprung(sprung: kc.KCRig) -> kc.Compliance:
    return kc.Compliance(sprung, bushings())


def changes_over_travel(one: kc.KCRig, soft: bool) -> list[float]:
    """Return changes of toe and camber from 10 mm of droop to 10 mm of bump [deg]."""
    names = ("toe_angle", "camber_angle")
    travels = [-0.01, 0.01]
    found = (
        kc.travel_sweep(kc.Compliance(one, bushings()), "parallel", travels)
        if soft
        else one.sweep("parallel", travels, quantities=names)
    )
    return [float(np.degrees(np.ptp(found[key].values[:, 0]))) for key in names]


def test_adams_demonstration(rig: kc.KCRig, sprung: kc.KCRig) -> None:
    """Its springs are not published.  The ideal linkage gives 0.7234° and 0.3877°; bushings alone change
    that by less than 0.001°, as nothing but their own torsion loads them.  Springs do: with plausible ones
    both are Adams', to half of their last digit.
    """
    changes = {
        name: changes_over_travel(one, soft)
        for name, one, soft in (("ideal", rig, False), ("bushed", rig, True), ("sprung", sprung, True))
    }
    assert changes["ideal"] == pytest.approx([0.7234, 0.3877], abs=5e-5)
    assert changes["bushed"] == pytest.approx(changes["ideal"], abs=1e-3)
    assert changes["sprung"] == pytest.approx(ADAMS, abs=5e-5)


@pytest.mark.parametrize("travel", [(0.0, 0.0), (0.05, 0.05), (0.03, -0.04)])
def test_without_bushings_rates_are_those_of_ideal_axle(sedan: kc.KCRig, travel: Any) -> None:
    """Free bodies in equilibrium against the energy over the travel: springs, stops, bars, preloads."""
    pose = sedan.solve_poses([travel])
    read = sedan.read(pose)
    found = kc.Compliance(sedan, []).at(pose[0])
    np.testing.assert_allclose(found.preload, read["wheel_force"][0], rtol=1e-9)
    C = found.C
    np.testing.assert_allclose(1.0 / C[[2, 8], [2, 8]], read["single_wheel_rate"][0], rtol=1e-9)
    wheel = sedan.axle.left
    figures = kc.compliance_figures(C, read["track"][0], wheel.loaded_radius, wheel.tyre_rate)
    assert figures["roll_rate"] == pytest.approx(read["roll_rate"][0], rel=1e-9)
    assert figures["roll_rate_with_tyres"] == pytest.approx(read["roll_rate_with_tyres"][0], rel=1e-9)
    assert figures["ride_caster"] == pytest.approx(-read["ride_caster"][0, 0], abs=1e-9)
    for force in (0, 1, 3, 5, 6, 7, 9, 11):  # what the links carry moves nothing but along the travel
        assert abs(C[force, force]) < 1e-4
    assert np.max(np.abs(found.turns)) < 1e-12


def test_table_has_the_signs_of_the_other_figures(sedan: kc.KCRig) -> None:
    """Without bushings every figure that both tables have is the same number."""
    rigid = {row.name: row for row in design_rows(sedan)}
    found = compliance_rows(kc.Compliance(sedan, []))
    common = [row for row in found if row.name in rigid and row.name != "wheel_rate"]
    assert len(common) == 5
    for row in common:
        assert row.unit == rigid[row.name].unit
        assert row.values[0] == pytest.approx(rigid[row.name].values[0], rel=1e-8, abs=1e-8)
    single = next(row for row in found if row.name == "wheel_rate")  # 1/C33
    assert single.values == pytest.approx(rigid["single_wheel_rate"].values[:1], rel=1e-9)


@pytest.fixture(scope="module")
def sedan() -> kc.KCRig:
    return kc.rig_of("sedan", "front")


def test_stiff_bushings_are_ideal_and_soft_ones_yield(sprung: kc.KCRig) -> None:
    """The compliance of bushings without torsion adds to that of the ideal axle and goes with theirs."""
    rig = sprung
    pose = rig.solve_poses([[0.004, 0.004]])[0]
    ideal = kc.Compliance(rig, []).at(pose).C
    added = []
    for factor in (1e3, 1.0, 0.1):
        soft = []
        for one in bushings():
            k = factor * np.asarray(one.stiffness)
            k[3:] = 0.0
            soft.append(kc.Bushing(one.between, one.at, one.axis, k))
        added.append((kc.Compliance(rig, soft).at(pose).C - ideal)[1, 1])
    assert added[1] > 1e-7
    assert added[0] == pytest.approx(1e-3 * added[1], rel=0.02)
    assert added[2] == pytest.approx(10.0 * added[1], rel=0.02)


def test_figures_of_the_matrix() -> None:
    """Two independent wheels with one number in each place: every formula by hand."""
    C = np.zeros((12, 12))
    C[2, 2] = C[8, 8] = 1.0 / 20e3
    C[0, 0], C[0, 6] = 1e-7, 3e-7
    C[1, 1], C[1, 3], C[3, 1], C[7, 1] = 2e-7, 3e-7, 3e-7, 5e-8
    C[5, 2], C[5, 5], C[5, 11] = 4e-6, 7e-6, 1e-6
    found = kc.compliance_figures(C, 1.5, 0.3, 200e3)
    assert found["wheel_rate"] == pytest.approx(20e3)
    assert found["roll_rate"] == pytest.approx(1.5**2 * 20e3 / 2.0)
    assert found["roll_rate_with_tyres"] == pytest.approx(1.5**2 / (2.0 / 20e3 + 2.0 / 200e3))
    assert found["fore_aft_stiffness"] == pytest.approx(1.0 / 4e-7)
    assert found["ride_steer"] == pytest.approx(4e-6 * 20e3)
    assert found["lateral_force_deflection_parallel"] == pytest.approx(2e-7 + 0.3 * 3e-7)
    assert found["aligning_torque_steer_parallel"] == pytest.approx(8e-6)
    assert found["aligning_torque_steer_opposed"] == pytest.approx(6e-6)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"between": ("ground", "left.knuckel")}, "left.knuckel"),
        ({"axis": (0.0, 0.0, 0.0)}, "axis is zero"),
        ({"stiffness": (1.0, 1.0)}, "6 finite numbers"),
        ({"stiffness": (-1.0, 1.0, 1.0, 1.0, 1.0, 1.0)}, "at least 0"),
        ({"axis": (0.0, 0.0, 1.0), "x_axis": (0.0, 0.0, 2.0)}, "along its axis"),
    ],
)
def test_mistakes_are_named(rig: kc.KCRig, changed: dict[str, Any], words: str) -> None:
    given: dict[str, Any] = {"between": ("ground", "left.lower_arm"), "at": (0, 0, 0), "axis": (1, 0, 0)}
    given |= {"stiffness": LOWER} | changed
    with pytest.raises(DataError, match=words):
        kc.Compliance(rig, [kc.Bushing(**given)])


def test_what_carries_nothing_is_told(rig: kc.KCRig) -> None:
    loose = [kc.Bushing(b.between, b.at, b.axis, (1e6, 1e6, 1e6, 0.0, 0.0, 0.0)) for b in bushings()]
    with pytest.raises(DataError, match="carried by nothing"):
        kc.Compliance(rig, loose).at(rig.solve_poses([[0.0, 0.0]])[0])
