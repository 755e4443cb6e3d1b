"""Classifies positions in a file by its syntax tree.

The rules for definitions in an outline also apply here, so the name of a chunk is the name of a
definition. Definitions inside functions are recognised too, although they have no chunks.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace
from tree_sitter import Node, TreeCursor

from ggrep.model.files import TYPE_KINDS
from ggrep.model.written_names import bare_name, is_same_name
from ggrep.parse.languages.constructs import Construct, Rules, wrapper
from ggrep.parse.languages.embedded_scripts import scripts_of
from ggrep.parse.languages.inner_tests import inner_tests, is_inside
from ggrep.parse.languages.line_table import LineTable
from ggrep.parse.languages.registry import GRAMMARS, language_of
from ggrep.parse.languages.syntax import grammar_of, rules_for, script_tree, tree
from ggrep.parse.languages.trees import parse
from ggrep.parse.occurrences.definitions import Heads, without_repeats
from ggrep.parse.occurrences.handlers import handler_of
from ggrep.parse.occurrences.nodes import (
    anywhere,
    described,
    edge_kind,
    is_key,
    literal_kind,
    with_more,
)
from ggrep.parse.occurrences.receivers import receiver_type
from ggrep.parse.occurrences.surroundings import (
    Way,
    bases_of,
    imported_from,
    methods_of,
    role_of,
)
from ggrep.parse.occurrences.words import Occurrence, PlaceKind, Spot, by_words

MAX_DEPTH: Final = 400
"""Maximum number of nodes to examine between the root and a position."""

MAX_BEFORE: Final = 200_000
"""Bytes before a use in which its variable is searched for."""

_OPEN: Final = frozenset({"class", "interface", "enum"})
_CALLS: Final = frozenset({"elixir", "ruby"})
"""Languages in which a call defines its arguments' names."""
_CLAUSES: Final = frozenset({"elixir", "haskell"})
"""Languages in which consecutive clauses define one function."""
_QUALIFIED: Final = re.compile(r"(?:::|[.\\])$")
_NEVER: Final = frozenset({"shorthand_property_identifier"})
"""Definitions that are also uses: `{ name }` contains a value that is defined elsewhere."""


class _Step(Struct, frozen=True):
    """A node on the path to a position.

    Attributes:
        field: field of the node in its parent.
        construct: the definition at the node; None if the node defines nothing in its scope.
        kind: kind of the definition at the node; empty without a definition.
        container: qualified name of the definitions around the node.
        whole: the outermost node of the same definition (`template <...> class`, `typedef struct`).
    """

    node: Node
    field: str | None
    construct: Construct | None = None
    kind: str = ""
    container: str = ""
    whole: Node | None = None


def read_spots(
    path_key: str, data: bytes, spots: Sequence[Spot], *, receivers: bool = False
) -> tuple[Occurrence, ...]:
    """Return the occurrence at each spot in a file whose language has a grammar."""
    language = language_of(path_key, data)
    if language in GRAMMARS:
        return _read_by(_Tree(language, data), spots, receivers=receivers)
    return _read_scripts(path_key, language, data, spots, receivers=receivers)


def _read_scripts(
    path_key: str, language: str, data: bytes, spots: Sequence[Spot], *, receivers: bool
) -> tuple[Occurrence, ...]:
    """Return the occurrences in a file with embedded scripts; outside of scripts, match words."""
    table = LineTable(data)
    left, read = list(spots), list[Occurrence]()
    for script in scripts_of(language, data):
        inside = [spot for spot in left if script.start <= spot.start < script.end]
        if inside:
            left = [spot for spot in left if spot not in inside]
            tree = _Tree(script.language, data, script_tree(table, script))
            read += _read_by(tree, inside, receivers=receivers)
    read += by_words(path_key, data, left)
    return tuple(sorted(read, key=lambda mention: (mention.line, mention.column)))


def _read_by(places: "_Tree", spots: Sequence[Spot], *, receivers: bool) -> tuple[Occurrence, ...]:
    read = [places.read(spot, receivers=receivers) for spot in spots]
    return tuple(without_repeats(read, merging=places.has_clauses))


class _Tree:
    """The syntax tree of one file; the rules' result for a node is computed once."""

    def __init__(self, language: str, data: bytes, root: Node | None = None) -> None:
        self._data = data
        self._table = LineTable(data)
        self._root = root or tree(language, self._table)
        self._plain: Node | None = None
        self._heads = Heads(self._table)
        self._language = language
        self._tests = inner_tests(data.decode(errors="replace"), language)
        self._rules: Rules = rules_for(language, self._root, data)
        self._constructs: dict[int, Construct | None] = {}
        self._islands: dict[int, Node | None] = {}

    @property
    def has_clauses(self) -> bool:
        """Return whether consecutive clauses of one name form a single definition."""
        return self._rules.clauses or self._language in _CLAUSES

    def read(self, spot: Spot, *, receivers: bool) -> tuple[Occurrence, int]:
        """Return the occurrence at a spot, and for a definition the offset of its body or start."""
        path = self._way(spot)
        steps = self._steps(path)
        kind = self._literal(path, spot)
        container = _inside(steps)
        step = self._named(steps, spot)
        if step is None and kind == "usage" and not self._hides(spot):
            step = self._defining(steps, spot)
        test = is_inside(self._tests, spot.line, spot.line)
        if step is None or step.construct is None:
            usage = Occurrence(spot.line, spot.column, spot.text, kind, container, test=test)
            if kind in {"usage", "string"}:
                usage = self._with_role(usage, path, steps, spot)
            if receivers and usage.kind == "usage":
                of = receiver_type(path, spot.start, self._data, self._before)
                usage = replace(usage, receiver=of)
            return usage, -1
        owner = _owner(step, spot)
        outer = ".".join(
            filter(
                None, (step.container, *step.construct.owners, owner, _prefix(step.construct, spot))
            )
        )
        inside = step.construct.inside
        node = step.whole or step.node
        first = inside[0].start_byte if inside else node.start_byte
        defined = self._heads.defined(node, step.construct, step.kind, spot.text)
        bases = bases_of([each.node for each in _around(steps, step)], outer, self._data)
        methods = methods_of(step.node, self._data) if self._language == "go" else ()
        occurrence = Occurrence(
            *(spot.line, spot.column, spot.text, "definition", outer, defined),
            test=test,
            bases=bases,
            methods=methods,
        )
        return occurrence, first

    def _with_role(
        self, usage: Occurrence, path: Way, steps: Sequence[_Step], spot: Spot
    ) -> Occurrence:
        """Return a usage or string with its role; a string that names an event becomes a usage."""
        place, is_string = (path, spot.start), usage.kind == "string"
        if source := imported_from(*place, self._data):
            return replace(usage, role="import", source=source)
        role = "" if is_string else role_of(path)
        around = next((step for step in reversed(steps) if step.kind), None)
        if role == "implements" and around is not None and around.construct is not None:
            is_anonymous = around.kind not in TYPE_KINDS and "enum_case" not in around.node.type
            if is_anonymous or self._qualifies(spot):
                return usage
            node, made = around.whole or around.node, around.construct
            of = self._heads.defined(node, made, around.kind, made.name)
            return replace(usage, role=role, type=of)
        handler = None if role else handler_of(*place, spot.end, self._data, quoted=is_string)
        if handler is None:
            return replace(usage, role=role)
        container = ".".join(filter(None, (usage.container, handler)))
        return replace(usage, kind="usage", role="handles", container=container)

    def _qualifies(self, spot: Spot) -> bool:
        """Return whether a name qualifies another name: `a` in `a.b`."""
        return self._data.startswith((b".", b"::", b"\\"), spot.end)

    def _before(self, name: str, end: int) -> Iterator[Way]:
        """Yield the paths to a variable's occurrences before an offset, the nearest first."""
        pattern = re.compile(rb"(?<![\w$@])" + re.escape(name.encode()) + rb"(?!\w)")
        start = max(0, end - MAX_BEFORE)
        spans = [match.span() for match in pattern.finditer(self._data, start, end)]
        for first, last in reversed(spans):
            yield self._way(Spot(first, last, 0, 0, name))

    def _way(self, spot: Spot) -> list[tuple[Node, str | None]]:
        """Return the nodes around a spot with their fields, also in embedded languages."""
        path = _descend(self._root.walk(), spot)
        place = 0
        while place < len(path):
            island = self._island(path[place][0])
            inner = [] if island is None else _descend(island.walk(), spot)
            if inner:
                path[place + 1 :] = inner
            place += 1
        return path

    def _island(self, node: Node) -> Node | None:
        if self._rules.island is None:
            return None
        if node.id not in self._islands:
            self._islands[node.id] = self._rules.island(node)
        return self._islands[node.id]

    def _literal(self, path: Sequence[tuple[Node, str | None]], spot: Spot) -> PlaceKind:
        """Return `usage`, `string` or `comment`, also for a position hidden from the parser."""
        if not self._hides(spot):
            return _literal(path, spot.text)
        if self._plain is None:
            self._plain = parse(grammar_of(self._language, self._data), self._data)
        path = _descend(self._plain.walk(), spot)
        broken = any(node.is_error for node, _ in path)
        return "usage" if broken else _literal(path, spot.text)

    def _hides(self, spot: Spot) -> bool:
        return self._table.shown[spot.start : spot.end] != self._data[spot.start : spot.end]

    def _describe(self, node: Node) -> Construct | None:
        if node.id not in self._constructs:
            if node.type == "ERROR":
                self._constructs[node.id] = wrapper(node)
            elif node.type in _NEVER:
                self._constructs[node.id] = None
            else:
                definition = with_more(self._language, node, self._rules.describe(node))
                island = None if definition else self._island(node)
                if island is not None:
                    definition = wrapper(island)
                self._constructs[node.id] = definition or described(self._language, node)
        return self._constructs[node.id]

    def _steps(self, path: Sequence[tuple[Node, str | None]]) -> list[_Step]:
        """Return the nodes from the root to the position, each with its definition."""
        scope, crumb, outer = "top", "", ""
        searched: frozenset[int] | None = frozenset({self._root.id})
        last = _Step(self._root, None)
        steps = [_Step(self._root, None)]
        for (node, field), (parent, _) in zip(path[1:], path, strict=False):
            listed = searched is None or parent.id in searched
            definition = self._describe(node) if node.is_named else None
            if definition is not None and definition.chunk_type and definition.name:
                if _same_definition(last.construct, definition):
                    steps.append(_Step(node, field, definition, last.kind, outer, last.whole))
                    continue
                kind = self._kind(node, definition, scope if listed else "local", listed=listed)
                last = _Step(node, field, definition if kind else None, kind, crumb, node)
                steps.append(last)
                outer = crumb
                if kind and _encloses(definition):
                    crumb = ".".join(filter(None, (crumb, *definition.owners, definition.name)))
                scope = _inner_scope(definition, scope if listed else "local")
                searched = _searched(definition, node)
                continue
            steps.append(_Step(node, field, container=crumb))
            if not listed:
                continue
            if definition is not None and not definition.chunk_type:
                searched = _searched(definition, node)
            elif searched is not None:
                scope, searched = "local", frozenset({node.id})
        return steps

    def _kind(self, node: Node, definition: Construct, scope: str, *, listed: bool) -> str:
        """Return a definition's kind; empty if its scope excludes it, such as a local constant."""
        kind = definition.chunk_type
        if anywhere(node):
            return kind
        if kind == "constant":
            in_class = scope == "class" and self._rules.fields
            if not listed or not (scope == "top" or in_class):
                return ""
            return "field" if scope == "class" else kind
        if scope == "local" and definition.loose and self._rules.prototypes:
            return ""
        return "method" if kind == "function" and scope == "class" else kind

    def _named(self, steps: Sequence[_Step], spot: Spot) -> _Step | None:
        """Return the outermost node for which the rules find the name at this spot."""
        return next(
            (step for step in steps if step.kind and _stands_in(step.construct, spot)), None
        )

    def _defining(self, steps: Sequence[_Step], spot: Spot) -> _Step | None:
        """Return the outermost definition that the spot names."""
        best: _Step | None = None
        parameters = False
        for step in reversed(steps):
            definition = step.construct
            if definition is not None and step.kind:
                kind = self._named_as(step, spot, parameters=parameters)
                if kind:
                    best = replace(step, kind=kind)
                elif parameters:
                    break
            edge = edge_kind(step.field, step.node.type)
            if edge == "content" and not self._calling(step):
                break
            parameters = parameters or edge == "parameter"
        return best

    def _calling(self, step: _Step) -> bool:
        """Return whether the name of the surrounding definition can be in this node."""
        kind = step.node.type
        if kind == "assignment_expression":
            return True
        return self._language in _CALLS and (kind == "call" or "argument" in kind)

    def _named_as(self, step: _Step, spot: Spot, *, parameters: bool) -> str:
        """Return the kind of definition if the spot names the step's definition, else empty."""
        definition = step.construct
        if definition is None or definition.spans or not self._first_of(step.node, spot):
            return ""
        if is_same_name(definition.name, spot.text):
            return "" if parameters else step.kind
        if not any(is_same_name(name, spot.text) for name in definition.more_names):
            return ""
        single = step.kind in {"constant", "field", "function", "typealias"}
        return step.kind if single or self._rules.prototypes else "field"

    def _first_of(self, node: Node, spot: Spot) -> bool:
        """Return whether the spot is the first occurrence of the name that a call defines."""
        if self._language not in _CALLS or node.type not in {"call", "unary_operator"}:
            return True
        before = self._table.data[node.start_byte : spot.start].decode("utf-8", "replace")
        return re.search(rf"(?<!\w){re.escape(spot.text)}(?!\w)", before) is None


def _descend(cursor: TreeCursor, spot: Spot) -> list[tuple[Node, str | None]]:
    """Return the nodes around a spot with their fields, from the root to the innermost."""
    path: list[tuple[Node, str | None]] = []
    node = cursor.node
    while node is not None and len(path) < MAX_DEPTH:
        if node.start_byte > spot.start or node.end_byte < spot.end:
            break
        path.append((node, cursor.field_name))
        if cursor.goto_first_child_for_byte(spot.start) is None:
            break
        node = cursor.node
    return path


def _stands_in(definition: Construct | None, spot: Spot) -> bool:
    if definition is None or not any(
        is_same_name(name, spot.text) for name in (definition.name, *definition.more_names)
    ):
        return False
    start = spot.start + len(spot.text) - len(spot.text.lstrip("$@%&"))  # names come after sigils
    return any(low <= start and spot.end <= high for low, high in definition.spans)


def _literal(path: Sequence[tuple[Node, str | None]], name: str) -> PlaceKind:
    """Return `usage`, `string` or `comment`; code that is inserted into a string is a usage."""
    if any(is_key(node, field, name) for node, field in path[-2:]):
        return "usage"
    for node, _ in reversed(path):
        kind = literal_kind(node.type) if node.is_named else ""
        if kind in {"string", "comment"}:
            return kind
        if kind == "code":
            break
    return "usage"


def _around(steps: Sequence[_Step], inner: _Step) -> list[_Step]:
    """Return the definitions around a definition, the innermost last."""
    return [
        step
        for step in steps
        if step.construct is not None and step.kind and step.node.id != inner.node.id
    ]


def _inside(steps: Iterable[_Step]) -> str:
    """Return the qualified name of the innermost definition on the path."""
    container = ""
    for step in steps:
        container = step.container
    return container


def _owner(step: _Step, spot: Spot) -> str:
    """Return the type that declares a field in its head, as in `class A(val b: Int)`."""
    definition = step.construct
    if definition is None or step.kind != "field" or definition.chunk_type not in _OPEN:
        return ""
    if step.node.type == "expression_statement":
        return ""  # Box.Lid = class BoxLid {}
    last = step.container.rpartition(".")[2]
    return "" if definition.name in {last, spot.text} else definition.name


def _same_definition(outer: Construct | None, inner: Construct) -> bool:
    """Return whether a node and its parent are the same definition."""
    if outer is None or bool(outer.inside) != bool(inner.inside):
        return False
    if inner.inside:
        return outer.inside[0].start_byte == inner.inside[0].start_byte
    return (outer.name, outer.more_names) == (inner.name, inner.more_names)


def _prefix(definition: Construct, spot: Spot) -> str:
    """Return a definition's name without its last part: `My` for `My.Mod`."""
    names = (definition.name, *definition.more_names)
    defined = next((name for name in names if is_same_name(name, spot.text)), "")
    head = bare_name(defined).removesuffix(bare_name(spot.text))
    return _QUALIFIED.sub("", head) if _QUALIFIED.search(head) else ""


def _encloses(definition: Construct) -> bool:
    return definition.chunk_type != "constant" or bool(definition.inside)


def _inner_scope(definition: Construct, scope: str) -> str:
    match definition.chunk_type:
        case "module":
            return scope
        case "constant":
            return "local" if scope == "local" else "class"
        case kind:
            return "class" if kind in _OPEN else "local"


def _searched(definition: Construct, node: Node) -> frozenset[int] | None:
    """Return ids of nodes whose children are members; None if all descendants can be members."""
    parts = definition.inside or (node,)
    if not all(isinstance(part, Node) for part in parts):
        return None
    return frozenset(part.id for part in parts)
