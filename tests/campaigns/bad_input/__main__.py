"""Run the generated bad input: campaign ``bad_input``.

Options: ``--only CATEGORY`` (repeatable), ``--match TEXT`` in the name of a case, ``--sample N`` cases of
each category, ``--processes N``, ``--csv FILE``.  Exit code 1 if a case ended as none may.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter

from tests.campaigns.bad_input.cases import FINE, End
from tests.campaigns.bad_input.catalogue import CATEGORIES, cases_of, prepare, tasks
from tests.campaigns.bad_input.workers import Report, run_all


def main() -> int:
    """Run, print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaign bad_input")
    parser.add_argument("--only", action="append", choices=CATEGORIES, default=None)
    parser.add_argument("--sample", type=int, default=None)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--csv", default=None)
    parser.add_argument("--match", default=None, help="only cases whose name contains this")
    given = parser.parse_args()
    todo = tasks(given.only or CATEGORIES, given.sample)
    if given.match:
        todo = [(c, k) for c, k in todo if given.match in cases_of(c)[k].name]
    for category in dict.fromkeys(category for category, _ in todo):
        prepare(category)
    print(f"{len(todo)} cases", file=sys.stderr)
    reports = []
    for (category, number), end, said, seconds in run_all(todo, cases_of, given.processes):
        name = cases_of(category)[number].name
        reports.append(Report(category, name, end, said, seconds))
        if end not in FINE:
            print(f"{end.value}: {category}: {name} ({seconds:.1f} s): {said[:300]}", file=sys.stderr)
        if len(reports) % 200 == 0:
            print(f"... {len(reports)}", file=sys.stderr)
    print_table(reports)
    if given.csv:
        with open(given.csv, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            table = csv.writer(file)
            table.writerow(["category", "case", "end", "said", "seconds"])
            table.writerows((r.category, r.name, r.end.value, r.said, f"{r.seconds:.2f}") for r in reports)
    return int(any(report.end not in FINE for report in reports))


def print_table(reports: list[Report]) -> None:
    """Cases by category and end."""
    ends = [end for end in End if any(report.end is end for report in reports)]
    counts = Counter((report.category, report.end) for report in reports)
    print(" | ".join(["category", "cases", *(end.value for end in ends)]))
    for category in dict.fromkeys(report.category for report in reports):
        row = [counts[category, end] for end in ends]
        print(" | ".join([category, str(sum(row)), *map(str, row)]))
    totals = [sum(report.end is end for report in reports) for end in ends]
    print(" | ".join(["all", str(len(reports)), *map(str, totals)]))


if __name__ == "__main__":
    sys.exit(main())
