"""Reads TOML files of suites and checks key by key; errors name the line."""

import hashlib
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NoReturn, TypeAlias

from msgspec import NODEFAULT, Struct, field

from ggrep.base.errors import UsageError
from ggrep.config.declarations import MAX_QUERY_PER_FILE, MAX_QUERY_RESULTS
from ggrep.interfaces.evaluation.questions import SECTIONS
from ggrep.interfaces.evaluation.visible_lines import PLACE_PATTERN
from ggrep.model.corpus import CORPUS_WORDS, Mode
from ggrep.model.field_meta import DeclaredKey, Key
from ggrep.model.sanitise import sanitise_line
from ggrep.model.slate import SECTIONS as SLATE_SECTIONS
from ggrep.search.slate.levels import MAX_SLATE_BYTES, MIN_SLATE_BYTES

Keys = Mapping[str, DeclaredKey]

VERSION: Final = 1
"""The format version of suite and check files."""

_TEXTS: Final = tuple[str, ...]
_CHOICES: Final = tuple[str | tuple[str, ...], ...]
"""Texts, or lists of texts; one text of each inner list is enough."""
_MODES: Final = tuple(mode.value for mode in Mode)
_CONFIDENCES: Final = ("strong", "weak", "none")
_FLOOR: Final = Key("Confidence that the answer must state.", words=_CONFIDENCES)


def _keys(kind: object, **texts: str | Key) -> dict[str, DeclaredKey]:
    keys = {name: text if isinstance(text, Key) else Key(text, 1) for name, text in texts.items()}
    return {name: DeclaredKey(name, kind, key, None) for name, key in keys.items()}


def _needed(kind: object, **texts: str) -> dict[str, DeclaredKey]:
    return {name: DeclaredKey(name, kind, Key(text, 1), NODEFAULT) for name, text in texts.items()}


_NAMING: Final = _needed(str, id="Name, unique in the file.", query="Text of the query.") | _keys(
    str, notes="Anything."
)
_PUTTING: Final = {
    **_keys(bool, alone=Key("Search the directory itself instead of the repository around it.")),
    **_keys(str, mode=Key("Purpose of the hits.", words=_MODES)),
    **_keys(int, per_file=Key("Maximum number of hits of one file.", 0, MAX_QUERY_PER_FILE)),
    **_keys(
        _TEXTS,
        corpora=Key("Corpora that are searched.", 1, words=tuple(CORPUS_WORDS)),
        filters="Filters as `key:value`, negated with a leading `-`.",
    ),
    **_keys(str, workspace="Workspace file to search, relative to this file."),
}

SUITE_DEFAULTS: Final[Keys] = {
    **_PUTTING,
    **_keys(int, k=Key("Requested hits; 30 by default.", 1, MAX_QUERY_RESULTS)),
    **_keys(
        str,
        repo="Directory to search, relative to this file.",
        category="Metrics are also reported by category.",
        language="Metrics are also reported by language.",
    ),
}
CASE: Final[Keys] = {
    **_NAMING,
    **SUITE_DEFAULTS,
    **_keys(
        _TEXTS,
        relevant="Files that answer.",
        secondary="Further relevant files; all have the same weight.",
        expect_any_path_contains="At least one of these texts must occur in the path of a hit.",
        expect_all_path_contains="Each of these texts must occur in the path of a hit.",
        expect_any_path_regex="At least one of these texts must occur in the path of a hit.",
        expect_all_path_regex="Each of these texts must occur in the path of a hit.",
    ),
    **_keys(str, expect_confidence=_FLOOR),
    **_keys(
        _CHOICES,
        places=Key(
            "Lines that slates should show, such as `src/lock.c:120-127`; a list inside the list"
            " contains alternatives.",
            1,
            pattern=PLACE_PATTERN,
        ),
    ),
}
CHECK_DEFAULTS: Final[Keys] = {
    **_PUTTING,
    **_keys(
        int,
        limit=Key("Requested hits; 10 by default.", 1, MAX_QUERY_RESULTS),
        rank_tolerance=Key("Number of ranks by which a file may miss its expected rank."),
    ),
    **_keys(str, root="Directory to search, relative to this file."),
}
EXPECTING: Final[Keys] = {
    **_keys(
        _TEXTS,
        expect_any="At least one of these paths must be among the hits.",
        expect_all="All of these paths must be among the hits.",
        expect_none="None of these paths may be among the hits.",
        expect_order=Key("Paths in the expected order of the hits.", 2),
    ),
    **_keys(
        str,
        expect_first="Path of the first hit.",
        expect_section=Key("Section of the best hit.", words=SECTIONS),
        expect_symbol="A name that some hit defines.",
        expect_confidence=_FLOOR,
    ),
    **_keys(dict, expect_within='`{ "path" = 3 }`: among the first three files.'),
    **_keys(
        int,
        expect_min_hits=Key("Minimum number of hits.", 1),
        expect_max_hits=Key("Maximum number of hits; 0 if no hits are expected."),
    ),
    **_keys(
        _CHOICES,
        place=Key(
            "Lines of which the slate must show at least half, such as `src/lock.c:120-127`; a list"
            " inside the list contains alternatives.",
            1,
            pattern=PLACE_PATTERN,
        ),
    ),
    **_keys(
        dict,
        section=Key(
            '`{ "docs/retries.md" = "docs" }`: section of the slate that must contain a file.',
            1,
            words=tuple(section.value for section in SLATE_SECTIONS),
        ),
    ),
}
CHECK: Final[Keys] = {
    **_NAMING,
    **CHECK_DEFAULTS,
    **EXPECTING,
    **_keys(
        int,
        max_bytes=Key(
            "Maximum bytes of the slate as JSON; 16384 by default.",
            MIN_SLATE_BYTES,
            MAX_SLATE_BYTES,
        ),
    ),
}
CHECK_TOP: Final[Keys] = _keys(
    int, allow_failures=Key("Number of checks that may fail; they are still reported.")
)

Place: TypeAlias = tuple[str, int]
"""A table: its name and its 0-based index in the array; the top of the file is `("", 0)`."""

_TABLE = re.compile(r"\s*(\[\[?)\s*([\w.\-]+)\s*\]")
_KEY = re.compile(r"\s*(\"[^\"]*\"|'[^']*'|[\w\-]+)\s*[=.]")
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|[\[\]{}]|\n',
    re.DOTALL,
)


TOP: Final[Place] = ("", 0)


class TomlLines(Struct):
    """Line numbers of a file's tables and keys, 1-based.

    Attributes:
        tables: the line of each table's header.
        keys: the line of each key, by table and key.
    """

    tables: dict[Place, int] = field(default_factory=dict)
    keys: dict[tuple[Place, str], int] = field(default_factory=dict)

    def line_of(self, place: Place, key: str = "") -> int:
        """Return the line of `key` (also of a top-level table `key`), else of `place`, else 1."""
        named = self.tables.get((key, 0)) if place == TOP else None
        return self.keys.get((place, key)) or named or self.tables.get(place, 1)


def toml_lines(text: str) -> TomlLines:
    """Return the line numbers of the tables and keys in a valid TOML text."""
    lines = TomlLines()
    counts: dict[str, int] = {}
    place: Place = ("", 0)
    for line, statement in _statements(text):
        table = _TABLE.match(statement)
        key = _KEY.match(statement)
        if table is not None:
            name = table[2]
            place = (name, counts.get(name, 0))
            counts[name] = place[1] + 1
            lines.tables[place] = line
        elif key is not None:
            lines.keys.setdefault((place, key[1].strip("\"'")), line)
    return lines


def _statements(text: str) -> list[tuple[int, str]]:
    """Return the statements with the numbers of their first lines; a statement can span lines."""
    statements = []
    line = begun = 1
    start = depth = 0
    for token in _TOKEN.finditer(text + "\n"):
        piece = token.group()
        if piece in ("[", "{"):
            depth += 1
        elif piece in ("]", "}"):
            depth -= 1
        elif piece == "\n":
            line += 1
            if depth <= 0:
                statements.append((begun, text[start : token.start()]))
                start, begun = token.end(), line
        else:
            line += piece.count("\n")
    return statements


MAX_FILE_BYTES: Final = 4_194_304
"""Maximum size of a file."""


class TomlFile(Struct, frozen=True):
    """A parsed TOML file.

    Attributes:
        path: absolute path; paths in the file are relative to its directory.
        label: path of the file as it was typed.
        digest: SHA-256 of the file.
    """

    path: Path
    label: str
    data: Mapping[str, Any]
    lines: TomlLines
    digest: str

    def fail(self, message: str, place: Place = TOP, key: str = "") -> NoReturn:
        """Raise an error with the line of a table or key."""
        raise UsageError(f"{self.label}:{self.lines.line_of(place, key)}: {message}")

    def top(
        self, tables: Sequence[str], version: int, known: Keys = MappingProxyType({})
    ) -> "Table":
        """Return the top-level table; raise for another `version` or unknown keys."""
        table = Table(self, TOP, self.data, known)
        table.only(("version", *tables, *known))
        if self.data.get("version") != version or isinstance(self.data.get("version"), bool):
            self.fail(f"version must be {version}", TOP, "version")
        return table

    def table(self, name: str, known: Keys) -> "Table":
        """Return the table `[name]`, empty if it is missing."""
        value = self.data.get(name, {})
        if not isinstance(value, dict):
            self.fail(f"{name} must be a table, [{name}]", TOP, name)
        return Table(self, (name, 0), value, known)

    def tables(self, name: str, known: Keys = MappingProxyType({})) -> list["Table"]:
        """Return the tables `[[name]]`; at least one is required."""
        value = self.data.get(name, [])
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            self.fail(f"{name} must be tables, [[{name}]]", TOP, name)
        if not value:
            self.fail(f"the file has no table [[{name}]]")
        return [Table(self, (name, index), each, known) for index, each in enumerate(value)]


class Table(Struct, frozen=True):
    """One table of a TOML file; its methods read and check its keys."""

    file: TomlFile
    place: Place
    data: Mapping[str, Any]
    known: Keys

    @property
    def line(self) -> int:
        """Return the line of the table's header."""
        return self.file.lines.line_of(self.place)

    def fail(self, message: str, key: str = "") -> NoReturn:
        """Raise an error with the line of a key."""
        self.file.fail(message, self.place, key)

    def only(self, known: Collection[str]) -> None:
        """Raise if the table has keys other than `known`."""
        for key in self.data:
            if key not in known:
                meant = _nearest(key, known)
                names = ", ".join(sorted(known))
                advice = f"did you mean {meant!r}?" if meant else f"known keys: {names}"
                self.fail(f"unknown key {key!r}; {advice}", key)

    def has(self, key: str) -> bool:
        """Return whether the table has the key."""
        return key in self.data

    def text(self, key: str, default: str = "") -> str:
        """Return a string that is not blank, or the default if the key is missing."""
        value = self.data.get(key, default)
        if not isinstance(value, str) or (key in self.data and not value.strip()):
            self.fail(f"{key} must be a non-empty string", key)
        return value

    def number(self, key: str, default: int) -> int:
        """Return an integer within its bounds, or the default if the key is missing."""
        if key not in self.data:
            return default
        value, least, most = self.data[key], self.known[key].says.least, self.known[key].says.most
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            self.fail(f"{key} must be a whole number of at least {least}, is {value!r}", key)
        if most and value > most:
            self.fail(f"{key} must be at most {most}, is {value}", key)
        return value

    def flag(self, key: str, *, default: bool) -> bool:
        """Return a boolean, or the default if the key is missing."""
        value = self.data.get(key, default)
        if not isinstance(value, bool):
            self.fail(f"{key} must be true or false", key)
        return value

    def texts(self, key: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Return a list of strings; a single string needs no brackets."""
        value = self.data.get(key, default)
        values = (value,) if isinstance(value, str) else value
        if not isinstance(values, list | tuple) or not all(
            isinstance(each, str) and each.strip() for each in values
        ):
            self.fail(f"{key} must be a list of non-empty strings", key)
        if key in self.data and not values:
            self.fail(f"{key} is an empty list", key)
        return tuple(values)

    def word(self, key: str, default: str = "") -> str:
        """Return one of the key's allowed words, or the default if the key is missing."""
        value, words = self.text(key, default), self.known[key].words
        if key in self.data and value not in words:
            self.fail(f"{key} must be one of {', '.join(words)}, is {value!r}", key)
        return value


def _nearest(key: str, known: Collection[str]) -> str:
    """Return the most similar known key; empty if none is similar."""
    # Suggests, for example, `expect_max_hits` for `max_hits` and `place` for `expect_place`.
    longer = [each for each in sorted(known) if each.endswith(f"_{key}")]
    shorter = [each for each in sorted(known) if key.endswith(f"_{each}")]
    alike = get_close_matches(key.lower(), sorted(known), n=1)
    return next(iter((*longer[:1], *shorter[:1], *alike)), "")


def read_toml(path: Path) -> TomlFile:
    """Return the file at `path`.

    Raises:
        UsageError: the file cannot be read or is not TOML.
    """
    label = sanitise_line(str(path))
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise UsageError(f"the file {label} is larger than {MAX_FILE_BYTES} bytes")
        raw = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{label}: {error.strerror or error}") from error
    try:
        text = raw.decode("utf-8-sig")  # some editors begin a file with a byte order mark
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{label}: not valid TOML: {error}") from error
    return TomlFile(path.absolute(), label, data, toml_lines(text), hashlib.sha256(raw).hexdigest())
