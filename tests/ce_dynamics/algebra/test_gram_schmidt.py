"""Orthonormal columns against NumPy's QR, on floats and compiled."""

import numpy as np
import pytest

from ce_dynamics.algebra.dense import gram_schmidt
from ce_dynamics.compiler import compile_function, trace


@pytest.mark.parametrize("shape", [(1, 1), (4, 2), (7, 3), (3, 0)])
def test_it_is_the_factorisation_of_numpy(shape: tuple[int, int]) -> None:
    M = np.random.default_rng(shape[0]).normal(size=shape)
    Q, R = gram_schmidt(M)
    theirs, other = np.linalg.qr(M)
    signs = np.sign(np.diag(other))
    # rounding times a condition number of some 10
    np.testing.assert_allclose(Q, theirs * signs, atol=1e-14)
    np.testing.assert_allclose(R, signs[:, np.newaxis] * other, atol=1e-14)
    if shape[1]:
        compiled = compile_function(
            trace("qr", lambda M: dict(zip("QR", gram_schmidt(M.reshape(shape)), strict=True)), {"M": M.size})
        )
        for mine, plain in zip(compiled(M.ravel()), (Q, R), strict=True):
            np.testing.assert_allclose(mine, plain.reshape(mine.shape), atol=1e-15)
