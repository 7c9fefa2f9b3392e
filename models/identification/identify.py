"""Identification of a vehicle from files: runs, their mapping, a base vehicle and what is free."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ce_dynamics.algebra import checks
from ce_dynamics.errors import DataError
from ce_dynamics.models.identification.fit import Fit, fit_plant
from ce_dynamics.models.identification.plant import vehicle_plant
from ce_dynamics.models.identification.problem import OPTIONS, Options, correction_of
from ce_dynamics.models.identification.recording import Recording, read_recording
from ce_dynamics.models.vehicles.description import VehicleParameters

Run = Recording | str | Path


def identify(
    runs: Run | Sequence[Run],
    vehicle: str | Path,
    free: Mapping[str, Any] | Sequence[str],
    *,
    mapping: str | Path | Mapping[str, Any] | None = None,
    overrides: Sequence[str] = (),
    progress: Callable[[str], None] | None = None,
    keep: str | Path | None = None,
    **options: Any,
) -> Fit:
    """Fit numbers of a vehicle to recorded runs.

    Parameters
    ----------
    runs : Recording, path, or sequence of these
        Tables, or recordings as `read_recording` returns them.
    vehicle : str or path
        The base vehicle: a shipped one or a data file.
    free : mapping or sequence of str
        Numbers that are fitted, by the names of ``--list-parameters`` (``chassis.mass``;
        ``front.tyre.dfy0*``, a factor of all its components), and corrections of channels
        (``channels.yaw_rate.delay``).  A mapping has standard deviations of priors, or ``prior``, ``sd``,
        ``lower`` and ``upper``, by name.
    mapping : path or mapping, optional
        The columns of tables, see `ce_dynamics.models.identification.recording`; none for recordings.
    overrides : sequence of str
        ``key=value`` each, of the base vehicle.
    progress : callable, optional
        Given a line after every round.
    keep : path, optional
        A file for the state after every round; where it is there, the fit goes on from it.
    **options
        Of `ce_dynamics.models.identification.problem.Options`, such as ``length`` and ``step`` [s].

    Returns
    -------
    Fit
        Estimates, their covariance, the noise of every channel, and what the data cannot determine.
    """
    if isinstance(free, Mapping):
        checks.mapping("identify: free", free, DataError)
    else:
        checks.texts("identify: free", free, DataError)
    for name in options:
        checks.check_name("identify: option", name, OPTIONS, "option", DataError)
    chosen = Options(**options)
    if progress is not None:
        checks.function("identify: progress", progress, error=DataError)
    data = VehicleParameters.load(vehicle, checks.texts("identify: overrides", overrides, DataError))
    recordings = read_runs(runs, mapping, float(data.wheelbase))
    numbers = dict.fromkeys(
        name.partition("@")[0] for name in free if correction_of(name.partition("@")[0]) is None
    )
    own = [name for name in numbers if not name.startswith("channels.")]
    plant = vehicle_plant(str(vehicle), own, recordings, overrides)
    return fit_plant(plant, recordings, free, chosen, progress, None if keep is None else Path(keep))


def read_runs(runs: Run | Sequence[Run], mapping: Any, wheelbase: float) -> list[Recording]:
    """Return recordings of files; those that are given stay."""
    single = isinstance(runs, Recording | str | Path)
    given = (runs,) if single else checks.items("identify: runs", runs, error=DataError)
    if not given:
        raise DataError("identify: runs: name at least one run")
    found = []
    for run in given:
        checks.instance(
            "identify: runs: entry", run, (Recording, str, Path), "a path or a Recording", DataError
        )
        if isinstance(run, Recording):
            found.append(run)
        elif mapping is None:
            raise DataError(f"{run}: a table needs a mapping of its columns; give mapping=")
        else:
            found.append(read_recording(run, mapping, wheelbase=wheelbase))
    return found
