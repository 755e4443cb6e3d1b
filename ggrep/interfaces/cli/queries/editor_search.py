"""`ggrep search --vimgrep`: a line a place, as an editor's list of places reads them."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.config.profiles import apply_to_request
from ggrep.daemon.plan import Answers, Plan
from ggrep.interfaces.cli.parsing.flags import Flag, refuse
from ggrep.interfaces.cli.queries.query import Finder, RepositoryQuery, Site
from ggrep.interfaces.cli.queries.search_options import Typed, given_fields, listing, request_of
from ggrep.interfaces.cli.queries.typed_targets import Target
from ggrep.model.answer_view import ViewOptions
from ggrep.model.damage import incomplete_first
from ggrep.model.limits import Notice
from ggrep.model.request import SearchRequest, SnippetMode
from ggrep.model.sanitise import sanitise_line
from ggrep.protocol.wire.message_types import Search
from ggrep.render.limits_text import limits_line
from ggrep.render.printed import Rendered


class ForEditor(Struct, frozen=True):
    """Whether an answer is a list of places for an editor."""

    title: ClassVar = "For editors"

    vimgrep: Annotated[
        bool, Flag("--vimgrep", "Print path:line:column:text, a line a place, for quickfix lists.")
    ] = False


def search_for_editor(typed: Typed, *, form: str, workspace: bool) -> RepositoryQuery:
    """Return a search whose answer is places, as seen from the client's directory.

    Raises:
        UsageError: a flag was given that such lines do not heed.
    """
    output, hits = typed.output, typed.hits
    given = {
        "--format": form != "text",
        "--json": output.json,
        "--receipt": output.receipt is not None,
        "--scores": hits.scores,
        "--explain": hits.explain,
        "--workspace": workspace,
    }
    refuse(given, "--vimgrep")

    def find(finder: Finder) -> list[Target]:
        return [Target(finder.place_asked("search", typed))]

    def planned(site: Site) -> Plan:
        request = listing(request_of(typed, scope=site.keys[0]), typed)
        # Whole chunks of words: a line is looked for in each.
        depth = SnippetMode.NONE if request.is_exact else SnippetMode.FULL
        fields = given_fields(typed) | {"snippet", "limit"}
        request = apply_to_request(replace(request, snippet=depth), fields, site.profile)

        def printed(answers: Answers) -> Rendered:
            document = stable_json.loads(answers[0].out.encode())
            return _printed(document, request, site.root, Path(site.view.cwd))

        return Plan((Search(request, render=ViewOptions(json=True)),), printed)

    return RepositoryQuery(typed.asking, replace(output, plain=True), find, planned)


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
