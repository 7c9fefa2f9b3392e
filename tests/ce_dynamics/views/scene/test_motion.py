"""States of a run made again of its results."""

import pytest

import ce_dynamics as ce
from ce_dynamics.errors import ModelError
from ce_dynamics.views.scene.motion import states_of
from tests.support.on_charts import five_bars


def test_charts_missing_in_results_are_made_again() -> None:
    """Outputs at the states that were made again are those of the results: other charts, the same motion."""
    model = ce.compile(five_bars())
    run = ce.simulate(model, duration=0.6, interval=0.1)
    states, inputs = states_of(model, run)
    for k, (y, u) in enumerate(zip(states, inputs, strict=True)):
        for name, value in model.outputs(y, u=u).items():
            expected = float(run[name.replace(" ", "_")][k])
            assert value == pytest.approx(expected, rel=1e-12, abs=1e-12)
    with pytest.raises(ModelError, match=r"charts.*'bar 2_rate'"):
        states_of(model, run.drop_vars("bar_2_rate"))
