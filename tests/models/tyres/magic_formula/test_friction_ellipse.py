"""Combined slip by the friction ellipse of PAC2002."""

import numpy as np
import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.models.tyres import MagicFormula
from tests.models.tyres.magic_formula.figures import coefficients, symmetric

KAPPA, ALPHA = np.meshgrid(np.linspace(-0.6, 0.6, 25), np.linspace(-0.4, 0.4, 25))


def test_forces_reach_ellipse_at_peaks_and_never_leave() -> None:
    use_mode = 221
    tyre = MagicFormula(symmetric(52, ellipse=True, PEX4=0.0))
    Fz = 5000.0
    out = tyre(Fz=Fz, kappa=KAPPA, alpha=ALPHA, use_mode=use_mode)
    share = (out.Fx / (out.mux * Fz)) ** 2 + (out.Fy / (out.muy * Fz)) ** 2
    assert share.max() <= 1.0 + 1e-9  # EPSILON over the peak force: 1e-6 of 5 kN
    # Peaks of the pure curves: there both together lie on it, to the flatness of a peak met on a fine grid
    slips = np.linspace(0.01, 0.5, 4000)
    peak = slips[np.argmax(tyre(Fz=Fz, kappa=slips, use_mode=use_mode).Fx)]
    side = slips[np.argmax(np.abs(tyre(Fz=Fz, alpha=slips, use_mode=use_mode).Fy))]
    both = tyre(Fz=Fz, kappa=peak, alpha=side, use_mode=use_mode)
    assert (both.Fx / (both.mux * Fz)) ** 2 + (both.Fy / (both.muy * Fz)) ** 2 == pytest.approx(1.0, abs=1e-5)


def test_pure_slip_is_kept_and_small_slips_add() -> None:
    own, pure = MagicFormula(symmetric(52, ellipse=True)), MagicFormula(symmetric(52))
    for slips in ({"kappa": KAPPA[0]}, {"alpha": ALPHA[:, 0]}):
        a, b = own(**slips, use_mode=211), pure(**slips, use_mode=211)
        assert a.Fx + a.Fy == pytest.approx(b.Fx + b.Fy, rel=1e-12, abs=1e-9)
    # 1 − G is of second order: (K s/D)²/2 with s = 1e-4 and K/D about 20
    at = own(kappa=1e-4, alpha=1e-4, use_mode=211)
    assert pytest.approx(1e-4 * at.Kxk, rel=1e-4) == at.Fx
    assert pytest.approx(1e-4 * at.Kya, rel=1e-4) == at.Fy


@pytest.mark.parametrize("Vx", [10.0, -10.0])
@pytest.mark.parametrize("use_mode", [211, 221])
def test_weights_are_of_each_axis_own_friction(use_mode: int, Vx: float) -> None:
    """PAC2002, β and μ_act divided out: G = 1/√(1 + (s S/D)²), s and D of the other axis, S of this one.

    The pure curves are odd but for S_V, so that the secants are those of their odd parts; D_x is twice D_y.
    EPSILON beside peaks of some 5 kN: 2e-10.
    """
    odd = {"PEX4": 0.0, "PVX1": 0.02, "PVY1": 0.03, "PDX1": 1.6, "PDX2": 0.0, "PDY1": 0.8, "PDY2": 0.0}
    tyre = MagicFormula(symmetric(52, ellipse=True, **odd))
    kappa, alpha, Fz = 0.08, 0.35, 5000.0

    def force(axis: str, **slips: float) -> float:
        return float(getattr(tyre(Fz=Fz, Vx=Vx, use_mode=use_mode, **slips), axis))

    both = tyre(Fz=Fz, Vx=Vx, kappa=kappa, alpha=alpha, use_mode=use_mode)
    assert both.mux == pytest.approx(2.0 * both.muy)
    sine = np.sin(alpha)
    Sx = abs(force("Fx", kappa=kappa) - force("Fx", kappa=-kappa)) / (2.0 * kappa)
    Sy = abs(force("Fy", alpha=alpha) - force("Fy", alpha=-alpha)) / (2.0 * sine)
    assert abs(force("Fy", alpha=alpha)) != pytest.approx(Sy * sine, rel=1e-3)  # S_V matters
    Gx = 1.0 / np.hypot(1.0, sine * Sx / (both.muy * Fz))
    Gy = 1.0 / np.hypot(1.0, kappa * Sy / (both.mux * Fz))
    assert pytest.approx(Gx * force("Fx", kappa=kappa), rel=1e-9) == both.Fx
    assert pytest.approx(Gy * force("Fy", alpha=alpha), rel=1e-9) == both.Fy


def test_finite_at_rest_in_air_and_backwards() -> None:
    tyre = MagicFormula(coefficients(52, ellipse=True))
    for Fz, Vx in ((0.0, 10.0), (4000.0, 0.0), (4000.0, -10.0)):
        for use_mode in (111, 221):
            assert np.isfinite(tyre(Fz=Fz, Vx=Vx, kappa=KAPPA, alpha=ALPHA, use_mode=use_mode)).all()
    ahead, back = (tyre(Fz=4000.0, Vx=v, kappa=0.05, alpha=0.05, use_mode=221) for v in (10.0, -10.0))
    assert ahead.Fx * back.Fx < 0.0


def test_it_is_of_52_alone() -> None:
    with pytest.raises(DataError, match=r"friction ellipse is of version 52"):
        coefficients(61, ellipse=True)
