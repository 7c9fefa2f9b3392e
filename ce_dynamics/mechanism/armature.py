"""Armature: inertia of a hinge's own velocities, such as that of a geared motor's rotor."""

from __future__ import annotations

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, array, zeros
from ce_dynamics.compiler.free_numbers import is_free
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.checked import finite_number
from ce_dynamics.mechanism.hinges.base import Hinge


def check_armature(value: object, hinge: Hinge, name: str) -> Array:
    """A user's armature as one number for every velocity of the hinge; empty if it has none.

    Parameters
    ----------
    value : float or sequence of floats
        One number is that of all velocities, if they have one unit.
    hinge : Hinge
    name : str
        Of the body, for messages.

    Raises
    ------
    ModelError
        For a wrong number of values or a negative one; a single number for angles and displacements at once;
        different ones for the rotation behind a hinge with a quaternion, of which no single turn is a
        coordinate.
    """
    owner, units = f"body {name!r}", hinge.velocity_units
    if checks.is_scalar(value) or not hasattr(value, "__len__"):
        number = finite_number(value, owner, "armature", at_least=0.0)
        if len(set(units)) > 1 and (is_free(number) or number != 0.0):
            raise ModelError(
                f"{owner}: armature {checks.show(value)} cannot be that of velocities in "
                f"{sorted(set(units))} at once; give {hinge.n_v} numbers, for {list(hinge.velocity_names)}"
            )
        numbers = [number] * hinge.n_v
    else:
        given = checks.items(f"{owner}: armature", value, hinge.n_v)
        numbers = [finite_number(x, owner, f"armature {k}", at_least=0.0) for k, x in enumerate(given)]
    if not any(is_free(x) or x != 0.0 for x in numbers):
        return zeros(0)
    quasi = hinge.n_q > hinge.n_v
    turns = [x for x, unit in zip(numbers, units, strict=True) if unit == "rad/s"]
    if quasi and any(x is not turns[0] and x != turns[0] for x in turns):
        raise ModelError(
            f"{owner}: armature {checks.show(value)} of the rotation behind a {type(hinge).__name__} hinge "
            f"must be the same about all axes; give it to simpler hinges in a row otherwise"
        )
    return array(numbers)
