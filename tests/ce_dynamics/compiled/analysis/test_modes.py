"""Eigenmodes against closed forms and against simulated free motion."""

import math

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.mechanism.couplings.cut_edge import LoopClosure
from ce_dynamics.models import hmmwv
from ce_dynamics.models.vehicles.hmmwv import CORNERS
from tests.support import systems as mechanisms

WEIGHTLESS = (0.0, 0.0, 0.0)


def chain(n: int, m: float, k: float, c: float = 0.0) -> ce.Model:
    system = ce.System(gravity=WEIGHTLESS, name="chain")
    last, x = system.ground, 0.0
    for i in range(n + 1):
        if i < n:
            body = system.add_body(
                f"mass {i + 1}",
                mass=m,
                com=(x + 1, 0, 0),
                parent="ground",
                hinge=ce.Prismatic((1, 0, 0), (x + 1, 0, 0)),
            )
        else:
            body = system.ground
        ends = last, (x, 0, 0), body, (x + 1, 0, 0)
        system.add_force(ce.SpringDamper(f"spring {i}", *ends, spring=k, damper=c))
        last, x = body, x + 1.0
    return ce.Model(system)


@pytest.mark.parametrize("damped", [True, False])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_chain_of_masses_and_springs(n: int, damped: bool) -> None:
    """ω_j = 2 √(k/m) sin(jπ/2(n + 1)), shapes sin(ijπ/(n + 1))."""
    modes = chain(n, 0.5, 80.0).modes(damped=damped)
    j = np.arange(1, n + 1)
    omega = 2.0 * math.sqrt(80.0 / 0.5) * np.sin(j * np.pi / (2 * (n + 1)))
    np.testing.assert_allclose(modes.frequency, omega / (2.0 * np.pi), rtol=1e-12)
    np.testing.assert_allclose(modes.damping_ratio, 0.0, atol=1e-13)
    expected = np.sin(np.outer(j, j) * np.pi / (n + 1))
    for k in range(n):
        largest = int(np.argmin(np.abs(modes.shapes[:, k] - 1.0)))  # that which the shape is scaled by
        np.testing.assert_allclose(modes.shapes[:, k], expected[:, k] / expected[largest, k], atol=1e-11)
        assert np.max(np.abs(modes.shapes[:, k])) == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(modes.modal_mass, 0.5 * np.sum(np.abs(modes.shapes) ** 2, axis=0), rtol=1e-12)


def test_proportional_damping() -> None:
    """C = β K gives ζ = β ω/2: here one mode swings, the other creeps with two real λ."""
    beta = 0.11
    modes = chain(2, 1.0, 100.0, 100.0 * beta).modes()
    omega = np.array((10.0, math.sqrt(300.0)))
    zeta = beta * omega / 2.0  # 0.55 and 0.953
    np.testing.assert_allclose(modes.frequency, omega / (2.0 * np.pi), rtol=1e-10)
    np.testing.assert_allclose(modes.damping_ratio, zeta, rtol=1e-10)
    np.testing.assert_allclose(modes.damped_frequency, omega * np.sqrt(1 - zeta**2) / (2 * np.pi), rtol=1e-10)
    heavy = chain(2, 1.0, 100.0, 15.0).modes()  # ζ = 0.75 and 1.299
    c, w = 0.15 * 300.0, 300.0  # s² + c s + w = 0
    creeping = (-c + np.array((1.0, -1.0)) * math.sqrt(c * c - 4.0 * w)) / 2.0
    for value in creeping:
        k = int(np.argmin(np.abs(heavy.eigenvalues - value)))
        assert heavy.eigenvalues[k] == pytest.approx(value, rel=1e-10)
        assert heavy.damping_ratio[k] == pytest.approx(1.0)
    assert len(heavy) == 3


def test_physical_pendulum_and_its_upright_position() -> None:
    system = ce.System(gravity=(0, 0, -9.81))
    system.add_body(
        "rod",
        mass=3.0,
        com=(0, 0, -0.7),
        inertia=(0.4, 0.4, 0),
        parent="ground",
        hinge=ce.Revolute((0, 1, 0)),
    )
    model = ce.Model(system)
    omega = math.sqrt(3.0 * 9.81 * 0.7 / (0.4 + 3.0 * 0.49))
    assert model.modes().frequency == pytest.approx([omega / (2 * math.pi)], rel=1e-12)
    upright = model.modes([math.pi, 0.0])
    np.testing.assert_allclose(np.sort(upright.eigenvalues), (-omega, omega), rtol=1e-12)
    np.testing.assert_allclose(np.sort(upright.damping_ratio), (-1.0, 1.0), rtol=1e-14)
    (grows,) = model.modes([math.pi, 0.0], damped=False).eigenvalues
    assert grows == pytest.approx(omega, rel=1e-12)


def test_heave_and_pitch_of_bar_on_two_springs() -> None:
    """m z̈ = −(k₁+k₂) z + (k₁a − k₂b) θ …, the textbook 2×2 problem (here θ lowers the front)."""
    m, Iyy, a, b, k1, k2 = 800.0, 1200.0, 1.2, 1.7, 2.4e4, 1.9e4
    system = ce.System(gravity=WEIGHTLESS)
    hinge = ce.Planar((0, 1, 0), (0, 0, 1))
    bar = system.add_body("bar", mass=m, com=(0, 0, 1), inertia=(Iyy, Iyy, 0), parent="ground", hinge=hinge)
    for name, x, k in (("front", a, k1), ("rear", -b, k2)):
        system.add_force(ce.SpringDamper(name, system.ground, (x, 0, 0), bar, (x, 0, 1), spring=k))
    model = ce.Model(system)
    names = [entry.name for entry in model.tangent.entries]
    level = names[int(np.argmax([abs(e @ (1, 0, 0)) for e in (hinge.e1, hinge.e2)]))]
    modes = model.modes(damped=False, hold=[level])
    K = np.array(((k1 + k2, -(k1 * a - k2 * b)), (-(k1 * a - k2 * b), k1 * a**2 + k2 * b**2)))
    squares = np.linalg.eigvals(K / np.array(((m,), (Iyy,))))
    np.testing.assert_allclose(modes.frequency, np.sqrt(np.sort(squares)) / (2.0 * np.pi), rtol=1e-10)
    # M-orthogonal shapes
    product = modes.shapes.T @ model.mass_matrix(model.y0[:3]) @ modes.shapes
    assert abs(product[0, 1]) < 1e-10 * abs(product[0, 0])


def test_nutation_of_a_gyroscope() -> None:
    """A rotor in two weightless gimbals: 0 and Ω I_p/I_t, from the gyroscopic terms alone."""
    system = ce.System(gravity=WEIGHTLESS)
    gimbal = system.add_body("gimbal", mass=0.0, parent="ground", hinge=ce.Universal((1, 0, 0), (0, 1, 0)))
    system.add_body("rotor", mass=1.0, inertia=(0.3, 0.3, 0.5), parent=gimbal, hinge=ce.Revolute((0, 0, 1)))
    model = ce.Model(system)
    y = np.zeros(6)
    y[5] = 40.0
    modes = model.modes(y)
    assert modes.frequency[-1] == pytest.approx(40.0 * 0.5 / 0.3 / (2.0 * np.pi), rel=1e-10)
    assert modes.damping_ratio[-1] == pytest.approx(0.0, abs=1e-10)
    ratio = (
        modes.shapes[1, -1] / modes.shapes[0, -1]
    )  # the axis goes round in a circle, the way the rotor turns
    assert ratio == pytest.approx(-1j, abs=1e-9)


def test_an_actuator_has_a_mode_of_its_own() -> None:
    system = ce.System(gravity=WEIGHTLESS)
    system.add_input("angle", "rad")
    system.add_body("base", mass=1.0, inertia=(1, 1, 1), parent="ground", hinge=ce.Revolute((0, 0, 1)))
    system.prescribe("base", ce.SecondOrderActuator("angle", 1.0, 6.0, 0.5))
    arm = system.add_body("arm", mass=1.0, com=(1, 0, 0), parent="base", hinge=ce.Revolute((0, 0, 1)))
    system.add_force(ce.TorsionSpringDamper("spring", arm, spring=900.0, damper=3.0))
    model = ce.Model(system)
    modes = model.modes()
    np.testing.assert_allclose(modes.frequency, np.array((6.0, 30.0)) / (2.0 * np.pi), rtol=1e-12)
    np.testing.assert_allclose(modes.damping_ratio, (0.5, 3.0 / (2.0 * 30.0)), rtol=1e-12)
    alone = model.modes(hold=["arm"])  # nothing moves in the coordinates: the state itself is scaled
    assert np.max(np.abs(alone.shapes)) == 0.0
    assert np.max(np.abs(alone.vectors)) == pytest.approx(1.0)
    assert np.isfinite(alone.modal_mass).all()


def test_follower_forces_have_no_undamped_modes() -> None:
    """Beck's column of two links: the push turns with the upper one, and K is not symmetric."""
    system = ce.System(gravity=WEIGHTLESS)
    last = system.ground
    for k in range(2):
        last = system.add_body(
            f"link {k}",
            mass=1.0,
            com=(0, 0, k + 0.5),
            inertia=(0.1, 0.1, 0),
            parent=last,
            hinge=ce.Revolute((0, 1, 0), (0, 0, k)),
        )
        system.add_force(ce.TorsionSpringDamper(f"joint {k}", last, spring=10.0))
    system.add_force(ce.AppliedWrench("push", last, (0, 0, 2), force=(0, 0, -3.0), frame=last))
    model = ce.Model(system)
    with pytest.raises(
        ce.ModelError, match="stiffness between 'link 0' and 'link 1' is not the same both ways"
    ):
        model.modes(damped=False)
    assert len(model.modes()) == 2


# Animation


def test_poses_along_a_period() -> None:
    system = ce.System(gravity=(0, 0, -9.81))
    system.add_body(
        "rod",
        mass=3.0,
        com=(0.2, 0.3, -0.7),
        inertia=(0.4, 0.4, 0),
        parent="ground",
        hinge=ce.Revolute((0, 1, 0)),
    )
    model = ce.Model(system)
    rest = model.equilibrium()
    film = model.modes(rest.y).animate(0, amplitude=0.3, n_phases=8)
    for phase, position, rotation in zip(
        film.phase.values, film.position.values, film.rotation.values, strict=True
    ):
        angle = rest.y[0] + 0.3 * math.cos(phase)
        R = np.array(
            ((math.cos(angle), 0, math.sin(angle)), (0, 1, 0), (-math.sin(angle), 0, math.cos(angle)))
        )
        np.testing.assert_allclose(rotation[0], R, atol=1e-12)
        np.testing.assert_allclose(position[0], R @ (0.2, 0.3, -0.7), atol=1e-12)
    assert film.position.dims == ("phase", "body", "axis")


def test_loops_stay_closed_while_they_are_animated() -> None:
    system = mechanisms.four_bar((0.3, 0.9, 0.7, 1.0), 0.7)
    system.add_force(ce.TorsionSpringDamper("spring", system.find("rocker"), spring=90.0))
    model = ce.Model(system)
    modes = model.modes(model.equilibrium().y)
    film = modes.animate(0, amplitude=0.4, n_phases=12)
    (loop,) = system.closures
    assert isinstance(loop, LoopClosure)
    pin = loop.closure.at_parent
    for p, R in zip(film.position, film.rotation, strict=True):
        coupler, rocker = (
            p.sel(body=name).values + R.sel(body=name).values @ (pin - system.find(name).com)
            for name in ("coupler", "rocker")
        )
        np.testing.assert_allclose(coupler, rocker, atol=1e-10)


def test_too_large_an_amplitude_is_an_error() -> None:
    system = mechanisms.four_bar((0.9, 0.7, 0.6, 1.0), 0.9)  # neither link can turn round
    system.add_force(ce.TorsionSpringDamper("spring", system.find("crank"), spring=90.0))
    modes = ce.Model(system).modes()
    with pytest.raises(ce.AssemblyError, match="mode 0: loops cannot follow the amplitude 3"):
        modes.animate(0, amplitude=3.0)


def test_numbers_are_checked() -> None:
    modes = chain(2, 1.0, 1.0).modes()
    with pytest.raises(ce.ModelError, match="no mode 2; there are 2"):
        modes.animate(2, 0.1)
    with pytest.raises(ce.ModelError, match="n_phases 0 must be an integer, 1 or more"):
        modes.animate(0, 0.1, n_phases=0)


def test_labels() -> None:
    modes = chain(2, 1.0, 100.0, 1.0).modes()
    table = modes.to_dataset()
    assert table.frequency.attrs["units"] == "Hz"
    np.testing.assert_array_equal(table["shape"].sel(displacement="mass 2"), modes.shapes[1])
    assert "1.592         0.0500  mass" in repr(modes)


# The HMMWV


@pytest.fixture(scope="module")
def ride() -> ce.Model:
    return ce.Model(hmmwv.build_ride())


HELD = ("chassis.x", "chassis.y", "chassis.rz", *(f"{name}.wheel" for name in CORNERS))


def test_the_hmmwv_swings_in_its_modes(ride: ce.Model) -> None:
    """Free motion from a displacement along a mode, by integration of the full equations.

    The amplitude a = 1e-4 rad leaves errors of second order, a few a², relative to a; the mode is that of the
    vehicle free to move on the ground: nothing is held.
    """
    rest = ride.equilibrium(hold=HELD)
    assert rest.stable
    assert max(abs(force) for force in rest.holding.values()) < 1e-9
    modes = ride.modes(rest.y)
    lowest = int(np.flatnonzero(modes.frequency > 0.1)[0])
    t = np.linspace(0.0, 1.0, 21)
    a = 1e-4
    expected = modes.motion(lowest, a, t)
    run = ce.simulate(ride, y0=expected[0], duration=1.0, interval=0.05, rtol=1e-11, atol=1e-14)
    for k, entry in enumerate(ride.layout.v[:6]):
        scale = np.abs(expected[:, len(ride.layout.q) + k]).max()
        if scale > 1e-2 * a:
            np.testing.assert_allclose(
                run[entry.name.replace(".", "_")], expected[:, len(ride.layout.q) + k], atol=5e-3 * scale
            )
    assert np.abs(expected[-1] - rest.y)[:15].max() < 0.3 * a  # it has died away by then


def test_frequencies_of_hmmwv_are_those_of_a_truck(ride: ce.Model) -> None:
    """Three body modes from 1 to 3 Hz (heave, pitch, roll), then four wheel modes."""
    rest = ride.equilibrium(hold=HELD)
    modes = ride.modes(rest.y, hold=HELD, damped=False)
    body, wheels = modes.frequency[:3], modes.frequency[3:]
    assert np.all((body > 1.0) & (body < 3.0))
    assert len(wheels) == 4
    assert np.all(wheels > 7.0)
    place = {entry.name: k for k, entry in enumerate(ride.tangent.entries)}
    # The vehicle is its own mirror image: modes are symmetric (heave, pitch) or antisymmetric (roll).
    for k in range(3):
        left, right = (modes.shapes[place[f"front_{side}.lower_arm"], k].real for side in ("left", "right"))
        rolls = abs(modes.shapes[place["chassis.rx"], k])
        heaves = abs(modes.shapes[place["chassis.z"], k])
        assert min(rolls, heaves) < 1e-6 * max(rolls, heaves)
        assert left == pytest.approx(right if rolls > heaves else -right, rel=1e-6)  # arms turn outwards
