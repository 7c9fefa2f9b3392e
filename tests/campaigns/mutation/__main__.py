"""Campaign ``mutation``: sample mutants, run the tests on each, list the survivors."""

import argparse
import random
import tempfile
from collections.abc import Iterator
from itertools import chain, zip_longest
from pathlib import Path

from tests.campaigns.mutation.mutants import Difference, Mutant, sample
from tests.campaigns.mutation.records import Outcome, equivalent, recorded, stale
from tests.campaigns.mutation.running import Copy
from tests.campaigns.mutation.subjects import SUBJECTS, Subject

CHECKOUT = Path(__file__).parents[3]
WORST = 0.05
"""Share of mutants that may survive."""


def drawn(
    names: list[str], count: int, seed: int, judged: list[Outcome]
) -> tuple[list[tuple[Subject, Mutant]], list[Mutant]]:
    """``count`` mutants that can be told from the source, shared by the subjects, and the equivalents.

    Those that a record has judged come first, then others as chance has them, in place of equivalent ones
    too.  Subjects take turns: a run that is ended early has seen all.
    """
    chance = random.Random(seed)
    subjects = [subject for subject in SUBJECTS if not names or subject.name in names]
    shares = [count // len(subjects) + (k < count % len(subjects)) for k in range(len(subjects))]
    alike: list[Mutant] = []
    same = equivalent()
    samples = []
    for subject, share in zip(subjects, shares, strict=True):
        files = subject.files(CHECKOUT)
        of_it = [outcome.mutant for outcome in judged if outcome.mutant.source in files]
        chosen: dict[tuple[Path, Difference], tuple[Subject, Mutant]] = {}
        for mutant in chain(of_it, sample(files, CHECKOUT, chance)):
            if len(chosen) == share:
                break
            made = mutant.difference((CHECKOUT / mutant.source).read_text(encoding="utf-8"))
            if (str(mutant.source), *made) in same:
                alike.append(mutant)
            else:
                chosen.setdefault((mutant.source, made), (subject, mutant))
        samples.append(list(chosen.values()))
    return [drawn for turn in zip_longest(*samples) for drawn in turn if drawn is not None], alike


def outcomes(
    mutants: list[tuple[Subject, Mutant]], folder: Path, budget: float, record: Path | None
) -> Iterator[Outcome]:
    """Run all mutants, one after another, in a copy of the checkout."""
    copy = Copy(CHECKOUT, folder, budget)
    for subject, mutant in mutants:
        outcome = copy.outcome(subject, mutant)
        fate = f"killed by {outcome.killed_by}" if outcome.killed_by else f"SURVIVED\n{outcome.difference}"
        print(f"{outcome.mutant} ({outcome.seconds:.0f} s, {outcome.tests} tests): {fate}", flush=True)
        if record is not None:
            with record.open("a", encoding="utf-8") as file:
                file.write(outcome.line())
        yield outcome


def main(arguments: list[str] | None = None) -> int:
    """Parse, run, report; the exit status tells whether enough were killed."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaign mutation", description=__doc__)
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help=", ".join(s.name for s in SUBJECTS))
    parser.add_argument("--count", type=int, default=100, help="mutants in all")
    parser.add_argument("--seed", type=int, default=1, help="another seed draws other mutants")
    parser.add_argument("--budget", type=float, default=60.0, help="processor seconds of tests for a mutant")
    parser.add_argument("--folder", type=Path, help="for the copies; kept and used again by the next run")
    parser.add_argument(
        "--record",
        type=Path,
        help="file of outcomes: they count as long as lines are as they were, others are judged and noted",
    )
    parser.add_argument("--list", action="store_true", help="only list the mutants")
    given = parser.parse_args(arguments)
    for name in given.subjects:
        if name not in {subject.name for subject in SUBJECTS}:
            parser.error(f"no subject {name!r}; the subjects are {', '.join(s.name for s in SUBJECTS)}")
    for one in stale(CHECKOUT):
        print(f"listed as equivalent, but the line is another now: {one}")
    judged = recorded(given.record, CHECKOUT)
    mutants, alike = drawn(given.subjects, given.count, given.seed, judged)
    # what survived is judged again: there may be tests for it by now
    known_already = {outcome.mutant: outcome for outcome in judged if outcome.killed_by is not None}
    if given.list:
        for _, mutant in mutants:
            print(mutant, "(judged)" if mutant in known_already else "")
        return 0
    left = [(subject, mutant) for subject, mutant in mutants if mutant not in known_already]
    results = [known_already[mutant] for _, mutant in mutants if mutant in known_already]
    print(f"{len(results)} judged before, {len(left)} to be judged, {len(alike)} drawn that are equivalent")
    with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
        folder = given.folder or Path(scratch)
        results += outcomes(left, folder, given.budget, given.record)
    survivors = [outcome for outcome in results if outcome.killed_by is None]
    print(f"\n{len(results) - len(survivors)} of {len(results)} mutants killed; survivors:")
    for outcome in survivors:
        print(f"{outcome.mutant}\n{outcome.difference}\n")
    return int(len(survivors) > WORST * len(results))


if __name__ == "__main__":
    raise SystemExit(main())
