"""Tyres of property files on a vehicle, in place of those of its data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import DataError
from ce_dynamics.models.tyres.magic_formula.contact_mass import with_transients
from ce_dynamics.models.tyres.magic_formula.on_road import MagicFormulaTyre
from ce_dynamics.models.tyres.magic_formula.outputs import peak_of
from ce_dynamics.models.tyres.magic_formula.reader import TyreFile, read_tyre_file
from ce_dynamics.models.tyres.magic_formula.tyre import MagicFormula
from ce_dynamics.models.vehicles.chrono.tyres import read_pac02
from ce_dynamics.models.vehicles.corner import Corner
from ce_dynamics.models.vehicles.magic_formula_data import report_on
from ce_dynamics.models.vehicles.tyre_kinds import reference_friction


class FittedTyres(NamedTuple):
    """Tyres by corner (others keep that of the data), and what their files leave open or was not understood.

    ``friction`` is that of the road on which they are as measured; None where a wheel keeps its own.
    """

    models: Mapping[str, MagicFormulaTyre]
    report: str
    friction: float | None


def fit_tyres(files: Sequence[str], corners: Mapping[str, Corner]) -> FittedTyres:
    """Fit Magic Formula tyres from property files (``.tir``) or Chrono's ``Pac02Tire`` files (``.json``).

    ``FILE`` is for all corners, ``front=FILE`` for an axle, ``front_left=FILE`` for a corner; the last
    counts.  On the side of the vehicle for which a file is not, its tyre is mirrored.  The friction
    coefficient of the road is the peak of the fitted tyres, of different ones that of the one with the most
    grip, or what its file names.  Where a wheel keeps its own tyre, it refers to that one.  Tyres keep their
    ratios so.
    """
    chosen: dict[str, str] = {}
    for text in files:
        place, equals, path = text.rpartition("=")
        wanted = [name for name in corners if not equals or name == place or name.startswith(f"{place}_")]
        if not wanted or not path:
            axles = sorted({name.rpartition("_")[0] for name in corners})
            raise DataError(
                f"tyre {text!r}: give FILE for all wheels, AXLE=FILE or CORNER=FILE; axles are "
                f"{', '.join(axles)}, corners {', '.join(corners)}"
            )
        chosen |= dict.fromkeys(wanted, path)
    read = {path: read_tyre(path) for path in dict.fromkeys(chosen.values())}
    whole = bool(chosen) and chosen.keys() == corners.keys()
    friction = max(map(measurement_friction, read.values())) if whole else None
    models: dict[str, MagicFormulaTyre] = {}
    for name, path in chosen.items():
        corner = corners[name]
        tyre = MagicFormula.of(read[path], mounted="left" if corner.side > 0 else "right")
        own = read[path].friction or nominal(reference_friction(corner.tyre))
        models[name] = with_transients(tyre, own if friction is None else friction)
    return FittedTyres(models, "\n".join(report_on(file) for file in read.values()), friction)


def measurement_friction(file: TyreFile) -> float:
    """Return the friction coefficient of the road on which the coefficients of a file hold."""
    return file.friction or peak_of(file.coefficients).friction


def default_friction(files: Sequence[str], corners: Mapping[str, Corner], road: float) -> float | None:
    """Return the friction coefficient of the fitted tyres' road, if that of the vehicle is its own tyres'."""
    fitted = fit_tyres(files, corners).friction
    own = {nominal(reference_friction(corner.tyre)) for corner in corners.values()}
    return fitted if own == {nominal(road)} else None


def read_tyre(path: str) -> TyreFile:
    """Return a property file, or a ``Pac02Tire`` of Chrono."""
    return read_pac02(path) if path.lower().endswith(".json") else read_tyre_file(path)
