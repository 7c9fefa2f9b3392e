"""An agent learns the double lane change with the HMMWV: Stable-Baselines3's PPO on 64 vehicles in lanes.

pip install 'ce-dynamics[gym]' stable-baselines3
python learn_to_drive.py [steps]
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecEnv

from ce_dynamics.models.environments import VehicleEnv, VehicleVectorEnv

RANGES = {"road.friction": (0.6, 1.0), "chassis.mass": (2000.0, 3000.0)}


class Lanes(VecEnv):
    """A vector environment of Gymnasium as Stable-Baselines3 wants it."""

    def __init__(self, env: VehicleVectorEnv) -> None:
        self.env = env
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)

    def reset(self) -> Any:
        return self.env.reset(seed=self._seeds[0])[0]

    def step_async(self, actions: Any) -> None:
        self.actions = actions

    def step_wait(self) -> Any:
        observation, reward, terminated, truncated, info = self.env.step(self.actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for k in np.flatnonzero(terminated | truncated):
            infos[k] = {
                "terminal_observation": info["final_obs"][k],
                "TimeLimit.truncated": bool(truncated[k]),
            }
        return observation, reward, terminated | truncated, infos

    def close(self) -> None:
        self.env.close()

    def get_attr(self, name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.env, name, None)] * self.num_envs

    def set_attr(self, name: str, value: Any, indices: Any = None) -> None:
        setattr(self.env, name, value)

    def env_method(self, name: str, *arguments: Any, indices: Any = None, **named: Any) -> list[Any]:
        return [getattr(self.env, name)(*arguments, **named)]

    def env_is_wrapped(self, wrapper: Any, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs


def driven(agent: Any, episodes: int = 20) -> tuple[int, float]:
    """Count the courses that the agent completes, and return its mean reward."""
    env = VehicleEnv("lane-change", randomise=RANGES)
    successes, rewards = 0, 0.0
    for seed in range(episodes):
        observation, _ = env.reset(seed=seed)
        over = False
        while not over:
            action = agent.predict(observation, deterministic=True)[0]
            observation, reward, terminated, truncated, info = env.step(action)
            rewards += reward
            over = terminated or truncated
        successes += info["success"]
    env.view().save("learnt.html")
    return successes, rewards / episodes


def main(steps: int = 600_000) -> None:
    """Learn, and say how well."""
    many = VehicleVectorEnv("lane-change", num_envs=64, randomise=RANGES, autoreset_mode="SameStep")
    agent = PPO(
        "MlpPolicy", Lanes(many), n_steps=256, batch_size=2048, n_epochs=8, gamma=0.98, learning_rate=1e-3,
        policy_kwargs={"log_std_init": -1.5}, seed=0, device="cpu",
    )  # fmt: skip
    print("before: {} of 20 courses, mean reward {:.0f}".format(*driven(agent)))
    began = time.process_time()
    agent.learn(steps)
    print(f"{steps} steps in {time.process_time() - began:.0f} s of the processor")
    print("after: {} of 20 courses, mean reward {:.0f}".format(*driven(agent)))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
