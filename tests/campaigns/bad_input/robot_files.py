"""Robot files changed in one place each, damaged at random, or made to be too much."""

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.campaigns.bad_input.cases import Case, Content, reading
from tests.campaigns.bad_input.data_file import of_damage

ROBOTS = Path(__file__).parents[2] / "data" / "robots"
ATTRIBUTE = re.compile(r'([A-Za-z_0-9]+)="([^"]*)"')
SOFTNESS = ("solref", "solimp")
"""Softness of MuJoCo's constraints, which are rigid here; a note reports it."""
WRONG = {
    "empty": "", "text": "strange", "nan": "nan", "infinity": "inf", "overflow": "1e999",
    "too many": "1 2 3 4 5 6 7 8 9 10 11 12", "zero": "0", "zeros": "0 0 0", "minus": "-1",
    "huge": "1e300 1e300 1e300", "hexadecimal": "0x1p3", "comma": "1,2,3", "braces": "${pi/2}",
    "long": "9" * 20000,
}  # fmt: skip


def body_of(text: str) -> int:
    """Return the place where the elements begin, behind comments."""
    return text.index("<robot") if "<robot" in text else text.index("<mujoco")


def looks(text: str, place: int) -> bool:
    """Return True if a place is within visual elements, which a note reports as skipped."""
    return text.rfind("<visual", 0, place) > text.rfind("</visual", 0, place)


def of_attributes(read: Callable[..., Any], name: str, suffix: str, every: int) -> list[Case]:
    """Every attribute with wrong values; what may be left out or be anything is allowed to."""
    text = (ROBOTS / name).read_text(encoding="utf-8")
    found = []
    start = body_of(text)
    for place, match in enumerate(ATTRIBUTE.finditer(text, start)):
        for k, (what, value) in enumerate(WRONG.items()):
            if (place + k) % every:
                continue
            changed = text[: match.start(2)] + value + text[match.end(2) :]
            number = bool(re.fullmatch(r"[-+.\d e]+", match[2])) and match[1] not in SOFTNESS
            sure = what in ("nan", "infinity", "overflow") and number and not looks(text, match.start())
            label = f"{name}: {match[1]}[{place}] {what}"
            found.append(Case(label, reading(read, changed, suffix), may=not sure))
        gone = text[: match.start()] + text[match.end() :]
        found.append(Case(f"{name}: {match[1]}[{place}] gone", reading(read, gone, suffix), may=True))
        twice = text[: match.end()] + " " + match[0] + text[match.end() :]
        found.append(Case(f"{name}: {match[1]}[{place}] twice", reading(read, twice, suffix)))
        other = text[: match.start(1)] + match[1] + "x" + text[match.end(1) :]
        may = looks(text, match.start())
        found.append(Case(f"{name}: {match[1]}[{place}] misspelt", reading(read, other, suffix), may=may))
    return found


def of_files(read: Callable[..., Any], root: str, suffix: str) -> list[Case]:
    """Files that are none of the format, or too much of it."""
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {chr(98 + k)} "{f"&{chr(97 + k)};" * 10}">' for k in range(12)
    )
    texts: dict[str, Content] = {
        "empty": "",
        "text": "robot",
        "YAML": "robot: {}",
        "other root": "<html/>",
        "only a root": f"<{root}/>" if root == "robot" else f"<{root}><nothing/></{root}>",
        "not closed": f"<{root}>",
        "two roots": f"<{root}/><{root}/>",
        "not UTF-8": f"<{root} name='".encode() + b"\xff'/>",
        "UTF-16": f"<?xml version='1.0' encoding='utf-16'?><{root}><nothing/></{root}>".encode("utf-16"),
        "unknown encoding": f"<?xml version='1.0' encoding='nothing'?><{root}/>",
        "zero bytes": b"\0" * 1000,
        "random": random.Random(5).randbytes(3000),
        "entities": f"{bomb}]><{root}>&m;</{root}>",
        "external entity": f'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><{root} name="&a;"/>',
        "external document type": f'<!DOCTYPE {root} SYSTEM "http://127.0.0.1:9/x.dtd"><{root}/>',
        "deep": f"<{root}>" + "<link>" * 100000 + "</link>" * 100000 + f"</{root}>",
        "a million attributes": lambda: f"<{root} " + " ".join(f'a{k}="1"' for k in range(300_000)) + "/>",
        "attributes by the thousand": f"<{root}><link "
        + " ".join(f'a{k}="1"' for k in range(4000))
        + f"/></{root}>",
        "long attribute": lambda: f'<{root} name="' + "x" * 12_000_000 + '"/>',
        "many elements": lambda: f"<{root}>" + "<nothing/>" * 300_000 + f"</{root}>",
        "long name": f"<{root}><{'x' * 100000}/></{root}>",
        "large": lambda: f"<{root}><!-- " + "x" * (70 * 2**20) + f" --></{root}>",
        "namespace": f"<a:{root} xmlns:a='x'/>",
        "unknown prefix": f"<a:{root}/>",
        "instruction": f"<?php x ?><{root}><nothing/></{root}>",
    }
    return [Case(f"{root} file: {name}", reading(read, text, suffix)) for name, text in texts.items()]


def of_texts(read: Callable[..., Any], root: str, suffix: str) -> list[Case]:
    """Attributes, damage, and files that are none of the format."""
    found: list[Case] = []
    for name, every in ((f"four_bar{suffix}", 2), (f"leg{suffix}", 5)):
        text = (ROBOTS / name).read_text(encoding="utf-8")
        found += of_attributes(read, name, suffix, every) + of_damage(read, name, text, suffix, 60)
    return found + of_files(read, root, suffix)
