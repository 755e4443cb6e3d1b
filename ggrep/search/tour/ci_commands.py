"""What services of continuous integration run to build and test a repository. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from ggrep.model.outline import TourLine

MOST_OF_A_KIND: Final = 2
_CHARACTERS: Final = 76
_CI: Final = re.compile(
    r"\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci\.ya?ml|\.travis\.ya?ml|\.circleci/config\.ya?ml"
    r"|azure-pipelines\.ya?ml|\.?appveyor\.ya?ml|Jenkinsfile"
)
_MAIN: Final = re.compile(r"ci|test|build|check|main|travis|gitlab|jenkins")
"""What files are called that run for each change."""
_KINDS: Final = (
    (
        "test",
        re.compile(
            r"(?<![\w/.])(?:r?un)?-?tests?\b(?![./(])|\b(?:pytest|ctest|tox|nox|rspec|phpunit|prove)\b"
        ),
    ),
    (
        "lint",
        re.compile(
            r"(?<![-\w])(?:lint\w*|fmt|format|clippy|vet|ruff|mypy|eslint|typecheck)\b(?!-)"
        ),
    ),
    (
        "build",
        re.compile(r"(?<![-\w])(?:make|build|mvn|gradlew?|cmake|meson|ninja|bazel|tsc|zig)\b"),
    ),
)
_PREPARING: Final = re.compile(
    r"\b(?:apt(?:-get)?|yum|dnf|apk|brew|choco|pacman|curl|wget|git|docker|[Ii]nvoke|export|cd)\b"
    r"|\b(?:mkdir|echo|cat|rm|cp|mv|ls|tar|zip|unzip|diff|find|chmod|touch)\b"
    r"|\binstall\b|^\s*test -"
    r"|^\s*(?:if|for|else|elif|fi|done|then|while|set|#|//|[\w-]+\(?\)?\s*\{)"
    r"|^[A-Za-z_]+="
)
_RUN: Final = re.compile(r"^\s*(?:-\s+)?(?:run|\w*script):[ \t]*(?P<rest>.*)$")
_ITEM: Final = re.compile(r"^\s*-\s+(?P<command>[^\s#].*)$")
_STEP: Final = re.compile(r"\b(?:sh|bat)[ (]+(['\"]{1,3})(?P<rest>[^'\"\n]+)")


def is_ci(path: str) -> bool:
    """Say whether a file tells such a service what to run."""
    return bool(_CI.fullmatch(path))


def ci_commands(texts: Mapping[str, str]) -> list[TourLine]:
    """Return a few commands that test, check and build, each once.

    Args:
        texts: of files, by path. Those that run for each change come first.
    """
    order = sorted(texts, key=lambda path: (not _MAIN.search(path.rpartition("/")[2]), path))
    kept: dict[str, tuple[int, TourLine]] = {}
    counts: Counter[str] = Counter()
    for path in order:
        for number, command in _commands(path, texts[path]):
            plain = " ".join(_unquoted(command.strip()).split())
            kind = _kind(plain)
            if kind is None or plain in kept or counts[kind[1]] >= MOST_OF_A_KIND:
                continue
            counts[kind[1]] += 1
            kept[plain] = kind[0], TourLine(_shortened(plain), path, number)
    return [line for _, line in sorted(kept.values(), key=lambda one: one[0])]


def _unquoted(command: str) -> str:
    quoted = len(command) > 1 and command[0] == command[-1] and command[0] in "\"'"
    return command[1:-1] if quoted else command


def _kind(command: str) -> tuple[int, str] | None:
    """Return what a command is for, as its place and name among the kinds; None for none."""
    if _PREPARING.search(command):
        return None
    found = ((place, name) for place, (name, words) in enumerate(_KINDS) if words.search(command))
    return next(found, None)


def _commands(path: str, text: str) -> Iterator[tuple[int, str]]:
    lines = text.split("\n")
    if path == "Jenkinsfile":
        for number, line in enumerate(lines, start=1):
            yield from ((number, found["rest"]) for found in _STEP.finditer(line))
        return
    inside, listed = -1, False
    for number, line in enumerate(lines, start=1):
        indent = len(line) - len(line.lstrip())
        if (found := _RUN.match(line)) is not None:
            # Behind `- run:` a dash as far to the left begins the next step.
            inside, listed = indent, not line.lstrip().startswith("-")
            yield number, found["rest"]
        elif inside >= 0 and line.strip():
            item = _ITEM.match(line)
            if indent > inside or (listed and item is not None and indent == inside):
                yield number, item["command"] if item else line
            else:
                inside = -1


def _shortened(command: str) -> str:
    if len(command) <= _CHARACTERS:
        return command
    return command[: _CHARACTERS - 1].rstrip() + "…"
