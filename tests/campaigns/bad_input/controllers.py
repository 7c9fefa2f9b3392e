"""Control laws with memory."""

import math
from typing import Any

import numpy as np

import ce_dynamics as ce
from tests.campaigns.bad_input import values
from tests.campaigns.bad_input.cases import Case
from tests.campaigns.bad_input.description import fresh


class Law(ce.Controller):
    def __init__(self, **given: Any) -> None:
        self.name, self.answers = "law", ("torque",)
        self.answer: Any = lambda sensors, x: {"torque": 1.0}
        self.rate: Any = lambda sensors, x: [0.0]
        self.new: Any = lambda sensors, x: [0.0]
        for key, value in given.items():
            setattr(self, key, value)

    def act(self, sensors: Any, x: Any) -> Any:
        return self.answer(sensors, x)

    def rates(self, sensors: Any, x: Any) -> Any:
        return self.rate(sensors, x) if self.states else ()

    def update(self, sensors: Any, x: Any) -> Any:
        return self.new(sensors, x)


def controlled(**given: Any) -> Any:
    """A system with a controller, run for a moment."""
    system = fresh()
    system.add_force(ce.Actuator("motor", system.find("arm"), command="torque"))
    others = given.pop("others", [])
    for law in (given["controller"] if "controller" in given else Law(**given), *others):
        system.add_controller(law)
    return ce.simulate(ce.compile(system), duration=0.01)


def of_controllers() -> list[Case]:
    from ce_dynamics.mechanism.forces.base import StateDeclaration

    one = (StateDeclaration("i", "rad", 0.0),)
    answers: dict[str, Any] = {
        "nothing": None, "list": [1.0], "number": 1.0, "nobody": {"nobody": 1.0}, "text": {"torque": "1"},
        "nan": {"torque": math.nan}, "array": {"torque": np.ones(2)}, "empty": {},
        "more": {"torque": 1.0, "other": 2.0},
    }  # fmt: skip
    lists: dict[str, Any] = {
        "nothing": None, "number": 0.0, "empty": [], "two": [0.0, 0.0], "text": ["a"], "nan": [math.nan],
        "mapping": {"i": 0.0},
    }  # fmt: skip

    def raises(sensors: Any, x: Any) -> Any:
        raise KeyError("angle")

    found = []

    def add(what: str, **given: Any) -> None:
        found.append(Case(f"Controller({what})", lambda: controlled(**dict(given))))

    for name, value in answers.items():
        add(f"act answers {name}", answer=lambda sensors, x, value=value: value)
    for name, value in lists.items():
        add(f"rates answers {name}", states=one, rate=lambda sensors, x, value=value: value)
        add(
            f"update answers {name}",
            sampled=one,
            period=0.001,
            new=lambda sensors, x, value=value: value,
        )
    for name, value in values.NO_POSITIVE.items():
        add(f"period {name}", sampled=one, period=value)
    add("act raises", answer=raises)
    add("rates raises", states=one, rate=raises)
    add("update raises", sampled=one, period=0.001, new=raises)
    add("period without samples", period=0.1)
    add("one state twice", states=one * 2, rate=lambda sensors, x: [0.0, 0.0])
    for name, value in {**values.NO_TEXT, "taken": "torque"}.items():
        if name != "taken":
            add(f"name {name}", name=value)
        add(f"answers {name}", answers=value)
    add("answers nobody", answers=("nobody",))
    add("answers twice", answers=("torque", "torque"))
    add("states of nothing", states=None)
    add("states of texts", states=("i",))
    add("states of numbers", states=(1.0,))
    add("states with nan", states=(StateDeclaration("i", "rad", math.nan),))
    add(
        "periods out of proportion",
        sampled=one,
        period=1.0,
        others=[Law(name="b", sampled=one, period=math.pi)],
    )
    add("periods far apart", sampled=one, period=1.0, others=[Law(name="b", sampled=one, period=1e-10)])
    add("the same twice", others=[Law()])
    for name, value in values.NO_OBJECT.items():
        add(f"controller {name}", controller=value)
    return found
