"""Spatial algebra: 6-vectors stacked [angular; linear], rigid shifts φ and the rotation of inertias.

Every function works on floats and on traced scalars.  Symmetric results are computed on the upper triangle
and mirrored, so that tracing neither repeats work nor loses exact symmetry.
"""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Array, Scalar, array, cross, dot, skew, zeros


def spatial(angular: Array, linear: Array) -> Array:
    """Return the 6-vector [angular; linear]."""
    return array((*angular, *linear))


def symmetric_from_upper(upper: Array) -> Array:
    """Return the symmetric matrix that has the given upper triangle."""
    n = len(upper)
    return array([[upper[min(i, j), max(i, j)] for j in range(n)] for i in range(n)])


def symmetric_product(left: Array, right: Array) -> Array:
    """Return left @ right where the result is known to be symmetric; compute its upper triangle only."""
    n = left.shape[0]
    upper = [[dot(left[i], right[:, j]) for j in range(i, n)] for i in range(n)]
    return array([[upper[min(i, j)][abs(j - i)] for j in range(n)] for i in range(n)])


def rotate_symmetric(R: Array, A: Array) -> Array:
    """Return R A Rᵀ for a symmetric 3×3 A.

    The isotropic part of A does not rotate: R A Rᵀ = a 1 + R (A − a 1) Rᵀ.  Taking a = A₂₂ leaves a smaller
    matrix to rotate, and nothing at all when A is a multiple of the identity, such as the mass of a body.
    """
    a = A[1, 1]
    isotropic = a * IDENTITY
    return symmetric_from_upper(symmetric_product(R @ (A - isotropic), R.T) + isotropic)


def rotate_coupling(R: Array, B: Array) -> Array:
    """Return R B Rᵀ for a general 3×3 B, whose skew part rotates as a vector (all of it, if R is rigid)."""
    b = 0.5 * array((B[2, 1] - B[1, 2], B[0, 2] - B[2, 0], B[1, 0] - B[0, 1]))
    symmetric = symmetric_from_upper(0.5 * (B + B.T))
    return rotate_symmetric(R, symmetric) + skew(R @ b)


def rotate_inertia(R: Array, P: Array) -> Array:
    """Return a 6×6 (articulated) inertia in the axes that R turns into: blkdiag(R, R) P blkdiag(R, R)ᵀ."""
    B = rotate_coupling(R, P[:3, 3:])
    return blocks(rotate_symmetric(R, P[:3, :3]), B, rotate_symmetric(R, P[3:, 3:]))


def rotate_vector(R: Array, f: Array) -> Array:
    """Return a 6-vector in the axes that R turns into."""
    return array((*(R @ f[:3]), *(R @ f[3:])))


def blocks(A: Array, B: Array, C: Array) -> Array:
    """Return the symmetric 6×6 matrix [[A, B], [Bᵀ, C]]."""
    return array([[*A[i], *B[i]] for i in range(3)] + [[*B[:, i], *C[i]] for i in range(3)])


def rigid_inertia(mass: Scalar, inertia: Array) -> Array:
    """Return spatial inertia about the centre of mass: blkdiag(I, m 1)."""
    return blocks(inertia, zeros(3, 3), mass * IDENTITY)


def phi_force(r: Array, f: Array) -> Array:
    """Return φ(p, k) f: a spatial force at k taken to p, where r points from p to k."""
    return spatial(f[:3] + cross(r, f[3:]), f[3:])


def phi_columns(r: Array, F: Array) -> Array:
    """Return φ(p, j) applied to every column of F."""
    return array(phi_force(r, F[:, k]) for k in range(F.shape[1])).reshape(F.shape[1], 6).T


def phi_T_motion(r: Array, V: Array) -> Array:
    """Return φᵀ(p, k) V: a spatial velocity at p taken to k, where r points from p to k."""
    return spatial(V[:3], V[3:] + cross(V[:3], r))


def phi_inertia(r: Array, P: Array) -> Array:
    """Return φ(p, k) P φᵀ(p, k): an inertia at k as seen at p, where r points from p to k."""
    r_tilde = skew(r)
    A, B, C = P[:3, :3], P[:3, 3:], P[3:, 3:]
    rC = r_tilde @ C
    moved = A + symmetric_product(rC, r_tilde.T)
    rB = r_tilde @ B.T
    return blocks(symmetric_from_upper(moved + rB + rB.T), B + rC, C)


IDENTITY = array(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
