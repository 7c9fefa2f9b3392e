"""Generic machinery: units, quantities, YAML reading, layering, validation, messages."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from pydantic import ValidationError

from ce_dynamics.algebra.units import parse_unit, same_dimension
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import (
    LARGEST,
    InertiaTensor,
    Length,
    Mass,
    ParameterQuantity,
    Point,
    inertia_matrix,
    triangle_excess,
)
from ce_dynamics.models.data.reading import Table, parse_override, read_file, read_text, split_tag
from ce_dynamics.models.data.schema import Groups, Section, flatten, lay, validate


class Part(Section):
    mass: Mass
    at: Point


class Extra(Section):
    size: Length


class Example(Section):
    left: Part
    right: Part
    inertia: InertiaTensor
    extra: Extra | None = None


GROUPS = Groups(
    Example, members=("left", "right"), groups={"both": ("left", "right")}, shared=frozenset({"mass"})
)
TEXT = """
title: an example
sources: {book: A book, guess: a guess}
both:
  source: book
  mass: 2 kg
  at: (1, 2, 3) m [guess]
inertia: diag(1, 2, 2.5) kg*m^2 [book; as printed]
"""


def tree_of(text: str = TEXT, *overrides: str) -> Table:
    tree = lay({}, read_text(text, "example.yaml").assignments, GROUPS)
    return lay(tree, [parse_override(o) for o in overrides], GROUPS)


def load(text: str = TEXT, *overrides: str) -> Example:
    return validate(Example, tree_of(text, *overrides), GROUPS, "example.yaml")


def message(text: str = TEXT, *overrides: str) -> str:
    with pytest.raises(DataError) as caught:
        load(text, *overrides)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- units --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "si", "factor"),
    [
        ("kN/m", "N/m", 1e3),
        ("N/mm", "N/m", 1e3),
        ("N*s/mm", "N*s/m", 1e3),
        ("Ns/m", "kg/s", 1.0),
        ("N/m^3", "kg/m^2/s^2", 1.0),
        ("N/mm³", "N/m^3", 1e9),
        ("kg m²", "kg*m^2", 1.0),
        ("g*mm**2", "kg*m^2", 1e-9),
        ("Nm", "kg*m^2/s^2", 1.0),
        ("N·m", "Nm", 1.0),
        ("deg", "rad", math.pi / 180),
        ("rpm", "rad/s", math.pi / 30),
        ("km/h", "m/s", 1 / 3.6),
        ("mph", "m/s", 1609.344 / 3600),
        ("lbf/in", "N/m", 175.126835246),  # the usual table value
        ("1/s", "Hz", 1.0),
        ("m s^-2", "m/s^2", 1.0),
        ("%", "1", 0.01),
        ("ft", "in", 12 * 0.0254),
    ],
)
def test_units_convert(text: str, si: str, factor: float) -> None:
    unit = parse_unit(text)
    assert same_dimension(unit, parse_unit(si))
    assert unit.factor == pytest.approx(factor, rel=1e-11)


@pytest.mark.parametrize(
    ("one", "other"),
    [("N", "kg"), ("rad/s", "Hz"), ("Nm", "N/m"), ("rad", "1"), ("rpm", "Hz"), ("lb", "lbf")],
)
def test_units_of_different_kind_are_told_apart(one: str, other: str) -> None:
    assert not same_dimension(parse_unit(one), parse_unit(other))


def test_unknown_unit_suggests_the_nearest() -> None:
    with pytest.raises(ValueError, match="unknown unit 'KG'; did you mean kg"):
        parse_unit("KG")
    with pytest.raises(ValueError, match="is not a unit"):
        parse_unit("N/(m)")


# --- quantities ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("23.965 kg", 23.965),
        ("1500g", 1.5),
        ("2.2e3", 2200.0),
        (7, 7.0),
        (0.5, 0.5),
        (" 1e-3  t ", 1.0),
        (".5 kg", 0.5),
    ],
)
def test_scalars_are_read(written: object, value: float) -> None:
    assert ParameterQuantity("kg").parse(written) == value


@pytest.mark.parametrize(
    "written", ["(1, -2, 3.5) m", "[1, -2, 3.5] m", "(100, -200, 350) cm", [1, -2, 3.5], ["1", "-2", "3.5"]]
)
def test_points_are_read(written: object) -> None:
    assert ParameterQuantity("m", components=("x", "y", "z")).parse(written) == pytest.approx(
        (1, -2, 3.5), rel=1e-15
    )


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("5 N", "wrong unit: N cannot be converted to kg; expected kg, for example 23.9 kg"),
        ("0 kg", "must be above 0 kg"),
        ("-3 kg", "'-3 kg' must be above 0 kg"),
        ("nan kg", "not finite"),
        ("inf", "not finite"),
        (float("nan"), "not finite"),
        ("1e400 kg", "not finite"),
        (True, "is not a number in kg"),
        (None, "no value is not a number"),
        ("heavy", "'heavy' is not a number in kg"),
        ("5 kgg", "unknown unit 'kgg'"),
        ("5 kg 3", "'5 kg 3'"),
        ("(1, 2) kg", "is not a number"),
    ],
)
def test_bad_scalars_are_refused_with_value_and_remedy(written: object, words: str) -> None:
    with pytest.raises(ValueError, match="expected kg, for example") as caught:
        ParameterQuantity("kg", above=0.0).parse(written)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("(1, 2) m", "has 2 numbers, 3 are needed"),
        ("(1, 2, 3, 4) m", "has 4 numbers"),
        ("(1 m, 2 m, 3 m)", "the unit follows the bracket"),
        ("(1, two, 3) m", "'two'"),
        ("(1, nan, 3) m", "not finite"),
        ("5 m", "is not a list of numbers in m"),
        ("(1, 2, 3) kg", "kg cannot be converted to m"),
    ],
)
def test_bad_points_are_refused(written: object, words: str) -> None:
    with pytest.raises(ValueError, match="for example") as caught:
        ParameterQuantity("m", components=("x", "y", "z")).parse(written)
    assert words in str(caught.value)


def test_inertia_forms_and_definiteness() -> None:
    kind = ParameterQuantity("kg*m^2", components=("xx", "yy", "zz", "xy", "xz", "yz"))
    assert kind.parse("diag(1, 2, 3) kg*m^2") == (1, 2, 3, 0, 0, 0)
    matrix = inertia_matrix(kind.parse("(1, 2, 3, 0.1, 0.2, 0.3) kg m2"))  # type: ignore[arg-type]
    np.testing.assert_array_equal(matrix, [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 3]])
    with pytest.raises(ValueError, match="smallest principal moment is -1"):
        kind.parse("(1, 1, 5, 2, 0, 0) kg*m^2")  # eigenvalues of [[1, 2], [2, 1]] are 3 and -1
    with pytest.raises(ValueError, match="3 or 6 are needed"):
        kind.parse("(1, 1, 5, 2) kg*m^2")


def test_triangle_inequality_is_judged_on_principal_moments() -> None:
    assert triangle_excess(np.diag([0.4, 0.4, 0.8938])) == pytest.approx(0.0938, abs=1e-12)
    assert triangle_excess(np.diag([0.1, 0.2, 0.3])) == 0.0  # a lamina: exactly on the limit
    # A lamina turned in space: every diagonal passes, rounding must not fail it.
    c, s = math.cos(0.7), math.sin(0.7)
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    assert triangle_excess(R @ np.diag([0.1, 0.2, 0.3]) @ R.T) == 0.0
    assert triangle_excess(R @ np.diag([0.1, 0.2, 0.4]) @ R.T) == pytest.approx(0.1, rel=1e-12)


@given(st.floats(-LARGEST, LARGEST), st.sampled_from(["kg", "N/m^3", "1", "rad/s"]))
def test_written_values_read_back_bit_for_bit(value: float, unit: str) -> None:
    kind = ParameterQuantity(unit)
    assert kind.parse(kind.text(value)) == value


# --- reading ------------------------------------------------------------------------------------------------


def test_tags_split() -> None:
    assert split_tag("1 m [book]") == ("1 m", "book", "")
    assert split_tag("diag(1, 2, 3) [book; as printed]") == ("diag(1, 2, 3)", "book", "as printed")
    assert split_tag("[1, 2, 3]") == ("[1, 2, 3]", "", "")  # a list, not a tag
    assert split_tag("[1, 2, 3] m [book]") == ("[1, 2, 3] m", "book", "")


def test_a_file_is_loaded_with_sources() -> None:
    example = load()
    assert example.left == Part(mass=2.0, at=(1.0, 2.0, 3.0))
    listed = {p.key: p for p in flatten(example, tree_of(), GROUPS)}
    assert list(listed) == ["mass", "both.at", "inertia"]
    assert (listed["mass"].source, listed["both.at"].source) == ("book", "guess")
    assert listed["both.at"].text == "(1.0, 2.0, 3.0) m"


def test_models_are_frozen() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        load().left.mass = 3.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TEXT.replace("2 kg", "2 kg\n  mass: 3 kg"), "7: the key 'mass' is there twice, first on line 6"),
        (TEXT + "inertia: diag(1, 1, 1)\n", "the key 'inertia' is there twice"),
        ("both: [1, 2\nx: 3", "example.yaml:2: not valid YAML"),
        ("both:\n\tmass: 1", "example.yaml:2: not valid YAML"),
        ("left: {at: (1, 2, 3) m}", "example.yaml:1: at: '(1' ends at the comma; within braces"),
        ("title: [a]", "example.yaml:1: title: expected text"),
        ("left.mass: 1 kg", "example.yaml:1: a key has no dots; write left: {mass: ...}"),
        ("", "expected sections"),
        ("- 1\n- 2", "expected sections"),
        (TEXT.replace("2 kg", "2 kg [novel]"), "example.yaml:6: both.mass: unknown source 'novel'"),
        (TEXT.replace("source: book", "source: [1, 2]"), "expected the key of a source, for example"),
        (TEXT.replace("2 kg", "2 m"), "example.yaml:6: mass: '2 m' has the wrong unit"),
        (TEXT.replace("2 kg", ".nan"), "example.yaml:6: mass: 'nan' is not finite"),
        (TEXT.replace("2 kg", ""), "example.yaml:6: mass: no value"),
        (TEXT.replace("  mass: 2 kg\n", ""), "yaml: missing mass; expected kg, for example 'mass: 23.9 kg'"),
        (TEXT.replace("  mass: 2", "  mas: 2"), "yaml:6: unknown parameter 'both.mas'; nearest: both.mass"),
        (TEXT.replace("  mass: 2 kg", "  mass:\n    v: 2"), "yaml:7: unknown parameter 'both.mass.v'"),
        (TEXT.replace("(1, 2, 3) m", "(1, 2) m"), "example.yaml:7: both.at: '(1, 2) m' has 2 numbers"),
    ],
)  # fmt: skip
def test_bad_files_are_refused_with_place_and_key(text: str, words: str) -> None:
    assert words in message(text)


def test_missing_number_of_one_member_is_named_precisely() -> None:
    text = TEXT.replace("  at: (1, 2, 3) m [guess]", "") + "left:\n  at: (1, 2, 3) m\n"
    assert "missing right.at;" in message(text)


def test_missing_section_is_shown_as_written() -> None:
    """The example has all its keys, with units; read back, it is complete."""

    class Rod(Section):
        length: Length
        end: Point
        radius: Length | None = None

    class Arm(Section):
        mass: Mass
        rod: Rod

    groups = Groups(Arm, (), {}, frozenset())
    text = "mass: 2 kg\n"
    with pytest.raises(DataError, match=r"^arm: missing rod; write for example 'rod: ") as caught:
        validate(Arm, lay({}, read_text(text, "arm").assignments, groups), groups, "arm")
    example = str(caught.value).partition("'")[2].rpartition("'")[0]
    assert "radius" not in example
    whole = validate(Arm, lay({}, read_text(text + example, "arm").assignments, groups), groups, "arm")
    assert (whole.rod.length, whole.rod.end) == (0.35, (1.2, 0.45, 0.3))


def test_messages_take_known_values_as_examples() -> None:
    """A value that the quantity does not take is passed over for the quantity's own example."""

    class Rod(Section):
        length: Length
        end: Point

    groups = Groups(Rod, (), {}, frozenset())
    known: dict[tuple[str, ...], str] = {("length",): "1.7 m", ("end",): "2 m"}

    def example(key: tuple[str, ...]) -> str | None:
        return known.get(key)

    def said(text: str) -> str:
        with pytest.raises(DataError) as caught:
            validate(Rod, lay({}, read_text(text, "rod").assignments, groups), groups, "rod", example)
        return str(caught.value)

    assert said("length: 1 kg\nend: (0, 0, 0)\n").endswith("expected m, for example 1.7 m")
    assert said("end: (0, 0, 0)\n").endswith("for example 'length: 1.7 m'")
    assert said("length: 1\nend:\n").endswith("for example (1.2, 0.45, 0.3) m")


@pytest.mark.parametrize(
    ("quantity", "example"),
    [
        (ParameterQuantity("rad/s", curve=True), "(1000, 3500, 6000) rpm"),
        (ParameterQuantity("1", below=0.0), "-0.8"),
        (ParameterQuantity("1", below=1.0, above=0.0), "0.8"),
    ],
)
def test_an_example_may_be_written(quantity: ParameterQuantity, example: str) -> None:
    """Examples of curves rise, as their arguments have to."""
    assert quantity.example == example
    quantity.parse(example)


def test_empty_key_does_not_omit_an_optional_number() -> None:
    class Loose(Part):
        length: Length | None = None

    text = "mass: 2 kg\nat: (1, 2, 3) m\nlength: null\n"
    groups = Groups(Loose, (), {}, frozenset())
    with pytest.raises(DataError, match=r"^example.yaml:3: length: no value is given; leave it out, or"):
        validate(Loose, lay({}, read_text(text, "example.yaml").assignments, groups), groups, "yaml")


def test_several_problems_are_counted() -> None:
    text = TEXT.replace("2 kg", "-2 kg").replace("(1, 2, 3) m", "(1, 2) m")
    assert message(text).endswith("(and 1 more)")


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="No such file"):
        read_file(tmp_path / "none.yaml")
    (tmp_path / "binary.yaml").write_bytes(b"a: \xff\xfe")
    with pytest.raises(DataError, match="not UTF-8"):
        read_file(tmp_path / "binary.yaml")


# --- layering -----------------------------------------------------------------------------------------------


def test_more_specific_overrides_win_in_any_order() -> None:
    for overrides in (["left.mass=5", "both.mass=4", "mass=3"], ["mass=3", "both.mass=4", "left.mass=5"]):
        example = load(TEXT, *overrides)
        assert (example.left.mass, example.right.mass) == (5.0, 4.0)


def test_later_layer_wins_over_more_specific_name() -> None:
    example = load(TEXT + "left: {mass: 9 kg}\n", "both.mass=4 kg")
    assert (example.left.mass, example.right.mass) == (4.0, 4.0)


def test_of_equal_names_the_last_wins() -> None:
    assert load(TEXT, "left.mass=4", "left.mass=5").left.mass == 5.0


def test_components_are_overridden_alone() -> None:
    example = load(TEXT, "left.at.y=-50 cm", "inertia.zz=2.2", "inertia.xy=0.1")
    assert (example.left.at, example.right.at) == ((1.0, -0.5, 3.0), (1.0, 2.0, 3.0))
    assert list(example.inertia) == [1, 2, 2.2, 0.1, 0, 0]
    assert "left.at.y: '5 kg' has the wrong unit" in message(TEXT, "left.at.y=5 kg")
    assert "unknown parameter 'left.at.w'; nearest: left.at" in message(TEXT, "left.at.w=5")


def test_laying_leaves_the_lower_layer_alone() -> None:
    tree = tree_of()
    lay(tree, [parse_override("left.mass=9")], GROUPS)
    assert validate(Example, tree, GROUPS, "").left.mass == 2.0


def test_optional_sections_are_absent_or_complete() -> None:
    assert load().extra is None
    extra = load(TEXT, "extra.size=3 mm").extra
    assert extra is not None
    assert extra.size == 0.003


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("left.mass", "not of the form key=value"),
        ("=5", "not of the form key=value"),
        ("left.mass=", "not of the form key=value"),
        ("left=5", "left is a section, not a number; its keys are mass, at"),
        ("LEFT.mass=5", "unknown parameter 'LEFT.mass'; nearest:"),
        ("zzz=5", "sections are both, left, right, mass, inertia, extra"),
        ("right.mass=-1", "override: right.mass: '-1' must be at least 0 kg"),
        ("mass..=1", "unknown parameter"),
    ],
)
def test_bad_overrides_are_refused(override: str, words: str) -> None:
    assert words in message(TEXT, override)


def test_listing_names_what_differs_and_round_trips() -> None:
    example, tree = (
        load(TEXT, "right.mass=3", "left.at.x=0.1"),
        tree_of(TEXT, "right.mass=3", "left.at.x=0.1"),
    )
    listed = flatten(example, tree, GROUPS)
    assert [p.key for p in listed] == ["left.mass", "left.at", "right.mass", "right.at", "inertia"]
    assert {p.key: p.source for p in listed}["right.mass"] == "override"
    assert load(TEXT, *(f"{p.key}={p.text}" for p in listed)) == example


def bomb(levels: int) -> str:
    lists = [f"a{k + 1}: &a{k + 1} [{', '.join([f'*a{k}'] * 10)}]" for k in range(levels)]
    return "\n".join(["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]", *lists])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (bomb(9), r"file:5: .*more than 20000 keys and values, counted with what aliases stand for"),
        ("chassis: &c\n  mass: *c", r"file:2: .*the alias \*c stands within what it stands for"),
        ("a: " + "[" * 5000 + "]" * 5000, r"file:1: .*more than 32 levels"),
        ("\n".join(f"k{k}: 1" for k in range(20_000)), r"more than 20000 keys and values"),
        ("? [a, b]\n: 1", r"file:1: a key must be a word, not a list or a mapping"),
    ],
)
def test_yaml_is_bounded(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_text(text, "file")


def test_aliases_that_multiply_a_little_are_read() -> None:
    data = read_text("left: &l {at: 1 m, mass: 2 kg}\nright: *l", "file")
    assert [(".".join(key), entry.value) for key, entry in data.assignments] == [
        ("left.at", "1 m"), ("left.mass", "2 kg"), ("right.at", "1 m"), ("right.mass", "2 kg"),
    ]  # fmt: skip


def test_files_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    path.write_text("#" * 2**20 + "\n")
    with pytest.raises(DataError, match=r"large.yaml' is too large: 1,048,577 bytes, 1,048,576 are allowed"):
        read_file(path)
    with pytest.raises(DataError, match="it is a folder, not a file"):
        read_file(tmp_path)


def test_numbers_unfit_for_computing_are_refused() -> None:
    assert ParameterQuantity("m").parse("1e50") == 1e50
    with pytest.raises(ValueError, match=r"'1e51' is beyond 1e\+50 m"):
        ParameterQuantity("m").parse("1e51")
    with pytest.raises(ValueError, match=r"'-1e60 km' is beyond 1e\+50 m"):
        ParameterQuantity("m").parse("-1e60 km")
