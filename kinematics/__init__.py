"""Closed-form linkages: positions, X_S and Ẋ_S θ̇ without iteration, one linkage per file."""

from typing import TYPE_CHECKING, Any

from ce_dynamics.kinematics.base import ClosedForm
from ce_dynamics.kinematics.checking import check_linkage
from ce_dynamics.kinematics.composite import Composite
from ce_dynamics.kinematics.double_wishbone import DoubleWishbone, DoubleWishboneBodies, DoubleWishbonePoints
from ce_dynamics.kinematics.edges import Cut, Joint
from ce_dynamics.kinematics.four_bar import four_bar_angles, four_bar_rates, four_bar_second
from ce_dynamics.kinematics.four_bar_linkage import FourBar
from ce_dynamics.kinematics.pitman import PitmanSteering
from ce_dynamics.kinematics.planar_double_wishbone import planar_double_wishbone
from ce_dynamics.kinematics.shock import Shock, shock_angles, shock_rates, shock_second
from ce_dynamics.kinematics.spindle import SpindleTieRod
from ce_dynamics.kinematics.wishbone_loop import WishboneLoop

if TYPE_CHECKING:
    from ce_dynamics.kinematics.symbolic.linkage import SymbolicLinkage

__all__ = [
    "ClosedForm",
    "Composite",
    "Cut",
    "DoubleWishbone",
    "DoubleWishboneBodies",
    "DoubleWishbonePoints",
    "FourBar",
    "Joint",
    "PitmanSteering",
    "Shock",
    "SpindleTieRod",
    "SymbolicLinkage",
    "WishboneLoop",
    "check_linkage",
    "four_bar_angles",
    "four_bar_rates",
    "four_bar_second",
    "planar_double_wishbone",
    "shock_angles",
    "shock_rates",
    "shock_second",
]


def __getattr__(name: str) -> Any:
    if name == "SymbolicLinkage":  # loads SymPy, which takes a second
        from ce_dynamics.kinematics.symbolic.linkage import SymbolicLinkage

        return SymbolicLinkage
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
