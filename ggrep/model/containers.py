"""Sorts the definitions of a name by the container that was requested.

One store and a coordinator of several follow the same rules.
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
"""Match of definitions with a container: by their enclosing definition; by their file's path; as
keys of data and headings of documents; by the last part alone; none.
"""

FITTING: Final[tuple[Fit, ...]] = ("enclosing", "path", "key")
"""Fits that answer a request, best first; each counts only where none before it occurs."""

OTHER_CONTAINER: Final = "other_container"
"""Warning that a name, or usages of it, belong to other containers than the requested one."""

MAX_DEFINED: Final = 20
"""Most definitions that an answer shows beside the usages of a name."""
MOST_DEFINITIONS: Final = 5_000
"""Most definitions that usages of a qualified name are compared with; further ones are ignored."""
_MOST_NAME_CHARACTERS: Final = 400
"""Longest name of a container; longer ones are dropped."""
_MOST_NAMED: Final = 5
MAX_DOUBTFUL: Final = 20
"""Most usages without a known container that are shown behind the certain ones."""
_MEMBERS: Final = frozenset({"method", "field"})


class DefinedName(Struct, frozen=True):
    """A definition of a name, with the facts that usages are compared with.

    Attributes:
        at: the definition, without its relation to a container.
        container: qualified name of the enclosing definition; empty at the top level.
        fit: match with the requested container; `beside` without one.
        bases: names in the head of its type beside the type's own.
        declared_only: it has no body.
        test: its file looks like that of a test.
        repo: empty in an answer of one repository.
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
    """Definitions of a name by their relation to the requested container.

    Attributes:
        asked: definitions in it.
        implementing: definitions in types that name it in their heads, or a type that does.
        guessed: definitions in types that may implement it without declaring it (Go).
        others: all other definitions.
    """

    asked: tuple[DefinedName, ...]
    implementing: tuple[DefinedName, ...] = ()
    guessed: tuple[DefinedName, ...] = ()
    others: tuple[DefinedName, ...] = ()

    @property
    def near(self) -> tuple[DefinedName, ...]:
        """Return the definitions without those of other containers."""
        return (*self.asked, *self.implementing, *self.guessed)


class Family(Struct, frozen=True):
    """The requested containers, and others that also define the name.

    Attributes:
        own: last parts of the first, folded, with types that implement or extend them.
        others: last parts of the second.
        members: all requested definitions are methods or fields.
    """

    own: Annotated[tuple[str, ...], WireBounds(MOST_DEFINITIONS + 1, each=(1, 2_048))]
    others: Annotated[tuple[str, ...], WireBounds(MOST_DEFINITIONS, each=(1, 2_048))]
    members: bool


def sort_definitions(
    definitions: Sequence[DefinedName], owners: tuple[str, ...]
) -> SortedDefinitions:
    """Return definitions by their relation to a container, whose parts come outermost first."""
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
    """Return which definitions are in types that extend the named one, directly or not."""
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
    """Return the containers whose usages are wanted."""
    wanted = {folded(owners[-1]), *(last_container(item.container) for item in definitions.near)}
    others = {last_container(item.container) for item in definitions.others}
    kinds = {item.at.kind for item in definitions.asked}
    return Family(_names(wanted), _names(others - wanted), bool(kinds) and kinds <= _MEMBERS)


def _names(containers: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(name for name in containers if 0 < len(name) <= _MOST_NAME_CHARACTERS))


def last_container(container: str) -> str:
    """Return the innermost part of a container, folded."""
    return folded(re.split(r"[.:#/]+", container)[-1])


def mention_order(mention: Reference) -> tuple[bool, int]:
    """Return a sort key: usages, strings, comments; doubtful mentions last."""
    return mention.guess, MENTION_KINDS.index(mention.kind)


def hidden_doubts(certain: int, doubtful: int) -> int:
    """Return how many doubtful usages are only counted: all, if they are many beside others."""
    return doubtful if certain and doubtful > MAX_DOUBTFUL else 0


def container_notices(
    parts: Sequence[str], definitions: SortedDefinitions, left: int, doubtful: int
) -> tuple[Notice, ...]:
    """Return the warning about definitions and usages of other containers.

    Args:
        parts: parts of the requested name.
        definitions: its definitions.
        left: usages that name another container.
        doubtful: usages that name none, and are only counted.
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
        texts.append(
            f"omitted: {doubtful} usages of a {parts[-1]} whose receiver has no known type"
        )
    if left or doubtful:
        texts.append(f"to see all usages, ask for {parts[-1]} alone")
    return (Notice(OTHER_CONTAINER, sanitise_line("; ".join(texts))),) if texts else ()


def nothing_but(parts: Sequence[str], names: Sequence[str]) -> str:
    """Return the message for a name that only other containers define."""
    name = sanitise_line(".".join(parts))
    return f"nothing here defines {name}; there is {', '.join(names)}"


def related_definitions(
    definitions: SortedDefinitions,
) -> tuple[tuple[DefinedName, DefinedAt], ...]:
    """Return the first definitions, each with its relation to the container."""
    groups: tuple[tuple[tuple[DefinedName, ...], Relation, bool], ...] = (
        (definitions.asked, "definition", False),
        (definitions.implementing, "implementation", False),
        (definitions.guessed, "implementation", True),
    )
    every = [
        (item, replace(item.at, relation=relation, guess=guess))
        for ones, relation, guess in groups
        for item in ones[:MAX_DEFINED]
    ]
    return tuple(every[:MAX_DEFINED])
