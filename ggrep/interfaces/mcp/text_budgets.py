"""The most bytes that the text of a result may have, tool by tool.

An agent pays for every byte of it, and clients cut what is longer where they like. Here it is cut
at the end of a line, and the last line says so, and how to get the rest.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct

from ggrep.base.errors import InvalidRequest


class TextBudget(Struct, frozen=True):
    """How much text a result may have.

    Attributes:
        most_bytes: of UTF-8, with the line that says that it was cut.
        rest: how to get what was cut.
    """

    most_bytes: int
    rest: str


MORE: Final = "options text_bytes={}"
"""What to give for lines of a text that were cut."""


def text_bytes_of(values: Mapping[str, object]) -> int:
    """Return most bytes of the text of an answer; 0 for what is usual.

    Raises:
        InvalidRequest: that is less than nothing.
    """
    given = values.get("text_bytes", 0)
    if not isinstance(given, int) or given < 0:
        raise InvalidRequest(f"text_bytes: must be 0 or more, is {given!a:.80}")
    return given


_LEAST: Final = 1_024
"""However little was asked for, there is room for what is wrong with an answer."""
_OF: Final[Mapping[str, TextBudget]] = MappingProxyType(
    {
        "search": TextBudget(32 << 10, "lower `top`, a shorter `snippet`, or `expand` a place"),
        "good_search": TextBudget(32 << 10, "call `search` with a lower `top`"),
        "context": TextBudget(0, "a larger `max_bytes`, or `expand` a place"),
        "search_workspace": TextBudget(32 << 10, "lower `top`, or name repositories in `only`"),
        "symbol": TextBudget(16 << 10, "a `filter`, or a lower `limit`"),
        "references": TextBudget(32 << 10, "a `filter`, or a lower `limit`"),
        "outline": TextBudget(8 << 10, "a larger `max_bytes`, a deeper `path`, or another `depth`"),
        "expand": TextBudget(0, "a larger `max_bytes`, or `path:line-line`"),
        "ggrep_status": TextBudget(8 << 10, "`structured: true`"),
        "ggrep_health": TextBudget(16 << 10, "`structured: true`"),
    }
)
_MOST_OF_SEVERAL: Final = 64 << 10
"""Of the answers to several questions together."""
_FAILURE: Final = TextBudget(4 << 10, "`structured: true`")


def budget_of(tool: str, document: Mapping[str, Any]) -> TextBudget:
    """Return the budget of a tool's answer: its own bounds, where it has some."""
    if _fails(document):
        return _FAILURE
    usual = _OF[tool]
    if answers := document.get("answers"):
        most = sum(budget_of(tool, each).most_bytes for each in answers)
        return TextBudget(min(most, _MOST_OF_SEVERAL), usual.rest)
    slate, limits = document.get("slate"), document.get("limits")
    if isinstance(slate, Mapping) and isinstance(slate.get("limits"), Mapping):
        most = slate["limits"].get("max_slate_bytes", 0)
    elif isinstance(limits, Mapping) and "max_expand_bytes" in limits:
        most = limits["max_expand_bytes"] * 3 // 2  # each line has its number in front of it
    else:
        most = usual.most_bytes
    return TextBudget(max(_LEAST, most), usual.rest)


def within_budget(tool: str, document: Mapping[str, Any], text: str) -> str:
    """Return the text of a result, cut at the end of a line where it is too long."""
    budget = budget_of(tool, document)
    most = budget.most_bytes
    data = text.encode()
    if len(data) <= most:
        return text
    told = f"cut: text {budget.most_bytes} of {len(data)} bytes; for the rest: {budget.rest}"
    room = most - len(told.encode()) - 1
    kept = data[: data.rfind(b"\n", 0, room + 1)] if b"\n" in data[: room + 1] else data[:room]
    return f"{kept.decode(errors='ignore')}\n{told}"


def _fails(document: Mapping[str, Any]) -> bool:
    return "code" in document and "message" in document
