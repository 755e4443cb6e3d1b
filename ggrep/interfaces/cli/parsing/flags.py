"""Options of the command line, each declared once: on a field of an option group, a Struct.

    class HitOptions(Struct, frozen=True):
        of: ClassVar = (SearchRequest,)
        per_file: Annotated[int | None, Flag("--per-file")] = None

An option with the name of a field of a request in `of` copies the field's help, words, bounds and
default (`ggrep.model.field_meta`). None, or an empty value, means that the option was not typed.
Options that many commands share are at the end of the module. This module does not import typer.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias, get_args, get_origin

from msgspec import NODEFAULT, Struct
from msgspec.structs import FieldInfo, fields

from ggrep.base.errors import InvalidRequest, UsageError
from ggrep.base.option_spelling import unknown
from ggrep.config.languages import check_languages
from ggrep.model.corpus import CORPORA, CORPUS_WORDS, Corpus
from ggrep.model.field_meta import Field, field_of
from ggrep.model.filters import Filter, check_filters, parse_filter

Takes = Literal[
    "text", "profile", "repository", "tag", "store", "root", "filter", "command", "client"
]
"""Kind of the values, for completions."""


class Switch(Struct, frozen=True):
    """A flag without a value that sets an option to one word."""

    names: str
    word: str
    help: str


class Flag(Struct, frozen=True):
    """Declaration of the option that sets a field of an option group.

    Attributes:
        names: spellings, separated by blanks; empty if there are only switches.
        help: help text; empty for the text of the request's field.
        switches: flags without a value; each adds its word to the option's tuple of words.
        read: converts a typed value to the request's value; None to convert by type.
        judged: the command line refuses numbers below the minimum of the request's field.
        least: minimum, if no field of a request declares one; `most` is the maximum.
        words: allowed values, if no field of a request declares them; empty for any value.
        takes: kind of its values, for completions.
    """

    names: str
    help: str = ""
    switches: tuple[Switch, ...] = ()
    read: Callable[[Any], object] | None = None
    judged: bool = False
    least: float | None = None
    most: float | None = None
    words: tuple[str, ...] = ()
    takes: Takes = "text"

    @property
    def shown(self) -> str:
        """Return the flag's name in messages."""
        return (self.names or self.switches[0].names).split()[0].partition("/")[0]


class Argument(Struct, frozen=True):
    """A positional argument, declared on a parameter of the command.

    Attributes:
        metavar: name on the help page; None for the name of the parameter.
        words: allowed values; empty for any.
        takes: kind of thing that it names, for completions.
    """

    help: str
    metavar: str | None = None
    words: tuple[str, ...] = ()
    takes: Takes = "text"


class Option(Struct, frozen=True):
    """One field of a group.

    Attributes:
        kind: annotated type of the field, such as `int | None` or `tuple[str, ...]`.
        default: value of the option if it is not typed.
        of: the request whose field of the same name the option sets; None if there is none.
    """

    name: str
    kind: Any
    flag: Flag
    default: object
    of: type | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """Return the allowed words; none if any value is allowed."""
        return self.flag.words or (() if self.of is None else self.field.words)

    @property
    def resting(self) -> bool:
        """Return the value of a boolean option whose flag is not typed; a typed flag inverts it."""
        return bool(self.field.default if self.default is None else self.default)

    @property
    def field(self) -> "_Field":
        """Return the request's field that the option sets. Requires: the option sets a field."""
        assert self.of is not None  # noqa: S101 - as required
        return _fields_of(self.of)[self.name]

    def is_typed(self, value: object) -> bool:
        """Return whether a value differs from both the option's and the request's default."""
        return value != self.default and (self.of is None or value != self.field.default)


class _Field(Struct, frozen=True):
    """A field of a request; `kind` is its type without None, `words` are its allowed values."""

    kind: Any
    says: Field | None
    default: object

    @property
    def words(self) -> tuple[str, ...]:
        if self.kind == tuple[Corpus, ...]:
            return ("all", *CORPUS_WORDS)
        if get_origin(self.kind) is Literal:
            return tuple(get_args(self.kind))
        if isinstance(self.kind, type) and issubclass(self.kind, Enum):
            return tuple(str(member.value) for member in self.kind)
        return () if self.says is None else self.says.words


@cache
def options_of(group: type) -> tuple[Option, ...]:
    """Return the options of a group, in declaration order."""
    requests: tuple[type, ...] = getattr(group, "of", ())
    results = []
    for each in fields(group):
        of = next((request for request in requests if each.name in _fields_of(request)), None)
        option = option_of(each.name, each.type, _default(each), of)
        results += [] if option is None else [option]
    return tuple(results)


def option_of(
    name: str,
    hint: Any,  # noqa: ANN401 - any type
    default: object,
    of: type | None = None,
) -> Option | None:
    """Return the option that an annotation declares; None for other annotations."""
    if get_origin(hint) is not Annotated:
        return None
    kind, *notes = get_args(hint)
    flag = next((note for note in notes if isinstance(note, Flag)), None)
    return None if flag is None else Option(name, kind, flag, default, of)


def help_of(option: Option) -> str:
    """Return an option's help: its purpose, allowed words and default."""
    flag = option.flag
    if option.of is None:
        return flag.help
    field = option.field
    text = flag.help or (field.says.text if field.says is not None else "")
    if field.words and ":" not in text:
        text = f"{text.rstrip('.')}: {either(field.words)}."
    default = field.default.value if isinstance(field.default, Enum) else field.default
    is_shown = isinstance(default, int | str) and not isinstance(default, bool) and bool(default)
    return f"{text} [default: {default}]" if is_shown and option.default in {None, ()} else text


def request_fields(kind: type, *groups: object) -> dict[str, Any]:
    """Return the typed options of all groups as values of a request's fields, by field name."""
    known = _fields_of(kind)
    results = {}
    for group in groups:
        for option in options_of(type(group)):  # type: ignore[arg-type] # types are hashable
            value = getattr(group, option.name)
            nothing = value is None or value == () or (value is False and option.default is False)
            if option.of is not None and option.name in known and not nothing:
                results[option.name] = _meant(option, value)
    return results


def typed_flags(group: object) -> list[str]:
    """Return the names of a group's options that were typed."""
    return [
        option.flag.shown
        for option in options_of(type(group))  # type: ignore[arg-type] # types are hashable
        if option.is_typed(getattr(group, option.name))
    ]


def either(words: tuple[str, ...]) -> str:
    """Join words for a sentence: `a, b or c`."""
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def one_of(flag: str, word: str, words: tuple[str, ...]) -> str:
    """Return the word if it is allowed; else raise."""
    if word in words:
        return word
    raise UsageError(unknown(flag, word, words))


def require_known(option: Option, value: object) -> None:
    """Raise if a typed word is not one of the option's allowed words."""
    if option.words and option.flag.read is None:
        for word in value if isinstance(value, list | tuple) else [value]:
            if isinstance(word, str):
                one_of(option.flag.shown, word, option.words)


def _meant(option: Option, value: Any) -> object:  # noqa: ANN401 - of any option
    flag, field = option.flag, option.field
    if flag.read is not None:
        return flag.read(value)
    if taken := _TAKEN.get(field.kind):
        return taken(flag.shown, value)
    require_known(option, value)
    if isinstance(value, str) and isinstance(field.kind, type) and issubclass(field.kind, Enum):
        return field.kind(value)
    if flag.judged and field.says is not None and value < field.says.least:
        fault = "is negative" if not field.says.least else f"is less than {field.says.least}"
        raise UsageError(f"{flag.shown}: {value} {fault}")
    return value


def _corpora(flag: str, words: tuple[str, ...]) -> tuple[Corpus, ...]:
    for word in words:
        if one_of(flag, word, ("all", *CORPUS_WORDS)) == "all":
            return CORPORA
    chosen = {CORPUS_WORDS[word] for word in words}
    return tuple(corpus for corpus in CORPORA if corpus in chosen)


def _filters(flag: str, texts: tuple[str, ...]) -> tuple[Filter, ...]:
    try:
        results = tuple(parse_filter(text) for text in texts)
    except InvalidRequest as error:
        raise UsageError(f"{flag}: {error}") from error
    # Errors have the text that a daemon returns if it parses the same command line.
    check_filters(results)
    check_languages(results)
    return results


_TAKEN: Final[Mapping[object, Callable[[str, Any], object]]] = {
    tuple[Corpus, ...]: _corpora,
    tuple[Filter, ...]: _filters,
}
"""Converters of typed words, by the type of the request's field."""


@cache
def _fields_of(kind: type) -> Mapping[str, _Field]:
    results = {}
    for each in fields(kind):
        says, wanted = field_of(each.type)
        results[each.name] = _Field(wanted, says, _default(each))
    return results


def _default(field: FieldInfo) -> object:
    return None if field.default is NODEFAULT else field.default


EncoderFlag: TypeAlias = Annotated[
    str | None, Flag("--encoder", "Use this encoder instead of the configured one.")
]
RepoFlag: TypeAlias = Annotated[
    Path | None, Flag("--repo", "Query this repository instead of the current one.", takes="root")
]
RemoteFlag: TypeAlias = Annotated[
    str | None, Flag("--remote", "Remote to use; default: the only one, or origin.")
]
ProfileFlag: TypeAlias = Annotated[
    str | None,
    Flag("--profile", "Use this profile of the repository's .ggrep.toml.", takes="profile"),
]
YesFlag: TypeAlias = Annotated[bool, Flag("--yes -y", "Do not ask for confirmation.")]
JsonFlag: TypeAlias = Annotated[bool, Flag("--json", "Print one JSON document.")]
PlainFlag: TypeAlias = Annotated[
    bool, Flag("--plain", "Print no colours and no progress messages.")
]
PathFlag: TypeAlias = Annotated[
    Path | None, Flag("--path -p", "Use the repository that contains this directory.")
]


class Output(Struct, frozen=True):
    """How an answer is printed."""

    title: ClassVar = "Output"

    json: JsonFlag = False
    plain: PlainFlag = False


def refuse(given: Mapping[str, bool], form: str) -> None:
    """Raise if a flag was typed that the output format does not support."""
    if named := [flag for flag, is_typed in given.items() if is_typed]:
        raise UsageError(f"{', '.join(named)}: not with {form}")
