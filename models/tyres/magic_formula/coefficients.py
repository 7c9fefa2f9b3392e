"""All coefficients of a Magic Formula tyre under the names of property files.

P… are of pure slip, R… of combined slip, Q… of moments, PP… of the inflation pressure, S… of the arm of Fx;
L… scale (λ of the book).
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from ce_dynamics.algebra.checks import with_unit
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import LARGEST, check_number
from ce_dynamics.models.tyres.magic_formula.file_names import unit_of

POSITIVE = (
    "LONGVL", "VXLOW", "NOMPRES", "INFLPRES", "UNLOADED_RADIUS", "WIDTH", "RIM_RADIUS", "FNOMIN",
    "VERTICAL_STIFFNESS", "LCZ", "LIP", "LFZO", "LONGITUDINAL_STIFFNESS", "LATERAL_STIFFNESS",
)  # fmt: skip
"""Coefficients that the equations divide by, or that every tyre needs."""

NOT_ZERO = ("PCX1", "PCY1", "LCX", "LCY", "LMUY", "PKY2")
"""Coefficients that the equations divide by, of either sign."""

NO_NUMBERS = ("version", "ellipse")
"""Fields that are no coefficients."""

VERSIONS = (52, 61, 62)

RANGES = tuple((f"{name}MIN", f"{name}MAX") for name in ("PRES", "FZ", "KPU", "ALP", "CAM"))


@dataclass(frozen=True, kw_only=True)
class Coefficients:
    """A Magic Formula tyre: every number of its property file, in SI.

    A coefficient may be a `ce_dynamics.Parameter`, which stays free in a compiled model.

    Attributes
    ----------
    version : {52, 61, 62}
        Whose equations hold: those of MF 5.2 (PAC2002), 6.1 or 6.2.
    ellipse : bool
        Combined slip by the friction ellipse of PAC2002, without coefficients, instead of weights (5.2).
    others : float
        One attribute per coefficient, as the files name them: ``PCX1``, ``UNLOADED_RADIUS``, ....
    """

    # [TURNSLIP_COEFFICIENTS]
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

    # [ALIGNING_COEFFICIENTS], of Mz
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

    # [ROLLING_COEFFICIENTS], of My
    QSY1: float = 0.01
    QSY2: float = 0.0
    QSY3: float = 4e-4
    QSY4: float = 4e-5
    QSY5: float = 0.0
    QSY6: float = 0.0
    QSY7: float = 0.85
    QSY8: float = -0.4

    # [LATERAL_COEFFICIENTS]
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

    # [OVERTURNING_COEFFICIENTS], of Mx
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

    # [LONGITUDINAL_COEFFICIENTS]
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

    # [SCALING_COEFFICIENTS]
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

    # The ranges within which the file is valid: inputs beyond are held at their ends
    PRESMIN: float = 10000.0
    PRESMAX: float = 1e6
    FZMIN: float = 100.0
    FZMAX: float = 10000.0
    KPUMIN: float = -1.5
    KPUMAX: float = 1.5
    ALPMIN: float = -1.5
    ALPMAX: float = 1.5
    CAMMIN: float = -0.175
    CAMMAX: float = 0.175

    # [CONTACT_PATCH]: its size, and the ellipses that feel short obstacles
    Q_RA1: float = 0.5  # length: root and linear term of the deflection
    Q_RA2: float = 1.0
    Q_RB1: float = 1.0  # width: cube root and linear term
    Q_RB2: float = -1.0
    Q_A1: float = 0.0  # length in 5.2: root and linear term of the load; both zero: estimated
    Q_A2: float = 0.0
    ELLIPS_SHIFT: float = 0.8
    ELLIPS_LENGTH: float = 1.0
    ELLIPS_HEIGHT: float = 1.0
    ELLIPS_ORDER: float = 1.8
    ELLIPS_MAX_STEP: float = 0.025
    ELLIPS_NWIDTH: float = 10.0
    ELLIPS_NLENGTH: float = 10.0
    ENV_C1: float = 0.0
    ENV_C2: float = 0.0

    # [DYNAMIC_COEFFICIENTS] of PAC2002: a mass between carcass and tread (USE_MODE 21 to 25)
    MC: float = 0.0  # [kg]; none: relaxation lengths
    CX: float = 0.0  # stiffness of the carcass [N/m],
    CY: float = 0.0
    KX: float = 0.0  # its damping [N s/m]
    KY: float = 0.0

    # [STRUCTURAL]: stiffness of carcass and tread at the contact, modes of the belt
    LONGITUDINAL_STIFFNESS: float = 300000.0  # Cx0 [N/m]
    LATERAL_STIFFNESS: float = 100000.0  # Cy0 [N/m]
    YAW_STIFFNESS: float = 5000.0  # [N m/rad]
    FREQ_LONG: float = 80.0  # undamped frequencies [Hz]
    FREQ_LAT: float = 40.0
    FREQ_YAW: float = 50.0
    FREQ_WINDUP: float = 70.0
    DAMP_LONG: float = 0.04  # damping ratios
    DAMP_LAT: float = 0.04
    DAMP_YAW: float = 0.04
    DAMP_WINDUP: float = 0.04
    DAMP_RESIDUAL: float = 0.002  # damping over stiffness [s]
    DAMP_VLOW: float = 0.001  # what low speed adds to it [s]
    Q_BVX: float = 0.0
    Q_BVT: float = 0.0
    PCFX1: float = 0.0  # Cx with load, load squared, pressure
    PCFX2: float = 0.0
    PCFX3: float = 0.0
    PCFY1: float = 0.0  # Cy with load, load squared, pressure
    PCFY2: float = 0.0
    PCFY3: float = 0.0
    PCMZ1: float = 0.0

    # [VERTICAL]: load over deflection, radii
    FNOMIN: float  # Fz0 [N]
    VERTICAL_STIFFNESS: float  # Cz0 at Fz0 and p_i0 [N/m]
    VERTICAL_DAMPING: float = 50.0  # [N s/m]
    LCZ: float = 1.0  # scales the vertical stiffness (PAC2002)
    MC_CONTOUR_A: float = 0.5
    MC_CONTOUR_B: float = 0.5
    BREFF: float = 8.4  # effective radius: slope at low load,
    DREFF: float = 0.27  # peak,
    FREFF: float = 0.07  # slope at high load
    Q_RE0: float = 1.0  # free radius over R0 at rest
    Q_V1: float = 0.0  # growth of the free radius with speed
    Q_V2: float = 0.0  # stiffness: with speed,
    Q_FZ2: float = 1e-4  # with deflection,
    Q_FCX: float = 0.0  # with Fx,
    Q_FCY: float = 0.0  # with Fy,
    Q_CAM: float = 0.0  # with camber (6.1),
    PFZ1: float = 0.0  # with pressure
    Q_FCY2: float = 0.0  # 6.2: exponent of the deflection in the effect of Fy,
    Q_CAM1: float = 0.0  # camber, in powers of the loaded radius,
    Q_CAM2: float = 0.0
    Q_CAM3: float = 0.0  # camber times deflection,
    Q_FYS1: float = 0.0  # Fy that belongs to camber,
    Q_FYS2: float = 0.0
    Q_FYS3: float = 0.0
    BOTTOM_OFFST: float = 0.01  # distance of the rim from the road where it meets it [m]
    BOTTOM_STIFF: float = 2e6  # stiffness of the rim on the road [N/m]

    # [INERTIA] of the tyre and of its belt
    MASS: float = 9.3  # [kg]
    IXX: float = 0.391  # about a diameter [kg m²]
    IYY: float = 0.736  # about the spin axis [kg m²]
    BELT_MASS: float = 7.0
    BELT_IXX: float = 0.34
    BELT_IYY: float = 0.6
    GRAVITY: float = -9.81

    # [DIMENSION] [m]
    UNLOADED_RADIUS: float  # R0
    WIDTH: float = 0.205
    ASPECT_RATIO: float = 0.6
    RIM_RADIUS: float = 0.1905
    RIM_WIDTH: float = 0.152

    # [MODEL] and [OPERATING_CONDITIONS]
    LONGVL: float = 16.7  # V0, speed of the measurement [m/s]
    VXLOW: float = 1.0  # speed below which slips are reduced [m/s]
    INFLPRES: float = 220000.0  # pressure of the tyre as it is used [Pa]
    NOMPRES: float = 220000.0  # p_i0, pressure of the measurement [Pa]
    LIP: float = 1.0  # scales the inflation pressure (PAC2002)

    version: int = 61
    ellipse: bool = False

    def __post_init__(self) -> None:
        if self.version not in VERSIONS:
            raise DataError(f"tyre: version {self.version!r}; the Magic Formula is known as 52, 61 and 62")
        for field in fields(self):
            if field.name in NO_NUMBERS:
                continue
            value = getattr(self, field.name)
            above = 0.0 if field.name in POSITIVE else -LARGEST
            check_number("tyre", field.name, value, above=above, at_most=LARGEST, unit=unit_of(field.name))
            if field.name in NOT_ZERO and value == 0.0:
                raise DataError(f"tyre: {field.name} = 0; the Magic Formula divides by it")
        if self.ellipse and self.version != 52:
            raise DataError(f"tyre: the friction ellipse is of version 52 (PAC2002), this is {self.version}")
        for name in ("MC", "CX", "CY", "KX", "KY", "FZMIN"):
            if getattr(self, name) < 0.0:
                raise DataError(f"tyre: {name} = {getattr(self, name):g} must be at least 0")
        for low, high in RANGES:
            a, b = getattr(self, low), getattr(self, high)
            if not a <= b:
                unit = unit_of(low)
                raise DataError(
                    f"tyre: {low} = {with_unit(f'{a:g}', unit)} must not lie above {high} = "
                    f"{with_unit(f'{b:g}', unit)}"
                )
        if 0.25 * self.linear_stiffness**2 < self.Q_FZ2:
            raise DataError(
                f"tyre: Q_FZ2 = {self.Q_FZ2:g} is too large for VERTICAL_STIFFNESS = "
                f"{self.VERTICAL_STIFFNESS:g} N/m: at most {0.25 * self.linear_stiffness**2:g}, "
                "or the tyre has no stiffness at small loads"
            )

    @property
    def linear_stiffness(self) -> float:
        """Cz0 R0/Fz0, slope of the load over Fz0 against the deflection over R0."""
        return self.VERTICAL_STIFFNESS * self.LCZ * self.UNLOADED_RADIUS / self.FNOMIN

    @property
    def Fz0_prime(self) -> float:
        """Fz0′ = λFz0 Fz0 (4.E1)."""
        return self.LFZO * self.FNOMIN
