"""Exact derivatives of a driving vehicle against differences."""

import numpy as np

import ce_dynamics as ce
from ce_dynamics.compiled.analysis.derivatives import QuantityRows, all_names
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from tests.support.differences import Floats, compared

FREE = ["front.L.z", "front.spring.linear", "chassis.mass", "tyre.cz"]


def test_outputs_of_driving() -> None:
    """Twelve outputs and rates of states, by inputs, free numbers and six states, where everything moves."""
    rng = np.random.default_rng(3)
    model = ce.compile(build(VehicleParameters.load("sedan", free=FREE), speed=12.0))
    y, u = model.y0.copy(), model.inputs_with(inputs={"steering": 0.1, "throttle": 0.4, "brake": 0.05})
    n_q, n_v = len(model.layout.q), len(model.layout.v)
    y[:n_q] += 2e-3 * rng.normal(size=n_q)
    y[n_q : n_q + n_v] += 0.1 * rng.normal(size=n_v)
    y[n_q + n_v :] += 1e-3 * rng.normal(size=len(y) - n_q - n_v)
    names, given = all_names(model), [entry.name for entry in model.layout.u if entry.name != "selector"]
    states = names[: len(y)]
    known = [*(entry.name for entry in model.output_entries), *(f"rate of {name}" for name in states)]
    of = [str(name) for name in rng.permutation(known)[:12]]
    by = [*given, *(str(name) for name in rng.permutation(states)[:6])]
    exact = model.derivatives(of, by, y, u=u).matrix
    rows = QuantityRows(model, of)
    function = model.function(f"quantities {rows.labels}", rows.quantities, model.sizes_of("y", "u"))
    verdicts = []
    for k, name in enumerate(by):
        whole = np.concatenate((y, u))
        place = names.index(name)

        def moved(distance: float, whole: Floats = whole, place: int = place) -> Floats:
            there = whole.copy()
            there[place] += distance
            return np.array(function(there[: len(y)], there[len(y) :])[0])

        h = 1e-4 * (abs(float(whole[place])) or 1.0) if name in given else 1e-4
        verdicts.append(compared(of, exact[:, k], moved, h))
    assert [one.wrong for one in verdicts if one.wrong] == []
    number = sum(one.compared for one in verdicts)
    assert number > 20
    assert sum(one.silent for one in verdicts) < 0.2 * number


def test_wrong_derivatives_are_found() -> None:
    """The derivative of e^x at 0 is off by 1e-6, more than the error of differences, 3 h²/6 = 5e-9."""
    names, f = ["right", "wrong", "zero", "not zero"], lambda d: np.array((np.exp(d), np.exp(d), 0.0, d))
    found = compared(names, np.array((1.0, 1.0 + 1e-6, 0.0, 0.0)), f, 1e-4)
    assert [name for name, *_ in found.wrong] == ["wrong", "not zero"]
    assert (found.compared, found.zero, found.silent) == (3, 1, 0)


def test_a_kink_says_nothing() -> None:
    found = compared(["kink"], np.array((0.5,)), lambda d: np.array((max(d, 0.0),)), 1e-4)
    assert (found.compared, found.silent) == (0, 1)
