"""The figures of docs/first-mechanism.md, written into the current folder by running what the page shows."""

import re
from pathlib import Path

page = (Path(__file__).parents[1] / "first-mechanism.md").read_text(encoding="utf-8")
exec("\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)))
