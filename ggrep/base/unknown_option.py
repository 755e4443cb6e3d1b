"""Names an option that a command does not have, and the line that was probably meant.

The standard library alone: a slip of the hand is answered without the command line's parser.
"""

from ggrep.base.commands import COMMANDS, STARTING, nearest, slip_of, spelled
from ggrep.base.options import OPTIONS
from ggrep.base.reader import command_in, options_of

_EVERYWHERE = frozenset({"--help", "--color", "--no-pager"})
_MOST_OTHERS = 3
_OTHER_TOOLS = {"limit": "--max", "max-results": "--max", "max-count": "--max"}
"""Names that other tools give to an option of ours."""


def unknown_option(arguments: list[str]) -> str | None:
    """Return what to say of the first long option that the command does not have.

    Returns:
        None where there is none, and where short forms leave it to the command line's parser.
    """
    name = command_in(arguments)
    if name is None or arguments[: len(STARTING)] == STARTING:
        return None
    flags, _ = options_of(name)
    words = iter(arguments[name.count(" ") + 1 :])
    for word in words:
        option, equals, _ = word.partition("=")
        if option in flags:
            if flags[option].takes_value and not equals:
                next(words, None)
        elif word == "--" or (word.startswith("-") and not word.startswith("--")):
            return None
        elif word.startswith("--") and option not in _EVERYWHERE:
            return f"no option {option}{advice(name, option, arguments)}"
    return None


def advice(name: str, option: str, arguments: list[str]) -> str:
    """Return what may be meant by an option that the command `name` does not have."""
    at = next(
        (at for at, word in enumerate(arguments) if _is_spelled(word, option)), len(arguments)
    )
    if name == "search" and at < 2:
        # What began with an option was taken for a search, whatever was meant.
        whole = _first_option_meant(arguments[1])
        if whole is not None:
            return f"; did you mean: {spelled(whole, *arguments[2:])}"
    flags, _ = options_of(name)
    known = {each.lstrip("-"): each for each in (*flags, "--help")}
    known |= {other: ours for other, ours in _OTHER_TOOLS.items() if ours in flags}
    meant = nearest(option.lstrip("-"), list(known))
    if meant is not None and at < len(arguments):
        mended = known[meant] + arguments[at][len(option) :]
        return f"; did you mean: {spelled(*arguments[:at], mended, *arguments[at + 1 :])}"
    see = f"; see: {spelled('help', *name.split())}"
    others = [other for other in OPTIONS if option in options_of(other)[0]]
    if others:
        named = ", ".join(spelled(*other.split()) for other in others[:_MOST_OTHERS])
        return f", which is one of {named}{see}"
    return see


def _first_option_meant(option: str) -> str | None:
    """Return the command, or the global option, that was typed as an option."""
    word = option.lstrip("-")
    if word in {"v", "V"} or nearest(word, ["version"]):
        return "--version"
    name = word if word in COMMANDS else slip_of(word)
    return name if name in COMMANDS else None


def _is_spelled(word: str, option: str) -> bool:
    if option.startswith("--"):
        return word.partition("=")[0] == option
    return word.startswith(option)
