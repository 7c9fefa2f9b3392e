"""Exact derivatives of anything by anything, of reactions, and where other quantities are kept constant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, array, concatenate
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.analysis.points import Frame, Point
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiled.observed import observe
from ce_dynamics.compiled.state_arguments import StateArguments, Unpack, state_given, takes_state
from ce_dynamics.dynamics.outward import axes
from ce_dynamics.dynamics.reactions import trace_reactions
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.couplings.base import Coupled

RATE = "rate of "  # before the name of a state: its time derivative

SINGULAR = 1e-11  # smallest singular value, over the largest, of what is adjusted on what is kept that counts


@dataclass(frozen=True, eq=False)
class Derivatives:
    """Derivatives of quantities by variables.

    Attributes
    ----------
    values : (k,) array
        The quantities; NaN for the rotations of a frame, which are small ones.
    matrix : (k, m) array
    of, by : tuples of str
        Names of rows and columns.
    """

    values: Floats
    matrix: Floats
    of: tuple[str, ...]
    by: tuple[str, ...]

    def entry(self, of: str, by: str) -> float:
        """Return one derivative by names.

        Raises
        ------
        ModelError
            If a name is unknown.
        """
        for name, known in ((of, self.of), (by, self.by)):
            if name not in known:
                raise ModelError(f"no {name!r} among these derivatives; known are {list(known)}")
        return float(self.matrix[self.of.index(of), self.by.index(by)])


@takes_state("of", "by", "y", "u")
def derivatives(
    model: CompiledSystem,
    of: Iterable[str | Point | Frame] | str | Point | Frame,
    by: Iterable[str] | str,
    *here: ArrayLike | None,
    keeping: Iterable[str] | str = (),
    adjusting: Iterable[str] | str = (),
    **named: Unpack[StateArguments],
) -> Derivatives:
    """Return exact derivatives of named quantities by states, inputs and free parameters.

    Parameters
    ----------
    of : names, points or frames
        Outputs (``output_entries``), states, ``rate of <state>``, points (`Model.point`, three coordinates)
        and frames (`Model.frame`, three small rotations and three coordinates).
    by : iterable of str, or str
        States, inputs and free parameters (``layout``).
    q, v, x, u, y : array_like, optional
        State and inputs, see `Model`.
    keeping, adjusting : iterables of str
        Quantities that stay as they are, and as many states or inputs that are changed for it: derivatives
        are then those along the solutions.  Keeping ``rate of …`` at zero differentiates equilibria and
        steady states; keeping an output while a coordinate follows differentiates a curve over that output.

    Raises
    ------
    ModelError
        If a name is unknown, ``keeping`` and ``adjusting`` differ in length, or the adjusted inputs do
        not determine the kept quantities.
    AssemblyError
        If a loop cannot be assembled at the state.

    Examples
    --------
    How far does a weight hang on a spring, by the spring's stiffness?  δ = m g/k, ∂δ/∂k = −m g/k²

    >>> import ce_dynamics as ce
    >>> system = ce.System(gravity=(0, 0, -10.0))
    >>> k = system.add_parameter(ce.Parameter("k", 200.0, "N/m"))
    >>> bob = system.add_body("bob", mass=2.0, com=(0, 0, -1), parent=system.ground,
    ...                       hinge=ce.Prismatic((0, 0, 1)))
    >>> spring = ce.SpringDamper("spring", system.ground, (0, 0, 0), bob, (0, 0, -1), spring=ce.Linear(k))
    >>> system.add_force(spring)
    >>> model = ce.compile(system)
    >>> rest = model.equilibrium().y
    >>> found = model.derivatives("bob", "k", rest, keeping="rate of bob_rate", adjusting="bob")
    >>> round(float(found.values[0]), 9), round(found.entry("bob", "k"), 9)
    (-0.1, 0.0005)
    """
    state, given = state_given(model, *here, **named)
    wanted = quantities_of("derivatives: of", of)
    columns = variables(model, "by", by)
    kept = [keeping] if isinstance(keeping, str) else list(checks.texts("keeping", keeping))
    moved = variables(model, "adjusting", adjusting)
    if len(kept) != len(moved):
        raise ModelError(
            f"derivatives: {len(moved)} variables cannot keep {len(kept)} quantities; name as many of each"
        )
    rows = QuantityRows(model, [*wanted, *kept])
    values, whole = rows.at(state, given)
    n = len(values) - len(kept)
    F, G = whole[:n], whole[n:]
    matrix = F[:, columns]
    if kept:
        sizes = np.linalg.svd(G[:, moved], compute_uv=False)
        if not sizes[-1] > SINGULAR * sizes[0]:
            names = [all_names(model)[k] for k in moved]
            raise ModelError(f"derivatives: adjusting {names} does not determine {kept} here")
        matrix = matrix - F[:, moved] @ np.linalg.solve(G[:, moved], G[:, columns])
    names = all_names(model)
    return Derivatives(values[:n], matrix, tuple(rows.labels[:n]), tuple(names[k] for k in columns))


def all_names(model: CompiledSystem) -> list[str]:
    """Return the names of states, inputs and free parameters, in the order of [y; u]."""
    layout = model.layout
    return [entry.name for entry in (*layout.q, *layout.v, *layout.x, *layout.u)]


def quantities_of(
    what: str, of: Iterable[str | Point | Frame] | str | Point | Frame
) -> list[str | Point | Frame]:
    """Return quantities as a list that is not empty, from one or several."""
    if isinstance(of, (str, Point, Frame)):
        return [of]
    if isinstance(of, (bytes, Mapping)) or not isinstance(of, Iterable):
        raise checks.wrong_type(
            f"{what} {checks.show(of)} must be names, points or frames, or a list of them"
        )
    found = list(of)
    if not found:
        raise ModelError(f"{what}: name what to differentiate")
    return found


def variables(model: CompiledSystem, what: str, names: Iterable[str] | str) -> list[int]:
    """Return places in [y; u]."""
    known = all_names(model)
    found = []
    for name in (names,) if isinstance(names, str) else checks.texts(what, names):
        if name not in known:
            raise ModelError(f"derivatives: {what}: no {name!r}; states, inputs and parameters are {known}")
        found.append(known.index(name))
    return found


class QuantityRows:
    """Stacked quantities, and their derivatives by [y; u]."""

    def __init__(self, model: CompiledSystem, wanted: Sequence[str | Point | Frame]) -> None:
        self.model = model
        self.labels: list[str] = []
        self.entries: list[tuple[str, Frame | None, int]] = []  # kind of a row, its frame, its index there
        states = all_names(model)[: len(model.layout.y0)]
        outputs, rates = [entry.name for entry in model.output_entries], [RATE + name for name in states]
        known: dict[str, tuple[str, int]] = {}
        for kind, names in (("outputs", outputs), ("y", states), ("y_dot", rates)):
            for k, name in enumerate(names):
                known.setdefault(name, (kind, k))
        for each in wanted:
            if isinstance(each, (Point, Frame)):
                frame = each.frame if isinstance(each, Point) else each
                kinds = [("", "point")] if isinstance(each, Point) else [("r", "turn"), ("", "point")]
                for letter, kind in kinds:
                    where = f"of {frame.body.name!r} at {frame.at.tolist()}"
                    self.labels += [f"{letter}{axis} {where}" for axis in "xyz"]
                    self.entries += [(kind, frame, k) for k in range(3)]
            elif each in known:
                self.labels.append(each)
                kind, place = known[each]
                self.entries.append((kind, None, place))
            else:
                raise ModelError(f"derivatives: no quantity {checks.show(each)}; known are {list(known)}")
        self.turns = [row for row, (kind, _, k) in enumerate(self.entries) if kind == "turn" and k == 0]

    def quantities(self, y: Array, u: Array) -> dict[str, Array]:
        """Return z: all rows but rotations, zero there; R: axes of the frames."""
        instant, ground = self.model.instant(y, u), self.model.system.ground
        kinds = {kind for kind, _, _ in self.entries}
        vectors: dict[str, Any] = {
            "y": y,
            "outputs": observe(self.model, y, u)["outputs"] if "outputs" in kinds else (),
            "y_dot": instant.y_dot if "y_dot" in kinds else (),
            "turn": (0.0, 0.0, 0.0),
        }
        z: list[Scalar] = []
        R: list[Scalar] = []
        for kind, frame, place in self.entries:
            if frame is not None and kind == "point":
                z.append(instant.outward.point(frame.body, frame.at, ground).r[place])
            else:
                z.append(vectors[kind][place])
            if frame is not None and kind == "turn" and place == 0:
                R += list(axes(instant.outward, frame.body).ravel())
        return {"z": array(z), "R": array(R)}

    def at(self, state: Floats, given: Floats) -> tuple[Floats, Floats]:
        """Return values, and derivatives by [y; u]."""
        model, name = self.model, f"quantities {self.labels}"
        z, R = model.evaluate_at(name, self.quantities, state, given)

        def by(output: str) -> Floats:
            return model.by_state_and_inputs(model.functions[name].traced, output, state, given)

        J, values = by("z"), z.copy()
        if self.turns:
            dR = by("R").reshape(len(self.turns), 3, 3, -1)
            for k, first in enumerate(self.turns):
                W = np.einsum("ijn,kj->ikn", dR[k], R.reshape(-1, 3, 3)[k])  # dR Rᵀ
                J[first : first + 3] = np.stack((W[2, 1], W[0, 2], W[1, 0]))
                values[first : first + 3] = np.nan
        return values, J


@dataclass(frozen=True, eq=False)
class ReactionDerivatives:
    """Spatial forces [torque; force] and their derivatives.

    Attributes
    ----------
    values : dict of str to (6,) array
        By joint, in world axes, about the point of the body that it acts on [N m], [N].
    derivatives : dict of str to (6, m) array
    by : tuple of str
    """

    values: dict[str, Floats]
    derivatives: dict[str, Floats]
    by: tuple[str, ...]


@takes_state("of", "by", "y", "u")
def reaction_derivatives(
    model: CompiledSystem,
    of: Iterable[str] | str,
    by: Iterable[str] | str,
    *here: ArrayLike | None,
    **named: Unpack[StateArguments],
) -> ReactionDerivatives:
    """Return exact derivatives of reactions by states, inputs and free parameters.

    Parameters
    ----------
    of : iterable of str, or str
        Bodies, for the forces that their inboard hinges transmit to them, and closures, for those on their
        second body: as in `Model.reactions`.
    by : iterable of str, or str
        States, inputs and free parameters (``layout``).
    q, v, x, u, y : array_like, optional
        State and inputs, see `Model`.

    Raises
    ------
    ModelError
        If a name is unknown, or a closure couples coordinates, which has no spatial force.
    AssemblyError
        If a loop cannot be assembled at the state.

    Examples
    --------
    A pendulum at rest hangs on m g, and swinging through the lowest point on m (g + l ω²):

    >>> import ce_dynamics as ce
    >>> system = ce.System(gravity=(0, 0, -10.0))
    >>> m = system.add_parameter(ce.Parameter("m", 2.0, "kg"))
    >>> bob = system.add_body("bob", mass=m, com=(0, 0, -1), parent=system.ground,
    ...                       hinge=ce.Revolute((0, 1, 0)))
    >>> found = ce.compile(system).reaction_derivatives("bob", ["m", "bob_rate"], [0.0, 3.0])
    >>> found.derivatives["bob"][5].round(9)  # g + l ω², 2 m l ω
    array([19., 12.])
    """
    state, given = state_given(model, *here, **named)
    joints = [of] if isinstance(of, str) else list(checks.texts("of", of))
    check_joints(model, joints)
    columns = variables(model, "by", by)
    closures = {edge.name for edge in model.system.closures}

    def transmit(y: Array, u: Array) -> dict[str, Array]:
        found = trace_reactions(model.instant(y, u))
        return {
            "f": concatenate(
                [found.closures[name] if name in closures else found.hinges[name] for name in joints]
            )
        }

    name = f"reactions {joints}"
    (f,) = model.evaluate_at(name, transmit, state, given)
    J = model.by_state_and_inputs(model.functions[name].traced, "f", state, given)[:, columns]
    names = all_names(model)
    return ReactionDerivatives(
        {name: f[6 * k : 6 * k + 6] for k, name in enumerate(joints)},
        {name: J[6 * k : 6 * k + 6] for k, name in enumerate(joints)},
        tuple(names[k] for k in columns),
    )


def check_joints(model: CompiledSystem, joints: list[str]) -> None:
    """Refuse names of no joint, and couplings."""
    edges = {edge.name: edge for edge in model.system.closures}
    bodies = [body.name for body in model.system.bodies]
    for name in joints:
        if name not in edges and name not in bodies:
            raise ModelError(f"reactions: no joint {name!r}; there are {[*bodies, *edges]}")
        if isinstance(edges.get(name), Coupled):
            raise ModelError(
                f"reactions: {name!r} couples coordinates and has no spatial force; name the hinges "
                "that it couples"
            )
    if not joints:
        raise ModelError("reactions: of: name at least one joint")
