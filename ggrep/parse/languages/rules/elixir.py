"""Rules for Elixir."""

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace
from tree_sitter import Node

from ggrep.parse.languages.constructs import Construct, Rules, by_kind, last_named, named, text_of
from ggrep.parse.languages.runs import APART, BETWEEN, LEAD, grouped, inside_of, run_construct

_FUNCTIONS: Final = frozenset(
    {b"def", b"defp", b"defmacro", b"defmacrop", b"defguard", b"defguardp", b"defdelegate", b"defn"}
)
_MODULES: Final = {b"defmodule": "module", b"defprotocol": "interface", b"defimpl": "class"}
_TESTS: Final = frozenset({b"test", b"property", b"setup", b"setup_all"})
_WRAPPERS: Final = frozenset({b"if", b"unless", b"for", b"quote"})
_IMPORTS: Final = frozenset({b"alias", b"import", b"require", b"use"})
_LEADS: Final = frozenset(
    {b"deprecated", b"dialyzer", b"doc", b"impl", b"since", b"spec", b"tag", b"typedoc"}
)
_TYPES: Final = frozenset({b"opaque", b"type", b"typep"})
_CALLBACKS: Final = frozenset({b"callback", b"macrocallback"})
_ABOUT_MODULE: Final = frozenset(
    {
        b"after_compile",
        b"before_compile",
        b"behaviour",
        b"compile",
        b"derive",
        b"enforce_keys",
        b"external_resource",
        b"moduledoc",
        b"moduletag",
        b"on_definition",
        b"optional_callbacks",
    }
)
_OPERATORS: Final = frozenset({"binary_operator", "unary_operator"})


def _call(node: Node) -> Construct | None:
    word = _word(node)
    reader = _WORDS.get(word)
    return None if reader is None else reader(node, word)


def _function(node: Node, word: bytes) -> Construct:
    del word
    return Construct("function", _head(node)[0], _block(node))


def _test(node: Node, word: bytes) -> Construct:
    return Construct("function", _title(node) or word.decode(), _block(node))


def _tests(node: Node, word: bytes) -> Construct:
    del word
    return Construct("module", _title(node), _members(node))


def _wrapper(node: Node, word: bytes) -> Construct:
    del word
    return Construct("", inside=_members(node))


def _word(node: Node) -> bytes:
    """Return the name in a call if it is a plain word; else empty."""
    target = node.child_by_field_name("target")
    if target is None or target.type != "identifier":
        return b""
    return target.text or b""


def _module(node: Node, word: bytes) -> Construct:
    chunk_type = _MODULES[word]
    inside = _members(node)
    name = text_of(_argument(node))
    return Construct(
        chunk_type, name, inside, always_open=chunk_type == "module", doc=_moduledoc(node)
    )


def _moduledoc(node: Node) -> Node | None:
    block = _block(node)
    for child in block[0].named_children if block else ():
        if child.type == "unary_operator":
            return _documented(child) if _attribute(child) == b"moduledoc" else None
        if child.type != "comment":
            return None
    return None


def _struct(node: Node, word: bytes) -> Construct:
    """Return a struct, with the name of its module and its fields."""
    block = node.parent
    module = None if block is None else block.parent
    owner = "" if module is None else text_of(_argument(module)).rpartition(".")[2]
    fields: list[str] = []
    pending = [] if _argument(node) is None else [_argument(node)]
    while pending:
        part = pending.pop()
        if part is None:
            continue
        if part.type == "atom":
            fields.append(text_of(part).lstrip(":"))
        elif part.type == "pair":
            fields.append(text_of(named(part, 0)).rstrip(": "))
        elif part.type in {"keywords", "list"}:
            pending += reversed(part.named_children)
    return Construct("class", owner or word.decode(), more_names=tuple(fields), loose=True)


def _attribution(node: Node) -> Construct | None:
    """Return the type, callback or constant that `@name value` defines."""
    word = _attribute(node)
    operand = node.child_by_field_name("operand")
    if not word or operand is None or word in _LEADS or word in _ABOUT_MODULE:
        return None
    if word in _TYPES:
        return Construct("typealias", _specified(operand)[0], loose=True)
    if word in _CALLBACKS:
        return Construct("function", _specified(operand)[0], loose=True)
    return Construct("constant", word.decode("utf-8", "replace"), loose=True)


def _attribute(node: Node) -> bytes:
    operand = node.child_by_field_name("operand")
    if operand is None or operand.type != "call":
        return b""
    return _word(operand) if node.children[0].type == "@" else b""


def _specified(node: Node) -> tuple[str, int]:
    """Return the name and arity of a type or a callback."""
    return _named(_argument(node), frozenset({"when", "::"}))


def _head(node: Node) -> tuple[str, int]:
    return _named(_argument(node), frozenset({"when"}))


def _named(node: Node | None, around: frozenset[str]) -> tuple[str, int]:
    while node is not None and node.type == "binary_operator" and _operator(node) in around:
        node = node.child_by_field_name("left")
    if node is None:
        return "", 0
    if node.type in _OPERATORS:
        return _operator(node), node.named_child_count
    if node.type != "call":
        return text_of(node), 0
    arguments = [item for item in node.named_children if item.type == "arguments"]
    count = arguments[0].named_child_count if arguments else 0
    return text_of(node.child_by_field_name("target")), count


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return text_of(operator)


def _argument(node: Node) -> Node | None:
    for child in node.named_children:
        if child.type == "arguments":
            return named(child, 0)
    return None


def _title(node: Node) -> str:
    first = _argument(node)
    return text_of(first).strip('"') if first is not None and first.type == "string" else ""


def _block(node: Node) -> tuple[Node, ...]:
    last = last_named(node)
    return (last,) if last is not None and last.type == "do_block" else ()


def _members(node: Node) -> tuple[Node, ...]:
    block = _block(node)
    return grouped(block[0], block[0].named_children, _role) if block else inside_of(0, ())


def _role(node: Node) -> str:
    kind = node.type
    if kind == "comment":
        return BETWEEN
    if kind == "unary_operator":
        return _attribute_role(node)
    if kind != "call":
        return APART
    word = _word(node)
    if word in _FUNCTIONS:
        name, arity = _head(node)
        return f"{name}/{arity}"
    return f"{node.start_byte}" if word in _TESTS or word == b"describe" else APART


def _attribute_role(node: Node) -> str:
    word = _attribute(node)
    if word in _LEADS:
        return LEAD
    return f"{node.start_byte}" if word in _TYPES or word in _CALLBACKS else APART


def _run(node: Node) -> Construct | None:
    run, definition = run_construct(node, describe)
    if definition is None:
        return None
    docs = [_documented(item) for item in run.lead if _attribute(item) in {b"doc", b"typedoc"}]
    inside = definition.inside if len(run.clauses) == 1 else ()
    return replace(definition, inside=inside, doc=docs[0] if docs else definition.doc)


def _documented(node: Node) -> Node | None:
    operand = node.child_by_field_name("operand")
    text = None if operand is None else _argument(operand)
    return text if text is not None and text.type in {"string", "sigil"} else None


def _else(node: Node) -> Construct:
    return Construct("", inside=grouped(node, node.named_children, _role))


_WORDS: Final[dict[bytes, Callable[[Node, bytes], Construct | None]]] = {
    **dict.fromkeys(_FUNCTIONS, _function),
    **dict.fromkeys(_MODULES, _module),
    **dict.fromkeys(_TESTS, _test),
    **dict.fromkeys(_WRAPPERS, _wrapper),
    b"defexception": _struct,
    b"defstruct": _struct,
    b"describe": _tests,
}
describe: Final = by_kind(
    {
        _call: "call",
        _else: "else_block",
        _run: "run",
        _attribution: "unary_operator",
    }
)


def imported(node: Node) -> tuple[str, ...]:
    """Return the modules of `alias`, `import`, `require` and `use`."""
    if node.type != "call" or _word(node) not in _IMPORTS:
        return ()
    path = text_of(_argument(node))
    prefix, brace, rest = path.partition("{")
    if not brace:
        return (path,)
    return tuple(prefix + name.strip() for name in rest.rstrip("}").split(",") if name.strip())


RULES: Final = Rules(describe, imported)
