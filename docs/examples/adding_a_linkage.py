"""The figure of docs/extending.md, written into the current folder by running what the page shows."""

import re
from pathlib import Path

page = (Path(__file__).parents[1] / "extending.md").read_text(encoding="utf-8")
page = page.partition("## A linkage from loop equations\n")[2].partition("\n## A linkage by hand")[0]
exec("\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)))
