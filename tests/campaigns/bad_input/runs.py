"""Runs and answers of compiled models: states, inputs, methods, times, tolerances."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

import ce_dynamics as ce
from ce_dynamics import contact
from tests.campaigns.bad_input import values
from tests.campaigns.bad_input.cases import Case
from tests.campaigns.bad_input.description import calls, fresh


@cache
def model() -> ce.Model:
    """Two freedoms, one input, one parameter, an output."""
    system = fresh()
    stiffness = system.add_parameter(ce.Parameter("stiffness", 10.0, "N/m"))
    system.add_force(ce.TorsionSpringDamper("spring", system.find("slide"), spring=ce.Linear(stiffness)))
    system.add_force(ce.Actuator("motor", system.find("arm"), command="torque"))
    system.add_output("angle", "rad", lambda see: see.coordinate(system.find("arm")))
    return ce.compile(system)


@cache
def unilateral() -> contact.UnilateralModel:
    """A weight that falls on a plane."""
    system = ce.System()
    weight = system.add_body(
        "weight", mass=1.0, com=(0, 0, 1), parent="ground", hinge=ce.Prismatic((0, 0, 1), (0, 0, 1))
    )
    touching = contact.Contact("ground", weight, (0, 0, 1), contact.Plane())
    return contact.UnilateralModel(ce.compile(system), [touching])


class Law:
    """An input law that answers what it is told."""

    def __init__(self, answer: Callable[[], Any]) -> None:
        self.answer = answer

    def inputs(self, t: Any, sensors: Any) -> Any:
        """What it was told."""
        return self.answer()


class Branching:
    """An input law that asks what it cannot know while it is compiled."""

    def inputs(self, t: Any, sensors: Any) -> Any:
        """One of two values."""
        return {"torque": 1.0 if t > 0.005 else 0.0}


LAWS = values.POOLS["laws"] = {
    **values.NO_MAPPING, "held": ce.HeldInputs([0.0], {"torque": [1.0]}),
    "law that raises": Law(lambda: 1 / 0), "law of nothing": Law(lambda: None),
    "law of text": Law(lambda: {"torque": "1"}), "law of an unknown input": Law(lambda: {"nothing": 1.0}),
    "law of a list": Law(lambda: [1.0]), "law of a number as name": Law(lambda: {1: 1.0}),
    "law of nothing as value": Law(lambda: {"torque": None}),
    "law of a list as value": Law(lambda: {"torque": [1.0]}),
    "law of a truth": Law(lambda: {"torque": True}), "law of nan": Law(lambda: {"torque": math.nan}),
    "law that branches": Branching(), "law class": Law,
}  # fmt: skip
NOT_GIVEN = tuple(f"{name}:nothing" for name in ("step", "rtol", "atol", "max_step", "jacobian_every"))
PARAMETERS = values.POOLS["parameters"] = {
    **{k: v for k, v in values.NO_MAPPING.items() if "torque" not in str(v)}, "an input": {"torque": 1.0},
    "text": {"stiffness": "1"}, "nan": {"stiffness": math.nan}, "list": {"stiffness": [1.0, 2.0]},
}  # fmt: skip


def simulate(**given: Any) -> Any:
    """A short run."""
    return ce.simulate(**{"model": model(), "duration": 0.01, **given})


def simulator(**given: Any) -> Any:
    """A simulator."""
    return ce.Simulator(**{"model": model(), **given})


def ensemble(**given: Any) -> Any:
    """A short ensemble."""
    return ce.simulate_ensemble(**{"model": model(), "duration": 0.01, **given})


def prepare() -> None:
    """Compile what is compiled once."""
    for method in ("rk4", "dopri5", "rosenbrock", "implicit-euler"):
        simulate(method=method)
    ensemble()
    contact.simulate_unilateral(unilateral(), duration=0.5)


def of_simulate() -> list[Case]:
    """`ce_dynamics.simulate`."""
    found = calls(
        "simulate",
        simulate,
        {},
        (
            "model:object inputs:laws~ duration:seconds y0:state4 method:word rtol:positive-nothing "
            "atol:positive-nothing interval:seconds max_step:positive-infinity-nothing audit:flag "
            "parameters:parameters~ progress:function-nothing-class"
        ),
    )
    found += calls("simulate rk4", simulate, {"method": "rk4"}, "step:positive-nothing")
    found += calls(
        "simulate rosenbrock",
        simulate,
        {"method": "rosenbrock"},
        "jacobian_every:integer-nothing",
        {"jacobian_every": {"zero": 0}},
    )
    for name, times in {
        "instants": {"duration": 1e6, "interval": 1e-4},
        "many instants": {"duration": 1e9, "interval": 1e-9},
        "step too short": {"step": 1e-300},
        "step below rounding": {"duration": 1.0, "step": 1e-18},
        "tolerance 2": {"rtol": 2.0},
        "tolerance 1e-300": {"rtol": 1e-300, "atol": 1e-300},
        "max_step 1e-12": {"max_step": 1e-12},
        "interval 1e-300": {"interval": 1e-300},
    }.items():
        found += [
            Case(f"simulate {method}({name})", partial(simulate, **{"method": method, **times}))
            for method in ("rk4", "dopri5", "RK45")
        ]
    return found


def of_simulator() -> list[Case]:
    """`ce_dynamics.Simulator`."""
    found = calls("Simulator", simulator, {}, "model:object method:word step:positive y0:state4")
    found += calls(
        "Simulator dopri5", simulator, {"method": "dopri5"}, "rtol:positive-nothing atol:positive-nothing"
    )
    found += calls(
        "Simulator rosenbrock",
        simulator,
        {"method": "rosenbrock"},
        "jacobian_every:integer-nothing",
        {"jacobian_every": {"zero": 0}},
    )
    found += calls(
        "Simulator.step",
        lambda dt=None, **given: simulator().step(dt, **given),
        {},
        "dt:seconds-nothing torque:number nothing",
        {"nothing": {"one": 1.0}},
    )
    found += calls("Simulator.set", lambda **given: simulator().set(**given), {}, "inputs:mapping~")
    found += calls("Simulator.reset", lambda **given: simulator().reset(**given), {}, "y0:state4")
    found += calls("Simulator.restore", lambda **given: simulator().restore(**given), {}, "saved:object~")
    found += calls(
        "Simulator.run_realtime",
        lambda **given: simulator().run_realtime(**{"duration": 0.01, "speed": 100.0, **given}),
        {},
        "duration:seconds~ dt:seconds~ speed:positive control:function-nothing~",
        {
            "duration": {"endless": 1e300},
            "dt": {"short": 1e-300},
            "control": {
                "answers nothing": lambda sim: None,
                "answers a list": lambda sim: [1.0],
                "answers text": lambda sim: {"torque": "1"},
                "answers nan": lambda sim: {"torque": math.nan},
                "answers an unknown name": lambda sim: {"nobody": 1.0},
            },
        },
    )
    return found


def of_ensembles() -> list[Case]:
    """`ce_dynamics.simulate_ensemble`."""
    states = {**values.no_state(4), "no runs": np.zeros((0, 4)), "cube": np.zeros((2, 2, 4))}
    states = {k: v for k, v in states.items() if k not in ("nan", "infinity")}  # those are failures of a run
    found = calls(
        "simulate_ensemble",
        ensemble,
        {},
        (
            "model:object y0s parameters:parameters-list-nan~ "
            "controls:mapping-list_as_value-nan_as_value~ duration:seconds inputs~ method:word "
            "step:positive-nothing interval:seconds keep:names~ threads:integer-nothing "
            "lanes:integer-nothing progress"
        ),
        {
            "y0s": states,
            "parameters": {
                "matrix": {"stiffness": np.ones((2, 2))},
                "none": {"stiffness": []},
                "nothing in it": {"stiffness": [None]},
            },
            "controls": {
                "times fall": ce.HeldInputs([1.0, 0.0], {"torque": [1.0, 2.0]}),
                "no times": ce.HeldInputs([], {"torque": []}),
                "times are text": ce.HeldInputs(["a"], {"torque": [1.0]}),
                "more times": ce.HeldInputs([0.0, 1.0], {"torque": [1.0]}),
                "values are a list": ce.HeldInputs([0.0], [1.0]),  # type: ignore[arg-type]
            },
            "inputs": {k: v for k, v in LAWS.items() if k not in (*values.NO_MAPPING, "law of nan")},
            "keep": {"text": "angle"},
            "threads": {"zero": 0, "million": 10**6},
            "lanes": {"three": 3, "million": 10**6},
            "progress": {"text": "yes", "number": 1, "thing": values.Thing()},
        },
    )
    times: dict[str, dict[str, Any]] = {
        "step 1e-12": {"duration": 10.0, "step": 1e-12},
        "step 1e-300": {"step": 1e-300},
        "many instants": {"duration": 1e6, "interval": 1e-6},
        "interval 1e-300": {"interval": 1e-300},
        "duration 1e300": {"duration": 1e300},
        "many runs": {"y0s": np.broadcast_to(np.zeros(4), (10**9, 4)), "duration": 1.0},
    }
    found += [Case(f"simulate_ensemble({name})", partial(ensemble, **one)) for name, one in times.items()]
    return found


def of_answers() -> list[Case]:
    """What a model answers at a state."""
    found = []
    for method in ("reactions", "linearize", "sensitivities"):
        found += calls(
            method,
            lambda method=method, **given: getattr(model(), method)(**given),
            {"y": np.zeros(4)},
            "y:state4 u:state2",
        )
    for method in ("equilibrium", "modes", "poses", "power"):
        found += calls(
            method, lambda method=method, **given: getattr(model(), method)(**given), {}, "y:state4 u:state2"
        )
    found += calls(
        "equilibrium", lambda **given: model().equilibrium(**given), {}, "hold:names~ tolerance:positive"
    )
    found += calls("modes", lambda **given: model().modes(**given), {}, "hold:names~ damped:flag")
    for method, arguments in {
        "mass_matrix": ("q",),
        "energy": ("q", "v"),
        "momentum": ("q", "v"),
        "accelerations": ("q", "v"),
        "inverse_dynamics": ("q", "v", "v_dot"),
    }.items():
        good = dict.fromkeys(arguments, np.zeros(2))
        spec = " ".join(f"{argument}:state2" for argument in arguments) + " u:state2 x:state0"
        found += calls(method, lambda method=method, **given: getattr(model(), method)(**given), good, spec)
    for method in ("point", "frame"):
        found += calls(
            method,
            lambda method=method, **given: getattr(model(), method)(**given),
            {"body": "arm"},
            "body:object~ at:vector",
            {"body": {"unknown": "nobody", "ground": "ground"}},
        )
    found += calls(
        "reactions",
        lambda **given: model().reactions(**given),
        {"y": np.zeros(4)},
        "frame:object-nothing-ground~",
        {"frame": {"unknown": "nobody", "ground": "ground"}},
    )
    found += calls(
        "assemble",
        lambda **given: model().assemble(**given),
        {},
        "coordinates~ near~ y:state4 u:state2",
        {
            "coordinates": {
                "text": "arm",
                "list": ["arm"],
                "unknown": {"nobody": 1.0},
                "nan": {"arm": math.nan},
                "as text": {"arm": "1"},
                "number": 1.0,
            },
            "near": {
                "text": "arm",
                "unknown": {"nobody": (0, 0, 0)},
                "nan": {"arm": (0, math.nan, 0)},
                "two": {"arm": (0, 0)},
            },
        },
    )
    found += calls(
        "operational_space",
        lambda **given: model().operational_space(**given),
        {"targets": ()},
        "targets:object-list~",
    )
    found += calls(
        "operational_space",
        lambda **given: model().operational_space(model().point("arm"), **given),
        {},
        "directions:vector-column-booleans-matrix",
    )
    found += calls("trim", ce.trim, {"change": ["arm"], "still": ["arm_rate"]}, "model:object")
    found += calls(
        "trim",
        lambda **given: ce.trim(model(), **{"change": ["arm"], "still": ["arm_rate"], **given}),
        {},
        "change:names~ still:names~ y:state4 u:state2 tolerance:positive",
        {"change": {"text": "arm"}, "still": {"text": "arm"}},
    )
    found += calls(
        "draw",
        lambda **given: ce.draw(model(), **given),
        {},
        "y:state4 along:direction~ up:direction~ names:flag points~",
        {
            "up": {"along": (0.0, 1.0, 0.0)},
            "points": {
                "list": [1.0],
                "number": 1.0,
                "nobody": {"nobody": [(0, 0, 0)]},
                "two": {"arm": [(0, 0)]},
                "one point": {"arm": (0, 0, 0)},
                "text": {"arm": "xyz"},
                "nan": {"arm": [(0, 0, math.nan)]},
            },
        },
    )
    found += calls("draw", ce.draw, {}, "model:object")
    found += calls(
        "Modes",
        lambda **given: model().modes().animate(**{"k": 0, "amplitude": 0.1, **given}),
        {},
        "k:integer~ amplitude:number n_phases:integer",
        {"n_phases": {"zero": 0, "billion": 10**12}},
    )
    found += calls(
        "Modes.motion",
        lambda **given: model().modes().motion(**{"k": 0, "amplitude": 0.1, "t": [0.0], **given}),
        {},
        "k:integer~ amplitude:number t:vector-two-four-empty~",
    )
    found += calls(
        "inputs_with",
        lambda **given: model().inputs_with(**given),
        {},
        "parameters:parameters~ inputs:mapping~",
    )
    return found


def of_unilateral() -> list[Case]:
    """`ce_dynamics.contact.simulate_unilateral`."""

    def run(**given: Any) -> Any:
        return contact.simulate_unilateral(**{"unilateral": unilateral(), "duration": 0.01, **given})

    found = calls(
        "simulate_unilateral",
        run,
        {},
        (
            "unilateral:object inputs~ duration:seconds step:positive interval:seconds y0:state2~ "
            "solver:object-nothing order:integer progress:function-nothing-class"
        ),
        {
            "inputs": {k: v for k, v in LAWS.items() if "torque" not in str(v)},
            "y0": {"below the ground": [-2.0, 0.0]},
            "order": {"three": 3, "zero": 0},
        },
    )
    found += [
        Case(f"simulate_unilateral({name})", partial(run, **times))
        for name, times in {
            "step 1e-300": {"step": 1e-300},
            "step 1e-15": {"duration": 1.0, "step": 1e-15},
            "duration 1e300": {"duration": 1e300},
            "many instants": {"duration": 1e6, "step": 1e-3, "interval": 1e-3},
        }.items()
    ]
    found += calls("UnilateralModel", contact.UnilateralModel, {"elements": []}, "model:object")
    found += calls(
        "UnilateralModel",
        lambda **given: contact.UnilateralModel(**{"model": unilateral().model, "elements": [], **given}),
        {},
        "elements:object-list-mapping rest_speed:not_negative",
        {"elements": {"things": [values.Thing()]}},
    )
    return found


def cases() -> list[Case]:
    """All of them."""
    return [*of_simulate(), *of_simulator(), *of_ensembles(), *of_answers(), *of_unilateral()]
