"""Tyres of property files on a vehicle, in place of those of its data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import DataError
from ce_dynamics.models.tyres.magic_formula.contact_mass import on_road
from ce_dynamics.models.tyres.magic_formula.on_road import MagicFormulaTyre
from ce_dynamics.models.tyres.magic_formula.reader import TyreFile, read_tyre_file
from ce_dynamics.models.tyres.magic_formula.tyre import MagicFormula
from ce_dynamics.models.vehicles.chrono.pac02 import read_pac02
from ce_dynamics.models.vehicles.corner import Corner
from ce_dynamics.models.vehicles.tyre_kinds import reference_friction


class FittedTyres(NamedTuple):
    """Tyres by corner, and what is to be said of their files.

    Attributes
    ----------
    models : mapping of str to MagicFormulaTyre
        Corners that are not in it keep the tyre of the data.
    report : str
        What the files leave open and what was not understood.
    """

    models: Mapping[str, MagicFormulaTyre]
    report: str


def fitted_tyres(files: Sequence[str], corners: Mapping[str, Corner]) -> FittedTyres:
    """Magic Formula tyres from property files (``.tir``) or Chrono's ``Pac02Tire`` files (``.json``).

    On the side of the vehicle for which a file is not, its tyre is mirrored.  The friction of the road counts
    in multiples of that of the file, or, as property files name none, of that for which the vehicle's own
    tyre was measured.

    Parameters
    ----------
    files : sequence of str
        ``FILE`` for all corners, ``front=FILE`` for an axle, ``front_left=FILE`` for a corner; of several
        that go for a corner the last counts.
    corners : mapping of str to Corner
        Of the vehicle.

    Raises
    ------
    DataError
        If a file is no tyre, or a name no axle and no corner.
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
    models: dict[str, MagicFormulaTyre] = {}
    reports: dict[str, str] = {}
    read: dict[str, TyreFile] = {}
    for name, path in chosen.items():
        corner = corners[name]
        if path not in read:
            read[path] = read_tyre(path)
        tyre = MagicFormula.of(read[path], mounted="left" if corner.side > 0 else "right")
        friction = read[path].friction or nominal(reference_friction(corner.tyre))
        models[name] = on_road(tyre, friction)
        reports[path] = read[path].report()
    return FittedTyres(models, "\n".join(reports.values()))


def read_tyre(path: str) -> TyreFile:
    """A property file, or a ``Pac02Tire`` of Chrono."""
    return read_pac02(path) if path.lower().endswith(".json") else read_tyre_file(path)
