"""Magic Formula tyre as a function of arrays of operating points, on either side of the vehicle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import CompiledFunction, TracedFunction, compile_function, trace
from ce_dynamics.errors import DataError
from ce_dynamics.models.tyres.magic_formula.coefficients import Coefficients
from ce_dynamics.models.tyres.magic_formula.operating_point import Inputs, Mode
from ce_dynamics.models.tyres.magic_formula.outputs import Outputs, evaluate
from ce_dynamics.models.tyres.magic_formula.reader import TyreFile, read_tyre_file

LANES = 8
"""Operating points that machine code takes at once; each has the bits that it has alone."""


def mirror_inputs(inputs: Inputs) -> Inputs:
    """Return the inputs of the mirrored tyre: α, γ and φ_t change sign."""
    return inputs._replace(alpha=-inputs.alpha, gamma=-inputs.gamma, phit=-inputs.phit)


def mirror_outputs(outputs: Outputs) -> Outputs:
    """Return the answer of the image, seen from this side: Fy, Mx and Mz change sign."""
    o = outputs
    return o._replace(Fy=-o.Fy, Mx=-o.Mx, Mz=-o.Mz, Mzr=-o.Mzr, alpha=-o.alpha, gamma=-o.gamma, phit=-o.phit)


class MagicFormula:
    """A Magic Formula tyre, to be called with operating points.

    Parameters
    ----------
    coefficients : Coefficients
    side : {"left", "right", "symmetric"}
        Side of the vehicle for which the coefficients hold.
    mounted : {"left", "right"}, optional
        Side on which the tyre is mounted: on the other one than ``side`` it is mirrored.

    Attributes
    ----------
    file : TyreFile or None
        What it was read from: names what the file lacks and what was not understood.

    Examples
    --------
    >>> tyre = MagicFormula.read("car.tir")  # doctest: +SKIP
    >>> tyre(Fz=4000.0, alpha=[-0.05, 0.0, 0.05], Vx=20.0).Fy  # doctest: +SKIP
    array([ 2741.1,    63.5, -2689.3])
    """

    def __init__(
        self, coefficients: Coefficients, side: str = "symmetric", mounted: str | None = None
    ) -> None:
        self.coefficients = checks.instance(
            "coefficients", coefficients, Coefficients, "those of a Magic Formula tyre"
        )
        self.side = checks.choice("side", side, ("left", "right", "symmetric"), DataError)
        if mounted is not None:
            checks.choice("mounted", mounted, ("left", "right"), DataError)
        self.mounted = mounted
        self.file: TyreFile | None = None
        self._compiled: dict[tuple[Mode, bool], CompiledFunction] = {}

    @classmethod
    def read(
        cls, path: str | Path, mounted: str | None = None, changes: Mapping[str, float] | None = None
    ) -> MagicFormula:
        """Return the tyre of a property file (``.tir``).

        Parameters
        ----------
        path : str or path
        mounted : {"left", "right"}, optional
            Side of the vehicle on which it is mounted.
        changes : mapping of str to float, optional
            Coefficients that replace those of the file, such as ``{"LMUY": 0.8}``.
        """
        return cls.of(read_tyre_file(path), mounted, changes)

    @classmethod
    def of(
        cls, file: TyreFile, mounted: str | None = None, changes: Mapping[str, float] | None = None
    ) -> MagicFormula:
        """Return the tyre of a file that has been read; see `read`."""
        coefficients = file.coefficients
        for key in changes or {}:
            checks.check_name("changes", key, [*coefficients.__dataclass_fields__], "coefficient", DataError)
        if changes:
            coefficients = replace(coefficients, **changes)  # type: ignore[arg-type]  # names are checked above
        tyre = cls(coefficients, file.side, mounted)
        tyre.file = file
        return tyre

    @property
    def is_mirrored(self) -> bool:
        """True if the tyre is mounted on the side opposite to that of its coefficients."""
        return self.mounted is not None and self.side not in ("symmetric", self.mounted)

    @cached_property
    def nominal(self) -> Mapping[str, float]:
        """Inputs that are used where none are given."""
        c = self.coefficients
        return {
            "Fz": c.FNOMIN, "kappa": 0.0, "alpha": 0.0, "gamma": 0.0, "phit": 0.0, "Vx": c.LONGVL,
            "p": c.INFLPRES,
        }  # fmt: skip

    def __call__(
        self,
        Fz: object = None,
        kappa: object = None,
        alpha: object = None,
        gamma: object = None,
        phit: object = None,
        Vx: object = None,
        p: object = None,
        omega: object = None,
        use_mode: int = 111,
    ) -> Outputs:
        """Return the steady state at operating points: numbers, or arrays that go together as NumPy's do.

        Parameters
        ----------
        Fz : array_like, optional
            Load [N]; FNOMIN if not given.
        kappa, alpha, gamma, phit : array_like, optional
            Longitudinal slip, side slip angle [rad], inclination [rad], turn slip [1/m]; zero if not given.
        Vx : array_like, optional
            Speed [m/s]; LONGVL if not given.
        p : array_like, optional
            Inflation pressure [Pa]; INFLPRES if not given.
        omega : array_like, optional
            Spin of the wheel [rad/s]; that of the slip if not given.
        use_mode : int
            What is evaluated, see `Mode.of`: 111, or 121 for large angles, 112 with turn slip, 2.. without
            the limits of the file.

        Returns
        -------
        Outputs
            Arrays of the common shape, or floats.
        """
        given = {"Fz": Fz, "kappa": kappa, "alpha": alpha, "gamma": gamma, "phit": phit, "Vx": Vx, "p": p}
        filled = {name: self.nominal[name] if value is None else value for name, value in given.items()}
        if omega is not None:
            filled["omega"] = omega
        points, shape = stack_inputs(filled)
        results = self.evaluate_rows(points, Mode.of(use_mode)).T
        return Outputs(*(row.reshape(shape) if shape else float(row[0]) for row in results))

    def evaluate_rows(self, points: Floats, mode: Mode) -> Floats:
        """Return rows of `Outputs` at rows (Fz, κ, α, γ, φ_t, V_x, p[, Ω]), by machine code."""
        n, k = points.shape
        key = mode, k > len(self.nominal)
        if key not in self._compiled:
            self._compiled[key] = compile_function(self.trace(*key), LANES)
        lanes = np.pad(points, ((0, -n % LANES), (0, 0)), mode="edge").reshape(-1, LANES, k)
        (results,) = self._compiled[key].at_rows(lanes.transpose(0, 2, 1))
        return results.transpose(0, 2, 1).reshape(-1, len(Outputs._fields))[:n]

    def trace(self, mode: Mode, with_omega: bool = False) -> TracedFunction:
        """Trace a mode: ``x`` are inputs, ``y`` outputs, in the order of their classes."""
        return trace(
            f"Magic Formula {mode.use_mode}",
            lambda x: {"y": np.array(self.outputs(mode, Inputs(*x)), dtype=object)},
            {"x": 7 + with_omega},
        )

    def outputs(self, mode: Mode, inputs: Inputs) -> Outputs:
        """Return all outputs at one operating point of floats or traced scalars."""
        if self.is_mirrored:
            return mirror_outputs(evaluate(self.coefficients, mode, mirror_inputs(inputs)))
        return evaluate(self.coefficients, mode, inputs)


def stack_inputs(given: Mapping[str, object]) -> tuple[Floats, tuple[int, ...]]:
    """Stack inputs as rows of points; return them and their common shape."""
    columns: list[Array] = []
    for name, value in given.items():
        column = checks.numbers(name, value, DataError)
        if not np.isfinite(column).all():
            raise DataError(f"{name} must be finite, got {checks.shown_array(column)}")
        columns.append(column)
    try:
        together: Any = np.broadcast_arrays(*columns)
    except ValueError:
        shapes = ", ".join(f"{name} {c.shape}" for name, c in zip(given, columns, strict=True))
        raise DataError(f"the shapes of the inputs do not go together: {shapes}") from None
    return np.stack([column.ravel() for column in together], axis=1), together[0].shape
