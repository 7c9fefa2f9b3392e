"""What the user of the suite chooses."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Options:
    """Choices.

    Attributes
    ----------
    quick : bool
        Just see that it runs: few repeats, small sizes.
    native : bool
        Compile the C++ driver of Pinocchio (minutes, the first time).
    prototype : path or None
        The feasibility script that the first budget compares with.
    """

    quick: bool = False
    native: bool = True
    prototype: Path | None = None

    @property
    def rounds(self) -> int:
        """Batches of which the best counts."""
        return 3 if self.quick else 150
