"""Names that stand for the same number of several members, such as the corners of a vehicle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydantic import BaseModel

from ce_dynamics.models.data.quantities import Quantity
from ce_dynamics.models.data.schema import fields_of, leaves


@dataclass(frozen=True)
class Groups:
    """Groups of a schema's members for which one key stands.

    Parameters
    ----------
    members : tuple of str
        Fields of the schema that are sections of the same kind.
    groups : mapping
        Name of a group to its members; a group that is a section of the schema has numbers of its own.
    shared : frozenset of str
        Fields of a member that are *listed* once for all members while these agree (a tyre).
    """

    members: tuple[str, ...]
    groups: Mapping[str, tuple[str, ...]]
    shared: frozenset[str]

    def expand(self, key: tuple[str, ...], schema: type[BaseModel]) -> tuple[int, list[tuple[str, ...]]]:
        """Specificity of a key (higher wins) and the keys of the schema it stands for."""
        if key[0] in self.members:
            return 2, [key]
        if key[0] in self.groups:
            if len(key) > 1 and key[0] in fields_of(schema) and key[1] in section_of(schema, key[0]):
                return 1, [key]  # of the group itself
            return 1, [(member, *key[1:]) for member in self.groups[key[0]]]
        having = [member for member in self.members if key[0] in section_of(schema, member)]
        return 0, [(member, *key) for member in having] or [key]

    def names(self, key: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
        """Names under which a schema key may be listed, most general first, and what each covers."""
        if key[0] in self.members:
            if len(key) > 1 and key[1] in self.shared:
                yield key[1:], [(member, *key[1:]) for member in self.members]
            for group, members in self.groups.items():
                if key[0] in members:
                    yield (group, *key[1:]), [(member, *key[1:]) for member in members]
        yield key, [key]

    def known(self, schema: type[BaseModel], like: str) -> list[str]:
        """All keys of a schema, in general form, and those that begin with the member `like`."""
        keys: dict[str, None] = {}
        for key in leaves(schema):
            keys[".".join(next(self.names(key))[0])] = None
            if key[0] in self.members and key[0] == like:
                keys[".".join(key)] = None
            if key[0] in self.members and like in self.groups and key[0] in self.groups[like]:
                keys[".".join((like, *key[1:]))] = None
        return list(keys)


def section_of(schema: type[BaseModel], member: str) -> Mapping[str, type[BaseModel] | Quantity]:
    """The fields of a member."""
    section = fields_of(schema)[member]
    assert isinstance(section, type), "members are sections"
    return fields_of(section)
