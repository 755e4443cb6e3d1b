"""Loads the settings of one root with their sources; the only module that reads the environment."""

import os
import pwd
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.base.commands import nearest
from ggrep.base.errors import InvalidRequest
from ggrep.config.declarations import DECLARED, Settings
from ggrep.config.home import Home
from ggrep.config.profiles import TABLES, Profile, Profiles, parse_profiles
from ggrep.config.settings_files import (
    PATTERNS,
    PROFILE,
    REPO_FILE,
    ROOTS,
    check_value,
    of_root,
    parse_text,
    read_repo_file,
    read_user_file,
    shown,
)

__all__ = [
    "API_BEARER",
    "KNOWN_VARIABLES",
    "OUTPUT_BUDGETS",
    "PROFILE_VARIABLE",
    "ClientName",
    "LoadedSettings",
    "Settings",
    "Source",
    "client_of",
    "compute_in_one_thread",
    "environment",
    "home_from",
    "index_shaping",
    "load_settings",
    "unknown_variables",
    "user_home",
    "with_budgets",
    "without_profile",
    "without_token",
]

Source = Literal["default", "user", "repo", "env", "flag"]


class LoadedSettings(Struct, frozen=True):
    """Settings with their sources.

    Attributes:
        sources: the source of every field of `Settings`.
        profiles: profiles of the repository's file.
        usual_profile: the profile that is used if neither a flag nor a variable names one.
    """

    settings: Settings
    sources: Mapping[str, Source]
    profiles: Profiles = field(default_factory=Profiles)
    usual_profile: str = ""

    @property
    def profile(self) -> Profile:
        """Return the current profile; an empty profile if there is none."""
        return self.profiles.named(self.settings.profile)


OUTPUT_BUDGETS: Final = tuple(key for key, declared in DECLARED.items() if declared.says.budget)
"""Settings that limit the size of an answer; a client can send other values."""

API_BEARER: Final = "GGREP_API_TOKEN"
"""The variable with the token that callers of the HTTP surfaces must send; see `without_token`."""

PROFILE_VARIABLE: Final = "GGREP_PROFILE"
"""The variable that names the current profile, also for new daemons."""

_RETIRED = MappingProxyType(
    {"fast_mode": "was removed: set structure = false, and search with --no-vectors"}
)
_VARIABLES = {
    f"GGREP_{key.upper()}": key
    for key, declared in DECLARED.items()
    if declared.says.is_set_by("e")
}
_KEYS = frozenset(_VARIABLES.values())
_OTHER_VARIABLES = frozenset(
    {
        API_BEARER,
        "GGREP_HOME",
        "GGREP_CLIENT_ID",
        "GGREP_CLIENT_KIND",
        "GGREP_LINKS",
        "GGREP_OFFLINE",
        "GGREP_PAGER",
    }
)
KNOWN_VARIABLES: Final = frozenset(_OTHER_VARIABLES | _VARIABLES.keys())
"""All known `GGREP_*` variables."""

_TEST_VARIABLES = "GGREP_TEST_"


def environment() -> Mapping[str, str]:
    """Return a copy of the process's environment."""
    return MappingProxyType(dict(os.environ))  # noqa: TID251 - this module is the owner


def _unknown(key: str) -> str:
    """Return why a key of a settings file is refused, with the nearest known key."""
    meant = nearest(key.casefold(), sorted(_KEYS))
    return _RETIRED.get(key) or "unknown key" + (f"; did you mean: {meant}" if meant else "")


def unknown_variables(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the unknown `GGREP_*` variables, by name."""
    return tuple(
        name
        for name in sorted(environ)
        if name.startswith("GGREP_")
        and name not in KNOWN_VARIABLES
        and not name.startswith(_TEST_VARIABLES)
    )


def compute_in_one_thread() -> None:
    """Make libraries that are loaded from now on compute matrix products in one thread.

    Simultaneous searches share the cores: a product on all cores makes other searches wait, and is
    not faster for the sizes of ggrep's matrices.
    """
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # noqa: TID251 - this module is the owner


def user_home(environ: Mapping[str, str]) -> Path:
    """Return the user's home directory: `HOME`, else the directory in the user database."""
    named, user = environ.get("HOME", ""), os.getuid()
    if named.startswith("/"):
        return Path(named)
    try:
        return Path(pwd.getpwuid(user).pw_dir)
    except KeyError as error:
        raise InvalidRequest(
            f"no home directory: HOME is not set, and the system has no user {user};"
            " set GGREP_HOME to a directory where ggrep can store its files"
        ) from error


def process_home() -> Path | None:
    """Return the home directory of this process's user, if there is one."""
    try:
        return user_home(os.environ)  # noqa: TID251 - this module is the owner
    except InvalidRequest:
        return None


def home_from(environ: Mapping[str, str]) -> Home:
    """Return the ggrep home: `GGREP_HOME`, else `.ggrep` in the user's home directory.

    Raises:
        InvalidRequest: `GGREP_HOME` is not an absolute path, or there is no home directory.
    """
    named = environ.get("GGREP_HOME", "")
    if not named:
        return Home(user_home(environ) / ".ggrep")
    if not named.startswith("/"):
        raise InvalidRequest(f"GGREP_HOME: {named!r} is not an absolute path")
    return Home(Path(named))


class ClientName(Struct, frozen=True):
    """Name and kind of a client, for the fair queues of daemons.

    Attributes:
        name: `GGREP_CLIENT_ID`, else a name for all commands of a terminal session. With a name for
            each process, every command would be a new client.
    """

    name: str
    kind: Literal["interactive", "batch"]


def client_of(environ: Mapping[str, str]) -> ClientName:
    """Return the client's name and kind from the environment."""
    kind = environ.get("GGREP_CLIENT_KIND") or "interactive"
    if kind not in {"interactive", "batch"}:
        raise InvalidRequest(f"GGREP_CLIENT_KIND: {kind!r} must be interactive or batch")
    name = environ.get("GGREP_CLIENT_ID") or f"cli-{os.getsid(0)}"
    return ClientName(name, "batch" if kind == "batch" else "interactive")


def load_settings(
    home: Home,
    root: Path,
    *,
    environ: Mapping[str, str],
    flags: Mapping[str, object] = MappingProxyType({}),
) -> LoadedSettings:
    """Return the current settings of `root`.

    The order of precedence is flags, variables, the repository's file, the user's file, defaults;
    no source exceeds the caps. In the user's file, the table of the root has precedence over the
    other keys. A profile in this table has precedence over the profile that the repository's file
    selects. A flag that is None is not set.

    Raises:
        InvalidRequest: a source has an unknown key or an invalid value.
    """
    loaded = LoadedSettings(Settings(), dict.fromkeys(Settings.__struct_fields__, "default"))
    everywhere, here = _from_user(home.config_file, root)
    loaded = _apply(loaded, "user", {**everywhere, **here})
    variables, given = _from_environment(environ), _from_flags(flags)
    file = read_repo_file(root)
    profiles = parse_profiles(file)
    usual = loaded.settings.profile or profiles.default
    named = given.get(PROFILE, variables.get(PROFILE, ""))
    profile = profiles.named(str(named) or usual)
    loaded = _apply(loaded, "repo", _from_repo(file, profiles, profile, loaded))
    loaded = _apply(loaded, "user", {key: here[key] for key in here if key == PROFILE})
    loaded = _apply(loaded, "env", variables)
    loaded = _apply(loaded, "flag", given)
    loaded = _without_untracked(loaded)
    return replace(loaded, profiles=profiles, usual_profile=usual)


def without_token(environ: Mapping[str, str]) -> Mapping[str, str]:
    """Return the variables without the HTTP token, which child processes must not inherit.

    Daemons outlive this process, and other processes can read their environment.
    """
    return {name: value for name, value in environ.items() if name != API_BEARER}


def without_profile(environ: Mapping[str, str]) -> Mapping[str, str]:
    """Return the variables without the profile's name, which is only valid in one repository."""
    return {name: value for name, value in environ.items() if name != PROFILE_VARIABLE}


def with_budgets(settings: Settings, budgets: Mapping[str, int]) -> Settings:
    """Return the settings with some output budgets replaced."""
    for name, value in budgets.items():
        if name not in OUTPUT_BUDGETS:
            raise InvalidRequest(f"budgets: {name} is not the name of an output budget")
        check_value("budgets", name, value)
    return replace(settings, **budgets)


def index_shaping(settings: Settings) -> tuple[tuple[str, object], ...]:
    """Return name and value of the settings that affect the content of an index, sorted by name.

    The encoder's name is omitted: fingerprints contain the identity of its model instead.
    """
    shaping: dict[str, object] = {}
    for declared in DECLARED.values():
        if declared.says.shapes_index and declared.name != "encoder":
            value = getattr(settings, declared.name)
            # If all patterns exclude, or all include, their order and repetition do not affect the
            # index.
            shaping[declared.name] = tuple(sorted(set(value))) if declared.is_list else value
    return tuple(sorted(shaping.items()))


def _apply(loaded: LoadedSettings, source: Source, values: Mapping[str, object]) -> LoadedSettings:
    # The values of tables in the repository's file have the names of settings.
    named = {DECLARED[key].name if key in DECLARED else key: values[key] for key in values}
    return LoadedSettings(
        # Each value was checked against its field's type.
        replace(loaded.settings, **named),
        {**loaded.sources, **dict.fromkeys(named, source)},
    )


def _without_untracked(loaded: LoadedSettings) -> LoadedSettings:
    """Return the settings; without `include_untracked` if the store is shared.

    Untracked files of one user must not appear in the answers for all users.
    """
    settings = loaded.settings
    if (
        not settings.shared_store
        or settings.shared_store_include_untracked
        or not settings.include_untracked
    ):
        return loaded
    who = loaded.sources["shared_store"]
    return LoadedSettings(
        replace(settings, include_untracked=False), {**loaded.sources, "include_untracked": who}
    )


def _from_user(path: Path, root: Path) -> tuple[Mapping[str, object], Mapping[str, object]]:
    """Return the user's settings for all roots, and the user's settings for this root."""
    values = dict(read_user_file(path))
    here = of_root(str(path), values.pop(ROOTS, {}), root)
    for key in values:
        if key == PROFILE:
            # Most repositories do not have such a profile, and all commands would fail in them.
            raise InvalidRequest(
                f"{path}: {key}: a profile belongs to one repository; set it in the repository's"
                f' {REPO_FILE}, or here in a table [{ROOTS}."/path"]'
            )
        if key not in _KEYS:
            raise InvalidRequest(f"{path}: {shown(key)}: {_unknown(key)}")
    return {key: check_value(str(path), key, value) for key, value in values.items()}, here


def _from_repo(
    file: Mapping[str, object], profiles: Profiles, profile: Profile, standing: LoadedSettings
) -> Mapping[str, object]:
    values = {}
    for key, value in file.items():
        if key in TABLES:
            continue
        if key not in DECLARED or not DECLARED[key].says.is_set_by("r"):
            why = "cannot be set by a repository" if key in _KEYS else _unknown(key)
            raise InvalidRequest(f"{REPO_FILE}: {shown(key)}: {why}")
        values[key] = check_value(REPO_FILE, key, value)
        if DECLARED[key].kind in {bool, int}:
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
    """Return the settings of a profile with a separate store."""
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
    """Raise if a limit is wider than the current limit; `unbounded`: whether 0 means no limit."""
    current = getattr(standing.settings, key)
    if unbounded and not current:
        return
    if isinstance(value, bool):
        wider = value != current and value is not DECLARED[key].says.narrow
    else:
        wider = isinstance(value, int) and value > current
    if wider:
        raise InvalidRequest(
            f"{REPO_FILE}: {key}: {str(value).lower()} is less strict than {str(current).lower()}"
            f" ({standing.sources[key]}); a repository can only make this setting stricter"
        )


def _from_environment(environ: Mapping[str, str]) -> Mapping[str, object]:
    # An empty variable counts as not set.
    texts = {name: environ[name] for name in sorted(_VARIABLES) if environ.get(name)}
    return {_VARIABLES[name]: parse_text(name, _VARIABLES[name], texts[name]) for name in texts}


def _from_flags(flags: Mapping[str, object]) -> Mapping[str, object]:
    given = {key: value for key, value in flags.items() if value is not None}
    for key in given:
        if key not in _KEYS:
            raise InvalidRequest(f"flag {key}: unknown setting")
    return {key: check_value("flag", key, value) for key, value in given.items()}
