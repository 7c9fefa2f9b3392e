"""The figure of docs/adding-a-linkage.md, written into the current folder by running what the page shows."""

import re
from pathlib import Path

page = (Path(__file__).parents[1] / "adding-a-linkage.md").read_text(encoding="utf-8")
exec("\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)))
