"""The native methods, registered once for runs, simulators and ensembles; importing this costs nothing."""

from __future__ import annotations

from typing import Literal, get_args

from ce_dynamics.simulation.integrators.dopri5 import DOPRI5
from ce_dynamics.simulation.integrators.embedded_pair import EmbeddedPair
from ce_dynamics.simulation.integrators.explicit import ExplicitRungeKutta
from ce_dynamics.simulation.integrators.implicit_euler import IMPLICIT_EULER
from ce_dynamics.simulation.integrators.linearly_implicit import LinearlyImplicit
from ce_dynamics.simulation.integrators.method import Method
from ce_dynamics.simulation.integrators.rk4 import RK4
from ce_dynamics.simulation.integrators.rosenbrock import ROSENBROCK
from ce_dynamics.simulation.integrators.tsit5 import TSIT5

NativeMethod = Literal["rk4", "rosenbrock", "implicit-euler", "dopri5", "tsit5"]

REGISTERED: tuple[Method, ...] = (RK4, ROSENBROCK, IMPLICIT_EULER, DOPRI5, TSIT5)

METHOD_OF: dict[str, Method] = {method.name: method for method in REGISTERED}
NATIVE_METHODS: tuple[str, ...] = get_args(NativeMethod)
FIXED = tuple(method.name for method in REGISTERED if method.fixed)
EXPLICIT = {method.name: method for method in REGISTERED if isinstance(method, ExplicitRungeKutta)}
IMPLICIT = {method.name: method for method in REGISTERED if isinstance(method, LinearlyImplicit)}
EMBEDDED = {method.name: method for method in REGISTERED if isinstance(method, EmbeddedPair)}
