"""Stores of a home: listed, removed, collected, upgraded."""

from collections.abc import Sequence
from typing import TypeAlias, TypedDict

from ggrep.model.constraints import DocumentJson
from ggrep.model.maintenance import Candidate, Removal, Stores, UpgradeReport
from ggrep.model.schemas.failure import ErrorJson


class RefusedStoreJson(TypedDict):
    """A store that was left."""

    store_id: str
    """Name of the store's directory."""
    error: ErrorJson


class StoresCollectionJson(DocumentJson):
    """What `ggrep gc --stores` removed, or would."""

    dry_run: bool
    """Whether nothing was deleted because nobody said --force."""
    candidates: Sequence[Candidate]
    """What nobody needs, by store id."""
    deleted: Sequence[Candidate]
    """What of it is gone."""
    refused: Sequence[RefusedStoreJson]
    """What of it could not be deleted."""


InventoryJson: TypeAlias = Stores | Removal | StoresCollectionJson | UpgradeReport
"""What `ggrep list` found, what `ggrep clean` or `ggrep gc --stores` removed, and what `ggrep
upgrade-store` made.
"""
