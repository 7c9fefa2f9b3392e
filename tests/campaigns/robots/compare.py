"""One robot: read, compiled, assembled at random states, compared with two other forms of its equations."""

import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy.linalg

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.rotation import rotation_about
from ce_dynamics.augmented import FullyAugmented, compute_accelerations
from ce_dynamics.augmented.augmented import count_pivots, normalise_rows, solve_saddle
from ce_dynamics.errors import CeDynamicsError
from tests.benchmarks.timing import best_of, evaluation, python_loop
from tests.campaigns.robots.pinocchio_peer import Peer

STATES = 20
MOST = 5  # states drawn per one that is wanted
CHOICES = 6
ROUNDS, BATCH = 600, 1e-3  # s: short enough to be left alone by other processes now and then
AROUND = 0.5  # rad, m/10, of every independent coordinate about the design pose
SPEED = 1.0  # rad/s, m/s
ROUNDING = 1e-15  # rad or m: some units in the last place of a coordinate
SEED = 20260101


@dataclass
class Row:
    """Figures of one robot."""

    name: str
    freedoms: int = 0
    instructions: int = 0
    reading: float = 0.0
    compiling: float = 0.0
    evaluation: float = np.nan
    pinocchio: float = np.nan
    closure: float = np.nan  # largest gap of a loop over the states, by Pinocchio's kinematics [m]
    # augmented, exact: Largest difference of accelerations from the fully augmented form and from Pinocchio's
    # terms, over the largest acceleration
    augmented: float = 0.0
    # by how much the augmented form's change, over the largest, with which of its redundant conditions are
    # left out: what rounding leaves undetermined in it near a singular pose
    spread: float = 0.0
    exact: float = np.nan
    # by how much Pinocchio's change, over the largest, when coordinates are moved by `ROUNDING`: no form of
    # the equations can be expected to do better
    noise: float = np.nan
    compared: int = 0
    # unassembled, beyond: States in which the loops cannot be closed, or only beyond dead centres, by a model
    # that starts there
    unassembled: int = 0
    beyond: int = 0
    notes: list[str] = field(default_factory=list)
    trouble: str = ""
    model: ce.Model | None = None

    def add(self, reference: "Reference", q: Array, v: Array) -> None:
        closure, augmented, spread, exact, noise = reference.differences(q, v)
        self.closure = float(np.fmax(self.closure, closure))
        self.augmented, self.spread = max(self.augmented, augmented), max(self.spread, spread)
        self.exact, self.noise = float(np.fmax(self.exact, exact)), float(np.fmax(self.noise, noise))

    def __str__(self) -> str:
        if self.trouble:
            return f"{self.name:24s} {self.trouble}"
        return (
            f"{self.name:24s} {self.freedoms:4d} {self.instructions:9d} {self.reading:7.1f}"
            f" {self.compiling:7.1f}"
            f" {self.evaluation:9.2f} {self.pinocchio:9.2f}"
            f" {self.compared:4d}/{self.compared + self.unassembled:<4d}"
            f" {self.closure:9.1e} {self.augmented:9.1e} {self.spread:9.1e}"
            f" {self.exact:9.1e} {self.noise:9.1e}"
        )


HEADER = (
    f"{'robot':24s} {'dof':>4s} {'instr.':>9s} {'read s':>7s} {'comp s':>7s} {'eval us':>9s}"
    f" {'Pinocchio':>9s} {'states':>9s}"
    f" {'closure':>9s} {'augmented':>9s} {'spread':>9s} {'exact':>9s} {'noise':>9s}"
)


def compared(
    urdf: Path, loops: Path, states: int = STATES, around: float = AROUND, thorough: bool = True
) -> Row:
    """Return a robot's row of the table, with what went wrong; timed only if it is to be ``thorough``."""
    row = Row(urdf.parent.name if urdf.stem == "robot" else urdf.stem)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ce.ImmobilityWarning)
            fill(row, urdf, loops, states, around, thorough)
    except CeDynamicsError as error:
        row.trouble = f"{type(error).__name__}: {error}"
    return row


def fill(row: Row, urdf: Path, loops: Path, states: int, around: float, thorough: bool) -> None:
    start = time.perf_counter()
    system = ce.read_urdf(urdf, loops=loops)
    row.reading = time.perf_counter() - start
    row.notes = list(system.notes)
    start = time.perf_counter()
    model = ce.compile(system)
    dynamics = model.dynamics
    dynamics(model.y0, model.u0)
    row.compiling = time.perf_counter() - start
    row.freedoms = model.embedding.n_v
    row.instructions = dynamics.traced.n_instructions
    row.model = model
    rng = np.random.default_rng(SEED)
    references = {id(model): Reference(model, urdf, loops)}
    if thorough:
        row.evaluation, row.pinocchio = native(model), references[id(model)].time()
    q0, _, _ = model.layout.split(model.y0)
    while row.compared < states and row.compared + row.unassembled < MOST * states:
        q = q0 + rng.uniform(-around, around, len(q0)) * lengths(model, len(q0))
        v = rng.uniform(-SPEED, SPEED, model.embedding.n_v)
        knowing = model_knowing(model, q, v)
        if knowing is None:
            row.unassembled += 1
            continue
        row.compared += 1
        if id(knowing) not in references:
            row.beyond += 1
            references[id(knowing)] = Reference(knowing, urdf, loops)
        row.add(references[id(knowing)], q, v)


def model_knowing(model: ce.Model, q: Array, v: Array) -> ce.Model | None:
    """A model that can be assembled at a state: the one asked, or what it finds beyond dead centres."""
    if assembles(model, q, v):
        return model
    try:
        wanted = {entry.name: float(value) for entry, value in zip(model.layout.q, q, strict=True)}
        found = model.assemble(wanted).model
    except CeDynamicsError:
        return None
    return found if isinstance(found, ce.Model) and assembles(found, q, v) else None


def assembles(model: ce.Model, q: Array, v: Array) -> bool:
    """Return True if the loops can be closed at a state."""
    try:
        return bool(np.all(np.isfinite(model.accelerations(q, v))))
    except ce.AssemblyError:
        return False


def lengths(model: ce.Model, n: int) -> Array:
    """A tenth for displacements, 1 for angles."""
    return np.array([0.1 if entry.unit == "m" else 1.0 for entry in model.layout.q[:n]])


def native(model: ce.Model) -> float:
    """Microseconds of the right-hand side at the initial state, called from machine code."""
    return 1e6 * best_of(evaluation(model), ROUNDS, BATCH)


class Reference:
    """The same robot fully augmented, and by Pinocchio's terms."""

    def __init__(self, model: ce.Model, urdf: Path, loops: Path) -> None:
        self.model = model
        self.dae = FullyAugmented(model.system)
        self.peer = peer_of(urdf, loops)
        self.joint_of = joint_names(urdf)

    def time(self) -> float:
        """Microseconds of Pinocchio's constrained dynamics, less those of the call through Python."""
        if self.peer is None:
            return float("nan")
        q, v, _ = self.model.layout.split(self.model.y0)
        call, nothing = self.peer.constrained(*self.peer_state(q, v)), self.peer.nothing()
        return 1e6 * (
            best_of(python_loop(call), ROUNDS, BATCH) - best_of(python_loop(nothing), ROUNDS, BATCH)
        )

    def peer_state(self, q: Array, v: Array) -> tuple[Array, Array]:
        assert self.peer is not None
        model = self.model
        balls = balls_of(model)
        if not self.peer.design:
            neutral = {body.name: body.inboard.neutral for body in model.system.bodies}
            turned = {self.joint_of[name]: turned_at_design(hinges) for name, hinges in balls.items()}
            self.peer.start_from(by_joint(neutral, self.joint_of), turned)
        joints, rates = joint_states(model, q, v)
        R = dict(zip(*model.poses(np.concatenate((q, v)))[::2], strict=True)) | {"ground": np.eye(3)}
        moving = {
            self.joint_of[name]: (
                R[hinges[0].carrier.name],
                R[name],
                sum(rates[b.name][0] * R[b.carrier.name] @ b.inboard.axis for b in hinges),
            )
            for name, hinges in balls.items()
        }
        return self.peer.state(by_joint(joints, self.joint_of), by_joint(rates, self.joint_of), moving)

    def differences(self, q: Array, v: Array) -> tuple[float, float, float, float, float]:
        """Gap of the loops [m], relative differences from either form, each with how far that is known."""
        model, none = self.model, np.zeros(0)
        bodies = compute_accelerations(model.embedding, q, v, none, model.u0)
        found = np.concatenate([bodies[body.name] for body in model.system.bodies])
        state = self.dae.state_from_embedded(model.embedding, q, v, none)
        expected = self.dae.accelerations(state).V_dot
        augmented = float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))
        spread = self.spread(state) / float(np.max(np.abs(expected)))

        if self.peer is None:
            return np.nan, augmented, spread, np.nan, np.nan
        at, speed = self.peer_state(q, v)
        accelerations, gap, _ = self.peer.accelerations(at, speed)
        own = model.accelerations(q, v)
        leading = {name: own[at.start : at.stop] for name, at in model.embedding.v_of.items()}
        singles = {
            joint: value[0] for joint, value in by_joint(leading, self.joint_of).items() if len(value) == 1
        }
        largest = max(abs(value) for value in accelerations.values())
        differences = [abs(singles[joint] - accelerations[joint]) for joint in singles.keys() & accelerations]
        exact = max(differences, default=np.nan) / largest
        moved = at + ROUNDING * np.random.default_rng(SEED).choice((-1.0, 1.0), len(at))
        other, _, _ = self.peer.accelerations(moved, speed)
        noise = max(abs(other[name] - value) for name, value in accelerations.items()) / largest
        return gap, augmented, spread, exact, noise

    def spread(self, state: Array) -> float:
        """Largest difference between solutions of the augmented form by other choices of independent rows."""
        instant = self.dae.at(state)
        rows = instant.constraints
        M, G, f, gamma = (
            np.asarray(part, dtype=float) for part in (instant.inertia, rows.G, instant.force, rows.gamma)
        )
        rng, found = np.random.default_rng(SEED), []
        for _ in range(CHOICES):
            weighted = normalise_rows(G)[0] * np.exp(rng.uniform(-2.0, 2.0, (len(G), 1)))
            _, R, order = scipy.linalg.qr(weighted.T, mode="economic", pivoting=True)
            kept = order[: count_pivots(R)]
            found.append(solve_saddle(M, G[kept], f, gamma[kept]).V_dot)
        return float(np.max(np.ptp(np.array(found), axis=0)))


def peer_of(urdf: Path, loops: Path) -> Peer | None:
    """Pinocchio's reading; None where it is not installed or does not read the file."""
    try:
        return Peer(urdf, loops)
    except (ImportError, ValueError):
        return None


def joint_states(model: ce.Model, q: Array, v: Array) -> tuple[dict[str, Array], dict[str, Array]]:
    motions = model.instant(np.concatenate((q, v)), model.u0).outward.motions
    joints, rates = {}, {}
    for body in model.system.bodies:
        S = model.embedding.owner[body.name]
        columns = [
            k
            for other in S.independent
            for k in range(model.embedding.v_of[other.name].start, model.embedding.v_of[other.name].stop)
        ]
        hinge = motions[S.name].hinge_motions[body.name]
        joints[body.name] = np.asarray(body.inboard.coordinates(hinge.c), dtype=float)
        rates[body.name] = np.asarray(hinge.X @ v[columns] + hinge.eta, dtype=float)
    return joints, rates


def before(model: ce.Model, body: Any) -> list[Any]:
    """The hinges that a ball or cardan joint of the file is, from the carrier outward."""
    names = {f"{body.name}/1", f"{body.name}/2"}
    return [*(other for other in model.system.bodies if other.name in names), body]


def balls_of(model: ce.Model) -> dict[str, list[Any]]:
    hinges = {body.name: before(model, body) for body in model.system.bodies}
    return {name: found for name, found in hinges.items() if len(found) == 3}


def turned_at_design(hinges: list[Any]) -> Array:
    """Return the rotation of a ball in the design pose, Rot(a3, q3) Rot(a2, q2) Rot(a1, q1)."""
    R = np.eye(3)
    for body in hinges:
        c, s = np.cos(body.inboard.neutral[0]), np.sin(body.inboard.neutral[0])
        R = np.asarray(rotation_about(body.inboard.axis, c, s), dtype=float) @ R
    return R


def by_joint(values: dict[str, Array], joint_of: dict[str, str]) -> dict[str, Array]:
    """Values of bodies by the hinges that carry them; those of cardan joints one by one, none of balls."""
    found: dict[str, Array] = {}
    for body, value in values.items():
        joint = joint_of.get(body)
        if joint is None or not len(value) or f"{body}/2" in values:
            continue
        first = values.get(f"{body}/1")
        found |= {joint: value} if first is None else {f"{joint}/1": first, f"{joint}/2": value}
    return found


def joint_names(urdf: Path) -> dict[str, str]:
    from lxml import etree

    root = etree.parse(str(urdf)).getroot()
    return {j.find("child").get("link"): j.get("name") for j in root.findall("joint")}
