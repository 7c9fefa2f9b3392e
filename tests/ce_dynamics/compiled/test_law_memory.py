"""Laws that remember are refused by name when they are compiled; others, and constants they hold, are not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.errors import ModelError


@pytest.fixture(scope="module")
def model() -> ce.Model:
    system = ce.System(gravity=(0, 0, 0))
    system.add_input("push", "N", between=(-1.0, 1.0))
    cart = system.add_body("cart", mass=1.0, parent="ground", hinge=ce.Prismatic((1, 0, 0)))
    system.add_force(ce.AppliedWrench("push", cart, (0, 0, 0), force=("push", 0.0, 0.0)))
    system.add_output("x", "m", lambda observer: observer.coordinate(cart))
    return ce.compile(system)


class Law:
    """One that answers −x and does with what it holds what a test says."""

    def __init__(self, remember: Any) -> None:
        self.total, self.seen, self.gain, self._remember = 0.0, [0.0], 1.0, remember

    def inputs(self, t: Scalar, sensors: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        self._remember(self, sensors["x"])
        return {"push": -self.gain * sensors["x"]}


def integrate(law: Law, x: Any) -> None:
    law.total = law.total + 0.01 * x


def count(law: Law, x: Any) -> None:
    law.total += 1.0


def append(law: Law, x: Any) -> None:
    law.seen.append(x)


def replace(law: Law, x: Any) -> None:
    law.seen[0] = x


@pytest.mark.parametrize(
    ("remember", "what"),
    [(integrate, "total"), (count, "total"), (append, "seen"), (replace, "seen")],
)
def test_laws_that_remember_are_refused(model: ce.Model, remember: Any, what: str) -> None:
    with pytest.raises(
        ModelError, match=rf"input law Law: {what} changes when the law is asked: .* Simulator"
    ):
        ce.simulate(model, Law(remember), duration=0.1)


def test_a_law_that_only_holds_numbers_runs(model: ce.Model) -> None:
    run = ce.simulate(model, Law(lambda law, x: None), duration=0.1, y0=(0.5, 0.0))
    assert float(run["push"][0]) == -0.5


def test_numbers_out_of_range_are_refused_and_laws_reported(model: ce.Model) -> None:
    with pytest.raises(ModelError, match=r"input 'push': 2\.0 must be from -1 to 1"):
        ce.simulate(model, {"push": 2.0}, duration=0.1)
    sim = ce.Simulator(model)
    with pytest.raises(ModelError, match=r"input 'push': 2\.0 must be from -1 to 1"):
        sim.step(0.1, push=2.0)
    assert sim.time == 0.0
    with pytest.warns(ce.errors.RangeWarning, match=r"answers -2 for input 'push' at t = 0 s"):
        ce.simulate(model, Law(lambda law, x: None), duration=0.1, y0=(2.0, 0.0))


def test_the_time_of_a_simulator_is_no_running_sum_and_damage_is_noticed(model: ce.Model) -> None:
    sim = ce.Simulator(model)
    for _ in range(1000):
        sim.step(0.001)
    assert sim.time == 1.0
    saved = sim.save()
    for k in (0, 50, len(saved) // 2, len(saved) - 1):
        damaged = bytearray(saved)
        damaged[k] ^= 4
        with pytest.raises(ModelError, match=r"no state saved|damaged"):
            sim.restore(bytes(damaged))
    sim.restore(saved)
    assert sim.time == 1.0
