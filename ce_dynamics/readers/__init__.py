"""Robots from files: URDF with loops (URDF+), SDF, and MJCF with equality constraints, as a `System`.

Nothing in a file is ignored silently.  Elements without effect on the motion are skipped and listed in
``system.notes``.  Others that cannot be represented are rejected, by name and line, unless the caller
leaves them out explicitly.
"""

from ce_dynamics.readers.looks import Foot as Foot, urdf_feet as urdf_feet
from ce_dynamics.readers.mjcf.looks import mjcf_feet as mjcf_feet
from ce_dynamics.readers.mjcf.read import read_mjcf as read_mjcf
from ce_dynamics.readers.sdf.read import read_sdf as read_sdf
from ce_dynamics.readers.urdf.read import read_urdf as read_urdf
