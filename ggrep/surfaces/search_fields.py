"""The `search` object of a body: what is looked for, beside the words themselves."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ggrep.domain.corpus import CORPORA, CORPUS_WORDS, Corpus, Mode
from ggrep.domain.filters import Filter, parse_filter
from ggrep.domain.request import Backend, Find, SearchRequest, SnippetMode, compacted
from ggrep.errors import InvalidRequest
from ggrep.surfaces.fields import Fields

DEFAULT_TIMEOUT_MS: Final = 60_000
INVALID_MODE: Final = "ERR_FEDERATED_INVALID_MODE"

_INTENTS: Final[Mapping[str, Mode]] = {mode.value: mode for mode in Mode}
_SNIPPETS: Final[Mapping[str, SnippetMode]] = {mode.value: mode for mode in SnippetMode}
_FINDS: Final[Mapping[str, Find]] = {find.value: find for find in Find}
_BACKENDS: Final[Mapping[str, Backend]] = {backend.value: backend for backend in Backend}


@dataclass(frozen=True, slots=True)
class SearchFields:
    """What a `search` object says.

    Attributes:
        request: the query with its settings; `limit` is a single repository's.
        top: most hits, None for the usual number.
        stats: add the figures that differ from run to run.
    """

    request: SearchRequest
    top: int | None
    stats: bool


def read_search(fields: Fields, query: str) -> SearchFields:
    """Return what the object says; what is wrong is noted in it."""
    usual = SearchRequest(query)
    top, per_file = fields.integer("top"), fields.integer("perFile")
    request = SearchRequest(
        query=query,
        limit=usual.limit if top is None else top,
        per_file=usual.per_file if per_file is None else per_file,
        mode=_intent(fields),
        corpora=_corpora(fields),
        scope=fields.text("scope") or "",
        filters=read_filters(fields),
        snippet=fields.word("snippet", _SNIPPETS, SnippetMode.DEFAULT),
        backend=fields.word("backend", _BACKENDS, Backend.AUTO),
        include_anchors=fields.flag("anchors") or False,
        deterministic=fields.flag("deterministic") or False,
        explain=fields.flag("explain") or False,
        keep_weak=fields.flag("keepWeak") or False,
        find=fields.word("find", _FINDS, Find.AUTO),
        vectors=fields.flag("vectors") is not False,
        # A caller from elsewhere cannot ask for a search without an end.
        timeout_ms=fields.integer("timeoutMs") or DEFAULT_TIMEOUT_MS,
    )
    if fields.flag("compact"):
        request = compacted(request)
    return SearchFields(request, top, fields.flag("stats") or False)


def _intent(fields: Fields) -> Mode:
    word = fields.text("intent")
    if word is None:
        return Mode.BALANCED
    if word in {"all", *CORPUS_WORDS}:
        message = f"{word!r} is a corpus; say it in `mode`"
        fields.add("intent", "unsupported", message, code=INVALID_MODE)
    elif word not in _INTENTS:
        message = f"{word!a} is not one of {', '.join(_INTENTS)}"
        fields.add("intent", "unsupported", message, code=INVALID_MODE)
    return _INTENTS.get(word, Mode.BALANCED)


def _corpora(fields: Fields) -> tuple[Corpus, ...]:
    words = fields.texts("mode")
    if words is None:
        return CORPORA
    chosen: set[Corpus] = set()
    for word in words:
        if word == "all":
            chosen.update(CORPORA)
        elif word in CORPUS_WORDS:
            chosen.add(CORPUS_WORDS[word])
        elif word in _INTENTS:
            message = f"{word!r} is an intent; say it in `intent`"
            fields.add("mode", "unsupported", message, code=INVALID_MODE)
        else:
            message = f"{word!a} is not one of {', '.join(['all', *CORPUS_WORDS])}"
            fields.add("mode", "unsupported", message, code=INVALID_MODE)
    if not words:
        fields.add("mode", "empty", "no corpus is named", code=INVALID_MODE)
    return tuple(corpus for corpus in CORPORA if corpus in chosen)


def read_filters(fields: Fields) -> tuple[Filter, ...]:
    """Return the narrowing filters of the key `filter`; what is wrong is noted."""
    found = []
    for text in fields.texts("filter") or ():
        try:
            found.append(parse_filter(text))
        except InvalidRequest as error:
            fields.add("filter", "form", str(error))
    return tuple(found)
