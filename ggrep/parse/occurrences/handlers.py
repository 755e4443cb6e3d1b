"""Detects whether a name is that of a message, event or route that the surrounding code handles.

Grammars name their nodes differently, but handlers are registered in the same few ways: an argument
of a call (`bus.on("started", f)`) or of a decorator (`@app.route("/x")`), the key of a table
(`HANDLERS = {Started: f}`), the argument of an implemented type (`impl Handler<Ping> for Server`),
or the parameter of a listener (`@EventListener void on(Started e)`).
"""

import re
from collections.abc import Callable
from typing import Final, TypeAlias

from tree_sitter import Node

from ggrep.parse.occurrences.surroundings import Way, is_base

MAX_BYTES: Final = 200
"""Maximum bytes to read of a callee, an argument or a decorator."""

_METHODS: Final = "get|head|post|put|patch|delete|options|all|any|use"
_ROUTES: Final = re.compile(
    rf"(?:{_METHODS}|match|(?:re_?)?path|url|mount|nest|scope|resource|\w*routes?|handle(?:func)?"
    rf"|(?:add|map|http)_?(?:{_METHODS})|add_?url_?rule|add_api_\w+|web_?socket|ws|\w*mapping"
    r"|controller|webservlet)",
    re.IGNORECASE,
)
_NOUNS: Final = "(?:listener|handler|observer|subscriber|callback|consumer)s?"
_EVENTS: Final = re.compile(
    rf"on(?:ce|_?event|_?message)?|(?:add|set|register|install|map)_?\w*{_NOUNS}|subscribe\w*"
    r"|register\w*|listen\w*|handle|consume|receive|command",
    re.IGNORECASE,
)
_MARKS: Final = re.compile(
    rf"\w*{_NOUNS}|on_\w+|event\w*|\w+pattern|handles\w*|incoming|receiver|task|action|hook|tool",
    re.IGNORECASE,
)
"""Decorators of handlers, in addition to the callees that register handlers."""
_LOOSE: Final = re.compile(r"bind|connect|attach|observe|when|hook", re.IGNORECASE)
"""Callees that register a handler only if an argument has a handler's name."""
_ROUTERS: Final = re.compile(
    r"(?:\w*(?:app|router?s?|server|mux|blueprint|bp|group|web|fastify|express|scope)|[reg])\W",
    re.IGNORECASE,
)
"""Receivers whose HTTP methods register routes; `client.get("/x", options)` does not."""
_HANDLING_TYPES: Final = re.compile(r"\w*(?:Handler|Listener|Consumer|Subscriber|Observer)\w{0,8}")
_LISTENING: Final = re.compile(
    r"[@\[]\s*(?:\w+\.)*\w*(?:Listener|Handler|Subscribe\w*|Consumer|Incoming|on_?[eE]vent|receiver)\b"
)
_TABLES: Final = re.compile(
    r"(?:handler|route|dispatch|listener|callback|registry|command|subscri|action|urlpattern"
    r"|endpoint|reducer|hook)\w*$",
    re.IGNORECASE,
)
_NAMED_ARGUMENT: Final = re.compile(
    r"(?:\w*(?:handler|callback|listener|func|view|target|endpoint)\w*|fn|to|use)\s*(?:=>?|:)"
)
_ACTION: Final = re.compile(r"[\"'][\w/\\]+[#@]\w+[\"']")
"""Names the method of a controller: `"users#show"` in Rails, `'UserController@show'` in Laravel."""
_VALUE: Final = re.compile(
    r"[\"'`\d{-]|[rbfu]{1,2}[\"']|(?:true|false|null|none|nil)\b|\w+\s*=[^=>]|\w+:\s",
    re.IGNORECASE,
)
"""Matches the beginning of an argument that is no handler: a literal or a named parameter."""
_LIKE_HANDLER: Final = re.compile(
    r"(?i:handl|callback|listen|lambda|=>|func|\bcb\b)|(?:^|[._])_?on_?[A-Z_a-z]"
)
_CALLEE: Final = re.compile(
    r"(?:(?P<of>\w+)\s*(?:\(\))?\s*(?:\??\.|::|->)\s*)?(?P<name>\w+)!?\s*(?:::)?\s*$"
)
_KEY: Final = re.compile(
    r"(?:\w+\s*=\s*)?(?:[\"'`].*[\"'`]|:[\w\"]+|[&$@\\]?[\w.:\\]*\w(?:\{\})?|typeof\s*\([\w.]+\)"
    r"|[rbu]?[\"'].*[\"'])\)?",
    re.DOTALL,
)
"""Matches an argument that is a name, a type or a literal, not an expression."""
_NO_KEY: Final = re.compile(rb"\.(?!class\b)|\s*=[^=>]")
"""Matches the text after a name that is not a key: a qualifier's `.`, or an argument's `=`."""
_LISTS: Final = re.compile(r"(?:\w+_)?arguments|(?:\w+_)?argument_list|token_tree")
_ENTRIES: Final = frozenset(
    {"array_element_initializer", "keyed_element", "pair", "dictionary_literal_item"}
)
_WHOLE: Final = re.compile(
    r"call|invocation|binary|array|list$|object$|dict|lambda|function|block|body|statement|_clause"
)
"""Kinds of nodes that contain more than a name or a literal."""
_ARRAY: Final = re.compile(r"array|list$")
_CHAINED: Final = re.compile(
    rb"\s*\.\s*(?:get|head|post|put|patch|delete|options|all|any|route|service|to)\s*\("
)
"""Follows the path of a route whose handlers are given by further calls."""
_DECORATORS: Final = frozenset({"annotation", "attribute_item", "attribute_list", "decorator"})
_LITERAL: Final = re.compile(rb"(?:[a-zA-Z@$]{0,3}(?=[\"'`]))?([\"'`]*)(.*?)\1", re.DOTALL)
_MOST_WRAPPERS: Final = 6


def handler_of(way: Way, start: int, end: int, data: bytes, *, quoted: bool) -> str | None:
    """Return the handler's name; empty if the handler is not registered by a decorator.

    Return None if the code does not handle the name.

    Args:
        way: the nodes from the root to the name.
        start: offset of the name in bytes.
        end: exclusive end of the name.
        data: the file.
        quoted: whether the name is in a string; such a string must contain nothing else.
    """
    if _NO_KEY.match(data, end):
        return None
    for place in range(len(way) - 1, max(0, len(way) - 2 - _MOST_WRAPPERS), -1):
        node = way[place][0]
        if quoted and "string" in node.type and not _is_all_of(node, start, end, data):
            return None
        if reader := _reader(way, place):
            return reader(way[: place + 1], start, data)
        is_whole = node.is_named and _WHOLE.search(node.type)
        if is_whole and not (quoted and _ARRAY.search(node.type)):
            return None
    return None


_Reader: TypeAlias = Callable[[Way, int, bytes], str | None]


def _reader(way: Way, place: int) -> _Reader | None:
    """Return the reader of the node at `place`; None if the node cannot register a handler."""
    node, field = way[place]
    if _LISTS.fullmatch(node.type):
        return _typed if "type" in node.type else _announced
    if node.type in _ENTRIES:
        return _entry
    if field == "subscript":
        return _subscript
    is_parameter = "parameter" in node.type and "parameter" not in way[place - 1][0].type
    return _parameter if is_parameter else None


def _is_all_of(string: Node, start: int, end: int, data: bytes) -> bool:
    """Return whether a literal contains only the name, or an HTTP method and the name."""
    literal = _LITERAL.fullmatch(data[string.start_byte : string.end_byte])
    text = data[string.start_byte : string.end_byte] if literal is None else literal[2]
    return re.sub(rb"^[A-Z]+ ", b"", text) == data[start:end]


def _typed(way: Way, start: int, data: bytes) -> str | None:
    """Return the handler for a type argument: `Handler<Ping>` as a base, `subscribe<Ping>(f)`."""
    arguments, callee = way[-1][0], _callee(way[-1][0], data)
    first = arguments.named_children[:1]
    if not callee or not first or not first[0].start_byte <= start < first[0].end_byte:
        return None
    if is_base(way[:-1]):
        return "" if _HANDLING_TYPES.fullmatch(callee["name"]) else None
    calls = data[arguments.end_byte : arguments.end_byte + 1] == b"("
    calls = calls or way[-2][0].type == "call_suffix"
    return "" if calls and _EVENTS.fullmatch(callee["name"]) else None


def _announced(way: Way, start: int, data: bytes) -> str | None:
    """Return the handler for an argument of a call or a decorator."""
    arguments, callee = way[-1][0], _callee(way[-1][0], data)
    given = next((each for each in arguments.named_children if start < each.end_byte), arguments)
    literal = _element(given, start)
    name, key = callee["name"] if callee else "", _text(data, literal.start_byte, literal.end_byte)
    if not callee or not _KEY.fullmatch(key):
        return None
    is_route, is_event = bool(_ROUTES.fullmatch(name)), bool(_EVENTS.fullmatch(name))
    for node, _ in way[-4:-1]:
        if node.type in _DECORATORS:
            fits = (
                is_event
                or _MARKS.fullmatch(name)
                or (is_route and ("/" in key or name[0].isupper()))
            )
            return _decorated(node, data) if fits else None
    handlers = _others(way, given, data)
    if callee["of"] and re.fullmatch(_METHODS, name, re.IGNORECASE):
        is_route = name.isupper() or _ROUTERS.match(callee[0]) is not None
    if is_route and not handlers and _CHAINED.match(data, arguments.end_byte):
        return "" if "/" in key else None
    if _LOOSE.fullmatch(name):
        is_event = any(map(_LIKE_HANDLER.search, handlers))
    return "" if handlers and (is_event or (is_route and "/" in key)) else None


def _element(given: Node, start: int) -> Node:
    """Return the element of an array at a position; if `given` is not an array, return `given`."""
    parts = given.named_children
    if parts and (_ARRAY.search(given.type) or _ARRAY.search(parts[-1].type)):
        return _element(next((each for each in parts if start < each.end_byte), parts[-1]), start)
    return given


def _callee(arguments: Node, data: bytes) -> re.Match[str] | None:
    """Return the name in front of a list of arguments, with its receiver."""
    start = max(0, arguments.start_byte - MAX_BYTES)
    return _CALLEE.search(_text(data, start, arguments.start_byte))


def _others(way: Way, given: Node, data: bytes) -> list[str]:
    """Return the arguments after `given` that can be handlers, and a block after the call."""
    arguments = way[-1][0]
    parts = arguments.named_children
    if parts[:1] != [given]:
        return []
    last = arguments.next_named_sibling
    blocks = [last] if last is not None and re.search("lambda|block|closure", last.type) else []
    texts = [_text(data, each.start_byte, each.end_byte) for each in parts[1:]]
    kept = [
        text
        for text in texts
        if _NAMED_ARGUMENT.match(text) or _ACTION.fullmatch(text) or not _VALUE.match(text)
    ]
    return [*kept, *(["=>"] if blocks else [])]


def _decorated(decorator: Node, data: bytes) -> str:
    """Return the name of the decorated definition; empty if it is the decorator's parent node."""
    if decorator.parent is None or decorator.parent.type in {"decorated_definition", "modifiers"}:
        return ""
    after = decorator.next_named_sibling
    while after is not None and (after.type in _DECORATORS or "comment" in after.type):
        after = after.next_named_sibling
    name = None if after is None else after.child_by_field_name("name")
    return "" if name is None else _text(data, name.start_byte, name.end_byte)


def _entry(way: Way, start: int, data: bytes) -> str | None:
    """Return the handler for an entry of a table whose name shows that it contains handlers."""
    parts = way[-1][0].named_children
    if len(parts) != 2 or start >= parts[0].end_byte:
        return None
    value = _text(data, parts[1].start_byte, parts[1].end_byte)
    if _ACTION.fullmatch(value):
        return ""
    if _VALUE.match(value):
        return None
    names = (
        named
        for node, _ in reversed(way[:-1])
        for field in ("left", "name", "key", "declarator")
        if (named := node.child_by_field_name(field)) is not None
    )
    named = next(names, None)
    is_table = named and _TABLES.search(_text(data, named.start_byte, named.end_byte))
    return "" if is_table else None


def _subscript(way: Way, _: int, data: bytes) -> str | None:
    """Return the handler for the argument of a base in Python: `class Server(Handler[Ping])`."""
    generic, named = way[-2][0], way[-1][0]
    callee = _CALLEE.search(_text(data, generic.start_byte, named.start_byte - 1))
    handles = callee and _HANDLING_TYPES.fullmatch(callee["name"]) and is_base(way[:-1])
    return "" if handles else None


def _parameter(way: Way, _: int, data: bytes) -> str | None:
    """Return the handler for a parameter of a function, if it is declared as a listener."""
    start = way[-2][0].start_byte
    if len(way) > 2 and way[-3][0].type == "decorated_definition":
        start = way[-3][0].start_byte
    end = min(way[-1][0].start_byte, start + 2 * MAX_BYTES)
    return "" if _LISTENING.search(_text(data, start, end)) else None


def _text(data: bytes, start: int, end: int) -> str:
    return data[start : min(end, start + MAX_BYTES)].decode("utf-8", "replace")
