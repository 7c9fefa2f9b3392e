"""Public operators: against inversion, body Jacobians, differences and the closures' equations.

Tolerances: sums of some hundreds of products of numbers of the compared size leave some hundred roundings.
Differences with h = 1e-5 leave h² times a third derivative and rounding / h: 1e-8 of the largest entry.
"""

import numpy as np
import pytest
from numpy.typing import NDArray

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiled.analysis.aggregated_bodies import AggregatedBody
from ce_dynamics.compiled.model import Model
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.errors import AssemblyError, ModelError
from ce_dynamics.mechanism.hinges import Revolute
from ce_dynamics.mechanism.parameters import Parameter
from ce_dynamics.mechanism.system import System
from tests.ce_dynamics.recursion_dense import Dense, in_world
from tests.ce_dynamics.recursion_systems import Case, make_case
from tests.support import systems as mechanisms

Floats = NDArray[np.float64]
CASES = ("tree", "chain", "four_bar", "coupled", "corner")


@pytest.fixture(scope="module", params=CASES)
def pair(request: pytest.FixtureRequest) -> tuple[Case, Model]:
    case = make_case(request.param)
    return case, Model(case.system)


def close(found: Array, expected: Array) -> None:
    expected = np.asarray(expected, dtype=float)
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12 * scale)


def body_jacobian(case: Case) -> Floats:
    """φᵀ Hᵀ of the system: columns of all bodies in their own axes, from hinges' matrices and positions."""
    dense = Dense(case.instant())
    turned = [
        in_world(dense.R(body)).T @ dense.J[dense.place[body.name] : dense.place[body.name] + 6]
        for body in case.system.bodies
    ]
    return np.concatenate(turned)


def test_inverse_and_solution(pair: tuple[Case, Model]) -> None:
    case, model = pair
    M = model.mass_matrix(case.q, u=case.u, x=case.x)
    inverse = model.inverse_mass_matrix(case.q, u=case.u, x=case.x)
    condition = float(np.linalg.cond(M))
    np.testing.assert_allclose(inverse @ M, np.eye(case.n_v), atol=1e-14 * condition)
    T = np.random.default_rng(1).normal(size=(case.n_v, 3))
    found = model.solve_mass(case.q, T=T, u=case.u, x=case.x)
    assert found.shape == T.shape
    np.testing.assert_allclose(found, np.linalg.solve(M, T), atol=1e-14 * condition * np.abs(inverse).max())
    np.testing.assert_array_equal(model.solve_mass(case.q, T=T[:, 1], u=case.u, x=case.x), found[:, 1])


def test_factors(pair: tuple[Case, Model]) -> None:
    """M = L D Lᵀ, and L = I + H φ K with Hφ from hinges' matrices: K has its place, axes and point right."""
    case, model = pair
    L, D, K, bodies = model.innovations(case.q, u=case.u, x=case.x)
    assert bodies == tuple(body.name for body in case.system.bodies)
    M = model.mass_matrix(case.q, u=case.u, x=case.x)
    close(L @ D @ L.T, M)
    close(L, np.eye(case.n_v) + body_jacobian(case).T @ K)
    for S in case.embedding.aggregates:
        own = [k for body in S.independent for k in range(case.n_v)[case.embedding.v_of[body.name]]]
        others = [k for k in range(case.n_v) if k not in own]
        assert not np.any(D[np.ix_(own, others)])


def of(model: Model, case: Case) -> list[AggregatedBody]:
    y = np.concatenate((case.q, case.v, case.x))
    loops = [S.name for S in case.embedding.aggregates if S.closures]
    others = [S.name for S in case.embedding.aggregates if not S.closures]
    return [model.aggregated_body(name, y, u=case.u) for name in loops + others[:3]]


def test_velocities_and_accelerations_inside(pair: tuple[Case, Model]) -> None:
    """θ̇_S = X θ̇(S) + η against differences of hinge coordinates, the bias against those of the rates."""
    case, model = pair
    v_dot = np.zeros(case.n_v)
    for S in of(model, case):
        aggregate = case.embedding.owner[S.bodies[0]]
        holonomic = [body for body in aggregate.bodies if body.inboard.n_q == body.inboard.n_v]
        names = [name for body in holonomic for name in names_of(S, body.name)]

        def coordinates(now: Instant, holonomic: list = holonomic) -> Floats:  # type: ignore[type-arg]
            outward = now.outward
            values = [outward.coordinate(b, k) for b in holonomic for k in range(b.inboard.n_q)]
            return np.array(values, dtype=float)

        def rates(now: Instant, holonomic: list = holonomic) -> Floats:  # type: ignore[type-arg]
            values = [now.outward.rate(b, k) for b in holonomic for k in range(b.inboard.n_v)]
            return np.array(values, dtype=float)

        places = [S.rates.index(name) for name in names]
        theta_dot = case.v[[place for body in aggregate.independent for place in places_of(case, body.name)]]
        velocity, bias = (S.X @ theta_dot + S.eta)[places], S.bias[places]
        step = case.derivative(coordinates, v_dot)
        turned = np.abs(step) < 1e4  # a coordinate that passes ±π jumps
        np.testing.assert_allclose(velocity[turned], step[turned], atol=1e-7)
        np.testing.assert_allclose(bias, case.derivative(rates, v_dot), atol=1e-6)


def names_of(S: AggregatedBody, body: str) -> list[str]:
    return [name for name in S.rates if name.split(".")[0].removesuffix("_rate") == body]


def places_of(case: Case, body: str) -> range:
    return range(case.n_v)[case.embedding.v_of[body]]


def test_hinge_map_is_the_product_of_its_factors(pair: tuple[Case, Model]) -> None:
    """H(S) = X_Sᵀ H_S φ_S (9): H(S) comes from the motion along the tree, the factors from definitions."""
    case, model = pair
    for S in of(model, case):
        close(S.H, S.X.T @ S.H_S @ S.phi_S)
        n = len(S.bodies)
        assert S.X.shape == (len(S.rates), len(S.independent))
        assert S.H_S.shape == (len(S.rates), 6 * n)
        assert S.phi_p.shape == (6, 6 * n)


def test_operators_give_the_mass_matrix_of_a_tip() -> None:
    """If S on the ground carries nothing, M = H M(S) Hᵀ and C = H (M(S) a(S) + b)."""
    system = mechanisms.four_bar((0.4, 1.2, 0.9, 1.1), 0.8)
    model = Model(system)
    y = np.array([0.1, 2.0])
    S = model.aggregated_body("rocker", y)
    assert S.parent == "ground"
    assert S.closures == ("pin",)
    close(S.H @ S.M @ S.H.T, model.mass_matrix(y[:1]))
    weights = np.concatenate([(0, 0, 0, *(system.find(name).mass * system.gravity)) for name in S.bodies])
    C = model.inverse_dynamics(y[:1], y[1:], [0.0])  # planar: no gyroscopic moments
    close(S.H @ (S.M @ S.a - weights), C)


@pytest.mark.parametrize("cut", ["rocker", "coupler", "ground"])
def test_closure_jacobian(cut: str) -> None:
    """(12)-(14): Y X = 0, X from Y by (13), Y bias = −Ẏ θ̇ by differences of Y θ̇_S at fixed θ̇_S."""
    model = Model(mechanisms.four_bar((0.4, 1.2, 0.9, 1.1), 0.8, cut=cut))

    def at(q: float, v: float = 2.0) -> AggregatedBody:
        return model.aggregated_body("crank", [q, v])

    S = at(0.3)
    close(S.Y @ S.X, np.zeros((len(S.Y), 1)))
    lead = S.rates.index("crank_rate")
    rest = [k for k in range(3) if k != lead]
    Z = np.linalg.lstsq(S.Y[:, rest], S.Y[:, [lead]], rcond=1e-12)[0]
    close(S.X[rest], -Z)
    h = 1e-6
    Y_dot = (at(0.3 + 2.0 * h).Y - at(0.3 - 2.0 * h).Y) / (2.0 * h)
    np.testing.assert_allclose(S.Y @ S.bias, -Y_dot @ S.X @ [2.0], atol=1e-8)


def test_free_parameters_and_errors() -> None:
    system = System(gravity=(0, 0, -9.81))
    length = system.add_parameter(Parameter("length", 1.0, "m"))
    arm = system.add_body("arm", mass=2.0, com=(length, 0, 0), parent="ground", hinge=Revolute((0, 1, 0)))
    model = Model(system)
    u = model.inputs_with({"length": 2.0})
    assert model.inverse_mass_matrix([0.0], u=u)[0, 0] == pytest.approx(1.0 / 8.0)
    assert model.aggregated_body(arm, u=u).H.tolist() == [[0.0, 1.0, 0.0, 0.0, 0.0, -2.0]]
    with pytest.raises(ModelError, match="name another body"):
        model.aggregated_body("ground")
    with pytest.raises(ModelError, match="T must be 1 finite"):
        model.solve_mass([0.0], T=[1.0, 2.0])
    with pytest.raises(ModelError, match="T must be 1 finite"):
        model.solve_mass([0.0], T=[np.nan])
    with pytest.raises(ModelError, match="q must be 1 finite"):
        model.innovations([np.nan])


def test_what_cannot_be_assembled_is_named() -> None:
    model = Model(mechanisms.slider_crank(0.5, 0.4, 0.3))  # the crank reaches higher than the rod is long
    with pytest.raises(AssemblyError, match="crank"):
        model.aggregated_body("rod", [np.pi / 2 - 0.3, 0.0])
    with pytest.raises(AssemblyError, match="crank"):
        model.inverse_mass_matrix([np.pi / 2 - 0.3])
