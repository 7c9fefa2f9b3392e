"""Axles of vehicles for the rig: wheels, kingpins, steering, bars, and the numbers that pitch depends on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler.free_numbers import nominal, number
from ce_dynamics.errors import DataError
from ce_dynamics.mechanism.drives import SecondOrderActuator
from ce_dynamics.mechanism.elastic_joints import ElasticJoint
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.kc.axle import Axle, Wheel
from ce_dynamics.models.kc.compliance import Compliance
from ce_dynamics.models.kc.rig import KCRig
from ce_dynamics.models.tyres.magic_formula.on_road import MagicFormulaTyre
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.bodies import Vector
from ce_dynamics.models.vehicles.case import VehicleSetup, setup_of
from ce_dynamics.models.vehicles.corner import Corner, sprung_body
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.steering.column import Column
from ce_dynamics.models.vehicles.suspensions.builder import TwistSpring
from ce_dynamics.models.vehicles.trailers import TorsionHitchData

Kingpin: TypeAlias = tuple[tuple[str, Vector], tuple[str, Vector]]
"""Lower and upper point of a steering axis, each with the body it is fixed on."""


def rig_of(
    vehicle: VehicleSetup | VehicleParameters | str | Path | None = None,
    axle: str = "front",
    *,
    overrides: Sequence[str] = (),
    free: Sequence[str] = (),
    tyres: Sequence[str] = (),
) -> KCRig:
    """Return the rig with an axle of a vehicle on it.

    Parameters
    ----------
    vehicle : VehicleSetup, VehicleParameters, str or path, optional
        A loaded vehicle, its data, a shipped vehicle by name, or a data file; the HMMWV if not given.
    axle : str
        Its name.
    overrides, free : sequences of str
        As of `VehicleParameters.load`: numbers that are changed, numbers that are free parameters.
    tyres : sequence of str
        Property files in place of the vehicle's tyres, see `fit_tyres`: their loaded radii decide where
        the road is, their vertical stiffnesses count in ride rates.

    Examples
    --------
    >>> from ce_dynamics.models import kc
    >>> rig = kc.rig_of("sedan", "front")
    >>> curves = rig.sweep("parallel", [-0.05, 0.0, 0.05])
    >>> curves["camber_angle"].sel(side="left").values[[0, 2]].round(4)
    array([ 0.0169, -0.0226])
    """
    tyres = checks.texts("rig_of: tyres", tyres, DataError)
    if isinstance(vehicle, VehicleSetup):
        tyres = setup_of(vehicle, overrides=overrides, free=free, tyres=tyres).tyres
    data = data_of("rig_of", vehicle, overrides, free)
    fitted: Mapping[str, MagicFormulaTyre] = {}
    if tyres:
        # here, because few rigs need it
        from ce_dynamics.models.vehicles.fitted_tyres import fit_tyres

        fitted = fit_tyres(tyres, data.corners).models
    system = build(data, ideal_joints=True, tyres=fitted)
    with data.naming():
        model = Model(system)
    return KCRig(model, axle_of(data, system, axle, fitted))


def data_of(
    owner: str,
    vehicle: VehicleSetup | VehicleParameters | str | Path | None,
    overrides: Sequence[str],
    free: Sequence[str],
) -> VehicleParameters:
    """Return the data of a vehicle that is loaded, or is named."""
    if not isinstance(vehicle, (VehicleSetup, VehicleParameters)):
        return VehicleParameters.load(vehicle, overrides, free=free)
    if overrides or free:
        raise DataError(f"{owner}: give overrides and free parameters where the data are loaded")
    return vehicle.data if isinstance(vehicle, VehicleSetup) else vehicle


def compliance_of(
    vehicle: VehicleSetup | VehicleParameters | str | Path | None = None,
    axle: str = "front",
    *,
    overrides: Sequence[str] = (),
    free: Sequence[str] = (),
) -> Compliance:
    """Return an axle of a vehicle on the rig with the bushings of its data file.

    Free parameters are for `differentiate_force_sweep` and `ComplianceSensitivities`.
    """
    data = data_of("compliance_of", vehicle, overrides, free)
    rig = rig_of(data, axle)
    return Compliance(rig, elastic_joints(data, rig))


def elastic_joints(data: VehicleParameters, rig: KCRig) -> list[ElasticJoint]:
    """Return the bushings of the axle that is on a rig."""
    own = [bushing for bushing in data.bushings if bushing.axle == rig.axle.name]
    return [one for bushing in own for one in bushing.elastic(rig.model.system)]


def axle_of(
    data: VehicleParameters,
    system: System,
    axle: str,
    fitted: Mapping[str, MagicFormulaTyre] | None = None,
) -> Axle:
    """Return an axle of a vehicle that was built from data.

    ``fitted`` are tyres by corner in place of those of the data.
    """
    checks.instance("data", data, VehicleParameters, "a VehicleParameters", DataError)
    checks.instance("system", system, System, "a System built from the data", DataError)
    names = [one.name for one in data.layout.axles]
    checks.check_name("rig", axle, names, "axle", DataError)
    layout = data.layout.axles[names.index(axle)]
    corners: list[Corner] = [data.corners[name] for name in layout.corners]
    sprung = layout.trailer or "chassis"
    own = [body for body in system.bodies if sprung_body(system, body).name == sprung]
    masses = np.array([float(nominal(body.mass)) for body in own])
    centres = np.array([nominal(body.com).astype(float) for body in own])
    com = masses @ centres / masses.sum()
    load = float(masses.sum()) * float(nominal(data.data.vehicle.gravity)) * axle_share(data, axle, com[0])
    tyres = {corner.name: (fitted or {}).get(corner.name, corner.tyre) for corner in corners}
    rates = {c.name: c.tyre_count * float(nominal(tyres[c.name].cz)) for c in corners}
    radii = {
        name: float(nominal(tyre.unloaded_radius)) - 0.5 * load / rates[name] for name, tyre in tyres.items()
    }
    road = np.mean([float(nominal(corner.W[2])) - radii[corner.name] for corner in corners])
    left, right = (
        Wheel(
            f"{corner.name}.wheel",
            radii[corner.name],
            kingpin_on_unit(corner.kingpin, sprung),
            rates[corner.name],
            corner.name,
        )
        for corner in corners
    )
    steered_by, full_lock, unit = (
        steering(system, layout.mechanism) if layout.steering is not None else (None, 1.0, "rad")
    )
    return Axle(
        axle,
        left,
        right,
        chassis=sprung,
        steered_by=steered_by,
        full_lock=full_lock,
        steering_unit=unit,
        bars=tuple(
            element.name
            for element in system.forces
            if isinstance(element, TwistSpring) and element.name.startswith(f"{axle}.")
        ),
        wheelbase=abs(float(nominal(wheelbase(data, corners[0], layout.trailer)))),
        centre_of_mass=(float(com[0]), float(com[2] - road)),
        in_front=False if layout.trailer else None,
        brake_share=brake_share(data, corners),
        drive_share=sum(
            share
            for name, share in zip(data.driven, data.wheel_shares, strict=True)
            if name in layout.corners
        ),
    )


def kingpin_on_unit(kingpin: Kingpin | None, unit: str) -> Kingpin | None:
    """Return a steering axis whose points on "the chassis" are on a trailer, if that carries it."""
    if kingpin is None:
        return None
    lower, upper = ((unit if body == "chassis" else body, at) for body, at in kingpin)
    return lower, upper


def wheelbase(data: VehicleParameters, corner: Corner, trailer: str | None) -> Scalar:
    """Return the wheelbase of the vehicle, or the distance of a trailer's axle from its hitch [m]."""
    if trailer is None or isinstance(data.trailers[trailer].hitch, TorsionHitchData):
        return data.wheelbase
    return number(data.trailers[trailer].at[0] - corner.W[0])


def axle_share(data: VehicleParameters, axle: str, x: float) -> float:
    """Return an axle's part of the weight: by the levers of two axles, else (and of trailers) equal parts."""
    trailer = next(one.trailer for one in data.layout.axles if one.name == axle)
    places = {
        one.name: float(np.mean([float(nominal(data.corners[name].W[0])) for name in one.corners]))
        for one in data.layout.axles_of(trailer)
    }
    if len(places) != 2 or trailer is not None:
        return 1.0 / len(places)
    other = next(place for name, place in places.items() if name != axle)
    return (x - other) / (places[axle] - other)


def brake_share(data: VehicleParameters, corners: Sequence[Corner]) -> float:
    """Return the part of the brake torque at some corners."""
    torques = {name: float(nominal(corner.brake_torque)) for name, corner in data.corners.items()}
    whole = sum(torques.values())
    return sum(torques[corner.name] for corner in corners) / whole if whole > 0.0 else 1.0


def steering(system: System, mechanism: str = "steering") -> tuple[str, float, str]:
    """Return the body that the input ``steering`` moves, its coordinate at full lock, and its unit.

    An actuator sets it, or the driver's torques on a column, which the rig holds.
    """
    for element in system.forces:
        if isinstance(element, Column) and element.name == f"{mechanism}.column":
            led = element.body
            return led.name, float(nominal(element.gain)), led.inboard.coordinate_units[0]
    for name, motion in system.prescribed.items():
        own = name.startswith(f"{mechanism}.")
        if own and isinstance(motion, SecondOrderActuator) and motion.inputs == ("steering",):
            return name, float(nominal(motion.gain)), system.find(name).inboard.coordinate_units[0]
    raise DataError("rig: nothing is steered by an actuator of the input 'steering', or by a column")
