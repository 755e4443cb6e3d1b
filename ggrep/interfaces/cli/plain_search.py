"""A plain search that no daemon answered; without typer, which would take most of the time."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from ggrep.base.clock import Clock, SystemClock
from ggrep.base.processes import own_age_ms, require_descriptors
from ggrep.interfaces.cli.boundary import bounded
from ggrep.interfaces.cli.flags import options_of
from ggrep.interfaces.cli.one_search import Start, search_one
from ggrep.interfaces.cli.options import Asking, Hits, Kept, Question
from ggrep.interfaces.cli.search_flags import Typed
from ggrep.interfaces.cli.terminal import open_terminal
from ggrep.protocol.client.headstart import HeadStart
from ggrep.service.places import place_of

G = TypeVar("G")

_LONGEST_START_MS: Final = 5_000.0


def search_plainly(
    words: list[str],
    switches: set[str],
    values: dict[str, list[str]],
    arguments: list[str],
    *,
    begun_here: bool,
    head: HeadStart | None = None,
) -> int:
    """Search one repository; return the exit status.

    Args:
        words: the query, and the path if one was given.
        switches: options that were given and take no value.
        values: what was given to the others, or words that flags stand for, by option.
        arguments: all that was typed.
        begun_here: this process is the command, from its start.
        head: a process that has begun to become a daemon; None for none.
    """

    def act() -> int:
        require_descriptors()
        terminal = open_terminal(plain="plain" in switches)
        typed = given_of(words, switches, values)
        start = Start(waiting(SystemClock(), own_age_ms()), head) if begun_here else Start()
        place = place_of(Path(words[1]) if len(words) == 2 else None)
        return search_one(terminal, typed, place, start)

    try:
        return bounded(act, arguments)
    finally:
        if head is not None:
            head.close()


def waiting(clock: Clock, age_ms: float) -> Callable[[], float]:
    """Return a function that tells how long the user has waited for this process.

    One that is older than a start can take was something else before, as a script that ends in
    `exec ggrep`: nobody waited for that.
    """
    begun_ms = clock.monotonic_ms() - (age_ms if age_ms < _LONGEST_START_MS else 0.0)
    return lambda: clock.monotonic_ms() - begun_ms


def given_of(words: list[str], switches: set[str], values: dict[str, list[str]]) -> Typed:
    """Return the typed options in the form of `ggrep.interfaces.cli.search`.

    Requires: `ggrep.interfaces.entry.plain` takes it.
    """

    def group(kind: type[G]) -> G:
        given: dict[str, object] = {}
        for option in options_of(kind):
            texts = values.get(option.name)
            if option.name in switches:
                given[option.name] = True
            elif texts and option.kind == tuple[str, ...]:
                given[option.name] = tuple(texts)
            elif texts:
                number = int(texts[0])
                given[option.name] = (number,) if option.kind == tuple[int, ...] else number
        return kind(**given)

    return Typed(
        query=words[0],
        question=group(Question),
        hits=group(Hits),
        asking=group(Asking),
        output=group(Kept),
    )
