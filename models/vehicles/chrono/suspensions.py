"""The suspensions that can be read, by Chrono's name: ours, and the function that reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ce_dynamics.models.vehicles.chrono import beams, bell_cranks, generic, independent, primaxx
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject
from ce_dynamics.models.vehicles.chrono.reading import Reading
from ce_dynamics.models.vehicles.chrono.writing import Sections


class Template(NamedTuple):
    """A suspension: its name in our data files, and what reads the numbers of an axle."""

    name: str
    read: Callable[[Reading, JsonObject], Sections]


SUSPENSIONS: Mapping[str, Template] = {
    "DoubleWishbone": Template("double-wishbone", independent.double_wishbone),
    "DoubleWishboneReduced": Template("double-wishbone-reduced", independent.double_wishbone_reduced),
    "MacPhersonStrut": Template("macpherson", independent.macpherson),
    "MultiLink": Template("multi-link", independent.multi_link),
    "SemiTrailingArm": Template("semi-trailing-arm", independent.semi_trailing_arm),
    "ThreeLinkIRS": Template("three-link", independent.three_links),
    "SingleWishbone": Template("single-wishbone", independent.single_wishbone),
    "RigidSuspension": Template("rigid", independent.rigid),
    "LeafspringAxle": Template("leaf-spring", beams.leaf_spring),
    "ToeBarLeafspringAxle": Template("leaf-spring", beams.leaf_spring),
    "SAELeafspringAxle": Template("shackled-leaf-spring", beams.sae_leaf_spring),
    "SAEToeBarLeafspringAxle": Template("shackled-leaf-spring", beams.sae_leaf_spring),
    "PushPipeAxle": Template("push-pipe", beams.push_pipe),
    "ToeBarPushPipeAxle": Template("push-pipe", beams.push_pipe),
    "RigidPanhardAxle": Template("panhard", beams.rigid_panhard),
    "ToeBarRigidPanhardAxle": Template("panhard", beams.rigid_panhard),
    "DeDionAxle": Template("de-dion", beams.de_dion),
    "ToeBarDeDionAxle": Template("de-dion", beams.de_dion),
    "SolidThreeLinkAxle": Template("three-link-axle", beams.three_links),
    "GenericWheeledSuspension": Template("graph", generic.generic),
    "SolidBellcrankThreeLinkAxle": Template("three-link-axle", beams.three_links),
    "SolidAxle": Template("graph", bell_cranks.four_links_and_crank),
    "HendricksonPRIMAXX": Template("parallel-links", primaxx.primaxx),
    "RigidPinnedAxle": Template("pinned-axle", beams.read_pinned_axle),
}
