"""Checks the arguments of an ensemble and spreads them over the runs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.input_laws import InputLaw
from ce_dynamics.compiled.integration_methods import NATIVE_METHODS
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiled.tangent import find_undirected
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.parameters import refusals
from ce_dynamics.mechanism.signals import check_range, out_of_range
from ce_dynamics.simulation.options import IntegrationOptions
from ce_dynamics.simulation.right_hand_side import LAW, check_law


@dataclass(frozen=True, kw_only=True)
class EnsembleOptions(IntegrationOptions):
    """Options of an ensemble or a study.

    Parameters
    ----------
    duration : float
        End time [s].
    inputs : InputLaw, optional
        A law that returns inputs from time and sensors, such as a driver model; the same for all runs.
    method : str
        A compiled method: ``rk4``, ``rosenbrock`` and ``implicit-euler``, with steps of fixed length, or
        ``dopri5`` or ``tsit5``, which are adaptive.
    step : float, optional
        Fixed step [s], 1 ms if not given; shortened where it does not divide ``interval``.
    rtol, atol : float, optional
        Relative and absolute error per step of adaptive methods, 1e-6 and 1e-8 if not given.
    max_step : float, optional
        Longest step of adaptive methods [s]; unlimited if not given.
    jacobian_every : int, optional
        Steps that ``rosenbrock`` and ``implicit-euler`` make with one Jacobian, 1 if not given.
    interval : float
        Time between stored instants [s].
    keep : sequence of str, optional
        Variables to keep (``model.variables`` and ``closure_error``); all if not given.  Outputs that are
        not kept are not computed.
    hinges : iterable of str, or str
        Bodies whose dependent or prescribed hinges are kept too, coordinates and rates; ``"all"`` for those
        of all bodies.
    threads : int, optional
        Number of threads; that of the processors if not given.
    lanes : int, optional
        Runs evaluated by one call: 4 or 8, in single precision 16; 8 or 16 if not given.
    precision : str
        ``double``, or ``single`` to evaluate rates and laws in single precision, in twice as many lanes and
        half the time: for learning and Monte Carlo.  States are summed and observations computed in double
        precision; loops close as precisely as in double.  Relative errors of forces are about 1e-6: adaptive
        methods with tolerances below 1e-4 take short steps because of them.

    Raises
    ------
    ModelError
        If an option has an invalid value, or the method does not support it.
    """

    method: str = "rk4"
    inputs: InputLaw | None = None
    keep: Sequence[str] | None = None
    threads: int | None = None
    lanes: int | None = None
    precision: str = "double"

    _methods: ClassVar[tuple[str, ...]] = NATIVE_METHODS

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.threads is not None:
            most = 64 * available_processors()
            checks.integer("threads", self.threads, at_least=1, at_most=most)
        if self.lanes is not None:
            checks.integer("lanes", self.lanes, at_least=1)
        checks.choice("precision", self.precision, ("double", "single"))
        if self.inputs is not None:
            check_law(self.inputs, f"{LAW}; give constants and histories of held inputs as controls")
        if self.keep is not None:
            checks.texts("keep", self.keep)
        if not isinstance(self.hinges, str):
            object.__setattr__(self, "hinges", tuple(checks.texts("hinges", self.hinges)))

    def _check_method(self) -> None:
        if self.method not in self._methods:
            known = ", ".join(self._methods)
            raise ModelError(
                f"method {checks.show(self.method)} is not known to ensembles; choose one of {known}"
            )

    @property
    def single(self) -> bool:
        """True if rates are evaluated in single precision."""
        return self.precision == "single"

    @property
    def workers(self) -> int:
        """Number of threads."""
        return available_processors() if self.threads is None else self.threads

    def width(self, runs: int) -> int:
        """Return the number of lanes for so many runs."""
        return self.lanes or (16 if self.single else 8 if runs > 4 * self.workers else 4)


def available_processors() -> int:
    """Return the number of processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


class HeldInputs(NamedTuple):
    """Histories of inputs: from ``time[k]`` on an input is ``values[name][..., k]``, until the next instant.

    Changes take effect at the beginning of the first step that does not begin before them.

    Attributes
    ----------
    time : (n,) array_like
        Increasing [s]; before the first instant the inputs have their defaults.
    values : mapping of str to (n,) or (runs, n) array_like
        By name of input.
    """

    time: ArrayLike
    values: Mapping[str, ArrayLike]


Controls = HeldInputs | Mapping[str, ArrayLike] | None
"""Histories, or constants by name: one for all runs or one each."""


class Runs(NamedTuple):
    """Data that differ from run to run."""

    y0: Floats  # (runs, n)
    u: Floats  # (runs, m), inputs and parameters at the start
    times: Floats  # (k,), as of `HeldInputs`
    values: Floats  # (k, n_where, runs)
    where: NDArray[np.int64]  # (n_where,), places in u
    refused: list[str]  # for each run the reason why it cannot be executed, or ''

    @property
    def number(self) -> int:
        """Number of runs."""
        return len(self.y0)

    def held_index(self, t: float) -> int:
        """Return the index of the held inputs that apply at a time [s]; -1 before the first."""
        return int(np.searchsorted(self.times, t, side="right")) - 1

    def inputs_at(self, run: int, t: float) -> Floats:
        """Return a copy of the inputs and parameters of a run at a time."""
        u: Floats = self.u[run].copy()
        column = self.held_index(t)
        if column >= 0:
            u[self.where] = self.values[column, :, run]
        return u


def spread(
    model: Model, y0s: ArrayLike | None, parameters: Mapping[str, ArrayLike] | None, controls: Controls
) -> Runs:
    """Return all runs, from values for all or for each of them."""
    _ = model.dynamics  # which sets the last guards of the parameters
    layout = model.layout
    names = [entry.name for entry in layout.u]
    n_inputs, n = layout.n_inputs, len(layout.y0)
    states = model.y0 if y0s is None else numbers("y0s", y0s)
    if states.shape[-1:] != (n,) or states.ndim > 2 or 0 in states.shape[:-1]:
        raise ModelError(
            f"y0s has the shape {states.shape}; allowed are ({n},) and (runs, {n}), of 1 run or more"
        )
    named = checks.mapping("parameters", {} if parameters is None else parameters)
    given = {name: numbers(name, value) for name, value in named.items()}
    check_names(given, names[n_inputs:], "parameter")
    time, histories = as_histories(controls)
    check_names(histories, names[:n_inputs], "input")
    for name, value in given.items():
        if value.ndim > 1:
            raise ModelError(f"parameter {name!r} has the shape {value.shape}; give a number, or one per run")
    for name, value in histories.items():
        if value.shape[-1:] != time.shape or value.ndim > 2:
            raise ModelError(
                f"input {name!r} has the shape {value.shape}; allowed are ({len(time)},) and "
                f"(runs, {len(time)})"
            )
    check_ranges(model, histories)
    runs = number_of_runs(states, given, histories)
    columns = 2 * n + 2 * len(names) + len(time) * len(histories)
    checks.limit_memory(f"the beginning of {runs} runs", 8.0 * runs * columns, "make fewer at a time")
    u = np.tile(model.u0, (runs, 1))
    for name, value in given.items():
        u[:, names.index(name)] = value
    values = np.empty((len(time), len(histories), runs))
    for k, value in enumerate(histories.values()):
        values[:, k] = np.broadcast_to(value, (runs, len(time))).T
    where = np.array([names.index(name) for name in histories], dtype=np.int64)
    y0 = np.array(np.broadcast_to(states, (runs, n)))
    return Runs(y0, u, time, values, where, explain_refusals(model, y0, u, values, list(histories)))


def number_of_runs(states: Floats, parameters: Mapping[str, Floats], histories: Mapping[str, Floats]) -> int:
    """Return the number of runs, on which all arguments with one value per run must agree."""
    sizes = {"y0s": len(states)} if states.ndim == 2 else {}
    sizes |= {name: len(value) for name, value in parameters.items() if value.ndim == 1}
    sizes |= {name: len(value) for name, value in histories.items() if value.ndim == 2}
    if len(set(sizes.values())) > 1:
        raise ModelError(f"numbers of runs differ: {sizes}; give one for all, or as many of each")
    runs = next(iter(sizes.values()), 1)
    if runs == 0:
        raise ModelError(f"no runs are given: {next(iter(sizes))} is empty")
    return runs


def numbers(name: str, value: ArrayLike) -> Floats:
    """Return numbers as an array; NaN and infinities make only their own runs fail."""
    return checks.numbers(name, value)


def as_histories(controls: Controls) -> tuple[Floats, dict[str, Floats]]:
    """Return instants and values of held inputs; constants hold from the start."""
    if controls is None:
        return np.zeros(0), {}
    if not isinstance(controls, HeldInputs):
        checks.mapping("controls", controls)
        return np.zeros(1), {name: numbers(name, value)[..., np.newaxis] for name, value in controls.items()}
    time = numbers("time of the controls", controls.time)
    if time.ndim != 1 or not len(time) or not np.all(np.isfinite(time)) or np.any(np.diff(time) <= 0.0):
        shown = checks.shown_array(time)
        raise ModelError(f"time of the controls must be increasing finite numbers, got {shown}")
    histories = checks.mapping("values of the controls", controls.values)
    return time, {name: numbers(name, value) for name, value in histories.items()}


def check_names(given: Mapping[str, object], known: Sequence[str], what: str) -> None:
    """Reject unknown names."""
    for name in given:
        if name not in known:
            hint = checks.suggest_name(name, known)
            raise ModelError(f"no {what} {name!r}{hint}; the system's {what}s are {list(known)}")


def check_ranges(model: Model, histories: Mapping[str, Floats]) -> None:
    """Reject numbers shared by all runs that leave the range of their input; NaN fails later."""
    for name, value in histories.items():
        if name in model.ranges and value.ndim == 1:
            for number in value[np.isfinite(value)].tolist():
                check_range(name, number, model.ranges[name])


def explain_refusals(
    model: Model, y0: Floats, u: Floats, values: Floats, controls: Sequence[str]
) -> list[str]:
    """Return the reason of each run that cannot start, or ''."""
    n_inputs = model.layout.n_inputs
    columns = {p.name: u[:, n_inputs + k] for k, p in enumerate(model.layout.parameters)}
    reasons = refusals(model.layout.parameters, columns) or [""] * len(y0)
    started = np.asarray(np.isfinite(y0).all(axis=1))
    given = np.asarray(np.isfinite(values).all(axis=(0, 1)))
    undirected = find_undirected(model.tangent.quaternions, model.layout.split(y0)[0])
    for run, (fine, body, controlled) in enumerate(zip(started, undirected, given, strict=True)):
        if not fine:
            reasons[run] = reasons[run] or "the initial state is not finite"
        elif body:
            reasons[run] = reasons[run] or f"the quaternion of {body!r} is zero at the start"
        if not controlled:
            reasons[run] = reasons[run] or "a control is not finite"
    for k, name in enumerate(controls):
        lower, upper = model.ranges.get(name, (-np.inf, np.inf))
        beyond = (values[:, k] < lower) | (values[:, k] > upper)
        for run in np.flatnonzero(beyond.any(axis=0)).tolist():
            out = values[beyond[:, run], k, run]
            reasons[run] = reasons[run] or out_of_range(name, float(out[0]), (lower, upper))
    return reasons
