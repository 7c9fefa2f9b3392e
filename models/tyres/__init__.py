"""Tyres of other descriptions than TMeasy: the Magic Formula of property files (``.tir``) and simpler ones.

Public names: `MagicFormula`, `Outputs`, `read_tyre_file`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce_dynamics.algebra.lazy_names import lazy_names

if TYPE_CHECKING:
    from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients as Coefficients
    from ce_dynamics.models.tyres.magic_formula.outputs import Outputs as Outputs
    from ce_dynamics.models.tyres.magic_formula.reader import (
        TyreFile as TyreFile,
        read_tyre_file as read_tyre_file,
    )
    from ce_dynamics.models.tyres.magic_formula.tyre import MagicFormula as MagicFormula

__getattr__, __dir__, __all__ = lazy_names()
