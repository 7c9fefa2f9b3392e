"""Ctrl-C inside one call that would take minutes: in a process of its own, or in threads of this one."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.errors import SimulationError
from ce_dynamics.simulation.in_the_loop.fleet import Fleet
from ce_dynamics.simulation.options import RunOptions
from ce_dynamics.simulation.simulate import try_run
from tests.ce_dynamics.simulation.integrators.systems import PENDULUM_START, pendulum

PROMISED = 0.2
"""Longest time that the library takes to answer [s]."""

LOADED = 10.0
"""By how much a busy machine may be slower than an idle one."""

HEAD = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # what is started in the background may ignore it
from ce_dynamics.errors import SimulationError
from ce_dynamics.simulation.in_the_loop.simulator import Simulator
from ce_dynamics.simulation.simulate import simulate
from tests.ce_dynamics.simulation.integrators.systems import PENDULUM_START, pendulum
model = pendulum()
how = {"method": "METHOD", "y0": PENDULUM_START}
how |= {"rtol": 1e-12, "atol": 1e-12} if "METHOD" == "dopri5" else {"step": 1e-5}
sim = Simulator(model, **how)
sim.step(1e-3)
simulate(model, duration=1e-3, **how)
"""

STEP = """
print("ready", flush=True)
try:
    sim.step(DURATION)
except KeyboardInterrupt:
    print("stopped", flush=True)
    reached = sim.time
    sim.step(0.0123)
    print(reached, sim.time - reached, flush=True)
"""

RUN = """
print("ready", flush=True)
try:
    simulate(model, duration=DURATION, interval=DURATION, **how)
except SimulationError as stop:
    print("stopped", flush=True)
    print(stop.partial["time"].values[-1], 0.0123, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize(("method", "duration"), [("rk4", 3600.0), ("dopri5", 1e8)])
def test_a_long_native_call_answers_at_once(method: str, duration: float) -> None:
    """A step of a simulator, from where it then goes on, and a run."""
    script = (HEAD + STEP + RUN).replace("METHOD", method).replace("DURATION", repr(duration))
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        for _ in ("step", "run"):
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.3)
            assert process.poll() is None
            began = time.perf_counter()
            process.send_signal(signal.SIGINT)
            assert process.stdout.readline() == "stopped\n"
            latency = time.perf_counter() - began
            reached, more = map(float, process.stdout.readline().split())
            assert latency < LOADED * PROMISED
            assert 1e-3 < reached < duration
            assert more == pytest.approx(0.0123, rel=1e-9)
    finally:
        process.kill()
        process.communicate()


@contextmanager
def interrupted_soon() -> Iterator[list[float]]:
    """Ctrl-C after a while; holds when, as soon as that was.

    Whatever runs the tests may ignore it, and so may what it starts.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    when: list[float] = []

    def press() -> None:
        when.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.2, press)
    timer.start()
    try:
        yield when
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize("threads", [1, 2])
def test_runs_in_lanes_answer_at_once(threads: int) -> None:
    """A single stored interval of 1e9 steps: minutes, of which nobody sees anything."""
    model = pendulum()
    y0s = np.tile(PENDULUM_START, (9, 1))
    ce.simulate_ensemble(model, y0s, duration=1e-3, threads=threads)  # what is compiled cannot be interrupted
    with interrupted_soon() as when, pytest.raises(SimulationError, match="interrupted") as stop:
        ce.simulate_ensemble(model, y0s, duration=1e3, step=1e-6, interval=1e3, threads=threads)
    assert time.perf_counter() - when[0] < LOADED * PROMISED
    partial: Any = stop.value.partial
    assert (partial["failure"] == "interrupted").all()
    reached = partial["time_reached"].values
    assert 0.0 < reached[0] < 1e3
    assert (reached[:8] == reached[0]).all()
    # all steps are of one length, which divides the interval to 1e-9
    assert reached[0] == pytest.approx(1e-6 * partial["steps"].values[0], rel=1e-8)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize("threads", [1, 2])
def test_interrupted_copies_are_where_they_were(threads: int) -> None:
    model = pendulum()
    fleet = Fleet(model, 9, lambda sensors, given: [0.0], step=1e-6, threads=threads)
    fleet.step(1e-3)
    before = fleet.states
    with interrupted_soon() as when, pytest.raises(KeyboardInterrupt):
        fleet.step(1e3)
    assert time.perf_counter() - when[0] < LOADED * PROMISED
    np.testing.assert_array_equal(fleet.states, before)
    again = Fleet(model, 9, lambda sensors, given: [0.0], step=1e-6, threads=1)
    again.step(1e-3)
    np.testing.assert_array_equal(fleet.step(1e-3), again.step(1e-3))
    np.testing.assert_array_equal(fleet.states, again.states)
    assert not fleet.failures
    fleet.close()


def test_interrupted_runs_on_the_way_are_no_failures() -> None:
    """Settling and practising go on where a run fails, but not where somebody stops it."""

    def stop(t: float) -> None:
        if t > 0.05:
            raise KeyboardInterrupt

    model = pendulum()
    with pytest.raises(KeyboardInterrupt):
        try_run(model, None, RunOptions(duration=1.0, y0=PENDULUM_START, method="rk4", progress=stop))
    fast = RunOptions(duration=1.0, y0=np.array([0.3, -0.5, 1.0, 1e6]), method="rk4")  # rad/s
    assert try_run(model, None, fast) is None
    whole = try_run(model, None, RunOptions(duration=0.1, y0=PENDULUM_START, method="rk4"))
    assert whole is not None
    assert whole["time"].values[-1] == 0.1
