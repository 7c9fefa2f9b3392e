"""Reference pages, generated from the command line, the schema of vehicle files, registries, docstrings."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer
import yaml
from pydantic import BaseModel
from typer._click import Context

from ce_dynamics.algebra.checks import with_unit
from ce_dynamics.cli.command import app
from ce_dynamics.cli.listings import bounds
from ce_dynamics.cli.messages import EXPLANATION
from ce_dynamics.compiled.model import Model
from ce_dynamics.models import hmmwv
from ce_dynamics.models.data.quantities import Option, ParameterQuantity
from ce_dynamics.models.data.schema import fields_of
from ce_dynamics.models.handling.procedures import PROCEDURES
from ce_dynamics.models.kc import quantities
from ce_dynamics.models.parts.manoeuvres import MANOEUVRES
from ce_dynamics.models.parts.roads.kinds import FRICTIONS, ROADS
from ce_dynamics.models.parts.roads.map_files import FILE_WORDS, READERS
from ce_dynamics.models.powertrain import POWERTRAINS
from ce_dynamics.models.powertrain.differentials import DIFFERENTIALS
from ce_dynamics.models.tyres.tmeasy_curves import TMeasyParameters
from ce_dynamics.models.vehicles import layout
from ce_dynamics.models.vehicles.bodies import BodyData, RodData
from ce_dynamics.models.vehicles.corner import CornerData
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.files import SHIPPED
from ce_dynamics.models.vehicles.sections import VehicleDescription
from ce_dynamics.models.vehicles.springs import DamperData, SpringData
from ce_dynamics.models.vehicles.suspensions.template import (
    FOLDER,
    GEARS,
    SUSPENSIONS,
    Template,
    template_of,
)
from ce_dynamics.models.vehicles.trailers import HITCHES, trailer_section
from ce_dynamics.models.vehicles.tyre_kinds import MAGIC_FORMULA, TYRE_KINDS, tyre_section

ROOT = Path(__file__).resolve().parents[1]
MEASURED = ROOT / "docs" / "measured"
MEANINGS = MEASURED / "results.yaml"
BLOCK = re.compile(r"<!-- (\w+) -->\n(.*?)\n<!-- /\1 -->", re.DOTALL)
HIDDEN = "---\nsearch:\n  exclude: true\n---\n"
"""Front matter of pages that the search index leaves out."""
PACKAGES = {
    "linkages": ("ce_dynamics.kinematics",),
    "vehicles": ("ce_dynamics.vehicles", "ce_dynamics.models.hmmwv"),
    "vehicle-parts": ("ce_dynamics.models.parts.roads", "ce_dynamics.models.parts.manoeuvres"),
    "tyres": ("ce_dynamics.models.tyres",),
    "kc": ("ce_dynamics.models.kc",),
    "handling": ("ce_dynamics.models.handling",),
    "environments": ("ce_dynamics.models.environments",),
    "contact": ("ce_dynamics.contact",),
    "augmented": ("ce_dynamics.augmented",),
    "drive": ("ce_dynamics.views.drive",),
}
"""Packages whose names are public besides those of ``ce_dynamics`` itself, by page."""


MODEL = "compiled.md#ce_dynamics.compiled.model.Model"
PARTS: Mapping[str, type[BaseModel]] = {
    "spring": SpringData,
    "damper": DamperData,
    "lower_arm": BodyData,
    "tie_rod": RodData,
}
"""Kinds of parts that suspensions have, under the name of one."""


def pages() -> dict[str, str]:
    """Return all generated pages by file name."""
    return {
        "command-line.md": command_line(),
        "vehicle-file.md": vehicle_file(),
        "suspensions.md": suspensions(),
        "magic-formula.md": HIDDEN + magic_formula(),
        "vehicles.md": vehicles(),
        "manoeuvres.md": manoeuvres(),
        "roads.md": roads(),
        "results.md": results(),
        "kc-quantities.md": kc_quantities(),
        "python.md": names(),
        "api/model.md": HIDDEN + model_methods(),
        **{f"api/{page}.md": HIDDEN + api(page, members) for page, members in public().items()},
    }


# The command line


def command_line() -> str:
    """Return the page of ``simulate-vehicle`` and its subcommands."""
    group: Any = typer.main.get_command(app)
    context = Context(group)
    text = ["# Command line", "", f"{EXPLANATION}", ""]
    commands = {"simulate-vehicle": group} | {
        f"simulate-vehicle {name}": group.get_command(context, name) for name in group.list_commands(context)
    }
    for name, command in commands.items():
        text += [f"## {name}", "", plain(command.help or ""), ""]
        panel = ""
        for option in command.get_params(Context(command)):
            here = getattr(option, "rich_help_panel", None) or "General"
            if here != panel:
                text += [f"**{here}**", ""]
                panel = here
            text += [*described(option), ""]
    return "\n".join(text)


def described(option: Any) -> list[str]:
    """Return an option or argument as an entry of a definition list."""
    kind = option.type_descriptor.annotation if hasattr(option, "type_descriptor") else str
    flag = kind is bool
    metavar = "" if flag else f" {option.metavar or 'TEXT'}"
    shown = ", ".join(option.opts) if option.param_type_name == "option" else ""
    words = plain(option.help or "")
    if option.default not in (None, False) and not callable(option.default) and "efault" not in words:
        words += f" Default: `{option.default}`."
    return [f"`{(shown + metavar).strip()}`", f":   {words}"]


def plain(text: str) -> str:
    """Return a help text as a paragraph of Markdown."""
    text = re.sub(r"\[/?(bold|dim|italic|cyan|green|yellow|red)\]", "", text)
    return re.sub(r"\s*\n\s*", " ", re.sub(r"\n\s*\n", "<br>", text.strip())).replace("<br>", "\n\n")


# Vehicle files


def vehicle_file() -> str:
    """Return every key of a vehicle file with unit, default and bounds."""
    text = [
        "# Vehicle file",
        "",
        "A key without a default is required; `–` marks one that may be left out.",
        "Numbers without a unit are in the unit that is listed. `front` stands for the name of any axle.",
        "[Suspensions](suspensions.md) have a page of their own, and so have the coefficients of the",
        "[Magic Formula](magic-formula.md). [Vehicles](../vehicles.md) explains the notation,",
        "[Conventions](../conventions.md) the axes.",
        "",
        "## Choices for an axle: `axles.AXLE`",
        "",
        *choices({**layout.CHOICES, "trailer": ("the name of a trailer of the file",)}),
        "## Choices for the vehicle: `kinds`",
        "",
        *choices(layout.KINDS),
        "## Sections of every vehicle",
        "",
    ]
    for name, field in fields_of(VehicleDescription).items():
        if name != "powertrain" and not isinstance(field, ParameterQuantity):
            text += section(f"`{name}`", field, name)
    corner = fields_of(CornerData)
    text += ["## Sections of every corner", ""]
    for name in ("wheel", "brake", "ground_spring"):
        text += section(f"`front.{name}`", corner[name], f"front.{name}")
    text += ["## Parts of suspensions", ""]
    for name, part in PARTS.items():
        text += section(f"`{name}`", part, f"front.{name}")
    groups: Sequence[tuple[str, str, Mapping[str, Any]]] = (
        ("Tyres", "front.tyre", {kind: tyre_section(kind) for kind in TYRE_KINDS if kind != MAGIC_FORMULA}),
        ("Powertrains", "powertrain", POWERTRAINS),
        ("Differentials", "front.differential", DIFFERENTIALS),
        ("Anti-roll bars", "front.anti_roll_bar", layout.BARS),
        ("Steering", "steering", {name: kind.section for name, kind in layout.STEERINGS.items()}),
        (
            "Steering gears of beams",
            "front.steering_gear",
            {name: template_of(name, "gears").axle_section for name in GEARS},
        ),
        ("Trailers by their hitch", "trailer", {name: trailer_section(name) for name in HITCHES}),
    )
    for title, key, kinds in groups:
        text += [f"## {title}", ""]
        if title == "Tyres":
            text += ["### Symbols of TMeasy", "", prose(TMeasyParameters), ""]
            text += ["In a file, slopes and forces are multiples of the load.", ""]
        for name, kind in kinds.items():
            text += section(f"`{name}`", kind, key)
    return "\n".join(text)


def suspensions() -> str:
    """Return the points and bodies of every suspension."""
    text = [
        "# Suspensions",
        "",
        "Numbers of a corner are given as for the left side.",
        "All points are relative to the `origin` of the axle, those of a beam too. `W` is the wheel centre.",
        "A key without a default is required; `–` marks one that may be left out.",
        "`front` stands for the name of any axle. Every corner also has `wheel`, `tyre` and `brake` of the",
        "[vehicle file](vehicle-file.md), which explains",
        "[bodies, rods, springs and dampers](vehicle-file.md#parts-of-suspensions).",
        "",
    ]
    for name in SUSPENSIONS:
        text += described_template(template_of(name), "templates")
    text += ["## Steering gears of beams", ""]
    for name in GEARS:
        text += described_template(template_of(name, "gears"), "gears")
    return "\n".join(text)


def described_template(template: Template, folder: str) -> list[str]:
    """Return a template: its points, the keys of its numbers, and its file."""
    common = set(CornerData.model_fields) - {"origin", "W"}
    level = "##" if folder == "templates" else "###"
    text = [f"{level} `{template.name}`", "", f"{template.title}.", ""]
    for block in (template.axle, template.side):
        for point, words in {} if block is None else {**block.points, **block.mirrored}.items():
            text += [f"`{point}`", f":   {sentence(words)}", ""]
    if template.axle_section is not None:
        text += ["Once:", "", *table(template.axle_section, "front", common), "Either side:", ""]
    text += table(template.side_section, "front", common)
    written = (FOLDER / folder / f"{template.name}.yaml").read_text(encoding="utf-8")
    return [*text, "```yaml", written.rstrip(), "```", ""]


def magic_formula() -> str:
    """Return the numbers of a Magic Formula tyre."""
    kind = tyre_section(MAGIC_FORMULA)
    return "\n".join(("# Magic Formula", "", summary(kind), "", *table(kind, "front.tyre", set())))


def choices(words: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the choices of a word, one definition each."""
    text: list[str] = []
    for name, allowed in words.items():
        text += [
            f"`{name}`",
            f":   {', '.join(f'`{one}`' if ' ' not in one else one for one in allowed)}",
            "",
        ]
    return text


def section(title: str, kind: Any, key: str) -> list[str]:
    """Return a heading, the docstring and the table of a section."""
    return [f"### {title}", "", *described_section(kind), *table(kind, key, set())]


def described_section(kind: type[BaseModel]) -> list[str]:
    """Return the docstrings of a section and of those within it."""
    text = [prose(kind), ""]
    for name, field in fields_of(kind).items():
        words = "" if isinstance(field, ParameterQuantity) else prose(field)
        if words and not issubclass(field, tuple(PARTS.values())):
            text += [f"`{name}`", ":   " + words.replace("\n", "\n    "), ""]
    return text


def prose(kind: type[Any]) -> str:
    """Return a docstring as Markdown, its attributes as a definition list."""
    words, _, attributes = (inspect.getdoc(kind) or "").partition("Attributes\n----------\n")
    words = re.sub(r"`+([\w.]+)`+", r"`\1`", words.strip()).replace("  ", " ")
    entries = re.findall(r"^(\w[\w, ]*)(?: : .*)?\n((?: {4}.*\n?)+)", attributes, flags=re.MULTILINE)
    return "\n".join(
        (
            words,
            *(f"\n`{name.replace(', ', '`, `')}`\n:   {' '.join(about.split())}" for name, about in entries),
        )
    )


def table(kind: type[BaseModel], key: str, without: set[str]) -> list[str]:
    """Return the keys of a section and of those within it."""
    rows = list(keys(kind, key, without))
    if not rows:
        return []
    return ["| key | unit | default | bounds |", "| --- | --- | --- | --- |", *rows, ""]


def keys(kind: type[BaseModel], key: str, without: set[str], optional: bool = False) -> Iterator[str]:
    """Yield a row for each number."""
    for name, field in fields_of(kind).items():
        if name in without:
            continue
        stated = kind.model_fields[name]
        free = optional or not stated.is_required()
        if not isinstance(field, ParameterQuantity):
            yield from keys(field, f"{key}.{name}", set(), free)
            continue
        default = "" if stated.is_required() else str(stated.default).replace("None", "–")
        shape = f" × {len(field.components)}" if field.components else " (list)" if field.curve else ""
        default = default or ("–" if free else "")
        yield f"| `{key}.{name}` | {escaped(field.unit)}{shape} | {default} | {limits(field)} |"


def escaped(unit: str) -> str:
    """Return a unit in which Markdown finds no emphasis: ``N*m*s/rad`` has two asterisks."""
    return unit.replace("*", r"\*")


def limits(quantity: ParameterQuantity) -> str:
    """Return the bounds of a number."""
    stated = ((">", quantity.above), ("≥", quantity.at_least), ("<", quantity.below))
    return ", ".join(f"{sign} {value:g}" for sign, value in stated if value is not None)


def vehicles() -> str:
    """Return all shipped vehicles."""
    text = [
        "# Shipped vehicles",
        "",
        "All are generic vehicles of their class but the HMMWV, whose data are Project Chrono's.",
        "",
        "<!-- classes -->",
        "",
        "<!-- class_ranges -->",
        "",
    ]
    for name, path in SHIPPED.items():
        data = VehicleParameters.load(name)
        plan = data.layout
        text += [
            f"## {name}",
            "",
            f"{data.title}. File `{path.parent.name}/{path.name}` in `models/vehicles/`.",
            "",
            f"- mass {data.mass:.0f} kg, wheelbase {float(data.wheelbase):.3f} m",
            f"- powertrain `{plan.powertrain}`, tyres `{plan.tyre}`",
            *(axle_line(axle) for axle in plan.axles),
            "",
        ]
    return "\n".join(text)


def axle_line(axle: Any) -> str:
    """Return an axle as an entry of a list."""
    parts = [f"`{axle.suspension}`"]
    parts += [f"steering `{axle.steering}`"] if axle.steering else []
    parts += ["driven"] if axle.driven == "yes" else []
    parts += ["anti-roll bar"] if axle.anti_roll_bar else []
    parts += [f"on `{axle.trailer}`"] if axle.trailer else []
    return f"- axle `{axle.name}`: {', '.join(parts)}"


# Registries


def manoeuvres() -> str:
    """Return manoeuvres and tests with their options."""
    text = ["# Manoeuvres and tests", "", "`simulate-vehicle -m NAME` runs a manoeuvre,"]
    text += ["`simulate-vehicle handling NAME` a test.", "", "## Manoeuvres", ""]
    for name, manoeuvre in MANOEUVRES.items():
        text += [f"### `{name}`", "", f"{sentence(manoeuvre.title)}", "", *options(manoeuvre.options)]
    text += ["## Tests", ""]
    for name, test in PROCEDURES.items():
        standard = f" ({test.standard})" if test.standard else ""
        text += [f"### Test `{name}`", "", f"{sentence(test.title + standard)}", "", *options(test.options)]
    return "\n".join(text)


def roads() -> str:
    """Return roads, frictions and map files with their options."""
    text = ["# Road types", "", "Terms are joined by `+`; see [Tyres and roads](../tyres-and-roads.md).", ""]
    for name, kind in {**ROADS, **FRICTIONS}.items():
        text += [f"## `{name}`", "", sentence(kind.about), "", *options(kind.words)]
    text += [
        "## Maps",
        "",
        f"Files {', '.join(f'`FILE{end}`' for end in READERS)}.",
        "",
        *options(FILE_WORDS),
    ]
    return "\n".join(text)


def options(found: Sequence[Option]) -> list[str]:
    """Return options as a definition list."""
    text: list[str] = []
    for option in found:
        number = option.default
        default = "required" if number is None else f"default {number}"
        if isinstance(number, (int, float)):
            default = f"default {escaped(with_unit(f'{number:g}', option.unit))}"
        text += [
            f"`{option.name}`",
            f":   {sentence(option.description + bounds(option))} {sentence(default)}",
            "",
        ]
    return text


def sentence(text: str) -> str:
    """Return a text with a capital and a full stop."""
    return f"{text[:1].upper()}{text[1:]}."


def results() -> str:
    """Return the variables of the results of the HMMWV."""
    run = hmmwv.prepare(duration=0.02).simulate()
    text = [
        "# Result file",
        "",
        "Dimensions are `time` [s], `corner` (`front_left`, ...) and `closure` (names of loop closures).",
        "[Conventions](../conventions.md#vehicles) has axes and signs. Other vehicles have the variables of",
        "their parts. Uneven roads add `tyre_road_height`, roads with an edge `tyre_road_margin`",
        "(time, corner) [m].",
        "",
    ]
    for group, meaning in yaml.safe_load(MEANINGS.read_text(encoding="utf-8")).items():
        shown = [f"`{name}` [{escaped(run[name].attrs['units'])}]" for name in group.split(", ")]
        dims = ", ".join(map(str, run[group.split(", ")[0]].dims))
        text += [", ".join(shown), f":   {sentence(meaning)} ({dims})", ""]
    return "\n".join(text)


def kc_quantities() -> str:
    """Return the quantities of the rig."""
    text = ["# K&C quantities", "", "Axes are x forward, y left, z up. Wheels have one value each.", ""]
    groups = {
        "Wheel attitude": quantities.WHEEL_ATTITUDE,
        "Steering axis": quantities.STEERING_AXIS,
        "Positions": quantities.POSITIONS,
        "Instant centres": quantities.INSTANT_MOTION,
        "Anti-dive and anti-lift in front": quantities.ANTI_FRONT,
        "Anti-lift and anti-squat in the rear": quantities.ANTI_REAR,
        "Gradients": quantities.GRADIENTS,
        "Stiffness": quantities.STIFFNESS,
        "Steering": quantities.steering_quantities("m or rad"),
    }
    for title, group in groups.items():
        text += [f"## {title}", ""]
        for one in group:
            each = "each wheel" if one.per_wheel else "axle"
            text += [f"`{one.name}` [{escaped(one.unit)}], {each}", f":   {sentence(one.meaning)}", ""]
    return "\n".join(text)


# Python names


def public() -> dict[str, dict[str, str]]:
    """Return the public names of each page with the modules that define them."""
    found: dict[str, dict[str, str]] = {}
    for name, home in exported("ce_dynamics").items():
        stage, part, *_ = home.split(".")[1:]
        page = part if part in ("hinges", "forces") else stage
        found.setdefault(page, {})[f"ce.{name}"] = home
    for page, packages in PACKAGES.items():
        for package in packages:
            for name, home in exported(package).items():
                found.setdefault(page, {})[f"{package}.{name}"] = home
    return {page: dict(sorted(members.items())) for page, members in sorted(found.items())}


def exported(package: str) -> dict[str, str]:
    """Return the public names of a package, each with its dotted name where it is defined."""
    file = inspect.getsourcefile(importlib.import_module(package))
    assert file is not None
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    named = getattr(importlib.import_module(package), "__all__", None)
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ce_dynamics."):
            found |= {a.asname or a.name: definer(node.module or "", a.name) for a in node.names}
    own = {n.name: f"{package}.{n.name}" for n in tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
    return {
        name: home
        for name, home in {**found, **own}.items()
        if not name.startswith("_") and (name in named if named is not None else name in found)
    }


def definer(module: str, name: str) -> str:
    """Return the dotted name of something where it is defined."""
    found = importlib.import_module(module)
    home = getattr(getattr(found, name, None), "__module__", module)
    if not (home.startswith("ce_dynamics.") and hasattr(importlib.import_module(home), name)):
        home = module
    return f"{home}.{name}"


def names() -> str:
    """Return the list of public names with the first line of their docstrings."""
    text = [
        "# Python names",
        "",
        "`import ce_dynamics as ce` offers the names `ce.NAME`. Other packages are imported by their names.",
        "",
    ]
    for page, members in public().items():
        text += [f"## {page.replace('-', ' ').capitalize()}", ""]
        for name, path in members.items():
            value = find_object(path)
            text += [f"[`{name}`](api/{page}.md#{path})", f":   {summary(value) or 'Constant.'}", ""]
            for method, function in methods().items() if value is Model else ():
                link = f"[`model.{method}`](api/model.md#{function})"
                text += [link, f":   {summary(find_object(function))}", ""]
    return "\n".join(text)


def api(page: str, members: Mapping[str, str]) -> str:
    """Return the page of some names, which mkdocstrings fills in."""
    text = [f"# {page.replace('-', ' ').capitalize()}", ""]
    for path in dict.fromkeys(members.values()):
        text += [f"::: {path}", ""]
    return "\n".join(text)


def model_methods() -> str:
    """Return the page of the methods of a model."""
    text = [
        "# Methods of a model",
        "",
        f"`model.NAME(...)` calls these functions with the [model]({MODEL}).",
        "",
    ]
    for home in dict.fromkeys(methods().values()):
        text += [f"::: {home}", ""]
    return "\n".join(text)


def methods() -> dict[str, str]:
    """Return the methods of a model with the dotted names of the functions that they are."""
    found: dict[str, str] = {}
    for name, value in vars(Model).items():
        function = getattr(value, "func", None) or getattr(value, "fget", None) or value
        if inspect.isfunction(function) and not name.startswith("_"):
            found[name] = f"{function.__module__}.{function.__name__}"
    return dict(sorted(found.items()))


def find_object(path: str) -> Any:
    """Return something by its dotted name."""
    home, _, own = path.rpartition(".")
    return getattr(importlib.import_module(home), own)


def summary(value: Any) -> str:
    """Return the first line of a docstring."""
    if not (inspect.isclass(value) or inspect.isroutine(value)):
        return ""
    return (inspect.getdoc(value) or "").partition("\n")[0]


def measured() -> dict[str, str]:
    """Return the tables that commands have written, by name."""
    return {
        name: text
        for path in sorted(MEASURED.glob("*.txt"))
        for name, text in BLOCK.findall(path.read_text(encoding="utf-8"))
    }
