"""Couplings between hinge coordinates, and constraints that users write."""

from ce_dynamics.mechanism.couplings.base import (
    Coordinate as Coordinate,
    Coupled as Coupled,
    Coupling as Coupling,
)
from ce_dynamics.mechanism.couplings.components import ConstraintView as ConstraintView
from ce_dynamics.mechanism.couplings.functions import (
    FunctionCoupling as FunctionCoupling,
    Gear as Gear,
    ImplicitCoupling as ImplicitCoupling,
    LinearCoupling as LinearCoupling,
    PolynomialCoupling as PolynomialCoupling,
    RackAndPinion as RackAndPinion,
)
from ce_dynamics.mechanism.couplings.user_constraint import Written as Written
