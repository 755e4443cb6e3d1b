"""Converts Mermaid diagrams to text, one line for each edge: `Client -[calls]-> Server`."""

import re
from collections.abc import Callable
from typing import Final

from ggrep.parse.chunking.flowchart import MAX_EDGES, Flowchart, statements

_MESSAGE: Final = re.compile(
    r"[ \t]*(?:<<-->>|<<->>|-->>|->>|--\)|-\)|--x|-x|-->|->|<--|<-)[ \t]*[+-]?"
)
_RELATION: Final = re.compile(
    r"[ \t]+(?P<arrow>[<|*o}{]{0,2}(?:--|\.\.|==)[>|*o}{]{0,2}|->|<-)[ \t]+"
)
_ALIAS: Final = re.compile(r"[ \t]*(?:create[ \t]+)?(?:participant|actor)[ \t]+(\S+)[ \t]+as[ \t]+")
_CARDINALITY: Final = re.compile(r'[ \t]*"[^"]{0,40}"[ \t]*')


def mermaid_edges(text: str) -> str:
    """Return a line for each edge of a Mermaid diagram; fence markers and `>` marks are ignored."""
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
    edges: list[str] = []
    for line in lines:
        alias = _ALIAS.match(line)
        if alias is not None:
            aliases[alias[1]] = line[alias.end() :].strip()
            continue
        arrow = _MESSAGE.search(line)
        if arrow is None or len(edges) >= MAX_EDGES:
            continue
        source = line[: arrow.start()].strip().strip('"')
        target, _, message = line[arrow.end() :].partition(":")
        target = target.strip().strip('"')
        sentence = f"{aliases.get(source, source)} -> {aliases.get(target, target)}"
        edges.append(f"{sentence}: {message.strip()}" if message.strip() else sentence)
    return edges


def _relations(lines: list[str]) -> list[str]:
    """Return class, state and entity relations; an inheritance arrow becomes `extends`."""
    edges: list[str] = []
    for line in lines:
        arrow = _RELATION.search(line)
        if arrow is None or len(edges) >= MAX_EDGES:
            continue
        left = _CARDINALITY.sub("", line[: arrow.start()]).strip()
        right, _, label = _CARDINALITY.sub("", line[arrow.end() :]).partition(":")
        right, label = right.strip(), label.strip().strip('"')
        mark = arrow["arrow"]
        if mark.startswith("<"):
            left, right = right, left
        if "|>" in mark or "<|" in mark:
            label = label or "extends"
        edges.append(f"{left} -[{label}]-> {right}" if label else f"{left} -> {right}")
    return edges


def _states(lines: list[str]) -> list[str]:
    edges = [
        line.replace("[*] ->", "start ->").replace("-> [*]", "-> end") for line in _plain(lines)
    ]
    return [line.replace("[*] -[", "start -[").replace("]-> [*]", "]-> end") for line in edges]


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
