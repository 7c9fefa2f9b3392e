"""`DrivePage`: machines as one HTML file, in which people drive; `rerun` repeats a drive."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra import checks, files
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.integration_methods import RK4
from ce_dynamics.compiler import compile_function
from ce_dynamics.compiler.codegen.wasm import wasm_module
from ce_dynamics.dynamics.state import Entry
from ce_dynamics.embedding.charts import WORN
from ce_dynamics.errors import ModelError
from ce_dynamics.simulation.integrators.settings import NEAR, samples_before
from ce_dynamics.views.drive.machine import Machine
from ce_dynamics.views.scene.page import Packed, Page, take_content

SHORTEST, LONGEST = 1e-6, 0.1  # s: below a page is too slow, above a driver cannot steer
STEP = 1e-3
"""Default step of the classical Runge–Kutta method [s]."""


class DrivePage(Page):
    """A page in which people drive: physics as WebAssembly, in steps of equal length.

    Parameters
    ----------
    machines : sequence of Machine
        To choose from in the page.
    title : str
    step : float
        [s].

    Raises
    ------
    ModelError
        If there is no machine, two have one label, or the step is not between `SHORTEST` and `LONGEST`.
    """

    _start = "drive.js"

    def __init__(self, machines: Sequence[Machine], title: str = "Drive", step: float = STEP) -> None:
        labels = [machine.label for machine in machines]
        if not machines or len(set(labels)) < len(labels):
            raise ModelError(f"a page needs machines with different labels, not {labels}")
        self.machines, self.title = tuple(machines), checks.text("DrivePage: title", title)
        self.step = checks.number("DrivePage: step", step, at_least=SHORTEST, at_most=LONGEST, unit="s")

    def content(self, packed: Packed) -> dict[str, Any]:
        """Return title, step and machines in types of JSON."""
        machines = [machine_content(machine, packed) for machine in self.machines]
        return {"title": self.title, "step": self.step, "machines": machines}


def module(machine: Machine) -> bytes:
    """Return the machine's WebAssembly."""
    interface = machine.interface
    functions = {"rate": interface.rate, "observe": interface.observe}
    functions |= {"sample": interface.sample} if interface.period else {}
    functions |= {"renew": interface.renew} if interface.has_charts else {}
    functions |= {"decide": interface.guards, "picture": machine.picture, "shape": machine.shape}
    return wasm_module(functions)


def machine_content(machine: Machine, packed: Packed) -> dict[str, Any]:
    """Return a machine as JSON, its module packed."""
    interface, layout = machine.interface, machine.model.layout
    names = [entry.name for entry in interface.given]
    outputs = [entry.name for entry in interface.outputs]
    declared = {given.name: given for given in machine.model.system.inputs.values()}
    return {
        "label": machine.label,
        "camera": machine.camera,
        "take": take_content(machine.take, packed),
        "module": packed.add(np.frombuffer(module(machine), np.uint8), "u1"),
        "arrows": [
            k
            for k, name in enumerate(machine.take.forces)
            if machine.forces is None or name in machine.forces
        ],
        "states": entries(interface.states),
        "given": entries(interface.given),
        "inputs": interface.n_inputs,
        "outputs": entries(interface.outputs),
        "period": interface.period,
        "worn": WORN if interface.has_charts else None,
        "refusals": interface.refusals,
        "limits": [[place, what] for place, what in interface.limits.items()],
        "y0": machine.y0.tolist(),
        "u0": np.asarray(layout.u0, dtype=float).tolist(),
        "circuit": None if machine.circuit is None else asdict(machine.circuit),
        "controls": [
            {
                **asdict(control),
                "index": names.index(control.input),
                "name": control.input,
                "between": list(control.between or declared[control.input].between or (-1.0, 1.0)),
            }
            for control in machine.controls
        ],
        "sliders": [{**asdict(slider), "index": names.index(slider.name)} for slider in machine.sliders],
        "gauges": [{**asdict(gauge), "index": outputs.index(gauge.output)} for gauge in machine.gauges],
    }


def entries(listed: Sequence[Entry]) -> list[list[str]]:
    """Return names and units."""
    return [[entry.name, entry.unit] for entry in listed]


# Recorded drives

LARGEST_RECORDING = 2**28
"""[B]."""
MOST_STEPS = 10_000_000
"""Nearly three hours at 1 ms."""


class Rerun(NamedTuple):
    """A drive as Python makes it.

    Attributes
    ----------
    t : (n,) array
        [s].
    states : (n, states) array
    inputs : (n, inputs and parameters) array
        Held from an instant on.
    same : bool
        Whether the last state has the bits that the page had.
    """

    t: Floats
    states: Floats
    inputs: Floats
    same: bool


def rerun(machine: Machine, recording: str | Path | Mapping[str, Any]) -> Rerun:
    """Drive with recorded inputs: step by step as the page did, every operation rounded once.

    Parameters
    ----------
    machine : Machine
        That was driven.
    recording : path or mapping
        The file that the page saved, or what is in it.

    Returns
    -------
    Rerun

    Raises
    ------
    ModelError
        If the recording is none, or of another machine.
    """
    content = recording if isinstance(recording, Mapping) else read(recording)
    check_recording(content, machine)
    interface = machine.interface
    rate, sample = (compile_function(f, fused=False) for f in (interface.rate, interface.sample))
    renew = compile_function(interface.renew, fused=False) if interface.has_charts else None
    steps, h = int(content["steps"]), float(content["step"])
    changes = {int(change[0]): np.array(change[1:], dtype=float) for change in content["inputs"]}
    y, u = machine.y0.copy(), np.array(machine.model.u0)
    states, inputs = np.empty((steps + 1, len(y))), np.empty((steps + 1, len(u)))

    def rates(y: Floats) -> Floats:
        return rate(y, inputs[k])[0]

    for k in range(steps + 1):
        u = changes.get(k, u)
        states[k], inputs[k] = y, u
        if k < steps:
            for looks, length in pieces(k * h, h, interface.period):
                y = sample(y, u)[0] if looks else y
                if renew is not None:
                    fresh, wear = renew(y)
                    y = fresh if wear[0] > WORN else y
                y = RK4.step_plain(rates, y, length)
    same = np.array_equal(y, np.array(content["end"], dtype=float))
    return Rerun(h * np.arange(steps + 1, dtype=float), states, inputs, same)


def pieces(t: float, length: float, period: float) -> Iterator[tuple[bool, float]]:
    """Yield a step from one sample of controllers to the next, as the C code divides it.

    Yields
    ------
    bool
        Whether a piece begins with a sample.
    float
        Its length [s].
    """
    end = t + length
    made, last = (samples_before(x, period) if period else 0 for x in (t, end))
    begin, between = t, True
    while between:
        due = made < last and made * period <= t + NEAR * period
        made += due
        between = made < last
        stop = made * period if between else end
        yield due, stop - t if between or t != begin else length
        t = stop


def read(path: str | Path) -> Mapping[str, Any]:
    """Return a recording's content."""
    text = files.read("recording", path, LARGEST_RECORDING, ModelError)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"recording {files.shown_path(Path(path))}: {error}") from None
    return checks.mapping("recording", content)


def check_recording(content: Mapping[str, Any], machine: Machine) -> None:
    """Refuse what is no recording of this machine."""
    for name in ("machine", "step", "steps", "inputs", "y0", "end"):
        if name not in content:
            raise ModelError(f"recording: {name!r} is missing; save one with the page's button 'save inputs'")
    checks.number("recording: step", content["step"], above=0.0)
    checks.integer("recording: steps", content["steps"], at_least=0, at_most=MOST_STEPS)
    if not np.array_equal(checks.numbers("recording: y0", content["y0"]), machine.y0):
        raise ModelError(
            f"recording: is of {content['machine']!r}, which starts from another state than {machine.label!r}"
        )
    width = 1 + len(machine.interface.given)
    for change in checks.items("recording: inputs", content["inputs"]):
        row = checks.numbers("recording: inputs", change)
        if row.shape != (width,) or not np.all(np.isfinite(row)) or row[0] != np.floor(row[0]):
            raise ModelError(
                f"recording: inputs {checks.show(change)} must be the number of a step and {width - 1} "
                "finite numbers"
            )
    checks.vector("recording: end", content["end"], len(machine.y0))
