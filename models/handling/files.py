"""Outcomes in files: NetCDF with all runs, JSON with everything else."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ce_dynamics._version import __version__
from ce_dynamics.models.handling.outcome import Outcome
from ce_dynamics.simulation.netcdf import netcdf_bytes


def as_json(outcomes: Mapping[str, Sequence[Outcome]]) -> str:
    """All figures, verdicts and charts by test, as JSON text; numbers that are not finite are null."""
    content: dict[str, Any] = {
        "version": __version__,
        "tests": {name: [outcome.as_dict() for outcome in made] for name, made in outcomes.items()},
    }
    return json.dumps(content, indent=1, allow_nan=False)


def save_runs(outcome: Outcome, path: Path) -> None:
    """All runs of a test into one NetCDF file, each a group of its name."""
    import xarray as xr  # here, because it takes longer to load than many runs

    groups = {
        "/": xr.Dataset(
            attrs={"test": outcome.name, "subject": outcome.subject, "source": f"ce-dynamics {__version__}"}
        )
    }
    for run in outcome.runs:
        results = run.record.dataset()
        results.attrs |= {
            "run": run.name,
            "trouble": run.trouble,
            "options": json.dumps(dict(run.task.values)),
        }
        groups[stem(run.name)] = results
    path.write_bytes(netcdf_bytes(groups))


def stem(text: str) -> str:
    """A title as part of a file's name."""
    return re.sub(r"[^\w.]+", "-", text).strip("-").lower() or "vehicle"
