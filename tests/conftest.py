"""What all tests share: reproducible randomness, no deadlines on a busy machine, no window system."""

import gc
import os
import zlib

import hypothesis
import numpy as np
import pytest

from tests.searching import FACTOR

os.environ.setdefault("MPLBACKEND", "Agg")
# most models here are evaluated a few times only; the tests of the compiler are about the code that users run
os.environ.setdefault("CE_DYNAMICS_CODE", "quick")

hypothesis.settings.register_profile("here", deadline=None, print_blob=True, max_examples=100 * FACTOR)
hypothesis.settings.register_profile("ci", parent=hypothesis.settings.get_profile("here"), derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "here")


def pytest_collection_finish() -> None:
    """What is loaded by now stays: to look through it for garbage again took an eighth of all time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers that depend on nothing but the test's own name and parameters."""
    return np.random.default_rng(zlib.crc32(request.node.name.encode()))
