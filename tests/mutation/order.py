"""Pytest plugins: how long each test takes, and the quick ones first."""

from __future__ import annotations

from collections import defaultdict

import pytest


class Recorder:
    """Notes the seconds of each test, and which failed.

    Attributes
    ----------
    seconds : dict[str, float]
        Of set-up, call and clearing away, by name.
    failed : list[str]
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.failed: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One phase of one test is over."""
        self.seconds[report.nodeid] += report.duration
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that cannot be imported fails."""
        if report.failed:
            self.failed.append(report.nodeid)


class Quickest:
    """Keeps the named tests, and puts their files in order of time.

    Parameters
    ----------
    seconds
        Of the tests, by name.
    """

    def __init__(self, seconds: dict[str, float]) -> None:
        self._seconds, self._files = seconds, times(seconds)

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Sort; a stable sort keeps what shares a fixture together."""
        kept = [item for item in items if item.nodeid in self._seconds]
        left_out = [item for item in items if item.nodeid not in self._seconds]
        kept.sort(key=lambda item: self._files[item.nodeid.partition("::")[0]])
        items[:] = kept
        config.hook.pytest_deselected(items=left_out)


def times(seconds: dict[str, float]) -> dict[str, float]:
    """Seconds of all tests of each file."""
    files: dict[str, float] = defaultdict(float)
    for name, took in seconds.items():
        files[name.partition("::")[0]] += took
    return files
