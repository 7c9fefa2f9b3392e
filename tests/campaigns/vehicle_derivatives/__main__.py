"""Derivatives against differences: campaign ``vehicle_derivatives [vehicle ...] [--seed 0]``.

Of every shipped vehicle, or of those that are named, numbers are drawn that stay open, and a state in which
it drives.  Exact derivatives of outputs, rates, equilibria, reactions, eigenvalues, runs and all figures of
the rig are compared with differences; what deviates is listed, and makes the exit code 1.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterator
from time import process_time

import numpy as np

from ce_dynamics.models.vehicles.files import SHIPPED
from tests.campaigns.vehicle_derivatives import parts
from tests.campaigns.vehicle_derivatives.sample import Sample, Tally

PARTS = ("outputs", "kept", "reactions", "runs", "eigenvalues", "figures")


def tallies(vehicle: str, seed: int, numbers: int, wanted: Collection[str]) -> Iterator[Tally]:
    """Some parts of one vehicle."""
    rng = np.random.default_rng((seed, list(SHIPPED).index(vehicle)))
    sample = told(Sample(vehicle, rng).draw(numbers))
    model = sample.built()
    if "outputs" in wanted:
        yield parts.outputs(sample, model, 40)
    if "kept" in wanted:
        yield parts.kept(sample, model)
    if "reactions" in wanted:
        yield parts.reactions(sample, model, 3)
    if "runs" in wanted:
        yield parts.runs(sample, model)
    for axle in sample.data().layout.axles if "figures" in wanted else ():
        yield parts.rig(told(Sample(vehicle, rng).draw(numbers, f"{axle.name}.")), axle.name, 1000)
    if "eigenvalues" in wanted:
        yield parts.eigenvalues(sample, model, 4)


def told(sample: Sample) -> Sample:
    """A sample, once it is printed."""
    print(f"{sample.vehicle}: by {', '.join(sample.free)}", flush=True)
    for key, reason in sample.refused.items():
        print(f"{sample.vehicle}: {key} cannot stay open: {reason}", flush=True)
    return sample


def main() -> None:
    """Print a line for each part of each vehicle, and what deviates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vehicles", nargs="*", default=list(SHIPPED))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--numbers", type=int, default=8)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    given = parser.parse_args()
    wrong = 0
    for vehicle in given.vehicles:
        start = process_time()
        for tally in tallies(vehicle, given.seed, given.numbers, given.parts):
            wrong += len(tally.wrong)
            found = f"{tally.compared} compared, at most {tally.worst:.2g} of the tolerance"
            found += f"; {tally.zero} are zero; differences say nothing of {tally.silent}"
            print(f"{vehicle}: {tally.part}: {found}", flush=True)
            for line in tally.wrong:
                print(f"  {line}", flush=True)
        print(f"{vehicle}: {process_time() - start:.0f} s of processor", flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
