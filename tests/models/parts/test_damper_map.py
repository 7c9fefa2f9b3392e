"""Dampers by maps over length and rate."""

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.rounding import RoundedTable
from ce_dynamics.models.vehicles.springs import DamperMap

SOFT = RoundedTable((-1.0, 0.0, 1.0), (-50.0, 0.0, 100.0), passive=True)
HARD = RoundedTable((-1.0, 0.0, 1.0), (-500.0, 0.0, 900.0), passive=True)


def damper(lengths: tuple[float, ...]) -> tuple[ce.System, DamperMap]:
    system = ce.System(gravity=(0, 0, 0))
    slider = system.add_body(
        "slider",
        mass=2.0,
        com=(0, 0, 0.5),
        inertia=(1, 1, 1),
        parent=system.ground,
        hinge=ce.Prismatic((0, 0, 1)),
    )
    element = DamperMap(
        "damper", system.ground, (0, 0, 0), slider, (0, 0, 0.5), lengths=lengths, curves=(SOFT, HARD)
    )
    system.add_force(element)
    return system, element


@pytest.mark.parametrize(
    ("extension", "rate", "tension"),
    [(-0.2, 0.5, 50.0), (0.0, 0.5, 50.0), (0.05, 0.5, 250.0), (0.3, 0.5, 450.0), (0.3, -0.5, -250.0)],
)
def test_between_and_beyond_its_lengths(extension: float, rate: float, tension: float) -> None:
    """Soft at 0.5 m, hard at 0.6 m: the slider of 2 kg feels the tension alone."""
    system, element = damper((0.5, 0.6))
    model = ce.compile(system)
    y = np.array([extension, rate])
    response = model.instant(y, model.u0).loads.responses["damper"]
    assert float(response.outputs["force"]) == pytest.approx(tension, rel=1e-12)
    assert float(model.dynamics(y, model.u0)[0][1]) == pytest.approx(-tension / 2.0, rel=1e-12)
    assert element.tension(0.5 + extension, 0.0) == 0.0


def test_maps_that_are_none() -> None:
    with pytest.raises(DataError, match=r"lengths \(0.6, 0.5\) must increase"):
        damper((0.6, 0.5))
    with pytest.raises(DataError, match="must pair up"):
        damper((0.5, 0.6, 0.7))
