"""All answers of a model together."""

from __future__ import annotations

from ce_dynamics.compiled.analysis.configurations import Configurations
from ce_dynamics.compiled.analysis.equilibria import Equilibria
from ce_dynamics.compiled.analysis.mechanics import Mechanics
from ce_dynamics.compiled.analysis.modes import Vibrations
from ce_dynamics.compiled.analysis.operational_space import OperationalSpaces
from ce_dynamics.compiled.analysis.operators import Operators
from ce_dynamics.compiled.analysis.power_balance import PowerBalances


class Analysis(
    Mechanics, Configurations, Equilibria, Vibrations, OperationalSpaces, Operators, PowerBalances
):
    """Answers about a model at one state, each compiled when it is first asked for."""
