"""Steps of higher order between events, against exact solutions that are put together from event to event."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import ce_dynamics as ce
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.model import Model
from ce_dynamics.contact import (
    Cable,
    Contact,
    ContactRun,
    JointFriction,
    Plane,
    RigidStop,
    UnilateralModel,
    simulate_unilateral,
)
from ce_dynamics.errors import ModelError

G = 9.81
COARSE, FINE = 0.02, 0.01


@pytest.fixture(scope="module")
def body() -> Model:
    system = ce.System(gravity=(0.0, 0.0, -G))
    system.add_body("body", mass=2.0, inertia=(0.05, 0.09, 0.05), parent=system.ground, hinge=ce.Free())
    return ce.compile(system)


def end(run: ContactRun) -> Floats:
    return np.array(
        [float(run.results[name][-1]) for name in run.results.data_vars if str(name).startswith("body_")]
    )


def consistent(unilateral: UnilateralModel, y: Floats, rows: list[int]) -> Floats:
    model = unilateral.model
    stage = unilateral.stage(0.0, y, model.u0)
    GT = np.ascontiguousarray(stage.GT[rows])
    Y = np.linalg.solve(model.mass_matrix(model.layout.split(y)[0]), GT.T).T
    found = y.copy()
    found[len(model.layout.q) :] -= np.linalg.solve(GT @ Y.T, stage.rate[rows]) @ Y
    return found


def leaning_disc(model: Model) -> tuple[UnilateralModel, Floats]:
    """A disc that rolls, leans and turns: three rows that stick, of which two are not holonomic."""
    wheel = Contact("c", model.system.find("body"), (0, 0, 0), Plane(0.8), radius=0.3, axis=(0, 1, 0))
    unilateral = UnilateralModel(model, [wheel])
    y = model.y0.copy()
    y[2], y[3], y[4] = 0.3 * math.cos(0.1), math.cos(0.05), math.sin(0.05)
    y[7:13] = [0.0, 5.0, 0.8, 1.5, 0.0, 0.0]
    return unilateral, consistent(unilateral, y, [0, 1, 2])


def tumbling_on_a_cable(model: Model) -> tuple[UnilateralModel, Floats]:
    body = model.system.find("body")
    unilateral = UnilateralModel(
        model, [Cable("c", body, (0, 0, 0.1), model.system.ground, (0, 0, 0), length=1.0)]
    )
    y = model.y0.copy()
    y[0], y[2] = math.sin(0.7), -math.cos(0.7) - 0.1
    y[7:13] = [0.3, -0.4, 0.5, 0.0, 0.8, 0.0]
    return unilateral, consistent(unilateral, y, [0])


def sliding_ball(model: Model) -> tuple[UnilateralModel, Floats]:
    """Friction of a direction that changes, and less of rolling; it does not stop within the run."""
    ball = Contact("c", model.system.find("body"), (0, 0, 0), Plane(0.1), radius=0.3, rolling=1e-3)
    y = model.y0.copy()
    y[2] = 0.3
    y[7:13] = [2.0, -4.0, 3.0, 1.0, 2.0, 0.0]
    return UnilateralModel(model, [ball]), y


@pytest.mark.parametrize("make", [leaning_disc, tumbling_on_a_cable, sliding_ball])
def test_order_holds_while_the_same_rows_act(make: object, body: Model) -> None:
    unilateral, y0 = make(body)  # type: ignore[operator]
    T = 0.2

    def at_end(order: int, h: float) -> Floats:
        run = simulate_unilateral(unilateral, duration=T, step=h, y0=y0, order=order, interval=T)
        assert run.statistics.smooth == run.statistics.steps
        # nothing opens, and nothing that sticks creeps
        assert abs(float(run.results.gap.sel(row=unilateral.row_names[0])[-1])) < 1e-12
        return end(run)

    exact = at_end(4, T / 80)
    for order in (2, 4):
        errors = [float(np.max(np.abs(at_end(order, h) - exact))) for h in (COARSE, FINE)]
        # halving the step divides the error by 2^order, but for the next order's share
        assert math.log2(errors[0] / errors[1]) > order - 0.6
    assert errors[1] < 1e-5  # where steps of first order leave 1e-2


def test_energy_changes_by_the_work_of_what_slides(body: Model) -> None:
    unilateral, y0 = sliding_ball(body)
    run = simulate_unilateral(unilateral, duration=0.2, step=FINE, y0=y0, order=4).results
    balance = run.energy - run.energy[0] - run.work - run.contact_work
    assert float(abs(balance).max()) < 1e-7 * float(run.energy[0])  # as the error above, to fourth order
    assert float(run.contact_work[-1]) < -0.1


def test_parts_are_short_for_disc_falling_flat(body: Model) -> None:
    """Its lowest point runs around ever faster: 20 ms are no step for it (with them it left the ground).

    Parts whose change of velocity two rules disagree on by 0.3 % of the speed are halved, so that a part errs
    by no more than 0.6 % of the kinetic energy, and most by far less, with both signs.
    """
    wheel = Contact("c", body.system.find("body"), (0, 0, 0), Plane(5.0), radius=0.3, axis=(0, 1, 0))
    y0 = body.y0.copy()
    y0[2], y0[3], y0[4] = 0.3 * math.cos(0.35), math.cos(0.175), math.sin(0.175)
    y0[7:13] = [0.0, 1.2, 3.2, 0.0, 0.0, 0.0]
    disc = UnilateralModel(body, [wheel])
    run = simulate_unilateral(disc, duration=0.8, step=COARSE, y0=y0, order=2).results
    assert float(run.body_z.min()) < 0.1  # it falls
    balance = run.energy - run.energy[0] - run.work - run.contact_work
    assert float(abs(balance).max()) < 0.02 * float(run.energy[0])


# From event to event: errors are those of the first-order steps there, of length h/64


def test_ball_slides_then_rolls(body: Model) -> None:
    # backspin ω_0, speed v_0: it slides with −μ g and μ m g R / I until v = R ω, and then rolls for good
    mu, R, m, I, v0, w0 = 0.2, 0.3, 2.0, 0.09, 2.0, -3.0  # noqa: E741
    ball = Contact("c", body.system.find("body"), (0, 0, 0), Plane(mu), radius=R)
    y0 = body.y0.copy()
    y0[2], y0[10], y0[8] = R, v0, w0
    caught = (v0 - R * w0) / (mu * G * (1.0 + m * R * R / I))
    T = 1.0
    assert caught < T
    v = v0 - mu * G * caught
    x = v0 * caught - 0.5 * mu * G * caught**2 + v * (T - caught)
    for h in (COARSE, FINE):
        run = simulate_unilateral(UnilateralModel(body, [ball]), duration=T, step=h, y0=y0, order=4)
        # sliding that ends within a step of h/64 is off by its friction for that time
        error = mu * G * h / 64.0
        np.testing.assert_allclose(float(run.results.body_vx[-1]), v, atol=error)
        np.testing.assert_allclose(float(run.results.body_x[-1]), x, atol=error * T)
        np.testing.assert_allclose(float(run.results.body_wy[-1]), v / R, atol=error / R)


def test_ball_flies_slack_is_caught_and_swings(body: Model) -> None:
    hook = body.system.find("body")
    L, v0 = 1.2, np.array((-1.0, 3.0))
    cable = UnilateralModel(body, [Cable("c", hook, (0, 0, 0), body.system.ground, (0, 0, 0), length=L)])
    start = np.array((1.0, 0.0))

    def flight(t: float) -> Floats:
        return np.asarray(start + v0 * t - np.array((0.0, 0.5 * G * t * t)))

    def catch(t: float, y: Floats) -> float:
        return float(L - np.linalg.norm(flight(t)))

    raster = np.linspace(1e-3, 1.0, 20001)
    slack = np.array([catch(t, start) for t in raster])
    k = int(np.argmax(slack < 0.0))
    caught = float(raster[k - 1] - slack[k - 1] * (raster[k] - raster[k - 1]) / (slack[k] - slack[k - 1]))
    r, v = flight(caught), v0 - np.array((0.0, G * caught))
    spoke = r / L
    v = v - (v @ spoke) * spoke  # the radial velocity is lost
    angle, rate = math.atan2(r[0], -r[1]), float(v @ np.array((-spoke[1], spoke[0]))) / L
    T = caught + 0.3
    swing = solve_ivp(
        lambda t, s: (s[1], -G / L * math.sin(s[0])), (0, 0.3), (angle, rate), rtol=1e-10, atol=1e-12
    )
    exact = L * np.array((math.sin(swing.y[0, -1]), -math.cos(swing.y[0, -1])))
    y0 = body.y0.copy()
    y0[0], y0[10], y0[12] = 1.0, *v0
    errors = []
    for order, h in ((1, 1e-3), (4, 1e-2)):
        run = simulate_unilateral(cable, duration=T, step=h, y0=y0, order=order)
        found = np.array((float(run.results.body_x[-1]), float(run.results.body_z[-1])))
        errors.append(float(np.max(np.abs(found - exact))))
        (taut,) = [event for event in run.events if event.active]
        np.testing.assert_allclose(taut.time, caught, atol=2.0 * (h if order == 1 else h / 64.0))
    # the catch begins up to h/64 early, at 8 m/s
    assert errors[1] < 8.0 * 1e-2 / 64.0
    assert errors[1] < errors[0] < 8.0 * 1e-3


@pytest.mark.parametrize("order", [1, 4])
def test_ball_bounces_as_from_event_to_event(body: Model, order: int) -> None:
    e, drop, R = 0.7, 1.0, 0.3
    ball = Contact(
        "c", body.system.find("body"), (0, 0, 0), Plane(), radius=R, friction="none", restitution=e
    )
    y0 = body.y0.copy()
    y0[2] = R + drop
    first = math.sqrt(2.0 * drop / G)
    times = [first]
    speed = G * first
    for _ in range(3):
        speed *= e
        times.append(times[-1] + 2.0 * speed / G)
    h = 1e-3 if order == 1 else 1e-2
    run = simulate_unilateral(
        UnilateralModel(body, [ball]), duration=times[-1] + 0.05, step=h, y0=y0, order=order, interval=h
    )
    landed = [event.time for event in run.events if event.active]
    # An impact comes up to a step δ early, at the height v δ: of the energy e² v²/2 that is the part
    # 2 g δ/(e² v), half of it of the speed and of the time to the next, which it makes late: 5 δ, and
    # with what came before 9 δ and 12 δ.
    short = h if order == 1 else h / 64.0
    np.testing.assert_allclose(landed[: len(times)], times, atol=26.0 * short)
    t = run.results.time.values
    z = run.results.body_z.values - R
    for k, apex in enumerate((times[:-1] + np.array(times[1:])) / 2.0):
        i = int(np.argmin(np.abs(t - apex)))
        np.testing.assert_allclose(z[i], drop * e ** (2 * (k + 1)), atol=4.0 * short * G * first)


def test_pushed_slider_sticks_slides_and_hits_its_stop() -> None:
    # F = 10 t − 2 N on 2 kg with 3 N of dry friction and a stop at 0.2 m:
    # it sticks while |F| < 3, breaks loose at t = 0.5 s, and x = ∫∫ (10 t − 5)/2 = 5 s³/6 with s = t − 0.5
    system = ce.System(gravity=(0.0, 0.0, 0.0))
    system.add_input("push", "N")
    slider = system.add_body("slider", mass=2.0, parent=system.ground, hinge=ce.Prismatic((1, 0, 0)))
    system.add_force(ce.AppliedWrench("push", slider, (0, 0, 0), force=("push", 0.0, 0.0)))
    elements = [JointFriction("dry", slider, limit=3.0), RigidStop("stop", slider, upper=0.2)]

    class Ramp:
        def inputs(self, t: float, sensors: object) -> dict[str, float]:
            return {"push": 10.0 * t - 2.0}

    unilateral = UnilateralModel(ce.compile(system), elements)
    hit = 0.5 + (0.2 * 6.0 / 5.0) ** (1.0 / 3.0)
    for order, h in ((1, 1e-3), (2, 1e-2), (4, 1e-2)):
        run = simulate_unilateral(unilateral, Ramp(), duration=1.3, step=h, order=order, interval=0.1)
        t, x = run.results.time.values, run.results.slider.values
        s = np.clip(t - 0.5, 0.0, None)
        free = t < hit
        # steps of first order are late by h/2, and it breaks loose late by up to two of them of length h/64
        tolerance = (0.5 if order == 1 else 2.0 / 64.0) * h * 2.5 * 0.62**2
        np.testing.assert_allclose(x[free], 5.0 / 6.0 * s[free] ** 3, atol=tolerance)
        np.testing.assert_allclose(x[~free], 0.2, atol=1e-9)
        (stop,) = [event for event in run.events if event.row == "stop.upper"]
        np.testing.assert_allclose(stop.time, hit, atol=2e-3)


def test_cable_pulled_taut_has_its_length_at_once() -> None:
    """Its hook is moved at 1 m/s; the step in which it gets taut ends a moment later, and is stored.

    From there on the ball is behind the hook by the cable's length, and as fast: to rounding, as both are
    where the conditions of that instant, not of another one, put them.
    """
    h = 1e-2
    taut = 0.3 - h / 128.0  # in the last of the 64 parts of a step
    system = ce.System(gravity=(0.0, 0.0, 0.0))
    for name, unit in (("hook", "m"), ("hook_rate", "m/s"), ("hook_acceleration", "m/s^2")):
        system.add_input(name, unit)
    hook = system.add_body("hook", mass=1.0, parent=system.ground, hinge=ce.Prismatic((1, 0, 0)))
    system.prescribe("hook", ce.Driven("hook"))
    ball = system.add_body("ball", mass=2.0, parent=system.ground, hinge=ce.Prismatic((1, 0, 0)))
    cable = Cable("c", hook, (0, 0, 0), ball, (0, 0, 0), length=0.5)

    class Pull:
        def inputs(self, t: float, sensors: object) -> dict[str, float]:
            return {"hook": 0.5 - taut + t, "hook_rate": 1.0, "hook_acceleration": 0.0}

    unilateral = UnilateralModel(ce.compile(system), [cable])
    run = simulate_unilateral(unilateral, Pull(), duration=0.4, step=h, order=2, interval=h)
    t, x, v = (run.results[name].values for name in ("time", "ball", "ball_rate"))
    before = t < taut
    assert before.sum() == 30
    np.testing.assert_array_equal(x[before], 0.0)
    np.testing.assert_allclose(x[~before], t[~before] - taut, atol=1e-12)
    np.testing.assert_allclose(v[~before], 1.0, atol=1e-12)


def test_orders_that_are_not_known_are_refused(body: Model) -> None:
    unilateral, y0 = sliding_ball(body)
    for order, words in ((0, "1, 2 or 4"), (3, "1, 2 or 4"), (4.5, "order"), ("two", "order")):
        with pytest.raises(ModelError, match=words):
            simulate_unilateral(unilateral, duration=0.1, y0=y0, order=order)
