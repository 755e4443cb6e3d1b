"""Which commits are questions: their subjects say what the code does, their files are few.

The rules read what a commit says of itself and which paths it touches, never an answer of a search.
"""

import re
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from ggrep.parse.languages.registry import language_of
from training.encoder.wanted import is_source

MIN_WORDS: Final = 6
MAX_FILES: Final = 4
MAX_BODY: Final = 1_500
"""Characters of a message below its subject that are asked."""

LANGUAGES: Final = frozenset(
    {
        "bash",
        "c",
        "cpp",
        "csharp",
        "elixir",
        "go",
        "haskell",
        "java",
        "javascript",
        "kotlin",
        "lua",
        "php",
        "python",
        "ruby",
        "rust",
        "scala",
        "swift",
        "tsx",
        "typescript",
        "zig",
    }
)
"""What a changed file is written in to be an answer."""

_PREFIX: Final = re.compile(
    r"^(?:\[[^\]]{1,30}\]\s*|(?:fix(?:es|ed)?|feat(?:ure)?|perf|bug(?:fix)?|improvement|enhancement"
    r"|add|new|change)(?:\([^)]{0,40}\))?!?:\s*|(?:[A-Z]{2,10}-\d+|#\d+|gh-\d+)[:.\s-]*\s*"
    r"|:[a-z_0-9]+:\s*)+",
    re.IGNORECASE,
)
_SUFFIX: Final = re.compile(
    r"\s*(?:[(\[]?(?:(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|refs?|see|via|issue|pr)[:\s]*)*"
    r"(?:[\w./-]*#\d+|gh-\d+|[A-Z]{2,10}-\d+)[)\],.]?)+\s*$",
    re.IGNORECASE,
)
_CHORE: Final = re.compile(
    r"^(?:chore|docs?|ci|build|tests?|style|refactor\w*|deps?(?:-dev)?|revert\w*|release|bump\w*"
    r"|merge\w*|wip|lint\w*|format\w*|version|prepare|upgrade|backport|cherry[- ]pick|squash|fixup"
    r"|updated? (?:to|version|dep\w*|readme|changelog|copyright|licen[cs]e)|rename\w*"
    r"|mov(?:e|ed|ing)|clean\w*|tid(?:y|ied)|(?:fix|update|add|improve|correct)\w* (?:a )?comments?"
    r"|typos?|spelling|remove unused|delete unused|rustfmt|gofmt|black)\b"
    r"|\b(?:typos?|changelog|readme|licen[cs]e|copyright|travis|appveyor|github actions?|circleci"
    r"|codecov|dependabot|renovate|clippy|eslint|rubocop|phpstan|psalm|mypy|lints?|linter|linting"
    r"|warnings?|whitespace|indentation|pre-commit|code style|formatting|reformat\w*|refactor\w*"
    r"|bump\w*|release notes?|unused (?:import|variable|code|param\w*)|coverage|docstrings?"
    r"|comments? (?:in|for|on|of)|skip ci|unit tests?|add(?:ed|s)? tests?|doc comments?"
    r"|documentation|docs?)\b",
    re.IGNORECASE,
)
_BOT: Final = re.compile(r"\bbot\b|\[bot\]|dependabot|renovate|greenkeeper|weblate", re.IGNORECASE)
_BUILD: Final = re.compile(
    r"(?:.*\.gradle\.kts|.*\.sbt|build\.(?:sh|zig|rs|sc)|Package(?:@.*)?\.swift|setup\.py|mix\.exs"
    r"|(?:.*[.-])?(?:config|conf)\.[cm]?[jt]s|gulpfile.*|gruntfile.*|configure|install\.sh)",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_][\w'-]*")
_TRAILER: Final = re.compile(
    r"^(?:[A-Z][\w-]+-by|Change-Id|Co-authored-by|PiperOrigin-RevId|git-svn-id|GitOrigin-RevId"
    r"|cc|Closes?|Fix(?:es)?|Refs?|See|Link|Bug|Issue|Pull Request)\b\s*:?.*$",
    re.IGNORECASE | re.MULTILINE,
)
_PART: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


class Commit(Struct, frozen=True):
    """What a commit says and touches.

    Attributes:
        added: paths that it brings.
        changed: paths that it changes; `removed` paths that it takes away.
    """

    commit_id: str
    author: str
    subject: str
    body: str
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]


def question_of(commit: Commit) -> str:
    """Return what a commit's subject asks, without its marks; empty where it asks nothing."""
    subject = commit.subject.strip()
    if _BOT.search(commit.author) or _CHORE.search(_stripped(subject)) or _CHORE.search(subject):
        return ""
    asked = _stripped(subject).rstrip(".").strip()
    words = _WORD.findall(asked)
    plain = asked.isascii() and len(asked) <= 160
    return asked if plain and len(words) >= MIN_WORDS else ""


def body_of(commit: Commit) -> str:
    """Return what is said below the subject, without trailers, at most `MAX_BODY` characters."""
    body = _TRAILER.sub("", commit.body)
    return " ".join(body.split())[:MAX_BODY]


def answers_of(commit: Commit) -> tuple[str, ...]:
    """Return the source files that a commit changes; none where they are no fair answer.

    A commit that also brings or takes away sources is left out: half of its answer cannot be found.
    """
    if any(map(is_answer, (*commit.added, *commit.removed))):
        return ()
    found = tuple(sorted(path for path in commit.changed if is_answer(path)))
    return found if 1 <= len(found) <= MAX_FILES else ()


def is_answer(path: str) -> bool:
    """Return whether a path is a source that people wrote: no test, no build file."""
    parts = tuple(path.split("/"))
    known = language_of(parts[-1]) in LANGUAGES and not _BUILD.fullmatch(parts[-1])
    return known and is_source(parts)


def spells(question: str, paths: Iterable[str]) -> bool:
    """Return whether a word of the question is a part of an answer's file name.

    Words of at least three letters are compared by their first five.
    """
    asked = {word[:5] for word in _parts(question)}
    stems = (path.rsplit("/", 1)[-1].rsplit(".", 1)[0] for path in paths)
    return any(part[:5] in asked for stem in stems for part in _parts(stem))


def _stripped(subject: str) -> str:
    return _SUFFIX.sub("", _PREFIX.sub("", subject)).strip()


def _parts(text: str) -> list[str]:
    return [part.lower() for part in _PART.findall(text) if len(part) >= 3]
