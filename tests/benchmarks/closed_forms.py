"""Loops in closed form, as they are recognised, and the same by Newton's method.

python -m tests.benchmarks.closed_forms
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from unittest.mock import patch

import numpy as np
from numpy.typing import ArrayLike

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.rotation import rotation_about
from ce_dynamics.compiler import disk_cache
from ce_dynamics.mechanism.hinges.base import Hinge
from tests.benchmarks.report import Table, number
from tests.benchmarks.timing import best_of, native_loop

Y, ROUNDS = (0, 1, 0), 200
NOTHING = {
    "ce_dynamics.embedding.complete.recognise": lambda part: None,
    "ce_dynamics.embedding.closed_forms.without_legs.legs_of": lambda *_: [],
    "ce_dynamics.embedding.closed_forms.without_legs.rods_of": lambda *_: [],
    "ce_dynamics.embedding.closed_forms.without_legs.peel_of": lambda *_: None,
}


def body(s: ce.System, name: str, parent: str, hinge: Hinge, com: ArrayLike) -> None:
    """A body of 1 kg."""
    s.add_body(name, mass=1.0, com=com, inertia=(0.1, 0.2, 0.25), parent=parent, hinge=hinge)


def pin(x: float, z: float) -> ce.Revolute:
    """A hinge about y."""
    return ce.Revolute(Y, at=(x, 0, z))


def four_bar() -> ce.System:
    """Led by its crank."""
    s = ce.System(name="four-bar")
    body(s, "crank", "ground", pin(0, 0), (0.15, 0, 0))
    body(s, "coupler", "crank", pin(0.3, 0), (0.6, 0, 0.4))
    body(s, "rocker", "ground", pin(1.32, 0.24), (1.1, 0, 0.5))
    s.close_loop("tip", "coupler", "rocker", pin(0.9, 0.8), independent=["crank"])
    return s


def slider_crank(lead: str) -> ce.System:
    """Led by its crank, or by its piston."""
    s = ce.System(name=f"slider-crank, led by its {lead}")
    body(s, "crank", "ground", pin(0, 0), (0.15, 0, 0))
    body(s, "rod", "crank", pin(0.3, 0.1), (0.6, 0, 0.1))
    body(s, "piston", "ground", ce.Prismatic((1, 0, 0), at=(1.2, 0, 0)), (1.2, 0, 0))
    s.close_loop("pin", "rod", "piston", pin(1.2, 0), independent=[lead])
    return s


def lever() -> ce.System:
    """A lever that a cylinder of given length turns."""
    s = ce.System(name="lever, led by its cylinder")
    body(s, "lever", "ground", pin(0, 0), (0.4, 0, 0.3))
    body(s, "tube", "ground", pin(0.6, -0.4), (0.6, 0, -0.1))
    body(s, "rod", "tube", ce.Prismatic((0, 0, 1), at=(0.6, 0, 0.1)), (0.6, 0, 0.1))
    s.close_loop("pin", "rod", "lever", pin(0.6, 0.4), independent=["rod"])
    return s


def five_bar() -> ce.System:
    """Led by two cranks."""
    s = ce.System(name="five-bar")
    body(s, "left", "ground", pin(-0.1, 0), (-0.2, 0, 0.1))
    body(s, "right", "ground", pin(0.1, 0), (0.2, 0, 0.1))
    body(s, "left coupler", "left", pin(-0.35, 0.25), (-0.1, 0, 0.5))
    body(s, "right coupler", "right", pin(0.45, 0.3), (0.3, 0, 0.5))
    s.close_loop("pin", "left coupler", "right coupler", pin(0.1, 0.75), independent=["left", "right"])
    return s


def stewart(*leading: str) -> ce.System:
    """Six telescopes, led by their lengths or by the platform."""
    s = ce.System(name=f"Stewart platform, led by {'the platform' if leading else 'its legs'}")

    def circle(radius: float, height: float, degrees: tuple[float, ...]) -> Array:
        angles = np.radians(degrees)
        return np.column_stack((radius * np.cos(angles), radius * np.sin(angles), np.full(6, height)))

    feet, heads = (
        circle(0.75, 0.0, (-8, 8, 112, 128, 232, 248)),
        circle(0.4, 0.8, (-52, 52, 68, 172, 188, 292)),
    )
    centre = heads.mean(axis=0)
    body(s, "top", "ground", ce.Free(centre), centre)
    for k, (foot, head) in enumerate(zip(feet, heads, strict=True)):
        across = np.cross(head - foot, (0.0, 1.0, 0.0))
        universal = ce.Universal(across, np.cross(head - foot, across), at=foot)
        body(s, f"lower {k}", "ground", universal, 0.7 * foot + 0.3 * head)
        body(s, f"upper {k}", f"lower {k}", ce.Prismatic(head - foot, at=head), 0.3 * foot + 0.7 * head)
        s.close_loop(
            f"ball {k}", f"upper {k}", "top", ce.Spherical(head), independent=[*(leading or (f"upper {k}",))]
        )
    return s


LOOPS: tuple[Callable[[], ce.System], ...] = (
    four_bar, lambda: slider_crank("crank"), lambda: slider_crank("piston"), lever, five_bar,
    lambda: stewart("top"), stewart,
)  # fmt: skip


def cost(system: ce.System) -> tuple[int, float]:
    """Instructions, and microseconds of one evaluation."""
    model = ce.compile(system)
    dynamics = model.dynamics
    dynamics(model.y0, model.u0)
    binding = dynamics.bind()
    for name, value in (("y", model.y0), ("u", model.u0)):
        if name in binding.inputs:
            binding.inputs[name][:] = value
    arrays = [*binding.inputs.values(), *binding.outputs.values()]
    loop = native_loop(dynamics.address, [array.ctypes.data for array in arrays], (binding, arrays))
    return dynamics.traced.n_instructions, 1e6 * best_of(loop, ROUNDS)


def first_pose() -> str:
    """CPU time of a platform led by its legs: embedded, its dynamics compiled, and at a wanted pose."""
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, {disk_cache.VARIABLE: folder}):
        begin = time.process_time()
        model = ce.compile(stewart())
        embedded = time.process_time()
        frame = model.frame("top")
        R = rotation_about(np.array((0.0, 0.0, 1.0)), np.cos(0.2), np.sin(0.2))
        asked = time.process_time()
        model.inverse_kinematics({frame: (frame.at + (0.03, -0.05, 0.06), R)})
        answered = time.process_time()
        model.dynamics(model.y0, model.u0)
        compiled = time.process_time() - answered + embedded - begin
    return (
        f"Stewart platform led by its legs, nothing on disk: {compiled:.1f} s to embed and compile, "
        f"{1e3 * (answered - asked):.0f} ms to the first pose"
    )


def main() -> None:
    """Every loop both ways."""
    print(first_pose())
    rows = []
    for make in LOOPS:
        system = make()
        instructions, time = cost(system)
        for name, replacement in NOTHING.items():
            patch(name, replacement).start()
        newton, newton_time = cost(make())
        patch.stopall()
        freedoms = ce.compile(system).embedding.n_v
        rows.append(
            (
                system.name,
                str(freedoms),
                f"{instructions:,}",
                number(time),
                f"{newton:,}",
                number(newton_time),
                number(newton_time / time),
            )
        )
    heads = ("loop", "freedoms", "instructions", "µs", "by Newton's method", "µs", "ratio")
    print(Table("Loops in closed form and by Newton's method", heads, tuple(rows)).terminal())


if __name__ == "__main__":
    main()
