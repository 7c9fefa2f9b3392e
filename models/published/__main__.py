"""A published mechanism, its figures beside those found, and a page that plays it.

``python -m ce_dynamics.models.published "A04 Bricard" --view``
"""

from __future__ import annotations

from collections.abc import Sequence

import ce_dynamics as ce
from ce_dynamics.models.demonstrations.command import Options, execute, positive_number, save_view, table
from ce_dynamics.models.published.collection import MECHANISMS

INSTANTS = 500
SAME = 1e-9
"""[s] between a figure's time and a stored instant."""


def demonstrate(arguments: Sequence[str] | None) -> None:
    """Simulate one, or list them all."""
    options = Options("ce_dynamics.models.published", "Mechanisms that others have published figures of.")
    options.add_argument(
        "name", nargs="?", help="of the mechanism, or how it begins; all are listed if not given"
    )
    given = options.parse_args(arguments)
    if given.name is None:
        print(table(("mechanism", "source"), [(name, m.source) for name, m in MECHANISMS.items()]))
        return
    found = [name for name in MECHANISMS if name.lower().startswith(given.name.lower())]
    if len(found) != 1:
        raise ce.DataError(f"no one mechanism is called {given.name!r}; there are {', '.join(MECHANISMS)}")
    mechanism = MECHANISMS[found[0]]
    duration = mechanism.duration if given.duration is None else positive_number("--duration", given.duration)
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
        save_view(ce.view(model, run, title=found[0]), given.output, found[0].lower().replace(" ", "_"))


if __name__ == "__main__":
    raise SystemExit(execute(demonstrate))
