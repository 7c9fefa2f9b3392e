"""``python -m tests.chrono_vehicles`` with step FILE.csv, differences, or one of the others and a FOLDER.

``step``: the HMMWV's step steer against a record of Project Chrono's own HMMWV_Full (columns t, v_fwd, v_lat,
yaw_rate, roll, Fz_FL … in SI, 50 Hz, 12 m/s, friction 0.9, throttle 0.065, a fifth of full lock at 2 s).

``differences``: between the shipped HMMWV and that with the data of Chrono's program, in one table.

``vehicles``: every vehicle below a folder of Chrono's data (``data/vehicle``): read, settled, driven.
``speeds``: degrees of freedom, instructions, times of all of them, in a few minutes.
``pulling``: those whose drag links pull them aside, by the lengths of their rods.
``variants``: such vehicles put together anew of each other's parts; number and seed may follow.
``drivers``: the path-following driver on them, on the shipped ones and on heavier ones, at all speeds.
``late``: recordings in FOLDER beside runs on tyres that push two steps late; the folder of vehicles and names
of recordings follow.
``tyres``: every Magic Formula tyre of it, on a vehicle.
"""

import sys
from pathlib import Path

from tests.chrono_vehicles import differences, drivers, fleet, late, pulling, speeds, step, tyres, variants

COMMANDS = {
    "step": step.main, "vehicles": fleet.main, "speeds": speeds.main, "pulling": pulling.main,
    "drivers": drivers.main, "tyres": tyres.main,
}  # fmt: skip

if __name__ == "__main__":
    if sys.argv[1:] == ["differences"]:
        differences.main()
    elif len(sys.argv) > 2 and sys.argv[1] == "variants":
        variants.main(Path(sys.argv[2]), *map(int, sys.argv[3:5]))
    elif len(sys.argv) > 3 and sys.argv[1] == "late":
        late.main(Path(sys.argv[2]), Path(sys.argv[3]), *sys.argv[4:])
    elif len(sys.argv) == 3 and sys.argv[1] in COMMANDS:
        COMMANDS[sys.argv[1]](Path(sys.argv[2]))
    else:
        sys.exit(__doc__)
