"""Languages described by a file of queries, `queries/<grammar>.scm`.

A pattern captures what is defined as `@definition.<kind>`, and inside of it

    @name    what it is called; several names make one definition of several
    @body    where its members are; else its field `body`, else nothing is looked into
    @owner   a name that qualifies it though it does not enclose it
    @doc     the text that documents it, where that is no comment in front of it
    @end     the sibling that ends it, where its body is no part of the node

`@wrapper` is a node whose content counts as if it stood outside, such as one that holds all
declarations of a file: without it nothing in there is found; in front of `@wrapper.thin` stands
what belongs to the first of them. `@lead` is one that belongs to the
definition behind it, `@import` a statement of which `@import.name` is brought in, `@nothing` one
that is no definition whatever later patterns say. `(#set! clauses)` anywhere in a file says that
definitions of one name in a row are one, `(#set! loose)` that what its pattern defines may share a
chunk with neighbours. Of several patterns that capture the same node the first counts; names are
gathered. A file may stand upon the rules of another language (`syntax`).
"""

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace
from tree_sitter import Node, Query, QueryCursor

from ggrep.model.written_names import bare_name
from ggrep.parse.languages.found import Found, Rules, body_of, nothing, text_of
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
"""What a definition's capture is called, and the type of chunk that makes."""
MATCH_LIMIT: Final = 4096
"""Matches that may be under way at once; what a hostile file would want beyond is not found."""

_SAME: Final = {"racket": "scheme"}
"""Grammars that are read by the queries of another."""
_FOLDER: Final = Path(__file__).parent / "queries"
_LOOSE: Final = frozenset({"constant", "typealias"})


class _Said(Struct):
    """What the queries of one language say of one tree, by the ids of its nodes."""

    found: dict[int, Found] = field(default_factory=dict)
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
                    outer = Found("", inside=(part,), thin=kind == "thin")
                    self.found.setdefault(part.id, outer)
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
        held = self.found.get(node.id)
        inside = tuple(captured.get("body", ())) or body_of(node)
        doc = captured.get("doc", (None,))[0]
        if held is None or not held.chunk_type:
            module = chunk_type == "module"
            held = Found(
                chunk_type,
                owners=tuple(map(_name, captured.get("owner", ()))),
                loose=loose or chunk_type in _LOOSE or (module and not inside),
                thin=module and bool(inside),
                always_open=module and bool(inside),
                last=captured.get("end", (None,))[0],
            )
        known = {part.id for part in held.inside}
        more = (part for part in inside if part.id not in known)
        inside = tuple(sorted((*held.inside, *more), key=lambda part: part.start_byte))
        held = replace(held, inside=inside, doc=held.doc or doc)
        self.found[node.id] = _with_names(held, captured.get("name", ()))


def read(grammar: str, root: Node, base: Callable[[Node], Found | None] = nothing) -> Rules:
    """Return how the file with that syntax tree is read.

    Args:
        grammar: it was parsed by.
        root: of its tree.
        base: what is said of a node that no pattern captures.
    """
    wanted, settings = _queries(grammar)
    said = _Said()
    # Sorted, as the order in which matches end depends on how they overlap.
    for number, captured in sorted(_matches(wanted, root), key=lambda match: match[0]):
        said.take(captured, loose="loose" in settings[number])
    return Rules(
        describe=lambda node: said.found.get(node.id) or base(node),
        imported=lambda node: said.imports.get(node.id, ()),
        fields=True,
        leads=frozenset(said.leads),
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


def _with_names(found: Found, nodes: Iterable[Node]) -> Found:
    names = (found.name, *found.more_names)
    at = dict(zip(found.spans, names, strict=False))
    owners = found.owners
    for node in nodes:
        name = _name(node)
        if found.chunk_type != "module" and not name.endswith("::"):
            outer, _, name = name.rpartition("::")
            owners = owners or tuple(filter(None, outer.split("::")))
        at[node.start_byte, node.end_byte] = name
    ordered = sorted(at)
    names = tuple(dict.fromkeys(at[span] for span in ordered)) or ("",)
    return replace(found, name=names[0], more_names=names[1:], owners=owners, spans=tuple(ordered))


def _name(node: Node) -> str:
    name = bare_name(text_of(node).lstrip("$"))
    # The grammar of D has no node for the name of a destructor but the whole of it.
    return name.partition("(")[0] if name[:1] == "~" else name.lstrip("'")
