"""Couplings between hinge coordinates, and constraints that users write."""

from __future__ import annotations

from ce_dynamics.couplings.base import Coordinate, Coupled, Coupling
from ce_dynamics.couplings.functions import FunctionCoupling, ImplicitCoupling, PolynomialCoupling
from ce_dynamics.couplings.linear import Gear, LinearCoupling, RackAndPinion
from ce_dynamics.couplings.written import View, Written

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
