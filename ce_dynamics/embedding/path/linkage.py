"""Loop kinematics along the curve of configurations: a loop with one freedom turns through its dead centres.

The independent coordinate is the position s on the curve.  X_S = dθ_S/ds is the tangent of the curve, which
is regular wherever the curve is: where a crank and its rod are in line, where all bars of a parallelogram
are.  Nothing is solved at run time; the closures hold to rounding because the series do.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ce_dynamics.algebra.arrays import zeros
from ce_dynamics.compiler.progress import at_work
from ce_dynamics.embedding.closures.assembly import assemble
from ce_dynamics.embedding.closures.compiled_closures import LoopKernel
from ce_dynamics.embedding.closures.leading import LoopNumber, coordinate_body
from ce_dynamics.embedding.closures.loop import Loop, has_own_velocities
from ce_dynamics.embedding.closures.nearby_pose import refuse_contradiction
from ce_dynamics.embedding.linkage import Linkage
from ce_dynamics.embedding.motion import HingeMotion, SubgraphMotion
from ce_dynamics.embedding.path.curve import LoopCurve, follow_curve, null_vector
from ce_dynamics.embedding.path.table import PathTable, make_table
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body


class PathHinge(LoopNumber):
    """The position along the path of a loop's configurations."""


def path_body(parent: Body, first: Body) -> Body:
    """Return the virtual body of the path coordinate, for the aggregated body that begins with ``first``."""
    return coordinate_body("path", parent, first, PathHinge)


AT_REST = 1e-9
"""Rate along the curve [rad, or sizes of the loop] that counts as none."""


class PathLinkage(Linkage):
    """All hinges of an aggregated body with one freedom, from its path coordinate.

    Parameters
    ----------
    loop : Loop
        With all hinges dependent.
    forward : Body, optional
        Hinge whose first coordinate increases with s in the design pose; the first that moves if not given.

    Attributes
    ----------
    coordinate : Body
        What stands for the path coordinate.
    kernel : LoopKernel
        The closures over all hinges.

    Raises
    ------
    AssemblyError
        If the closures do not hold in the design pose and cannot be made to.
    ModelError
        If the geometry of the loop has free parameters.
    """

    def __init__(self, loop: Loop, forward: Body | None = None) -> None:
        if loop.has_free_geometry:
            raise ModelError(
                f"the loop of {loop.name!r}: its geometry depends on free parameters, and the curve it moves "
                "on cannot stay open; give numbers, or name an independent coordinate instead of the path's"
            )
        self.loop = loop
        self.coordinate = path_body(loop.parent, loop.bodies[0])
        self.determines = tuple(body.name for body in loop.dependent)
        self.closes = tuple(closure.name for closure in loop.closures)
        self.kernel = LoopKernel(loop, ())
        self.q0 = assemble(self.kernel)
        refuse_contradiction(self.kernel, self.q0)
        self._forward = forward

    # What is computed once

    @cached_property
    def curve(self) -> LoopCurve:
        """The curve through the design pose."""
        kernel = self.kernel
        _, Y = kernel(self.q0, kernel.p0)
        t, _ = null_vector(kernel.scale_columns(Y))
        owners = [body for body in self.loop.dependent for _ in range(body.inboard.n_v)]
        moving = [k for k in range(len(t)) if abs(t[k]) > AT_REST]
        named = [k for k in moving if owners[k] is self._forward]
        first = (named or moving)[0]
        return follow_curve(kernel, self.q0, np.eye(len(t))[first])

    @cached_property
    def table(self) -> PathTable:
        """Coordinates along the curve; made when first needed."""
        with at_work(f"tabulating the path of the loop {', '.join(self.closes)}"):
            return make_table(self.curve)

    def reach(self) -> tuple[float, float]:
        """Interval of the path coordinate; infinite where the curve is closed."""
        return self.table.coordinates.lower, self.table.coordinates.upper

    # What is evaluated, on floats or traced scalars

    @property
    def how(self) -> str:
        return "along the path of its configurations"

    def solve(self, motion: SubgraphMotion) -> None:
        s = motion.hinge_motions[self.coordinate.name].c[0]
        s_dot = motion.theta_dot[0]
        q = self.table.coordinates.evaluate(s)
        v = None if self.table.velocities is None else self.table.velocities.evaluate(s)
        q_start = v_start = 0
        for body in self.loop.dependent:
            hinge = body.inboard
            q_part = slice(q_start, q_start + hinge.n_q)
            q_start = q_part.stop
            if has_own_velocities(hinge):
                assert v is not None
                v_part = slice(v_start, v_start + hinge.n_v)
                X, X_prime = v.value[v_part], v.first[v_part]
                v_start = v_part.stop
            else:
                X, X_prime = q.first[q_part], q.second[q_part]
            c = hinge.configuration(q.value[q_part])
            # θ̇_S = X ṡ and θ̈_S = X s̈ + X' ṡ²
            bias = X_prime * (s_dot * s_dot)
            motion.set(body.name, HingeMotion(c, X.reshape(-1, 1), zeros(hinge.n_v), bias, q=q.value[q_part]))
