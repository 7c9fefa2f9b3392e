"""Distributions, samples and plans of sweeps; the tests of sweeps damage their folders."""

import json
from functools import cache, partial
from typing import Any

from ce_dynamics.models.data.quantities import ParameterQuantity
from ce_dynamics.models.data.sampling import Choice, Range, parse_distribution, sample
from ce_dynamics.models.vehicles.sweeps.batch import run_batch
from ce_dynamics.models.vehicles.sweeps.plan import SweepPlan
from tests.campaigns.bad_input.cases import Case
from tests.campaigns.bad_input.values import calls


@cache
def plan() -> SweepPlan:
    return SweepPlan("monte-carlo", {"chassis.mass": "2000:2400"}, 4, duration="0.01")


def of_samples() -> list[Case]:
    mass = ParameterQuantity("kg", above=0.0)
    texts = (
        "", ":", "::", "1:", ":1", "1:2:", "1:2:1e3", "1:2:3.5", "1,,2", "1;2", "a,b", "nan,1", "1:2 m",
        "2:1", "1:1", "inf:inf", "1:2:10000000000000", "0:1", "-1,2", "1 km^999,2",
    )  # fmt: skip

    def drawn(text: str) -> Any:
        return sample("grid", {"mass": parse_distribution("chassis.mass", text, mass)}, None, 0)

    found = [Case(f"distribution {text!r}", partial(drawn, text)) for text in texts]
    ten = Range(0.0, 1.0, 10**6)
    good: dict[str, Any] = {
        "kind": "monte-carlo", "distributions": {"a": Range(0.0, 1.0)}, "runs": 3, "seed": 0,
    }  # fmt: skip
    own = {"runs": {"zero": 0, "too many": 10**15}, "distributions": {"texts": {"a": "1:2"}}}
    found += calls(sample, good, "distributions:object runs:integer", own)
    found.append(Case("a grid of 1e24 points", lambda: sample("grid", dict.fromkeys("abcd", ten), None, 0)))
    found.append(Case("a hypercube of 1e13", lambda: sample("latin-hypercube", {"a": ten}, 10**13, 0)))
    found.append(Case("an empty choice", lambda: sample("grid", {"a": Choice(())}, None, 0)))
    return found


def of_plans() -> list[Case]:
    """`SweepPlan` itself."""
    good: dict[str, Any] = {
        "kind": "monte-carlo", "vary": {"chassis.mass": "2000:2400"}, "runs": 2, "duration": "0.01",
    }  # fmt: skip
    own = {
        "vary": {"empty": {}, "numbers": {"chassis.mass": 1.0}, "lists": {"chassis.mass": [1, 2]}},
        "runs": {"zero": 0}, "model": {"ride": "ride", "none": "no-such-file"},
        "overrides": {"text": "chassis.mass=1", "wrong": ("nothing=1",), "number": 1, "numbers": (1,)},
        "step": {"short": 1e-13, "shorter": 1e-300}, "interval": {"short": 1e-12},
    }  # fmt: skip
    spec = (
        "kind~ vary:mapping~ runs:integer~ model:text~ manoeuvre:word~ speed:object-number~ "
        "duration:object-number~ options:mapping~ overrides:~ step:positive interval:positive"
    )
    found = calls(SweepPlan, good, spec, own)
    found += [
        Case(f"SweepPlan.from_text({name})", partial(SweepPlan.from_text, text))
        for name, text in {
            "empty": "", "list": "[]", "null": "null", "number": "1", "truncated": plan().text()[:50],
            "unknown": json.dumps({"nothing": 1}),
            "types": json.dumps({"kind": 1, "vary": 2, "overrides": 3}),
        }.items()
    ]  # fmt: skip
    batches: dict[str, Any] = {"beyond": [99], "negative": [-1], "text": ["0"], "empty": []}
    found += [
        Case(f"run_batch({name})", partial(run_batch, plan().text(), runs)) for name, runs in batches.items()
    ]
    return found
