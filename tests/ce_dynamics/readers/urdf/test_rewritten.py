"""The same robot written otherwise moves the same: welds between its joints, a mirror, millimetres."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lxml import etree

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array
from tests.ce_dynamics.readers.mujoco_states import ROBOTS

Root = Any  # of lxml, which has no types


def numbers(element: Root, key: str) -> list[float]:
    return [float(x) for x in (element.get(key) or "0 0 0").split()]


def put(element: Root, key: str, values: Array | list[float]) -> None:
    element.set(key, " ".join(repr(float(x)) for x in values))


def welded(root: Root) -> float:
    for k, joint in enumerate(root.findall("joint")):
        parent, origin = joint.find("parent"), joint.find("origin")
        etree.SubElement(root, "link", name=f"between {k}")
        weld = etree.SubElement(root, "joint", name=f"weld {k}", type="fixed")
        if origin is not None:
            weld.append(origin)
        etree.SubElement(weld, "parent", link=parent.get("link"))
        etree.SubElement(weld, "child", link=f"between {k}")
        parent.set("link", f"between {k}")
    return 1.0


def mirrored(root: Root) -> float:
    """At the plane y = 0: y changes its sign, of turns the others."""
    for origin in root.iter("origin"):
        put(origin, "xyz", numbers(origin, "xyz") * np.array((1.0, -1.0, 1.0)))
        put(origin, "rpy", numbers(origin, "rpy") * np.array((-1.0, 1.0, -1.0)))
    for axis in root.iter("axis"):
        put(axis, "xyz", numbers(axis, "xyz") * np.array((-1.0, 1.0, -1.0)))
    for inertia in root.iter("inertia"):
        for key in ("ixy", "iyz"):
            inertia.set(key, repr(-float(inertia.get(key) or 0.0)))
    return 1.0


def in_millimetres(root: Root) -> float:
    """Lengths are a thousand times as large, moments of inertia a million times."""
    for origin in root.iter("origin"):
        put(origin, "xyz", 1e3 * np.array(numbers(origin, "xyz")))
    for inertia in root.iter("inertia"):
        for key in inertia.attrib:
            inertia.set(key, repr(1e6 * float(inertia.get(key) or 0.0)))
    return 1e3


@pytest.mark.parametrize("name", ["five_bar", "rod_leg"])
def test_robot_written_otherwise_moves_the_same(tmp_path: Path, name: str) -> None:
    """Condition of the mass matrices some 1e6, of which 1e-16 is lost: 1e-9 with room for sums."""
    path, loops = ROBOTS / f"{name}.urdf", ROBOTS / f"{name}.yaml"
    plain = ce.compile(ce.read_urdf(path, loops=loops))
    pose = {
        joint.get("name"): float(plain.system.find(joint.find("child").get("link")).inboard.neutral[0])
        for joint in etree.parse(str(path)).getroot().findall("joint")
        if joint.get("type") in ("revolute", "continuous")
    }
    rng = np.random.default_rng(5)
    y = plain.y0 + rng.uniform(-0.1, 0.1, len(plain.y0))
    expected = plain.instant(y, plain.u0).y_dot
    ways: tuple[Callable[[Root], float], ...] = (welded, mirrored, in_millimetres)
    for rewrite in ways:
        root = etree.parse(str(path)).getroot()
        length = rewrite(root)
        other = tmp_path / f"{rewrite.__name__}.urdf"
        other.write_bytes(etree.tostring(root))
        system = ce.read_urdf(other, loops=loops, pose=pose, gravity=(0.0, 0.0, -9.81 * length))
        model = ce.compile(system)
        assert [entry.name for entry in model.layout.q] == [entry.name for entry in plain.layout.q]
        found = model.instant(y, model.u0).y_dot
        assert np.max(np.abs(found - expected)) < 1e-9 * np.max(np.abs(expected)), rewrite.__name__
