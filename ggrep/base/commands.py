"""Command names, and a parser of command lines that uses the tables in `options.py`."""

from ggrep.base.options import ASKING, BELOW, OPTIONS

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMANDS = frozenset(name.partition(" ")[0] for name in OPTIONS)

ABOVE_OTHERS = frozenset(BELOW)
"""Commands that only have subcommands."""

READ_BY_DAEMONS = frozenset(ASKING.split())
"""Query commands: a daemon parses their arguments, and renders their output."""

OTHER_NAMES = {
    "add": "workspace add --help",
    "build": "index",
    "cancel": "stop",
    "catalog": "workspace catalog --help",
    "claude-install": "install claude",
    "clone-store": "push --help",
    "codex-install": "install codex",
    "config": "status",
    "cursor-install": "install cursor",
    "daemon": "serve --background",
    "exit": "stop",
    "gemini-install": "install gemini",
    "init": "index",
    "manifest": "workspace manifest --help",
    "mcp-setup": "install --list",
    "opencode-install": "install opencode",
    "privacy-policy": "help",
    "promote-eval": "profiles",
    "quit": "stop",
    "reindex": "index --reset",
    "remove": "workspace remove --help",
    "restart": "stop",
    "start": "serve --background",
    "telemetry": "help",
    "update": "index",
    "upgrade": "upgrade-store",
    "validate": "workspace validate --help",
    "version": "--version",
    "vscode-install": "install vscode",
    "watch": "serve",
}
"""Command names of other tools, or likely guesses, and the command that does their work."""

WORDS_OF_CODE = frozenset(
    {
        *("compaction", "compat", "compilation", "completing", "profile", "reference", "relay"),
        *("reply", "rindex", "scores", "smart", "star", "stat", "state", "states"),
        *("stats", "store", "stories"),
    }
)
"""Words that are frequent in code, one typing error away from a command's name."""

STARTING = ["serve", "--background", "--yes"]
"""Arguments, before the paths, of the command that starts a daemon; includes the user's consent."""

LATER = "--later"
"""An argument instead of paths that a socket sends later; see `ggrep.protocol.client.preload`."""

_GLOBAL_OPTIONS = frozenset({"--help", "-h", "--version"})
_WORD = frozenset("abcdefghijklmnopqrstuvwxyz-")


def values_of(command: str) -> frozenset[str]:
    """Return the flags of a command that take a value."""
    flags, _ = options_of(command)
    return frozenset(flag for flag, option in flags.items() if option.takes_value)


def is_search(arguments: list[str]) -> bool:
    """Return whether arguments are a search without its command's name: `ggrep "words"`."""
    if not arguments or arguments[0] in COMMANDS or arguments[0] in _GLOBAL_OPTIONS:
        return False
    at = _first_word(arguments)
    return at is None or not _is_command_like(arguments[at])


def correction(arguments: list[str]) -> str | None:
    """Return a message about a mistyped command; None if the arguments begin with a command.

    Command lines in the message can be copied and run.
    """
    at = None if is_search(arguments) or arguments[:1] == ["search"] else _first_word(arguments)
    if at is None or (at == 0 and arguments[0] in COMMANDS) or arguments[0] in _GLOBAL_OPTIONS:
        return None
    word, others = arguments[at], arguments[:at] + arguments[at + 1 :]
    literally = f"to search for the word: {spelled('search', *arguments)}"
    if word in COMMANDS:
        return f"options come after the command: {spelled(word, *others)}; {literally}"
    if word in OTHER_NAMES:
        return f"no command {word}; instead: ggrep {OTHER_NAMES[word]}; {literally}"
    name = slip_of(word) or word
    meant = f"ggrep {OTHER_NAMES[name]}" if name in OTHER_NAMES else spelled(name, *others)
    return f"no command {word}; did you mean: {meant}; {literally}"


def spelled(*words: str) -> str:
    """Return a ggrep command line, quoted for a shell."""
    import shlex

    return shlex.join(("ggrep", *words))


def slip_of(word: str) -> str | None:
    """Return the command that `word` misspells; None for no misspelling."""
    if word in WORDS_OF_CODE:
        return None
    candidates = [
        (distance, name)
        for name in (*COMMANDS, *OTHER_NAMES)
        if (distance := _slips(word, name)) is not None
    ]
    return min(candidates)[1] if candidates else None


def nearest(word: str, names: list[str]) -> str | None:
    """Return the name most similar to `word`; None if more than a third of the letters differ."""
    candidates = [
        (distance, not name.startswith(word), name)
        for name in names
        # A distance is at least the difference in length: a long key costs no comparison.
        if abs(len(word) - len(name)) * 3 <= (longer := max(len(word), len(name)))
        and (distance := _distance(word, name)) * 3 <= longer
    ]
    return min(candidates)[2] if candidates else None


def _first_word(arguments: list[str]) -> int | None:
    """Return the index of the first word that is neither an option nor an option's value."""
    left = iter(range(len(arguments)))
    for at in left:
        argument = arguments[at]
        if argument == "--":
            return None
        if not argument.startswith("-"):
            return at
        if argument in values_of("search"):
            next(left, None)
    return None


def _is_command_like(word: str) -> bool:
    if not _WORD.issuperset(word):
        # Code spells this name `stop_all`, with an underscore.
        return False
    return word in COMMANDS or word in OTHER_NAMES or slip_of(word) is not None


def _slips(word: str, name: str) -> int | None:
    """Return the number of typing errors in `word` for `name`; None if it is no misspelling."""
    if len(name) < 4 or not word or abs(len(word) - len(name)) > 2:
        return None
    if word[0] != name[0] and word[:2] != name[1::-1]:
        return None
    distance = _distance(word, name)
    if len(name) == 4:
        return distance if distance == 1 and sorted(word) == sorted(name) else None
    doubled = len(word) > len(name) and word[-1] == word[-2]
    if distance == 1 and len(word) >= len(name) and word[:-1] == name[: len(word) - 1]:
        return distance if doubled else None
    return distance if 0 < distance <= 1 + (len(name) > 8) else None


def _distance(word: str, other: str) -> int:
    """Return the edit distance: letters to delete, insert, replace or swap with a neighbour."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(word, start=1):
        older, before, row = before, row, [i]
        for j, sought in enumerate(other, start=1):
            cost = min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != sought))
            if i > 1 and j > 1 and letter == other[j - 2] and word[i - 2] == sought:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]


_PAIRS = (
    ('"', '"'),
    ("\N{LEFT DOUBLE QUOTATION MARK}", "\N{RIGHT DOUBLE QUOTATION MARK}"),
)


def quoted_whole(query: str) -> str:
    """Return the text inside a query that is entirely quoted; empty for any other query."""
    text = query.strip()
    inner = text[1:-1]
    for left, right in _PAIRS:
        if text[:1] == left and text[1:][-1:] == right and left not in inner and right not in inner:
            return inner.strip()
    return ""


_MOST_DIGITS = 9


class Option:
    """An option or argument of a command.

    Attributes:
        key: key of the value in a `Line`; `-` for a short option, which is expanded before parsing.
        kind: `switch` and `on` (the flag means True), `off` (False), `text`, `path` or `number`
            with its bounds; this module parses no other kinds.
        words: allowed values; or `@` and the kind of names that completions look up.
        required: the argument must be given.
    """

    __slots__ = ("key", "kind", "required", "words")

    def __init__(self, key: str, kind: str, words: str, *, required: bool = False) -> None:
        self.key, self.kind, self.words, self.required = key, kind, words, required

    @property
    def takes_value(self) -> bool:
        """Return whether the flag takes a value."""
        return self.kind not in {"switch", "on", "off"}

    @property
    def several(self) -> bool:
        """Return whether the option is repeatable, so that its value is a list."""
        return self.kind.endswith("+")

    def value_of(self, text: str) -> str | int:
        """Return the option's value from a typed word; raise ValueError for an invalid word."""
        kind, *bounds = self.kind.rstrip("+").split(":")
        if not text or text == "--" or kind not in {"text", "path", "number"}:
            raise ValueError(text)
        if kind != "number":
            if self.words and self.words[0] != "@" and text not in self.words.split():
                raise ValueError(text)
            return text
        if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
            raise ValueError(text)
        least, most = bounds or ("", "")
        if (least and int(text) < float(least)) or (most and int(text) > float(most)):
            raise ValueError(text)
        return int(text)


class Line:
    """A parsed command line.

    Attributes:
        flags: options of the command, by flag.
    """

    __slots__ = ("command", "flags", "values", "words")

    def __init__(self, command: str, flags: dict[str, Option]) -> None:
        self.command = command
        self.flags = flags
        self.values: dict[str, object] = {}
        self.words: list[str] = []

    def value(self, flag: str) -> object:
        """Return the value of an option; None if it is missing."""
        option = self.flags.get(flag)
        return None if option is None else self.values.get(option.key)

    def text(self, flag: str) -> str | None:
        """Return the last value of an option as text; None if it is missing."""
        value = self.value(flag)
        if isinstance(value, list):
            value = value[-1]
        return value if isinstance(value, str) else None


def command_in(arguments: list[str]) -> str | None:
    """Return the command that the arguments begin with; None for no command."""
    for size in (2, 1):
        name = " ".join(arguments[:size])
        if name in OPTIONS:
            return name
    return None


def options_of(command: str) -> tuple[dict[str, Option], list[Option]]:
    """Return a command's options by flag, and its arguments."""
    flags: dict[str, Option] = {}
    places: list[Option] = []
    for row in OPTIONS.get(command, "").splitlines():
        names, key, kind, words = row.split(" ", 3)
        if names.startswith("-"):
            flags.update(dict.fromkeys(names.split(","), Option(key, kind, words)))
        else:
            places.append(Option(key, kind, words, required=names == "!"))
    return flags, places


def read(arguments: list[str]) -> Line:
    """Parse arguments, which begin with the command and contain no short options.

    Raises:
        ValueError: the arguments are invalid, or this parser does not support them.
    """
    command = command_in(arguments)
    if command is None:
        raise ValueError("no command")
    flags, places = options_of(command)
    line = Line(command, flags)
    left = iter(arguments[command.count(" ") + 1 :])
    for argument in left:
        if argument == "--":
            line.words += left
        elif not argument.startswith("-"):
            line.words.append(argument)
        else:
            _take_option(line, argument, left)
    free = list(places)
    for word in line.words:
        if not free or (free[0].several and len(free) > 1):
            raise ValueError(word)
        place = free[0] if free[0].several else free.pop(0)
        _keep(line, place, place.value_of(word))
    if any(place.required and place.key not in line.values for place in free):
        raise ValueError("an argument is missing")
    return line


def _take_option(line: Line, argument: str, left: "Iterator[str]") -> None:
    """Add an option to the line; take its value from the following words."""
    if argument.startswith("--"):
        flag, is_joined, text = argument.partition("=")
    else:
        flag, text = argument[:2], argument[2:]
        is_joined = text
        if text.startswith("="):
            raise ValueError(argument)
    option = line.flags.get(flag)
    if option is None or option.key == "-" or (is_joined and not option.takes_value):
        raise ValueError(argument)
    if option.takes_value:
        _keep(line, option, option.value_of(text if is_joined else next(left, "")))
    else:
        line.values[option.key] = option.kind != "off"


def _keep(line: Line, option: Option, value: str | int) -> None:
    if option.several:
        values = line.values.setdefault(option.key, [])
        assert isinstance(values, list)  # noqa: S101 - made here
        values.append(value)
    else:
        line.values[option.key] = value
