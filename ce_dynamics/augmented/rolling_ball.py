"""A ball that rolls on a plane: the constraint of the augmented solver, with everything it can be asked.

One holonomic row keeps the contact point on the plane and two non-holonomic ones keep the ball from slipping.
The constraint is bilateral: it pushes or pulls, and friction is as large as rolling needs.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.augmented.constrained_system import ConstrainedState, Constraint
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import BodyField, body_field
from ce_dynamics.mechanism.checked import Checked, Number, Vector, across, finite_number, finite_vector
from ce_dynamics.mechanism.hinges.conditions import BetweenPoints
from ce_dynamics.mechanism.hinges.rolling import NoSlip, Touching, positive, unit_normal


class PlaneAndBall(NamedTuple):
    """Geometry of the contact, in the design pose."""

    normal: Array  # (3,): Unit normal n of the plane, pointing to the ball's side
    height: float  # h: the plane is n · x = h [m]
    center: Array  # (3,): Centre of the ball [m]
    radius: float  # [m]


def check_normal(value: ArrayLike, owner: str, _: str = "") -> Array:
    """Return a user's unit normal of the plane."""
    return unit_normal(value, owner)


def check_height(value: float, owner: str, _: str = "") -> float:
    """Return a user's height of the plane."""
    return finite_number(value, owner, "plane height")


def check_center(value: ArrayLike, owner: str, _: str = "") -> Array:
    """Return a user's centre of the ball."""
    return finite_vector(value, owner, "ball center")


def check_radius(value: float, owner: str, _: str = "") -> float:
    """Return a user's radius of the ball."""
    return positive(value, owner, "ball radius", "m")


def check_width(value: float, owner: str, what: str) -> float:
    """Return half the width with which plots show the plane."""
    width = finite_number(value, owner, what)
    if width < 0.0:
        raise ModelError(f"{owner}: {what} {width:g} must be >= 0 m (0 hides it)")
    return width


@dataclass(eq=False, repr=False)
class BallRollingOnPlane(Constraint):
    """A sphere fixed on one body touches a plane fixed on another and rolls on it without slipping.

    The **contact point** C is midway between CB, the point of the sphere straight below its centre, and CP,
    the point of the plane below that; equal and opposite forces act on both bodies at C.  The **plane frame**
    has the axes x, y, n of `plane_axes`.

    "Default" values are those of new states (`ConstrainedSystem.default_state`); every state has its own
    current values, which the ``set_...`` methods replace in the state they return.

    Parameters
    ----------
    plane_body, ball_body : Body
        The plane is fixed on one, the ball on the other; either may move, either may be the ground.
    default_plane_normal : sequence of 3 floats
        Unit vector in the design pose (of length 1 to within 1e-6; another is refused).
    default_plane_height : float
        h of the plane n · x = h in the design pose, in world coordinates [m].
    default_ball_center : sequence of 3 floats
        In the design pose, in world coordinates [m].
    default_ball_radius : float
        [m], positive.
    name : str
    plane_display_half_width : float
        Half the width with which plots show the plane [m]; 0 hides it.
    enabled : bool
        Whether it is enforced in a default state.

    Raises
    ------
    ModelError
        For wrong geometry, one body twice, or a body that carries the ball without mass.
    """

    roles = ("plane_body", "ball_body")

    name: str = field(default="rolling", kw_only=True)
    plane_body: BodyField = body_field()
    default_plane_normal: Vector = Checked(check_normal, "ArrayLike")
    default_plane_height: Number = Checked(check_height, "float")
    ball_body: BodyField = body_field()
    default_ball_center: Vector = Checked(check_center, "ArrayLike")
    default_ball_radius: Number = Checked(check_radius, "float")
    _: KW_ONLY
    plane_display_half_width: Number = Checked(check_width, "float", 1.0)
    enabled: InitVar[bool] = True

    def __post_init__(self, enabled: bool) -> None:
        super().__init__(self.name, parent=self.plane_body, child=self.ball_body, enabled=enabled)
        ball = self.ball_body
        if not ball.is_ground and not ball.mass > 0.0:
            raise ModelError(f"{self._owner}: ball body {ball.name!r} has mass {ball.mass:g}, need > 0")

    @property
    def _owner(self) -> str:
        return f"constraint {self.name!r}"

    def default_parameters(self) -> PlaneAndBall:
        """Return the geometry of a default state."""
        return PlaneAndBall(
            self.default_plane_normal,
            self.default_plane_height,
            self.default_ball_center,
            self.default_ball_radius,
        )

    def closure(self, parameters: PlaneAndBall) -> BetweenPoints:
        """Return the conditions between the plane's point below the ball at design and the ball's centre."""
        n, h, center, radius = parameters
        x, y = across(n)
        conditions = (Touching(n, radius), NoSlip(n, radius, x, y))
        return BetweenPoints(center - (n @ center - h) * n, center, conditions)

    # Quantities of a state

    def plane_normal(self, state: ConstrainedState) -> Array:
        """Return the current normal, fixed on the plane's body: in the axes of the design pose, (3,)."""
        return np.array(self._geometry(state).normal)

    def plane_height(self, state: ConstrainedState) -> float:
        """Return the current height [m]."""
        return self._geometry(state).height

    def ball_center(self, state: ConstrainedState) -> Array:
        """Return the current centre of the ball, fixed on its body: a point of the design pose, (3,) [m]."""
        return np.array(self._geometry(state).center)

    def ball_radius(self, state: ConstrainedState) -> float:
        """Return the current radius [m]."""
        return self._geometry(state).radius

    def set_plane_normal(self, state: ConstrainedState, value: ArrayLike) -> ConstrainedState:
        """Return the same state with another plane normal."""
        return self._change(state, normal=check_normal(value, self._owner))

    def set_plane_height(self, state: ConstrainedState, value: float) -> ConstrainedState:
        """Return the same state with another plane height."""
        return self._change(state, height=check_height(value, self._owner))

    def set_ball_center(self, state: ConstrainedState, value: ArrayLike) -> ConstrainedState:
        """Return the same state with another centre of the ball."""
        return self._change(state, center=check_center(value, self._owner))

    def set_ball_radius(self, state: ConstrainedState, value: float) -> ConstrainedState:
        """Return the same state with another radius."""
        return self._change(state, radius=check_radius(value, self._owner))

    def plane_axes(self, state: ConstrainedState) -> Array:
        """Return the axes x, y, n of the plane in the world, as the columns of a rotation matrix (3, 3)."""
        n = self._geometry(state).normal
        columns = np.stack((*across(n), n), axis=1)
        return np.asarray(state.body(self.plane_body).R @ columns, dtype=float)

    def ball_center_in_world(self, state: ConstrainedState) -> Array:
        """Return the position of the centre of the ball in the world, (3,) [m]."""
        ball = state.body(self.ball_body)
        return np.asarray(ball.r + ball.R @ self.ball_body.local(self._geometry(state).center), dtype=float)

    def gap(self, state: ConstrainedState) -> float:
        """Return the distance of CB above CP [m]; negative where the ball is in the plane."""
        return float(self.residuals(state)[0][0])

    def contact_point(self, state: ConstrainedState) -> Array:
        """Return C, midway between CB and CP, in the world, (3,) [m]."""
        n = self.plane_axes(state)[:, 2]
        below = self._geometry(state).radius + 0.5 * self.gap(state)
        return self.ball_center_in_world(state) - below * n

    # Errors

    def position_error(self, state: ConstrainedState) -> float:
        """Return the height of C above the plane, n · C − h in the plane body's frame [m]: half the gap."""
        return 0.5 * self.gap(state)

    def velocity_error(self, state: ConstrainedState) -> Array:
        """Return rate of the position error, then the ball's slip velocity at C along x and y, (3,) [m/s]."""
        return halve_first(self.residuals(state)[1])

    def acceleration_error(self, state: ConstrainedState) -> Array:
        """Return rates of the velocity errors, (3,) [m/s²]: rounding while the constraint is enforced."""
        return halve_first(self.acceleration_residual(state))

    # Forces

    def normal_force(self, state: ConstrainedState) -> float:
        """Return the normal force of the plane on the ball [N]; negative where the ball sticks to the plane.

        The first of `multipliers`, which belong to the gap and the two slip velocities and are therefore the
        components of the contact force on the ball in the plane frame: [normal, along x, along y].
        """
        return float(self.multipliers(state)[0])

    def friction_force_on_ball_in_plane_frame(self, state: ConstrainedState) -> Array:
        """Return the friction of the plane on the ball along x and y of the plane frame, (2,) [N]."""
        return np.asarray(self.multipliers(state)[1:])

    def contact_force(self, state: ConstrainedState) -> Array:
        """Return force on the ball at C in world axes, (3,) [N]; the plane's body feels the opposite at C."""
        normal, *friction = self.multipliers(state)
        return np.asarray(self.plane_axes(state) @ np.array((*friction, normal)))

    def _geometry(self, state: ConstrainedState) -> PlaneAndBall:
        geometry: PlaneAndBall = self.parameters(state)
        return geometry

    def _change(self, state: ConstrainedState, **changes: Any) -> ConstrainedState:
        return self.with_parameters(state, self._geometry(state)._replace(**changes))


def halve_first(errors: Array) -> Array:
    """Return errors of the gap and the slip as errors of C, which moves half as much as the gap."""
    return np.asarray(errors * np.array((0.5, 1.0, 1.0)))
