"""PlantUML in sentences: messages, relations of classes and components, states, activity steps."""

import re
from typing import Final

from ggrep.parse.chunking.flowchart import MAX_EDGES, MAX_NODES
from ggrep.parse.chunking.statements import statements

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
    reader = _Reader()
    for line in statements(text, ("'", "@", "!", "/'")):
        reader.read(line)
    return "\n".join(reader.sentences())


class _Reader:
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
