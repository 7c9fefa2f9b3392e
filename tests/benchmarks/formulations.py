"""The paper's figure 1 in numbers: the same vehicle fully augmented, tree-augmented and embedded."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse.linalg import splu

from ce_dynamics.augmented import FullyAugmented, Preparation, TreeAugmented
from ce_dynamics.augmented.augmented import Augmented
from ce_dynamics.compiled.model import Model
from ce_dynamics.models import hmmwv
from tests.benchmarks.mechanism import Floats
from tests.benchmarks.report import Options, Result, Table, number
from tests.benchmarks.timing import Contender, prepared, python_loop, race

SPEED = 12.0
STEERING, THROTTLE = 0.2, 0.3
HEAD = (
    "form", "bodies", "velocities", "rows", "redundant", "unknowns of (8)", "non-zeros", "µs", "solving",
    "times embedded", "deviation",
)  # fmt: skip
NOTE = (
    "bodies: nodes of the tree or, fully augmented, separate bodies. rows: constraint rows, that of the "
    "prescribed steering included where its hinge is cut; so many of them are redundant (a plane loop of "
    "spatial hinges). Velocities less independent rows are 14 each time. unknowns: "
    "accelerations and multipliers, of the linear system that one evaluation solves; the embedded form has "
    "none, only a division by D(S) at every body. solving: µs of it for SuperLU; the rest "
    "sets up the equations. The augmented forms are evaluated from Python by code that is not optimised "
    "as ours is: compare with the engines in C++ below. deviation: of the independent "
    "accelerations (fully augmented: of the chassis) from the embedded ones, relative to the largest."
)


class Form(NamedTuple):
    """One of the three, ready to be timed."""

    contender: Contender
    bodies: int
    n_V: int
    n_g: int
    redundant: int
    nonzeros: int | None
    solving: Contender | None = None


def run(options: Options) -> Result:
    """Set up the same state in all three forms, compare accelerations, time in turn."""
    model = Model(hmmwv.build(speed=SPEED))
    y = turning(model)
    u = model.inputs_with(inputs={"steering": STEERING, "throttle": THROTTLE})
    v_dot = model.layout.split(model.dynamics(y, u)[0])[1]
    forms = [
        augmented("fully augmented", FullyAugmented(model.system), model, y, u, v_dot),
        augmented("tree-augmented", TreeAugmented(model.system), model, y, u, v_dot),
        *embedded(model, y, u),
    ]
    solvers = [form.solving for form in forms if form.solving is not None]
    race([*(form.contender for form in forms), *solvers], options.rounds)
    ours = forms[-2].contender.seconds
    rows = tuple(
        (
            form.contender.name,
            str(form.bodies),
            str(form.n_V),
            str(form.n_g),
            str(form.redundant),
            "–" if form.nonzeros is None else str(form.n_V + form.n_g),
            "–" if form.nonzeros is None else f"{form.nonzeros:,}",
            number(1e6 * form.contender.seconds),
            "–" if form.solving is None else number(1e6 * form.solving.seconds),
            number(form.contender.seconds / ours),
            "–" if np.isnan(form.contender.deviation) else f"{form.contender.deviation:.0e}",
        )
        for form in forms
    )
    data = {
        form.contender.name: {
            "us": 1e6 * form.contender.seconds,
            "velocities": form.n_V,
            "rows": form.n_g,
            "redundant": form.redundant,
            "deviation": form.contender.deviation,
        }
        for form in forms
    }
    table = Table(
        "One evaluation of the HMMWV with tyres in the three forms of figure 1", HEAD, rows, (NOTE,)
    )
    return Result((table,), data)


def turning(model: Model) -> Floats:
    """The vehicle settled at speed, with its body rolling and turning and its arms moving."""
    y = hmmwv.settle(model)
    n_q, n_v = len(model.layout.q), len(model.layout.v)
    y[n_q : n_q + n_v] += 0.1 * np.cos(np.arange(n_v))
    return y


def embedded(model: Model, y: Floats, u: Floats) -> list[Form]:
    """Machine code called from Python, as the others are, and alone."""
    binding = model.dynamics.bind()
    binding.inputs["y"][:], binding.inputs["u"][:] = y, u
    loop, _ = prepared(model.dynamics, y, u)
    n_v, bodies = len(model.layout.v), len(model.embedding.aggregates)
    contenders = (
        Contender("embedded, called from Python", "", python_loop(binding.run, binding)),
        Contender("embedded", "", loop),
    )
    return [Form(contender, bodies, n_v, 0, 0, None) for contender in contenders]


def augmented(name: str, form: Augmented, model: Model, y: Floats, u: Floats, v_dot: Floats) -> Form:
    """One of the augmented forms at the same state."""
    given = {entry.name: float(value) for entry, value in zip(model.layout.u, u, strict=True)}
    state = form.state_from_embedded(model.embedding, *model.layout.split(y), given)
    values = form.input_vector(given)
    solve = Preparation(form, state).index1
    V_dot = form.split(solve(0.0, state, values).y_dot)[1]
    redundant = form.n_g - len(form.redundancy(state, given).kept)
    error = deviation(model, form, y, np.asarray(V_dot, dtype=float), v_dot)
    contender = Contender(name, "", python_loop(lambda: solve(0.0, state, values)), error)
    right = np.ones(form.n_V + form.n_g)
    matrix = solve._matrix.matrix  # of the evaluation above
    solving = Contender(f"{name}, solving", "", python_loop(lambda: splu(matrix).solve(right)))
    return Form(contender, len(model.system.bodies), form.n_V, form.n_g, redundant, matrix.nnz, solving)


def deviation(model: Model, form: Augmented, y: Floats, V_dot: Floats, v_dot: Floats) -> float:
    """Largest difference of accelerations that both forms have, of the largest of them."""
    if isinstance(form, TreeAugmented):
        of, where = form.embedding.v_of, model.embedding.v_of
        found = np.concatenate([V_dot[of[name]] for name in where])
        expected = np.concatenate([v_dot[where[name]] for name in where])
    else:
        k = [body.name for body in model.system.bodies].index("chassis")
        found = V_dot[6 * k : 6 * k + 6]
        kinematics = model.frame("chassis")(y, u=model_inputs(model))
        expected = kinematics.A
    return float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))


def model_inputs(model: Model) -> Floats:
    """The inputs of the comparison."""
    return model.inputs_with(inputs={"steering": STEERING, "throttle": THROTTLE})
