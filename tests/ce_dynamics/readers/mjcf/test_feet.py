"""Feet of MJCF files: where MuJoCo sees contacts, with its friction, and what carries a robot that stands."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.contact import Contact, Plane, UnilateralModel, simulate_unilateral
from tests.ce_dynamics.readers.mujoco_states import write as write_file

STOOL = """<mujoco>
  <default><geom friction="0.4"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1" pos="0 0 0.01" euler="{tilt} 0 0" friction="0.7"/>
    <body name="stool" pos="0 0 {height}">
      <freejoint/>
      <geom name="seat" type="box" size="0.2 0.15 0.02" pos="-0.04 0.03 0.3" mass="3"/>
      <geom name="leg" type="capsule" size="0.02" fromto="0.15 0.1 0.3 0.15 0.1 0.02" mass="0.2"/>
      <geom name="ball" size="0.02" pos="-0.15 0.1 0.02" mass="0.2" friction="0.9"/>
      <geom name="slick" size="0.02" pos="-0.15 -0.1 0.02" mass="0.2" priority="1" friction="0.1"/>
      <geom name="ghost" size="0.5" contype="0" conaffinity="0" mass="0"/>
      <geom name="rim" type="cylinder" size="0.02 0.01" pos="0.15 -0.1 0.012" mass="0.2"/>
    </body>
    <body name="table" pos="2 0 0"><geom name="stands" type="box" size=".1 .1 .1" mass="1"/></body>
  </worldbody>
</mujoco>"""


def write(folder: Path, height: float, tilt: float) -> Path:
    return write_file(folder, STOOL.format(height=height, tilt=tilt), "stool.xml")


@pytest.mark.parametrize("tilt", [0.0, 4.0])
def test_feet_are_where_mujoco_sees_contacts(tmp_path: Path, tilt: float) -> None:
    """In a pose that presses all of them a little into the floor; MuJoCo's contacts are half as deep."""
    path = write(tmp_path, -0.31, tilt)
    feet, others = ce.mjcf_feet(path)
    assert others == ["rim (cylinder)"]
    m = mujoco.MjModel.from_xml_path(str(path))
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    seen: dict[str, list[tuple[float, float]]] = {m.geom(c.geom[1]).name: [] for c in d.contact}
    for c in d.contact:
        seen[m.geom(c.geom[1]).name].append((float(c.dist), float(c.friction[0])))
    assert {foot.name.split()[1] for foot in feet} == {"seat", "leg", "ball", "slick"} == {*seen} - {"rim"}
    for name in ("leg", "ball", "slick", "seat"):
        mine = sorted(
            float(f.normal @ (f.at - f.through)) - f.radius for f in feet if f.name.split()[1] == name
        )
        theirs = sorted(dist for dist, _ in seen[name])
        np.testing.assert_allclose(mine[: len(theirs)], theirs, rtol=0, atol=1e-12)  # the deepest
        assert {f.friction for f in feet if f.name.split()[1] == name} == {mu for _, mu in seen[name]}


def test_a_robot_stands_on_its_feet(tmp_path: Path) -> None:
    """Hard contact: it neither sinks nor slides, and the floor bears its weight."""
    path = write(tmp_path, 0.0101, 0.0)
    system = ce.read_mjcf(path)
    feet, _ = ce.mjcf_feet(path)
    low = [f for f in feet if f.at[2] < 0.1]
    elements = [
        Contact(f.name, system.find(f.body), f.at, Plane(f.friction, f.normal, f.through), radius=f.radius)
        for f in low
    ]
    assert len(elements) == 3
    model = ce.compile(system)
    run = simulate_unilateral(UnilateralModel(model, elements), duration=0.03, step=1e-3)
    assert abs(float(run.results.stool_z[-1])) < 2e-4
    load = run.results.multiplier.isel(time=-1)
    normals = [float(load.sel(row=name)) for name in run.results.row.values if name.endswith("normal")]
    assert sum(normals) == pytest.approx(3.8 * 9.81, rel=1e-6)
    assert min(normals) > 0.0
