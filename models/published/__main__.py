"""A published mechanism, its figures beside those found, and a page that plays it.

``python -m ce_dynamics.models.published "A04 Bricard" --view``
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import ce_dynamics as ce
from ce_dynamics.models.published.collection import MECHANISMS
from ce_dynamics.views.charts import table

INSTANTS = 500
SAME = 1e-9
"""[s] between a figure's time and a stored instant."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate one, or list them all."""
    parser = argparse.ArgumentParser("python -m ce_dynamics.models.published", description=__doc__)
    parser.add_argument(
        "name", nargs="?", help="of the mechanism, or how it begins; all are listed if not given"
    )
    parser.add_argument("--duration", type=float, metavar="S", help="time simulated [s]")
    parser.add_argument("--view", action="store_true", help="write a page that plays it into this folder")
    given = parser.parse_args(arguments)
    if given.name is None:
        print(table(("mechanism", "source"), [(name, m.source) for name, m in MECHANISMS.items()]))
        return
    found = [name for name in MECHANISMS if name.lower().startswith(given.name.lower())]
    if len(found) != 1:
        parser.error(f"no one mechanism is called {given.name!r}; there are {', '.join(MECHANISMS)}")
    mechanism = MECHANISMS[found[0]]
    duration = mechanism.duration if given.duration is None else given.duration
    model = ce.compile(mechanism.build())
    run = ce.simulate(
        model, mechanism.inputs, duration=duration, interval=duration / INSTANTS, rtol=1e-10, atol=1e-12,
        method="Radau" if mechanism.stiff else "DOP853",
    )  # fmt: skip
    print(f"{found[0]}: {mechanism.source}\n")
    rows = []
    for figure in mechanism.figures:
        k = abs(run["time"].values - figure.time).argmin()
        if abs(float(run["time"].values[k]) - figure.time) < SAME:
            value = float(ce.quantity(run, figure.output)[k])
            rows.append((figure.output, figure.time, repr(figure.value), f"{figure.error(value):.1e}"))
    print(table(("output", "time [s]", "published", "found less published"), rows))
    if given.view:
        print(ce.view(model, run, title=found[0]).save(f"{found[0].lower().replace(' ', '_')}.html"))


if __name__ == "__main__":
    main()
