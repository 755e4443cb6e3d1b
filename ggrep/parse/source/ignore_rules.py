"""Reads ignore files as rules, and applies the rules to paths."""

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Final

from msgspec import Struct

from ggrep.parse.source.wildmatch import compile_glob

GIT_FILE: Final = ".gitignore"
OWN_FILES: Final = (".smignore", ".ggignore")
"""Names of ggrep's ignore files, in increasing order of precedence."""

_EVERYTHING: Final = frozenset({b"*", b"**"})
_WILD = re.compile(rb"[*?\[\\]")
_TAIL_BYTES: Final = 64
_LAST = re.compile(rb"[^*?\[\]\\/]*\Z")


class Rule(Struct, frozen=True, dict=True):
    """One rule, that is one line, of an ignore file.

    Attributes:
        by_name: whether to match the last part of a path instead of the path below the ignore
            file's directory.
        glob: the pattern.
        head: the literal bytes at the beginning of the glob.
        tail: the literal bytes at the end of the glob.
    """

    negated: bool
    directory_only: bool
    by_name: bool
    glob: bytes
    head: bytes
    tail: bytes

    @cached_property
    def pattern(self) -> re.Pattern[bytes]:
        """Return the compiled glob; it is needed only for paths with this head and tail."""
        return compile_glob(self.glob)

    @property
    def is_plain(self) -> bool:
        """Return whether the glob has no wildcards."""
        return self.head == self.glob

    def matches(self, subject: bytes, *, is_directory: bool) -> bool:
        """Return whether the rule, which has wildcards, matches a path or name."""
        return (
            (is_directory or not self.directory_only)
            and subject.startswith(self.head)
            and subject.endswith(self.tail)
            and self.pattern.match(subject) is not None
        )


class Rules(Struct, frozen=True):
    """The rules of one ignore file; all rules without wildcards are matched by one lookup.

    Attributes:
        lines: the rules in the file's order.
        files: the index in `lines` of the last rule without wildcards that applies to files, by
            `by_name` and `glob`.
        directories: like `files`, for rules that apply to directories.
        wild: rules with wildcards and their indices in `lines`, the last first.
    """

    lines: tuple[Rule, ...]
    files: Mapping[tuple[bool, bytes], int]
    directories: Mapping[tuple[bool, bytes], int]
    wild: tuple[tuple[int, Rule], ...]

    def decide(self, path: bytes, name: bytes, *, is_directory: bool) -> bool | None:
        """Return the decision of the last rule that matches the path itself, not its directory."""
        plain = self.directories if is_directory else self.files
        last = max(plain.get((True, name), -1), plain.get((False, path), -1))
        for number, rule in self.wild:
            if number < last:
                break
            if rule.matches(name if rule.by_name else path, is_directory=is_directory):
                last = number
                break
        return None if last < 0 else not self.lines[last].negated


def parse_rules(data: bytes, *, sparing: bool = False) -> Rules:
    """Return the rules of an ignore file.

    Args:
        data: the file's bytes.
        sparing: whether to skip lines that ignore everything (`*`, `/*`). In the root's ignore
            file, such a line excludes the untracked files; without git, it is unknown which files
            are untracked.
    """
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    rules = tuple(
        rule
        for line in lines
        if (rule := _parse_line(line)) is not None
        and not (sparing and not rule.negated and rule.glob in _EVERYTHING)
    )
    files: dict[tuple[bool, bytes], int] = {}
    directories: dict[tuple[bool, bytes], int] = {}
    wild = []
    for number, rule in enumerate(rules):
        if not rule.is_plain:
            wild.append((number, rule))
            continue
        directories[rule.by_name, rule.glob] = number
        if not rule.directory_only:
            files[rule.by_name, rule.glob] = number
    return Rules(rules, files, directories, tuple(reversed(wild)))


def _parse_line(line: bytes) -> Rule | None:
    # git also ends a line at a NUL; the text after it is not a pattern.
    line = _without_trailing_spaces(line.removesuffix(b"\r").split(b"\0")[0])
    if not line or line.startswith(b"#"):
        return None
    negated = line.startswith(b"!")
    glob = line[negated:]
    directory_only = glob.endswith(b"/")
    glob = glob[: len(glob) - directory_only]
    by_name = b"/" not in glob
    glob = glob.removeprefix(b"/")
    head = _WILD.split(glob, maxsplit=1)[0]
    # The slash after `**` can match an empty text, so a tail extends only to the last slash.
    tail = b"" if head == glob else _LAST.findall(glob[-_TAIL_BYTES:])[0]
    return Rule(negated, directory_only, by_name, glob, head, tail)


def _without_trailing_spaces(line: bytes) -> bytes:
    stripped = line.rstrip(b" ")
    backslashes = len(stripped) - len(stripped.rstrip(b"\\"))
    # A space after a backslash is kept, unless the backslash is itself escaped.
    keeps_one = backslashes % 2 == 1 and len(stripped) < len(line)
    return stripped + b" " if keeps_one else stripped


class RuleChain(Struct, frozen=True):
    """The rules that apply in one directory: the rules of all directories from the root to it.

    Attributes:
        links: for each ignore file, the length of its directory's path (with a trailing slash) and
            its rules, in increasing order of precedence.
    """

    links: tuple[tuple[int, Rules], ...] = ()

    def with_file(self, directory: bytes, rules: Rules) -> "RuleChain":
        """Return this chain with a file's rules added; these have precedence over earlier rules."""
        return RuleChain((*self.links, (len(directory), rules))) if rules.lines else self

    def decide(self, path: bytes, *, is_directory: bool) -> bool | None:
        """Return True if a path is ignored, False if it is re-included, None if no rule matches."""
        if not self.links:
            return None
        name = path[path.rfind(b"/") + 1 :]
        for offset, rules in reversed(self.links):
            ignored = rules.decide(path[offset:], name, is_directory=is_directory)
            if ignored is not None:
                return ignored
        return None
