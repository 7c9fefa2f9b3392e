"""Options that are taken as they are typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand, TyperOption

if TYPE_CHECKING:
    from typer._click import Context, Parameter
    from typer._click.parser import _OptionParser

ALIASES = {"--vehicle": "--model"}
"""Former names of options, which still work; ``--help`` does not list them."""


class AsTyped(TyperOption):
    """An option that hands on texts and its default as they are.

    Typer converts them by pydantic, whose import takes an eighth of a start.
    """

    def add_to_parser(self, parser: _OptionParser, ctx: Context) -> None:
        """Add the option under its former names too; refuse a second value where one is kept."""
        super().add_to_parser(parser, ctx)
        added = parser._long_opt.get(self.opts[0])
        if added is None:
            return
        for name in self.opts:
            if name in ALIASES:
                parser._long_opt[ALIASES[name]] = added
        if added.action == "store":
            store = added.process

            def process(value: Any, state: Any) -> None:
                if added.dest in state.opts:
                    given = f"{state.opts[added.dest]!r} and {value!r}"
                    ctx.fail(f"{self.opts[0]} is given twice: {given}; give it once")
                store(value, state)

            added.process = process  # type: ignore[method-assign]

    def process_value(self, ctx: Context, value: Any) -> Any:
        plain = value is self.default or self.type_descriptor.annotation in (str, list[str])
        if self.required or not plain:
            return super().process_value(ctx, value)
        return value if self.callback is None else self.callback(ctx, self, value)


def as_typed(parameters: list[Parameter]) -> list[Parameter]:
    """Return the same parameters of a command, its options `AsTyped`."""
    for parameter in parameters:
        if type(parameter) is TyperOption:
            parameter.__class__ = AsTyped
    return parameters


class CommandAsTyped(TyperCommand):
    """A command whose options are `AsTyped`, ``--help`` among them."""

    def get_params(self, ctx: Context) -> list[Parameter]:
        return as_typed(super().get_params(ctx))
