"""`ggrep search --vimgrep`: a line a place, as an editor's list of places reads them."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final

from ggrep.base import stable_json
from ggrep.base.errors import NoIndex
from ggrep.config.profiles import Profile, apply_to_request
from ggrep.daemon.asked_line import Found, SearchThenOpen
from ggrep.interfaces.cli.parsing.flags import Flag, refuse
from ggrep.interfaces.cli.queries.asked import Finder, Plan, Spot, asks_plainly
from ggrep.interfaces.cli.queries.one_answer import Question, answered, place_asked, reach
from ggrep.interfaces.cli.queries.search_options import Typed, given_fields, request_of
from ggrep.interfaces.cli.terminal import open_terminal
from ggrep.interfaces.surfaces.agent_search import MOST_MATCHING, pattern_of
from ggrep.model.answer_view import ViewOptions
from ggrep.model.request import Find, SearchRequest, SnippetMode
from ggrep.model.sanitise import sanitise_line
from ggrep.protocol.wire.message_types import Search
from ggrep.render.printed import Rendered

if TYPE_CHECKING:
    from ggrep.protocol.client.exchange import Exchange as Daemon
    from ggrep.protocol.client.exchange import Watcher
    from ggrep.search.engine.engine import Engine

_QUOTED: Final = re.compile(r'\s*"([^"]*[^"\s][^"]*)"\s*')
"""A query that is nothing but a text in double quotes."""


@dataclass(frozen=True, slots=True)
class ForEditor:
    """Whether an answer is a list of places for an editor."""

    title: ClassVar = "For editors"

    vimgrep: Annotated[
        bool, Flag("--vimgrep", "Print path:line:column:text, a line a place, for quickfix lists.")
    ] = False


@dataclass(frozen=True, slots=True)
class SearchForEditor:
    """A search of one repository, as typed."""

    typed: Typed

    def check(self, *, form: str, workspace: bool) -> None:
        """Raise if a flag was given that such lines do not heed.

        Raises:
            UsageError: says which.
        """
        output, hits = self.typed.output, self.typed.hits
        given = {
            "--format": form != "text",
            "--json": output.json,
            "--receipt": output.receipt is not None,
            "--scores": hits.scores,
            "--explain": hits.explain,
            "--workspace": workspace,
        }
        refuse(given, "--vimgrep")

    def answer(self) -> int:
        """Search, and print the places below the current directory as it sees them."""
        typed = self.typed
        terminal, place = open_terminal(plain=True), place_asked("search", typed)
        reached = reach(place, terminal, typed.asking.overrides)
        request = self._meant(reached.scope, reached.address.profile)

        def ask(daemon: "Daemon", watch: "Watcher | None") -> Mapping[str, Any]:
            printed = daemon.search(request, ViewOptions(json=True), watch)
            document: Mapping[str, Any] = stable_json.loads(printed.out.encode())
            return document

        def read(engine: "Engine") -> Mapping[str, Any]:
            from ggrep.render.query_json import query_success

            try:
                return query_success(engine.search(request))
            except NoIndex as error:
                terminal.tell(str(error))
                return query_success(engine.scan(request))

        question: Question[Mapping[str, Any]] = Question(ask=ask, read=read, scans=True)
        document = answered(question, reached, terminal, typed.asking)
        printed = _printed(document, request, reached.root, Path.cwd())
        terminal.write_answer(printed.out, printed.err, json=False)
        return 1 if typed.output.exit_status and not printed.hits else 0

    def plan(self, finder: Finder, spot: Spot, view: ViewOptions) -> Plan | None:
        """Return what a daemon is to do; a receipt is refused."""
        typed = self.typed
        if not asks_plainly(typed.asking):
            return None
        request = self._meant(finder.place_asked("search", typed).scope, spot.profile)

        def printed(found: Found) -> Rendered:
            document, _ = found
            return _printed(document, request, spot.root, Path(view.cwd))

        message = SearchThenOpen(Search(request), lambda _: ())
        return Plan(message, printed, typed.output.exit_status)

    def _meant(self, scope: str, profile: Profile) -> SearchRequest:
        """Return the search, with whole chunks: a line is looked for in each.

        Of a text all lines are wanted, however many a file holds.
        """
        typed = self.typed
        request = replace(request_of(typed, scope=scope), snippet=SnippetMode.FULL)
        given = given_fields(typed) | {"snippet"}
        if _text_in(request) is not None:
            request = replace(
                request,
                per_file=request.per_file if "per_file" in given else 0,
                limit=request.limit if "limit" in given else MOST_MATCHING,
            )
            given |= {"per_file", "limit"}
        return apply_to_request(request, given, profile)


def places(
    document: Mapping[str, Any], request: SearchRequest, root: Path, here: Path
) -> Iterator[str]:
    """Yield `path:line:column:text`; columns are bytes from 1, as editors count them.

    A hit of a search for a text, as of one in double quotes, is each of its lines that match, any
    other the line that holds the query as it stands, else the line that names it, else its first.

    Args:
        document: the answer.
        request: what was asked for.
        root: of the repository.
        here: what paths are told from.
    """
    pattern = _text_in(request)
    for hit in document["results"]:
        lines = hit.get("content", "").split("\n")
        first = hit.get("content_start_line", hit["start_line"])
        path = sanitise_line(os.path.relpath(root / hit["path"], here))
        found = list(_matches(lines, pattern)) if pattern else []
        if not found:
            found = [_best(lines, request.query, hit.get("qualified_name", "").rpartition(".")[2])]
        for at, column in found:
            offset = len(lines[at][:column].encode()) + 1
            yield f"{path}:{first + at}:{offset}:{sanitise_line(lines[at])}"


def _text_in(request: SearchRequest) -> re.Pattern[str] | None:
    """Return what a line has to hold; None where no text is looked for."""
    quoted = _QUOTED.fullmatch(request.query)
    if quoted is None or request.find is not Find.AUTO:
        return pattern_of(request)
    return re.compile(r"\s+".join(map(re.escape, quoted[1].split())), re.IGNORECASE)


def _best(lines: list[str], query: str, name: str) -> tuple[int, int]:
    """Return the line and column that stand for a hit."""
    for text, flags in ((query.strip(), re.IGNORECASE), (name, re.NOFLAG)):
        if text and (at := next(_matches(lines, re.compile(re.escape(text), flags)), None)):
            return at
    return 0, 0


def _matches(lines: list[str], pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    for at, line in enumerate(lines):
        found = pattern.search(line)
        if found is not None:
            yield at, found.start()


def _printed(
    document: Mapping[str, Any], request: SearchRequest, root: Path, here: Path
) -> Rendered:
    """Return the places, and beside them what is amiss with them."""
    lines = list(places(document, request, root, here))
    notes = [
        f"warning: {each['message']} ({each['code']})" for each in document.get("warnings", ())
    ]
    for cut in document.get("limits_hit", ()):
        seen = f" of {cut['observed']}" if "observed" in cut else ""
        notes.append(f"limit: {cut['code']} {cut['limit']}{seen}")
    return Rendered(
        "".join(f"{line}\n" for line in lines),
        "".join(f"{sanitise_line(note)}\n" for note in notes),
        hits=len(lines),
    )
