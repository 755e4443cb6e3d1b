"""Short forms of options, as people know them from grep and ripgrep, written out.

The standard library alone, and as little of it as can be: every search loads this.
"""

from ggrep.base.commands import SEARCH_VALUES

SEARCHING = frozenset({"search", "slate"})
FILTERING = frozenset({"references", "refs", "symbol"}) | SEARCHING
"""Commands that know them; `SEARCHING` those that look for a text, too."""

FILTERS = {
    "-t": "lang:",
    "--type": "lang:",
    "-T": "-lang:",
    "--type-not": "-lang:",
    "-g": "path:",
    "--glob": "path:",
}
"""Forms with a value, and what stands before that in `--filter`."""
TESTS = {"--tests": "test:true", "--no-tests": "-test:true"}
FINDS = {"-F": "exact-text", "--fixed-strings": "exact-text", "-E": "regex", "--regex": "regex"}

SHOWN = (
    ("-t, --type LANG", "Only files of this language: `--filter lang:LANG`; repeatable."),
    ("-T, --type-not LANG", "No files of this language: `--filter -lang:LANG`."),
    ("-g, --glob GLOB", "Only files like this: `--filter path:GLOB`; `!GLOB` for no such files."),
    ("--tests / --no-tests", "Only tests, or none: `--filter test:true` or `-test:true`."),
)
SHOWN_OF_SEARCHES = (
    ("-F, --fixed-strings", "Find the text itself: `--find exact-text`."),
    ("-E, --regex", "Find lines that match: `--find regex`."),
)
"""What help says of them."""


def written_out(arguments: list[str]) -> list[str]:
    """Return arguments without short forms; the command stands first."""
    if not arguments or arguments[0] not in FILTERING:
        return arguments
    end = arguments.index("--") if "--" in arguments else len(arguments)
    finds = FINDS if arguments[0] in SEARCHING else {}
    left: list[str] = []
    words = iter(arguments[:end])
    for word in words:
        flag, value = _parts(word)
        if word in SEARCH_VALUES and word not in FILTERS:
            # What follows is its value, whatever that looks like.
            left += [word, *(each for each in (next(words, None),) if each is not None)]
        elif flag in FILTERS and (value is not None or (value := next(words, None)) is not None):
            left.append(f"--filter={_filter(FILTERS[flag], value)}")
        elif word in TESTS:
            left.append(f"--filter={TESTS[word]}")
        elif word in finds:
            left.append(f"--find={finds[word]}")
        else:
            left.append(word)
    return left + arguments[end:]


def _parts(word: str) -> tuple[str, str | None]:
    """Return a flag and the value that is written in one word with it: `-tgo`, `--type=go`."""
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
