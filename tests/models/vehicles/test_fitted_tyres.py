"""Tyres of property files on a vehicle."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import DataError
from ce_dynamics.models import hmmwv
from ce_dynamics.models.handling.vehicle import vehicle
from ce_dynamics.models.parts.manoeuvres import StraightOn
from ce_dynamics.models.tyres.magic_formula.coefficients import NO_NUMBERS, Coefficients
from ce_dynamics.models.tyres.magic_formula.on_road import MagicFormulaTyre
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.models.vehicles.description import VehicleParameters
from ce_dynamics.models.vehicles.fitted_tyres import fit_tyres
from tests.models.tyres.magic_formula.figures import coefficients


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A property file of a tyre that suits the vehicle, for the left side."""
    c = coefficients(61, FNOMIN=8500.0, VERTICAL_STIFFNESS=4.1e5, UNLOADED_RADIUS=0.47, RIM_RADIUS=0.21)
    lines = ["[MODEL]", "FITTYP = 61", "TYRESIDE = 'LEFT'", "[INERTIA]"]
    lines += [f"{f.name} = {getattr(c, f.name)!r}" for f in fields(Coefficients) if f.name not in NO_NUMBERS]
    file = tmp_path_factory.mktemp("tyres") / "truck.tir"
    file.write_text("\n".join(lines) + "\nODD = 1\n")
    return file


@pytest.fixture(scope="module")
def pac2002(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a PAC2002 file: friction ellipse, curve of the load, a mass at the contact, of no side."""
    c = coefficients(52, FNOMIN=8500.0, UNLOADED_RADIUS=0.47, RIM_RADIUS=0.21)
    names = [
        f.name for f in fields(Coefficients) if f.name not in (*NO_NUMBERS, "VERTICAL_STIFFNESS", "Q_FZ2")
    ]
    values = {name: getattr(c, name) for name in names} | {"MC": 2.0}
    file = tmp_path_factory.mktemp("tyres") / "pac.tir"
    file.write_text(
        "[MODEL]\nPROPERTY_FILE_FORMAT = 'PAC2002'\nUSE_MODE = 24\nFE_METHOD = 'YES'\n[INERTIA]\n"
        + "".join(f"{name} = {value!r}\n" for name, value in values.items())
        + "[DEFLECTION_LOAD_CURVE]\n{pen fz}\n0 0\n0.02 7800\n0.04 16400\n"
    )
    return file


def test_files_for_wheels(path: Path) -> None:
    corners = VehicleParameters.load().corners
    everywhere = fit_tyres([str(path)], corners)
    assert list(everywhere.models) == list(corners)
    assert "truck.tir: Magic Formula 6.1, side: left" in everywhere.report
    assert "not understood: ODD" in everywhere.report
    (idle,) = (
        line for line in everywhere.report.splitlines() if line.startswith("no force or moment depends")
    )
    named = set(idle.removeprefix("no force or moment depends on ").split(", "))
    assert {"FREQ_LONG", "DAMP_YAW", "BELT_MASS", "GRAVITY"} <= named  # of no dynamics that is computed
    assert named.isdisjoint({"PCX1", "LCZ", "Q_V1", "PTX1", "LMUX", "LMUY"})
    for name, model in everywhere.models.items():
        assert isinstance(model, MagicFormulaTyre)
        assert model.tyre.is_mirrored == name.endswith("right")
        assert model.reference_friction == everywhere.friction
    front = fit_tyres([f"front={path}"], corners)
    assert list(front.models) == ["front_left", "front_right"]
    assert front.friction is None  # the road's is the peak of the tyres that stay
    assert front.models["front_left"].reference_friction == corners["front_left"].tyre.mu0
    assert list(fit_tyres([f"rear_left={path}"], corners).models) == ["rear_left"]
    assert fit_tyres([], corners).models == {}


@pytest.mark.parametrize("text", ["middle=car.tir", "front=", "=car.tir", ""])
def test_places_that_there_are_not(text: str) -> None:
    with pytest.raises(
        DataError, match=r"give FILE for all wheels.*axles are front, rear, corners front_left"
    ):
        fit_tyres([text], VehicleParameters.load().corners)
    with pytest.raises(DataError, match="no corner 'front'"):
        build(tyres={"front": None})  # type: ignore[dict-item]
    with pytest.raises(DataError, match="springs for tyres"):
        hmmwv.prepare(model="ride", tyres=["car.tir"])


def test_a_vehicle_steers_on_them(path: Path, pac2002: Path) -> None:
    """Magic Formula tyres of two kinds: it settles, and turns to the left."""
    case = hmmwv.prepare("step-steer", speed=15.0, duration=1.5, tyres=[f"front={path}", f"rear={pac2002}"])
    said = str(case.attributes["tyre_files"])
    for words in ("friction ellipse", "its points are met within 0 N", "taken as those of a left tyre"):
        assert words in said
    assert "rear_left.tyre.w_y" in [entry.name for entry in case.model.layout.x]
    weight = case.simulate(method="dopri5", rtol=1e-5)
    for name in ("tyre_Fz", "tyre_Mx", "tyre_inclination", "tyre_bounded_slip"):
        assert np.isfinite(weight[name]).all()
    load = weight["tyre_Fz"].values
    assert load[0].sum() == pytest.approx(load[-1].sum(), rel=0.02)
    # straight on: tyres push against each other, by toe and camber; then both axles to the left
    assert abs(weight["tyre_Fy"].values[0].sum()) < 0.02 * load[0].sum()
    front, rear = weight["tyre_Fy"].values[-1][:2].sum(), weight["tyre_Fy"].values[-1][2:].sum()
    assert front > 0.05 * load[0].sum()
    assert rear > 0.05 * load[0].sum()
    assert float(weight["yaw_rate"][-1]) > 0.1
    assert np.abs(weight["tyre_bounded_slip"]).max() < 0.05


def test_the_default_road_is_that_of_the_tyres(path: Path, pac2002: Path, tmp_path: Path) -> None:
    """Fitted or named by a vehicle file, tyres are as measured, until a friction is given: their peak."""
    ratios = []
    for grip in (1.0, 1.2):
        text = path.read_text().replace("LMUX = 1.0\n", f"LMUX = {grip}\n")
        file = tmp_path / f"grip{grip}.tir"
        file.write_text(text)
        for given in ([], ["road.friction=0.3"]):
            fitted = VehicleParameters.load("hmmwv", given, tyres=[str(file)])
            named = VehicleParameters.load(
                vehicle_file(tmp_path, f"base: hmmwv\ntyre: {{file: {file.name}}}\n"), given
            )
            model = fit_tyres([str(file)], fitted.corners).models["front_left"]
            ratios.append((fitted.road.friction / model.reference_friction, fitted.road.friction))
            assert named.road.friction == fitted.road.friction
            assert named.corners["front_left"].tyre.mu0 == model.reference_friction
    (usual, first), (_, low), (sticky, second), (_, lower) = ratios
    assert (usual, sticky, low, lower) == (1.0, 1.0, 0.3, 0.3)
    assert second == pytest.approx(1.2 * first, rel=1e-3)  # the grid of slips
    assert (
        VehicleParameters.load("hmmwv", (), tyres=[f"front={path}"]).road.friction
        == VehicleParameters.load("hmmwv", ()).road.friction
    )


def test_manoeuvres_take_roads_of_racing_tyres(path: Path, tmp_path: Path) -> None:
    """Slicks reach 2.5 on test rigs; no tyre reaches 5."""
    text = path.read_text()
    grip = vehicle("hmmwv", tyres=[str(path)]).defaults["friction"]
    for most in (2.5, 5.1):
        file = tmp_path / f"slick{most}.tir"
        file.write_text(text.replace("LMUX = 1.0\n", f"LMUX = {most / grip}\n"))
        slick = vehicle("hmmwv", tyres=[str(file)])
        if most == 2.5:
            assert slick.manoeuvre(StraightOn).values["friction"] == pytest.approx(2.5, rel=1e-3)
            continue
        with pytest.raises(DataError, match=r"friction 5\.1\d* must .* at most 5"):
            slick.manoeuvre(StraightOn)


def vehicle_file(folder: Path, text: str, name: str = "own.yaml") -> Path:
    file = folder / name
    file.write_text(text)
    return file


def test_vehicle_files_name_tyre_files(path: Path, pac2002: Path, tmp_path: Path) -> None:
    """Beside themselves, for axles; the vehicle moves as with ``tyres=`` of the same files."""
    for file in (path, pac2002):
        (tmp_path / file.name).write_text(file.read_text())
    own = VehicleParameters.load("hmmwv")
    fitted = fit_tyres([f"front={path}", f"rear={pac2002}"], own.corners)
    tyres = "".join(
        f"{axle}: {{tyre: {{file: {file.name}, mu0: {fitted.friction}}}}}\n"
        for axle, file in (("front", path), ("rear", pac2002))
    )
    named = VehicleParameters.load(vehicle_file(tmp_path, "base: hmmwv\n" + tyres))
    models = [Model(build(named, speed=15.0)), Model(build(own, speed=15.0, tyres=fitted.models))]
    assert [m.layout.x for m in models[:1]] == [m.layout.x for m in models[1:]]
    y, u = models[0].y0.copy(), models[0].u0.copy()
    y[: len(y) // 2] += 1e-3 * np.sin(np.arange(len(y) // 2))  # tyres loaded, steered, slipping
    found, expected = (model.dynamics(y, u)[0] for model in models)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())
    assert any(note.startswith("tyre truck.tir: Magic Formula 6.1") for note in named.notes)
    assert not any("friction" in note and "tyre.mu0" in note for note in named.notes)  # it is given


def test_tyre_files_replace_tyres_of_bases(path: Path, pac2002: Path, tmp_path: Path) -> None:
    """Nothing of the base's tyre is left; numbers beside the file, wherever they stand, change it."""
    for file in (path, pac2002):
        (tmp_path / file.name).write_text(file.read_text())
    vehicle_file(tmp_path, f"base: hmmwv\ntyre: {{file: {path.name}}}\n", "base.yaml")
    text = f"tyre: {{LMUY: 0.9, file: {pac2002.name}}}\nrear: {{tyre: {{file: {path.name}}}}}\n"
    over: Any = VehicleParameters.load(vehicle_file(tmp_path, "base: base.yaml\n" + text)).data
    alone: Any = VehicleParameters.load(vehicle_file(tmp_path, "base: hmmwv\n" + text)).data
    base: Any = VehicleParameters.load(tmp_path / "base.yaml").data
    assert over.front_left.tyre == alone.front_left.tyre
    assert over.rear_left.tyre == base.rear_left.tyre
    assert (over.front_left.tyre.LMUY, over.front_left.tyre.version) == (0.9, 52.0)
    assert over.rear_left.tyre.LMUY is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tyre: {file: no.tir}", r"own\.yaml:2: tyre\.file: no file 'no\.tir' beside it; name a \.tir file"),
        ("front: {tyre: {file: own.yaml}}", r"own\.yaml:2: front\.tyre\.file: own\.yaml, line 1: "),
        ("tyre: {file: [a, b]}", r"own\.yaml:2: tyre\.file: expected the name of a property file"),
        ("front: {tyre: {file: truck.tir}}", r"own\.yaml: .* but rear_left, rear_right have no such tyre"),
        ("kinds: {tyre: fiala}\ntyre: {file: truck.tir}", r"own\.yaml:2: tyre\.kind: 'fiala' does not go"),
    ],
)
def test_tyre_files_that_cannot_be_are_refused(path: Path, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / path.name).write_text(path.read_text())
    with pytest.raises(DataError, match=message):
        VehicleParameters.load(vehicle_file(tmp_path, f"base: hmmwv\n{text}\n"))
    with pytest.raises(DataError, match=r"override: tyre\.file: .* give --tyre 'truck\.tir'"):
        VehicleParameters.load(overrides=["tyre.file=truck.tir"])
