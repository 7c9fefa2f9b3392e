"""``python -m ce_dynamics.cli.gallery FOLDER``: every robot file of a folder, moved and compared.

A URDF file may have its loops in a YAML file beside it (of its stem, or the only one there).  Every robot
moves from its design pose for a while under its weight; MuJoCo, where it is installed, computes the
accelerations at rest, with its equality constraints made exact.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import CeDynamicsError
from ce_dynamics.views.scene.shapes import Shape

ROUNDS, CALLS = 40, 50
LEAST = 1e-9
"""Mass [kg] and moments of inertia [kg m²] of moving links that have none, until MuJoCo has compiled them."""
APART = 1e-6
"""Gap of MuJoCo's constraints in the design pose above which the file means another loop [m]."""


class Peer(NamedTuple):
    """Results of MuJoCo for a robot, NaN where they are missing and why they are.

    ``time`` is that of ``mj_forward`` with the fastest solver, less that of an empty call [µs];
    ``difference`` the largest one of accelerations at rest, over the largest acceleration.
    """

    time: float
    difference: float
    why: str


def without(why: str, time: float = float("nan")) -> Peer:
    """Return a peer without a difference, with the reason."""
    return Peer(time, float("nan"), why)


def accelerations_at_rest(model: Model, path: Path, loops: Path | None) -> Peer:
    """Return the time of MuJoCo's ``mj_forward``, and the difference of accelerations by its terms."""
    try:
        import mujoco  # here, because an extra installs it
    except ImportError:
        return without("mujoco is not installed")
    companion = {} if loops is None else yaml.safe_load(loops.read_text())
    if path.suffix == ".sdf" or (path.suffix == ".urdf" and b"<loop" in path.read_bytes()):
        return without("MuJoCo does not read this format")
    if any(kind != "FIXED" for kind in companion.get("joint_type") or ()):
        return without("MuJoCo reads no kinds of joints beside a file")
    try:
        peer, raised = load_model(mujoco, path, companion)
    except (ValueError, KeyError, RuntimeError) as error:
        return without(f"MuJoCo refuses it: {' '.join(str(error).split())[:100]}")
    peer.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT) | int(mujoco.mjtDisableBit.mjDSBL_LIMIT)
    data = mujoco.MjData(peer)
    leading = place_joints(model, peer, data, mujoco)
    if not leading:
        return without("joints are not those of the file one by one")
    mujoco.mj_forward(peer, data)
    microseconds = time_forward(mujoco, peer, data)
    peer.body_mass[raised] = peer.body_inertia[raised] = 0.0
    mujoco.mj_setConst(peer, mujoco.MjData(peer))
    mujoco.mj_forward(peer, data)
    found = exact(mujoco, peer, data)
    if found is None:
        return without("loops of MuJoCo's model are open where the file's are closed", microseconds)
    columns, rows = zip(*leading.items(), strict=True)
    own = model.layout.split(model.dynamics(model.y0, model.u0)[0])[1]
    theirs = found[list(rows)]
    difference = np.max(np.abs(own[list(columns)] - theirs)) / max(float(np.max(np.abs(theirs))), 1e-300)
    return Peer(
        microseconds, float(difference), "" if np.isfinite(difference) else "accelerations are no numbers"
    )


def load_model(mujoco: Any, path: Path, companion: Mapping[str, Any]) -> tuple[Any, list[int]]:
    """Return MuJoCo's model of a file, and the bodies that get the weight `LEAST` because it refuses none."""
    if path.suffix == ".xml":
        return mujoco.MjModel.from_xml_path(str(path)), []
    from lxml import etree  # here, because an extra installs it

    root = etree.parse(str(path)).getroot()
    for element in root.xpath("//visual | //collision | //transmission | //gazebo"):
        element.getparent().remove(element)
    compiler = etree.SubElement(etree.SubElement(root, "mujoco"), "compiler")
    compiler.set("fusestatic", "false")
    spec = mujoco.MjSpec.from_string(etree.tostring(root).decode())
    joints = {joint.get("name"): joint.find("child").get("link") for joint in root.findall("joint")}
    pairs = companion.get("closed_loop") or []
    for k, ((a, b), kind) in enumerate(zip(pairs, companion.get("type") or ["6d"] * len(pairs), strict=True)):
        equality = spec.add_equality()
        weld = kind.lower() == "6d"
        equality.type = mujoco.mjtEq.mjEQ_WELD if weld else mujoco.mjtEq.mjEQ_CONNECT
        equality.objtype = mujoco.mjtObj.mjOBJ_SITE  # bodies would be held as they are in the zero pose
        ends = [spec.body(joints.get(end, end)).add_site(name=f"loop {k}{end}") for end in (a, b)]
        equality.name1, equality.name2 = (end.name for end in ends)
        equality.data[:] = 0.0
        if weld:
            equality.data[10] = 1.0  # torquescale
    light = [body for body in spec.bodies if body.joints and not body.mass > 0.0]
    for body in light:
        body.mass, body.inertia, body.explicitinertial = LEAST, [LEAST] * 3, True
    peer = spec.compile()
    return peer, [peer.body(body.name).id for body in light]


def place_joints(model: Model, peer: Any, data: Any, mujoco: Any) -> dict[int, int] | None:
    """Put MuJoCo's joints where the bodies are; its velocities by those of the model that lead."""
    coordinates = model.assemble().coordinates
    leading: dict[int, int] = {}
    for j in range(peer.njnt):
        simple = peer.jnt_type[j] in (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
        body = peer.body(int(peer.jnt_bodyid[j])).name
        alone = int(peer.body_jntnum[int(peer.jnt_bodyid[j])]) == 1
        name = body if alone else f"{body}/{peer.joint(j).name}"
        name = name if name in coordinates else body
        if not simple or name not in coordinates:
            return None
        at = int(peer.jnt_qposadr[j])
        data.qpos[at] = peer.qpos0[at] + coordinates[name]
        if name in model.embedding.v_of:
            leading[model.embedding.v_of[name].start] = int(peer.jnt_dofadr[j])
    return leading


def exact(mujoco: Any, peer: Any, data: Any) -> Floats | None:
    """Return accelerations of [M Jᵀ; J 0] at rest; None where the constraints are open."""
    M, J = np.zeros((peer.nv, peer.nv)), np.zeros((data.nefc, peer.nv))
    for row, unit in zip(M, np.eye(peer.nv), strict=True):
        mujoco.mj_mulM(peer, data, row, unit)
    for row, unit in zip(J, np.eye(data.nefc), strict=True):
        mujoco.mj_mulJacTVec(peer, data, row, unit)
    force = data.qfrc_passive + data.qfrc_actuator + data.qfrc_applied - data.qfrc_bias
    equality = data.efc_type[: data.nefc] == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
    if np.max(np.abs(data.efc_pos[: data.nefc][equality]), initial=0.0) > APART:
        return None
    J = J[equality]
    factor = np.linalg.cholesky(M)
    W, free = np.linalg.solve(factor, J.T), np.linalg.solve(factor, force)
    held = free - W @ np.linalg.lstsq(W, free, rcond=1e-10)[0]
    found: Floats = np.asarray(np.linalg.solve(factor.T, held), dtype=np.float64)
    return found


def time_forward(mujoco: Any, peer: Any, data: Any) -> float:
    """Return microseconds of ``mj_forward`` with the fastest of its solvers, less those of an empty call."""
    given = peer.opt.solver, peer.opt.jacobian
    best = float("inf")
    for solver in (mujoco.mjtSolver.mjSOL_NEWTON, mujoco.mjtSolver.mjSOL_CG, mujoco.mjtSolver.mjSOL_PGS):
        for jacobian in (mujoco.mjtJacobian.mjJAC_DENSE, mujoco.mjtJacobian.mjJAC_SPARSE):
            peer.opt.solver, peer.opt.jacobian = int(solver), int(jacobian)
            best = min(best, shortest(mujoco.mj_forward, peer, data))
    peer.opt.solver, peer.opt.jacobian = given
    return 1e6 * (best - shortest(lambda *_: None, peer, data))


def shortest(call: Callable[[Any, Any], object], peer: Any, data: Any) -> float:
    """Return seconds of a call: the best of some rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(CALLS):
            call(peer, data)
        best = min(best, (time.perf_counter() - start) / CALLS)
    return best


STEP = 1e-3
SUFFIXES = (".urdf", ".sdf", ".xml")
HEADER = (
    f"{'robot':26s} {'bodies':>6s} {'loops':>5s} {'dof':>4s} {'read s':>7s} {'comp s':>7s} {'eval us':>8s}"
    f" {'closure m':>10s} {'MuJoCo us':>9s} {'difference':>10s}"
)


@dataclass
class RobotRow:
    """Figures of one robot; ``trouble`` is the error, ``why`` the reason for a missing comparison."""

    name: str
    bodies: int = 0
    loops: int = 0
    freedoms: int = 0
    reading: float = 0.0
    compiling: float = 0.0
    evaluation: float = np.nan
    closure: float = np.nan
    mujoco: float = np.nan
    difference: float = np.nan
    why: str = ""
    trouble: str = ""

    def __str__(self) -> str:
        remark = self.trouble or (f"({self.why})" if self.why else "")
        counted = f"{self.name[:26]:26s} {self.bodies:6d} {self.loops:5d} {self.freedoms:4d}"
        times = f" {self.reading:7.1f} {self.compiling:7.1f} {self.evaluation:8.2f} {self.closure:10.1e}"
        peer = f" {self.mujoco:9.2f} {self.difference:10.1e}"
        return f"{counted}{times}{peer}{'  ' if remark else ''}{remark}"


def robots(folder: Path, words: list[str]) -> Iterator[tuple[Path, Path | None]]:
    """Yield robot files of a folder whose paths hold one of some words, and the loops beside them."""
    for path in sorted(folder.rglob("*")):
        if path.suffix not in SUFFIXES or not path.is_file():
            continue
        if path.suffix == ".xml" and b"<mujoco" not in path.read_bytes()[:4096]:
            continue
        if words and not any(word in str(path) for word in words):
            continue
        beside: Path | None = None
        if path.suffix == ".urdf":
            alone = len(list(path.parent.glob("*.urdf"))) == 1
            others = [path.with_suffix(".yaml"), *(sorted(path.parent.glob("*.yaml")) if alone else ())]
            beside = next((other for other in others if other.exists()), None)
        yield path, beside


def read(path: Path, loops: Path | None, ignore: list[str]) -> ce.System:
    """Return a robot of any format."""
    if path.suffix == ".urdf":
        return ce.read_urdf(path, loops=loops, ignore=ignore)
    return ce.read_sdf(path, ignore=ignore) if path.suffix == ".sdf" else ce.read_mjcf(path, ignore=ignore)


def examine_robot(
    path: Path, loops: Path | None, ignore: list[str], duration: float, pages: Path | None
) -> RobotRow:
    """Return a robot's row."""
    generic = path.stem in ("robot", "model")
    row = RobotRow(path.parent.name if generic else path.stem)
    try:
        fill(row, path, loops, ignore, duration, pages)
    except (CeDynamicsError, ce.SimulationError) as error:
        row.trouble = f"{type(error).__name__}: {' '.join(str(error).split())}"
    return row


def fill(
    row: RobotRow, path: Path, loops: Path | None, ignore: list[str], duration: float, pages: Path | None
) -> None:
    """Read, compile, move, compare, draw."""
    start = time.perf_counter()
    system = read(path, loops, ignore)
    row.reading = time.perf_counter() - start
    row.bodies, row.loops = len(system.bodies), len(system.closures)
    start = time.perf_counter()
    model = ce.compile(system)
    model.dynamics(model.y0, model.u0)
    row.compiling = time.perf_counter() - start
    row.freedoms = model.embedding.n_v
    row.mujoco, row.difference, row.why = accelerations_at_rest(model, path, loops)
    ce.simulate(model, duration=STEP, method="rk4", step=STEP)  # compile now, outside the timing below
    run = ce.simulate(model, duration=duration, method="rk4", step=STEP)
    row.evaluation = 1e6 * float(run.attrs["wall_time_s"]) / float(run.attrs["evaluations"])
    if "closure_error" in run:
        row.closure = float(run["closure_error"].max())
    if pages is not None:
        pages.mkdir(parents=True, exist_ok=True)
        page = ce.view(model, run, shapes=shapes(path, loops, ignore), title=row.name)
        page.save(pages / f"{row.name}.html")


def shapes(path: Path, loops: Path | None, ignore: list[str]) -> dict[str, list[Shape]]:
    """Return the shapes of the bodies in a file, without the ground's; none for SDF files."""
    if path.suffix == ".sdf":
        return {}
    given = {"loops": loops, "ignore": ignore} if path.suffix == ".urdf" else {}
    found, _ = ce.robot_shapes(path, **given)
    return {name: each for name, each in found.items() if name != "ground"}


def main(arguments: list[str] | None = None) -> int:
    """Return the table; 1 if a robot could not be read, compiled or moved."""
    parser = argparse.ArgumentParser(prog="python -m ce_dynamics.cli.gallery", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("only", nargs="*", help="words in the paths of the robots that are wanted")
    parser.add_argument("--duration", type=float, default=0.05, help="of the motion [s]")
    parser.add_argument("--pages", type=Path, help="folder for a page in three dimensions of every robot")
    parser.add_argument("--ignore", action="append", default=[], help="as of the readers; may be repeated")
    given = parser.parse_args(arguments)
    failed = 0
    print(HEADER, flush=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path, loops in robots(given.folder, given.only):
            row = examine_robot(path, loops, given.ignore, given.duration, given.pages)
            failed += bool(row.trouble)
            print(row, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
