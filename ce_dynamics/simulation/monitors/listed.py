"""List of the monitors of runs."""

from __future__ import annotations

from collections.abc import Sequence

from ce_dynamics.compiled.model import Model
from ce_dynamics.simulation.monitors.jumps import Jumps
from ce_dynamics.simulation.monitors.monitor import FinishedRun, Monitor
from ce_dynamics.simulation.monitors.promises import EnergyBalance, InputRanges, Promises
from ce_dynamics.simulation.monitors.unstable_steps import UnstableSteps
from ce_dynamics.simulation.monitors.where_it_broke import LeftItsRange, NearSingular


def monitors_of(model: Model) -> tuple[Monitor, ...]:
    """Return the monitors that judge a finished run of a model, in this order."""
    return (
        Jumps(),
        Promises.of(model),
        InputRanges(),
        NearSingular(),
        EnergyBalance(),
        UnstableSteps(),
        LeftItsRange(),
    )


def explain_end(monitors: Sequence[Monitor], run: FinishedRun) -> str:
    """Return the cause and the place of the failure of a run; empty for a sound run."""
    text = run.trouble
    if text:
        for monitor in sorted(monitors, key=lambda monitor: monitor.asked):
            said = monitor.where(run)
            text += said
            if said and monitor.says_all:
                break
    return text
