"""``simulate-vehicle export``: files that are there, and mistakes that are named at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from ce_dynamics.cli import exit_codes
from ce_dynamics.cli.command import execute


def test_the_ride_model_as_c_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "c"
    assert execute(["export", "c", "--vehicle", "ride", "--output", str(folder), "--name", "ride"]) == 0
    listed = capsys.readouterr().out.split()
    assert listed == [str(folder / name) for name in ("ride.h", "ride.c", "example.c", "CMakeLists.txt")]
    assert "RIDE_STATES = 29" in (folder / "ride.h").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["jar"], "choose one of fmu, c"),
        (["c", "--fmi", "2.0"], "leave them out"),
        (["c", "--platform", "x86_64-linux"], "leave them out"),
        (["fmu", "--derivatives"], "--derivatives"),
        (["c", "--model", "ride", "--speed", "10"], "no speed"),
        (["c", "--model", "ride", "--road", "iso8608:C"], "leave the road out"),
        (["c", "--tyre", "no.tir"], "no.tir"),
        (["c", "--road", "iso:C"], "did you mean 'iso8608'"),
    ],
)
def test_mistakes_are_one_line(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert execute(["export", *arguments, "--output", str(tmp_path / "x")]) == exit_codes.BAD_INPUT
    message = capsys.readouterr().err
    assert words in message
    assert message.count("\n") == 1
    assert not list(tmp_path.iterdir())
