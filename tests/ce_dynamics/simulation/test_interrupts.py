"""Ctrl-C inside one call that would take minutes, in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

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
sim = Simulator(model, method="METHOD", step=1e-5, rtol=1e-12, atol=1e-12, y0=PENDULUM_START)
sim.step(1e-3)
simulate(model, duration=1e-3, method="METHOD", step=1e-5, y0=PENDULUM_START)
print("ready", flush=True)
"""

STEP = """
try:
    sim.step(DURATION)
except KeyboardInterrupt:
    print("stopped", flush=True)
    reached = sim.time
    sim.step(0.0123)
    print(reached, sim.time - reached, flush=True)
"""

RUN = """
try:
    simulate(model, duration=DURATION, interval=DURATION, method="METHOD", step=1e-5, rtol=1e-12, atol=1e-12,
             y0=PENDULUM_START)
except SimulationError as stop:
    print("stopped", flush=True)
    print(stop.partial["time"].values[-1], 0.0123, flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize(("method", "duration"), [("rk4", 3600.0), ("dopri5", 1e8)])
@pytest.mark.parametrize("code", [STEP, RUN], ids=["step", "run"])
def test_a_long_native_call_answers_at_once(code: str, method: str, duration: float) -> None:
    script = (HEAD + code).replace("METHOD", method).replace("DURATION", repr(duration))
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        assert process.poll() is None
        began = time.perf_counter()
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "stopped\n"
        latency = time.perf_counter() - began
        reached, more = map(float, process.stdout.readline().split())
    finally:
        process.kill()
        process.communicate()
    assert latency < LOADED * PROMISED
    assert 1e-3 < reached < duration
    assert more == pytest.approx(0.0123, rel=1e-9)  # the simulator goes on from there
