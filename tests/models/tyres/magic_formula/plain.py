"""The Magic Formula a second time: plain NumPy over columns of points, equation after equation.

Written from the equations alone, with branches and complex numbers and nothing shared with the library, to be
held beside it.  (4.E..) are of Pacejka, Tire and Vehicle Dynamics (2012), (A..) of Besselink, Schmeitz and
Pacejka (2010).  Where these leave a choice it is that of MFeval 4.0: see `test_plain`, which shows that this
and MFeval agree.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

Columns = dict[str, Any]
pi, atan, cos, sin, tan = np.pi, np.arctan, np.cos, np.sin, np.tan


def positive_sign(x: Any) -> Any:
    return np.where(x >= 0.0, 1.0, -1.0)


def magic(D: Any, C: Any, B: Any, E: Any, x: Any, of: Any) -> Any:
    return D * of(C * atan(B * x - E * (B * x - atan(B * x))))


def evaluate(k: Mapping[str, float], version: int, use_mode: int, points: Columns) -> Columns:
    """All outputs but ρ, R_l and C_z of 5.2 and 6.2, for which see `load_of_62`."""
    limits, star, spin = use_mode // 100 == 1, use_mode // 10 % 10 == 2, use_mode % 10 == 2
    c = dict(k)
    R0, Fz0, V0 = c["UNLOADED_RADIUS"], c["FNOMIN"], c["LONGVL"]
    given = {name: np.array(column, dtype=float) for name, column in points.items()}
    Fz_u = np.maximum(given["Fz"], 0.0)
    kappa_u, Vx = given["kappa"], given["Vx"]
    Fz, kappa, alpha, gamma, phit, p = (
        x.copy() for x in (Fz_u, kappa_u, given["alpha"], given["gamma"], given["phit"], given["p"])
    )
    kappa_out, smooth = kappa.copy(), np.ones_like(Vx)
    Fz_least = Fz.copy()
    if limits:
        slow = np.abs(Vx) <= c["VXLOW"]
        part = np.where(slow, np.abs(Vx) / c["VXLOW"], 1.0)
        smooth = np.where(slow, 0.5 - 0.5 * cos(pi * Vx / c["VXLOW"]), 1.0)
        phit = phit * cos(alpha) * part * positive_sign(Vx)
        kappa_out = kappa * part
        moving = np.abs(Vx) * (1.0 + np.abs(tan(alpha)))
        alpha = np.where(moving < c["VXLOW"], alpha * moving / c["VXLOW"], alpha)
        kappa = np.clip(kappa_out, c["KPUMIN"], c["KPUMAX"])
        alpha = np.clip(alpha, c["ALPMIN"], c["ALPMAX"])
        gamma = np.clip(gamma, c["CAMMIN"], c["CAMMAX"])
        p = np.clip(p, c["PRESMIN"], c["PRESMAX"])
        Fz = np.minimum(Fz, c["FZMAX"])
        Fz_least = np.where(Fz > 0.0, np.maximum(Fz, c["FZMIN"]), 0.0)
    Fz0_ = c["LFZO"] * Fz0  # (4.E1)
    dfz, dpi = (Fz - Fz0_) / Fz0_, (p - c["NOMPRES"]) / c["NOMPRES"]  # (4.E2)
    a_star = tan(alpha) * np.sign(Vx) if star else alpha  # (4.E3)
    g_star = sin(gamma) if star else gamma  # (4.E4)
    Vc = np.hypot(Vx, tan(alpha) * Vx)
    cos_a_prime = Vx / (Vc + 1e-6)  # (4.E6)
    slide = np.hypot(kappa * Vx, tan(alpha) * Vx)
    LMUX = c["LMUX"] / (1.0 + c["LMUV"] * slide / V0)  # (4.E7)
    LMUY = c["LMUY"] / (1.0 + c["LMUV"] * slide / V0)
    of_wheel = rolling(c, Fz_u, kappa_u, Vx, dpi, given.get("omega"))
    phi = np.zeros_like(Vx)
    eps_g = c["PECP1"] * (1.0 + c["PECP2"] * dfz)  # (4.90)
    if spin:
        phi = -phit - (1.0 - eps_g) * of_wheel["omega"] * sin(gamma) / np.maximum(Vc, c["VXLOW"])  # (4.76)

    def capped(E: Any) -> Any:
        return np.minimum(E, 1.0) if limits else E

    # Fx at pure slip (4.E9)–(4.E18)
    g_x = gamma * c["LGAX"]
    zeta1: Any = 1.0
    if spin:
        Bxp = c["PDXP1"] * (1.0 + c["PDXP2"] * dfz) * cos(atan(c["PDXP3"] * kappa))
        zeta1 = cos(atan(Bxp * R0 * phi))
    mux = (c["PDX1"] + c["PDX2"] * dfz) * (1.0 + c["PPX3"] * dpi + c["PPX4"] * dpi**2)
    mux = np.where(Fz == 0.0, 0.0, mux * (1.0 - c["PDX3"] * g_x**2) * LMUX)
    Dx, Cx = mux * Fz * zeta1, c["PCX1"] * c["LCX"]
    Kxk = Fz * (c["PKX1"] + c["PKX2"] * dfz) * np.exp(c["PKX3"] * dfz)
    Kxk = Kxk * (1.0 + c["PPX1"] * dpi + c["PPX2"] * dpi**2) * c["LKX"]
    Bx = Kxk / (Cx * Dx + 1e-6 * positive_sign(Dx))
    kappa_x = kappa + (c["PHX1"] + c["PHX2"] * dfz) * c["LHX"] * smooth
    Ex = (c["PEX1"] + c["PEX2"] * dfz + c["PEX3"] * dfz**2) * (1.0 - c["PEX4"] * positive_sign(kappa_x))
    SVx = Fz * (c["PVX1"] + c["PVX2"] * dfz) * c["LVX"] * LMUX * zeta1 * smooth
    Fx0 = (magic(Dx, Cx, Bx, capped(Ex * c["LEX"]), kappa_x, sin) + SVx) * positive_sign(Vx)

    # Fy at pure slip (4.E19)–(4.E30), with the wheel's camber and without any
    def lateral(g: Any) -> Columns:
        zeta2: Any = 1.0
        zeta3: Any = 1.0
        if spin:
            Byp = c["PDYP1"] * (1.0 + c["PDYP2"] * dfz) * cos(atan(c["PDYP3"] * tan(alpha)))
            w = R0 * np.abs(phi)
            zeta2 = cos(atan(Byp * (w + c["PDYP4"] * np.sqrt(w))))
            zeta3 = cos(atan(c["PKYP1"] * w * w))

        def K(g: Any) -> Any:
            x = Fz / Fz0_ / ((c["PKY2"] + c["PKY5"] * g**2) * (1.0 + c["PPY2"] * dpi))
            most = c["PKY1"] * Fz0_ * (1.0 + c["PPY1"] * dpi) * (1.0 - c["PKY3"] * np.abs(g))
            return most * sin(c["PKY4"] * atan(x)) * zeta3 * c["LKY"]

        Kya = K(g)
        SVyg = Fz * (c["PVY3"] + c["PVY4"] * dfz) * g * c["LKYC"] * LMUY * zeta2
        Kya_ = Kya + 1e-6 * positive_sign(Kya)
        SHy = (c["PHY1"] + c["PHY2"] * dfz) * c["LHY"]
        if version == 52:
            SHy = SHy + c["PHY3"] * g * c["LKYC"]
        else:
            Kyg0 = Fz * (c["PKY6"] + c["PKY7"] * dfz) * (1.0 + c["PPY5"] * dpi) * c["LKYC"]
            if spin:
                Kya0 = K(0.0 * g)
                D = (c["PHYP2"] + c["PHYP3"] * dfz) * np.sign(Vx)
                K0 = Kya0 + 1e-6 * positive_sign(Kya0)
                B = Kyg0 / (1.0 - eps_g) / np.where(Vx == 0.0, 1.0, c["PHYP1"] * D * K0)
                SHyp = magic(D, c["PHYP1"], B, capped(c["PHYP4"]), R0 * phi, sin) * np.sign(Vx)
                SHy = SHy + SHyp - SVyg / Kya_
            else:
                SHy = SHy + (Kyg0 * g - SVyg) / Kya_
        SVy = Fz * (c["PVY1"] + c["PVY2"] * dfz) * c["LVY"] * LMUY * zeta2 + SVyg
        SHy, SVy = SHy * smooth, SVy * smooth
        a_y = a_star + SHy
        mu = (c["PDY1"] + c["PDY2"] * dfz) * (1.0 + c["PPY3"] * dpi + c["PPY4"] * dpi**2)
        mu = mu * (1.0 - c["PDY3"] * g**2) * LMUY
        D, C = mu * Fz * zeta2, c["PCY1"] * c["LCY"]
        E = 1.0 + c["PEY5"] * g**2 - (c["PEY3"] + c["PEY4"] * g) * positive_sign(a_y)
        E = capped(E * (c["PEY1"] + c["PEY2"] * dfz) * c["LEY"])
        B = Kya / (C * D + 1e-6 * positive_sign(D))
        F = magic(D, C, B, E, a_y, sin) + SVy
        if star:
            F = F * positive_sign(Vx)
        return {"F": F, "mu": np.where(Fz == 0.0, 0.0, mu), "K": Kya, "K_": Kya_, "SH": SHy, "SV": SVy,
                "BC": B * C, "zeta2": zeta2}  # fmt: skip

    g_y = g_star * c["LGAY"]
    y, upright = lateral(g_y), lateral(0.0 * g_y)

    # combined slip (4.E50)–(4.E67)
    g_xs = g_star * c["LGAX"]
    Bxa = (c["RBX1"] + c["RBX3"] * g_xs**2) * cos(atan(c["RBX2"] * kappa)) * c["LXAL"]
    Exa = capped(c["REX1"] + c["REX2"] * dfz)
    weight = [magic(1.0, c["RCX1"], Bxa, Exa, x, cos) for x in (a_star + c["RHX1"], c["RHX1"])]
    Fx = weight[0] / weight[1] * Fx0
    Byk = (c["RBY1"] + c["RBY4"] * g_y**2) * cos(atan(c["RBY2"] * (a_star - c["RBY3"]))) * c["LYKA"]
    Eyk = capped(c["REY1"] + c["REY2"] * dfz)
    SHyk = c["RHY1"] + c["RHY2"] * dfz
    weight = [magic(1.0, c["RCY1"], Byk, Eyk, x, cos) for x in (kappa + SHyk, SHyk)]
    Gyk = weight[0] / weight[1]
    per_mu = Fz * (c["RVY1"] + c["RVY2"] * dfz + c["RVY3"] * g_y) * cos(atan(c["RVY4"] * a_star))
    per_mu = per_mu * sin(c["RVY5"] * atan(c["RVY6"] * kappa)) * c["LVYKA"] * smooth
    Fy = Gyk * y["F"] + y["mu"] * y["zeta2"] * per_mu

    # moments: Mx (49 of the draft of A), My (A48), Mz (4.E31) ff. with (A54)–(A60)
    W = Fz * light(c, Fz) ** 2
    inner = c["QSX1"] * c["LVMX"] - c["QSX2"] * gamma * (1.0 + c["PPMX1"] * dpi) + c["QSX3"] * Fy / Fz0
    inner = inner - c["QSX12"] * gamma * np.abs(gamma) + c["QSX10"] * atan(c["QSX11"] * W / Fz0) * gamma
    wave = sin(c["QSX7"] * gamma + c["QSX8"] * atan(c["QSX9"] * Fy / Fz0))
    inner = inner + c["QSX4"] * cos(c["QSX5"] * atan((c["QSX6"] * W / Fz0) ** 2)) * wave
    Mx = R0 * c["LMX"] * (W * inner + Fy * (c["QSX13"] + c["QSX14"] * np.abs(gamma)))
    My = rolling_resistance(c, version, Fz_u, kappa_u, gamma, Vx, p, Fx)

    g_z, g_zs = gamma * c["LGAZ"], g_star * c["LGAZ"]
    a_r = a_star + y["SH"] + y["SV"] / y["K_"]
    a_t = a_star + c["QHZ1"] + c["QHZ2"] * dfz + (c["QHZ3"] + c["QHZ4"] * dfz) * g_zs
    ratio = Kxk / y["K_"] * kappa
    eq_r, eq_t = (atan(np.hypot(tan(a), ratio)) * np.sign(a) for a in (a_r, a_t))
    zeta5, zeta6 = (cos(atan(c[q] * R0 * phi)) if spin else 1.0 for q in ("QDTP1", "QBRP1"))
    Dt = (c["QDZ1"] + c["QDZ2"] * dfz) * (1.0 - c["PPZ1"] * dpi) * Fz_least * R0 / Fz0_ * c["LTR"]
    Dt = Dt * (1.0 + c["QDZ3"] * g_z + c["QDZ4"] * g_z**2) * zeta5
    Bt = (c["QBZ1"] + c["QBZ2"] * dfz + c["QBZ3"] * dfz**2) * c["LKY"] / LMUY
    Bt = Bt * (1.0 + c["QBZ4"] * g_z + c["QBZ5"] * np.abs(g_z))
    Et = 1.0 + (c["QEZ4"] + c["QEZ5"] * g_zs) * 2.0 / pi * atan(Bt * c["QCZ1"] * a_t)
    Et = capped(Et * (c["QEZ1"] + c["QEZ2"] * dfz + c["QEZ3"] * dfz**2))
    t = magic(Dt, c["QCZ1"], Bt, Et, eq_t, cos) * cos_a_prime * c["LFZO"] * smooth
    zeta7: Any = 1.0
    Drp: Any = 0.0
    if spin:
        most = c["QCRP1"] * np.abs(y["mu"]) * R0 * Fz_least * np.sqrt(Fz_least / Fz0_) * c["LMP"]
        DDrp = most / sin(0.5 * pi * c["QDRP1"])
        Kzg = c["QDZ8"] * c["QDZ9"] * dfz + c["QDZ10"] + c["QDZ11"] * dfz * np.abs(gamma)
        BDrp = Fz_least * R0 * Kzg * c["LKZC"] / (c["QDRP1"] * DDrp * (1.0 - eps_g))
        Drp = DDrp * sin(c["QDRP1"] * atan(BDrp * R0 * phit))
        at90 = most * 2.0 / pi * atan(c["QCRP2"] * R0 * np.abs(phit)) * Gyk
        zeta7 = 2.0 / pi * np.real(np.arccos(at90 / np.abs(Drp) + 0j))
    by_camber = (c["QDZ8"] + c["QDZ9"] * dfz) * (1.0 + c["PPZ2"] * dpi)
    by_camber = (by_camber + (c["QDZ10"] + c["QDZ11"] * dfz) * np.abs(g_zs)) * g_zs * c["LKZC"] * (not spin)
    Dr = (c["QDZ6"] + c["QDZ7"] * dfz) * c["LRES"] * y["zeta2"] + by_camber
    Dr = Fz_least * R0 * Dr * LMUY * np.sign(Vx) * cos(a_star) + Drp
    Br = (c["QBZ9"] * c["LKY"] / LMUY + c["QBZ10"] * y["BC"]) * zeta6
    Mzr = Dr * cos(zeta7 * atan(Br * eq_r)) * smooth
    s = R0 * (c["SSZ1"] + c["SSZ2"] * Fy / Fz0 + (c["SSZ3"] + c["SSZ4"] * dfz) * g_z) * c["LS"]
    # The side force that has a trail is that without camber and turn slip (4.E74); in 5.2 all of it.
    trailing = Fy - upright["mu"] * per_mu if version == 52 else Gyk * upright["F"]
    Mz = -t * trailing + Mzr + s * Fx

    out = {"Fx": Fx, "Fy": Fy, "Fz": Fz_u, "Mx": Mx, "My": My, "Mz": Mz, "kappa": kappa_out,
           "alpha": np.where(Vx == 0.0, 0.0, given["alpha"]), "gamma": given["gamma"], "phit": phit,
           "Vx": Vx, "p": p, "t": t, "mux": mux, "muy": np.abs(y["mu"]) if limits else y["mu"], "Mzr": Mzr,
           "Kya": y["K"], "Kxk": Kxk, **of_wheel}  # fmt: skip
    out |= stiffness(c, version, Fz, gamma, dfz, dpi, Kxk, y["K"])
    out |= patch(c, version, Fz_u, dpi)
    if version == 61:
        out |= deflection_of_61(c, Fz_least, dpi, of_wheel["omega"], Fx, Fy)
    return out


def rolling(c: Mapping[str, float], Fz: Any, kappa: Any, Vx: Any, dpi: Any, omega: Any) -> Columns:
    """Effective radius (A: 7) and spin, together by repeated insertion."""
    R0, f = c["UNLOADED_RADIUS"], Fz / c["FNOMIN"]
    Cz = c["VERTICAL_STIFFNESS"] * (1.0 + c["PFZ1"] * dpi)
    flat = c["FNOMIN"] / Cz * (c["DREFF"] * atan(c["BREFF"] * f) + c["FREFF"] * f)

    def free(w: Any) -> Any:
        return R0 * (c["Q_RE0"] + c["Q_V1"] * (w * R0 / c["LONGVL"]) ** 2)

    if omega is not None:
        return {"Re": free(omega) - flat, "omega": omega}
    Re = 0.965 * R0 + 0.0 * Fz
    for _ in range(60):
        Re = free((1.0 + kappa) * Vx / Re) - flat
    return {"Re": Re, "omega": (1.0 + kappa) * Vx / Re}


def light(c: Mapping[str, float], Fz: Any) -> Any:
    """Share of FZMIN that a load below it has."""
    return np.where(Fz < c["FZMIN"], Fz / c["FZMIN"], 1.0) if c["FZMIN"] > 0.0 else 1.0


def rolling_resistance(
    c: Mapping[str, float], version: int, Fz: Any, kappa: Any, gamma: Any, Vx: Any, p: Any, Fx: Any
) -> Any:
    R0, Fz0, v = c["UNLOADED_RADIUS"], c["FNOMIN"], Vx / c["LONGVL"]
    Fz = Fz * light(c, Fz)
    drag = c["QSY1"] + c["QSY2"] * Fx / Fz0 + c["QSY3"] * np.abs(v) + c["QSY4"] * v**4
    if version == 52:
        My = -R0 * Fz * c["LMY"] * drag
    else:
        drag = drag + (c["QSY5"] + c["QSY6"] * Fz / Fz0) * gamma**2
        My = -R0 * Fz0 * c["LMY"] * drag * (Fz / Fz0) ** c["QSY7"] * (p / c["NOMPRES"]) ** c["QSY8"]
    My = My * positive_sign(Vx)
    speed = np.where(Vx == 0.0, 1.0, np.abs(Vx))
    high = c["VXLOW"] / speed - 1.0
    low = -1.0 - c["VXLOW"] - high
    My = np.where((kappa >= low) & (kappa <= high), My * sin(0.5 * pi * (kappa + 1.0) / (high + 1.0)), My)
    return np.where(Vx == 0.0, 0.0, np.where(kappa < low, -My, My))


def stiffness(
    c: Mapping[str, float], version: int, Fz: Any, gamma: Any, dfz: Any, dpi: Any, Kxk: Any, Kya: Any
) -> Columns:
    x, y = (
        c[name] * (1.0 + c[f"{k}1"] * dfz + c[f"{k}2"] * dfz**2) * (1.0 + c[f"{k}3"] * dpi)
        for name, k in (("LONGITUDINAL_STIFFNESS", "PCFX"), ("LATERAL_STIFFNESS", "PCFY"))
    )
    if version != 52:
        return {"Cx": x, "Cy": y, "sigmax": np.abs(Kxk / x), "sigmay": np.abs(Kya / y)}
    R0, Fz0 = c["UNLOADED_RADIUS"], c["FNOMIN"]
    sx = (c["PTX1"] + c["PTX2"] * dfz) * np.exp(-c["PTX3"] * dfz) * c["LSGKP"] * R0 * Fz / Fz0
    sy = c["PTY1"] * R0 * c["LFZO"] * c["LSGAL"] * (1.0 - c["PKY3"] * np.abs(gamma * c["LGAY"]))
    with np.errstate(divide="ignore", invalid="ignore"):
        sy = sy * sin(2.0 * atan(Fz / (c["PTY2"] * c["LFZO"] * Fz0)))
    return {"Cx": x, "Cy": y, "sigmax": sx, "sigmay": sy}


def patch(c: Mapping[str, float], version: int, Fz: Any, dpi: Any) -> Columns:
    """(A: 9), (A: 10); the patch of a tyre on its rim grows no more."""
    R0 = c["UNLOADED_RADIUS"]
    Cz = c["VERTICAL_STIFFNESS"] * (1.0 + c["PFZ1"] * dpi)
    room = R0 - c["RIM_RADIUS"] - c["BOTTOM_OFFST"]
    Fz = np.where(Fz / Cz > room, room * Cz, Fz)
    if version == 52:
        a1: Any = c["Q_A1"]
        a2: Any = c["Q_A2"]
        if a1 == 0.0 and a2 == 0.0:
            y = np.log10(R0 * c["VERTICAL_STIFFNESS"] / c["FNOMIN"])
            a1 = np.polyval([-0.0388, 0.2509, -0.6283, 0.6279], y)
            a2 = 1.693 * a1**2
        f = Fz / c["FNOMIN"]
        return {"two_a": 2.0 * R0 * (a2 * f + a1 * np.sqrt(f)), "two_b": c["WIDTH"] + 0.0 * Fz}
    d = Fz / (Cz * R0)
    two_b = 2.0 * c["WIDTH"] * (c["Q_RB2"] * d + c["Q_RB1"] * np.cbrt(d))
    return {"two_a": 2.0 * R0 * (c["Q_RA2"] * d + c["Q_RA1"] * np.sqrt(d)), "two_b": two_b}


def deflection_of_61(c: Mapping[str, float], Fz: Any, dpi: Any, omega: Any, Fx: Any, Fy: Any) -> Columns:
    """(A3.3) for ρ by the roots of its quadratic."""
    R0, Fz0 = c["UNLOADED_RADIUS"], c["FNOMIN"]
    R = R0 * (c["Q_RE0"] + c["Q_V1"] * (omega * R0 / c["LONGVL"]) ** 2)
    q2 = c["Q_FZ2"]
    q1 = np.sqrt((c["VERTICAL_STIFFNESS"] * R0 / Fz0) ** 2 - 4.0 * q2)
    grip = 1.0 + c["Q_V2"] * R0 / c["LONGVL"] * np.abs(omega)
    grip = grip - (c["Q_FCX"] * Fx / Fz0) ** 2 - (c["Q_FCY"] * Fy / Fz0) ** 2
    q0 = Fz / (grip * (1.0 + c["PFZ1"] * dpi) * Fz0)
    d = q0 / q1 if q2 == 0.0 else (np.sqrt(q1 * q1 + 4.0 * q2 * q0) - q1) / (2.0 * q2)
    rho = np.maximum(d * R0, 0.0)
    Cz = np.where(Fz > 0.0, Fz / np.where(Fz > 0.0, rho, 1.0), 0.0)
    return {"rho": rho, "Rl": np.maximum(R - rho, 0.0), "Cz": Cz}


def load_of_62(
    c: Mapping[str, float], Rl: Any, omega: Any, gamma: Any, dpi: Any, Fx: Any, Fy: Any
) -> Columns:
    """Load of 6.2 on a loaded radius, from the equation of its manual, and its slope against sinking."""
    R0, Fz0 = c["UNLOADED_RADIUS"], c["FNOMIN"]
    R = R0 * (c["Q_RE0"] + c["Q_V1"] * (omega * R0 / c["LONGVL"]) ** 2)
    q1 = np.sqrt((c["VERTICAL_STIFFNESS"] * R0 / Fz0) ** 2 - 4.0 * c["Q_FZ2"])
    tread = (1.075 - 0.5 * c["ASPECT_RATIO"]) * c["WIDTH"]

    def load(Rl: Any) -> tuple[Any, Any]:
        skew = (c["Q_FYS1"] + c["Q_FYS2"] * Rl / R + c["Q_FYS3"] * (Rl / R) ** 2) * gamma
        sunk = np.maximum(R - Rl, 0.0)
        top, full = ((c["Q_CAM1"] + c["Q_CAM2"] * r) * r for r in (Rl, R))
        shoulder = (top / full) ** 2 * tread / 8.0 * np.abs(tan(gamma)) * (gamma != 0.0)
        rho = np.maximum(sunk + shoulder - c["Q_CAM3"] * sunk * np.abs(gamma), 0.0)
        grip = 1.0 + c["Q_V2"] * R0 / c["LONGVL"] * np.abs(omega) - (c["Q_FCX"] * Fx / Fz0) ** 2
        grip = grip - ((np.maximum(rho, 1e-12) / R0) ** c["Q_FCY2"] * c["Q_FCY"] * (Fy - skew) / Fz0) ** 2
        spring = q1 * rho / R0 + c["Q_FZ2"] * (rho / R0) ** 2
        return rho, grip * (1.0 + c["PFZ1"] * dpi) * spring * Fz0

    rho, Fz = load(Rl)
    h = 1e-6 * R0
    return {"rho": rho, "Fz": Fz, "slope": (load(Rl - h)[1] - load(Rl + h)[1]) / (2.0 * h)}
