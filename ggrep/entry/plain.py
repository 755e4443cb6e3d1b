"""Which argument lists are a plain search, and the request each of them makes.

A second, smaller reading of what `ggrep.cli.search` takes. It may refuse anything, and refuses
whatever gives cause to doubt; what it does take, it reads as the other does. Words of the domain
are repeated here because the modules they live in are slow to import.
"""

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

_SWITCHES = {
    "-d": "discovery",
    "--discovery": "discovery",
    "-i": "implementation",
    "--implementation": "implementation",
    "-p": "planning",
    "--planning": "planning",
    "-b": "debug",
    "--debug": "debug",
    "-c": "full",
    "--content": "full",
    "-n": "none",
    "--no-snippet": "none",
    "-s": "short",
    "--short-snippet": "short",
    "-l": "long",
    "--long-snippet": "long",
    "--anchors": "anchors",
    "--compact": "compact",
    "--scores": "scores",
    "--explain": "explain",
    "--keep-weak": "keep_weak",
    "--deterministic": "deterministic",
    "--exit-status": "exit_status",
    "--json": "json",
    "--plain": "plain",
    "-y": "yes",
    "--yes": "yes",
}
_VALUES = {
    "-m": "top",
    "--max": "top",
    "--top": "top",
    "--per-file": "per_file",
    "--mode": "mode",
    "--corpus": "corpus",
    "--filter": "filter",
    "--timeout-ms": "timeout_ms",
}
_REPEATABLE = ("corpus", "filter")
_MOST_DIGITS = 9


class Typed:
    """A plain search as it was typed.

    Attributes:
        words: the query, and the path if one was given.
        switches: flags without a value that were given, by name.
        values: what was given to the others, by name.
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
    left = iter(arguments)
    for argument in left:
        if not argument.startswith("-"):
            words.append(argument)
            continue
        flag, value = _split(argument)
        if flag in _SWITCHES and value is None:
            switches.add(_SWITCHES[flag])
        elif flag in _VALUES:
            text = next(left, "") if value is None else value
            values.setdefault(_VALUES[flag], []).append(text)
        else:
            raise ValueError(flag)
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
    per_file = _number(typed, "per_file", PER_FILE)
    depth = next((depth for depth in DEPTHS if depth in switches), "default")
    if "compact" in switches:
        per_file, depth = 1, "none"
    return {
        "query": typed.words[0],
        "limit": _number(typed, "top", LIMIT, least=1),
        "per_file": per_file,
        "mode": _mode(typed),
        "corpora": _corpora(typed.values.get("corpus", ["all"])),
        "scope": scope,
        "filters": [_filter(text) for text in typed.values.get("filter", [])],
        "snippet": depth,
        "backend": "auto",
        "include_anchors": "anchors" in switches,
        "deterministic": "deterministic" in switches,
        "explain": "explain" in switches,
        "keep_weak": "keep_weak" in switches,
        "find": "auto",
        "vectors": True,
        "within": [],
        "timeout_ms": _number(typed, "timeout_ms", 0),
    }


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
    asked: set[str] = {*typed.values.get("mode", ()), *(typed.switches & MODES)} or {"balanced"}
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
