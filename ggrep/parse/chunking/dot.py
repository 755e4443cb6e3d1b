"""DOT in sentences: chains of edges with their labels, node labels, titles of subgraphs."""

import re
from itertools import pairwise
from typing import Final

from ggrep.parse.chunking.flowchart import MAX_EDGES, MAX_NODES

_MAX_CHARACTERS: Final = 100_000
_TOKEN: Final = re.compile(
    r"""
    (?P<skip> /\*(?:[^*]|\*(?!/))*+(?:\*/)? | //[^\n]*+ | ^[ \t]*+\#[^\n]*+
      | <(?!-)[^<>]*+(?:<[^<>]*+>[^<>]*+)*+> | ^[ \t>]*+(?:`{3}|~{3})[^\n]*+ )
    | "(?P<quoted> (?:[^"\\]|\\.)*+ )"?
    | (?P<arrow> -[->] )
    | (?P<word> [\w.$%@/]++ )
    | (?P<mark> [{}\[\];=:,] )
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_HEADS: Final = frozenset({"strict", "graph", "digraph", "node", "edge"})


def dot_edges(text: str) -> str:
    """Return the sentences of a DOT graph; its nodes when it draws no edge."""
    reader = _Reader()
    for token in _TOKEN.finditer(text[:_MAX_CHARACTERS]):
        if token["skip"] is None:
            word = token["word"] if token["quoted"] is None else token["quoted"]
            reader.read(token["arrow"] or token["mark"] or "", word)
    reader.read(";", None)
    return "\n".join(reader.sentences())


class _Reader:
    """One statement at a time: a chain of node groups, then its attributes in brackets."""

    def __init__(self) -> None:
        self._chain: list[list[str]] = []
        self._linked = False
        self._port = False
        self._set = False
        self._inside_group = False
        self._attributes: list[str] | None = None
        self._label = ""
        self._labels: dict[str, str] = {}
        self._groups: list[str] = []
        self._edges: list[tuple[str, str, str]] = []

    def read(self, mark: str, word: str | None) -> None:
        """Take in one token: a mark, or a name."""
        if self._attributes is not None:
            self._attribute(mark, word)
        elif word is not None:
            self._name(word)
        elif mark in {"->", "--"}:
            self._linked, self._port = True, False
        else:
            self._punctuation(mark)

    def _attribute(self, mark: str, word: str | None) -> None:
        assert self._attributes is not None  # noqa: S101 - the caller looked
        if word is not None:
            if self._attributes[-2:] == ["label", "="]:
                self._label = _tidy(word)
            self._attributes = [*self._attributes[-1:], word]
        elif mark == "]":
            self._attributes = None
        else:
            self._attributes = [*self._attributes[-1:], mark]

    def _name(self, word: str) -> None:
        if self._port:
            self._port = False
        elif self._set:
            self._set = False
            if self._chain and self._chain[-1] == ["label"]:
                self._groups.append(_tidy(word))
            self._chain = []
        elif self._linked or (self._inside_group and self._chain):
            if self._linked:
                self._chain.append([])
            self._chain[-1].append(word)
            self._linked = False
        else:
            self._end()
            self._chain = [[word]]

    def _punctuation(self, mark: str) -> None:
        if mark == ":":
            self._port = True
        elif mark == "=":
            self._set = True
        elif mark == "[":
            self._attributes = []
        elif mark == "{":
            if self._linked:
                self._chain.append([])
                self._inside_group, self._linked = True, False
            else:
                self._chain, self._label = [], ""
        elif mark == "}" and self._inside_group:
            self._inside_group = False
        elif mark != "," and not self._inside_group:
            self._end()
            self._chain = []

    def _end(self) -> None:
        """Take in the statement that ended."""
        chain, label = self._chain, self._label
        self._label, self._port, self._set = "", False, False
        if len(chain) == 1 and chain[0] and chain[0][0] not in _HEADS:
            self._labels[chain[0][0]] = label
        elif label and chain and chain[0] == ["graph"]:
            self._groups.append(label)
        for sources, targets in pairwise(chain):
            if len(self._edges) < MAX_EDGES:
                self._edges += [(a, label, b) for a in sources[:24] for b in targets[:24]]

    def sentences(self) -> list[str]:
        said = [f"group {title}" for title in self._groups[:MAX_NODES] if title]
        for source, label, target in self._edges[:MAX_EDGES]:
            arrow = f"-[{label}]->" if label else "->"
            said.append(f"{self._said(source)} {arrow} {self._said(target)}")
        if not self._edges:
            nodes = list(self._labels.items())[:MAX_NODES]
            said += [f"{label} ({name})" if label else _tidy(name) for name, label in nodes]
        return said

    def _said(self, name: str) -> str:
        return self._labels.get(name) or _tidy(name)


def _tidy(text: str) -> str:
    """Return a label on one line; a record's ports and bars are not words."""
    plain = re.sub(r"<[^<>]{0,60}>|\\[nlrGNE]", " ", text[:400])
    return " ".join(plain.translate({ord(c): " " for c in "{}|\\"}).split())
