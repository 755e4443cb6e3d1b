"""Selects the uses of a member of one container: `Checkout.pay`, not `Till.pay`.

The answer is certain if the type of the receiver is declared in the enclosing function, if the
receiver is a type or `self`, or if there is no receiver in a language that requires one for
members. If only the name of a variable is known (`till.pay()`), or nothing, the use is a guess.
"""

import re
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from ggrep.base.scripts import WORD, folded
from ggrep.model.containers import Family
from ggrep.parse.occurrences.receivers import LITERAL

Standing: TypeAlias = Literal["same", "maybe", "other"]

_RECEIVER: Final = re.compile(
    rf"(?P<name>[{WORD}$]+)?(?:\(\)|\[\w*\])?(?:::<[^<>]*>)?\s*(?:\?\.|!\.|\.|::|->)\s*$"
)
_OWN: Final = frozenset({"self", "this", "cls", "static"})
_NEED_RECEIVERS: Final = frozenset(
    {"go", "javascript", "lua", "php", "python", "rust", "tsx", "typescript"}
)
"""Languages in which every use of a method or field names its receiver."""


class Use(Struct, frozen=True):
    """The code around a usage.

    Attributes:
        before: the part of the line before the name.
        container: the names of the definitions that enclose the usage.
        imports: the usage only imports the name, in the line `line`.
        receiver: the type of the receiver, if the syntax shows the type.
    """

    before: str
    line: str
    container: str
    language: str
    imports: bool = False
    receiver: str = ""


class Judge:
    """Decides from the surrounding code whether usages belong to the container of a `Family`."""

    def __init__(self, family: Family) -> None:
        self._own, self._others = frozenset(family.own), frozenset(family.others)
        self._members = family.members

    def standing(self, use: Use) -> Standing:
        """Return whether a usage belongs to the container."""
        around = {folded(part) for part in re.split(r"[.:#/]+", use.container) if part}
        if use.imports:
            words = set(re.findall(rf"[{WORD}]+", folded(use.line)))
            return "same" if words & self._own else "other" if self._members else "maybe"
        receiver = _RECEIVER.search(use.before)
        if receiver is None:
            return self._bare(use, around)
        name = folded(receiver["name"] or "")
        if name in _OWN:
            return self._within(around)
        if use.receiver == LITERAL:
            return "other"
        typed = use.receiver.casefold()
        is_type = use.receiver[:1].isupper() or typed in self._own | self._others
        named = {typed} if is_type else {name, name.strip("_$").replace("_", "")}
        return "same" if named & self._own else "other" if named & self._others else "maybe"

    def _bare(self, use: Use, around: set[str]) -> Standing:
        needs = self._members and use.language in _NEED_RECEIVERS and "=" not in use.line
        return "other" if needs and not around & self._own else self._within(around)

    def _within(self, around: set[str]) -> Standing:
        """Decide from the names of the enclosing definitions alone."""
        return "same" if around & self._own else "other" if around & self._others else "maybe"
