"""Extracts the commands with which CI services build and test a repository."""

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from typing import Final

from ggrep.model.outline import TourFact

MOST_OF_A_KIND: Final = 2
_CHARACTERS: Final = 76
_CI: Final = re.compile(
    r"\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci\.ya?ml|\.travis\.ya?ml|\.circleci/config\.ya?ml"
    r"|azure-pipelines\.ya?ml|\.?appveyor\.ya?ml|Jenkinsfile"
)
_MAIN: Final = re.compile(r"ci|test|build|check|main|travis|gitlab|jenkins")
"""Names of workflow files that run for each change."""
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
_TOOLS: Final = re.compile(
    r"(?:(?:uv|poetry|pdm|pipenv|hatch) run |(?:bundle|pnpm|npm|yarn) exec |python3? -m |npx |bunx "
    r")?"
    r"(?:make|gmake|pytest|tox|nox|ruff|mypy|flake8|cargo|go|npm|pnpm|yarn|bun|deno|mvn|\./mvnw"
    r"|gradle|\./gradlew|cmake|meson|bazel|rake|rspec|rubocop|mix|sbt|stack|cabal|dune|zig|swift"
    r"|dotnet|composer|phpunit|vendor/bin/\w+|prove|just|hatch|eslint|tsc|vitest|jest|mocha|unittest"
    r"|\./configure|busted|luacheck|staticcheck|golangci-lint) "
)
"""Programs that build, check and test, with the programs that start them."""
_PARTIAL: Final = re.compile(
    r"\$(?!\(nproc\))|\{\{|\.\./|--if-present|(?:\\|&&|\|)$|\binstall\b|\b(?:-C|--prefix|--manifest-path)\b"
)
"""Commands with variables or in several lines, installations, and commands in another folder."""
_SCRIPT_RUN: Final = re.compile(r"(?:npm|pnpm|yarn|bun) run ([\w:.-]+)")
_FOLDER: Final = re.compile(r"\bworking-directory:|\bdir\(")
_RUN: Final = re.compile(r"^\s*(?:-\s+)?(?:run|\w*script):[ \t]*(?P<rest>.*)$")
_ITEM: Final = re.compile(r"^\s*-\s+(?P<command>[^\s#].*)$")
_STEP: Final = re.compile(r"\b(?:sh|bat)[ (]+(['\"]{1,3})(?P<rest>[^'\"\n]+)")


def is_ci(path: str) -> bool:
    """Return whether a file configures the jobs of a CI service."""
    return bool(_CI.fullmatch(path))


def ci_commands(texts: Mapping[str, str], scripts: Container[str] = ()) -> list[TourFact]:
    """Return a few distinct commands that test, check and build.

    Args:
        texts: texts of files by path. Workflows that run for each change come first.
        scripts: names of scripts that the package manager can run.
    """
    order = sorted(texts, key=lambda path: (not _MAIN.search(path.rpartition("/")[2]), path))
    kept: dict[str, tuple[int, TourFact]] = {}
    counts: Counter[str] = Counter()
    for path in order:
        for number, command in _commands(path, texts[path]):
            plain = " ".join(_unquoted(command.strip()).split())
            kind = _kind(plain)
            if kind is None or plain in kept or counts[kind[1]] >= MOST_OF_A_KIND:
                continue
            if (run := _SCRIPT_RUN.match(plain)) and run[1] not in scripts:
                continue
            counts[kind[1]] += 1
            kept[plain] = kind[0], TourFact(plain, path, number)
    return [line for _, line in sorted(kept.values(), key=lambda item: item[0])]


def _unquoted(command: str) -> str:
    quoted = len(command) > 1 and command[0] == command[-1] and command[0] in "\"'"
    return command[1:-1] if quoted else command


def _kind(command: str) -> tuple[int, str] | None:
    """Return the index and the name of a command's kind in `_KINDS`; None for other commands."""
    if not _TOOLS.match(f"{command} ") or _PARTIAL.search(command):
        return None
    if len(command) > _CHARACTERS:
        return None
    kinds = ((place, name) for place, (name, words) in enumerate(_KINDS) if words.search(command))
    return next(kinds, None)


def _commands(path: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield the commands that run in the root folder, with their line numbers."""
    lines = text.split("\n")
    elsewhere = _lines_elsewhere(lines)
    block = 0
    for start, number, command in _all_commands(path, lines):
        if re.match(r"\s*(?:cd|pushd)\b", command):
            block = start
        if start != block and number not in elsewhere:
            yield number, command


def _lines_elsewhere(lines: list[str]) -> set[int]:
    """Return the numbers of lines at which no command in the root folder begins.

    These are the lines of a list item with `working-directory:` or `dir(`, all lines if one of
    these is outside of list items, and lines that continue the line before.
    """
    numbers = {
        at + 2
        for at, line in enumerate(lines)
        if line.rstrip().endswith(("\\", "&&", "|")) and not line.rstrip().endswith(": |")
    }
    for at, line in enumerate(lines):
        if not _FOLDER.search(line):
            continue
        indent = len(line) - len(line.lstrip(" -"))
        first = next((at - back for back in range(at + 1) if _begins(lines[at - back], indent)), -1)
        if first < 0:
            return set(range(1, len(lines) + 1))
        dash = len(lines[first]) - len(lines[first].lstrip())
        last = first + 1
        while last < len(lines) and (not lines[last].strip() or _indent(lines[last]) > dash):
            last += 1
        numbers.update(range(first + 1, last + 1))
    return numbers


def _begins(line: str, indent: int) -> bool:
    """Return whether a line begins a list item whose keys are indented by `indent`."""
    return line.lstrip().startswith("- ") and len(line) - len(line.lstrip(" -")) == indent


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _all_commands(path: str, lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """Yield all commands, each with the first line of its block and its own line."""
    if path == "Jenkinsfile":
        for number, line in enumerate(lines, start=1):
            yield from ((number, number, match["rest"]) for match in _STEP.finditer(line))
        return
    inside, listed, start = -1, False, 0
    for number, line in enumerate(lines, start=1):
        indent = len(line) - len(line.lstrip())
        if (match := _RUN.match(line)) is not None:
            # After `- run:`, a dash with the same or less indent begins the next step.
            inside, listed = indent, not line.lstrip().startswith("-")
            start = number
            yield start, number, match["rest"]
        elif inside >= 0 and line.strip():
            item = _ITEM.match(line)
            if indent > inside or (listed and item is not None and indent == inside):
                yield start, number, item["command"] if item else line
            else:
                inside = -1
