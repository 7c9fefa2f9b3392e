"""Descriptions that a system accepts, and messages of those that it refuses."""

import doctest
import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
import ce_dynamics.mechanism.system
from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.dynamics.state import Layout
from ce_dynamics.embedding.embed import embed
from ce_dynamics.embedding.motion import SubgraphMotion
from ce_dynamics.mechanism.forces.base import Observer, Response
from ce_dynamics.mechanism.inertia import check_inertia


def pendulum() -> ce.System:
    system = ce.System(name="pendulum")
    system.add_body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(1, 1, 0), parent="ground", hinge=hinge())
    return system


def hinge() -> ce.Revolute:
    return ce.Revolute((0, 1, 0))


class Listener(ce.ForceElement):
    def __init__(self, name: str, body: ce.Body, inputs: tuple[str, ...] = ()) -> None:
        self.name, self.body, self.inputs = name, body, inputs

    @property
    def attachments(self) -> tuple[tuple[ce.Body, Array], ...]:
        return ((self.body, self.body.com),)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        return Response(())


class Finds(ce.Linkage):
    closes = ()

    def __init__(self, *names: str) -> None:
        self.determines = names

    def solve(self, motion: SubgraphMotion) -> None:
        raise AssertionError("not called")


def test_the_example_in_the_docstring() -> None:
    finder = doctest.DocTestFinder(recurse=False)
    (example,) = finder.find(ce.System, "System", module=ce_dynamics.mechanism.system)
    assert len(example.examples) == 4
    assert doctest.DocTestRunner().run(example).failed == 0


def arm(**changes: Any) -> ce.Body:
    given: dict[str, Any] = {"mass": 1.0, "parent": "ground", "hinge": hinge()} | changes
    return ce.System().add_body("arm", **given)


def driven(system: ce.System) -> None:
    system.prescribe("rod", ce.Held())
    system.prescribe("rod", ce.Held(1.0))


def twice(add: Callable[[ce.System], object]) -> Callable[[ce.System], object]:
    return lambda s: (add(s), add(s))


def prescribed(joint: Any, name: str = "arm") -> Callable[[ce.System], None]:
    def prescribe(s: ce.System) -> None:
        s.add_body("arm", mass=1.0, parent="ground", hinge=joint)
        s.prescribe(name, ce.Held())

    return prescribe


def reading(motion: Any) -> Callable[[ce.System], None]:
    def prescribe(s: ce.System) -> None:
        s.add_input("crank", "rad")
        s.prescribe("rod", motion)

    return prescribe


Z3 = (0, 0, 0)
NUMBERS = "must be 3 or 3×3 finite numbers"
SYMMETRIC = "must be symmetric"
NEGATIVE = "principal moment of inertia -1 must be >= 0"
ONE_COORDINATE = "only a hinge with one coordinate can be prescribed"
WRONG: list[tuple[Callable[[ce.System], object], str]] = [
    *(
        (lambda s, m=m: arm(mass=m), r"body 'arm': mass .*")
        for m in (math.nan, math.inf, -1.0, -1e-300, "x", None)
    ),
    *(
        (lambda s, J=J: arm(inertia=J), rf"(?s)body 'arm': (inertia .* )?{message}")
        for J, message in (
            ((1.0, 2.0), NUMBERS),
            (1.0, NUMBERS),
            ((1.0, math.nan, 1.0), NUMBERS),
            (np.full((3, 3), math.inf), NUMBERS),
            (("a", "b", "c"), "must be a list of numbers"),
            (((1, 2), (3,)), "must be a list of numbers"),
            (((2, 0.1, 0), (0, 2, 0), (0, 0, 2)), SYMMETRIC),
            (((2, 1e-9, 0), (0, 2, 0), (0, 0, 2)), SYMMETRIC),
            ((1.0, 1.0, -1.0), NEGATIVE),
            (((1, 2, 0), (2, 1, 0), (0, 0, 3)), NEGATIVE),
        )
    ),
    *(
        (lambda s, c=c: arm(com=c), "body 'arm': com")
        for c in ((0, 0), (0, 0, math.nan), "here", (0, math.inf, 0))
    ),
    *((lambda s, g=g: ce.System(g), "gravity") for g in ((0, 0), (0, 0, math.nan), 9.81)),
    (lambda s: arm(hinge="revolute"), "body 'arm': hinge 'revolute' must be a hinge, such as Revolute"),
    *(
        (lambda s, n=n: s.add_body(n, mass=1.0, parent="ground", hinge=hinge()), f"body '{n}' exists already")
        for n in ("rod", "ground")
    ),
    (
        lambda s: s.add_body("bob", mass=1.0, parent="rodd", hinge=hinge()),
        "no body 'rodd' in system 'pendulum'; did you mean 'rod'",
    ),
    (lambda s: s.find("xyzzy"), r"no body 'xyzzy' in system 'pendulum'; it has \['ground', "),
    (
        lambda s: s.close_loop("pin", "rod", "rod", ce.Spherical()),
        "closure 'pin' joins body 'rod' to itself; name two different",
    ),
    (twice(lambda s: s.close_loop("pin", "rod", "ground", ce.Spherical())), "closure 'pin' exists already"),
    (lambda s: s.close_loop("pin", "rod", "road", ce.Spherical()), r"no body 'road'.* did you mean 'rod'"),
    (lambda s: s.close_loop("pin", "rod", "ground", ce.Spherical(), ["road"]), "no body 'road'"),
    (lambda s: s.use_linkage(Finds("rod", "rood")), "no body 'rood'"),
    *(
        (prescribed(joint), f"body 'arm': {ONE_COORDINATE}")
        for joint in (ce.Universal((1, 0, 0), (0, 1, 0)), ce.Spherical(), ce.Free(), ce.Fixed())
    ),
    (prescribed(hinge(), "ground"), "body 'ground': only a hinge with one coordinate"),
    (driven, "body 'rod' is prescribed already"),
    *(
        (reading(motion), rf"motion of 'rod' reads input '{name}', .* add_input\('{name}'")
        for motion, name in (
            (ce.Driven("crank"), "crank_rate"),
            (ce.SecondOrderActuator("wheel", 1.0, 10.0), "wheel"),
        )
    ),
    (twice(lambda s: s.add_force(Listener("ear", s.ground))), "force element 'ear' exists already"),
    (
        lambda s: s.add_force(Listener("ear", s.ground, ("noise",))),
        "force element 'ear' reads input 'noise', which is not declared",
    ),
    (
        lambda s: s.add_force(ce.AppliedWrench("push", s.find("rod"), Z3, force=("noise", 0.0, 0.0))),
        "force element 'push' reads input 'noise'",
    ),
    *(
        (lambda s, x=x: s.add_input("throttle", "1", x), "input 'throttle': default")
        for x in (math.nan, -math.inf, "full")
    ),
    (twice(lambda s: s.add_input("a", "N")), "input 'a' exists already"),
    *((lambda s, m=m: s.group("side", m), "group 'side': members") for m in ([], ["left", "left"])),
    (lambda s: s.group("left/right", ["left", "right"]), "dimension 'left/right' has a /"),
    (twice(lambda s: s.group("side", ["left", "right"])), "dimension 'side' exists already"),
    *((lambda s, d=d: s.group(d, ["up", "down"]), f"dimension '{d}' exists") for d in ("time", "closure")),
    *(
        (lambda s, x=x: s.start("rod", **x), f"body 'rod': initial {what} .* must be 1 finite numbers")
        for x, what in (
            ({"q": (1.0, 2.0)}, "coordinates q"),
            ({"q": ((1.0,),)}, "coordinates q"),
            ({"q": ()}, "coordinates q"),
            ({"v": (1.0, 2.0)}, "velocities v"),
            ({"q": math.nan}, "coordinates q"),
            ({"v": [math.inf]}, "velocities v"),
        )
    ),
    (lambda s: s.start("ground", q=0.0), "ground has no hinge"),
]


@pytest.mark.parametrize(("call", "message"), WRONG, ids=range(len(WRONG)))
def test_wrong_descriptions_are_refused(call: Callable[[ce.System], object], message: str) -> None:
    with pytest.raises(ce.ModelError, match=message):
        call(pendulum())


def test_a_mass_may_be_zero() -> None:
    body = arm(mass=0)
    assert body.mass == 0.0
    assert isinstance(body.mass, float)


def test_impossible_inertia_is_used_with_a_warning() -> None:
    # The published lower control arm of the HMMWV.
    with pytest.warns(ce.PhysicalityWarning, match=r"body 'arm': .* triangle inequality") as caught:
        body = ce.System().add_body(
            "arm", mass=1.0, inertia=(0.4, 0.4, 0.8938), parent="ground", hinge=hinge()
        )
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
    body = ce.System().add_body("arm", mass=1.0, com=com, inertia=inertia, parent="ground", hinge=hinge())
    inertia[0, 0], com[0] = 7.0, 7.0
    assert np.array_equal(body.inertia, np.eye(3))
    assert np.array_equal(body.com, np.zeros(3))


def test_centre_of_mass_is_hinge_point_by_default() -> None:
    body = ce.System().add_body("arm", mass=1.0, parent="ground", hinge=ce.Spherical((1, 2, 3)))
    assert np.array_equal(body.com, (1, 2, 3))


def test_a_refused_body_leaves_no_trace() -> None:
    system = pendulum()
    with pytest.raises(ce.ModelError):
        system.add_body("bob", mass=1.0, inertia=(-1, 1, 1), parent="rod", hinge=hinge())
    assert [body.name for body in system.bodies] == ["rod"]
    bob = system.add_body("bob", mass=1.0, parent="rod", hinge=hinge())
    assert (bob.index, bob.depth, bob.carrier.name) == (2, 2, "rod")


def test_bodies_of_other_systems_are_refused() -> None:
    system, other = pendulum(), pendulum()
    for call in (
        lambda: system.add_body("bob", mass=1.0, parent=other.bodies[0], hinge=hinge()),
        lambda: system.add_body("bob", mass=1.0, parent=other.ground, hinge=hinge()),
        lambda: system.close_loop("pin", system.ground, other.bodies[0], ce.Spherical()),
        lambda: system.prescribe(other.bodies[0], ce.Held()),
        lambda: system.start(other.bodies[0], q=1.0),
        lambda: system.add_force(Listener("ear", other.bodies[0])),
        lambda: system.close_loop("pin", "ground", "rod", ce.Spherical(), [other.bodies[0]]),
    ):
        with pytest.raises(ce.ModelError, match=r"body '(rod|ground)' belongs to another system"):
            call()


def test_repr() -> None:
    system = pendulum()
    assert repr(system) == "System('pendulum': 1 bodies, 0 closures)"
    assert repr(system.find("rod")) == "Body('rod')"
    assert repr(system.ground) == "Body('ground')"


def test_design_points_relative_to_a_body() -> None:
    np.testing.assert_array_equal(pendulum().find("rod").local(np.array((1.0, 2.0, 3.0))), (1, 2, 3.5))


def test_a_closure_keeps_what_it_was_given() -> None:
    loop = pendulum().close_loop("pin", "rod", "ground", ce.Spherical(), independent=["rod"])
    assert (loop.body_a.name, loop.body_b.name, loop.independent) == ("rod", "ground", ("rod",))


def test_refused_motions_and_elements_leave_no_trace() -> None:
    system = pendulum()
    wrench = ce.AppliedWrench("push", system.find("rod"), Z3, force=("noise", 0.0, 0.0))
    with pytest.raises(ce.ModelError, match="reads input"):
        system.prescribe("rod", ce.Driven("crank"))
    with pytest.raises(ce.ModelError, match="reads input"):
        system.add_force(wrench)
    assert not system.prescribed
    system.add_input("noise", "N")
    system.add_force(wrench)
    assert system.forces == [wrench]


def test_force_element_acts_on_bodies_of_the_system() -> None:
    system, other = pendulum(), pendulum()
    spring = ce.SpringDamper("spring", other.ground, (0, 0, 1), other.find("rod"), Z3, spring=1.0)
    with pytest.raises(ce.ModelError, match="body 'ground' belongs to another system"):
        system.add_force(spring)


def test_names_of_outputs_are_used_once() -> None:
    system = pendulum()
    adders: list[Callable[..., None]] = [system.add_output, system.add_measurement]
    for first in adders:
        name = first.__name__
        first(name, "m", lambda seen: 0.0)
        for second in adders:
            with pytest.raises(ce.ModelError, match=f"output '{name}' exists already"):
                second(name, "m", lambda seen: 0.0)


def test_free_body_starts_with_seven_coordinates() -> None:
    system = ce.System()
    system.add_body("brick", mass=1.0, inertia=(1, 1, 1), parent="ground", hinge=ce.Free())
    with pytest.raises(ce.ModelError, match=r"coordinates q .* must be 7 finite numbers"):
        system.start("brick", q=np.zeros(6))
    with pytest.raises(ce.ModelError, match=r"velocities v .* must be 6 finite numbers"):
        system.start("brick", v=np.zeros(7))
    system.start("brick", q=(1, 2, 3, 0, 1, 0, 0), v=range(6))
    expected = [1, 2, 3, 0, 1, 0, 0, 0, 1, 2, 3, 4, 5]
    np.testing.assert_array_equal(Layout(embed(system)).y0, expected)


def test_number_suffices_for_one_coordinate() -> None:
    system = pendulum()
    system.add_body("slide", mass=1.0, parent="rod", hinge=ce.Prismatic((1, 0, 0)))
    system.add_body("ball", mass=1.0, inertia=(1, 1, 1), parent="rod", hinge=ce.Spherical())
    system.start("rod", q=0.25)
    system.start("slide", v=-3)
    np.testing.assert_array_equal(Layout(embed(system)).y0, [0.25, 0, 1, 0, 0, 0, 0, -3, 0, 0, 0])


@pytest.mark.parametrize("values", [{"q": 0.1}, {"v": 0.1}])
def test_initial_values_of_prescribed_hinge_are_not_ignored(values: dict[str, float]) -> None:
    system = pendulum()
    system.prescribe("rod", ce.Held(0.3))
    system.start("rod", **values)
    with pytest.raises(
        ce.ModelError, match="body 'rod': initial values were given, but its hinge is not indep"
    ):
        Layout(embed(system))


@pytest.mark.parametrize("tolerance", [float("nan"), -1.0, 0.1, "x"])
def test_tolerance_set_later_is_checked(tolerance: Any) -> None:
    system = ce.System()
    with pytest.raises(ce.ModelError, match=r"^System: tolerance"):
        system.tolerance = tolerance
    assert system.tolerance == ce.System().tolerance
