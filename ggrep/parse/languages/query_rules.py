"""Reads definitions with the tree-sitter queries in `queries/<grammar>.scm`.

A pattern captures a definition as `@definition.<kind>`, and parts of it with these names:

    @name    its name; a definition can have several names
    @body    the node with its members; by default the field `body` of the definition
    @owner   a name that qualifies it although it does not enclose it
    @doc     the text that documents it, if this is not a comment in front of it
    @end     the sibling that ends it, if its body is not part of the node

`@wrapper` is a node whose content counts as if it were outside, such as a node that contains all
declarations of a file; without `@wrapper`, the definitions inside are not read. `@wrapper.thin` is
a wrapper whose leading comments and attributes belong to its first definition. `@lead` is a node
that belongs to the next definition. `@import` is a statement that imports `@import.name`.
`@nothing` is a node that is not a definition, even if later patterns capture it. If a query file
contains `(#set! clauses)`, consecutive definitions with the same name are one definition.
`(#set! loose)` lets the definition of its pattern share a chunk with neighbours. If several
patterns capture the same node, the first pattern counts, but the names of all are collected. A
query file can extend the rules of another language (see `syntax.py`).
"""

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace
from tree_sitter import Node, Query, QueryCursor

from ggrep.model.written_names import bare_name
from ggrep.parse.languages.constructs import Construct, Rules, body_of, nothing, text_of
from ggrep.parse.languages.trees import query

KINDS: Final = {
    "class": "class",
    "constant": "constant",
    "enum": "enum",
    "function": "function",
    "interface": "interface",
    "macro": "function",
    "method": "method",
    "module": "module",
    "type": "typealias",
}
"""Names of the captures of definitions, with their chunk types."""
MATCH_LIMIT: Final = 4096
"""Maximum number of matches in progress at once; further matches in a hostile file are lost."""

_SAME: Final = {"racket": "scheme"}
"""Grammars that use the queries of another grammar."""
_FOLDER: Final = Path(__file__).parent / "queries"
_LOOSE: Final = frozenset({"constant", "typealias"})


class _Captures(Struct):
    """The captures of one language's queries in one tree, by the ids of nodes."""

    constructs: dict[int, Construct] = field(default_factory=dict)
    imports: dict[int, tuple[str, ...]] = field(default_factory=dict)
    leads: set[int] = field(default_factory=set)
    nothing: set[int] = field(default_factory=set)

    def take(self, captured: dict[str, list[Node]], *, loose: bool) -> None:
        for capture, nodes in captured.items():
            word, _, kind = capture.partition(".")
            node = nodes[0]
            if word == "definition":
                self._define(node, KINDS[kind], captured, loose=loose)
            elif word == "wrapper":
                for part in nodes:
                    outer = Construct("", inside=(part,), thin=kind == "thin")
                    self.constructs.setdefault(part.id, outer)
            elif word == "nothing":
                self.nothing.add(node.id)
            elif word == "lead":
                self.leads.update(part.id for part in nodes)
            elif capture == "import":
                names = tuple(map(_name, captured.get("import.name", ())))
                self.imports[node.id] = self.imports.get(node.id, ()) + names

    def _define(
        self, node: Node, chunk_type: str, captured: dict[str, list[Node]], *, loose: bool
    ) -> None:
        if node.id in self.nothing:
            return
        definition = self.constructs.get(node.id)
        inside = tuple(captured.get("body", ())) or body_of(node)
        doc = captured.get("doc", (None,))[0]
        if definition is None or not definition.chunk_type:
            module = chunk_type == "module"
            definition = Construct(
                chunk_type,
                owners=tuple(map(_name, captured.get("owner", ()))),
                loose=loose or chunk_type in _LOOSE or (module and not inside),
                thin=module and bool(inside),
                always_open=module and bool(inside),
                last=captured.get("end", (None,))[0],
            )
        known = {part.id for part in definition.inside}
        more = (part for part in inside if part.id not in known)
        inside = tuple(sorted((*definition.inside, *more), key=lambda part: part.start_byte))
        definition = replace(definition, inside=inside, doc=definition.doc or doc)
        self.constructs[node.id] = _with_names(definition, captured.get("name", ()))


def read(grammar: str, root: Node, base: Callable[[Node], Construct | None] = nothing) -> Rules:
    """Return the rules for the file with the syntax tree `root`.

    Args:
        grammar: the grammar with which the file was parsed.
        root: the root of the syntax tree.
        base: describes nodes that no pattern captures.
    """
    wanted, settings = _queries(grammar)
    captures = _Captures()
    # Sorted, because the order in which matches end depends on how they overlap.
    for number, captured in sorted(_matches(wanted, root), key=lambda match: match[0]):
        captures.take(captured, loose="loose" in settings[number])
    return Rules(
        describe=lambda node: captures.constructs.get(node.id) or base(node),
        imported=lambda node: captures.imports.get(node.id, ()),
        fields=True,
        leads=frozenset(captures.leads),
        clauses=any("clauses" in setting for setting in settings),
    )


def _matches(wanted: Query, root: Node) -> Iterable[tuple[int, dict[str, list[Node]]]]:
    cursor = QueryCursor(wanted, match_limit=MATCH_LIMIT)
    return cursor.matches(root)


@cache
def _queries(grammar: str) -> tuple[Query, list[frozenset[str]]]:
    source = (_FOLDER / f"{_SAME.get(grammar, grammar)}.scm").read_text(encoding="utf-8")
    made = query(grammar, source)
    numbers = range(made.pattern_count)
    return made, [frozenset(made.pattern_settings(number)) for number in numbers]


def _with_names(definition: Construct, nodes: Iterable[Node]) -> Construct:
    names = (definition.name, *definition.more_names)
    at = dict(zip(definition.spans, names, strict=False))
    owners = definition.owners
    for node in nodes:
        name = _name(node)
        if definition.chunk_type != "module" and not name.endswith("::"):
            outer, _, name = name.rpartition("::")
            owners = owners or tuple(filter(None, outer.split("::")))
        at[node.start_byte, node.end_byte] = name
    ordered = sorted(at)
    names = tuple(dict.fromkeys(at[span] for span in ordered)) or ("",)
    return replace(
        definition, name=names[0], more_names=names[1:], owners=owners, spans=tuple(ordered)
    )


def _name(node: Node) -> str:
    name = bare_name(text_of(node).lstrip("$"))
    # In the grammar of D, only the whole destructor can be captured as its name.
    return name.partition("(")[0] if name[:1] == "~" else name.lstrip("'")
