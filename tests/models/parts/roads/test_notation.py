"""Roads as they are written."""

from pathlib import Path

import numpy as np
import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.models.parts.roads.contract import SumRoad
from ce_dynamics.models.parts.roads.iso8608 import RandomRoad
from ce_dynamics.models.parts.roads.kinds import ROADS, road
from ce_dynamics.models.parts.roads.surfaces import BumpRoad


def test_words_units_and_defaults() -> None:
    bump = road("bump:height=12 cm,position=3,track=left")
    assert isinstance(bump, BumpRoad)
    assert bump.values == {"height": 0.12, "position": 3.0, "length": 2.0, "track": "left"}
    rough = road("iso8608:d,seed=7")
    assert isinstance(rough, RandomRoad)
    assert rough.seed == 7
    assert rough.roughness == pytest.approx(1024e-6)


def test_terms_are_added_and_friction_is_laid_over() -> None:
    both = road(
        "grade:0.1 + kerb:height=0.1,position=5 + mu:left=0.9,right=0.3 + patch:0.05,x0=20,x1=30", 0.7
    )
    assert isinstance(both, SumRoad)
    assert both.height(10.0, 0.0) == pytest.approx(1.1)
    assert [both.friction(x, y) for x, y in ((0.0, 1.0), (0.0, -1.0), (25.0, 1.0))] == pytest.approx(
        [0.9, 0.3, 0.05]
    )
    assert road("patch:0.1,x0=0,x1=9", 0.7).friction(-3.0, 0.0) == 0.7
    assert isinstance(road("bump + mu:left=0.9,right=0.3"), BumpRoad)
    written = ("mu:left=0.9,right=0.3", "patch:0.05,x0=20,x1=30", "patch:0.5,x0=25,x1=40")
    for terms in (written, written[1:] + written[:1]):  # the last patch lies on top
        found = road(" + ".join(terms))
        assert [found.friction(x, 1.0) for x in (0.0, 22.0, 27.0, 50.0)] == pytest.approx(
            [0.9, 0.05, 0.5, 0.9]
        )


def test_friction_of_file_is_kept_under_other_terms(tmp_path: Path) -> None:
    path = tmp_path / "wet.npz"
    mu = np.linspace(0.2, 1.0, 12).reshape(4, 3)
    np.savez(path, x=np.arange(4.0), y=np.arange(3.0) - 1.0, z=np.zeros((4, 3)), mu=mu)
    for text in (f"{path}", f"{path} + bump:position=50", f"grade:0.0 + {path} + patch:0.05,x0=50,x1=60"):
        assert road(text).friction(2.0, 1.0) == pytest.approx(mu[2, 2], abs=1e-14)
    assert road(f"patch:0.05,x0=-9,x1=-3 + {path}").friction(-5.0, 0.0) == pytest.approx(0.05)
    for text in (f"{path}", f"grade:0.0 + {path} + bump"):
        assert road(text).reach == "x from -20 to 3 m, y from -1 to 1 m"
    assert road("bump").reach == ""
    for text in (
        f"{path} + mu:left=0.9,right=0.3",
        f"{path} + {path}",
        "mu:left=1,right=2 + mu:left=1,right=1",
    ):
        with pytest.raises(
            DataError, match=r"friction of all of it is set 2 times, by .*leave all but one out"
        ):
            road(text)


@pytest.mark.parametrize("name", ROADS)
def test_every_kind_can_be_written(name: str) -> None:
    text = {"grade": "grade:0.1", "bank": "bank:0.1"}.get(name, name)
    assert road(text).friction(0.0, 0.0) == 0.8


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("bumb", "did you mean 'bump'"),
        ("bump:hight=1", "did you mean 'height'"),
        ("bump:height=1 kg", "height"),
        ("bump:height=", "word=value"),
        ("bump:0.1,height=0.2", "given twice"),
        ("iso8608:X", "class"),
        ("grade", "set grade"),
        ("mu:left=1", "set right"),
        ("flat:1", "takes nothing"),
        ("nowhere.crg", "cannot be read"),
        ("", "no road"),
    ],
)
def test_mistakes_are_named(text: str, match: str) -> None:
    with pytest.raises(DataError, match=match):
        road(text)
