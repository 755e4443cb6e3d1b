"""Messages for command lines that typer rejects, with a guess at what was meant."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import typer

from ggrep.base.commands import nearest, spelled
from ggrep.base.errors import UsageError
from ggrep.base.shorthand import CONTEXT, EXACT, FILTERING, FILTERS, FINDS, TESTS
from ggrep.base.unknown_option import advice

CLICK_ERROR: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)
"""The base of what typer raises for wrong usage; newer typers carry a click of their own."""

_SNIPPETS = {"-l": "--long-snippet", "-c": "--content"}


def usage_error(error: Exception, arguments: Sequence[str]) -> UsageError:
    """Return typer's error as one of ours, with the intended command line where clear."""
    describe = getattr(error, "format_message", error.__str__)
    message = " ".join(str(describe()).split())
    context = getattr(error, "ctx", None)
    if context is not None:
        message = _with_advice(message, error, context, list(arguments))
    usage = UsageError(message)
    usage.__cause__ = error
    return usage


def _with_advice(message: str, error: Exception, context: typer.Context, given: list[str]) -> str:
    option = getattr(error, "option_name", None)
    if type(error).__name__ == "NoSuchOption" and isinstance(option, str):
        name = " ".join(context.command_path.split()[1:])
        told = _short_form_advice(option, context) or advice(name, option, given)
        return f"no option {option}{told}"
    if message.startswith("No such command"):
        return _command_advice(context, given)
    if message.startswith("Got unexpected extra argument"):
        return f"{message}; {_extra_advice(context, given)}"
    if type(error).__name__ == "NoArgsIsHelpError":
        return message
    return f"{message.rstrip('.')}; see: {_help_line(context)}"


def _short_form_advice(option: str, context: typer.Context) -> str:
    """Say what is wrong with a short form that could not be written out; empty for others."""
    if context.command.name == "search" and option in {*EXACT, *CONTEXT}:
        instead = _SNIPPETS.get(option)
        longer = f"; for snippets of words: {instead}" if instead else ""
        return f" for words: it goes with -F, -E or a text in double quotes{longer}"
    if context.command.name not in FILTERING or option not in {*FILTERS, *TESTS, *FINDS}:
        return ""
    if option in FILTERS:
        return f": it needs a value of its own, such as {option} py"
    return f" in that form: it stands by itself and takes no value; see: {_help_line(context)}"


def _command_advice(context: typer.Context, given: list[str]) -> str:
    """Suggest what was meant by a command that the group does not have."""
    path = context.command_path.split()[1:]
    word, others = given[len(path)], given[len(path) + 1 :]
    known = list(getattr(context.command, "commands", {}))
    meant = nearest(word, known)
    said = f"no command {' '.join((*path, word))}"
    if meant is not None:
        return f"{said}; did you mean: {spelled(*path, meant, *others)}"
    return f"{said}; there are: {', '.join(known)}"


def _extra_advice(context: typer.Context, given: list[str]) -> str:
    """Suggest how to type words beyond what a command takes."""
    if context.command.name in {"search", "slate"}:
        return _quoted(given, context)
    if len(given) == 2 and "--path" in _options(context.command) and Path(given[1]).exists():
        return f"did you mean: {spelled(given[0], '--path', given[1])}"
    return f"see: {_help_line(context)}"


def _quoted(given: list[str], context: typer.Context) -> str:
    """Return the line with the words between the options quoted as one argument."""
    switches = set(_options(context.command, flags=True))
    words, options = list[str](), list[str]()
    left = iter(given[1:])
    for argument in left:
        if not argument.startswith("-"):
            words.append(argument)
            continue
        options.append(argument)
        if argument not in switches and "=" not in argument:
            options += [next(left, "")]
    line = spelled(given[0], " ".join(words), *options)
    return f"a query of several words is one argument: {line}"


def _help_line(context: typer.Context) -> str:
    return spelled("help", *context.command_path.split()[1:])


def _options(command: object, *, flags: bool = False) -> Iterator[str]:
    """Yield the options of a command; with `flags` those alone that take no value."""
    for parameter in getattr(command, "params", ()):
        if parameter.param_type_name == "option" and (parameter.is_flag or not flags):
            yield from (*parameter.opts, *parameter.secondary_opts)
