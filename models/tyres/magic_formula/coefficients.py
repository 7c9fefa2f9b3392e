"""All coefficients of a Magic Formula tyre under the names of property files, sizes and contact."""

from __future__ import annotations

from dataclasses import dataclass, fields

from ce_dynamics.algebra.checks import with_unit
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import LARGEST, check_number
from ce_dynamics.models.tyres.magic_formula.file_names import unit_of
from ce_dynamics.models.tyres.magic_formula.force_coefficients import (
    AligningCoefficients,
    LateralCoefficients,
    LongitudinalCoefficients,
    Overturning,
    RollingCoefficients,
    Scaling,
    TurnSlip,
)


@dataclass(frozen=True, kw_only=True)
class OperatingConditions:
    """``[MODEL]`` and ``[OPERATING_CONDITIONS]``."""

    LONGVL: float = 16.7  # V0, speed of the measurement [m/s]
    VXLOW: float = 1.0  # speed below which slips are reduced [m/s]
    INFLPRES: float = 220000.0  # pressure of the tyre as it is used [Pa]
    NOMPRES: float = 220000.0  # p_i0, pressure of the measurement [Pa]
    LIP: float = 1.0  # scales the inflation pressure (PAC2002)


@dataclass(frozen=True, kw_only=True)
class Dimension:
    """``[DIMENSION]`` [m]."""

    UNLOADED_RADIUS: float  # R0
    WIDTH: float = 0.205
    ASPECT_RATIO: float = 0.6
    RIM_RADIUS: float = 0.1905
    RIM_WIDTH: float = 0.152


@dataclass(frozen=True, kw_only=True)
class Inertia:
    """``[INERTIA]`` of the tyre and of its belt."""

    MASS: float = 9.3  # [kg]
    IXX: float = 0.391  # about a diameter [kg m²]
    IYY: float = 0.736  # about the spin axis [kg m²]
    BELT_MASS: float = 7.0
    BELT_IXX: float = 0.34
    BELT_IYY: float = 0.6
    GRAVITY: float = -9.81


@dataclass(frozen=True, kw_only=True)
class Vertical:
    """``[VERTICAL]``: load over deflection, radii."""

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


@dataclass(frozen=True, kw_only=True)
class Structural:
    """``[STRUCTURAL]``: stiffness of carcass and tread at the contact, modes of the belt."""

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


@dataclass(frozen=True, kw_only=True)
class ContactMass:
    """``[DYNAMIC_COEFFICIENTS]`` of PAC2002: a mass between carcass and tread (USE_MODE 21 to 25)."""

    MC: float = 0.0  # [kg]; none: relaxation lengths
    CX: float = 0.0  # stiffness of the carcass [N/m],
    CY: float = 0.0
    KX: float = 0.0  # its damping [N s/m]
    KY: float = 0.0


@dataclass(frozen=True, kw_only=True)
class ContactPatchData:
    """``[CONTACT_PATCH]``: its size, and the ellipses that feel short obstacles."""

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


@dataclass(frozen=True, kw_only=True)
class Ranges:
    """The ranges within which the file is valid: inputs beyond are held at their ends."""

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

RANGES = (("PRESMIN", "PRESMAX"), ("FZMIN", "FZMAX"), ("KPUMIN", "KPUMAX"), ("ALPMIN", "ALPMAX"),
          ("CAMMIN", "CAMMAX"))  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Coefficients(
    OperatingConditions,
    Dimension,
    Inertia,
    Vertical,
    Structural,
    ContactMass,
    ContactPatchData,
    Ranges,
    Scaling,
    LongitudinalCoefficients,
    Overturning,
    LateralCoefficients,
    RollingCoefficients,
    AligningCoefficients,
    TurnSlip,
):
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
        for name in ("MC", "CX", "CY", "KX", "KY"):
            if getattr(self, name) < 0.0:
                raise DataError(f"tyre: {name} = {getattr(self, name):g} must be at least 0")
        if self.FZMIN < 0.0:
            raise DataError(f"tyre: FZMIN = {self.FZMIN:g} must be at least 0")
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
