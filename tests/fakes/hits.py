"""A hit of which only path and content matter."""

from ggrep.model.corpus import Corpus
from ggrep.model.response import Hit


def hit(path: str, content: str) -> Hit:
    """Return a hit whose row is named after its path."""
    return Hit(
        row_id=path,
        chunk_id=path,
        path=path,
        start_line=1,
        end_line=content.count("\n") + 1,
        score=1.0,
        lexical_score=1.0,
        corpus=Corpus.CODE,
        chunk_type="block",
        name="",
        qualified_name="",
        breadcrumb=(),
        language="text",
        is_anchor=False,
        content=content,
        content_start_line=1,
        signature="",
        hidden_lines=0,
    )
