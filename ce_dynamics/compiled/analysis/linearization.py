"""The exact linearisation of a model about one state, and derivatives by its free parameters."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiled.observed import observe
from ce_dynamics.compiled.state_arguments import StateArguments, Unpack, state_given, takes_state
from ce_dynamics.compiler import CompiledFunction
from ce_dynamics.errors import ModelError


@dataclass(frozen=True, eq=False)
class LinearModel:
    """ẏ ≈ ẏ₀ + A (y − y₀) + B (u − u₀) and z ≈ z₀ + C (y − y₀) + D (u − u₀), all derivatives exact.

    Unpacks as ``A, B, y_dot = linear``.

    Attributes
    ----------
    A, B : (n, n), (n, m) arrays
        ∂ẏ/∂y and ∂ẏ/∂u.
    y_dot : (n,) array
        ẏ₀.
    C, D : (k, n), (k, m) arrays
        ∂z/∂y and ∂z/∂u of the selected outputs z.
    z : (k,) array
        z₀.
    states, inputs, outputs : tuples of str
        Names of the entries of y, u (free parameters last) and z.
    """

    A: Floats
    B: Floats
    y_dot: Floats
    C: Floats
    D: Floats
    z: Floats
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def __iter__(self) -> Iterator[Floats]:
        return iter((self.A, self.B, self.y_dot))

    def entry(self, of: str, by: str) -> float:
        """Return one derivative by names: of the rate of a state, or of an output, by a state or an input.

        Raises
        ------
        ModelError
            If a name is unknown.
        """
        rows, columns = (*self.states, *self.outputs), (*self.states, *self.inputs)
        for name, known in ((of, rows), (by, columns)):
            if name not in known:
                raise ModelError(f"no {name!r} in the linear model; known are {list(known)}")
        whole = np.block([[self.A, self.B], [self.C, self.D]])
        return float(whole[rows.index(of), columns.index(by)])

    def frequency_response(self, frequencies: ArrayLike) -> NDArray[np.complex128]:
        """Return the gains of outputs over small oscillations of inputs: G = C (iω − A)⁻¹ B + D, (n, k, m).

        Parameters
        ----------
        frequencies : (n,) array_like
            f = ω/2π [Hz].

        Returns
        -------
        (n, k, m) complex array
            Amplitude and phase of every output per unit of every input, in the order of ``outputs`` and
            ``inputs``; infinite at a frequency with which the model swings undamped.

        Raises
        ------
        ModelError
            If the model was linearised without outputs, or a frequency is no finite number.

        Examples
        --------
        >>> import ce_dynamics as ce
        >>> system = ce.System()
        >>> system.add_input("push", "N")
        >>> box = system.add_body("box", mass=2.0, com=(0, 0, 0), parent=system.ground,
        ...                       hinge=ce.Prismatic((1, 0, 0)))
        >>> ends = system.ground, (-1, 0, 0), box, (0, 0, 0)
        >>> system.add_force(ce.SpringDamper("spring", *ends, spring=50.0))
        >>> system.add_force(ce.AppliedWrench("pushed", box, (0, 0, 0), force=("push", 0, 0)))
        >>> linear = ce.compile(system).linearize(outputs=["spring.length"])
        >>> G = linear.frequency_response([0.0, 0.5])[:, 0, 0]
        >>> G.real.round(4)  # 1/50 at rest, 1/(50 − 2 π²) at half a hertz
        array([0.02 , 0.033])
        """
        if not self.outputs:
            raise ModelError("frequency_response: linearise with outputs=[...], whose response is wanted")
        given = checks.finite_array("frequencies", frequencies, (None,))
        responses = np.full((len(given), *self.D.shape), np.inf + 0j)
        for k, omega in enumerate(2.0 * np.pi * given):
            with contextlib.suppress(np.linalg.LinAlgError):
                x = np.linalg.solve(1j * omega * np.eye(len(self.A)) - self.A, self.B)
                responses[k] = self.C @ x + self.D
        return responses


@takes_state("y", "u", "outputs")
def linearize(
    model: CompiledSystem,
    *here: ArrayLike | None,
    outputs: Iterable[str] | str = (),
    **named: Unpack[StateArguments],
) -> LinearModel:
    """Return the exact linearisation of ẏ(y, u), and of outputs, at a state.

    Quaternions are four coordinates here, so A has a row and column for each.

    Parameters
    ----------
    q, v, x, u, y : array_like, optional
        State and inputs, see `Model`.
    outputs : iterable of str, or str
        Names of the outputs (``output_entries``) of C and D.

    Raises
    ------
    ModelError
        If an output is unknown.
    AssemblyError
        If a loop cannot be assembled at the state, or stands where derivatives are not finite.

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> system = ce.System(gravity=(0, 0, -10.0))
    >>> system.add_input("torque", "N*m")
    >>> bob = system.add_body("bob", mass=2.0, com=(0, 0, -1), parent=system.ground,
    ...                       hinge=ce.Revolute((0, 1, 0)))
    >>> system.add_force(ce.AppliedWrench("motor", bob, bob.com, torque=(0, "torque", 0)))
    >>> system.add_output("aside", "m", lambda o: o.point(bob, bob.com, system.ground).r[0])
    >>> linear = ce.compile(system).linearize([0.0, 0.0], outputs=["aside"])
    >>> linear.states, linear.inputs
    (('bob', 'bob_rate'), ('torque',))
    >>> linear.entry("bob_rate", "bob"), linear.entry("bob_rate", "torque"), linear.entry("aside", "bob")
    (-10.0, 0.5, -1.0)
    """
    state, given = state_given(model, *here, **named)
    (y_dot,) = model.dynamics(state, given)
    n = len(state)
    A, B = np.hsplit(model.by_state_and_inputs(model.dynamics.traced, "y_dot", state, given), [n])
    names = (outputs,) if isinstance(outputs, str) else checks.texts("outputs", outputs)
    C, D, z = np.zeros((0, n)), np.zeros((0, len(given))), np.zeros(0)
    if names:
        chosen = chosen_outputs(model, names)
        (z,) = chosen(state, given)
        C, D = np.hsplit(model.by_state_and_inputs(chosen.traced, "z", state, given), [n])
    model.refuse_not_finite(state, given, y_dot, z)
    layout = model.layout
    found = LinearModel(
        A,
        B,
        y_dot,
        C,
        D,
        z,
        tuple(layout.y_names),
        tuple(entry.name for entry in layout.u),
        names,
    )
    refuse_kinks(np.block([[A, B], [C, D]]), (*found.states, *names), (*found.states, *found.inputs))
    return found


def refuse_kinks(derivatives: Floats, rows: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse a state where everything is finite but its derivatives."""
    if np.isfinite(derivatives).all():
        return
    i, j = np.argwhere(~np.isfinite(derivatives))[0]
    raise ModelError(
        f"linearize: the derivative of {rows[i]!r} (its rate, if it is a state) by {columns[j]!r} is not "
        "finite at this state, where a formula has a kink; linearise beside it"
    )


def chosen_outputs(model: CompiledSystem, names: tuple[str, ...]) -> CompiledFunction:
    """Return some outputs by name."""
    known = [entry.name for entry in model.output_entries]
    for name in names:
        if name not in known:
            raise ModelError(f"no output {name!r}; the outputs are {known}")
    places = [known.index(name) for name in names]

    def select(y: Array, u: Array) -> Mapping[str, Array]:
        return {"z": observe(model, y, u)["outputs"][places]}

    return model.function(f"outputs {', '.join(names)}", select, model.sizes_of("y", "u"))


@takes_state("y", "u")
def sensitivities(model: CompiledSystem, *here: ArrayLike | None, **named: Unpack[StateArguments]) -> Floats:
    """Return exact derivatives ∂ẏ/∂p of the right-hand side with respect to the free parameters, (n, n_p).

    Parameters
    ----------
    q, v, x, u, y : array_like, optional
        State and inputs, see `Model`.

    Raises
    ------
    ModelError
        If the system has no free parameters.
    AssemblyError
        If a loop cannot be assembled at the state, or stands where derivatives are not finite.
    """
    layout = model.layout
    if len(layout.u) == layout.n_inputs:
        raise ModelError("the system has no free parameters; declare some with add_parameter")
    state, given = state_given(model, *here, **named)
    found = model.derivative(model.dynamics.traced, "y_dot", "u")(state, given)[:, layout.n_inputs :]
    model.refuse_not_finite(state, given, found)
    return found
