"""A loop that is followed on charts."""

import ce_dynamics as ce


def five_bars() -> ce.System:
    """Four bars in a row between two pins: two freedoms, led by no hinge."""
    system, y = ce.System(name="five bars", gravity=(0, 0, -9.81)), (0, 1, 0)
    points = [(0, 0, 0), (-0.2, 0, 0.5), (0.3, 0, 0.8), (0.8, 0, 0.5), (0.6, 0, 0)]
    carrier: ce.Body = system.ground
    for k, at in enumerate(points[:4]):
        hinge = ce.Revolute(y, at=at)
        place = {"com": at, "inertia": (0.1, 0.1, 0.1)}
        carrier = system.add_body(f"bar {k}", mass=1.0, parent=carrier, hinge=hinge, **place)
    closure = ce.Revolute(y, at=points[4])
    system.close_loop("pin", carrier, system.ground, closure, through_dead_centres=True)
    last = carrier
    system.add_output("x", "m", lambda o: o.point(last, last.com, system.ground).r[0])
    system.add_output("z", "m", lambda o: o.point(last, last.com, system.ground).r[2])
    return system
