"""Reads the encodings that `.editorconfig` and `.gitattributes` declare for files.

A file's own declaration has precedence. As in git and editors, a rules file has precedence over
rules files in directories above, and a later line over an earlier line.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from ggrep.base.ids import PathKey
from ggrep.parse.source.declared_encoding import codec_of
from ggrep.parse.source.wildmatch import compile_glob

EDITORS: Final = ".editorconfig"
GIT: Final = ".gitattributes"
_MOST_LINES: Final = 2_000
"""Maximum number of lines read from a rules file."""
_MOST_GLOBS: Final = 64
"""Maximum number of globs to which the braces of one section are expanded."""
_BRACES: Final = re.compile(r"\{([^{}]*)\}")
_SECTION: Final = re.compile(r"\[(.+)\]\s*(?:[#;].*)?")
_PAIR: Final = re.compile(r"([\w-]+)\s*[=:]\s*([^\s#;]+)")
_ATTRIBUTE: Final = re.compile(r"\s(-|!)?(?:working-tree-)?encoding(?:=(\S+))?(?=\s|$)")
_PATTERN: Final = re.compile(r"(\"(?:[^\"\\]|\\.)+\"|\S+)(?=\s)")


class _Line(Struct, frozen=True):
    """A declaration of an encoding.

    Attributes:
        globs: the patterns; the declaration applies to a path that matches any of them.
        by_name: whether the patterns are matched only against the last part of the path.
        codec: the codec; empty if the line cancels the declarations above it.
    """

    globs: tuple[re.Pattern[bytes], ...]
    by_name: bool
    codec: str


class _RulesFile(Struct, frozen=True):
    lines: tuple[_Line, ...]
    is_root: bool = False


def is_rules_file(key: PathKey) -> bool:
    """Return whether a file declares encodings of other files."""
    return key.rpartition("/")[2] in {EDITORS, GIT}


class EncodingRules(Struct, frozen=True):
    """The declarations of a tree; a key of `files` is the name and folder of a rules file."""

    files: dict[tuple[str, str], _RulesFile]

    @classmethod
    def of(cls, texts: Iterable[tuple[PathKey, bytes]]) -> "EncodingRules":
        """Return the declarations in these rules files."""
        files: dict[tuple[str, str], _RulesFile] = {}
        for key, data in texts:
            folder, slash, name = key.rpartition("/")
            lines = data.decode("utf-8", "replace").splitlines()[:_MOST_LINES]
            read = _editors(lines) if name == EDITORS else _git(lines)
            files[name, folder + slash] = read
        return cls(files)

    def codec(self, key: PathKey) -> str:
        """Return the codec that is declared for a path; empty for UTF-8 or no declaration."""
        codecs = (self._declared(name, key) for name in (EDITORS, GIT))
        return next((codec for codec in codecs if codec not in {"", "utf-8"}), "")

    def _declared(self, name: str, key: PathKey) -> str:
        for folder in _folders(key):
            rules = self.files.get((name, folder))
            if rules is None:
                continue
            below, last = key[len(folder) :].encode(), key.rpartition("/")[2].encode()
            for line in rules.lines:
                subject = last if line.by_name else below
                if any(glob.match(subject) for glob in line.globs):
                    return line.codec
            if rules.is_root:
                break
        return ""


def undeclared(key: PathKey) -> str:  # noqa: ARG001 - as `EncodingRules.codec`
    """Return an empty text; this is the rule for trees that declare no encodings."""
    return ""


def _folders(key: str) -> Iterator[str]:
    """Yield the folders above a path, the nearest first, with trailing slashes."""
    folder = key.rpartition("/")[0]
    while folder:
        yield f"{folder}/"
        folder = folder.rpartition("/")[0]
    yield ""


def _editors(lines: Iterable[str]) -> _RulesFile:
    """Return the sections with a charset, the last first."""
    section, is_root, rules = "", False, list[_Line]()
    for line in map(str.strip, lines):
        if header := _SECTION.fullmatch(line):
            section = header[1]
        elif (pair := _PAIR.match(line)) is not None:
            key, value = pair[1].lower(), pair[2].lower()
            if not section:
                is_root |= (key, value) == ("root", "true")
            elif key == "charset":
                globs = tuple(_without_braces(section))
                rules.append(_line(globs, codec_of(value)))
    return _RulesFile(tuple(reversed(rules)), is_root)


def _git(lines: Iterable[str]) -> _RulesFile:
    """Return the lines with an encoding, the last first."""
    rules = []
    for line in map(str.strip, lines):
        pattern = _PATTERN.match(line)
        if pattern is None or line.startswith(("#", "[attr]")):
            continue
        for attribute in _ATTRIBUTE.finditer(line, pattern.end()):
            if attribute[1] or attribute[2]:
                glob = pattern[1].strip('"')
                codec = "" if attribute[1] else codec_of(attribute[2])
                rules.append(_line((glob,), codec))
    return _RulesFile(tuple(reversed(rules)))


def _line(globs: tuple[str, ...], codec: str) -> _Line:
    by_name = not any("/" in glob for glob in globs)
    compiled = (compile_glob(glob.removeprefix("/").encode()) for glob in globs)
    return _Line(tuple(compiled), by_name, codec)


def _without_braces(glob: str) -> Iterator[str]:
    """Yield a limited number of the globs to which `{a,b}` or `{1..3}` in a glob expand."""
    waiting, number = [glob], 0
    while waiting and number < _MOST_GLOBS:
        part = waiting.pop()
        braces = _BRACES.search(part)
        number += 1
        if braces is None:
            yield part.replace("\\{", "{").replace("\\}", "}")
            continue
        numbers = re.fullmatch(r"([+-]?\d{1,6})\.\.([+-]?\d{1,6})", braces[1])
        if numbers is not None:
            low, high = sorted((int(numbers[1]), int(numbers[2])))
            words = [str(at) for at in range(low, min(high, low + _MOST_GLOBS) + 1)]
        else:
            words = braces[1].split(",")
        waiting += [part[: braces.start()] + word + part[braces.end() :] for word in words]
