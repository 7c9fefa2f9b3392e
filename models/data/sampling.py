"""Samples of parameters: grid, Latin hypercube, Monte Carlo."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import ParameterQuantity

Kind = Literal["grid", "latin-hypercube", "monte-carlo"]
KINDS: tuple[str, ...] = get_args(Kind)

MOST_RUNS = 1_000_000
"""Most runs of a sample."""
GRID_POINTS = 3
"""Points of a range whose number of points is not given."""


@dataclass(frozen=True)
class Range:
    """From low to high, uniformly distributed; in a grid, at equally spaced points."""

    low: float
    high: float
    points: int = GRID_POINTS

    def grid(self) -> list[float]:
        return [float(x) for x in np.linspace(self.low, self.high, self.points)]

    def at(self, fraction: Floats) -> Floats:
        return self.low + (self.high - self.low) * fraction


@dataclass(frozen=True)
class Choice:
    """One of some values, each as likely as the others."""

    values: tuple[float, ...]

    def grid(self) -> list[float]:
        return list(self.values)

    def at(self, fraction: Floats) -> Floats:
        index = np.minimum((fraction * len(self.values)).astype(int), len(self.values) - 1)
        return np.asarray(np.array(self.values)[index])


Distribution = Range | Choice


def parse_distribution(name: str, text: str, quantity: ParameterQuantity) -> Distribution:
    """Read ``low:high``, ``low:high:points`` or ``a,b,c``; numbers in SI or with units."""
    if ":" in text:
        return parse_range(name, text, quantity)
    return Choice(tuple(number(name, part, quantity) for part in text.split(",")))


def parse_range(name: str, text: str, quantity: ParameterQuantity, points: int = GRID_POINTS) -> Range:
    """Read ``low:high`` or ``low:high:points``; numbers in SI or with units."""
    parts = text.split(":")
    if len(parts) not in (2, 3):
        raise DataError(f"{name}: {checks.show(text)} must be low:high or low:high:points")
    low, high = (number(name, part, quantity) for part in parts[:2])
    if not low < high:
        raise DataError(f"{name}: {low:g} must be less than {high:g} in the range {checks.show(text)}")
    for given in map(str.strip, parts[2:]):
        if not (given.isdecimal() and len(given) < 19 and 2 <= int(given) <= MOST_RUNS):
            most = f"a whole number, at least 2, {MOST_RUNS:,} at most"
            raise DataError(f"{name}: {checks.show(given)} must be the number of points, {most}")
        points = int(given)
    return Range(low, high, points)


def number(name: str, text: str, quantity: ParameterQuantity) -> float:
    """Return one value in SI."""
    try:
        value = replace(quantity, components=(), curve=False).parse(text.strip())
    except ValueError as error:
        raise DataError(f"{name}: {error}") from None
    assert isinstance(value, float), "a quantity without components is one number"
    return value


def sample(kind: Kind, distributions: Mapping[str, Distribution], runs: int | None, seed: int) -> Floats:
    """Return one row of values per run, columns as the distributions; a grid's size follows from its points.

    ``grid`` are all combinations; ``latin-hypercube`` has every part of every range once; ``monte-carlo``
    draws independently.
    """
    checks.choice("kind", kind, KINDS, DataError)
    checks.integer("seed", seed, at_least=0, error=DataError)
    for name, value in checks.mapping("distributions", distributions, DataError).items():
        what = "a Range or a Choice of one number or more"
        given = checks.instance(f"distributions: {name}", value, (Range, Choice), what, DataError)
        if isinstance(given, Choice) and not given.values:
            raise DataError(f"distributions: {name} {given} must be {what}")
    if not distributions:
        example = "for example chassis.mass=2000:2400"
        raise DataError(f"no parameter is varied: distributions is empty; name one, {example}")
    if kind == "grid":
        if runs is not None:
            raise DataError("the number of runs of a grid follows from its points: name=low:high:points")
        sizes = [d.points if isinstance(d, Range) else len(d.values) for d in distributions.values()]
        if math.prod(sizes) > MOST_RUNS:
            product = " x ".join(map(str, sizes))
            raise DataError(
                f"the grid has {product} = {math.prod(sizes):.3g} runs, {MOST_RUNS:,} are "
                "allowed; give fewer points, or take a sample with kind latin-hypercube"
            )
        return np.array(list(itertools.product(*(d.grid() for d in distributions.values()))))
    if runs is None:
        raise DataError(f"{kind} needs the number of runs, 1 or more")
    checks.integer("runs", runs, at_least=1, at_most=MOST_RUNS, error=DataError)
    fractions = hypercube(len(distributions), runs, seed) if kind == "latin-hypercube" else None
    if fractions is None:
        fractions = np.random.default_rng(seed).random((runs, len(distributions)))
    return np.column_stack([d.at(fractions[:, k]) for k, d in enumerate(distributions.values())])


def hypercube(dimensions: int, runs: int, seed: int) -> Floats:
    """Return a Latin hypercube in [0, 1): that of `scipy.stats`, which takes half a second to load."""
    (rng,) = np.random.default_rng(seed).spawn(1)
    within, parts = rng.random((runs, dimensions)), np.tile(np.arange(1, runs + 1), (dimensions, 1))
    for order in parts:
        rng.shuffle(order)
    return np.asarray((parts.T - within) / runs)


def overrides(names: Sequence[str], values: Sequence[float]) -> list[str]:
    """Return ``name=value`` each, in SI, to the last bit."""
    return [f"{name}={float(value)!r}" for name, value in zip(names, values, strict=True)]
