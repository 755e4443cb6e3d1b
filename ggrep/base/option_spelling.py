"""Expands short options, and writes messages about misspelled words and unknown options."""

from ggrep.base.commands import (
    COMMANDS,
    STARTING,
    command_in,
    nearest,
    options_of,
    quoted_whole,
    slip_of,
    spelled,
    values_of,
)
from ggrep.base.options import OPTIONS

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable

_FEW = 2
"""Maximum number of words to show with `or` between them."""


def unknown(place: str, word: str, words: "Iterable[str]", *, what: str = "") -> str:
    """Return the message about a word that is not allowed.

    Args:
        place: option or argument of the word, such as `--find`.
        word: the unknown word.
        words: the allowed words, in the order to show.
        what: kind of the word, for the message; empty if `place` makes the kind clear.
    """
    known = list(words)
    meant = nearest(word.casefold(), known)
    guess = f"did you mean: {meant}; " if meant is not None else ""
    among = " or ".join(known) if len(known) <= _FEW else f"one of {', '.join(known)}"
    return f"{place}: unknown {what}{' ' * bool(what)}{word!r}; {guess}use {among}"


SEARCHING = frozenset({"search", "slate"})
FILTERING = frozenset({"references", "refs", "symbol"}) | SEARCHING
"""Commands with these short options; `SEARCHING` are the commands that also search for a text."""

FILTERS = {
    "-t": "lang:",
    "--type": "lang:",
    "-T": "-lang:",
    "--type-not": "-lang:",
    "-g": "path:",
    "--glob": "path:",
}
"""Short options with a value, and the value's prefix in `--filter`."""
TESTS = {"--tests": "test:true", "--no-tests": "-test:true"}
FINDS = {"-F": "exact-text", "--fixed-strings": "exact-text", "-E": "regex", "--regex": "regex"}

EXACT = {
    "-i": "--ignore-case",
    "-w": "--word-regexp",
    "-l": "--files-with-matches",
    "-c": "--count",
}
"""Short options of a search for exact text, as in grep and ripgrep."""
NUMBERED = frozenset({"-n", "--line-number"})
"""Options without an effect, as lines of exact text always have numbers."""
CONTEXT = {
    "-A": ("--after-context",),
    "-B": ("--before-context",),
    "-C": ("--before-context", "--after-context"),
    "--context": ("--before-context", "--after-context"),
}
"""Short options whose value is a number of lines."""
_TOGETHER = frozenset("FEiwlcn")
"""Short options that one hyphen can combine, the last with a number: `-Fiw`, `-inC2`."""

SHOWN = (
    ("-t, --type LANG", "Only files of this language; same as `--filter lang:LANG`; repeatable."),
    ("-T, --type-not LANG", "No files of this language; same as `--filter -lang:LANG`."),
    (
        "-g, --glob GLOB",
        "Only files that match the glob, or with `!GLOB` files that do not; same as"
        " `--filter path:GLOB`.",
    ),
    (
        "--tests / --no-tests",
        "Only tests, or no tests; same as `--filter test:true` or `-test:true`.",
    ),
)
SHOWN_OF_SEARCHES = (
    ("-F, --fixed-strings", "Search for the exact text; same as `--find exact-text`."),
    ("-E, --regex", "Search for a regular expression; same as `--find regex`."),
)
SHOWN_OF_EXACT = (
    ("-i, -w, -l, -c, -n", "With -F, -E or quoted text: same meaning as in grep and ripgrep."),
    (
        "-A, -B, -C NUMBER",
        "With -F, -E or quoted text: show lines after, before or around each matching line.",
    ),
)
"""Rows about short options in the help of `search`."""


def written_out(arguments: list[str]) -> list[str]:
    """Return arguments with short options expanded; the first argument is the command."""
    if not arguments or arguments[0] not in FILTERING:
        return arguments
    end = arguments.index("--") if "--" in arguments else len(arguments)
    finds, values = FINDS if arguments[0] in SEARCHING else {}, values_of(arguments[0])
    left: list[str] = []
    words = iter(_apart(arguments[:end]) if finds else arguments[:end])
    for word in words:
        flag, value = _parts(word)
        if word in values and word not in FILTERS:
            # The next argument is the option's value, even if it looks like an option.
            left += [word, *(each for each in (next(words, None),) if each is not None)]
        elif flag in FILTERS and (value is not None or (value := next(words, None)) is not None):
            left.append(f"--filter={_filter(FILTERS[flag], value)}")
        elif word in TESTS:
            left.append(f"--filter={TESTS[word]}")
        elif word in finds:
            left.append(f"--find={finds[word]}")
        else:
            left.append(word)
    if arguments[0] == "search" and _is_exact(left, arguments[end + 1 :]):
        left = _as_in_grep(left, values)
    return left + arguments[end:]


def _apart(words: list[str]) -> list[str]:
    """Return words with combined short options separated."""
    apart: list[str] = []
    for word in words:
        letters = word[1:] if word[:1] == "-" != word[1:2] else ""
        plain = letters.rstrip("0123456789")
        context = plain[-1:] if plain[-1:] in {"A", "B", "C"} else ""
        if (
            len(letters) > 1
            and _TOGETHER.issuperset(plain.removesuffix(context))
            and (context or plain == letters)
        ):
            apart += [f"-{letter}" for letter in plain.removesuffix(context)]
            apart += [f"-{letters[len(plain) - 1 :]}"] if context else []
        else:
            apart.append(word)
    return apart


def _is_exact(words: list[str], behind: list[str]) -> bool:
    """Return whether the search is for exact text: by a flag, or by a query in double quotes."""
    typed = "\0".join(words)
    by_flag = any(f"--find{sign}{find}" in typed for sign in "=\0" for find in FINDS.values())
    return by_flag or any(quoted_whole(word) for word in (*words, *behind))


def _as_in_grep(words: list[str], values: frozenset[str]) -> list[str]:
    """Return the words of a search for exact text with ripgrep's short options expanded."""
    left: list[str] = []
    following = iter(words)
    for word in following:
        flag, value = _parts(word)
        if word in values and word not in CONTEXT:
            left += [word, *(each for each in (next(following, None),) if each is not None)]
        elif flag in CONTEXT and (
            value is not None or (value := next(following, None)) is not None
        ):
            left += [f"{name}={value}" for name in CONTEXT[flag]]
        elif word not in NUMBERED:
            left.append(EXACT.get(word, word))
    return left


def _parts(word: str) -> tuple[str, str | None]:
    """Return the flag and value that one word contains: `-tgo`, `--type=go`."""
    if word.startswith("--"):
        flag, is_joined, value = word.partition("=")
        return flag, value if is_joined else None
    return word[:2], word[2:].removeprefix("=") or None


def _filter(key: str, value: str) -> str:
    negated, bare = value.startswith("!"), value.removeprefix("!")
    if key == "path:":
        bare = bare.removeprefix("./")
    if not negated:
        return key + bare
    return key[1:] + bare if key.startswith("-") else f"-{key}{bare}"


_EVERYWHERE = frozenset({"--help", "--color", "--no-pager"})
_MOST_OTHERS = 3
_OTHER_NAMES = {"limit": "--max", "max-results": "--max", "max-count": "--max", "path": "--repo"}
"""Option names of other tools and commands, and the option for each."""


def unknown_option(arguments: list[str]) -> str | None:
    """Return the message about the first unknown long option of a command.

    Returns:
        The message; None if no long option is unknown, or if the line has short options, which
        another parser checks.
    """
    name = command_in(arguments)
    if name is None or arguments[: len(STARTING)] == STARTING:
        return None
    flags, _ = options_of(name)
    words = iter(arguments[name.count(" ") + 1 :])
    for word in words:
        option, equals, _ = word.partition("=")
        if option in flags:
            if flags[option].takes_value and not equals:
                next(words, None)
        elif word == "--" or (word.startswith("-") and not word.startswith("--")):
            return None
        elif word.startswith("--") and option not in _EVERYWHERE:
            return f"no option {option}{advice(name, option, arguments)}"
    return None


def advice(name: str, option: str, arguments: list[str]) -> str:
    """Return a suggestion for an unknown option of the command `name`."""
    at = next(
        (at for at, word in enumerate(arguments) if _is_spelled(word, option)), len(arguments)
    )
    if name == "search" and at < 2:
        # Arguments that begin with an option were parsed as a search.
        whole = _first_option_meant(arguments[1])
        if whole is not None:
            return f"; did you mean: {spelled(whole, *arguments[2:])}"
    flags, _ = options_of(name)
    known = {each.lstrip("-"): each for each in (*flags, "--help")}
    known |= {other: ours for other, ours in _OTHER_NAMES.items() if ours in flags}
    meant = nearest(option.lstrip("-"), list(known))
    if meant is not None and at < len(arguments):
        mended = known[meant] + arguments[at][len(option) :]
        return f"; did you mean: {spelled(*arguments[:at], mended, *arguments[at + 1 :])}"
    see = f"; see: {spelled('help', *name.split())}"
    others = [other for other in OPTIONS if option in options_of(other)[0]]
    if others:
        named = ", ".join(spelled(*other.split()) for other in others[:_MOST_OTHERS])
        more = " and others" if len(others) > _MOST_OTHERS else ""
        return f"; commands with {option}: {named}{more}{see}"
    return see


def _first_option_meant(option: str) -> str | None:
    """Return the command (for `--search`) or `--version` (for `-v`) that was meant; else None."""
    word = option.lstrip("-")
    if word in {"v", "V"} or nearest(word, ["version"]):
        return "--version"
    name = word if word in COMMANDS else slip_of(word)
    return name if name in COMMANDS else None


def _is_spelled(word: str, option: str) -> bool:
    if option.startswith("--"):
        return word.partition("=")[0] == option
    return word.startswith(option)
