"""Options that are taken as they are typed: with the values, and the errors, that Typer gives them."""

from typing import Any

import pytest
import typer
from typer.core import TyperOption

from ce_dynamics.cli.command import AsTyped, app, subcommand
from ce_dynamics.cli.options import SUBCOMMANDS

TYPED = "", "text", "3", "-3.5", "folder/file.yaml", "véhicule", ("a=1", "b=2"), (), None


def outcome(option: TyperOption, context: typer.Context, value: Any, by: type[TyperOption]) -> Any:
    """What an option hands on, or says; Typer makes lists of what may be given often."""
    try:
        handed = by.process_value(option, context, value)
    except typer.BadParameter as error:
        return error.format_message()
    return list(handed or ()) if option.multiple else handed


@pytest.mark.parametrize("name", ["", *SUBCOMMANDS])
def test_options_have_the_values_that_typer_gives_them(name: str) -> None:
    command = subcommand(name) if name else typer.main.get_command(app)
    context = typer.Context(command)
    options = [option for option in command.get_params(context) if isinstance(option, TyperOption)]
    assert len(options) > 1
    for option in options:
        assert isinstance(option, AsTyped)
        if option.callback is None:
            for value in (*(v for v in TYPED if isinstance(v, tuple) == option.multiple), option.default):
                ours, theirs = (outcome(option, context, value, by) for by in (AsTyped, TyperOption))
                assert (type(ours), ours) == (type(theirs), theirs), (option.opts, value)
