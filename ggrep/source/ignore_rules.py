"""Ignore files: their lines as rules, and which of several files decides about a path."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ggrep.source.wildmatch import compile_glob

GIT_FILE: Final = ".gitignore"
OWN_FILES: Final = (".smignore", ".ggignore")
"""Ignore files of our own, weakest first: the older name yields to the newer."""

_WILD = re.compile(rb"[*?\[\\]")


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of an ignore file.

    Attributes:
        by_name: compare the last part of a path, not the path below the file's directory.
        literal: the name itself when the line holds no wildcard.
    """

    negated: bool
    directory_only: bool
    by_name: bool
    literal: bytes | None
    pattern: re.Pattern[bytes]

    def matches(self, path: bytes, name: bytes, *, is_directory: bool) -> bool:
        """Tell whether this line speaks of exactly this path, not of one above it."""
        if self.directory_only and not is_directory:
            return False
        subject = name if self.by_name else path
        if self.literal is not None:
            return self.literal == subject
        return self.pattern.match(subject) is not None


def parse_rules(data: bytes) -> tuple[Rule, ...]:
    """Return the rules of an ignore file, in its order."""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return tuple(rule for line in lines if (rule := _parse_line(line)) is not None)


def _parse_line(line: bytes) -> Rule | None:
    # git ends a line at a NUL too; what follows was never meant as a pattern.
    line = _without_trailing_spaces(line.removesuffix(b"\r").split(b"\0")[0])
    if not line or line.startswith(b"#"):
        return None
    negated = line.startswith(b"!")
    glob = line[negated:]
    directory_only = glob.endswith(b"/")
    glob = glob[: len(glob) - directory_only]
    by_name = b"/" not in glob
    glob = glob.removeprefix(b"/")
    literal = None if _WILD.search(glob) else glob
    return Rule(negated, directory_only, by_name, literal, compile_glob(glob))


def _without_trailing_spaces(line: bytes) -> bytes:
    stripped = line.rstrip(b" ")
    backslashes = len(stripped) - len(stripped.rstrip(b"\\"))
    # A backslash keeps the space behind it, unless it is itself escaped.
    keeps_one = backslashes % 2 == 1 and len(stripped) < len(line)
    return stripped + b" " if keeps_one else stripped


@dataclass(frozen=True, slots=True)
class RuleChain:
    """The rules in force in one directory: those of every directory from the root down to it.

    Attributes:
        links: for each ignore file the length of its directory's path (with its slash) and its
            rules, weakest first.
    """

    links: tuple[tuple[int, tuple[Rule, ...]], ...] = ()

    def with_file(self, directory: bytes, rules: Sequence[Rule]) -> "RuleChain":
        """Return this chain with the rules of a file in `directory`, which now beat all others."""
        return RuleChain((*self.links, (len(directory), tuple(rules)))) if rules else self

    def decide(self, path: bytes, *, is_directory: bool) -> bool | None:
        """Return True when `path` is ignored, False when re-included, None when unmentioned."""
        if not self.links:
            return None
        name = path[path.rfind(b"/") + 1 :]
        for offset, rules in reversed(self.links):
            below = path[offset:]
            for rule in reversed(rules):
                if rule.matches(below, name, is_directory=is_directory):
                    return not rule.negated
        return None
