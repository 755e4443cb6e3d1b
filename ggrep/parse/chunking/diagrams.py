"""Recognises diagrams and puts them in sentences: `Client -[calls]-> Server`."""

import re
from collections.abc import Callable
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from ggrep.parse.chunking.flowchart import MAX_EDGES, MAX_NODES, Flowchart, statements

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
    reader = _DotReader()
    for token in _TOKEN.finditer(text[:_MAX_CHARACTERS]):
        if token["skip"] is None:
            word = token["word"] if token["quoted"] is None else token["quoted"]
            reader.read(token["arrow"] or token["mark"] or "", word)
    reader.read(";", None)
    return "\n".join(reader.sentences())


class _DotReader:
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


_MESSAGE: Final = re.compile(
    r"[ \t]*(?:<<-->>|<<->>|-->>|->>|--\)|-\)|--x|-x|-->|->|<--|<-)[ \t]*[+-]?"
)
_RELATION: Final = re.compile(
    r"[ \t]+(?P<arrow>[<|*o}{]{0,2}(?:--|\.\.|==)[>|*o}{]{0,2}|->|<-)[ \t]+"
)
_ALIAS: Final = re.compile(r"[ \t]*(?:create[ \t]+)?(?:participant|actor)[ \t]+(\S+)[ \t]+as[ \t]+")
_CARDINALITY: Final = re.compile(r'[ \t]*"[^"]{0,40}"[ \t]*')


def mermaid_edges(text: str) -> str:
    """Return the sentences of a Mermaid diagram, fence markers and quote marks ignored."""
    lines = statements(text, ("%%", "//", "#"))
    while lines and lines[0] == "---":
        lines = lines[lines.index("---", 1) + 1 :] if "---" in lines[1:] else []
    kind = lines[0].split()[0].lower() if lines else ""
    reader = next((_READERS[name] for name in _READERS if kind.startswith(name)), None)
    if reader is not None:
        return "\n".join(reader(lines[1:]))
    return "\n".join(_flow(lines) or _sequence(lines))


def _flow(lines: list[str]) -> list[str]:
    chart = Flowchart()
    for line in lines:
        plain = '"' not in line and "#" not in line
        for statement in line.split(";") if plain else [line]:
            chart.read(statement)
    return chart.sentences()


def _sequence(lines: list[str]) -> list[str]:
    aliases: dict[str, str] = {}
    said: list[str] = []
    for line in lines:
        alias = _ALIAS.match(line)
        if alias is not None:
            aliases[alias[1]] = line[alias.end() :].strip()
            continue
        arrow = _MESSAGE.search(line)
        if arrow is None or len(said) >= MAX_EDGES:
            continue
        source = line[: arrow.start()].strip().strip('"')
        target, _, message = line[arrow.end() :].partition(":")
        target = target.strip().strip('"')
        sentence = f"{aliases.get(source, source)} -> {aliases.get(target, target)}"
        said.append(f"{sentence}: {message.strip()}" if message.strip() else sentence)
    return said


def _relations(lines: list[str]) -> list[str]:
    """Return class, state and entity relations; an inheritance arrow reads `extends`."""
    said: list[str] = []
    for line in lines:
        arrow = _RELATION.search(line)
        if arrow is None or len(said) >= MAX_EDGES:
            continue
        left = _CARDINALITY.sub("", line[: arrow.start()]).strip()
        right, _, label = _CARDINALITY.sub("", line[arrow.end() :]).partition(":")
        right, label = right.strip(), label.strip().strip('"')
        mark = arrow["arrow"]
        if mark.startswith("<"):
            left, right = right, left
        if "|>" in mark or "<|" in mark:
            label = label or "extends"
        said.append(f"{left} -[{label}]-> {right}" if label else f"{left} -> {right}")
    return said


def _states(lines: list[str]) -> list[str]:
    said = [
        line.replace("[*] ->", "start ->").replace("-> [*]", "-> end") for line in _plain(lines)
    ]
    return [line.replace("[*] -[", "start -[").replace("]-> [*]", "]-> end") for line in said]


def _plain(lines: list[str]) -> list[str]:
    return _relations([line.replace("-->", " --> ") for line in lines])


_READERS: Final[dict[str, Callable[[list[str]], list[str]]]] = {
    "graph": _flow,
    "flowchart": _flow,
    "sequencediagram": _sequence,
    "classdiagram": _relations,
    "statediagram": _states,
    "erdiagram": _relations,
}


_OPERAND: Final = r'"[^"]{1,200}"|\[[^\]]{1,200}\]|\([^)]{0,200}\)|:[^:;]{1,200}:|[\w.@$/]*[\w@$]'
_COUNT: Final = r'(?:[ \t]*"[^"]{0,40}")?[ \t]*'
_EDGE: Final = re.compile(
    rf"(?P<left>{_OPERAND}){_COUNT}"
    r"(?P<head><\|?|<<|\*|o(?=[-.])|\+|\}[|o]?|\|\||\|o|#|\^)?"
    r"(?P<line>[-.=~]{1,9}(?:\[[^\]]{0,60}\]|(?:left|right|up|down|le|ri|do|[lrud])(?=[-.]))?[-.=~]{0,9})"
    r"(?P<tail>\|?>>?|\*|o(?=[ \t\"])|\+|[|o]?\{|\|\||o\||#|\^|\\\\?|//?)?[xo]?"
    rf"{_COUNT}(?P<right>{_OPERAND})"
    r"(?:[ \t]*(?:\+\+|--|\*\*|!!)(?:[ \t]*\#\w+)?)?[ \t]*(?::(?P<label>.{0,300}))?"
)
_DECLARED: Final = re.compile(
    r"(?:create[ \t]+)?(?:abstract[ \t]+)?(?P<kind>participant|actor|boundary|control|entity"
    r"|database|collections|queue|component|interface|class|enum|annotation|object|state|usecase"
    r"|node|rectangle|package|namespace|cloud|folder|frame|storage|artifact|agent|card|person"
    r"|stack|file|partition|group|box|abstract)\b[ \t]*(?P<rest>.*)"
)
_ALIASED: Final = re.compile(rf"(?P<label>{_OPERAND})[ \t]+as[ \t]+(?P<name>{_OPERAND})")
_GROUPS: Final = frozenset(
    [
        "package",
        "namespace",
        "rectangle",
        "node",
        "cloud",
        "folder",
        "frame",
        "partition",
        "group",
        "box",
    ]
)
_CONDITION: Final = re.compile(r"(?:if|else ?if|while|switch)[ \t]*\((?P<text>[^)]{1,200})\)")
_MARKS: Final = "\"'[]() \t:"


def plantuml_edges(text: str) -> str:
    """Return the sentences of a PlantUML diagram; its nodes when it draws no edge."""
    reader = _PlantumlReader()
    for line in statements(text, ("'", "@", "!", "/'")):
        reader.read(line)
    return "\n".join(reader.sentences())


class _PlantumlReader:
    """What was read so far; `_step` is an activity that goes on in the next line."""

    def __init__(self) -> None:
        self._labels: dict[str, str] = {}
        self._groups: list[str] = []
        self._edges: list[tuple[str, str, str]] = []
        self._steps: list[str] = []
        self._step: str | None = None

    def read(self, line: str) -> None:
        """Take in one line."""
        if self._step is not None:
            self._activity(f"{self._step} {line}")
        elif (edge := _EDGE.match(line)) is not None:
            self._edge(edge)
        elif (declared := _DECLARED.match(line)) is not None:
            self._declare(declared["kind"], declared["rest"])
        elif (aliased := _ALIASED.match(line)) is not None:
            self._declare("", aliased[0])
        elif line.startswith(":"):
            self._activity(line[1:])
        elif (condition := _CONDITION.match(line)) is not None:
            self._steps.append(f"if {condition['text'].strip()}")

    def _activity(self, text: str) -> None:
        self._step = None
        if text[-1:] in {";", "|", "<", ">", "/", "]", "}"}:
            self._steps.append(f"step {text[:-1].strip()}")
        elif len(text) < 400:
            self._step = text

    def _declare(self, kind: str, rest: str) -> None:
        aliased = _ALIASED.match(rest)
        if aliased is not None:
            label, name = aliased["label"], aliased["name"]
            if name[0] == '"' and label[0] != '"':
                label, name = name, label
            self._labels[name.strip(_MARKS)] = label.strip(_MARKS)
        else:
            name = label = rest.partition("<<")[0].partition("{")[0].partition("#")[0].strip(_MARKS)
            if name:
                self._labels.setdefault(name, name)
        if kind in _GROUPS and label.strip(_MARKS):
            self._groups.append(label.strip(_MARKS))

    def _edge(self, edge: re.Match[str]) -> None:
        left, right = edge["left"], edge["right"]
        head, tail, label = edge["head"] or "", edge["tail"] or "", (edge["label"] or "").strip()
        if (head.startswith("<") and ">" not in tail) or tail == "*":
            left, right = right, left
        if "|" in head + tail and ("<" in head or ">" in tail):
            label = label or ("implements" if "." in edge["line"] else "extends")
        elif "*" in head + tail:
            label = label or "contains"
        self._edges.append((_end(left, "start"), label.strip('" <>'), _end(right, "end")))

    def sentences(self) -> list[str]:
        said = [f"group {title}" for title in self._groups[:MAX_NODES]]
        for source, label, target in self._edges[:MAX_EDGES]:
            arrow = f"-[{label}]->" if label else "->"
            said.append(f"{self._label(source)} {arrow} {self._label(target)}")
        said += self._steps[:MAX_EDGES]
        if not self._edges and not self._steps:
            nodes = list(self._labels.items())[:MAX_NODES]
            said += [label if label == name else f"{label} ({name})" for name, label in nodes]
        return said

    def _label(self, name: str) -> str:
        return self._labels.get(name, name)


def _end(operand: str, pseudo: str) -> str:
    return pseudo if operand == "[*]" else operand.strip(_MARKS)


FENCES: Final = MappingProxyType(
    {
        "mermaid": "mermaid",
        "plantuml": "plantuml",
        "puml": "plantuml",
        "uml": "plantuml",
        "dot": "dot",
        "graphviz": "dot",
        "graph": "dot",
        "digraph": "dot",
    }
)
"""What a fence or directive inside a document is called, and the diagram it holds."""


def diagram_edges(language: str, text: str) -> str:
    """Return the sentences of a diagram in `mermaid`, `plantuml` or `dot`, one a line."""
    readers = {"plantuml": plantuml_edges, "dot": dot_edges}
    return readers.get(language, mermaid_edges)(text)
