"""Files in the styles in which robots are published, against MuJoCo's terms with hard constraints."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import ce_dynamics as ce
from tests.ce_dynamics.readers.mujoco_exact import exact
from tests.ce_dynamics.readers.mujoco_states import ROBOTS, Peer, random_state, write

STYLES = ROBOTS / "styles"
STATES = 2
NOT_ACTED_ON = {
    "gripper": {"contact", "joint@range"},
    "drone": set(),
    "arm": {"contact", "joint@range", "tendon@range"},
    "person": {"contact", "joint@range", "tendon@range"},
    "walker": {"contact", "joint@range"},
    "machine": {"contact", "body@mocap", "pair"},
}


@cache
def system_of(name: str) -> ce.System:
    """Read once; nobody changes it."""
    return ce.read_mjcf(STYLES / f"{name}.xml")


@pytest.mark.parametrize("name", NOT_ACTED_ON)
def test_published_styles_move_as_in_mujoco(name: str, rng: np.random.Generator) -> None:
    """Agreement is rounding times the condition of the mass matrix, with any actuators."""
    path = STYLES / f"{name}.xml"
    model = ce.Model(system_of(name))
    peer = Peer(model, path)
    for _ in range(STATES):
        q, v = random_state(model, rng, 0.1)
        ctrl, act = rng.uniform(-2.0, 2.0, peer.m.nu), rng.uniform(-1.0, 1.0, peer.m.na)
        instant = model.instant(np.concatenate((q, v, act)), ctrl)
        expected = exact(peer, q, v, ctrl, act)
        seen = np.isfinite(expected)  # not those of a coordinate that is no joint's
        assert seen.sum() >= len(seen) - 1
        size = np.abs(expected[seen]).max()
        tolerance = 1e-15 * max(peer.condition(), 100.0) * size
        found = instant.accelerations.v_dot.astype(float)
        np.testing.assert_allclose(found[seen], expected[seen], rtol=0.0, atol=tolerance)
        np.testing.assert_allclose(instant.x_dot.astype(float), peer.d.act_dot, rtol=0.0, atol=1e-14)


@pytest.mark.parametrize("name", NOT_ACTED_ON)
def test_features_that_do_nothing_are_named(name: str) -> None:
    notes = system_of(name).notes
    noted = {note.split(": ")[1] for note in notes if ": not acted on: " in note}
    assert noted == NOT_ACTED_ON[name]


def test_activations_start_as_in_a_keyframe() -> None:
    model = ce.Model(ce.read_mjcf(STYLES / "drone.xml", keyframe="hover"))
    assert model.layout.split(model.y0)[2].tolist() == [1.1]
    assert model.u0.tolist() == [3.4, 3.4, 3.4, 1.1]


MESHES = """<mujoco><compiler meshdir="assets"/>
<asset><mesh name="shell" file="shell.stl"/> <mesh file="cover.obj" scale="-1 1 1"/>
  <texture name="paint" type="2d" file="paint.png"/> <material name="paint" texture="paint"/>
  <hfield name="hill" file="hill.png" size="1 1 1 1"/></asset>
<worldbody><geom type="hfield" hfield="hill"/>
  <body name="flap"> <joint axis="0 1 0"/> {inertial}
    <geom type="mesh" mesh="shell" material="paint" {mass}/>
    <geom type="mesh" mesh="cover" contype="0" conaffinity="0" {mass}/>
    <geom size="0.1" pos="0 0 -1" mass="2"/></body></worldbody></mujoco>"""
INERTIAL = '<inertial pos="0 0 -1" mass="1" diaginertia="1 1 1"/>'


@pytest.mark.parametrize(("inertial", "mass", "expected"), [(INERTIAL, "", 1.0), ("", 'mass="0"', 2.0)])
def test_missing_shapes_are_allowed_without_mass(
    tmp_path: Path, inertial: str, mass: str, expected: float
) -> None:
    path = write(tmp_path, MESHES.format(inertial=inertial, mass=mass), "flap.xml")
    (tmp_path / "assets").mkdir()
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n"
    (tmp_path / "assets" / "cover.obj").write_text(pointer)
    system = ce.read_mjcf(path)
    assert system.find("flap").mass == expected
    notes = " ".join(system.notes)
    for kind, file in (("mesh", "cover.obj"), ("mesh", "shell.stl"), ("hfield", "hill.png")):
        assert f"{kind}@file: not acted on: " in notes
        assert f"'{file}' is not there" in notes


def test_missing_shapes_with_mass_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path, MESHES.format(inertial="", mass=""), "flap.xml")
    with pytest.raises(
        ce.DataError, match=r"line \d+: the mass of body 'flap' comes from the mesh 'shell.stl'"
    ):
        ce.read_mjcf(path)


def test_immobile_body_weighs_nothing_without_its_shapes(tmp_path: Path) -> None:
    text = MESHES.format(inertial="", mass="").replace('<joint axis="0 1 0"/>', "")
    path = write(tmp_path, text, "flap.xml")
    assert ce.read_mjcf(path).find("flap").mass == 2.0  # that of the sphere beside the missing shapes
