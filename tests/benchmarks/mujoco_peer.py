"""MuJoCo on the ride model: closures are soft equality constraints, as hard as they can be made."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tests.benchmarks.mechanism import Floats, Joint, Mechanism

IMPEDANCE = 0.999999
OPTIONS = 'timestep="1e-3" solver="{solver}" tolerance="1e-10" iterations="50" jacobian="{jacobian}"'
DISABLED = "contact limit frictionloss warmstart sensor"


class Setting(NamedTuple):
    """A choice of solver and of the storage of its Jacobian."""

    solver: str
    jacobian: str


SETTINGS = tuple(Setting(s, j) for s in ("Newton", "CG", "PGS") for j in ("dense", "sparse"))


def text(mechanism: Mechanism, setting: Setting) -> str:
    """The mechanism in MuJoCo's format.  Its inertias are set afterwards: it refuses unphysical ones."""
    children: dict[str | None, list[Joint]] = {}
    for joint in mechanism.joints:
        children.setdefault(joint.parent, []).append(joint)
    sites: dict[str, list[str]] = {}
    equalities, tendons = [], []
    solver = f'solref="0.002 1" solimp="{IMPEDANCE} {IMPEDANCE} 1e-3"'
    for c in mechanism.closures:
        if c.kind == "P":
            anchor = xyz(c.at_a - mechanism.origin(c.a))
            equalities.append(f'<connect body1="{c.a}" body2="{c.b}" anchor="{anchor}" {solver}/>')
            continue
        for holder, at, end in ((c.a, c.at_a, "a"), (c.b, c.at_b, "b")):
            assert holder is not None, "the ride model's rods end on bodies"
            position = xyz(at - mechanism.origin(holder))
            sites.setdefault(holder, []).append(f'<site name="{c.name}.{end}" pos="{position}"/>')
        ends = "".join(f'<site site="{c.name}.{end}"/>' for end in "ab")
        tendons.append(f'<spatial name="{c.name}">{ends}</spatial>')
        equalities.append(f'<tendon tendon1="{c.name}" {solver}/>')

    def body(joint: Joint) -> str:
        at = xyz(joint.at - mechanism.origin(joint.parent))
        kind = {"F": "<freejoint/>", "S": '<joint type="ball"/>'}.get(
            joint.kind, f'<joint type="hinge" axis="{xyz(joint.axis)}"/>'
        )
        inner = "".join(sites.get(joint.name, [])) + "".join(map(body, children.get(joint.name, [])))
        com = xyz(joint.com - joint.at)
        return (
            f'<body name="{joint.name}" pos="{at}">{kind}'
            f'<inertial pos="{com}" mass="{joint.mass!r}" diaginertia="1 1 1"/>{inner}</body>'
        )

    flags = " ".join(f'{name}="disable"' for name in DISABLED.split())
    return (
        f'<mujoco><option gravity="{xyz(np.array(mechanism.gravity))}" '
        f"{OPTIONS.format(solver=setting.solver, jacobian=setting.jacobian)}><flag {flags}/></option>"
        f"<worldbody>{''.join(map(body, children[None]))}</worldbody>"
        f"<tendon>{''.join(tendons)}</tendon><equality>{''.join(equalities)}</equality></mujoco>"
    )


def xyz(vector: Floats) -> str:
    """Three numbers."""
    return " ".join(repr(float(x)) for x in vector)


class Soft:
    """The model in its initial state, loads applied."""

    def __init__(self, mechanism: Mechanism, setting: Setting) -> None:
        import mujoco

        self._mujoco: Any = mujoco
        self.mechanism = mechanism
        self.model = mujoco.MjModel.from_xml_string(text(mechanism, setting))
        for joint in mechanism.joints:
            inertia = joint.inertia
            assert np.all(inertia == np.diag(np.diag(inertia))), "principal axes are the body's"
            self.model.body(joint.name).inertia[:] = np.diag(inertia)
        self.data = mujoco.MjData(self.model)
        mujoco.mj_setConst(self.model, self.data)
        mujoco.mj_resetData(self.model, self.data)
        self.data.qvel[:] = self._reordered(mechanism.v)
        self.data.qfrc_applied[:] = self._reordered(mechanism.tau)

    def forward(self) -> None:
        """Accelerations at the present state."""
        self._mujoco.mj_forward(self.model, self.data)

    def nothing(self) -> None:
        """A call that computes next to nothing, for the cost of the binding."""
        self._mujoco.mj_getTotalmass(self.model)

    @property
    def v_dot(self) -> Floats:
        """Accelerations in the order of the mechanism."""
        self.forward()
        result = np.zeros(self.mechanism.n_v)
        for joint in self.mechanism.joints:
            start = self._address(joint)
            result[self.mechanism.v_of[joint.name]] = self.data.qacc[start : start + joint.n_v]
        return result

    def _address(self, joint: Joint) -> int:
        body = self.model.body(joint.name)
        return int(body.dofadr[0])

    def _reordered(self, values: Floats) -> Floats:
        result = np.zeros(self.mechanism.n_v)
        for joint in self.mechanism.joints:
            start = self._address(joint)
            result[start : start + joint.n_v] = values[self.mechanism.v_of[joint.name]]
        return result
