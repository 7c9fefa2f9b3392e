"""Laws that remember are refused by name when they are compiled; others, and constants they hold, are not."""

import collections
import itertools
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.contact import UnilateralModel, simulate_unilateral
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.forces.base import ForceElement, HingeLoad, Response


@pytest.fixture(scope="module")
def model() -> ce.Model:
    system = ce.System(gravity=(0, 0, 0))
    system.add_input("push", "N", between=(-1.0, 1.0))
    cart = system.add_body("cart", mass=1.0, parent="ground", hinge=ce.Prismatic((1, 0, 0)))
    system.add_force(ce.AppliedWrench("push", cart, (0, 0, 0), force=("push", 0.0, 0.0)))
    system.add_output("x", "m", lambda observer: observer.coordinate(cart))
    return ce.compile(system)


class Law:
    """One that answers −x and treats its memory by a function of the test."""

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
    ("remember", "what"), [(integrate, "total"), (count, "total"), (append, "seen"), (replace, "seen")]
)
def test_laws_that_remember_are_refused(model: ce.Model, remember: Any, what: str) -> None:
    with pytest.raises(
        ModelError, match=rf"input law Law: {what} changes when the law is evaluated: .*Controller"
    ):
        ce.simulate(model, Law(remember), duration=0.1)


class Integral:
    total = 0.0

    def of(self, x: Any) -> Any:
        self.total = self.total + 0.01 * x
        return self.total


class Slotted:
    __slots__ = ("total",)

    def __init__(self) -> None:
        self.total = 0.0

    of = Integral.of


class OfItsClass:
    total = 0.0

    def of(self, x: Any) -> Any:
        OfItsClass.total = OfItsClass.total + 0.01 * x
        return OfItsClass.total


class InADefault:
    def of(self, x: Any, kept: list[Any] = [0.0]) -> Any:  # noqa: B006 - the slip that is meant
        kept[0] = kept[0] + 0.01 * x
        return kept[0]


class InADeque:
    def __init__(self) -> None:
        self.seen = collections.deque([[0.0]])

    def of(self, x: Any) -> Any:
        self.seen[0][0] = self.seen[0][0] + 0.01 * x
        return self.seen[0][0]


class Counting:
    """The next value of a counter is in no attribute."""

    def __init__(self) -> None:
        self.calls = itertools.count()

    def of(self, x: Any) -> Any:
        return next(self.calls) * x


class Noisy:
    def __init__(self) -> None:
        self.random = np.random.default_rng(1)

    def of(self, x: Any) -> Any:
        return x + self.random.normal()


class Timely:
    def of(self, x: Any) -> Any:
        return x * time.perf_counter()


HIDDEN = (Integral, Slotted, OfItsClass, InADefault, InADeque, Counting, Noisy, Timely)


@pytest.mark.parametrize("kind", HIDDEN)
def test_memory_is_found_wherever_it_is_kept(model: ce.Model, kind: type) -> None:
    class Law:
        def __init__(self) -> None:
            self.helper = kind()

        def inputs(self, t: Scalar, sensors: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
            return {"push": -self.helper.of(sensors["x"])}

    with pytest.raises(ModelError, match=r"input law Law: .*evaluated twice.*Controller"):
        ce.simulate(model, Law(), duration=0.1)


@pytest.mark.parametrize("kind", [Integral, Counting, Noisy])
def test_elements_and_outputs_hand_nothing_to_what_remembers(kind: type) -> None:
    for as_output in (False, True):
        system = ce.System(gravity=(0, 0, 0))
        cart = system.add_body("cart", mass=1.0, parent="ground", hinge=ce.Prismatic((1, 0, 0)))
        if as_output:
            system.add_output("sum", "m", summing(cart, kind()))
        else:
            system.add_force(Handing(cart, kind()))
        what = "output 'sum'" if as_output else "force element 'remembering'"
        with pytest.raises(ModelError, match=rf"{what}.* (changes when it|evaluated twice).*as a state"):
            ce.simulate(ce.compile(system), duration=0.1)


def test_a_law_that_only_holds_numbers_runs(model: ce.Model) -> None:
    run = ce.simulate(model, Law(lambda law, x: None), duration=0.1, y0=(0.5, 0.0))
    assert float(run["push"][0]) == -0.5


def test_numbers_out_of_range_are_refused(model: ce.Model) -> None:
    with pytest.raises(ModelError, match=r"input 'push': 2\.0 must be from -1 to 1"):
        ce.simulate(model, {"push": 2.0}, duration=0.1)
    sim = ce.Simulator(model)
    with pytest.raises(ModelError, match=r"input 'push': 2\.0 must be from -1 to 1"):
        sim.step(0.1, push=2.0)
    assert sim.time == 0.0
    with pytest.warns(ce.errors.RangeWarning, match=r"answers -2 for input 'push' at t = 0 s"):
        ce.simulate(model, Law(lambda law, x: None), duration=0.1, y0=(2.0, 0.0))


def test_time_is_no_running_sum_and_damage_noticed(model: ce.Model) -> None:
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


class Remembering(ForceElement):
    """A force that adds up where the cart has been."""

    def __init__(self, cart: ce.Body) -> None:
        self.name, self.cart, self.total = "remembering", cart, 0.0

    @property
    def attachments(self) -> tuple[tuple[ce.Body, Any], ...]:
        return ((self.cart, self.cart.com),)

    def evaluate(self, observer: Any, x: Any, u: Any) -> Response:
        self.total = self.total + observer.coordinate(self.cart)
        return Response((HingeLoad(self.cart, 0, -self.total),))


class Handing(Remembering):
    def __init__(self, cart: ce.Body, helper: Any) -> None:
        super().__init__(cart)
        self.helper = helper

    def evaluate(self, observer: Any, x: Any, u: Any) -> Response:
        return Response((HingeLoad(self.cart, 0, -self.helper.of(observer.coordinate(self.cart))),))


def summing(cart: ce.Body, helper: Any) -> Callable[[Any], Any]:
    return lambda observer: helper.of(observer.coordinate(cart))


@pytest.mark.parametrize(
    ("where", "what"),
    [
        ("force", "force element 'remembering': total"),
        ("output", "output 'sum': variable total"),
        ("list", "output 'sum': variable seen"),
        ("global", "output 'sum': global variable REMEMBERED"),
    ],
)
def test_whatever_remembers_in_a_system_is_refused(where: str, what: str) -> None:
    system = ce.System(gravity=(0, 0, 0))
    cart = system.add_body("cart", mass=1.0, parent="ground", hinge=ce.Prismatic((1, 0, 0)))
    total, seen = 0.0, [0.0]

    def adding(observer: Any) -> Any:
        nonlocal total
        total = total + observer.coordinate(cart)
        return total

    def listing(observer: Any) -> Any:
        seen[0] = seen[0] + observer.coordinate(cart)
        return seen[0]

    def counting(observer: Any) -> Any:
        global REMEMBERED
        REMEMBERED += 1
        return REMEMBERED * observer.coordinate(cart)

    if where == "force":
        system.add_force(Remembering(cart))
    else:
        functions = {"output": adding, "list": listing, "global": counting}
        system.add_output("sum", "m", functions[where])
    with pytest.raises(ModelError, match=rf"{what} changes when it is evaluated: .* as a state of"):
        ce.simulate(ce.compile(system), duration=0.1)


REMEMBERED = 0


def test_laws_that_remember_are_refused_wherever_they_enter(model: ce.Model) -> None:
    y0s = [[0.0, 0.0]]
    ways = (
        lambda: ce.simulate(model, Law(integrate), duration=0.1, method="rk4"),
        lambda: ce.simulate_ensemble(model, y0s, inputs=Law(integrate), duration=0.1),
        lambda: simulate_unilateral(UnilateralModel(model, []), Law(integrate), duration=0.1),
    )
    for way in ways:
        with pytest.raises(ModelError, match="input law Law: total changes when the law is evaluated"):
            way()


def test_a_simulator_may_be_led_by_what_remembers(model: ce.Model) -> None:
    """Between steps a law is Python: its memory works, and an object that is no function is named."""
    sim, counted = ce.Simulator(model, step=0.01), [0.0]

    def control(simulator: ce.Simulator) -> Mapping[str, float]:
        counted[0] += 0.1
        return {"push": counted[0]}

    sim.run_realtime(0.03, control=control, sleep=lambda _: None)
    # a cart of 1 kg pushed by 0.1, 0.2 and 0.3 N for 10 ms each
    assert sim.state[1] == pytest.approx(0.006, rel=1e-12)
    with pytest.raises(ce.WrongTypeError, match=r"control .* cannot be called; give a function of"):
        sim.run_realtime(0.02, control=Law(integrate))  # type: ignore[arg-type]


def test_functions_of_time_as_inputs_are_refused(model: ce.Model) -> None:
    for way in (
        lambda: ce.simulate(model, {"push": lambda t: t}, duration=0.1),  # type: ignore[dict-item]
        lambda: ce.Simulator(model).step(0.01, push=lambda t: t),  # type: ignore[arg-type]
    ):
        with pytest.raises(ce.WrongTypeError, match=r"input 'push': .* law: an object with inputs"):
            way()
