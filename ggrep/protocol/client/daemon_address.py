"""Addresses of daemons; clients and daemons compute them from settings in the same way."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct, field

from ggrep.config.home import Home
from ggrep.config.profiles import Profile
from ggrep.config.settings import (
    OUTPUT_BUDGETS,
    LoadedSettings,
    Settings,
    client_of,
    load_settings,
)
from ggrep.config.settings_files import PROFILE
from ggrep.index.repo_identity import RepoIdentity, identify
from ggrep.protocol.wire.endpoint import place_of_socket
from ggrep.protocol.wire.frames import PROTOCOL_VERSIONS
from ggrep.protocol.wire.handshake import Hello


class DaemonAddress(Struct, frozen=True):
    """A repository and the address of its daemon.

    Attributes:
        flags: settings with precedence over all others; a started daemon gets them too.
        profile: the configured profile; the client applies it to its requests.
        served_profile: name of the profile to start the daemon with; empty if the daemon's store is
            that of the repository's default profile.
    """

    home: Home
    identity: RepoIdentity
    settings: Settings
    socket: Path
    hello: Hello
    flags: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    profile: Profile = field(default_factory=lambda: Profile(""))
    served_profile: str = ""
    caller: str = ""

    @property
    def budgets(self) -> dict[str, int]:
        """Return the output budgets of this client."""
        return {name: getattr(self.settings, name) for name in OUTPUT_BUDGETS}


def arrange(
    root: Path,
    home: Home,
    *,
    environ: Mapping[str, str],
    flags: Mapping[str, object] = MappingProxyType({}),
    build: str = "",
    client_name: str = "",
) -> DaemonAddress:
    """Return the address of the daemon for a canonical root."""
    loaded = load_settings(home, root, environ=environ, flags=flags)
    settings = loaded.settings
    identity = identify(root, home, settings)
    client = client_of(environ)
    return DaemonAddress(
        home=home,
        identity=identity,
        settings=settings,
        socket=place_of_socket(home, identity.store_id, identity.config_fingerprint),
        hello=Hello(
            protocol_versions=PROTOCOL_VERSIONS,
            store_id=identity.store_id,
            config_fingerprint=identity.config_fingerprint,
            client_id=client_name or client.name,
            client_kind=client.kind,
            client_capabilities=("json", "explain"),
            build=build,
        ),
        flags={name: value for name, value in flags.items() if value is not None},
        profile=loaded.profile,
        served_profile=_served_profile(loaded),
    )


def _served_profile(loaded: LoadedSettings) -> str:
    """Return the profile to start a daemon with; empty if it does not select another store."""
    profile, default = loaded.profile, loaded.profiles.named(loaded.usual_profile)
    chosen = loaded.sources[PROFILE] in {"env", "flag"}
    return profile.name if chosen and (profile.has_own_store or default.has_own_store) else ""
