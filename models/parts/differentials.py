"""Driven wheels behind open differentials, which split the torque in fixed parts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ce_dynamics.algebra.arrays import Array, Scalar, dot
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.checked import finite_vector, unit_axis
from ce_dynamics.mechanism.forces.base import Observer, PointLoad

DrivenWheel = tuple[Body, Body, object, object]
"""Wheel, its carrier, and in the design pose its centre [m] and spin axis to the left."""


class DrivenWheels:
    """Wheels that get parts of one torque, and the mean speed that balances the power.

    The half-shafts run from differentials fixed on the chassis, so the drive torque of a wheel reacts on the
    chassis and not on its upright: each wheel gets a torque about its spin axis, the chassis the opposite
    one.

    Parameters
    ----------
    owner : str
        Starts the messages.
    chassis : Body
        The body that carries the differentials.
    wheels : sequence of (Body, Body, centre, axis)
        See `DrivenWheel`.
    shares : sequence of float, optional
        Part of the torque that each wheel gets; their sum is 1, equal parts if not given.

    Raises
    ------
    DataError
        If there are no wheels, or the shares are not one per wheel with sum 1.
    """

    def __init__(
        self, owner: str, chassis: Body, wheels: Sequence[DrivenWheel], shares: Sequence[float] | None
    ) -> None:
        self.chassis = chassis
        self.wheels = tuple(
            (
                wheel,
                carrier,
                finite_vector(centre, owner, f"centre of {wheel.name}"),
                unit_axis(axis, owner),
            )
            for wheel, carrier, centre, axis in wheels
        )
        if not self.wheels:
            raise DataError(f"{owner}: no wheels; give at least one")
        count = len(self.wheels)
        self.shares = (1.0 / count,) * count if shares is None else tuple(shares)
        if len(self.shares) != count or not abs(sum(self.shares) - 1.0) <= 1e-9:
            raise DataError(f"{owner}: shares {self.shares} must be {count} numbers with sum 1")

    @property
    def attachments(self) -> tuple[tuple[Body, Array], ...]:
        """Points at which loads act."""
        on_wheels = [(body, at) for wheel, carrier, at, _ in self.wheels for body in (wheel, carrier)]
        return (*on_wheels, (self.chassis, self.chassis.com))

    def observed(self, observer: Observer) -> tuple[list[Array], Scalar]:
        """Spin axes in chassis axes, times the shares, and the mean speed of the wheels [rad/s]."""
        axes: list[Array] = []
        mean: Scalar = 0.0
        for (wheel, carrier, _, axis), share in zip(self.wheels, self.shares, strict=True):
            e = observer.direction(carrier, axis, self.chassis)
            axes.append(share * e)
            mean = mean + share * dot(e, observer.angular_velocity(wheel, self.chassis))
        return axes, mean

    def loads(self, observer: Observer, axes: Sequence[Array], torque: Scalar) -> list[PointLoad]:
        """The wheels' parts of a torque and their reaction on the chassis."""
        none = np.zeros(3)
        loads = [
            PointLoad(wheel, self.chassis, observer.point(wheel, at, self.chassis).r, none, torque * e)
            for (wheel, _, at, _), e in zip(self.wheels, axes, strict=True)
        ]
        reaction = -torque * sum(axes[1:], start=axes[0])
        return [*loads, PointLoad(self.chassis, self.chassis, none, none, reaction)]
