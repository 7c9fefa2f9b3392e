"""All figures of an axle in one pose, by name, for floats or traced scalars."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, array, norm, where
from ce_dynamics.compiler import TracedFunction, trace
from ce_dynamics.compiler.derivatives.forward_mode import directional_derivative
from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.compiler.tracing.inline import call
from ce_dynamics.errors import DataError
from ce_dynamics.models.kc import quantities
from ce_dynamics.models.kc.axle import Axle
from ce_dynamics.models.kc.poses import AxlePoses
from ce_dynamics.models.kc.quantities import Quantity
from ce_dynamics.models.kc.rates import Travelling, rates_of
from ce_dynamics.models.kc.wheel_geometry import (
    CarrierScrew,
    SteeringAxis,
    WheelSwingArm,
    ackermann,
    camber_angle,
    camber_rate,
    caster_angle,
    contact,
    front_swing_arm,
    front_view_angle,
    kingpin_inclination,
    offsets,
    roll_centre,
    side_swing_arm,
    side_view_angle,
    steer_angle,
    steer_rate,
    support_angle,
    toe_angle,
)

Figures = dict[str, Any]
"""By name: arrays (2,) of what left and right wheel have each, and numbers."""

SIGNS = (1, -1)


def contacts(W: Array, e: Array, axle: Axle) -> Array:
    """Return the contact centres (2, 3) of wheels with centres W and spin axes e."""
    return array(contact(W[k], e[k], wheel.loaded_radius) for k, wheel in enumerate(axle.wheels))


def wheel_figures(W: Array, e: Array, R: Array, P: Array) -> Figures:
    """Return attitudes and places of both wheels, by name."""
    found: Figures = {
        "toe_angle": array(toe_angle(e[k], side) for k, side in enumerate(SIGNS)),
        "steer_angle": array(steer_angle(e[k]) for k in (0, 1)),
        "camber_angle": array(camber_angle(e[k], side) for k, side in enumerate(SIGNS)),
        "side_view_angle": array(side_view_angle(R[k]) for k in (0, 1)),
        "front_view_angle": array(front_view_angle(R[k], side) for k, side in enumerate(SIGNS)),
    }
    found |= {f"wheel_centre_{x}": W[:, k] for k, x in enumerate("xyz")}
    return found | {f"contact_{x}": P[:, k] for k, x in enumerate("xyz")}


class AxleFigures:
    """Everything that is reported of an axle, as traced functions of c (see `AxlePoses`).

    ``known`` quantities are properties of the axle: without a steering axis it has no caster, without springs
    no rates; ``lacking`` are figures of travels that its wheels cannot have.
    """

    def __init__(self, poses: AxlePoses) -> None:
        self.poses, self.axle = poses, poses.axle
        self.steered = bool(poses.places.s)
        self.has_kingpins = all(wheel.kingpin is not None for wheel in self.axle.wheels)
        x = [float(nominal(hinge.at_parent)[0]) for hinge in poses.hinges]
        by_place = not 0.5 * sum(x) < self.axle.centre_of_mass[0]
        self.in_front = by_place if self.axle.in_front is None else self.axle.in_front
        self.travels = poses.travels
        every = (
            *quantities.WHEEL_ATTITUDE,
            *quantities.POSITIONS,
            *quantities.INSTANT_MOTION,
            *(quantities.STEERING_AXIS if self.has_kingpins or self.steered else ()),
            *(quantities.ANTI_FRONT if self.in_front else quantities.ANTI_REAR),
            *quantities.GRADIENTS,
            *(quantities.STIFFNESS if poses.supports else ()),
            *self._of_elements(),
            *(quantities.steering_quantities(self.axle.steering_unit) if self.steered else ()),
        )
        self.known = tuple(one for one in every if one.travel in ("", *self.travels.kinds))
        self.lacking = tuple(quantity.name for quantity in every if quantity not in self.known)

    def check(self, name: str) -> None:
        """Refuse a figure that the axle does not have."""
        if name in self.lacking:
            kinds = " and ".join(self.travels.kinds)
            raise DataError(
                f"axle {self.axle.name!r} has no {name}: {self.travels.why}, and there is {kinds} travel only"
            )
        checks.check_name("rig", name, [quantity.name for quantity in self.known], "quantity", DataError)

    def _of_elements(self) -> Iterator[Quantity]:
        for rest in self.pairs:
            yield Quantity(f"{rest}_length", "m", True, f"of the {rest}")
            meaning = f"shortening of the {rest} per parallel wheel travel"
            yield Quantity(f"{rest}_motion_ratio", "1", True, meaning, "parallel")
        for rest in (name.rpartition(".")[2] for name in self.bars):
            yield Quantity(f"{rest}_twist", "rad", False, "of the bar")
            meaning = "twist of the bar per difference of the wheels' travel"
            yield Quantity(f"{rest}_motion_ratio", "rad/m", False, meaning, "opposed")

    @cached_property
    def pairs(self) -> dict[str, tuple[int, int]]:
        """Return elements with lengths on both wheels: the common part of their names, and their places."""
        left, right = (wheel.elements + "." for wheel in self.axle.wheels)
        elements = self.poses.elements
        rests = [name.removeprefix(left) for name in elements if name.startswith(left)]
        return {
            rest: (elements.index(left + rest), elements.index(right + rest))
            for rest in rests
            if right + rest in elements
        }

    @property
    def bars(self) -> list[str]:
        return [name for name in self.axle.bars if name in self.poses.elements]

    # Traced functions

    @cached_property
    def forces(self) -> TracedFunction:
        """f: derivatives of the stored energies (springs, bars) by the travels that there are; and D."""

        def forces(c: Array) -> dict[str, Array]:
            axle = Travelling(self.poses, c)
            by_travel = [axle.change("energy", way) for way in axle.travel_directions()]
            return {"f": array(by_travel).T, "D": axle.D}

        return trace(f"{self.axle.name} axle: forces", forces, {"c": self.poses.size})

    @cached_property
    def forces_along(self) -> TracedFunction:
        """Their derivative along a direction of c."""
        return directional_derivative(self.forces)

    def select(self, names: tuple[str, ...]) -> TracedFunction:
        """Return some of the figures as functions of c."""
        rates = not {quantity.name for quantity in quantities.STIFFNESS}.isdisjoint(names)

        def evaluate(c: Array) -> Figures:
            found = self.at(c, rates)
            return {name: found[name] for name in names}

        return trace(f"{self.axle.name} axle: {', '.join(names)}", evaluate, {"c": self.poses.size})

    @cached_property
    def newton(self) -> TracedFunction:
        """One step of Newton's method to the travel `goal` of both wheels: c ahead; before it gap and travel.

        The gap is that of the travels that can be chosen and, where springs decide, of their balance.
        """

        def newton(c: Array, goal: Array) -> dict[str, Array]:
            axle = Travelling(self.poses, c)
            gap = axle.travels_from_wheels(axle.travel - goal)
            step = -(axle.D @ gap)
            if axle.settled is not None:
                away = axle.settled.step
                step, gap = step + away, array([*gap, *away])
            q = c[: self.poses.moved] + step
            return {"c": array([*q, *c[self.poses.moved :]]), "gap": gap, "travel": axle.travel}

        return trace(f"{self.axle.name} axle: travel", newton, {"c": self.poses.size, "goal": 2})

    def held(self, c: Array) -> Array:
        """Return the values held as parameters change: the travels, and the balance where springs decide."""
        if self.poses.settling is not None:
            travels, left = self.poses.settling.travels_and_balance(c)
            return array([*travels, *left])
        axle = Travelling(self.poses, c)
        return axle.travels_from_wheels(axle.travel)

    # Figures

    def at(self, c: Array, rates: bool = True) -> Figures:
        """Compute all figures at c; without rates it traces much faster, as these take second derivatives."""
        axle = Travelling(self.poses, c)
        W, e = axle.now.W, axle.now.e
        P = contacts(W, e, self.axle)
        found = wheel_figures(W, e, axle.now.R, P) | self._compare(axle, P) | self._instant_motion(axle, P)
        if self.has_kingpins or self.steered:
            found |= self._steering_axis(axle, P)
        found |= self._gradients(axle, found["track"]) | self._elements(axle)
        if rates and self.poses.supports:
            found |= self._stiffness(axle, c, found["track"])
        if self.steered:
            found |= self._steering(axle, c, found)
        return found

    def _compare(self, axle: Travelling, P: Array) -> Figures:
        P_0 = contacts(axle.now.W_0, array(self.poses.spin_axes), self.axle)
        track, track_0 = P[0, 1] - P[1, 1], P_0[0, 1] - P_0[1, 1]
        longer = 1.0 if self.in_front else -1.0
        return {
            "wheelbase_change": longer * (P[:, 0] - P_0[:, 0]),
            "track": track,
            "track_change": track - track_0,
        }

    def _steering_axis(self, axle: Travelling, P: Array) -> Figures:
        lines = [self._line(axle, k) for k in (0, 1)]
        W, e = axle.now.W, axle.now.e
        at_road, at_centre = (
            [offsets(points[k], lines[k], e[k], side) for k, side in enumerate(SIGNS)] for points in (P, W)
        )
        return {
            "caster_angle": array(caster_angle(line) for line in lines),
            "kingpin_inclination": array(kingpin_inclination(lines[k], side) for k, side in enumerate(SIGNS)),
            "scrub_radius": array(offset.lateral for offset in at_road),
            "caster_trail": array(offset.longitudinal for offset in at_road),
            "kingpin_offset": array(offset.lateral for offset in at_centre),
            "caster_offset": array(offset.longitudinal for offset in at_centre),
        }

    def _line(self, axle: Travelling, k: int) -> SteeringAxis:
        """Return the kingpin, or else the axis about which steering turns the carrier with springs locked."""
        if self.has_kingpins:
            lower, upper = axle.now.kingpin[k]
            return SteeringAxis(lower, (upper - lower) / norm(upper - lower))
        locked = None
        if "spring" in self.pairs:
            locked = array(array(by.lengths[place] for by in axle.by) for place in self.pairs["spring"])
        screw = axle.screw(k, axle.steering(locked))
        up = where(screw.w[2] < 0.0, -1.0, 1.0)
        return SteeringAxis(screw.axis_point, up * screw.w / norm(screw.w))

    def _instant_motion(self, axle: Travelling, P: Array) -> Figures:
        found: Figures = {}
        if "left" in self.travels.kinds:
            own = axle.wheels(1.0, 0.0), axle.wheels(0.0, 1.0)
            front = [front_swing_arm(axle.screw(k, own[k]), P[k], side) for k, side in enumerate(SIGNS)]
            found |= swing_arm("front", "yz", front)
        if "opposed" in self.travels.kinds:
            roll = axle.wheels(1.0, -1.0)
            rolling = [(P[k], axle.screw(k, roll).at(P[k])) for k in (0, 1)]
            height, lateral = roll_centre(rolling[0], rolling[1])
            found |= {"roll_centre_height": height, "roll_centre_lateral": lateral}
        if "parallel" in self.travels.kinds:
            ride = axle.wheels(1.0, 1.0)
            towards = -1.0 if self.in_front else 1.0
            screws = [axle.screw(k, ride) for k in (0, 1)]
            beside = [side_swing_arm(screws[k], P[k], towards) for k in (0, 1)]
            found |= swing_arm("side", "xz", beside) | self._support(axle, screws, P)
        return found

    def _support(self, axle: Travelling, screws: list[CarrierScrew], P: Array) -> Figures:
        """Return parts of the load transfer in braking and driving that the links carry, in per cent.

        Braking with the part β of the force F transfers F h/L; the links carry β F tan φ of it.
        """
        given = self.axle
        _, h = given.centre_of_mass
        at_road = array(support_angle(screws[k].at(P[k])) for k in (0, 1))
        at_centre = array(support_angle(screws[k].at(axle.now.W[k])) for k in (0, 1))
        against = 1.0 if self.in_front else -1.0
        whole = 100.0 * against * given.wheelbase / h
        braking = whole * given.brake_share * (at_road if given.brake_torque_on_carrier else at_centre)
        driving = whole * given.drive_share * (at_road if given.drive_torque_on_carrier else at_centre)
        if self.in_front:
            return {"anti_dive": braking, "anti_lift": driving}
        return {"anti_lift": braking, "anti_squat": driving}

    def _gradients(self, axle: Travelling, track: Scalar) -> Figures:
        e = axle.now.e
        found: Figures = {}
        if "parallel" in self.travels.kinds:
            ride = axle.wheels(1.0, 1.0)
            by_ride = axle.change("e", ride)
            found |= {
                "ride_steer": array(-side * steer_rate(e[k], by_ride[k]) for k, side in enumerate(SIGNS)),
                "ride_camber": array(camber_rate(e[k], by_ride[k], side) for k, side in enumerate(SIGNS)),
                "ride_caster": array(-axle.screw(k, ride).w[1] for k in (0, 1)),
            }
        if "opposed" in self.travels.kinds:
            roll = axle.wheels(-1.0, 1.0) * (0.5 * track)  # rolling to the right lets the left wheel down
            by_roll = axle.change("e", roll)
            found |= {
                "roll_steer": array(steer_rate(e[k], by_roll[k]) for k in (0, 1)),
                "roll_camber": array(camber_rate(e[k], by_roll[k], side) for k, side in enumerate(SIGNS)),
            }
        return found

    def _stiffness(self, axle: Travelling, c: Array, track: Scalar) -> Figures:
        """Compute rates from K = ∂f/∂z at both wheels: C33, C39, C99 of the compliance are those of K⁻¹."""
        k_t = array(wheel.tyre_rate for wheel in self.axle.wheels)
        settled = axle.settled
        if settled is not None:
            whole = settled.stiffness()
            springs = settled.stiffness_without_bars() if self.bars else whole
            return rates_of(self.travels, settled.force, springs, whole - springs, k_t, track)
        found = call(self.forces, c=c)
        others = self.poses.size - self.poses.moved
        columns = []
        for way in range(self.travels.number):
            direction = array([*found["D"][:, way], *[0.0] * others])
            columns.append(call(self.forces_along, c=c, c_direction=direction)["f_direction"])
        springs, bars = (array(column[g] for column in columns).T for g in (0, 1))
        return rates_of(self.travels, found["f"][0] + found["f"][1], springs, bars, k_t, track)

    def _elements(self, axle: Travelling) -> Figures:
        found: Figures = {}
        for rest, places in self.pairs.items():
            found[f"{rest}_length"] = array(axle.now.lengths[place] for place in places)
        if "parallel" in self.travels.kinds and self.poses.elements:
            by_ride = axle.change("lengths", axle.wheels(1.0, 1.0))
            for rest, places in self.pairs.items():
                found[f"{rest}_motion_ratio"] = array(-by_ride[place] for place in places)
        for name in self.bars:
            rest, place = name.rpartition(".")[2], self.poses.elements.index(name)
            found[f"{rest}_twist"] = axle.now.lengths[place]
            if "opposed" in self.travels.kinds:
                by_roll = axle.change("lengths", axle.wheels(1.0, -1.0))
                found[f"{rest}_motion_ratio"] = 0.5 * by_roll[place]
        return found

    def _steering(self, axle: Travelling, c: Array, found: Figures) -> Figures:
        left = math.copysign(1.0, self.axle.full_lock)  # where the coordinate grows to the left
        de = left * axle.change("e", axle.steering())
        angles = found["steer_angle"]
        wheels = ackermann(angles[0], angles[1], found["track"], self.axle.wheelbase)
        return {
            "steering_ratio": array(1.0 / steer_rate(axle.now.e[k], de[k]) for k in (0, 1)),
            "steering_position": left * c[self.poses.moved],
            "ideal_outer_angle": wheels.ideal_outer,
            "ackermann_error": wheels.error,
            "ackermann_percentage": wheels.percentage,
            "turning_diameter": wheels.turning_diameter,
        }


def swing_arm(view: str, plane: str, arms: list[WheelSwingArm]) -> Figures:
    """Return the figures of swing arms."""
    found: Figures = {
        f"{view}_swing_arm_length": array(arm.length for arm in arms),
        f"{view}_swing_arm_angle": array(arm.angle for arm in arms),
    }
    for k, axis in enumerate(plane):
        found[f"{view}_instant_centre_{axis}"] = array(arm.centre[k] for arm in arms)
    return found
