"""The benchmark suite runs, what it builds for other engines is the ride model, its page shows its output."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ce_dynamics.compiled.model import Model
from ce_dynamics.models.vehicles.case import build_ride
from ce_dynamics.simulation.simulate import simulate
from tests.benchmarks.__main__ import main
from tests.benchmarks.accuracy import Point, at_error, positions
from tests.benchmarks.evaluation import TOLERANCE, accelerations
from tests.benchmarks.large_systems import chain
from tests.benchmarks.mechanism import Mechanism, deviation, four_bar_chain, reference, ride_mechanism
from tests.benchmarks.report import Table, number, written_into
from tests.benchmarks.suite import MEASURED, budget_table
from tests.benchmarks.timing import Contender, race

PAGE = Path(__file__).parents[1] / "docs" / "measured" / "performance.txt"


def solved(mechanism: Mechanism) -> dict[str, np.ndarray]:
    """Accelerations in the design pose by dense linear algebra, from nothing but the mechanism's data.

    Every body on its own: 6 velocities [w, v of the origin], constraint rows for joints and closures.
    """
    n = 6 * len(mechanism.joints)
    w, v = poses(mechanism)
    M, f = np.zeros((n, n)), np.zeros(n)
    rows: list[np.ndarray] = []
    wanted: list[float] = []

    def columns(name: str | None, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Acceleration of a point: matrix over all accelerations, and its centripetal part."""
        G = np.zeros((3, n))
        if name is None:
            return G, np.zeros(3)
        k, e = mechanism.index[name], at - mechanism.origin(name)
        G[:, 6 * k : 6 * k + 3], G[:, 6 * k + 3 : 6 * k + 6] = -skew(e), np.eye(3)
        return G, np.cross(w[name], np.cross(w[name], e))

    for k, joint in enumerate(mechanism.joints):
        c, m, omega = joint.com - joint.at, joint.mass, w[joint.name]
        J = joint.inertia + m * (c @ c * np.eye(3) - np.outer(c, c))
        own = slice(6 * k, 6 * k + 6)
        M[own, own] = np.block([[J, m * skew(c)], [-m * skew(c), m * np.eye(3)]])
        gravity = m * np.array(mechanism.gravity)
        torque = np.cross(c, gravity) - np.cross(omega, J @ omega)
        f[own] = (*torque, *(gravity - m * np.cross(omega, np.cross(omega, c))))
        for load in mechanism.loads:
            if load.body == joint.name:
                f[own] += (*np.cross(load.at - joint.at, load.force), *load.force)
        if joint.kind == "F":
            continue
        inner, outer = columns(joint.parent, joint.at), columns(joint.name, joint.at)
        rows += list(outer[0] - inner[0])
        wanted += list(inner[1] - outer[1])
        if joint.kind == "R":
            w_p = np.zeros(3) if joint.parent is None else w[joint.parent]
            for across in np.linalg.svd(joint.axis[None])[2][1:]:
                row = np.zeros(n)
                row[6 * k : 6 * k + 3] = across
                if joint.parent is not None:
                    carrier = mechanism.index[joint.parent]
                    row[6 * carrier : 6 * carrier + 3] = -across
                rows.append(row)
                wanted.append(float(across @ np.cross(w_p, w[joint.name] - w_p)))
    for closure in mechanism.closures:
        (A, a), (B, b) = columns(closure.a, closure.at_a), columns(closure.b, closure.at_b)
        if closure.kind == "D":
            e, dv = closure.at_b - closure.at_a, rate(mechanism, w, v, closure)
            rows.append(e @ (B - A))
            wanted.append(float(-e @ (b - a) - dv @ dv))
        else:
            kept = [0, 1, 2] if closure.kind == "P" else [0, 2]
            rows += list((B - A)[kept])
            wanted += list((a - b)[kept])
    G = np.array(rows)
    zero = np.zeros((len(G), len(G)))
    # scaled to comparable size; least squares because planar loops have rows that depend on each other
    solution = np.linalg.lstsq(np.block([[M, G.T], [G, zero]]), np.concatenate((f, wanted)), rcond=1e-13)[0]
    A = solution[:n].reshape(-1, 6)
    found = {}
    for k, joint in enumerate(mechanism.joints):
        if joint.kind == "F":
            found[joint.name] = np.concatenate((A[k, 3:], A[k, :3]))
        if joint.kind == "R":
            p, w_p = np.zeros(6), np.zeros(3)
            if joint.parent is not None:
                p, w_p = A[mechanism.index[joint.parent]], w[joint.parent]
            relative = A[k, :3] - p[:3] - np.cross(w_p, w[joint.name] - w_p)
            found[joint.name] = np.array((joint.axis @ relative,))
    return found


def poses(mechanism: Mechanism) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    w: dict[str, np.ndarray] = {}
    v: dict[str, np.ndarray] = {}
    for joint in mechanism.joints:
        w_p, v_p = np.zeros(3), np.zeros(3)
        if joint.parent is not None:
            w_p = w[joint.parent]
            v_p = v[joint.parent] + np.cross(w_p, joint.at - mechanism.origin(joint.parent))
        turning = {"F": joint.rate[3:], "S": joint.rate, "R": joint.rate[:1] * joint.axis}[joint.kind]
        w[joint.name] = w_p + turning
        v[joint.name] = joint.rate[:3] if joint.kind == "F" else v_p
    return w, v


def rate(
    mechanism: Mechanism, w: dict[str, np.ndarray], v: dict[str, np.ndarray], closure: object
) -> np.ndarray:
    speeds = []
    for name, at in ((closure.a, closure.at_a), (closure.b, closure.at_b)):  # type: ignore[attr-defined]
        assert name is not None
        speeds.append(v[name] + np.cross(w[name], at - mechanism.origin(name)))
    return np.asarray(speeds[1] - speeds[0])


def skew(e: np.ndarray) -> np.ndarray:
    return np.array(((0.0, -e[2], e[1]), (e[2], 0.0, -e[0]), (-e[1], e[0], 0.0)))


def test_what_peers_are_built_from_is_ride_model() -> None:
    # rounding of forces of 5e4 N in a saddle-point matrix of condition 1e8
    assert deviation(solved(ride_mechanism())) < 1e-9


def test_rods_as_light_bodies_agree_within_tolerance() -> None:
    assert deviation(solved(ride_mechanism(rods=True))) < TOLERANCE


def test_the_deviation_notices_a_wrong_parameter() -> None:
    mechanism = ride_mechanism()
    heavier = replace(mechanism.joints[0], mass=1.001 * mechanism.joints[0].mass)
    changed = replace(mechanism, joints=(heavier, *mechanism.joints[1:]))
    assert deviation(solved(changed)) > 1e-5


def test_ours_is_the_ride_model() -> None:
    model = Model(build_ride())
    v_dot = model.accelerations(*model.layout.split(model.y0)[:2])
    assert deviation(accelerations(model, v_dot)) < 1e-11


def test_generalised_forces_stand_for_the_loads() -> None:
    mechanism = ride_mechanism()
    without = replace(mechanism, loads=())
    power = float(mechanism.tau @ mechanism.v)
    w, v = poses(mechanism)
    expected = sum(
        load.force @ (v[load.body] + np.cross(w[load.body], load.at - mechanism.origin(load.body)))
        for load in mechanism.loads
    )
    np.testing.assert_allclose(power, expected, rtol=1e-12)
    assert deviation(solved(without)) > 0.1


@pytest.mark.parametrize("n", [1, 3])
def test_the_chains_of_both_sides_are_the_same(n: int) -> None:
    model, mechanism = Model(chain(n)), four_bar_chain(n)
    v_dot = model.accelerations(*model.layout.split(model.y0)[:2])
    expected = solved(mechanism)
    found = {f"crank {k}": v_dot[k : k + 1] for k in range(n)}
    assert deviation(found, {name: expected[name] for name in found}) < 1e-9


def test_race_keeps_the_best_batch_per_instance() -> None:
    durations = iter([1.0] * 4 + [8.0, 2.0, 4.0])  # four to find how many repeats a batch needs
    contender = Contender("", "", lambda n: n * next(durations), instances=4)
    race([contender], rounds=3, batch_seconds=1.0)
    assert contender.seconds == pytest.approx(0.5)


def test_costs_are_interpolated_between_errors_only() -> None:
    curve = [Point(1e-2, 1.0, 0), Point(1e-6, 100.0, 0)]
    assert at_error(curve, 1e-4) == pytest.approx((10.0,))
    assert at_error(curve, 1e-7) is None


@pytest.mark.parametrize(("name", "gain"), [("mujoco", 3.0), ("pinocchio", 8.0)])
def test_peers_in_motion_are_the_ride_model(name: str, gain: float) -> None:
    """Their forces are laws, not the numbers of t = 0.

    Half the step divides an error of order 4 by 16; MuJoCo's closures, whose time constant is two steps,
    leave one of order 2.  The gains asked for leave room for what is not yet the leading term.
    """
    pytest.importorskip(name, reason="needs ce-dynamics[bench]")
    from tests.benchmarks.moving_peers import peers

    (peer,) = (p for known, p in peers().items() if known.lower().startswith(name) and "rk4" in known.lower())
    model = Model(build_ride())
    how: dict[str, Any] = {"duration": 0.2, "interval": 0.1, "method": "DOP853", "rtol": 1e-11, "atol": 1e-12}
    exact = positions(simulate(model, **how))
    errors = []
    for step in (2e-3, 1e-3):
        track = peer.run(0.2, step, 0.1)
        errors.append(np.abs(track.chassis - exact).max())
        assert track.closure.max() < 1e-4
        assert track.evaluations == round(4 * 0.2 / step)
    assert errors[1] < errors[0] / gain
    assert errors[0] < 1e-5  # of 2 m


def test_numbers_and_tables() -> None:
    assert [number(x) for x in (0.0123456, 1.5, 12345.0, float("nan"))] == ["0.0123", "1.5", "12,345", "–"]
    table = Table("T", ("a", "b"), (("x", "1"),), ("note",))
    assert table.markdown() == "**T**\n\n| a | b |\n| --- | --- |\n| x | 1 |\n\nnote"


def test_blocks_of_page_are_replaced_and_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- x -->\nold\n<!-- /x -->\nb\n")
    written_into(page, {"x": "new", "absent": "nothing"})
    assert page.read_text() == "a\n<!-- x -->\nnew\n<!-- /x -->\nb\n"


def test_the_cheapest_parts_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--quick", "--no-native", "loops", "--output", str(tmp_path)])
    written = json.loads((tmp_path / "benchmarks.json").read_text())
    assert [chain["n"] for chain in written["parts"]["loops"]["data"]["chains"]] == [1, 2, 5]
    printed = capsys.readouterr().out
    assert "Chains of four-bars" in printed
    assert "Pinocchio in C++ not measured" in printed or "switched off" in printed
    assert (tmp_path / "benchmark_loops.png").stat().st_size > 10_000


def test_an_unknown_part_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["evaluaton"])
    assert "evaluation" in capsys.readouterr().err


def test_page_has_a_filled_block_for_every_part() -> None:
    text = PAGE.read_text()
    for name in ("machine", "budgets", *MEASURED):
        block = re.search(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", text, re.DOTALL)
        assert block is not None, name
        assert block[1].startswith("**"), name


def test_the_reference_has_all_degrees_of_freedom() -> None:
    assert sum(len(value) for value in reference().values()) == 14


def test_budgets_are_judged_by_the_numbers() -> None:
    data = {
        "vehicle": {
            "rk4 (native), 1 ms": {"real_time_factor": 59.0},
            "step": {"us": 15.0, "bare": 10.0},
        },
        "drift": {"constraint embedding, LSODA": {"max": 1e-15}, "GGL": {"max": 1.0}},
    }
    rows = {row[0]: row[1:] for row in budget_table(data).rows}
    assert rows["full vehicle, RK4 at 1 ms, one core"] == ("≥ 60 × real time", "59 ×", "**no**")
    assert rows["a step in the loop against the bare evaluations"][1:] == ("1.5 ×", "yes")
    assert rows["loop closure, 60 s"][1:] == ("1e-15 m", "yes")
    assert len(rows) == 3
