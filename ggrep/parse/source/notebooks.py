"""Converts a notebook to a script in the kernel's language, which contains its cells' sources.

Outputs, pictures and the JSON around the cells are left out. The script's first line names the
kernel's language. Each cell begins with a line such as `# %% 3`, with the cell's number from 1 on.
Text cells, and commands to the notebook program, become comments.

If each source line is a separate line of the notebook file, the source lines keep their line
numbers in the file, and all other lines become blank. In any other layout, the cells are simply
concatenated.
"""

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct

from ggrep.base import stable_json
from ggrep.config.declarations import MAX_NOTEBOOK_BYTES

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
"""The comment marks of some languages; all other languages have `#`."""
_KERNELS: Final = (
    ("ir", "r"),
    *(("almond", "scala"), ("spylon", "scala"), ("scala", "scala")),
    *(("xcpp", "c++"), ("xeus-cling", "c++"), ("gophernotes", "go"), ("evcxr", "rust")),
    *(("julia", "julia"), (".net-csharp", "c#"), (".net-fsharp", "f#"), ("ijs", "javascript")),
    *(
        ("javascript", "javascript"),
        ("deno", "typescript"),
        ("bash", "bash"),
        ("ihaskell", "haskell"),
    ),
)
"""Languages by the prefix of kernel names, for notebooks that do not name their language."""
_DATABRICKS: Final = "application/vnd.databricks.v1+notebook"
_SOURCES: Final = ("source", "input", "code", "text")
"""Keys of a cell's source, in the notebook formats 4, 3 and 1."""
_HEAD: Final = re.compile(
    rb'^([ \t]*)"(?:' + "|".join(_SOURCES).encode() + rb')"[ \t]*:[ \t]*(.*?),?[ \t]*\r?$',
    re.MULTILINE,
)
_NOT_JSON: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"|-?\b(?:NaN|Infinity)\b', re.DOTALL)
"""A string, or a number that Python writes, but JSON does not allow."""
_LONE: Final = re.compile(
    rb"(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\[^u])"
    rb"|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)
"""An unpaired surrogate, which Python writes, but JSON does not allow; pairs are kept."""
_MOST_BRACKETS: Final = 1_000_000
_MOST_COMMAS: Final = 2_000_000
"""Maximum number of values of a parsed notebook, so that none takes more than about 300 MB."""
_LANGUAGE: Final = re.compile(r"[a-z][a-z0-9+#-]{0,30}")
_COMMAND: Final = re.compile(r"[ \t]*(?:%{1,2}[A-Za-z]|!|\?)")
_OF_THE_KERNEL: Final = frozenset({"%%capture", "%%prun", "%%time", "%%timeit"})
"""Commands at the beginning of a cell that run the rest of the cell."""
_TEXT: Final = frozenset({"%md", "%md-sandbox"})
_OTHERS: Final = frozenset({"%fs", "%python", "%r", "%run", "%scala", "%sh", "%sql"})
"""Commands at the beginning of a Databricks cell: for text, and for a language."""


class Script(Struct, frozen=True):
    """The sources of a notebook's cells.

    Attributes:
        data: the script in UTF-8.
        in_file: whether line numbers of the script are those of the file.
    """

    data: bytes
    in_file: bool = True


class _Cell(Struct, frozen=True):
    """A cell that is not blank.

    Attributes:
        number: 1 for the first cell of the notebook.
        strings: the cell's source as a list of strings, as in the file.
        lines: the lines of the cell's source.
        language: the cell's language; empty for the kernel's language.
    """

    number: int
    kind: str
    strings: tuple[str, ...]
    lines: tuple[str, ...]
    language: str = ""


def is_notebook(path_key: str) -> bool:
    """Return whether a file of this name is read as a notebook."""
    return path_key.lower().endswith(".ipynb")


def most_bytes(path_key: str, cap_bytes: int) -> int:
    """Return the maximum size of a file of this name, if its text may have `cap_bytes`.

    A notebook may be larger than its text, because outputs are left out.
    """
    return max(cap_bytes, MAX_NOTEBOOK_BYTES) if is_notebook(path_key) else cap_bytes


def as_script(data: bytes) -> Script | None:
    """Return the sources of a notebook's cells; None if its format is unknown."""
    parsed = _parsed(data)
    every = _raw_cells(parsed)
    if every is None:
        return None
    read = [_cell(number, cell) for number, cell in enumerate(every, start=1)]
    cells = [cell for cell in read if cell is not None and any(map(str.strip, cell.lines))]
    if None in read or not cells:
        return None if None in read else Script(b"")
    language = _language(parsed, every)
    mark = _COMMENTS.get(language, "#")
    in_file = _in_file(data, cells, language, mark)
    lines = _one_below_another(cells, language, mark) if in_file is None else in_file
    lines[0] = f"{mark} Jupyter notebook in {language}"
    return Script("\n".join(lines).encode("utf-8", "replace"), in_file is not None)


def _parsed(data: bytes) -> Any:  # noqa: ANN401 - any JSON value
    if data.count(b"[") + data.count(b"{") > _MOST_BRACKETS or data.count(b",") > _MOST_COMMAS:
        return None
    plain = data.removeprefix(codecs.BOM_UTF8)
    readings: tuple[Callable[[], bytes], ...] = (
        lambda: plain,
        lambda: _NOT_JSON.sub(_as_json, plain),
    )
    for reading in readings:
        with suppress(ValueError):
            return stable_json.loads(reading())
    return None


def _as_json(match: re.Match[bytes]) -> bytes:
    if not match[0].startswith(b'"'):
        return b"null"
    return (
        _LONE.sub(lambda half: half[1] or b"\\ufffd", match[0]) if b"\\u" in match[0] else match[0]
    )


def _raw_cells(parsed: Any) -> list[Any] | None:  # noqa: ANN401
    if not isinstance(parsed, dict):
        return None
    sheets = parsed.get("worksheets")
    lists = [parsed.get("cells")]
    if lists == [None] and isinstance(sheets, list):
        lists = [sheet.get("cells") if isinstance(sheet, dict) else None for sheet in sheets]
    if not all(isinstance(cells, list) for cells in lists):
        return None
    return [cell for cells in lists for cell in cells or ()]


def _cell(number: int, cell: Any) -> _Cell | None:  # noqa: ANN401
    """Return a parsed cell; None if its format is unknown."""
    kind = cell.get("cell_type") if isinstance(cell, dict) else None
    if not isinstance(kind, str):
        return None
    source = next((cell[key] for key in _SOURCES if cell.get(key) is not None), "")
    strings = source if isinstance(source, list) else [source]
    if not all(isinstance(string, str) for string in strings):
        return None
    broken = any("\n" in string for string in strings[:-1])
    text = "".join(strings) if broken else "\n".join(strings)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd").split("\n")
    if kind == "heading":
        level = cell.get("level")
        lines[0] = f"{'#' * (level if isinstance(level, int) and 0 < level < 7 else 1)} {lines[0]}"
        kind = "markdown"
    opening = next((line.split()[0] for line in lines if line.strip()), "")
    if kind == "code" and opening in _TEXT:
        kind = "markdown"
    if not lines[-1] and len(lines) > 1:
        del lines[-1]
    return _Cell(number, kind, tuple(strings), tuple(lines), _other_language(cell, opening))


def _other_language(cell: dict[str, Any], opening: str) -> str:
    """Return the language that a cell declares, which can differ from the kernel's language."""
    if opening.startswith("%%"):
        return "" if opening in _OF_THE_KERNEL else opening
    if opening in _OTHERS:
        return opening[1:]
    editor = _part(cell.get("metadata"), "vscode").get("languageId")
    return editor if isinstance(editor, str) else ""


def _part(value: object, key: str) -> dict[str, Any]:
    part = value.get(key) if isinstance(value, dict) else None
    return part if isinstance(part, dict) else {}


def _language(parsed: Any, cells: Iterable[Any]) -> str:  # noqa: ANN401
    metadata = parsed.get("metadata")
    kernel = _part(metadata, "kernelspec")
    names = (
        _part(metadata, "language_info").get("name"),
        kernel.get("language"),
        _part(metadata, _DATABRICKS).get("language"),
        next((cell["language"] for cell in cells if "language" in cell), None),
    )
    for name in names:
        if isinstance(name, str) and _LANGUAGE.fullmatch(name.lower().replace(" ", "-")):
            return name.lower().replace(" ", "-")
    kernel_name = str(kernel.get("name") or "").lower()
    return next((name for start, name in _KERNELS if kernel_name.startswith(start)), "python")


def _one_below_another(cells: Sequence[_Cell], language: str, mark: str) -> list[str]:
    lines = [""]
    for cell in cells:
        lines += ["", _title(cell, mark), "", *_written(cell, language, mark)]
    return lines


def _in_file(data: bytes, cells: Sequence[_Cell], language: str, mark: str) -> list[str] | None:
    """Return the lines of a script in which each line of a cell keeps its line number in the file.

    Return None if a line of a cell is not a separate line of the file.
    """
    raw = data.split(b"\n")
    lines = [""] * len(raw)
    heads = iter(_heads(data))
    free = 1
    for cell in cells:
        starts = (start for head in heads if (start := _start(raw, head, cell)) is not None)
        start = next(starts, None)
        if start is None or start.title < free:
            return None
        lines[start.title] = _title(cell, mark)
        free = start.line + len(cell.lines)
        lines[start.line : free] = _written(cell, language, mark)
    return lines


class _Head(Struct, frozen=True):
    """The start of a cell's source in the file: 0-based line, and the text after the key."""

    line: int
    value: bytes


def _heads(data: bytes) -> Iterator[_Head]:
    """Yield the `source` keys with the least indentation; deeper keys belong to outputs."""
    matches = list(_HEAD.finditer(data))
    least = min((len(match[1]) for match in matches), default=0)
    line = offset = 0
    for match in matches:
        if len(match[1]) == least:
            line += data.count(b"\n", offset, match.start())
            offset = match.start()
            yield _Head(line, match[2])


class _Start(Struct, frozen=True):
    """The start of a cell in the file: the 0-based lines of its title and of its source."""

    title: int
    line: int


def _start(raw: Sequence[bytes], head: _Head, cell: _Cell) -> _Start | None:
    """Return the start of a cell if its source is at `head`, in separate lines."""
    if head.value == b"[":
        at = range(head.line + 1, head.line + 1 + len(cell.strings))
        is_it = at.stop <= len(raw) and all(
            "\n" not in string.rstrip("\r\n")
            and _spells(raw[line].strip().removesuffix(b","), string)
            for line, string in zip(at, cell.strings, strict=True)
        )
        return _Start(head.line - 1, head.line + 1) if is_it else None
    values: tuple[str | list[str], ...] = ([*cell.strings], *cell.strings[:1])
    is_it = len(cell.lines) == 1 and any(_spells(head.value, value) for value in values)
    return _Start(head.line - 2, head.line) if is_it else None


def _spells(text: bytes, value: str | list[str]) -> bool:
    try:
        return bool(stable_json.loads(_NOT_JSON.sub(_as_json, text)) == value)
    except ValueError:
        return False


def _title(cell: _Cell, mark: str) -> str:
    return f"{mark} %% {'' if cell.kind == 'code' else f'[{cell.kind}] '}{cell.number}"


def _written(cell: _Cell, language: str, mark: str) -> Iterator[str]:
    """Yield the lines of a cell as part of a script in the kernel's language."""
    is_comment = cell.kind != "code" or cell.language not in {"", language}
    for line in cell.lines:
        is_command = mark == "#" and _COMMAND.match(line) is not None
        yield f"{mark} {line}" if (is_comment or is_command) and line.strip() else line
