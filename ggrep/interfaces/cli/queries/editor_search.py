"""`ggrep search --vimgrep`: a line a place, as an editor's list of places reads them."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.config.profiles import Profile, apply_to_request
from ggrep.daemon.asked_line import Found, SearchThenOpen
from ggrep.interfaces.cli.parsing.flags import Flag, refuse
from ggrep.interfaces.cli.queries.asked import Finder, Plan, Spot, asks_plainly
from ggrep.interfaces.cli.queries.one_answer import Question, answered, place_asked, reach
from ggrep.interfaces.cli.queries.search_options import Typed, given_fields, listing, request_of
from ggrep.interfaces.cli.terminal import open_terminal
from ggrep.model.answer_view import ViewOptions
from ggrep.model.damage import incomplete_first
from ggrep.model.limits import Notice
from ggrep.model.request import SearchRequest, SnippetMode
from ggrep.model.sanitise import sanitise_line
from ggrep.protocol.wire.message_types import Search
from ggrep.render.limits_text import limits_line
from ggrep.render.printed import Rendered

if TYPE_CHECKING:
    from ggrep.protocol.client.exchange import Exchange as Daemon
    from ggrep.protocol.client.exchange import Watcher
    from ggrep.search.engine.engine import Engine


class ForEditor(Struct, frozen=True):
    """Whether an answer is a list of places for an editor."""

    title: ClassVar = "For editors"

    vimgrep: Annotated[
        bool, Flag("--vimgrep", "Print path:line:column:text, a line a place, for quickfix lists.")
    ] = False


class SearchForEditor(Struct, frozen=True):
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

            return query_success(engine.search_or_scan(request, tell=terminal.tell))

        question: Question[Mapping[str, Any]] = Question(ask=ask, read=read, scans=True)
        document = answered(question, reached, terminal, typed.asking)
        printed = _printed(document, request, reached.root, Path.cwd())
        terminal.write_answer(printed, json=False)
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
        """Return the search, with whole chunks of words: a line is looked for in each."""
        request = listing(request_of(self.typed, scope=scope), self.typed)
        depth = SnippetMode.NONE if request.is_exact else SnippetMode.FULL
        given = given_fields(self.typed) | {"snippet", "limit"}
        return apply_to_request(replace(request, snippet=depth), given, profile)


def places(
    document: Mapping[str, Any], request: SearchRequest, root: Path, here: Path
) -> Iterator[str]:
    """Yield `path:line:column:text`; columns are bytes from 1, as editors count them.

    A hit whose lines were matched is each of its matches. Any other hit is the line that holds the
    query as it stands, else the line that names it, else its first.

    Args:
        document: the answer.
        request: what was asked for.
        root: of the repository.
        here: what paths are told from.
    """
    for hit in document["results"]:
        path = sanitise_line(os.path.relpath(root / hit["path"], here))
        for line in hit.get("lines", ()):
            for column, _ in line["columns"]:
                yield f"{path}:{line['line']}:{column}:{sanitise_line(line['text'])}"
        if "lines" in hit:
            continue
        lines = hit.get("content", "").split("\n")
        first = hit.get("content_start_line", hit["start_line"])
        at, start = _best(lines, request.query, hit.get("qualified_name", "").rpartition(".")[2])
        offset = len(lines[at][:start].encode()) + 1
        yield f"{path}:{first + at}:{offset}:{sanitise_line(lines[at])}"


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
    warnings = [Notice(each["code"], each["message"]) for each in document.get("warnings", ())]
    notes = [f"warning: {each.message}" for part in incomplete_first(warnings) for each in part]
    if cuts := limits_line(document.get("limits_hit", ())):
        notes.append(cuts)
    return Rendered(
        "".join(f"{line}\n" for line in lines),
        "".join(f"{sanitise_line(note)}\n" for note in notes),
        hits=len(lines),
    )
