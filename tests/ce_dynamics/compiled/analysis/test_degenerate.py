"""States at which loops cannot be assembled are refused by name; systems without freedom have answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import AssemblyError, ModelError
from ce_dynamics.mechanism.drives import Held
from ce_dynamics.mechanism.hinges import Fixed, Revolute
from ce_dynamics.mechanism.system import System
from tests.ce_dynamics import mechanisms

QUESTIONS: dict[str, Callable[[Model, Sequence[float]], Any]] = {
    "equilibrium": lambda model, y: model.equilibrium(y),
    "modes": lambda model, y: model.modes(y),
    "undamped modes": lambda model, y: model.modes(y, damped=False),
    "point": lambda model, y: model.point("rocker")(y),
    "operational space": lambda model, y: model.operational_space(model.point("rocker"), y),
    "power": lambda model, y: model.power(y),
    "reactions": lambda model, y: model.reactions(y),
    "assemble": lambda model, y: model.assemble(y=y),
    "assemble by name": lambda model, y: model.assemble({"rocker": 0.1}, y=y),
}


@pytest.fixture(scope="module")
def double_rocker() -> Model:
    return Model(mechanisms.four_bar((0.9, 0.7, 0.6, 1.0), 0.9))


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_loop_and_its_range_are_named(double_rocker: Model, question: str) -> None:
    message = r"the loop of 'crank' cannot be assembled at \{'crank': \[3.0\]\}; admissible is -0.9 to 0.60"
    with pytest.raises(AssemblyError, match=message):
        QUESTIONS[question](double_rocker, [3.0, 0.0])


def test_nothing_moves() -> None:
    """An arm held at 0.3 rad, with a weight fixed to it."""
    system = System(gravity=(0, 0, -10.0))
    system.add_body("arm", mass=1.0, com=(1, 0, 0), parent="ground", hinge=Revolute((0, 1, 0)))
    system.prescribe("arm", Held(0.3))
    system.add_body("weight", mass=2.0, com=(2, 0, 0), parent="arm", hinge=Fixed())
    model = Model(system)
    rest = model.equilibrium()
    assert rest.y.size == 0
    assert rest.stable
    assert len(model.modes()) == len(model.modes(damped=False)) == 0
    tip = model.point("weight")
    np.testing.assert_allclose(tip().r, (2.0 * np.cos(0.3), 0.0, -2.0 * np.sin(0.3)), atol=1e-15)
    assert tip().J.shape == (3, 0)
    with pytest.raises(ModelError, match="no force causes motion in vx of 'weight'"):
        model.operational_space(tip)
    assert model.power().residual == 0.0
    assert model.assemble().coordinates == {"arm": 0.3}
    torque = model.reactions([]).hinges["arm"].along[0]
    assert torque == pytest.approx(-(1.0 + 2.0 * 2.0) * 10.0 * np.cos(0.3))
