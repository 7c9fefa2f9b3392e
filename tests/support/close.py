"""Comparisons of named quantities whose failures name what deviates most."""

from collections.abc import Mapping

import numpy as np

from ce_dynamics.algebra.arrays import Array


def deviations(found: Mapping[str, Array], expected: Mapping[str, Array]) -> dict[str, float]:
    """Return |found - expected| / |expected| by name, the largest first and NaN before all."""
    assert found.keys() == expected.keys()
    ratios = {
        name: float(np.linalg.norm(found[name] - expected[name]) / np.linalg.norm(expected[name]))
        for name in found
    }
    return dict(sorted(ratios.items(), key=lambda pair: (pair[1] == pair[1], -pair[1])))


def assert_close(found: Mapping[str, Array], expected: Mapping[str, Array], relative: float) -> float:
    """Assert that no quantity deviates by more than a part of its own norm; return the largest part."""
    parts = deviations(found, expected)
    worst = ", ".join(f"{name} {part:.2g}" for name, part in list(parts.items())[:3])
    assert all(part < relative for part in parts.values()), f"beyond {relative:g}: {worst}"
    return next(iter(parts.values()))
