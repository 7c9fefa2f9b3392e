"""Hashes of what many models trace: ``python -m tests.graph_hashes > before``, then a change, then ``diff``.

A change that is not meant to touch any result leaves every line as it is.  Every function that a model traces
is a line: model, name, number of instructions, hash of the graph.  Long functions are traced without being
compiled.

``python -m tests.graph_hashes squeezer "random 3"`` is for models whose names contain one of these words.
"""

import argparse
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
from hypothesis import HealthCheck, given, seed, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

import ce_dynamics as ce
from ce_dynamics.compiler import TracedFunction, machine
from ce_dynamics.compiler.codegen.elementary_calls import FAMILIES
from ce_dynamics.compiler.derivatives import compiled
from ce_dynamics.compiler.derivatives.forward_mode import sparse_forward_jacobian
from ce_dynamics.models import hmmwv
from ce_dynamics.models.published import MECHANISMS
from tests.ce_dynamics.random_mechanisms.recipe import Recipe, build
from tests.ce_dynamics.random_mechanisms.strategies import recipes

RANDOM = 30
LONG = 4000
"""Functions of more instructions are not compiled here."""


class TooLongError(Exception):
    """A function was traced and is too long to be compiled here."""


def models() -> dict[str, Callable[[], ce.System]]:
    found: dict[str, Callable[[], ce.System]] = {"HMMWV": hmmwv.build, "ride model": hmmwv.build_ride}
    found |= {name: mechanism.build for name, mechanism in MECHANISMS.items()}
    return found | {f"random {k}": partial(build, recipe) for k, recipe in enumerate(random_recipes())}


def random_recipes() -> list[Recipe]:
    drawn: list[Recipe] = []

    @seed(7)
    @settings(
        max_examples=2 * RANDOM,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(recipes())
    def keep(recipe: Recipe) -> None:
        if recipe not in drawn:
            drawn.append(recipe)

    # Hypothesis also draws numbers that stand in our sources, so that any edit would draw other mechanisms.
    with patch.object(providers, "_get_local_constants", Constants):
        keep()
    return [replace(recipe, seed=k) for k, recipe in enumerate(drawn[:RANDOM])]


def questions(model: ce.Model, name: str) -> Iterator[Callable[[], object]]:
    y, u = model.y0, model.u0
    q, v, x = model.layout.split(y)
    body = model.system.bodies[-1].name
    yield lambda: model.dynamics
    yield lambda: model.audited_dynamics
    yield lambda: model.assembly
    yield lambda: model.observation
    yield lambda: model.mass_matrix(q, u=u, x=x)
    yield lambda: model.inverse_dynamics(q, v, np.zeros_like(v), u=u, x=x)
    yield lambda: model.energy(q, v, u=u, x=x)
    yield lambda: model.momentum(q, v, u=u, x=x)
    yield lambda: sparse_forward_jacobian(model.trace_dynamics(), "y_dot", "y")
    yield lambda: sparse_forward_jacobian(model.trace_dynamics(), "y_dot", "u")
    yield lambda: model.poses(y, u=u)
    yield lambda: model.power(y, u=u)
    yield lambda: model.frame(body)(y, u=u)
    yield lambda: model.operational_space([model.point(body)], y, u=u)
    yield lambda: model.modes(y, u=u)
    yield lambda: model.assemble({model.layout.q[0].name: q[0]})
    law = MECHANISMS[name].inputs if name in MECHANISMS else None
    if name == "HMMWV":
        law = hmmwv.double_lane_change(12.0)
    if law is not None:
        yield lambda: model.control(law)


@contextmanager
def recorded(functions: list[TracedFunction]) -> Iterator[None]:
    """Keep every function that is traced meanwhile, and compile none that is long."""
    made: Any = TracedFunction.__init__
    digest: Any = TracedFunction.digest
    loading: list[Any] = [machine, compiled]
    load = machine.load_function

    def init(self: TracedFunction, *args: Any, **kwargs: Any) -> None:
        made(self, *args, **kwargs)
        functions.append(self)

    def refusing(self: TracedFunction) -> object:
        if self.n_instructions > LONG:
            raise TooLongError
        return digest(self)

    TracedFunction.__init__ = init  # type: ignore[method-assign]
    TracedFunction.digest = refusing  # type: ignore[method-assign, assignment]
    for module in loading:
        module.load_function = lambda *args, **kwargs: None  # what is known from earlier is traced again
    try:
        yield
    finally:
        TracedFunction.__init__ = made  # type: ignore[method-assign]
        TracedFunction.digest = digest  # type: ignore[method-assign]
        for module in loading:
            module.load_function = load


def hashes(name: str, make: Callable[[], ce.System]) -> list[str]:
    functions: list[TracedFunction] = []
    refused: list[str] = []
    with recorded(functions), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = ce.compile(make())
        except ce.ModelError as error:
            return [f"{name}: {type(error).__name__}"]
        for k, question in enumerate(questions(model, name)):
            try:
                question()
            except TooLongError:
                pass
            except (ce.CeDynamicsError, np.linalg.LinAlgError) as error:
                refused.append(f"{name}: question {k}: {type(error).__name__}")
    elementary = {family.name for family in FAMILIES}  # traced by the first model that needs them
    traced = [f for f in functions if f.name not in elementary]
    lines = [f"{name}: {f.name}: {f.n_instructions}: {f.digest()[:16]}" for f in traced]
    return sorted({*lines, *refused})


def main() -> None:
    """Print the hashes of all models, or of some."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("words", nargs="*", help="parts of names of models")
    words = parser.parse_args().words
    for name, make in models().items():
        if not words or any(word in name for word in words):
            print(*hashes(name, make), sep="\n", flush=True)


if __name__ == "__main__":
    main()
