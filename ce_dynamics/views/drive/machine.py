"""Defines a model that can be driven in a page, with its controls, sliders and gauges."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.export.interface import Interface
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import TracedFunction, trace
from ce_dynamics.compiler.elementary import written_out
from ce_dynamics.compiler.free_numbers import evaluate
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.parameters import Values
from ce_dynamics.simulation.options import lists_options
from ce_dynamics.views.scene.motion import Picture, picture
from ce_dynamics.views.scene.take import SceneOptions, Take
from ce_dynamics.views.scene.take_of_model import convert_places, still_parts

PREFIX = "physics"
"""Prefix of names in the C code."""

PATTERNS = {"gamepad": r"(axis -?\d+|button \d+)?", "touch": r"(-?(left|right) [xy])?"}


@dataclass(frozen=True)
class Control:
    """An input under a person's hands.

    Parameters
    ----------
    input : str
    keys : (sequence of str, sequence of str)
        That lower and that raise it, as browsers call them: ``"ArrowLeft"``, ``"KeyA"``, ``"Space"``.
    rest : float
        Where it goes when nothing is pressed.
    rates : (float, float)
        Per second, while a key is pressed and back.
    gamepad : str, optional
        ``"axis 0"``, ``"axis -0"`` if reversed, or ``"button 7"``; numbers of the standard gamepad.
    touch : str, optional
        ``"left x"``, ``"left y"``, ``"right x"`` or ``"right y"`` of the pads of a touch screen; ``-`` before
        it reverses.
    between : (float, float), optional
        Ends of its values; those of the input if not given.
    calm : (str, float), optional
        Output, and its value v0 beyond which keys and pads reach only (v0/v)² of the ends, unless the visitor
        wants all: steering at speed.
    """

    input: str
    keys: tuple[Sequence[str], Sequence[str]] = ((), ())
    rest: float = 0.0
    rates: tuple[float, float] = (2.0, 4.0)
    gamepad: str = ""
    touch: str = ""
    between: tuple[float, float] | None = None
    calm: tuple[str, float] | None = None

    def __post_init__(self) -> None:
        owner = f"control of {checks.show(self.input)}"
        for row in checks.items(f"{owner}: keys", self.keys, 2):
            checks.texts(f"{owner}: keys", row)
        checks.number(f"{owner}: rest", self.rest)
        for rate in checks.items(f"{owner}: rates", self.rates, 2):
            checks.number(f"{owner}: rates: entry", rate, above=0.0)
        if self.between is not None:
            low, high = checks.vector(f"{owner}: between", self.between, 2).tolist()
            if not low < high:
                raise ModelError(f"{owner}: between {low:g} and {high:g}: the first must be below the second")
        if self.calm is not None:
            output, value = checks.items(f"{owner}: calm", self.calm, 2)
            checks.text(f"{owner}: calm: output", output)
            checks.number(f"{owner}: calm: value", value, above=0.0)
        for what, pattern in PATTERNS.items():
            text = getattr(self, what)
            if not isinstance(text, str) or not re.fullmatch(pattern, text):
                allowed = "'axis 0', 'axis -0', 'button 7'" if what == "gamepad" else "'left x', '-right y'"
                raise ModelError(f"{owner}: {what} {checks.show(text)} must be such as {allowed}, or empty")


@dataclass(frozen=True)
class Circuit:
    """A circle that is driven for time: its centre [m], and the radii between which laps count [m].

    Of the plane z = 0; a lap is a turn about the centre, from anywhere.
    """

    x: float
    y: float
    inner: float
    outer: float

    def __post_init__(self) -> None:
        for what in ("x", "y"):
            checks.number(f"circuit: {what}", getattr(self, what))
        checks.number("circuit: inner", self.inner, above=0.0, unit="m")
        checks.number("circuit: outer", self.outer, above=self.inner, unit="m")


@dataclass(frozen=True)
class Slider:
    """A free parameter, or an input, between two values; in steps of some size, or any value for 0."""

    name: str
    low: float
    high: float
    step: float = 0.0

    def __post_init__(self) -> None:
        owner = f"slider {checks.show(self.name)}"
        low, high = checks.number(f"{owner}: low", self.low), checks.number(f"{owner}: high", self.high)
        checks.number(f"{owner}: step", self.step, at_least=0.0)
        if not low < high:
            raise ModelError(f"{owner}: low {low:g} must be below high {high:g}")


@dataclass(frozen=True)
class Gauge:
    """An output that is shown in figures: its value times a factor, with so many digits after the point."""

    output: str
    label: str
    unit: str
    factor: float = 1.0
    digits: int = 2

    def __post_init__(self) -> None:
        owner = f"gauge of {checks.show(self.output)}"
        for what in ("label", "unit"):
            checks.unit(f"{owner}: {what}", getattr(self, what))
        checks.number(f"{owner}: factor", self.factor)
        checks.integer(f"{owner}: digits", self.digits, at_least=0, at_most=9)


@dataclass(frozen=True, kw_only=True)
class MachineOptions(SceneOptions):
    """Options of a machine; `Machine` describes them."""

    controls: Sequence[Control] = ()
    sliders: Sequence[Slider] = ()
    gauges: Sequence[Gauge] = ()
    forces: Sequence[str] | None = None
    circuit: Circuit | None = None


class Machine:
    """A model that can be driven in a page.

    Parameters
    ----------
    label : str
    model : Model
    y0 : array_like, optional
        State to start from; that of the model if not given.
    controls : sequence of Control
        Inputs without a control keep their defaults, or the values of their sliders.
    sliders : sequence of Slider
    gauges : sequence of Gauge
    forces : sequence of str, optional
        Force elements whose forces are drawn; all if not given.
    circuit : Circuit, optional
        For which laps of the first body are timed.
    shapes, scenery, cameras, camera, instruments
        As of `ce_dynamics.view`.

    Raises
    ------
    ModelError
        If a name is not that of an input, parameter, output, force element or camera of the model.
    """

    @lists_options(MachineOptions)
    def __init__(self, label: str, model: Model, y0: Floats | None = None, **options: Any) -> None:
        given = MachineOptions(**options)
        self.label = checks.text("Machine: label", label)
        self.interface = Interface(model, PREFIX, y0, exactly=True)
        self.model, self.y0 = model, self.interface.y0
        self.controls: tuple[Control, ...] = checks.items("Machine: controls", given.controls)
        self.sliders: tuple[Slider, ...] = checks.items("Machine: sliders", given.sliders)
        self.gauges: tuple[Gauge, ...] = checks.items("Machine: gauges", given.gauges)
        numbers = [entry.name for entry in self.interface.given]
        for control in self.controls:
            checks.instance("Machine: controls: entry", control, Control, "a Control")
            checks.check_name("Machine: controls", control.input, numbers[: self.interface.n_inputs], "input")
        for slider in self.sliders:
            checks.instance("Machine: sliders: entry", slider, Slider, "a Slider")
            checks.check_name("Machine: sliders", slider.name, numbers, "parameter or input")
        outputs = [entry.name for entry in self.interface.outputs]
        for control in self.controls:
            if control.calm is not None:
                checks.check_name("Machine: controls: calm", control.calm[0], outputs, "output")
        self.circuit = given.circuit
        if self.circuit is not None:
            checks.instance("Machine: circuit", self.circuit, Circuit, "a Circuit")
        for gauge in self.gauges:
            checks.instance("Machine: gauges: entry", gauge, Gauge, "a Gauge")
            checks.check_name("Machine: gauges", gauge.output, outputs, "output")
        elements = [force.name for force in model.system.forces]
        for name in () if given.forces is None else checks.texts("Machine: forces", given.forces):
            checks.check_name("Machine: forces", name, elements, "force element")
        self.forces = None if given.forces is None else tuple(given.forces)
        given.check("Machine")
        self._scene: SceneOptions = given
        self.camera = "orbit" if given.camera is None else given.camera
        checks.check_name("Machine: camera", self.camera, self.take.camera_names, "camera")

    @cached_property
    def _seen(self) -> Picture:
        seen = picture(self.model)
        return seen._replace(traced=written_out(seen.traced))

    @cached_property
    def take(self) -> Take:
        """Take of the initial state."""
        traced, forces, moments = self._seen
        u = self.model.u0[None]
        motion = traced.evaluate_many(y=self.y0[None], u=u)
        layout = self.model.layout
        numbers = Values(layout.parameters, u[0, layout.n_inputs :])
        scene = self._scene
        still = still_parts(self.model, numbers, scene.given_shapes(), 0.0, scene.cameras)
        return Take(
            label=self.label,
            t=np.zeros(1),
            places=convert_places(motion["places"]),
            arrows=motion["arrows"],
            forces=forces,
            moments=moments,
            scenery=list(scene.scenery),
            instruments=scene.instruments,
            **still,
        )

    @property
    def picture(self) -> TracedFunction:
        """``places`` and ``arrows`` of y and u."""
        return self._seen[0]

    @cached_property
    def shape(self) -> TracedFunction:
        """``points`` of u: of all shapes, then both ends of all strands, then all marks, in body axes."""
        layout = self.model.layout
        still = still_parts(self.model, np.asarray, self._scene.given_shapes(), 0.0)
        parts = [shape.points for body in still["bodies"] for shape in body.shapes]
        parts += [at for strand in still["strands"] for at in (strand.at_a, strand.at_b)]
        parts += [mark.at for mark in still["marks"]]
        numbers = [x for part in parts for x in np.asarray(part, dtype=object).flat]

        def points(u: Array) -> dict[str, Array]:
            given = u[layout.n_inputs :]
            known: dict[int, Any] = {id(p): (p, x) for p, x in zip(layout.parameters, given, strict=True)}
            return {"points": array(evaluate(numbers, known))}

        return written_out(trace("shape", points, {"u": len(layout.u)}))
