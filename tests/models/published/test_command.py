"""The command that shows a published mechanism."""

from pathlib import Path

import pytest

from ce_dynamics.models.published.__main__ import main
from ce_dynamics.models.published.collection import MECHANISMS


def test_figures_are_found_and_a_page_plays_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    main(["a01", "--view"])
    told = capsys.readouterr().out
    figures = MECHANISMS["A01 pendulum"].figures
    for figure in figures:
        assert repr(figure.value) in told
    errors = [float(line.split()[-1]) for line in told.splitlines() if line.startswith(("x ", "y "))]
    assert len(errors) == len(figures)
    # tolerances of 1e-10 per step over 10 s; the tests of the figures themselves are closer
    assert max(map(abs, errors)) < 1e-6
    assert "<html" in (tmp_path / "a01_pendulum.html").read_text()


def test_names(capsys: pytest.CaptureFixture[str]) -> None:
    main([])
    assert all(name in capsys.readouterr().out for name in ("A04 Bricard",))
    with pytest.raises(SystemExit, match="2"):
        main(["a02"])  # there are several
    assert "A02 5 four-bars" in capsys.readouterr().err
