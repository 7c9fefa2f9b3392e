"""The rig: an axle is taken through wheel travel and steering, and everything is read off in each pose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, array, where
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.algebra.lazy_names import FormerName
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import CompiledFunction, compile_function, trace
from ce_dynamics.compiler.progress import log_work
from ce_dynamics.errors import AssemblyError, DataError, ModelError
from ce_dynamics.mechanism.parameters import guards_of, outcomes_of, refusals
from ce_dynamics.models.kc.axle import Axle
from ce_dynamics.models.kc.figures import AxleFigures
from ce_dynamics.models.kc.pose_search import PoseSearch, UnreachedError
from ce_dynamics.models.kc.poses import AxlePoses
from ce_dynamics.models.kc.quantities import Quantity
from ce_dynamics.models.kc.rates import Steepness
from ce_dynamics.models.kc.sweeps import Sweep, dataset, sweep_of

if TYPE_CHECKING:
    import xarray as xr


class FreeValues:
    """The free parameters of a model whose functions for the rig have been traced."""

    def __init__(self, model: Model) -> None:
        self.parameters = model.layout.parameters
        self.names = tuple(parameter.name for parameter in self.parameters)
        self.nominal = np.array([parameter.value for parameter in self.parameters], dtype=float)
        guards = guards_of(self.parameters)
        self._decided = np.array([float(guard.value) for guard in guards.values()])
        if not guards:
            return

        def outcomes(p: Array) -> dict[str, Array]:
            found = outcomes_of(guards, self.parameters, p)
            return {"outcomes": array(where(outcome, 1.0, 0.0) for outcome in found)}

        self._bound = compile_function(trace("decisions", outcomes, {"p": len(self.names)})).bind()

    def at(self, given: Mapping[str, float] | None) -> Floats:
        """Return values of all parameters with some given; refuse what needs another model."""
        p = self.nominal.copy()
        for name, value in checks.mapping("parameters", given or {}).items():
            if name not in self.names:
                raise ModelError(f"no parameter {name!r}; the system's parameters are {list(self.names)}")
            p[self.names.index(name)] = checks.number(f"parameter {name!r}:", value)
        if len(self._decided):
            self._bound.inputs["p"][:] = p
            self._bound.run()
            if not np.array_equal(self._bound.outputs["outcomes"], self._decided):
                values = {name: [value] for name, value in zip(self.names, p, strict=True)}
                raise ModelError(refusals(self.parameters, values)[0])
        return p


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
        Quantities of the results.
    parameters : tuple of str
        Free parameters of the model.
    """

    def __init__(self, model: Model, axle: Axle) -> None:
        self.model = checks.instance(
            "model", model, Model, "a compiled model (ce_dynamics.compile)", DataError
        )
        self.axle = checks.instance("axle", axle, Axle, "a kc.Axle", DataError)
        self.poses = AxlePoses(model, axle)
        with log_work(f"tracing the {axle.name} axle"):
            self.figures = AxleFigures(self.poses)
        self.search = PoseSearch(self.figures)
        self._steepness: Steepness | None = None
        self._functions: dict[tuple[str, ...], CompiledFunction] = {}
        self._free = FreeValues(model)
        self.parameters = self._free.names
        self._start = self._design_pose(self.poses.start)

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """Names, units and meaning of the results."""
        return self.figures.known

    @property
    def kinds(self) -> tuple[str, ...]:
        """Sweeps that there are."""
        return (*self.poses.travels.kinds, *(("steering",) if self.poses.places.s else ()))

    @property
    def nominal(self) -> dict[str, float]:
        """Values of the free parameters unless others are given."""
        return dict(zip(self.parameters, map(float, self._free.nominal), strict=True))

    # Poses

    def start_pose(self, parameters: Mapping[str, float] | None) -> Floats:
        """Return the pose to start from, with values of free parameters; the design pose of these."""
        if not parameters:
            return self._start.copy()
        p = self._free.at(parameters)
        c = self.poses.start.copy()
        c[len(c) - len(p) :] = p
        return self._design_pose(c)

    def _design_pose(self, c: Floats) -> Floats:
        found = self.search.near(c, np.zeros(2))
        if found is None:
            raise AssemblyError(f"axle {self.axle.name!r} cannot be assembled in its design pose")
        return found

    solved = FormerName("solve_poses")

    def solve_poses(
        self, travel: ArrayLike, steering: ArrayLike = 0.0, parameters: Mapping[str, float] | None = None
    ) -> Floats:
        """Solve for poses c (n, n_c) with given travels of the wheels' centres.

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
            If the suspension does not reach a travel; the message states its end and the cause.
        """
        found, stopped = self._outward(travel, steering, parameters)
        if stopped:
            raise explain_unreached(stopped)
        return stack_poses(found, self._start)

    reached = FormerName("reach_poses")

    def reach_poses(
        self, travel: ArrayLike, steering: ArrayLike = 0.0, parameters: Mapping[str, float] | None = None
    ) -> Floats:
        """Return poses as `solve_poses` does, for use with many parameters.

        The error is raised at once and does not explain the cause.

        Raises
        ------
        UnreachedError
            If the suspension does not reach a travel.
        """
        found, stopped = self._outward(travel, steering, parameters)
        if stopped:
            raise stopped[0]
        return stack_poses(found, self._start)

    def _outward(
        self,
        travel: ArrayLike,
        steering: ArrayLike,
        parameters: Mapping[str, float] | None,
        *,
        both_ways: bool = False,
    ) -> tuple[dict[int, Floats], list[UnreachedError]]:
        """Return poses by their number, from that nearest to the design pose as far as they can be reached.

        ``both_ways``: where one way ends, the other is tried all the same.
        """
        goals = checks.finite_array("travel", travel, (None, 2), DataError)
        lock = np.broadcast_to(checks.numbers("steering", steering, DataError), len(goals))
        if not np.all(np.isfinite(lock)):
            raise DataError("steering: must be finite")
        if np.any(lock != 0.0) and not self.poses.places.s:
            raise DataError(f"axle {self.axle.name!r} is not steered; leave steering out")
        self.poses.travels.check(self.axle.name, goals)
        start = self.start_pose(parameters)
        found: dict[int, Floats] = {}
        stopped: list[UnreachedError] = []
        if not len(goals):
            return found, stopped
        first = int(np.argmin(np.hypot(np.linalg.norm(goals, axis=1), lock)))
        for order in (range(first, len(goals)), range(first - 1, -1, -1)):
            c, z = found.get(first, start), goals[first] if first in found else np.zeros(2)
            try:
                for k in order:
                    c = found[k] = self.search.follow_to(c, goals[k], float(lock[k]), z)
                    z = goals[k]
            except UnreachedError as error:
                stopped.append(error)
                if not both_ways or first not in found:
                    break
        return found, stopped

    def travel_of(self, c: Floats) -> Floats:
        """Return the travel of the wheels in a pose."""
        return self.search.travel_of(c)

    def condition(self, poses: Floats) -> Floats:
        """Return the condition of poses (n,): growth of steepness since the design pose, see `steepness`.

        The condition grows without bound towards the end of travel: about a hundredfold where a
        ten-thousandth of the travel is left.
        """
        if self._steepness is None:
            self._steepness = Steepness(self.poses, self._start)
        return self._steepness.at(poses)

    # Figures

    def function(self, names: Sequence[str] | None = None) -> CompiledFunction:
        """Return the compiled function of c that has some of the figures; all of them if not given."""
        key = tuple(q.name for q in self.quantities) if names is None else tuple(names)
        if key not in self._functions:
            for name in key:
                self.figures.check(name)
            self._functions[key] = compile_function(self.figures.select(key))
        return self._functions[key]

    def read(self, poses: Floats, names: Sequence[str] | None = None) -> dict[str, Floats]:
        """Return figures in poses: (n, 2) arrays for wheels, else (n,)."""
        function = self.function(names)
        return dict(zip(function.output_shapes, function.at_rows(poses), strict=True))

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
            Names of quantities; all if not given.

        Returns
        -------
        xarray.Dataset
            Over the dimension ``pose``, and ``side`` for wheels, in SI units.

        Raises
        ------
        AssemblyError
            If the suspension does not reach so far; its ``partial`` is the data set of the poses that are
            reached, or None.
        """
        sweep = sweep_of(kind, values)
        found, stopped = self._outward(sweep.travel, sweep.steering, parameters, both_ways=True)
        if stopped and not found:
            raise explain_unreached(stopped)
        done = self.complete_sweep(sweep.part(sorted(found)), stack_poses(found, self._start))
        read = self.read(stack_poses(found, self._start), quantities)
        results = dataset(self.model.system.name, self.axle, self.quantities, done, read)
        if stopped:
            raise explain_unreached(stopped, results)
        return results

    def complete_sweep(self, sweep: Sweep, poses: Floats) -> Sweep:
        """Return a sweep with the travels that both wheels have: with one freedom, not always those given."""
        if self.poses.travels.number == 2:
            return sweep
        travel = np.array([self.travel_of(c) for c in poses]).reshape(len(poses), 2)
        return replace(sweep, travel=travel)


def stack_poses(found: Mapping[int, Floats], like: Floats) -> Floats:
    """Return poses in their order (n, n_c)."""
    return np.array([found[k] for k in sorted(found)]).reshape(-1, len(like))


def explain_unreached(stopped: Sequence[UnreachedError], partial: object | None = None) -> AssemblyError:
    """Return the error that names the travels not reached and the obstacles there."""
    return AssemblyError("; ".join(str(one.explain()) for one in stopped), partial)
