"""Annotations that constrain values, and types of texts and numbers in documents.

Structs of `ggrep.model` and types of `ggrep.model.schemas` define the JSON documents of ggrep;
`python3 dev.py schemas` generates the shipped `*.schema.json` files from them. The string after a
field is its description.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias, TypedDict, TypeVar

from msgspec import Struct, json

T = TypeVar("T")


class Held(Struct, frozen=True):
    """Bounds of a value.

    Attributes:
        least: minimum value, length or number of items; `most` is the maximum.
        pattern: a regular expression that a text must match.
        form: a format of JSON Schema, such as `date-time`.
        unique: whether all items must be distinct.
    """

    least: float | None = None
    most: float | None = None
    pattern: str = ""
    form: str = ""
    unique: bool = False


class Keywords(Struct, frozen=True, eq=False):
    """Keywords to copy into a JSON Schema, for rules that Python's types cannot express."""

    words: Mapping[str, object]


RULES: Final[dict[object, Keywords]] = {}
"""Rules that relate the fields of a type to each other."""
GROWING: Final[set[object]] = set()
"""Types of objects that may have undeclared keys."""
EXTENDED: Final[dict[object, tuple[type, Callable[[str], str | None]]]] = {}
"""For a type, the Struct whose fields come first in its object, and the function that returns their
keys."""
NAMED: Final[dict[object, str]] = {}
"""Names of types in schemas, if they differ from the class names."""
HIDDEN: Final[dict[object, frozenset[str]]] = {}
"""Fields of Structs that documents omit."""


def held_to(**words: object) -> Callable[[T], T]:
    """Return a decorator that adds JSON Schema keywords to a type."""

    def noted(kind: T) -> T:
        RULES[kind] = Keywords({name.rstrip("_"): value for name, value in words.items()})
        return kind

    return noted


def extends(base: type, key_of: Callable[[str], str | None] = str) -> Callable[[T], T]:
    """Return a decorator that puts the fields of a Struct before the fields of a type.

    Args:
        base: the Struct.
        key_of: returns the key for a field's name; None if the object omits the field.
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
    """Mark a type to which later versions may add keys without another schema version."""
    GROWING.add(kind)
    return kind


LATER: Final = object()
Later: TypeAlias = Annotated[T, LATER]
"""A field that documents of older builds lack."""
PAIRS: Final = object()
"""Marks pairs of keys and values that are an object in documents."""

Count: TypeAlias = Annotated[int, Held(least=0)]
Positive: TypeAlias = Annotated[int, Held(least=1)]
Figure: TypeAlias = Annotated[float, Held(least=0)]
Share: TypeAlias = Annotated[float, Held(least=0, most=1)]

Named: TypeAlias = Annotated[str, Held(least=1)]
Code: TypeAlias = Annotated[str, Held(pattern=r"^[a-z_]+$")]
"""A stable code that ggrep defines."""
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


# Fields with the same description in several documents.
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
    """A document with the version of its format."""

    schema_version: Literal[1] = 1
    """Version of this format; every change of the format changes it."""

    def to_dict(self) -> dict[str, Any]:
        """Return the document as JSON values."""
        document: dict[str, Any] = json.decode(json.encode(self))
        for name in HIDDEN.get(type(self), ()):
            del document[name]
        return document


class DocumentJson(TypedDict):
    """A document; `schema_version` is the first key of every document."""

    schema_version: Literal[1]
    """Version of this format; every change of the format changes it."""
