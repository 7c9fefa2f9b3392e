"""The figure of docs/how-to.md, written into the current folder."""

import re
import sys
from pathlib import Path

import numpy as np

from ce_dynamics.views.charts import GREY, Chart, Line, save_sheet, sheet

page = (Path(__file__).parents[1] / "how-to.md").read_text(encoding="utf-8")
page = page.partition("## Pass dead centres\n")[2].partition("\n## Understand errors")[0]
exec("\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)))

run, stopped, model = (sys.modules[__name__].__dict__[name] for name in ("run", "stopped", "model"))
speed = run["slider_rate"].values
path = Line("along the path, 2 s", 1e3 * run["slider"].values, speed)
by_slider = Line(
    "by the slider", 1e3 * stopped["slider"].values, stopped["slider_rate"].values, dashes="--", width=3.0
)
ends = np.array((speed.min(), speed.max()))
centres = tuple(
    Line("", np.full(2, 1e3 * centre.coordinates["slider"]), ends, GREY) for centre in model.dead_centres()
)
chart = Chart(
    "Dead centres",
    "slider position [mm]",
    "slider speed [m/s]",
    (path, by_slider),
    centres,
    above=True,
)
save_sheet(sheet([chart], "Slider-crank between its dead centres", columns=1), Path("dead_centres.png"))
