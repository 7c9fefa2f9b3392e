"""Exported part of a model: vectors with names and units, and functions of these vectors."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, array, where
from ce_dynamics.compiled.charts import charts_of, trace_renewal
from ce_dynamics.compiled.model import Model
from ce_dynamics.compiler import TracedFunction, trace
from ce_dynamics.compiler.code_levels import is_portable
from ce_dynamics.compiler.derivatives.forward_mode import directional_derivative
from ce_dynamics.compiler.elementary import written_out
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.parameters import guards_of, meaning_of, outcomes_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ce_dynamics.dynamics.state import Entry

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")
_WORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long main
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
"""
_KEYWORDS = frozenset(_WORDS.split())


class Interface:
    """A model as code outside Python sees it; ``name`` is the prefix of all names in C.

    With ``exactly``, elementary functions are written out, so that results are the same to the last bit
    everywhere (`ce_dynamics.compiler.elementary`); always where the environment selects portable code.
    """

    def __init__(
        self, model: Model, name: str | None = None, y0: ArrayLike | None = None, exactly: bool = False
    ) -> None:
        if not isinstance(model, Model):
            raise ModelError(
                f"only a compiled model can be exported, not a {type(model).__name__}; ce.compile it"
            )
        layout = model.layout
        self.model = model
        self._exactly = exactly or is_portable()
        self.y0 = model.given_state(y0, "y0")
        self.name = identifier(model.system.name) if name is None else check_identifier(name)
        self.states: tuple[Entry, ...] = (*layout.q, *layout.v, *layout.x)
        self.given: tuple[Entry, ...] = layout.u
        self.n_inputs = layout.n_inputs
        self.outputs: tuple[Entry, ...] = model.output_entries
        self.period = layout.sampling.period
        first, jumping = len(layout.q) + len(layout.v), set[int]()
        for controller in model.system.controllers:
            own = layout.x_of[controller.name]
            jumping |= {first + k for k in range(own.start + len(controller.states), own.stop)}
        self.has_charts = bool(charts_of(model))
        # integrated states; the others change at samples only
        self.continuous = tuple(k for k in range(len(self.states)) if k not in jumping)

    @cached_property
    def limits(self) -> dict[int, str]:
        """See the class."""
        places = {entry.name: k for k, entry in enumerate(self.outputs)}
        return {places[name]: what for name, what in self.model.system.limits.items()}

    def _write_out(self, traced: TracedFunction) -> TracedFunction:
        return written_out(traced) if self._exactly else traced

    @property
    def _sizes(self) -> dict[str, int]:
        return {"y": len(self.states), "u": len(self.given)}

    @cached_property
    def rate(self) -> TracedFunction:
        """``y_dot`` of y and u."""
        return self._write_out(self.model.trace_dynamics())

    @cached_property
    def observe(self) -> TracedFunction:
        """``outputs`` and ``closure``, the error of every loop closure, of y and u."""
        return self._write_out(trace("observe", self._observe, self._sizes))

    @cached_property
    def sample(self) -> TracedFunction:
        """``y_sampled``, the state after sampled controllers have looked, of y and u."""
        if not self.period:
            return trace("sample", lambda y, u: {"y_sampled": y}, self._sizes)
        return self._write_out(self.model.trace_sample())

    @cached_property
    def renew(self) -> TracedFunction:
        """``y_renewed``, the same motion on fresh charts, of y, and ``wear`` of those it is on."""
        sizes = {"y": len(self.states)}
        return self._write_out(trace("renew", lambda y: trace_renewal(self.model, y), sizes))

    @cached_property
    def direction(self) -> TracedFunction:
        """Derivatives of ``y_dot`` and ``outputs`` along a direction of y and u."""

        def both(y: Array, u: Array) -> dict[str, Array]:
            rate = self.model.instant(y, u).y_dot
            return {"y_dot": rate, "outputs": self._observe(y, u)["outputs"]}

        return directional_derivative(trace("evaluation", both, self._sizes))

    @cached_property
    def guards(self) -> TracedFunction:
        """Return 1 for every decision of free parameters that holds at u, else 0."""
        _ = self.rate, self.observe, self.sample  # decisions are made while tracing
        parameters = self.model.layout.parameters
        guards = guards_of(parameters)

        def evaluate_guards(u: Array) -> dict[str, Array]:
            outcomes = outcomes_of(guards, parameters, u[self.n_inputs :])
            values = (guard.value for guard in guards.values())
            signs = [
                where(x, 1.0, 0.0) if value else where(x, 0.0, 1.0)
                for x, value in zip(outcomes, values, strict=True)
            ]
            return {"kept": array(signs)}

        return self._write_out(trace("kept", evaluate_guards, {"u": len(self.given)}))

    @cached_property
    def refusals(self) -> list[str]:
        """Explanation for every entry of ``kept``, which applies if the entry is 0."""
        _ = self.guards
        return [meaning_of(guard) for guard in guards_of(self.model.layout.parameters).values()]

    def _observe(self, y: Array, u: Array) -> dict[str, Array]:
        found = self.model.observe(y, u)
        return {name: found[name] for name in ("outputs", "closure")}


def identifier(text: str) -> str:
    """Return a name for C derived from a text."""
    name = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_")[:60]
    name = name if name[:1].isalpha() else f"model_{name}".rstrip("_")
    return f"{name}_" if name in _KEYWORDS else name


def check_identifier(name: object) -> str:
    """Return a checked name for C."""
    if not (isinstance(name, str) and _IDENTIFIER.fullmatch(name)) or name in _KEYWORDS:
        raise ModelError(
            f"name {checks.show(name)} is no identifier of C; allowed are letters, digits and _, at most "
            "63, a letter first, and no keyword"
        )
    return name
