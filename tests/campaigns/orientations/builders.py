"""The mechanisms of other tests somewhere else: turned, moved by kilometres, their data rounded.

`python -m tests.campaign orientations --builders` puts every one of them everywhere.
"""

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.state import Layout
from ce_dynamics.embedding.aggregate import Aggregate, Embedding
from ce_dynamics.embedding.embed import embed
from ce_dynamics.errors import CeDynamicsError, ImmobilityWarning
from ce_dynamics.mechanism.hinges import Planar
from ce_dynamics.mechanism.system import System
from ce_dynamics.models import hmmwv
from ce_dynamics.models.published import MECHANISMS
from tests.campaigns.orientations.trial import CLOSED, ROUNDINGS, size_of
from tests.ce_dynamics.closure_sampling import closure_errors_at
from tests.ce_dynamics.moved_systems import Elsewhere, rotation
from tests.kinematics.registry import LINKAGES, STEERED
from tests.support.systems import (
    bricard,
    five_bar,
    floating_coupler,
    four_bar,
    rsur,
    slider_crank,
    spatial_slider,
)

AWAY = 5e3
"""Kilometres from the origin [m]."""
REACH = 0.05
"""Distance of the states at which closures are checked [rad or m]."""
PROPAGATED = 1000.0
"""Factor by which accelerations may exceed the precision of data where lengths and rates are about 1 and no
hinge turns more than 30 times as fast as the one that leads: the square of that, as in accelerations."""
REFUSED = {
    **{f"A02 {n} four-bars": ("ModelError", "IndependentCoordinatesError") for n in (1, 2, 5)},
    "Bricard": ("OverConstrainedError",),
    "A04 Bricard": ("OverConstrainedError",),
}
"""Allowed refusals where data are rounded: parallelograms of bars of unequal length do not go
through the positions in line, and six-bars whose axes meet a Bricard's conditions nearly do not move."""


class There(NamedTuple):
    """Place of a mechanism, and the decimals of its data."""

    digits: int | None
    away: float


EVERYWHERE = [There(digits, away) for digits, away in product((None, 12, 9, 6), (0.0, AWAY))]


def linkage(name: str) -> System:
    """A closed-form linkage of the registry as bodies and cuts, for Newton's method."""
    case = LINKAGES[name]()
    system = System(gravity=(1.0, -2.0, -9.0))
    joints = [*case.carriers, *case.linkage.joints()]
    inside = {joint.body for joint in joints}
    for joint in joints:
        parent = joint.carrier if joint.carrier in inside else "ground"
        com = joint.hinge.at + np.array((0.03, -0.05, 0.02))
        system.add_body(
            joint.body, mass=1.0, com=com, inertia=(0.1, 0.2, 0.15), parent=parent, hinge=joint.hinge
        )
    leading = [joint.body for joint in joints if joint.body not in case.linkage.determines]
    for cut in case.linkage.cuts():
        a, b = (end if end in inside else "ground" for end in (cut.body_a, cut.body_b))
        system.close_loop(cut.name, a, b, cut.closure, leading)
    return system


HOMES: dict[str, Callable[[], System]] = {
    "four-bar": lambda: four_bar((1.0, 3.0, 2.5, 3.2), 0.7),
    "double rocker": lambda: four_bar((2.0, 2.5, 2.0, 4.0), 1.0),
    "slider-crank": lambda: slider_crank(0.3, 1.0, 0.5),
    "slider-crank led by its slider": lambda: slider_crank(0.3, 1.0, 0.5, ("slider",)),
    "five-bar": five_bar,
    "RSUR": rsur,
    "cylindrical slider": lambda: spatial_slider("cylindrical"),
    "screw": lambda: spatial_slider("screw"),
    "floating coupler": floating_coupler,
    "Bricard": bricard,
    **{name: mechanism.build for name, mechanism in MECHANISMS.items()},
    **{f"linkage: {name}": partial(linkage, name) for name in LINKAGES if name not in STEERED},
    "HMMWV on springs": hmmwv.build_ride,
}


class Verdict(NamedTuple):
    """Outcome of a mechanism somewhere else."""

    refused: str  # name of the error, empty if there was none
    apart: float  # how far accelerations are from those at home, of the largest
    closure: float  # largest error of a closure, of what size and distance allow


def put(name: str, there: There, seed: int = 0) -> Verdict:
    """Compare a mechanism somewhere else with the same at home."""
    rng = np.random.default_rng(seed)
    system = HOMES[name]()
    home = embed(Elsewhere(np.eye(3), np.zeros(3))(system))
    elsewhere = Elsewhere(rotation(rng), there.away * rng.uniform(-1.0, 1.0, 3), there.digits)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ImmobilityWarning)
        try:
            moved = embed(elsewhere(system))
            found = accelerations(moved)
        except CeDynamicsError as error:
            return Verdict(type(error).__name__, 0.0, 0.0)
    assert list(moved.q_of) == list(home.q_of)
    expected = accelerations(home)
    apart = float(np.max(np.abs(found - expected)) / np.max(np.abs(expected), initial=1.0))
    return Verdict("", apart, closure(moved, there.away, rng))


def allowed(there: There) -> float:
    """Return the allowed change of accelerations by the data of a place, relative to the largest."""
    written = 1e-15 if there.digits is None else 10.0**-there.digits
    return PROPAGATED * max(written, float(np.spacing(there.away)) if there.away else 0.0)


def scalars(embedding: Embedding) -> Iterator[tuple[slice, slice]]:
    """Coordinates and velocities that do not depend on the axes of the world."""
    for name, body in embedding.coordinates.items():
        hinge = body.inboard
        if hinge.n_q == hinge.n_v and not isinstance(hinge, Planar):
            yield embedding.q_of[name], embedding.v_of[name]


def accelerations(embedding: Embedding) -> Array:
    """Return accelerations of scalar coordinates, close to the design pose, which the others keep."""
    layout = Layout(embedding)
    q, v, x = layout.split(layout.y0)
    q, v = q.copy(), np.zeros_like(v)
    places = list(scalars(embedding))
    for k, (of_q, of_v) in enumerate(places):
        q[of_q] += 0.02 / (k + 1.0)
        v[of_v] = 1.0 / (k + 1.0)
    instant = Instant(embedding, layout, q, v, x, np.zeros(len(layout.u)))
    v_dot = np.asarray(instant.accelerations.v_dot, dtype=float)
    return np.concatenate([np.zeros(0), *(v_dot[of_v] for _, of_v in places)])


def closure(embedding: Embedding, away: float, rng: np.random.Generator) -> float:
    """Largest error of a closure near the design pose, of what is allowed."""
    loops = [S for S in embedding.aggregates for _ in S.closures]
    if not loops:
        return 0.0
    layout = Layout(embedding)
    q = np.tile(layout.split(layout.y0)[0], (300, 1))
    for of_q, _ in scalars(embedding):
        q[:, of_q] += REACH * rng.uniform(-1.0, 1.0, (len(q), of_q.stop - of_q.start))
    errors = closure_errors_at(embedding, q)
    errors = errors[np.all(np.isfinite(errors), axis=1)]
    assert len(errors) > 100, "most states can be assembled"
    return float(np.max(errors / np.array([limit(S, away) for S in loops])))


def fits(name: str, there: There, verdict: Verdict) -> bool:
    """Return True if a mechanism moves there as it does at home and closes, or is refused as allowed."""
    if verdict.refused:
        rounded = there.digits is not None or there.away > 0.0
        return rounded and verdict.refused in REFUSED.get(name, ())
    return verdict.apart <= allowed(there) and verdict.closure <= 1.0


def everywhere() -> int:
    """Put every mechanism everywhere, print what came of it, and count what does not fit."""
    wrong = 0
    for name, there in product(HOMES, EVERYWHERE):
        verdict = put(name, there)
        fit = fits(name, there, verdict)
        wrong += not fit
        what = (
            verdict.refused
            or f"apart by {verdict.apart:.1e}, open by {verdict.closure:.1e} of what is allowed"
        )
        place = f"{'all' if there.digits is None else there.digits} digits, {there.away:g} m away"
        print(f"{'' if fit else 'WRONG: '}{name}, {place}: {what}", flush=True)
    return wrong


def limit(S: Aggregate, away: float) -> float:
    """Error of a closure that the size of its loop and the distance allow."""
    far = 2.0 * np.sqrt(3.0) * ROUNDINGS * (len(S.bodies) + 2) * float(np.spacing(away)) if away else 0.0
    return CLOSED * max(1.0, size_of(S)) + far
