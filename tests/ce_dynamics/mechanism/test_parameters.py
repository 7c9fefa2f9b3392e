"""Free parameters: one compiled model for all values, and nothing frozen silently."""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import arctan2, maximum, where
from ce_dynamics.compiler import trace
from ce_dynamics.compiler.free_numbers import FreeNumber, is_free, nominal
from ce_dynamics.compiler.tracing.operations import FUNCTIONS
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.inertia import free_principal
from ce_dynamics.mechanism.parameters import Parameter, refusals, values_at

NOMINAL = {
    "m": 1.0, "L": 1.0, "I": 0.1, "Ixz": 0.01, "k": 30.0, "c": 0.1, "free": 0.9, "g": 10.0, "gain": 2.0,
}  # fmt: skip
OTHER = {"m": 1.3, "L": 0.7, "I": 0.2, "Ixz": -0.02, "k": 50.0, "c": 0.3, "free": 0.5, "g": 9.0, "gain": -1.0}
STATE = [0.1, 0.2, 0.3, 0.0, 0.4, 0.5, 0.6, 0.1]


def double_pendulum(value: Callable[[str], Any], system: ce.System | None = None) -> ce.System:
    """Every kind of number that can be free: mass, COM, hinge point, inertia with products, laws, gravity."""
    m, L, moment, Ixz, k, c, free, g, gain = map(value, NOMINAL)
    system = system or ce.System()
    system.gravity = np.array([0.0, 0.0, -g])
    system.add_input("pull", "N", default=1.5)
    inertia = [[moment, 0.0, Ixz], [0.0, 1.5 * moment, 0.0], [Ixz, 0.0, 2.0 * moment]]
    upper = system.add_body(
        "upper",
        mass=m,
        com=(0, 0, -L),
        inertia=(moment, moment, 0.5 * moment),
        parent=system.ground,
        hinge=ce.Revolute((0, 1, 0)),
    )
    lower = system.add_body(
        "lower",
        mass=2.0 * m,
        com=(0, 0, -1.5 * L),
        inertia=inertia,
        parent=upper,
        hinge=ce.Universal((0, 1, 0), (1, 0, 0), at=(0, 0, -L)),
    )
    system.add_force(
        ce.SpringDamper(
            "spring", system.ground, (1, 0, 0), lower, (0, 0, -2.0 * L), spring=k, damper=c, free_length=free
        )
    )
    system.add_force(
        ce.TorsionSpringDamper("torsion", upper, spring=ce.Polynomial([0.0, k, 0.1 * k]), damper=c)
    )
    cart = system.add_body("cart", mass=m + 1.0, parent=system.ground, hinge=ce.Prismatic((1, 0, 0)))
    system.add_force(ce.AppliedWrench("wrench", cart, force=(gain, 0, 0), at=cart.com))
    return system


def free_double_pendulum() -> ce.System:
    system = ce.System()
    parameters = {name: system.add_parameter(Parameter(name, value)) for name, value in NOMINAL.items()}
    return double_pendulum(parameters.__getitem__, system)


@pytest.fixture(scope="module")
def model() -> ce.Model:
    return ce.compile(free_double_pendulum())


@pytest.mark.parametrize("values", [NOMINAL, OTHER])
def test_free_model_is_model_built_with_the_values(model: ce.Model, values: dict[str, float]) -> None:
    built = ce.compile(double_pendulum(values.__getitem__))
    free = model.dynamics(STATE, model.inputs_with(values))[0]
    plain = built.dynamics(STATE, built.u0)[0]
    # Constants fold in another order when they are known: rounding, times the condition of M (< 100).
    np.testing.assert_allclose(free, plain, rtol=0.0, atol=1e-13 * np.abs(plain).max())
    ours, theirs = (
        model.observation(STATE, model.inputs_with(values))[0],
        built.observation(STATE, built.u0)[0],
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


def test_every_parameter_has_an_effect(model: ce.Model) -> None:
    at_nominal = model.dynamics(STATE, model.u0)[0]
    for name, value in OTHER.items():
        changed = model.dynamics(STATE, model.inputs_with({name: value}))[0]
        assert np.abs(changed - at_nominal).max() > 1e-6, name


def test_sensitivities_are_the_derivatives(model: ce.Model) -> None:
    u = model.inputs_with(OTHER, {"pull": 0.7})
    exact = model.sensitivities(STATE, u=u)
    assert exact.shape == (len(STATE), len(OTHER))
    n_inputs = model.layout.n_inputs
    for k, value in enumerate(OTHER.values()):
        h = 1e-5 * abs(value)
        steps = []
        for sign in (1.0, -1.0):
            moved = u.copy()
            moved[n_inputs + k] += sign * h
            steps.append(model.dynamics(STATE, moved)[0])
        slope = (steps[0] - steps[1]) / (2.0 * h)
        # Central differences: h² f'''/6 ≈ 1e-10 relative and rounding eps |f|/h ≈ 1e-16 · 1e2/1e-6 = 1e-8.
        np.testing.assert_allclose(exact[:, k], slope, rtol=1e-6, atol=1e-6)


def test_simulate_takes_parameters(model: ce.Model) -> None:
    run = ce.simulate(model, parameters=OTHER, duration=0.2, method="rk4")
    built = ce.simulate(ce.compile(double_pendulum(OTHER.__getitem__)), duration=0.2, method="rk4")
    np.testing.assert_allclose(run["upper"], built["upper"], rtol=0.0, atol=1e-12)
    assert not np.allclose(run["upper"], ce.simulate(model, duration=0.2, method="rk4")["upper"], atol=1e-4)


def test_simulate_takes_parameters_with_a_law(model: ce.Model) -> None:
    class Law:
        def inputs(self, t: Any, sensors: Any) -> dict[str, Any]:
            return {"pull": 1.5 + 0.0 * t}

    with_law = ce.simulate(model, Law(), parameters=OTHER, duration=0.1, method="rk4")
    held = ce.simulate(model, {"pull": 1.5}, parameters=OTHER, duration=0.1, method="rk4")
    np.testing.assert_array_equal(with_law["upper"], held["upper"])


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ({"m": -1.0}, "mass must be at least 0"),
        ({"I": -0.1}, "I = -0.1: body 'upper': its inertia is not positive"),
        ({"Ixz": 3.0}, "Ixz = 3: body 'lower': its inertia is not positive"),
        ({"k": -1.0}, "k < 0"),
        ({"free": -0.1}, "free < 0"),
        ({"k": float("nan")}, "finite"),
        ({"mass": 1.0}, "no parameter 'mass'"),
    ],
)
def test_impossible_values_are_refused(model: ce.Model, bad: dict[str, float], reason: str) -> None:
    with pytest.raises(ModelError, match=reason):
        model.inputs_with(bad)


def test_refusals_name_the_runs(model: ce.Model) -> None:
    _ = model.dynamics
    columns = {name: np.full(4, value) for name, value in NOMINAL.items()}
    columns["m"] = np.array([1.0, -1.0, 2.0, np.inf])
    reasons = refusals(model.layout.parameters, columns)
    assert [bool(reason) for reason in reasons] == [False, True, False, True]
    assert "m = -1" in reasons[1]


def test_parameters_need_declaring_and_names_of_their_own() -> None:
    system = ce.System(gravity=(0, 0, -10))
    mass: Any = Parameter("mass", 1.0, "kg")
    system.add_body("bob", mass=mass, com=(0, 0, -1), parent=system.ground, hinge=ce.Revolute((0, 1, 0)))
    system.add_force(ce.AppliedWrench("push", system.find("bob"), force=(1, 0, 0), at=(0, 0, -1)))
    with pytest.raises(ModelError, match=r"'mass'.*add_parameter"):
        _ = ce.compile(system).dynamics
    system.add_parameter(mass)
    with pytest.raises(ModelError, match="exists already"):
        system.add_parameter(Parameter("mass", 2.0))
    with pytest.raises(ModelError, match="exists already"):
        system.add_input("mass", "kg")
    with pytest.raises(ModelError, match="finite"):
        Parameter("x", float("nan"))


def test_what_needs_a_number_refuses_a_parameter() -> None:
    p = Parameter("p", 1.0)
    for convert in (
        float,
        int,
        lambda x: np.array([x, 1.0], dtype=float),
        lambda x: np.asarray(2.0 * x, float),
    ):
        with pytest.raises(ModelError, match="plain number"):
            convert(p)


# The numbers themselves


def function_of(name: str) -> Callable[[Any], Any]:
    """An elementary function of a tenth of a number, as NumPy asks floats and others for it."""

    def function(x: Any) -> Any:
        with np.errstate(invalid="ignore"):
            return getattr(np, name)(x / 10.0) if isinstance(x, float) else getattr(x / 10.0, name)()

    return function


BINARY: list[Callable[[Any, Any], Any]] = [
    operator.add, operator.sub, operator.mul, operator.truediv, arctan2, maximum,
]  # fmt: skip
UNARY: list[Callable[[Any], Any]] = [
    operator.neg, abs, *(function_of(name) for name in FUNCTIONS.values()), lambda x: x**3,
    lambda x: where(x < 2.0, x, 5.0),
]  # fmt: skip


def test_arithmetic_agrees_with_floats_at_all_values() -> None:
    a, b = Parameter("a", 1.7), Parameter("b", 0.6)
    rng = np.random.default_rng(0)
    for _ in range(20):
        x, y = rng.uniform(0.1, 3.0, 2)
        for function in BINARY:
            for free, plain in ((function(a, b), function(x, y)), (function(2.0, b), function(2.0, y))):
                assert values_at(free, (a, b), (x, y)) == pytest.approx(float(plain), rel=1e-15, abs=1e-15)
        for single in UNARY:
            expected = pytest.approx(float(single(x * y)), rel=1e-15, nan_ok=True)
            assert values_at(single(a * b), (a, b), (x, y)) == expected


def test_structural_zeros_and_ones_fold() -> None:
    a = Parameter("a", 1.7)
    assert a * 0.0 == 0.0
    assert not is_free(0.0 * a)
    assert (a + 0.0) is a
    assert 1.0 * a is a
    assert a / 1.0 is a
    assert a - a == 0.0
    array = np.array([1.0, 0.0, 2.0]) * a
    assert [is_free(x) for x in array] == [True, False, True]
    np.testing.assert_array_equal(nominal(array), [1.7, 0.0, 3.4])


def test_branches_in_formulas_stay_open_others_are_guarded() -> None:
    a, b = Parameter("a", 1.0), Parameter("b", 2.0)
    larger = maximum(a, b)
    assert isinstance(larger, FreeNumber)
    assert values_at(larger, (a, b), (5.0, 3.0)) == 5.0
    assert not a.guards
    assert a < b  # decides, and is remembered by both
    assert [g.text() for g in a.guards.values()] == [g.text() for g in b.guards.values()] == ["a < b"]
    system = ce.System()
    for parameter in (a, b):
        system.add_parameter(parameter)
    assert refusals(tuple(system.parameters.values()), {"a": [1.0, 3.0], "b": [2.0, 2.0]}) == [
        "",
        "a = 3: the model was built where a < b holds",
    ]


def test_conditions_of_traced_and_free_numbers_join() -> None:
    a = Parameter("a", 1.0)

    def function(x: Any, p: Any) -> dict[str, Any]:
        p[0].graph.formulas[id(a)] = (a, p[0])
        both = (x[0] < 2.0) & (a < 3.0)
        either = (a < 3.0) | (x[0] < 2.0)
        return {
            "y": np.array([where(both, 1.0, 0.0), where(either, a, x[0]), where(~(a < 3.0), x[0], a * a)])
        }

    traced = trace("t", function, {"x": 1, "p": 1})
    for x, p in ((1.0, 1.0), (1.0, 4.0), (5.0, 1.0), (5.0, 4.0)):
        expected = [x < 2 and p < 3, p if p < 3 or x < 2 else x, x if not p < 3 else p * p]
        np.testing.assert_array_equal(traced.evaluate(x=[x], p=[p])["y"], np.array(expected, dtype=float))
    assert not a.guards


def test_a_thin_rod_may_be_free() -> None:
    """Its inertia is singular, with minors that are zero but for rounding of either sign."""
    system = ce.System()
    mass: Any = system.add_parameter(Parameter("mass", 0.7))
    length: Any = system.add_parameter(Parameter("length", 1.3))
    u = np.array([0.48, 0.6, 0.64])
    inertia = mass * length**2 / 12.0 * (np.eye(3) - np.outer(u, u))
    system.add_body("rod", mass=mass, inertia=inertia, parent=system.ground, hinge=ce.Spherical())
    values = np.random.default_rng(0).uniform(0.01, 5.0, (2, 50))
    assert refusals(tuple(system.parameters.values()), {"mass": values[0], "length": values[1]}) == [""] * 50
    assert all(refusals(tuple(system.parameters.values()), {"mass": [-1e-3], "length": [1.0]}))


def test_free_inertia_in_the_form_that_rotates() -> None:
    names = ("xx", "yy", "zz", "xy", "xz", "yz")
    parameters = tuple(
        Parameter(name, x) for name, x in zip(names, (2.0, 3.0, 4.0, 0.3, 0.2, 0.1), strict=True)
    )
    xx, yy, zz, xy, xz, yz = parameters
    for rows in (
        [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]],
        [[xx, 0.0, 0.0], [0.0, yy, 0.0], [0.0, 0.0, zz]],
    ):
        inertia = np.array(rows, dtype=object)
        a, terms = free_principal(inertia)
        rebuilt = a * np.eye(3) + sum(k * np.outer(e, e) for k, e in terms)
        for values in (
            [1.0, 5.0, 2.5, -0.4, 0.3, 0.2],
            [1.0, 4.0, 9.0, -2.0, 3.0, -6.0],  # of rank 1: a thin rod along (6, 3, -2)
            [0.0, 2.0, 2.0, 0.0, 0.0, 0.0],
            [0.0, 2.0, 2.0, 0.0, 0.0, 2.0],
            [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        ):
            np.testing.assert_allclose(
                values_at(rebuilt, parameters, values),
                values_at(inertia, parameters, values),
                rtol=0.0,
                atol=5e-15,
            )
