"""Sensitivities of trajectories: closed forms, differences of runs, loops, laws, initial values."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.forces.base import StateDeclaration


def oscillator() -> ce.Model:
    system = ce.System(gravity=(0, 0, 0))
    k, c = (system.add_parameter(ce.Parameter(name, value)) for name, value in (("k", 8.0), ("c", 0.6)))
    system.add_input("push", "N")
    mass = system.add_body("mass", mass=2.0, parent=system.ground, hinge=ce.Prismatic((1, 0, 0)))
    system.add_force(ce.TorsionSpringDamper("spring", mass, spring=ce.Linear(k), damper=ce.Linear(c)))
    system.add_force(ce.AppliedWrench("hand", mass, (0, 0, 0), force=("push", 0, 0)))
    system.start(mass, q=[0.1], v=[0.3])
    return ce.compile(system)


def test_a_damped_oscillator_in_closed_form() -> None:
    """x = Re(a e^{λt}) + F/k: derivatives by k, c, F, x₀ and v₀ by complex steps of the closed form."""
    model = oscillator()
    by = ["k", "c", "push", "mass", "mass_rate"]
    run = ce.simulate_sensitivities(
        model,
        {"push": 0.5},
        by=by,
        of=["mass", "mass_rate", "rate of mass"],
        duration=4.0,
        interval=0.1,
        rtol=1e-10,
        atol=1e-12,
    )
    t = run["time"].values

    def position(k: Any, c: Any, F: Any, x0: Any, v0: Any) -> Any:
        delta, rest = c / 4.0, F / k
        omega = np.sqrt(k / 2.0 - delta**2)
        s = (v0 + delta * (x0 - rest)) / omega
        return rest + np.exp(-delta * t) * ((x0 - rest) * np.cos(omega * t) + s * np.sin(omega * t))

    given = np.array((8.0, 0.6, 0.5, 0.1, 0.3))
    np.testing.assert_allclose(run["values"].sel(quantity="mass"), position(*given), atol=1e-9)
    for k, name in enumerate(by):
        step = given + 1e-30j * np.eye(5)[k]
        exact = position(*step).imag / 1e-30
        mine = run["derivatives"].sel(quantity="mass", parameter=name).values
        np.testing.assert_allclose(mine, exact, rtol=0.0, atol=1e-8 * max(1.0, np.abs(exact).max()))
    rates = [run["derivatives"].sel(quantity=name).values for name in ("rate of mass", "mass_rate")]
    np.testing.assert_array_equal(rates[0], rates[1])


class Brake:
    def inputs(self, t: Any, sensors: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"torque": 2.0 * t - 0.8 * sensors["turning"]}


def four_bar() -> ce.Model:
    """A crank, coupler and rocker that a law drives, with a free length, mass and spring."""
    system = ce.System(gravity=(0, 0, -9.81))
    x, m, k = (system.add_parameter(ce.Parameter(n, v)) for n, v in (("x", 1.0), ("m", 2.0), ("k", 40.0)))
    system.add_input("torque", "N*m")
    y = (0, 1, 0)

    def rod(name: str, parent: Any, at: Any, to: Any, mass: Any = 1.0) -> Any:
        com = [0.5 * (a + b) for a, b in zip(at, to, strict=True)]
        hinge = ce.Revolute(y, at=at)
        return system.add_body(name, mass=mass, com=com, inertia=(0.1, 0.1, 0.1), parent=parent, hinge=hinge)

    crank = rod("crank", system.ground, (0, 0, 0), (0.2, 0, 0.4), m)
    rocker = rod("rocker", system.ground, (x, 0, 0), (1.1, 0, 0.7))
    coupler = rod("coupler", crank, (0.2, 0, 0.4), (1.1, 0, 0.7))
    system.close_loop("pin", coupler, rocker, ce.Revolute(y, at=(1.1, 0, 0.7)), independent=[crank])
    system.add_force(ce.TorsionSpringDamper("spring", rocker, spring=ce.Linear(k), damper=0.5))
    system.add_force(ce.AppliedWrench("motor", crank, (0, 0, 0), torque=(0, "torque", 0)))
    system.add_output("turning", "rad/s", lambda o: o.rate(crank))
    system.add_output("height", "m", lambda o: o.point(coupler, np.array((1.1, 0, 0.7)), system.ground).r[2])
    return ce.compile(system)


def test_loop_under_law_against_differences_of_runs() -> None:
    """Central differences with h = 1e-5 p of runs to 1e-11: 1e-6 by rounding, h² by third derivatives."""
    model, law = four_bar(), Brake()
    by, of = ["x", "m", "k", "crank"], ["height", "turning"]
    run = ce.simulate_sensitivities(
        model, law, by=by, of=of, duration=1.0, interval=0.25, rtol=1e-10, atol=1e-12
    )
    nominal = {"x": 1.0, "m": 2.0, "k": 40.0}

    def heights(**change: float) -> Any:
        y0 = model.y0
        y0[0] += change.pop("crank", 0.0)
        options: Any = {"method": "DOP853", "rtol": 1e-11, "atol": 1e-13, "interval": 0.25, "duration": 1.0}
        found = ce.simulate(model, law, y0=y0, parameters=nominal | change, **options)
        return np.stack([found[name].values for name in of], axis=1)

    for name in by:
        value = nominal.get(name, 0.0)
        h = 1e-5 * (value or 1.0)
        slope = (heights(**{name: value + h}) - heights(**{name: value - h})) / (2.0 * h)
        mine = run["derivatives"].sel(parameter=name).values
        np.testing.assert_allclose(mine, slope, rtol=0.0, atol=2e-5 * max(1.0, np.abs(slope).max()))


def test_an_equilibrium_that_moves_along_stays_one() -> None:
    """Let go at rest with ∂y₀/∂k of the equilibrium: it stays at rest, x = F/k, for ever."""
    model = oscillator()
    u = model.inputs_with(inputs={"push": 0.5})
    rest = model.equilibrium(u=u).y
    slope = model.derivatives(
        ["mass", "mass_rate"],
        "k",
        rest,
        u=u,
        keeping=["rate of mass_rate", "mass_rate"],
        adjusting=["mass", "mass_rate"],
    ).matrix
    run = ce.simulate_sensitivities(
        model, {"push": 0.5}, by="k", of="mass", y0=rest, y0_by=slope, duration=2.0, interval=0.5
    )
    np.testing.assert_allclose(run["derivatives"].values.ravel(), -0.5 / 64.0, rtol=1e-9)


def test_mistakes_are_named() -> None:
    model = oscillator()
    for given, words in (
        ({"by": "q"}, "no 'q'"),
        ({"by": []}, "name what to differentiate by"),
        ({"by": "k", "of": "nothing"}, "nothing"),
        ({"by": "k", "duration": -1.0}, "duration"),
        ({"by": "k", "method": "Euler"}, "Euler"),
        ({"by": "k", "y0_by": [[1.0]]}, "shape"),
        ({"by": "k", "parameters": {"z": 1.0}}, "'z'"),
    ):
        with pytest.raises(ModelError, match=words):
            ce.simulate_sensitivities(model, **({"duration": 1.0} | given))


class Held(ce.Controller):
    """F = −k x − c v, looked at every 0.1 s and held; a counter of samples beside it."""

    name, answers, period = "held", ("push",), 0.1
    sampled = (StateDeclaration("force", "N"), StateDeclaration("looks", "1"))

    def act(self, sensors: Any, x: Any) -> Any:
        return {"push": sensors["push"] + x["force"]}

    def update(self, sensors: Any, x: Any) -> Any:
        force = -sensors["k"] * sensors["mass"] - sensors["c"] * sensors["mass_rate"]
        return force, x["looks"] + 1.0


def test_a_sampled_controller_in_closed_form() -> None:
    """Between samples the force is constant: a linear map, differentiated by complex steps."""
    system = ce.System(gravity=(0, 0, 0))
    k, c = (system.add_parameter(ce.Parameter(name, value)) for name, value in (("k", 8.0), ("c", 0.6)))
    system.add_input("push", "N")
    mass = system.add_body("mass", mass=2.0, parent=system.ground, hinge=ce.Prismatic((1, 0, 0)))
    system.add_force(ce.AppliedWrench("hand", mass, (0, 0, 0), force=("push", 0, 0)))
    system.add_force(ce.TorsionSpringDamper("none", mass, spring=ce.Linear(0.0 * (k + c))))
    system.add_controller(Held())
    system.start(mass, q=[0.1], v=[0.3])
    by, of = ["k", "c", "push", "mass", "mass_rate"], ["mass", "mass_rate", "held.force", "held.looks"]
    run = ce.simulate_sensitivities(
        ce.compile(system), {"push": 0.5}, by=by, of=of, duration=1.0, interval=0.04, rtol=1e-10, atol=1e-12
    )

    def at(k: Any, c: Any, F: Any, x: Any, v: Any) -> Any:
        rows, h = [], 0.02
        held, looks = 0.0, 0
        for i in range(51):
            if i % 2 == 0:
                rows.append((x, v, held, looks))  # as it is before controllers look
            if i % 5 == 0:
                held, looks = -k * x - c * v, looks + 1
            a = (F + held) / 2.0
            x, v = x + v * h + 0.5 * a * h**2, v + a * h
        return np.array(rows)

    given = np.array((8.0, 0.6, 0.5, 0.1, 0.3))
    np.testing.assert_allclose(run["values"], at(*given).real, atol=1e-12)
    for j, name in enumerate(by):
        exact = at(*(given + 1e-30j * np.eye(5)[j])).imag / 1e-30
        np.testing.assert_allclose(run["derivatives"].sel(parameter=name), exact, atol=1e-11)
