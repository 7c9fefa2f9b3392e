"""Natural frequencies, damping and mode shapes of small motions about a state, ready to be animated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.analysis.poses import poses
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.errors import AssemblyError, ModelError

if TYPE_CHECKING:
    import xarray as xr

Complex = NDArray[np.complex128]

EQUAL = 1e-6
"""Relative difference of entries of a shape that count as equal."""
STILL = 1e-12
"""Part of the largest entry of a mode below which its displacements are rounding: nothing moves."""

MOST_PHASES = 10_000
"""Frames of an animation."""


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
            return states[largest(others)]
        return self.names[largest(shape)]

    def __repr__(self) -> str:
        lines = [f"Modes of {self.model.system.name!r}:", "  no.  frequency/Hz  damping ratio  largest"]
        for k in range(len(self)):
            numbers = f"{self.frequency[k]:12.4g}  {self.damping_ratio[k]:13.4f}"
            lines.append(f"  {k:3d}  {numbers}  {self.dominant(k)}")
        return "\n".join(lines)

    def to_dataset(self) -> xr.Dataset:
        """Eigenvalues, frequencies, damping ratios and shapes, labelled by mode and displacement."""
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
        """States along the free motion in one mode, y ⊕ Re(a vector e^{λt}), to first order in a.

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
        """Poses of all bodies along one period of a mode, as if it were not damped.

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
        """The state displaced by rows of [δ; δv; δx]."""
        q, v, x = self.model.layout.split(self.y)
        n = len(self.names)
        rows = [
            np.concatenate(
                (
                    self.model.tangent.displaced(q, step[:n]),
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


def largest(vector: Complex) -> int:
    """Index of the largest entry, of equals the first: rounding must not choose between left and right."""
    size = np.abs(vector)
    return int(np.argmax(size > (1.0 - EQUAL) * np.max(size)))
