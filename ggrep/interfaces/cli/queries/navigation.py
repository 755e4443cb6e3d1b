"""`ggrep symbol`, `ggrep refs` and `ggrep expand`: definitions, usages, surrounding code."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar, TypeAlias

from ggrep.interfaces.cli.parsing.flags import Argument, Flag, Output, said
from ggrep.interfaces.cli.queries.asked import Asked, Finder, Meant
from ggrep.interfaces.cli.queries.search_options import Asking, Found
from ggrep.model.answer_view import ViewOptions
from ggrep.model.filters import keys_told
from ggrep.model.navigation import ExpandRequest, ExpandResponse, ReferencesRequest, SymbolRequest
from ggrep.protocol.wire.message_types import Expand, References, Symbol
from ggrep.render.printed import Rendered
from ggrep.render.slate_answer import render_expansion, render_references, render_symbol

_Name: TypeAlias = Annotated[str, Argument("A name, or container.name.")]
_Path: TypeAlias = Annotated[str | None, Argument("Search only this directory or file.")]
_FILTER = Flag(
    "--filter",
    f"Search only files that match {keys_told('kind', 'corpus')}; negate with a leading -.",
    of=SymbolRequest,
)


@dataclass(frozen=True, slots=True)
class Definitions:
    """Which definitions are shown."""

    title: ClassVar = "Definitions"

    limit: Annotated[int | None, Flag("-m --max", of=SymbolRequest, judged=True)] = None
    filters: Annotated[tuple[str, ...], _FILTER] = ()


@dataclass(frozen=True, slots=True)
class Mentions:
    """Which occurrences are shown."""

    title: ClassVar = "Mentions"

    limit: Annotated[int | None, Flag("-m --max", of=ReferencesRequest, judged=True)] = None
    strings: Annotated[
        bool, Flag("--strings", "Also show occurrences in strings.", of=ReferencesRequest)
    ] = False
    comments: Annotated[
        bool,
        Flag(
            "--comments", "Also show occurrences in comments and documents.", of=ReferencesRequest
        ),
    ] = False
    filters: Annotated[tuple[str, ...], _FILTER] = ()


@dataclass(frozen=True, slots=True)
class Extent:
    """How much is shown around a place."""

    title: ClassVar = "Extent"

    boundary: Annotated[str | None, Flag("--boundary", "How much to show", of=ExpandRequest)] = None
    max_bytes: Annotated[int | None, Flag("--max-bytes", of=ExpandRequest, judged=True)] = None


def symbol(
    name: _Name, wanted: Definitions, output: Found, asking: Asking, path: _Path = None
) -> Asked:
    """Show where a name is defined."""
    asking.check()
    given = said(SymbolRequest, wanted, asking)

    def find(finder: Finder) -> Meant:
        place = finder.place(asking.repo, path)
        return place, lambda spot: Symbol(SymbolRequest(name, spot.scope, **given))

    return Asked(asking, output, find, render_symbol)


def references(
    name: _Name, wanted: Mentions, output: Found, asking: Asking, path: _Path = None
) -> Asked:
    """Show where a name is used."""
    asking.check()
    given = said(ReferencesRequest, wanted, asking)

    def find(finder: Finder) -> Meant:
        place = finder.place(asking.repo, path)
        return place, lambda spot: References(ReferencesRequest(name, spot.scope, **given))

    return Asked(asking, output, find, render_references)


def expand(
    target: Annotated[str, Argument("A path, path:line, path:line-line or row id.")],
    extent: Extent,
    output: Output,
    asking: Asking,
) -> Asked:
    """Show the code around a place."""
    asking.check()
    given = said(ExpandRequest, extent, asking)

    def find(finder: Finder) -> Meant:
        wanted = finder.target(target, asking.repo)
        return wanted.place, lambda spot: Expand(ExpandRequest(wanted.key(spot.scope), **given))

    return Asked(asking, output, find, _whole_lines)


def _whole_lines(response: ExpandResponse, root: Path, view: ViewOptions) -> Rendered:
    return render_expansion(response, root, replace(view, whole=True))
