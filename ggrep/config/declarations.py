"""All settings of one root, each declared once, and the caps that no setting can exceed."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Final

from msgspec import Struct

from ggrep.model.field_meta import (
    ANYBODY,
    MOST_BYTES,
    MOST_CANDIDATES,
    MOST_LIST_ITEMS,
    MOST_MS,
    DeclaredKey,
    Key,
    declared_keys,
)
from ggrep.model.slate import Role

MAX_FILE_SIZE_BYTES: Final = 10 * 1024 * 1024
"""Maximum size of an indexed file."""

MAX_NOTEBOOK_BYTES: Final = 32 * 1024 * 1024
"""Maximum size of a notebook with outputs; its source alone can be as large as any file."""

MAX_CANDIDATES: Final = MOST_CANDIDATES
"""Maximum number of rows after scoring and before quotas."""

MAX_QUERY_RESULTS: Final = 200
"""Maximum number of hits in one answer."""

MAX_QUERY_PER_FILE: Final = 50
"""Maximum number of hits of one file in one answer."""

MAX_TOTAL_SNIPPET_BYTES: Final = 10 * 1024 * 1024
"""Maximum bytes of snippets in one answer."""

MAX_SNIPPET_BYTES_PER_RESULT: Final = 262_144
"""Maximum bytes of the snippet of one hit."""

MAX_QUERY_TIMEOUT_MS: Final = MOST_MS
"""Maximum timeout of a query."""

MAX_STORE_BYTES: Final = MOST_BYTES
"""Maximum byte budget of a store."""

MAX_REQUEST_BYTES: Final = 16 * 1024 * 1024
"""Maximum size of a message to a daemon."""

MAX_RESPONSE_BYTES: Final = 64 * 1024 * 1024
"""Maximum size of a message from a daemon."""

MAX_CONFIG_FILE_BYTES: Final = 64 * 1024
"""Maximum size of a settings file."""

MAX_IGNORE_FILE_BYTES: Final = 1024 * 1024
"""Maximum size of an ignore file."""

MOST_SEGMENTS: Final = 64
MOST_TOMBSTONES: Final = 250_000
MOST_AGE_SECS: Final = 366 * 86_400
MOST_AT_WORK: Final = 256
MOST_SILENCE_MS: Final = 3_600_000

NO_NEGATION: Final = r"[^!].*"
"""Gitignore patterns without negation."""

PROFILE_NAME: Final = r"[a-z0-9][a-z0-9._-]{0,63}"

_shaping = partial(Key, who=ANYBODY, shapes_index=True)
_budget = partial(Key, who=ANYBODY, budget=True)


class Settings(Struct, frozen=True):
    """All settings of one root, separate from those of other roots of a process.

    With `shared_store`, `include_untracked` is off.
    """

    encoder: Annotated[
        str,
        Key(
            "encoder that turns text into vectors: `none`, `static`, `static:FOLDER`, `hashed` or "
            "`sentence-transformers:FOLDER`; flag `--encoder`",
            of_root=True,
            shapes_index=True,
        ),
    ] = "static"
    max_file_size_bytes: Annotated[
        int,
        _shaping(
            "larger files are skipped, and `health` lists them; in a notebook, only the source "
            "of the cells counts",
            1,
            MAX_FILE_SIZE_BYTES,
        ),
    ] = 10_485_760
    max_chunks_per_file: Annotated[
        int, _shaping("maximum chunks per file; a longer file gets larger chunks", 1, 2_000)
    ] = 2_000
    max_bulk_bytes: Annotated[
        int,
        _shaping(
            "only this number of bytes of a minified or data file is indexed; `health` lists the "
            "files",
            1024,
            MAX_FILE_SIZE_BYTES,
        ),
    ] = 262_144
    max_bytes_per_sync: Annotated[
        int,
        _shaping(
            "bytes of new file content per snapshot; a larger sync publishes several snapshots",
            1,
            268_435_456,
        ),
    ] = 268_435_456
    parse_timeout_ms: Annotated[
        int,
        Key(
            "a file whose parser takes longer is postponed and parsed again later; the time never "
            "affects the file's chunks",
            1,
            600_000,
        ),
    ] = 60_000
    parse_workers: Annotated[int, Key("number of parse processes; 0 for one per core", 0, 64)] = 0
    max_segments: Annotated[
        int, Key("number of segments above which small segments are merged", 1, MOST_SEGMENTS)
    ] = 12
    max_candidates: Annotated[
        int, _budget("maximum rows per corpus that are kept after scoring", 1, MAX_CANDIDATES)
    ] = 2_000
    max_query_results: Annotated[int, _budget("maximum hits per answer", 1, MAX_QUERY_RESULTS)] = (
        200
    )
    max_query_per_file: Annotated[
        int, _budget("maximum hits per file in an answer", 1, MAX_QUERY_PER_FILE)
    ] = 50
    max_open_segments_per_query: Annotated[
        int, Key("queries of a snapshot with more segments are refused", 1, 512)
    ] = 64
    max_total_snippet_bytes: Annotated[
        int, _budget("maximum bytes of snippet text per answer", 0, MAX_TOTAL_SNIPPET_BYTES)
    ] = 1_048_576
    max_snippet_bytes_per_result: Annotated[
        int, _budget("maximum bytes of snippet text per hit", 0, MAX_SNIPPET_BYTES_PER_RESULT)
    ] = 32_768
    query_timeout_ms: Annotated[
        int,
        Key(
            "default timeout of a query; flag `--timeout-ms`",
            1,
            MAX_QUERY_TIMEOUT_MS,
            who=ANYBODY,
        ),
    ] = 60_000
    max_store_bytes: Annotated[
        int,
        Key(
            "maximum size of a store; larger snapshots are not published; 0 for no limit",
            0,
            MAX_STORE_BYTES,
        ),
    ] = 0
    max_cache_bytes: Annotated[
        int,
        Key(
            "maximum size of the vector cache; the least recently used vectors are "
            "deleted first; 0 for no limit",
            0,
            MAX_STORE_BYTES,
        ),
    ] = 1 << 30
    max_log_bytes: Annotated[
        int, Key("maximum size of the log files; 0 for no limit", 0, MAX_STORE_BYTES)
    ] = 0
    lease_ttl_ms: Annotated[
        int,
        Key("time without a heartbeat after which a writer may be replaced", 250, MOST_SILENCE_MS),
    ] = 120_000
    retain_snapshots_min: Annotated[
        int, Key("number of newest snapshots that are never deleted", 1, 1_000)
    ] = 5
    retain_snapshots_min_age_secs: Annotated[
        int, Key("snapshots younger than this are never deleted", 0, MOST_AGE_SECS)
    ] = 600
    gc_safety_margin_ms: Annotated[
        int,
        Key(
            "snapshots younger than this plus `query_timeout_ms` are never deleted",
            0,
            MOST_SILENCE_MS,
        ),
    ] = 120_000
    store_gc_days: Annotated[
        int, Key("`ggrep gc --stores` deletes stores that were unused for this time", 1, 366)
    ] = 30
    compaction_overdue_segments: Annotated[
        int, Key("number of segments at which a compaction is due", 2, MOST_SEGMENTS)
    ] = 8
    compaction_overdue_tombstones: Annotated[
        int, Key("number of tombstones at which a compaction is due", 1, MOST_TOMBSTONES)
    ] = 200_000
    max_tombstones_per_snapshot: Annotated[
        int,
        Key(
            "a publish that would exceed this number of tombstones in the journal rewrites the "
            "journal",
            1,
            MOST_TOMBSTONES,
        ),
    ] = 250_000
    max_concurrent_queries: Annotated[
        int, Key("maximum concurrent queries of one daemon", 1, MOST_AT_WORK)
    ] = 8
    max_query_queue_depth: Annotated[
        int, Key("maximum waiting queries of one daemon; further queries get `busy`", 0, 4_096)
    ] = 32
    max_queries_per_client: Annotated[
        int,
        Key(
            "maximum concurrent queries of one client; further queries wait; 0 for "
            "`max_concurrent_queries`",
            0,
            MOST_AT_WORK,
        ),
    ] = 4
    max_open_segments_global: Annotated[
        int, Key("maximum segments that all queries of a process keep open", 1, 4_096)
    ] = 512
    slow_query_ms: Annotated[
        int, Key("slower queries are counted as slow", 0, MAX_QUERY_TIMEOUT_MS)
    ] = 2_000
    max_embed_global: Annotated[
        int, Key("maximum processes of this host that encode at once; 0 for no limit", 0, 64)
    ] = 2
    embed_lock_ttl_ms: Annotated[
        int,
        Key(
            "time without a heartbeat after which an encoding process counts as hanging",
            250,
            MOST_SILENCE_MS,
        ),
    ] = 120_000
    max_request_bytes: Annotated[
        int, Key("maximum size of a request to a daemon", 4096, MAX_REQUEST_BYTES)
    ] = 1_048_576
    max_response_bytes: Annotated[
        int, Key("maximum size of a reply of a daemon", 65_536, MAX_RESPONSE_BYTES)
    ] = 10_485_760
    idle_timeout_secs: Annotated[
        int, Key("the process of a daemon ends after this time without a request", 1, MOST_AGE_SECS)
    ] = 1_800
    store_idle_secs: Annotated[
        int,
        Key(
            "a daemon closes a store after this time without a request, and opens it again for the "
            "next request",
            1,
            MOST_AGE_SECS,
        ),
    ] = 300
    low_impact: Annotated[bool, Key("sync later and at low priority")] = False
    start_daemon: Annotated[bool, Key("a search starts a daemon if none runs")] = True
    watch: Annotated[bool, Key("a daemon follows changes of the work tree")] = True
    include_untracked: Annotated[
        bool, _shaping("index files that git does not track and does not ignore")
    ] = True
    shared_store: Annotated[
        bool,
        Key(
            "all users of a group read and write the home; switches `include_untracked` "
            "off, which shapes the index"
        ),
    ] = False
    shared_store_include_untracked: Annotated[
        bool, Key("with `shared_store`, `include_untracked` keeps its value")
    ] = False
    shared_store_clean: Annotated[
        bool, Key("with `shared_store`, refuse a sync of a work tree that is not clean")
    ] = False
    merge_strategy: Annotated[
        str,
        Key(
            "`rrf` or `global`: merge strategy if neither `--merge` nor the workspace "
            "file names one",
            words=("global", "rrf"),
        ),
    ] = "rrf"
    portable_paths: Annotated[
        bool,
        Key(
            "refuse to sync two paths that differ only by case, for stores shared with systems "
            "that ignore case",
            who=ANYBODY,
            narrow=True,
        ),
    ] = False
    repo_key: Annotated[
        str,
        Key(
            "name of the repository on remotes: letters, digits, `.~+-_@` and `/`; if empty, the "
            "name is the URL of git's `origin`, or else the first commit",
            who="u r",
            of_root=True,
            pattern=r"([\w.~+@-]+(:[0-9]+)?(/[\w.~+@-]+)*)?",
        ),
    ] = ""
    structure: Annotated[
        bool,
        _shaping(
            "cut files into chunks by the structure of their language; `false` cuts all files by "
            "lines, without parsing"
        ),
    ] = True
    extra_ignores: Annotated[
        tuple[str, ...],
        Key(
            "gitignore patterns of files to exclude; the key in `.ggrep.toml` is `ignore`",
            most=MOST_LIST_ITEMS,
            pattern=NO_NEGATION,
            misfit="can only add patterns, not negate them",
            who="r",
            key="ignore",
            shapes_index=True,
        ),
    ] = ()
    profile: Annotated[
        str,
        Key(
            "the current profile; flag `--profile`",
            pattern=PROFILE_NAME,
            misfit="is not a valid name; use 1 to 64 of a-z, 0-9, '.', '_', '-'",
            who="e r",
            of_root=True,
        ),
    ] = ""
    profile_include: Annotated[
        tuple[str, ...],
        Key(
            "the patterns in the current profile's `include`",
            0,
            MOST_LIST_ITEMS,
            who="profiles",
            shapes_index=True,
        ),
    ] = ()
    max_bytes_indexed: Annotated[
        int,
        Key(
            "maximum bytes of files that match the profile's `include`",
            0,
            MAX_STORE_BYTES,
            who="profiles",
            shapes_index=True,
        ),
    ] = 0
    roles: Annotated[
        tuple[tuple[Role, tuple[str, ...]], ...],
        Key(
            "globs of paths by role, in addition to the built-in globs",
            0,
            MOST_LIST_ITEMS,
            who="roles",
        ),
    ] = ()


DECLARED: Final[Mapping[str, DeclaredKey]] = declared_keys(Settings)
"""All settings by their names in files."""
