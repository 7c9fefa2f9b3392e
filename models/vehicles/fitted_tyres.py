"""Tyres of property files on a vehicle, in place of those of its data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ce_dynamics.compiler.free_numbers import nominal
from ce_dynamics.errors import DataError
from ce_dynamics.models.tyres.contract import TyreModel
from ce_dynamics.models.tyres.magic_formula.on_road import MagicFormulaTyre
from ce_dynamics.models.tyres.magic_formula.tyre import MagicFormula
from ce_dynamics.models.vehicles.corner import Corner
from ce_dynamics.models.vehicles.tyre_kinds import reference_friction


class FittedTyres(NamedTuple):
    """Tyres by corner, and what is to be said of their files.

    Attributes
    ----------
    models : mapping of str to TyreModel
        Corners that are not in it keep the tyre of the data.
    report : str
        What the files leave open and what was not understood.
    """

    models: Mapping[str, TyreModel]
    report: str


def fitted_tyres(files: Sequence[str], corners: Mapping[str, Corner]) -> FittedTyres:
    """Magic Formula tyres from property files.

    On the side of the vehicle for which a file is not, its tyre is mirrored.  The friction of the road counts
    in multiples of that for which the vehicle's own tyre was measured.

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
    models: dict[str, TyreModel] = {}
    reports: dict[str, str] = {}
    for name, path in chosen.items():
        corner = corners[name]
        tyre = MagicFormula.read(path, mounted="left" if corner.side > 0 else "right")
        models[name] = MagicFormulaTyre(tyre, reference_friction=nominal(reference_friction(corner.tyre)))
        if tyre.file is not None:
            reports[path] = tyre.file.report()
    return FittedTyres(models, "\n".join(reports.values()))
