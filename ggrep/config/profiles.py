"""Named profiles of a repository: what they add to its index, its answers and its view.

A profile with `include` makes files eligible that the built-in lists leave out, and has a store of
its own, under budgets. Every other profile answers from the store that is there and only narrows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Final, TypeVar

from ggrep.domain.corpus import CORPORA, Corpus, Mode
from ggrep.domain.filters import Filter
from ggrep.domain.request import SearchRequest, SnippetMode
from ggrep.domain.slate import Budgets, Role, SlateRequest
from ggrep.errors import InvalidRequest

T = TypeVar("T", SearchRequest, SlateRequest, Budgets)

RoleGlobs = tuple[tuple[Role, tuple[str, ...]], ...]
"""Globs by role, in the order of `ROLES`; only roles that have any."""


@dataclass(frozen=True, slots=True)
class QueryDefaults:
    """What holds for a question unless whoever asks says otherwise; None for what a profile leaves.

    Attributes:
        anchors: show the opening lines of files.
        level: how much a slate discloses; `graph` and the four behind it are for slates as well.
        max_files: packs of a slate.
        evidence_per_file: pieces of evidence in a pack.
        total_bytes: of a slate.
        file_bytes: of one file's pack.
    """

    mode: Mode | None = None
    snippet: SnippetMode | None = None
    top: int | None = None
    per_file: int | None = None
    anchors: bool | None = None
    level: int | None = None
    graph: bool | None = None
    max_files: int | None = None
    evidence_per_file: int | None = None
    total_bytes: int | None = None
    file_bytes: int | None = None

    @property
    def given(self) -> tuple[tuple[str, object], ...]:
        """Return name and value of what the profile says."""
        values = ((field.name, getattr(self, field.name)) for field in fields(self))
        return tuple((name, value) for name, value in values if value is not None)


@dataclass(frozen=True, slots=True)
class ProfileView:
    """What a profile narrows answers to.

    Attributes:
        within: filters that a hit has to pass beside those of the question.
        corpora: chunks of others are not considered.
    """

    within: tuple[Filter, ...] = ()
    corpora: tuple[Corpus, ...] = CORPORA


@dataclass(frozen=True, slots=True)
class Profile:
    """One profile.

    Attributes:
        include: gitignore patterns of files to index that the built-in lists leave out.
        exclude: gitignore patterns of files to leave out; of a profile without `include` they
            stand as filters in `view` as well, and no index is without them.
        max_bytes_indexed: of the files that only `include` makes eligible.
        max_file_size_bytes: larger files are skipped in the profile's store.
        max_store_bytes: bound of the profile's store.
    """

    name: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    max_bytes_indexed: int = 0
    max_file_size_bytes: int = 0
    max_store_bytes: int = 0
    query: QueryDefaults = QueryDefaults()
    view: ProfileView = ProfileView()

    @property
    def has_own_store(self) -> bool:
        """Tell whether it indexes what no other profile does."""
        return bool(self.include)

    @property
    def shapes_answers(self) -> bool:
        """Tell whether a question is another one under it."""
        return bool(self.query.given) or self.view != ProfileView()


@dataclass(frozen=True, slots=True)
class Profiles:
    """What a repository's file says of profiles.

    Attributes:
        default: name of the one in force where nobody asks for another; empty for none.
        profiles: by name.
        roles: globs that hold whatever the profile: daemons answer for several.
    """

    default: str = ""
    profiles: tuple[Profile, ...] = ()
    roles: RoleGlobs = ()

    def named(self, name: str) -> Profile:
        """Return the profile of that name; the empty name's adds nothing.

        Raises:
            InvalidRequest: there is none; the message lists those there are.
        """
        for profile in self.profiles:
            if profile.name == name:
                return profile
        if not name:
            return Profile("")
        known = ", ".join(profile.name for profile in self.profiles) or "none"
        raise InvalidRequest(f"profile: {name!r} is unknown here; .ggrep.toml has: {known}")


_SEARCH_FIELDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "mode": "mode",
        "snippet": "snippet",
        "limit": "top",
        "per_file": "per_file",
        "include_anchors": "anchors",
    }
)
_BUDGET_FIELDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "total_bytes": "total_bytes",
        "file_bytes": "file_bytes",
        "files": "max_files",
        "evidence_per_file": "evidence_per_file",
    }
)
_SLATE_FIELDS: Final = ("level", "anchors", "graph")


def apply_to_request(
    request: SearchRequest, given: frozenset[str], profile: Profile
) -> SearchRequest:
    """Return the request as it stands under a profile.

    Args:
        request: as whoever asks made it, with the defaults of all surfaces.
        given: fields of it that were said and not left; the profile keeps off these.
        profile: its view narrows whatever was given.

    Raises:
        InvalidRequest: the profile shows none of the corpora that were asked for.
    """
    wanted = replace(request, **_defaults(profile, _SEARCH_FIELDS, given))  # type: ignore[arg-type] # fields vary in type
    corpora = tuple(corpus for corpus in request.corpora if corpus in profile.view.corpora)
    if not corpora and request.corpora:
        shown = ", ".join(corpus.value for corpus in profile.view.corpora)
        raise InvalidRequest(f"profile {profile.name}: shows {shown} only")
    within = dict.fromkeys((*request.within, *profile.view.within))
    return replace(wanted, corpora=corpora, within=tuple(within))


def said_fields(request: SearchRequest) -> frozenset[str]:
    """Return the fields that are not as the defaults of all surfaces have them.

    For surfaces that do not keep what was said: what was said and is the default passes for not
    said.
    """
    return _unusual(request, SearchRequest(request.query))


def said_of_slate(request: SlateRequest) -> frozenset[str]:
    """Return the fields of slate, budgets and search that differ from the defaults."""
    usual = SlateRequest(request.search)
    budgets = _unusual(request.budgets, usual.budgets)
    return _unusual(request, usual) | budgets | said_fields(request.search)


def apply_to_slate(request: SlateRequest, given: frozenset[str], profile: Profile) -> SlateRequest:
    """Return the request for a slate as it stands under a profile.

    Args:
        request: as whoever asks made it.
        given: fields that were said: those of the slate, of its budgets and of its search.
        profile: as for `apply_to_request`.

    Raises:
        InvalidRequest: as `apply_to_request`.
    """
    own = {name: name for name in _SLATE_FIELDS}
    return replace(
        request,
        **_defaults(profile, own, given),  # type: ignore[arg-type] # fields vary in type
        search=apply_to_request(request.search, given, profile),
        budgets=replace(request.budgets, **_defaults(profile, _BUDGET_FIELDS, given)),  # type: ignore[arg-type] # all are numbers
    )


def _unusual(value: T, usual: T) -> frozenset[str]:
    names = (field.name for field in fields(value))
    return frozenset(name for name in names if getattr(value, name) != getattr(usual, name))


def _defaults(
    profile: Profile, names: Mapping[str, str], given: frozenset[str]
) -> dict[str, object]:
    said = dict(profile.query.given)
    return {
        field: said[name] for field, name in names.items() if name in said and field not in given
    }
