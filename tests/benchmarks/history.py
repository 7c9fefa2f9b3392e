"""What was tried and can no longer be measured side by side: noted when it was done."""

from __future__ import annotations

from tests.benchmarks.options import Options
from tests.benchmarks.report import Result, Table

TRIED = (
    ("inertias in principal axes of the bodies", "about 1,000 instructions of the ride model fewer"),
    ("rotations of rods and shocks from the linkage that aims them", "about 700 instructions fewer"),
    ("a body's inertia put to what it carries before both are turned", "290 of the vehicle's 18,410"),
    ("gyroscopic torques from principal axes", "180 of the vehicle's instructions"),
    (
        "directions in place of rotation matrices; inertia of what slides counted where it slides",
        "1,300 of the vehicle's instructions",
    ),
    ("loads on a body summed before they are turned", "230 of the vehicle's instructions"),
    ("axes of a rod's hinge from the directions of its ends", "410 of the vehicle's instructions"),
)
CODE = (
    ("the vehicle's Jacobian as one function in pieces, not segment by segment", "63 µs to 30 µs"),
    (
        "sines and arctangents as formulas, four at a time (predicted: half the time of the calls)",
        "the HMMWV on Magic Formula 6.2 tyres from 1.76 to 1.42 of the time on TMeasy",
    ),
    ("the same in 8 lanes", "forces of one Magic Formula 6.2 tyre from 402 to 122 ns per point"),
    (
        "formulas that are used twice in pairs (predicted: 1.6 times as fast)",
        "the ride model from 1.02 to 0.69 µs, the full vehicle from 2.51 to 1.54 µs",
    ),
    (
        "calls of pairs four at a time as well, choices in pairs, what waits for a call lets others go first",
        "the HMMWV on Magic Formula 6.2 tyres, which pairs had not helped, from 3.47 to 2.07 µs; "
        "one such tyre, forces, from 702 to 277 ns",
    ),
    (
        "ensembles compute only the outputs that are kept or have a limit (predicted: a tenth)",
        "of 18,729 instructions 2,258; eight adaptive lanes from 1,404 to 1,524-1,682 vehicle-seconds per "
        "second",
    ),
    (
        "weighted sums of five and more stages in loops that a compiler makes vectors of",
        "a step of dopri5 but for its evaluations, 29 states: from 0.49 to 0.36 µs; the same bits",
    ),
    (
        "constants read relative to the code, linked by JITLink, on Linux (predicted: a twentieth)",
        "six vehicles from 1 to 0.94-0.97 of the time; the same bits",
    ),
)
STARTING = (
    ("functions loaded by the content of the model, not traced", "0.4 s less", "1.6 s to 1.2 s"),
    ("xarray loaded after the summary is printed", "0.25 s less", "1.2 s to 0.9 s"),
    (
        "tyre files, assistance and the other formulation loaded where they are used",
        "a tenth less",
        "1.83 s to 1.73 s of processor time, on a busy machine",
    ),
    (
        "first runs by code that is made quickly",
        "a third less of the cold start",
        "cold start 4.1 s to 2.6 s, on a machine that was a third slower then",
    ),
    (
        "NetCDF and plots straight from the arrays, without xarray and pandas (of the time files take)",
        "a third less",
        "3.2 s to 1.7 s of processor time after the summary, on a busy machine",
    ),
    (
        "equilibria by Newton's method, SciPy's optimiser only where that fails",
        "0.4 s less with native methods",
        "1.75 s to 1.19 s (rk4; SciPy, which the default method needs, takes a third of its warm start)",
    ),
    (
        "RK45 written out, so that SciPy is not loaded; not kept, for it is a second `solve_ivp`",
        "0.33 s less",
        "1.25 s to 0.79 s of processor time, on a busy machine",
    ),
    (
        "runs that were prepared before are kept ready, settled states and all (SciPy's import aside)",
        "0.25 s less",
        "0.79 s to 0.52 s of processor time",
    ),
    (
        "subcommands loaded when asked for, no garbage collected while loading (SciPy's import aside)",
        "0.02 s and a twentieth less",
        "0.52 s to 0.47 s of processor time",
    ),
    (
        "options that are texts taken as typed, where pydantic had converted them",
        "an eighth less",
        "0.74 s to 0.70 s of processor time, on a busy machine",
    ),
    (
        "four modules that SciPy imports and a run does not use, `numpy.f2py` among them, loaded when used",
        "a sixth less",
        "0.70 s to 0.61 s of processor time",
    ),
    (
        "OpenBLAS without threads, which wait awake; no garbage collected while SciPy is loaded",
        "a tenth less",
        "0.61 s to 0.56 s of processor time",
    ),
    (
        "force elements, manoeuvres and what embeds loops loaded when used; "
        "the mathematical library found without a process",
        "a twentieth less",
        "0.56 s to 0.53 s of processor time",
    ),
    (
        "libraries in C of SciPy and llvmlite loaded by a second thread meanwhile; "
        "not kept for a risk of locks",
        "0.05 s less for Python's thread",
        "0.66 s to 0.63 s of processor time of Python's thread, on a busy machine",
    ),
    (
        "powers of ten without formulas, no minor ticks, no garbage collected while the page is drawn",
        "0.2 s less of the time files take",
        "1.38 s to 1.19 s of processor time after the summary",
    ),
)


def run(options: Options) -> Result:
    """The notes."""
    note = "Noted at the change; not measured by this run."
    formulas = Table("Changes to the formulas", ("change", "gave"), TRIED, (note,))
    code = Table("Changes to the code", ("change", "gave"), CODE, (note,))
    head = ("change", "predicted", "warm start to the summary")
    return Result((formulas, code, Table("Changes to the start-up", head, STARTING, (note,))))
