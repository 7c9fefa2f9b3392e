"""One evaluation of the ride model's accelerations in every engine."""

from __future__ import annotations

import ctypes
import io
import runpy
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import CompiledFunction, compile_function
from ce_dynamics.models.vehicles.case import build_ride
from tests.benchmarks import pinocchio_native
from tests.benchmarks.mechanism import Floats, deviation, independent, reference, ride_mechanism
from tests.benchmarks.mujoco_peer import IMPEDANCE, SETTINGS, Soft
from tests.benchmarks.pinocchio_native import Driver, MissingError
from tests.benchmarks.pinocchio_peer import Bound
from tests.benchmarks.report import Options, Result, Table, number
from tests.benchmarks.simbody_peer import Apart
from tests.benchmarks.timing import Batch, Contender, best_of, native_loop, python_loop, race

TOLERANCE = 1e-6
"""Relative, of accelerations at t = 0, up to which a model counts as the same."""

HEAVY = tuple(
    f"{body}.mass={mass} kg" for body, mass in (("tie_rod", 3), ("shock_lower", 3), ("shock_upper", 3))
)
"""Seven bodies with mass in every corner, as the prototype has them: arms, upright, tie rod, shock, wheel."""


def run(options: Options) -> Result:
    """Build, verify, time in turn."""
    contenders, missing = gather(options)
    race(contenders, options.rounds)
    ours = contenders[0]
    rows = tuple(
        (
            c.name,
            number(1e6 * c.seconds),
            number(c.seconds / ours.seconds),
            "–" if c.deviation != c.deviation else f"{c.deviation:.0e}",
            c.settings,
        )
        for c in contenders
    )
    head = ("engine", "µs", "times ours", "deviation", "settings")
    peers = [c for c in contenders if c.name.startswith(PEERS) and c.deviation <= TOLERANCE]
    soft = [c for c in contenders if c.name.startswith(PEERS) and c.deviation > TOLERANCE]
    notes = [
        "deviation: largest relative error against the independent accelerations at t = 0; "
        f"up to {TOLERANCE:g} counts as the same model. "
        "The time of ce-dynamics includes springs, dampers and ground springs; the peers are given these "
        "forces for nothing.",
    ]
    for text, group in (("the same model", peers), ("the model with softened loops", soft)):
        if group:
            best = min(group, key=lambda c: c.seconds)
            ratio = best.seconds / ours.seconds
            notes.append(f"Fastest peer on {text}: {best.name}, {number(ratio)} times our time.")
    notes += [f"Not measured: {text}." for text in missing]
    data = {
        c.name: {"us": 1e6 * c.seconds, "deviation": c.deviation, "settings": c.settings} for c in contenders
    }
    return Result((Table("One evaluation of the ride model", head, rows, tuple(notes)),), data)


PEERS = ("Pinocchio C++ exact", "Pinocchio C++ constraint", "Pinocchio C++ lcaba", "Pinocchio Python",
         "MuJoCo", "Simbody")  # fmt: skip


def gather(options: Options) -> tuple[list[Contender], list[str]]:
    """All that can run here, and what cannot."""
    contenders = ours()
    missing: list[str] = []
    sources: list[tuple[str, Callable[[], list[Contender]]]] = [
        ("DAE reference", dae), ("Pinocchio in C++", lambda: pinocchio_cpp(options)),
        ("Pinocchio from Python", pinocchio_python), ("MuJoCo", lambda: mujoco(options)),
        ("Simbody", simbody), ("the prototype", lambda: prototype(options.prototype)),
    ]  # fmt: skip
    for name, source in sources:
        try:
            contenders += source()
        except (MissingError, ImportError) as reason:
            missing.append(f"{name} ({reason})")
    return contenders, missing


def prepared(function: CompiledFunction, y: Floats, u: Floats | None = None) -> tuple[Batch, Floats]:
    """A loop in machine code over an evaluation at one state, and its result."""
    binding = function.bind()
    if u is not None:
        binding.inputs["u"][...] = u if function.lanes == 1 else u[:, np.newaxis]
    binding.inputs["y"][...] = y if function.lanes == 1 else y[:, np.newaxis]
    binding.run()
    arrays = (*binding.inputs.values(), *binding.outputs.values())
    table = (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays))
    loop = native_loop(function.table_address, [ctypes.addressof(table)], (binding, table))
    result = binding.outputs["y_dot"]
    return loop, result if function.lanes == 1 else result[:, -1]


def ours() -> list[Contender]:
    """The compiled evaluation, alone and in lanes."""
    model = Model(build_ride())
    traced = model.dynamics.traced
    found = []
    for lanes in (1, 4, 8):
        function = compile_function(traced, lanes)
        loop, y_dot = prepared(function, model.y0)
        v_dot = model.layout.split(y_dot)[1]
        name = "ce-dynamics" if lanes == 1 else f"ce-dynamics, {lanes} lanes, per vehicle"
        settings = f"{traced.n_instructions:,} instructions"
        found.append(Contender(name, settings, loop, deviation(accelerations(model, v_dot)), lanes))
    binding = model.dynamics.bind()
    binding.inputs["y"][:] = model.y0
    found.append(
        Contender("ce-dynamics, called from Python", "bound buffers", python_loop(binding.run, binding))
    )
    heavy = Model(build_ride(overrides=HEAVY))
    loop, _ = prepared(heavy.dynamics, heavy.y0)
    count = heavy.dynamics.traced.n_instructions
    settings = f"{count:,} instructions; 28 bodies with mass in the corners, wheels among them"
    found.append(Contender("ce-dynamics, rods and shocks with mass", settings, loop))
    return found


def accelerations(model: Model, v_dot: Floats) -> dict[str, Floats]:
    """By name, chassis [linear, angular] as in the reference."""
    found = {}
    for name in reference():
        value = np.array(v_dot[model.embedding.v_of[name]], dtype=float)
        found[name] = np.roll(value, 3) if name == "chassis" else value
    return found


def dae() -> list[Contender]:
    """The project's fully augmented model, equations (8), on sparse matrices."""
    from ce_dynamics.augmented import FullyAugmented, Preparation

    model = Model(build_ride())
    full = FullyAugmented(model.system)
    y = full.state_from_embedded(model.embedding, *model.layout.split(model.y0))
    ready = Preparation(full, y)
    u = np.asarray(full.u0, dtype=float)
    error = dae_deviation(model, full.split(ready.index1(0.0, y, u).y_dot)[1])
    text = f"{full.n_V} velocities, {full.n_g} rows; sparse LU, called from Python"
    return [Contender("own DAE reference", text, python_loop(lambda: ready.index1(0.0, y, u)), error)]


def dae_deviation(model: Model, V_dot: Floats) -> float:
    """Error of the chassis' accelerations: those of the augmented model are of centres of mass."""
    chassis = model.system.find("chassis")
    alpha, a = chassis_acceleration(model, V_dot)
    w = model.y0[len(model.layout.q) : len(model.layout.q) + 3]
    r = np.asarray(chassis.inboard.at - chassis.com, dtype=float)
    linear = a + np.cross(alpha, r) + np.cross(w, np.cross(w, r))
    expected = {"chassis": reference()["chassis"]}
    return deviation({"chassis": np.concatenate((linear, alpha))}, expected)


def chassis_acceleration(model: Model, V_dot: Floats) -> tuple[Floats, Floats]:
    """Angular and linear acceleration of the chassis among those of all free bodies."""
    k = [body.name for body in model.system.bodies].index("chassis")
    own = np.asarray(V_dot[6 * k : 6 * k + 6], dtype=float)
    return own[:3], own[3:]


def pinocchio_cpp(options: Options) -> list[Contender]:
    """Headers compiled for this machine."""
    if not options.native:
        raise MissingError("switched off")
    program = pinocchio_native.build()
    closed, rods = ride_mechanism(), ride_mechanism(rods=True)
    one, other = Driver(program, closed), Driver(program, rods)
    flags = " ".join(pinocchio_native.OPTIONS[1:3])
    found = [
        Contender("Pinocchio C++ ABA, loops left open", f"{closed.n_v} velocities, {flags}", one.batch("aba"))
    ]
    for driver, mechanism, algorithm, title, mu in (
        (one, closed, "exact", "exact KKT", 0.0),
        (other, rods, "constraintDynamics", "constraintDynamics", 1e-12),
        (other, rods, "lcaba", "lcaba", 1e-10),
    ):
        v_dot = driver.accelerations(algorithm, mu)
        error = deviation(independent(mechanism, v_dot, classical=False))
        text = f"{mechanism.n_v} velocities, {mechanism.n_rows} rows"
        text += "; rnea + crba + forwardDynamics" if mu == 0.0 else f"; mu = {mu:g}, one iteration"
        found.append(Contender(f"Pinocchio C++ {title}", text, driver.batch(algorithm, mu), error))
    return found


def pinocchio_python() -> list[Contender]:
    """The package as it comes."""
    rods = ride_mechanism(rods=True)
    bound = Bound(rods)
    nothing = best_of(python_loop(bound.nothing), 20)
    error = deviation(independent(rods, bound.constraint_dynamics(), classical=False))
    text = f"mu = 1e-12, one iteration; a call of next to nothing takes {number(1e6 * nothing)} µs of it"
    return [
        Contender("Pinocchio Python constraintDynamics", text, python_loop(bound.constraint_dynamics), error)
    ]


def mujoco(options: Options) -> list[Contender]:
    """The fastest of its solvers and storages."""
    closed = ride_mechanism()
    tried = [(setting, Soft(closed, setting)) for setting in SETTINGS]
    times = [float("inf")] * len(tried)
    for _ in range(2 if options.quick else 40):  # in turn, so that all see the same machine
        once = [best_of(python_loop(soft.forward), 1) for _, soft in tried]
        times = [min(pair) for pair in zip(times, once, strict=True)]
    setting, soft = tried[int(np.argmin(times))]
    nothing = best_of(python_loop(soft.nothing), 20)
    error = deviation(independent(closed, soft.v_dot, classical=True))
    text = (
        f"mj_forward, {setting.solver}, {setting.jacobian}, solimp {IMPEDANCE}, contacts and limits off; "
        f"an empty call takes {number(1e6 * nothing)} µs of it"
    )
    return [Contender("MuJoCo", text, python_loop(soft.forward), error)]


def simbody() -> list[Contender]:
    """Below OpenSim's model, in a process of its own."""
    engine = Apart()
    text = (
        "through opensim: realizeVelocity + calcAcceleration; "
        f"empty calls take {number(1e6 * engine.nothing)} µs of it"
    )
    return [Contender("Simbody", text, engine.batch, engine.deviation)]


def prototype(path: Path | None) -> list[Contender]:
    """The feasibility script's graph, compiled by the script (all fast-math flags, speed level 1)."""
    if path is None:
        raise MissingError("give its path with --prototype")
    with redirect_stdout(io.StringIO()):
        script: dict[str, Any] = runpy.run_path(str(path))
    engine = script["compile"](script["emit"](script["f"], 1), 1)
    arrays = [np.zeros(n) for n in (15, 14, 2, 24, 14)]
    arrays[0][3] = 1.0
    arrays[1][:] = 0.1 * np.arange(14)
    pointers = [a.ctypes.data for a in arrays]
    loop = native_loop(engine.get_function_address("f"), pointers, (engine, arrays, script))
    text = f"{script['f'].n_instructions():,} instructions; another, unvalidated vehicle without force laws"
    return [Contender("feasibility prototype", text, loop)]
