"""Decompositions of matrices with entries that are no numbers: they end, and print nothing."""

import numpy as np
import pytest
import threadpoolctl

from ce_dynamics.algebra.dense import LARGE, least_squares, one_blas_thread, singular_values_and_vectors


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("n", [1, 3])
def test_entries_that_are_no_numbers(wrong: float, n: int, capfd: pytest.CaptureFixture[str]) -> None:
    A, b = np.eye(n + 1, n), np.ones(n + 1)
    A[0, 0] = wrong
    assert np.isnan(least_squares(A, b)).tolist() == [True] * n
    assert np.isnan(least_squares(np.eye(n + 1, n), np.where(b > 0, wrong, b))).all()
    assert least_squares(A, np.ones((n + 1, 2))).shape == (n, 2)
    with pytest.raises(np.linalg.LinAlgError, match="no finite numbers"):
        singular_values_and_vectors(A)
    assert capfd.readouterr() == ("", "")  # LAPACK writes there itself


def test_others_are_as_usual() -> None:
    # the plane nearest to (0, 0, 0), (1, 0, 1), (0, 1, 1), (1, 1, 1): normal equations by hand
    A = np.array([[0.0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]])
    assert least_squares(A, np.array([0.0, 1, 1, 1])) == pytest.approx([0.5, 0.5, 0.25])
    U, sigma, Vt = singular_values_and_vectors(np.array([[0.0, 2.0], [3.0, 0.0]]))
    assert sigma == pytest.approx([3.0, 2.0])
    assert U @ np.diag(sigma) @ Vt == pytest.approx(np.array([[0.0, 2.0], [3.0, 0.0]]))


@pytest.mark.parametrize("lost", [0, 1])
def test_many_columns(lost: int) -> None:
    # the normal equations hold, and the answer has no part that A does not see
    rng = np.random.default_rng(5)
    A, b = rng.normal(size=(LARGE + 9, LARGE)), rng.normal(size=LARGE + 9)
    if lost:
        A[:, -1] = A[:, 0] - A[:, 1]
    x = least_squares(A, b)
    assert A.T @ (A @ x - b) == pytest.approx(np.zeros(LARGE), abs=1e-12)
    unseen = np.zeros(LARGE)
    unseen[[0, 1, -1]] = 1.0, -1.0, -1.0
    assert lost * (unseen @ x) == pytest.approx(0.0, abs=1e-12)


def test_blas_is_limited_to_one_thread_meanwhile() -> None:
    threads = [library["num_threads"] for library in threadpoolctl.threadpool_info()]
    with one_blas_thread():
        within = [lib["num_threads"] for lib in threadpoolctl.threadpool_info() if lib["user_api"] == "blas"]
    assert within
    assert set(within) == {1}
    assert [library["num_threads"] for library in threadpoolctl.threadpool_info()] == threads
