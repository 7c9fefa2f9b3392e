"""``python -m tests.benchmarks``: run the suite."""

import argparse
from pathlib import Path

from tests.benchmarks.plots import draw
from tests.benchmarks.report import Options, written_into
from tests.benchmarks.suite import MEASURED, PARTS, run

DOCS = Path(__file__).parents[2] / "docs"


def main(arguments: list[str] | None = None) -> None:
    last = list(MEASURED)[-1]
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; to {last} if none is named"
    )
    parser.add_argument("--quick", action="store_true", help="only see that it runs")
    parser.add_argument("--no-native", action="store_true", help="do not compile Pinocchio's C++ driver")
    parser.add_argument(
        "--output", type=Path, default=Path("benchmark-results"), help="folder for JSON and plots"
    )
    parser.add_argument("--docs", action="store_true", help="put results into docs/measured, too")
    given = parser.parse_args(arguments)
    for part in given.parts:
        if part not in PARTS:
            parser.error(f"no part {part!r}; the parts are {', '.join(PARTS)}")
    options = Options(given.quick, not given.no_native)
    outcome = run(given.parts or MEASURED, options)
    outcome.write_json(given.output / "benchmarks.json")
    data = {name: result.data for name, result in outcome.results.items()}
    folder = DOCS / "figures" if given.docs else given.output
    for path in draw(data, folder):
        print(f"drawn: {path}")
    if given.docs:
        written_into(DOCS / "measured" / "performance.txt", outcome.blocks())


if __name__ == "__main__":
    main()
