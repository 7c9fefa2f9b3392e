"""In-the-loop stepping: inputs in, state out, one step after another."""

from __future__ import annotations

import difflib
import hashlib
import math
import struct
import time
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats, checked
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import ModelError, SimulationError, WrongTypeError
from ce_dynamics.simulation.in_the_loop.pacing import Pace, PaceReport
from ce_dynamics.simulation.integrators.methods import NATIVE_METHODS, NativeMethod
from ce_dynamics.simulation.integrators.native import Settings, check_step, make_stepper, substeps
from ce_dynamics.simulation.integrators.steppers import FixedStep
from ce_dynamics.simulation.monitors.charts import Charts
from ce_dynamics.simulation.right_hand_side import RightHandSide
from ce_dynamics.simulation.simulate import where_it_broke

MAGIC = b"ce-dyn 2"
UNLIMITED = 2**62
"""Steps the adaptive method may make between two instants: it stops by itself when they get too small."""


class Simulator:
    """A model that is stepped from outside, such as by an autopilot under test.

    Inputs keep their values until they are given again, and are constant during a step.

    Parameters
    ----------
    model : Model
        What is simulated.
    method : str
        ``rk4``, ``rosenbrock``, ``implicit-euler`` or ``dopri5``; see `ce_dynamics.simulation.integrators`.
    step : float
        Longest step of the fixed-step methods [s]; a longer `dt` is divided equally.
    y0 : array_like, optional
        Initial state; that of the model if not given.
    rtol, atol : float
        Relative and absolute error per step of the adaptive method.
    jacobian_every : int
        Steps that an implicit method makes with one Jacobian; see `ce_dynamics.simulate`.

    Attributes
    ----------
    time : float
        [s], from 0.
    state : array
        y = [q; v; x] in the order of ``model.layout``: a view that always shows the present state and cannot
        be written to; copy it to keep it.

    Raises
    ------
    ModelError
        For wrong arguments.

    Examples
    --------
    >>> sim = Simulator(model, method="rk4", step=1e-3)     # doctest: +SKIP
    >>> for _ in range(100):
    ...     sim.step(0.01, steering=0.1, throttle=0.3)
    >>> sim.outputs()["yaw_rate"]
    """

    def __init__(
        self,
        model: Model,
        *,
        method: NativeMethod = "rk4",
        step: float = 1e-3,
        y0: ArrayLike | None = None,
        rtol: float = 1e-6,
        atol: float = 1e-8,
        jacobian_every: int = 1,
    ) -> None:
        checks.instance(
            "Simulator: model", model, Model, "a model, as ce_dynamics.compile(system) returns it"
        )
        if method not in NATIVE_METHODS:
            raise ModelError(
                f"method {checks.shown(method)} cannot be stepped from outside; choose one of "
                f"{', '.join(NATIVE_METHODS)}"
            )
        for name, value in (("rtol", rtol), ("atol", atol)):
            checks.number(name, value, above=0.0)
        check_step(step)
        self.model = model
        self.time = 0.0
        self._charts = Charts(model)
        self._settings = Settings(method, step, rtol, atol, math.inf, jacobian_every)
        self._y0 = model.y0 if y0 is None else checked("y0", y0, len(model.layout.y0))
        self._stepper = make_stepper(self._settings, model.dynamics, None, model.u0, self._y0, model)
        self._u = self._stepper.wiring.u
        self._index = {entry.name: k for k, entry in enumerate(model.layout.u)}
        self._t, self._out = np.zeros(1), np.zeros((1, len(self._y0)))
        self._span, self._twice = np.zeros(2), np.zeros((2, len(self._y0)))
        self._single = self._division = (step, *substeps(step, step))
        self._observation = model.observation.bind()
        self._names = [entry.name for entry in model.output_entries]
        self.state = self._stepper.y.view()
        self.state.flags.writeable = False

    @property
    def inputs(self) -> dict[str, float]:
        """The inputs as they are held now."""
        return {name: float(self._u[k]) for name, k in self._index.items()}

    def step(self, dt: float | None = None, /, **inputs: float) -> Floats:
        """Change inputs and go on by dt.

        Parameters
        ----------
        dt : float, optional
            How far [s]; one step of the method if not given.
        **inputs : float
            New values of inputs by name; the others keep theirs.

        Returns
        -------
        array
            `state`, the view: the same object every time.

        Raises
        ------
        ModelError
            If an input is unknown or not finite, or dt is not positive; nothing has changed then.
        SimulationError
            If the state ceases to be finite; `time` and `state` are the last that were.
        """
        division = self._single if dt is None else self._division
        if dt is not None and dt != division[0]:
            dt = checks.number("dt", dt, above=0.0)
            division = self._division = (dt, *substeps(dt, self._settings.step))
        if inputs:
            self._set(inputs)
        length, n, h = division
        stepper = self._stepper
        if self._charts and self._charts.renew(stepper.y):
            stepper.restart()
        if not isinstance(stepper, FixedStep):
            self._adapt(length)
            return self.state
        self._t[0] = self.time
        done = stepper.march(self._t, n, h, self._out)
        if done < n:
            self.time += done * h
            self._broke()
        self.time += length
        return self.state

    def set(self, inputs: Mapping[str, float]) -> None:
        """Change inputs without stepping; also for names that are no Python identifiers."""
        self._set(inputs)

    def outputs(self) -> dict[str, float]:
        """All outputs of the model at the present state and inputs, by name."""
        observation = self._observation
        observation.inputs["y"][:] = self.state
        observation.inputs["u"][:] = self._u
        observation.run()
        return dict(zip(self._names, observation.outputs["outputs"].tolist(), strict=True))

    def reset(self, y0: ArrayLike | None = None) -> None:
        """Back to time 0, the initial state (or y0, which becomes it) and the default inputs."""
        if y0 is not None:
            self._y0 = checked("y0", y0, len(self._y0))
        self.time = 0.0
        self._stepper.y[:] = self._y0
        self._u[:] = self.model.layout.u0
        self._stepper.forget()

    def save(self) -> bytes:
        """Time, state, inputs and what the method remembers.

        A simulator of the same model, method and step that restores it goes on with the same bits.
        """
        stepper = self._stepper
        numbers = np.concatenate(([self.time], self._u, stepper.y, stepper.memory))
        return MAGIC + self._signature() + numbers.astype("<f8").tobytes()

    def restore(self, saved: bytes) -> None:
        """Go back to what `save` returned.

        Raises
        ------
        ModelError
            If it was saved by a simulator of another model or method, or is damaged.
        """
        if not isinstance(saved, (bytes, bytearray, memoryview)):
            raise WrongTypeError(f"restore: {checks.shown(saved)} must be the bytes that save() returned")
        head = MAGIC + self._signature()
        stepper = self._stepper
        n_u, n = len(self._u), len(self.state)
        size = len(head) + struct.calcsize(f"<{1 + n_u + n + len(stepper.memory)}d")
        if len(saved) != size or saved[: len(head)] != head:
            raise ModelError(
                "this is no state saved by a simulator of the same model and method; "
                "restore it in a simulator made as the one that saved it"
            )
        numbers = np.frombuffer(saved, dtype="<f8", offset=len(head))
        self.time = float(numbers[0])
        self._u[:] = numbers[1 : 1 + n_u]
        stepper.y[:] = numbers[1 + n_u : 1 + n_u + n]
        stepper.memory = numbers[1 + n_u + n :]

    def run_realtime(
        self,
        duration: float,
        *,
        dt: float = 0.01,
        control: Callable[[Simulator], Mapping[str, float]] | None = None,
        speed: float = 1.0,
        clock: Callable[[], float] = time.perf_counter,
        sleep: Callable[[float], None] = time.sleep,
    ) -> PaceReport:
        """Step along with the clock on the wall.

        Parameters
        ----------
        duration : float
            How far [s]; a whole number of steps of dt, rounded up.
        dt : float
            Time between two looks at the clock [s].
        control : callable, optional
            Given the simulator before every step, answers inputs by name.
        speed : float
            Simulated per real time.
        clock, sleep : callables
            Where the time comes from, and how to wait.

        Returns
        -------
        PaceReport
            Among others how often a step was not ready in time.  The schedule is kept: what was lost is
            caught up as soon as steps are fast enough again.
        """
        for name, value in (("duration", duration), ("dt", dt), ("speed", speed)):
            checks.number(name, value, above=0.0)
        pace = Pace(dt / speed, clock, sleep)
        for _ in range(math.ceil(duration / dt * (1.0 - 1e-9))):
            if control is not None:
                self._set(control(self))
            self.step(dt)
            pace.wait()
        return pace.report()

    def _set(self, inputs: Mapping[str, float]) -> None:
        index = self._index
        for name, value in inputs.items():
            if name not in index:
                near = difflib.get_close_matches(name, list(index), n=1, cutoff=0.5)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise ModelError(f"no input {name!r}{hint} (the system's inputs are {list(index)})")
            if type(value) is not float or not -math.inf < value < math.inf:
                checks.number(f"input {name!r}:", value)
        for name, value in inputs.items():
            self._u[index[name]] = value

    def _adapt(self, length: float) -> None:
        stepper = self._stepper
        assert not isinstance(stepper, FixedStep), "fixed steps are made elsewhere"
        stepper.clock[0] = self.time
        stepper.counts[0] = 1
        self._span[:] = self.time, self.time + length
        stepper.begin()
        stepper.march(self._span, UNLIMITED, self._twice)
        self.time = float(stepper.clock[0])
        if self.time < self._span[1]:
            self._broke()

    def _broke(self) -> None:
        model, settings = self.model, self._settings
        where = where_it_broke(model, RightHandSide(model, self.inputs), self.time, self.state)
        raise SimulationError(
            f"{settings.method} met accelerations that are not finite at t = {self.time:.4g} s{where}"
        )

    def _signature(self) -> bytes:
        digest = self.model.dynamics.signature.digest
        settings = self._settings
        return hashlib.sha256(f"{digest} {settings.method} {settings.jacobian_every}".encode()).digest()
