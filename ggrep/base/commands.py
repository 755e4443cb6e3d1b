"""Command names, and the reader of command lines by the option table."""

from ggrep.base.options import ASKING, BELOW, OPTIONS

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMANDS = frozenset(name.partition(" ")[0] for name in OPTIONS)

ABOVE_OTHERS = frozenset(BELOW)
"""Commands that only lead to others."""

READ_BY_DAEMONS = frozenset(ASKING.split())
"""Commands that only ask: a daemon reads them as they were typed, and prints."""

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
"""Names that people know from elsewhere or expect here, and what does their work."""

WORDS_OF_CODE = frozenset(
    {
        *("compaction", "compat", "compilation", "completing", "profile", "reference", "relay"),
        *("reply", "rindex", "scores", "smart", "star", "stat", "state", "states"),
        *("stats", "store", "stories"),
    }
)
"""Words that stand often in code, one slip away from a name."""

STARTING = ["serve", "--background", "--yes"]
"""Arguments that start a daemon, before the paths; the client has settled what to index."""

LATER = "--later"
"""Stands in place of the paths where a socket tells them; see `ggrep.protocol.client.preload`."""

_OWN_OPTIONS = frozenset({"--help", "-h", "--version"})
_WORD = frozenset("abcdefghijklmnopqrstuvwxyz-")


def values_of(command: str) -> frozenset[str]:
    """Return the flags of a command that a value follows."""
    flags, _ = options_of(command)
    return frozenset(flag for flag, option in flags.items() if option.takes_value)


def is_search(given: list[str]) -> bool:
    """Tell whether arguments are a search that does not say so: `ggrep "words"`."""
    if not given or given[0] in COMMANDS or given[0] in _OWN_OPTIONS:
        return False
    at = _first_word(given)
    return at is None or not _is_command_like(given[at])


def correction(given: list[str]) -> str | None:
    """Return what to say instead of running arguments; None where they begin with a command.

    Whatever it names can be typed as it stands.
    """
    at = None if is_search(given) or given[:1] == ["search"] else _first_word(given)
    if at is None or (at == 0 and given[0] in COMMANDS) or given[0] in _OWN_OPTIONS:
        return None
    word, others = given[at], given[:at] + given[at + 1 :]
    literally = f"to search for the word: {spelled('search', *given)}"
    if word in COMMANDS:
        return f"options come after the command: {spelled(word, *others)}; {literally}"
    if word in OTHER_NAMES:
        return f"no command {word}; instead: ggrep {OTHER_NAMES[word]}; {literally}"
    name = slip_of(word) or word
    meant = f"ggrep {OTHER_NAMES[name]}" if name in OTHER_NAMES else spelled(name, *others)
    return f"no command {word}; did you mean: {meant}; {literally}"


def spelled(*words: str) -> str:
    """Return a command line of ours as a shell takes it."""
    import shlex

    return shlex.join(("ggrep", *words))


def slip_of(word: str) -> str | None:
    """Return the name that was meant by `word` if it is a slip of the hand; None if it is none."""
    if word in WORDS_OF_CODE:
        return None
    candidates = [
        (distance, name)
        for name in (*COMMANDS, *OTHER_NAMES)
        if (distance := _slips(word, name)) is not None
    ]
    return min(candidates)[1] if candidates else None


def nearest(word: str, names: list[str]) -> str | None:
    """Return the name most like `word`; None where a third of it or more would have to change."""
    candidates = [
        (distance, not name.startswith(word), name)
        for name in names
        if (distance := _distance(word, name)) * 3 <= max(len(word), len(name))
    ]
    return min(candidates)[2] if candidates else None


def _first_word(given: list[str]) -> int | None:
    """Return where the first word stands that is neither an option nor an option's value."""
    left = iter(range(len(given)))
    for at in left:
        argument = given[at]
        if argument == "--":
            return None
        if not argument.startswith("-"):
            return at
        if argument in values_of("search"):
            next(left, None)
    return None


def _is_command_like(word: str) -> bool:
    if not _WORD.issuperset(word):
        # `stop_all` is how a language spells it that has no hyphens in names.
        return False
    return word in COMMANDS or word in OTHER_NAMES or slip_of(word) is not None


def _slips(word: str, name: str) -> int | None:
    """Return how many slips make `word` of `name`; None where it is no slip of it."""
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
    """Return how many letters to leave out, put in, replace or swap with their neighbours."""
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
    """Return the text of a query that is one quoted text; empty for any other query."""
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
        key: of its value in a `Line`; a hyphen for a short form, which is written out first.
        kind: `switch`, `on`, `off`, `text`, `path` or `number` with its bounds; another one is not
            read here.
        words: all that it may be given; or a word that names what may, after an at sign.
        required: an argument that has to be there.
    """

    __slots__ = ("key", "kind", "required", "words")

    def __init__(self, key: str, kind: str, words: str, *, required: bool = False) -> None:
        """Take the columns of the table."""
        self.key, self.kind, self.words, self.required = key, kind, words, required

    @property
    def takes_value(self) -> bool:
        """Return whether a word follows the flag."""
        return self.kind not in {"switch", "on", "off"}

    @property
    def several(self) -> bool:
        """Return whether it may be given several times, so that its value is a list."""
        return self.kind.endswith("+")

    def value_of(self, text: str) -> str | int:
        """Return the value of a word."""
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
    """A command line.

    Attributes:
        flags: the options that the command has, by flag.
    """

    __slots__ = ("command", "flags", "values", "words")

    def __init__(self, command: str, flags: dict[str, Option]) -> None:
        """Hold nothing yet."""
        self.command = command
        self.flags = flags
        self.values: dict[str, object] = {}
        self.words: list[str] = []

    def value(self, flag: str) -> object:
        """Return what an option was given; None where it was not."""
        option = self.flags.get(flag)
        return None if option is None else self.values.get(option.key)

    def text(self, flag: str) -> str | None:
        """Return the last text that an option was given; None where it was not."""
        value = self.value(flag)
        if isinstance(value, list):
            value = value[-1]
        return value if isinstance(value, str) else None


def command_in(arguments: list[str]) -> str | None:
    """Return the command that arguments begin with; None where there is none."""
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
    """Return what arguments say; the command stands first, and short forms are written out.

    Raises:
        ValueError: they are no plain line, or may not be.
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
    """Take an option, and its value from the words that follow it."""
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
