"""Names, units and places of everything in the state and input vectors."""

from collections.abc import Mapping

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.dynamics.state import Entry, Layout, join_name, rate_name
from ce_dynamics.embedding.embed import embed
from ce_dynamics.mechanism.forces.base import Observer, Response, StateDeclaration


class Relaxation(ce.ForceElement):
    states = (StateDeclaration("slip", "1", 0.5), StateDeclaration("heat", "J", -2.0))

    def __init__(self, name: str, body: ce.Body, rates: int = 2) -> None:
        self.name, self.body, self.rates = name, body, rates

    @property
    def attachments(self) -> tuple[tuple[ce.Body, Array], ...]:
        return ((self.body, self.body.com),)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        return Response((), x_dot=[10.0 * x[0], 100.0 * x[1], 7.0][: self.rates])


def example() -> ce.System:
    system = ce.System()
    chassis = system.add_body("chassis", mass=1.0, inertia=(1, 1, 1), parent="ground", hinge=ce.Free())
    system.add_body("steer", mass=1.0, inertia=(1, 1, 1), parent=chassis, hinge=ce.Revolute((0, 0, 1)))
    system.add_body("box", mass=1.0, parent=chassis, hinge=ce.Fixed())
    system.add_body("slide", mass=1.0, inertia=(1, 1, 1), parent=chassis, hinge=ce.Prismatic((1, 0, 0)))
    system.add_body(
        "cross", mass=1.0, inertia=(1, 1, 1), parent="slide", hinge=ce.Universal((1, 0, 0), (0, 1, 0))
    )
    system.add_input("wheel", "rad", 0.25)
    system.add_input("throttle", "1", 0.5)
    system.add_force(Relaxation("tyre", chassis))
    system.prescribe("steer", ce.SecondOrderActuator("wheel", 2.0, 10.0))
    return system


@pytest.fixture(scope="module")
def layout() -> Layout:
    return Layout(embed(example()))


def test_coordinates(layout: Layout) -> None:
    chassis = [f"chassis.{name}" for name in ("x", "y", "z", "qw", "qx", "qy", "qz")]
    assert [entry.name for entry in layout.q] == [*chassis, "slide", "cross.1", "cross.2"]
    assert [entry.unit for entry in layout.q] == ["m"] * 3 + ["1"] * 4 + ["m", "rad", "rad"]


def test_velocities(layout: Layout) -> None:
    chassis = [f"chassis.{name}" for name in ("wx", "wy", "wz", "vx", "vy", "vz")]
    assert [entry.name for entry in layout.v] == [*chassis, "slide_rate", "cross.1_rate", "cross.2_rate"]
    assert [entry.unit for entry in layout.v] == ["rad/s"] * 3 + ["m/s"] * 4 + ["rad/s"] * 2


def test_states_of_motions_precede_those_of_elements(layout: Layout) -> None:
    assert layout.x == (
        Entry("steer.motion.position", "rad"),
        Entry("steer.motion.rate", "rad/s"),
        Entry("tyre.slip", "1"),
        Entry("tyre.heat", "J"),
    )
    assert layout.x_of == {"steer.motion": slice(0, 2), "tyre": slice(2, 4)}
    np.testing.assert_array_equal(layout.y0[-4:], (0.0, 0.0, 0.5, -2.0))


def test_inputs(layout: Layout) -> None:
    assert layout.u == (Entry("wheel", "rad"), Entry("throttle", "1"))
    np.testing.assert_array_equal(layout.u0, (0.25, 0.5))
    assert layout.inputs_of(np.array((3.0, 4.0))) == {"wheel": 3.0, "throttle": 4.0}


def test_sizes_and_parts(layout: Layout) -> None:
    assert layout.sizes == {"q": 10, "v": 9, "x": 4, "u": 2}
    y = np.arange(23.0)
    q, v, x = layout.split(y)
    np.testing.assert_array_equal(q, np.arange(10))
    np.testing.assert_array_equal(v, np.arange(10, 19))
    np.testing.assert_array_equal(x, np.arange(19, 23))
    rows = layout.split(np.stack((y, y + 100.0)))
    for part, row in zip((q, v, x), rows, strict=True):
        np.testing.assert_array_equal(row, (part, part + 100.0))
    states = layout.states_of(x)
    np.testing.assert_array_equal(states["steer.motion"], (19, 20))
    np.testing.assert_array_equal(states["tyre"], (21, 22))


def test_rates_of_first_order_states_are_in_order(layout: Layout) -> None:
    x_dot = {"tyre": np.array((3.0, 4.0)), "steer.motion": np.array((1.0, 2.0))}
    np.testing.assert_array_equal(layout.collect(x_dot), (1, 2, 3, 4))


def test_right_hand_side_has_every_rate_in_place() -> None:
    model = ce.Model(example())
    y = model.y0
    y[-4:-2] = (0.3, 0.7)  # position and rate of the actuator
    y_dot = model.dynamics(y, model.u0)[0]
    # s̈ = ω² (gain u − s) − 2 ζ ω ṡ
    np.testing.assert_allclose(y_dot[-4:], (0.7, 100.0 * (0.5 - 0.3) - 20.0 * 0.7, 5.0, -200.0), rtol=1e-14)
    # z̈ and the quaternion's rate of a body in free fall at rest
    np.testing.assert_array_equal(y_dot[:7], np.zeros(7))


@pytest.mark.parametrize("rates", [0, 1, 3])
def test_element_returns_a_rate_for_every_state(rates: int) -> None:
    system = ce.System()
    body = system.add_body("body", mass=1.0, parent="ground", hinge=ce.Prismatic((1, 0, 0)))
    system.add_force(Relaxation("tyre", body, rates))
    model = ce.Model(system)
    with pytest.raises(ce.ModelError, match=f"'tyre' returned {rates} state rates; it declares 2 states"):
        model.dynamics  # noqa: B018


@pytest.mark.parametrize(
    ("hinge", "q", "v"),
    [
        (ce.Cylindrical((0, 0, 1)), ["b.angle", "b.displacement"], ["b.angle_rate", "b.displacement_rate"]),
        (ce.Planar((0, 0, 1)), ["b.x", "b.y", "b.angle"], ["b.x_rate", "b.y_rate", "b.angle_rate"]),
        (ce.Spherical(), ["b.qw", "b.qx", "b.qy", "b.qz"], ["b.wx", "b.wy", "b.wz"]),
        (ce.Fixed(), [], []),
    ],
)
def test_names_of_hinges(hinge: ce.Spherical, q: list[str], v: list[str]) -> None:
    system = ce.System()
    system.add_body("b", mass=1.0, inertia=(1, 1, 1), parent="ground", hinge=hinge)
    layout = Layout(embed(system))
    assert [entry.name for entry in layout.q] == q
    assert [entry.name for entry in layout.v] == v


def test_a_system_without_freedom_has_an_empty_state() -> None:
    system = ce.System()
    system.add_body("arm", mass=1.0, parent="ground", hinge=ce.Revolute((0, 0, 1)))
    system.prescribe("arm", ce.Held())
    layout = Layout(embed(system))
    assert layout.sizes == {"q": 0, "v": 0, "x": 0, "u": 0}
    assert layout.y0.shape == (0,)


def test_name_parts() -> None:
    assert join_name("arm", "") == "arm"
    assert join_name("arm", "x") == "arm.x"
    assert rate_name("arm", "", ("",)) == "arm_rate"
    assert rate_name("arm", "wx", ("qw", "qx")) == "arm.wx"
