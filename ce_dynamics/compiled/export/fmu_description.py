"""Variables of a functional mock-up unit, and its ``modelDescription.xml`` for FMI 2.0 and 3.0."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from ce_dynamics._version import __version__
from ce_dynamics.algebra.units import parse_unit
from ce_dynamics.compiled.export.interface import Interface
from ce_dynamics.compiler.tracing.inline import Dependencies, dependencies
from ce_dynamics.errors import ModelError

LONGEST_STEP = "longest_step"
CLOSURE_ERROR = "closure_error"
CHART_MARGIN = "chart_margin"


@dataclass(frozen=True)
class FmuVariable:
    """One variable."""

    reference: int  # its value reference, as ``sources/instance.h`` counts them
    name: str
    unit: str
    causality: str  # "independent", "local", "input", "parameter" or "output"
    variability: str = "continuous"  # "continuous", "discrete" or "tunable"
    start: float | None = None
    rate_of: int | None = None  # reference of the state that it is the rate of
    description: str = ""


def fmu_variables(interface: Interface, step: float) -> list[FmuVariable]:
    """Return all variables in the order of their references; ``step`` is the longest of co-simulation [s]."""
    found = list(_variables(interface, step))
    assert [variable.reference for variable in found] == list(range(len(found)))
    taken: set[str] = set()
    for variable in found:
        if variable.name in taken:
            raise ModelError(
                f"two variables of the FMU would be named {variable.name!r}; rename that of the system"
            )
        taken.add(variable.name)
    return found


def _variables(interface: Interface, step: float) -> Iterator[FmuVariable]:
    layout, states = interface.model.layout, interface.states
    yield FmuVariable(0, "time", "s", "independent")
    for k, (entry, start) in enumerate(zip(states, interface.y0, strict=True), 1):
        kind = "continuous" if k - 1 in interface.continuous else "discrete"
        yield FmuVariable(k, entry.name, entry.unit, "local", kind, float(start))
    number = 1 + len(states)
    for k in interface.continuous:
        unit = rate_unit(states[k].unit)
        yield FmuVariable(number, f"der({states[k].name})", unit, "local", rate_of=1 + k)
        number += 1
    for k, (entry, start) in enumerate(zip(interface.given, layout.u0, strict=True)):
        if k < interface.n_inputs:
            yield FmuVariable(number + k, entry.name, entry.unit, "input", start=float(start))
        else:
            yield FmuVariable(number + k, entry.name, entry.unit, "parameter", "tunable", float(start))
    number += len(interface.given)
    text = "steps of the Runge-Kutta method inside a step of co-simulation are at most so long"
    yield FmuVariable(number, LONGEST_STEP, "s", "parameter", "tunable", step, description=text)
    number += 1
    for k, entry in enumerate(interface.outputs):
        yield FmuVariable(number + k, entry.name, entry.unit, "output")
    text = "how far the worst loop is open"
    number += len(interface.outputs)
    yield FmuVariable(number, CLOSURE_ERROR, "m", "output", description=text)
    if interface.has_charts:
        text = "how much is left of the charts on which loops are followed; at zero they are left for others"
        yield FmuVariable(number + 1, CHART_MARGIN, "1", "local", description=text)


def rate_unit(unit: str) -> str:
    """Return the unit of the rate of something."""
    return {"1": "1/s", "m/s": "m/s²", "rad/s": "rad/s²"}.get(unit, f"{unit}/s")


class KnownDependency(NamedTuple):
    """A variable that another depends on: its reference, and "constant" or "dependent"."""

    reference: int
    kind: str


class Structure(NamedTuple):
    """Dependencies of rates and outputs, by their references."""

    running: Mapping[int, list[KnownDependency]]  # dependencies on continuous states and inputs
    # dependencies on sampled states of controllers and on parameters as well
    initially: Mapping[int, list[KnownDependency]]


def structure(interface: Interface, variables: Sequence[FmuVariable]) -> Structure:
    """Return the dependencies of the compiled functions."""
    rate, seen = dependencies(interface.rate), dependencies(interface.observe)
    rates = [v.reference for v in variables if v.rate_of is not None]
    outputs = [v.reference for v in variables if v.causality == "output" and v.name != CLOSURE_ERROR]
    continuous = [rate["y_dot"][k] for k in interface.continuous]
    found = dict(zip(rates, continuous, strict=True)) | dict(zip(outputs, seen["outputs"], strict=True))
    (worst,) = (v.reference for v in variables if v.name == CLOSURE_ERROR)
    closures = {place for closure in seen["closure"] for place in closure.on}
    found[worst] = Dependencies(tuple(sorted(closures)), frozenset())
    n, n_rates = len(interface.states), len(interface.continuous)
    anything = range(n + len(interface.given))
    changing = {*interface.continuous, *range(n, n + interface.n_inputs)}

    def list_known(of: Dependencies, among: Container[int]) -> list[KnownDependency]:
        return [
            # states count from 1, rates stand between states and inputs
            KnownDependency(
                1 + k if k < n else 1 + n_rates + k, "constant" if k in of.constant else "dependent"
            )
            for k in of.on
            if k in among
        ]

    return Structure(
        {reference: list_known(of, changing) for reference, of in found.items()},
        {reference: list_known(of, anything) for reference, of in found.items()},
    )


BASE_UNITS = ("kg", "m", "s", "rad", "A")  # in the order of `ce_dynamics.algebra.units.Unit`

TOOL = f"ce-dynamics {__version__}"

UNKNOWNS = {
    "2.0": ("Outputs", "Derivatives", "InitialUnknowns"),
    "3.0": ("Output", "ContinuousStateDerivative", "InitialUnknown"),
}
"""Elements of outputs, rates, and both at the start."""
FIRST = {"2.0": 1, "3.0": 0}  # number of the first variable


def description(
    fmi: str,
    interface: Interface,
    variables: Sequence[FmuVariable],
    token: str,
    step: float,
    sources: Sequence[str],
) -> bytes:
    """Return the text of the file.

    The importer identifies this FMU by ``token``; ``step`` is proposed for co-simulation [s]; ``sources``
    names the C files that are inside.
    """
    old = fmi == "2.0"
    state = "state" if old else "State"
    root = Element(
        "fmiModelDescription",
        {
            "fmiVersion": fmi,
            "modelName": interface.model.system.name,
            "guid" if old else "instantiationToken": token,
            "description": "Multibody system, its loops embedded",
            "generationTool": TOOL,
            "variableNamingConvention": "flat",
            **({"numberOfEventIndicators": str(int(interface.has_charts))} if old else {}),
        },
    )
    common = {
        "modelIdentifier": interface.name,
        f"canGetAndSetFMU{state}": "true",
        f"canSerializeFMU{state}": "true",
        "providesDirectionalDerivative" if old else "providesDirectionalDerivatives": "true",
    }
    limited = {"needsCompletedIntegratorStep": "true"} if interface.limits and not old else {}
    kinds = [
        SubElement(root, "ModelExchange", {**common, **limited}),
        SubElement(root, "CoSimulation", {**common, "canHandleVariableCommunicationStepSize": "true"}),
    ]
    for kind in kinds if old and sources else ():
        files = SubElement(kind, "SourceFiles")
        for source in sources:
            SubElement(files, "File", name=source)
    _units(root, variables)
    SubElement(root, "DefaultExperiment", startTime="0", stopTime="10", stepSize=repr(step))
    _list_variables(root, fmi, variables)
    _list_unknowns(root, fmi, interface, variables)
    indent(root)
    return bytes(tostring(root, "utf-8", xml_declaration=True)) + b"\n"


def _units(root: Element, variables: Sequence[FmuVariable]) -> None:
    """Return all units, with their base units where they are products of known ones."""
    units = SubElement(root, "UnitDefinitions")
    for unit in sorted({variable.unit for variable in variables}):
        element = SubElement(units, "Unit", name=unit)
        base = base_unit(unit)
        if base is not None:
            SubElement(element, "BaseUnit", base)


def base_unit(unit: str) -> dict[str, str] | None:
    """Return exponents of `BASE_UNITS` that are not zero, and a factor other than one; None if unknown."""
    try:
        factor, exponents = parse_unit(unit)
    except ValueError:
        return None
    found = {name: str(power) for name, power in zip(BASE_UNITS, exponents, strict=True) if power}
    return found if factor == 1.0 else {**found, "factor": repr(factor)}


def _list_variables(root: Element, fmi: str, variables: Sequence[FmuVariable]) -> None:
    listed = SubElement(root, "ModelVariables")
    for variable in variables:
        attributes = _attributes(variable)
        if fmi == "2.0":
            number = SubElement(SubElement(listed, "ScalarVariable", attributes), "Real", unit=variable.unit)
        else:
            number = SubElement(listed, "Float64", {**attributes, "unit": variable.unit})
        if variable.start is not None:
            number.set("start", repr(variable.start))
        if variable.rate_of is not None:
            number.set("derivative", str(variable.rate_of + FIRST[fmi]))


def _list_unknowns(root: Element, fmi: str, interface: Interface, variables: Sequence[FmuVariable]) -> None:
    top = SubElement(root, "ModelStructure")
    for group, (unknowns, known) in zip(UNKNOWNS[fmi], _unknowns(interface, variables), strict=True):
        parent = SubElement(top, group) if fmi == "2.0" and unknowns else top
        for k in unknowns:
            place = {"index": str(k + 1)} if fmi == "2.0" else {"valueReference": str(k)}
            SubElement(
                parent, "Unknown" if fmi == "2.0" else group, {**place, **_list_known(known[k], FIRST[fmi])}
            )
    for variable in variables if fmi == "3.0" else ():
        if variable.name == CHART_MARGIN:
            SubElement(top, "EventIndicator", valueReference=str(variable.reference))


def _attributes(variable: FmuVariable) -> dict[str, str]:
    """Return the attributes of a variable; the causality may determine ``initial``."""
    found = {"name": variable.name, "valueReference": str(variable.reference)}
    if variable.description:
        found["description"] = variable.description
    found |= {"causality": variable.causality, "variability": variable.variability}
    if variable.causality not in ("independent", "input"):
        found["initial"] = "calculated" if variable.start is None else "exact"
    return found


def _unknowns(
    interface: Interface, variables: Sequence[FmuVariable]
) -> Iterator[tuple[list[int], Mapping[int, list[KnownDependency]]]]:
    """Write outputs, rates, and both at the start, with their dependencies."""
    found = structure(interface, variables)
    outputs = [v.reference for v in variables if v.causality == "output"]
    rates = [v.reference for v in variables if v.rate_of is not None]
    yield outputs, found.running
    yield rates, found.running
    yield sorted(outputs + rates), found.initially


def _list_known(known: Sequence[KnownDependency], first: int) -> dict[str, str]:
    """Return the attributes of dependencies; indices begin at 1 in FMI 2.0."""
    return {
        "dependencies": " ".join(str(k.reference + first) for k in known),
        "dependenciesKind": " ".join(k.kind for k in known),
    }


def build_description(interface: Interface, sources: Sequence[str]) -> bytes:
    """Return ``sources/buildDescription.xml`` of FMI 3.0, which states how to compile the C files."""
    root = Element("fmiBuildDescription", fmiVersion="3.0")
    build = SubElement(root, "BuildConfiguration", modelIdentifier=interface.name)
    options = "-std=c99 -O2 -ffp-contract=off"
    files = SubElement(build, "SourceFileSet", language="C99", compilerOptions=options)
    for name in sources:
        SubElement(files, "SourceFile", name=name)
    indent(root)
    return bytes(tostring(root, "utf-8", xml_declaration=True)) + b"\n"
