"""Runs and answers of compiled models: states, inputs, methods, times, tolerances."""

import inspect
import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

import ce_dynamics as ce
from ce_dynamics import contact
from tests.campaigns.bad_input import values
from tests.campaigns.bad_input.cases import Case
from tests.campaigns.bad_input.description import fresh
from tests.campaigns.bad_input.values import calls


@cache
def model() -> ce.Model:
    system = fresh()
    stiffness = system.add_parameter(ce.Parameter("stiffness", 10.0, "N/m"))
    system.add_force(ce.TorsionSpringDamper("spring", system.find("slide"), spring=ce.Linear(stiffness)))
    system.add_force(ce.Actuator("motor", system.find("arm"), command="torque"))
    system.add_output("angle", "rad", lambda see: see.coordinate(system.find("arm")))
    return ce.compile(system)


@cache
def unilateral() -> contact.UnilateralModel:
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
        return self.answer()


class Branching:
    """An input law that asks what it cannot know while it is compiled."""

    def inputs(self, t: Any, sensors: Any) -> Any:
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
PARAMETERS = values.POOLS["parameters"] = {
    **{k: v for k, v in values.NO_MAPPING.items() if "torque" not in str(v)}, "an input": {"torque": 1.0},
    "text": {"stiffness": "1"}, "nan": {"stiffness": math.nan}, "list": {"stiffness": [1.0, 2.0]},
}  # fmt: skip


GOOD: dict[str, Any] = {"duration": 0.01}
STATES = {  # those with numbers that are not finite are failures of a run
    **{name: value for name, value in values.no_state(4).items() if name not in ("nan", "infinity")},
    "no runs": np.zeros((0, 4)), "cube": np.zeros((2, 2, 4)),
}  # fmt: skip
PROGRESS = {"text": "yes", "number": 1, "thing": values.Thing()}
INPUT_LAWS = {name: law for name, law in LAWS.items() if name not in (*values.NO_MAPPING, "law of nan")}


def given_model(function: Callable[..., Any], **usual: Any) -> Callable[..., Any]:
    """Return a function that is given the usual model, and more."""
    return lambda **given: function(**{"model": model(), **usual, **given})


simulate = given_model(ce.simulate, **GOOD)
ensemble = given_model(ce.simulate_ensemble, **GOOD)


STATES_OF_MODEL = "y:state4 u:state2 q:state2 v:state2 v_dot:state2 x:state0"


def asked(of: str, good: dict[str, Any] | None = None, spec: str = "", own: Any = None) -> list[Case]:
    bound = getattr(model(), of)
    known = [
        kind for kind in STATES_OF_MODEL.split() if kind.split(":")[0] in inspect.signature(bound).parameters
    ]
    return calls(bound, good, " ".join((*known, spec)), own)


def prepare() -> None:
    for name in ("rk4", "dopri5", "rosenbrock", "implicit-euler"):
        simulate(method=name)
    ensemble()
    contact.simulate_unilateral(unilateral(), duration=0.5)


def of_times(function: Callable[..., Any], label: str, times: dict[str, dict[str, Any]]) -> list[Case]:
    """Return cases of times that fit neither each other nor memory."""
    return [Case(f"{label}({name})", partial(function, **one)) for name, one in times.items()]


ZERO = {"jacobian_every": {"zero": 0}}


def stepping(step: float | None = None, jacobian_every: int | None = None) -> None:
    """Have the arguments of methods with steps."""


def of_simulate() -> list[Case]:
    """`ce_dynamics.simulate`."""
    spec = "inputs:laws~ y0:state4 step: jacobian_every: max_step:-infinity parameters:parameters~"
    found = calls(ce.simulate, {}, f"{spec} progress:-class hinges: retries:", run=simulate)
    found += calls(stepping, {}, "jacobian_every:", run=partial(simulate, method="rk4"), label="simulate rk4")
    run = partial(simulate, method="rosenbrock")
    found += calls(stepping, {}, "step:", ZERO, run, "simulate rosenbrock")
    for name in ("rk4", "dopri5", "RK45"):
        found += of_times(partial(simulate, method=name), f"simulate {name}", {
            "instants": {"duration": 1e6, "interval": 1e-4},
            "many instants": {"duration": 1e9, "interval": 1e-9},
            "step too short": {"step": 1e-300}, "step below rounding": {"duration": 1.0, "step": 1e-18},
            "tolerance 2": {"rtol": 2.0}, "tolerance 1e-300": {"rtol": 1e-300, "atol": 1e-300},
            "max_step 1e-12": {"max_step": 1e-12}, "interval 1e-300": {"interval": 1e-300},
        })  # fmt: skip
    return found


def of_simulator() -> list[Case]:
    """`ce_dynamics.Simulator`."""
    made = given_model(ce.Simulator)
    found = calls(ce.Simulator, {}, "y0:state4 rtol: atol: jacobian_every: max_step: hinges:", run=made)
    others = "model: method: step: y0: hinges: max_step:"
    run = partial(made, method="dopri5")
    found += calls(ce.Simulator, {}, f"{others} jacobian_every:", run=run, label="Simulator dopri5")
    run = partial(made, method="rosenbrock")
    found += calls(ce.Simulator, {}, f"{others} rtol: atol:", ZERO, run, "Simulator rosenbrock")

    def stepped(dt: Any = None, **given: Any) -> Any:
        return made().step(dt, **given)

    spec = "dt:seconds torque:number given: nothing:"
    found += calls(stepped, {}, spec, {"nothing": {"one": 1.0}}, label="Simulator.step")
    parts = {"set": "inputs:mapping~", "reset": "y0:state4 hinges: t: u: inputs:", "restore": "saved:object~"}
    for name, spec in parts.items():
        call = lambda name=name, **given: getattr(made(), name)(**given)  # noqa: E731
        found += calls(getattr(ce.Simulator, name), {}, f"self: {spec}", run=call, label=f"Simulator.{name}")
    controls = {
        "answers nothing": lambda sim: None, "answers a list": lambda sim: [1.0],
        "answers text": lambda sim: {"torque": "1"}, "answers nan": lambda sim: {"torque": math.nan},
        "answers an unknown name": lambda sim: {"nobody": 1.0},
    }  # fmt: skip
    return found + calls(
        ce.Simulator.run_realtime,
        {"duration": 0.01, "speed": 100.0},
        "self: duration~ dt:seconds~ speed:positive control:function~",
        {"duration": {"endless": 1e300}, "dt": {"short": 1e-300}, "control": controls},
        run=lambda **given: made().run_realtime(**given),
        label="Simulator.run_realtime",
    )


def of_ensembles() -> list[Case]:
    """`ce_dynamics.simulate_ensemble`."""
    parameters = {"matrix": np.ones((2, 2)), "none": [], "nothing in it": [None]}
    own = {
        "y0s": STATES,
        "parameters": {name: {"stiffness": value} for name, value in parameters.items()},
        "controls": {
            "times fall": ce.HeldInputs([1.0, 0.0], {"torque": [1.0, 2.0]}),
            "no times": ce.HeldInputs([], {"torque": []}),
            "times are text": ce.HeldInputs(["a"], {"torque": [1.0]}),
            "more times": ce.HeldInputs([0.0, 1.0], {"torque": [1.0]}),
            "values are a list": ce.HeldInputs([0.0], [1.0]),  # type: ignore[arg-type]
        },
        "inputs": INPUT_LAWS, "keep": {"text": "angle"}, "threads": {"zero": 0, "million": 10**6},
        "lanes": {"three": 3, "million": 10**6}, "progress": PROGRESS,
    }  # fmt: skip
    spec = (
        "y0s: parameters:parameters-list-nan~ controls:mapping-list_as_value-nan_as_value~ inputs:~ "
        "keep:names~ threads:integer lanes:integer progress: rtol: atol: max_step: jacobian_every: hinges: "
        "precision: retries:"
    )
    found = calls(ce.simulate_ensemble, {}, spec, own, run=ensemble)
    return found + of_times(ensemble, "simulate_ensemble", {
        "step 1e-12": {"duration": 10.0, "step": 1e-12}, "step 1e-300": {"step": 1e-300},
        "many instants": {"duration": 1e6, "interval": 1e-6}, "interval 1e-300": {"interval": 1e-300},
        "duration 1e300": {"duration": 1e300},
        "many runs": {"y0s": np.broadcast_to(np.zeros(4), (10**9, 4)), "duration": 1.0},
    })  # fmt: skip


def of_answers() -> list[Case]:
    """Make cases of answers of a model at a state."""
    found = []
    body = {"unknown": "nobody", "ground": "ground"}
    framed = {"frame": {"unknown": "nobody", "ground": "ground"}}
    found += asked("reactions", {"y": np.zeros(4)}, "frame:object-nothing-ground~", framed)
    for name in ("linearize", "sensitivities"):
        found += asked(name, {"y": np.zeros(4)}, "outputs:")
    for name in ("equilibrium", "modes"):
        found += asked(name, {}, "hold:names~ around:")
    for name in ("poses", "power"):
        found += asked(name)
    for name in ("mass_matrix", "energy", "momentum", "accelerations", "inverse_dynamics"):
        needed = ("q", "v", "v_dot")[: {"mass_matrix": 1, "inverse_dynamics": 3}.get(name, 2)]
        found += asked(name, dict.fromkeys(needed, np.zeros(2)))
    for name in ("point", "frame"):
        found += asked(name, {"body": "arm"}, "body:object~", {"body": body})
    assembled = {
        "coordinates": {
            "text": "arm", "list": ["arm"], "unknown": {"nobody": 1.0}, "nan": {"arm": math.nan},
            "as text": {"arm": "1"}, "number": 1.0,
        },
        "near": {
            "text": "arm", "unknown": {"nobody": (0, 0, 0)}, "nan": {"arm": (0, math.nan, 0)},
            "two": {"arm": (0, 0)},
        },
    }  # fmt: skip
    found += asked("assemble", {}, "coordinates:~ near:~", assembled)
    spec = "targets:object-list~ directions:vector-column-booleans-matrix"
    wrong = {"points": [1], "texts": ["arm"], "pair": ["arm", None]}
    found += asked("operational_space", {"targets": model().point("arm")}, spec, {"targets": wrong})
    named = {"text": "arm"}
    trimmed = given_model(ce.trim, change=["arm"], still=["arm_rate"])
    spec = "change:names~ still:names~ y:state4 u:state2 outputs: targets: bounds: hinges:"
    found += calls(ce.trim, {}, spec, {"change": named, "still": named}, run=trimmed)
    drawn = {
        "up": {"along": (0.0, 1.0, 0.0)},
        "points": {
            "list": [1.0], "number": 1.0, "nobody": {"nobody": [(0, 0, 0)]}, "two": {"arm": [(0, 0)]},
            "one point": {"arm": (0, 0, 0)}, "text": {"arm": "xyz"}, "nan": {"arm": [(0, 0, math.nan)]},
        },
    }  # fmt: skip
    spec = "y:state4 along:direction~ up:direction~ names:flag points:~ axes:"
    found += calls(ce.draw, {}, f"u:state2 {spec}", drawn, run=given_model(ce.draw))
    shown = {"k": 0, "amplitude": 0.1}
    modes = type(model().modes())
    phases = {"n_phases": {"zero": 0, "billion": 10**12}}
    animated = lambda **given: model().modes().animate(**given)  # noqa: E731
    found += calls(modes.animate, shown, "self: k~", phases, run=animated, label="Modes")
    moved = lambda **given: model().modes().motion(**given)  # noqa: E731
    spec = "self: k:integer~ t:vector-two-four-empty~"
    found += calls(modes.motion, shown | {"t": [0.0]}, spec, run=moved, label="Modes.motion")
    return found + asked("inputs_with", {}, "parameters:parameters~ inputs:mapping~")


def of_unilateral() -> list[Case]:
    """`ce_dynamics.contact.simulate_unilateral`."""

    def run(**given: Any) -> Any:
        return contact.simulate_unilateral(**{"unilateral": unilateral(), "duration": 0.01, **given})

    own = {
        "inputs": {name: law for name, law in LAWS.items() if "torque" not in str(law)},
        "y0": {"below the ground": [-2.0, 0.0]}, "order": {"three": 3, "zero": 0},
    }  # fmt: skip
    spec = "inputs:~ step:positive y0:state2~ solver:object progress:-class hinges:"
    found = calls(contact.simulate_unilateral, {}, spec, own, run=run)
    found += of_times(run, "simulate_unilateral", {
        "step 1e-300": {"step": 1e-300}, "step 1e-15": {"duration": 1.0, "step": 1e-15},
        "duration 1e300": {"duration": 1e300},
        "many instants": {"duration": 1e6, "step": 1e-3, "interval": 1e-3},
    })  # fmt: skip
    made = lambda **given: contact.UnilateralModel(  # noqa: E731
        **{"model": unilateral().model, "elements": [], **given}
    )
    things = {"elements": {"things": [values.Thing()]}}
    return found + calls(contact.UnilateralModel, {}, "elements:object-list-mapping", things, run=made)
