"""A plain search that no daemon answered yet; without typer, which takes longer than the rest."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ggrep.cli.boundary import bounded
from ggrep.cli.one_search import Manner, Shape, search_one
from ggrep.cli.search_flags import SearchFlags
from ggrep.cli.terminal import open_terminal
from ggrep.client.headstart import HeadStart
from ggrep.clock import Clock, SystemClock
from ggrep.processes import own_age_ms, require_descriptors
from ggrep.public.places import place_of

_MODES = ("discovery", "implementation", "planning", "debug")
_LONGEST_START_MS = 5_000.0
_DEPTHS = ("full", "none", "short", "long")


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
        switches: flags without a value that were given, by name.
        values: what was given to the others, by name.
        arguments: all that was typed.
        begun_here: this process is the command, from its start.
        head: a process that has begun to become a daemon; None for none.
    """

    def act() -> int:
        require_descriptors()
        terminal = open_terminal(plain="plain" in switches)
        flags, shape, manner = given_of(words, switches, values)
        if begun_here:
            manner = replace(manner, waited_ms=waiting(SystemClock(), own_age_ms()), head=head)
        place = place_of(Path(words[1]) if len(words) == 2 else None)
        return search_one(terminal, flags, place, {}, shape, manner)

    try:
        return bounded(act, arguments)
    finally:
        if head is not None:
            head.close()


def waiting(clock: Clock, age_ms: float) -> Callable[[], float]:
    """Return what tells how long somebody has waited for a process of that age.

    One that is older than a start can take was something else before, as a script that ends in
    `exec ggrep`: nobody waited for that.
    """
    begun_ms = clock.monotonic_ms() - (age_ms if age_ms < _LONGEST_START_MS else 0.0)
    return lambda: clock.monotonic_ms() - begun_ms


def given_of(
    words: list[str], switches: set[str], values: dict[str, list[str]]
) -> tuple[SearchFlags, Shape, Manner]:
    """Return what was typed as `ggrep.cli.search` has it.

    Requires: `ggrep.entry.plain` takes it.
    """
    per_file = values.get("per_file")
    flags = SearchFlags(
        query=words[0],
        top=tuple(map(int, values.get("top", ()))),
        per_file=int(per_file[0]) if per_file else None,
        modes=(*values.get("mode", ()), *(name for name in _MODES if name in switches)),
        snippets=tuple(name for name in _DEPTHS if name in switches),
        corpus=tuple(values.get("corpus", ())),
        filters=tuple(values.get("filter", ())),
        backend="auto",
        anchors="anchors" in switches,
        deterministic="deterministic" in switches,
        explain="explain" in switches,
        keep_weak="keep_weak" in switches,
        compact="compact" in switches,
        timeout_ms=int(values.get("timeout_ms", ["0"])[0]),
    )
    shape = Shape(json="json" in switches, scores="scores" in switches, whole="full" in switches)
    return flags, shape, Manner(yes="yes" in switches, exit_status="exit_status" in switches)
