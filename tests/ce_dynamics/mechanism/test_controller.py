"""Declarations of controllers."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

import ce_dynamics as ce
from ce_dynamics.algebra.arrays import Scalar
from ce_dynamics.mechanism.controller import Sampling
from ce_dynamics.mechanism.forces.base import StateDeclaration

A = StateDeclaration("a", "1")


class Trial(ce.Controller):
    def __init__(self, **given: Any) -> None:
        self.name, self.answers = "trial", ("push",)
        self.given: Mapping[str, Scalar] = {"push": 1.0}
        self.new: Sequence[Scalar] = ()
        self.__dict__.update(given)

    def act(self, sensors: Mapping[str, Scalar], x: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        return self.given

    def update(self, sensors: Mapping[str, Scalar], x: Mapping[str, Scalar]) -> Sequence[Scalar]:
        return self.new


def system() -> ce.System:
    s = ce.System()
    s.add_body("body", mass=1.0, parent=s.ground, hinge=ce.Prismatic((1, 0, 0)))
    s.add_input("push", "N")
    return s


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"answers": ("pull",)}, "controller 'trial' answers input 'pull', which is not declared"),
        ({"answers": ()}, "answers no inputs"),
        ({"sampled": (A,)}, "has sampled states but no period"),
        ({"sampled": (A,), "period": 0.0}, "period"),
        ({"sampled": (A,), "period": float("nan")}, "period"),
        ({"period": 0.1}, "period 0.1 has no effect"),
        ({"states": (A,), "sampled": (A,), "period": 0.1}, "two states 'a'"),
        ({"name": ""}, "name"),
    ],
)
def test_incomplete_controllers_are_refused(given: dict[str, Any], what: str) -> None:
    with pytest.raises(ce.ModelError, match=what):
        system().add_controller(Trial(**given))


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"given": {}}, r"controller 'trial' answers \[\]; it declares \['push'\]"),
        ({"given": {"push": "much"}}, "input 'push' as controller 'trial' answers it"),
        ({"states": (A,)}, "answers 0 rates; it declares 1"),
    ],
)
def test_wrong_answers_are_refused_by_name(given: dict[str, Any], what: str) -> None:
    s = system()
    s.add_controller(Trial(**given))
    with pytest.raises(ce.ModelError, match=what):
        _ = ce.compile(s).dynamics


def test_names_are_given_once() -> None:
    s = system()
    s.add_controller(Trial())
    with pytest.raises(ce.ModelError, match="controller 'trial' exists already"):
        s.add_controller(Trial())


def test_samples_have_a_common_period() -> None:
    def of(*periods: float) -> Sampling:
        return Sampling(
            [Trial(name=f"c{k}", sampled=(A,), period=period) for k, period in enumerate(periods)]
        )

    assert of().period == 0.0
    assert of(1 / 3).period == 1 / 3  # as it was given
    both = of(0.02, 0.03)
    assert both.period == pytest.approx(0.01)
    assert both.every == {"c0": 2, "c1": 3}
    with pytest.raises(ce.ModelError, match=r"simple proportion, got c0 0\.02 s, c1 0\.0200003 s"):
        of(0.02, 0.0200003)


class Branching(Trial):
    def update(self, sensors: Mapping[str, Scalar], x: Mapping[str, Scalar]) -> Sequence[Scalar]:
        return (1.0 if sensors["push"] > 0.5 else 0.0,)


def test_uncompilable_model_is_neither_run_nor_exported() -> None:
    s = system()
    s.add_controller(Branching(sampled=(A,), period=0.1))
    model = ce.compile(s)
    with pytest.raises(
        ce.ModelError, match=r"controller 'trial' raised .*do not branch on values .*use where"
    ):
        ce.simulate(model, duration=0.2, method="rk4", step=0.01)
    with pytest.raises(
        ce.ModelError, match=r"controller 'trial' raised .*do not branch on values .*use where"
    ):
        ce.export_c(model, "never_written")
