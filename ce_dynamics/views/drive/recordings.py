"""Repeats a drive from a page in Python, bit for bit."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ce_dynamics.algebra import checks, files
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import compile_function
from ce_dynamics.embedding.charts import WORN
from ce_dynamics.errors import ModelError
from ce_dynamics.simulation.integrators.methods import RK4
from ce_dynamics.simulation.integrators.settings import NEAR, samples_before
from ce_dynamics.views.drive.machine import Machine

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
