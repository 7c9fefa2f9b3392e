"""The report: one page with everything inside, which a real browser shows."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from ce_dynamics.models import handling
from ce_dynamics.models.handling.report.page import figure_row, report_of, setting
from ce_dynamics.models.handling.report.vehicles import vehicle_section
from ce_dynamics.views import html
from tests import browser
from tests.models.handling.single_track import Car, SingleTrack, subject


@pytest.fixture(scope="module")
def page() -> str:
    subjects: list[SingleTrack] = [
        subject(title="as it is"),
        subject(Car(C_r=140e3), title="stiffer <behind>"),
    ]
    made = handling.compare(
        ["constant-speed", "braking"], subjects, options={"constant-speed": {"friction": 0.4}}
    )
    made["braking"][0].trouble = ""  # the single-track model moves backwards once it has stopped
    made["braking"][1].trouble = "it did not stop & was lost"
    made["braking"][0].verdicts.append(handling.Verdict("stops", "20 m", "≤ 30 m", True))
    return report_of(made, subjects)


def test_everything_is_inside(page: str) -> None:
    assert "<script" not in page
    links = re.findall(r'(?:src|href)="([^"]*)"', page)
    assert all(link.startswith("#") for link in links)
    assert not re.search(r"@import|url\((?!#)", page)
    pictures = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(pictures) >= 6
    for picture in pictures:
        assert ElementTree.fromstring(picture).tag == "{http://www.w3.org/2000/svg}svg"


def test_what_people_write_is_escaped(page: str) -> None:
    assert "stiffer &lt;behind&gt;" in page
    assert "<behind>" not in page
    assert "it did not stop &amp; was lost" in page
    assert (
        html.element("a", html.text("b", 'x"<'), title='"&')
        == '<a title="&quot;&amp;"><b>x&quot;&lt;</b></a>'
    )


def test_numbers_as_people_read_them() -> None:
    cases = {
        -1.23456: "−1.235", 123456.7: "123457", 0.0: "0", 1e-9: "0", float("nan"): "–", float("inf"): "–",
    }  # fmt: skip
    assert {value: html.number(value) for value in cases if value == value} == {
        value: text for value, text in cases.items() if value == value
    }
    assert html.unit("m/s^2") == "m/s²"
    assert html.unit("1") == ""


def test_differences_are_told_from_the_first() -> None:
    one, other = (handling.Outcome("braking", "braking", "", who, {}) for who in ("a", "b"))
    one.add("distance", "distance", 40.0, "m")
    other.add("distance", "distance", 38.0, "m")
    assert figure_row(one.figures[0], [one, other]) == ["distance", "40", "38 <small>(−5 %)</small>", "m"]
    one.add("yaw", "yaw angle", 4e-6, "deg")
    other.add("yaw", "yaw angle", -5e-6, "deg")
    assert figure_row(one.figures[1], [one, other]) == ["yaw angle", "0", "0", "°"]
    assert figure_row(one.figures[0], [one, one])[2] == "40 <small>(±0 %)</small>"


def test_vehicles_with_their_sources() -> None:
    sedan = handling.vehicle("sedan")
    changed = handling.vehicle("sedan", ["front.anti_roll_bar.stiffness=2 kN*m/rad"], title="stiffer bar")
    text = vehicle_section([sedan, changed])
    assert "Generic sedan: all" in text
    assert "stiffer bar: all" in text
    assert "Project Chrono, data/vehicle/sedan" in text
    assert "stiffer bar: what differs from Generic sedan" in text
    row = next(line for line in text.split("<tr>") if "front.anti_roll_bar.stiffness" in line)
    assert "2300.0 N*m/rad" in row
    assert "2000.0 N*m/rad" in row
    assert "given by the user" in row


@browser.needs_chromium
def test_a_browser_shows_it(page: str, tmp_path: Path) -> None:
    """Every table and picture has its place, none runs out of the page, and the console stays silent."""
    shown = page.replace("</head>", "<script>window.ce = {ready: Promise.resolve({})};</script></head>")
    seen = browser.answer(
        shown,
        """
        const inside = (e) => e.getBoundingClientRect().right <= window.innerWidth + 1;
        const pictures = [...document.querySelectorAll("figure svg")];
        return {
            title: document.title,
            headings: [...document.querySelectorAll("h2")].map((h) => h.textContent),
            pictures: pictures.length,
            small: pictures.filter((p) => p.getBoundingClientRect().width < 250).length,
            outside: [...document.querySelectorAll("figure, .scroll, p")].filter((e) => !inside(e)).length,
            broken: document.querySelectorAll(".trouble").length,
            links: [...document.querySelectorAll("nav a")].every((a) => document.querySelector(a.hash)),
        };
        """,
        tmp_path,
    )
    assert seen["title"] == "Handling: as it is, stiffer <behind>"
    assert seen["headings"] == [
        "At a glance",
        "Steady cornering, constant speed",
        "Straight-line braking",
        "The vehicles and their data",
    ]
    assert seen["pictures"] >= 6
    assert (seen["small"], seen["outside"]) == (0, 0)
    assert seen["broken"] == 2  # at the top, and in its own section
    assert seen["links"]


def test_settings_as_people_read_them() -> None:
    assert setting("speed", 80.0 / 3.6, "m/s") == "speed 80 km/h"
    assert setting("lateral_acceleration", 4.0, "m/s^2") == "lateral acceleration 4 m/s²"
    assert setting("search", 1.0, "1") == "search 1"
    assert setting("brake", 0.5, "1") == "brake 50 %"
    assert setting("direction", -1.0, "1") == "to the right"
