"""Random mechanisms of rods, couplings and written constraints in one system, against both references.

What is independent, what is found in closed form or numerically, before a loop or after it, is left to the
library.
"""

import math
from typing import Any

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.mechanism.couplings import ConstraintView
from ce_dynamics.mechanism.system import System
from tests.ce_dynamics.mechanism.couplings.test_couplings import compare

Z = (0.0, 0.0, 1.0)


class Mechanism:
    """A random tree of bars in a plane, with random cut edges."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.system = System(gravity=(0.4, -9.81, 0.2))
        self.tips: dict[str, np.ndarray] = {"ground": np.zeros(2)}
        for k in range(self.rng.integers(4, 8)):
            self.add_bar(k)
        rods, couplings = self.rng.integers(0, 3), self.rng.integers(1, 3)
        for k in range(rods):
            a, b = self.pick(2)
            self.system.close_loop(f"rod{k}", a, b, ce.Distance((*self.tips[a], 0), (*self.tips[b], 0)))
        for k in range(couplings):
            self.add_coupling(f"coupling{k}", int(self.rng.integers(0, 5)))
        if self.rng.random() < 0.3:
            for name, value in (("way", 0.05), ("way_rate", 0.4), ("way_acceleration", -0.3)):
                self.system.add_input(name, "rad", value)
            self.system.prescribe(self.pick(1)[0], ce.Driven("way"))

    @property
    def bodies(self) -> list[str]:
        return [body.name for body in self.system.bodies]

    def pick(self, number: int) -> list[str]:
        return [str(name) for name in self.rng.choice(self.bodies, number, replace=False)]

    def add_bar(self, k: int) -> None:
        parent = str(self.rng.choice(list(self.tips))) if self.rng.random() < 0.5 else "ground"
        spread = 1.0 if parent == "ground" else 0.15
        at = self.tips[parent] + spread * self.rng.uniform(-1.0, 1.0, 2)
        tip = at + self.rng.uniform(-0.8, 0.8, 2)
        slides = self.rng.random() < 0.2
        hinge = ce.Prismatic((math.cos(k), math.sin(k), 0), (*at, 0)) if slides else ce.Revolute(Z, (*at, 0))
        com, inertia = (*(0.5 * (at + tip)), 0.1), (0.05, 0.04, 0.06)
        self.system.add_body(f"b{k}", mass=1.0, com=com, inertia=inertia, parent=parent, hinge=hinge)
        self.tips[f"b{k}"] = tip

    def add_coupling(self, name: str, kind: int) -> None:
        s, rng = self.system, self.rng
        if kind == 0:
            s.couple(name, self.pick(2), ce.Gear(float(rng.uniform(0.4, 2.0) * rng.choice([-1, 1]))))
        elif kind == 1:
            s.couple(name, self.pick(3), ce.LinearCoupling(rng.uniform(0.5, 2.0, 3).tolist()))
        elif kind == 2:
            coefficients = (0.0, float(rng.uniform(0.4, 1.0)), float(rng.uniform(-0.5, 0.5)))
            s.couple(name, self.pick(2), ce.PolynomialCoupling(coefficients))
        elif kind == 3:
            s.couple(name, self.pick(2), ce.ImplicitCoupling(skew_cubic))
        else:
            a, b = self.pick(2)
            at_a, at_b = (*self.tips[a], 0.0), (*self.tips[b], 0.0)
            square = float(np.sum(np.subtract(at_a, at_b) ** 2))

            def distance(see: ConstraintView) -> Any:
                gap = see.point(a, at_a, "ground") - see.point(b, at_b, "ground")
                return gap @ gap - square

            s.constrain(name, (a, b, "ground"), distance)


def skew_cubic(p: Any, q: Any) -> Any:
    return q + 0.3 * q**3 - 0.6 * p + 0.2 * p * q


# every kind of cut edge, each order of closed forms and Newton's method, with and without prescribed motion
@pytest.mark.filterwarnings("ignore::ce_dynamics.errors.ImmobilityWarning")  # some hold a hinge
@pytest.mark.parametrize("seed", [9, 16, 20, 22, 27, 34, 42, 43, 50, 57])
def test_random_mechanisms_agree_with_both_references(seed: int) -> None:
    compare(Mechanism(seed).system, seed, amplitude=0.03, tolerance=1e-8)
