"""Which argument lists are a plain search, and the request of each.

A second, smaller reading of what `interfaces.cli.search` takes. It may refuse anything, and refuses
whatever gives cause to doubt; what it does take, it reads as the other does. Flags and words of the
domain are repeated here because the modules they live in are slow to import; a test compares them.
"""

from ggrep.base.quoted import quoted_whole

LIMIT = 10
PER_FILE = 3
MODES = frozenset({"balanced", "discovery", "implementation", "planning", "debug"})
CORPORA = {
    "code": "code",
    "prose": "prose",
    "extracted-prose": "extractedProse",
    "records": "records",
}
"""What is typed, and the word of the request, in the order that requests have them."""

DEPTHS = ("full", "long", "short", "none")
"""Snippet depths; of several that were asked for the first is meant."""

SWITCHES = {
    "-d": ("mode", "discovery"),
    "--discovery": ("mode", "discovery"),
    "-i": ("mode", "implementation"),
    "--implementation": ("mode", "implementation"),
    "-p": ("mode", "planning"),
    "--planning": ("mode", "planning"),
    "-b": ("mode", "debug"),
    "--debug": ("mode", "debug"),
    "--content": ("snippet", "full"),
    "--long-snippet": ("snippet", "long"),
    "-s": ("snippet", "short"),
    "--short-snippet": ("snippet", "short"),
    "-n": ("snippet", "none"),
    "--no-snippet": ("snippet", "none"),
    "--anchors": ("include_anchors", ""),
    "--compact": ("compact", ""),
    "--scores": ("scores", ""),
    "--explain": ("explain", ""),
    "--keep-weak": ("keep_weak", ""),
    "--deterministic": ("deterministic", ""),
    "--exit-status": ("exit_status", ""),
    "--json": ("json", ""),
    "--plain": ("plain", ""),
    "-y": ("yes", ""),
    "--yes": ("yes", ""),
}
"""Flags without a value: the option of `cli.options`, and the word of it that they say."""

VALUES = {
    "-m": "limit",
    "--max": "limit",
    "--top": "limit",
    "--per-file": "per_file",
    "--mode": "mode",
    "--corpus": "corpora",
    "--filter": "filters",
    "--timeout-ms": "timeout_ms",
}
"""Flags with a value, and their options."""

_REPEATABLE = ("mode", "snippet", "corpora", "filters")
_MOST_DIGITS = 9
_SEEN = frozenset({"--json", "--plain"})
"""Flags that are looked for among all arguments by whoever prints."""


class Typed:
    """A plain search as it was typed.

    Attributes:
        words: the query, and the path if one was given.
        switches: options that were given and take no value.
        values: what was given to the others, or words that flags stand for, by option.
    """

    __slots__ = ("switches", "values", "words")

    def __init__(self, words: list[str], switches: set[str], values: dict[str, list[str]]) -> None:
        self.words = words
        self.switches = switches
        self.values = values

    @property
    def path(self) -> str | None:
        """Return the path that was given, if any."""
        return self.words[1] if len(self.words) == 2 else None


def read(arguments: list[str]) -> Typed:
    """Return what the arguments after `search` say.

    Raises:
        ValueError: they are no plain search, or may not be.
    """
    words: list[str] = []
    switches: set[str] = set()
    values: dict[str, list[str]] = {}
    given, behind = _parted(arguments)
    left = iter(given)
    for argument in left:
        if not argument.startswith("-"):
            words.append(argument)
            continue
        flag, value = _split(argument)
        if flag in SWITCHES and value is None:
            option, word = SWITCHES[flag]
            if word:
                values.setdefault(option, []).append(word)
            else:
                switches.add(option)
        elif flag in VALUES:
            text = next(left, "") if value is None else value
            values.setdefault(VALUES[flag], []).append(text)
        else:
            raise ValueError(flag)
    words += behind
    if not 1 <= len(words) <= 2 or not all(word.strip() for word in words):
        raise ValueError("no query, or more than a query and a path")
    return Typed(words, switches, values)


def request_of(typed: Typed, scope: str) -> dict[str, object]:
    """Return the request as JSON has it; `scope` is the path key it is narrowed to.

    Raises:
        ValueError: a value means nothing, is given twice, or may not mean what it seems to.
    """
    for name, given in typed.values.items():
        if len(given) > 1 and name not in _REPEATABLE:
            raise ValueError(name)
    switches = typed.switches
    exact = quoted_whole(typed.words[0])
    per_file = _number(typed, "per_file", 0 if exact else PER_FILE)
    depths = typed.values.get("snippet", [])
    depth = next((depth for depth in DEPTHS if depth in depths), "default")
    if "compact" in switches:
        per_file, depth = 1, "none"
    return {
        "query": typed.words[0],
        "limit": _number(typed, "limit", LIMIT, least=1),
        "per_file": per_file,
        "mode": _mode(typed),
        "corpora": _corpora(typed.values.get("corpora", ["all"])),
        "scope": scope,
        "filters": [_filter(text) for text in typed.values.get("filters", [])],
        "snippet": depth,
        "backend": "auto",
        "include_anchors": "include_anchors" in switches,
        "deterministic": "deterministic" in switches,
        "explain": "explain" in switches,
        "keep_weak": "keep_weak" in switches,
        "find": "auto",
        "vectors": True,
        "ignore_case": False,
        "whole_words": False,
        "lines_before": 0,
        "lines_after": 0,
        "list_files": False,
        "within": [],
        "timeout_ms": _number(typed, "timeout_ms", 0),
    }


def _parted(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Return what stands before `--`, and the words behind it.

    Raises:
        ValueError: what is a word there is taken for a flag elsewhere.
    """
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    behind = arguments[at + 1 :]
    if not _SEEN.isdisjoint(behind):
        raise ValueError("a flag behind --")
    return arguments[:at], behind


def _split(argument: str) -> tuple[str, str | None]:
    """Return a flag and the value that is written in one word with it, if any."""
    if argument.startswith("--"):
        flag, separator, value = argument.partition("=")
        return flag, value if separator else None
    return argument[:2], argument[2:] or None


def _number(typed: Typed, name: str, default: int, *, least: int = 0) -> int:
    if name not in typed.values:
        return default
    text = typed.values[name][0]
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise ValueError(text)
    if int(text) < least:
        raise ValueError(text)
    return int(text)


def _mode(typed: Typed) -> str:
    asked = set(typed.values.get("mode", ["balanced"]))
    mode = asked.pop()
    if asked or mode not in MODES:
        raise ValueError("two intents, or an unknown one")
    return mode


def _corpora(words: list[str]) -> list[str]:
    if not CORPORA.keys() | {"all"} >= set(words):
        raise ValueError("an unknown corpus")
    return [value for word, value in CORPORA.items() if word in words or "all" in words]


def _filter(text: str) -> dict[str, object]:
    negated = text.startswith(("-", "!"))
    key, separator, value = text[negated:].partition(":")
    if not separator:
        raise ValueError(text)
    return {"key": key.strip(), "value": value.strip(), "negated": negated}
