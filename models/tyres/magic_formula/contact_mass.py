"""A Magic Formula tyre with a mass between carcass and tread: non-linear transients (USE_MODE 21 to 25).

A mass m at the contact slides with the velocity w.  The carcass, of stiffness c and damping k, holds it to
the wheel, whose contact slides with v; the tread, of stiffness C_t = K/σ_c, grips the road (Pacejka, Tire and
Vehicle Dynamics, 3rd ed., 7.3; a contact patch of its own relaxation length σ_c, half the contact's length):

    ẋ = w − v,     F = c x + k ẋ,                                                                        (a)
    m (ẇ − ψ̇ × w) = F_t − F,                                                                             (b)
    F_t = C_t z + d_t ż = −(S/V)(w + ż).                                                                 (c)

F acts on the wheel; (c) is the deflection of the relaxation lengths for the tread alone, and slips of the
Magic Formula are those of the patch, w.  Without mass, F = F_t: two springs one after the other, hence the
relaxation length σ = K/c + σ_c.  Carcasses that a file does not give are those with which this is the
relaxation length of the file at the nominal load.
"""

from __future__ import annotations

from typing import NamedTuple

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, absolute
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.forces.base import StateDeclaration
from ce_dynamics.models.parts.rounding import smooth_step
from ce_dynamics.models.tyres.contract import DEFLECTIONS, TyreAnswer, WheelOnRoad
from ce_dynamics.models.tyres.magic_formula.on_road import MagicFormulaTyre, stiffness
from ce_dynamics.models.tyres.magic_formula.radii import contact_patch
from ce_dynamics.models.tyres.magic_formula.tyre import MagicFormula

TREAD_DAMPING = 1e-3
"""d_t/C_t [s]: a wheel in the air sheds the deflection of its tread within a few of these."""

HELD_LOAD = 0.01
"""Part of the nominal load below which a swinging carcass acts less on the wheel, in the air not at all."""


class Carcass(NamedTuple):
    """Stiffness c [N/m] and damping k [N s/m], along and across; without k that of the file's structure."""

    c_x: float
    c_y: float
    k_x: float
    k_y: float


class ContactMassTyre(MagicFormulaTyre):
    """A Magic Formula tyre whose contact has a mass.

    Parameters
    ----------
    tyre : MagicFormula
        The tyre, and the side on which it is mounted.
    mass : float, optional
        [kg]; MC of the file if not given.  With steps of 1 ms, Runge–Kutta needs about 1 kg or more.
    pressure, reference_friction, turn_slip
        As of `MagicFormulaTyre`.
    tread_damping : float
        Damping of the tread over its stiffness [s].
    """

    states: tuple[StateDeclaration, ...] = (
        *DEFLECTIONS,
        StateDeclaration("w_x", "m/s"),
        StateDeclaration("w_y", "m/s"),
        StateDeclaration("z_x", "m"),
        StateDeclaration("z_y", "m"),
    )

    def __init__(
        self,
        tyre: MagicFormula,
        mass: float | None = None,
        pressure: float | None = None,
        reference_friction: float | None = None,
        turn_slip: bool | None = None,
        tread_damping: float = TREAD_DAMPING,
    ) -> None:
        super().__init__(tyre, pressure, reference_friction, turn_slip)
        mass = self.coefficients.MC if mass is None else mass
        self.mass = checks.number("mass of the contact", mass, above=0.0, error=DataError)
        self.tread_damping = checks.number("tread_damping", tread_damping, above=0.0, error=DataError)
        self.carcass = self.carcass_of_file()

    def carcass_of_file(self) -> Carcass:
        """Return CX, CY, KX and KY, or what stands in for them."""
        c = self.coefficients
        out = self.tyre(Fz=c.FNOMIN, Vx=c.LONGVL, p=self.pressure, use_mode=221)
        a = 0.5 * out.two_a
        by_file = ("CX", c.CX, out.Kxk, out.sigmax), ("CY", c.CY, absolute(out.Kya), out.sigmay)
        found = []
        for name, given, K, sigma in by_file:
            if given > 0.0:
                found.append(given)
            elif sigma > a:
                found.append(K / (sigma - a))
            else:
                raise DataError(
                    f"tyre: a relaxation length of {sigma:.3g} m at the nominal load is no longer than half "
                    f"the contact, {a:.3g} m, which leaves no carcass to carry a mass; give {name}"
                )
        c_x, c_y = found
        return Carcass(c_x, c_y, c.KX, c.KY)

    def forces(self, wheel: WheelOnRoad, x: Array) -> TyreAnswer:
        x_e, y_e, w_x, w_y, z_x, z_y = x
        c, body = self.coefficients, self.carcass
        at = self.sliding(wheel, x_e + z_x, y_e + z_y, (w_x, w_y))
        v_x, v_y = at.velocity
        x_dot, y_dot = w_x - v_x, w_y - v_y  # (a)
        damping = self.damping(at.s)
        Fx = body.c_x * x_e + (body.k_x or damping * body.c_x) * x_dot
        Fy = body.c_y * y_e + (body.k_y or damping * body.c_y) * y_dot
        C_x, C_y = self.tread(at.Fz, at.s.dpi, at.both.x.Kxk, at.both.y.Kya)
        capacity = at.both.x.mux * at.Fz, absolute(at.both.y.muy) * at.Fz
        on_x, z_x_dot = at.along.deflect(C_x, self.tread_damping, z_x, capacity[0], c.FNOMIN)  # (c)
        on_y, z_y_dot = at.across.deflect(C_y, self.tread_damping, z_y, capacity[1], c.FNOMIN)
        w_x_dot = (on_x - Fx) / self.mass + wheel.yaw_rate * w_y  # (b)
        w_y_dot = (on_y - Fy) / self.mass - wheel.yaw_rate * w_x
        stored = 0.5 * (body.c_x * x_e * x_e + body.c_y * y_e * y_e + C_x * z_x * z_x + C_y * z_y * z_y)
        moving = 0.5 * self.mass * (w_x * w_x + w_y * w_y)
        rates = (x_dot, y_dot, w_x_dot, w_y_dot, z_x_dot, z_y_dot)
        held = smooth_step(at.Fz / (HELD_LOAD * c.FNOMIN))
        return self.answer(at, held * Fx, held * Fy, rates, stored + moving)

    def tread(self, Fz: Scalar, dpi: Scalar, Kxk: Scalar, Kya: Scalar) -> tuple[Scalar, Scalar]:
        """Return the stiffness C_t = K/σ_c along and across [N/m]."""
        a = contact_patch(self.coefficients, Fz, dpi).a
        return stiffness(True, Kxk, a, 1.0), stiffness(True, Kya, a, 1.0)


def with_transients(tyre: MagicFormula, reference_friction: float | None = None) -> MagicFormulaTyre:
    """Return a tyre on a vehicle with the transients of its file.

    A contact mass where USE_MODE has 2 as its tens and the file has a mass, else relaxation lengths.
    """
    mode = 0 if tyre.file is None else abs(tyre.file.use_mode or 0) // 10 % 10
    if mode == 2 and tyre.coefficients.MC > 0.0:
        return ContactMassTyre(tyre, reference_friction=reference_friction)
    return MagicFormulaTyre(tyre, reference_friction=reference_friction)
