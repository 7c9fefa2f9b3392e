"""Eigenmodes of the linearised motion about a state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.analysis.poses import poses
from ce_dynamics.compiled.analysis.small_motion import Freedom, SmallMotion, small_motion
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiled.state_arguments import StateArguments, Unpack, state_given, takes_state
from ce_dynamics.errors import AssemblyError, ModelError

if TYPE_CHECKING:
    import xarray as xr


Complex = NDArray[np.complex128]

EQUAL = 1e-6  # relative difference of entries of a shape that count as equal
STILL = 1e-12  # part of the largest entry of a mode below which its displacements are rounding: nothing moves

MOST_PHASES = 10_000  # frames of an animation


@dataclass(frozen=True, eq=False)
class Modes:
    """Eigenmodes of the small motions about a state, those of conjugate pairs once; slowest first.

    Attributes
    ----------
    eigenvalues : (k,) complex array
        λ [1/s].
    shapes : (n_δ, k) complex array
        Displacements, one column per mode: the motion is Re(a shape e^{λt}).  The largest entry of a shape,
        of equals the first, is 1 (rad or m); where no coordinate moves (an actuator alone) the shape is zero.
    vectors : (n_δ + n_v + n_x, k) complex array
        The same for displacements, velocities and first-order states together.
    modal_mass : (k,) array
        shapeᴴ M shape: the mass that has the kinetic energy of the mode at the velocity of its largest
        coordinate [kg m²] or [kg].
    names, units : tuples of str
        Of the displacements (see `Tangent`).
    y, u : arrays
        State and inputs.
    model : CompiledSystem

    Notes
    -----
    A motion that changes no force (a vehicle rolling along) has the eigenvalue zero twice.  Hold what moves
    so to be rid of them.
    """

    model: CompiledSystem
    y: Floats
    u: Floats
    names: tuple[str, ...]
    units: tuple[str, ...]
    eigenvalues: Complex
    vectors: Complex
    modal_mass: Floats

    @property
    def shapes(self) -> Complex:
        """Displacements of every mode."""
        return self.vectors[: len(self.names)]

    @property
    def frequency(self) -> Floats:
        """Natural frequencies |λ|/2π [Hz]."""
        return np.abs(self.eigenvalues) / (2.0 * np.pi)

    @property
    def damped_frequency(self) -> Floats:
        """Frequencies at which the modes swing, Im λ/2π [Hz]; zero for those that creep."""
        return self.eigenvalues.imag / (2.0 * np.pi)

    @property
    def damping_ratio(self) -> Floats:
        """ζ = −Re λ/|λ|; ±1 for modes that creep or run away, NaN where λ = 0."""
        size = np.abs(self.eigenvalues)
        return 0.0 - self.eigenvalues.real / np.where(size > 0.0, size, np.nan)

    def __len__(self) -> int:
        return len(self.eigenvalues)

    def dominant(self, k: int) -> str:
        """Name of the displacement that is largest in mode k, or of the first-order state where none moves.

        As the unit of each is its own, a mode counts as one of first-order states alone where all
        displacements (in rad or m) are below rounding of the largest of these.
        """
        shape = self.shapes[:, k]
        states = [entry.name for entry in self.model.layout.x]
        others = self.vectors[len(self.vectors) - len(states) :, k]
        size = np.max(np.abs(self.vectors[:, k]), initial=0.0)
        if len(states) and not np.max(np.abs(shape), initial=0.0) > STILL * size:
            return states[index_of_largest(others)]
        return self.names[index_of_largest(shape)]

    def __repr__(self) -> str:
        lines = [f"Modes of {self.model.system.name!r}:", "  no.  frequency/Hz  damping ratio  largest"]
        for k in range(len(self)):
            numbers = f"{self.frequency[k]:12.4g}  {self.damping_ratio[k]:13.4f}"
            lines.append(f"  {k:3d}  {numbers}  {self.dominant(k)}")
        return "\n".join(lines)

    def to_dataset(self) -> xr.Dataset:
        """Return eigenvalues, frequencies, damping ratios and shapes, labelled by mode and displacement."""
        import xarray as xr  # here, because it takes longer to load than many runs

        by_mode = {
            "eigenvalue": (self.eigenvalues, "1/s"),
            "frequency": (self.frequency, "Hz"),
            "damped_frequency": (self.damped_frequency, "Hz"),
            "damping_ratio": (self.damping_ratio, "1"),
            "modal_mass": (self.modal_mass, "kg or kg*m^2"),
        }
        data = {name: ("mode", values, {"units": unit}) for name, (values, unit) in by_mode.items()}
        result = xr.Dataset(data, {"mode": np.arange(len(self)), "displacement": list(self.names)})
        result["shape"] = (("displacement", "mode"), self.shapes)
        return result.assign_coords(unit=("displacement", list(self.units)))

    def motion(self, k: int, amplitude: float, t: ArrayLike) -> Floats:
        """Return states along the free motion in one mode, y ⊕ Re(a vector e^{λt}), to first order in a.

        Parameters
        ----------
        k : int
            Number of the mode.
        amplitude : float
            a: amplitude at t = 0 of the displacement that is largest [rad] or [m].
        t : (n,) array_like
            Times [s].

        Returns
        -------
        (n, n_y) array
        """
        times = checks.finite_array("t", t, (None,))
        checks.number("amplitude", amplitude)
        along = np.exp(self.eigenvalues[self._number(k)] * times)
        return self._states(amplitude * np.outer(along, self.vectors[:, k]).real)

    def animate(self, k: int, amplitude: float, n_phases: int = 24) -> xr.Dataset:
        """Return poses of all bodies along one period of a mode, without its damping.

        Parameters
        ----------
        k : int
            Number of the mode.
        amplitude : float
            a: amplitude of the displacement that is largest [rad] or [m].
        n_phases : int
            Number of frames of the period.

        Returns
        -------
        xarray.Dataset
            Over ``phase`` [rad] and ``body``: ``position`` of the centre of mass in the world [m] and
            ``rotation`` from the body's axes to the world's.  A point of the body that is at ``at`` in the
            design pose is at position + rotation @ (at − com).

        Raises
        ------
        ModelError
            If there is no such mode or no phase.
        AssemblyError
            If a loop cannot follow: the amplitude is too large.
        """
        import xarray as xr  # here, because it takes longer to load than many runs

        checks.integer("n_phases", n_phases, at_least=1, at_most=MOST_PHASES)
        checks.number("amplitude", amplitude)
        phase = 2.0 * np.pi * np.arange(n_phases) / n_phases
        steps = amplitude * np.outer(np.exp(1j * phase), self.vectors[:, self._number(k)]).real
        frames = []
        for angle, y in zip(phase, self._states(steps), strict=True):
            try:
                frames.append(poses(self.model, y, u=self.u))
            except AssemblyError:
                raise AssemblyError(
                    f"mode {k}: loops cannot follow the amplitude {amplitude:g} at phase {angle:.3g} rad; "
                    "give a smaller one"
                ) from None
        return xr.Dataset(
            {
                "position": (
                    ("phase", "body", "axis"),
                    np.array([pose.positions for pose in frames]),
                    {"units": "m", "long_name": "centre of mass"},
                ),
                "rotation": (
                    ("phase", "body", "axis", "axis_of_body"),
                    np.array([p.rotations for p in frames]),
                ),
            },
            {
                "phase": ("phase", phase, {"units": "rad"}),
                "body": list(frames[0].bodies),
                "axis": list("xyz"),
            },
        )

    def _states(self, steps: Floats) -> Floats:
        """Return the state displaced by rows of [δ; δv; δx]."""
        q, v, x = self.model.layout.split(self.y)
        n = len(self.names)
        rows = [
            np.concatenate(
                (
                    self.model.tangent.displace(q, step[:n]),
                    v + step[n : n + len(v)],
                    x + step[n + len(v) :],
                )
            )
            for step in steps
        ]
        return np.array(rows)

    def _number(self, k: int) -> int:
        if not 0 <= checks.integer("k", k) < len(self):
            raise ModelError(f"k: no mode {k!r}; there are {len(self)}, counted from 0")
        return k


def index_of_largest(vector: Complex) -> int:
    """Return the index of the largest entry, the first of equals: rounding must not choose the side."""
    size = np.abs(vector)
    return int(np.argmax(size > (1.0 - EQUAL) * np.max(size)))


SYMMETRY = 1e-6
"""Part of a conservative stiffness by which it may differ from its transpose: loops end in Newton steps."""


@takes_state("y", "u")
def modes(
    model: CompiledSystem,
    *here: ArrayLike | None,
    hold: Iterable[str] = (),
    damped: bool = True,
    **named: Unpack[StateArguments],
) -> Modes:
    """Compute eigenmodes of the linearised motion about a state, usually an `equilibrium`.

    Parameters
    ----------
    q, v, x, u, y : array_like, optional
        State and inputs, see `Model`.
    hold : iterable of str
        Displacements, bodies (for all of their hinge) and first-order states that are held.
    damped : bool
        With False the modes of M and K alone: no damping, velocities and first-order states at rest.
        Frequencies and shapes are then real, and M and K orthogonal.

    Returns
    -------
    Modes

    Raises
    ------
    ModelError
        If a name is unknown; with ``damped=False`` also if a load is not conservative or the state far
        from equilibrium (then K is not symmetric), or for a rolling ball.

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> system = ce.System(gravity=(0, 0, 0), name="weight on a spring")
    >>> weight = system.add_body("weight", mass=2.0, com=(1, 0, 0), parent=system.ground,
    ...                          hinge=ce.Prismatic(axis=(1, 0, 0)))
    >>> system.add_force(ce.SpringDamper("spring", system.ground, (0, 0, 0), weight, (1, 0, 0),
    ...                                  spring=200.0, damper=4.0))
    >>> modes = ce.compile(system).modes()
    >>> modes
    Modes of 'weight on a spring':
      no.  frequency/Hz  damping ratio  largest
        0         1.592         0.1000  weight
    >>> modes.animate(0, amplitude=0.1, n_phases=4).position.sel(body="weight", axis="x").values
    array([1.1, 1. , 0.9, 1. ])
    """
    checks.flag("damped", damped)
    state, given = state_given(model, *here, **named)
    state = model.with_unit_quaternions(state)
    held = Freedom(model, hold)
    near = small_motion(model, state, given, held)
    if damped:
        eigenvalues, vectors = find_damped_modes(near, held)
    else:
        refuse_no_potential(near, held)
        eigenvalues, vectors = find_undamped_modes(near, held)
    order = np.lexsort((eigenvalues.imag, eigenvalues.real, np.abs(eigenvalues)))
    entries = model.tangent.entries
    vectors = scale_vectors(vectors[:, order], len(entries))
    along = np.linalg.pinv(near.Q) @ vectors[: len(entries)]  # displacements by their velocities
    return Modes(
        model,
        state,
        given,
        tuple(entry.name for entry in entries),
        tuple(entry.unit for entry in entries),
        eigenvalues[order],
        vectors,
        np.einsum("ik,ij,jk->k", along.conj(), near.M, along).real,
    )


def refuse_no_potential(near: SmallMotion, held: Freedom) -> None:
    """Refuse a stiffness that is not symmetric."""
    if len(held.free) != len(held.moving):
        raise ModelError("a rolling hinge has no mode shapes without damping; ask for damped=True")
    heavy = np.sqrt(np.diag(near.M))[held.moving]
    K = near.K[np.ix_(held.moving, held.free)] / np.outer(heavy, heavy)
    skew = np.abs(K - K.T)
    if skew.size and np.max(skew) > SYMMETRY * np.max(np.abs(K)):
        i, j = np.unravel_index(int(np.argmax(skew)), skew.shape)
        raise ModelError(
            f"the stiffness between {held.names[i]!r} and {held.names[j]!r} is not the same both ways: a "
            "load is not conservative, or the state no equilibrium; ask for damped=True, or about "
            "an equilibrium"
        )


def find_damped_modes(near: SmallMotion, held: Freedom) -> tuple[Complex, Complex]:
    """Return eigenvalues and vectors of A over [δ; δv; δx]; of each conjugate pair the one with Im λ > 0."""
    eigenvalues, vectors = np.linalg.eig(near.matrix(held))
    chosen = eigenvalues.imag >= 0.0
    n_d, n_v = near.Q.shape
    places = [*held.free, *(n_d + k for k in held.moving), *(n_d + n_v + k for k in held.states)]
    everywhere = np.zeros((n_d + n_v + near.T_x.shape[1], int(np.sum(chosen))), dtype=complex)
    everywhere[places] = vectors[:, chosen]
    return eigenvalues[chosen].astype(complex), everywhere


def find_undamped_modes(near: SmallMotion, held: Freedom) -> tuple[Complex, Complex]:
    """Return those of K φ = ω² M φ, λ = i ω; for a negative ω² the growing one of λ = ±√−ω²."""
    from scipy.linalg import eigh  # here, because few runs need it

    m, d = held.moving, held.free
    K = near.K[np.ix_(m, d)]
    squares, shapes = eigh(0.5 * (K + K.T), near.M[np.ix_(m, m)])
    eigenvalues = np.where(squares < 0.0, np.sqrt(np.abs(squares)), 1j * np.sqrt(np.abs(squares)))
    n_d, n_v = near.Q.shape
    everywhere = np.zeros((n_d + n_v + near.T_x.shape[1], len(d)), dtype=complex)
    everywhere[d] = shapes
    everywhere[[n_d + k for k in m]] = shapes * eigenvalues
    return eigenvalues, everywhere


def scale_vectors(vectors: Complex, n: int) -> Complex:
    """Return vectors scaled so that the largest displacement, or without any the largest entry, is 1."""
    result = vectors.copy()
    for k in range(vectors.shape[1]):
        size = np.max(np.abs(vectors[:, k]), initial=0.0)
        moving = np.max(np.abs(vectors[:n, k]), initial=0.0) > STILL * size
        part = vectors[:n, k] if moving else vectors[:, k]
        result[:, k] = vectors[:, k] / part[index_of_largest(part)]
    return result
