"""Languages that are read by a file of queries, `queries/<language>.scm`.

A pattern captures what is defined as `@definition.<kind>`, and inside of it

    @name    what it is called; several names make one definition of several
    @body    where its members are; else its field `body`, else nothing is looked into
    @owner   a name that qualifies it though it does not enclose it
    @doc     the text that documents it, where that is no comment in front of it

`@wrapper` is a node whose content counts as if it stood outside, `@lead` one that belongs to the
definition behind it, `@import` a statement of which `@import.name` is brought in. `(#set! clauses)`
anywhere in a file says that definitions of one name in a row are one. Of several patterns that
capture the same node the first counts; names are gathered.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Final

from tree_sitter import Node, Query, QueryCursor

from ggrep.chunking.found import Found, Rules, text_of
from ggrep.chunking.trees import query

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
"""What a definition's capture is called, and the type of chunk that makes."""
MATCH_LIMIT: Final = 4096
"""Matches that may be under way at once; what a hostile file would want beyond is not found."""

_LOOSE: Final = frozenset({"constant", "typealias"})
_QUOTES: Final = "\"'`"


@dataclass(slots=True)
class _Said:
    """What the queries of one language say of one tree, by the ids of its nodes."""

    found: dict[int, Found] = field(default_factory=dict)
    imports: dict[int, tuple[str, ...]] = field(default_factory=dict)
    leads: set[int] = field(default_factory=set)
    patterns: dict[int, int] = field(default_factory=dict)

    def take(self, pattern: int, captured: dict[str, list[Node]]) -> None:
        for capture, nodes in captured.items():
            word, _, kind = capture.partition(".")
            node = nodes[0]
            if word == "definition":
                self._define(pattern, node, KINDS[kind], captured)
            elif word == "wrapper":
                self.found.setdefault(node.id, Found("", inside=(node,)))
            elif word == "lead":
                self.leads.add(node.id)
            elif capture == "import":
                names = tuple(map(_name, captured.get("import.name", ())))
                self.imports[node.id] = self.imports.get(node.id, ()) + names

    def _define(
        self, pattern: int, node: Node, chunk_type: str, captured: dict[str, list[Node]]
    ) -> None:
        names = captured.get("name", [])
        held = self.found.get(node.id)
        if held is not None and held.chunk_type:
            same = self.patterns[node.id] == pattern
            self.found[node.id] = _with_names(held, names) if same else held
            return
        body = captured.get("body") or [node.child_by_field_name("body")]
        module = chunk_type == "module"
        doc = captured.get("doc", ())
        made = Found(
            chunk_type,
            inside=tuple(part for part in body if part is not None),
            owners=tuple(map(_name, captured.get("owner", ()))),
            loose=chunk_type in _LOOSE,
            thin=module,
            always_open=module,
            doc=doc[0] if doc else None,
        )
        self.found[node.id] = _with_names(made, names)
        self.patterns[node.id] = pattern


def read(language: str, root: Node) -> Rules:
    """Return how the file with that syntax tree is read."""
    wanted, clauses = _queries(language)
    said = _Said()
    # Sorted, as the order in which matches end depends on how they overlap.
    for pattern, captured in sorted(_matches(wanted, root), key=lambda match: match[0]):
        said.take(pattern, captured)
    return Rules(
        describe=lambda node: said.found.get(node.id),
        imported=lambda node: said.imports.get(node.id, ()),
        fields=True,
        leads=lambda node: node.id in said.leads,
        clauses=clauses,
    )


def _matches(wanted: Query, root: Node) -> Iterable[tuple[int, dict[str, list[Node]]]]:
    cursor = QueryCursor(wanted, match_limit=MATCH_LIMIT)
    return cursor.matches(root)


@cache
def _queries(language: str) -> tuple[Query, bool]:
    source = (files(__package__) / "queries" / f"{language}.scm").read_text(encoding="utf-8")
    made = query(language, source)
    settings = [made.pattern_settings(number) for number in range(made.pattern_count)]
    return made, any("clauses" in setting for setting in settings)


def _with_names(found: Found, nodes: Iterable[Node]) -> Found:
    spans, names = found.spans, [found.name, *found.more_names]
    for node in nodes:
        span = (node.start_byte, node.end_byte)
        if span not in spans:
            spans += (span,)
            names.append(_name(node))
    names = list(filter(None, dict.fromkeys(names)))
    return replace(found, name=names[0] if names else "", more_names=tuple(names[1:]), spans=spans)


def _name(node: Node) -> str:
    return text_of(node).strip(_QUOTES)
