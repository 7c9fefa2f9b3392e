"""A linkage given by its loop equations."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, reduce
from typing import Any

import numpy as np
import sympy

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, arctan2, array, cos, maximum, minimum, sin, sqrt
from ce_dynamics.algebra.pivoted_lu import PivotedLU
from ce_dynamics.embedding.linkage import Limits
from ce_dynamics.embedding.motion import HingeMotion, SubgraphMotion
from ce_dynamics.embedding.numeric.linkage import NumericLinkage
from ce_dynamics.errors import ModelError
from ce_dynamics.kinematics.base import ClosedForm, Cut, Joint, Link, expect_hinge, make_loop
from ce_dynamics.kinematics.symbolic.algebra import Algebra, Expr, Unknown
from ce_dynamics.kinematics.symbolic.code import check_coordinates, check_equations, derivatives, function
from ce_dynamics.kinematics.symbolic.elimination import Elimination
from ce_dynamics.kinematics.symbolic.verification import verify_against_closures, verify_design_pose
from ce_dynamics.mechanism.checked import finite_number
from ce_dynamics.mechanism.couplings.base import Coordinate, Coupled
from ce_dynamics.mechanism.couplings.functions import ImplicitCoupling
from ce_dynamics.mechanism.hinges.revolute import Revolute

logger = logging.getLogger(__name__)


class SymbolicLinkage(ClosedForm):
    """Dependent hinges found from loop equations written in SymPy.

    The equations are differentiated for X_S and Ẋ_S θ̇.  Positions come from a closed form where one is found:
    each dependent coordinate from one equation (linear, A cos + B sin = C, quadratic, or whatever
    `sympy.solve` solves), planar dyads from pairs of equations; otherwise from Newton's method on a branch
    table (`NumericLinkage`).  The branch is that of the design pose, in which all coordinates are zero.

    Parameters
    ----------
    joints : sequence of Joint
        Hinges of the spanning tree, carriers before the bodies they carry.
    coordinates : mapping of Symbol to str or (str, int)
        What the symbols mean: a body, whose inboard hinge's coordinate it is, with its number where the hinge
        has several.  Zero in the design pose.
    equations : sequence of expressions
        What must vanish (or `sympy.Eq`), as many as there are dependent coordinates.
    independent : str or sequence of str
        Bodies whose hinges are given; all others are dependent.
    cuts : sequence of Cut
        The closures whose equations these are.  They state the closure of the loop to other formulations, and
        the equations are verified against them.  Without any the equations themselves close the loop.
    parameters : mapping of Symbol to float
        Values of all other symbols.
    name : str, optional
        Used in messages.

    Attributes
    ----------
    closed_form : tuple of str
        How each dependent coordinate is found, in the order of evaluation; empty if numerically.
    X : sympy.Matrix
        X_S = −Φ_d⁻¹ Φ_i, simplified, over ``symbols``: for reading; formed when first read.

    Raises
    ------
    ModelError
        For a symbol without meaning or value, a wrong number of equations, equations that do not hold in the
        design pose or are not those of the closures (the message names them), or that are singular.

    Examples
    --------
    A slider-crank with crank a and rod b:

    >>> import sympy as sp
    >>> import ce_dynamics as ce
    >>> from ce_dynamics.kinematics import Joint, SymbolicLinkage
    >>> theta, phi, x, a, b = sp.symbols("theta phi x a b")
    >>> linkage = SymbolicLinkage(
    ...     joints=[
    ...         Joint("crank", "ground", ce.Revolute((0, 0, 1))),
    ...         Joint("rod", "crank", ce.Revolute((0, 0, 1), at=(0.1, 0, 0))),
    ...         Joint("piston", "ground", ce.Prismatic((1, 0, 0), at=(0.4, 0, 0))),
    ...     ],
    ...     coordinates={theta: "crank", phi: "rod", x: "piston"},
    ...     equations=[
    ...         a * sp.cos(theta) + b * sp.cos(theta + phi) - (a + b + x),
    ...         a * sp.sin(theta) + b * sp.sin(theta + phi),
    ...     ],
    ...     independent="crank",
    ...     parameters={a: 0.1, b: 0.3},
    ... )
    >>> linkage.closed_form
    ('phi: A cos + B sin = C', 'x: linear')
    """

    def __init__(
        self,
        joints: Sequence[Joint],
        coordinates: Mapping[Expr, str | tuple[str, int]],
        equations: Sequence[Expr],
        independent: str | Sequence[str],
        cuts: Sequence[Cut] = (),
        parameters: Mapping[Expr, float] | None = None,
        name: str | None = None,
    ) -> None:
        if name is not None:
            checks.name_of("SymbolicLinkage: name", name)
        linkage = name or "SymbolicLinkage"
        self._joints: tuple[Joint, ...] = checks.instances(f"{linkage}: joints", joints, Joint, "a Joint")
        self._cuts: tuple[Cut, ...] = checks.instances(f"{linkage}: cuts", cuts, Cut, "a Cut")
        if not self._joints:
            raise ModelError(f"{linkage}: joints is empty; give every hinge of the loop")
        given = (independent,) if isinstance(independent, str) else independent
        given = checks.texts(f"{linkage}: independent", given)
        self.owner = name or f"linkage of {(given[0] if given else self._joints[0].body)!r}"
        self._hinges = {joint.body: joint.hinge for joint in self._joints}
        self.coordinates = check_coordinates(coordinates, self._hinges, self.owner)
        if parameters is not None:
            checks.provides(
                f"{self.owner}: parameters", parameters, ("items",), "a mapping of symbols to numbers"
            )
        self.parameters = {
            symbol: finite_number(value, self.owner, f"parameter {symbol}")
            for symbol, value in (parameters or {}).items()
        }
        self.given = given
        self.independent = given[0] if len(given) == 1 and given[0] in self._hinges else None
        self.equations = check_equations(equations, {*self.coordinates, *self.parameters}, self.owner)
        self.determines = tuple(body for body in self._hinges if body not in given)
        self.closes = tuple(cut.name for cut in self._cuts) or self.equation_names
        self._unknowns = {symbol: Unknown(symbol, self._is_angle(symbol)) for symbol in self.coordinates}
        self._dependent = [u for s, u in self._unknowns.items() if self.coordinates[s][0] not in given]
        self._inputs = [u for s, u in self._unknowns.items() if self.coordinates[s][0] in given]
        self._check_numbers()
        self.algebra = Algebra(list(self._unknowns.values()), self.parameters)
        verify_design_pose(self)
        paired = [self.algebra.pair_products(equation) for equation in self.equations]
        self._derivatives = derivatives(self.algebra, self.equations, self._dependent, self._inputs)
        self._check_regular()
        elimination = Elimination(self.algebra, paired, self._dependent)
        self._steps = elimination.steps if not elimination.left else []
        self.closed_form = tuple(f"{step.unknown.symbol}: {step.pattern}" for step in self._steps)
        if elimination.left:
            logger.info("%s: no closed form; solved numerically", self.owner)
        self._compile()
        if self._cuts:
            verify_against_closures(self)

    # Interface of linkages

    def joints(self) -> tuple[Joint, ...]:
        """Return hinges of the spanning tree."""
        return self._joints

    def cuts(self) -> tuple[Cut, ...]:
        """Return the closures that the equations stand for."""
        return self._cuts

    def couplings(self) -> tuple[Link, ...]:
        """Return the equations themselves, where no closure stands for them."""
        return () if self._cuts else self._links()

    def _links(self) -> tuple[Link, ...]:
        owners = tuple(self.coordinates.values())
        return tuple(
            Link(name, owners, ImplicitCoupling(self.residual_of(k)))
            for k, name in enumerate(self.equation_names)
        )

    def _make_numeric(self) -> NumericLinkage:
        """Return the loop equations as couplings of the hinges of bodies of their own."""
        loop, _ = make_loop(self)
        by_name = {body.name: body for body in loop.bodies}
        edges = tuple(
            Coupled(name, tuple(Coordinate(by_name[body], k) for body, k in owners), coupling, ())
            for name, owners, coupling in self._links()
        )
        return NumericLinkage(replace(loop, closures=edges))

    def residual_of(self, k: int) -> Any:
        """Return equation k as a function of all coordinates, in the order of ``coordinates``."""
        arguments = [*self._unknowns, *self.parameters]
        made = function("residual", arguments, (), {"phi": [self.equations[k]]})
        values = list(self.parameters.values())

        def residual(*q: Scalar) -> Scalar:
            return made(*q, *values)["phi"][0]

        return residual

    @cached_property
    def X(self) -> Expr:
        """X_S, simplified: rows for the dependent coordinates, columns for the independent ones."""
        phi = sympy.Matrix(self.equations)
        by_dependent = phi.jacobian([unknown.symbol for unknown in self._dependent])
        by_input = phi.jacobian([unknown.symbol for unknown in self._inputs])
        return sympy.simplify(-(by_dependent.adjugate() * by_input) / sympy.trigsimp(by_dependent.det()))

    # Checks

    @property
    def equation_names(self) -> tuple[str, ...]:
        """Names of the equations, for where they themselves close the loop."""
        return tuple(f"{self.owner}: equation {k + 1}" for k in range(len(self.equations)))

    def _check_numbers(self) -> None:
        for body in self.given:
            if body not in self._hinges:
                raise ModelError(f"{self.owner}: independent body {body!r} is not among its joints")
        missing = [
            f"{body}[{k}]"
            for body in self.determines
            for k in range(self._hinges[body].n_q)
            if (body, k) not in self.coordinates.values()
        ]
        if missing:
            raise ModelError(f"{self.owner}: dependent coordinates {missing} have no symbol")
        if len(self.equations) != len(self._dependent):
            raise ModelError(
                f"{self.owner}: {len(self.equations)} equations for {len(self._dependent)} dependent "
                f"coordinates {[str(u.symbol) for u in self._dependent]}; give as many"
            )

    def _check_regular(self) -> None:
        J = self._derivatives.by_dependent
        at_design = np.array([[self.algebra.at_design(entry) for entry in row] for row in J.tolist()])
        singular = np.linalg.svd(at_design, compute_uv=False) if at_design.size else np.ones(1)
        if not singular[-1] > 1e-9 * singular[0]:
            names = [str(unknown.symbol) for unknown in self._dependent]
            raise ModelError(
                f"{self.owner}: its equations do not determine {names} in the design pose, a dead point or "
                f"equations that depend on each other; move the design pose, or choose other independents"
            )

    def _is_angle(self, symbol: Expr) -> bool:
        body, k = self.coordinates[symbol]
        return self._hinges[body].coordinate_units[k] == "rad"

    # Evaluation

    def _compile(self) -> None:
        J = self._derivatives
        everything = [*self._unknowns.values()]
        generators = [entry for unknown in everything for entry in (unknown.symbol, *unknown.pair)]
        inputs = [entry for unknown in self._inputs for entry in (unknown.symbol, *unknown.pair)]
        symbols = list(self.parameters)
        assignments = [pair for step in self._steps for pair in step.assignments]
        margins = {"margins": [step.margin for step in self._steps if step.margin != 1]}
        outputs = {"q": [a for a, _ in assignments]}
        self._positions = function("positions", [*inputs, *symbols], assignments, outputs | margins)
        jacobians = {"dependent": list(J.by_dependent), "independent": list(J.by_independent)}
        results = jacobians | {"second": J.second}
        self._rows = function("rows", [*generators, *J.rates, *symbols], (), results)
        self._outputs = outputs["q"]
        self._numeric = None if self._steps else self._make_numeric()

    def _input_numbers(self, motion: SubgraphMotion) -> dict[Expr, Scalar]:
        """Return given coordinates with their cosines and sines."""
        numbers: dict[Expr, Scalar] = {}
        for unknown in self._inputs:
            body, k = self.coordinates[unknown.symbol]
            q = motion.coordinates(body)[k]
            numbers[unknown.symbol] = q
            c = motion.hinge_motions[body].c
            if isinstance(motion.hinge(body), Revolute):
                numbers[unknown.c], numbers[unknown.s] = c[0], c[1]
            elif unknown.angle:
                numbers[unknown.c], numbers[unknown.s] = cos(q), sin(q)
            else:
                numbers[unknown.c], numbers[unknown.s] = 1.0, 0.0
        return numbers

    def _solve(self, motion: SubgraphMotion) -> tuple[dict[Expr, Scalar], list[Scalar]]:
        """Return all coordinates with their cosines and sines, and the margins of the closed form."""
        numbers = self._input_numbers(motion)
        found = self._positions(*numbers.values(), *self.parameters.values())
        numbers |= dict(zip(self._outputs, found["q"], strict=True))
        for unknown in self._dependent:
            if unknown.symbol not in numbers:
                numbers[unknown.symbol] = arctan2(numbers[unknown.s], numbers[unknown.c])
            elif unknown.angle:
                q = numbers[unknown.symbol]
                numbers[unknown.c], numbers[unknown.s] = cos(q), sin(q)
            else:
                numbers[unknown.c], numbers[unknown.s] = 1.0, 0.0
        return numbers, found["margins"]

    def solve(self, motion: SubgraphMotion) -> None:
        for name in self.determines:
            expect_hinge(motion, name, self._hinges[name])
        outside = [name for name in self.given if name not in motion.hinge_motions]
        if outside:
            raise ModelError(
                f"{self.owner}: hinges of {outside} are not in its loop, but move beside it in a prescribed "
                f"way; its equations need their coordinates, so close that loop without this linkage"
            )
        if self._numeric is not None:
            self._numeric.solve(motion)
            return
        numbers, _ = self._solve(motion)
        X, eta, bias = self._motion(motion, numbers)
        by_owner = {self.coordinates[u.symbol]: k for k, u in enumerate(self._dependent)}
        for body in self.determines:
            rows = [by_owner[body, k] for k in range(self._hinges[body].n_v)]
            c, q = self._configuration(body, numbers)
            motion.set(body, HingeMotion(c, X[rows], eta[rows], bias[rows], q=q))

    def _configuration(self, body: str, numbers: Mapping[Expr, Scalar]) -> tuple[Array, Array | None]:
        """Return the configuration of a dependent hinge, and its coordinates with their known turns."""
        hinge = self._hinges[body]
        symbols = {k: symbol for symbol, (owner, k) in self.coordinates.items() if owner == body}
        unknowns = [self._unknowns[symbols[k]] for k in range(hinge.n_q)]
        turned = any(unknown.angle and unknown.symbol not in self._outputs for unknown in unknowns)
        if isinstance(hinge, Revolute):
            (x,) = unknowns
            c = array((numbers[x.c], numbers[x.s]))
            return c, None if turned else array((numbers[x.symbol],))
        q = array(numbers[unknown.symbol] for unknown in unknowns)
        return hinge.configuration(q), None if turned else q

    def _motion(self, motion: SubgraphMotion, numbers: Mapping[Expr, Scalar]) -> tuple[Array, Array, Array]:
        """Return X, η and bias of all dependent coordinates, (13) and (14)."""
        given = [motion.coordinate(*self.coordinates[unknown.symbol]) for unknown in self._inputs]
        n, m = len(self._dependent), len(given)
        generators = [
            numbers[entry]
            for unknown in self._unknowns.values()
            for entry in (unknown.symbol, unknown.c, unknown.s)
        ]
        values = list(self.parameters.values())
        rates = [x.rate for x in given]
        first = self._rows(*generators, *[0.0] * n, *rates, *values)
        J = PivotedLU(array(first["dependent"]).reshape(n, n))
        by_input = array(first["independent"]).reshape(n, m)
        columns = array([*x.J, x.drift] for x in given).reshape(m, motion.N + 1)
        moved = J.solve_columns(-(by_input @ columns))  # Φ_d X = −Φ_i
        X, eta = moved[:, : motion.N], moved[:, motion.N]
        v = X @ motion.theta_dot + eta
        second = self._rows(*generators, *v, *rates, *values)["second"]
        accelerations = by_input @ array(x.acceleration for x in given)
        right = array(-(a + b) for a, b in zip(second, accelerations, strict=True))
        return X, eta, J.solve(right)

    def margin(self, motion: SubgraphMotion) -> Scalar:
        if self._numeric is not None:
            return 1.0
        _, margins = self._solve(motion)
        return sqrt(maximum(reduce(minimum, margins, 1.0), 0.0))

    def reach(self) -> tuple[float, float] | None:
        if self._numeric is not None:
            return self._numeric.reach()
        return super().reach()

    def monitor(self) -> Limits:
        return super().monitor() if self._numeric is None else Limits(self._numeric.monitor().ends)
