"""What a system accepts, and what it says about what it does not accept."""

from __future__ import annotations

import doctest
import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import ce_dynamics.mechanism.system
from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.dynamics.state import Layout
from ce_dynamics.embedding.embed import embed
from ce_dynamics.embedding.linkage import Linkage
from ce_dynamics.embedding.motion import SubgraphMotion
from ce_dynamics.errors import ModelError, PhysicalityWarning
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.drives import Driven, Held, SecondOrderActuator
from ce_dynamics.mechanism.forces.base import ForceElement, Observer, Response
from ce_dynamics.mechanism.forces.spring_damper import SpringDamper
from ce_dynamics.mechanism.forces.wrench import AppliedWrench
from ce_dynamics.mechanism.hinges import Fixed, Free, Prismatic, Revolute, Spherical, Universal
from ce_dynamics.mechanism.inertia import check_inertia
from ce_dynamics.mechanism.system import System


def pendulum() -> System:
    system = System(name="pendulum")
    system.add_body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(1, 1, 0), parent="ground", hinge=hinge())
    return system


def hinge() -> Revolute:
    return Revolute((0, 1, 0))


class Listener(ForceElement):
    """Reads inputs and looks at a body."""

    def __init__(self, name: str, body: Body, inputs: tuple[str, ...] = ()) -> None:
        self.name, self.body, self.inputs = name, body, inputs

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        return ((self.body, self.body.com),)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        return Response(())


class Finds(Linkage):
    """Claims to find a hinge."""

    closes = ()

    def __init__(self, *names: str) -> None:
        self.determines = names

    def solve(self, motion: SubgraphMotion) -> None:
        raise AssertionError("not called")


def test_the_example_in_the_docstring() -> None:
    finder = doctest.DocTestFinder(recurse=False)
    (example,) = finder.find(System, "System", module=ce_dynamics.mechanism.system)
    assert len(example.examples) == 4
    assert doctest.DocTestRunner().run(example).failed == 0


# Bodies


@pytest.mark.parametrize("mass", [math.nan, math.inf, -1.0, -1e-300, "heavy", None])
def test_a_mass_must_be_finite_and_not_negative(mass: Any) -> None:
    with pytest.raises(ModelError, match=r"body 'arm': mass .*"):
        System().add_body("arm", mass=mass, parent="ground", hinge=hinge())


def test_a_mass_may_be_zero() -> None:
    body = System().add_body("arm", mass=0, parent="ground", hinge=hinge())
    assert body.mass == 0.0
    assert isinstance(body.mass, float)


@pytest.mark.parametrize(
    ("inertia", "message"),
    [
        ((1.0, 2.0), "must be 3 or 3×3 finite numbers"),
        (1.0, "must be 3 or 3×3 finite numbers"),
        ((1.0, math.nan, 1.0), "must be 3 or 3×3 finite numbers"),
        (np.full((3, 3), math.inf), "must be 3 or 3×3 finite numbers"),
        (("a", "b", "c"), "must be a list of numbers"),
        (((1, 2), (3,)), "must be a list of numbers"),
        (((2, 0.1, 0), (0, 2, 0), (0, 0, 2)), "must be symmetric"),
        (((2, 1e-9, 0), (0, 2, 0), (0, 0, 2)), "must be symmetric"),
        ((1.0, 1.0, -1.0), r"principal moment of inertia -1 must be >= 0"),
        (((1, 2, 0), (2, 1, 0), (0, 0, 3)), r"principal moment of inertia -1 must be >= 0"),
    ],
)
def test_an_inertia_must_be_symmetric_and_not_negative(inertia: Any, message: str) -> None:
    with pytest.raises(ModelError, match=rf"(?s)body 'arm': (inertia .* )?{message}"):
        System().add_body("arm", mass=1.0, inertia=inertia, parent="ground", hinge=hinge())


def test_an_inertia_that_no_body_has_is_used_with_a_warning() -> None:
    # The published lower control arm of the HMMWV.
    with pytest.warns(PhysicalityWarning, match=r"body 'arm': .* triangle inequality") as caught:
        body = System().add_body("arm", mass=1.0, inertia=(0.4, 0.4, 0.8938), parent="ground", hinge=hinge())
    np.testing.assert_array_equal(body.inertia, np.diag((0.4, 0.4, 0.8938)))
    assert caught[0].filename == __file__  # it points at the call, not into the package


@pytest.mark.parametrize(
    "inertia", [(0.0, 0.0, 0.0), (1.0, 1.0, 0.0), (1.0, 1.0, 2.0), (1e-20, 1e-20, 2e-20), (1e9, 2e9, 3e9)]
)
def test_points_rods_and_discs_are_bodies(inertia: tuple[float, float, float]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(check_inertia(inertia, "arm"), np.diag(inertia))


def test_a_turned_inertia_is_symmetric_to_rounding(rng: np.random.Generator) -> None:
    for _ in range(50):
        Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        given = Q @ np.diag((2.0, 3.0, 4.0)) @ Q.T
        kept = check_inertia(given, "arm")
        assert np.array_equal(kept, kept.T)
        np.testing.assert_allclose(kept, given, rtol=0.0, atol=1e-15)


def test_a_body_keeps_its_own_inertia_and_place() -> None:
    inertia, com = np.eye(3), np.zeros(3)
    body = System().add_body("arm", mass=1.0, com=com, inertia=inertia, parent="ground", hinge=hinge())
    inertia[0, 0], com[0] = 7.0, 7.0
    assert np.array_equal(body.inertia, np.eye(3))
    assert np.array_equal(body.com, np.zeros(3))


@pytest.mark.parametrize("com", [(0, 0), (0, 0, math.nan), "here", (0, math.inf, 0)])
def test_a_centre_of_mass_is_three_finite_numbers(com: Any) -> None:
    with pytest.raises(ModelError, match="body 'arm': com"):
        System().add_body("arm", mass=1.0, com=com, parent="ground", hinge=hinge())


@pytest.mark.parametrize("gravity", [(0, 0), (0, 0, math.nan), 9.81])
def test_gravity_is_three_finite_numbers(gravity: Any) -> None:
    with pytest.raises(ModelError, match="gravity"):
        System(gravity)


def test_the_centre_of_mass_is_the_hinge_point_if_not_given() -> None:
    body = System().add_body("arm", mass=1.0, parent="ground", hinge=Spherical((1, 2, 3)))
    assert np.array_equal(body.com, (1, 2, 3))


def test_what_is_no_hinge_is_refused() -> None:
    with pytest.raises(ModelError, match=r"body 'arm': hinge 'revolute' must be a hinge, such as Revolute"):
        System().add_body("arm", mass=1.0, parent="ground", hinge="revolute")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["rod", "ground"])
def test_a_body_name_is_used_once(name: str) -> None:
    with pytest.raises(ModelError, match=f"body '{name}' exists already"):
        pendulum().add_body(name, mass=1.0, parent="ground", hinge=hinge())


def test_an_unknown_parent_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ModelError, match="no body 'rodd' in system 'pendulum'; did you mean 'rod'"):
        pendulum().add_body("bob", mass=1.0, parent="rodd", hinge=hinge())
    with pytest.raises(ModelError, match=r"no body 'xyzzy' in system 'pendulum'$"):
        pendulum().find("xyzzy")


def test_a_refused_body_leaves_no_trace() -> None:
    system = pendulum()
    with pytest.raises(ModelError):
        system.add_body("bob", mass=1.0, inertia=(-1, 1, 1), parent="rod", hinge=hinge())
    assert [body.name for body in system.bodies] == ["rod"]
    bob = system.add_body("bob", mass=1.0, parent="rod", hinge=hinge())
    assert (bob.index, bob.depth, bob.carrier.name) == (2, 2, "rod")


def test_bodies_of_other_systems_are_refused() -> None:
    system, other = pendulum(), pendulum()
    for call in (
        lambda: system.add_body("bob", mass=1.0, parent=other.bodies[0], hinge=hinge()),
        lambda: system.add_body("bob", mass=1.0, parent=other.ground, hinge=hinge()),
        lambda: system.close_loop("pin", system.ground, other.bodies[0], Spherical()),
        lambda: system.prescribe(other.bodies[0], Held()),
        lambda: system.start(other.bodies[0], q=1.0),
        lambda: system.add_force(Listener("ear", other.bodies[0])),
        lambda: system.close_loop("pin", "ground", "rod", Spherical(), [other.bodies[0]]),
    ):
        with pytest.raises(ModelError, match=r"body '(rod|ground)' belongs to another system"):
            call()


def test_repr() -> None:
    system = pendulum()
    assert repr(system) == "System('pendulum': 1 bodies, 0 closures)"
    assert repr(system.find("rod")) == "Body('rod')"
    assert repr(system.ground) == "Body('ground')"


def test_design_points_relative_to_a_body() -> None:
    np.testing.assert_array_equal(pendulum().find("rod").local(np.array((1.0, 2.0, 3.0))), (1, 2, 3.5))


# Closures


def test_a_body_cannot_be_joined_to_itself() -> None:
    with pytest.raises(ModelError, match="closure 'pin' joins body 'rod' to itself; name two different"):
        pendulum().close_loop("pin", "rod", "rod", Spherical())


def test_a_closure_name_is_used_once() -> None:
    system = pendulum()
    loop = system.close_loop("pin", "rod", "ground", Spherical(), independent=["rod"])
    assert (loop.body_a.name, loop.body_b.name, loop.independent) == ("rod", "ground", ("rod",))
    with pytest.raises(ModelError, match="closure 'pin' exists already"):
        system.close_loop("pin", "rod", "ground", Spherical())


def test_closures_name_known_bodies() -> None:
    with pytest.raises(ModelError, match=r"no body 'road'.* did you mean 'rod'"):
        pendulum().close_loop("pin", "rod", "road", Spherical())
    with pytest.raises(ModelError, match="no body 'road'"):
        pendulum().close_loop("pin", "rod", "ground", Spherical(), independent=["road"])


def test_a_linkage_names_known_bodies() -> None:
    with pytest.raises(ModelError, match="no body 'rood'"):
        pendulum().use_linkage(Finds("rod", "rood"))


# Prescribed motions


@pytest.mark.parametrize("joint", [Universal((1, 0, 0), (0, 1, 0)), Spherical(), Free(), Fixed()])
def test_only_a_hinge_with_one_coordinate_is_prescribed(joint: Any) -> None:
    system = System()
    system.add_body("arm", mass=1.0, parent="ground", hinge=joint)
    with pytest.raises(ModelError, match="body 'arm': only a hinge with one coordinate can be prescribed"):
        system.prescribe("arm", Held())


def test_the_ground_is_not_prescribed() -> None:
    with pytest.raises(ModelError, match="body 'ground': only a hinge with one coordinate"):
        System().prescribe("ground", Held())


def test_a_hinge_is_prescribed_once() -> None:
    system = pendulum()
    system.prescribe("rod", Held())
    with pytest.raises(ModelError, match="body 'rod' is prescribed already"):
        system.prescribe("rod", Held(1.0))


@pytest.mark.parametrize(
    ("motion", "missing"),
    [(Driven("crank"), "crank_rate"), (SecondOrderActuator("wheel", 1.0, 10.0), "wheel")],
)
def test_a_motion_reads_declared_inputs(motion: Any, missing: str) -> None:
    system = pendulum()
    system.add_input("crank", "rad")
    with pytest.raises(
        ModelError, match=rf"motion of 'rod' reads input '{missing}', .* add_input\('{missing}'"
    ):
        system.prescribe("rod", motion)
    assert not system.prescribed


# Forces, inputs, outputs


def test_a_force_element_name_is_used_once() -> None:
    system = pendulum()
    system.add_force(Listener("ear", system.ground))
    with pytest.raises(ModelError, match="force element 'ear' exists already"):
        system.add_force(Listener("ear", system.ground))


def test_a_force_element_reads_declared_inputs() -> None:
    system = pendulum()
    with pytest.raises(ModelError, match=r"force element 'ear' reads input 'noise', which is not declared"):
        system.add_force(Listener("ear", system.ground, ("noise",)))
    wrench = AppliedWrench("push", system.find("rod"), (0, 0, 0), force=("noise", 0.0, 0.0))
    with pytest.raises(ModelError, match=r"force element 'push' reads input 'noise'"):
        system.add_force(wrench)
    system.add_input("noise", "N")
    system.add_force(wrench)
    assert system.forces == [wrench]


def test_a_force_element_acts_on_bodies_of_the_system() -> None:
    system, other = pendulum(), pendulum()
    spring = SpringDamper("spring", other.ground, (0, 0, 1), other.find("rod"), (0, 0, 0), spring=1.0)
    with pytest.raises(ModelError, match="body 'ground' belongs to another system"):
        system.add_force(spring)


@pytest.mark.parametrize("default", [math.nan, -math.inf, "full"])
def test_the_default_of_an_input_is_finite(default: Any) -> None:
    with pytest.raises(ModelError, match="input 'throttle': default"):
        System().add_input("throttle", "1", default)


def test_names_of_inputs_and_outputs_are_used_once() -> None:
    system = pendulum()
    system.add_input("a", "N")
    with pytest.raises(ModelError, match="input 'a' exists already"):
        system.add_input("a", "N")
    adders: list[Callable[..., None]] = [system.add_output, system.add_measurement]
    for first in adders:
        name = first.__name__
        first(name, "m", lambda seen: 0.0)
        for second in adders:
            with pytest.raises(ModelError, match=f"output '{name}' exists already"):
                second(name, "m", lambda seen: 0.0)


@pytest.mark.parametrize("members", [[], ["left", "left"]])
def test_a_group_has_different_members(members: list[str]) -> None:
    with pytest.raises(ModelError, match="group 'side': members"):
        System().group("side", members)


def test_a_dimension_has_a_name_that_files_can_have() -> None:
    with pytest.raises(ModelError, match="dimension 'left/right' has a /"):
        System().group("left/right", ["left", "right"])


@pytest.mark.parametrize("dimension", ["side", "time", "closure"])
def test_a_dimension_is_given_once(dimension: str) -> None:
    system = System()
    system.group("side", ["left", "right"])
    with pytest.raises(ModelError, match=f"dimension '{dimension}' exists already"):
        system.group(dimension, ["up", "down"])


# Initial values


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ({"q": (1.0, 2.0)}, "coordinates q"),
        ({"q": ((1.0,),)}, "coordinates q"),
        ({"q": ()}, "coordinates q"),
        ({"v": (1.0, 2.0)}, "velocities v"),
        ({"q": math.nan}, "coordinates q"),
        ({"v": [math.inf]}, "velocities v"),
    ],
)
def test_initial_values_fit_the_hinge(values: Any, what: str) -> None:
    with pytest.raises(ModelError, match=f"body 'rod': initial {what} .* must be 1 finite numbers"):
        pendulum().start("rod", **values)


def test_a_free_body_starts_with_seven_coordinates_and_six_velocities() -> None:
    system = System()
    system.add_body("brick", mass=1.0, inertia=(1, 1, 1), parent="ground", hinge=Free())
    with pytest.raises(ModelError, match=r"coordinates q .* must be 7 finite numbers"):
        system.start("brick", q=np.zeros(6))
    with pytest.raises(ModelError, match=r"velocities v .* must be 6 finite numbers"):
        system.start("brick", v=np.zeros(7))
    system.start("brick", q=(1, 2, 3, 0, 1, 0, 0), v=range(6))
    expected = [1, 2, 3, 0, 1, 0, 0, 0, 1, 2, 3, 4, 5]
    np.testing.assert_array_equal(Layout(embed(system)).y0, expected)


def test_a_number_is_enough_for_one_coordinate_and_the_rest_is_the_design_pose_at_rest() -> None:
    system = pendulum()
    system.add_body("slide", mass=1.0, parent="rod", hinge=Prismatic((1, 0, 0)))
    system.add_body("ball", mass=1.0, inertia=(1, 1, 1), parent="rod", hinge=Spherical())
    system.start("rod", q=0.25)
    system.start("slide", v=-3)
    np.testing.assert_array_equal(Layout(embed(system)).y0, [0.25, 0, 1, 0, 0, 0, 0, -3, 0, 0, 0])


def test_the_ground_has_no_initial_values() -> None:
    with pytest.raises(ModelError, match="ground has no hinge"):
        System().start("ground", q=0.0)


@pytest.mark.parametrize("values", [{"q": 0.1}, {"v": 0.1}])
def test_initial_values_of_a_prescribed_hinge_are_not_ignored(values: dict[str, float]) -> None:
    system = pendulum()
    system.prescribe("rod", Held(0.3))
    system.start("rod", **values)
    with pytest.raises(ModelError, match="body 'rod': initial values were given, but its hinge is not indep"):
        Layout(embed(system))


@pytest.mark.parametrize("tolerance", [float("nan"), -1.0, 0.1, "x"])
def test_tolerance_set_later_is_checked(tolerance: Any) -> None:
    system = System()
    with pytest.raises(ModelError, match=r"^System: tolerance"):
        system.tolerance = tolerance
    assert system.tolerance == System().tolerance
