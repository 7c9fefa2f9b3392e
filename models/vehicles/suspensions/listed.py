"""All suspensions, by the names that data files use."""

from __future__ import annotations

from collections.abc import Mapping

from ce_dynamics.models.vehicles.corner import Corner
from ce_dynamics.models.vehicles.suspensions.arms_and_links import (
    FiveLinkCorner,
    MacPhersonCorner,
    MultiLinkCorner,
    RigidCorner,
    SemiTrailingArmCorner,
    SingleWishboneCorner,
    SwingAxleCorner,
    ThreeLinkCorner,
    TrailingArmCorner,
)
from ce_dynamics.models.vehicles.suspensions.beam import BeamAxle
from ce_dynamics.models.vehicles.suspensions.double_wishbone import DoubleWishboneCorner
from ce_dynamics.models.vehicles.suspensions.linked_axles import (
    FourLinkAxle,
    LeafSpringAxle,
    PanhardAxle,
    ParallelLinksAxle,
    PinnedAxle,
    ThreeLinkAxle,
    ThreeLinkPanhardAxle,
    TwistBeamAxle,
)
from ce_dynamics.models.vehicles.suspensions.push_pipe import DeDionAxle, PushPipeAxle
from ce_dynamics.models.vehicles.suspensions.shackled_leaf_spring import ShackledLeafAxle
from ce_dynamics.models.vehicles.suspensions.wishbones import PushRodCorner, ReducedWishboneCorner

CORNERS: Mapping[str, type[Corner]] = {
    kind.template: kind
    for kind in (
        DoubleWishboneCorner,
        ReducedWishboneCorner,
        PushRodCorner,
        MacPhersonCorner,
        FiveLinkCorner,
        MultiLinkCorner,
        SemiTrailingArmCorner,
        TrailingArmCorner,
        ThreeLinkCorner,
        SingleWishboneCorner,
        SwingAxleCorner,
        RigidCorner,
    )
}
"""Suspensions of corners by themselves."""
BEAMS: Mapping[str, type[BeamAxle]] = {
    kind.template: kind
    for kind in (
        LeafSpringAxle,
        ShackledLeafAxle,
        FourLinkAxle,
        ThreeLinkAxle,
        ThreeLinkPanhardAxle,
        PushPipeAxle,
        PanhardAxle,
        DeDionAxle,
        PinnedAxle,
        ParallelLinksAxle,
        TwistBeamAxle,
    )
}
"""Axles with a beam."""
SUSPENSIONS = (*CORNERS, *BEAMS)
"""All names."""
