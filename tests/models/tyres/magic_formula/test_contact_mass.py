"""A mass at the contact: by hand in the frequency domain, without mass, steady, standing."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from ce_dynamics.errors import DataError
from ce_dynamics.models.tyres import ContactMassTyre, MagicFormula
from ce_dynamics.models.tyres.contract import WheelOnRoad
from ce_dynamics.models.tyres.magic_formula.contact_mass import with_transients
from ce_dynamics.models.tyres.magic_formula.on_road import MagicFormulaTyre
from ce_dynamics.models.tyres.magic_formula.reader import tyre_of
from ce_dynamics.models.tyres.property_file import parse
from tests.models.tyres.magic_formula.figures import LEAST, coefficients, symmetric
from tests.models.tyres.rig import Rig, wheel

SPEED = 20.0
LAT, LONG = 1, 0


def response(rig: Rig, at: WheelOnRoad, axis: int, frequencies: np.ndarray) -> np.ndarray:
    """F̂/v̂ of small sliding of the wheel, from derivatives of what the tyre answers by differences."""
    n, h = rig.n, 1e-7

    def answer(v: float, x: np.ndarray) -> np.ndarray:
        moved = at._replace(v_y=v) if axis == LAT else at._replace(v_x=SPEED + v)
        f = rig(moved, x)
        return np.array([(f.Fx, f.Fy)[axis], *f.x_dot])

    columns = [(answer(0.0, h * e) - answer(0.0, -h * e)) / (2.0 * h) for e in np.eye(n)] + [
        (answer(h, np.zeros(n)) - answer(-h, np.zeros(n))) / (2.0 * h)
    ]
    J = np.stack(columns, axis=1)
    C, D, A, B = J[0, :n], J[0, n], J[1:, :n], J[1:, n]
    return np.array([C @ np.linalg.solve(2j * np.pi * f * np.eye(n) - A, B) + D for f in frequencies])


@pytest.fixture(scope="module")
def tyre() -> MagicFormula:
    """Without shifts: rolling straight there are no forces, and small slips are linear."""
    flat = dict.fromkeys(("Q_FCX", "Q_FCY", "Q_V1", "Q_V2", "LMUV"), 0.0)
    return MagicFormula(symmetric(61, **flat))


@pytest.mark.parametrize("axis", [LONG, LAT])
def test_small_slips_by_hand_in_the_frequency_domain(tyre: MagicFormula, axis: int) -> None:
    """Two springs and dampers, a mass between them, and F_t = −(K/V)(w + ż) at the end of the chain.

    (c/iω + k)(w − v) = F, m iω w = F_t − F, F_t = −H w, 1/H = V/K + iω/(C_t + iω d_t).
    """
    model = ContactMassTyre(tyre, mass=2.5)
    rig = Rig(model)
    r = rig.radius(tyre.coefficients.FNOMIN)
    rolling = rig(wheel(r, SPEED, 0.0, SPEED / r), np.zeros(6))
    at = wheel(r, SPEED, 0.0, SPEED / r * SPEED / rolling.rolling_speed)
    out = tyre(Fz=rolling.Fz, Vx=SPEED, omega=at.spin, use_mode=221)
    K = out.Kxk if axis == LONG else abs(out.Kya)
    c = model.carcass.c_x if axis == LONG else model.carcass.c_y
    k = tyre.coefficients.DAMP_RESIDUAL * c  # above VXLOW
    C_t = K / (0.5 * out.two_a)
    frequencies = np.array([0.5, 5.0, 50.0, 100.0, 300.0])
    i_omega = 2j * np.pi * frequencies
    H = 1.0 / (SPEED / K + i_omega / (C_t + i_omega * model.tread_damping * C_t))
    held = c / i_omega + k
    expected = -held / (1.0 + held / (H + i_omega * model.mass))
    found = response(rig, at, axis, frequencies)
    # differences: 1e-7 of 1e5 N m/s; along, V in the slip of the wheel differs by its slip, below 1e-6
    assert np.abs(found - expected).max() < 2e-5 * np.abs(expected).max()


@pytest.mark.parametrize("axis", [LONG, LAT])
def test_without_mass_it_is_the_relaxation_length(tyre: MagicFormula, axis: int) -> None:
    """With less and less mass and damping the answer tends to that of one spring, linearly."""
    c = replace(tyre.coefficients, DAMP_RESIDUAL=1e-9, DAMP_VLOW=0.0)
    single = Rig(MagicFormulaTyre(MagicFormula(c)))
    r = single.radius(c.FNOMIN)
    rolling = single(wheel(r, SPEED, 0.0, SPEED / r), np.zeros(2))
    at = wheel(r, SPEED, 0.0, SPEED / r * SPEED / rolling.rolling_speed)
    frequencies = np.array([0.5, 2.0, 8.0, 20.0])
    limit = response(single, at, axis, frequencies)
    off = []
    for mass in (0.2, 0.02, 0.002):
        rig = Rig(ContactMassTyre(MagicFormula(c), mass=mass, tread_damping=1e-8))
        off.append(np.abs(response(rig, at, axis, frequencies) / limit - 1.0).max())
    # first order: m ω²/(c + C_t), 0.2·(126 rad/s)²/5e5 N/m = 0.6 %
    assert off[0] < 0.02
    assert off[1] < 0.15 * off[0]
    assert off[2] < 2e-4


def test_the_steady_state_is_that_of_the_tyre() -> None:
    c = coefficients(61, MC=3.0, CX=4e5, CY=1.5e5, KX=500.0, KY=300.0)
    model = ContactMassTyre(MagicFormula(c, "left", "right"))
    assert model.carcass == (4e5, 1.5e5, 500.0, 300.0)
    rig, single = (
        Rig(model),
        Rig(MagicFormulaTyre(MagicFormula(replace(c, Q_FCX=0.0, Q_FCY=0.0), "left", "right"))),
    )
    rig = Rig(ContactMassTyre(MagicFormula(replace(c, Q_FCX=0.0, Q_FCY=0.0), "left", "right")))
    r = single.radius(0.8 * c.FNOMIN)
    at = wheel(r, 15.0, 0.8, 15.8 / r, 0.02)
    _, expected = single.steady(at)
    v_x = 15.0 - rig(at, np.zeros(6)).rolling_speed
    x, found = rig.steady(at)
    assert x[2:4] == pytest.approx([v_x, 0.8], rel=1e-6)
    for name in ("Fx", "Fy", "Mx", "My", "Mz", "Fz"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-6), name


def test_it_swings_out_in_the_air(tyre: MagicFormula) -> None:
    """Carcass and tread relax, the mass goes with the wheel, which feels nothing of it."""
    rig = Rig(ContactMassTyre(tyre, mass=2.0))
    at = wheel(1.1 * tyre.coefficients.UNLOADED_RADIUS, SPEED, 0.5, 55.0)
    run = solve_ivp(
        lambda t, x: rig(at, x).x_dot, (0.0, 0.3), np.full(6, 0.01), "LSODA", rtol=1e-9, atol=1e-12
    )
    end = rig(at, run.y[:, -1])
    assert run.y[2:4, -1] == pytest.approx([SPEED - end.rolling_speed, 0.5], rel=1e-6)
    assert np.abs(run.y[[0, 1, 4, 5], -1]).max() < 1e-6
    assert all(rig(at, x)[:3] == (0.0, 0.0, 0.0) for x in run.y.T)


def test_a_standing_wheel_feeds_nothing_into_the_contact(
    tyre: MagicFormula, rng: np.random.Generator
) -> None:
    """Carcass and tread store what is positive, and where the wheel moves nothing it only ever gets less."""
    model = ContactMassTyre(tyre, mass=2.0)
    rig = Rig(model)
    at = wheel(rig.radius(tyre.coefficients.FNOMIN))
    energy = rig(at, np.zeros(6)).potential  # of the vertical spring
    for x in rng.normal(size=(20, 6)) * (2e-3, 2e-3, 0.05, 0.05, 2e-3, 2e-3):
        h = 1e-3 * np.abs(x)
        stored = [rig(at, x + step).potential - energy for step in (-np.diag(h), np.diag(h)) for step in step]
        gradient = (np.array(stored[6:]) - np.array(stored[:6])) / (2.0 * h)  # exact: it is quadratic
        here = rig(at, x)
        assert here.potential > energy
        # up to the rounding of the vertical spring's energy in differences of 1e-6 m
        assert gradient @ np.array(here.x_dot) <= 1e-6 * np.abs(gradient * here.x_dot).sum()


FILE = "[MODEL]\nPROPERTY_FILE_FORMAT = 'PAC2002'\nUSE_MODE = {mode}\n" + LEAST
FILE += "PTY1 = 2\nPTY2 = 1.5\n[LONGITUDINAL_COEFFICIENTS]\nPTX1 = {sigma}\n{mass}\n"
MASS = "[DYNAMIC_COEFFICIENTS]\nMC = 1.5\nCX = 3e5\nCY = 1e5\nKX = 100\nKY = 200\n"


def test_files_ask_for_it() -> None:
    def model(mode: int, mass: str = MASS, sigma: float = 2.0) -> MagicFormulaTyre:
        return with_transients(
            MagicFormula.of(tyre_of(parse(FILE.format(mode=mode, mass=mass, sigma=sigma))))
        )

    wanted = model(24)
    assert isinstance(wanted, ContactMassTyre)
    assert (wanted.mass, wanted.carcass) == (1.5, (3e5, 1e5, 100.0, 200.0))
    assert not isinstance(model(14), ContactMassTyre)
    assert not isinstance(model(24, ""), ContactMassTyre)
    with pytest.raises(DataError, match=r"which leaves no carcass to carry a mass; give CX"):
        model(24, "[DYNAMIC_COEFFICIENTS]\nMC = 1.5\n", sigma=0.1)
    with pytest.raises(DataError, match="mass of the contact"):
        ContactMassTyre(MagicFormula(coefficients(61)))
