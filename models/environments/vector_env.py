"""`VehicleVectorEnv`: many vehicles as a vector environment of Gymnasium, in SIMD lanes and threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ce_dynamics.algebra import checks
from ce_dynamics.errors import ModelError
from ce_dynamics.models.environments.env import Observation, check_actions, spaces_of
from ce_dynamics.models.environments.episodes import LEFT_BOUNDS, Episodes, Flags
from ce_dynamics.models.environments.task import DrivenVehicle, Task
from ce_dynamics.models.environments.tasks import EnvOptions, task_of
from ce_dynamics.models.vehicles.case import VehicleSetup
from ce_dynamics.simulation.in_the_loop.fleet import Fleet
from ce_dynamics.simulation.options import lists_options

Actions = NDArray[np.floating[Any]]


@dataclass(frozen=True, kw_only=True)
class VectorEnvOptions(EnvOptions):
    """Options of vector environments; `VehicleVectorEnv` describes them."""

    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP
    lanes: int | None = None
    threads: int | None = None


class VehicleVectorEnv(VectorEnv[Observation, Actions, Any]):
    """Many copies of the environment `VehicleEnv`, whose arguments it takes, in one call.

    A copy goes through the same episodes as `VehicleEnv` with the same seed and actions, to rounding, however
    many there are and whichever lane it is in.

    Parameters
    ----------
    num_envs : int
    autoreset_mode : AutoresetMode or str
        When a copy whose episode is over begins the next one: with the next step (``NextStep``), at once
        (``SameStep``, the last observation is ``info["final_obs"]``), or when `reset` is called with
        ``options={"reset_mask": ...}`` (``Disabled``).
    lanes : int, optional
        Vehicles that one call evaluates: 2, 4, 8 or 16; 8 if not given, 4 for four vehicles or fewer.
    threads : int, optional
        One if not given.
    task, vehicle, speed, dt, step, road, tyres, overrides, randomise, options, steering
        As of `VehicleEnv`.

    Raises
    ------
    DataError, ModelError
        For wrong arguments.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012, Gymnasium's
        "render_modes": [],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    @lists_options(VectorEnvOptions)
    def __init__(
        self,
        task: str | type[Task] = "path-following",
        vehicle: str | Path | VehicleSetup | DrivenVehicle = "hmmwv",
        num_envs: int = 8,
        *,
        render_mode: None = None,
        **options: Any,
    ) -> None:
        given = VectorEnvOptions(**options)
        self.num_envs = checks.integer("num_envs", num_envs, at_least=1)
        if render_mode is not None:
            raise ModelError("many vehicles at once draw no pictures; make one environment for that")
        try:
            self._mode = AutoresetMode(given.autoreset_mode)
        except ValueError:
            known = ", ".join(repr(mode.value) for mode in AutoresetMode)
            shown = checks.show(given.autoreset_mode)
            raise ModelError(f"autoreset_mode {shown} is none; choose one of {known}") from None
        self.metadata = {**type(self).metadata, "autoreset_mode": self._mode}
        self.task = task_of(task, vehicle, given)
        self._episodes = Episodes(self.task, num_envs, given.dt, given.randomise)
        self.fleet = Fleet(
            self.task.vehicle.model, num_envs, self._episodes.look, len(self.task.goal), step=given.step,
            lanes=given.lanes, threads=given.threads,
        )  # fmt: skip
        self.single_observation_space, self.single_action_space = spaces_of(self._episodes)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._over = np.ones(num_envs, dtype=np.bool_)
        self._begun = False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin episodes, of those only that ``options["reset_mask"]`` names if it is there.

        With a number as a seed, copies have this and those after it; with a sequence each has its own, and
        goes on drawing where that is None.
        """
        n, given = self.num_envs, dict(options or {})
        mask = np.asarray(given.pop("reset_mask", np.ones(n, dtype=np.bool_)))
        if mask.shape != (n,) or mask.dtype != np.bool_ or not mask.any():
            raise ModelError(f"reset_mask must be {n} truth values, one at least True, not {mask!r}")
        seeds = [seed + k for k in range(n)] if isinstance(seed, int) else list(seed or [None] * n)
        if len(seeds) != n:
            raise ModelError(f"{len(seeds)} seeds are given for {n} vehicles")
        members = np.flatnonzero(mask).tolist()
        for k in members:
            if seeds[k] is not None:
                self._episodes.random[k], _ = np_random(seeds[k])
        self._begin(members, given)
        self._begun = True
        none = np.zeros(n, dtype=np.bool_)
        return self._episodes.encode(self.fleet.seen), self._info(none, none, none, mask)

    def step(self, actions: Actions) -> tuple[Observation, Any, Any, Any, dict[str, Any]]:
        """Go on by dt with all that are not over.

        Raises
        ------
        ModelError
            If none was begun, one is over (in the mode ``Disabled``), or the actions are none.
        """
        if not self._begun:
            raise ModelError("no episode was begun: call reset()")
        episodes, fleet = self._episodes, self.fleet
        given = check_actions(actions, self.num_envs, self.task)
        over = self._over.copy()
        if self._mode is AutoresetMode.DISABLED and over.any():
            raise ModelError(
                f"the episode of vehicle {int(np.argmax(over))} is over: reset it by a reset_mask"
            )
        last = episodes.before
        seen = fleet.step(episodes.dt, self.task.command(given))
        failed = np.zeros(self.num_envs, dtype=np.bool_)
        failed[list(fleet.failures)] = True
        seen = np.where(failed[:, np.newaxis], last, seen) if failed.any() else seen
        reward, terminated, truncated, success, beyond = episodes.judge(seen, given, failed)
        observation, info = episodes.encode(seen), self._info(success, failed, beyond)
        done = terminated | truncated
        if self._mode is AutoresetMode.NEXT_STEP and over.any():
            self._begin(np.flatnonzero(over).tolist(), {})
            reward[over], terminated[over], truncated[over] = 0.0, False, False
            observation[over] = episodes.encode(fleet.seen)[over]
            done &= ~over
            info = self._info(success & ~over, failed & ~over, beyond & ~over)
        if self._mode is AutoresetMode.SAME_STEP and done.any():
            finals = final(observation, info, done)
            self._begin(np.flatnonzero(done).tolist(), {})
            observation[done] = episodes.encode(fleet.seen)[done]
            info = self._info(success & ~done, failed & ~done, beyond & ~done) | finals
        else:
            self._over = done
        return observation, reward, terminated, truncated, info

    def save(self) -> dict[str, Any]:
        """Return all that the next steps depend on; can be pickled."""
        fleet = self.fleet
        return {
            "episodes": self._episodes.save(),
            "states": fleet.states,
            "inputs": fleet.inputs,
            "failures": dict(fleet.failures),
            "over": self._over.copy(),
            "begun": self._begun,
        }

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Restore the state that `save` returned: the same actions lead to the same bits.

        Raises
        ------
        ModelError
            If it was saved by another environment.
        """
        self._episodes.restore(saved["episodes"])
        self.fleet.put_back(saved["states"], saved["inputs"], self._episodes.given, saved["failures"])
        self._over, self._begun = saved["over"].copy(), saved["begun"]

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        self.fleet.close()

    def _begin(self, members: Sequence[int], options: Mapping[str, Any]) -> None:
        episodes, fleet = self._episodes, self.fleet
        drawn = [episodes.draw(k, options) for k in members]
        u, given = (np.stack(part) for part in zip(*drawn, strict=True))
        y0 = np.broadcast_to(self.task.vehicle.y0, (len(members), len(self.task.vehicle.y0)))
        fleet.start(members, y0, u, given)
        for k, goal in zip(members, given, strict=True):
            episodes.begin(k, goal, fleet.seen[k])
            self._over[k] = False

    def _info(
        self, success: Flags, failed: Flags, beyond: Flags, mask: Flags | None = None
    ) -> dict[str, Any]:
        """Return times, what became of it and parameters that were drawn, of all or of those in the mask."""
        mask = np.ones(self.num_envs, dtype=np.bool_) if mask is None else mask
        time = self._episodes.steps * self._episodes.dt
        info: dict[str, Any] = {"success": success, "_success": mask, "time": time, "_time": mask}
        if self._episodes.drawn_names:
            drawn: dict[str, Any] = dict(self._episodes.parameters(self.fleet.inputs))
            info |= {"parameters": drawn | {f"_{name}": mask for name in drawn}, "_parameters": mask}
        if (failed | beyond).any():
            reasons = np.full(self.num_envs, None, dtype=object)
            reasons[beyond] = LEFT_BOUNDS
            for k in np.flatnonzero(failed).tolist():
                reasons[k] = self.fleet.failures[k]
            info |= {"failure": reasons, "_failure": failed | beyond}
        return info


def final(observation: Observation, info: dict[str, Any], done: Flags) -> dict[str, Any]:
    """Return the last observations and info of the episodes that are over, under separate keys."""
    last = np.full(len(done), None, dtype=object)
    for k in np.flatnonzero(done):
        last[k] = observation[k].copy()
    masked = {name: mask & done if name.startswith("_") else mask for name, mask in info.items()}
    return {"final_obs": last, "_final_obs": done, "final_info": masked, "_final_info": done}
