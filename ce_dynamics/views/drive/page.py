"""`DrivePage`: machines as one HTML file, in which people drive them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.compiler.codegen.wasm import wasm_module
from ce_dynamics.dynamics.state import Entry
from ce_dynamics.embedding.charts import WORN
from ce_dynamics.errors import ModelError
from ce_dynamics.views.drive.machine import Machine
from ce_dynamics.views.scene.page import Packed, page, take_content
from ce_dynamics.views.scene.view import HEIGHT, save_page

SHORTEST, LONGEST = 1e-6, 0.1  # s: below a page is too slow, above a driver cannot steer
STEP = 1e-3
"""Default step of the classical Runge–Kutta method [s]."""


class DrivePage:
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

    def __init__(self, machines: Sequence[Machine], title: str = "Drive", step: float = STEP) -> None:
        labels = [machine.label for machine in machines]
        if not machines or len(set(labels)) < len(labels):
            raise ModelError(f"a page needs machines with different labels, not {labels}")
        self.machines, self.title = tuple(machines), checks.text("DrivePage: title", title)
        self.step = checks.number("DrivePage: step", step, at_least=SHORTEST, at_most=LONGEST, unit="s")

    @cached_property
    def html(self) -> str:
        """The page."""
        packed = Packed()
        machines = [machine_content(machine, packed) for machine in self.machines]
        content = {"title": self.title, "step": self.step, "machines": machines}
        return page(self.title, content, packed, "drive.js")

    def save(self, path: str | Path) -> Path:
        """Write the page.

        Raises
        ------
        ModelError
            If it cannot be written.
        """
        return save_page(self.html, path)

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html)}" width="100%" height="{HEIGHT}" '
            f'style="border:0" title="{escape(self.title)}"></iframe>'
        )


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
