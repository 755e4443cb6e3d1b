"""`ggrep __complete -- WORDS CURRENT`: prints completions for a shell, one word per line.

Names of profiles, repositories, tags and stores are read from files. No daemon is started.
"""
# importing pathlib takes longer than running this whole module

import sys

from ggrep.base.commands import options_of
from ggrep.base.options import BELOW, CLIENTS, COMMANDS, FILTERS, OPTIONS

_EVERYWHERE = {"--help": None, "--color": "auto always never", "--no-pager": None}
"""Options of every command."""
_OPTIONS = "--version " + " ".join(_EVERYWHERE)


def complete(words: list[str]) -> int:
    """Print completions of the last word; nothing for unknown words and file names."""
    try:
        results = candidates(words)
    except (OSError, ValueError):
        results = []
    try:
        sys.stdout.write("".join(f"{word}\n" for word in results))
        sys.stdout.flush()
    except OSError:
        return 1
    return 0


def candidates(words: list[str]) -> list[str]:
    """Return completions of the last word, in display order."""
    *before, current = words or [""]
    if "--" in before:
        return []
    colours = _colours(before, current)
    if colours is not None:
        return colours
    before = _without_terminal_options(before)
    if not before:
        return _begun(current, _OPTIONS if current.startswith("-") else COMMANDS)
    name, at = _command(before)
    if name in BELOW:
        return _begun(current, "--help" if current.startswith("-") else BELOW[name])
    return _of_command(name, before, before[at:], current)


def _of_command(name: str, before: list[str], typed: list[str], current: str) -> list[str]:
    """Return completions of a command's word: values, flags or arguments."""
    options, arguments = options_of(name)
    flags = {
        flag: option.words if option.takes_value else None for flag, option in options.items()
    } | _EVERYWHERE
    flag, is_joined, value = current.partition("=")
    if typed and (kind := flags.get(typed[-1])) is not None:
        return _values(kind, current, before)
    if is_joined and (kind := flags.get(flag)):
        return [f"{flag}={word}" for word in _values(kind, value, before)]
    if current.startswith("-"):
        return _begun(current, " ".join(flags))
    kinds = [argument.words for argument in arguments] or [""]
    return _values(kinds[min(_places(typed, flags), len(kinds) - 1)], current, before)


def _colours(before: list[str], current: str) -> list[str] | None:
    """Return completions of the value of `--color`; None if another word is completed."""
    words = _EVERYWHERE["--color"] or ""
    if before[-1:] == ["--color"]:
        return _begun(current, words)
    begin = "--color="
    if not current.startswith(begin):
        return None
    return [begin + word for word in _begun(current[len(begin) :], words)]


def _without_terminal_options(before: list[str]) -> list[str]:
    """Return words without the terminal options, which every command accepts."""
    left = list[str]()
    words = iter(before)
    for word in words:
        if word == "--color":
            next(words, None)
        elif word != "--no-pager" and not word.startswith("--color="):
            left.append(word)
    return left


def _command(before: list[str]) -> tuple[str, int]:
    two = " ".join(before[:2])
    if before[0] in BELOW:
        return (two, 2) if two in OPTIONS else (before[0], 1)
    return (before[0], 1) if before[0] in OPTIONS else ("search", 0)


def _places(typed: list[str], flags: dict[str, str | None]) -> int:
    """Return the number of words that are positional arguments."""
    count, skip = 0, False
    for word in typed:
        if skip:
            skip = False
        elif word.startswith("-"):
            skip = flags.get(word) is not None
        else:
            count += 1
    return count


def _values(kind: str, current: str, before: list[str]) -> list[str]:
    if not kind.startswith("@"):
        return _begun(current, kind)
    match kind:
        case "@filter":
            return _filters(current)
        case "@client" | "@language":
            return _begun(current, CLIENTS if kind == "@client" else FILTERS["lang"])
        case "@command":
            return _begun(current, BELOW.get(before[-1], f"{COMMANDS} agents"))
        case _:
            # Imported late: most completions need no names from files.
            from ggrep.interfaces.cli.completion_names import named
            from ggrep.interfaces.entry.daemon_place import REPO_FILE

            names = named(kind, before, REPO_FILE)
            return [word for word in names if word.startswith(current)]


def _filters(current: str) -> list[str]:
    """Return completions of a filter; they are negated if `current` is negated."""
    sign = current[:1] if current.startswith(("-", "!")) else ""
    key, has_key, value = current[len(sign) :].partition(":")
    if not has_key:
        return [f"{sign}{name}:" for name in FILTERS if name.startswith(key)]
    return [f"{sign}{key}:{word}" for word in _begun(value, FILTERS.get(key, ""))]


def _begun(current: str, words: str) -> list[str]:
    return [word for word in words.split() if word.startswith(current)]
