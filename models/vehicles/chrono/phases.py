"""Sets axles to steer with or against the first one, from the geometry of Chrono's files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ce_dynamics.models.data.layers import lay, validate
from ce_dynamics.models.vehicles.built_parts import axle_of, corners_of, steering_of
from ce_dynamics.models.vehicles.chrono.reading import Reading
from ce_dynamics.models.vehicles.chrono.writing import Sections, as_file, yaml_text
from ce_dynamics.models.vehicles.corner import Corner
from ce_dynamics.models.vehicles.layout import find_steered_axles, groups_of, layout_of, schema_of
from ce_dynamics.models.vehicles.steering.base import Steering


def set_phases(reading: Reading, sections: Sections, senses: Mapping[str, int]) -> None:
    """Let axles steer against the first one where the geometry of Chrono's files makes them.

    Ours turn to the left whatever their geometry, which only the mechanisms as built tell.
    """
    ours = {name: mechanism for name, (mechanism, _) in built(reading, sections, senses).items()}
    left = {name: getattr(ours[name], "sense", 1) * sense for name, sense in senses.items()}
    first, *others = left
    if left[first] < 0:
        reading.note("the sense of the steering: a positive input steers to the left, in Chrono to the right")
    against = [name for name in others if left[name] != left[first]]
    axles = sections["axles"]
    assert isinstance(axles, dict)
    for words in axles.values():
        assert isinstance(words, dict)
        if words.get("mechanism") in against:
            words["phase"] = "against"


def built(
    reading: Reading, sections: Sections, names: Iterable[str]
) -> dict[str, tuple[Steering, list[Corner]]]:
    """Steering mechanisms and the corners that they steer, each in the coordinates of its chassis."""
    file = as_file(yaml_text(sections), reading.path.name)
    layout = layout_of(file.words, file.label)
    schema, groups = schema_of(layout), groups_of(layout)
    data = validate(schema, lay({}, file.assignments, groups), groups, file.label)
    corners = {
        corner.name: corner
        for axle in layout.axles
        if axle.steering is not None
        for corner in corners_of(axle_of(axle, data), data)
    }
    steered = find_steered_axles(layout)
    return {
        name: (
            steering_of(name, layout, data, corners),
            [corners[corner] for axle in steered[name] for corner in axle.corners],
        )
        for name in names
    }
