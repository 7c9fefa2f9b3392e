"""Assembly for independent and dependent coordinates, against the geometry of the linkages."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.compiled.analysis import configurations
from ce_dynamics.kinematics.four_bar import FourBar
from tests.ce_dynamics.recursion_systems import add_linkage
from tests.support import systems as mechanisms

Z = (0.0, 0.0, 1.0)


@pytest.fixture(scope="module")
def slider_crank() -> ce.Model:
    return ce.Model(mechanisms.slider_crank(0.3, 0.8, 0.7))


def slider(angle: float) -> float:
    return 0.3 * math.cos(angle) + math.sqrt(0.8**2 - (0.3 * math.sin(angle)) ** 2)


def test_dependent_coordinates_for_independent_ones(slider_crank: ce.Model) -> None:
    found = slider_crank.assemble({"crank": 0.4})
    assert list(found.coordinates) == ["crank", "rod", "slider"]
    assert found.units == {"crank": "rad", "rod": "rad", "slider": "m"}
    assert found.coordinates["slider"] == pytest.approx(slider(1.1) - slider(0.7), abs=1e-12)
    place = found.poses.bodies.index("slider")
    np.testing.assert_allclose(found.poses.positions[place], (slider(1.1), 0, 0), atol=1e-12)
    np.testing.assert_array_equal(found.y, (0.4, 0.0))


@pytest.mark.parametrize("goal", [0.95, 0.75, 1.05])
def test_independent_coordinates_for_a_dependent_one(slider_crank: ce.Model, goal: float) -> None:
    found = slider_crank.assemble({"slider": goal - slider(0.7)})
    assert slider(0.7 + found.y[0]) == pytest.approx(goal, abs=1e-11)


def test_what_cannot_be_reached_is_named(slider_crank: ce.Model) -> None:
    far = 1.2 - slider(0.7)  # the slider's dead centre is at 1.1 m
    with pytest.raises(
        ce.AssemblyError, match=r"coordinate 'slider' cannot be brought to .* m: 0\.1.* m are missing"
    ):
        slider_crank.assemble({"slider": far})
    with pytest.raises(ce.AssemblyError, match=r"'slider' cannot be brought to .* contradict each other"):
        slider_crank.assemble({"crank": 0.0, "slider": 0.05})


@pytest.mark.parametrize("wanted", [{"slider": 1.2}, {"crank": 0.0, "slider": 0.05}])
def test_what_cannot_be_reached_is_given_up(
    slider_crank: ce.Model, wanted: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Searches from many starts end together after so many evaluations, one more per search at most."""
    made = []
    gap_of = configurations.gap_of

    def counted(*given: Any) -> Any:
        made.append(given)
        return gap_of(*given)

    monkeypatch.setattr(configurations, "gap_of", counted)
    with pytest.raises(ce.AssemblyError, match=r"given up after 300 evaluations: evaluations=3000 tries on"):
        slider_crank.assemble(wanted, evaluations=300)
    assert 300 <= len(made) <= 310
    with pytest.raises(ce.ModelError, match="evaluations 0 must be an integer, 1 or more"):
        slider_crank.assemble(wanted, evaluations=0)


def test_two_freedoms_and_one_wish() -> None:
    """The others move as little as they can; then with both given the solution is a point."""
    model = ce.Model(mechanisms.five_bar())
    one = model.assemble({"left coupler": 0.2})
    assert one.coordinates["left coupler"] == pytest.approx(0.2, abs=1e-11)
    both = model.assemble({"left coupler": 0.2, "right coupler": -0.1})
    assert both.coordinates["right coupler"] == pytest.approx(-0.1, abs=1e-11)
    closed = [both.poses.rotations[k] for k in range(4)]
    bodies, (_, pin) = model.system.bodies, model.system.closures[0].attachments[0]
    ends = [
        both.poses.positions[k] + closed[k] @ (pin - bodies[k].com)
        for k in (both.poses.bodies.index("left coupler"), both.poses.bodies.index("right coupler"))
    ]
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-11)


def test_angles_come_round() -> None:
    """A dependent angle is known up to turns; asking for one beyond half a turn finds it."""
    system = ce.System()
    linkage = FourBar((0, 0, 0), (0, 0.3, 0.4), (0, 1.1, 0.7), (0, 1.0, 0), (1, 0, 0))
    add_linkage(system, linkage, np.random.default_rng(0))
    model = ce.Model(system)
    here = model.assemble({"crank": 0.5}).coordinates["rocker"]
    again = model.assemble({"rocker": here + 2.0 * math.pi}, y=[0.45, 0.0])
    assert again.y[0] == pytest.approx(0.5, abs=1e-9)


def test_turns_of_gears_count() -> None:
    system = ce.System()
    for name, x in (("a", 0.0), ("b", 1.0)):
        system.add_body(
            name, mass=1.0, com=(x, 0, 0), inertia=(1, 1, 1), parent="ground", hinge=ce.Revolute(Z, (x, 0, 0))
        )
    system.couple("mesh", ("a", "b"), ce.Gear(-4.0), independent=("a",))
    assert ce.Model(system).assemble({"b": 20.0}).y[0] == pytest.approx(-5.0, rel=1e-12)


def test_rough_positions_choose_where_to_start() -> None:
    """The guess decides between the two crank angles that put the slider in a place."""
    model = ce.Model(mechanisms.slider_crank(0.3, 0.8, 0.7))
    goal = slider(2.0) - slider(0.7)
    up = model.assemble({"slider": goal}, near={"crank": (-0.05, 0.1, 0.0)})
    down = model.assemble({"slider": goal}, near={"crank": (-0.05, -0.1, 0.0)}, y=[-0.7, 0.0])
    assert 0.7 + up.y[0] == pytest.approx(2.0, abs=1e-10)
    assert math.remainder(0.7 + down.y[0], 2 * math.pi) == pytest.approx(-2.0, abs=1e-10)


def test_rough_position_of_a_ball_joint() -> None:
    system = ce.System()
    system.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(1, 1, 1), parent="ground", hinge=ce.Spherical())
    model = ce.Model(system)
    found = model.assemble(near={"bob": (2.0, 0.5, 0.3)})
    expected = np.array((2.0, 0.5, 0.3)) / np.linalg.norm((2.0, 0.5, 0.3))
    np.testing.assert_allclose(found.poses.positions[0], expected, atol=1e-6)


def test_prescribed_coordinates_are_inputs() -> None:
    system = ce.System()
    for name, unit in (("drive", "m"), ("drive_rate", "m/s"), ("drive_acceleration", "m/s^2")):
        system.add_input(name, unit)
    system.add_body("cart", mass=1.0, parent="ground", hinge=ce.Prismatic((1, 0, 0)))
    system.prescribe("cart", ce.Driven("drive"))
    system.add_body("arm", mass=1.0, com=(0, 1, 0), inertia=(1, 1, 1), parent="cart", hinge=ce.Revolute(Z))
    model = ce.Model(system)
    found = model.assemble({"arm": 0.2}, u=[0.7, 0.0, 0.0])
    assert found.coordinates == {"cart": 0.7, "arm": pytest.approx(0.2)}
    with pytest.raises(
        ce.AssemblyError, match=r"coordinate 'cart' cannot be brought to 1 m: 0\.3 m are missing"
    ):
        model.assemble({"cart": 1.0}, u=[0.7, 0.0, 0.0])


def test_names_are_checked(slider_crank: ce.Model) -> None:
    with pytest.raises(
        ce.ModelError, match=r"no coordinate 'piston' \(known are \['crank', 'rod', 'slider'\]"
    ):
        slider_crank.assemble({"piston": 1.0})
    with pytest.raises(ce.ModelError, match="coordinate 'crank': nan must be a finite number"):
        slider_crank.assemble({"crank": math.nan})
    with pytest.raises(ce.ModelError, match="no body 'piston'"):
        slider_crank.assemble(near={"piston": (0, 0, 0)})
    with pytest.raises(ce.ModelError, match=r"near\['rod'\] must be 3 finite numbers"):
        slider_crank.assemble(near={"rod": (0, 0)})
    system = ce.System()
    system.add_body("bob", mass=1.0, com=(0, 0, -1), inertia=(1, 1, 1), parent="ground", hinge=ce.Spherical())
    with pytest.raises(ce.ModelError, match=r"coordinate 'bob.qw' is part of a quaternion"):
        ce.Model(system).assemble({"bob.qw": 1.0})


def test_poses_that_cannot_be_assembled_are_refused() -> None:
    """Coupler and rocker are straight before the crank has turned by 2 rad."""
    model = ce.Model(mechanisms.four_bar((1.0, 0.8, 0.9, 1.2), 0.9))
    assert math.acos((1.0 + 1.2**2 - (0.8 + 0.9) ** 2) / (2.0 * 1.0 * 1.2)) - 0.9 < 2.0
    for asked in (model.poses, partial(ce.draw, model)):
        with pytest.raises(ce.AssemblyError, match=r"cannot be assembled at \{'crank': \[2\.0\]\}"):
            asked(y=(2.0, 0.0))
