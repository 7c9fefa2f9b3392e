"""Adds the forces of MuJoCo's surroundings on bodies: gravity compensation, and drag of the fluid."""

from __future__ import annotations

import numpy as np

from ce_dynamics.mechanism.forces.drag_box import DragBox
from ce_dynamics.mechanism.forces.wrench import AppliedWrench
from ce_dynamics.mechanism.system import System
from ce_dynamics.readers.mjcf.model import Compiled
from ce_dynamics.readers.tree import located


def add_surroundings(system: System, file: Compiled) -> None:
    """Forces on bodies that move."""
    model = file.model
    gravity = np.array(model.opt.gravity, dtype=float)
    medium = {name: float(getattr(model.opt, name)) for name in ("density", "viscosity")}
    for index in range(1, model.nbody):
        if model.body_weldid[index] == 0:
            continue
        name = file.body(index)
        body, mass = system.find(name), float(model.body_mass[index])
        borne = 0.0 if file.disabled("GRAVITY") else model.body_gravcomp[index]
        with located(file.place("bodies", index, name)):
            if borne and mass:
                force = -float(borne) * mass * gravity
                system.add_force(AppliedWrench(f"gravcomp of {name}", body, body.com, force=force.tolist()))
            if any(medium.values()) and mass > file.mujoco.mjMINVAL:
                wind, axes = np.array(model.opt.wind), file.at_mass(index).R.T
                system.add_force(DragBox(f"drag of {name}", body, **medium, wind=wind, axes=axes))
