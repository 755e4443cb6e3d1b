"""The type of a member's receiver, if the function around it states the type.

`Container().open()`, `Container::new().open()`, and `c.open()` after `c = Container()`,
`let c: Container`, `def f(c: Container)` or `Container c = ...` name the type. Nearly all grammars
call a declaration's parts `type` and `value`, so the same code reads all languages. Types are not
inferred in any other way.
"""

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from tree_sitter import Node

from ggrep.parse.occurrences.surroundings import Way

LITERAL: Final = "literal"
"""Result for a receiver that is a string, a list or a mapping."""
MAX_LOOKED_AT: Final = 60
"""Maximum number of a variable's occurrences before its use to examine."""
_MOST_BYTES: Final = 400
"""Maximum bytes to read of a receiver, and of a variable's value."""

_MARK: Final = re.compile(rb"\s*(?:\?\.|!!?\.|&\.|\?->|->|::|\.|(?<=\w):)\s*$")
_FUNCTIONS: Final = ("function", "method", "lambda", "closure", "constructor", "func_literal")
_PARTS: Final = (
    "body",
    "call",
    "declarator",
    "invocation",
    "name",
    "param",
    "primary",
    "signature",
)
"""Parts of the kinds of nodes that are parts or uses of a function."""
_VARIABLE: Final = re.compile(r"[$@]{0,2}[^\W\d]\w*")
_MADE: Final = re.compile(r"(?:new\s+)?(?P<name>\$?[^\W\d][\w.:\\$]*)\s*(?:::)?(?P<open>[<\[({]|$)")
_CAST: Final = re.compile(r"\sas[?!]?\s+([\w.]+)\s*\??$|\.\(\*?([\w.]+)\)$")
_CLASS: Final = re.compile(r"(?:\w+(?:::|\.))*[A-Z]\w*[a-z]\w*")
_LITERAL_TEXT: Final = re.compile(r"[a-zA-Z]{0,2}([\"'`]).*\1|\[[^\[\]]*\]|\{[^{}]*\}", re.DOTALL)
_UNWRAPPED: Final = re.compile(
    r"(?:\?|!!?|\.(?:await|unwrap\(\)|expect\(\"[^\"]*\"\)|clone\(\)))\s*$"
)
_PREFIX: Final = re.compile(r"^(?:await\s|try[?!]?\s|[&*]\s*|mut\s)+")
_MAKERS: Final = re.compile(
    r"(?:new|default|create|build|make|init|instance|getInstance)$|from_|with_"
)
_POINTERS: Final = frozenset({"make_shared", "make_unique"})
_NAMED_MAKER: Final = re.compile(r"[Nn]ew(?=[A-Z])")
_TYPE: Final = re.compile(r"(?P<name>[^\W\d][\w.:\\$]*)\s*(?:[<\[](?P<inner>.*)[>\]])?")
_TYPE_MARKS: Final = re.compile(
    r"^[:&*\s?]+|\b(?:const|dyn|final|impl|in|inout|mut|out|readonly|ref|some|struct|volatile)\b\s*"
    r"|'\w+\s|[&*?!\s]+$"
)
_WRAPPERS: Final = frozenset(
    {
        *("annotated", "arc", "box", "classvar", "final", "option", "optional", "rc", "ref"),
        *("refmut", "shared_ptr", "type", "unique_ptr", "weak_ptr"),
    }
)
_UNTYPED: Final = frozenset({"auto", "dynamic", "final", "let", "val", "var"})
_NO_VALUE: Final = frozenset({"None", "nil", "null", "undefined"})
_TYPES: Final = frozenset({"nullable_type", "type_annotation", "type_identifier", "user_type"})
_ENDS: Final = ("block", "body", "statements")
"""Parts of the kinds of nodes that contain declarations but are no declaration."""
_USES: Final = (
    *("argument", "attribute", "binary", "call", "field_expression", "index", "invocation"),
    *("member", "navigation", "return", "selector", "subscript"),
)
"""Parts of the kinds of nodes in which a variable is read."""
_SELVES: Final = frozenset({"self", "this", "cls", "super", "static", "Self"})
_VALUES: Final = ("value", "right", "initializer", "default_value")


def receiver_type(
    way: Way, start: int, data: bytes, find: Callable[[str, int], Iterator[Way]]
) -> str:
    """Return the last part of the receiver's type name, or `LITERAL`; empty if unknown.

    Args:
        way: the nodes from the root to the name of the member.
        start: the name's offset in bytes.
        data: the file.
        find: yields the syntax paths of a variable's occurrences before an offset, nearest first.
    """
    receiver = _receiver(way, start, data)
    if _LITERAL_TEXT.fullmatch(receiver):
        return LITERAL
    if _CLASS.fullmatch(receiver):
        return _last(receiver)
    if _VARIABLE.fullmatch(receiver) and receiver not in _SELVES:
        return _variable_type(way, find(receiver, start), data)
    return _made(receiver)


def _variable_type(way: Way, places: Iterator[Way], data: bytes) -> str:
    """Return the type from a variable's nearest declaration in the enclosing functions."""
    around = {node.id for node, _ in way if _is_function(node)}
    for place in islice(places, MAX_LOOKED_AT):
        if not {node.id for node, _ in place if _is_function(node)} <= around:
            continue
        declared = _declared(place, data)
        if declared is not None:
            return declared
    return ""


def _receiver(way: Way, start: int, data: bytes) -> str:
    """Return the text before a member, without the operator between them."""
    for node, _ in reversed(way[-4:]):
        before = data[node.start_byte : start]
        if not before.strip():
            continue
        mark = _MARK.search(before)
        if mark is None or mark.start() > _MOST_BYTES:
            return ""
        first = node
        if not before[: mark.start()].strip():
            # The receiver is a sibling node: `c` before the suffix `.open`.
            first = first.prev_named_sibling or node
            while first.type == "selector" and first.prev_named_sibling is not None:
                first = first.prev_named_sibling
        end = node.start_byte + mark.start()
        if receiver := data[first.start_byte : end].decode("utf-8", "replace").strip():
            return receiver.rstrip("?! ")
    return ""


def _is_function(node: Node) -> bool:
    kind = node.type
    is_part = any(word in kind for word in _PARTS)
    return node.is_named and not is_part and any(word in kind for word in _FUNCTIONS)


def _declared(place: Way, data: bytes) -> str | None:
    """Return the type that an occurrence declares; empty if unknown, None without declaration."""
    leaf, value = place[-1][0], None
    for node, _ in reversed(place[:-1]):
        if _is_function(node) or any(word in node.type for word in _ENDS):
            break
        if _reads(node, leaf):
            return None
        name = _stated(node, leaf, data)
        if name is not None:
            return name
        value = value or _value(node)
    return None if value is None else _made(_chain(value, data))


def _reads(node: Node, leaf: Node) -> bool:
    """Return whether a node uses the variable instead of declaring it."""
    value = _value(node)
    return any(word in node.type for word in _USES) or (value is not None and _holds(value, leaf))


def _stated(node: Node, leaf: Node, data: bytes) -> str | None:
    """Return the declared type of a variable; empty for an untyped parameter, else None."""
    if node.type == "as_pattern":
        return _made(_text(node.named_children[0], data))
    if "parameters" in node.type or "parameter_list" in node.type:
        return ""  # the parameter hides an outer variable of this name
    typed = node.child_by_field_name("type") or _typed_child(node)
    name = "" if typed is None or _holds(typed, leaf) else _type_name(_text(typed, data))
    return name if name and name not in _UNTYPED else None


def _chain(value: Node, data: bytes) -> str:
    """Return a value's text, including a Dart call's arguments, which are sibling nodes."""
    end = value
    while end.next_named_sibling is not None and end.next_named_sibling.type == "selector":
        end = end.next_named_sibling
    stop = min(end.end_byte, value.start_byte + _MOST_BYTES)
    return data[value.start_byte : stop].decode("utf-8", "replace").strip()


def _typed_child(node: Node) -> Node | None:
    """Return the type node beside a name, for grammars without a field for types."""
    return next((child for child in node.named_children[:4] if child.type in _TYPES), None)


def _value(node: Node) -> Node | None:
    if node.type.startswith(("for", "range", "enhanced_for")):
        return None
    for field in _VALUES:
        value = node.child_by_field_name(field)
        if value is not None:
            return value
    children = node.children
    for place, child in enumerate(children[:-1]):
        if child.type in {"=", ":="}:
            return children[place + 1]
    return None


def _holds(node: Node, leaf: Node) -> bool:
    return node.start_byte <= leaf.start_byte and leaf.end_byte <= node.end_byte


def _text(node: Node, data: bytes) -> str:
    end = min(node.end_byte, node.start_byte + _MOST_BYTES)
    return data[node.start_byte : end].decode("utf-8", "replace").strip()


def _made(text: str) -> str:
    """Return the type that an expression creates: a call, `new`, a literal, a cast."""
    if cast := _CAST.search(text):
        return _last(cast[1] or cast[2])
    text = _PREFIX.sub("", text)
    while (shorter := _UNWRAPPED.sub("", text)) != text:
        text = shorter
    if text.startswith("(") and _closes(text, 0) == len(text) - 1:
        return _made(text[1:-1].strip())
    made = _MADE.match(text)
    return "" if made is None else _called(text, made)


def _called(text: str, made: re.Match[str]) -> str:
    """Return the type that a call creates, if the call ends the text."""
    parts = [part for part in re.split(r"[.:\\]+", made["name"]) if part]
    if parts[-1] in _POINTERS and made["open"] == "<":
        return _type_name(text[made.end("open") : _closes(text, made.start("open"))])
    is_new = text.startswith("new ")
    is_call = bool(made["open"]) or is_new or parts[1:][-1:] == ["new"]
    end = _behind_calls(text, made.start("open")) if made["open"] else len(text)
    return _class_in(parts, is_new=is_new) if is_call and end == len(text) else ""


def _class_in(parts: list[str], *, is_new: bool) -> str:
    """Return the class in a called name: `Till` in `Till::open` and `newTill`."""
    *owners, last = parts
    if owners and not is_new and not last[0].isupper():
        return owners[-1] if _MAKERS.match(last) else ""
    return _NAMED_MAKER.sub("", last, count=1)


def _behind_calls(text: str, place: int) -> int:
    """Return the position after consecutive bracketed groups, such as `<T>(x)`."""
    while place < len(text) and text[place] in "<[({":
        closing = _closes(text, place)
        if closing < 0:
            return place
        place = closing + 1
        while text[place : place + 1] in {" ", ":"}:
            place += 1
    return place


def _closes(text: str, place: int) -> int:
    """Return the position of the bracket that closes the bracket at `place`, or -1."""
    depth = 0
    for at in range(place, len(text)):
        depth += (text[at] in "([{<") - (text[at] in ")]}>" and text[at - 1] not in "-=")
        if depth == 0:
            return at
    return -1


def _type_name(text: str) -> str:
    """Return the name of a type without references, wrappers and an alternative `None`."""
    kept = [part for part in text.split("|") if part.strip(" :") not in _NO_VALUE]
    if len(kept) != 1:
        return ""
    name = kept[0].strip().strip("\"'")
    while (plain := _TYPE_MARKS.sub("", name)) != name:
        name = plain
    typed = _TYPE.fullmatch(name)
    if typed is None:
        return ""
    last = _last(typed["name"])
    if last.casefold() in _WRAPPERS and typed["inner"]:
        return _type_name(typed["inner"].partition(",")[0])
    return last


def _last(name: str) -> str:
    return re.split(r"[.:\\]+", name)[-1]
