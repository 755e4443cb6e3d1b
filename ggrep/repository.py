"""Who a repository is under its present settings: its ids, its store, its fingerprints.

Engines and clients both work it out, so it loads neither numpy nor a store.
"""

from dataclasses import dataclass
from pathlib import Path

from ggrep.chunking.languages import CHUNKER_REVISION, grammar_revision
from ggrep.config.settings import Settings
from ggrep.domain.ids import RepoId, StoreId
from ggrep.domain.traits import TRAITS_REVISION
from ggrep.embedding.identity import EncoderIdentity, identity_of
from ggrep.home import Home
from ggrep.identity import fingerprints
from ggrep.lexical.layout import LEXICAL_LAYOUT


@dataclass(frozen=True, slots=True)
class RepoIdentity:
    """Who a repository is."""

    root: Path
    repo_id: RepoId
    store_id: StoreId
    store: Path
    config_fingerprint: str
    embed_config_fingerprint: str
    encoder: EncoderIdentity


def identify(root: Path, home: Home, settings: Settings) -> RepoIdentity:
    """Return who the repository at a canonical root is.

    Raises:
        InvalidRequest: the settings name no encoder there is.
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
