"""The coefficients of forces and moments and their scale factors, under the names of property files.

P… are of pure slip, R… of combined slip, Q… of moments, PP… of the inflation pressure, S… of the arm of Fx;
L… scale (λ of the book).  Defaults: see `ce_dynamics.models.tyres.magic_formula.coefficients`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Scaling:
    """``[SCALING_COEFFICIENTS]``."""

    LFZO: float = 1.0  # nominal load
    LCX: float = 1.0  # Fx: shape,
    LMUX: float = 1.0  # peak friction,
    LEX: float = 1.0  # curvature,
    LKX: float = 1.0  # slip stiffness,
    LHX: float = 1.0  # horizontal shift,
    LVX: float = 1.0  # vertical shift,
    LGAX: float = 1.0  # camber (5.2)
    LCY: float = 1.0  # Fy: shape,
    LMUY: float = 1.0  # peak friction,
    LEY: float = 1.0  # curvature,
    LKY: float = 1.0  # cornering stiffness,
    LHY: float = 1.0  # horizontal shift,
    LVY: float = 1.0  # vertical shift,
    LGAY: float = 1.0  # camber (5.2),
    LKYC: float = 1.0  # camber stiffness
    LTR: float = 1.0  # Mz: pneumatic trail,
    LRES: float = 1.0  # residual moment,
    LGAZ: float = 1.0  # camber (5.2),
    LKZC: float = 1.0  # camber stiffness
    LXAL: float = 1.0  # α on Fx
    LYKA: float = 1.0  # κ on Fy
    LVYKA: float = 1.0  # Fy that κ induces
    LS: float = 1.0  # arm of Fx
    LVMX: float = 1.0  # Mx: vertical shift,
    LMX: float = 1.0  # all of it
    LMY: float = 1.0  # rolling resistance
    LMP: float = 1.0  # parking moment
    LMUV: float = 0.0  # friction that decays with the sliding speed
    LSGKP: float = 1.0  # relaxation length of Fx (5.2)
    LSGAL: float = 1.0  # relaxation length of Fy (5.2)


@dataclass(frozen=True, kw_only=True)
class LongitudinalCoefficients:
    """``[LONGITUDINAL_COEFFICIENTS]``."""

    PCX1: float  # shape
    PDX1: float  # friction, with load, with camber squared
    PDX2: float = -0.15
    PDX3: float = 0.0
    PEX1: float = 0.0  # curvature, with load, load squared, sign of κ
    PEX2: float = 0.0
    PEX3: float = 0.0
    PEX4: float = 0.0
    PKX1: float  # slip stiffness, with load, exponent of load
    PKX2: float = 0.0
    PKX3: float = 0.0
    PHX1: float = 0.0  # horizontal shift, with load
    PHX2: float = 0.0
    PVX1: float = 0.0  # vertical shift, with load
    PVX2: float = 0.0
    PPX1: float = 0.0  # pressure on slip stiffness (1, 2) and friction (3, 4)
    PPX2: float = 0.0
    PPX3: float = 0.0
    PPX4: float = 0.0
    RBX1: float = 20.0  # combined slip: slope, with κ, with camber
    RBX2: float = 15.0
    RBX3: float = 0.0
    RCX1: float = 1.0  # shape
    REX1: float = 0.0  # curvature, with load
    REX2: float = 0.0
    RHX1: float = 0.0  # shift
    PTX1: float = 0.0  # relaxation length (5.2), with load, exponent
    PTX2: float = 0.0
    PTX3: float = 0.0


@dataclass(frozen=True, kw_only=True)
class LateralCoefficients:
    """``[LATERAL_COEFFICIENTS]``."""

    PCY1: float  # shape
    PDY1: float  # friction, with load, with camber squared
    PDY2: float = -0.15
    PDY3: float = 0.0
    PEY1: float = 0.0  # curvature, with load, sign of α, camber, camber squared
    PEY2: float = 0.0
    PEY3: float = 0.0
    PEY4: float = 0.0
    PEY5: float = 0.0
    PKY1: float  # cornering stiffness, load where it is largest, camber, shape, camber squared
    PKY2: float
    PKY3: float = 0.0
    PKY4: float = 2.0
    PKY5: float = 0.0
    PKY6: float = -1.0  # camber stiffness, with load
    PKY7: float = 0.0
    PHY1: float = 0.0  # horizontal shift, with load, with camber (5.2)
    PHY2: float = 0.0
    PHY3: float = 0.0
    PVY1: float = 0.0  # vertical shift, with load, camber, camber and load
    PVY2: float = 0.0
    PVY3: float = 0.0
    PVY4: float = 0.0
    PPY1: float = 0.0  # pressure on cornering stiffness (1, 2), friction (3, 4), camber stiffness (5)
    PPY2: float = 0.0
    PPY3: float = 0.0
    PPY4: float = 0.0
    PPY5: float = 0.0
    RBY1: float = 10.0  # combined slip: slope, with α, shift of α, with camber
    RBY2: float = 10.0
    RBY3: float = 0.0
    RBY4: float = 0.0
    RCY1: float = 1.0  # shape
    REY1: float = 0.0  # curvature, with load
    REY2: float = 0.0
    RHY1: float = 0.0  # shift, with load
    RHY2: float = 0.0
    RVY1: float = 0.0  # Fy that κ induces: at Fz0, with load, camber, α, κ, arctan κ
    RVY2: float = 0.0
    RVY3: float = 0.0
    RVY4: float = 20.0
    RVY5: float = 2.0
    RVY6: float = 10.0
    PTY1: float = 0.0  # relaxation length (5.2): peak, load of the peak
    PTY2: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Overturning:
    """``[OVERTURNING_COEFFICIENTS]``, of Mx."""

    QSX1: float = 0.0
    QSX2: float = 0.0
    QSX3: float = 0.0
    QSX4: float = 5.0
    QSX5: float = 1.0
    QSX6: float = 10.0
    QSX7: float = 0.0
    QSX8: float = 0.0
    QSX9: float = 0.4
    QSX10: float = 0.0
    QSX11: float = 5.0
    QSX12: float = 0.0
    QSX13: float = 0.0
    QSX14: float = 0.0
    PPMX1: float = 0.0


@dataclass(frozen=True, kw_only=True)
class RollingCoefficients:
    """``[ROLLING_COEFFICIENTS]``, of My."""

    QSY1: float = 0.01
    QSY2: float = 0.0
    QSY3: float = 4e-4
    QSY4: float = 4e-5
    QSY5: float = 0.0
    QSY6: float = 0.0
    QSY7: float = 0.85
    QSY8: float = -0.4


@dataclass(frozen=True, kw_only=True)
class AligningCoefficients:
    """``[ALIGNING_COEFFICIENTS]``, of Mz."""

    QBZ1: float = 10.0  # pneumatic trail: slope, with load, load squared, camber, |camber|
    QBZ2: float = 0.0
    QBZ3: float = 0.0
    QBZ4: float = 0.0
    QBZ5: float = 0.0
    QBZ9: float = 10.0  # residual moment: slope
    QBZ10: float = 0.0
    QCZ1: float = 1.1  # trail: shape
    QDZ1: float = 0.12  # peak, with load, camber, camber squared
    QDZ2: float = 0.0
    QDZ3: float = 0.0
    QDZ4: float = 0.0
    QDZ6: float = 0.0  # residual moment: peak, with load, camber, both, camber squared, that with load
    QDZ7: float = 0.0
    QDZ8: float = -0.05
    QDZ9: float = 0.0
    QDZ10: float = 0.0
    QDZ11: float = 0.0
    QEZ1: float = 0.0  # trail: curvature, with load, load squared, sign of α, camber
    QEZ2: float = 0.0
    QEZ3: float = 0.0
    QEZ4: float = 0.0
    QEZ5: float = 0.0
    QHZ1: float = 0.0  # shift, with load, camber, both
    QHZ2: float = 0.0
    QHZ3: float = 0.0
    QHZ4: float = 0.0
    PPZ1: float = 0.0  # pressure on the trail and on the residual moment
    PPZ2: float = 0.0
    SSZ1: float = 0.0  # arm of Fx over R0, with Fy, camber, camber and load
    SSZ2: float = 0.0
    SSZ3: float = 0.0
    SSZ4: float = 0.0
    QTZ1: float = 0.0  # gyroscopic moment (5.2) of a belt of this mass
    MBELT: float = 0.0
    LGYR: float = 1.0


@dataclass(frozen=True, kw_only=True)
class TurnSlip:
    """``[TURNSLIP_COEFFICIENTS]``."""

    PDXP1: float = 0.4  # peak of Fx, with load, with κ
    PDXP2: float = 0.0
    PDXP3: float = 0.0
    PKYP1: float = 1.0  # cornering stiffness
    PDYP1: float = 0.4  # peak of Fy, with load, α, root of spin
    PDYP2: float = 0.0
    PDYP3: float = 0.0
    PDYP4: float = 0.0
    PHYP1: float = 1.0  # shift of Fy over α: shape, peak, with load, curvature
    PHYP2: float = 0.15
    PHYP3: float = 0.0
    PHYP4: float = -4.0
    PECP1: float = 0.5  # how much of the spin is camber's, with load
    PECP2: float = 0.0
    QDTP1: float = 10.0  # pneumatic trail
    QCRP1: float = 0.2  # moment of turning on the spot
    QCRP2: float = 0.1  # moment at α = 90°
    QBRP1: float = 0.1  # residual moment with α
    QDRP1: float = 1.0  # shape of the spin moment
