"""Selects the uses of a name that belong to a container: `Checkout.pay`, not `Till.pay`.

The container is certain if the enclosing function names the type of the receiver, if the receiver
is a type or `self`, or for a call without receiver where members need one. The name of a variable
(`till.pay()`) is a guess, and so is a use without any evidence.
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
"""Where a method or a field is never named without what it is of."""


class Use(Struct, frozen=True):
    """The code around a usage.

    Attributes:
        before: the line in front of the name.
        container: container of the definition that contains the usage.
        imports: the usage only imports the name, in the line `line`.
        receiver: its receiver's type where syntax says so.
    """

    before: str
    line: str
    container: str
    language: str
    imports: bool = False
    receiver: str = ""


class Judge:
    """Decides which usages belong to a family, from the code around each."""

    def __init__(self, family: Family) -> None:
        self._own, self._others = frozenset(family.own), frozenset(family.others)
        self._members = family.members

    def standing(self, use: Use) -> Standing:
        """Return whether a usage belongs to the family."""
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
        """Return the verdict on a usage by its enclosing definitions alone."""
        return "same" if around & self._own else "other" if around & self._others else "maybe"
