"""Command lines of ``simulate-vehicle`` and its subcommands: exit code 2 and one line, never a traceback."""

import contextlib
import io
from typing import Any

from ce_dynamics.cli.command import execute
from ce_dynamics.errors import CeDynamicsError
from tests.campaigns.bad_input.cases import Case

LONG = "x" * 5000
NUMBERS = ("", "nan", "inf", "-1", "0", "1e400", "ten", "1 kg", "1 km^999", "1,5", "[1]", "\0", "9" * 5000)
NO_ZERO = tuple(value for value in NUMBERS if value != "0")
RANGES = (
    "", ":", "1", "1:", ":1", "0:0", "1:-1", "nan:1", "0:inf", "-0.1:0.1:0", "-0.1:0.1:1.5", "-0.1:0.1:-3",
    "a:b", "0:1:999999999", "0:1 km^999:3", "0:1 kg:3", "1:2:3:4",
)  # fmt: skip
WORDS = ("", "nothing", "PARALLEL", "\0", LONG, "/dev/zero")
FILES = ("", "nothing", "/dev/zero", "/tmp")
NOWHERE = ("/dev/null/x", "\0", LONG)
ROADS = ("nothing", "bump:height=nan", "\0")
TYRES = ("nothing", "no.tir", "\0")
CHANGES = ("", "nothing=1", "chassis.mass=nan")
SHORT = ("--duration", "0.01")
VARY = "chassis.mass=2000:2400"
SWEEP = ("sweep", VARY, "--runs", "2", "--processes", "1", "--output", "bad")
RIG = ("kc", "--travel", "-0.01:0.01:3", "--steering", "-0.1:0.1:3", "--no-plots", "--output", "bad")
HANDLING = ("handling", "step-input", "--no-plots")

MANOEUVRES = ("double-lane-change", "step-steer", "steady-circle", "no-such")
OPTIONS: tuple[str, ...] = (
    "", "radius", "radius=", "=1", "radius=nan", "nothing=1", "speed=12", "radius=1 km^999", "radius=-1",
    "friction=0", "friction=inf", "steer=2",
)  # fmt: skip

WRONG: tuple[tuple[tuple[str, ...], dict[str, tuple[str, ...]]], ...] = (
    (SHORT, {
        "--rtol": (*NUMBERS, "2", "1", "1e-300", "1e300"), "--atol": NUMBERS, "--speed": NUMBERS,
        "--method": ("rk5", "", "RK4 ", "rk45\0"),
        "--set": (
            "", "x", "chassis.mass", "chassis.mass=", "chassis.mass=-1", "chassis.mass=nan", "nothing=1",
            "front.D=1", "front.D.y=1e300", "front.D=(1e300,0,0)", "front.D=(1,2)", "front.W=(1e10,0,0)",
            "chassis.mass=1 km^999", "front.D=(0,0,0)", "gravity=0",
        ),
        "--output": ("/dev/null", "/dev/null/x", "/proc/x", "\0", LONG),
    }),
    ((), {
        "--duration": (*NUMBERS, "1e9", "1e300", "1 km"),
        "--manoeuvre": ("no", "drift", "double-lane-change ", "\0", LONG),
        "--model": ("no", "drift", "\0", LONG, "/dev/zero", "/dev/null", "/tmp", "/proc/self/mem"),
    }),
    *((("-m", manoeuvre, "--speed", "12", *SHORT), {"-o": OPTIONS}) for manoeuvre in MANOEUVRES),
    (SWEEP, {
        "--step": (*NUMBERS, "1e-12", "1e-300", "1e-15 s"), "--interval": (*NUMBERS, "1e-9", "1e-300"),
        "--duration": NUMBERS, "--speed": NUMBERS,
        "--runs": ("", "0", "-1", "x", "1.5", "nan", "99999999999999", "9" * 100),
        "--kind": ("", "gird", "GRID", "random"), "--model": ("ride", "no-such", "/dev/zero", "/tmp"),
    }),
    ((*SWEEP, *SHORT), {
        "--seed": ("x", "1.5", "-1", "9" * 100), "--processes": ("0", "-1", "x", "9999999"),
        "--scheduler": (
            "", "x", "tcp://", "tcp://nobody", "localhost", "tcp://127.0.0.1", "tcp://127.0.0.1:x",
            "tcp://127.0.0.1:1", "http://x:1", "\0", "127.0.0.1:99999999",
        ),
        "--output": ("/dev/null", "/proc/x", *NOWHERE),
    }),
    (RIG, {
        "--travel": RANGES, "--steering": RANGES, "--forces": RANGES[1:], "--torques": RANGES[1:],
        **dict.fromkeys(("--sweep", "--force", "--at", "--hold", "--axle", "--vehicle"), WORDS),
        "--set": (*CHANGES, "x", "front.D=nan", "front.D=(1e300,0,0)", "front.D.y=1 kg"),
        "--output": ("/dev/null/x",),
    }),
    *(
        (("export", kind), {
            "--model": FILES, "--name": ("", "1x", "a b", "../x", "double", "\0", LONG, "ä"),
            "--road": (*ROADS, "no.crg"), "--tyre": (*TYRES, "front=no.tir", "="), "--set": CHANGES,
            "--speed": NO_ZERO, "--output": NOWHERE,
        })
        for kind in ("fmu", "c")
    ),
    (("export", "fmu"), {"--fmi": ("", "1.0", "3", "two"), "--platform": ("", "amiga", "\0")}),
    (("drive",), {
        "--vehicle": FILES, "--manoeuvre": ("", "nothing"), "--road": ROADS, "--tyre": TYRES,
        "--slider": (
            "", "nothing", "chassis.mass=2:1", "chassis.mass=nan:1", "chassis.mass=1:inf", "nothing=1:2",
            "=1:2",
        ),
        "--set": CHANGES, "--step": (*NUMBERS, "1e-300", "1e300", "10"), "--speed": NO_ZERO,
        "--output": NOWHERE,
    }),
    (HANDLING, {
        "--vehicle": ("", "nothing", "/dev/zero"), "--set": CHANGES,
        "--variant": ("", "x", "a:nothing=1", "=", "\0"),
        "--option": ("", "x", "nothing=1", "speed=nan", "speed=1 km^999", "=1"),
        "--tyre": TYRES[:2], "--road": ROADS[:2],
    }),
    (("export",), dict.fromkeys(("", "nothing", "C", "\x00", LONG), ())),
    (("convert",), dict.fromkeys((*FILES, "nothing.json", "/dev/null", "\x00", LONG), ())),
    (("handling",), dict.fromkeys(("", "nothing", "\x00", LONG, "--nothing"), ())),
)  # fmt: skip
"""Options with wrong values, after words that are right; words without values are wrong themselves."""
VARIED = (
    "", "chassis.mass", "chassis.mass=", "chassis.mass=1:2:3:4", "chassis.mass=2:1", "chassis.mass=1:1",
    "chassis.mass=a:b", "chassis.mass=1:nan", "chassis.mass=1:inf", "chassis.mass=1 m:2 m",
    "chassis.mass=1 km^999:2", "chassis.mass=-1:2", "nothing=1:2", "front.D=1:2", "chassis=1:2",
    "front=1:2", "chassis.mass=1:2:1", "chassis.mass=1:2:0", "chassis.mass=1:2:-3", "chassis.mass=1:2:x",
    "chassis.mass=1:2:99999999999", "chassis.mass=1:2:" + "9" * 5000, "chassis.mass=,", "chassis.mass=1,",
    "=1:2", "a..b=1:2", "chassis.mass=-1e308:1e308",
)  # fmt: skip
CONFLICTS = (
    ("front.spring.linear=1e5:2e5", "front_left.spring.linear=1e5:2e5"),
    ("spring.linear=1e5:2e5", "front.spring.linear=1e5:2e5"),
    ("chassis.mass=2000:2100", "chassis.mass=2200:2300"),
    ("front.D.y=0.3:0.31", "front_left.D.y=0.3:0.31"),
)
LINES = (
    ("--nothing",), ("nothing",), ("--speed",), ("--duration", "1", "2"), ("-x",),
    ("--vehicle", "ride", "-m", "step-steer"), ("--model", "ride", "--speed", "3"),
    ("--speed", "12", "-o", "speed=12"), ("--list-parameters", "--model", "nothing"),
    ("--list-parameters", "--set", "nothing=1"), ("--list-parameters", "--set", "chassis.mass=nan"),
    ("cache", "--nothing"), ("cache", "more"), ("sweep",), ("sweep", "--nothing"), ("kc", "--nothing"),
    ("kc", "more"), ("kc", "--axle", "rear", "--sweep", "steering", *RIG[1:-2]),
    ("handling", "step-input", "step-input", "--option", "nothing=1"),
)  # fmt: skip
"""Words that do not belong together."""


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
    return Case(" ".join(repr(word[:50]) for word in arguments), lambda: command(*arguments), may=may)


def prepare() -> None:
    command("--no-plots", *SHORT)
    command("--vehicle", "ride", *SHORT)
    command("kc", "--travel", "0:0.01:2", "--no-plots", "--output", "bad")


def of_options() -> list[Case]:
    found = []
    for words, options in WRONG:
        for option, values in options.items():
            at = words.index(option) if option in words else len(words)
            left = (*words[:at], *words[at + 2 :])
            found += [case(*left, option, value) for value in values] or [case(*words, option)]
    found += [case(*SHORT, "--atol", value, may=True) for value in ("2", "1", "1e-300", "1e300")]
    heavy = ("chassis.mass=1e308", "front.spring.linear=1e300", "chassis.inertia=diag(1,1,1e308)")
    found += [case(*SHORT, "--set", value, may=True) for value in heavy]
    return [*found, case("--duration", "1e-300", may=True)]


def of_words() -> list[Case]:
    """Words that do not belong together; distributions of sweeps."""
    alone = ("--processes", "1", "--output", "bad")
    found = [case(*line) for line in LINES]
    for text in VARIED:
        kinds = (("--runs", "2"), ("--kind", "grid"))
        found += [case("sweep", text, *kind, *SHORT, *alone) for kind in kinds]
    for first, second in CONFLICTS:
        for words in ((first, second), (first, "--set", second.partition(":")[0])):
            found.append(case("sweep", *words, "--runs", "2", *SHORT, *alone))
    keys = ("chassis.mass", "front.spring.linear", "rear.spring.linear", "road.friction")
    return [*found, case("sweep", *(f"{key}=1:2:1000" for key in keys), "--kind", "grid", *alone)]
