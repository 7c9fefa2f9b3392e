"""The augmented formulations, solved as a DAE: the independent reference for the embedded path.

`FullyAugmented` shares the description of a system with the embedded path (masses, force elements, the
conditions that hinges impose) but none of its kinematics; `TreeAugmented` shares the tree's recursions and
cuts the loops.
"""

from ce_dynamics.reference.augmented import Augmented, AugmentedInstant, Constraints
from ce_dynamics.reference.embedded_states import embedded_accelerations, embedded_states
from ce_dynamics.reference.fully_augmented import FullyAugmented
from ce_dynamics.reference.observer import AbsoluteObserver
from ce_dynamics.reference.results import Poses, Trajectory
from ce_dynamics.reference.saddle import RowRank, SaddleSolution
from ce_dynamics.reference.simulate import Preparation, simulate_baumgarte, simulate_dae
from ce_dynamics.reference.states import BodyState
from ce_dynamics.reference.tree_augmented import TreeAugmented

__all__ = [
    "AbsoluteObserver",
    "Augmented",
    "AugmentedInstant",
    "BodyState",
    "Constraints",
    "FullyAugmented",
    "Poses",
    "Preparation",
    "RowRank",
    "SaddleSolution",
    "Trajectory",
    "TreeAugmented",
    "embedded_accelerations",
    "embedded_states",
    "simulate_baumgarte",
    "simulate_dae",
]
