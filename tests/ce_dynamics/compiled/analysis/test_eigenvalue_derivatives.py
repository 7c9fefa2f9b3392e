"""Derivatives of eigenvalues against those of equilibria that are found again, and by hand."""

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.errors import ModelError

PARAMETERS = {"k": 900.0, "m": 1.5, "x": 0.8}


def swing() -> ce.Model:
    """A beam on a spring in a plane, with a pendulum that a torsion spring holds: both sag."""
    system = ce.System(gravity=(0, 0, -9.81))
    k, m, x = (system.add_parameter(ce.Parameter(name, value)) for name, value in PARAMETERS.items())
    y = (0, 1, 0)
    beam = system.add_body(
        "beam", mass=3.0, com=(0.5, 0, 0), inertia=(0.1, 0.3, 0.3), parent=system.ground, hinge=ce.Revolute(y)
    )
    bob = system.add_body(
        "bob",
        mass=m,
        com=(1.1, 0, -0.4),
        inertia=(0.01, 0.02, 0.01),
        parent=beam,
        hinge=ce.Revolute(y, at=(1, 0, 0)),
    )
    ends = system.ground, (0.6, 0, 0.7), beam, (x, 0, 0.05)
    system.add_force(ce.SpringDamper("spring", *ends, spring=ce.Linear(k), damper=12.0, free_length=0.5))
    system.add_force(ce.TorsionSpringDamper("hold", bob, spring=4.0, damper=0.3))
    return ce.compile(system)


@pytest.fixture(scope="module")
def model() -> ce.Model:
    return swing()


@pytest.mark.parametrize("at_rest", [True, False])
def test_against_differences(model: ce.Model, at_rest: bool) -> None:
    """Central differences with h = 1e-5 p: h² times third derivatives, and rests good to 1e-9/h."""
    y = model.equilibrium().y
    found = model.eigenvalue_derivatives(list(PARAMETERS), y, at_rest=at_rest)
    assert found.matrix.shape == (2, 3)

    def eigenvalues(name: str, value: float) -> np.ndarray:
        u = model.inputs_with({name: value})
        A = model.linearize(model.equilibrium(y, u=u, tolerance=1e-13).y if at_rest else y, u=u).A
        values = np.linalg.eigvals(A)
        values = values[values.imag > 0.0]
        return values[np.argsort(np.abs(values))]

    np.testing.assert_allclose(found.eigenvalues, eigenvalues("k", 900.0), rtol=1e-9)
    for column, (name, value) in enumerate(PARAMETERS.items()):
        h = 1e-5 * value
        ahead, behind = eigenvalues(name, value + h), eigenvalues(name, value - h)
        slope = (ahead - behind) / (2.0 * h)
        size = np.max(np.abs(slope))
        np.testing.assert_allclose(found.matrix[:, column], slope, rtol=0.0, atol=1e-6 * size)
        for mine, shown in (
            (found.frequency_by, np.abs),
            (found.damping_ratio_by, lambda v: -v.real / np.abs(v) * 2.0 * np.pi),
        ):
            change = (shown(ahead) - shown(behind)) / (2.0 * h) / (2.0 * np.pi)
            np.testing.assert_allclose(mine[:, column], change, rtol=0.0, atol=1e-6 * np.max(np.abs(change)))


def test_two_equal_eigenvalues_have_no_derivative() -> None:
    """Critical damping, c² = 4 m k: the two eigenvalues meet, and part with the square root of k."""
    system = ce.System(gravity=(0, 0, 0))
    k = system.add_parameter(ce.Parameter("k", 25.0))
    mass = system.add_body("mass", mass=1.0, parent=system.ground, hinge=ce.Prismatic((0, 0, 1)))
    system.add_force(ce.TorsionSpringDamper("spring", mass, spring=ce.Linear(k), damper=10.0))
    found = ce.compile(system).eigenvalue_derivatives("k")
    assert np.all(np.isnan(found.matrix))


def test_what_falls_is_no_equilibrium(model: ce.Model) -> None:
    with pytest.raises(ModelError, match="at_rest=False, or parameters"):
        model.eigenvalue_derivatives("beam", at_rest=True)
    with pytest.raises(ModelError, match="no 'q'"):
        model.eigenvalue_derivatives("q")
    system = ce.System(gravity=(0, 0, -9.81))
    m = system.add_parameter(ce.Parameter("m", 1.0))
    stone = system.add_body("stone", mass=1.0, parent=system.ground, hinge=ce.Prismatic((0, 0, 1)))
    system.add_force(ce.HingeDamper("air", stone, 2.0))
    system.add_force(ce.AppliedWrench("push", stone, (0, 0, 0), force=(0, 0, 1.0)))
    system.add_force(ce.TorsionSpringDamper("spring", stone, spring=ce.Polynomial((m,))))
    with pytest.raises(ModelError, match="no motion of the state balances"):
        ce.compile(system).eigenvalue_derivatives("m")
