"""The classical Runge–Kutta method."""

from __future__ import annotations

from ce_dynamics.simulation.integrators.explicit import ExplicitRungeKutta

RK4 = ExplicitRungeKutta(
    name="rk4",
    order=4,
    c=(0.0, 0.5, 0.5, 1.0),
    A=((), (0.5,), (0.0, 0.5), (0.0, 0.0, 1.0)),
    b=(1.0, 2.0, 2.0, 1.0),
    over=6.0,
)
