"""Run a campaign: ``python -m tests.campaign NAME [ARGUMENT ...]``; without a name, list all."""

import ast
import runpy
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "campaigns"


def find_campaigns() -> dict[str, str]:
    """Return the first line of each module of a campaign that can be run, by the name that runs it."""
    found = {}
    for path in sorted(FOLDER.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if '__name__ == "__main__"' in text:
            name = ".".join(path.relative_to(FOLDER).with_suffix("").parts).removesuffix(".__main__")
            found[name] = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
    return found


def main() -> None:
    names = find_campaigns()
    if sys.argv[1:2] == [] or sys.argv[1] not in names:
        sys.exit("\n".join([str(__doc__), *(f"{name:24s} {about}" for name, about in names.items())]))
    name = sys.argv.pop(1)
    runpy.run_module(f"tests.campaigns.{name}", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
