"""Fits to data that the library made itself, with known numbers and noise."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.signal import lfilter

from ce_dynamics.algebra.arrays import Array, sqrt
from ce_dynamics.errors import DataError, WrongTypeError
from ce_dynamics.models.identification import single_track as single_track_module
from ce_dynamics.models.identification.fit import Fit, fit_plant
from ce_dynamics.models.identification.identify import predict, resample
from ce_dynamics.models.identification.noise import likeliest_noise, noise_of
from ce_dynamics.models.identification.plant import Plant, number_at, quicken_steering
from ce_dynamics.models.identification.problem import FitProblem, free_numbers
from ce_dynamics.models.identification.recording import Channel, Recording
from ce_dynamics.models.identification.shooting import Options, Segment, Shooter
from ce_dynamics.models.identification.single_track import planar, single_track
from ce_dynamics.models.vehicles.description import VehicleParameters

OPTIONS = Options(length=5.0, lead=1.0, step=5e-3, interval=0.02)
NOISE = {"yaw_rate": 0.01, "ay": 0.1, "vy": 0.02}
TRUTH = {
    "front.stiffness": 17.0, "rear.stiffness": 21.0, "inertia": 1100.0, "channels.ay.scale": 1.03,
    "channels.road_wheel_angle.offset": 0.004, "channels.yaw_rate.delay": 0.06,
}  # fmt: skip


SPANS = [(1.0 + 6.0 * k, 7.0 + 6.0 * k) for k in range(4)]


def driven() -> Recording:
    """A run of 25 s whose steering excites 0.2 to 1.5 Hz, without measured values."""
    t = np.arange(0.0, 25.0, 0.02)
    speed, steering = (
        15.0 + 3.0 * np.sin(0.3 * t),
        0.03 * (np.sin(1.3 * t) + np.sin(3.7 * t + 1.0) + np.sin(8.9 * t)),
    )
    inputs = {
        "road_wheel_angle": Channel(steering, "rad", "road_wheel_angle"),
        "speed": Channel(speed, "m/s", "speed"),
    }
    position = {"vy": (0.3, 0.0, 0.0)}
    outputs = {name: Channel(np.sin(t), unit, name, position.get(name)) for name, unit in
               (("yaw_rate", "rad/s"), ("ay", "m/s^2"), ("vy", "m/s"))}  # fmt: skip
    return Recording("made", "s", t, inputs, outputs, [(0.0, 25.0)])


@pytest.fixture(scope="module")
def plant() -> Plant:
    return single_track("linear", 1500.0, 1000.0, 1.2, 1.4, [driven()])


@pytest.fixture(scope="module")
def clean(plant: Plant) -> Recording:
    """The run with what the model measures at `TRUTH`."""
    run = driven()
    problem = FitProblem(
        Shooter(plant, OPTIONS.step, 2), [Segment(run, 1.0, 25.0)],
        free_numbers(plant, [run], dict.fromkeys(TRUTH)),
        OPTIONS,
    )  # fmt: skip
    values, _ = problem.predict(np.append(list(TRUTH.values()), np.zeros(len(problem.starts))))
    outputs = {}
    for rows, value in zip(problem.rows, values, strict=True):
        series = np.full(len(run.time), np.nan)
        series[np.searchsorted(run.time, rows.time)] = value
        outputs[rows.channel] = run.outputs[rows.channel]._replace(values=series)
    return replace(run, outputs=outputs, spans=[(1.0, 25.0)])


def noisy(run: Recording, seed: int) -> Recording:
    rng = np.random.default_rng(seed)
    outputs = {
        n: c._replace(values=c.values + NOISE[n] * rng.normal(size=len(c.values)))
        for n, c in run.outputs.items()
    }
    return replace(run, outputs=outputs)


@pytest.fixture(scope="module")
def fit(plant: Plant, clean: Recording) -> Fit:
    return fit_plant(plant, [noisy(clean, 0)], dict.fromkeys(TRUTH), OPTIONS)


def test_derivatives_are_exact(plant: Plant) -> None:
    run = driven()
    more = ["front.stiffness*", "mass@s", "channels.vy.turn", "channels.vy.position.x"]
    for channel, kinds in (("yaw_rate", ("lag", "offset")), ("road_wheel_angle", ("scale", "delay"))):
        more += [f"channels.{channel}.{kind}" for kind in kinds]
    names: dict[str, object] = dict.fromkeys([*TRUTH, *more])
    names["mass@s"] = {"sd": 100.0}
    problem = FitProblem(
        Shooter(plant, OPTIONS.step, 4), [Segment(run, 1.0, 6.0)], free_numbers(plant, [run], names), OPTIONS
    )
    # Delays off the grid of stored instants, where interpolation has kinks.
    x = np.array(
        [0.007 if f.unit == "s" and f.prior == 0.0 else f.prior for f in problem.free]
        + [0.0] * len(problem.starts)
    )
    J = np.concatenate(problem.predict(x)[1])
    scale = np.array([f.sd for f in problem.free] + [0.1] * len(problem.starts))
    for k, s in enumerate(scale):
        # Central differences over 2e-4 deviations: errors of 1e-8, and of rounding, 1e-16/1e-4.
        h = 1e-4 * s * np.eye(len(x))[k]
        ahead, behind = (np.concatenate(problem.predict(x + side * h)[0]) for side in (1.0, -1.0))
        numeric = (ahead - behind) / 2e-4
        wanted = J[:, k] * s
        np.testing.assert_allclose(numeric, wanted, atol=1e-5 * np.abs(wanted).max(), rtol=0.0)


def test_estimates_lie_within_three_deviations(plant: Plant, clean: Recording) -> None:
    # 20 draws of 6 numbers: of 120 normal deviations 0.3 % lie beyond three; 4 or more with p = 0.0004.
    beyond = 0
    for seed in range(20):
        made = fit_plant(plant, [noisy(clean, seed)], dict.fromkeys(TRUTH), OPTIONS)
        beyond += int(np.sum(np.abs(made.values - list(TRUTH.values())) > 3.0 * made.sd))
    assert beyond < 4


def test_noise_is_estimated(fit: Fit, clean: Recording) -> None:
    # Standard error of a variance of n samples: √(2/n), n ≥ 1000; of its root half of that; within 5 of them.
    for (_, channel), noise in fit.noise.items():
        usual = np.sqrt(np.nanmean(noise.at(clean.outputs[channel].values, clean.time) ** 2))
        assert usual == pytest.approx(NOISE[channel], rel=5.0 / np.sqrt(2000.0))


def test_noise_growing_with_signal_and_rate_is_estimated() -> None:
    rng = np.random.default_rng(3)
    z, rate = rng.uniform(-2.0, 2.0, (2, 20000))
    sizes = np.sqrt(0.1**2 + (0.2 * z) ** 2 + (0.15 * rate) ** 2)
    noise = noise_of(sizes * rng.normal(size=len(z)), z, rate)
    # 20000 samples: standard errors of the roots of regressed variances stay below 2 %; within 4 of them.
    assert noise[:3] == pytest.approx((0.1, 0.2, 0.15), rel=0.08)


def test_late_prediction_shows_as_jitter() -> None:
    time = np.arange(0.0, 100.0, 0.02)
    late, signal = 0.03, np.sin(time) + np.sin(2.7 * time)
    rate = np.cos(time) + 2.7 * np.cos(2.7 * time)
    # sin(t − τ) = sin t − τ cos t up to τ²/2 of it: 3e-3 of the signal, a tenth of the jitter's part of it.
    residuals = np.sin(time - late) + np.sin(2.7 * (time - late)) - signal
    assert noise_of(residuals, signal, rate).jitter == pytest.approx(late, rel=0.1)


def test_errors_that_outlast_the_signal_show_as_memory() -> None:
    # Pulses of 0.5 s every 5 s; errors in proportion to the mean square over the second before.
    rng, time = np.random.default_rng(4), np.arange(0.0, 200.0, 0.02)
    pulse = np.where(time % 5.0 < 0.5, np.sin(2.0 * np.pi * time) ** 2, 0.0)
    ago = np.cumsum(pulse**2) * 0.02
    sizes = np.sqrt(0.01**2 + 0.3**2 * (ago - np.interp(time - 1.0, time, ago, left=0.0)))
    noise = likeliest_noise([(sizes * rng.normal(size=len(time)), pulse, time)])
    assert noise.memory == 1.0
    # Some 3000 samples are within the memory: 1.3 % of their deviation; within 4 of that.
    assert noise.part == pytest.approx(0.3, rel=0.052)
    quiet = (time % 5.0 > 0.7) & (time % 5.0 < 1.0)
    assert np.all(noise.at(pulse, time)[quiet] > 5.0 * noise.sd), "bands stay wide after a pulse"


def test_band_covers_95_percent(fit: Fit, clean: Recording) -> None:
    prediction = predict(fit, noisy(clean, 99), length=10.0)
    for channel in prediction.channels:
        # Standard error of a part of 0.95 of 1000 samples: 0.007; within 3 of them.
        assert channel.coverage == pytest.approx(0.95, abs=0.021)


def test_outliers_hardly_move_estimates(plant: Plant, clean: Recording, fit: Fit) -> None:
    run = noisy(clean, 0)
    values = run.outputs["yaw_rate"].values.copy()
    values[::50] += 1.0
    spoilt = replace(
        run, outputs={**run.outputs, "yaw_rate": run.outputs["yaw_rate"]._replace(values=values)}
    )
    made = fit_plant(plant, [spoilt], dict.fromkeys(TRUTH), OPTIONS)
    assert np.all(np.abs(made.values - fit.values) < 3.0 * fit.sd)


def test_what_data_cannot_determine_stays_at_prior(plant: Plant, clean: Recording) -> None:
    # Tyre forces are parts of the load: mass cancels but for its part in inertia/mass.
    free = {**dict.fromkeys(TRUTH), "mass": {"sd": 100.0}, "channels.vy.position.x": None}
    free["inertia"] = {"sd": 1e-3}
    del free["inertia"], free["channels.vy.position.x"]
    made = fit_plant(plant, [noisy(clean, 1)], free | {"inertia": None}, OPTIONS)
    assert ("inertia", "mass") in [tuple(sorted(pair[:2])) for pair in made.correlated]
    assert made.undetermined == ["mass"]
    assert made.values[list(free).index("mass")] == pytest.approx(1500.0, abs=100.0)


def test_number_at_a_bound_is_named(plant: Plant, clean: Recording) -> None:
    # The truth is 1100.
    made = fit_plant(
        plant, [noisy(clean, 2)], {"inertia": {"prior": 900.0, "upper": 1000.0, "sd": 300.0}}, OPTIONS
    )
    assert made.bounded == ["inertia"]
    assert made.values[0] == pytest.approx(1000.0, abs=1.0)


def test_unknown_free_number_is_named(plant: Plant, clean: Recording) -> None:
    with pytest.raises(DataError, match=r"'front\.stifness'.*did you mean 'front\.stiffness'"):
        fit_plant(plant, [clean], ["front.stifness"], OPTIONS)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"sd": -1.0}, "sd -1 must be above 0"), ({"sd": "lots"}, "free: inertia: sd"), ("lots", "sd, or"),
        ({"lower": 2000.0}, "outside the bounds"), ({"upper": np.nan}, "upper"),
    ],
)  # fmt: skip
def test_wrong_prior_is_named(plant: Plant, clean: Recording, given: object, words: str) -> None:
    with pytest.raises((DataError, WrongTypeError), match=words):
        free_numbers(plant, [clean], {"inertia": given})


def test_channel_that_a_fit_cannot_explain_is_named(plant: Plant, clean: Recording) -> None:
    rng, outputs = np.random.default_rng(5), dict(clean.outputs)
    wrong = 3.0 + rng.normal(size=len(clean.time))
    outputs["ay"] = outputs["ay"]._replace(values=wrong)
    fit = fit_plant(plant, [replace(clean, outputs=outputs)], ["inertia"], OPTIONS)
    assert fit.unexplained == [("s", "ay")]


def test_drift_of_a_sensor_is_estimated_from_leads(plant: Plant, clean: Recording) -> None:
    # An offset of 0.1 m/s from one window of 5 s to the next, five times the noise.
    def drifting(seed: int) -> Recording:
        rng, run = np.random.default_rng(seed), noisy(clean, seed)
        vy, steps = run.outputs["vy"], 0.1 * rng.normal(size=4)
        values = vy.values + steps[np.clip((run.time - 1.0) / 6.0, 0, 3).astype(int)]
        return replace(run, outputs={**run.outputs, "vy": vy._replace(values=values)}, spans=SPANS)

    free = {**dict.fromkeys(TRUTH), "channels.vy.drift": 0.1}
    made = fit_plant(plant, [drifting(0)], free, OPTIONS)
    assert np.all(np.abs(made.values - list(TRUTH.values())) < 3.0 * made.sd)
    assert len(made.values) == len(TRUTH), "a drift is none of the numbers of all windows"
    kinds = [made, fit_plant(plant, [drifting(0)], dict.fromkeys(TRUTH), OPTIONS)]
    errors = [predict(one, drifting(7)).channels[-1] for one in kinds]
    assert [one.name for one in errors] == ["vy", "vy"]
    # 50 samples of a lead of 1 s know the drift to 0.02/√50; starts fade, and take some of it.
    assert errors[0].rmse < 1.5 * NOISE["vy"] < 2.0 * NOISE["vy"] < errors[1].rmse
    with pytest.raises(DataError, match="only outputs have a drift; free the offset of road_wheel_angle"):
        free_numbers(plant, [clean], {"channels.road_wheel_angle.drift": None})


def test_bands_widen_as_a_drift_moves(plant: Plant, clean: Recording) -> None:
    # From one window of 5 s to the next, and within each, an offset changes by 0.1 m/s.
    def drifting(seed: int) -> Recording:
        rng, run = np.random.default_rng(seed), noisy(clean, seed)
        level, move = 0.1 * rng.normal(size=(2, 4))
        k = np.clip((run.time - 1.0) / 6.0, 0, 3).astype(int)
        part = np.clip((run.time - 2.0 - 6.0 * k) / 5.0, 0.0, 1.0)
        vy = run.outputs["vy"]
        vy = vy._replace(values=vy.values + level[k] + move[k] * part)
        return replace(run, outputs={**run.outputs, "vy": vy}, spans=SPANS)

    made = fit_plant(plant, [drifting(0)], {**dict.fromkeys(TRUTH), "channels.vy.drift": 0.1}, OPTIONS)
    assert np.all(np.abs(made.values - list(TRUTH.values())) < 3.0 * made.sd)
    bands = [predict(made, drifting(seed)).channels[-1] for seed in range(1, 11)]
    # 40 windows have one move each: standard error √(0.05 · 0.95/40) of the part; within 3 of them.
    assert np.mean([band.coverage for band in bands]) == pytest.approx(0.95, abs=3.0 * 0.0345)
    first, last = (bands[0].sd[bands[0].window == 0][k] for k in (0, -1))
    # Four windows, and the given value as a fifth, determine a deviation to 1/√10 of it; within two of these.
    assert first < 0.04
    assert last == pytest.approx(0.1, rel=2.0 / np.sqrt(10.0))


def test_sessions_have_drifts_of_their_own(plant: Plant, clean: Recording) -> None:
    def drifting(session: str, sd: float, seed: int) -> Recording:
        rng, run = np.random.default_rng(seed), noisy(clean, seed)
        level, move = sd * rng.normal(size=(2, 12))
        k = np.clip((run.time - 1.0) / 2.0, 0, 11).astype(int)
        part = np.clip((run.time - 1.5 - 2.0 * k) / 1.5, 0.0, 1.0)
        vy = run.outputs["vy"]
        vy = vy._replace(values=vy.values + level[k] + move[k] * part)
        spans = [(1.0 + 2.0 * k, 3.0 + 2.0 * k) for k in range(12)]
        return replace(run, session=session, outputs={**run.outputs, "vy": vy}, spans=spans)

    truth, options = {"a": 0.05, "b": 0.3}, replace(OPTIONS, length=1.5, lead=0.5)
    runs = [drifting(session, sd, k) for k, (session, sd) in enumerate(truth.items())]
    made = fit_plant(plant, runs, {**dict.fromkeys(TRUTH), "channels.vy.drift": 0.1}, options)
    # Twelve windows and the given value determine a deviation to 1/√26 of it; within three of these.
    for session, sd in truth.items():
        noise = made.noise[session, "vy"]
        assert noise.drift == pytest.approx(sd, rel=3.0 / np.sqrt(26.0))
        assert 1.5 * noise.drift_rate == pytest.approx(sd, rel=3.0 / np.sqrt(26.0))
    # A session that was not fitted has the rms of both.
    assert made.noise_in(("c", "vy")).drift == pytest.approx(
        np.sqrt(np.mean([made.noise[session, "vy"].drift ** 2 for session in truth]))
    )


def test_windows_without_samples_count_nothing(plant: Plant, clean: Recording, fit: Fit) -> None:
    # All channels are missing in the first window and in the lead of the last.
    run = noisy(clean, 0)
    bad = (run.time < 7.01) | ((run.time > 19.0) & (run.time <= 20.0))
    outputs = {n: c._replace(values=np.where(bad, np.nan, c.values)) for n, c in run.outputs.items()}
    holed = replace(run, outputs=outputs, spans=SPANS)
    made = fit_plant(plant, [holed], dict.fromkeys(TRUTH), OPTIONS)
    assert np.all(np.abs(made.values - fit.values) < 3.0 * made.sd)
    for channel in predict(made, holed).channels:
        assert set(channel.window) == {1, 2, 3}
        assert channel.rmse < 1.5 * NOISE[channel.name]


def test_run_too_short_is_named(plant: Plant, clean: Recording) -> None:
    with pytest.raises(DataError, match="no window of 5 s with a lead of 1 s"):
        fit_plant(plant, [clean.cut(1.0, 4.0)], ["inertia"], OPTIONS)


def test_run_that_cannot_be_followed_is_named(plant: Plant, clean: Recording) -> None:
    def rate(y: Array, u: Array) -> Array:
        """The rate while the steering is below 0.06 rad, which it is not at all times."""
        made: Array = plant.rate(y, u) + 1e-9 * sqrt(0.06 - u[0])
        return made

    lost = replace(plant, rate=rate)
    with pytest.raises(
        DataError, match=r"made: the base vehicle cannot follow the run; .* fails first at \d"
    ):
        fit_plant(lost, [clean], ["inertia"], replace(OPTIONS, length=20.0))


def test_windows_that_cannot_be_followed_are_noted(plant: Plant, clean: Recording) -> None:
    def rate(y: Array, u: Array) -> Array:
        """The rate while the speed that is followed is below 17.9 m/s, which it is not from 4.4 to 6.1 s."""
        made: Array = plant.rate(y, u) + 1e-9 * sqrt(17.9 - u[1])
        return made

    lines: list[str] = []
    fit_plant(replace(plant, rate=rate), [clean], ["inertia"], OPTIONS, lines.append)
    assert "cannot follow 2 of 4 windows, the first from 4." in lines[0]


def test_input_beyond_reach_of_the_model_is_named(plant: Plant, clean: Recording) -> None:
    table = np.array([-0.05, 0.05]), np.array([-1.0, 1.0])
    small = replace(
        plant, from_channel={**plant.from_channel, "road_wheel_angle": ("road_wheel_angle", table)}
    )
    with pytest.raises(
        DataError, match=r"made: road_wheel_angle runs from .* vehicle from -0\.05 to 0\.05 rad"
    ):
        fit_plant(small, [clean], ["inertia"], OPTIONS)


def test_bands_hold_for_heavy_correlated_errors(plant: Plant, clean: Recording) -> None:
    # Student's t with 3 degrees of freedom through a low-pass of 5 samples.  Ten runs of 1150 samples have
    # about 1000 independent errors, standard error 0.007; seven windows calibrate, 0.011.
    def spoilt(seed: int) -> Recording:
        rng, outputs = np.random.default_rng(seed), dict(clean.outputs)
        for name, sd in NOISE.items():
            errors = lfilter([0.2], [1.0, -0.8], rng.standard_t(3, size=len(clean.time)))
            outputs[name] = outputs[name]._replace(values=outputs[name].values + 2.0 * sd * errors)
        return replace(clean, outputs=outputs)

    made = fit_plant(plant, [spoilt(0)], dict.fromkeys(TRUTH), replace(OPTIONS, length=3.0))
    others = [predict(made, spoilt(seed), length=20.0).channels for seed in range(1, 11)]
    for k in range(len(NOISE)):
        coverage = np.mean([channels[k].coverage for channels in others])
        assert coverage == pytest.approx(0.95, abs=3.0 * np.hypot(0.007, 0.011))


def test_drawn_windows_confirm_deviations(fit: Fit) -> None:
    # Four windows: each draw's spread is known to a factor of about 1 ± 1/√(2·3) only; within twice that.
    with pytest.raises(DataError, match="draws 0 must be an integer, 1 or more"):
        resample(fit, 0)
    drawn = np.std(resample(fit, 400), axis=0)
    assert np.all(np.abs(drawn / fit.sd - 1.0) < 2.0 / np.sqrt(6.0))


def test_fit_goes_on_from_its_file(plant: Plant, clean: Recording, fit: Fit, tmp_path: Path) -> None:
    kept, run, lines = tmp_path / "rounds.json", noisy(clean, 0), list[str]()

    def stop(line: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_plant(plant, [run], dict.fromkeys(TRUTH), OPTIONS, stop, kept)
    resumed = fit_plant(plant, [run], dict.fromkeys(TRUTH), OPTIONS, lines.append, kept)
    assert lines[0].startswith("round 1 was read")
    np.testing.assert_allclose(resumed.values, fit.values, atol=0.1 * float(np.min(fit.sd)), rtol=0.02)
    with pytest.raises(DataError, match="of a fit with other names"):
        fit_plant(plant, [run], ["inertia"], OPTIONS, None, kept)
    kept.write_text("{}")
    with pytest.raises(DataError, match="no state of a fit"):
        fit_plant(plant, [run], ["inertia"], OPTIONS, None, kept)


def test_reference_takes_mass_and_axles() -> None:
    data = VehicleParameters.load(Path(single_track_module.__file__).parent / "vehicles/av-21.yaml")
    # Published: 790 kg, 1.248 m and 1.7328 m; the file gives them to a millimetre.
    mass, _, front, rear = planar(data)
    assert (mass, front, rear) == pytest.approx((790.0, 1.248, 1.7328), abs=2e-3)


def test_recorded_angle_meets_a_quick_steering() -> None:
    # The hatchback's actuator has 10 Hz, which is 32 ms late; that of Chrono's HMMWV has 100 Hz.
    made = VehicleParameters.load("hatchback", quicken_steering(VehicleParameters.load("hatchback")))
    assert number_at(made, ("steering", "actuator", "natural_frequency")) == 60.0
    assert quicken_steering(VehicleParameters.load("hmmwv-chrono")) == []
