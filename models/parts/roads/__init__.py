"""Roads: height, slopes and friction over the ground plane.

>>> from ce_dynamics.models.parts import roads
>>> road = roads.road("iso8608:C + mu:left=0.3,right=0.8")

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce_dynamics.algebra.lazy_names import lazy_names

if TYPE_CHECKING:
    from ce_dynamics.models.parts.roads.contract import (
        Friction as Friction,
        FrictionMap as FrictionMap,
        FrictionPatch as FrictionPatch,
        PlacedRoad as PlacedRoad,
        Road as Road,
        SplitFriction as SplitFriction,
        SumRoad as SumRoad,
    )
    from ce_dynamics.models.parts.roads.iso8608 import RandomRoad as RandomRoad
    from ce_dynamics.models.parts.roads.kinds import road as road
    from ce_dynamics.models.parts.roads.map_files import HeightMap as HeightMap, read_map as read_map
    from ce_dynamics.models.parts.roads.opencrg import read_opencrg as read_opencrg
    from ce_dynamics.models.parts.roads.surfaces import (
        BumpRoad as BumpRoad,
        FlatRoad as FlatRoad,
        InclinedRoad as InclinedRoad,
        KerbRoad as KerbRoad,
        RampRoad as RampRoad,
    )

__getattr__, __dir__, __all__ = lazy_names()
