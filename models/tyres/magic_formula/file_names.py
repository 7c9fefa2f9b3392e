"""Lists the names in Magic Formula property files: versions, aliases, units, sections."""

from __future__ import annotations

from collections.abc import Mapping

VERSIONS: Mapping[int, int] = {5: 52, 6: 52, 21: 52, 52: 52, 60: 61, 61: 61, 62: 62}
"""Whose equations hold for each FITTYP."""

FORMATS = ("PAC2002", "MF_05", "MF-TYRE", "MF_TYRE", "MF52", "MFTYRE", "DELFT")
"""Formats of files without FITTYP: version 5.2."""

OTHER_TYRES: Mapping[str, str] = {
    "PAC94": "the Magic Formula of 1994, whose coefficients are others",
    "PAC89": "the Magic Formula of 1989: enter its a0 ... b10 into ce_dynamics.models.tyres.Pac89Tyre",
    "PAC96": "the Magic Formula of 1996, whose coefficients are others",
    "PACTIME": "PAC-TIME, whose formulas of the side force are others",
    "PAC-TIME": "PAC-TIME, whose formulas of the side force are others",
    "PAC_TIME": "PAC-TIME, whose formulas of the side force are others",
    "FIALA": "Fiala's tyre: enter its CSLIP, CALPHA, UMIN and UMAX into ce_dynamics.models.tyres.FialaTyre",
    "UA": "the tyre of the University of Arizona",
    "UATIRE": "the tyre of the University of Arizona",
    "5.2.1": "the tyre 5.2.1 of interpolated tables",
    "521": "the tyre 5.2.1 of interpolated tables",
    "FTIRE": "FTire, a structural model",
    "CDTIRE": "CDTire, a structural model",
    "TMEASY": "TMeasy: enter its values into the section tyre of a vehicle's data file",
}
"""Formats of property files that are of another model, and notes on them."""

OLDER_FITTYP: Mapping[int, str] = {
    1: "MF-Tyre 1, of 1989", 2: "MF-Tyre 2", 3: "MF-Tyre 3, of 1994", 4: "MF-Tyre 4, of 1996",
}  # fmt: skip
"""Whose coefficients are others."""

ALIASES: Mapping[str, str] = {
    other: name
    for name, others in {
        "INFLPRES": "IP",
        "NOMPRES": "IP_NOM",
        "LKYC": "LKG LKYG",
        "LFZO": "LFZ0",
        "PPMX1": "QPX1",
        "PPZ1": "QPZ1",
        "PPZ2": "QPZ2",
        "Q_RE0": "QRE0 QREO Q_REO",
        "Q_V1": "QV1",
        "Q_V2": "QV2",
        "Q_FCX": "QFCX1 Q_FCX1",
        "Q_FCY": "QFCY1 Q_FCY1",
        "Q_FZ2": "QFZ2",
        "PFZ1": "QPFZ1",
    }.items()
    for other in others.split()
}
"""Other names of coefficients, those of PAC2002 above all."""

DIMENSIONS: Mapping[str, str] = {
    name: dimension
    for dimension, names in {
        "SPEED": "LONGVL VXLOW",
        "PRESSURE": "INFLPRES NOMPRES PRESMIN PRESMAX",
        "LENGTH": "UNLOADED_RADIUS WIDTH RIM_RADIUS RIM_WIDTH BOTTOM_OFFST BOTTOMING_RADIUS ELLIPS_MAX_STEP",
        "MASS": "MASS BELT_MASS MBELT MC",
        "MASS*LENGTH*LENGTH": "IXX IYY BELT_IXX BELT_IYY",
        "LENGTH/TIME/TIME": "GRAVITY",
        "FORCE": "FNOMIN FZMIN FZMAX",
        "FORCE/LENGTH": "VERTICAL_STIFFNESS BOTTOM_STIFF LONGITUDINAL_STIFFNESS LATERAL_STIFFNESS CX CY",
        "FORCE*TIME/LENGTH": "VERTICAL_DAMPING KX KY",
        "FORCE*LENGTH/ANGLE": "YAW_STIFFNESS",
        "1/TIME": "FREQ_LONG FREQ_LAT FREQ_YAW FREQ_WINDUP",
        "ANGLE": "ALPMIN ALPMAX CAMMIN CAMMAX",
    }.items()
    for name in names.split()
}
"""Entries to which the units of a file apply; the coefficients of the formulas are always in SI."""

IGNORED = {
    "FILE_TYPE", "FILE_VERSION", "FILE_FORMAT", "FITTYP", "TYRESIDE", "USE_MODE", "PROPERTY_FILE_FORMAT",
    "FUNCTION_NAME", "USER_SUB_ID", "N_TIRE_STATES", "ROAD_INCREMENT", "ROAD_DIRECTION", "HMAX_LOCAL",
    "SWITCH_INTEG", "TIME_SWITCH_INTEG", "BOTTOMING_RADIUS", "MFSAFE1", "MFSAFE2", "MFSAFE3", "FE_METHOD",
    "MESSAGES", "LOCAL_SOLVER", "LOCAL_SOLVER_HP", "QFZ1", "Q_FZ1", "TIRE_VERSION", "COMPATIBILITY",
    "LENGTH", "FORCE", "ANGLE", "TIME", "PRESSURE", "SPEED", "VELOCITY",
}  # fmt: skip
"""Entries that do not concern forces, or are read separately."""

SECTIONS = {
    "MODEL", "DIMENSION", "SHAPE", "INFLATION_PRESSURE", "OPERATING_CONDITIONS", "TIRE_CONDITIONS", "INERTIA",
    "VERTICAL", "STRUCTURAL", "CONTACT_PATCH", "INFLATION_PRESSURE_RANGE", "VERTICAL_FORCE_RANGE",
    "LONG_SLIP_RANGE", "SLIP_ANGLE_RANGE", "INCLINATION_ANGLE_RANGE", "SCALING_COEFFICIENTS",
    "LONGITUDINAL_COEFFICIENTS", "OVERTURNING_COEFFICIENTS", "LATERAL_COEFFICIENTS", "ROLLING_COEFFICIENTS",
    "ALIGNING_COEFFICIENTS", "TURNSLIP_COEFFICIENTS", "TIRE_CONDITION", "LOADED_RADIUS_COEFFICIENTS",
    "DYNAMIC_COEFFICIENTS", "CONTACT_COEFFICIENTS", "BELT_PARAMETERS", "VERTICAL_COEFFICIENTS", "UNITS",
}  # fmt: skip
"""Sections whose keys are read; others are notes of the file's author."""

SIDES = ("LEFT", "RIGHT", "SYMMETRIC", "UNKNOWN")

ASYMMETRY = (
    "RHX1", "QSX1", "PEY3", "PHY1", "PHY2", "PVY1", "PVY2", "RBY3", "RVY1", "RVY2", "QBZ4", "QDZ3", "QDZ6",
    "QDZ7", "QEZ4", "QHZ1", "QHZ2", "SSZ1",
)  # fmt: skip
"""Coefficients that are zero in a tyre that is its own mirror image: conicity, ply steer and their like."""

ONLY_52 = ("LGA", "LGYR", "LSG", "PHY3", "PTX", "PTY", "Q_A", "QTZ1", "MBELT", "LCZ", "LIP")
ONLY_6 = (
    "PKY6", "PKY7", "PPY5", "QSY5", "QSY6", "QSY7", "QSY8", "Q_R", "PCF", "LKYC", "LKZC", "PDXP", "PDYP",
    "PKYP", "PHYP", "PECP", "QDTP", "QCRP", "QBRP", "QDRP", "LMP",
)  # fmt: skip
ONLY_62 = ("Q_FCY2", "Q_CAM1", "Q_CAM2", "Q_CAM3", "Q_FYS", "ENV_")
NO_FORCE = (
    "ELLIPS", "FREQ", "DAMP", "MC", "CX", "CY", "KX", "KY", "BELT", "GRAVITY", "IXX", "IYY", "MASS",
    "Q_BV", "PCMZ1", "YAW", "LMUV",
)  # fmt: skip
"""Beginnings of names that matter to one version only, or to no force of the tyre."""

UNITS: Mapping[str, str] = {
    "SPEED": "m/s", "PRESSURE": "N/m^2", "LENGTH": "m", "MASS": "kg", "FORCE": "N", "FORCE/LENGTH": "N/m",
    "FORCE*TIME/LENGTH": "N*s/m", "FORCE*LENGTH/ANGLE": "N*m/rad", "ANGLE": "rad",
}  # fmt: skip
"""SI units by the dimensions of property files."""


def unit_of(name: str) -> str:
    """Return the SI unit of a coefficient, empty for a plain number."""
    return UNITS.get(DIMENSIONS.get(name, ""), "")
