"""A tyre model on a rig: what it answers as machine code, and a mass on it that slides, stops and stands."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from ce_dynamics.compiler import compile_function, trace
from ce_dynamics.models.tyres.contract import TyreAnswer, TyreModel, WheelOnRoad

Floats = NDArray[np.float64]
GRAVITY = 9.81


class Rig:
    """Wheel with held load, whose answer is machine code."""

    def __init__(self, model: TyreModel) -> None:
        self.model = model
        self.n = len(model.states)

        def function(x: Floats) -> dict[str, Floats]:
            radius_rate, v_x, v_y = x[1:4]
            upright = WheelOnRoad(*x[:8])._replace(v_centre=(v_x, v_y, radius_rate))
            answer = model.evaluate(upright, x[8:])
            values = [v for name, v in answer._asdict().items() if name != "x_dot"]
            return {"y": np.array([*values, *answer.x_dot], dtype=object)}

        self.traced = trace("tyre", function, {"x": 8 + self.n})
        self.bound = compile_function(self.traced).bind()
        self.names = [name for name in TyreAnswer._fields if name != "x_dot"]

    def __call__(self, wheel: WheelOnRoad, x: Floats) -> TyreAnswer:
        self.bound.inputs["x"][:] = [*wheel[:8], *x]
        self.bound.run()
        out = self.bound.outputs["y"].tolist()
        named = dict(zip(self.names, out, strict=False))
        return TyreAnswer(**named, x_dot=tuple(out[len(self.names) :]))

    def radius(self, load: float) -> float:
        """The radius at which the tyre at rest carries a load."""
        from scipy.optimize import brentq

        rest = np.zeros(self.n)

        def excess(radius: float) -> float:
            return float(self(wheel(radius), rest).Fz) - load

        r0 = self.model.unloaded_radius
        return float(brentq(excess, 0.5 * r0, 1.1 * r0, xtol=1e-14, rtol=1e-14))

    def steady(self, at: WheelOnRoad) -> tuple[Floats, TyreAnswer]:
        from scipy.optimize import root

        start = np.zeros(self.n)
        if self.n == 0:
            return start, self(at, start)

        def rates(x: Floats) -> Floats:
            return np.array(self(at, x).x_dot, dtype=float)

        found: Floats = root(rates, start, tol=1e-13).x
        return found, self(at, found)


def wheel(
    radius: float,
    v_x: float = 0.0,
    v_y: float = 0.0,
    spin: float = 0.0,
    gamma: float = 0.0,
    yaw_rate: float = 0.0,
    friction: float = 1.0,
    radius_rate: float = 0.0,
) -> WheelOnRoad:
    return WheelOnRoad(radius, radius_rate, v_x, v_y, spin, gamma, yaw_rate, friction)


class Slide:
    """A mass on a locked wheel, on a grade: time, velocity, position, states and forces along and across."""

    def __init__(
        self,
        rig: Rig,
        load: float,
        velocity: tuple[float, float],
        grade: tuple[float, float],
        duration: float,
        friction: float = 1.0,
    ) -> None:
        mass = load / GRAVITY
        radius = rig.radius(load)
        pull = np.array([load * math.sin(angle) for angle in grade])

        def rate(t: float, s: Floats) -> Floats:
            v, x = s[2:4], s[4:]
            f = rig(wheel(radius, float(v[0]), float(v[1]), friction=friction), x)
            a = (np.array([f.Fx, f.Fy]) + pull) / mass
            return np.concatenate([v, a, np.array(f.x_dot)])

        start = np.concatenate([[0.0, 0.0], velocity, np.zeros(rig.n)])
        run = solve_ivp(rate, (0.0, duration), start, "LSODA", rtol=1e-8, atol=1e-10, max_step=0.02)
        assert run.success, run.message
        self.t, self.r, self.v, self.x = run.t, run.y[:2], run.y[2:4], run.y[4:]
        stored = np.array(
            [
                rig(wheel(radius, float(v[0]), float(v[1]), friction=friction), x).potential
                for v, x in zip(self.v.T, self.x.T, strict=True)
            ]
        )
        self.energy = 0.5 * mass * (self.v**2).sum(axis=0) - pull @ self.r + stored - stored[0]
