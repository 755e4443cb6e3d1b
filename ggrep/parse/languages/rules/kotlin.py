"""Rules for Kotlin."""

from typing import Final

from tree_sitter import Node

from ggrep.parse.languages.constructs import (
    Construct,
    Rules,
    by_kind,
    field_text,
    first_named,
    named_as,
    text_of,
)

_CLASS_WORDS: Final = {"interface": "interface", "enum": "enum"}
_BODIES: Final = frozenset({"class_body", "enum_class_body", "function_body"})


def _class(node: Node) -> Construct | None:
    chunk_type, name = "class", ""
    fields: tuple[str, ...] = ()
    inside: tuple[Node, ...] = ()
    for child in node.children:
        kind = child.type
        if kind in _CLASS_WORDS:
            chunk_type = _CLASS_WORDS[kind]
        elif kind == "type_identifier":
            name = _plain(child)
        elif kind == "primary_constructor":
            fields = tuple(_constructor_fields(child))
        elif kind in _BODIES:
            inside = (child,)
    return Construct(chunk_type, name, inside, more_names=fields, doc=_stray_comment(node))


def _constructor_fields(node: Node) -> list[str]:
    """Return the parameters that are also properties: `val a: Int`."""
    fields: list[str] = []
    for parameter in node.named_children:
        parts = parameter.named_children
        if any(part.type == "binding_pattern_kind" for part in parts):
            fields += [_plain(part) for part in parts if part.type == "simple_identifier"][:1]
    return fields


def _object(node: Node) -> Construct | None:
    parts = _parts(node)
    name, inside = _plain(parts.get("type_identifier")), _body(parts)
    return Construct("class", name, inside, doc=_stray_comment(node))


def _companion(node: Node) -> Construct | None:
    named = _object(node)
    return named if named is not None and named.name else Construct("", inside=_body(_parts(node)))


def _function(node: Node) -> Construct | None:
    parts = _parts(node)
    name, inside = _plain(parts.get("simple_identifier")), _body(parts)
    doc = _stray_comment(node)
    return Construct("function", name, inside, owners=_receiver(node), loose=not inside, doc=doc)


def _property(node: Node) -> Construct | None:
    declared = _parts(node)
    several = declared.get("multi_variable_declaration")
    single = declared.get("variable_declaration")
    variables = several.named_children if several is not None else [single] if single else []
    names = [_plain(first_named(variable)) for variable in variables]
    kept = tuple(name for name in names if name and name != "_")
    if not kept:
        return None
    return Construct(
        "constant",
        kept[0],
        _unnamed_object(declared),
        owners=_receiver(node),
        more_names=kept[1:],
        loose=True,
        doc=_stray_comment(node),
    )


def _alias(node: Node) -> Construct | None:
    return Construct("typealias", _plain(_parts(node).get("type_identifier")), loose=True)


def _entry(node: Node) -> Construct | None:
    parts = _parts(node)
    return Construct("constant", _plain(parts.get("simple_identifier")), _body(parts), loose=True)


describe: Final = by_kind(
    {
        _class: "class_declaration",
        _companion: "companion_object",
        _entry: "enum_entry",
        _function: "function_declaration",
        _object: "object_declaration",
        _property: "property_declaration",
        named_as("method", lambda _: "constructor"): "secondary_constructor",
        _alias: "type_alias",
    }
)


def _parts(node: Node) -> dict[str, Node]:
    """Return the first child of each node type, because the grammar has no named fields."""
    parts: dict[str, Node] = {}
    for child in node.named_children:
        parts.setdefault(child.type, child)
    return parts


def _body(parts: dict[str, Node]) -> tuple[Node, ...]:
    return tuple(parts[kind] for kind in ("class_body", "function_body") if kind in parts)


def _unnamed_object(parts: dict[str, Node]) -> tuple[Node, ...]:
    """Return the body of `val a = object : B {...}`."""
    value = parts.get("object_literal")
    return () if value is None else _body(_parts(value))


def _plain(node: Node | None) -> str:
    return text_of(node).strip("`")


def _receiver(node: Node) -> tuple[str, ...]:
    """Return the plain type that an extension extends: `List` for `fun <T> List<T>?.last()`."""
    name = field_text(node, "receiver").partition("<")[0].rpartition(".")[2].strip("?() ")
    return (name,) if name else ()


def _stray_comment(node: Node) -> Node | None:
    """Return a definition's comment if the grammar makes it a part of the import before."""
    before = node.prev_named_sibling
    if before is None or before.type != "import_list" or not before.named_children:
        return None
    parts = before.named_children[-1].named_children
    return parts[-1] if parts and parts[-1].type.endswith("comment") else None


def imported(node: Node) -> tuple[str, ...]:
    """Return the dotted names of the package and of imports, including `a.b.*`."""
    match node.type:
        case "import_list":
            return tuple(name for header in node.named_children for name in imported(header))
        case "import_header" | "package_header":
            parts = _parts(node)
            name = text_of(parts.get("identifier"))
            return (f"{name}.*" if "wildcard_import" in parts else name,)
        case _:
            return ()


RULES: Final = Rules(describe, imported, fields=True)
