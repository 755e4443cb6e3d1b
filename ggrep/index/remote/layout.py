"""The keys and formats of the objects on a remote.

| key | object |
|---|---|
| `blobs/<sha256>` | a segment's image, its table as one file, or a snapshot's masks |
| `trees/<sha256>` | a snapshot: its description, and the blobs of which it consists |
| `by-state/<state>/<fingerprint>` | the tree of a set of files under one configuration |
| `refs/<repo key>/<fingerprint>` | the trees that were pushed last |

A collection deletes the other objects if no ref needs them.

Blobs and trees are named by the digest of their content and never change. States and refs are
replaced by compare-and-swap: a ref at each push, a state if it must refer to another tree. All
content from a remote is limited in size, decoded and checked in this module before it is used.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace

from ggrep.base import stable_json
from ggrep.base.checksummed import seal
from ggrep.base.errors import InvalidRequest, NotTrusted
from ggrep.base.formats import ROW, ROW_CONTENT
from ggrep.base.ids import PathKey, SegmentName, SnapshotId, parse_snapshot_id
from ggrep.base.stable_json import DecodeError, decode
from ggrep.config.declarations import MOST_SEGMENTS
from ggrep.config.fingerprints import parse_store_id
from ggrep.config.repo_key import is_key
from ggrep.index.store.manifest import MAX_PROBLEMS, Counts
from ggrep.model.response import GitState
from ggrep.model.sanitise import sanitise_line, without_directories
from ggrep.model.sync import DegradedFile
from ggrep.parse.source.path_keys import problem

TREE_FORMAT: Final = "ggrep-tree-1"
STATE_FORMAT: Final = "ggrep-state-1"
REF_FORMAT: Final = "ggrep-ref-1"
MOST_TREE_BYTES: Final = 16 << 20
MOST_STATE_BYTES: Final = 4 << 10
MOST_REF_BYTES: Final = 1 << 20
MOST_ENTRIES: Final = 32
"""Maximum number of pushes in a ref. Collections delete objects that only older pushes need."""
MOST_HISTORY: Final = 20
"""Maximum number of earlier commits that an entry of a ref lists."""
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_COMMIT: Final = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_SEGMENT: Final = re.compile(r"seg_[0-9A-HJKMNP-TV-Z]{26}_[0-9]{1,6}")
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z")
_MOST_MESSAGE: Final = 500
_KINDS: Final = frozenset({"delta", "compacted"})

D = TypeVar("D", bound=Struct)


class Blob(Struct, frozen=True):
    """An object whose name is the digest of its content."""

    sha256: str
    size_bytes: int

    @property
    def key(self) -> str:
        """Return the blob's key."""
        return f"blobs/{self.sha256}"


class RemoteSegment(Struct, frozen=True):
    """A segment on a remote, which consists of two blobs.

    Attributes:
        kind, rows, files, size_bytes, sha256: as in `manifest.SegmentRef`.
        table: the table, packed into one file.
    """

    name: SegmentName
    kind: str
    rows: int
    files: int
    size_bytes: int
    sha256: str
    table: Blob
    image: Blob


class States(Struct, frozen=True):
    """Names for a snapshot's set of files, the same on every machine.

    Attributes:
        git_tree: id of the commit's tree in git, if there are no uncommitted changes; else None.
        files: digest over all paths and contents, see `files_state`.
    """

    git_tree: str | None
    files: str

    def keys(self, config_fingerprint: str) -> Iterator[str]:
        """Yield the keys under which the snapshot's tree is looked up."""
        yield files_state_key(self.files, config_fingerprint)
        if self.git_tree is not None:
            yield git_state_key(self.git_tree, config_fingerprint)


class Tree(Struct, frozen=True):
    """A pushed snapshot, without the work tree's path; fields as in `manifest.SnapshotManifest`.

    Attributes:
        masks: the blob with the visible files of each segment.
    """

    repo_key: str
    snapshot_id: SnapshotId
    index_id: str
    created_at: str
    config_fingerprint: str
    ignore_fingerprint: str
    embed_config_fingerprint: str
    chunk_row_schema_version: int
    states: States
    git: GitState | None
    segments: tuple[RemoteSegment, ...]
    masks: Blob
    counts: Counts
    degraded: bool
    errors: tuple[DegradedFile, ...]
    errors_total: int
    format: str = TREE_FORMAT

    def blobs(self) -> Iterator[Blob]:
        """Yield the blobs of the tree."""
        yield self.masks
        for segment in self.segments:
            yield from (segment.image, segment.table)


class Entry(Struct, frozen=True):
    """An entry of a ref: one push.

    Attributes:
        tree: the pushed tree.
        commit: the commit that was checked out; None without git.
        history: the commits before `commit`, the latest first.
    """

    tree: Blob
    states: States
    commit: str | None
    history: tuple[str, ...]
    pushed_at: str


def tree_key(tree: Blob) -> str:
    """Return the key of a tree."""
    return f"trees/{tree.sha256}"


def git_state_key(git_tree: str, config_fingerprint: str) -> str:
    """Return the key of the state of a git tree."""
    return f"by-state/git-{git_tree}/{config_fingerprint}"


def files_state_key(files: str, config_fingerprint: str) -> str:
    """Return the key of the state of a set of files."""
    return f"by-state/files-{files}/{config_fingerprint}"


def ref_key(repo_key: str, config_fingerprint: str) -> str:
    """Return the key of a repository's ref."""
    return f"refs/{repo_key}/{config_fingerprint}"


def files_state(files: Mapping[PathKey, str]) -> str:
    """Return a digest over the paths and contents of files; `files` maps paths to SHA-256."""
    digest = hashlib.sha256()
    for key in sorted(files, key=lambda key: key.encode()):
        digest.update(b"%s\0%s\n" % (key.encode(), files[key].encode()))
    return digest.hexdigest()


def blob_of(data: bytes) -> Blob:
    """Return the blob, that is digest and size, of some bytes."""
    return Blob(hashlib.sha256(data).hexdigest(), len(data))


def spelled_tree(tree: Tree) -> bytes:
    """Return a tree as bytes."""
    return stable_json.dumps(asdict(tree))


def read_tree(data: bytes, wanted: Blob) -> Tree:
    """Return the tree in `data`; `wanted` is the digest in a ref or a state.

    Raises:
        NotTrusted: the bytes have another digest, or are not a valid tree.
    """
    if blob_of(data) != wanted:
        raise NotTrusted("the content does not match the digest of the object")
    tree = _decoded(Tree, data, "a tree", TREE_FORMAT)
    names = [segment.name for segment in tree.segments]
    digests = (tree.config_fingerprint, tree.ignore_fingerprint, tree.embed_config_fingerprint)
    sums = (
        sum(segment.rows for segment in tree.segments) == tree.counts.chunks_indexed,
        tree.counts.chunks_visible <= tree.counts.chunks_indexed,
        len(tree.errors) <= MAX_PROBLEMS,
        len(tree.counts.lengths) < MOST_SEGMENTS,
    )
    fits = (
        is_key(tree.repo_key),
        ROW_CONTENT <= tree.chunk_row_schema_version <= ROW.writes,
        len(names) == len(set(names)) <= MOST_SEGMENTS,
        all(map(_is_segment, tree.segments)),
        all(map(_SHA256.fullmatch, (*digests, tree.states.files))),
        all(map(_is_blob, tree.blobs())),
        _MOMENT.fullmatch(tree.created_at),
        tree.git is None or tree.git.head_sha is None or _COMMIT.fullmatch(tree.git.head_sha),
        not any(problem(each.path_key) for each in tree.errors),
        *sums,
    )
    try:
        parse_snapshot_id(tree.snapshot_id)
        parse_store_id(tree.index_id)
    except InvalidRequest as error:
        raise NotTrusted(f"not a valid tree: {error}") from error
    if not all(fits):
        raise NotTrusted("the fields of the tree contradict each other")
    errors = tuple(
        replace(each, message=sanitise_line(without_directories(each.message))[:_MOST_MESSAGE])
        for each in tree.errors
    )
    return replace(tree, errors=errors)


def spelled_state(tree: Blob) -> bytes:
    """Return a state that refers to a tree, as bytes."""
    return stable_json.dumps({"format": STATE_FORMAT, **asdict(tree)})


def read_state(data: bytes) -> Blob:
    """Return the tree to which a state refers.

    Raises:
        NotTrusted: the bytes are not a valid state.
    """
    state = _decoded(_State, data, "a state", STATE_FORMAT)
    tree = Blob(state.sha256, state.size_bytes)
    if not _is_tree(tree):
        raise NotTrusted("the state object does not name a tree")
    return tree


def spelled_ref(entries: Sequence[Entry]) -> bytes:
    """Return a ref as bytes, with a digest of its entries, because its key contains no digest."""
    listed: stable_json.Json = [asdict(entry) for entry in entries[:MOST_ENTRIES]]
    return stable_json.dumps(seal({"format": REF_FORMAT, "entries": listed}))


def read_ref(data: bytes) -> tuple[Entry, ...]:
    """Return the pushes in a ref, the last push first.

    Raises:
        NotTrusted: the bytes are not a ref, or damaged.
    """
    ref = _decoded(_Ref, data, "a ref", REF_FORMAT)
    fits = (
        spelled_ref(ref.entries) == stable_json.dumps(asdict(ref)),
        len(ref.entries) <= MOST_ENTRIES,
        all(_is_entry(entry) for entry in ref.entries),
    )
    if not all(fits):
        raise NotTrusted("the ref object was changed or is damaged")
    return ref.entries


def with_entry(entries: Sequence[Entry], new: Entry) -> tuple[Entry, ...]:
    """Add a push to a ref's entries, and remove entries with its tree, or its states and commit."""
    of = (new.states, new.commit)
    others = (
        entry for entry in entries if entry.tree != new.tree and (entry.states, entry.commit) != of
    )
    return (new, *others)[:MOST_ENTRIES]


def same_push(entry: Entry, other: Entry) -> bool:
    """Return whether two entries are equal except for their time."""
    return replace(entry, pushed_at=other.pushed_at) == other


class _State(Struct, frozen=True):
    format: str
    sha256: str
    size_bytes: int


class _Ref(Struct, frozen=True):
    format: str
    entries: tuple[Entry, ...]
    sha256: str


def _decoded(kind: type[D], data: bytes, what: str, form: str) -> D:
    try:
        values: Any = stable_json.loads(data)
        actual = values.get("format") if isinstance(values, dict) else None
        if actual != form:
            raise NotTrusted(f"the object is not {what} that this build can read: {actual!r:.40}")
        known = {*kind.__struct_fields__}
        if values.keys() - known:
            raise NotTrusted(f"the object has fields that {what} cannot have")
        return decode(kind, values)
    except (DecodeError, ValueError, RecursionError) as error:
        raise NotTrusted(f"the object cannot be read: {error}"[:200]) from error


def _is_blob(blob: Blob) -> bool:
    return _SHA256.fullmatch(blob.sha256) is not None and blob.size_bytes >= 0


def _is_tree(tree: Blob) -> bool:
    return _is_blob(tree) and tree.size_bytes <= MOST_TREE_BYTES


def _is_segment(segment: RemoteSegment) -> bool:
    figures = (segment.rows, segment.files, segment.size_bytes)
    named = _SEGMENT.fullmatch(segment.name) and _SHA256.fullmatch(segment.sha256)
    return bool(named) and min(figures) >= 0 and segment.kind in _KINDS


def _is_entry(entry: Entry) -> bool:
    commits = (*((entry.commit,) if entry.commit else ()), *entry.history)
    trees = (entry.states.git_tree,) if entry.states.git_tree else ()
    return (
        _is_tree(entry.tree)
        and _SHA256.fullmatch(entry.states.files) is not None
        and len(entry.history) <= MOST_HISTORY
        and all(map(_COMMIT.fullmatch, (*commits, *trees)))
    )
