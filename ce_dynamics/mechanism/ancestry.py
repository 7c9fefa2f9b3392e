"""Finds the ancestors of a body and the lowest common ancestor of two bodies."""

from __future__ import annotations

from ce_dynamics.mechanism.body import Body


def ancestors(body: Body) -> list[Body]:
    """Return the body and its ancestors, up to the ground."""
    chain = [body]
    while chain[-1].parent is not None:
        chain.append(chain[-1].parent)
    return chain


def carries(a: Body, b: Body) -> bool:
    """Return True if a body is another one or its ancestor."""
    while b is not a and b.depth > a.depth:
        b = b.carrier
    return b is a


def common_ancestor(a: Body, b: Body) -> Body:
    """Return the lowest common ancestor of two bodies."""
    if a.is_ground or b.is_ground:
        return a if a.is_ground else b
    while a is not b:  # the deeper one goes on, so that this is over after the bodies between the two
        if a.depth >= b.depth:
            a = a.carrier
        else:
            b = b.carrier
    return a


def chain_between(body: Body, carrier: Body) -> list[Body]:
    """Return a body and its ancestors up to the given one, which is included."""
    chain = [body]
    while chain[-1] is not carrier:
        chain.append(chain[-1].carrier)
    return chain
