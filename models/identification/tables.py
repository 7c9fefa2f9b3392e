"""Tables of recorded runs, and formulas of their columns."""

from __future__ import annotations

import ast
import codecs
import csv
import gzip
import io
import json
import operator
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import cos, sin, tan
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.errors import DataError
from ce_dynamics.models.data.quantities import si_value

if TYPE_CHECKING:
    import pandas as pd

LAGS = 1.0
"""Largest delay that is looked for, which is the shortest run [s]."""
GAP = 5.0
"""Median sampling intervals that are a gap when no sample lies in them."""


def read_table(path: Path) -> pd.DataFrame:
    """Read a table by the ending of its name; units in parentheses behind names are dropped.

    They stay where names would be equal without them; columns of equal names are numbered.
    """
    import pandas as pd  # here, because it takes long to load

    if not path.is_file():
        raise DataError(f"{path}: there is no such file")
    kind = next((s for s in reversed(path.suffixes) if s.lower() != ".gz"), "").lower()
    if kind in (".yaml", ".yml"):
        raise DataError(f"{path}: this is no table; name mappings by mapping= or --mapping, one at a time")
    try:
        if kind == ".parquet":
            table = pd.read_parquet(path)
        elif kind == ".mf4":
            table = read_mdf(path)
        elif kind == ".mcap":
            table = read_mcap(path)
        else:
            table = read_text(path)
    except ImportError as error:
        raise DataError(f"{path}: reading {kind} takes a package that is not installed: {error}") from None
    except DataError:
        raise
    except Exception as error:  # readers raise errors of their own
        raise DataError(f"{path}: {' '.join(str(error).split()) or type(error).__name__}") from None
    if table.index.name is not None:
        table = table.reset_index()
    full = number_equal([str(name).strip(' #"') for name in table.columns])
    short = [name.partition("(")[0].strip() for name in full]
    table.columns = [s if short.count(s) == 1 else name for s, name in zip(short, full, strict=True)]
    return table.apply(read_numbers).reset_index(drop=True)


def number_equal(names: Sequence[str]) -> list[str]:
    """Return names, those that occur more than once with numbers in parentheses."""
    return [f"{n} ({names[: k + 1].count(n)})" if names.count(n) > 1 else n for k, n in enumerate(names)]


def read_numbers(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return the numbers of a column; of dates (ISO 8601) and times of day the seconds; NaN of lists."""
    import pandas as pd  # here, because it takes long to load

    kind = column.dtype.kind
    if kind == "m":
        return column.dt.total_seconds()
    if kind == "M":
        return (pd.to_datetime(column, utc=True) - pd.Timestamp(0, tz="UTC")).dt.total_seconds()
    if pd.api.types.is_numeric_dtype(column):
        return column.astype(float)
    text = column.astype(str)  # to_numeric refuses lists within cells
    numbers = pd.to_numeric(text, errors="coerce").astype(float)
    if numbers.notna().any():
        return numbers
    dates = pd.to_datetime(text, errors="coerce", format="ISO8601", utc=True)
    times = pd.to_timedelta(text.where(text.str.contains(":")), errors="coerce")
    return (dates - pd.Timestamp(0, tz="UTC") if dates.notna().any() else times).dt.total_seconds()


def read_text(path: Path) -> pd.DataFrame:
    """Read columns separated by commas; or by semicolons or tabs, where numbers may have decimal commas."""
    import pandas as pd  # here, because it takes long to load

    content = gzip.decompress(path.read_bytes()) if path.suffix.lower() == ".gz" else path.read_bytes()
    text = decode(content)
    if "\0" in text:
        raise DataError(f"{path}: this is no text; tables are .csv, .parquet, .mf4 or .mcap files")
    text = text.lstrip("\r\n")
    heading = text.partition("\n")[0]
    separator = max(",;\t", key=heading.count)
    names = number_equal([name.strip() for name in next(csv.reader([heading], delimiter=separator), [])])
    options: Any = {"dtype": str, "header": None, "skiprows": 1, "names": names, "index_col": False}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            table = pd.read_csv(io.StringIO(text), sep=separator, **options)
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        place = str(error).rpartition("error: ")[2].strip() if "line" in str(error) else "all lines"
        raise DataError(
            f"{path}: lines have more cells than the first, which must name all columns ({place})"
        ) from None
    table = table[~table.iloc[:, 0].astype(str).str.startswith("#")]
    if separator != ",":
        table = table.apply(lambda column: column.str.replace(",", "."))
    return table


def decode(content: bytes) -> str:
    """Return text in UTF-16 or UTF-8, or of Windows, whose letters beyond ASCII are only in names."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def read_mdf(path: Path) -> pd.DataFrame:
    """Read the signals of MDF4 over all their instants, without values between those of a signal."""
    import pandas as pd  # here, because it takes long to load
    from asammdf import MDF  # here, because it is optional

    found: list[pd.Series[Any]] = []
    for signal in MDF(path).iter_channels():
        if signal.samples.ndim == 1 and signal.samples.dtype.names is None and len(signal.samples):
            series = pd.Series(signal.samples, index=signal.timestamps, name=signal.name)
            found.append(series[~series.index.duplicated()])
    if not found:
        raise DataError(f"{path}: the file has no signal with samples")
    return pd.concat(found, axis=1).sort_index().reset_index(names="time")


def read_mcap(path: Path) -> pd.DataFrame:
    """Read the numbers of JSON messages: columns ``topic.field.subfield`` over the log time."""
    import pandas as pd  # here, because it takes long to load
    from mcap.reader import make_reader  # here, because it is optional

    rows: list[dict[str, float]] = []
    with path.open("rb") as stream:
        for _, channel, message in make_reader(stream).iter_messages():
            if channel.message_encoding != "json":
                raise DataError(
                    f"{path}: {channel.topic}: messages are {channel.message_encoding}; export JSON"
                )
            topic = channel.topic.strip("/").replace("/", ".")
            rows.append({"time": message.log_time * 1e-9, **numbers_of(topic, json.loads(message.data))})
    if not rows:
        raise DataError(f"{path}: the file has no messages")
    return pd.DataFrame(rows).groupby("time", as_index=False).last()


def numbers_of(name: str, content: Any) -> dict[str, float]:
    """Return the numbers of a message by name, those of fields and lists within it as ``name.field``."""
    if isinstance(content, int | float):
        return {name: float(content)}
    fields = dict(enumerate(content)) if isinstance(content, list) else content
    found: dict[str, float] = {}
    if not isinstance(fields, dict):
        return found
    for key, value in fields.items():
        found |= numbers_of(f"{name}.{key}", value)
    return found


def interpolate_blanks(time: Floats, values: Floats) -> Floats:
    """Interpolate where samples are at most `GAP` of their usual intervals apart, as of a slow bus."""
    good = np.isfinite(values)
    if good.all() or good.sum() < 2:
        return values
    known = time[good]
    ahead = np.searchsorted(known, time).clip(1, len(known) - 1)
    near = known[ahead] - known[ahead - 1] <= GAP * np.median(np.diff(known))
    near &= (time >= known[0]) & (time <= known[-1])
    return np.where(good | near, np.interp(time, known, values[good]), np.nan)


OPERATIONS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.USub: operator.neg,
}  # fmt: skip
FUNCTIONS: dict[str, Callable[..., Any]] = {"sin": sin, "cos": cos, "tan": tan}


def evaluate_column(owner: str, text: str, columns: Mapping[str, Any], time: Floats) -> Floats:
    """Return a column, or a formula; of several columns these are interpolated, see `interpolate_blanks`."""

    def difference_quotient(values: Any, width: float) -> Any:
        seconds = checks.number(f"{owner}: width of d(column, width)", width, above=0.0, error=DataError)
        known = interpolate_blanks(time, values)
        ahead, behind = (np.interp(time + 0.5 * side * seconds, time, known) for side in (1.0, -1.0))
        return (ahead - behind) / seconds

    functions = FUNCTIONS | {"unwrap": np.unwrap, "d": difference_quotient}
    used = {name: columns[name] for name in names_in(text, list(columns)) if name in columns}
    if text not in columns and len(used) > 1:
        columns = {**columns, **{name: interpolate_blanks(time, values) for name, values in used.items()}}
    with np.errstate(all="ignore"):  # samples without a number are counted
        made = evaluate_formula(owner, text, columns, functions)
    return np.array(np.broadcast_to(made, time.shape), dtype=float)


def names_in(text: str, known: Sequence[str]) -> list[str]:
    """Return the names that a formula uses."""
    if text in known:
        return [text]
    try:
        nodes = list(ast.walk(ast.parse(text, mode="eval")))
    except SyntaxError:
        return [text]
    called = [node.func for node in nodes if isinstance(node, ast.Call)]
    inner = [node.value for node in nodes if isinstance(node, ast.Attribute)]
    names = [node for node in nodes if isinstance(node, ast.Name | ast.Attribute)]
    return [ast.unparse(node) for node in names if node not in called and node not in inner]


def evaluate_formula(owner: str, text: str, known: Mapping[str, Any], functions: Mapping[str, Any]) -> Any:
    """Return the value of a formula of named values; a name alone may hold any characters."""
    if text in known:
        return known[text]

    def value(node: ast.AST) -> Any:
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return float(node.value)
        if isinstance(node, ast.Name | ast.Attribute):
            name = ast.unparse(node)
            if name not in known:
                listed = ", ".join(list(known)[:30])
                hint = checks.suggest_name(name, known) or ";"
                raise DataError(f"{owner}: no column {name!r}{hint} the table has {listed}")
            return known[name]
        if isinstance(node, ast.BinOp | ast.UnaryOp) and type(node.op) in OPERATIONS:
            parts = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.operand,)
            return OPERATIONS[type(node.op)](*map(value, parts))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in functions:
            return functions[node.func.id](*map(value, node.args))
        raise TypeError(type(node).__name__)

    try:
        return value(ast.parse(text, mode="eval").body)
    except SyntaxError:
        raise DataError(f"{owner}: no column {text!r}{checks.suggest_name(text, known)}") from None
    except DataError:
        raise
    except (TypeError, ValueError):  # of nodes and arguments that are none of these
        allowed = ", ".join(functions)
        raise DataError(
            f"{owner}: {text!r} is no column and no formula of columns; use + - * / {allowed}"
        ) from None


def entry_of(owner: str, entry: Any, keys: Sequence[str]) -> Mapping[str, Any]:
    """Return the entry of a channel or of time; a text alone is its column."""
    if isinstance(entry, str | int | float):
        return {"column": entry}
    for key in checks.mapping(f"{owner}: column, or", entry, DataError):
        checks.check_name(owner, key, keys, "key", DataError)
    if "column" not in entry:
        raise DataError(f"{owner}: names no column; give column: NAME, or a formula of columns")
    found: Mapping[str, Any] = entry
    return found


class Clock(NamedTuple):
    """Instants [s], and the columns at these rows of the table."""

    time: Floats
    columns: Mapping[str, Any]


def read_clock(owner: str, path: str, entry: Any, raw: Mapping[str, Any]) -> Clock:
    """Return the instants that are numbers, without repetitions; they must not go back."""
    given = entry_of(owner, entry, ("column", "unit"))
    rows = np.zeros(len(next(iter(raw.values()), ())))
    time = evaluate_column(owner, str(given["column"]), raw, rows)
    time *= si_value(owner, f"1 {given.get('unit', 's')}", "s")
    finite = np.flatnonzero(np.isfinite(time))
    owner = f"{path}: {owner.rpartition(': ')[2]}"
    if len(finite) < 3:
        raise DataError(
            f"{owner} has {len(finite)} numbers; name the column of time, of seconds or dates (ISO 8601)"
        )
    back = np.flatnonzero(np.diff(time[finite]) < 0.0)
    if len(back):
        k = finite[back[0] + 1]
        raise DataError(
            f"{owner} goes back at row {k}, from {time[k - 1]:.6g} to {time[k]:.6g} s; sort the table"
        )
    if (lasts := float(np.ptp(time[finite]))) < LAGS:
        raise DataError(f"{owner} lasts {lasts:.3g} s; correct its unit, or record {LAGS:g} s at least")
    kept = finite[np.append(True, np.diff(time[finite]) > 0.0)]
    if (usual := float(np.median(np.diff(time[kept])))) > LAGS:
        raise DataError(f"{owner} has samples {usual:.3g} s apart; correct its unit, or record faster")
    return Clock(time[kept], {name: values[kept] for name, values in raw.items()})
