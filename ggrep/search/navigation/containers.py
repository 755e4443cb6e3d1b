"""Which uses of a name are of the container that was asked for: `Checkout.pay`, not `Till.pay`.

No types are inferred. A receiver that is the name of a type, `self` inside of one, and a bare call
where members need a receiver say it for certain; the name of a variable (`till.pay()`) is a guess.
What nothing is said of stays, marked as a guess.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from ggrep.search.navigation.definitions import container_fits
from ggrep.search.navigation.name_reading import Place

Standing: TypeAlias = Literal["same", "maybe", "other"]

_RECEIVER: Final = re.compile(
    r"(?P<name>[\w$]+)?(?:\(\)|\[\w*\])?(?:::<[^<>]*>)?\s*(?:\?\.|!\.|\.|::|->)\s*$"
)
_OWN: Final = frozenset({"self", "this", "cls", "static"})
_NEED_RECEIVERS: Final = frozenset(
    {"go", "javascript", "lua", "php", "python", "rust", "tsx", "typescript"}
)
"""Where a method or a field is never named without what it is of."""
_MEMBERS: Final = frozenset({"method", "field"})


@dataclass(frozen=True, slots=True)
class Use:
    """What stands around a usage.

    Attributes:
        before: the line in front of the name.
        container: of the definition that it stands in.
        imports: it only makes the name known, in the line `line`.
    """

    before: str
    line: str
    container: str
    language: str
    imports: bool = False


@dataclass(frozen=True, slots=True)
class Family:
    """The containers that were asked for, and those that have a definition of the name beside them.

    Attributes:
        own: last parts of the first, folded, with those of types that implement or extend them.
        others: of the second.
        members: the definitions asked for are methods or fields, all of them.
    """

    own: frozenset[str]
    others: frozenset[str]
    members: bool


@dataclass(frozen=True, slots=True)
class Sorted:
    """Definitions of a name by what they are to the container that was asked for.

    Attributes:
        asked: in it.
        implementing: in types that name it in their heads, or a type that does.
        guessed: in types that may implement it, where none says so (Go).
        others: the rest.
    """

    asked: tuple[Place, ...]
    implementing: tuple[Place, ...]
    guessed: tuple[Place, ...]
    others: tuple[Place, ...]


def sort_definitions(places: Sequence[tuple[Place, str]], owners: tuple[str, ...]) -> Sorted:
    """Return the definitions of a name by what they are to a container.

    Args:
        places: definitions, each with its language.
        owners: the container's parts, outermost first; none for any container.
    """
    if not owners:
        return Sorted(tuple(place for place, _ in places), (), (), ())
    fitting = container_fits([place for place, _ in places], owners)
    asked = tuple(fitting)
    rest = [(place, language) for place, language in places if place not in fitting]
    names = {owners[-1].casefold()}
    found: list[Place] = []
    grown = True
    while grown:
        grown = False
        for place, _ in rest:
            bases = {base.casefold() for base in place.mention.bases}
            if place not in found and names & bases:
                found.append(place)
                names.add(_last(place.mention.container))
                grown = True
    declared = any(_is_declared(place) for place in asked)
    guessed = tuple(
        place
        for place, language in rest
        if declared and language == "go" and place not in found and not _is_declared(place)
    )
    kept = tuple(place for place, _ in rest if place in found)
    others = tuple(place for place, _ in rest if place not in found and place not in guessed)
    return Sorted(asked, kept, guessed, others)


def family_of(found: Sorted, owners: tuple[str, ...]) -> Family:
    """Return whose uses are wanted."""
    near = (*found.asked, *found.implementing, *found.guessed)
    own = {owners[-1].casefold(), *(_last(place.mention.container) for place in near)}
    others = {_last(place.mention.container) for place in found.others}
    kinds = {place.mention.defined.kind for place in found.asked if place.mention.defined}
    return Family(
        frozenset(own - {""}), frozenset(others - own - {""}), bool(kinds) and kinds <= _MEMBERS
    )


def standing(use: Use, family: Family) -> Standing:
    """Return whether a usage is of the family, by what stands around it."""
    around = {part.casefold() for part in re.split(r"[.:#/]+", use.container) if part}
    if use.imports:
        words = {word.casefold() for word in re.findall(r"\w+", use.line)}
        return "same" if words & family.own else "other" if family.members else "maybe"
    receiver = _RECEIVER.search(use.before)
    if receiver is None:
        return _bare(use, family, around)
    name = (receiver["name"] or "").casefold()
    if name in _OWN:
        return "same" if around & family.own else "other" if around & family.others else "maybe"
    plain = name.strip("_$").replace("_", "")
    if name in family.own or plain in family.own:
        return "same"
    return "other" if name in family.others or plain in family.others else "maybe"


def _bare(use: Use, family: Family, around: set[str]) -> Standing:
    if around & family.own:
        return "same"
    if family.members and use.language in _NEED_RECEIVERS and "=" not in use.line:
        return "other"
    return "other" if around & family.others else "maybe"


def _is_declared(place: Place) -> bool:
    defined = place.mention.defined
    return defined is not None and defined.declared_only


def _last(container: str) -> str:
    return re.split(r"[.:#/]+", container)[-1].casefold()
