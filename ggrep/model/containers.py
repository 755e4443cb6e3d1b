"""Groups the definitions of a name by their relation to the requested container.

The same rules apply to a store and to a workspace.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.scripts import folded
from ggrep.model.field_meta import WireBounds
from ggrep.model.limits import Notice
from ggrep.model.navigation import MENTION_KINDS, DefinedAt, Reference, Relation
from ggrep.model.sanitise import sanitise_line

Fit: TypeAlias = Literal["enclosing", "path", "key", "beside", "none"]
"""Match of definitions with a container: by the enclosing definition, by the file's path, by keys
of data or headings of documents, by the last part of the name only, or none."""

FITTING: Final[tuple[Fit, ...]] = ("enclosing", "path", "key")
"""Fits that answer a request, best first; a fit counts only if no better fit occurs."""

OTHER_CONTAINER: Final = "other_container"
"""Warning that a name, or usages of it, belong to other containers than the requested one."""

MAX_DEFINED: Final = 20
"""Maximum number of definitions in an answer about usages."""
MOST_DEFINITIONS: Final = 5_000
"""Maximum number of definitions that usages of a qualified name are compared with."""
_MOST_NAME_CHARACTERS: Final = 400
"""Maximum length of a container's name; longer names are dropped."""
_MOST_NAMED: Final = 5
MAX_DOUBTFUL: Final = 20
"""Maximum number of shown usages whose container is unknown."""
_MEMBERS: Final = frozenset({"method", "field"})


class DefinedName(Struct, frozen=True):
    """A definition of a name, with the facts for classifying usages.

    Attributes:
        at: the definition, without its relation to a container.
        container: qualified name of the enclosing definition; empty at the top level.
        fit: how the container matches the requested container; `beside` if it does not match.
        bases: other names in the head of the enclosing type, such as base classes.
        declared_only: whether the definition has no body.
        test: whether its file looks like a test.
        repo: id of the repository; empty in an answer of a single repository.
    """

    at: DefinedAt
    container: str
    fit: Fit
    language: str
    bases: tuple[str, ...]
    declared_only: bool
    test: bool
    repo: str = ""


class SortedDefinitions(Struct, frozen=True):
    """Definitions of a name, grouped by their relation to the requested container.

    Attributes:
        asked: definitions in the requested container.
        implementing: definitions in types that extend the container, directly or indirectly.
        guessed: definitions in types that may implement the container without declaring it (Go).
        others: all other definitions.
    """

    asked: tuple[DefinedName, ...]
    implementing: tuple[DefinedName, ...] = ()
    guessed: tuple[DefinedName, ...] = ()
    others: tuple[DefinedName, ...] = ()

    @property
    def near(self) -> tuple[DefinedName, ...]:
        """Return all definitions except definitions in unrelated containers."""
        return (*self.asked, *self.implementing, *self.guessed)


class Family(Struct, frozen=True):
    """The requested containers, and other containers that define the name.

    Attributes:
        own: case-folded last parts of the requested containers and of types that extend them.
        others: case-folded last parts of the other containers.
        members: whether all requested definitions are methods or fields.
    """

    own: Annotated[tuple[str, ...], WireBounds(MOST_DEFINITIONS + 1, each=(1, 2_048))]
    others: Annotated[tuple[str, ...], WireBounds(MOST_DEFINITIONS, each=(1, 2_048))]
    members: bool


def sort_definitions(
    definitions: Sequence[DefinedName], owners: tuple[str, ...]
) -> SortedDefinitions:
    """Return definitions grouped by their relation to a container; `owners` is outermost first."""
    if not owners:
        return SortedDefinitions(tuple(definitions))
    fits = {item.fit for item in definitions}
    best = next((fit for fit in FITTING if fit in fits), FITTING[-1])
    requested = tuple(item for item in definitions if item.fit == best)
    rest = [item for item in definitions if item.fit != best]
    extending = _extending(rest, folded(owners[-1]))
    declared = any(item.declared_only for item in requested)
    implementing, guessed, others = list[DefinedName](), list[DefinedName](), list[DefinedName]()
    for item, extends in zip(rest, extending, strict=True):
        if extends:
            implementing.append(item)
        elif declared and item.language == "go" and not item.declared_only:
            guessed.append(item)
        else:
            others.append(item)
    return SortedDefinitions(requested, tuple(implementing), tuple(guessed), tuple(others))


def _extending(definitions: Sequence[DefinedName], name: str) -> list[bool]:
    """Return, for each definition, whether its type extends `name`, directly or indirectly."""
    bases = [{folded(base) for base in item.bases} for item in definitions]
    names, extends = {name}, [False] * len(definitions)
    grown = True
    while grown:
        grown = False
        for place, item in enumerate(definitions):
            if not extends[place] and names & bases[place]:
                extends[place] = grown = True
                names.add(last_container(item.container))
    return extends


def family_of(definitions: SortedDefinitions, owners: tuple[str, ...]) -> Family:
    """Return the containers whose usages are requested."""
    wanted = {folded(owners[-1]), *(last_container(item.container) for item in definitions.near)}
    others = {last_container(item.container) for item in definitions.others}
    kinds = {item.at.kind for item in definitions.asked}
    return Family(_names(wanted), _names(others - wanted), bool(kinds) and kinds <= _MEMBERS)


def _names(containers: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(name for name in containers if 0 < len(name) <= _MOST_NAME_CHARACTERS))


def last_container(container: str) -> str:
    """Return the innermost part of a container, case-folded."""
    return folded(re.split(r"[.:#/]+", container)[-1])


def mention_order(mention: Reference) -> tuple[bool, int]:
    """Return a sort key of mentions: usages, strings, comments; doubtful mentions last."""
    return mention.guess, MENTION_KINDS.index(mention.kind)


def hidden_doubts(certain: int, doubtful: int) -> int:
    """Return how many doubtful usages are hidden: all if they are many and some are certain."""
    return doubtful if certain and doubtful > MAX_DOUBTFUL else 0


def container_notices(
    parts: Sequence[str], definitions: SortedDefinitions, left: int, doubtful: int
) -> tuple[Notice, ...]:
    """Return the warnings about definitions and usages of other containers.

    Args:
        parts: parts of the requested name.
        definitions: definitions of the name.
        left: number of usages that name another container.
        doubtful: number of hidden usages that name no container.
    """
    if len(parts) == 1:
        return ()
    texts: list[str] = []
    if not definitions.asked and definitions.others:
        names = dict.fromkeys(item.at.qualified_name for item in definitions.others)
        texts.append(nothing_but(parts, list(names)[:_MOST_NAMED]))
    if left:
        uses = "1 usage" if left == 1 else f"{left} usages"
        texts.append(f"omitted: {uses} of other classes or modules")
    if doubtful:
        texts.append(f"omitted: {doubtful} usages of {parts[-1]} on receivers of unknown type")
    if left or doubtful:
        texts.append(f"for all usages, query the plain name {parts[-1]}")
    return (Notice(OTHER_CONTAINER, sanitise_line("; ".join(texts))),) if texts else ()


def nothing_but(parts: Sequence[str], names: Sequence[str]) -> str:
    """Return the message that only other containers define the requested name."""
    name = sanitise_line(".".join(parts))
    return f"no definition of {name}; similar: {', '.join(names)}"


def related_definitions(
    definitions: SortedDefinitions,
) -> tuple[tuple[DefinedName, DefinedAt], ...]:
    """Return at most MAX_DEFINED definitions, each with its relation to the container."""
    groups: tuple[tuple[tuple[DefinedName, ...], Relation, bool], ...] = (
        (definitions.asked, "definition", False),
        (definitions.implementing, "implementation", False),
        (definitions.guessed, "implementation", True),
    )
    every = [
        (item, replace(item.at, relation=relation, guess=guess))
        for group, relation, guess in groups
        for item in group[:MAX_DEFINED]
    ]
    return tuple(every[:MAX_DEFINED])
