"""MuJoCo on the ride model: closures are soft equality constraints, as hard as they can be made."""

from typing import Any, NamedTuple

import numpy as np

from tests.benchmarks.mechanism import Floats, Joint, Mechanism, RideLaws

IMPEDANCE = 0.999999
OPTIONS = (
    'timestep="{step}" integrator="{integrator}" solver="{solver}" tolerance="1e-10" iterations="50" '
    'jacobian="{jacobian}"'
)
DISABLED = "contact limit frictionloss warmstart sensor"


class Setting(NamedTuple):
    """A choice of solver and of the storage of its Jacobian, and of how it steps in time."""

    solver: str
    jacobian: str
    integrator: str = "Euler"
    step: float = 1e-3


SETTINGS = tuple(Setting(s, j) for s in ("Newton", "CG", "PGS") for j in ("dense", "sparse"))


def text(mechanism: Mechanism, setting: Setting, laws: RideLaws | None = None) -> str:
    """The mechanism in MuJoCo's format.  Its inertias are set afterwards: it refuses unphysical ones.

    Springs and dampers of ``laws`` become tendons, ground springs actuators without control.
    """
    children: dict[str | None, list[Joint]] = {}
    for joint in mechanism.joints:
        children.setdefault(joint.parent, []).append(joint)
    sites: dict[str, list[str]] = {}
    equalities, tendons, actuators = [], [], []
    solver = f'solref="{2.0 * setting.step} 1" solimp="{IMPEDANCE} {IMPEDANCE} 1e-3"'
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
    for strut in () if laws is None else laws.struts:
        for holder, at, end in ((strut.a, strut.at_a, "a"), (strut.b, strut.at_b, "b")):
            position = xyz(at - mechanism.origin(holder))
            sites.setdefault(holder, []).append(f'<site name="{strut.name}.{end}" pos="{position}"/>')
        ends = "".join(f'<site site="{strut.name}.{end}"/>' for end in "ab")
        law = f'stiffness="{strut.linear} 0 {strut.cubic}" springlength="{strut.length}"'
        tendons.append(f'<spatial name="{strut.name}" {law} damping="{strut.damping}">{ends}</spatial>')
    for ground in () if laws is None else laws.grounds:
        position = xyz(ground.at - mechanism.origin(ground.body))
        sites.setdefault(ground.body, []).append(f'<site name="{ground.body}.ground" pos="{position}"/>')
        bias = f"{ground.stiffness * ground.height} {-ground.stiffness} {-ground.damping}"
        actuators.append(
            f'<general site="{ground.body}.ground" refsite="world" gear="0 0 1 0 0 0" gainprm="0" '
            f'biastype="affine" biasprm="{bias}"/>'
        )

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
        f"{OPTIONS.format(**setting._asdict())}><flag {flags}/></option>"
        f'<worldbody><site name="world"/>{"".join(map(body, children[None]))}</worldbody>'
        f"<tendon>{''.join(tendons)}</tendon><equality>{''.join(equalities)}</equality>"
        f"<actuator>{''.join(actuators)}</actuator></mujoco>"
    )


def xyz(vector: Floats) -> str:
    return " ".join(repr(float(x)) for x in vector)


class Soft:
    """The model in its initial state, with the loads of the mechanism, or with force laws."""

    def __init__(self, mechanism: Mechanism, setting: Setting, laws: RideLaws | None = None) -> None:
        import mujoco

        self._mujoco: Any = mujoco
        self.mechanism = mechanism
        self.model = mujoco.MjModel.from_xml_string(text(mechanism, setting, laws))
        for joint in mechanism.joints:
            inertia = joint.inertia
            assert np.all(inertia == np.diag(np.diag(inertia))), "principal axes are the body's"
            self.model.body(joint.name).inertia[:] = np.diag(inertia)
        self.data = mujoco.MjData(self.model)
        mujoco.mj_setConst(self.model, self.data)
        mujoco.mj_resetData(self.model, self.data)
        self.data.qvel[:] = self._reordered(mechanism.v)
        if laws is None:
            self.data.qfrc_applied[:] = self._reordered(mechanism.tau)
        self.forward()  # places bodies and sites

    def forward(self) -> None:
        self._mujoco.mj_forward(self.model, self.data)

    def step(self, steps: int) -> None:
        self._mujoco.mj_step(self.model, self.data, nstep=steps)

    @property
    def chassis(self) -> Floats:
        return np.array(self.data.body("chassis").xpos)

    @property
    def closure_error(self) -> float:
        """Largest distance of points that should coincide, and largest change of a rod's length."""
        lengths = [
            float(np.linalg.norm(self.data.site(f"{c.name}.a").xpos - self.data.site(f"{c.name}.b").xpos))
            - float(np.linalg.norm(c.at_a - c.at_b))
            for c in self.mechanism.closures
            if c.kind == "D"
        ]
        points = [c for c in self.mechanism.closures if c.kind == "P"]
        gaps = [float(np.linalg.norm(self._at(c.a, c.at_a) - self._at(c.b, c.at_b))) for c in points]
        return float(np.max(np.abs([*lengths, *gaps])))

    def _at(self, name: str | None, point: Floats) -> Floats:
        body = self.data.body(name)
        return np.array(body.xpos + body.xmat.reshape(3, 3) @ (point - self.mechanism.origin(name)))

    def nothing(self) -> None:
        """A call that computes next to nothing, for the cost of the binding."""
        self._mujoco.mj_getTotalmass(self.model)

    @property
    def v_dot(self) -> Floats:
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
