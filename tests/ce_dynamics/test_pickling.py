"""Models travel between processes and are copied; what cannot travel is named."""

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler.disk_cache import VARIABLE
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import Observer
from ce_dynamics.models import hmmwv
from tests.ce_dynamics.recursion_systems import make_case
from tests.support import systems as mechanisms


def turning_crank() -> Model:
    """A loop that its crank leads through dead centres, along a path."""
    system = ce.System(gravity=(0, -9.81, 0))
    crank = system.add_body("crank", mass=1.0, com=(0.1, 0, 0), parent="ground", hinge=ce.Revolute((0, 0, 1)))
    rod = system.add_body(
        "rod", mass=1.0, com=(0.4, 0, 0), parent=crank, hinge=ce.Revolute((0, 0, 1), at=(0.2, 0, 0))
    )
    at = (0.6, 0, 0)
    slider = system.add_body(
        "slider", mass=1.0, com=at, parent="ground", hinge=ce.Prismatic((1, 0, 0), at=at)
    )
    system.close_loop("pin", rod, slider, ce.Revolute((0, 0, 1), at=at), through_dead_centres=True)
    system.start(crank, q=[0.3], v=[2.0])
    return ce.compile(system)


MODELS: dict[str, Callable[[], Model]] = {
    "numeric loop": lambda: Model(mechanisms.five_bar()),
    "closed forms, drives and loads": lambda: Model(make_case("corner").system),
    "path": turning_crank,
    "vehicle": lambda: Model(hmmwv.build(speed=10.0)),
}


@pytest.mark.parametrize("kind", MODELS)
def test_pickled_and_copied_models_answer_the_same(kind: str) -> None:
    model = MODELS[kind]()
    y, u = model.y0, model.u0
    expected, outputs = model.dynamics(y, u)[0], model.observation(y, u)[0]
    for other in (pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model)):
        assert other is not model
        np.testing.assert_array_equal(other.dynamics(y, u)[0], expected)
        np.testing.assert_array_equal(other.observation(y, u)[0], outputs)
        assert repr(other) == repr(model)


def test_model_with_code_on_disk_can_be_pickled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its functions come without instructions, which are traced from the very model that is written."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    for _ in range(2):
        model = MODELS["closed forms, drives and loads"]()
        expected = model.dynamics(model.y0, model.u0)[0]
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.dynamics(model.y0, model.u0)[0], expected)


def test_a_copy_is_independent() -> None:
    model = Model(mechanisms.five_bar())
    other = copy.deepcopy(model)
    assert other.system is not model.system
    assert other.system.bodies[0] is other.embedding.aggregates[0].bodies[0]


def end(model: Model, pull: float) -> float:
    """Run in a worker."""
    return float(ce.simulate(model, {"pull": pull}, duration=0.5)["height"][-1])


def height(observer: Observer, body: Body, ground: Body) -> Scalar:
    return observer.point(body, body.com, ground).r[2]


def pendulum() -> ce.System:
    system = ce.System(gravity=(0, 0, -9.81))
    system.add_input("pull", "N")
    bob = system.add_body("bob", mass=1.0, com=(0, 0, -1), parent="ground", hinge=ce.Revolute((0, 1, 0)))
    system.add_force(ce.AppliedWrench("hand", bob, bob.com, force=("pull", 0, 0)))
    return system


def test_runs_in_other_processes() -> None:
    """A fresh interpreter gets the model and the inputs, and finds the same numbers to the last bit."""
    system = pendulum()
    bob = system.find("bob")
    system.add_output("height", "m", partial(height, body=bob, ground=system.ground))
    model = ce.compile(system)
    pulls = [0.5, -1.0, 2.0]
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        found = list(pool.map(partial(end, model), pulls))
    assert found == [end(model, pull) for pull in pulls]


def test_functions_without_a_name_are_named() -> None:
    system = pendulum()
    bob = system.find("bob")
    system.add_output("height", "m", lambda observer: observer.point(bob, bob.com, system.ground).r[2])
    model = ce.compile(system)
    with pytest.raises(ModelError, match=r"output 'height': .*<lambda>.* top level of a module"):
        pickle.dumps(model)
    assert copy.deepcopy(model).outputs() == model.outputs()
