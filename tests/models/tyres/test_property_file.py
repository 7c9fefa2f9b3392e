"""Property files: grammar, units, what is refused."""

import math
from pathlib import Path

import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.models.tyres.property_file import parse, read_property_file

FILE = """\
$--------------------------------------- a comment
! another
[UNITS]
LENGTH    = 'mm'          $ of this file
FORCE     ='kN'
ANGLE     = "degrees"
TIME      = 'second'
[MODEL]
FITTYP    = 61   $ which one
NOTE      = 'costs 5$ or 6!'   $ and a comment
bare      = word
[VERTICAL]
FNOMIN = 4.0
STIFF  = -4.0652e+005
fortran = 1.5D-3
[TABLE]
{pen   fz}
0.00   0.0
0.05,  8.0
"""


def test_grammar() -> None:
    file = parse(FILE, "car.tir")
    assert list(file.sections) == ["UNITS", "MODEL", "VERTICAL", "TABLE"]
    assert {key: entry.value for key, entry in file.sections["MODEL"].items()} == {
        "FITTYP": 61.0,
        "NOTE": "costs 5$ or 6!",
        "BARE": "word",
    }
    assert [e.value for e in file.sections["VERTICAL"].values()] == [4.0, -406520.0, 1.5e-3]
    assert file.tables == {"TABLE": ((0.0, 0.0), (0.05, 8.0))}
    assert file.sections["VERTICAL"]["FNOMIN"].line == 13


MESSY = """\
[MDI_HEADER]
 FILE_TYPE = 'tir'
(COMMENTS)
{comment_string}
'Pressure - it is 2.2 = bar'
----------------------------------------
=============== # a rule ===============
[units]\t$ of the file
length='mm';
velocity = "km/h"
[model]
\tfittyp\t=\t5.2D+01\t# which
tyreside = 'left      $ its second quote is forgotten
[deflection_load_curve]
{pen fz}
0\t0
1.0 2.0
[other]
a = 1
[deflection_load_curve]
0 0
1.0 3.0
"""


def test_what_files_are_like() -> None:
    """Comments in blocks, lines of dashes, tabs, small letters, forgotten quotes, a table twice."""
    file = parse(MESSY.replace(";", ""), "messy.tir")
    assert file.sections["MODEL"]["FITTYP"].value == 52.0
    assert file.word("TYRESIDE", "MODEL") == "LEFT"
    assert (file.scales["LENGTH"], file.scales["SPEED"]) == (1e-3, 1.0 / 3.6)
    assert file.tables == {"DEFLECTION_LOAD_CURVE": ((0.0, 0.0), (1.0, 2.0))}
    assert file.repeated == ("DEFLECTION_LOAD_CURVE",)
    with pytest.raises(DataError, match="LENGTH = 'mm;' is no known unit"):
        parse(MESSY.replace("'mm'", "mm"))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
def test_bytes_of_other_systems(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "old.tir"
    text = "[MODEL]\r\nNOTE = 'Größe'\r\nX = 1.0D+03\r\n"
    path.write_bytes(text.encode(encoding) + (b"" if encoding == "utf-16" else b"\x1a\x00"))
    entries = read_property_file(path).sections["MODEL"]
    assert (entries["NOTE"].value, entries["X"].value) == ("Größe", 1000.0)


def test_units() -> None:
    scales = parse(FILE).scales
    assert scales["LENGTH"] == 1e-3
    assert scales["FORCE"] == 1e3
    assert scales["ANGLE"] == math.pi / 180.0
    assert scales["MASS"] == scales["TIME"] == 1.0
    assert scales["PRESSURE"] == pytest.approx(1e9, rel=1e-15)  # kN/mm²


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[A]\nX = 1\nX = 2\n", r"line 3: X = 2.0, but 1.0 in line 2"),
        (
            "[A]\nX = 1\nwhat is this\n",
            r"line 3: 'what is this' is neither \[SECTION\], KEY = value, nor a row",
        ),
        ("[UNITS]\nLENGTH = 'furlong'\n", r"line 2: LENGTH = 'furlong' is no known unit; known are m, meter"),
        ("[UNITS]\nLENGTH = 3\n", r"LENGTH = 3.0 is no known unit"),
        ("\n", "it has no line KEY = value"),
        ("1 2\n3 4\n", "it has no line KEY = value"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        parse(text)


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "umlaut.tir"
    path.write_bytes("[MODEL]\r\nNOTE = 'Gürtel' $ µ\r\n".encode("latin-1"))
    assert read_property_file(path).sections["MODEL"]["NOTE"].value == "Gürtel"
    with pytest.raises(DataError, match=r"nothing\.tir"):
        read_property_file(tmp_path / "nothing.tir")
    path.write_bytes(b"x" * (2**20 + 1))
    with pytest.raises(DataError, match="too large"):
        read_property_file(path)
