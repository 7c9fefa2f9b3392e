"""One evaluation of the ride model's accelerations in every engine."""

from collections.abc import Callable

import numpy as np

from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import compile_function
from ce_dynamics.models.vehicles.case import build_ride
from tests.benchmarks import pinocchio_native
from tests.benchmarks.mechanism import Floats, deviation, independent, reference, ride_mechanism
from tests.benchmarks.mujoco_peer import IMPEDANCE, SETTINGS, Soft
from tests.benchmarks.pinocchio_native import Driver, MissingError
from tests.benchmarks.report import Options, Result, Table, number
from tests.benchmarks.timing import Contender, best_of, prepared, python_loop, race

TOLERANCE = 1e-6
"""Relative, of accelerations at t = 0, up to which a model counts as the same."""

HEAVY = tuple(
    f"{body}.mass={mass} kg" for body, mass in (("tie_rod", 3), ("shock_lower", 3), ("shock_upper", 3))
)
"""Seven bodies with mass in every corner: arms, upright, tie rod, shock, wheel."""


def run(options: Options) -> Result:
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


PEERS = ("Pinocchio C++ exact", "Pinocchio C++ constraint", "Pinocchio C++ lcaba", "MuJoCo")


def gather(options: Options) -> tuple[list[Contender], list[str]]:
    contenders = ours()
    missing: list[str] = []
    sources: list[tuple[str, Callable[[], list[Contender]]]] = [
        ("DAE reference", dae), ("Pinocchio in C++", lambda: pinocchio_cpp(options)),
        ("MuJoCo", lambda: mujoco(options)),
    ]  # fmt: skip
    for name, source in sources:
        try:
            contenders += source()
        except (MissingError, ImportError) as reason:
            missing.append(f"{name} ({reason})")
    return contenders, missing


def ours() -> list[Contender]:
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


def mujoco(options: Options) -> list[Contender]:
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
