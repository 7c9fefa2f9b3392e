"""JSON with comments, and what is refused of it."""

from pathlib import Path

import pytest

from ce_dynamics.errors import DataError
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject, load, without_comments


def test_comments_go_and_strings_and_lines_stay() -> None:
    text = '{"a": "no // comment", // one\n "b": /* two\nlines "quoted" */ 1, "c": "\\"/* still text */"}'
    cleaned = without_comments(text)
    assert len(cleaned) == len(text)
    assert cleaned.count("\n") == text.count("\n")
    assert '"no // comment"' in cleaned
    assert "still text" in cleaned
    assert "one" not in cleaned
    assert "two" not in cleaned


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1', r"odd\.json:1: not valid JSON"),
        ('// note\n{"a": 1}\n{"b": 2}', r"odd\.json:3: not valid JSON: Extra data"),
        ('{"a": 1,\n "a": 2}', r"^odd\.json: the key 'a' is there twice; remove one"),
        ("[1, 2]", r"expected an object"),
        ('{"a": NaN}', r"^odd\.json: a: NaN is no number"),
        (
            '{"a": {"b": [1, [2.0, -Infinity]]}}',
            r"^odd\.json: a/b\[1\]\[1\]: -Infinity is no number; write a finite",
        ),
        ('{"a": [1, 2,\n\n]}', r"^odd\.json:1: not valid JSON: a comma after the last item; take it away$"),
        ('{"a": 1,\n"b": 2, // m\n}', r"odd\.json:2: .* a comma after the last item"),
        ('{"a": 1,, "b": 2}', r"odd\.json:1: not valid JSON: .*; correct this line$"),
        ("[" * 100_000, r"too many levels of brackets"),
        ('{"a": ' + "9" * 5000 + "}", r"not valid JSON"),
        ("", r"not valid JSON"),
    ],
)
def test_files_that_are_no_json(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "odd.json"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        load(path)


def test_files_of_other_bytes(tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(DataError, match="not UTF-8"):
        load(path)
    with pytest.raises(DataError, match=r"none\.json"):
        load(tmp_path / "none.json")


def test_numbers_are_numbers(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text('{"x": 2, "v": [1, 2], "t": "2", "far": 1e60, "p": {"y": true}, "r": [[1, 2], [0, 1]]}')
    part = JsonObject.of(path)
    assert part.number("x") == 2.0
    with pytest.raises(DataError, match=r"p\.json: v: .* is not a list of 3 numbers"):
        part.vector("v")
    with pytest.raises(DataError, match=r"p\.json: t: '2' is no number"):
        part.number("t")
    with pytest.raises(DataError, match="no finite number"):
        part.number("far")
    with pytest.raises(DataError, match=r"p\.json: p/y: True is no number"):
        part.part("p").number("y")
    with pytest.raises(DataError, match="must increase"):
        part.pairs("r")
    with pytest.raises(DataError, match=r"p\.json: p/z: it is missing; expected a number"):
        part.part("p").number("z")
    assert list(part.unread_keys()) == []
