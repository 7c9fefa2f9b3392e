"""Linkages given by loop equations: what the registry's checks are run on beside the closed forms by hand.

Each is solved once in a process, which takes up to half a second.
"""

import math
from functools import cache

import numpy as np
import sympy as sp

from ce_dynamics.kinematics import Cut, Joint, SymbolicLinkage
from ce_dynamics.mechanism.hinges import Distance, Prismatic, Revolute

Z = (0.0, 0.0, 1.0)
theta, phi, psi, x = sp.symbols("theta phi psi x", real=True)

Point = tuple[float, float]
CRANK_ROCKER: tuple[Point, ...] = ((0.0, 0.0), (0.2, 0.3), (1.1, 0.8), (1.2, -0.1))


def pin(p: Point) -> Revolute:
    return Revolute(Z, (*p, 0.0))


def plane_turned(angle: sp.Expr, p: sp.Matrix) -> sp.Matrix:
    c, s = sp.cos(angle), sp.sin(angle)
    return sp.Matrix([c * p[0] - s * p[1], s * p[0] + c * p[1]])


@cache
def four_bar(points: tuple[Point, ...] = CRANK_ROCKER) -> SymbolicLinkage:
    """Chain A-D-F of the frame, the rocker on the frame at G: two equations for the pin F."""
    A, D, F, G = points
    a, b, g = (sp.Matrix(np.subtract(p, q)) for p, q in ((D, A), (F, D), (F, G)))
    at_pin = sp.Matrix(A) + plane_turned(theta, a) + plane_turned(theta + phi, b)
    return SymbolicLinkage(
        joints=(
            Joint("crank", "ground", pin(A)),
            Joint("coupler", "crank", pin(D)),
            Joint("rocker", "ground", pin(G)),
        ),
        coordinates={theta: "crank", phi: "coupler", psi: "rocker"},
        equations=[at_pin - sp.Matrix(G) - plane_turned(psi, g)],
        independent="crank",
        cuts=(Cut("pin", "coupler", "rocker", pin(F)),),
    )


@cache
def serial_four_bar(points: tuple[Point, ...] = CRANK_ROCKER) -> SymbolicLinkage:
    """All three bars in one chain, cut at the frame: every angle relative to the bar before."""
    A, D, F, G = points
    a, b, g = (sp.Matrix(np.subtract(p, q)) for p, q in ((D, A), (F, D), (G, F)))
    end = sp.Matrix(A) + plane_turned(theta, a) + plane_turned(theta + phi, b)
    end += plane_turned(theta + phi + psi, g)
    return SymbolicLinkage(
        joints=(
            Joint("crank", "ground", pin(A)),
            Joint("coupler", "crank", pin(D)),
            Joint("rocker", "coupler", pin(F)),
        ),
        coordinates={theta: "crank", phi: "coupler", psi: "rocker"},
        equations=[end - sp.Matrix(G)],
        independent="crank",
        cuts=(Cut("pin", "rocker", "ground", pin(G)),),
    )


@cache
def slider_crank(offset: float = 0.05, independent: str = "crank") -> SymbolicLinkage:
    """Crank a, rod b, a piston that slides at the height e: with parameters by name."""
    a, b, e = sp.symbols("a b e", positive=True)
    values = {a: 0.1, b: 0.3, e: offset}
    tip = (0.1 * math.cos(0.7), 0.1 * math.sin(0.7))
    lean = math.asin((offset - tip[1]) / 0.3)
    pin_at = (tip[0] + 0.3 * math.cos(lean), offset)
    return SymbolicLinkage(
        joints=(
            Joint("crank", "ground", pin((0.0, 0.0))),
            Joint("rod", "crank", pin(tip)),
            Joint("piston", "ground", Prismatic((1, 0, 0), (*pin_at, 0.0))),
        ),
        coordinates={theta: "crank", phi: "rod", x: "piston"},
        equations=[
            sp.Eq(a * sp.cos(theta + 0.7) + b * sp.cos(theta + phi + lean), pin_at[0] + x),
            sp.Eq(a * sp.sin(theta + 0.7) + b * sp.sin(theta + phi + lean), e),
        ],
        independent=independent,
        cuts=(Cut("pin", "rod", "piston", pin(pin_at)),),
        parameters=values,
    )


@cache
def inverted_slider_crank() -> SymbolicLinkage:
    """A slotted lever, oscillating as the crank turns: the block slides along the lever, offset from it."""
    r, d, e = 0.2, 0.5, 0.03
    tip = (d + r * math.cos(0.9), r * math.sin(0.9))
    start = math.atan2(tip[1], tip[0]) - math.asin(e / math.hypot(*tip))
    length = math.sqrt(tip[0] ** 2 + tip[1] ** 2 - e * e)
    along = (math.cos(start), math.sin(start), 0.0)
    at_block = sp.Matrix([length + x, e])
    lever = plane_turned(psi + start, at_block)
    return SymbolicLinkage(
        joints=(
            Joint("crank", "ground", pin((d, 0.0))),
            Joint("lever", "ground", pin((0.0, 0.0))),
            Joint("block", "lever", Prismatic(along, (*tip, 0.0))),
        ),
        coordinates={theta: "crank", psi: "lever", x: "block"},
        equations=[d + r * sp.cos(theta + 0.9) - lever[0], r * sp.sin(theta + 0.9) - lever[1]],
        independent="crank",
        cuts=(Cut("pin", "block", "crank", pin(tip)),),
    )


@cache
def planar_wishbone() -> SymbolicLinkage:
    """Two arms and an upright in the y-z plane."""
    A, D, F, G = (0.3, 0.0), (0.8, -0.1), (0.7, 0.25), (0.4, 0.25)
    axis = (1.0, 0.0, 0.0)

    def at(p: Point) -> Revolute:
        return Revolute(axis, (0.0, *p))

    a, b, g = (sp.Matrix(np.subtract(p, q)) for p, q in ((D, A), (F, D), (F, G)))
    at_joint = sp.Matrix(A) + plane_turned(theta, a) + plane_turned(theta + phi, b)
    return SymbolicLinkage(
        joints=(
            Joint("lower_arm", "chassis", at(A)),
            Joint("upright", "lower_arm", at(D)),
            Joint("upper_arm", "chassis", at(G)),
        ),
        coordinates={theta: "lower_arm", phi: "upright", psi: "upper_arm"},
        equations=[at_joint - sp.Matrix(G) - plane_turned(psi, g)],
        independent="lower_arm",
        cuts=(Cut("joint", "upright", "upper_arm", at(F)),),
    )


def turned(axis: tuple[float, float, float], angle: sp.Expr, v: sp.Matrix) -> sp.Matrix:
    """Rodrigues' formula."""
    n = sp.Matrix(np.array(axis) / np.linalg.norm(axis))
    along = n * n.dot(v)
    return along + (v - along) * sp.cos(angle) + n.cross(v) * sp.sin(angle)


@cache
def rssr() -> SymbolicLinkage:
    """Spatial crank and rocker with skew axes, joined by a rod with ball joints."""
    crank_axis, rocker_axis = (0.0, 1.0, 0.0), (1.0, 0.3, 0.0)
    D, F, foot = (0.2, 0.0, 0.1), (0.8, 0.2, 0.5), (0.8, 0.3, 0.0)
    end = turned(crank_axis, theta, sp.Matrix(D))
    other = sp.Matrix(foot) + turned(rocker_axis, psi, sp.Matrix(np.subtract(F, foot)))
    gap = other - end
    return SymbolicLinkage(
        joints=(
            Joint("crank", "ground", Revolute(crank_axis)),
            Joint("rocker", "ground", Revolute(rocker_axis, foot)),
        ),
        coordinates={theta: "crank", psi: "rocker"},
        equations=[gap.dot(gap) - float(np.sum(np.subtract(F, D) ** 2))],
        independent="crank",
        cuts=(Cut("rod", "crank", "rocker", Distance(D, F)),),
    )


@cache
def six_bar() -> SymbolicLinkage:
    """A four-bar whose rocker drives a slider by a second rod: one loop after the other."""
    base = four_bar()
    G, F = CRANK_ROCKER[3], CRANK_ROCKER[2]
    end, at = (1.5, 0.6), (2.4, 0.3)
    eta = sp.Symbol("eta", real=True)
    rod = sp.Matrix(np.subtract(at, end))
    tip = sp.Matrix(G) + plane_turned(psi, sp.Matrix(np.subtract(end, G))) + plane_turned(eta, rod)
    assert F == (1.1, 0.8)
    return SymbolicLinkage(
        joints=(
            *base.joints(),
            Joint("slider", "ground", Prismatic((1, 0, 0), (*at, 0.0))),
            Joint("rod", "slider", pin(at)),
        ),
        coordinates={theta: "crank", phi: "coupler", psi: "rocker", x: "slider", eta: "rod"},
        equations=[*base.equations, tip[0] - at[0] - x, tip[1] - at[1]],
        independent="crank",
        cuts=(*base.cuts(), Cut("eye", "rod", "rocker", pin(end))),
    )
