"""The sources of a notebook's cells, each line at its place in the file.

All else of the file (outputs, pictures, the JSON around them) becomes blank lines, so a place in
what is left is a place in the file. It reads as a script in the kernel's language: a first line
that names it, a line `# %% 3` above each cell, its number counted from 1, and in front of text and
of commands to the notebook itself the mark of a comment.
"""

import codecs
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from ggrep.base import stable_json
from ggrep.config.caps import MAX_NOTEBOOK_BYTES

_COMMENTS: Final = MappingProxyType(
    {
        name: mark
        for mark, names in {
            "//": "c c# c++ cpp csharp dart f# fsharp go groovy java javascript kotlin php rust"
            " scala swift typescript",
            "--": "haskell lua sql",
            ";": "clojure common-lisp lisp scheme",
            "%": "erlang matlab octave prolog",
        }.items()
        for name in names.split()
    }
)
"""How a comment begins, by language; `#` in all others."""
_CELLS: Final = re.compile(rb'^([ \t]*)"cells"[ \t]*:[ \t]*\[', re.MULTILINE)
_CELL_KEY: Final = re.compile(rb'^([ \t]+)"(?:cell_type|source)"[ \t]*:', re.MULTILINE)
_NOT_JSON: Final = re.compile(
    rb'^([ \t]*(?:"[^"\\\n]*"[ \t]*:[ \t]*)?)(?:NaN|-?Infinity)(?=[ \t]*,?[ \t]*\r?$)', re.MULTILINE
)
"""Numbers that Python writes and JSON does not know, each on a line of its own."""
_MOST_BRACKETS: Final = 1_000_000
_MOST_COMMAS: Final = 2_000_000
"""Values of a notebook that is taken apart, so that no file takes more than some 300 MB for it."""
_LANGUAGE: Final = re.compile(r"[a-z][a-z0-9+#-]{0,30}")
_COMMAND: Final = re.compile(r"[ \t]*(?:%{1,2}[A-Za-z]|!|\?)")
_OF_THE_KERNEL: Final = frozenset({"%%capture", "%%prun", "%%time", "%%timeit"})
"""Commands at the head of a cell that run the rest of it."""


@dataclass(frozen=True, slots=True)
class _Cell:
    kind: str
    lines: tuple[str, ...]
    is_list: bool


def is_notebook(path_key: str) -> bool:
    """Tell whether a file of this name is to be read as a notebook."""
    return path_key.lower().endswith(".ipynb")


def most_bytes(path_key: str, cap_bytes: int) -> int:
    """Return how large a file of this name may be whose text may have `cap_bytes`."""
    return max(cap_bytes, MAX_NOTEBOOK_BYTES) if is_notebook(path_key) else cap_bytes


def as_written(data: bytes) -> bytes | None:
    """Return the sources of a notebook's cells as a script of as many lines as the file.

    None where it is no notebook of format 4, or where lines do not tell its cells apart; one that
    stands in a single line as a whole has its sources in that line.
    """
    parsed = _parsed(data)
    cells = _cells(parsed)
    if cells is None:
        return None
    if not any(line.strip() for cell in cells for line in cell.lines):
        return b""
    if b"\n" not in data.strip():
        return " ".join(line for cell in cells for line in cell.lines).encode()
    language = _language(parsed)
    mark = _COMMENTS.get(language, "#")
    lines = _laid_out(data, cells, mark)
    if lines is None:
        return None
    lines[0] = f"{mark} Jupyter notebook in {language}"
    return "\n".join(lines).encode()


def _parsed(data: bytes) -> Any:  # noqa: ANN401 - JSON is whatever it is
    if data.count(b"[") + data.count(b"{") > _MOST_BRACKETS or data.count(b",") > _MOST_COMMAS:
        return None
    for numbers in (lambda text: text, lambda text: _NOT_JSON.sub(rb"\1null", text)):
        with suppress(ValueError):
            return stable_json.loads(numbers(data.removeprefix(codecs.BOM_UTF8)))
    return None


def _cells(parsed: object) -> list[_Cell] | None:
    """Return the cells of a notebook; None where it is none."""
    cells = parsed.get("cells") if isinstance(parsed, dict) else None
    if not isinstance(cells, list):
        return None
    found: list[_Cell] = []
    for cell in cells:
        if not isinstance(cell, dict) or not isinstance(cell.get("cell_type"), str):
            return None
        source = cell.get("source")
        lines: list[Any] = source if isinstance(source, list) else [source]
        if not all(isinstance(line, str) for line in lines):
            return None
        found.append(_Cell(cell["cell_type"], tuple(map(_on_one_line, lines)), lines is source))
    return found


def _on_one_line(text: str) -> str:
    return text.removesuffix("\n").replace("\n", " ").replace("\0", "\ufffd")


def _language(parsed: Any) -> str:  # noqa: ANN401 - JSON is whatever it is
    metadata = parsed.get("metadata")
    for part, key in (("language_info", "name"), ("kernelspec", "language")):
        told = metadata.get(part) if isinstance(metadata, dict) else None
        name = told.get(key) if isinstance(told, dict) else None
        if isinstance(name, str) and _LANGUAGE.fullmatch(name.lower().replace(" ", "-")):
            return name.lower().replace(" ", "-")
    return "python"


def _laid_out(data: bytes, cells: Sequence[_Cell], mark: str) -> list[str] | None:
    """Return the lines of the file with what the cells say; None where that cannot be told."""
    heads = _heads(data)
    if len(heads) != len(cells):
        return None
    raw = data.split(b"\n")
    lines = [""] * len(raw)
    free = 1
    for number, (head, cell) in enumerate(zip(heads, cells, strict=True), start=1):
        listed = cell.is_list and raw[head].rstrip().endswith(b"[")
        first = head + 1 if listed else head
        said = list(_said(cell, mark))
        if listed and not _stand_at(raw, first, cell.lines):
            return None
        if not any(map(str.strip, said)):
            continue
        if head - 1 < free:
            return None
        kind = "" if cell.kind == "code" else f"[{cell.kind}] "
        lines[head - 1] = f"{mark} %% {kind}{number}"
        placed = said if listed else [" ".join(said)]
        lines[first : first + len(placed)] = placed
        free = first + len(placed)
    return lines


def _heads(data: bytes) -> list[int]:
    """Return the 0-based lines on which the sources of cells begin.

    What belongs to a cell itself is indented as the first key of the first cell that lies so.
    """
    opening = _CELLS.search(data)
    first = None if opening is None else _CELL_KEY.search(data, opening.end())
    if opening is None or first is None:
        return []
    closing = re.compile(rb"^" + opening[1] + rb"\]", re.MULTILINE).search(data, opening.end())
    key = re.compile(rb"^" + first[1] + rb'"source"[ \t]*:', re.MULTILINE)
    found: list[int] = []
    line = offset = 0
    for match in key.finditer(data, opening.end(), closing.start() if closing else len(data)):
        line += data.count(b"\n", offset, match.start())
        offset = match.start()
        found.append(line)
    return found


def _stand_at(raw: Sequence[bytes], first: int, told: Sequence[str]) -> bool:
    """Tell whether the strings of a source stand on lines of their own from `first` on."""
    for place, line in enumerate(told, start=first):
        text = raw[place].strip().removesuffix(b",") if place < len(raw) else b""
        try:
            said = stable_json.loads(text)
        except ValueError:
            return False
        if not isinstance(said, str) or _on_one_line(said) != line:
            return False
    return True


def _said(cell: _Cell, mark: str) -> Iterator[str]:
    """Yield the lines of a cell as a script of its kernel's language has them."""
    opening = next((line.split()[0] for line in cell.lines if line.strip()), "")
    foreign = opening.startswith("%%") and opening not in _OF_THE_KERNEL
    for line in cell.lines:
        told = cell.kind != "code" or foreign or (mark == "#" and _COMMAND.match(line) is not None)
        yield f"{mark} {line}" if told and line.strip() else line
