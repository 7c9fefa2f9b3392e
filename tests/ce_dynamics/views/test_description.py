"""`System.describe`: as data, as text, as a drawing."""

import io
from collections.abc import Callable
from itertools import combinations, pairwise
from typing import cast
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.text import Text
from scipy.spatial.transform import Rotation

import ce_dynamics as ce
from ce_dynamics.models import hmmwv, published
from ce_dynamics.models.handling.outcome import Outcome, page
from ce_dynamics.models.kc.page import page as kc_page
from ce_dynamics.views.charts import Chart, Line
from ce_dynamics.views.lines import Role


def pin(x: float, z: float) -> ce.Revolute:
    return ce.Revolute((0, 1, 0), (x, 0, z))


def four_bar(name: str = "four-bar", independent: tuple[str, ...] = ("crank",)) -> ce.System:
    s = ce.System(name=name)
    small = (0.01,) * 3
    crank = s.add_body("crank", mass=1, com=(0.1, 0, 0.15), inertia=small, parent=s.ground, hinge=pin(0, 0))
    rod = s.add_body("rod", mass=2, com=(0.65, 0, 0.55), inertia=small, parent=crank, hinge=pin(0.2, 0.3))
    lever = s.add_body(
        "lever", mass=0.5, com=(1.2, 0, 0.4), inertia=small, parent=s.ground, hinge=pin(1.2, 0)
    )
    s.close_loop("top", rod, lever, pin(1.1, 0.8), independent=independent)
    return s


TEXT = """\
four-bar: 3 bodies, 1 cut edge, 1 degree of freedom

spanning tree  hinge     coordinates  role         mass, kg  aggregated body
ground
├─ crank       Revolute  crank [rad]  independent  1         crank
│  └─ rod      Revolute               dependent    2         crank
└─ lever       Revolute               dependent    0.5       crank

cut edges
  top  rod – lever  Revolute  5 conditions

aggregated bodies
  crank on ground: crank, rod, lever
    closed by    top
    freedoms     3 hinge velocities − (5 conditions − 3 redundant) = 1
    independent  crank
    dependent    rod, lever, found in closed form: 'rod' and 'lever' are two sides of a triangle"""


def test_four_bar_as_text() -> None:
    """A planar loop closed by a spatial pin: five conditions, of which the plane fulfils three."""
    description = four_bar().describe()
    assert str(description) == TEXT
    assert repr(description) == TEXT


def test_vehicle_as_data() -> None:
    """The counts of the HMMWV: 14 = free chassis + four suspensions + four wheels; steering is prescribed."""
    description = hmmwv.build().describe()
    assert description.degrees_of_freedom == 14
    assert [line.degrees_of_freedom for line in description.aggregates] == [0, 1, 1, 1, 1]
    roles = {line.name: line.role for line in description.bodies}
    assert roles["steering.pitman_arm"] is Role.PRESCRIBED
    assert roles["steering.link"] is roles["rear_left.shock_upper"] is Role.DEPENDENT
    independent = [line for line in description.bodies if line.role is Role.INDEPENDENT]
    assert sum(len(line.coordinates) for line in independent) == 15  # a quaternion has one more than freedoms
    assert {line.aggregate for line in description.cuts} == {line.name for line in description.aggregates}
    assert description.aggregates[1].solved_by == ("in closed form by DoubleWishbone",)


def test_tree_is_in_preorder() -> None:
    """Every body stands after its parent, with nothing between that hangs elsewhere."""
    bodies = hmmwv.build().describe().bodies
    path = ["ground"]
    for line in bodies:
        assert line.parent in path
        path = [*path[: path.index(line.parent) + 1], line.name]
        assert len(path) - 1 == line.depth


def test_system_that_cannot_be_embedded_gives_the_reason() -> None:
    s = four_bar()
    s.close_loop("weld", "rod", s.ground, ce.Fixed())
    description = s.describe()
    assert description.degrees_of_freedom is None
    assert {line.role for line in description.bodies} == {Role.UNDECIDED}
    assert "degrees of freedom unknown" in str(description)
    assert "cannot be embedded: " in str(description)
    assert "crank" in description.problem


def test_system_of_no_bodies() -> None:
    assert str(ce.System(name="nothing").describe()).startswith("nothing: 0 bodies, 0 cut edges, 0 degrees")


def test_free_mass_is_described_by_its_default() -> None:
    s = ce.System()
    mass = s.add_parameter(ce.Parameter("payload", 7.5, "kg"))
    s.add_body("box", mass=mass, inertia=(1, 1, 1), parent=s.ground, hinge=ce.Free())
    (line,) = s.describe().bodies
    assert line.mass == 7.5
    assert "x, y, z [m]; qw, qx, qy, qz [1]" in str(s.describe())


@pytest.mark.parametrize(
    "system", [four_bar(), hmmwv.build(), ce.System(name="nothing")], ids=lambda s: s.name
)
def test_drawing_names_everything_legibly(system: ce.System) -> None:
    """Every body and cut is named once, and no two texts overlap."""
    description = system.describe()
    figure = description.figure()
    figure.draw_without_rendering()
    (axes,) = figure.axes
    legend = axes.get_legend()
    assert legend is not None
    texts: list[Text] = [*axes.texts, *legend.get_texts()]
    words = [text.get_text() for text in texts]
    for line in description.bodies:
        assert words.count(line.name) == 1
    for cut in description.cuts:
        assert words.count(f"{cut.name} ({cut.closure})") == 1
    extents = [text.get_window_extent() for text in texts]
    clashes = [
        (words[i], words[k])
        for i, k in combinations(range(len(texts)), 2)
        if extents[i].shrunk(0.98, 0.98).overlaps(extents[k].shrunk(0.98, 0.98))
    ]
    assert clashes == []
    whole = figure.bbox
    assert all(whole.contains(*corner) for box in extents for corner in box.corners())


def test_drawing_of_pose_shows_where_the_points_are() -> None:
    """The crank at −90°: its tip where trigonometry puts it, the loop closed, the picture's axes x and z."""
    model = ce.compile(four_bar())
    q = -0.2  # of the crank, about +y
    axes = ce.draw(model, y=[q, 0.0])
    c, s = np.cos(q), np.sin(q)
    tip = np.array((0.2 * c + 0.3 * s, -0.2 * s + 0.3 * c))
    crank, rod, lever = (np.asarray(line.get_xydata(), dtype=float) for line in axes.get_lines()[:3])
    for bar in (crank, rod):
        assert np.min(np.linalg.norm(bar - tip, axis=1)) < 1e-15
    gap = np.linalg.norm(rod[:, None] - lever[None, :], axis=-1)
    assert np.min(gap) < 1e-14
    assert np.linalg.norm(rod[0] - rod[1]) == pytest.approx(np.hypot(0.9, 0.5), rel=1e-14)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x [m]", "z [m]")


def test_drawing_of_a_pose_from_elsewhere() -> None:
    """Looking along −x with y to the right would put z up; seen along z the linkage is a line."""
    model = ce.compile(four_bar())
    side = ce.draw(model, along=(-1, 0, 0), points={"lever": [(1.2, 0, 2.0)]})
    assert max(np.max(np.asarray(line.get_ydata(), dtype=float)) for line in side.get_lines()) == 2.0
    assert (side.get_xlabel(), side.get_ylabel()) == ("y [m]", "z [m]")
    above = ce.draw(model, along=(0, 0, -1), up=(0, 1, 0), names=False)
    assert all(np.ptp(np.asarray(line.get_ydata(), dtype=float)) == 0.0 for line in above.get_lines())
    assert [text.get_text() for text in above.texts] == []


def turned_four_bar(R: np.ndarray, gravity: tuple[float, float, float] = (0, 0, 0)) -> ce.System:
    """Bars of 0.36, 1.0 and 0.81 m, in the x–y plane before they are turned by R."""
    feet = [R @ (x, y, 0.0) for x, y in ((0, 0), (0.2, 0.3), (1.0, 0.9), (1.2, 0.1))]
    s = ce.System(gravity=gravity)
    pins = [ce.Revolute(R @ (0.0, 0.0, 1.0), at) for at in feet]
    com = [0.5 * (a + b) for a, b in pairwise(feet)]
    crank = s.add_body("crank", mass=1.0, com=com[0], parent=s.ground, hinge=pins[0])
    rod = s.add_body("rod", mass=1.0, com=com[1], parent=crank, hinge=pins[1])
    lever = s.add_body("lever", mass=1.0, com=com[2], parent=s.ground, hinge=pins[3])
    s.close_loop("pin", rod, lever, pins[2], independent=[crank])
    return s


TURNS = {
    "x, y": np.eye(3),
    "y, z": np.array(((0.0, 0, 1), (1, 0, 0), (0, 1, 0))),
    "x, z": np.array(((1.0, 0, 0), (0, 0, -1), (0, 1, 0))),
    "askew": Rotation.from_rotvec((0.7, -0.4, 1.1)).as_matrix(),
}


@pytest.mark.parametrize("name", TURNS)
def test_drawing_looks_across_the_plane_of_motion(name: str) -> None:
    """All bars appear in their full length."""
    axes = ce.draw(ce.compile(turned_four_bar(TURNS[name])))
    bars = [np.asarray(line.get_xydata(), dtype=float) for line in axes.get_lines()[:3]]
    lengths = [float(np.linalg.norm(bar[1] - bar[0])) for bar in bars]
    assert lengths == pytest.approx([np.hypot(0.2, 0.3), 1.0, np.hypot(0.2, 0.8)], rel=1e-12)
    if name != "askew":
        assert (axes.get_xlabel(), axes.get_ylabel()) == tuple(f"{axis} [m]" for axis in name.split(", "))


def test_drawing_puts_gravity_down() -> None:
    axes = ce.draw(ce.compile(turned_four_bar(np.eye(3), gravity=(9.81, 0, 0))))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("y [m]", "−x [m]")


def test_drawing_of_sliders_shows_their_extent() -> None:
    """One direction of motion leaves the view open; the body's other points decide it."""
    s = ce.System(gravity=(0, 0, 0))
    s.add_body("slider", mass=1.0, com=(0, 0, 0), parent=s.ground, hinge=ce.Prismatic((1, 0, 0)))
    axes = ce.draw(ce.compile(s), points={"slider": [(0, 1, 0), (1, 1, 0)]})
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x [m]", "y [m]")


def test_drawing_of_spatial_motion_looks_along_y() -> None:
    s = ce.System()
    s.add_body("ball", mass=1.0, com=(0, 0, -1), inertia=(1, 1, 1), parent=s.ground, hinge=ce.Spherical())
    axes = ce.draw(ce.compile(s))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x [m]", "z [m]")


@pytest.mark.parametrize("build", [hmmwv.build_ride, lambda: published.four_bars(6), published.squeezer])
def test_drawn_names_overlap_nothing(build: Callable[[], ce.System]) -> None:
    axes = ce.draw(ce.compile(build()))
    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    boxes = [Text.get_window_extent(text) for text in axes.texts]  # without the lines to their bodies
    assert len(boxes) == len({text.get_text() for text in axes.texts}) > 4
    for a, b in combinations(boxes, 2):
        assert not a.overlaps(b)
    for box in boxes:
        assert all(axes.bbox.contains(*corner) for corner in box.corners())


def words_of(figure: Figure) -> str:
    """Everything that is written in a picture, as it is seen."""
    with rc_context({"svg.fonttype": "none"}):
        content = io.StringIO()
        figure.savefig(content, format="svg")
    found = ElementTree.fromstring(content.getvalue()).iter("{http://www.w3.org/2000/svg}text")
    return "\n".join("".join(each.itertext()) for each in found)


@pytest.mark.parametrize("name", [r"$\frac$ x$^$", "a$b_{$c", "__x__", r"cost \$5 and $6$"])
def test_text_of_users_is_drawn_as_written(name: str) -> None:
    """Dollars mark no formulas, which Matplotlib may fail to read, and no label is left out."""
    system = ce.System(name=name)
    system.add_body(name, mass=1, com=(0.1, 0, 0), inertia=(0.01,) * 3, parent="ground", hinge=pin(0, 0))
    line = Line(name, np.arange(3.0), np.arange(3.0))
    chart = Chart("chart", "x [m]", "y [m]", (line, line._replace(label="other")), logarithmic="y")
    outcomes = [Outcome("test", "Test", "ISO 0", subject, {}, charts=[chart]) for subject in (name, "other")]
    figures = {
        "tree": system.describe().figure(), "pose": cast("Figure", ce.draw(ce.compile(system)).figure),
        "handling": page(outcomes), "handling of one": page(outcomes[:1]), "kc": kc_page({}, name),
    }  # fmt: skip
    for what, figure in figures.items():
        assert name in words_of(figure), what


def test_drawing_refuses_nonsense() -> None:
    model = ce.compile(four_bar())
    with pytest.raises(ce.ModelError, match="parallel"):
        ce.draw(model, along=(0, 0, 1), up=(0, 0, 2))
    with pytest.raises(ce.ModelError, match="finite"):
        ce.draw(model, y=[np.nan, 0.0])
    with pytest.raises(ce.ModelError, match="'lever': point"):
        ce.draw(model, points={"lever": [(0.0, np.nan, 0.0)]})
