"""Closed-form linkages: positions, X_S and Ẋ_S θ̇ without iteration, one linkage per file."""

from typing import TYPE_CHECKING

from ce_dynamics.algebra.lazy_names import lazy_names
from ce_dynamics.kinematics.base import (
    ClosedForm as ClosedForm,
    Composite as Composite,
    Cut as Cut,
    Joint as Joint,
)
from ce_dynamics.kinematics.checking import check_linkage as check_linkage
from ce_dynamics.kinematics.double_wishbone import (
    DoubleWishbone as DoubleWishbone,
    DoubleWishboneBodies as DoubleWishboneBodies,
    DoubleWishbonePoints as DoubleWishbonePoints,
    planar_double_wishbone as planar_double_wishbone,
)
from ce_dynamics.kinematics.four_bar import (
    FourBar as FourBar,
    four_bar_angles as four_bar_angles,
    four_bar_rates as four_bar_rates,
    four_bar_second as four_bar_second,
)
from ce_dynamics.kinematics.pitman import PitmanSteering as PitmanSteering
from ce_dynamics.kinematics.rod import Rod as Rod
from ce_dynamics.kinematics.shock import (
    Shock as Shock,
    shock_angles as shock_angles,
    shock_rates as shock_rates,
    shock_second as shock_second,
)
from ce_dynamics.kinematics.spindle import SpindleTieRod as SpindleTieRod
from ce_dynamics.kinematics.strut import StrutLoop as StrutLoop
from ce_dynamics.kinematics.swing_arm import SwingArm as SwingArm
from ce_dynamics.kinematics.wishbone_loop import WishboneLoop as WishboneLoop

if TYPE_CHECKING:  # loads SymPy, which takes a second
    from ce_dynamics.kinematics.symbolic.linkage import SymbolicLinkage as SymbolicLinkage

__getattr__, __dir__, __all__ = lazy_names()
