"""Robots from files: URDF with loops (URDF+), SDF, and MJCF with equality constraints, as a `System`.

Nothing in a file is ignored silently.  What has no effect on the motion (looks) is skipped and listed in
``system.notes``; what has one and cannot be represented is refused, by name, line by line, unless the caller
says that it is to be left out.
"""

from ce_dynamics.readers.looks import Foot as Foot
from ce_dynamics.readers.mjcf.looks import mjcf_feet as mjcf_feet
from ce_dynamics.readers.mjcf.read import read_mjcf as read_mjcf
from ce_dynamics.readers.sdf.read import read_sdf as read_sdf
from ce_dynamics.readers.urdf.looks import urdf_feet as urdf_feet
from ce_dynamics.readers.urdf.read import read_urdf as read_urdf
