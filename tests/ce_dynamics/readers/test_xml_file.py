"""Limits of XML files: what would take a parser long is refused as it is read."""

from pathlib import Path

import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.readers.xml_file import DEEPEST, LARGEST_FILE, MOST_ATTRIBUTES, MOST_ELEMENTS, parse
from tests.ce_dynamics.readers.mujoco_states import write


def of(attributes: int = 0, children: int = 0, depth: int = 1) -> str:
    named = " ".join(f'a{k}="1"' for k in range(attributes))
    return "<a>" * (depth - 1) + f"<r {named}>" + "<x/>" * children + "</r>" + "</a>" * (depth - 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (of(attributes=MOST_ATTRIBUTES + 1), r"line 1: element 'r' has 201 attributes, 200 are allowed"),
        (of(children=MOST_ELEMENTS), r"line 1: the file has more than 100000 elements"),
        (of(depth=DEEPEST + 1), r"line 1: more than 250 elements stand in one another"),
        ("<r>{spaces}</r>", r"is too large: 16,777,223 bytes, 16,777,216 are allowed"),
        (
            "version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
            r" is a pointer of Git LFS.*git lfs pull",
        ),
        ("<?xml version='1.0' encoding='nobody'?><r/>", r"encoding is not known; save it as UTF-8"),
    ],
)
def test_too_much_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=rf"robot\.xml.*{message}"):
        parse(write(tmp_path, text.replace("{spaces}", " " * LARGEST_FILE)), None)


def test_the_limits_themselves_are_allowed(tmp_path: Path) -> None:
    root = parse(write(tmp_path, of(attributes=MOST_ATTRIBUTES)), None)
    assert len(root.attributes) == MOST_ATTRIBUTES
    assert parse(write(tmp_path, of(depth=DEEPEST)), None).tag == "a"
    assert len(parse(write(tmp_path, of(children=MOST_ELEMENTS - 1)), None).children("x")) == 99_999
