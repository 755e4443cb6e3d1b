"""Digests by which indexes, answers and roots are compared."""

import hashlib
import os
import re
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import asdict

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest
from ggrep.base.formats import IMAGE_FORMAT, INDEX_REVISION, QUERY_SCHEMA, ROW_CONTENT
from ggrep.base.ids import PathKey, RepoId, StoreId
from ggrep.config.builtin import BUILTIN_REVISION
from ggrep.config.settings import OUTPUT_BUDGETS, Settings, index_shaping
from ggrep.model.filters import Filter
from ggrep.model.request import SearchRequest

_SLUG_LENGTH = 24
_NAME: Final = re.compile(
    r"(?P<repo>[a-z0-9][a-z0-9-]{0,23}-[0-9a-f]{12})-(?P<config>[0-9a-f]{12})"
    r"(?:-[a-z0-9]{1,16})*"
)
_NOT_QUERY_SHAPING = frozenset({"timeout_ms", "explain"})


def config_fingerprint(
    settings: Settings, *, encoder_identity: str, chunker_revision: str, grammar_revision: str
) -> str:
    """Return the fingerprint of the settings and code that affect the index, as SHA-256 hex."""
    inputs: dict[str, stable_json.Json] = {
        "version": "config-1",
        "builtin_revision": BUILTIN_REVISION,
        "chunker_revision": chunker_revision,
        "encoder_identity": encoder_identity,
        "grammar_revision": grammar_revision,
        "image_format": IMAGE_FORMAT,
        "index_revision": INDEX_REVISION,
        "row_schema": ROW_CONTENT,
        "settings": {key: _plain(value) for key, value in index_shaping(settings)},
    }
    return _digest(inputs)


def embed_config_fingerprint(*, encoder_identity: str, chunker_revision: str) -> str:
    """Return the fingerprint of embedded text and encoder; stores share vectors if it is equal."""
    return _digest(
        {
            "version": "embed-1",
            "chunker_revision": chunker_revision,
            "encoder_identity": encoder_identity,
            "index_revision": INDEX_REVISION,
        }
    )


def ignore_fingerprint(files: Iterable[tuple[PathKey, bytes]]) -> str:
    """Return the digest of all ignore files of a root; their order has no effect."""
    digest = hashlib.sha256()
    for path_key, data in sorted(files, key=lambda file: file[0].encode()):
        # The length separates the content of a file from the name of the next file.
        digest.update(b"%s\0%d\0" % (path_key.encode(), len(data)))
        digest.update(data)
    return digest.hexdigest()


def query_fingerprint(
    request: SearchRequest, *, settings: Settings | None = None, ranking_revision: str = ""
) -> str:
    """Return the fingerprint of a query: everything that affects its answer, except the index."""
    budgets = settings or Settings()
    fields = {
        name: _plain(value)
        for name, value in asdict(request).items()
        if name not in _NOT_QUERY_SHAPING
    }
    # Duplicates and order of filters do not affect the answer.
    fields["corpora"] = sorted({corpus.value for corpus in request.corpora})
    fields["filters"] = sorted({(f.key, f.value, f.negated) for f in request.filters})
    fields["within"] = sorted({(f.key, f.value, f.negated) for f in request.within})
    return _digest(
        {
            "version": "query-1",
            "schema": QUERY_SCHEMA,
            "ranking_revision": ranking_revision,
            "request": fields,
            "budgets": {name: getattr(budgets, name) for name in OUTPUT_BUDGETS},
        }
    )


def asked_fingerprint(
    kind: str, request: object, *, settings: Settings | None = None, ranking_revision: str = ""
) -> str:
    """Return the fingerprint of a query other than a search, like `query_fingerprint`."""
    budgets = settings or Settings()
    return _digest(
        {
            "version": kind,
            "ranking_revision": ranking_revision,
            "request": _plain(request),
            "budgets": {name: getattr(budgets, name) for name in OUTPUT_BUDGETS},
        }
    )


def store_id(root: Path, config_fingerprint: str) -> StoreId:
    """Return the name of the store of a canonical root under one configuration."""
    return StoreId(f"{slug(root)}-{_root_digest(root)}-{_h12(config_fingerprint.encode())}")


def travelling_id(repo_key: str, config_fingerprint: str) -> StoreId:
    """Return the name of a repository's index, independent of the repository's location."""
    name = slug(Path(repo_key))
    return StoreId(f"{name}-{_h12(repo_key.encode())}-{_h12(config_fingerprint.encode())}")


def repo_id(root: Path) -> RepoId:
    """Return the name of the repository at a canonical root, independent of its configuration."""
    return RepoId(f"{slug(root)}-{_root_digest(root)}")


class StoreName(Struct, frozen=True):
    """The parts of a store's name; the name of a copied store has a suffix such as `-eval`.

    Attributes:
        config: the first digits of the configuration fingerprint.
    """

    store_id: StoreId
    repo_id: RepoId
    config: str


def parse_store_id(text: str) -> StoreName:
    """Return the parts of a store id."""
    match = _NAME.fullmatch(text)
    if match is None:
        raise InvalidRequest(f"invalid store id: {text!r}; see: ggrep list")
    return StoreName(StoreId(text), RepoId(match["repo"]), match["config"])


def slug(root: Path) -> str:
    """Return the root's directory name, with characters of `[a-z0-9-]`, 1 to 24 characters long."""
    words = re.sub(r"[^a-z0-9]+", "-", root.name.lower()).strip("-")
    return words[:_SLUG_LENGTH].rstrip("-") or "repo"


def _root_digest(root: Path) -> str:
    return _h12(os.fsencode(root))


def _h12(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:12]


def _digest(inputs: dict[str, stable_json.Json]) -> str:
    return hashlib.sha256(stable_json.dumps(inputs)).hexdigest()


_LATER = frozenset({"cursor"})
"""Fields that were added later; their defaults are left out to keep old fingerprints valid."""


def _plain(value: object) -> stable_json.Json:
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, Filter):
        return [value.key, value.value, value.negated]
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Struct):
        return {
            name: _plain(each)
            for name, each in asdict(value).items()
            if name not in _NOT_QUERY_SHAPING
            if name not in _LATER or each
        }
    raise TypeError(f"a value of type {type(value).__name__} has no fingerprint")
