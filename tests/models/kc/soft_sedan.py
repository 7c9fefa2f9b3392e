"""The sedan with bushings in its front axle: a data file for tests."""

from pathlib import Path

TEXT = """
title: Sedan with bushings
base: sedan
bushings:
  front:
    lower_front: {joint: lower_arm}
    lower_rear: {joint: lower_arm}
    upper: {joint: upper_arm}
    tie_rod_end: {joint: spindle steering}
front:
  lower_front:
    at: (0.2, 0.42, -0.27) m
    through: (0.6, 0.37, -0.275) m
    x: {stiffness: 6 kN/mm}
    y: {stiffness: 6 kN/mm}
    z: {curve: {deflection: "(-2, -1, 0, 1, 2) mm", force: "(-6, -1.5, 0, 1.5, 6) kN"}}
    about_x: {stiffness: 800 N*m/rad}
    about_y: {stiffness: 800 N*m/rad}
    about_z: {stiffness: 60 N*m/rad}
  lower_rear:
    at: (-0.2, 0.47, -0.265) m
    through: (0.2, 0.42, -0.27) m
    x: {stiffness: 3 kN/mm}
    y: {stiffness: 3 kN/mm}
    z: {stiffness: 1 kN/mm}
    about_x: {stiffness: 800 N*m/rad}
    about_y: {stiffness: 800 N*m/rad}
    about_z: {stiffness: 60 N*m/rad}
  upper:
    x: {stiffness: 8 kN/mm}
    y: {stiffness: 8 kN/mm}
    z: {stiffness: 4 kN/mm}
    about_x: {stiffness: 9 kN*m/rad}
    about_y: {stiffness: 9 kN*m/rad}
    about_z: {stiffness: 40 N*m/rad}
  tie_rod_end:
    z: {stiffness: 20 kN/mm}
"""


def soft_sedan(folder: Path, *, changed: tuple[str, str] = ("", ""), more: str = "") -> Path:
    """The file, with a piece of its text replaced and lines added."""
    path = folder / "soft.yaml"
    assert changed[0] in TEXT
    path.write_text((TEXT.replace(*changed) if changed[0] else TEXT) + more)
    return path
