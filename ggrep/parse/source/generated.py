"""Detects generated and minified texts and dumped data."""

import re
from collections.abc import Sequence
from typing import Final

from ggrep.model.files import DATA, GENERATED, MINIFIED
from ggrep.parse.source.text_shape import is_data, is_minified

_OPENING_BYTES: Final = 4096
_MOST_CODE_LINES: Final = 8
"""Maximum number of lines of code before or between the examined comments."""
_HINTS: Final = (
    *("generated", "do not edit", "do not modify", "made by", "produced by", "built by"),
    *("meta object code", "qt user interface compiler", "-*- shell-script"),
)
"""Words in generated files; a text without any of these words does not declare itself generated."""

_TEMPLATES: Final = re.compile(
    r"\.(tmpl|tpl|gotmpl|template|j2|jinja2?|mustache|erb|hbs|handlebars|ejs|njk|tera|mako|ftl|vm|tt)$"
)
"""Endings of templates, whose comments are about the files generated from them."""

_PROSE: Final = re.compile(r"\.(md|mdx|markdown|rst|adoc|asciidoc|org|html?|xhtml)$")
"""Endings of documents, in which only comments of HTML and reStructuredText count."""

_MARKER: Final = re.compile(
    r"^(?://+[/!]?|#+|;+|--+|%+|\*+|dnl\b|\.\\\"|'\\\"|!+|rem\b|::|\.\.\s)\s*"
)
_BLOCKS: Final = (
    *(("/*", "*/"), ("<!--", "-->"), ('"""', '"""'), ("'''", "'''"), ('r"""', '"""')),
    *(("{-", "-}"), ("(*", "*)"), ("=begin", "=end"), ("--[[", "]]"), ("<#", "#>")),
)
_TEXTS: Final = frozenset({'"""', "'''", 'r"""'})
"""Beginnings of comments that count only in the first column; indented, they begin text in code."""

_TEXT_BEGINS: Final = re.compile(r"\"{3}|'{3}|`|<<")
"""Beginnings of multi-line strings in a line of code: the next lines are not comments."""

_BEGINS: Final = re.compile(r"auto[\w -]{0,20}generated\s+(?:by|from|using|with)\b")
_QUOTES: Final = ('"', "'", "`")
_QUOTED: Final = re.compile(r"\"[^\"\n]*\"|`[^`\n]*`")

_NAME: Final = r"[\w./+@${}-]{1,80}"
_BY: Final = r"(?:by|from|using|with|via)\b"
_AUTO: Final = r"(?:(?:auto(?:matic(?:ally)?)?|machine|programmatically)[\s-]*)"
_WAS: Final = r"(?:is|was|were|are|(?:has|have)\s+been)"
_ITSELF: Final = (
    r"(?<!\bof\s)\bthis\s+(?:\w+\s+){0,2}?"
    r"(?:file|code|module|source|script|class|header|package|parser|document|page|program|makefile"
    r"|list|interface|client|wrapper|contents?|definitions?|bindings?|types?)"
    r"(?:\s+\S{0,80}[./]\S{0,80})?"
)
_HANDS_OFF: Final = r"\bdo\s+not\s+(?:hand[\s-]*)?(?:edit|modify|change|touch)\b"
_SAYS: Final = re.compile(
    rf"""
    # in a sentence about itself
      {_ITSELF}\s+(?:{_WAS}\s+)?(?:an?\s+)?{_AUTO}?@?generated\b
    | (?<!\bof\s)\b(?:this|the)\s+(?:\w+\s+)?(?:file|code|data|tables?)
      \s+{_WAS}\s+{_AUTO}generated\b
    | {_ITSELF}\s+(?:is|was)\s+(?:automatically|machine[\s-]?)\s*
      (?:created|produced|made|built|written|extracted|derived|updated|maintained)\b
    | (?<!\bof\s)\bthis\s+(?:\w+\s+)?(?:is|was)\s+(?:an?\s+)?{_AUTO}generated
      \s+(?:{_BY}|file\b|code\b)
    | \bthis\s+is\s+a\s+generated\s+file\b
    | \bthis\s+file\s+(?:is|was)\s+(?:built|made|produced|compiled)\s+(?:by|from|using)\b
    # at the beginning of a sentence, by whom or from what
    | ^@generated(?![\w`'"])
    | ^<{_AUTO}generated\b
    | ^{_AUTO}?@?generated(?:\s+automatically)?\s*:?\s+{_BY}(?!\s+(?:the\s+following|this)\b)
    | ^[^.\n]{{1,40}}\.\s+{_AUTO}?generated\s+{_BY}\s+\S*(?:codegen|-gen)\b
    | ^{_AUTO}generated\s+for\b
    | ^code\s+generated\s+by\s[^.\n]{{1,60}}\.?$
    | ^(?:{_AUTO}?generated\s+(?:(?:source\s+)?(?:file|code)|protocol\s+buffer\s+code)
      |{_AUTO}generated\s+file$)\s*(?:[.,:;!(-]|do\s+not\b)
    | ^(?:source\s+)?file\s+{_AUTO}?generated\s+{_BY}
    | ^(?:{_NAME}\.\w+|(?:\S+/)?makefile(?:\.in)?|configure)[.:,]?\s+
      {_AUTO}?@?generated(?:\s+automatically)?\s+{_BY}
    # as some tools have it
    | \bmade\s+by\s+gnu\s+bison\b
    | ^stub\s+generated\s+\w+[^\n]{{0,60}}\s+with\s+a\s+mig\b
    | ^(?:bash|zsh|fish|powershell)\s+completion\s+(?:v\d\s+)?for\s+\S+\s+-\*-\s*shell-script
    | ^a\s+lexical\s+scanner\s+generated\s+by\b
    | \(generated\s+by\s+(?:openapi|swagger)\b
    | \bcode\s+produced\s+by\s+gperf\b
    | \bmeta\s+object\s+code\s+from\s+reading\b
    | \bcreated\s+by:\s+(?:the\s+)?(?:qt\s+user\s+interface|the\s+resource)\s+compiler\b
    # and in warnings
    | \bgenerated\b[^`"']{{0,240}}?{_HANDS_OFF}
    | {_HANDS_OFF}[^`"']{{0,240}}?\b(?:generated|(?:built|made|produced|created)\s+(?:by|from))\b
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_DATED: Final = re.compile(
    r"^\W*generated\s*(?::|on\b|at\b)[^\n]{0,60}\b(?:19|20)\d\d\b", re.MULTILINE | re.IGNORECASE
)
"""A date of generation; it does not count in a document, which can be about other texts."""
_DENIES: Final = re.compile(
    r"\b(?:not|never|no longer|isn't|wasn't)\s+(?:\w+\s+)?(?:auto\w*[\s-]+)?generated",
    re.IGNORECASE,
)


def says_generated(path_key: str, data: bytes) -> bool:
    """Return whether the comments at the beginning of a text declare that it is generated.

    Args:
        path_key: the text's path; its ending identifies templates and documents.
        data: the text as UTF-8.
    """
    head = data[:_OPENING_BYTES].decode("utf-8", "replace")
    lowered = head.lower()
    if not any(hint in lowered for hint in _HINTS):
        return False
    name = path_key.lower()
    if _TEMPLATES.search(name):
        return False
    prose = _PROSE.search(name) is not None
    statement = _DENIES.sub("", _in_sentences(_comments(head, prose=prose)))
    return bool(_SAYS.search(statement) or (not prose and _DATED.search(statement)))


def _comments(head: str, *, prose: bool) -> list[str]:
    """Return the lines of the comments at the beginning, without comment marks."""
    lines: list[str] = []
    closing, code = "", 0
    for raw in head.split("\n"):
        line = raw.strip("\ufeff \t\r")
        if not closing:
            opened = _opened(line)
            if opened and opened[0] in _TEXTS and raw[:1].isspace():
                break
            if opened:
                begin, closing = opened
                line = line[len(begin) :]
            elif prose or not _MARKER.match(line):
                code += bool(line)
                if code > _MOST_CODE_LINES or _TEXT_BEGINS.search(line):
                    break
                lines.append("")
                continue
        if closing:
            line, closed, _ = line.partition(closing)
            closing = "" if closed else closing
        lines.append(_MARKER.sub("", line.strip("\ufeff \t\r*!")))
    return lines


def _in_sentences(lines: Sequence[str]) -> str:
    """Return the lines without quotations; lines that continue a sentence are joined to it."""
    parts: list[str] = []
    before = ""
    for line in lines:
        open_end = before[-1:].isalnum() or before.endswith(_QUOTES)
        goes_on = line[:1].islower() and open_end and not _BEGINS.match(line)
        parts.append(f" {line}" if goes_on else f"\n{line}")
        before = line
    return _QUOTED.sub("", "".join(parts))


def _opened(line: str) -> tuple[str, str] | None:
    return next((block for block in _BLOCKS if line.startswith(block[0])), None)


_HEAD_BYTES: Final = 2048
_MAPPED: Final = re.compile(rb"\s*(?://|/\*)[#@] ?sourceMappingURL=")
"""The last line of a script that was compiled from other sources."""
_BUNDLED: Final = re.compile(
    rb"\bwebpackBootstrap\b|^\s*[;!]?\(?function\(\)\{function \w\(\w,\w,\w\)\{"
    rb"|\bvar __(?:getOwnPropNames|commonJS|defProp) = "
)
_SCRIPTS: Final = re.compile(r"\.(?:[cm]?js|css)$")
_PAGES: Final = re.compile(r"\.x?html?$")
_GENERATOR: Final = re.compile(rb"<meta\s[^>]{0,200}\bname=[\"']?generator\b", re.IGNORECASE)


def generated_traits(path_key: str, data: bytes) -> int:
    """Return the trait that fits best: `MINIFIED`, `DATA`, `GENERATED`, or 0.

    Args:
        path_key: the text's path; its ending shows the kind of text.
        data: the text as UTF-8; a limited part of it is examined.
    """
    if is_minified(path_key, data):
        return MINIFIED
    if is_data(path_key, data):
        return DATA
    generated = says_generated(path_key, data) or _is_translated(path_key, data)
    return GENERATED * (generated or _names_generator(path_key, data))


def _is_translated(path_key: str, data: bytes) -> bool:
    """Return whether a script or style sheet is the product of a compiler or bundler."""
    if not _SCRIPTS.search(path_key):
        return False
    last_line = data.rfind(b"\n", 0, len(data.rstrip())) + 1
    return bool(_MAPPED.match(data, last_line) or _BUNDLED.search(data[:_HEAD_BYTES]))


def _names_generator(path_key: str, data: bytes) -> bool:
    """Return whether a page names the program that generated it."""
    return bool(_PAGES.search(path_key) and _GENERATOR.search(data[:_HEAD_BYTES]))
