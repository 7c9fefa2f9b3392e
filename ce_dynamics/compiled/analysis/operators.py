"""The operators of the paper at one state: M⁻¹ and its factors (3), and (9)-(14) of any aggregated body."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats, checked
from ce_dynamics.compiled.compiled_system import Answers
from ce_dynamics.dynamics.articulated_body import tip_to_base
from ce_dynamics.dynamics.mass_matrix import (
    innovations_factors,
    inverse_mass_matrix,
    shifted_gains,
    solve_mass,
)
from ce_dynamics.dynamics.state import rate_name
from ce_dynamics.dynamics.subgraph import subgraph_operators
from ce_dynamics.embedding.aggregate import Aggregate
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.body import Body


class Innovations(NamedTuple):
    """The innovations factors of the mass matrix, M = L D Lᵀ with L = I + H φ K (3).

    Attributes
    ----------
    L : (n_v, n_v) array
        I + H φ K: unit diagonal, and zero but where one aggregated body carries the other.  L⁻¹ = I − H ψ K.
    D : (n_v, n_v) array
        Block diagonal: D(S) = H(S) P(S) Hᵀ(S) of every aggregated body (4) [kg m²], [kg m] or [kg].
    K : (6 n, n_v) array
        Shifted gains φ(p, S) G(S): six rows [angular; linear] for each of ``bodies``, at its centre of mass
        and in its axes.  Rows of a body are zero but for what hangs on that very body.
    bodies : tuple of str
        All bodies, in the order of the rows of K.
    """

    L: Floats
    D: Floats
    K: Floats
    bodies: tuple[str, ...]


class AggregatedBody(NamedTuple):
    """An aggregated body S at one state; an ordinary body is the case n(S) = 1 with X_S = 1.

    Spatial vectors are [angular; linear], of every body at its centre of mass, in the axes of p; rows and
    columns of 6n(S) follow ``bodies``.

    Attributes
    ----------
    name, parent : str
        S, named after its first body, and p, the body that carries it.
    bodies : tuple of str
        S(S), the n(S) bodies inside, in the order of the spanning tree.
    rates : tuple of str
        Names of the N_f(S) hinge velocities θ̇_S inside S: the rows of X_S.
    independent : tuple of str
        Names of the N(S) independent ones θ̇(S), entries of v: the columns of X_S.
    X : (N_f, N) array
        X_S: θ̇_S = X_S θ̇(S) + η_S (9), (13).
    eta : (N_f,) array
        η_S: hinge velocities that prescribed motion alone causes; zero without it (T5).
    bias : (N_f,) array
        θ̈_S at θ̈(S) = 0: Ẋ_S θ̇(S), with η̇_S where motion is prescribed (11), (14), (T6).
    H_S : (N_f, 6n) array
        Block diagonal of the hinge maps inside S (9).
    phi_S : (6n, 6n) array
        φ_S: rigid shifts along the spanning tree inside S; takes spatial forces towards p (T7).
    H : (N, 6n) array
        H(S) = X_Sᵀ H_S φ_S (9 corrected): the relative spatial velocities of the bodies are Hᵀ(S) θ̇(S).
    phi_p : (6, 6n) array
        φ(p, S) = [φ(p, j₁) … φ(p, j_n)] (10).
    a : (6n,) array
        a(S): accelerations at θ̈(S) = 0 that S adds to that of p (11 corrected), Coriolis terms included.
    M : (6n, 6n) array
        M(S) = diag M(j) (9): spatial inertias about the centres of mass.  Of a body that cannot turn on its
        carrier in S, the rotational inertia counts there, which changes no sum.
    Y : (rows, N_f) array
        Closure Jacobian (12): velocity errors of the closures are Y θ̇_S and a part that siblings move.
        Y X_S = 0.
    closures : tuple of str
        Names of the cut edges that S absorbs.
    """

    name: str
    parent: str
    bodies: tuple[str, ...]
    rates: tuple[str, ...]
    independent: tuple[str, ...]
    X: Floats
    eta: Floats
    bias: Floats
    H_S: Floats
    phi_S: Floats
    H: Floats
    phi_p: Floats
    a: Floats
    M: Floats
    Y: Floats
    closures: tuple[str, ...]


class Operators(Answers):
    """Spatial operators of a model at one state, as the paper has them."""

    def inverse_mass_matrix(
        self, q: ArrayLike, u: ArrayLike | None = None, x: ArrayLike | None = None
    ) -> Floats:
        """M⁻¹(θ) = (I − H ψ K)ᵀ D⁻¹ (I − H ψ K) (3), (n_v, n_v), without forming or inverting M.

        Parameters
        ----------
        q : array_like
            Coordinates.
        u, x : array_like, optional
            Inputs (with free parameters) and first-order states, which may move prescribed hinges; their
            defaults and initial values if not given.

        Raises
        ------
        AssemblyError
            If a loop cannot be assembled there.

        See Also
        --------
        solve_mass : M⁻¹ T for given T, in O(N).

        Examples
        --------
        >>> import ce_dynamics as ce
        >>> system = ce.System()
        >>> rod = system.add_body("rod", mass=3.0, com=(0.5, 0, 0), inertia=(0, 0.25, 0.25),
        ...                       parent=system.ground, hinge=ce.Revolute(axis=(0, 1, 0)))
        >>> ce.compile(system).inverse_mass_matrix([0.3])  # a third of m l²
        array([[1.]])
        """

        def function(q: Array, x: Array, u: Array) -> Mapping[str, Array]:
            outward = self._instant(q, np.zeros(self._sizes["v"]), x, u).outward
            return {"inverse": inverse_mass_matrix(outward, tip_to_base(outward, {}, {}))}

        return self._at_rest("inverse_mass_matrix", function, q, u, x)[0]

    def solve_mass(
        self, q: ArrayLike, T: ArrayLike, u: ArrayLike | None = None, x: ArrayLike | None = None
    ) -> Floats:
        """M⁻¹(θ) T by one sweep to the base and one back, (6) and (7) without velocity terms: O(N).

        Accelerations that generalised forces cause, or changes of velocity that generalised impulses cause.

        Parameters
        ----------
        q : array_like
            Coordinates.
        T : (n_v,) or (n_v, k) array_like
            Generalised forces [N m], [N], or columns of them.
        u, x : array_like, optional
            As for `inverse_mass_matrix`.

        Returns
        -------
        array shaped like T

        Raises
        ------
        ModelError
            If T has not n_v rows, or is not finite.
        AssemblyError
            If a loop cannot be assembled there.
        """
        n_v = self._sizes["v"]
        forces = np.asarray(T, dtype=float)
        if forces.ndim not in (1, 2) or len(forces) != n_v or not np.all(np.isfinite(forces)):
            raise ModelError(f"T must be {n_v} finite numbers, or columns of them; got shape {forces.shape}")

        def function(q: Array, x: Array, u: Array, T: Array) -> Mapping[str, Array]:
            outward = self._instant(q, np.zeros(n_v), x, u).outward
            return {"response": solve_mass(outward, tip_to_base(outward, {}, {}), T)}

        columns = forces.reshape(n_v, -1).T
        answers = [self._at_rest("solve_mass", function, q, u, x, T=column)[0] for column in columns]
        return np.array(answers).reshape(len(columns), n_v).T.reshape(forces.shape)

    def innovations(
        self, q: ArrayLike, u: ArrayLike | None = None, x: ArrayLike | None = None
    ) -> Innovations:
        """The factors L = I + H φ K and D of M = L D Lᵀ, and the gains K (3).

        Parameters
        ----------
        q : array_like
            Coordinates.
        u, x : array_like, optional
            As for `inverse_mass_matrix`.

        Raises
        ------
        AssemblyError
            If a loop cannot be assembled there.

        Examples
        --------
        >>> import ce_dynamics as ce
        >>> system = ce.System()
        >>> inner = system.add_body("inner", mass=1.0, com=(1, 0, 0), parent=system.ground,
        ...                         hinge=ce.Revolute(axis=(0, 0, 1)))
        >>> outer = system.add_body("outer", mass=1.0, com=(2, 0, 0), parent=inner,
        ...                         hinge=ce.Revolute(axis=(0, 0, 1), at=(1, 0, 0)))
        >>> L, D, K, bodies = ce.compile(system).innovations([0.0, 0.0])
        >>> L  # one unit of the outer rate is worth two of the inner one ...
        array([[1., 2.],
               [0., 1.]])
        >>> D  # ... in which case the inner arm feels only itself: the outer one swings freely
        array([[1., 0.],
               [0., 1.]])
        """

        def function(q: Array, x: Array, u: Array) -> Mapping[str, Array]:
            outward = self._instant(q, np.zeros(self._sizes["v"]), x, u).outward
            nodes = tip_to_base(outward, {}, {})
            return {**innovations_factors(outward, nodes)._asdict(), "K": shifted_gains(outward, nodes)}

        L, D, K = self._at_rest("innovations", function, q, u, x)
        return Innovations(L, D, K, tuple(body.name for body in self.system.bodies))

    def aggregated_body(
        self, body: Body | str, y: ArrayLike | None = None, u: ArrayLike | None = None
    ) -> AggregatedBody:
        """X_S, η_S, Ẋ_S θ̇(S), H(S), φ_S and the rest of (9)-(14) of the aggregated body that a body is in.

        Parameters
        ----------
        body : Body or str
            Any body of S.
        y, u : array_like, optional
            State, and inputs with free parameters; the initial state and defaults if not given.

        Raises
        ------
        ModelError
            If there is no such body, or it is the ground.
        AssemblyError
            If a loop cannot be assembled at the state.

        Examples
        --------
        A slider-crank, at right angles: the rod does not turn, the slider has the crank pin's speed.

        >>> import ce_dynamics as ce
        >>> z = (0, 0, 1)
        >>> s = ce.System()
        >>> crank = s.add_body("crank", mass=1.0, com=(0, 0.5, 0), parent=s.ground, hinge=ce.Revolute(z))
        >>> rod = s.add_body("rod", mass=1.0, com=(1, 0.5, 0), parent=crank,
        ...                  hinge=ce.Revolute(z, at=(0, 1, 0)))
        >>> slider = s.add_body("slider", mass=1.0, com=(2, 0, 0), parent=s.ground,
        ...                     hinge=ce.Prismatic((1, 0, 0), at=(2, 0, 0)))
        >>> _ = s.close_loop("pin", rod, slider, ce.Revolute(z, at=(2, 0, 0)), independent=[crank])
        >>> S = ce.compile(s).aggregated_body("rod", [0.0, 1.0])
        >>> dict(zip(S.rates, S.X[:, 0].round(9).tolist()))
        {'crank_rate': 1.0, 'rod_rate': -1.0, 'slider_rate': -1.0}
        >>> S.bias.round(9)  # rad/s², rad/s², m/s²
        array([0. , 0.5, 0.5])
        """
        found = self.system.find(body)
        if found.is_ground:
            raise ModelError("the ground is in no aggregated body; name another body")
        S = self.embedding.owner[found.name]

        def function(y: Array, u: Array) -> Mapping[str, Array]:
            return subgraph_operators(self.instant(y, u).outward, S)._asdict()

        state, given = self._state(y), self._inputs(u)
        function_of_S = self._function(f"aggregated body {S.name}", function, self._sizes_of("y", "u"))
        answers = function_of_S(state, given)
        self.refuse_not_finite(state, given, *answers)
        operators = dict(zip(function_of_S.output_shapes, answers, strict=True))
        return AggregatedBody(
            name=S.name,
            parent=S.parent.name,
            bodies=tuple(j.name for j in S.bodies),
            rates=tuple(name for j in S.bodies for name in rates_of(j)),
            independent=independent_rates(S),
            closures=tuple(loop.name for loop in S.closures),
            **operators,
        )

    def _at_rest(
        self,
        name: str,
        function: Callable[..., Mapping[str, Array]],
        q: ArrayLike,
        u: ArrayLike | None,
        x: ArrayLike | None,
        **others: Floats,
    ) -> tuple[Floats, ...]:
        """The outputs of a function of the configuration."""
        layout, sizes = self.layout, self._sizes_of("q", "x", "u")
        x0 = layout.split(layout.y0)[2]
        given = {"q": checked("q", q, sizes["q"]), "x": checked("x", x0 if x is None else x, sizes["x"])}
        given |= {"u": self._inputs(u), **others}
        sizes |= {key: len(value) for key, value in others.items()}
        answers = self._function(name, function, sizes)(*given.values())
        y = np.concatenate((given["q"], np.zeros(self._sizes["v"]), given["x"]))
        self.refuse_not_finite(y, given["u"], *answers)
        return answers


def rates_of(body: Body) -> list[str]:
    """Names of the velocities of a body's hinge."""
    hinge = body.inboard
    return [rate_name(body.name, suffix, hinge.coordinate_names) for suffix in hinge.velocity_names]


def independent_rates(S: Aggregate) -> tuple[str, ...]:
    """Names of the independent velocities of S."""
    return tuple(name for body in S.independent for name in rates_of(body))
