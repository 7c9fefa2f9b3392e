"""Geometry of a vehicle's trailers, for driving backwards."""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.backing import Towed, Train
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.trailers.hitches import FOLDING, STRAIGHT

MOST = 2
"""Trailers, one behind the other: with more of them small errors ask for more than full lock."""


def train_of(parameters: VehicleParameters) -> Train | None:
    """Return places of hitches and axles in design position; None if no trailer turns behind the vehicle."""
    layout = parameters.layout
    turning = [one for one in layout.trailers if one.hitch not in STRAIGHT]
    if not turning:
        return None
    folded = turning[0].hitch in FOLDING
    wrong = f"reverse: {parameters.name}: "
    ahead: str | None = None
    for k, one in enumerate(turning):
        steered = [axle.name for axle in layout.axles_of(one.name) if axle.steering is not None]
        if k == MOST or (folded and k):
            most = "nothing behind a vehicle that folds" if folded else f"at most {MOST} trailers"
            raise DataError(f"{wrong}the driver backs up {most}; leave trailers.{one.name} and its axles out")
        if one.behind != ahead:
            raise DataError(
                f"{wrong}{one.name} is coupled to {one.behind or 'the vehicle'}, and the driver backs up "
                f"trailers that turn one behind the other only; leave trailers.{one.name} and its axles out"
            )
        if steered:
            raise DataError(
                f"{wrong}{steered[0]} of {one.name} is steered, and the driver backs up trailers only whose "
                f"axles are not; write axles: {{{steered[0]}: {{steering: none}}}}"
            )
        ahead = one.name
    front = parameters.corners[layout.axles_of(None)[0].corners[0]].W[0]
    rear = middle(parameters, None) if folded else front - parameters.wheelbase
    towed, x = [], rear
    for one in turning:
        hitch, axle = parameters.trailers[one.name].at[0], middle(parameters, one.name)
        if not nominal(hitch - axle) > 0.0:
            raise DataError(
                f"{wrong}the axles of {one.name} are {nominal(axle - hitch):.3g} m ahead of its hitch, which "
                "nobody can back up; put their origin behind it (x below 0)"
            )
        towed.append(Towed(one.name, x - hitch, hitch - axle))
        x = axle
    return Train(rear, tuple(towed), folded)


def middle(parameters: VehicleParameters, trailer: str | None) -> Scalar:
    """Mean x of the axles of a trailer, or of the vehicle itself [m]."""
    axles = parameters.layout.axles_of(trailer)
    return sum(parameters.corners[axle.corners[0]].W[0] for axle in axles) / len(axles)
