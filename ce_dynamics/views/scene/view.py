"""`view`: a system, or a run of it, as one HTML file in three dimensions."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ce_dynamics.algebra import checks
from ce_dynamics.compiled.model import Model
from ce_dynamics.contact.embedded import UnilateralModel
from ce_dynamics.contact.rigid_contacts import RigidContacts
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.checked import finite_vector
from ce_dynamics.simulation.options import lists_options
from ce_dynamics.views.scene.page import HEIGHT, SCRIPTS, WEB, Packed, Page, draw_page, take_content
from ce_dynamics.views.scene.players import save_mcap, save_rrd
from ce_dynamics.views.scene.take import SceneOptions, Take
from ce_dynamics.views.scene.take_of_contacts import take_of_bodies, take_of_unilateral
from ce_dynamics.views.scene.take_of_model import take_of_model

if TYPE_CHECKING:
    import xarray as xr
    from numpy.typing import ArrayLike

    from ce_dynamics.contact.recorder import ContactRun
    from ce_dynamics.contact.rigid_contacts import RigidRun

System: TypeAlias = Model | UnilateralModel | RigidContacts
Results: TypeAlias = "xr.Dataset | ContactRun | RigidRun | None"

RECORDINGS: Mapping[str, Callable[[Take, str, str | Path], Path]] = {".mcap": save_mcap, ".rrd": save_rrd}
"""Writers of a run for other programs, by suffix."""


class View(Page):
    """Runs as one page, which plays them together; shown inline by notebooks.

    Parameters
    ----------
    takes : sequence of Take
        What is played, the second and following drawn over the first, translucent.
    title : str
    camera : str
        At the start.
    """

    _start = "play.js"

    def __init__(self, takes: Sequence[Take], title: str, camera: str = "orbit") -> None:
        if not takes:
            raise ModelError("view: there is nothing to show; give at least one run")
        checks.check_name("view: camera", camera, takes[0].camera_names, "camera")
        self.takes, self.title, self.camera = tuple(takes), title, camera

    def over(self, other: View) -> View:
        """Return both views in one page: the runs of the other one behind those of this one."""
        checks.instance("View.over: other", other, View, "a view, as ce_dynamics.view returns it")
        return View((*self.takes, *other.takes), self.title, self.camera)

    def trace(self, body: str, point: ArrayLike) -> View:
        """Return the view with the way of a point of a body, given in the design pose [m].

        Raises
        ------
        ModelError
            If there is no such body, or the point is not three finite numbers.
        """
        takes = []
        for take in self.takes:
            names = [one.name for one in take.bodies]
            number = names.index(checks.check_name("View.trace: body", body, names, "body"))
            at = finite_vector(point, "View.trace", "point") - take.bodies[number].com
            takes.append(replace(take, traced=[*take.traced, (number, at)]))
        return View(takes, self.title, self.camera)

    def content(self, packed: Packed) -> dict[str, Any]:
        """Return title, camera and runs in types of JSON."""
        takes = [take_content(take, packed) for take in self.takes]
        return {"title": self.title, "camera": self.camera, "takes": takes}

    def save(self, path: str | Path) -> Path:
        """Write the page, or its first run for other programs.

        Parameters
        ----------
        path : str or Path
            A picture (.png) or film (.gif) is drawn by a browser without window; Foxglove plays .mcap, which
            takes the extra ``tables``, Rerun plays .rrd, which takes the extra ``rerun``; any other ending is
            the page.

        Raises
        ------
        ModelError
            If it cannot be written, or what writes it is not installed.
        """
        suffix = Path(str(path)).suffix.lower()
        if suffix in RECORDINGS:
            return RECORDINGS[suffix](self.takes[0], self.title, path)
        if suffix in SCRIPTS:
            return draw_page(self.html, path)
        return super().save(path)

    def widget(self) -> Any:
        """Return the page as a widget of notebooks with the traits ``time`` [s], ``playing`` and ``camera``.

        Raises
        ------
        ModelError
            If the package anywidget is missing, which the extra ``widget`` brings.
        """
        start = min(float(take.t[0]) for take in self.takes)
        return page_widget(self.html, self.title, HEIGHT, start, self.camera)


@lists_options(SceneOptions)
def view(
    system: System,
    results: Results | Mapping[str, Results] = None,
    *,
    title: str | None = None,
    **options: Any,
) -> View:
    """Return a system in three dimensions, at rest or as a run moves it, as one HTML file.

    Parameters
    ----------
    system : Model, UnilateralModel or RigidContacts
        What moves.
    results : xarray.Dataset, Run, RigidRun or mapping of str to these, optional
        What `simulate`, `simulate_unilateral` or `simulate_rigid` returned for it; several runs by their
        labels are played together.  The initial state if not given.
    shapes : mapping of str to sequence of Shape, optional
        Of bodies by name (`ce_dynamics.views.scene` has rods, balls, blocks, wheels, plates, lines and
        meshes), in the design pose.  Other bodies are drawn from their hinges, points and inertias.
    scenery : sequence of Shape
        What does not move, such as a road.
    cameras : sequence of Camera
        That ride on bodies; the page has cameras that orbit and follow any body.
    camera : str, optional
        The one that the page begins with: "orbit" unless given, "follow <body>", or one of `cameras`.
    title : str, optional
        Of the page; the system's name if not given.
    instruments : Instruments, optional
        Quantities of a `Model`'s results that are shown over the picture.

    Returns
    -------
    View
        With ``save(path)``; the last line of a notebook's cell shows it inline.

    Raises
    ------
    ModelError
        If results are not of this system, lack hinges of a loop on charts, or a given body is none.

    Notes
    -----
    Positions are kept as 32-bit floats, 1e-7 of their distance from the origin.

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> system = ce.System(name="pendulum", gravity=(0, 0, -9.81))
    >>> bob = system.add_body("bob", mass=2.0, com=(0, 0, -1), parent=system.ground,
    ...                       hinge=ce.Revolute((0, 1, 0)))
    >>> model = ce.compile(system)
    >>> run = ce.simulate(model, y0=[1.0, 0.0], duration=2.0)
    >>> ce.view(model, run).save("pendulum.html")  # doctest: +SKIP
    """
    what = "a Model, a UnilateralModel or RigidContacts"
    if not isinstance(system, (Model, UnilateralModel, RigidContacts)):
        raise checks.wrong_type(f"view: system {checks.show(system)} must be {what}")
    given = SceneOptions(**options)
    given.check("view")
    runs: Mapping[str, Any]
    runs = (
        dict(results) if isinstance(results, Mapping) and not hasattr(results, "data_vars") else {"": results}
    )
    takes = [take(system, run, label, given) for label, run in runs.items()]
    named = system.model.system.name if isinstance(system, UnilateralModel) else "bodies in contact"
    named = system.system.name if isinstance(system, Model) else named
    named = named if title is None else checks.text("view: title", title)
    return View(takes, named, "orbit" if given.camera is None else given.camera)


def take(system: System, run: Any, label: str, options: SceneOptions) -> Take:
    """Return the take of one run."""
    if isinstance(system, RigidContacts):
        return take_of_bodies(system, run, label, options)
    if isinstance(system, UnilateralModel):
        return take_of_unilateral(system, run, label, options)
    return take_of_model(system, run, label, options)


def page_widget(html: str, title: str, height: int, start: float, camera: str) -> Any:
    """Return a widget with the traits ``time`` [s], ``playing`` and ``camera``."""
    if importlib.util.find_spec("anywidget") is None:
        raise ModelError("a widget needs the package anywidget: pip install 'ce-dynamics[widget]'")
    import anywidget  # here, because it is an extra
    import traitlets

    class PageWidget(anywidget.AnyWidget):  # type: ignore[misc]  # has no types
        """A page inside a notebook."""

        _esm = (WEB / "widget.js").read_text("utf-8")
        html = traitlets.Unicode().tag(sync=True)
        title = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int().tag(sync=True)
        time = traitlets.Float().tag(sync=True)
        playing = traitlets.Bool().tag(sync=True)
        camera = traitlets.Unicode().tag(sync=True)

    return PageWidget(html=html, title=title, height=height, time=start, camera=camera)
