"""Numbers about the HMMWV model that docs/gallery.md states."""

import math

import numpy as np

import ce_dynamics as ce
from ce_dynamics.models import hmmwv
from ce_dynamics.models.vehicles.steering_angle import wheel_angle

SIDES = ("front_left", "rear_left")
ROW = "{:50} {:>10} {:>10} {}"


def show(what: str, values: object, unit: str = "", digits: int = 3) -> None:
    """Print a row with one number, or one each for front and rear."""
    numbers = [f"{value:.{digits}f}" for value in np.atleast_1d(np.asarray(values, dtype=float))]
    print(ROW.format(what, numbers[0], numbers[1] if len(numbers) > 1 else "", unit).rstrip())


data = hmmwv.HmmwvParameters.load()
corners = [data.corners[name] for name in SIDES]
system = hmmwv.build(data)
model = ce.compile(system)
y = hmmwv.settle(model)
instant = model.instant(y, model.u0)
named = dict(zip([entry.name for entry in (*model.layout.q, *model.layout.v)], y, strict=False))
run = ce.simulate(model, duration=0.01, y0=y).isel(time=0).sel(corner=list(SIDES))

print(f"{len(system.bodies)} bodies, {len(system.closures)} loop closures, {len(model.layout.v)} velocities")
show("mass of the model", sum(body.mass for body in system.bodies), "kg", 1)
show("distance of the axles' corner origins", data.axle_spacing, "m")
show("distance of the wheel centres", data.wheelbase, "m")
for lock, side in ((1.0, "inner"), (-1.0, "outer")):
    angle = lock * wheel_angle(data, data.corners["front_left"], lock)
    show(f"{side} front wheel at full lock", math.degrees(angle), "deg", 1)
show("chassis origin above the road, as published for the start", data.ride_height, "m")
show("the same in equilibrium at rest", named["chassis.z"], "m")

print()
print(ROW.format("", "front", "rear", "").rstrip())
axes = [
    (
        c.points["lower_arm.front_pivot"] - c.points["lower_arm.rear_pivot"],
        c.points["upper_arm.front_pivot"] - c.points["upper_arm.rear_pivot"],
    )
    for c in corners
]
tilt = [math.degrees(math.acos(a @ b / np.linalg.norm(a) / np.linalg.norm(b))) for a, b in axes]
show("upper arm's axis against the lower arm's", tilt, "deg", 1)
for arm in ("lower_arm", "upper_arm"):
    moments = np.array([np.linalg.eigvalsh(c.parts[arm].inertia) for c in corners])
    excess = moments[:, 2] - moments[:, 1] - moments[:, 0]
    show(f"{arm}: largest moment less the other two", excess, "kg m²", 5)
reach = [model.embedding.owner[f"{name}.lower_arm"].linkages[0].reach() for name in SIDES]
for which, end in enumerate(("down", "up")):
    show(f"lower arm can be assembled {end} to", [math.degrees(r[which]) for r in reach if r], "deg", 1)
arms = [math.degrees(named[f"{name}.lower_arm"]) for name in SIDES]
show("lower arm in equilibrium", arms, "deg", 1)
show("spring length, free", [c.spring.free_length for c in corners], "m")
show("spring length in the design pose", [c.spring.design_length for c in corners], "m")
show("spring length at which the droop stop begins", [c.spring.max_length for c in corners], "m")
show("spring length in equilibrium", run["spring_length"], "m")
in_design = []
for c in corners:
    d = c.spring.design_length - c.spring.free_length
    in_design.append(-(c.spring.linear * d + c.spring.cubic * d**3) / 1e3)
show("spring's push in the design pose", in_design, "kN", 1)
show("spring's push in equilibrium", -run["spring_force"] / 1e3, "kN", 1)
show("tyre load in equilibrium", run["tyre_Fz"] / 1e3, "kN", 2)
axles = [
    instant.outward.direction(system.find(f"{c.name}.spindle"), c.wheel.axis, system.ground) for c in corners
]
show("toe-in in equilibrium", [math.degrees(math.atan2(x, y)) for x, y, _ in axles], "deg", 2)
show("camber in equilibrium, top outwards", [-math.degrees(math.asin(z)) for *_, z in axles], "deg", 2)
