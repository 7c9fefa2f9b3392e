"""Command lines of ``simulate-vehicle``: exit code 2 and one line, never a traceback."""

from __future__ import annotations

import contextlib
import io
import itertools
from typing import Any

from ce_dynamics.cli.command import execute
from ce_dynamics.errors import CeDynamicsError
from tests.campaigns.bad_input.cases import Case

LONG = "x" * 5000
NUMBERS = ("", "nan", "inf", "-1", "0", "1e400", "ten", "1 kg", "1 km^999", "1,5", "[1]", "\0", "9" * 5000)
SHORT = ("--duration", "0.01")
VARY = "chassis.mass=2000:2400"


class SaidError(CeDynamicsError):
    """Message of the command on stderr when it refused."""


def command(*arguments: str) -> Any:
    """Run the command in this process; its one line of error is raised."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = execute(list(arguments))
    said = err.getvalue().strip()
    if "Traceback" in said:
        raise RuntimeError(said)
    if code == 0:
        return out.getvalue()
    lines = [line for line in said.splitlines() if line.startswith("error:")]
    if len(lines) != 1 or code not in (2, 3):
        raise RuntimeError(f"exit code {code}, {said[:500]!r}, {out.getvalue()[:300]!r}")
    raise SaidError(lines[0])


def case(*arguments: str, may: bool = False) -> Case:
    """A case of some arguments."""
    return Case(" ".join(repr(word[:50]) for word in arguments), lambda: command(*arguments), may=may)


def prepare() -> None:
    """Compile what is compiled once."""
    command("--no-plots", *SHORT)
    command("--vehicle", "ride", *SHORT)


def of_options() -> list[Case]:
    """Values of options."""
    found = [
        case(*(() if name == "--duration" else SHORT), name, value)
        for name, value in itertools.product(("--rtol", "--atol", "--speed", "--duration"), NUMBERS)
    ]
    found += [case(*SHORT, "--rtol", value) for value in ("2", "1", "1e-300", "1e300")]
    found += [case(*SHORT, "--atol", value, may=True) for value in ("2", "1", "1e-300", "1e300")]
    found += [
        case("--duration", value, may=value == "1e-300") for value in ("1e9", "1e300", "1 km", "1e-300")
    ]
    found += [case(*SHORT, "--method", value) for value in ("rk5", "", "RK4 ", "rk45\0")]
    for value in ("no", "drift", "double-lane-change ", "\0", LONG):
        found += [case("--manoeuvre", value), case("--model", value)]
    values = (
        "", "radius", "radius=", "=1", "radius=nan", "nothing=1", "speed=12", "radius=1 km^999", "radius=-1",
        "friction=0", "friction=inf", "steer=2",
    )  # fmt: skip
    manoeuvres = ("double-lane-change", "step-steer", "steady-circle", "no-such")
    found += [
        case("-m", manoeuvre, "--speed", "12", *SHORT, "-o", value)
        for value, manoeuvre in itertools.product(values, manoeuvres)
    ]
    overrides = (
        "", "x", "chassis.mass", "chassis.mass=", "chassis.mass=-1", "chassis.mass=nan", "nothing=1",
        "front.D=1", "front.D.y=1e300", "front.D=(1e300,0,0)", "front.D=(1,2)", "chassis.mass=1 km^999",
        "chassis.mass=1e308", "front.spring.linear=1e300", "chassis.inertia=diag(1,1,1e308)",
        "front.D=(0,0,0)", "gravity=0", "front.W=(1e10,0,0)",
    )  # fmt: skip
    heavy = ("chassis.mass=1e308", "front.spring.linear=1e300", "chassis.inertia=diag(1,1,1e308)")
    for value in overrides:
        found.append(case(*SHORT, "--set", value, may=value in heavy))
        found.append(case("--vehicle", "ride", *SHORT, "--set", value, may=True))
    return found


def of_words() -> list[Case]:
    """Words that do not belong together."""
    lines = (
        ("--nothing",), ("nothing",), ("--speed",), ("--duration", "1", "2"), ("-x",),
        ("--vehicle", "ride", "-m", "step-steer"), ("--model", "ride", "--speed", "3"),
        ("--speed", "12", "-o", "speed=12"), ("--model", "/dev/zero"), ("--model", "/dev/null"),
        ("--model", "/tmp"), ("--model", "/proc/self/mem"), (*SHORT, "--output", "/dev/null"),
        (*SHORT, "--output", "/dev/null/x"), (*SHORT, "--output", "/proc/x"), (*SHORT, "--output", "\0"),
        (*SHORT, "--output", LONG), ("--list-parameters", "--model", "nothing"),
        ("--list-parameters", "--set", "nothing=1"), ("--list-parameters", "--set", "chassis.mass=nan"),
        ("cache", "--nothing"), ("cache", "more"), ("sweep",), ("sweep", "--nothing"),
    )  # fmt: skip
    return [case(*line) for line in lines]


def sweep(*arguments: str, may: bool = False) -> Case:
    """A case of the subcommand."""
    alone = () if "--processes" in arguments else ("--processes", "1")  # a worker may start no others
    return case("sweep", *arguments, *alone, "--output", "bad", may=may)


def of_sweeps() -> list[Case]:
    """The subcommand ``sweep``."""
    found = []
    varied = (
        "", "chassis.mass", "chassis.mass=", "chassis.mass=1:2:3:4", "chassis.mass=2:1", "chassis.mass=1:1",
        "chassis.mass=a:b", "chassis.mass=1:nan", "chassis.mass=1:inf", "chassis.mass=1 m:2 m",
        "chassis.mass=1 km^999:2", "chassis.mass=-1:2", "nothing=1:2", "front.D=1:2", "chassis=1:2",
        "front=1:2", "chassis.mass=1:2:1", "chassis.mass=1:2:0", "chassis.mass=1:2:-3", "chassis.mass=1:2:x",
        "chassis.mass=1:2:99999999999", "chassis.mass=1:2:" + "9" * 5000, "chassis.mass=,",
        "chassis.mass=1,", "=1:2", "a..b=1:2", "chassis.mass=-1e308:1e308",
    )  # fmt: skip
    for text in varied:
        found += [sweep(text, "--runs", "2", *SHORT), sweep(text, "--kind", "grid", *SHORT)]
    names = ("--step", "--interval", "--duration", "--speed")
    found += [sweep(VARY, "--runs", "2", name, value) for name, value in itertools.product(names, NUMBERS)]
    found += [sweep(VARY, "--runs", "1", "--step", value) for value in ("1e-12", "1e-300", "1e-15 s")]
    found += [sweep(VARY, "--runs", "2", "--interval", value) for value in ("1e-9", "1e-300")]
    counts = ("", "0", "-1", "x", "1.5", "nan", "99999999999999", "9" * 100)
    found += [sweep(VARY, "--runs", value) for value in counts]
    found += [sweep(VARY, "--runs", "1", *SHORT, "--seed", value) for value in ("x", "1.5", "-1", "9" * 100)]
    found += [
        sweep(VARY, "--runs", "1", *SHORT, "--processes", value) for value in ("0", "-1", "x", "9999999")
    ]
    addresses = (
        "", "x", "tcp://", "tcp://nobody", "localhost", "tcp://127.0.0.1", "tcp://127.0.0.1:x",
        "tcp://127.0.0.1:1", "http://x:1", "\0", "127.0.0.1:99999999",
    )  # fmt: skip
    found += [sweep(VARY, "--runs", "1", *SHORT, "--scheduler", value) for value in addresses]
    found += [sweep(VARY, "--runs", "2", "--kind", value) for value in ("", "gird", "GRID", "random")]
    conflicts = (
        ("front.spring.linear=1e5:2e5", "front_left.spring.linear=1e5:2e5"),
        ("spring.linear=1e5:2e5", "front.spring.linear=1e5:2e5"),
        ("chassis.mass=2000:2100", "chassis.mass=2200:2300"),
        ("front.D.y=0.3:0.31", "front_left.D.y=0.3:0.31"),
    )
    for first, second in conflicts:
        found.append(sweep(first, second, "--runs", "2", *SHORT))
        found.append(sweep(first, "--set", second.partition(":")[0], "--runs", "2", *SHORT))
    found += [
        sweep(VARY, "--runs", "1", "--model", value) for value in ("ride", "no-such", "/dev/zero", "/tmp")
    ]
    folders = ("/dev/null", "/dev/null/x", "/proc/x", "\0", LONG)
    found += [case("sweep", VARY, "--runs", "1", *SHORT, "--output", value) for value in folders]
    keys = ("chassis.mass", "front.spring.linear", "rear.spring.linear", "road.friction")
    return [*found, sweep(*(f"{key}=1:2:1000" for key in keys), "--kind", "grid")]
