"""Derivatives of eigenvalues: how frequencies and damping change with parameters, along equilibria.

With right and left eigenvectors A v = λ v, wᴴ A = λ wᴴ a simple eigenvalue of A(y, p) = ∂ẏ/∂y changes by

    dλ = wᴴ dA v/(wᴴ v),    dA v = ∂²ẏ/∂y∂(y, p) [v, (dy, dp)],

the second derivative from forward mode of forward mode.  At rest dy follows from A dy = −∂ẏ/∂p dp.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.analysis.derivatives import all_names, variables
from ce_dynamics.compiled.analysis.linearization import linearize
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiled.state_arguments import StateArguments, Unpack, state_given, takes_state
from ce_dynamics.compiler import CompiledFunction, trace
from ce_dynamics.compiler.derivatives.forward_mode import directional_derivative
from ce_dynamics.compiler.tracing.inline import call
from ce_dynamics.errors import ModelError

ZERO = 1e-7
"""Part of the largest eigenvalue below which one is a neutral motion, whatever rounding makes of it."""
REPEATED = 1e-6  # |wᴴ v| of unit vectors below which an eigenvalue is a multiple one, which has no derivative
BALANCED = 1e-7  # part of what a parameter does to ẏ that may be left when the equilibrium moves along


@dataclass(frozen=True, eq=False)
class EigenvalueDerivatives:
    """Eigenvalues of small motions and their derivatives.

    Attributes
    ----------
    eigenvalues : (k,) complex array
        Those of neutral motions left out, of pairs the one with the positive imaginary part; slow ones first
        [1/s].
    matrix : (k, m) complex array
        ∂λ/∂p; NaN of multiple eigenvalues.
    by : tuple of str
    """

    eigenvalues: NDArray[np.complex128]
    matrix: NDArray[np.complex128]
    by: tuple[str, ...]

    @property
    def frequency(self) -> Floats:
        """|λ|/2π [Hz]."""
        return np.abs(self.eigenvalues) / (2.0 * np.pi)

    @property
    def frequency_by(self) -> Floats:
        """Derivatives of the frequencies, (k, m)."""
        size = np.abs(self.eigenvalues)[:, np.newaxis]
        return np.asarray(
            (np.conj(self.eigenvalues)[:, np.newaxis] * self.matrix).real / (2.0 * np.pi * size)
        )

    @property
    def damping_ratio(self) -> Floats:
        """−Re λ/|λ|."""
        return np.asarray(-self.eigenvalues.real / np.abs(self.eigenvalues))

    @property
    def damping_ratio_by(self) -> Floats:
        """Derivatives of the damping ratios, (k, m)."""
        size = np.abs(self.eigenvalues)[:, np.newaxis]
        grown = 2.0 * np.pi * self.frequency_by  # of |λ|
        return np.asarray(-(self.matrix.real + self.damping_ratio[:, np.newaxis] * grown) / size)


@takes_state("by", "y", "u")
def eigenvalue_derivatives(
    model: CompiledSystem,
    by: Iterable[str] | str,
    *here: ArrayLike | None,
    at_rest: bool = True,
    **named: Unpack[StateArguments],
) -> EigenvalueDerivatives:
    """Return exact derivatives of the eigenvalues of small motions.

    Parameters
    ----------
    by : iterable of str, or str
        Free parameters, inputs; with ``at_rest=False`` states too.
    q, v, x, u, y : array_like, optional
        State and inputs, see `Model`.
    at_rest : bool
        The state is an equilibrium (or a steady state) and follows, such that ẏ does not change; otherwise it
        stays where it is.

    Raises
    ------
    ModelError
        If a name is unknown, or no change of the state balances that of a parameter.

    Examples
    --------
    A mass on a spring and a damper: λ² + (c/m) λ + k/m = 0, so that ∂λ/∂k = −1/(2 m λ + c)

    >>> import ce_dynamics as ce
    >>> system = ce.System(gravity=(0, 0, -9.81))
    >>> k = system.add_parameter(ce.Parameter("k", 100.0, "N/m"))
    >>> mass = system.add_body("mass", mass=2.0, parent=system.ground, hinge=ce.Prismatic((0, 0, 1)))
    >>> system.add_force(ce.TorsionSpringDamper("spring", mass, spring=ce.Linear(k), damper=4.0))
    >>> model = ce.compile(system)
    >>> found = model.eigenvalue_derivatives("k", model.equilibrium().y)
    >>> found.eigenvalues.round(9), found.matrix.imag.round(6)
    (array([-1.+7.j]), array([[0.035714]]))
    """
    checks.flag("at_rest", at_rest)
    state, given = state_given(model, *here, **named)
    places, n = variables(model, "by", by), len(model.layout.y0)
    names = all_names(model)
    if at_rest and any(k < n for k in places):
        moved = [names[k] for k in places if k < n]
        raise ModelError(
            f"eigenvalues: {moved} follow from the equilibrium; take at_rest=False, or parameters"
        )
    linear = linearize(model, state, u=given)
    values, W, V = eigenvectors(linear.A)
    second = second_derivative(model)
    matrix = np.full((len(values), len(places)), np.nan + 0j)
    for column, k in enumerate(places):
        dy, du = np.zeros(n), np.zeros(len(given))
        if k < n:
            dy[k] = 1.0
        else:
            du[k - n] = 1.0
            dy = following(linear.A, linear.B[:, k - n], names[k]) if at_rest else dy
        for row, (left, right) in enumerate(zip(W.T, V.T, strict=True)):
            overlap = np.vdot(left, right)
            if abs(overlap) > REPEATED:
                (re,), (im,) = (second(state, given, part, dy, du) for part in (right.real, right.imag))
                matrix[row, column] = np.vdot(left, re + 1j * im) / overlap
    return EigenvalueDerivatives(values, matrix, tuple(names[k] for k in places))


def eigenvectors(A: Floats) -> tuple[NDArray[np.complex128], Any, Any]:
    """Return reported eigenvalues with left and right vectors of unit length in columns."""
    import scipy.linalg  # here, because few models need it

    found: Any = scipy.linalg.eig(A, left=True, right=True)
    values, W, V = found
    size = np.abs(values)
    kept = np.flatnonzero((size > ZERO * size.max(initial=0.0)) & (values.imag >= 0.0))
    kept = kept[np.argsort(size[kept], kind="stable")]
    return values[kept], W[:, kept], V[:, kept]


def following(A: Floats, b: Floats, name: str) -> Floats:
    """Return the least dy with A dy = −b."""
    dy = np.linalg.lstsq(A, -b, rcond=1e-11)[0]
    left = float(np.max(np.abs(A @ dy + b), initial=0.0))
    if not left <= BALANCED * max(float(np.max(np.abs(b))), 1e-300):
        raise ModelError(
            f"eigenvalues: no motion of the state balances what {name!r} does; is it an equilibrium?  With "
            "at_rest=False the state stays where it is"
        )
    return np.asarray(dy)


def second_derivative(model: CompiledSystem) -> CompiledFunction:
    """Return the function ∂²ẏ/∂y∂(y, u) [v, (dy, du)] of y, u, v, dy, du."""
    sizes = model.sizes_of("y", "u")

    def change(y: Array, u: Array, v: Array, dy: Array, du: Array) -> dict[str, Array]:
        first = directional_derivative(model.dynamics.traced)
        none = np.zeros(sizes["u"])

        def product(y: Array, u: Array, v: Array) -> dict[str, Array]:
            return {"Av": call(first, y=y, u=u, y_direction=v, u_direction=none)["y_dot_direction"]}

        second = directional_derivative(trace("A v", product, {**sizes, "v": sizes["y"]}))
        zero = np.zeros(sizes["y"])
        found = call(second, y=y, u=u, v=v, y_direction=dy, u_direction=du, v_direction=zero)
        return {"dAv": found["Av_direction"]}

    others = {"v": sizes["y"], "dy": sizes["y"], "du": sizes["u"]}
    return model.function("change of A v", change, {**sizes, **others})
