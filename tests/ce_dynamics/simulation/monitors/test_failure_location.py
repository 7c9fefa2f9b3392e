"""Runs that a force element breaks name it, its bodies and what it answers."""

from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import sqrt
from ce_dynamics.errors import AssemblyError, ModelError, SimulationError


class Root(ce.Law):
    """Law of the root of the distance to an extension of -0.5 m: no number beyond."""

    def force(self, x: Any) -> Any:
        return 10.0 * sqrt(x + 0.5)

    def energy(self, x: Any) -> Any:
        return 0.0 * x


def bob(law: ce.Law) -> ce.System:
    """A body that rises towards a hook 3 m above it at 8 m/s: after 0.5 m the rope is 0.5 m shorter."""
    system = ce.System(gravity=(0, 0, -9.81))
    body = system.add_body("bob", mass=1.0, parent=system.ground, hinge=ce.Prismatic((0, 0, 1)))
    system.add_force(ce.SpringDamper("rope", system.ground, (0, 0, 3), body, (0, 0, 0), spring=law))
    system.start(body, v=8.0)
    return system


@pytest.fixture(scope="module")
def model() -> ce.Model:
    return ce.compile(bob(Root()))


WORDS = "force element 'rope' on 'ground' and 'bob' answers nan for its force on 'bob'"


@pytest.mark.parametrize("method", ["rk4", "dopri5", "rosenbrock", "RK45"])
def test_a_run_names_the_force_that_ended_it(model: ce.Model, method: Any) -> None:
    with pytest.raises(SimulationError) as stop:
        ce.simulate(model, duration=1.0, method=method)
    assert WORDS in str(stop.value)


def test_so_do_simulators_ensembles_and_analyses(model: ce.Model) -> None:
    simulator = ce.Simulator(model)
    with pytest.raises(SimulationError) as stop:
        simulator.step(1.0)
    assert WORDS in str(stop.value)
    runs = ce.simulate_ensemble(model, y0s=[[0.0, 8.0], [1.0, 0.0], [0.0, 1.0]], duration=0.1)
    failures = runs["failure"].values
    assert WORDS in failures[0]
    assert WORDS in failures[1]
    assert failures[2] == ""
    with pytest.raises(AssemblyError, match=WORDS):
        model.reactions(np.array([1.0, 0.0]))


def test_law_that_raises_is_named_with_bodies() -> None:
    class Wrong(Root):
        def force(self, x: Any) -> Any:
            raise ValueError("no such thing")

    with pytest.raises(ModelError, match=r"force element 'rope' on 'ground' and 'bob' raised ValueError: no"):
        ce.compile(bob(Wrong()))
