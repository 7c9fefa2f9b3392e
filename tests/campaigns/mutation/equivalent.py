"""Mutants that no test can tell from the source: other mutants are drawn in their place.

Every entry names the line as it is and as the mutant has it: once the line is another, the entry means
nothing and is to be taken out (`python -m tests.campaign mutation --list` says which do).
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tests.campaigns.mutation.mutants import Difference, Mutant


class Equivalent(NamedTuple):
    """A mutant, and why what it computes is the same."""

    source: str
    before: str
    after: str
    why: str

    def holds(self, checkout: Path) -> bool:
        """Return True if the line is unchanged."""
        path = checkout / self.source
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        return self.before in (line.strip() for line in lines)


EQUIVALENT = (
    Equivalent(
        "ce_dynamics/simulation/integrators/batch.py",
        "self.march(np.zeros(0), 1, settings.step, np.empty((0, n * lanes)))  # compiles the loop",
        "self.march(np.zeros( 1), 1, settings.step, np.empty((0, n * lanes)))  # compiles the loop",
        "the call makes as many intervals as the last argument has rows: none, whatever times are given",
    ),
    Equivalent(
        "ce_dynamics/simulation/integrators/pair_kernels.py",
        "if wanted <= 1e-14 * max(abs(t), abs(t_end)) or not h > 0.0:",
        "if wanted <= 1e-14 * max(abs(t), abs(t_end)) or not h > -1.0:",
        "h is the wanted step, which the first half refuses unless it is positive, or what is left of the "
        "interval, which is positive as well: only NaN is refused by the second half",
    ),
    Equivalent(
        "kinematics/symbolic/verification.py",
        "outside[name] = Body(name, 0.0, parent.com, np.zeros((3, 3)), None, None)",
        "outside[name] = Body(name, 1.0, parent.com, np.zeros((3, 3)), None, None)",
        "of this body only places are asked, never its mass",
    ),
    Equivalent(
        "ce_dynamics/contact/conditions.py",
        "columns, values = np.empty(2 * n * m, np.int64), np.empty(2 * n * m)",
        "columns, values = np.empty( 3 * n * m, np.int64), np.empty(2 * n * m)",
        "places of an array beyond the last entry that `starts` tells of are never read",
    ),
    Equivalent(
        "ce_dynamics/contact/contact.py",
        "if self.spinning > 0.0:",
        "if self.spinning != 0.0:",
        "`ContactLaw.check` refuses negative lengths",
    ),
)


def stale(checkout: Path) -> list[Equivalent]:
    """Entries whose line is no longer as it was."""
    return [one for one in EQUIVALENT if not one.holds(checkout)]


def known(mutant: Mutant, made: Difference) -> bool:
    """Return True if a mutant is listed as equivalent."""
    return any((one.source, one.before, one.after) == (str(mutant.source), *made) for one in EQUIVALENT)
