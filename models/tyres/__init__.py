"""Tyres beside TMeasy: the Magic Formula of property files (``.tir``), simple models, fitting.

>>> from ce_dynamics.models import tyres
>>> tyre = tyres.MagicFormula.read("car.tir")  # doctest: +SKIP
>>> tyre(Fz=4000.0, alpha=[-0.05, 0.0, 0.05], Vx=20.0).Fy  # doctest: +SKIP

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ce_dynamics.algebra.lazy_names import lazy_names

if TYPE_CHECKING:
    from ce_dynamics.models.tyres.contract import TyreModel as TyreModel
    from ce_dynamics.models.tyres.element import RoadTyre as RoadTyre
    from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients as Coefficients
    from ce_dynamics.models.tyres.magic_formula.contact_mass import ContactMassTyre as ContactMassTyre
    from ce_dynamics.models.tyres.magic_formula.on_road import MagicFormulaTyre as MagicFormulaTyre
    from ce_dynamics.models.tyres.magic_formula.outputs import Outputs as Outputs
    from ce_dynamics.models.tyres.magic_formula.reader import (
        TyreFile as TyreFile,
        read_tyre_file as read_tyre_file,
    )
    from ce_dynamics.models.tyres.magic_formula.tyre import MagicFormula as MagicFormula
    from ce_dynamics.models.tyres.simple.brush import BrushTyre as BrushTyre
    from ce_dynamics.models.tyres.simple.fiala import FialaTyre as FialaTyre
    from ce_dynamics.models.tyres.simple.fit import (
        MeasuredPoints as MeasuredPoints,
        TyreFit as TyreFit,
        fit as fit,
    )
    from ce_dynamics.models.tyres.simple.linear import LinearTyre as LinearTyre
    from ce_dynamics.models.tyres.simple.pac89 import Pac89Tyre as Pac89Tyre
    from ce_dynamics.models.tyres.simple.tmsimple import TMsimpleTyre as TMsimpleTyre
    from ce_dynamics.models.tyres.tmeasy import TMeasyTyre as TMeasyTyre

__getattr__, __dir__, __all__ = lazy_names({"Fit": "TyreFit", "Points": "MeasuredPoints"})
