"""What a coordinator asks a repository about a name, and what it is given to decide by.

A repository does not know whether another one spells the name as it was asked for, so it says by
which rule its places fit and leaves the choice to the coordinator.
"""

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Struct

from ggrep.model.answerable import Request
from ggrep.model.containers import DefinedName, Family, Fit
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.navigation import Definition, Reference, ReferencesRequest, SymbolRequest
from ggrep.model.response import Provenance
from ggrep.model.says import MOST_ITEMS, MOST_PATH_BYTES, Sent

NameStep: TypeAlias = Literal["spelled", "other_case", "near"]
"""The name as it is spelled; in other letter cases; names that are spelled similarly."""

SYMBOL_STEPS: Final[tuple[NameStep, ...]] = ("spelled", "other_case", "near")
REFERENCE_STEPS: Final[tuple[NameStep, ...]] = ("spelled", "other_case")

MAX_SUGGESTIONS: Final = 5
"""Most names that an answer suggests."""

MOST_CONSUMED: Final = 1_000_000
"""Most places of one repository that earlier pages may have shown."""
MOST_IMPORTERS: Final = 2_000
MOST_IMPORTED: Final = 256
"""Most names that one file's imports are told by."""

_Snapshot: TypeAlias = Annotated[str | None, Sent(26)]
_Skip: TypeAlias = Annotated[int, Sent(MOST_CONSUMED)]


class SymbolPoolRequest(Request["SymbolPool"], frozen=True):
    """Definitions of a name by one rule.

    Attributes:
        asked: its `limit` is the most to send behind the first `skip`.
        skip: definitions that earlier pages have shown.
        snapshot_id: of which snapshot; None for the active one.
    """

    asked: SymbolRequest
    step: NameStep = "spelled"
    skip: _Skip = 0
    snapshot_id: _Snapshot = None


class ReferencesPoolRequest(Request["ReferencesPool"], frozen=True):
    """Occurrences of a name by one rule; fields as of a SymbolPoolRequest.

    Attributes:
        family: whose uses are wanted of a qualified name; None for what the repository's own
            definitions say.
    """

    asked: ReferencesRequest
    step: NameStep = "spelled"
    skip: _Skip = 0
    snapshot_id: _Snapshot = None
    family: Family | None = None


class PooledDefinition(Struct, frozen=True):
    """A definition, with what orders it that is not to be seen of it.

    Attributes:
        test: its file looks like that of a test.
        declared_only: it has no body.
        column: of the name, 1-based.
    """

    definition: Definition
    test: bool
    declared_only: bool
    column: int


class NearName(Struct, frozen=True):
    """A name to suggest.

    Attributes:
        name: as it is spelled.
        order: by which suggestions of one repository, or of several, are sorted first.
        term: the name as it is compared; empty for a definition beside what was asked for.
        path: of the file that defines it.
    """

    name: str
    order: tuple[int, ...]
    term: str
    path: str


class SymbolPool(Struct, frozen=True):
    """The answer to a SymbolPoolRequest.

    Attributes:
        fit: the best that any definition here comes to.
        definitions: those that fit so, in the order of an answer.
        total: how many there are, sent or not.
        spellings: the first few of the spellings that they have.
        near: the first few names to suggest.
        selects: whether each filter, the path and all together match anything that is indexed;
            only where nothing fits.
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


class PooledReference(Struct, frozen=True):
    """An occurrence, and whether its file looks like that of a test."""

    reference: Reference
    test: bool


class Importer(Struct, frozen=True):
    """What a file imports that its own repository does not hold.

    Attributes:
        imports: modules, packages and headers as written.
    """

    path: Annotated[str, Sent(MOST_PATH_BYTES)]
    language: Annotated[str, Sent(64)]
    imports: Annotated[tuple[str, ...], Sent(MOST_IMPORTED, each=(0, 512))]


class ReferencesPool(Struct, frozen=True):
    """The answer to a ReferencesPoolRequest.

    Attributes:
        references: in the order of an answer.
        totals: occurrences by kind, sent or not.
        other_spelling: the first that is not spelled as the name was asked for.
        importers: the files of `references` that import anything from elsewhere.
        left: usages that say another container; of `totals`, and never sent.
        doubtful: usages that say no container; of `totals`, and sent behind the others.
        defined: the definitions, in the order of an answer: all that judge the usages of a
            qualified name, the first few of another one.
        selects: as of a SymbolPool.
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
    defined: tuple[DefinedName, ...] = ()
    selects: tuple[bool, ...] = ()


class ImportsRequest(Request["ImportsFound"], frozen=True):
    """Which of these imports of other repositories' files mean something of this one?

    Attributes:
        timeout_ms: 0 for the repository's own bound.
    """

    importers: Annotated[tuple[Importer, ...], Sent(MOST_IMPORTERS)]
    snapshot_id: _Snapshot = None
    timeout_ms: Annotated[int, Sent(MOST_ITEMS)] = 0


class ImportsFound(Struct, frozen=True):
    """The answer to an ImportsRequest: one for each importer, whether any of its imports does."""

    provided: tuple[bool, ...]
