"""Campaign ``published``: published mechanisms in four formulations, as tables and a figure."""

import argparse
import time
from pathlib import Path

from ce_dynamics.models.published import MECHANISMS
from tests.benchmarks.report import written_into
from tests.campaigns.published.runs import Comparison, compared
from tests.campaigns.published.show import draw, tables

DOCS = Path(__file__).parents[3] / "docs"
PICTURE = "published_mechanisms.png"
QUICK = 0.05
"""Part of the published time that is run to see that it runs."""


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign published", description=__doc__)
    parser.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help=f"of {', '.join(map(repr, MECHANISMS))}; all if none given",
    )
    parser.add_argument("--quick", action="store_true", help="only see that it runs")
    parser.add_argument("--output", type=Path, default=Path("published-results"), help="folder of the figure")
    parser.add_argument("--docs", action="store_true", help="put the results into docs/measured, too")
    given = parser.parse_args(arguments)
    for name in given.names:
        if name not in MECHANISMS:
            parser.error(f"no mechanism {name!r}; there are {', '.join(map(repr, MECHANISMS))}")
    found: dict[str, Comparison] = {}
    for name in given.names or MECHANISMS:
        start = time.perf_counter()
        mechanism = MECHANISMS[name]
        found[name] = (
            compared(mechanism, QUICK * mechanism.duration, 10) if given.quick else compared(mechanism)
        )
        print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)
    shown = tables(found)
    for table in shown:
        print(table.terminal())
    picture = (DOCS / "figures" if given.docs else given.output) / PICTURE
    draw(found, picture)
    print(f"drawn: {picture}")
    if given.docs:
        text = "\n\n".join(table.markdown() for table in shown)
        written_into(DOCS / "measured" / "verification.txt", {"published": text})


if __name__ == "__main__":
    main()
