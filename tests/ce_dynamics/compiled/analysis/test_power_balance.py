"""Powers of elements and drives against differences of energies, closed forms and the audit of runs."""

from collections.abc import Mapping

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array, Scalar
from ce_dynamics.compiled.analysis.power_balance import PowerBalance
from ce_dynamics.dynamics.energy import gravitational_potential, kinetic_energy
from ce_dynamics.mechanism.forces.base import HingeLoad, Observer, Response, StateDeclaration
from tests.ce_dynamics.recursion_systems import Case, make_case


def throughput(balance: PowerBalance) -> float:
    parts = [balance.kinetic, balance.gravitational, *balance.drives.values()]
    return sum(map(abs, [*parts, *(e.load for e in balance.elements.values())]))


@pytest.fixture(scope="module", params=["tree", "chain", "four_bar", "corner"])
def pair(request: pytest.FixtureRequest) -> tuple[Case, ce.Model, PowerBalance]:
    case = make_case(request.param)
    model = ce.Model(case.system)
    return case, model, model.power(np.concatenate((case.q, case.v, case.x)), u=case.u)


def test_everything_adds_up(pair: tuple[Case, ce.Model, PowerBalance]) -> None:
    _, _, balance = pair
    assert abs(balance.residual) < 1e-11 * throughput(balance)
    assert balance.mechanical == pytest.approx(
        balance.prescribed - balance.dissipated, abs=1e-9 * throughput(balance)
    )


def test_rates_are_differences_of_energies(pair: tuple[Case, ce.Model, PowerBalance]) -> None:
    """Along the motion; differences with h = 1e-5 leave 1e-10 of the energies over h."""
    case, _, balance = pair
    v_dot = case.instant().accelerations.v_dot
    scale = max(1.0, throughput(balance))
    for rate, energy in (
        (balance.kinetic, lambda now: kinetic_energy(now.outward)),
        (balance.gravitational, lambda now: gravitational_potential(now.outward)),
        *(
            (element.stored, lambda now, name=name: now.loads.responses[name].potential)
            for name, element in balance.elements.items()
        ),
    ):
        assert rate == pytest.approx(float(case.derivative(energy, v_dot)), abs=1e-6 * scale)


def test_dampers_dissipate_the_power_of_their_law(pair: tuple[Case, ce.Model, PowerBalance]) -> None:
    case, _, balance = pair
    loads = case.instant().loads
    for element in case.system.forces:
        outputs = loads.responses[element.name].outputs
        if isinstance(element, ce.SpringDamper):
            expected = 3.0 * float(outputs["rate"]) ** 2
        elif isinstance(element, ce.TorsionSpringDamper):
            expected = 0.7 * float(outputs["rate"]) ** 2
        else:
            continue
        # To rounding of what passes through the element.
        size = abs(balance.elements[element.name].load) + abs(balance.elements[element.name].stored) + 1.0
        assert balance.elements[element.name].dissipated == pytest.approx(
            expected, abs=1e-10 * size, rel=1e-10
        )


def test_it_is_what_runs_integrate_as_work(pair: tuple[Case, ce.Model, PowerBalance]) -> None:
    case, model, balance = pair
    rates = model.audited_dynamics(np.concatenate((case.q, case.v, case.x)), case.u)[0]
    assert balance.loads + balance.prescribed == pytest.approx(rates[-1], rel=1e-10)
    assert set(balance.drives) == set(case.system.prescribed)


def test_drive_pays_for_a_spring_it_winds_up() -> None:
    """Positions of drives are inputs, which energies depend on as well."""
    system = ce.System(gravity=(0, 0, 0))
    for name, unit in (("turn", "rad"), ("turn_rate", "rad/s"), ("turn_acceleration", "rad/s^2")):
        system.add_input(name, unit)
    hub = system.add_body(
        "hub", mass=1.0, inertia=(0.3, 0.3, 0.3), parent="ground", hinge=ce.Revolute((0, 0, 1))
    )
    system.prescribe("hub", ce.Driven("turn"))
    system.add_body("idle", mass=1.0, inertia=(0.1, 0.1, 0.1), parent="ground", hinge=ce.Revolute((0, 0, 1)))
    system.add_force(ce.TorsionSpringDamper("spring", hub, spring=50.0, damper=2.0))
    balance = ce.Model(system).power(u=[0.4, 3.0, 5.0])
    assert balance.elements["spring"].stored == pytest.approx(50.0 * 0.4 * 3.0)
    assert balance.elements["spring"].dissipated == pytest.approx(2.0 * 3.0**2)
    assert balance.kinetic == pytest.approx(0.3 * 3.0 * 5.0)
    assert balance.drives == {"hub": pytest.approx(60.0 + 18.0 + 4.5)}
    assert abs(balance.residual) < 1e-13
    rows = [line.split(" W ") for line in str(balance).splitlines()]
    assert [(float(value), name.strip()) for value, name in rows[-2:]] == [
        (-18.0, "supplied by spring"),
        (82.5, "supplied by the drive of hub"),
    ]


class Maxwell(ce.ForceElement):
    """A torsion spring and a damper one after the other; the torque is a state."""

    name = "maxwell"
    states = (StateDeclaration("torque", "N*m", 2.0),)

    def __init__(self, body: ce.Body, k: float, tau: float) -> None:
        self.body, self.k, self.tau = body, k, tau

    @property
    def attachments(self) -> tuple[tuple[ce.Body, Array], ...]:
        return ((self.body, self.body.inboard.at),)

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        rate = self.k * observer.rate(self.body) - x[0] / self.tau
        return Response((HingeLoad(self.body, 0, -x[0]),), (rate,), potential=x[0] * x[0] / (2.0 * self.k))


def test_energies_of_states_count() -> None:
    system = ce.System(gravity=(0, 0, 0))
    wheel = system.add_body(
        "wheel", mass=1.0, inertia=(1, 1, 1), parent="ground", hinge=ce.Revolute((0, 0, 1))
    )
    system.add_force(Maxwell(wheel, 40.0, 0.5))
    balance = ce.Model(system).power([0.0, 1.5, 2.0])
    assert balance.elements["maxwell"].load == pytest.approx(-2.0 * 1.5)
    assert balance.elements["maxwell"].dissipated == pytest.approx(2.0**2 / (40.0 * 0.5))  # x²/(k τ)


def test_free_parameters() -> None:
    system = ce.System(gravity=(0, 0, 0))
    damping = system.add_parameter(ce.Parameter("damping", 1.0, "N*m*s/rad"))
    wheel = system.add_body(
        "wheel", mass=1.0, inertia=(1, 1, 1), parent="ground", hinge=ce.Revolute((0, 0, 1))
    )
    system.add_force(ce.TorsionSpringDamper("brake", wheel, damper=damping))
    model = ce.Model(system)
    balance = model.power([0.0, 2.0], u=model.inputs_with({"damping": 3.0}))
    assert balance.dissipated == pytest.approx(12.0)


def test_the_balance_of_a_run() -> None:
    """Integrated over a run, dissipation is what is missing of the energy."""
    system = ce.System(gravity=(0, 0, -9.81))
    arm = system.add_body(
        "arm", mass=2.0, com=(0.5, 0, 0), inertia=(0, 0.2, 0.2), parent="ground", hinge=ce.Revolute((0, 1, 0))
    )
    system.add_force(ce.TorsionSpringDamper("joint", arm, spring=4.0, damper=1.1))
    model = ce.Model(system)
    run = ce.simulate(model, duration=1.0, interval=0.01, rtol=1e-10, atol=1e-12, audit=True)
    states = np.stack([run.arm, run.arm_rate], axis=1)
    dissipated = [model.power(y).dissipated for y in states]
    np.testing.assert_allclose(run.elastic_energy, 2.0 * run.arm**2, rtol=1e-12)
    lost = float(run.energy[0] - run.energy[-1])
    # Simpson's rule over 100 steps of 0.01 s: h⁴/180 of the fourth derivative, some 1e4 W/s⁴ here.
    h = 0.01
    simpson = (
        h
        / 3.0
        * (dissipated[0] + dissipated[-1] + 4.0 * sum(dissipated[1:-1:2]) + 2.0 * sum(dissipated[2:-1:2]))
    )
    assert simpson == pytest.approx(lost, abs=1e-6)
    assert float(run.work[-1]) == pytest.approx(-lost, abs=1e-8)
