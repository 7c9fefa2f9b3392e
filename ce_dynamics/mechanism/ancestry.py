"""What carries a body, and what carries two of them."""

from __future__ import annotations

from ce_dynamics.mechanism.body import Body


def ancestors(body: Body) -> list[Body]:
    """The body and everything that carries it, up to the ground."""
    chain = [body]
    while chain[-1].parent is not None:
        chain.append(chain[-1].parent)
    return chain


def common_ancestor(a: Body, b: Body) -> Body:
    """The lowest body on the way from both to the ground."""
    if a.is_ground or b.is_ground:
        return a if a.is_ground else b
    while a is not b:  # the deeper one goes on, so that this is over after the bodies between the two
        if a.depth >= b.depth:
            a = a.carrier
        else:
            b = b.carrier
    return a


def chain_between(body: Body, carrier: Body) -> list[Body]:
    """A body and what carries it, as far as the given carrier, which is included."""
    chain = [body]
    while chain[-1] is not carrier:
        chain.append(chain[-1].carrier)
    return chain
