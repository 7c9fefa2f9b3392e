"""All answers of a model together."""

from __future__ import annotations

from ce_dynamics.analysis.configurations import Configurations
from ce_dynamics.analysis.equilibria import Equilibria
from ce_dynamics.analysis.mechanics import Mechanics
from ce_dynamics.analysis.modes import Vibrations
from ce_dynamics.analysis.operational_space import OperationalSpaces
from ce_dynamics.analysis.operators import Operators
from ce_dynamics.analysis.power_balance import PowerBalances


class Analysis(
    Mechanics, Configurations, Equilibria, Vibrations, OperationalSpaces, Operators, PowerBalances
):
    """Answers about a model at one state, each compiled when it is first asked for."""
