"""Rules for Ruby."""

import re
from typing import Final

from tree_sitter import Node

from ggrep.parse.languages.constructs import (
    Construct,
    Rules,
    body_of,
    by_kind,
    field_text,
    first_named,
    named_as,
    text_of,
    words,
    wrapper,
)

_METHODS: Final = frozenset({"method", "singleton_method"})
_ACCESSORS: Final = words(
    "attr attr_accessor attr_reader attr_writer cattr_accessor cattr_reader cattr_writer"
    " class_attribute delegate def_delegators mattr_accessor mattr_reader mattr_writer"
    " thread_mattr_accessor"
)
_NAMERS: Final = frozenset(
    {"alias_method", "define_method", "define_singleton_method", "def_delegator", "scope", "task"}
)
_CLASS_MAKERS: Final = frozenset({"Class.new", "Data.define", "Module.new", "Struct.new"})
_REQUIRES: Final = frozenset({"autoload", "load", "require", "require_relative"})
_NAMED_SYMBOL: Final = frozenset({"simple_symbol", "string", "delimited_symbol", "hash_key_symbol"})
_STRING: Final = re.compile(r"""["']([^"'#]{1,200})["']""")

_MAX_DECORATORS: Final = 4


def _class(node: Node) -> Construct | None:
    *owners, name = _scopes(node)
    return Construct("class", name, body_of(node), tuple(owners))


def _module(node: Node) -> Construct | None:
    """Return a module; a module that contains classes or modules is a wrapper."""
    inside = body_of(node)
    frame = any(child.type in {"class", "module"} for part in inside for child in part.children)
    *owners, name = _scopes(node)
    return Construct("module", name, inside, tuple(owners), thin=frame, always_open=frame)


def _singleton_class(node: Node) -> Construct | None:
    return Construct("", inside=body_of(node))


def _assignment(node: Node) -> Construct | None:
    left, value = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None:
        return None
    listed = left.named_children if left.type == "left_assignment_list" else [left]
    names = [text_of(item).rpartition("::")[2] for item in listed if _is_constant(item)]
    if not names:
        return None
    if value is not None and value.type == "call" and _callee(value) in _CLASS_MAKERS:
        inside = _block_body(value)
        return Construct("class", names[0], inside, loose=not inside)
    return Construct("constant", names[0], more_names=tuple(names[1:]), loose=True)


def _is_constant(node: Node) -> bool:
    return node.type in {"constant", "scope_resolution", "global_variable"}


def _callee(node: Node) -> str:
    return f"{field_text(node, 'receiver').removeprefix('::')}.{field_text(node, 'method')}"


def _call(node: Node) -> Construct | None:
    """Return the method that a call defines, such as `private def a`, or the call's block."""
    word = field_text(node, "method")
    arguments = node.child_by_field_name("arguments")
    if arguments is not None:
        first = first_named(arguments)
        method = _decorated_method(first)
        if method is not None:
            return describe(method)
        if word in _ACCESSORS:
            given = [item for item in arguments.named_children if item.type != "pair"]
            return _named([_symbol(item) for item in given], ())
        if word in _NAMERS:
            return _named([_symbol(first)], _block_body(node))
    inside = _block_body(node)
    return Construct("", inside=inside) if inside else None


def _decorated_method(argument: Node | None) -> Node | None:
    """Return the method inside nested calls: `memoize private def a`."""
    for _ in range(_MAX_DECORATORS):
        if argument is None or argument.type in _METHODS:
            return argument
        arguments = argument.child_by_field_name("arguments") if argument.type == "call" else None
        argument = None if arguments is None else first_named(arguments)
    return None


def _named(names: list[str], inside: tuple[Node, ...]) -> Construct | None:
    kept = tuple(name for name in names if name)
    if not kept:
        return None
    return Construct("method", kept[0], inside, more_names=kept[1:], loose=not inside)


def _symbol(node: Node | None) -> str:
    """Return `a` for `:a`, `"a"` and the pair `a: 1`; empty for other expressions."""
    if node is not None and node.type == "pair":
        node = node.child_by_field_name("key")
    if node is None or node.type not in _NAMED_SYMBOL:
        return ""
    return text_of(node).strip(":\"'")


def _block_body(node: Node) -> tuple[Node, ...]:
    block = node.child_by_field_name("block")
    return () if block is None or block.type != "do_block" else body_of(block)


describe: Final = by_kind(
    {
        named_as("method", lambda node: field_text(node, "name").lstrip(":"), loose=True): "alias",
        _assignment: "assignment",
        _call: "call",
        _class: "class",
        _module: "module",
        named_as("function"): "method",
        named_as("method"): "singleton_method",
        _singleton_class: "singleton_class",
        wrapper: "begin begin_block else elsif ensure if if_modifier rescue then unless"
        " unless_modifier",
    }
)


def _scopes(node: Node) -> list[str]:
    return field_text(node, "name").removeprefix("::").split("::")


def imported(node: Node) -> tuple[str, ...]:
    """Return the paths that are required or loaded, as written."""
    if node.type != "call" or field_text(node, "method") not in _REQUIRES:
        return ()
    return tuple(_STRING.findall(field_text(node, "arguments")))


RULES: Final = Rules(describe, imported, fields=True)
