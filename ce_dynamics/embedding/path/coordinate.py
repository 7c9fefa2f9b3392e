"""The path coordinate: an independent coordinate that belongs to a loop and not to one of its hinges."""

from __future__ import annotations

from ce_dynamics.embedding.loop_coordinate import LoopNumber, coordinate_body
from ce_dynamics.mechanism.body import Body


class PathHinge(LoopNumber):
    """The position along the path of a loop's configurations."""


def path_body(parent: Body, first: Body) -> Body:
    """Return the virtual body of the path coordinate, for the aggregated body that begins with ``first``."""
    return coordinate_body("path", parent, first, PathHinge)
