"""In-the-loop stepping: inputs in, state out, one step after another."""

from __future__ import annotations

import hashlib
import math
import struct
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.interrupts import Interrupts
from ce_dynamics.compiled.integration_methods import METHOD_OF, NATIVE_METHODS, NativeMethod
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import ModelError, SimulationError, WrongTypeError
from ce_dynamics.mechanism.signals import check_range, held_number
from ce_dynamics.simulation.in_the_loop.pacing import Pace, PaceReport
from ce_dynamics.simulation.integrators import kernels
from ce_dynamics.simulation.integrators.settings import (
    NEAR,
    check_step,
    check_steps,
    common_steps,
    samples_before,
    settings_of,
    steps_between_samples,
    substeps,
)
from ce_dynamics.simulation.integrators.stepper import Chunk
from ce_dynamics.simulation.monitors.failure_location import explain_break
from ce_dynamics.simulation.monitors.jumps import ReachGuard
from ce_dynamics.simulation.monitors.postconditions import Postconditions
from ce_dynamics.simulation.monitors.reach import Reach
from ce_dynamics.simulation.monitors.unstable_steps import too_long
from ce_dynamics.simulation.native_run import make_stepper
from ce_dynamics.simulation.options import BROKEN_SLOPES
from ce_dynamics.simulation.right_hand_side import RightHandSide

MAGIC = b"ce-dyn 3"
CLOCK = 3  # numbers that determine the time: where counting began, how many steps since, and their length

DIGEST = hashlib.sha256().digest_size


class Simulator:
    """A model that is stepped from outside, such as by an autopilot under test.

    Inputs keep their values until they are given again, and are constant during a step.

    Parameters
    ----------
    model : Model
        What is simulated.
    method : str
        ``rk4``, ``rosenbrock``, ``implicit-euler``, ``dopri5`` or ``tsit5``; see
        `ce_dynamics.simulation.integrators`.
    step : float
        Longest step of the fixed-step methods [s]; a longer `dt` is divided equally.  With any method it is
        the default length of `step()`.
    y0 : array_like, optional
        Initial state; that of the model if not given.
    rtol, atol : float, optional
        Relative and absolute error per step of the adaptive method, 1e-6 and 1e-8 if not given; other
        methods refuse them.
    jacobian_every : int, optional
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
        rtol: float | None = None,
        atol: float | None = None,
        jacobian_every: int | None = None,
    ) -> None:
        checks.instance(
            "Simulator: model", model, Model, "a model, as ce_dynamics.compile(system) returns it"
        )
        if method not in NATIVE_METHODS:
            raise ModelError(
                f"method {checks.show(method)} cannot be stepped from outside; choose one of "
                f"{', '.join(NATIVE_METHODS)}"
            )
        check_step(step)
        given = {"step": step, "rtol": rtol, "atol": atol, "jacobian_every": jacobian_every}
        self._settings = settings_of(method, NATIVE_METHODS, ("step",), **given)
        self.model = model
        self.time = 0.0
        self._y0 = model.given_state(y0, "y0")
        self._stepper = make_stepper(self._settings, model.dynamics, None, model.u0, self._y0, model)
        self._u = self._stepper.space.u[:, 0]
        self._index = {entry.name: k for k, entry in enumerate(model.layout.u)}
        self._fixed, self._period = METHOD_OF[method].fixed, model.layout.sampling.period
        self._single = self._division = self._kept = (step, *self._divide(step))
        self._base, self._count = 0.0, 0
        self._guard = ReachGuard(model)
        self._guards = self._guard.bounds
        self._parameters = frozenset(entry.name for entry in model.layout.parameters)
        unlimited = -sys.float_info.max, sys.float_info.max
        self._limits = {name: model.ranges.get(name, unlimited) for name in self._index}
        self._observation = model.observation.bind()
        self._postconditions = Postconditions.of(model)
        self._names = [entry.name for entry in model.output_entries]
        self.state = self._stepper.y.view()
        self.state.flags.writeable = False

    @property
    def inputs(self) -> dict[str, float]:
        """Present values of the held inputs."""
        return {name: float(self._u[k]) for name, k in self._index.items()}

    def step(self, dt: float | None = None, /, **inputs: float) -> Floats:
        """Set inputs and advance by dt.

        Parameters
        ----------
        dt : float, optional
            Time to advance [s]; one step of the method if not given.
        **inputs : float
            New values of inputs by name; the others stay.

        Returns
        -------
        array
            `state`, the same view in every call.

        Raises
        ------
        ModelError
            If an input is unknown or not finite, or dt is not positive; nothing has changed then.
        SimulationError
            If the state is no longer finite; `time` and `state` are the last finite ones.
        """
        division = self._single if dt is None else self._division
        if dt is not None and (type(dt) is not float or dt != division[0]):
            dt = checks.seconds("dt", dt)
            if dt != division[0]:
                check_steps(dt, self._settings.step if self._fixed else dt)
                division = self._division = (dt, *self._divide(dt))
        if inputs:
            self._set(inputs)
        if division is not self._kept:
            self._rebase(division)
        length, n, h = division
        stepper = self._stepper
        t_end = self._base + (self._count + 1) * length
        for begin, number, size, end in self._parts(t_end, n, h):
            code = stepper.advance(begin, end, number, size, self._guards)
            if code != kernels.DONE:
                self._go_on(code)
            self.time = end
        self._count += 1
        self.time = t_end
        return self.state

    def set(self, inputs: Mapping[str, float]) -> None:
        """Set inputs or free parameters without a step, also those whose names are no Python identifiers.

        Raises
        ------
        ModelError
            If one is unknown, not finite or out of its range, or if loops cannot be assembled on this branch
            with the parameters; nothing has changed then.
        """
        self._set(checks.mapping("inputs", inputs))

    def outputs(self) -> dict[str, float]:
        """Return all outputs of the model at the present state and inputs, by name."""
        seen = self._observe(self._u)
        values = seen["outputs"].tolist()
        promises = self._postconditions
        kept = (seen["closure"] <= promises.limits).all() and (seen["outputs"][promises.columns] >= 0.0).all()
        if not (math.isfinite(sum(values)) and kept):
            violated = self._postconditions.at(self.state, self._u, seen["outputs"], seen["closure"])
            if violated:
                raise SimulationError(f"{violated} at t = {self.time:.6g} s")
        return dict(zip(self._names, values, strict=True))

    def reset(self, y0: ArrayLike | None = None) -> None:
        """Return to time 0, the initial state (or a new one, y0) and the default inputs."""
        if y0 is not None:
            self._y0 = self.model.given_state(y0, "y0")
        self.time = 0.0
        self._rebase(self._kept)
        self._stepper.y[:] = self._y0
        self._u[:] = self.model.layout.u0
        self._stepper.reset()
        self._guard.restart()

    def save(self) -> bytes:
        """Return time, state, inputs and the memory of the method as bytes.

        A simulator of the same model, method and step that restores them continues with the same bits.
        """
        stepper = self._stepper
        clock = self._base, self._count, self._kept[0]
        numbers = np.concatenate((clock, self._u, stepper.y, stepper.memory))
        saved = MAGIC + self._signature() + numbers.astype("<f8").tobytes()
        return saved + hashlib.sha256(saved).digest()

    def restore(self, saved: bytes) -> None:
        """Restore the state that `save` returned.

        Raises
        ------
        ModelError
            If a simulator of another model or method saved it, or if it is damaged.
        """
        if not isinstance(saved, (bytes, bytearray, memoryview)):
            raise WrongTypeError(f"restore: {checks.show(saved)} must be the bytes that save() returned")
        head = MAGIC + self._signature()
        stepper = self._stepper
        n_u, n = len(self._u), len(self.state)
        saved = bytes(saved)
        body, digest = saved[:-DIGEST], saved[-DIGEST:]
        size = len(head) + struct.calcsize(f"<{CLOCK + n_u + n + len(stepper.memory)}d")
        if len(body) != size or body[: len(head)] != head:
            raise ModelError(
                "this is no state saved by a simulator of the same model and method; "
                "restore it in a simulator made as the one that saved it"
            )
        numbers = np.frombuffer(body, dtype="<f8", offset=len(head)).astype(float)
        clock, u = numbers[:CLOCK], numbers[CLOCK : CLOCK + n_u]
        y, memory = numbers[CLOCK + n_u : CLOCK + n_u + n], numbers[CLOCK + n_u + n :]
        sound = np.isfinite(numbers[: CLOCK + n_u + n]).all() and clock[2] > 0.0
        if hashlib.sha256(body).digest() != digest or not sound or not stepper.accepts_memory(memory):
            raise ModelError("the saved state is damaged: its bytes are not those that save() returned")
        length = float(clock[2])
        self._kept = (length, *self._divide(length))
        self._base, self._count = float(clock[0]), int(clock[1])
        self._division = self._kept
        self.time = self._base + self._count * length
        self._u[:] = u
        stepper.y[:] = y
        stepper.memory = memory
        self._guard.restart()

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
        """Step in pace with a clock.

        Parameters
        ----------
        duration : float
            Time to advance [s]; rounded up to a whole number of steps of dt.
        dt : float
            Time between two readings of the clock [s].
        control : callable, optional
            Called with the simulator before every step; returns inputs by name.
        speed : float
            Ratio of simulated to real time.
        clock, sleep : callables
            Source of the time, and function that waits.

        Returns
        -------
        PaceReport
            Number of late steps, among others.  The schedule is kept: delays are made up as soon as steps
            are fast enough.
        """
        duration, dt = checks.seconds("duration", duration), checks.seconds("dt", dt)
        speed = checks.number("speed", speed, at_least=checks.SMALLEST, at_most=checks.LARGEST, unit="1")
        if control is not None:
            checks.function("control", control, " of the simulator that answers inputs by name")
        check_steps(duration, dt)
        pace = Pace(dt / speed, clock, sleep)
        for _ in range(math.ceil(duration / dt * (1.0 - 1e-9))):
            if control is not None:
                self._set(checks.mapping("control: its answer", control(self)))
            self.step(dt)
            pace.wait()
        return pace.report()

    def _divide(self, dt: float) -> tuple[int, float]:
        """Return number and size of the steps of a stretch; they end at samples where they can."""
        step = self._settings.step
        return (self._fixed and common_steps(dt, step, self._period)) or substeps(dt, step)

    def _parts(self, t_end: float, n: int, h: float) -> Iterable[tuple[float, int, float, float]]:
        """Return parts of a stretch between samples: begin, steps, their size, end."""
        t, period = self.time, self._period
        parts = [(t, n, h, t_end)]
        if period:
            made = samples_before(t, period)
            self._stepper.set_samples(made)
            first, between = (made * period - t) / h, period / h
            met = abs(first - round(first)) < NEAR and abs(between - round(between)) < NEAR
            if self._fixed and not met and made * period < t_end:
                found = list(steps_between_samples(t, t_end, self._settings.step, period))
                ends = [*(begin for begin, *_ in found[1:]), t_end]
                parts = [(begin, n, h, end) for (begin, n, h, _), end in zip(found, ends, strict=True)]
        return parts

    def _set(self, inputs: Mapping[str, float]) -> None:
        limits = self._limits
        for name, value in inputs.items():
            if name not in limits:
                hint = checks.suggest_name(name, limits)
                raise ModelError(f"no input {name!r}{hint} (the system's inputs are {list(limits)})")
            lower, upper = limits[name]
            if type(value) is not float or not lower <= value <= upper:
                number = held_number(name, value)
                if name in self.model.ranges:
                    check_range(name, number, (lower, upper))
        if self._parameters:
            self._check_parameters(inputs)
        for name, value in inputs.items():
            self._u[self._index[name]] = value

    def _check_parameters(self, inputs: Mapping[str, float]) -> None:
        """Reject values of parameters with which the model cannot be assembled here, or at all."""
        if self._parameters.isdisjoint(inputs):
            return
        u = self._u.copy()
        for name, value in inputs.items():
            u[self._index[name]] = value
        self.model.check_parameters(u[self.model.layout.n_inputs :])
        seen = self._observe(u)
        if not (np.isfinite(seen["closure"]).all() and np.isfinite(seen["gearing"]).all()):
            given = {name: value for name, value in inputs.items() if name in self._parameters}
            raise ModelError(f"{given}: the loops cannot be assembled at the present state with these values")
        self._guard.discard_intervals()
        self._stepper.restart()

    def _observe(self, u: Floats) -> Mapping[str, Floats]:
        observation = self._observation
        observation.inputs["y"][:] = self.state
        observation.inputs["u"][:] = u
        observation.run()
        return observation.outputs

    def _rebase(self, division: tuple[float, int, float]) -> None:
        """Count steps of another length from here on: the time is a product, not a sum."""
        self._kept, self._base, self._count = division, self.time, 0

    def _raise_interrupt(self, interrupts: Interrupts) -> None:
        """Raise KeyboardInterrupt if requested, with time and state as reached."""
        try:
            interrupts.check()
        except KeyboardInterrupt:
            self._rebase(self._kept)
            raise

    def _go_on(self, code: int) -> None:
        """Finish a stretch, in chunks of steps up to a failure.

        Near the end of a loop's reach, steps are made one by one.
        """
        stepper, guard, chunk = self._stepper, self._guard, Chunk()
        with Interrupts() as interrupts:
            while code in (kernels.RUNNING, kernels.GUARDED):
                self.time = stepper.t
                self._raise_interrupt(interrupts)
                if code == kernels.GUARDED:
                    near = guard.near(self.time, stepper.y, self._u, stepper.next_length)
                    before = stepper.y.copy()
                    code = stepper.go(1)
                    if near and stepper.t > self.time:
                        self._refuse_thrown(near, before, self.time, stepper.t)
                else:
                    chunk.begin()
                    code = stepper.go(chunk.steps, self._guards)
                    chunk.end()
        if code != kernels.DONE:
            self.time = stepper.t
            self._broke()

    def _refuse_thrown(self, near: list[Reach], before: Floats, t: float, t_end: float) -> None:
        """Refuse a step in which a loop jumped over a dead centre: undo it and raise."""
        inputs, parameters = self._split_inputs()
        rates = RightHandSide(self.model, inputs, True, parameters)
        what = self._guard.explain_jump(
            near, np.array((t, t_end)), np.array((before, self.state)), self._u, rates
        )
        if what:
            self._stepper.y[:] = before
            self.time = t
            self._rebase(self._kept)
            raise SimulationError(what)

    def _split_inputs(self) -> tuple[dict[str, float], dict[str, float]]:
        """Return present inputs and free parameters."""
        now = self.inputs
        parameters = {name: now.pop(name) for name in self._parameters}
        return now, parameters

    def _broke(self) -> None:
        self._rebase(self._kept)
        model, settings = self.model, self._settings
        inputs, parameters = self._split_inputs()
        rhs = RightHandSide(model, inputs, False, parameters)
        where = too_long(settings.method, self._kept[2], [(partial(rhs, 0.0), self._y0)])
        where = where or explain_break(model, rhs, self.time, self.state)
        slopes = self._stepper.space.slopes_broke(rhs(0.0, self._stepper.y))
        broke = BROKEN_SLOPES if slopes else "accelerations that are not finite"
        raise SimulationError(f"{settings.method} met {broke} at t = {self.time:.4g} s{where}")

    def _signature(self) -> bytes:
        digest = self.model.dynamics.signature.digest
        settings = self._settings
        return hashlib.sha256(f"{digest} {settings.method} {settings.jacobian_every}".encode()).digest()
