"""Runs and answers of compiled models: states, inputs, methods, times, tolerances."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

import ce_dynamics as ce
from ce_dynamics import contact
from tests.bad_input import values
from tests.bad_input.cases import Case
from tests.bad_input.description import calls, fresh


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


LAWS: dict[str, Any] = {
    **values.NO_MAPPING,
    "held": ce.HeldInputs([0.0], {"torque": [1.0]}),
    "law that raises": Law(lambda: 1 / 0),
    "law of nothing": Law(lambda: None),
    "law of text": Law(lambda: {"torque": "1"}),
    "law of an unknown input": Law(lambda: {"nothing": 1.0}),
    "law of a list": Law(lambda: [1.0]),
    "law of a number as name": Law(lambda: {1: 1.0}),
    "law of nothing as value": Law(lambda: {"torque": None}),
    "law of a list as value": Law(lambda: {"torque": [1.0]}),
    "law of a truth": Law(lambda: {"torque": True}),
    "law of nan": Law(lambda: {"torque": math.nan}),
    "law that branches": Branching(),
    "law class": Law,
}
NOT_GIVEN = tuple(f"{name}:nothing" for name in ("step", "rtol", "atol", "max_step", "jacobian_every"))
BAD_TIMES = {**values.NO_POSITIVE}
TIMES: dict[str, Any] = {k: v for k, v in BAD_TIMES.items() if k != "infinity"}
PARAMETERS: dict[str, Any] = {
    **{k: v for k, v in values.NO_MAPPING.items() if "torque" not in str(v)},
    "an input": {"torque": 1.0},
    "text": {"stiffness": "1"},
    "nan": {"stiffness": math.nan},
    "list": {"stiffness": [1.0, 2.0]},
}


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
    bad: Mapping[str, Mapping[str, Any]] = {
        "model": values.NO_OBJECT,
        "inputs": LAWS,
        "duration": values.NO_SECONDS,
        "y0": values.no_state(4),
        "method": values.NO_WORD,
        "rtol": BAD_TIMES,
        "atol": BAD_TIMES,
        "interval": values.NO_SECONDS,
        "max_step": TIMES,
        "audit": values.NO_FLAG,
        "parameters": PARAMETERS,
        "progress": {k: v for k, v in values.NO_FUNCTION.items() if k not in ("nothing", "class")},
    }
    says = {"inputs": "", "parameters": ""}
    found = calls("simulate", simulate, {}, bad, NOT_GIVEN, says)
    found += calls("simulate rk4", simulate, {"method": "rk4"}, {"step": BAD_TIMES}, NOT_GIVEN)
    every = {**values.NO_INTEGER, "zero": 0}
    found += calls(
        "simulate rosenbrock", simulate, {"method": "rosenbrock"}, {"jacobian_every": every}, NOT_GIVEN
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
        for method in ("rk4", "dopri5", "RK45"):

            def run(times: Mapping[str, float] = times, method: str = method) -> Any:
                return simulate(**{"method": method, **times})

            found.append(Case(f"simulate {method}({name})", run))
    return found


def of_simulator() -> list[Case]:
    """`ce_dynamics.Simulator`."""
    found = calls(
        "Simulator",
        simulator,
        {},
        {
            "model": values.NO_OBJECT,
            "method": values.NO_WORD,
            "step": BAD_TIMES,
            "y0": values.no_state(4),
        },
    )
    tolerances = {"rtol": BAD_TIMES, "atol": BAD_TIMES}
    found += calls("Simulator dopri5", simulator, {"method": "dopri5"}, tolerances, NOT_GIVEN)
    every = {"jacobian_every": {**values.NO_INTEGER, "zero": 0}}
    found += calls("Simulator rosenbrock", simulator, {"method": "rosenbrock"}, every, NOT_GIVEN)
    found += calls(
        "Simulator.step",
        lambda dt=None, **given: simulator().step(dt, **given),
        {},
        {"dt": values.NO_SECONDS, "torque": values.NO_NUMBER, "nothing": {"one": 1.0}},
        ("dt:nothing",),
    )
    found += calls(
        "Simulator.set",
        lambda **given: simulator().set(**given),
        {},
        {"inputs": values.NO_MAPPING},
        says={"inputs": ""},
    )
    found += calls(
        "Simulator.reset", lambda **given: simulator().reset(**given), {}, {"y0": values.no_state(4)}
    )
    found += calls(
        "Simulator.restore",
        lambda **given: simulator().restore(**given),
        {},
        {"saved": values.NO_OBJECT},
        says={"saved": ""},
    )
    found += calls(
        "Simulator.run_realtime",
        lambda **given: simulator().run_realtime(**{"duration": 0.01, "speed": 100.0, **given}),
        {},
        {
            "duration": {**values.NO_SECONDS, "endless": 1e300},
            "dt": {**values.NO_SECONDS, "short": 1e-300},
            "speed": BAD_TIMES,
            "control": {
                **values.NO_FUNCTION,
                "answers nothing": lambda sim: None,
                "answers a list": lambda sim: [1.0],
                "answers text": lambda sim: {"torque": "1"},
                "answers nan": lambda sim: {"torque": math.nan},
                "answers an unknown name": lambda sim: {"nobody": 1.0},
            },
        },
        ("control:nothing",),
        says={"dt": "", "control": "", "duration": ""},
    )
    return found


def of_ensembles() -> list[Case]:
    """`ce_dynamics.simulate_ensemble`."""
    states = {**values.no_state(4), "no runs": np.zeros((0, 4)), "cube": np.zeros((2, 2, 4))}
    states = {k: v for k, v in states.items() if k not in ("nan", "infinity")}  # those are failures of a run
    parameters = {
        **{k: v for k, v in PARAMETERS.items() if k not in ("list", "nan")},
        "matrix": {"stiffness": np.ones((2, 2))},
        "none": {"stiffness": []},
        "nothing in it": {"stiffness": [None]},
    }
    controls = {
        **{k: v for k, v in values.NO_MAPPING.items() if k not in ("list as value", "nan as value")},
        "times fall": ce.HeldInputs([1.0, 0.0], {"torque": [1.0, 2.0]}),
        "no times": ce.HeldInputs([], {"torque": []}),
        "times are text": ce.HeldInputs(["a"], {"torque": [1.0]}),
        "more times": ce.HeldInputs([0.0, 1.0], {"torque": [1.0]}),
        "values are a list": ce.HeldInputs([0.0], [1.0]),  # type: ignore[arg-type]
    }
    found = calls(
        "simulate_ensemble",
        ensemble,
        {},
        {
            "model": values.NO_OBJECT,
            "y0s": states,
            "parameters": parameters,
            "controls": controls,
            "duration": values.NO_SECONDS,
            # a law that answers nan is the failure of its runs
            "inputs": {k: v for k, v in LAWS.items() if k not in (*values.NO_MAPPING, "law of nan")},
            "method": values.NO_WORD,
            "step": BAD_TIMES,
            "interval": values.NO_SECONDS,
            "keep": {**values.NO_NAMES, "text": "angle"},
            "threads": {**values.NO_INTEGER, "zero": 0, "million": 10**6},
            "lanes": {**values.NO_INTEGER, "three": 3, "million": 10**6},
            "progress": {"text": "yes", "number": 1, "thing": values.Thing()},
        },
        ("threads:nothing", "lanes:nothing", *NOT_GIVEN),
        says={"parameters": "", "controls": "", "inputs": "", "keep": ""},
    )
    for name, times in {
        "step 1e-12": {"duration": 10.0, "step": 1e-12},
        "step 1e-300": {"step": 1e-300},
        "many instants": {"duration": 1e6, "interval": 1e-6},
        "interval 1e-300": {"interval": 1e-300},
        "duration 1e300": {"duration": 1e300},
        "many runs": {"y0s": np.broadcast_to(np.zeros(4), (10**9, 4)), "duration": 1.0},
    }.items():

        def run(times: Any = times) -> Any:
            return ensemble(**times)

        found.append(Case(f"simulate_ensemble({name})", run))
    return found


def of_answers() -> list[Case]:
    """What a model answers at a state."""
    names = {**values.NO_NAMES}
    states, inputs, q = values.no_state(4), values.no_state(2), values.no_state(2)
    found = []
    for method in ("reactions", "linearize", "sensitivities"):
        found += calls(
            method,
            lambda method=method, **given: getattr(model(), method)(**given),
            {"y": np.zeros(4)},
            {"y": states, "u": inputs},
        )
    for method in ("equilibrium", "modes", "poses", "power"):
        found += calls(
            method,
            lambda method=method, **given: getattr(model(), method)(**given),
            {},
            {"y": states, "u": inputs},
        )
    found += calls(
        "equilibrium",
        lambda **given: model().equilibrium(**given),
        {},
        {"hold": names, "tolerance": BAD_TIMES},
        says={"hold": ""},
    )
    found += calls(
        "modes",
        lambda **given: model().modes(**given),
        {},
        {"hold": names, "damped": values.NO_FLAG},
        says={"hold": ""},
    )
    for method, arguments in {
        "mass_matrix": ("q",),
        "energy": ("q", "v"),
        "momentum": ("q", "v"),
        "accelerations": ("q", "v"),
        "inverse_dynamics": ("q", "v", "v_dot"),
    }.items():
        good = dict.fromkeys(arguments, np.zeros(2))
        bad = {**dict.fromkeys(arguments, q), "u": inputs, "x": values.no_state(0)}
        found += calls(method, lambda method=method, **given: getattr(model(), method)(**given), good, bad)
    bodies = {**values.NO_OBJECT, "unknown": "nobody", "ground": "ground"}
    for method in ("point", "frame"):
        found += calls(
            method,
            lambda method=method, **given: getattr(model(), method)(**given),
            {"body": "arm"},
            {"body": bodies, "at": values.NO_VECTOR},
            says={"body": ""},
        )
    found += calls(
        "reactions",
        lambda **given: model().reactions(**given),
        {"y": np.zeros(4)},
        {"frame": bodies},
        ("frame:nothing", "frame:ground"),
        says={"frame": ""},
    )
    found += calls(
        "assemble",
        lambda **given: model().assemble(**given),
        {},
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
            "y": states,
            "u": inputs,
        },
        says={"coordinates": "", "near": ""},
    )
    found += calls(
        "operational_space",
        lambda **given: model().operational_space(**given),
        {"targets": ()},
        {"targets": values.NO_OBJECT},
        ("targets:list",),
        says={"targets": ""},
    )
    found += calls(
        "operational_space",
        lambda **given: model().operational_space(model().point("arm"), **given),
        {},
        {"directions": {k: v for k, v in values.NO_VECTOR.items() if k not in ("column", "booleans")}},
        ("directions:matrix",),
    )
    found += calls("trim", ce.trim, {"change": ["arm"], "still": ["arm_rate"]}, {"model": values.NO_OBJECT})
    found += calls(
        "trim",
        lambda **given: ce.trim(model(), **{"change": ["arm"], "still": ["arm_rate"], **given}),
        {},
        {
            "change": {**names, "text": "arm"},
            "still": {**names, "text": "arm"},
            "y": states,
            "u": inputs,
            "tolerance": BAD_TIMES,
        },
        says={"change": "", "still": ""},
    )
    directions = values.NO_DIRECTION
    found += calls(
        "draw",
        lambda **given: ce.draw(model(), **given),
        {},
        {
            "y": states,
            "along": directions,
            "up": {**directions, "along": (0.0, 1.0, 0.0)},
            "names": values.NO_FLAG,
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
        says={"along": "", "up": "", "points": ""},
    )
    found += calls("draw", ce.draw, {}, {"model": values.NO_OBJECT})
    found += calls(
        "Modes",
        lambda **given: model().modes().animate(**{"k": 0, "amplitude": 0.1, **given}),
        {},
        {
            "k": values.NO_INTEGER,
            "amplitude": values.NO_NUMBER,
            "n_phases": {**values.NO_INTEGER, "zero": 0, "billion": 10**12},
        },
        says={"k": ""},
    )
    found += calls(
        "Modes.motion",
        lambda **given: model().modes().motion(**{"k": 0, "amplitude": 0.1, "t": [0.0], **given}),
        {},
        {
            "k": values.NO_INTEGER,
            "amplitude": values.NO_NUMBER,
            "t": {k: v for k, v in values.NO_VECTOR.items() if k not in ("two", "four", "empty")},
        },
        says={"k": "", "t": ""},
    )
    found += calls(
        "inputs_with",
        lambda **given: model().inputs_with(**given),
        {},
        {"parameters": PARAMETERS, "inputs": values.NO_MAPPING},
        says={"parameters": "", "inputs": ""},
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
        {
            "unilateral": values.NO_OBJECT,
            "inputs": {k: v for k, v in LAWS.items() if "torque" not in str(v)},
            "duration": values.NO_SECONDS,
            "step": BAD_TIMES,
            "interval": values.NO_SECONDS,
            "y0": {**values.no_state(2), "below the ground": [-2.0, 0.0]},
            "solver": values.NO_OBJECT,
            "order": {**values.NO_INTEGER, "three": 3, "zero": 0},
            "progress": {k: v for k, v in values.NO_FUNCTION.items() if k not in ("nothing", "class")},
        },
        ("solver:nothing",),
        says={"inputs": "", "y0": ""},
    )
    for name, times in {
        "step 1e-300": {"step": 1e-300},
        "step 1e-15": {"duration": 1.0, "step": 1e-15},
        "duration 1e300": {"duration": 1e300},
        "many instants": {"duration": 1e6, "step": 1e-3, "interval": 1e-3},
    }.items():

        def far(times: Mapping[str, float] = times) -> Any:
            return run(**times)

        found.append(Case(f"simulate_unilateral({name})", far))
    found += calls(
        "UnilateralModel",
        contact.UnilateralModel,
        {"elements": []},
        {"model": values.NO_OBJECT},
    )
    found += calls(
        "UnilateralModel",
        lambda **given: contact.UnilateralModel(**{"model": unilateral().model, "elements": [], **given}),
        {},
        {
            "elements": {
                **{k: v for k, v in values.NO_OBJECT.items() if k not in ("list", "mapping")},
                "things": [values.Thing()],
            },
            "rest_speed": values.NO_NOT_NEGATIVE,
        },
    )
    return found


def cases() -> list[Case]:
    """All of them."""
    return [*of_simulate(), *of_simulator(), *of_ensembles(), *of_answers(), *of_unilateral()]
