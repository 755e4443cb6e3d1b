"""One file becomes pairs of questions and the pieces of it that answer them.

A question is taken from what people wrote for people: comments, headings, messages, names. Its
words are taken out of the piece, so that what is learnt is how code and words go together and
not that a sentence equals itself.
"""

import re
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.ids import PathKey
from ggrep.model.corpus import Corpus
from ggrep.model.files import ANCHOR, GENERATED, TEST, VENDORED, Chunk, traits_of
from ggrep.parse.chunking.chunker import chunk_file
from ggrep.parse.chunking.spans import Piece, Plan, to_chunks
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.registry import corpus_of
from training.encoder.comments import code_start, comments_in, holds_code
from training.encoder.doc_sections import is_read, section_pair
from training.encoder.doc_summaries import NOTHING, Summary, summary_of
from training.encoder.file_headers import Header, header_of
from training.encoder.messages import message_in
from training.encoder.pairs import Group, Pair
from training.encoder.phrases import is_phrase, words_of

LIMITS: Final = ChunkLimits()
_LEAST_WORDS: Final = 8
_MOST_COMMENTS: Final = 2
_MOST_MODULE_CHUNKS: Final = 3
_SKIPPED_TRAITS: Final = GENERATED | VENDORED
_LONG_LINE_BYTES: Final = 1_000
_OPENING_BYTES: Final = 1_200
_MADE_BY_PROGRAM: Final = re.compile(
    rb"auto-?generated|@generated|do not (?:edit|modify)|code generated|is regenerated"
    rb"|(?:file|code) (?:is|was) (?:automatically )?generated",
    re.IGNORECASE,
)
_NAMED: Final = frozenset(
    {"function", "method", "class", "interface", "enum", "typealias", "module"}
)
_HUMPS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_BLANKS: Final = re.compile(r"\n(?:[ \t/*#;%-]*\n)+")
_PLAIN_WORD: Final = re.compile(r"\w+")

_Span: TypeAlias = tuple[int, int]
_NONE: Final[_Span] = (0, 0)


class _File(Struct, frozen=True):
    """A file and how it was cut.

    Attributes:
        header: what documents it as a whole; offsets in bytes.
    """

    package: str
    path_key: str
    language: str
    is_test: bool
    header: _Span
    summary: Summary
    chunks: tuple[tuple[Chunk, Piece], ...]


def mine_file(package: str, path_key: str, data: bytes) -> list[Pair]:
    """Return the pairs of one file, in the order of its chunks; parses in this process."""
    if not is_mined(path_key, data):
        return []
    plan = chunk_file(path_key, data, LIMITS)
    return [pair for group in mine_plan(package, path_key, data, plan) for pair in group]


def is_mined(path_key: str, data: bytes) -> bool:
    """Return whether a file is a person's own work and in a form that pairs come from."""
    if traits_of(path_key) & _SKIPPED_TRAITS or b"\0" in data[:8192]:
        return False
    if _MADE_BY_PROGRAM.search(data[:_OPENING_BYTES]):
        return False
    corpus = corpus_of(path_key, data)
    if corpus is Corpus.PROSE and not (
        is_read(path_key) and path_key.endswith((".md", ".rst", ".adoc"))
    ):
        return False
    if corpus not in (Corpus.CODE, Corpus.PROSE) and not path_key.endswith(
        (".proto", ".sql", ".graphql")
    ):
        return False
    return len(data) < _LONG_LINE_BYTES * (1 + data.count(b"\n")) // 4


def mine_plan(package: str, path_key: str, data: bytes, plan: Plan) -> list[Group]:
    """Return the pairs of one file, those of a chunk together, in the order of the chunks."""
    file = _read(package, path_key, data, plan)
    groups: list[list[Pair]] = [
        list(_pairs(file, chunk, piece, data)) for chunk, piece in file.chunks
    ]
    if file.summary.first and not file.is_test:
        for index in _largest(file):
            chunk = file.chunks[index][0]
            groups[index].append(_pair(file, file.summary.first, chunk.embedded_text, "module2"))
    return [tuple(group) for group in groups if group]


def _read(package: str, path_key: str, data: bytes, plan: Plan) -> _File:
    chunked = to_chunks(PathKey(path_key), data, plan, corpus_of(path_key, data))
    header, summary = None, NOTHING
    if corpus_of(path_key, data) is not Corpus.PROSE:
        header = header_of(data[:32_000].decode("utf-8", "replace"), plan.language)
        summary = NOTHING if header is None else summary_of(header.raw)
    return _File(
        package=package,
        path_key=path_key,
        language=plan.language,
        is_test=bool(traits_of(path_key) & TEST),
        header=_in_bytes(data, header),
        summary=summary,
        chunks=tuple(zip(chunked.chunks, plan.pieces, strict=True)),
    )


def _in_bytes(data: bytes, header: Header | None) -> _Span:
    if header is None:
        return 0, 0
    text = data[:32_000].decode("utf-8", "replace")
    start = len(text[: header.start].encode())
    return start, start + len(text[header.start : header.end].encode())


def _pairs(file: _File, chunk: Chunk, piece: Piece, data: bytes) -> Iterator[Pair]:
    """Yield what one chunk gives."""
    if chunk.kind == ANCHOR:
        yield from _module_pairs(file, chunk, data)
    elif chunk.corpus is Corpus.PROSE:
        found = section_pair(chunk) if chunk.chunk_type == "section" and not file.is_test else None
        if found is not None:
            yield _pair(file, *found, "section")
    elif chunk.corpus is not Corpus.EXTRACTED_PROSE:
        doc = _doc_span(file, chunk, piece, data)
        yield from _doc_pairs(file, chunk, doc)
        if not file.is_test:
            yield from _inner_pairs(file, chunk, doc)


def _doc_span(file: _File, chunk: Chunk, piece: Piece, data: bytes) -> _Span:
    """Return where in a chunk's text its documentation is: what the grammar says or stands first.

    Some grammars hang the comment in front of a file's first definition onto something else.
    """
    if _overlaps(piece.doc, file.header):
        return _NONE
    if piece.doc[0] < piece.doc[1]:
        return _chars(data, piece, piece.doc)
    comments = comments_in(chunk.text[:4_000], file.language)
    if not chunk.name or not comments or comments[0].start > 0:
        return _NONE
    span = comments[0].start, comments[0].end
    in_bytes = piece.start, piece.start + len(comments[0].raw.encode())
    return _NONE if _overlaps(in_bytes, file.header) else span


def _module_pairs(file: _File, chunk: Chunk, data: bytes) -> Iterator[Pair]:
    if not file.summary.first or file.is_test:
        return
    piece = file.chunks[0][1]
    text = _without(chunk, [_chars(data, piece, file.header)])
    if _is_enough(text):
        yield _pair(file, file.summary.first, text, "module")


def _doc_pairs(file: _File, chunk: Chunk, doc: _Span) -> Iterator[Pair]:
    """Yield what a definition's documentation or, without any, its name asks."""
    if doc != _NONE:
        summary = summary_of(chunk.text[doc[0] : doc[1]])
        text = _without(chunk, [doc])
        if not _is_enough(text) or (file.is_test and not _drawn(text, 2)):
            return
        if summary.first:
            yield _pair(file, _without_own_name(summary.first, chunk.name, text), text, "doc")
        if summary.rest and not file.is_test:
            yield _pair(file, summary.rest, text, "doc2")
    elif chunk.name and chunk.chunk_type in _NAMED:
        text = chunk.embedded_text
        query = spoken_name(chunk.qualified_name)
        if query and _is_enough(text) and _drawn(text, 4 if file.is_test else 2):
            yield _pair(file, query, text, "name")


def _without_own_name(query: str, name: str, text: str) -> str:
    """Return the query, half the time without the name it opens with.

    Some languages' custom is to begin with the name, which nobody who asks would know.
    """
    first, _, rest = query.partition(" ")
    named = bool(name) and first.strip("'():").lower() == name.lower()
    return rest if named and is_phrase(rest) and _drawn(text, 2) else query


def _inner_pairs(file: _File, chunk: Chunk, doc: _Span) -> Iterator[Pair]:
    """Yield what the comments and messages inside a chunk ask."""
    text = chunk.text
    comments = comments_in(text, file.language)
    begin = code_start(text, comments)
    asked: list[tuple[str, int, int]] = []
    for each in comments:
        inside = each.start > begin and not _overlaps((each.start, each.end), doc)
        if inside and not holds_code(each):
            summary = summary_of(each.raw)
            if is_phrase(summary.first, 4):
                asked.append((summary.first, each.start, each.end))
    asked.sort(key=lambda each: (-len(each[0]), each[1]))
    for query, start, end in asked[:_MOST_COMMENTS]:
        rest = _without(chunk, [(start, end)])
        if _is_enough(rest):
            yield _pair(file, query, rest, "comment")
    message = message_in(text)
    if message is not None:
        rest = _without(chunk, [(message.start, message.end)])
        if _is_enough(rest):
            yield _pair(file, message.said, rest, "message")


def spoken_name(qualified_name: str) -> str:
    """Return a name's own words and its class's, lower-case; empty when they are but one."""
    parts = [part for part in re.split(r"[^A-Za-z0-9_]+", qualified_name) if part][-2:]
    words = [word.lower() for part in parts for word in _HUMPS.findall(part)]
    kept = list(dict.fromkeys(words))
    return " ".join(kept) if len([word for word in kept if len(word) > 2]) >= 2 else ""


def _largest(file: _File) -> list[int]:
    """Return which chunks of code hold most text, the file's own documentation aside."""
    sizes = [
        (-len(chunk.text), index)
        for index, (chunk, piece) in enumerate(file.chunks)
        if chunk.kind != ANCHOR
        and chunk.corpus is not Corpus.EXTRACTED_PROSE
        and not _overlaps((piece.start, piece.end), file.header)
        and _is_enough(chunk.text)
    ]
    return sorted(index for _, index in sorted(sizes)[:_MOST_MODULE_CHUNKS])


def _pair(file: _File, query: str, text: str, kind: str) -> Pair:
    return Pair(query, text, kind, file.package, file.path_key, file.language)


def _chars(data: bytes, piece: Piece, span: _Span) -> _Span:
    """Return a byte range of the file as characters of the piece's text; empty when outside."""
    start, end = max(span[0], piece.start), min(span[1], piece.end)
    if start >= end:
        return 0, 0
    before = len(data[piece.start : start].decode("utf-8", "replace"))
    return before, before + len(data[start:end].decode("utf-8", "replace"))


def _without(chunk: Chunk, spans: Iterable[_Span]) -> str:
    """Return the chunk as it is embedded, ranges of its text taken out."""
    text = chunk.text
    for start, end in spans:
        text = text[:start] + text[end:]
    text = _BLANKS.sub("\n", text)
    return replace(chunk, text=text.strip("\n")).embedded_text


def _is_enough(text: str) -> bool:
    return len(_PLAIN_WORD.findall(text)) >= _LEAST_WORDS and len(words_of(text)) >= 4


def _drawn(text: str, every: int) -> bool:
    """Return whether a text is the one of so many that is taken."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=2).digest()[0] % every == 0


def _overlaps(one: _Span, other: _Span) -> bool:
    return max(one[0], other[0]) < min(one[1], other[1])
