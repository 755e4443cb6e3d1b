"""Messages between coordinator and repositories about a name, and cursors of result pages."""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable
from typing import Annotated, Final, Literal, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest
from ggrep.base.scripts import nfc
from ggrep.base.stable_json import DecodeError, Json, decode
from ggrep.model.containers import DefinedName, Family, Fit
from ggrep.model.field_meta import MOST_ITEMS, MOST_PATH_BYTES, WireBounds
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.navigation import (
    MOST_TOKEN_BYTES,
    DefinedAt,
    Definition,
    OutsideName,
    Reference,
    ReferencesRequest,
    SymbolRequest,
)
from ggrep.model.request import Request
from ggrep.model.response import Provenance
from ggrep.model.sanitise import is_text, sanitise_line

NameStep: TypeAlias = Literal["spelled", "other_case", "near"]
"""Matching rules: exact spelling, other letter case, or similar names."""

SYMBOL_STEPS: Final[tuple[NameStep, ...]] = ("spelled", "other_case", "near")
REFERENCE_STEPS: Final[tuple[NameStep, ...]] = ("spelled", "other_case")

MAX_SUGGESTIONS: Final = 5
"""Maximum number of suggested names in an answer."""

MAX_ORIGINS: Final = 3
"""Maximum number of packages that an answer lists for a name without a definition."""

MOST_CONSUMED: Final = 1_000_000
"""Maximum number of locations of a repository on earlier pages."""
MOST_IMPORTERS: Final = 2_000
MOST_IMPORTED: Final = 256
"""Maximum number of sent imports of a file."""

_Snapshot: TypeAlias = Annotated[str | None, WireBounds(26)]
_Skip: TypeAlias = Annotated[int, WireBounds(MOST_CONSUMED)]


class SymbolPoolRequest(Request["SymbolPool"], frozen=True):
    """Request for the definitions that match a name by a given rule.

    Attributes:
        asked: the client's request; its `limit` does not count the first `skip` definitions.
        skip: number of definitions on earlier pages.
        snapshot_id: the snapshot to use; None for the active snapshot.
    """

    asked: SymbolRequest
    step: NameStep = "spelled"
    skip: _Skip = 0
    snapshot_id: _Snapshot = None


class ReferencesPoolRequest(Request["ReferencesPool"], frozen=True):
    """Request for the occurrences that match a name by a given rule; see SymbolPoolRequest.

    Attributes:
        family: the requested containers, and other containers that define the name; None to derive
            them from the repository's definitions.
    """

    asked: ReferencesRequest
    step: NameStep = "spelled"
    skip: _Skip = 0
    snapshot_id: _Snapshot = None
    family: Family | None = None


class PooledDefinition(Struct, frozen=True):
    """A definition with its sort keys.

    Attributes:
        test: whether its file looks like a test.
        declared_only: whether the definition has no body.
        column: column of the name, 1-based.
    """

    definition: Definition
    test: bool
    declared_only: bool
    column: int


class NearName(Struct, frozen=True):
    """A suggested name.

    Attributes:
        order: the first sort key of suggestions.
        term: the normalised name, if it is similar to the requested name; empty for the requested
            name in another container or spelling.
        path: path of the file that defines the name.
    """

    name: str
    order: tuple[int, ...]
    term: str
    path: str


class SymbolPool(Struct, frozen=True):
    """The reply to a SymbolPoolRequest.

    Attributes:
        fit: how well the repository's best definitions match the requested container, see `Fit`.
        definitions: definitions with that fit, in answer order.
        total: number of definitions, sent or not.
        implementations: the first implementations, each with whether its file looks like a test.
        implementations_total: number of implementations, sent or not.
        spellings: the first few spellings of the name in the definitions.
        near: the first few suggested names.
        selects: for each filter, for the scope and for all of them together, whether any indexed
            file matches; empty unless `spelled` is the rule and matches no definition.
    """

    provenance: Provenance
    fit: Fit
    definitions: tuple[PooledDefinition, ...]
    total: int
    spellings: tuple[str, ...]
    near: tuple[NearName, ...]
    limits_hit: tuple[LimitHit, ...]
    warnings: tuple[Notice, ...]
    selects: tuple[bool, ...] = ()
    implementations: tuple[tuple[DefinedAt, bool], ...] = ()
    implementations_total: int = 0
    outside: tuple[OutsideName, ...] = ()


class PooledReference(Struct, frozen=True):
    """An occurrence of a name, and whether its file looks like a test."""

    reference: Reference
    test: bool


class Importer(Struct, frozen=True):
    """Imports of a file, as written, that the file's repository does not provide."""

    path: Annotated[str, WireBounds(MOST_PATH_BYTES)]
    language: Annotated[str, WireBounds(64)]
    imports: Annotated[tuple[str, ...], WireBounds(MOST_IMPORTED, each=(0, 512))]


class ReferencesPool(Struct, frozen=True):
    """The reply to a ReferencesPoolRequest.

    Attributes:
        references: occurrences in answer order.
        totals: numbers of occurrences by kind in parsed files, sent or not.
        mentions: number of occurrences in `mention_files` files that were not parsed.
        other_spelling: the first name with another spelling than requested.
        importers: the files of `references` that import from other repositories.
        left: number of usages that name another container; they are part of `totals` but never
            sent.
        doubtful: number of usages that name no container; they are part of `totals` and sent last.
        defined: definitions in answer order: all definitions of a qualified name, for classifying
            its usages; the first few of an unqualified name.
        selects: as in `SymbolPool`.
    """

    provenance: Provenance
    references: tuple[PooledReference, ...]
    totals: tuple[tuple[str, int], ...]
    other_spelling: NearName | None
    importers: tuple[Importer, ...]
    limits_hit: tuple[LimitHit, ...]
    warnings: tuple[Notice, ...]
    left: int = 0
    doubtful: int = 0
    mentions: int = 0
    mention_files: int = 0
    defined: tuple[DefinedName, ...] = ()
    selects: tuple[bool, ...] = ()
    outside: tuple[OutsideName, ...] = ()


class ImportsRequest(Request["ImportsResponse"], frozen=True):
    """A request that asks which imports in other repositories' files this repository provides."""

    importers: Annotated[tuple[Importer, ...], WireBounds(MOST_IMPORTERS)]
    snapshot_id: _Snapshot = None
    timeout_ms: Annotated[int, WireBounds(MOST_ITEMS)] = 0


class ImportsResponse(Struct, frozen=True):
    """For each importer, whether this repository provides any of its imports."""

    provided: tuple[bool, ...]


MAX_SYMBOLS: Final = 2_000
"""Maximum number of definitions in an answer."""
MAX_REFERENCES: Final = 2_000
"""Maximum number of mentions in an answer."""
KNOWN_IMPLEMENTATIONS: Final = 300
"""Maximum number of implementations that are counted, shown or not."""
MAX_NAME_CHARACTERS: Final = 400
_UNPRINTED: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_RULE: Final = (
    f"a name must be one line of 1 to {MAX_NAME_CHARACTERS} characters as `ggrep "
    "outline FILE` prints"
    " it; `ggrep search` takes any text"
)

_Asked = TypeVar("_Asked", SymbolRequest, ReferencesRequest)


def check_spelling(typed: str) -> None:
    """Check that a text can be a name or the head of a definition.

    Raises:
        InvalidRequest: the text cannot be a name; the message contains the rule.
    """
    name = typed.strip()
    if not is_text(name):
        wrong = f"{name!r} is not valid Unicode"
    elif not name:
        wrong = f"{typed!r} is empty"
    elif _UNPRINTED.search(name):
        wrong = f"{name!r} contains line ends or control characters"
    elif len(name) > MAX_NAME_CHARACTERS:
        wrong = f"the name has {len(name)} characters"
    else:
        return
    raise InvalidRequest(f"name: {wrong}; {_RULE}")


def clamped(request: _Asked) -> tuple[_Asked, tuple[LimitHit, ...]]:
    """Return the request with a capped limit, and the limit hit; 0 becomes the maximum."""
    code = limit_code(request)
    most = MAX_SYMBOLS if code == "max_symbols" else MAX_REFERENCES
    limits = (LimitHit(code, most, request.limit),) if request.limit > most else ()
    return replace(request, limit=min(request.limit or most, most)), limits


def limit_code(request: SymbolRequest | ReferencesRequest) -> str:
    """Return the code of the limit for this kind of request."""
    return "max_symbols" if isinstance(request, SymbolRequest) else "max_references"


def most_implementations(request: SymbolRequest) -> int:
    """Return the maximum number of implementations to search for."""
    return max(request.limit, KNOWN_IMPLEMENTATIONS)


def implementation_cut(request: SymbolRequest, total: int) -> tuple[LimitHit, ...]:
    """Return the limit that cut the implementations of an answer; empty if all are shown."""
    known = total if total <= most_implementations(request) else None
    cut = LimitHit("max_implementations", request.limit, known)
    return (cut,) if total > request.limit else ()


def other_case(name: str, spellings: Iterable[str]) -> tuple[Notice, ...]:
    """Return the warning that the name only occurs in another letter case."""
    spelled = sorted({*map(nfc, spellings)} - {name})
    shown = ", ".join(map(sanitise_line, spelled[:MAX_SUGGESTIONS]))
    message = (
        f"no name is spelled {sanitise_line(name)}; names in other letter case are shown: {shown}"
    )
    return (Notice("other_case", message),) if spelled else ()


_VERSION: Final = 1
_DIGEST_DIGITS: Final = 32

Token: TypeAlias = str


class Consumed(Struct, frozen=True):
    """Number of a repository's locations on earlier pages; `repo` is empty without a workspace."""

    repo: str
    snapshot_id: str
    places: int


class PageCursor(Struct, frozen=True):
    """The start of a page.

    Attributes:
        question: digest of the request without its limit.
        step: the rule that matched the name.
        consumed: an entry for each repository, by id.
    """

    question: str
    step: NameStep
    consumed: tuple[Consumed, ...]
    version: int = _VERSION

    def of(self, repo: str) -> Consumed | None:
        """Return the entry of a repository; None if earlier pages contain none of its locations."""
        return next((progress for progress in self.consumed if progress.repo == repo), None)


def question_digest(*parts: Json) -> str:
    """Return the digest that identifies a request."""
    return hashlib.sha256(stable_json.dumps(list(parts))).hexdigest()[:_DIGEST_DIGITS]


def token_of(cursor: PageCursor) -> Token:
    """Return the token of a cursor, made of letters, digits, hyphens and underscores."""
    return base64.urlsafe_b64encode(stable_json.dumps(asdict(cursor))).decode().rstrip("=")


def read_token(token: Token, question: str) -> PageCursor:
    """Return the cursor in a token.

    Raises:
        InvalidRequest: the text is not a token, or the token belongs to another request.
    """
    if len(token) > MOST_TOKEN_BYTES:
        raise InvalidRequest(f"cursor: must not be longer than {MOST_TOKEN_BYTES} bytes")
    try:
        padded = token.encode("ascii") + b"=" * (-len(token) % 4)
        values = stable_json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        cursor = decode(PageCursor, values, "cursor")
    except (DecodeError, ValueError, binascii.Error, OverflowError) as error:
        raise InvalidRequest("cursor: must be the next_cursor of an earlier answer") from error
    repos = [progress.repo for progress in cursor.consumed]
    fits = all(0 <= progress.places <= MOST_CONSUMED for progress in cursor.consumed)
    if cursor.version != _VERSION or not fits or repos != sorted(set(repos)):
        raise InvalidRequest("cursor: must be the next_cursor of an earlier answer")
    if cursor.question != question:
        raise InvalidRequest(
            "cursor: belongs to another request; repeat the request without a cursor"
        )
    return cursor
