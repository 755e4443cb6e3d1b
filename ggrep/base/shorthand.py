"""Short forms of options, as people know them from grep and ripgrep, written out.

The standard library alone, and as little of it as can be: every search loads this.
"""

from ggrep.base.commands import values_of
from ggrep.base.quoted import quoted_whole

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

EXACT = {
    "-i": "--ignore-case",
    "-w": "--word-regexp",
    "-l": "--files-with-matches",
    "-c": "--count",
}
"""Letters of a search of exact text, as grep and ripgrep have them."""
NUMBERED = frozenset({"-n", "--line-number"})
"""Lines of exact text always have their numbers."""
CONTEXT = {
    "-A": ("--after-context",),
    "-B": ("--before-context",),
    "-C": ("--before-context", "--after-context"),
    "--context": ("--before-context", "--after-context"),
}
"""Forms with a number of lines."""
_TOGETHER = frozenset("FEiwlcn")
"""Letters that may stand behind one hyphen, the last with a number: `-Fiw`, `-inC2`."""

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
SHOWN_OF_EXACT = (
    ("-i, -w, -l, -c, -n", "With -F, -E or quoted text: as grep and ripgrep have them."),
    ("-A, -B, -C NUMBER", "Likewise: lines after, before and around each matching line."),
)
"""What help says of them."""


def written_out(arguments: list[str]) -> list[str]:
    """Return arguments without short forms; the command stands first."""
    if not arguments or arguments[0] not in FILTERING:
        return arguments
    end = arguments.index("--") if "--" in arguments else len(arguments)
    finds, values = FINDS if arguments[0] in SEARCHING else {}, values_of(arguments[0])
    left: list[str] = []
    words = iter(_apart(arguments[:end]) if finds else arguments[:end])
    for word in words:
        flag, value = _parts(word)
        if word in values and word not in FILTERS:
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
    if arguments[0] == "search" and _is_exact(left, arguments[end + 1 :]):
        left = _as_in_grep(left, values)
    return left + arguments[end:]


def _apart(words: list[str]) -> list[str]:
    """Return words, letters that stand together each by itself."""
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
    """Return whether exact text is searched: by a flag, or as the query is in double quotes."""
    typed = "\0".join(words)
    given = any(f"--find{sign}{find}" in typed for sign in "=\0" for find in FINDS.values())
    return given or any(quoted_whole(word) for word in (*words, *behind))


def _as_in_grep(words: list[str], values: frozenset[str]) -> list[str]:
    """Return the words of a search of exact text with ripgrep's letters written out."""
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
