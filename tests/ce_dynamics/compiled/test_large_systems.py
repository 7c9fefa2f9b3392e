"""Systems of many bodies: nothing recurses over them, and groups come out as for small ones."""

import sys
from collections.abc import Callable

import numpy as np
import pytest

import ce_dynamics as ce
from ce_dynamics.compiler import machine
from ce_dynamics.dynamics.outward import Outward
from ce_dynamics.embedding.embed import embed
from ce_dynamics.mechanism.system import System
from tests.benchmarks.large_systems import chain, comb, tree


def test_end_of_long_row_of_bodies_is_placed() -> None:
    """By more bodies than Python allows calls in each other."""
    n = 1100
    assert n > sys.getrecursionlimit()
    system = System(gravity=(0.0, 0.0, -9.81), name="rope")
    for k in range(n):
        system.add_body(
            f"link {k}", mass=1.0, com=(0.0, 0.0, -k - 0.5), inertia=(0.1, 0.1, 0.01),
            parent=system.find(f"link {k - 1}") if k else system.ground,
            hinge=ce.Revolute(axis=(0, 1, 0), at=(0.0, 0.0, -k)),
        )  # fmt: skip
    embedding = embed(system)
    q, v = np.zeros(n), np.zeros(n)
    q[0], v[0] = 0.3, 2.0  # all turn as one
    outward = Outward(embedding, q, v, {})
    end = outward.placement(system.find(f"link {n - 1}"), system.ground)
    length = n - 0.5
    # every placement is the one before and a step: n roundings of numbers up to n
    error = n * 2.0**-52
    np.testing.assert_allclose(
        end.r, length * np.array((-np.sin(0.3), 0.0, -np.cos(0.3))), rtol=error, atol=error
    )
    np.testing.assert_allclose(
        end.v, 2.0 * length * np.array((-np.cos(0.3), 0.0, np.sin(0.3))), rtol=error, atol=error
    )


@pytest.mark.parametrize(
    ("system", "bodies"), [(chain(40), 3), (comb(40), 3), (tree(20), 6)], ids=["chain", "comb", "tree"]
)
def test_every_loop_is_aggregated_body_of_its_own(system: System, bodies: int) -> None:
    embedding = ce.compile(system).embedding
    loops = [S for S in embedding.aggregates if S.closures]
    assert {len(S.bodies) for S in loops} == {bodies}
    assert len({body for S in loops for body in S.bodies}) == bodies * len(loops)
    assert all(len(S.linkages) >= 1 for S in loops)


@pytest.mark.parametrize(("build", "n"), [(chain, 45), (comb, 40), (tree, 10)])
def test_long_models_integrate(build: Callable[[int], System], n: int) -> None:
    """Native steps and SciPy's agree, on code in pieces."""
    model = ce.compile(build(n))
    assert model.dynamics.traced.n_instructions > machine.LARGEST_STRAIGHT
    native = ce.simulate(model, duration=0.01, method="rk4", step=1e-4)
    scipy = ce.simulate(model, duration=0.01, method="DOP853", rtol=1e-10, atol=1e-12)
    names = [name for name in native.data_vars if native[name].dims == ("time",)]
    assert len(names) > model.embedding.n_v
    for name in names:
        np.testing.assert_allclose(native[name], scipy[name], rtol=1e-7, atol=1e-7, err_msg=str(name))
