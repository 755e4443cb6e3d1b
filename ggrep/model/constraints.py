"""Annotations of types that constrain values, and the kinds of text and number in answers.

Structs of `ggrep.model` and types of `ggrep.model.schemas` say what every JSON document of ggrep
looks like; the shipped `*.schema.json` are generated from them (`python3 dev.py schemas`). The text
under a field is its description.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias, TypedDict, TypeVar

from msgspec import Struct, json

T = TypeVar("T")


class Held(Struct, frozen=True):
    """Bounds of a value.

    Attributes:
        least: smallest number, fewest characters or fewest items; `most` the largest, or the most.
        pattern: a regular expression that a text fits.
        form: a format that JSON Schema knows, as `date-time`.
        unique: no two items are equal.
    """

    least: float | None = None
    most: float | None = None
    pattern: str = ""
    form: str = ""
    unique: bool = False


class Keywords(Struct, frozen=True, eq=False):
    """Keywords of JSON Schema for rules that Python's types cannot express; they are copied."""

    words: Mapping[str, object]


RULES: Final[dict[object, Keywords]] = {}
"""Rules that relate the fields of a type to each other."""
GROWING: Final[set[object]] = set()
"""Types of objects that may have undeclared keys."""
EXTENDED: Final[dict[object, tuple[type, Callable[[str], str | None]]]] = {}
"""Structs whose fields precede a type's own in its object, and the functions that return their
keys.
"""
NAMED: Final[dict[object, str]] = {}
"""Names of types in schemas, where they differ from those of the classes."""
HIDDEN: Final[dict[object, frozenset[str]]] = {}
"""Fields of Structs that no document shows."""


def held_to(**words: object) -> Callable[[T], T]:
    """Return a decorator that relates a type's fields to each other by keywords of JSON Schema."""

    def noted(kind: T) -> T:
        RULES[kind] = Keywords({name.rstrip("_"): value for name, value in words.items()})
        return kind

    return noted


def extends(base: type, key_of: Callable[[str], str | None] = str) -> Callable[[T], T]:
    """Return a decorator that puts the fields of a Struct into a type's object, before its own.

    Args:
        base: the Struct.
        key_of: returns the key for a field's name, None where the object lacks it.
    """

    def noted(kind: T) -> T:
        EXTENDED[kind] = base, key_of
        return kind

    return noted


def named(name: str) -> Callable[[T], T]:
    """Return a decorator that sets the name of a Struct in schemas."""

    def noted(kind: T) -> T:
        NAMED[kind] = name
        return kind

    return noted


def hides(*names: str) -> Callable[[T], T]:
    """Return a decorator that hides fields of a Struct in all documents."""

    def noted(kind: T) -> T:
        HIDDEN[kind] = frozenset(names)
        return kind

    return noted


def may_grow(kind: T) -> T:
    """Note that such an object may get more keys later, without another schema version."""
    GROWING.add(kind)
    return kind


LATER: Final = object()
Later: TypeAlias = Annotated[T, LATER]
"""A field that was added later: documents of older builds lack it."""
PAIRS: Final = object()
"""Marks pairs of keys and values that documents show as an object."""

Count: TypeAlias = Annotated[int, Held(least=0)]
Positive: TypeAlias = Annotated[int, Held(least=1)]
Figure: TypeAlias = Annotated[float, Held(least=0)]
Share: TypeAlias = Annotated[float, Held(least=0, most=1)]

Named: TypeAlias = Annotated[str, Held(least=1)]
Code: TypeAlias = Annotated[str, Held(pattern=r"^[a-z_]+$")]
"""A stable name that ggrep defines."""
ErrorCode: TypeAlias = Annotated[str, Held(pattern=r"^ERR_[A-Z_]+$")]
FailureCode: TypeAlias = Annotated[str, Held(pattern=r"^[A-Za-z][A-Za-z_]*$")]
Moment: TypeAlias = Annotated[str, Held(form="date-time")]
AbsolutePath: TypeAlias = Annotated[str, Held(pattern=r"^/")]

Sha256: TypeAlias = Annotated[str, Held(pattern=r"^[0-9a-f]{64}$")]
Commit: TypeAlias = Annotated[str, Held(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})$")]
RequestId: TypeAlias = Annotated[str, Held(pattern=r"^[A-Za-z0-9._:-]{1,64}$")]
SnapshotId: TypeAlias = Annotated[str, Held(pattern=r"^[0-9A-HJKMNP-TV-Z]{26}$")]
REPO_ID: Final = Held(pattern=r"^[a-z0-9-]{1,24}-[0-9a-f]{12}$")
RepoId: TypeAlias = Annotated[str, REPO_ID]
"""Name of a repository, the same under all settings."""
StoreId: TypeAlias = Annotated[str, Held(pattern=r"^[a-z0-9-]{1,24}-[0-9a-f]{12}-[0-9a-f]{12}$")]
RepoSetId: TypeAlias = Annotated[str, Held(pattern=r"^ws1-[0-9a-f]{64}$")]
ManifestHash: TypeAlias = Annotated[str, Held(pattern=r"^wm1-[0-9a-f]{64}$")]
WorkspaceConfigHash: TypeAlias = Annotated[str, Held(pattern=r"^wsc1-[0-9a-f]{64}$")]


# Fields of several documents with equal descriptions.
RepoPath: TypeAlias = Annotated[str, "Path below the repository's root, with forward slashes."]
SafeLine: TypeAlias = Annotated[str, "One line for people, without file content."]
ChunkType: TypeAlias = Annotated[
    Code, "Kind of the chunk: function, method, class, section, diagram, block and so on."
]
LanguageName: TypeAlias = Annotated[
    str, "Lower-case name such as python or markdown; text when unknown."
]
RepoSet: TypeAlias = Annotated[
    RepoSetId, "Identity of the set of repositories, independent of their names and order."
]
WorkspacePath: TypeAlias = Annotated[Named, "Absolute path of the workspace file."]
RootId: TypeAlias = Annotated[RepoId, "The repository, by its canonical root."]
RepoName: TypeAlias = Annotated[RepoId, "Name of a repository, the same under all settings."]
IndexStateHash: TypeAlias = Annotated[
    ManifestHash,
    "Identity of the index state: every change of an index changes it, edits of names do not.",
]
CacheRoot: TypeAlias = Annotated[
    Named, "Directory for files of the workspace, such as its manifest."
]
ConfigHash: TypeAlias = Annotated[
    WorkspaceConfigHash, "Identity of the configuration: every edit with an effect changes it."
]


class Versioned(Struct, frozen=True, kw_only=True):
    """A document, which begins with the version of its shape."""

    schema_version: Literal[1] = 1
    """Version of this format; every change of the format changes it."""

    def to_dict(self) -> dict[str, Any]:
        """Return the document as JSON values."""
        document: dict[str, Any] = json.decode(json.encode(self))
        for name in HIDDEN.get(type(self), ()):
            del document[name]
        return document


class DocumentJson(TypedDict):
    """The beginning of every document."""

    schema_version: Literal[1]
    """Version of this format; every change of the format changes it."""
