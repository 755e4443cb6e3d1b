"""Reads the edges of Mermaid flowcharts: all kinds of arrows, chains, groups of nodes, subgraphs.

Each line is scanned once from left to right; unreadable parts are left out.
"""

import re
from typing import Final

from msgspec import Struct, field

MAX_EDGES: Final = 48
MAX_LINKS: Final = 24
MAX_NODES: Final = 48

_IDENTIFIER: Final = re.compile(r"[ \t]*(\w+(?:[-.]\w+)*)")
_CLASS: Final = re.compile(r":::[\w-]+")
_ARROW: Final = re.compile(
    r"[ \t]*[<xo]?(?:-{2,}[>xo-]|={2,}[>xo=]|-\.{1,9}-[>xo]?|~{3,})(?:[ \t]*\|([^|]{0,200})\|)?"
)
_LABEL_START: Final = re.compile(r"[ \t]*[<xo]?(--|==|-\.)")
_LABEL_END: Final = {
    "--": re.compile(r"--[->xo]-?>?"),
    "==": re.compile(r"==[=>xo]=?>?"),
    "-.": re.compile(r"\.{1,9}-[>xo]?"),
}
_AND: Final = re.compile(r"[ \t]*&")
_CLICK: Final = re.compile(r'click[ \t]+(\S+)[ \t]+(?:href[ \t]+|call[ \t]+)?"?([^"\s]+)')
_SKIPPED: Final = frozenset(
    {"graph", "flowchart", "end", "classDef", "class", "style", "linkStyle", "direction", "click"}
)
_MARKS: Final = " \t\"'`[](){}/\\<>"


class Flowchart(Struct):
    """The parts of a flowchart that were read so far.

    Attributes:
        labels: labels by node id; an id without a label is used as label.
        edges: source id, edge label, target id.
    """

    labels: dict[str, str] = field(default_factory=dict)
    edges: list[tuple[str, str, str]] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)

    def read(self, line: str) -> None:
        """Read one statement."""
        word = line.split(maxsplit=1)[0].rstrip(";") if line.split() else ""
        if word == "subgraph":
            self.groups.append(_group_title(line))
        elif word == "click":
            match = _CLICK.match(line.strip())
            if match:
                self.links.append((match[1], match[2]))
        elif word and word not in _SKIPPED:
            self._chain(line)

    def sentences(self) -> list[str]:
        """Return a line for each group, edge and link; without edges and links, for each node."""
        lines = [f"group {title}" for title in self.groups[:MAX_NODES] if title]
        for source, label, target in self.edges[:MAX_EDGES]:
            arrow = f"-[{label}]->" if label else "->"
            lines.append(f"{self._label(source)} {arrow} {self._label(target)}")
        links = self.links[:MAX_LINKS]
        lines += [f"{self._label(node)} links to {target}" for node, target in links]
        if not self.edges and not links:
            lines += [f"{label} ({node})" for node, label in list(self.labels.items())[:MAX_NODES]]
        return lines

    def _label(self, node: str) -> str:
        return self.labels.get(node) or node

    def _chain(self, line: str) -> None:
        sources, position = self._nodes(line, 0)
        sources = sources[:MAX_NODES]
        while sources and len(self.edges) < MAX_EDGES:
            label, position = _arrow(line, position)
            if position < 0:
                return
            targets, position = self._nodes(line, position)
            self.edges += [(a, label, b) for a in sources for b in targets[:MAX_NODES]]
            sources = targets[:MAX_NODES]

    def _nodes(self, line: str, position: int) -> tuple[list[str], int]:
        """Read nodes like `A[label] & B`; return their ids and the offset after them."""
        ids: list[str] = []
        while True:
            match = _IDENTIFIER.match(line, position)
            if match is None:
                return ids, position
            ids.append(match[1])
            position = match.end()
            label, position = _shape(line, position)
            if label or match[1] not in self.labels:
                self.labels[match[1]] = label
            styled = _CLASS.match(line, position)
            position = styled.end() if styled else position
            more = _AND.match(line, position)
            if more is None:
                return ids, position
            position = more.end()


def _group_title(line: str) -> str:
    rest = line.split(maxsplit=1)[1] if len(line.split(maxsplit=1)) > 1 else ""
    name, bracket, title = rest.partition("[")
    return (title if bracket else name).strip(_MARKS)


def _shape(line: str, position: int) -> tuple[str, int]:
    """Read a node's brackets; return its label and the offset after them."""
    if line[position : position + 1] not in {"[", "(", "{", ">"}:
        return "", position
    depth, quoted = 0, False
    for offset in range(position, len(line)):
        character = line[offset]
        if character == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif character in "[({" or offset == position:
            depth += 1
        elif character in "])}":
            depth -= 1
            if depth == 0:
                return _tidy(line[position : offset + 1]), offset + 1
    return _tidy(line[position:]), len(line)


def _tidy(label: str) -> str:
    return " ".join(label.replace("<br/>", " ").replace("<br>", " ").strip(_MARKS).split())


def _arrow(line: str, position: int) -> tuple[str, int]:
    """Return an edge's label and the offset after it; a negative offset if there is no edge."""
    whole = _ARROW.match(line, position)
    if whole is not None:
        return _tidy(whole[1] or ""), whole.end()
    start = _LABEL_START.match(line, position)
    if start is None:
        return "", -1
    end = _LABEL_END[start[1]].search(line, start.end())
    if end is None:
        return "", -1
    return _tidy(line[start.end() : end.start()]), end.end()


_MAX_LINES: Final = 2000
_LINE_CHARACTERS: Final = 1000


def statements(text: str, comments: tuple[str, ...]) -> list[str]:
    """Return a limited number of lines without comments, fences, `>` marks and delimiters."""
    bounded: list[str] = []
    for raw in text.split("\n", _MAX_LINES)[:_MAX_LINES]:
        line = " ".join(raw[:_LINE_CHARACTERS].lstrip("> \t\ufeff").split())
        if line and not line.startswith(("```", "~~~", *comments)) and not _is_delimiter(line):
            bounded.append(line)
    return bounded


def _is_delimiter(line: str) -> bool:
    return len(line) >= 4 and line[0] in "-.=" and not line.strip(line[0])
