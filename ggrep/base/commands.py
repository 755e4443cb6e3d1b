"""The command names, and the rule that tells a mistyped command from a query.

A first word without blanks, capitals, digits and dots is looked at, and nothing else:

- a command, or a name that other programs give to one: it is never searched for;
- one slip away from a name of five letters or more (a letter left out, put in or wrong, two
  neighbours swapped; two slips from nine letters on), the first letter right or swapped with the
  second: it is not searched for, unless only its ending is another one (`server`, `lists`,
  `stored`) or it is one of `WORDS_OF_CODE`;
- two neighbours swapped in a name of four letters.

Everything else is a query. The standard library alone, and as little of it as can be: every
search of the console script loads this.
"""

from ggrep.base.options import ASKING, BELOW, OPTIONS

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
"""What a client types to start a daemon, before the paths. Whether the roots are to be indexed was
settled by whoever asks."""

LATER = "--later"
"""Stands in place of the paths where a socket tells them; see `ggrep.protocol.client.headstart`."""

_OWN_OPTIONS = frozenset({"--help", "-h", "--version"})
_WORD = frozenset("abcdefghijklmnopqrstuvwxyz-")


def values_of(command: str) -> frozenset[str]:
    """Return the flags of a command that a value follows."""
    from ggrep.base.reader import options_of

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
    found = [
        (distance, name)
        for name in (*COMMANDS, *OTHER_NAMES)
        if (distance := _slips(word, name)) is not None
    ]
    return min(found)[1] if found else None


def nearest(word: str, names: list[str]) -> str | None:
    """Return the name most like `word`; None where a third of it or more would have to change."""
    found = [
        (distance, not name.startswith(word), name)
        for name in names
        if (distance := _distance(word, name)) * 3 <= max(len(word), len(name))
    ]
    return min(found)[2] if found else None


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


def _distance(one: str, other: str) -> int:
    """Return how many letters to leave out, put in, replace or swap with their neighbours."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, start=1):
        older, before, row = before, row, [i]
        for j, sought in enumerate(other, start=1):
            cost = min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != sought))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == sought:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]
