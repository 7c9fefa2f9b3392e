"""Load over deflection: tables of property files, that of the rim on the road, terms of PAC2002."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.models.tyres.property_file import PropertyFile

LOAD, RIM = "DEFLECTION_LOAD_CURVE", "BOTTOMING_CURVE"
SCALED_BY = ("UNLOADED_RADIUS", "FNOMIN")


def spring(file: PropertyFile, values: Mapping[str, float]) -> tuple[dict[str, float], list[str]]:
    """``VERTICAL_STIFFNESS`` and ``Q_FZ2`` of the load curve of a file, and what is to be said of them.

    Fz = Fz0 (q_1 d + q_2 d²), d = ρ/R0, (A3.3), through the points by least squares; q_2 is at least zero, as
    the load has to grow with the deflection.  Both are needed the other way round as well, in closed form.
    """
    if LOAD not in file.tables or not set(SCALED_BY) <= values.keys():
        return {}, []
    rho, Fz = increasing(file, LOAD)
    R0, Fz0 = (checks.number(name, values[name], above=0.0, error=DataError) for name in SCALED_BY)
    d, f = rho / R0, Fz / Fz0
    q_1, q_2 = np.linalg.lstsq(np.stack([d, d * d], axis=1), f, rcond=None)[0]
    if q_2 < 0.0 or q_1 <= 0.0:
        q_1, q_2 = float(d @ f / (d @ d)), 0.0
    off = float(np.abs(q_1 * d + q_2 * d * d - f).max())
    # Cz0 is the slope of the load at Fz0: (4) of Besselink et al. (2010) turned round.
    stiffness = Fz0 / R0 * float(np.sqrt(q_1 * q_1 + 4.0 * q_2))
    said = (
        f"{LOAD}: VERTICAL_STIFFNESS = {stiffness:.6g} N/m, Q_FZ2 = {q_2:.6g}; "
        f"its points are met within {off * Fz0:.0f} N"
    )
    return {"VERTICAL_STIFFNESS": stiffness, "Q_FZ2": float(q_2)}, [said]


def rim(file: PropertyFile, values: Mapping[str, float]) -> tuple[dict[str, float], list[str]]:
    """``BOTTOM_OFFST`` and ``BOTTOM_STIFF`` of the bottoming curve: where it sets in, and its slope."""
    if RIM not in file.tables or not {"UNLOADED_RADIUS", "RIM_RADIUS"} <= values.keys():
        return {}, []
    pen, force = increasing(file, RIM)
    onset = int(np.flatnonzero(force > 0.0)[0]) - 1
    rise = (force[-1] - force[onset]) / (pen[-1] - pen[onset])
    offset = values["UNLOADED_RADIUS"] - values["RIM_RADIUS"] - float(pen[onset])
    said = f"{RIM}: BOTTOM_OFFST = {offset:.6g} m, BOTTOM_STIFF = {rise:.6g} N/m"
    return {"BOTTOM_OFFST": offset, "BOTTOM_STIFF": float(rise)}, [said]


def increasing(file: PropertyFile, section: str) -> tuple[np.ndarray, np.ndarray]:
    """Deflection [m] and force [N] of a table."""
    rows = file.tables[section]
    table = np.array(rows) if len({len(row) for row in rows}) == 1 else np.empty((0, 0))
    if table.ndim != 2 or table.shape[1] != 2 or len(table) < 2:
        raise DataError(f"{file.name}: [{section}] must have two rows or more of deflection and force")
    pen, force = table[:, 0] * file.scales["LENGTH"], table[:, 1] * file.scales["FORCE"]
    if pen[0] != 0.0 or force[0] != 0.0:
        raise DataError(f"{file.name}: [{section}] must begin with 0 0, got {pen[0]:g} {force[0]:g}")
    if not (np.diff(pen) > 0.0).all() or not (np.diff(force) >= 0.0).all() or force[-1] <= 0.0:
        raise DataError(f"{file.name}: [{section}] must increase in both columns; put its rows in order")
    return pen, force


def stiffness_of_terms(file: PropertyFile, version: int, values: dict[str, float]) -> None:
    """The stiffness at Fz0 of q_Fz1 and q_Fz2, which PAC2002 takes first and 6.x where it has no other.

    q_Fz1² + 4 q_Fz2 = (Cz0 R0/Fz0)²: (4) of Besselink et al. (2010).
    """
    entry = file.find("QFZ1") or file.find("Q_FZ1")
    if entry is None or not {"UNLOADED_RADIUS", "FNOMIN"} <= values.keys() or LOAD in file.tables:
        return
    q_1 = file.number("Q_FZ1", entry)
    if q_1 > 0.0 and (version == 52 or "VERTICAL_STIFFNESS" not in values):
        q_2 = values.get("Q_FZ2", 0.0)
        k = math.sqrt(max(q_1 * q_1 + 4.0 * q_2, 0.0)) / values.get("LCZ", 1.0)
        values.setdefault("Q_FZ2", q_2)
        values["VERTICAL_STIFFNESS"] = k * values["FNOMIN"] / values["UNLOADED_RADIUS"]


def bottoming(file: PropertyFile, values: dict[str, float]) -> None:
    """BOTTOMING_RADIUS of PAC2002 as the distance from the rim."""
    entry = file.find("BOTTOMING_RADIUS", "DIMENSION", "VERTICAL")
    if entry is not None and "RIM_RADIUS" in values:
        radius = file.number("BOTTOMING_RADIUS", entry) * file.scales["LENGTH"]
        if radius > 0.0:
            values.setdefault("BOTTOM_OFFST", radius - values["RIM_RADIUS"])
