"""Pinocchio through its Python package; what a call costs in itself is measured too."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.benchmarks.mechanism import Floats, Mechanism


def build(mechanism: Mechanism) -> Any:
    """Its model of a mechanism."""
    import pinocchio as pin

    model = pin.Model()
    model.gravity.linear = np.array(mechanism.gravity)
    for joint in mechanism.joints:
        parent = 0 if joint.parent is None else mechanism.index[joint.parent] + 1
        kind = {
            "F": pin.JointModelFreeFlyer,
            "S": pin.JointModelSpherical,
            "R": lambda axis=joint.axis: pin.JointModelRevoluteUnaligned(axis),
        }[joint.kind]()
        at = np.zeros(3) if joint.kind == "F" else joint.at - mechanism.origin(joint.parent)
        number = model.addJoint(parent, kind, pin.SE3(np.eye(3), at), joint.name)
        inertia = pin.Inertia(joint.mass, joint.com - joint.at, joint.inertia)
        model.appendBodyToJoint(number, inertia, pin.SE3.Identity())
    return model


def closures(mechanism: Mechanism, model: Any) -> tuple[Any, Any]:
    """Its closures (points only) and their work space."""
    import pinocchio as pin

    models = pin.StdVec_RigidConstraintModel()
    for c in mechanism.closures:
        a, b = (0 if body is None else mechanism.index[body] + 1 for body in (c.a, c.b))
        placed = [
            pin.SE3(np.eye(3), p - mechanism.origin(body)) for p, body in ((c.at_a, c.a), (c.at_b, c.b))
        ]
        one = pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D, model, a, placed[0], b, placed[1], pin.LOCAL
        )
        models.append(one)
    datas = pin.StdVec_RigidConstraintData()
    for one in models:
        datas.append(one.createData())
    return models, datas


class Bound:
    """Calls of the package on a mechanism whose closures are points."""

    def __init__(self, mechanism: Mechanism) -> None:
        import pinocchio as pin

        self._pin = pin
        self.model = build(mechanism)
        self.data = self.model.createData()
        self.state = (mechanism.q, mechanism.v, mechanism.tau)
        self.models, self.datas = closures(mechanism, self.model)
        pin.initConstraintDynamics(self.model, self.data, self.models, self.datas)
        self.settings = pin.ProximalSettings(1e-14, 1e-14, 1e-12, 1)
        # what a call costs whatever it computes: a pendulum without closures
        self._nothing = pin.Model()
        self._nothing.addJoint(0, pin.JointModelRX(), pin.SE3.Identity(), "pendulum")
        self._nothing.appendBodyToJoint(1, pin.Inertia.Random(), pin.SE3.Identity())
        self._nothing_data = self._nothing.createData()
        self._one = (np.zeros(1), np.zeros(1), np.zeros(1))
        self._none = (pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData())
        pin.initConstraintDynamics(self._nothing, self._nothing_data, *self._none)

    def aba(self) -> Floats:
        """Of the tree, closures ignored."""
        result: Floats = self._pin.aba(self.model, self.data, *self.state)
        return result

    def constraint_dynamics(self) -> Floats:
        """With closures."""
        result: Floats = self._pin.constraintDynamics(
            self.model, self.data, *self.state, self.models, self.datas, self.settings
        )
        return result

    def nothing(self) -> object:
        """The same call on next to nothing."""
        return self._pin.constraintDynamics(
            self._nothing, self._nothing_data, *self._one, *self._none, self.settings
        )
