"""The augmented formulations, solved as a DAE: the independent reference for the embedded path.

`FullyAugmented` shares the description of a system with the embedded path (masses, force elements, the
conditions that hinges impose) but none of its kinematics; `TreeAugmented` shares the tree's recursions and
cuts the loops.
"""

from ce_dynamics.augmented.augmented import Augmented, AugmentedInstant, Constraints
from ce_dynamics.augmented.embedded_states import embedded_accelerations, embedded_states
from ce_dynamics.augmented.fully_augmented import FullyAugmented
from ce_dynamics.augmented.observer import AbsoluteObserver
from ce_dynamics.augmented.results import Poses, Trajectory
from ce_dynamics.augmented.saddle import RowRank, SaddleSolution
from ce_dynamics.augmented.simulate import Preparation, simulate_baumgarte, simulate_dae
from ce_dynamics.augmented.states import BodyState
from ce_dynamics.augmented.tree_augmented import TreeAugmented

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
