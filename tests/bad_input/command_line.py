"""Command lines of ``simulate-vehicle``: exit code 2 and one line, never a traceback."""

from __future__ import annotations

import contextlib
import io
import itertools
from typing import Any

from ce_dynamics.cli.command import execute
from ce_dynamics.errors import CeDynamicsError
from tests.bad_input.cases import Case

NO_NUMBERS = (
    "",
    "nan",
    "inf",
    "-1",
    "0",
    "1e400",
    "ten",
    "1 kg",
    "1 km^999",
    "1,5",
    "[1]",
    "\0",
    "9" * 5000,
    "1 s s s",
    "--",
    "é",
)


class SaidError(CeDynamicsError):
    """What the command said on stderr when it refused."""


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
        raise RuntimeError(f"exit code {code}, {said[:500]!r}")
    raise SaidError(lines[0])


def case(*arguments: str, says: tuple[str, ...] = (), may: bool = False) -> Case:
    """A case of some arguments."""
    return Case(" ".join(repr(word[:50]) for word in arguments), lambda: command(*arguments), says, may)


def options() -> list[Case]:
    """Values of options."""
    found = []
    for name, value in itertools.product(("--rtol", "--atol", "--speed", "--duration"), NO_NUMBERS):
        found.append(case("--duration", "0.01", name, value) if name != "--duration" else case(name, value))
    for value in ("2", "1", "1e-300", "1e300"):
        found += [
            case("--duration", "0.01", name, value, may=name == "--atol") for name in ("--rtol", "--atol")
        ]
    for value in ("1e9", "1e300", "1 km", "1e-300"):
        found.append(case("--duration", value, may=value == "1e-300"))
    for value in ("rk5", "", "RK4 ", "rk45\0", "lsoda"):
        found.append(case("--duration", "0.01", "--method", value))
    for value in ("", "drift", "double-lane-change ", "\0", "x" * 10000):
        found += [case("--manoeuvre", value), case("--model", value or "no-such-model")]
    for value in (
        "",
        "radius",
        "radius=",
        "=1",
        "radius=nan",
        "nothing=1",
        "speed=12",
        "radius=1 km^999",
        "radius=-1",
        "friction=0",
        "friction=inf",
        "steer=2",
    ):
        found += [
            case("-m", manoeuvre, "--speed", "12", "--duration", "0.01", "-o", value)
            for manoeuvre in ("double-lane-change", "step-steer", "steady-circle", "no-such")
        ]
    for value in (
        "", "x", "chassis.mass", "chassis.mass=", "chassis.mass=-1", "chassis.mass=nan", "nothing=1", "front.D=1",
        "front.D.y=1e300", "front.D=(1e300,0,0)", "front.D=(1,2)", "chassis.mass=1 km^999", "chassis.mass=1e308",
        "tyre.radius=0", "tyre.radius=1e-300", "front.spring.linear=1e300", "chassis.inertia=diag(1,1,1e308)",
        "front.D=(0,0,0)", "gravity=0", "front.W=(1e10,0,0)",
    ):  # fmt: skip
        found.append(
            case(
                "--duration",
                "0.01",
                "--set",
                value,
                may=value in ("chassis.mass=1e308", "front.spring.linear=1e300"),
            )
        )
        found.append(case("--model", "ride", "--duration", "0.01", "--set", value, may=True))
    return found


def shapes() -> list[Case]:
    """Words that do not belong together."""
    found = [
        case(*words)
        for words in (
            ("--nothing",), ("nothing",), ("--speed",), ("--duration", "1", "2"), ("-x",), ("--model", "ride", "-m", "step-steer"),
            ("--model", "ride", "--speed", "3"), ("--speed", "12", "-o", "speed=12"), ("--model", "/dev/zero"), ("--model", "/dev/null"),
            ("--model", "/tmp"), ("--model", "/proc/self/mem"), ("--duration", "0.01", "--output", "/dev/null"),
            ("--duration", "0.01", "--output", "/dev/null/x"), ("--duration", "0.01", "--output", "/proc/x"),
            ("--duration", "0.01", "--output", "\0"), ("--duration", "0.01", "--output", "x" * 5000), ("--list-parameters", "--model", "nothing"),
            ("--list-parameters", "--set", "nothing=1"), ("--list-parameters", "--set", "chassis.mass=nan"), ("cache", "--nothing"),
            ("cache", "more"), ("sweep",), ("sweep", "--nothing"),
        )
    ]  # fmt: skip
    return found


def sweeps() -> list[Case]:
    """The subcommand ``sweep``."""
    vary = "chassis.mass=2000:2400"
    found = []
    for text in (
        "", "chassis.mass", "chassis.mass=", "chassis.mass=1:2:3:4", "chassis.mass=2:1", "chassis.mass=1:1", "chassis.mass=a:b",
        "chassis.mass=1:nan", "chassis.mass=1:inf", "chassis.mass=1 m:2 m", "chassis.mass=1 km^999:2", "chassis.mass=-1:2", "nothing=1:2",
        "front.D=1:2", "chassis=1:2", "front=1:2", "chassis.mass=1:2:1", "chassis.mass=1:2:0", "chassis.mass=1:2:-3", "chassis.mass=1:2:x",
        "chassis.mass=1:2:99999999999", "chassis.mass=1:2:" + "9" * 5000, "chassis.mass=,", "chassis.mass=1,", "=1:2", "a..b=1:2",
        "chassis.mass=1e308:1.7e308", "chassis.mass=-1e308:1e308",
    ):  # fmt: skip
        may = text == "chassis.mass=1e308:1.7e308"
        found.append(case("sweep", text, "--runs", "2", "--duration", "0.01", "--output", "bad", may=may))
        found.append(case("sweep", text, "--kind", "grid", "--duration", "0.01", "--output", "bad", may=may))
    for name in ("--step", "--interval", "--duration", "--speed"):
        for value in NO_NUMBERS:
            found.append(case("sweep", vary, "--runs", "2", "--output", "bad", name, value))
    for value in ("1e-12", "1e-300", "1e-15 s"):
        found.append(case("sweep", vary, "--runs", "1", "--step", value, "--output", "bad"))
    for value in ("1e-9", "1e-300"):
        found.append(case("sweep", vary, "--runs", "2", "--interval", value, "--output", "bad", may=False))
    for value in ("", "0", "-1", "x", "1.5", "nan", "99999999999999", "9" * 100):
        found.append(case("sweep", vary, "--runs", value, "--output", "bad"))
    for value in ("x", "1.5", "-1", "9" * 100):
        found.append(
            case(
                "sweep",
                vary,
                "--runs",
                "1",
                "--duration",
                "0.01",
                "--seed",
                value,
                "--output",
                f"seed{value[:5]}",
            )
        )
    for value in ("0", "-1", "x", "1000000"):
        found.append(
            case("sweep", vary, "--runs", "1", "--duration", "0.01", "--processes", value, "--output", "bad")
        )
    for value in (
        "",
        "x",
        "tcp://",
        "tcp://nobody",
        "localhost",
        "tcp://127.0.0.1",
        "tcp://127.0.0.1:x",
        "tcp://127.0.0.1:1",
        "http://x:1",
        "\0",
        "127.0.0.1:99999999",
    ):
        found.append(
            case("sweep", vary, "--runs", "1", "--duration", "0.01", "--scheduler", value, "--output", "bad")
        )
    for value in ("", "gird", "GRID", "random"):
        found.append(case("sweep", vary, "--runs", "2", "--kind", value, "--output", "bad"))
    conflicts = (
        ("front.spring.linear=1e5:2e5", "front_left.spring.linear=1e5:2e5"),
        ("spring.linear=1e5:2e5", "front.spring.linear=1e5:2e5"),
        ("chassis.mass=2000:2100", "chassis.mass=2200:2300"),
        ("front.D.y=0.3:0.31", "front_left.D.y=0.3:0.31"),
    )
    for first, second in conflicts:
        found.append(case("sweep", first, second, "--runs", "2", "--duration", "0.01", "--output", "bad"))
        found.append(
            case(
                "sweep",
                first,
                "--set",
                second.partition(":")[0],
                "--runs",
                "2",
                "--duration",
                "0.01",
                "--output",
                "bad",
            )
        )
    for value in ("ride", "no-such", "/dev/zero", "/tmp"):
        found.append(case("sweep", vary, "--runs", "1", "--model", value, "--output", "bad"))
    for value in ("/dev/null", "/dev/null/x", "/proc/x", "\0", "x" * 5000):
        found.append(case("sweep", vary, "--runs", "1", "--duration", "0.01", "--output", value))
    points = [
        f"{name}=1:2:1000"
        for name in ("chassis.mass", "front.spring.linear", "rear.spring.linear", "road.friction")
    ]
    found.append(case("sweep", *points, "--kind", "grid", "--output", "bad"))
    return found


def cases() -> list[Case]:
    """All of them."""
    return [*shapes(), *options(), *sweeps()]
