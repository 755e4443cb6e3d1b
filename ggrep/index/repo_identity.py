"""Computes the identity of a repository under its current settings: ids, store, fingerprints.

The module also checks whether the user wants an index of the repository.

Clients also use this module, so it loads neither numpy nor the code of stores.
"""

from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.base.errors import Unasked
from ggrep.base.ids import RepoId, StoreId
from ggrep.config import fingerprints
from ggrep.config.git import is_git_marker
from ggrep.config.home import Home
from ggrep.config.settings import Settings
from ggrep.config.settings_files import REPO_FILE
from ggrep.index.embedding.identity import EncoderIdentity, identity_of
from ggrep.index.lexical.layout import LEXICAL_LAYOUT
from ggrep.model.files import TRAITS_REVISION
from ggrep.model.suggested_commands import on_root
from ggrep.parse.languages.registry import CHUNKER_REVISION, grammar_revision

_OF_THE_SYSTEM: Final = frozenset(
    Path("/", name)
    for name in (
        *("bin", "boot", "dev", "etc", "home", "lib", "lib64", "media", "mnt", "opt", "proc"),
        *("root", "run", "sbin", "srv", "sys", "tmp", "usr", "var"),
    )
)
"""Directories of the system or of all users, which are not projects."""


class RepoIdentity(Struct, frozen=True):
    """The identity of a repository."""

    root: Path
    repo_id: RepoId
    store_id: StoreId
    store: Path
    config_fingerprint: str
    embed_config_fingerprint: str
    encoder: EncoderIdentity


def identify(root: Path, home: Home, settings: Settings) -> RepoIdentity:
    """Return the identity of the repository at a canonical root.

    Raises:
        InvalidRequest: the encoder in the settings does not exist.
    """
    encoder = identity_of(settings.encoder)
    config = fingerprints.config_fingerprint(
        settings,
        encoder_identity=encoder.key,
        chunker_revision=f"{CHUNKER_REVISION}|{LEXICAL_LAYOUT}|{TRAITS_REVISION}",
        grammar_revision=grammar_revision(),
    )
    store_id = fingerprints.store_id(root, config)
    return RepoIdentity(
        root=root,
        repo_id=fingerprints.repo_id(root),
        store_id=store_id,
        store=home.store_dir(store_id),
        config_fingerprint=config,
        embed_config_fingerprint=fingerprints.embed_config_fingerprint(
            encoder_identity=encoder.key, chunker_revision=CHUNKER_REVISION
        ),
        encoder=encoder,
    )


def require_asked(root: Path, home: Home) -> None:
    """Raise unless the user wants an index of a canonical root.

    A user wants an index if the root contains `.git` or `.ggrep.toml`, or if the root was indexed
    before with any configuration.

    Raises:
        Unasked: no index is wanted; the message contains the command that builds an index.
    """
    if is_git_marker(root / ".git") or (root / REPO_FILE).is_file():
        return
    if not any(home.data.glob(f"{fingerprints.repo_id(root)}-*")):
        line = on_root("index", root)
        raise Unasked(
            f"{root} is not a repository and is not indexed yet; to index it: {line}"
            "; a search with --yes also indexes it"
        )


def require_modest(root: Path, home: Home) -> None:
    """Raise if a root is a system directory, unless the user wants an index of it.

    Raises:
        Unasked: the root is a system directory; the message contains the command to index it.
    """
    if root not in _OF_THE_SYSTEM:
        return
    try:
        require_asked(root, home)
    except Unasked as error:
        line = on_root("index --yes", root)
        raise Unasked(f"{root} is a system directory; to index it: {line}") from error
