"""Reads a command line by the option table; every process that meets one reads it so.

The standard library alone, and as little of it as can be: every search loads this. A line that
gives cause to doubt is refused: abbreviations, mistakes and help are for the parser that the
command line loads then, which is made of the same declarations.
"""

from ggrep.base.options import OPTIONS

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
        """Return the value of a word.

        Raises:
            ValueError: the word is none, or another one may be meant.
        """
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
        command: its name.
        values: of what was typed, by key.
        words: its arguments, in order.
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


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
