"""(2) and (3) against dense operators, against kinetic energy, and against each other."""

import numpy as np
import pytest

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiler import trace
from ce_dynamics.dynamics.articulated_body import Articulated, tip_to_base
from ce_dynamics.dynamics.energy import kinetic_energy
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.mass_matrix import innovations_factors, inverse_mass_matrix, mass_matrix, solve_mass
from ce_dynamics.dynamics.outward import Outward
from tests.ce_dynamics.recursion_dense import Dense
from tests.ce_dynamics.recursion_systems import SYSTEMS, Case, make_case, random_tree

EPS = float(np.finfo(float).eps)
CASES = [(name, seed) for name in SYSTEMS for seed in (range(4) if name == "tree" else range(1))]


@pytest.fixture(params=CASES, ids=lambda given: f"{given[0]}{given[1]}")
def case(request: pytest.FixtureRequest) -> Case:
    return make_case(*request.param)


def nodes_of(outward: Outward) -> dict[str, Articulated]:
    return tip_to_base(outward, {}, {})


def rounding(M: Array) -> float:
    """Error of a quadratic expression in M: some hundreds of sums of products of its size."""
    return 1000.0 * EPS * float(np.max(np.abs(M)))


def test_equals_the_dense_operators(case: Case) -> None:
    instant = case.instant()
    M = mass_matrix(instant.outward)
    np.testing.assert_allclose(M, Dense(instant).mass_matrix(), rtol=0.0, atol=rounding(M))


def test_symmetric_and_positive_definite(case: Case) -> None:
    M = mass_matrix(case.instant().outward)
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M)[0] > 0.0


def test_is_the_hessian_of_the_kinetic_energy(case: Case) -> None:
    """T is a quadratic of v, so vᵢᵀ M vⱼ = T(vᵢ + vⱼ) − T(vᵢ) − T(vⱼ) + T(0) without truncation."""

    def T(v: Array) -> float:
        return float(kinetic_energy(case.instant(v).outward))

    unit = np.eye(case.n_v)
    still, single = T(np.zeros(case.n_v)), [T(e) for e in unit]
    M = mass_matrix(case.instant().outward)
    for i, j in np.random.default_rng(0).integers(case.n_v, size=(12, 2)):
        assert T(unit[i] + unit[j]) - single[i] - single[j] + still == pytest.approx(M[i, j], abs=rounding(M))


def test_innovations_factors(case: Case) -> None:
    outward = case.instant().outward
    M, (L, D) = mass_matrix(outward), innovations_factors(outward, nodes_of(outward))
    np.testing.assert_allclose(L @ D @ L.T, M, rtol=0.0, atol=rounding(M))
    assert np.array_equal(np.diag(L), np.ones(case.n_v))
    assert np.linalg.det(L) == pytest.approx(1.0, rel=1e-10)


def test_factors_have_the_blocks_of_the_tree(case: Case) -> None:
    """L couples a body only with those that carry it, D with none."""
    outward, embedding = case.instant().outward, case.embedding
    L, D = innovations_factors(outward, nodes_of(outward))
    home = {
        k: S
        for S in embedding.aggregates
        for body in S.independent
        for k in range(case.n_v)[embedding.v_of[body.name]]
    }
    for i, S_i in home.items():
        for j, S_j in home.items():
            carriers, p = [], S_j.parent
            while not p.is_ground:
                carriers.append(embedding.owner[p.name])
                p = carriers[-1].parent
            if S_i is not S_j:
                assert D[i, j] == 0.0
                assert L[i, j] == 0.0 or S_i in carriers


def test_inverse(case: Case) -> None:
    outward = case.instant().outward
    M, inverse = mass_matrix(outward), inverse_mass_matrix(outward, nodes_of(outward))
    assert np.array_equal(inverse, inverse.T)
    np.testing.assert_allclose(inverse @ M, np.eye(case.n_v), rtol=0.0, atol=100.0 * EPS * np.linalg.cond(M))


def test_sweeps_solve_what_the_matrix_multiplies(case: Case, rng: np.random.Generator) -> None:
    outward = case.instant().outward
    M, nodes = mass_matrix(outward), nodes_of(outward)
    T = rng.normal(size=(case.n_v, 3))
    solution = solve_mass(outward, nodes, T)
    tolerance = 100.0 * EPS * np.linalg.cond(M) * np.max(np.abs(T))
    np.testing.assert_allclose(M @ solution, T, rtol=0.0, atol=tolerance)
    np.testing.assert_array_equal(solve_mass(outward, nodes, T[:, 1]), solution[:, 1])


def test_loads_do_not_change_what_mass_does(case: Case) -> None:
    instant = case.instant()
    loaded = tip_to_base(instant.outward, instant.loads.wrenches, instant.loads.torques)
    T = np.arange(1.0, case.n_v + 1)
    bare = solve_mass(instant.outward, nodes_of(instant.outward), T)
    np.testing.assert_array_equal(solve_mass(instant.outward, loaded, T), bare)


@pytest.mark.parametrize("mass_ratio", [1e-6, 1e6])
def test_extreme_mass_ratios(mass_ratio: float, rng: np.random.Generator) -> None:
    """Light bodies between heavy ones: the inverse is as good as the condition of M lets any inverse be."""
    kinds = ["free", "revolute", "universal", "spherical", "prismatic", "revolute"]
    case = Case(random_tree(rng, kinds, mass_ratio), rng)
    outward = case.instant().outward
    M = mass_matrix(outward)
    s = 1.0 / np.sqrt(np.diag(M))  # in these units the mass matrix has a unit diagonal
    scaled = M * np.outer(s, s)
    inverse = inverse_mass_matrix(outward, nodes_of(outward)) / np.outer(s, s)
    tolerance = 100.0 * EPS * np.linalg.cond(scaled)
    np.testing.assert_allclose(inverse @ scaled, np.eye(case.n_v), rtol=0.0, atol=tolerance)


@pytest.mark.parametrize("name", ["coupled", "corner"])
def test_traced_equals_float(name: str) -> None:
    case = make_case(name)

    def everything(q: Array, v: Array, u: Array) -> dict[str, Array]:
        outward = Instant(case.embedding, case.layout, q, v, case.x, u).outward
        nodes = tip_to_base(outward, {}, {})
        L, D = innovations_factors(outward, nodes)
        return {
            "M": mass_matrix(outward),
            "L": L,
            "D": D,
            "inverse": inverse_mass_matrix(outward, nodes),
            "solved": solve_mass(outward, nodes, v),
        }

    given = {"q": case.q, "v": case.v, "u": case.u}
    traced = trace("mass", everything, {key: len(value) for key, value in given.items()}).evaluate(**given)
    for key, value in everything(**given).items():
        np.testing.assert_allclose(traced[key], value, rtol=1e-11, atol=1e-12, err_msg=key)
