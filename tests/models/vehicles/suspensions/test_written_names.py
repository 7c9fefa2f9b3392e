"""What the documentation says that suspensions need is what their data ask for."""

from __future__ import annotations

import re

import pytest

from ce_dynamics.models.vehicles.corner import CornerData
from ce_dynamics.models.vehicles.suspensions.linked import EveryAxleData
from ce_dynamics.models.vehicles.suspensions.listed import BEAMS, CORNERS
from tests.test_docs import ROOT

PAGE = (ROOT / "docs" / "vehicles.md").read_text(encoding="utf-8")
TABLE = PAGE.partition("| `suspension` | points and bodies")[2].partition("\n\n")[0]
WORDS = {
    template: set(re.findall(r"`(\w+)`", numbers))
    for templates, numbers in re.findall(r"^\| (`.*?) \| (.*) \|$", TABLE, re.MULTILINE)
    for template in re.findall(r"`([\w-]+)`", templates)
}
COMMON = {*CornerData.model_fields, *EveryAxleData.model_fields, "spring", "damper"}


@pytest.mark.parametrize("template", [*CORNERS, *BEAMS])
def test_the_names_of_its_points_and_bodies_are_told(template: str) -> None:
    sections = (
        [CORNERS[template].section] if template in CORNERS else [BEAMS[template].section, BEAMS[template].end]
    )
    needed = {
        name
        for section in sections
        for name, field in section.model_fields.items()
        if field.is_required() and name not in COMMON
    }
    assert needed <= WORDS.get(template, set())


def test_every_row_is_a_suspension() -> None:
    assert set(WORDS) == {*CORNERS, *BEAMS} - {"rigid"}
