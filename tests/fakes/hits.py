"""A hit of which only path and content matter."""

from ggrep.model.response import Hit
from tests.fakes import searchers


def hit(path: str, content: str) -> Hit:
    return searchers.hit(
        path,
        path,
        end_line=content.count("\n") + 1,
        score=1.0,
        lexical_score=1.0,
        chunk_type="block",
        language="text",
        content=content,
    )
