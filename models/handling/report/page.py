"""The report as a page: main figures, every test, the vehicles and the sources of their numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from ce_dynamics._version import __version__
from ce_dynamics.models.handling.outcome import DEGREES, Outcome, Verdict, overlay_charts, titles_of
from ce_dynamics.models.handling.report.vehicles import suspensions, vehicle_section
from ce_dynamics.models.handling.subject import Subject
from ce_dynamics.models.handling.vehicle import VehicleSubject
from ce_dynamics.models.vehicles.summary import Figure, list_figures
from ce_dynamics.simulation.netcdf import netcdf_bytes
from ce_dynamics.views.charts import colours_of, svg
from ce_dynamics.views.html import document, element, items, key, number, table, text, unit

HEADLINES: Mapping[str, tuple[str, ...]] = {
    "constant-radius": ("understeer_gradient", "roll_gradient", "largest_lateral_acceleration"),
    "constant-speed": (
        "understeer_gradient",
        "characteristic_speed",
        "roll_gradient",
        "largest_lateral_acceleration",
    ),
    "step-input": (
        "yaw_rate_response_time",
        "yaw_rate_overshoot",
        "lateral_acceleration_response_time",
        "tb_factor",
    ),
    "frequency-input": ("yaw_rate_bandwidth", "lateral_acceleration_equivalent_delay"),
    "double-lane-change": ("entry_speed",),
    "obstacle-avoidance": ("entry_speed",),
    "power-off": ("yaw_rate_ratio_power_off",),
    "sine-with-dwell": ("first_unstable", "displacement"),
    "j-turn": ("load_transfer",),
    "fishhook": ("load_transfer",),
    "braking": ("distance", "mean_deceleration"),
    "split-braking": ("distance", "deviation"),
    "acceleration": ("time_to_100", "time_over_400"),
    "ride": ("felt_vertical", "load_variation"),
    "modes": ("yaw_and_sideslip_damping", "roll_frequency", "heave_frequency"),
}
"""Figures of the table at the top."""


def report_of(
    outcomes: Mapping[str, Sequence[Outcome]],
    subjects: Sequence[Subject],
    *,
    title: str = "",
    kc: bool = False,
) -> str:
    """Return one self-contained page of HTML.

    Parameters
    ----------
    outcomes : mapping of str to sequence of Outcome
        By test, as `ce_dynamics.models.handling.compare` returns it.
    subjects : sequence of Subject
        What was tested, the one first with which the others are compared.
    title : str
        Heading; made of the subjects if not given.
    kc : bool
        Also curves of kinematics and compliance, of the subjects that are vehicles.

    Returns
    -------
    str
        A file of its own: pictures, style and all are inside; it has no script.
    """
    names = [subject.title for subject in subjects]
    heading = title or f"Handling: {', '.join(names)}"
    sections = [element("section", test_section(made), id=name) for name, made in outcomes.items()]
    links = [text("a", made[0].title, href=f"#{name}") for name, made in outcomes.items()]
    vehicles = [subject for subject in subjects if isinstance(subject, VehicleSubject)]
    if kc and vehicles:
        sections.append(element("section", suspensions(vehicles), id="kc"))
        links.append(text("a", "kinematics and compliance", href="#kc"))
    sections.append(element("section", vehicle_section(subjects), id="vehicles"))
    links.append(text("a", "the vehicles and their data", href="#vehicles"))
    return document(
        heading,
        text("h1", heading),
        text(
            "p",
            f"Simulated by ce-dynamics {__version__}: the whole linkage, tyres and driveline. Axes are "
            f"those of ISO 8855: "
            "x forward, y to the left, z up.",
            class_="soft",
        ),
        key(colours_of(names)),
        element("section", overview(outcomes, names), id="overview"),
        element("nav", *links),
        *sections,
    )


def overview(outcomes: Mapping[str, Sequence[Outcome]], names: Sequence[str]) -> str:
    """Return the main figures, the verdicts and the troubles."""
    rows, wrong = [], []
    for name, made in outcomes.items():
        shown = HEADLINES.get(name, ())
        wanted = [figure for figure in list_figures(one.figures for one in made) if figure.key in shown]
        rows += [figure_row(figure, made, f"{made[0].title}: ") for figure in wanted]
        wrong += [f"{outcome.title}: {outcome.trouble}" for outcome in made if outcome.trouble]
    parts = [text("h2", "At a glance")]
    if rows:
        parts.append(table(["", *map(escape, names), "unit"], rows))
    verdicts = [row for made in outcomes.values() for row in verdict_rows(made)]
    if verdicts:
        parts.append(table(["criterion", *map(escape, names), "allowed"], verdicts))
    if wrong:
        parts.append(element("div", text("strong", "Not finished"), items(wrong), class_="trouble"))
    return "".join(parts)


ROUNDING: Mapping[str, float] = {"deg": 1e-4, "m": 1e-5, "m/s^2": 1e-5, "deg/s": 1e-4, "%": 1e-4}
"""Largest figure that counts as zero, since runs amplify rounding."""


def figure_row(figure: Figure, made: Sequence[Outcome], before: str = "") -> list[str]:
    """Return a figure of all subjects, with differences from the first's."""
    found = [
        next((f.value for f in outcome.figures if f.key == figure.key), float("nan")) for outcome in made
    ]
    values = [0.0 if abs(value) < ROUNDING.get(figure.unit, 1e-9) else value for value in found]
    cells = [number(values[0])]
    for value in values[1:]:
        change = 100.0 * (value / values[0] - 1.0) if values[0] and value == value else float("nan")
        rounded = round(change, 1) + 0.0
        sign = "" if rounded < 0.0 else "+" if rounded else "±"
        remark = f" <small>({sign}{number(rounded)} %)</small>" if abs(change) < 1000.0 else ""
        cells.append(number(value) + remark)
    return [escape(before + figure.label), *cells, escape(unit(figure.unit))]


def verdict_rows(made: Sequence[Outcome]) -> list[list[str]]:
    """Return a row for each criterion."""
    rows = []
    for criterion in dict.fromkeys(v.criterion for outcome in made for v in outcome.verdicts):
        own = [next((v for v in outcome.verdicts if v.criterion == criterion), None) for outcome in made]
        allowed = next(v.allowed for v in own if v is not None)
        rows.append([escape(f"{made[0].title}: {criterion}"), *map(format_verdict, own), escape(allowed)])
    return rows


def format_verdict(verdict: Verdict | None) -> str:
    """Return the value reached and its judgement as HTML; a dash without a verdict."""
    if verdict is None:
        return "–"
    word, kind = {True: ("kept", "kept"), False: ("not kept", "broken"), None: ("not judged", "soft")}[
        verdict.passed
    ]
    return f"{escape(verdict.reached)} {text('span', word, class_=kind)}"


def test_section(made: Sequence[Outcome]) -> str:
    """Return one test: its settings, figures, charts and notes."""
    first = made[0]
    names = [outcome.subject for outcome in made]
    settings = [setting(name, *value) for name, value in first.settings.items()]
    parts = [
        text("h2", first.title[0].upper() + first.title[1:]),
        text("p", f"{first.standard}. {'; '.join(settings)}.", class_="soft"),
    ]
    parts += [
        element("div", escape(format_trouble(outcome)), class_="trouble")
        for outcome in made
        if outcome.trouble
    ]
    charts = [element("figure", svg(overlay_charts(made, title))) for title in titles_of(made)]
    if charts:
        parts.append(key(colours_of(names)))
        parts.append(element("div", *charts, class_="figures"))
    rows = [figure_row(figure, made) for figure in list_figures(one.figures for one in made)]
    if rows:
        parts.append(table(["", *map(escape, names), "unit"], rows))
    verdicts = verdict_rows(made)
    if verdicts:
        parts.append(table(["criterion", *map(escape, names), "allowed"], verdicts))
    notes = [f"{outcome.subject}: {note}" for outcome in made for note in outcome.notes]
    if notes:
        parts.append(items(notes, class_="soft"))
    return "".join(parts)


READ: Mapping[str, tuple[float, str]] = {"m/s": (3.6, "km/h"), "rad": (DEGREES, "°")}
"""Factors and units in which settings are shown; others stay."""


PARTS = ("brake", "throttle", "steer")
"""Settings that are parts of a whole."""


def setting(name: str, value: float, given: str) -> str:
    """Describe a setting in words."""
    if name == "direction" and abs(value) == 1.0:
        return f"to the {'left' if value > 0.0 else 'right'}"
    if name in PARTS and given == "1":
        return f"{name} {number(100.0 * value)} %"
    factor, shown = READ.get(given, (1.0, unit(given)))
    return f"{name.replace('_', ' ')} {number(factor * value)} {shown}".rstrip()


def format_trouble(outcome: Outcome) -> str:
    """Return the trouble of an outcome, with the title of its subject."""
    own = outcome.trouble.startswith(outcome.subject)
    return outcome.trouble if own else f"{outcome.subject}: {outcome.trouble}"


def as_json(outcomes: Mapping[str, Sequence[Outcome]]) -> str:
    """Return all figures, verdicts and charts by test as JSON text; numbers that are not finite are null."""
    content: dict[str, Any] = {
        "version": __version__,
        "tests": {name: [outcome.as_dict() for outcome in made] for name, made in outcomes.items()},
    }
    return json.dumps(content, indent=1, allow_nan=False)


def save_runs(outcome: Outcome, path: Path) -> None:
    """Save all runs of a test to one NetCDF file, each as a group of its name."""
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
    """Return a title as part of a file's name."""
    return re.sub(r"[^\w.]+", "-", text).strip("-").lower() or "vehicle"
