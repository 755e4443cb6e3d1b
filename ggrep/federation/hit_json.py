"""The JSON of one merged hit."""

from typing import TYPE_CHECKING

from ggrep.federation.merge import AlsoIn, MergedHit

if TYPE_CHECKING:
    from ggrep.model.schemas.federated import FederatedHitJson, RepoPlaceJson


def hit_json(merged: MergedHit) -> "FederatedHitJson":
    """Return a hit with the repository it came from; `file` is relative to that."""
    hit = merged.hit
    document: FederatedHitJson = {
        "id": hit.row_id,
        "globalId": merged.global_id,
        "repoId": merged.repo_id,
        "repoAlias": merged.repo_alias,
        "file": hit.path,
        "start": hit.start_line,
        "end": hit.end_line,
        "score": merged.score,
        "localScore": merged.local_score,
        "localRank": merged.local_rank,
        "lexicalScore": hit.lexical,
        "corpus": hit.corpus.value,
        "kind": hit.chunk_type,
        "name": hit.name,
        "qualifiedName": hit.qualified_name,
        "signature": hit.signature,
        "breadcrumb": list(hit.breadcrumb),
        "language": hit.language,
        "isAnchor": hit.is_anchor,
        "content": hit.content,
        "contentStart": hit.content_start_line,
        "hiddenLines": hit.hidden_lines,
    }
    if merged.also_in:
        document["alsoIn"] = [_copy(copy) for copy in merged.also_in]
    if hit.encoding:
        document["encoding"] = hit.encoding
    if hit.components:
        document["explain"] = dict(hit.components)
    return document


def _copy(copy: AlsoIn) -> "RepoPlaceJson":
    return {
        "repoId": copy.repo_id,
        "repoAlias": copy.repo_alias,
        "file": copy.file,
        "start": copy.start,
        "end": copy.end,
        "id": copy.row_id,
    }
