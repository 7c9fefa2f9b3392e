"""States at which loops cannot be assembled are refused by name; systems without freedom have answers."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra import arrays
from ce_dynamics.algebra.checks import Floats
from tests.support import systems as mechanisms


def parted(model: ce.Model, y: Sequence[float]) -> tuple[Floats, Floats]:
    q, v, _ = model.layout.split(np.array(y, dtype=float))
    return q, v


QUESTIONS: dict[str, Callable[[ce.Model, Sequence[float]], Any]] = {
    "equilibrium": lambda model, y: model.equilibrium(y),
    "modes": lambda model, y: model.modes(y),
    "undamped modes": lambda model, y: model.modes(y, damped=False),
    "point": lambda model, y: model.point("rocker")(y),
    "operational space": lambda model, y: model.operational_space(model.point("rocker"), y),
    "power": lambda model, y: model.power(y),
    "reactions": lambda model, y: model.reactions(y),
    "accelerations": lambda model, y: model.accelerations(*parted(model, y)),
    "mass matrix": lambda model, y: model.mass_matrix(parted(model, y)[0]),
    "inverse dynamics": lambda model, y: model.inverse_dynamics(*parted(model, y), parted(model, y)[1]),
    "energy": lambda model, y: model.energy(*parted(model, y)),
    "momentum": lambda model, y: model.momentum(*parted(model, y)),
    "centroidal": lambda model, y: model.centroidal(*parted(model, y)),
    "linearisation": lambda model, y: model.linearize(y),
    "outputs": lambda model, y: model.outputs(y),
    "assemble": lambda model, y: model.assemble(y=y),
    "assemble by name": lambda model, y: model.assemble({"rocker": 0.1}, y=y),
}


@pytest.fixture(scope="module")
def double_rocker() -> ce.Model:
    return ce.Model(mechanisms.four_bar((0.9, 0.7, 0.6, 1.0), 0.9))


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_loop_and_its_range_are_named(double_rocker: ce.Model, question: str) -> None:
    message = r"the loop of 'crank' cannot be assembled at \{'crank': \[3.0\]\}; admissible is -0.9 to 0.60"
    with pytest.raises(ce.AssemblyError, match=message):
        QUESTIONS[question](double_rocker, [3.0, 0.0])


OF_LOOPS = "reactions", "assemble by name"


@pytest.fixture(scope="module")
def ball() -> ce.Model:
    system = ce.System()
    system.add_body("rocker", mass=1.0, inertia=(1, 1, 1), parent="ground", hinge=ce.Spherical((0, 0, 0)))
    return ce.Model(system)


@pytest.mark.parametrize("question", [question for question in QUESTIONS if question not in OF_LOOPS])
def test_a_quaternion_of_zeros_is_named(ball: ce.Model, question: str) -> None:
    with pytest.raises(ce.ModelError, match=r"the quaternion of 'rocker' \(qw, qx, qy, qz\) is zero"):
        QUESTIONS[question](ball, [0.0] * 7)


def test_kinks_are_named() -> None:
    """√q at its end: the force is finite there, its derivative is not."""
    system = ce.System(gravity=(0, 0, 0))
    cart = system.add_body("cart", mass=1.0, parent="ground", hinge=ce.Prismatic((1, 0, 0)))
    system.add_force(ce.TorsionSpringDamper("root", cart, spring=Root()))
    model = ce.Model(system)
    assert model.linearize([4.0, 0.0]).entry("cart_rate", "cart") == pytest.approx(-0.25, rel=1e-15)
    np.testing.assert_array_equal(model.accelerations([0.0], [0.0]), [0.0])
    with pytest.raises(
        ce.ModelError, match=r"derivative of 'cart_rate' .* by 'cart' is not finite .* beside it"
    ):
        model.linearize([0.0, 0.0])


class Root(ce.Law):
    """F = √q."""

    def force(self, x: Any) -> Any:
        return arrays.sqrt(x)

    def energy(self, x: Any) -> Any:
        return 2.0 / 3.0 * x * arrays.sqrt(x)


def test_nothing_moves() -> None:
    """An arm held at 0.3 rad, with a weight fixed to it."""
    system = ce.System(gravity=(0, 0, -10.0))
    system.add_body("arm", mass=1.0, com=(1, 0, 0), parent="ground", hinge=ce.Revolute((0, 1, 0)))
    system.prescribe("arm", ce.Held(0.3))
    system.add_body("weight", mass=2.0, com=(2, 0, 0), parent="arm", hinge=ce.Fixed())
    model = ce.Model(system)
    rest = model.equilibrium()
    assert rest.y.size == 0
    assert rest.stable
    assert len(model.modes()) == len(model.modes(damped=False)) == 0
    tip = model.point("weight")
    np.testing.assert_allclose(tip().r, (2.0 * np.cos(0.3), 0.0, -2.0 * np.sin(0.3)), atol=1e-15)
    assert tip().J.shape == (3, 0)
    with pytest.raises(ce.ModelError, match="no force causes motion in vx of 'weight'"):
        model.operational_space(tip)
    assert model.power().residual == 0.0
    assert model.assemble().coordinates == {"arm": 0.3}
    torque = model.reactions([]).hinges["arm"].along[0]
    assert torque == pytest.approx(-(1.0 + 2.0 * 2.0) * 10.0 * np.cos(0.3))
