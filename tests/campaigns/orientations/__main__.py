"""Campaign ``orientations``: random mechanisms in random orientations, far away, with few digits.

Each is compared with the fully augmented form at a random state and closes at thousands of others, or is
refused by name.  What is neither is printed with what makes it again, and the exit status is 1.

Mechanisms that have no state near the design pose at which accelerations can be compared to many digits, as
near dead centres, are passed over and others drawn in their place; their closures are looked at all the same.
"""

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.campaigns.orientations.builders import everywhere
from tests.campaigns.orientations.trial import outcome
from tests.ce_dynamics.random_mechanisms.recipe import Place, Recipe
from tests.ce_dynamics.random_mechanisms.strategies import recipes

AWAY = (0.0, 0.0, 5e3)
"""Distances from the origin [m]."""
DIGITS = (None, 12, 9, 6)


def drawn(number: int, first: int) -> Iterator[Recipe]:
    found: dict[Recipe, None] = {}

    @settings(
        max_examples=3 * number,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @seed(first)
    @given(recipes(all_kinds=True))
    def collect(recipe: Recipe) -> None:
        found[recipe] = None

    collect()
    rng = np.random.default_rng(first)
    for recipe in found:
        place = Place(int(rng.integers(2**31)), float(rng.choice(AWAY)), DIGITS[rng.integers(len(DIGITS))])
        yield replace(recipe, place=place, seed=int(rng.integers(2**31)))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign orientations", description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="mechanisms")
    parser.add_argument(
        "--states", type=int, default=10_000, help="states of each at which closures are looked at"
    )
    parser.add_argument("--seed", type=int, default=1, help="another seed draws other mechanisms")
    parser.add_argument(
        "--builders", action="store_true", help="the mechanisms of other tests instead, each everywhere"
    )
    options = parser.parse_args(arguments)
    if options.builders:
        return 1 if everywhere() else 0
    kinds: Counter[str] = Counter()
    reasons: Counter[tuple[str, str]] = Counter()
    states, sampled, full, worst, start = 0, 0, 0, [0.0, 0.0], time.monotonic()
    for recipe in drawn(options.count, options.seed):
        if kinds.total() - kinds["passed over"] == options.count:
            break
        found = outcome(recipe, options.states)
        kinds[found.kind] += 1
        states, sampled = states + found.states, sampled + (found.states > 0)
        full += found.states == options.states
        away = recipe.place is not None and recipe.place.away > 0.0
        worst[away] = max(worst[away], found.closure)
        if found.kind in ("refused", "passed over"):
            reasons[found.kind, found.why] += 1
        if found.kind == "WRONG":
            print(f"WRONG: {found.why}\n  {recipe}", flush=True)
        if kinds.total() % 50 == 0:
            print(f"{kinds.total()}: {dict(kinds)}, {time.monotonic() - start:.0f} s", flush=True)
    print(f"{dict(kinds)}")
    print(f"closed at {states} states of {sampled} mechanisms, at {options.states} each of {full} of them")
    print(f"open by {worst[0]:.2g} m per metre of size at worst, {max(AWAY):g} m away by {worst[1]:.2g}")
    for (kind, reason), number in reasons.most_common():
        print(f"{number:5d} {kind}: {reason}")
    return 1 if kinds["WRONG"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
