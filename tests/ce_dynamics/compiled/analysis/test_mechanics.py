"""Inputs and first-order states take part in energies, forces and inertia where they move a hinge."""

import numpy as np
import pytest

from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.drives import Driven, SecondOrderActuator
from ce_dynamics.mechanism.hinges import Prismatic, Revolute
from ce_dynamics.mechanism.system import System

G = 9.81


def crane(actuated: bool) -> Model:
    """A slewing jib with a trolley on it, which is driven by inputs or by an actuator."""
    system = System(gravity=(0, 0, -G))
    jib = system.add_body(
        "jib", mass=3.0, com=(1, 0, 0), inertia=(1, 1, 1), parent="ground", hinge=Revolute((0, 1, 0))
    )
    system.add_body("trolley", mass=2.0, com=(1, 0, 0), parent=jib, hinge=Prismatic((1, 0, 0), (1, 0, 0)))
    system.add_input("reach", "m")
    if actuated:
        system.prescribe("trolley", SecondOrderActuator("reach", 1.0, 4.0, unit="m"))
    else:
        system.add_input("reach_rate", "m/s")
        system.add_input("reach_acceleration", "m/s^2")
        system.prescribe("trolley", Driven("reach"))
    return Model(system)


@pytest.mark.parametrize("actuated", [False, True])
def test_where_the_trolley_is_counts(actuated: bool) -> None:
    model = crane(actuated)
    # The trolley is at 1.5 m and moves outwards with 0.3 m/s while the jib sinks at 0.7 rad/s.
    given = {"u": [0.5], "x": [0.5, 0.3]} if actuated else {"u": [0.5, 0.3, 0.0]}
    M = 1.0 + 3.0 + 2.0 * 1.5**2
    assert model.mass_matrix([0.0], **given)[0, 0] == pytest.approx(M)
    energy = model.energy([0.1], [0.7], **given)
    assert energy.kinetic == pytest.approx(0.5 * M * 0.7**2 + 0.5 * 2.0 * 0.3**2)
    assert energy.gravitational == pytest.approx(-(3.0 + 2.0 * 1.5) * G * np.sin(0.1))
    linear, angular = model.momentum([0.0], [0.7], **given)
    np.testing.assert_allclose(linear, (2.0 * 0.3, 0.0, -(3.0 + 2.0 * 1.5) * 0.7), atol=1e-14)
    assert angular[1] == pytest.approx(M * 0.7)
    # About +y: inertia, Coriolis force of the trolley, weights.
    T = M * 2.0 + 2.0 * 2.0 * 1.5 * 0.3 * 0.7 - (3.0 + 2.0 * 1.5) * G
    assert model.inverse_dynamics([0.0], [0.7], [2.0], **given)[0] == pytest.approx(T)


def test_sizes_are_checked() -> None:
    with pytest.raises(ModelError, match="x must be 2 finite numbers"):
        crane(True).energy([0.0], [0.0], x=[1.0])
    with pytest.raises(ModelError, match="u must be 3 finite numbers"):
        crane(False).mass_matrix([0.0], u=[1.0])
