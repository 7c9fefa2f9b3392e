"""`DrivePage`: machines as one HTML file, in which people drive them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.compiler.codegen.wasm import wasm_module
from ce_dynamics.dynamics.state import Entry
from ce_dynamics.embedding.charts import WORN
from ce_dynamics.errors import ModelError
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
                "index": names.index(control.input),
                "name": control.input,
                "keys": [list(keys) for keys in control.keys],
                "between": list(control.between or declared[control.input].between or (-1.0, 1.0)),
                "rest": control.rest,
                "rates": list(control.rates),
                "gamepad": control.gamepad,
                "touch": control.touch,
                "calm": None if control.calm is None else list(control.calm),
            }
            for control in machine.controls
        ],
        "sliders": [
            {"index": names.index(slider.name), "low": slider.low, "high": slider.high, "step": slider.step}
            for slider in machine.sliders
        ],
        "gauges": [
            {
                "index": outputs.index(gauge.output),
                "label": gauge.label,
                "unit": gauge.unit,
                "factor": gauge.factor,
                "digits": gauge.digits,
            }
            for gauge in machine.gauges
        ],
    }


def entries(listed: Sequence[Entry]) -> list[list[str]]:
    """Return names and units."""
    return [[entry.name, entry.unit] for entry in listed]
