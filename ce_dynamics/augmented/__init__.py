"""The augmented formulations, solved as a DAE: the independent reference for the embedded path.

`FullyAugmented` shares the description of a system with the embedded path (masses, force elements, the
conditions that hinges impose) but none of its kinematics; `TreeAugmented` shares the tree's recursions and
cuts the loops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce_dynamics.algebra.lazy_names import lazy_names

if TYPE_CHECKING:
    from ce_dynamics.augmented.augmented import (
        Augmented as Augmented,
        AugmentedInstant as AugmentedInstant,
        Constraints as Constraints,
        RowRank as RowRank,
        SaddleSolution as SaddleSolution,
    )
    from ce_dynamics.augmented.fully_augmented import FullyAugmented as FullyAugmented
    from ce_dynamics.augmented.observer import AbsoluteObserver as AbsoluteObserver
    from ce_dynamics.augmented.simulate import (
        Preparation as Preparation,
        StoredPoses as StoredPoses,
        Trajectory as Trajectory,
        simulate_baumgarte as simulate_baumgarte,
        simulate_dae as simulate_dae,
    )
    from ce_dynamics.augmented.states import (
        BodyState as BodyState,
        compute_accelerations as compute_accelerations,
        compute_states as compute_states,
    )
    from ce_dynamics.augmented.tree_augmented import TreeAugmented as TreeAugmented

__getattr__, __dir__, __all__ = lazy_names(
    {
        "embedded_states": "compute_states",
        "embedded_accelerations": "compute_accelerations",
        "Poses": "StoredPoses",
    }
)
