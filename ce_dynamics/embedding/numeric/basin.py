"""Verifies that Newton's steps from a table of a loop's branch lead to the loop's configuration."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiler import trace
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel
from ce_dynamics.embedding.closures.loop import moving

FARTHEST = 0.05
"""How far the steps may lead from where they begin [rad, or sizes of the loop]: the quadratic terms that they
neglect are then some percent of what they correct, and there is no other configuration in between."""


class Basin:
    """Evaluation of many guesses at once, with the same Newton steps as the compiled code.

    Parameters
    ----------
    kernel : LoopKernel
        Kernel of a loop with one parameter.
    polished : callable
        Dependent coordinates after the steps, from guesses of them and given hinges.
    """

    def __init__(self, kernel: LoopKernel, polished: Callable[..., Array]) -> None:
        self._kernel = kernel
        loop = kernel.loop
        self._scales = kernel.coordinate_scales

        def steps(q: Array, p: Array) -> dict[str, Array]:
            given = moving(kernel.parameters, p)
            found = polished(q, given)
            return {"q": found, "r": loop.residual(found, given, {})}

        sizes = {"q": len(loop.neutral()), "p": len(kernel.p0)}
        self._steps = trace(f"Newton's steps of {loop.name}", steps, sizes)

    def follow_steps(self, theta: Array, guesses: Array) -> tuple[Array, Array]:
        """Return the ends of the steps from guesses (M, n_q) at parameters θ (M,), and a mask of right ends.

        An end is right if all closures hold, redundant ones as well, and the guess was near.
        """
        found = self._steps.evaluate_many(q=guesses, p=np.asarray(theta)[:, np.newaxis])
        still_open = np.max(np.abs(found["r"]), axis=1, initial=0.0)
        return found["q"], (still_open <= self._kernel.tolerance) & self.near(found["q"], guesses, FARTHEST)

    def near(self, a: Array, b: Array, distance: float) -> Array:
        """Return the mask of coordinates that differ by at most ``distance`` [rad, or sizes of the loop]."""
        return np.asarray(np.max(np.abs(a - b) / self._scales, axis=1, initial=0.0) <= distance)
