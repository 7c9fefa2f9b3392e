"""The way to a run that was prepared before: without reading, building and settling its vehicle again.

This is all that a command which has been given before waits for, so nothing that reads or builds vehicles is
loaded here; a test lists what is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ce_dynamics.compiler.known_objects import recall_or_make
from ce_dynamics.models.vehicles.prepared import Case
from ce_dynamics.models.vehicles.shipped import RIDE, SHIPPED


def recalled(
    manoeuvre: str | None = None,
    *,
    model: str = "hmmwv",
    speed: str | None = None,
    duration: str | None = None,
    options: Mapping[str, str] | None = None,
    overrides: Sequence[str] = (),
    tyres: Sequence[str] = (),
    road: str | None = None,
) -> Case:
    """As `ce_dynamics.models.vehicles.case.prepare`, or what that returned when it was last asked the same.

    What files of the user go into, and what is warned of, is prepared every time.
    """

    def prepared() -> Case:
        from ce_dynamics.models.vehicles.case import prepare  # here, because it loads what builds vehicles

        return prepare(
            manoeuvre,
            model=model,
            speed=speed,
            duration=duration,
            options=options,
            overrides=overrides,
            tyres=tyres,
            road=road,
        )

    if model not in (*SHIPPED, RIDE) or tyres or road is not None:
        return prepared()
    made: list[Case] = []

    def to_be_kept() -> Case:
        made.append(prepared())
        model = made[0].model
        _ = model.audited_dynamics, model.observation  # its run asks them
        return replace(made[0], model=model.to_be_kept())

    asked = (manoeuvre, model, speed, duration, tuple((options or {}).items()), tuple(overrides))
    known = recall_or_make(to_be_kept, "case", asked)
    return made[0] if made else known
