"""Plain rigid bodies in machine code: orientations, inertias, rows of contacts, motion."""

from __future__ import annotations

import math

import numpy as np

from ce_dynamics.contact.kernels import cross
from ce_dynamics.contact.machine import kernel
from ce_dynamics.simulation.integrators.kernels import call


@kernel
def rotations(quaternion, R):  # type: ignore[no-untyped-def]
    """Rotation matrices of unit quaternions."""
    for k in range(len(quaternion)):
        w, x, y, z = quaternion[k, 0], quaternion[k, 1], quaternion[k, 2], quaternion[k, 3]
        R[k, 0, 0] = 1.0 - 2.0 * (y * y + z * z)
        R[k, 0, 1] = 2.0 * (x * y - w * z)
        R[k, 0, 2] = 2.0 * (x * z + w * y)
        R[k, 1, 0] = 2.0 * (x * y + w * z)
        R[k, 1, 1] = 1.0 - 2.0 * (x * x + z * z)
        R[k, 1, 2] = 2.0 * (y * z - w * x)
        R[k, 2, 0] = 2.0 * (x * z - w * y)
        R[k, 2, 1] = 2.0 * (y * z + w * x)
        R[k, 2, 2] = 1.0 - 2.0 * (x * x + y * y)


@kernel
def quaternion_rates(quaternion, v, rate):  # type: ignore[no-untyped-def]
    """½ (0, ω) ⊗ quaternion for world angular velocities, the last three of v."""
    for k in range(len(quaternion)):
        s, a, b, c = quaternion[k, 0], quaternion[k, 1], quaternion[k, 2], quaternion[k, 3]
        x, y, z = 0.5 * v[k, 3], 0.5 * v[k, 4], 0.5 * v[k, 5]
        rate[k, 0] = -(x * a + y * b + z * c)
        rate[k, 1] = s * x + y * c - z * b
        rate[k, 2] = s * y + z * a - x * c
        rate[k, 3] = s * z + x * b - y * a


@kernel
def rotate_all(quaternion, rate, h, new):  # type: ignore[no-untyped-def]
    """Orientations after h at constant angular velocity: cos(h |q̇|) q + sin(h |q̇|) q̇/|q̇|; may be in place."""
    for k in range(len(quaternion)):
        speed, size = 0.0, 0.0
        for i in range(4):
            speed += rate[k, i] ** 2
        speed = math.sqrt(speed)
        cosine = math.cos(h * speed)
        share = math.sin(h * speed) / speed if speed > 0.0 else h
        for i in range(4):
            new[k, i] = cosine * quaternion[k, i] + share * rate[k, i]
            size += new[k, i] ** 2
        for i in range(4):
            new[k, i] /= math.sqrt(size)


@kernel
def congruent(R, inertia, out):  # type: ignore[no-untyped-def]
    """R I Rᵀ of every body."""
    for k in range(len(R)):
        for i in range(3):
            a, b, c = 0.0, 0.0, 0.0  # row i of R I
            for j in range(3):
                a += R[k, i, j] * inertia[k, j, 0]
                b += R[k, i, j] * inertia[k, j, 1]
                c += R[k, i, j] * inertia[k, j, 2]
            for j in range(3):
                out[k, i, j] = a * R[k, j, 0] + b * R[k, j, 1] + c * R[k, j, 2]


@kernel
def contact_rows(S, first, second, C, n, r, rolling, J_a, J_b):  # type: ignore[no-untyped-def]
    """Gᵀ of the rows of every meeting: [e; lever × e] pushes along e, [0; e] turns about it.

    Normal, two of friction, two of rolling, one of spinning; the second body gets the opposite.
    """
    per = len(J_a) // max(1, len(first))
    lever, turn = np.empty(3), np.empty(3)
    for k in range(len(first)):
        for i in range(3):
            S.normal[i] = n[k, i]
        call(S.frame[0], S.frame[1])
        for body, J, sign in ((first[k], J_a, 1.0), (second[k], J_b, -1.0)):
            for i in range(3):
                lever[i] = C[k, i] - (r[body, i] if body >= 0 else 0.0)
            for row in range(per):
                pushes = row < 3
                tangent = row - 1 if pushes else row - 3 if rolling and row < 5 else -1
                e = S.tangents[3 * tangent : 3 * tangent + 3] if tangent >= 0 else S.normal
                cross(lever, e, turn)
                for i in range(3):
                    J[per * k + row, i] = sign * e[i] if pushes else 0.0
                    J[per * k + row, 3 + i] = sign * turn[i] if pushes else sign * e[i]


@kernel
def along_rows(body_a, body_b, J_a, J_b, v, rate):  # type: ignore[no-untyped-def]
    """Gᵀ v; bodies are those of the meetings."""
    per = len(J_a) // max(1, len(body_a))
    for k in range(len(body_a)):
        a, b = body_a[k], body_b[k]
        for row in range(per * k, per * k + per):
            total = 0.0
            for i in range(6):
                if a >= 0:
                    total += J_a[row, i] * v[a, i]
                if b >= 0:
                    total += J_b[row, i] * v[b, i]
            rate[row] = total


@kernel
def responses(body, per, J, mass, Y, out):  # type: ignore[no-untyped-def]
    """(M⁻¹ G)ᵀ: linear parts by the mass, angular ones by R I⁻¹ Rᵀ."""
    for k in range(len(body)):
        b = body[k]
        if b < 0:
            continue
        for row in range(per * k, per * k + per):
            for i in range(3):
                out[row, i] = J[row, i] / mass[b]
                out[row, 3 + i] = Y[b, i, 0] * J[row, 3] + Y[b, i, 1] * J[row, 4] + Y[b, i, 2] * J[row, 5]


@kernel
def in_body(R, v, w):  # type: ignore[no-untyped-def]
    """Angular velocities in body axes."""
    for k in range(len(R)):
        for i in range(3):
            w[k, i] = R[k, 0, i] * v[k, 3] + R[k, 1, i] * v[k, 4] + R[k, 2, i] * v[k, 5]


@kernel
def in_world(R, w, v):  # type: ignore[no-untyped-def]
    """Angular velocities in world axes."""
    for k in range(len(R)):
        for i in range(3):
            v[k, 3 + i] = R[k, i, 0] * w[k, 0] + R[k, i, 1] * w[k, 1] + R[k, i, 2] * w[k, 2]
