"""`VehicleEnv`: one vehicle as an environment of Gymnasium."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import compile_function
from ce_dynamics.errors import ModelError, SimulationError
from ce_dynamics.models.environments.episodes import LEFT_BOUNDS, Episodes
from ce_dynamics.models.environments.task import DrivenVehicle, Task, corners, to_world
from ce_dynamics.models.environments.tasks import EnvOptions, task_of
from ce_dynamics.models.vehicles.case import VehicleSetup
from ce_dynamics.models.vehicles.pictures import cameras_of, road_of, shapes_of
from ce_dynamics.simulation.in_the_loop.fleet import trace_look
from ce_dynamics.simulation.in_the_loop.simulator import Simulator
from ce_dynamics.simulation.options import lists_options
from ce_dynamics.simulation.results import record
from ce_dynamics.views.scene.shapes import line
from ce_dynamics.views.scene.view import View, view

Trace = Sequence[tuple[float, Floats, Floats]]
"""Times, states and inputs."""

SIZE, DPI = (6.0, 4.0), 100
AROUND = 25.0
"""Half of what is seen, across [m]."""


def poses(task: Task, trace: Trace) -> Floats:
    """Return places and headings (n, 3) of an episode."""
    model = task.vehicle.model
    rows = []
    for _, y, u in trace:
        seen = model.outputs(y, u=u)
        rows.append([seen["x"], seen["y"], seen["yaw"]])
    return np.array(rows)


def picture(task: Task, goal: Floats, trace: Trace) -> NDArray[np.uint8]:
    """Return the vehicle from above at the end of a trace, (height, width, 3)."""
    checks.require_plots()
    # here, because only pictures need it
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    (here,) = poses(task, trace[-1:])
    figure = Figure(SIZE, dpi=DPI)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    half = AROUND * SIZE[1] / SIZE[0]
    axes.set(xlim=(here[0] - AROUND, here[0] + AROUND), ylim=(here[1] - half, here[1] + half), aspect="equal")
    axes.grid(color="#dddddd")
    axes.tick_params(length=0.0, labelbottom=False, labelleft=False)
    for points, colour in task.lines(goal, here[:1]):
        axes.plot(*points.T, color=colour)
    vehicle = task.vehicle
    ring = to_world(corners(vehicle.length, vehicle.width, vehicle.middle)[[0, 1, 2, 3, 0]], here)
    axes.fill(*ring.T, color="#7f8f7a", alpha=0.7)
    axes.plot(*ring[[0, 1]].T, color="#1d2429", linewidth=3.0)  # the front
    axes.text(0.02, 0.95, f"{trace[-1][0]:.2f} s", transform=axes.transAxes)
    canvas.draw()  # type: ignore[no-untyped-call]
    seen: NDArray[np.uint8] = np.asarray(canvas.buffer_rgba())  # type: ignore[no-untyped-call]
    return seen[..., :3].copy()


def scene(task: Task, goal: Floats, trace: Trace) -> View:
    """Return an episode as a page."""
    model, system = task.vehicle.model, task.vehicle.model.system
    t, Y, U = (np.array(part) for part in zip(*trace, strict=True))
    results = record(model, t, Y, U, {}).dataset()
    way = np.stack([results["x"].values, results["y"].values], axis=1)
    ground = road_of(system, way) if shapes_of(system) else []
    lines = [
        line(np.column_stack((points, np.full(len(points), 0.02))).tolist()).paint(colour)
        for points, colour in task.lines(goal, way[:, 0])
    ]
    return view(
        model, results, shapes=shapes_of(system), scenery=[*ground, *lines], cameras=list(cameras_of(system)),
        title=f"{task.vehicle.title}: {task.title}",
    )  # fmt: skip


Observation = NDArray[np.float32]


class VehicleEnv(gymnasium.Env[Observation, NDArray[np.floating[Any]]]):
    """A vehicle with all its linkages, and a task.

    Observations are numbers of order one (``task.features`` has names, units and scales), actions lie within
    ±1: steering, positive to the left; pedal, throttle or brake; in some tasks the direction.

    Parameters
    ----------
    task : str or class
        ``path-following``, ``lane-change`` or ``parking``, or a `Task` of your own.
    vehicle : str, path, VehicleSetup or DrivenVehicle
        Shipped ones by name, data files, loaded vehicles, or any system with a vehicle's sensors and inputs.
    speed : float, optional
        At the start, to be held [m/s].
    dt : float
        Time of a step of the environment [s].
    step : float
        Longest step of the integrator, classical Runge–Kutta [s].
    road, tyres, overrides
        As of `ce_dynamics.models.vehicles.case.VehicleSetup`.
    randomise : mapping of str to (float, float), optional
        Numbers of the vehicle's data, hardpoints included, that are drawn evenly for every episode.
    options : mapping, optional
        Of the task.
    steering : float or str
        Steering at an action of 1: part of full lock, or an angle of the steering wheel such as ``"90 deg"``.
    render_mode : "rgb_array", optional
        A view from above.

    Raises
    ------
    DataError, ModelError
        For wrong arguments.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 50}  # noqa: RUF012, Gymnasium's

    @lists_options(EnvOptions)
    def __init__(
        self,
        task: str | type[Task] = "path-following",
        vehicle: str | Path | VehicleSetup | DrivenVehicle = "hmmwv",
        *,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        given = EnvOptions(**options)
        self.task = task_of(task, vehicle, given)
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ModelError(f"render_mode {checks.show(render_mode)}: there is only 'rgb_array'")
        self.render_mode = render_mode
        self._episodes = Episodes(self.task, 1, given.dt, given.randomise)
        model = self.task.vehicle.model
        self.simulator = Simulator(model, step=given.step, y0=self.task.vehicle.y0)
        self._look = compile_function(trace_look(model, self._episodes.look, len(self.task.goal))).bind()
        self.observation_space, self.action_space = spaces_of(self._episodes)
        self._trace: list[tuple[float, Floats, Floats]] = []
        self._over = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; options may give ``parameters`` by name and the ``goal`` that are else drawn."""
        super().reset(seed=seed)
        episodes = self._episodes
        episodes.random[0] = self.np_random
        u, given = episodes.draw(0, options)
        simulator = self.simulator
        simulator.reset()
        simulator.set(dict(zip(simulator.inputs, u.tolist(), strict=True)))
        self._look.inputs["given"][:] = given
        seen = self._observe()
        if not np.isfinite(seen).all():
            raise ModelError(f"{self.task.name}: the episode cannot begin: what is seen is not finite")
        episodes.begin(0, given, seen)
        self._trace, self._over = [], False
        self._remember()
        return episodes.encode(seen[np.newaxis])[0], self._info(False)

    def step(
        self, action: NDArray[np.floating[Any]]
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Go on by dt.

        Raises
        ------
        ModelError
            If the episode is over, or the action is none.
        """
        if self._over:
            raise ModelError("the episode is over, or none was begun: call reset()")
        actions = check_actions(checks.numbers(f"{self.task.name}: action", action)[np.newaxis], 1, self.task)
        episodes, failure = self._episodes, ""
        inputs = {name: float(value[0]) for name, value in self.task.command(actions).items()}
        seen = episodes.before[0]
        try:
            self.simulator.step(episodes.dt, **inputs)
            now = self._observe()
            failure = "" if np.isfinite(now).all() else "what is seen is not finite"
            seen = seen if failure else now
        except SimulationError as error:
            failure = str(error)
        outcome = episodes.judge(seen[np.newaxis], actions, np.array([bool(failure)]))
        info = self._info(bool(outcome.success[0]))
        if outcome.beyond[0]:
            failure = LEFT_BOUNDS
        if failure:
            info["failure"] = failure
        self._remember()
        terminated, truncated = bool(outcome.terminated[0]), bool(outcome.truncated[0])
        self._over = terminated or truncated
        observation = episodes.encode(seen[np.newaxis])[0]
        return observation, float(outcome.reward[0]), terminated, truncated, info

    def render(self) -> NDArray[np.uint8] | None:
        """Return the vehicle from above; None without a render mode."""
        if self.render_mode is None:
            return None
        return picture(self.task, self._episodes.given[0], self._trace)

    def view(self) -> View:
        """Return the episode so far as a page in three dimensions."""
        return scene(self.task, self._episodes.given[0], self._trace)

    def save(self) -> dict[str, Any]:
        """Return all that the next steps depend on; can be pickled."""
        trace = [(t, y.copy(), u.copy()) for t, y, u in self._trace]
        return {
            "simulator": self.simulator.save(),
            "episodes": self._episodes.save(),
            "trace": trace,
            "over": self._over,
        }

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Restore the state that `save` returned: the same actions lead to the same bits.

        Raises
        ------
        ModelError
            If it was saved by another environment.
        """
        self._episodes.restore(saved["episodes"])
        self.simulator.restore(saved["simulator"])
        self.np_random = self._episodes.random[0]
        self._look.inputs["given"][:] = self._episodes.given[0]
        self._trace, self._over = list(saved["trace"]), saved["over"]

    def _observe(self) -> Floats:
        look = self._look
        look.inputs["y"][:] = self.simulator.state
        look.inputs["u"][:] = list(self.simulator.inputs.values())
        look.run()
        return look.outputs["seen"].copy()

    def _remember(self) -> None:
        u = np.array(list(self.simulator.inputs.values()))
        self._trace.append((self.simulator.time, self.simulator.state.copy(), u))

    def _info(self, success: bool) -> dict[str, Any]:
        u = np.array([list(self.simulator.inputs.values())])
        drawn = {name: float(value[0]) for name, value in self._episodes.parameters(u).items()}
        return {"success": success, "time": self.simulator.time, **({"parameters": drawn} if drawn else {})}


def spaces_of(episodes: Episodes) -> tuple[spaces.Box[Any], spaces.Box[Any]]:
    """Return the spaces of observations and actions of one vehicle."""
    n = len(episodes.task.actions)
    return (
        spaces.Box(-episodes.high, episodes.high, dtype=np.float32),
        spaces.Box(-1.0, 1.0, (n,), dtype=np.float32),
    )


def check_actions(actions: NDArray[np.floating[Any]], number: int, task: Task) -> Floats:
    """Return actions as an array (number, actions) within ±1."""
    given = checks.numbers(f"{task.name}: actions", actions)
    if given.shape != (number, len(task.actions)):
        raise ModelError(
            f"{task.name}: actions are {', '.join(task.actions)} of {number} vehicle(s), not of shape "
            f"{given.shape}"
        )
    if not (np.abs(given) <= 1.0).all():
        worst = given[~(np.abs(given) <= 1.0)][0]
        raise ModelError(f"{task.name}: an action of {worst:g} is not between -1 and 1")
    return given
