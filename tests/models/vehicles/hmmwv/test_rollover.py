"""A vehicle that is tipped over: it falls on its side and comes to rest."""

import numpy as np
import pytest

from ce_dynamics.compiled.model import Model
from ce_dynamics.errors import SimulationError
from ce_dynamics.models.vehicles.assembly import build
from ce_dynamics.simulation.options import RunOptions
from ce_dynamics.simulation.results import Record, quantity
from ce_dynamics.simulation.simulate import simulate_to_record


@pytest.mark.slow
def test_tipped_vehicle_rests_and_gains_no_energy() -> None:
    """Dropped on its side at 70 degrees of roll; kinetic energy, height and all that is stored only fall.

    In the end it lies on hull and tyres of one side.  Side forces of tyres that lean are scaled, what their
    carcasses store is not: that is below 2e-3 of what is lost.
    """
    model = Model(build(path="hmmwv-hull"))
    y0 = model.y0.copy()
    half = 0.5 * np.radians(70.0)
    y0[2:7] = 1.3, np.cos(half), np.sin(half), 0.0, 0.0
    options = RunOptions(duration=5.0, y0=y0, method="rk4", step=1e-3, interval=0.1)
    run = simulate_to_record(model, None, options)
    names = model.layout.y_names
    data = run.dataset()
    Y = np.stack([np.asarray(quantity(data, name)) for name in names], axis=1)
    total = [float(model.instant(y, model.u0).energy) for y in Y[::5]]
    lost = total[0] - total[-1]
    assert lost > 5e3  # J of 2,600 kg that fell by some decimetres
    assert np.diff(total).max() < 2e-3 * lost
    of_chassis = Y[-1, len(model.layout.q) : len(model.layout.q) + 6]
    assert np.abs(of_chassis).max() < 5e-3  # a tenth of the speed over which friction builds up
    assert np.degrees(run["roll"].values[-1]) > 75.0
    carried = run["hull_normal_force"].values[-1] + run["tyre_Fz"].values[-1].sum()
    mass = sum(float(body.mass) for body in model.system.bodies)
    # a leaning tyre's Fz acts along the road's normal, as the hull's forces do
    assert carried == pytest.approx(9.81 * mass, rel=1e-3)


@pytest.mark.parametrize(
    ("vehicle", "body", "axis", "message", "angle"),
    [
        ("hmmwv", "chassis", "x", "the vehicle has turned over by 90 degrees", "roll"),
        ("van-trailer", "trailer", "x", "trailer 'trailer' has turned over by 90 degrees", "trailer_roll"),
        ("van-trailer", "trailer", "z", "trailer 'trailer' is folded by 90 degrees", "hitch_yaw"),
    ],
)
def test_runs_end_beyond_ninety_degrees(vehicle: str, body: str, axis: str, message: str, angle: str) -> None:
    """Nothing else would carry a vehicle on its side or stop a trailer; 80 degrees are not there yet."""
    model = Model(build(path=vehicle))
    y0, names = model.y0.copy(), model.layout.y_names
    half = 0.5 * np.radians(80.0)
    given = {"chassis.z": 3.0, f"{body}.qw": np.cos(half), f"{body}.q{axis}": np.sin(half)}
    given[f"{body}.w{axis}"] = 2.0
    for entry, value in given.items():
        y0[names.index(entry)] = value
    options = RunOptions(duration=0.3, y0=y0, method="rk4", step=1e-3)
    with pytest.raises(SimulationError, match=message) as caught:
        simulate_to_record(model, None, options)
    kept = caught.value.partial
    assert isinstance(kept, Record)
    reached = np.degrees(kept[angle].values[-1])
    assert reached < 90.0 < reached + np.degrees(3.0) * options.interval
