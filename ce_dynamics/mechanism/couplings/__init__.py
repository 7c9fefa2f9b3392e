"""Couplings between hinge coordinates, and constraints that users write."""

from __future__ import annotations

from ce_dynamics.mechanism.couplings.base import Coordinate, Coupled, Coupling
from ce_dynamics.mechanism.couplings.functions import FunctionCoupling, ImplicitCoupling, PolynomialCoupling
from ce_dynamics.mechanism.couplings.linear import Gear, LinearCoupling, RackAndPinion
from ce_dynamics.mechanism.couplings.user_constraint import Written
from ce_dynamics.mechanism.couplings.view import View

__all__ = [
    "Coordinate",
    "Coupled",
    "Coupling",
    "FunctionCoupling",
    "Gear",
    "ImplicitCoupling",
    "LinearCoupling",
    "PolynomialCoupling",
    "RackAndPinion",
    "View",
    "Written",
]
