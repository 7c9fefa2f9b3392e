"""The rig: an axle is taken through wheel travel and steering, and everything is read off in each pose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import CompiledFunction, compile_function
from ce_dynamics.compiler.progress import at_work
from ce_dynamics.errors import AssemblyError, DataError
from ce_dynamics.models.kc.axle import Axle
from ce_dynamics.models.kc.figures import AxleFigures
from ce_dynamics.models.kc.free_values import FreeValues
from ce_dynamics.models.kc.poses import AxlePoses
from ce_dynamics.models.kc.quantities import Quantity
from ce_dynamics.models.kc.sweeps import Sweep, sweep_of

if TYPE_CHECKING:
    import xarray as xr

CLOSED = 1e-13
"""[m] between the travel that is wanted and that of a pose."""
ITERATIONS = 8
"""Of Newton's method from one pose to the next; where it takes more the way is halved."""
SHORTEST = 1e-4
"""Part of the way to the next pose that is tried at last."""


class KCRig:
    """Kinematics and compliance of an axle; chassis held, wheels moved up and down and steered.

    Parameters
    ----------
    model : Model
        Of the whole vehicle, or of the axle alone.
    axle : Axle

    Attributes
    ----------
    quantities : tuple of Quantity
        What is reported.
    parameters : tuple of str
        Free parameters of the model.

    Raises
    ------
    DataError
        If something that the axle names is not there, or its suspension has too few or too many freedoms.
    """

    def __init__(self, model: Model, axle: Axle) -> None:
        self.model, self.axle = model, axle
        self.poses = AxlePoses(model, axle)
        with at_work(f"tracing the {axle.name} axle"):
            self.figures = AxleFigures(self.poses)
        self._newton = compile_function(self.figures.newton).bind()
        self._functions: dict[tuple[str, ...], CompiledFunction] = {}
        self._free = FreeValues(model)
        self.parameters = self._free.names
        self._start = self._home(self.poses.start)

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """Names, units and meaning of what is reported."""
        return self.figures.known

    @property
    def nominal(self) -> dict[str, float]:
        """Values of the free parameters unless others are given."""
        return dict(zip(self.parameters, map(float, self._free.nominal), strict=True))

    # Poses

    def c_with(self, parameters: Mapping[str, float] | None) -> Floats:
        """The pose to start from, with values of free parameters; the design pose of these."""
        if not parameters:
            return self._start.copy()
        p = self._free.at(parameters)
        c = self.poses.start.copy()
        c[len(c) - len(p) :] = p
        return self._home(c)

    def _home(self, c: Floats) -> Floats:
        found = self._to(c, np.zeros(2))
        if found is None:
            raise AssemblyError(f"axle {self.axle.name!r} cannot be assembled in its design pose")
        return found

    def solved(
        self, travel: ArrayLike, steering: ArrayLike = 0.0, parameters: Mapping[str, float] | None = None
    ) -> Floats:
        """Poses c (n, n_c) with given travels of the wheels' centres.

        Parameters
        ----------
        travel : (n, 2) array_like
            Of the left and the right wheel, up from the design pose [m].
        steering : (n,) array_like or float
            Part of full lock, −1 … 1, positive to the left.
        parameters : mapping of str to float, optional
            Values of free parameters.

        Raises
        ------
        AssemblyError
            If the suspension does not reach a travel; the message says how far it comes.
        """
        goals = checks.finite_array("travel", travel, (None, 2), DataError)
        lock = np.broadcast_to(checks.numbers("steering", steering, DataError), len(goals))
        if not np.all(np.isfinite(lock)):
            raise DataError("steering: must be finite")
        if np.any(lock != 0.0) and not self.poses.places.s:
            raise DataError(f"axle {self.axle.name!r} is not steered; leave steering out")
        start = self.c_with(parameters)
        found = np.empty((len(goals), len(start)))
        if not len(goals):
            return found
        size = np.hypot(np.linalg.norm(goals, axis=1), lock)
        first = int(np.argmin(size))
        found[first] = self._led(start, goals[first], float(lock[first]))
        for order in (range(first + 1, len(goals)), range(first - 1, -1, -1)):
            c = found[first]
            for k in order:
                c = found[k] = self._led(c, goals[k], float(lock[k]))
        return found

    def _led(self, c: Floats, goal: Floats, lock: float) -> Floats:
        """From a pose to a travel and a steering position, in parts as long as Newton's method follows."""
        n, steered = self.poses.moved, bool(self.poses.places.s)
        s_0, s_1 = (float(c[n]), lock * self.axle.full_lock) if steered else (0.0, 0.0)
        z_0: Floats | None = None
        done, part, here = 0.0, 1.0, c
        while True:
            there = min(1.0, done + part)
            ahead = here.copy()
            if steered:
                ahead[n] = s_0 + there * (s_1 - s_0)
            if there < 1.0 and z_0 is None:
                z_0 = self.travel_of(c)
            wanted = goal if there == 1.0 or z_0 is None else z_0 + there * (goal - z_0)
            found = self._to(ahead, wanted)
            if found is not None:
                if there == 1.0:
                    return found
                done, here, part = there, found, 2.0 * part
                continue
            part *= 0.5
            if part < SHORTEST:
                raise AssemblyError(self._failure(goal, lock, here))

    def travel_of(self, c: Floats) -> Floats:
        """Travel of the wheels in a pose."""
        bound = self._newton
        bound.inputs["c"][:], bound.inputs["goal"][:] = c, 0.0
        bound.run()
        return bound.outputs["gap"].copy()

    def _to(self, c: Floats, goal: Floats) -> Floats | None:
        """Newton's method; None where it does not converge at once."""
        bound = self._newton
        given, gap, ahead = bound.inputs["c"], bound.outputs["gap"], bound.outputs["c"]
        bound.inputs["goal"][:] = goal
        given[:] = c
        before = np.inf
        for _ in range(ITERATIONS):
            bound.run()
            size = max(abs(gap[0]), abs(gap[1]))
            if size < CLOSED:
                return ahead.copy()
            if not size < max(0.5 * before, 1e-11):  # NaN too
                return None
            before = size
            given[:] = ahead
        return None

    def _failure(self, goal: Floats, lock: float, here: Floats) -> str:
        left, right = 1e3 * self.travel_of(here)
        steered = f" with {100.0 * lock:.4g} % of full lock" if self.poses.places.s else ""
        return (
            f"axle {self.axle.name!r}: travel of {1e3 * goal[0]:.5g} mm left and {1e3 * goal[1]:.5g} mm right"
            f"{steered} cannot be reached; on the way there it comes to {left:.5g} mm and {right:.5g} mm, "
            "where the suspension or the steering is at its dead centre"
        )

    # Figures

    def function(self, names: Sequence[str] | None = None) -> CompiledFunction:
        """The compiled function of c that has some of the figures; all of them if not given."""
        key = tuple(q.name for q in self.quantities) if names is None else tuple(names)
        if key not in self._functions:
            for name in key:
                checks.known("rig", name, [q.name for q in self.quantities], "quantity", DataError)
            traced = self.figures.all if names is None else self.figures.chosen(key)
            self._functions[key] = compile_function(traced)
        return self._functions[key]

    def read(self, poses: Floats, names: Sequence[str] | None = None) -> dict[str, Floats]:
        """Figures in poses: (n, 2) arrays of what wheels have each, else (n,)."""
        bound = self.function(names).bind()
        found = {name: np.empty((len(poses), *shape.shape)) for name, shape in bound.outputs.items()}
        pairs = [(found[name], value) for name, value in bound.outputs.items()]
        given = bound.inputs["c"]
        for k, c in enumerate(poses):
            given[:] = c
            bound.run()
            for rows, value in pairs:
                rows[k] = value
        return found

    def sweep(
        self,
        kind: str | Sweep,
        values: ArrayLike | None = None,
        *,
        parameters: Mapping[str, float] | None = None,
        quantities: Sequence[str] | None = None,
    ) -> xr.Dataset:
        """Everything over a sweep of the wheels or of the steering.

        Parameters
        ----------
        kind : str or Sweep
            ``parallel``, ``opposed`` (the right wheel down as the left goes up), ``left`` or ``right`` alone,
            ``steering``.
        values : (n,) array_like, optional
            Travel of the wheels [m], or part of full lock; ±0.1 m, ±1 in 41 poses if not given.
        parameters : mapping of str to float, optional
            Values of free parameters.
        quantities : sequence of str, optional
            Names of what is wanted; everything if not given.

        Returns
        -------
        xarray.Dataset
            Over the dimension ``pose``, and ``side`` of what wheels have each, in SI units.

        Raises
        ------
        DataError
            If the kind or a quantity is unknown.
        AssemblyError
            If the suspension does not reach so far.
        """
        from ce_dynamics.models.kc.table import dataset  # here, because xarray takes long to load

        sweep = sweep_of(kind, values) if isinstance(kind, str) else kind
        poses = self.solved(sweep.travel, sweep.steering, parameters)
        found = self.read(poses, quantities)
        return dataset(self.model.system.name, self.axle, self.quantities, sweep, found)
