"""Selects the parts of the Magic Formula to evaluate."""

from __future__ import annotations

from dataclasses import dataclass

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError


@dataclass(frozen=True)
class Mode:
    """Selection of the parts of the Magic Formula to evaluate.

    Attributes
    ----------
    limits : bool
        Inputs are held within the ranges of the file, and slips are reduced below VXLOW.
    star : bool
        α* = tan α and γ* = sin γ (4.E3), (4.E4) instead of the angles: for large angles, and backwards.
    turn_slip : bool
        The effects of spin are included.
    least_load : bool
        With limits: moments and radii are those of at least the load FZMIN, as MFeval has them.  They then
        jump where the wheel lifts off.
    low_speed : bool
        With limits: slips are reduced below VXLOW.  Off where states keep slips finite.
    """

    limits: bool = True
    star: bool = False
    turn_slip: bool = False
    least_load: bool = True
    low_speed: bool = True

    @classmethod
    def of(cls, use_mode: int) -> Mode:
        """The mode of a three-digit number as MFeval and MF-Tyre's MATLAB interface use it.

        Parameters
        ----------
        use_mode : int
            Hundreds 1: within limits, 2: without; tens 1: angles, 2: α* and γ*; units 1: combined slip, 2:
            with turn slip.
        """
        number = checks.integer("use_mode", use_mode, error=DataError)
        digits = divmod(number // 10, 10) + (number % 10,)
        if any(digit not in (1, 2) for digit in digits):
            raise DataError(
                f"use_mode {number}: each of its three digits is 1 or 2 (1..: within the limits of the file, "
                "2..: without; .1.: angles, .2.: tan α and sin γ; ..1: combined slip, ..2: with turn slip)"
            )
        return cls(limits=digits[0] == 1, star=digits[1] == 2, turn_slip=digits[2] == 2)

    @property
    def use_mode(self) -> int:
        """The three-digit number."""
        return 100 * (1 if self.limits else 2) + 10 * (1 + self.star) + 1 + self.turn_slip
