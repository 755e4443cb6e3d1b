"""The command tree in typer, for command lines that `ggrep.base.commands` cannot parse.

Each option of a command's groups is one parameter. `help_pages` prints pages of help.
"""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ggrep.base.commands import nearest, spelled
from ggrep.base.errors import UsageError
from ggrep.base.option_spelling import (
    CONTEXT,
    EXACT,
    FILTERING,
    FILTERS,
    FINDS,
    SEARCHING,
    TESTS,
    advice,
)
from ggrep.interfaces.cli.parsing.flags import Argument, help_of
from ggrep.interfaces.cli.parsing.parameters import Command, Piece, pieces_of, run
from ggrep.interfaces.cli.parsing.tree import BELOW, COMMANDS, Entry, about


def grouped(command: Command) -> Command:
    """Return a typer command that passes option groups to the given function."""
    pieces = pieces_of(command)
    if pieces is None:
        return command
    only = inspect.Parameter.KEYWORD_ONLY
    asked = [
        inspect.Parameter(
            piece.key, only, annotation=Annotated[piece.kind, _info(piece)], default=piece.default
        )
        for piece in pieces
    ]

    def grouped_run(**given: Any) -> int:  # noqa: ANN401 - as typer reads them
        return run(command, given)

    grouped_run.__name__, grouped_run.__doc__ = command.__name__, command.__doc__
    # typer reads this attribute by `inspect.signature`.
    grouped_run.__signature__ = inspect.Signature(asked)  # type: ignore[attr-defined]
    grouped_run.__annotations__ = {each.name: each.annotation for each in asked}
    return grouped_run


def _info(piece: Piece) -> Any:  # noqa: ANN401 - typer's types
    says = piece.says
    if isinstance(says, Argument):
        return typer.Argument(help=says.help, metavar=says.metavar)
    if piece.word:
        switch = next(each for each in says.flag.switches if each.word == piece.word)
        return typer.Option(*piece.names, help=switch.help)
    return typer.Option(*piece.names, help=help_of(says), min=says.flag.least, max=says.flag.most)


def parser(arguments: Sequence[str] | None = None) -> typer.Typer:
    """Return the command tree; only the command that the arguments name gets its options."""
    whole = arguments is None
    words = () if arguments is None else tuple(arguments[:2])
    app = typer.Typer(
        name="ggrep",
        help="Search code by meaning, in one repository or in all repositories of a workspace.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    _register(app, COMMANDS, None if whole else words[:1])
    for above, below in BELOW.items():
        group = typer.Typer(help=about(above), no_args_is_help=True)
        _register(group, below, None if whole else words[1:2])
        app.add_typer(group, name=above)
    return app


def _register(
    app: typer.Typer, commands: Mapping[str, Entry], words: tuple[str, ...] | None
) -> None:
    for name, entry in commands.items():
        if words is None or name in words:
            app.command(name, help=entry.about, hidden=entry.hidden)(grouped(entry.load()))
        else:
            app.command(name, help=entry.about, hidden=entry.hidden)(_unwanted)


def _unwanted() -> None:
    """Placeholder for commands that are not on the command line."""


def _version(value: bool) -> None:
    if value:
        from ggrep import __version__

        typer.echo(f"ggrep {__version__}")
        raise typer.Exit


def _root(
    _: bool = typer.Option(
        False, "--version", help="Print the version.", callback=_version, is_eager=True
    ),
) -> None:
    """Search code by meaning, in one repository or in all repositories of a workspace."""


CLICK_ERROR: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)
"""The base class of typer's usage errors; newer versions of typer include their own click."""

_SNIPPETS = {"-l": "--long-snippet", "-c": "--content"}


def usage_error(error: Exception, arguments: Sequence[str]) -> UsageError:
    """Return typer's error as a `UsageError`, with the intended command line if that is clear."""
    describe = getattr(error, "format_message", error.__str__)
    message = " ".join(str(describe()).split())
    context = getattr(error, "ctx", None)
    if context is not None:
        message = _with_advice(message, error, context, list(arguments))
    usage = UsageError(message)
    usage.__cause__ = error
    return usage


def _with_advice(message: str, error: Exception, context: typer.Context, words: list[str]) -> str:
    option = getattr(error, "option_name", None)
    if type(error).__name__ == "NoSuchOption" and isinstance(option, str):
        name = " ".join(context.command_path.split()[1:])
        text = _short_form_advice(option, context) or advice(name, option, words)
        return f"no option {option}{text}"
    if message.startswith("No such command"):
        return _command_advice(context, words)
    if message.startswith("Got unexpected extra argument"):
        return f"{message}; {_extra_advice(context, words)}"
    if type(error).__name__ == "NoArgsIsHelpError":
        return message
    return f"{message.rstrip('.')}; see: {_help_line(context)}"


def _short_form_advice(option: str, context: typer.Context) -> str:
    """Return why a short option is not accepted; empty if no reason is known."""
    if context.command.name == "search" and option in {*EXACT, *CONTEXT}:
        instead = _SNIPPETS.get(option)
        longer = f"; for snippets of words: {instead}" if instead else ""
        return f" for words: it needs -F, -E or a text in double quotes{longer}"
    finds = FINDS if context.command.name in SEARCHING else ()
    if context.command.name not in FILTERING or option not in {*FILTERS, *TESTS, *finds}:
        return ""
    if option in FILTERS:
        return f": it needs a value, such as {option} py"
    return f" in that form: it takes no value; see: {_help_line(context)}"


def _command_advice(context: typer.Context, words: list[str]) -> str:
    """Return a suggestion for an unknown subcommand."""
    path = context.command_path.split()[1:]
    word, others = words[len(path)], words[len(path) + 1 :]
    known = list(getattr(context.command, "commands", {}))
    meant = nearest(word, known)
    message = f"no command {' '.join((*path, word))}"
    if meant is not None:
        return f"{message}; did you mean: {spelled(*path, meant, *others)}"
    return f"{message}; there are: {', '.join(known)}"


def _extra_advice(context: typer.Context, words: list[str]) -> str:
    """Return a suggestion for surplus words."""
    if context.command.name in {"search", "slate"}:
        return _quoted(words, context)
    if len(words) == 2 and "--path" in _options(context.command) and Path(words[1]).exists():
        return f"did you mean: {spelled(words[0], '--path', words[1])}"
    return f"see: {_help_line(context)}"


def _quoted(arguments: list[str], context: typer.Context) -> str:
    """Return the command line with all words of the query quoted as one argument."""
    switches = set(_options(context.command, flags=True))
    words, options = list[str](), list[str]()
    left = iter(arguments[1:])
    for argument in left:
        if not argument.startswith("-"):
            words.append(argument)
            continue
        options.append(argument)
        if argument not in switches and "=" not in argument:
            options += [next(left, "")]
    line = spelled(arguments[0], " ".join(words), *options)
    return f"write a query of several words as one argument: {line}"


def _help_line(context: typer.Context) -> str:
    return spelled("help", *context.command_path.split()[1:])


def _options(command: object, *, flags: bool = False) -> Iterator[str]:
    """Yield the options of a command; with `flags`, only options without a value."""
    for parameter in getattr(command, "params", ()):
        if parameter.param_type_name == "option" and (parameter.is_flag or not flags):
            yield from (*parameter.opts, *parameter.secondary_opts)
