"""Runs with cables and contact as a page shows them: embedded systems, and plain rigid bodies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import trace
from ce_dynamics.contact.cable import Cable
from ce_dynamics.contact.contact import BodyContact, Contact
from ce_dynamics.contact.element import Row, UnilateralElement
from ce_dynamics.contact.embedded import UnilateralModel
from ce_dynamics.contact.recorder import ContactRun
from ce_dynamics.contact.rigid_contacts import RigidContacts, RigidRun
from ce_dynamics.contact.shapes import Box, Capsule, HalfSpace, Shape as Touching, Sphere
from ce_dynamics.contact.surfaces import Plane
from ce_dynamics.dynamics.outward import Outward
from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import PointLoad
from ce_dynamics.views.scene.derived import place_of_body
from ce_dynamics.views.scene.motion import arrows_of, stack_rows, states_of
from ce_dynamics.views.scene.shapes import Shape, ball, block, plane, rod, wheel
from ce_dynamics.views.scene.take import BodyPicture, SceneOptions, Strand, Take, TimeSeries, upwards
from ce_dynamics.views.scene.take_of_model import derive_with, riding, take_of_model

THIN = 0.05
"""Width of a disc, in radii."""


def take_of_unilateral(
    unilateral: UnilateralModel, run: ContactRun | None, label: str, options: SceneOptions
) -> Take:
    """Return a run of an embedded system with cables, contact and stops, or its initial state."""
    if run is not None:
        checks.instance("view: results", run, ContactRun, "what simulate_unilateral returned")
    model, elements = unilateral.model, unilateral.elements
    touching: dict[str, list[Shape]] = {}
    for body, shape in (pair for element in elements for pair in shapes_of(element)):
        touching.setdefault(body.name, []).append(shape)
    rest = [shape for name, found in touching.items() if name == "ground" for shape in found]
    moving = {name: found for name, found in touching.items() if name != "ground"}
    planes = {id(e.surface): e.surface for e in elements if isinstance(e, Contact)}
    if all(shape.kind != "plane" for shape in options.scenery):
        rest += [plane(s.point, s.normal) for s in planes.values() if isinstance(s, Plane)]
    results = None if run is None else run.results
    drawn_shapes = {**derive_with(model, moving), **options.given_shapes()}
    options = replace(options, shapes=drawn_shapes, scenery=[*options.scenery, *rest])
    take = take_of_model(model, results, label, options)
    add_cables(take, unilateral)
    if run is not None:
        take.forces, take.arrows = with_contact_forces(take, unilateral, run)
    return take


def shapes_of(element: UnilateralElement) -> Iterator[tuple[Body, Shape]]:
    """Yield the shapes in contacts of an element, each with its body."""
    if isinstance(element, BodyContact):
        yield element.body, drawn(element.shape)
        yield element.other, drawn(element.other_shape)
    if isinstance(element, Contact) and element.radius > 0.0:
        if element.axis is None:
            yield element.body, ball(element.at, element.radius)
        else:
            yield element.body, wheel(element.at, element.axis, element.radius, THIN * element.radius)


def drawn(shape: Touching) -> Shape:
    """Return a shape that touches as one that is drawn."""
    if isinstance(shape, Sphere):
        return ball(shape.points[0], shape.sizes[0])
    if isinstance(shape, Capsule):
        return rod(*shape.points, shape.sizes[0])
    if isinstance(shape, Box):
        return block(2.0 * np.asarray(shape.sizes), shape.points[0], np.asarray(shape.axes))
    assert isinstance(shape, HalfSpace)
    return plane(shape.points[0], shape.axes[0])


def add_cables(take: Take, unilateral: UnilateralModel) -> None:
    """Add cables as strands; ends that are led become points that move."""
    system = unilateral.model.system
    for cable in unilateral.elements:
        if not isinstance(cable, Cable):
            continue
        if isinstance(cable.other, Body):
            far, at = place_of_body(system, cable.other), cable.other_at - cable.other.com
        else:
            far, at = len(take.bodies), np.zeros(3)
            take.bodies.append(BodyPicture(f"{cable.name} end", []))
            way = np.zeros((len(take.t), 1, 7))
            way[:, 0, :3] = [np.asarray(cable.other.position(float(t)), dtype=float) for t in take.t]
            way[:, 0, 6] = 1.0
            take.places = np.concatenate((take.places, way), axis=1)
        near = place_of_body(system, cable.body)
        strand = Strand("cable", cable.name, near, cable.at - cable.body.com, far, at, cable.length)
        take.strands.append(strand)


def with_contact_forces(take: Take, unilateral: UnilateralModel, run: ContactRun) -> tuple[list[str], Floats]:
    """Add forces of force elements, and of rows: unit loads times multipliers, summed for every element."""
    model = unilateral.model
    names: list[str] = []

    def forces(y: Array, u: Array, t: Array, p: Array) -> dict[str, Array]:
        outward = model.instant(y, u).outward
        found = arrows_of(outward, list(row_loads(unilateral, outward, t[0], p)))
        names[:] = [name for name, _ in found]
        return {"arrows": stack_rows([arrow for _, arrow in found])}

    layout = model.layout
    sizes = {"y": len(layout.y0), "u": len(layout.u), "t": 1, "p": len(unilateral.row_kinds)}
    traced = trace("row_forces", forces, sizes)
    Y, U = states_of(model, run.results)
    p = np.asarray(run.results["multiplier"].values, dtype=float)
    arrows = traced.evaluate_many(y=Y, u=U, t=take.t[:, None], p=p)["arrows"]
    return [*take.forces, *names], np.concatenate((take.arrows, arrows), axis=1)


def row_loads(
    unilateral: UnilateralModel, outward: Outward, t: Any, p: Array
) -> Iterator[tuple[str, PointLoad]]:
    """Return one force for every element and body, acting where the first of its rows acts."""
    first = 0
    for element in unilateral.elements:
        rows: Sequence[Row] = element.rows(outward, t)
        acting: dict[str, PointLoad] = {}
        for row, multiplier in zip(rows, p[first:], strict=False):
            for load in row.loads:
                if isinstance(load, PointLoad):
                    force = load.force * multiplier
                    before = acting.get(load.body.name)
                    acting[load.body.name] = load._replace(
                        force=force if before is None else before.force + force
                    )
        first += len(rows)
        yield from ((element.name, load) for load in acting.values())


def take_of_bodies(contacts: RigidContacts, run: RigidRun | None, label: str, options: SceneOptions) -> Take:
    """Return a run of plain rigid bodies, or their initial state; shapes given are in body axes."""
    if run is not None:
        checks.instance("view: results", run, RigidRun, "what simulate_rigid returned")
    names, shapes = contacts.bodies.names, options.given_shapes()
    for name in shapes:
        contacts.bodies.index(name)
    touching: dict[str, list[Shape]] = {name: [] for name in names}
    rest = list(options.scenery)
    for one in contacts.placed.shapes:
        (rest if one.body is None else touching[one.body]).append(drawn(one.shape))
    states = [contacts.bodies.start] if run is None else run.states
    places = np.stack([np.concatenate((s.r, s.quaternion[:, [1, 2, 3, 0]]), axis=1) for s in states])
    series: list[TimeSeries] = []
    forces: list[str] = []
    arrows = np.zeros((len(states), 0, 6))
    if run is not None:
        forces, arrows = arrows_between(names, run)
        series = [
            TimeSeries("energy", "J", run.energy),
            TimeSeries("contact work", "J", run.contact_work),
            TimeSeries("contacts", "1", run.contacts.astype(float)),
        ]
    return Take(
        label=label,
        bodies=[BodyPicture(name, shapes.get(name, touching[name])) for name in names],
        t=np.zeros(1) if run is None else np.asarray(run.t),
        places=places,
        forces=forces,
        arrows=arrows,
        weight=float(np.sum(contacts.bodies.mass)) * (float(np.linalg.norm(contacts.bodies.gravity)) or 9.81),
        cameras=[
            riding(one, contacts.bodies.index(one.body), np.zeros(3), np.asarray) for one in options.cameras
        ],
        scenery=rest,
        up=upwards(contacts.bodies.gravity),
        series=series,
    )


def arrows_between(names: Sequence[str], run: RigidRun) -> tuple[list[str], Floats]:
    """Return names and arrows (n, pairs, 6): the force between two bodies, at the mean of their contacts.

    At instants without contact the place is the last one, or the first one to come.
    """
    forces = run.forces
    met = [list(zip(at.first.tolist(), at.second.tolist(), strict=True)) for at in forces]
    pairs = sorted({pair for found in met for pair in found})
    place = {pair: k for k, pair in enumerate(pairs)}
    arrows = np.full((len(run.t), len(pairs), 6), np.nan)
    arrows[:, :, 3:] = 0.0
    for row, at, found in zip(arrows, forces, met, strict=True):
        which = np.array([place[pair] for pair in found], dtype=int)
        size, moment = np.zeros(len(pairs)), np.zeros((len(pairs), 3))
        weight = np.linalg.norm(at.force, axis=1)
        np.add.at(size, which, weight)
        np.add.at(moment, which, weight[:, np.newaxis] * at.C)
        np.add.at(row[:, 3:], which, at.force)
        row[size > 0.0, :3] = moment[size > 0.0] / size[size > 0.0, np.newaxis]
    for k in range(len(pairs)):
        (known,) = np.nonzero(np.isfinite(arrows[:, k, 0]))
        nearest = known[np.maximum(np.searchsorted(known, np.arange(len(run.t)), side="right") - 1, 0)]
        arrows[:, k, :3] = arrows[nearest, k, :3]
    others = ("what is at rest" if other < 0 else names[other] for _, other in pairs)
    return [f"{other} on {names[body]}" for (body, _), other in zip(pairs, others, strict=True)], arrows
