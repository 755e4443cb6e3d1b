"""Rules for Scala, in its braced and its indented form."""

from typing import Final

from tree_sitter import Node

from ggrep.parse.languages.constructs import (
    Construct,
    Rules,
    body_of,
    by_kind,
    constants,
    field_text,
    named_as,
    text_of,
)

_TYPES: Final = {
    "class_definition": "class",
    "enum_definition": "enum",
    "object_definition": "class",
    "package_object": "class",
    "trait_definition": "interface",
}
_NAMES: Final = frozenset({"identifier", "operator_identifier"})


def _type(node: Node) -> Construct | None:
    fields = tuple(_parameter_fields(node))
    name = _plain(node.child_by_field_name("name"))
    return Construct(_TYPES[node.type], name, body_of(node), more_names=fields)


def _parameter_fields(node: Node) -> list[str]:
    """Return the parameters that are also fields: `val a`, and all parameters of a case class."""
    case = any(child.type == "case" for child in node.children[:4])
    names: list[str] = []
    for parameters in node.children_by_field_name("class_parameters"):
        for parameter in parameters.named_children:
            declared = {child.type for child in parameter.children}
            if case or declared & {"val", "var"}:
                names.append(_plain(parameter.child_by_field_name("name")))
    return names


def _function(node: Node) -> Construct | None:
    loose = node.type == "function_declaration"
    return Construct(
        "function", _plain(node.child_by_field_name("name")), body_of(node), loose=loose
    )


def _value(node: Node) -> Construct | None:
    pattern = node.child_by_field_name("pattern")
    declared = node.children_by_field_name("name") if pattern is None else [pattern]
    names = [name for item in declared for name in _pattern_names(item)]
    return constants(names)


def _pattern_names(node: Node) -> list[str]:
    if node.type in _NAMES:
        return [_plain(node)]
    return [_plain(child) for child in node.named_children if child.type in _NAMES]


def _cases(node: Node) -> Construct | None:
    names = [_plain(case.child_by_field_name("name")) for case in node.named_children]
    return constants([name for name in names if name])


def _given(node: Node) -> Construct | None:
    name, body = field_text(node, "name"), node.child_by_field_name("body")
    inside = () if body is None or not body.type.endswith("template_body") else (body,)
    if not name:
        return Construct("", inside=inside)
    return Construct("class" if inside else "constant", name, inside, loose=not inside)


def _extension(node: Node) -> Construct | None:
    """Return an extension under the name of the extended type; its methods are the members."""
    bodies = node.children_by_field_name("body")
    if len(bodies) != 1 or not bodies[0].type.endswith("template_body"):
        bodies = [node]
    receivers = node.child_by_field_name("parameters")
    receiver = None if receivers is None else receivers.named_child(0)
    name = "" if receiver is None else field_text(receiver, "type").partition("[")[0]
    return Construct("class" if name else "", name, tuple(bodies), thin=True)


def _package(node: Node) -> Construct | None:
    inside = body_of(node)
    if not inside:
        return None
    return Construct("module", field_text(node, "name"), inside, thin=True, always_open=True)


describe: Final = by_kind(
    {
        _type: " ".join(_TYPES),
        _cases: "enum_case_definitions",
        _extension: "extension_definition",
        _function: "function_declaration function_definition",
        _given: "given_definition",
        _package: "package_clause",
        named_as("typealias", loose=True): "type_definition",
        _value: "val_declaration val_definition var_declaration var_definition",
    }
)


def _plain(node: Node | None) -> str:
    return text_of(node).strip("`")


def imported(node: Node) -> tuple[str, ...]:
    """Return the dotted name of a package, or the dotted names of imports as written."""
    match node.type:
        case "package_clause":
            return (field_text(node, "name"),)
        case "import_declaration":
            words = text_of(node).removeprefix("import").strip()
            return _spelled_out(words)
        case _:
            return ()


def _spelled_out(words: str) -> tuple[str, ...]:
    """Return `a.B` and `a.C` for `a.{B, C => D}`."""
    stem, brace, rest = words.partition("{")
    if not brace:
        return (words,)
    selected = [item.partition("=>")[0].strip() for item in rest.rstrip("} ").split(",")]
    return tuple(f"{stem}{name.removesuffix(' as')}" for name in selected if name)


RULES: Final = Rules(describe, imported, fields=True)
