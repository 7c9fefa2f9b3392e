"""Couplings of URDF: `<mimic>`, and `<coupling>` of URDF+."""

from __future__ import annotations

from ce_dynamics.algebra import checks
from ce_dynamics.mechanism.ancestry import ancestors, common_ancestor
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.couplings import LinearCoupling
from ce_dynamics.mechanism.system import System
from ce_dynamics.readers.tree import located
from ce_dynamics.readers.urdf.model import WITH_COORDINATE, CouplingOf, Robot, UrdfJoint
from ce_dynamics.readers.xml_file import Element


def add_couplings(system: System, robot: Robot) -> None:
    """All of them."""
    carriers = {joint.child: joint for joint in robot.joints.values()}
    for coupling in robot.couplings.values():
        couple(system, coupling, carriers)
    for joint in robot.joints.values():
        if joint.mimic is not None:
            follow(system, joint, robot.joints)


def couple(system: System, coupling: CouplingOf, carriers: dict[str, UrdfJoint]) -> None:
    """Σ q on the way to the successor = ratio × Σ q on the way to the predecessor."""
    element = coupling.element
    for name in (coupling.predecessor, coupling.successor):
        if name not in carriers:
            raise element.error(f"there is no link {checks.shown(name)} that a joint carries")
    ends = [system.find(name) for name in (coupling.predecessor, coupling.successor)]
    root = common_ancestor(*ends)
    if root in ends:
        raise element.error(
            f"link {root.name!r} carries the other one; a coupling joins links on two branches of the tree"
        )
    if coupling.ratio == 0.0:
        raise element.error("the ratio is zero; fix the joint instead")
    chains = [moving(end, root, carriers, element) for end in ends]
    coefficients = [coupling.ratio] * len(chains[0]) + [-1.0] * len(chains[1])
    with located(element.place):
        system.couple(coupling.name, [*chains[0], *chains[1]], LinearCoupling(coefficients))


def moving(end: Body, root: Body, carriers: dict[str, UrdfJoint], element: Element) -> list[Body]:
    """Bodies from the root to an end whose hinges move, each of which must have one coordinate."""
    chain = ancestors(end)
    bodies = [body for body in reversed(chain[: chain.index(root)]) if body.inboard.n_v > 0]
    for body in bodies:
        need_coordinate(carriers[body.name], element)
    if not bodies:
        raise element.error(f"link {end.name!r} does not move against link {root.name!r}")
    return bodies


def follow(system: System, joint: UrdfJoint, joints: dict[str, UrdfJoint]) -> None:
    """The joint's coordinate = multiplier × that of another + offset."""
    mimic = joint.mimic
    assert mimic is not None
    if mimic.joint not in joints:
        raise mimic.element.error(
            f"there is no joint {checks.shown(mimic.joint)} for joint {joint.name!r} to follow"
        )
    if mimic.joint == joint.name:
        raise mimic.element.error(f"joint {joint.name!r} follows itself; name another")
    if mimic.multiplier == 0.0:
        raise mimic.element.error(f"multiplier=0 of joint {joint.name!r}: fix the joint instead")
    other = joints[mimic.joint]
    for each in (joint, other):
        need_coordinate(each, mimic.element)
    with located(joint.element.place):
        law = LinearCoupling((-mimic.multiplier, 1.0), mimic.offset)
        system.couple(f"{joint.name} follows {other.name}", [other.child, joint.child], law)


def need_coordinate(joint: UrdfJoint, element: Element) -> None:
    """Refuse to couple a joint that has not one coordinate."""
    if joint.kind not in WITH_COORDINATE:
        raise element.error(
            f"joint {joint.name!r} is {joint.kind}; only joints with one coordinate are coupled"
        )
