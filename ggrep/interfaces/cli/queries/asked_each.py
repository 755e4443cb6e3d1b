"""Typed questions to one repository that were not asked yet, and share one answer in print."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import GgrepError
from ggrep.daemon.asked_line import Several
from ggrep.interfaces.cli.parsing.flags import Output
from ggrep.interfaces.cli.queries.asked import (
    Finder,
    InShell,
    Meant,
    Plan,
    Spot,
    asks_plainly,
    fails_empty,
    one_of,
    spot_of,
)
from ggrep.interfaces.cli.queries.batches import Batch, answered_each
from ggrep.interfaces.cli.queries.one_answer import reach, view_of
from ggrep.interfaces.cli.queries.search_options import Asking
from ggrep.interfaces.cli.terminal import open_terminal

if TYPE_CHECKING:
    from pathlib import Path

    from ggrep.model.answer_view import ViewOptions
    from ggrep.render.printed import Rendered

Answers: TypeAlias = "Sequence[Any | GgrepError]"
"""Answers in the order of the questions, or why one has none."""


class AskedEach(Struct, frozen=True):
    """Questions of one kind about names and places of one repository.

    Attributes:
        find: returns the place and the message of each question.
        printed: returns what is printed of all answers.
    """

    asking: Asking
    output: Output
    find: Callable[[Finder], Sequence[Meant]]
    printed: "Callable[[Answers, Path, ViewOptions], Rendered]"

    def answer(self) -> int:
        """Have them answered by a daemon over one connection, or from the index here."""
        terminal = open_terminal(plain=self.output.plain)
        meant = self.find(InShell())
        places = dict.fromkeys(place for place, _ in meant)
        held = {place: reach(place, terminal, self.asking.overrides) for place in places}
        reached = one_of(list(held.values()))
        messages = [at(spot_of(held[place], terminal.environ)) for place, at in meant]
        batch: Batch[Any, Any] = Batch(
            [message.request for message in messages],
            ask=lambda daemon, request, watch: daemon.ask(request, watch),
            read=lambda engine, request: engine.ask(request),
        )
        answers = answered_each(batch, reached, terminal, self.asking)
        view = view_of(terminal, json=self.output.json)
        rendered = self.printed(answers, reached.root, view)
        terminal.write_answer(rendered, json=self.output.json)
        empty = fails_empty(self.output) and not rendered.hits
        return rendered.exit_status or int(empty)

    def plan(self, finder: Finder, spot: Spot, view: "ViewOptions") -> Plan | None:
        """Return what a daemon is to do."""
        if not asks_plainly(self.asking):
            return None
        messages = [at(replace(spot, scope=place.scope)) for place, at in self.find(finder)]
        shown, fails = replace(view, json=self.output.json), fails_empty(self.output)
        if len(messages) > 1:
            several = Several(tuple(messages))
            return Plan(several, lambda answers: self.printed(answers, spot.root, shown), fails)
        return Plan(messages[0], lambda answer: self.printed([answer], spot.root, shown), fails)
