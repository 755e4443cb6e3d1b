"""Settings of one root, where each came from, and the one place that reads the environment."""

import os
import pwd
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

from ggrep.config.files import REPO_FILE, read_repo_file, read_user_file
from ggrep.config.profile_file import TABLES, parse_profiles
from ggrep.config.profiles import Profile, Profiles
from ggrep.config.role_rules import RoleRules, rules_of
from ggrep.config.root_tables import ROOTS, of_root
from ggrep.config.values import BOOLEANS, PATTERNS, PROFILE, check_value, parse_text, shown
from ggrep.domain.slate import Role
from ggrep.errors import InvalidRequest
from ggrep.home import Home

Source = Literal["default", "user", "repo", "env", "flag"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything about one root that can be set; a process that serves two never mixes them.

    Attributes:
        encoder: `none`, `static`, `static:` and a model's folder, `hashed` (for tests) or
            `sentence-transformers:` and a model's folder.
        max_file_size_bytes: larger files are skipped.
        max_chunks_per_file: a file that would give more is cut by lines instead, and named.
        max_bulk_bytes: of a minified or data file so much is indexed, its beginning.
        max_bytes_per_sync: content read for one snapshot; more is published in several.
        parse_timeout_ms: a file whose parse did not end by then is put off and tried again later;
            how it is cut never depends on it.
        parse_workers: parse processes; 0 for one per core.
        max_segments: segments in a snapshot before small ones are merged.
        max_candidates: rows kept after scoring and before quotas.
        max_query_results: most hits an answer may hold.
        max_query_per_file: most hits of one file an answer may hold.
        max_open_segments_per_query: a snapshot of more is merged before it is searched.
        max_total_snippet_bytes: snippet text of one answer.
        max_snippet_bytes_per_result: snippet text of one hit.
        query_timeout_ms: end-to-end deadline of a query that brings none.
        max_store_bytes: a publish that would make the store larger is refused; 0 for no bound.
        max_cache_bytes: bound on the vector cache of the home; the least recently used go first;
            0 for no bound.
        max_log_bytes: bound on the log files of the home; 0 for no bound.
        lease_ttl_ms: a writer that was not heard of for so long may be taken over.
        retain_snapshots_min: newest snapshots that are never collected.
        retain_snapshots_min_age_secs: younger snapshots are never collected.
        gc_safety_margin_ms: added to `query_timeout_ms`; no snapshot younger than that goes.
        store_gc_days: a store that nobody used for so long may be collected.
        compaction_overdue_segments: so many segments make a compaction worth its work.
        compaction_overdue_tombstones: so many tombstones do.
        max_tombstones_per_snapshot: a publish that would need more folds them.
        max_concurrent_queries: queries of one daemon at work at once.
        max_query_queue_depth: queries that wait for one of those; more are refused as `busy`.
        max_queries_per_client: queries of one client at work at once; more of it wait; 0 for as
            many as all.
        max_open_segments_global: segments that all queries of a daemon's process hold open.
        slow_query_ms: slower queries are counted as slow.
        max_embed_global: processes of this host that encode at once; 0 for no bound.
        embed_lock_ttl_ms: a process that encodes and was not heard of for so long counts as stuck.
        max_request_bytes: a larger message is not read.
        max_response_bytes: a larger answer is refused instead of sent.
        idle_timeout_secs: a process that serves ends when nobody asked anything for so long.
        store_idle_secs: a store that nobody asked for so long is closed until it is asked again.
        low_impact: sync with little of the machine, and later.
        start_daemon: a search starts a daemon where none runs.
        watch: a daemon follows changes of the work tree.
        include_untracked: index files that git does not track; what is loaded is the value in
            force, which `shared_store` may have switched off.
        shared_store: all users of the home's group read and write its stores.
        shared_store_include_untracked: let shared stores index files that git does not track.
        shared_store_clean: publish to a shared store only what HEAD holds.
        merge_strategy: how answers of several repositories are merged unless the request says.
        portable_paths: refuse to publish two paths that differ only by case.
        structure: cut files where their language does; false cuts all by lines, unparsed.
        extra_ignores: gitignore patterns from the root's own file; they only take files away.
        profile: name of the profile in force; empty for none.
        profile_include: gitignore patterns of files that the profile in force adds to those that
            the built-in lists leave.
        max_bytes_indexed: of the files that are indexed for `profile_include` alone.
        roles: globs of paths by role, beside the built-in ones.
    """

    encoder: str = "static"
    max_file_size_bytes: int = 10_485_760
    max_chunks_per_file: int = 2_000
    max_bulk_bytes: int = 262_144
    max_bytes_per_sync: int = 268_435_456
    parse_timeout_ms: int = 60_000
    parse_workers: int = 0
    max_segments: int = 12
    max_candidates: int = 2_000
    max_query_results: int = 200
    max_query_per_file: int = 50
    max_open_segments_per_query: int = 64
    max_total_snippet_bytes: int = 1_048_576
    max_snippet_bytes_per_result: int = 32_768
    query_timeout_ms: int = 60_000
    max_store_bytes: int = 0
    max_cache_bytes: int = 1 << 30
    max_log_bytes: int = 0
    lease_ttl_ms: int = 120_000
    retain_snapshots_min: int = 5
    retain_snapshots_min_age_secs: int = 600
    gc_safety_margin_ms: int = 120_000
    store_gc_days: int = 30
    compaction_overdue_segments: int = 8
    compaction_overdue_tombstones: int = 200_000
    max_tombstones_per_snapshot: int = 250_000
    max_concurrent_queries: int = 8
    max_query_queue_depth: int = 32
    max_queries_per_client: int = 4
    max_open_segments_global: int = 512
    slow_query_ms: int = 2_000
    max_embed_global: int = 2
    embed_lock_ttl_ms: int = 120_000
    max_request_bytes: int = 1_048_576
    max_response_bytes: int = 10_485_760
    idle_timeout_secs: int = 1_800
    store_idle_secs: int = 300
    low_impact: bool = False
    start_daemon: bool = True
    watch: bool = True
    include_untracked: bool = True
    shared_store: bool = False
    shared_store_include_untracked: bool = False
    shared_store_clean: bool = False
    merge_strategy: str = "rrf"
    portable_paths: bool = False
    structure: bool = True
    extra_ignores: tuple[str, ...] = ()
    profile: str = ""
    profile_include: tuple[str, ...] = ()
    max_bytes_indexed: int = 0
    roles: tuple[tuple[Role, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Settings, and who decided each.

    Attributes:
        sources: one entry for every field of `Settings`.
        profiles: those that the repository's file holds.
        usual_profile: the one in force where neither flag nor variable names one.
    """

    settings: Settings
    sources: Mapping[str, Source]
    profiles: Profiles = field(default_factory=Profiles)
    usual_profile: str = ""

    @property
    def profile(self) -> Profile:
        """Return the profile in force; one that adds nothing where there is none."""
        return self.profiles.named(self.settings.profile)


REPO_SETTABLE: Final = frozenset(
    {
        "max_file_size_bytes",
        "max_chunks_per_file",
        "max_bulk_bytes",
        "max_bytes_per_sync",
        "max_candidates",
        "max_query_results",
        "max_query_per_file",
        "max_total_snippet_bytes",
        "max_snippet_bytes_per_result",
        "query_timeout_ms",
        "include_untracked",
        "portable_paths",
        "structure",
        PROFILE,
        PATTERNS,
    }
)
"""Keys a repository's own file may hold. It comes from strangers: it cannot choose a model to
load, a number of processes, or anything wider than what stands without it."""

_NARROWER_WHEN_ON: Final = frozenset({"portable_paths"})
"""Keys whose `true` refuses something; the `true` of others allows it."""

OUTPUT_BUDGETS: Final = (
    "max_candidates",
    "max_query_results",
    "max_query_per_file",
    "max_total_snippet_bytes",
    "max_snippet_bytes_per_result",
)
"""Keys that decide how much of an answer is shown; whoever asks may bring its own."""

API_BEARER: Final = "GGREP_API_TOKEN"
"""The variable that holds what callers of the HTTP surfaces must present; see `without_token`."""

PROFILE_VARIABLE: Final = "GGREP_PROFILE"
"""The variable that names the profile in force; daemons are told theirs by it."""

_FROM_TABLES = frozenset({"extra_ignores", "profile_include", "max_bytes_indexed", "roles"})
_KEYS = frozenset(field.name for field in fields(Settings)) - _FROM_TABLES
_RETIRED = MappingProxyType(
    {"fast_mode": "was taken apart: set structure = false, and search with --no-vectors"}
)
_VARIABLES = {f"GGREP_{key.upper()}": key for key in _KEYS}
_OTHER_VARIABLES = frozenset(
    {
        API_BEARER,
        "GGREP_HOME",
        "GGREP_CLIENT_ID",
        "GGREP_CLIENT_KIND",
        "GGREP_OFFLINE",
    }
)
KNOWN_VARIABLES: Final = frozenset(_OTHER_VARIABLES | _VARIABLES.keys())
"""Every `GGREP_*` variable that means something."""

_TEST_VARIABLES = "GGREP_TEST_"
_INDEX_SHAPING = (
    "include_untracked",
    "max_bulk_bytes",
    "max_bytes_indexed",
    "max_bytes_per_sync",
    "max_chunks_per_file",
    "max_file_size_bytes",
    "structure",
)


def environment() -> Mapping[str, str]:
    """Return a copy of the process's environment."""
    return MappingProxyType(dict(os.environ))  # noqa: TID251 - this module is the owner


def unknown_variables(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the `GGREP_*` variables that mean nothing to this build, by name."""
    return tuple(
        name
        for name in sorted(environ)
        if name.startswith("GGREP_")
        and name not in KNOWN_VARIABLES
        and not name.startswith(_TEST_VARIABLES)
    )


def compute_in_one_thread() -> None:
    """Have libraries that are loaded from now on compute a matrix product in one thread.

    Searches share the cores among themselves; a product that takes all of them for itself makes
    the others wait, and costs more than it gains at the sizes we have.
    """
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # noqa: TID251 - this module is the owner


def user_home(environ: Mapping[str, str]) -> Path:
    """Return the user's home directory: `HOME`, else what the user database says."""
    named = environ.get("HOME", "")
    return Path(named if named.startswith("/") else pwd.getpwuid(os.getuid()).pw_dir)


def home_from(environ: Mapping[str, str]) -> Home:
    """Return the ggrep home: `GGREP_HOME`, else `.ggrep` in the user's home directory.

    Raises:
        InvalidRequest: `GGREP_HOME` is not an absolute path.
    """
    named = environ.get("GGREP_HOME", "")
    if not named:
        return Home(user_home(environ) / ".ggrep")
    if not named.startswith("/"):
        raise InvalidRequest(f"GGREP_HOME: {named!r} is not an absolute path")
    return Home(Path(named))


@dataclass(frozen=True, slots=True)
class ClientName:
    """Who asks, as daemons share their time among those who do.

    Attributes:
        name: `GGREP_CLIENT_ID`, else one for all commands of a terminal session: a name of each
            process would make every command a newcomer.
    """

    name: str
    kind: Literal["interactive", "batch"]


def client_of(environ: Mapping[str, str]) -> ClientName:
    """Return who asks.

    Raises:
        InvalidRequest: `GGREP_CLIENT_KIND` is neither word.
    """
    kind = environ.get("GGREP_CLIENT_KIND") or "interactive"
    if kind not in {"interactive", "batch"}:
        raise InvalidRequest(f"GGREP_CLIENT_KIND: {kind!r} is neither interactive nor batch")
    name = environ.get("GGREP_CLIENT_ID") or f"cli-{os.getsid(0)}"
    return ClientName(name, "batch" if kind == "batch" else "interactive")


def load_settings(
    home: Home,
    root: Path,
    *,
    environ: Mapping[str, str],
    flags: Mapping[str, object] = MappingProxyType({}),
) -> LoadedSettings:
    """Return the settings in force for `root`.

    Flags beat variables, these the repository's file, that the user's file, that the defaults;
    no source goes beyond the caps. In the user's file the root's own table beats what stands
    beside it, and a profile there beats the repository's choice of one. A flag that is None was
    not given.

    Raises:
        InvalidRequest: a source holds an unknown key or a value that cannot stand.
    """
    loaded = LoadedSettings(Settings(), {field.name: "default" for field in fields(Settings)})
    everywhere, here = _from_user(home.config_file, root)
    loaded = _apply(loaded, "user", {**everywhere, **here})
    variables, given = _from_environment(environ), _from_flags(flags)
    file = read_repo_file(root)
    profiles = parse_profiles(file)
    usual = loaded.settings.profile or profiles.default
    profile = profiles.named(_asked_for(given, variables) or usual)
    from_repo = _from_repo(file, profiles, profile, loaded)
    loaded = _apply(loaded, "repo", from_repo)
    loaded = _apply(loaded, "user", {key: here[key] for key in here if key == PROFILE})
    loaded = _apply(loaded, "env", variables)
    loaded = _apply(loaded, "flag", given)
    loaded = _without_untracked(loaded)
    return replace(loaded, profiles=profiles, usual_profile=usual)


def without_token(environ: Mapping[str, str]) -> Mapping[str, str]:
    """Return the variables without the token, which no child may inherit.

    Daemons outlive us, and their environment can be read by whoever may look at the process.
    """
    return {name: value for name, value in environ.items() if name != API_BEARER}


def without_profile(environ: Mapping[str, str]) -> Mapping[str, str]:
    """Return the variables without a profile's name, which only repositories understand."""
    return {name: value for name, value in environ.items() if name != PROFILE_VARIABLE}


def with_budgets(settings: Settings, budgets: Mapping[str, int]) -> Settings:
    """Return the settings with some output budgets replaced.

    Raises:
        InvalidRequest: a name is no output budget, or a value goes beyond the caps.
    """
    for name, value in budgets.items():
        if name not in OUTPUT_BUDGETS:
            raise InvalidRequest(f"budgets: {name}: no output budget")
        check_value("budgets", name, value)
    return replace(settings, **budgets)  # type: ignore[arg-type] # names are those of numbers


def index_shaping(settings: Settings) -> tuple[tuple[str, object], ...]:
    """Return name and value of the settings that decide what an index holds, by name."""
    shaping: dict[str, object] = {key: getattr(settings, key) for key in _INDEX_SHAPING}
    # Patterns that only take away commute, so their order and repetition do not shape an index;
    # nor do those that only add.
    for key in ("extra_ignores", "profile_include"):
        shaping[key] = tuple(sorted(set(getattr(settings, key))))
    return tuple(sorted(shaping.items()))


def _apply(loaded: LoadedSettings, source: Source, values: Mapping[str, object]) -> LoadedSettings:
    named = {("extra_ignores" if key == PATTERNS else key): values[key] for key in values}
    return LoadedSettings(
        # The values were checked one by one against their field's type.
        replace(loaded.settings, **named),  # type: ignore[arg-type] # keys vary in type
        {**loaded.sources, **dict.fromkeys(named, source)},
    )


def _without_untracked(loaded: LoadedSettings) -> LoadedSettings:
    """Return the settings with the value of `include_untracked` that is in force.

    What one user has lying about must not turn up in the answers of all. Done here, so that
    walk, git's state and fingerprint all see the one value.
    """
    held = loaded.settings
    if not held.shared_store or held.shared_store_include_untracked or not held.include_untracked:
        return loaded
    who = loaded.sources["shared_store"]
    return LoadedSettings(
        replace(held, include_untracked=False), {**loaded.sources, "include_untracked": who}
    )


def role_rules(settings: Settings) -> RoleRules:
    """Return the rules that say which role a path plays."""
    return rules_of(settings.roles)


def _asked_for(flags: Mapping[str, object], variables: Mapping[str, object]) -> str:
    """Return the profile that the caller named; empty for the repository's own choice."""
    return str(flags.get(PROFILE, variables.get(PROFILE, "")))


def _from_user(path: Path, root: Path) -> tuple[Mapping[str, object], Mapping[str, object]]:
    """Return what the user's file says of every root, and what of this one."""
    values = dict(read_user_file(path))
    here = of_root(str(path), values.pop(ROOTS, {}), root)
    for key in values:
        if key == PROFILE:
            # Most repositories would not have it, and nothing would work there.
            raise InvalidRequest(
                f"{path}: {key}: profiles are a repository's own; use {REPO_FILE}, or a table"
                f' [{ROOTS}."/path"] here'
            )
        if key not in _KEYS:
            raise InvalidRequest(f"{path}: {shown(key)}: {_RETIRED.get(key, 'unknown key')}")
    return {key: check_value(str(path), key, value) for key, value in values.items()}, here


def _from_repo(
    file: Mapping[str, object], profiles: Profiles, profile: Profile, standing: LoadedSettings
) -> Mapping[str, object]:
    values = {}
    for key, value in file.items():
        if key in TABLES:
            continue
        if key not in REPO_SETTABLE:
            unknown = _RETIRED.get(key, "unknown key")
            why = "cannot be set by a repository" if key in _KEYS else unknown
            raise InvalidRequest(f"{REPO_FILE}: {shown(key)}: {why}")
        values[key] = check_value(REPO_FILE, key, value)
        if key not in {PATTERNS, PROFILE}:
            _require_narrower(key, values[key], standing)
    if profile.name:
        values[PROFILE] = profile.name
    if profile.has_own_store:
        values |= _of_own_store(profile, values.get(PATTERNS, ()), standing)
    if profiles.roles:
        values["roles"] = profiles.roles
    return values


def _of_own_store(
    profile: Profile, ignored: object, standing: LoadedSettings
) -> Mapping[str, object]:
    """Return what a profile says of the store that it has for itself."""
    limits = {
        "max_file_size_bytes": profile.max_file_size_bytes,
        "max_store_bytes": profile.max_store_bytes,
    }
    for key, value in limits.items():
        _require_narrower(key, value, standing, unbounded=key == "max_store_bytes")
    return {
        **limits,
        PATTERNS: (*(ignored if isinstance(ignored, tuple) else ()), *profile.exclude),
        "profile_include": profile.include,
        "max_bytes_indexed": profile.max_bytes_indexed,
    }


def _require_narrower(
    key: str, value: object, standing: LoadedSettings, *, unbounded: bool = False
) -> None:
    """Raise where a value is wider than what stands; `unbounded` where 0 is no bound."""
    held = getattr(standing.settings, key)
    if unbounded and not held:
        return
    if key in BOOLEANS:
        wider = value != held and value is not (key in _NARROWER_WHEN_ON)
    else:
        wider = isinstance(value, int) and value > held
    if wider:
        shown = str(held).lower() if key in BOOLEANS else held
        raise InvalidRequest(
            f"{REPO_FILE}: {key}: {str(value).lower()} is wider than {shown}"
            f" ({standing.sources[key]}); this file may only narrow"
        )


def _from_environment(environ: Mapping[str, str]) -> Mapping[str, object]:
    # A variable that is set but empty is how a shell says "not set".
    given = {name: environ[name] for name in sorted(_VARIABLES) if environ.get(name)}
    return {_VARIABLES[name]: parse_text(name, _VARIABLES[name], given[name]) for name in given}


def _from_flags(flags: Mapping[str, object]) -> Mapping[str, object]:
    given = {key: value for key, value in flags.items() if value is not None}
    for key in given:
        if key not in _KEYS:
            raise InvalidRequest(f"flag {key}: unknown setting")
    return {key: check_value("flag", key, value) for key, value in given.items()}
