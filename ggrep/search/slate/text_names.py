"""Names that a text holds: words, keys of configuration, links of documents, labels of diagrams."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from ggrep.model.slate import Section
from ggrep.search.slate.source_text import BareText, whole_names

MOST_WORDS: Final = 400

_IDENTIFIER: Final = re.compile(r"[A-Za-z_]\w{3,79}")
_DOTTED: Final = re.compile(r"[A-Za-z_][\w-]{1,60}(?:[./][\w-]{1,60}){1,8}")
_KEBAB: Final = re.compile(r"[A-Za-z]\w{1,40}(?:-\w{1,40}){1,6}")
_SPAN: Final = re.compile(r"`{1,2}([^`\n]{3,120})`{1,2}")
_SHAPED: Final = re.compile(r"_|-|\.|/|[a-z0-9][A-Z]|[A-Z].*[A-Z]")


def named_words(bare: Iterable[BareText], section: Section) -> tuple[str, ...]:
    """Return at most `MOST_WORDS` words, sorted; those that look like names go first into them.

    Of code: identifiers and literals that are one name. Of configuration: its words. Of documents
    and diagrams: what stands in code spans.
    """
    words: set[str] = set()
    for part in bare:
        words |= _words_of(part, section)
    if len(words) <= MOST_WORDS:
        return tuple(sorted(words))
    ranked = sorted(words, key=lambda word: (_SHAPED.search(word) is None, word))
    return tuple(sorted(ranked[:MOST_WORDS]))


@lru_cache(1 << 11)
def _words_of(part: BareText, section: Section) -> frozenset[str]:
    """Return the words of one text; a file that is good for one question is so for the next."""
    if section in {Section.DOCS, Section.DIAGRAMS}:
        return frozenset(_words(" ".join(_SPAN.findall(part.uncommented))))
    if section is Section.CONFIG:
        return frozenset(_words(part.uncommented))
    return whole_names(part.literals).union(_IDENTIFIER.findall(part.code))


def _words(text: str) -> set[str]:
    found = {*_IDENTIFIER.findall(text), *_DOTTED.findall(text), *_KEBAB.findall(text)}
    return {word for word in found if len(word) >= 4}


MOST_KEYS: Final = 200

_MOST_NESTED: Final = 16
_ENTRY: Final = re.compile(
    r"^([ \t]*)(?:export[ \t]+|set[ \t]+)?[\"']?([A-Za-z_][\w.-]{0,79})[\"']?[ \t]*=(?!=)"
)
_SECTION: Final = re.compile(
    r"^[ \t]*\[{1,2}[ \t]*([\w.\"-]{1,80})(?:[ \t]+\"([\w./-]{1,80})\")?[ \t]*\]"
)
_YAML: Final = re.compile(r"^([ ]*)(- )?[\"']?([A-Za-z_][\w./-]{0,79})[\"']?[ ]*:(?:[ \t]|$)")
_JSON: Final = re.compile(r'"(?:[^"\\\n]|\\.)*+"|[{}\[\]:,]')
_JSON_KEY: Final = re.compile(r'"([A-Za-z_@$][\w./@$-]{0,79})"')
_BLOCK: Final = re.compile(r"^([ \t]*)([a-z_]\w{0,79})(?:[ \t]+\"([\w.-]{1,80})\"){0,2}[ \t]*\{")
_CONSTANT: Final = re.compile(
    r"^[ \t]{0,4}(?:export[ \t]+const[ \t]+|const[ \t]+)?"
    r"([A-Z][A-Z0-9]*_[A-Z0-9_]{2,60})[ \t]*(?::[^=\n]{1,80})?=[^=]",
    re.MULTILINE,
)
_VARIABLE: Final = r"[A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){1,8}"
_SET: Final = (
    re.compile(rf"^[ \t]*(?:ENV|ARG)[ \t]+({_VARIABLE})\b", re.MULTILINE),
    re.compile(
        rf"^[ \t]*(?:-[ \t]+)?(?:export[ \t]+)?[\"']?({_VARIABLE})[\"']?[ \t]*(?:=|:[ \t])",
        re.MULTILINE,
    ),
    re.compile(rf"^[ \t]*+(?:-[ \t]*+)?\"?name\"?:[ \t]*[\"']?({_VARIABLE})\b", re.MULTILINE),
    re.compile(rf"\b(?:Environment|env)[ \t]*=[ \t]*\"?({_VARIABLE})=", re.MULTILINE),
)
_TOOLS: Final = re.compile(
    r"(?:GITHUB|RUNNER|CI|PYTHON|PIP|NODE|NPM|CARGO|RUST|GO|JAVA|MAVEN|LD|LC|XDG|DEBIAN|DOCKER|UV|TOX"
    r"|PYTEST|COVERALLS|CODECOV|HTTP|HTTPS|NO)_|(?:PYTHON|GOPATH|LOG_LEVEL|SOURCE_DATE_EPOCH|REMOTE_ADDR"
    r"|REQUEST_METHOD|PATH_INFO|QUERY_STRING|CONTENT_TYPE|CONTENT_LENGTH|SERVER_NAME|SERVER_PORT)"
)
_DEPENDENCIES: Final = re.compile(
    r"(?:^|[.-])(?:\w*[dD]ependenc(?:y|ies)|require(?:-dev)?|packages|extras)(?:\.|$)"
)


def keys_in(text: str, language: str) -> list[str]:
    """Return configuration keys behind their sections, in order, each once."""
    match language:
        case "yaml":
            found = _yaml_keys(text)
        case "json" | "jsonnet":
            found = _json_keys(text)
        case "hcl":
            found = _hcl_keys(text)
        case "toml" | "ini" | "text" | "lock" | "desktop" | "dockerfile":
            found = _section_keys(text)
        case _:
            found = iter(_CONSTANT.findall(text))
    kept = (key for key in found if len(key) <= 120 and not _DEPENDENCIES.search(key))
    return list(dict.fromkeys(kept))[:MOST_KEYS]


def variables_set(text: str) -> frozenset[str]:
    """Return environment variables that a text of configuration sets, those of tools left out."""
    found = (name for pattern in _SET for name in pattern.findall(text))
    return frozenset(name for name in found if not _TOOLS.match(name))


def last_part(key: str) -> str:
    """Return what stands behind the last dot."""
    return key.rpartition(".")[2]


def _section_keys(text: str) -> Iterator[str]:
    section = ""
    for line in text.splitlines():
        header = _SECTION.match(line)
        if header is not None:
            section = ".".join(part for part in header.groups() if part).replace('"', "")
            yield section
        elif (entry := _ENTRY.match(line)) is not None:
            yield _joined((section, entry[2]))


def _yaml_keys(text: str) -> Iterator[str]:
    parents: list[tuple[int, str]] = []
    for line in text.splitlines():
        entry = _YAML.match(line)
        if entry is None:
            continue
        depth = len(entry[1]) + (2 if entry[2] else 0)
        while parents and parents[-1][0] >= depth:
            parents.pop()
        yield _joined([*(name for _, name in parents), entry[3]])
        parents.append((depth, entry[3]))


def _json_keys(text: str) -> Iterator[str]:
    parents: list[str] = []
    last = ""
    for piece in _JSON.findall(text):
        match piece:
            case ":":
                if last and len(parents) < _MOST_NESTED:
                    yield _joined([*parents, last])
            case "{" | "[":
                parents.append(last)
                last = ""
            case "}" | "]":
                parents, last = parents[:-1], ""
            case _:
                named = _JSON_KEY.fullmatch(piece)
                last = named[1] if named else ""


def _hcl_keys(text: str) -> Iterator[str]:
    for line in text.splitlines():
        block, entry = _BLOCK.match(line), _ENTRY.match(line)
        if block is not None and block[3]:
            yield block[3]
        elif entry is not None:
            yield entry[2]


def _joined(parts: Iterable[str]) -> str:
    return ".".join(part for part in parts if part)


MOST_LINKS: Final = 120

_MARKDOWN: Final = re.compile(r"\]\([ \t]*<?([^()\s<>]{1,200})>?(?:[ \t]+[\"'(][^\n]{0,200})?\)")
_REFERENCE: Final = re.compile(
    r"^[ \t]{0,3}\[[^\]\n]{1,200}\]:[ \t]*<?([^\s<>]{1,200})>?", re.MULTILINE
)
_HTML: Final = re.compile(r"""\b(?:href|src)[ \t]*=[ \t]*["']([^"'\s]{1,200})["']""")
_RST: Final = re.compile(
    r"^[ \t]*\.\. (?:include|literalinclude|image|figure|csv-table|graphviz|uml|mermaid)::"
    r"[ \t]+([^\s]{1,200})",
    re.MULTILINE,
)
_RST_ROLE: Final = re.compile(r":(?:doc|download|file):`(?:[^`<\n]{0,200}<)?([^`<>\s]{1,200})>?`")
_RST_LINK: Final = re.compile(r"`[^`<\n]{1,200}<([^`<>\s]{1,200})>`__?")
_TOCTREE: Final = re.compile(
    r"^([ \t]*)\.\. toctree::[^\n]*\n((?:\1[ \t]+[^\n]*\n|[ \t]*\n){1,80})", re.MULTILINE
)
_TOC_ENTRY: Final = re.compile(r"^[ \t]+(?:[^:<\n]{1,80}<)?([\w./-]{1,200})>?[ \t]*$", re.MULTILINE)
_ASCIIDOC: Final = re.compile(r"\b(?:include|image|xref|link):{1,2}([^\[\s]{1,200})\[")
_PATH_SPAN: Final = re.compile(r"`{1,2}([\w@.][\w./@+-]{2,150}\.\w{1,12})(?::\d{1,7})?`{1,2}")
_EXTERNAL: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//|#|\?|\{\{|\$")
_TARGET: Final = re.compile(r"[\w@ .+~/%-]{1,120}")
_BY_LANGUAGE: Final = {
    "markdown": (_MARKDOWN, _REFERENCE, _HTML, _PATH_SPAN),
    "rst": (_RST, _RST_ROLE, _RST_LINK, _PATH_SPAN),
    "asciidoc": (_ASCIIDOC, _PATH_SPAN),
    "html": (_HTML,),
}


def links_in(text: str, language: str) -> list[str]:
    """Return targets as written, without fragment and query; external ones are left out."""
    targets = (_path_of(target) for target in _targets(text, language))
    return list(dict.fromkeys(target for target in targets if target))[:MOST_LINKS]


def _targets(text: str, language: str) -> Iterator[str]:
    for pattern in _BY_LANGUAGE.get(language, (_PATH_SPAN,)):
        yield from pattern.findall(text)
    if language == "rst":
        for _, body in _TOCTREE.findall(text):
            yield from _TOC_ENTRY.findall(body)


def _path_of(target: str) -> str:
    """Return the path in a target; empty when it leads out of the repository or is no path."""
    if _EXTERNAL.match(target):
        return ""
    path = re.split(r"[#?]", target, maxsplit=1)[0].replace("%20", " ")
    return path if _TARGET.fullmatch(path) and path.strip("./ ") else ""


MOST_RELATIONS: Final = 96

_LABELLED: Final = re.compile(r"(.{1,120}?) -\[[^\n]{0,200}?\]-> (.{1,120})")
_PLAIN: Final = re.compile(r"(.{1,120}?) -> (.{1,120})")
_LINKED: Final = re.compile(r"(.{1,120}?) links to (.{1,120})")


def relations_in(extras: Iterable[str]) -> list[tuple[str, str]]:
    """Return pairs of labels, sorted; a label is one line and holds no message."""
    found = {pair for extra in extras for line in extra.splitlines() for pair in _pair(line)}
    return sorted(found)[:MOST_RELATIONS]


def _pair(line: str) -> Iterator[tuple[str, str]]:
    if line.startswith(("File: ", "Imports: ", "Defines: ", "group ", "step ", "if ")):
        return
    match = (
        _LABELLED.fullmatch(line)
        or _PLAIN.fullmatch(line.split(": ", maxsplit=1)[0])
        or _LINKED.fullmatch(line)
    )
    if match is not None:
        yield " ".join(match[1].split()), " ".join(match[2].split())
