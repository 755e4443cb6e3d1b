"""What to say of a word that a closed set does not hold: the nearest that it does, then all."""

from collections.abc import Iterable
from typing import Final

from ggrep.base.commands import nearest

_FEW: Final = 2
"""Words that are shown with `or` between them."""


def unknown(place: str, word: str, words: Iterable[str], *, what: str = "") -> str:
    """Return the message about a word that is none of the allowed ones.

    Args:
        place: where it stands, such as `--find`.
        word: what is none of them.
        words: what is allowed, in the order to show.
        what: it should be; empty where the place says it.
    """
    known = list(words)
    meant = nearest(word.casefold(), known)
    guess = f"did you mean: {meant}; " if meant is not None else ""
    among = " or ".join(known) if len(known) <= _FEW else f"one of {', '.join(known)}"
    return f"{place}: unknown {what}{' ' * bool(what)}{word!r}; {guess}use {among}"
