"""Roads by name, of height maps, of files; frictions."""

import gzip
import io
import itertools
import math
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ce_dynamics.models.parts.roads import map_files
from ce_dynamics.models.parts.roads.contract import (
    FrictionMap,
    FrictionPatch,
    PlacedRoad,
    SplitFriction,
    SumRoad,
)
from ce_dynamics.models.parts.roads.iso8608 import RandomRoad
from ce_dynamics.models.parts.roads.kinds import FRICTIONS, ROADS, road
from ce_dynamics.models.parts.roads.map_files import read_map
from ce_dynamics.models.parts.roads.surfaces import BumpRoad, FlatRoad, InclinedRoad, KerbRoad, RampRoad
from tests.campaigns.bad_input import values
from tests.campaigns.bad_input.cases import Case, Content, reading
from tests.campaigns.bad_input.values import calls

WRONG = (
    "", "nan", "inf", "1e999", "ten", "1 kg", "1 km^999", "1,5", "[1]", "9" * 5000, "-1e300", "\0", "${x}",
)  # fmt: skip


def mapped(content: Content, suffix: str, **given: Any) -> Callable[[], Any]:
    """Return a call that reads a map from a file."""
    return reading(read_map, content, suffix, **given)


def of_notation() -> list[Case]:
    """Make cases of the notation of roads in command lines and data files."""
    texts = [
        "", "nothing", "flat+", "+", "flat,", "flat:x=1", "bump:", "bump:height", "bump:height=",
        "bump:=1", "kerb:heights=1", "bump:height=1:height=2", "bump:track=middle", "bump:track=",
        "iso8608:class=Z", "iso8608:class=", "iso8608:seed=1.5", "iso8608:seed=-1", "iso8608:seed=1e30",
        "grade", "grade:grade=x", "mu:left=0.5", "patch:mu=1", "no/such/file.crg", "/dev/zero",
        "/dev/null", "/tmp", "x" * 5000, "\0", "flat+" * 2000, "http://x/y.crg", "a.npy", "a.tif",
    ]  # fmt: skip
    found = [Case(f"road {text[:50]!r}", partial(road, text)) for text in texts]
    found += [Case(f"road of {name}", partial(road, value)) for name, value in values.NO_TEXT.items()]
    kinds = [*((name, kind.words) for name, kind in ROADS.items())]
    kinds += [(name, friction.words) for name, friction in FRICTIONS.items()]
    for name, words in kinds:
        needed = {word.name: "0.5" for word in words if word.default is None}
        for word, value in itertools.product(words, WRONG):
            given = {**needed, word.name: value}
            text = f"{name}:" + ",".join(f"{key}={what}" for key, what in given.items())

            def run(text: str = text) -> Any:
                return road(text)

            found.append(Case(f"road {text[:60]!r}", run, may=value == "-1e300"))
    return found


def of_roads() -> list[Case]:
    found = calls(FlatRoad)
    steep = {"angle": {"upright": math.pi / 2}, "bank": {"upright": 2.0}}
    found += calls(InclinedRoad, {"friction": 0.8, "angle": 0.1}, "", steep)
    bump = {"friction": 0.8, "height": 0.1, "position": 8.0}
    found += calls(BumpRoad, bump | {"length": 2.0}, "track:word") + calls(
        KerbRoad, bump, "length:not_negative track:word"
    )
    found += calls(RampRoad, {"friction": 0.8, "grade": 0.1, "position": 8.0, "length": 5.0})
    spec = "road_class:word~class seed:-float track:positive length~ shortest:positive~"
    found += calls(
        RandomRoad, {"friction": 0.8}, spec, {"length": {"long": 1e12}, "shortest": {"short": 1e-9}}
    )
    found += calls(SplitFriction, {"left": 0.8, "right": 0.2})
    pairs: dict[str, Any] = {
        "one": (1.0,), "down": (2.0, 1.0), "nan": (0.0, math.nan), "text": "ab", "number": 1.0,
        "nothing": None, "three": (0, 1, 2),
    }  # fmt: skip
    patch = {"mu": 0.2, "x": (0, 1), "y": (0, 1), "around": 0.8}
    found += calls(FrictionPatch, patch, "x: y:", {"x": pairs, "y": pairs})
    z = np.zeros((5, 4))
    maps: dict[str, Any] = {
        "number": 1.0, "text": "heights", "ragged": values.ragged(), "nan": np.full((5, 4), math.nan),
        "one nan": np.where(np.eye(5, 4) > 0, math.nan, 0.0), "infinity": np.full((5, 4), math.inf),
        "row": np.zeros(5), "cube": np.zeros((5, 4, 2)), "empty": np.zeros((0, 0)),
        "one": np.zeros((1, 1)), "complex": np.zeros((5, 4), dtype=complex), "texts": np.full((5, 4), "a"),
        "things": np.full((5, 4), values.Thing()), "nothing": None, "huge": np.full((5, 4), 1e308),
        "overflow": np.where(np.eye(5, 4) > 0, 1.7e308, -1.7e308),
        "large": np.broadcast_to(np.zeros(1), (10**5, 10**5)),
    }  # fmt: skip
    spans = {k: v for k, v in pairs.items() if k != "down"}
    spans |= {
        "at rest": (1.0, 0.0), "back": (0.0, -1.0), "infinity": (0.0, math.inf), "wide": (-1e308, 1e308),
    }  # fmt: skip
    own = {"heights": {k: v for k, v in maps.items() if k != "huge"}, "x": spans, "y": spans}
    good = {"friction": 0.8, "heights": z, "x": (0, 4), "y": (0, 3)}
    found += calls(map_files.HeightMap, good, "heights:~ x: y:", own)
    own = {"values": own["heights"] | {"negative": -np.ones((5, 4))}, "x": spans, "y": spans}
    good = {"values": 0.5 + z, "x": (0, 4), "y": (0, 3)}
    found += calls(FrictionMap, good, "values:~friction_map x: y:", own)
    found += calls(PlacedRoad, {"road": FlatRoad(0.8)}, "road:object", {"road": {"number": 1.0}})
    parts = {"number": 1, "nothing": None, "empty": [], "texts": ["flat"], "road": FlatRoad(0.8)}
    return found + calls(SumRoad, {"friction": 0.8, "parts": [FlatRoad(0.8)]}, "parts:", {"parts": parts})


CRG = """$CT
a road
$
$ROAD_CRG
REFERENCE_LINE_START_U = 0.0
REFERENCE_LINE_END_U = 4.0
REFERENCE_LINE_INCREMENT = 1.0
LONG_SECTION_V_RIGHT = -1.0
LONG_SECTION_V_LEFT = 1.0
LONG_SECTION_V_INCREMENT = 1.0
$
$KD_DEFINITION
#:LRFI
U:reference line u,m,0.0,1.0
D:long section at v = -1.0,m
D:long section at v = 0.0,m
D:long section at v = 1.0,m
$
$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$$
 0.0000000 0.0000000 0.0000000
 0.0000000 0.1000000 0.0000000
 0.0000000 0.1000000 0.0000000
 0.0000000 0.1000000 0.0000000
 0.0000000 0.0000000 0.0000000
"""


def saved(array: Any, **more: Any) -> bytes:
    buffer = io.BytesIO()
    if more:
        np.savez(buffer, **more)
    else:
        np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def of_files() -> list[Case]:
    found = []
    good = saved(np.zeros((5, 4)))
    arrays: dict[str, tuple[bytes, dict[str, Any]]] = {
        "empty": (b"", {}), "text": (b"hello", {}), "random": (random.Random(2).randbytes(500), {}),
        "truncated": (good[:-30], {}), "header only": (good[:60], {}),
        "objects": (saved(np.array([[values.HUGE, None]], dtype=object)), {}),
        "texts": (saved(np.full((5, 4), "a")), {}), "nan": (saved(np.full((5, 4), math.nan)), {}),
        "cube": (saved(np.zeros((2, 3, 4))), {}), "row": (saved(np.zeros(4)), {}),
        "no rows": (saved(np.zeros((0, 4))), {}),
        "claims to be large": (good.replace(b"(5, 4)", b"(9999999, 9999999)"[:6]), {}),
        "complex": (saved(np.zeros((5, 4), dtype=complex)), {}), "no spacing": (good, {}),
    }  # fmt: skip
    for name, (content, given) in arrays.items():
        spaced = {} if content is good else {"dx": 1.0, **given}
        found.append(Case(f"map.npy: {name}", mapped(content, ".npy", **spaced)))
    x, y, z = np.arange(5.0), np.arange(4.0), np.zeros((5, 4))
    archives: dict[str, dict[str, Any]] = {
        "nothing known": {"a": z}, "no x": {"z": z, "y": y}, "x falls": {"x": x[::-1], "y": y, "z": z},
        "uneven": {"x": x**2, "y": y, "z": z}, "sizes": {"x": y, "y": x, "z": z},
        "nan in x": {"x": x * math.nan, "y": y, "z": z}, "texts": {"x": x.astype(str), "y": y, "z": z},
        "objects": {"x": x.astype(object), "y": y, "z": z}, "scalar": {"x": 1.0, "y": 1.0, "z": 1.0},
        "one": {"x": x[:1], "y": y[:1], "z": z[:1, :1]},
    }  # fmt: skip
    found += [
        Case(f"map.npz: {name}", mapped(saved(None, **parts), ".npz")) for name, parts in archives.items()
    ]
    nothing = {
        "empty": b"", "text": b"hello", "random": random.Random(3).randbytes(800), "zeros": b"\0" * 800,
        "zip": b"PK\x03\x04" + b"\0" * 60,
    }  # fmt: skip
    for suffix in (".npz", ".tif", ".tiff", ".crg", ".crg.gz", ".png", ""):
        found += [Case(f"map{suffix}: {name}", mapped(content, suffix)) for name, content in nothing.items()]
    run = lambda **given: mapped(good, ".npy", **{"dx": 1.0, **given})()  # noqa: E731
    found += calls(read_map, {}, "path: x0:number y0:number", run=run)
    found.append(Case("map.npy without dx", mapped(good, ".npy"), ("dx",)))
    lines = CRG.splitlines(keepends=True)
    for k, line in enumerate(lines):
        changes = {
            "gone": "", "twice": line * 2, "empty": "\n",
            "misspelt": line.replace("=", ":", 1).replace(".", ","),
        }  # fmt: skip
        if "=" in line:
            head = line.partition("=")[0]
            changes |= {
                f"= {value[:10]}": f"{head}= {value}\n"
                for value in ("nan", "inf", "text", "0.0", "-1e300", "1e-300", "", "1e300")
            }
        elif line.startswith(" "):
            changes |= {
                "nan": " nan nan nan\n",
                "text": " a b c\n",
                "short": " 0.0\n",
                "infinity": line.replace("0.0000000", "      inf", 1),
            }
        for name, changed in changes.items():
            content = "".join([*lines[:k], changed, *lines[k + 1 :]]).encode()
            found.append(Case(f"map.crg: line {k} {name}", mapped(content, ".crg"), may=True))
    for seed in range(60):
        rng = random.Random(seed)
        broken = bytearray(CRG.encode())
        for _ in range(rng.randrange(1, 5)):
            broken[rng.randrange(len(broken))] = rng.randrange(256)
        squeezed = bytearray(gzip.compress(CRG.encode()))
        squeezed[rng.randrange(len(squeezed))] ^= 1 << rng.randrange(8)
        for suffix, damaged in ((".crg", broken), (".crg.gz", squeezed)):
            title = f"map{suffix}: damaged at random ({seed})"
            found.append(Case(title, mapped(bytes(damaged), suffix), may=True))
    bomb = mapped(lambda: gzip.compress(b"\0" * (2**28 + 1)), ".crg.gz")
    return [*found, Case("map.crg.gz: 256 MiB of nothing", bomb)]
