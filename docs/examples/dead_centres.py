"""The figure of docs/how-to.md, written into the current folder."""

import re
import sys
from pathlib import Path

import matplotlib.pyplot as plt

page = (Path(__file__).parents[1] / "how-to.md").read_text(encoding="utf-8")
page = page.partition("## Pass dead centres\n")[2].partition("\n## Understand errors")[0]
exec("\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)))

run, stopped, model = (sys.modules[__name__].__dict__[name] for name in ("run", "stopped", "model"))
figure, axes = plt.subplots(figsize=(7.0, 4.2), layout="constrained")
axes.plot(1e3 * run["slider"], run["slider_rate"], color="C0", lw=1.2, label="along the path, 2 s")
axes.plot(
    1e3 * stopped["slider"], stopped["slider_rate"], color="C1", lw=4.0, alpha=0.6, label="by the slider"
)
for centre in model.dead_centres():
    axes.axvline(1e3 * centre.coordinates["slider"], color="0.6", ls="--", lw=1.0, zorder=0)
axes.set(
    xlabel="slider position [mm]", ylabel="slider speed [m/s]", title="Slider-crank between its dead centres"
)
axes.legend(loc="center")
figure.savefig("dead_centres.png", dpi=100)
