"""A cart that sampled controllers hold: two periods, memory of both kinds."""

from collections.abc import Mapping, Sequence

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Array, Scalar, where
from ce_dynamics.mechanism.forces.base import Observer, Response, StateDeclaration

PERIOD = 0.01
"""Common to both controllers [s]."""


class Governor(ce.Controller):
    """Every 20 ms: the force that the place asks for, beside a filtered speed that is integrated."""

    name, answers, period = "governor", ("force",), 0.02
    states = (StateDeclaration("filtered", "m/s"),)
    sampled = (StateDeclaration("held", "N"), StateDeclaration("looks", "1"))

    def act(self, sensors: Mapping[str, Scalar], x: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        return {"force": sensors["force"] + x["held"] - 1.5 * x["filtered"]}

    def rates(self, sensors: Mapping[str, Scalar], x: Mapping[str, Scalar]) -> Sequence[Scalar]:
        return (20.0 * (sensors["cart_rate"] - x["filtered"]),)

    def update(self, sensors: Mapping[str, Scalar], x: Mapping[str, Scalar]) -> Sequence[Scalar]:
        return -40.0 * sensors["cart"] + 0.2 * x["held"], x["looks"] + 1.0


class Latch(ce.Controller):
    """Every 30 ms: pushes on, once the cart has been to the left."""

    name, answers, period = "latch", ("force",), 0.03
    sampled = (StateDeclaration("pushes", "1"),)

    def act(self, sensors: Mapping[str, Scalar], x: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        return {"force": sensors["force"] + 5.0 * x["pushes"]}

    def update(self, sensors: Mapping[str, Scalar], x: Mapping[str, Scalar]) -> Sequence[Scalar]:
        return (where(sensors["cart"] < 0.0, 1.0, x["pushes"]),)


class Rail(ce.ForceElement):
    name, outputs, limits = "rail", {"room": "m"}, {"room": "has passed the end"}

    def __init__(self, cart: ce.Body, end: float) -> None:
        self.cart, self.end = cart, end

    @property
    def attachments(self) -> tuple[tuple[ce.Body, Array], ...]:
        return ()

    def evaluate(self, observer: Observer, x: Array, u: Mapping[str, Scalar]) -> Response:
        place = observer.point(self.cart, self.cart.com, self.cart.carrier).r[0]
        return Response((), outputs={"room": self.end - place})


def cart() -> ce.System:
    system = ce.System(name="held cart", gravity=(0, 0, -9.81))
    mass = system.add_parameter(ce.Parameter("mass", 2.0, "kg"))
    body = system.add_body("cart", mass=mass, parent=system.ground, hinge=ce.Prismatic((1, 0, 0)))
    system.start(body, 0.3)
    system.add_input("force", "N")
    system.add_force(ce.Actuator("motor", body, command="force"))
    system.add_force(Rail(body, 2.0))
    system.add_controller(Governor())
    system.add_controller(Latch())
    return system
