"""A tyre on the other side of the vehicle: its image in the plane of the wheel."""

from __future__ import annotations

from ce_dynamics.models.tyres.magic_formula.operating_point import Inputs
from ce_dynamics.models.tyres.magic_formula.outputs import Outputs


def mirror_inputs(inputs: Inputs) -> Inputs:
    """Return the inputs of the mirrored tyre: α, γ and φ_t change sign."""
    return inputs._replace(alpha=-inputs.alpha, gamma=-inputs.gamma, phit=-inputs.phit)


def mirror_outputs(outputs: Outputs) -> Outputs:
    """The answer of the image, seen from this side: Fy, Mx and Mz change sign."""
    o = outputs
    return o._replace(Fy=-o.Fy, Mx=-o.Mx, Mz=-o.Mz, Mzr=-o.Mzr, alpha=-o.alpha, gamma=-o.gamma, phit=-o.phit)
