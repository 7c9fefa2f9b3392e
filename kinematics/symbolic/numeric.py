"""Newton's method on loop equations that have no closed form."""

from __future__ import annotations

from ce_dynamics.embedding.closures.loop import Loop
from ce_dynamics.embedding.numeric.linkage import NumericLinkage
from ce_dynamics.kinematics.base import placed_bodies
from ce_dynamics.kinematics.symbolic.equations import LoopEquations
from ce_dynamics.mechanism.couplings.base import Coordinate, Coupled
from ce_dynamics.mechanism.couplings.functions import ImplicitCoupling


def numeric_linkage(linkage: LoopEquations) -> NumericLinkage:
    """The loop equations as couplings of the hinges of bodies of their own."""
    bodies = placed_bodies(linkage.joints())
    by_name = {body.name: body for body in bodies}
    coordinates = tuple(Coordinate(by_name[body], k) for body, k in linkage.coordinates.values())
    edges = tuple(
        Coupled(name, coordinates, ImplicitCoupling(linkage.residual_of(k)), ())
        for k, name in enumerate(linkage.equation_names)
    )
    parent = min((body.carrier for body in bodies if body.carrier.name not in by_name), key=lambda b: b.depth)
    dependent = tuple(by_name[name] for name in linkage.determines)
    return NumericLinkage(Loop(parent, tuple(bodies), edges, dependent))
