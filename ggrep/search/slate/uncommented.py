"""Leaves comments out of lines of code: what answers a question takes fewer bytes then."""

from ggrep.model.slate import LEFT_OUT
from ggrep.search.query.snippets import Snippet
from ggrep.search.slate.source_text import bare_text


def without_comments(snippet: Snippet, language: str) -> Snippet:
    """Return the snippet without its comments; whole where it is nothing but one.

    Every line keeps its number: comments further down leave blank lines behind their first one.
    """
    hidden = bare_text(snippet.text, language).comment_lines
    if not hidden:
        return snippet
    lines = snippet.text.split("\n")
    told = [i for i, line in enumerate(lines) if i not in hidden and line.strip()]
    if not told:
        return snippet
    first, last = told[0], told[-1]
    shown = [
        ("" if i - 1 in hidden else LEFT_OUT) if i in hidden else lines[i]
        for i in range(first, last + 1)
    ]
    left = len(lines) - last - 1
    return Snippet("\n".join(shown), snippet.first_line + first, snippet.hidden_lines + left)
