"""``python -m tests.mutation``: sample mutants, run the tests on each, list the survivors."""

from __future__ import annotations

import argparse
import random
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

from tests.mutation.mutants import Mutant, sample
from tests.mutation.running import Copy, Outcome
from tests.mutation.subjects import SUBJECTS, Subject

CHECKOUT = Path(__file__).parents[2]


def drawn(names: list[str], count: int, seed: int) -> list[tuple[Subject, Mutant]]:
    """``count`` mutants, shared equally by the subjects."""
    chance = random.Random(seed)
    subjects = [subject for subject in SUBJECTS if not names or subject.name in names]
    shares = [count // len(subjects) + (k < count % len(subjects)) for k in range(len(subjects))]
    return [
        (subject, mutant)
        for subject, share in zip(subjects, shares, strict=True)
        for mutant in sample(subject.files(CHECKOUT), CHECKOUT, share, chance)
    ]


def outcomes(mutants: list[tuple[Subject, Mutant]], jobs: int, timeout: float) -> list[Outcome]:
    """Run all mutants, ``jobs`` at a time, each job in a copy of its own."""
    copies: Queue[Copy] = Queue()
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
        for k in range(jobs):
            copies.put(Copy(CHECKOUT, Path(scratch) / f"copy{k}"))

        def one(entry: tuple[Subject, Mutant]) -> Outcome:
            copy = copies.get()
            try:
                outcome = copy.outcome(*entry, timeout=timeout)
            finally:
                copies.put(copy)
            fate = (
                f"killed by {outcome.killed_by}" if outcome.killed_by else f"SURVIVED\n{outcome.difference}"
            )
            print(f"{outcome.mutant} ({outcome.seconds:.0f} s): {fate}", flush=True)
            return outcome

        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(one, mutants))


def main(arguments: list[str] | None = None) -> int:
    """Parse, run, report; the exit status tells whether enough were killed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=", ".join(s.name for s in SUBJECTS))
    parser.add_argument("--count", type=int, default=100, help="mutants in all")
    parser.add_argument("--seed", type=int, default=1, help="another seed draws other mutants")
    parser.add_argument("--jobs", type=int, default=2, help="mutants tested at a time")
    parser.add_argument("--timeout", type=float, default=1800.0, help="seconds for one round of tests")
    parser.add_argument("--share", type=float, default=0.95, help="share of mutants to be killed")
    parser.add_argument("--list", action="store_true", help="only list the mutants")
    given = parser.parse_args(arguments)
    for name in given.subjects:
        if name not in {subject.name for subject in SUBJECTS}:
            parser.error(f"no subject {name!r}; the subjects are {', '.join(s.name for s in SUBJECTS)}")
    mutants = drawn(given.subjects, given.count, given.seed)
    if given.list:
        print("\n".join(str(mutant) for _, mutant in mutants))
        return 0
    results = outcomes(mutants, given.jobs, given.timeout)
    survivors = [outcome for outcome in results if outcome.killed_by is None]
    print(f"\n{len(results) - len(survivors)} of {len(results)} mutants killed; survivors:")
    for outcome in survivors:
        print(f"{outcome.mutant}\n{outcome.difference}\n")
    return int(len(results) - len(survivors) < given.share * len(results))


if __name__ == "__main__":
    raise SystemExit(main())
