"""All coefficients of a Magic Formula tyre under the names of property files."""

from __future__ import annotations

from dataclasses import dataclass, fields

from ce_dynamics.algebra.checks import with_unit
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import LARGEST, check_number
from ce_dynamics.models.tyres.magic_formula.construction import (
    ContactMass,
    ContactPatchData,
    Dimension,
    Inertia,
    OperatingConditions,
    Ranges,
    Structural,
    Vertical,
)
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

POSITIVE = (
    "LONGVL", "VXLOW", "NOMPRES", "INFLPRES", "UNLOADED_RADIUS", "WIDTH", "RIM_RADIUS", "FNOMIN",
    "VERTICAL_STIFFNESS", "LCZ", "LIP", "LFZO", "LONGITUDINAL_STIFFNESS", "LATERAL_STIFFNESS",
)  # fmt: skip
"""What the equations divide by, or what a tyre cannot be without."""

NOT_ZERO = ("PCX1", "PCY1", "LCX", "LCY", "LMUY", "PKY2")
"""What the equations divide by, of either sign."""

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
