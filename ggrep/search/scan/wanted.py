"""Which files a request allows, as far as their paths tell."""

from collections.abc import Callable
from typing import Final

from ggrep.model.corpus import CORPORA, CORPUS_WORDS, Corpus
from ggrep.model.filters import Filter
from ggrep.model.request import SearchRequest
from ggrep.model.traits import TEST, traits_of
from ggrep.parse.languages.by_content import ENDINGS_OF_SEVERAL
from ggrep.parse.languages.registry import corpus_of, language_of
from ggrep.search.query.eligible import path_test

_TOLD_BY_PATH: Final = frozenset({"path", "ext", "test", "lang", "corpus"})
"""Filters that paths tell something of; others are judged later, row by row (`eligible`)."""


class Wanted:
    """Tells of a path whether a file there may hold an answer. Rows are judged again later."""

    def __init__(self, request: SearchRequest) -> None:
        self._scope = request.scope
        self._corpora = frozenset(request.corpora)
        self._all = len(self._corpora) == len(CORPORA)
        self._tests = [
            _any_of(filters, key)
            for filters in (request.filters, request.within)
            for key in dict.fromkeys(item.key for item in filters)
            if key in _TOLD_BY_PATH
        ]

    def has(self, path: str) -> bool:
        """Return whether a file is to be looked into."""
        if self._scope and path != self._scope and not path.startswith(self._scope + "/"):
            return False
        if not self._all and not _may_hold(path, self._corpora):
            return False
        return all(test(path) for test in self._tests)

    def leads(self, directory: bytes) -> bool:
        """Return whether a directory, written with a trailing slash, may lead to such a file."""
        if not self._scope:
            return True
        scope = self._scope.encode() + b"/"
        return directory.startswith(scope) or scope.startswith(directory)


def _any_of(filters: tuple[Filter, ...], key: str) -> Callable[[str], bool]:
    """Return what any positive filter of that key admits (all, without one) and no negated one."""
    own = [item for item in filters if item.key == key]
    admits = [_test(item) for item in own if not item.negated]
    refuses = [_test(item) for item in own if item.negated and key in {"path", "ext", "test"}]

    def passes(path: str) -> bool:
        admitted = not admits or any(test(path) for test in admits)
        return admitted and not any(test(path) for test in refuses)

    return passes


def _test(item: Filter) -> Callable[[str], bool]:
    value = item.value.casefold()
    match item.key:
        case "test":
            return lambda path: bool(traits_of(path) & TEST) == (value == "true")
        case "ext":
            ending = "." + value.lstrip(".")
            return lambda path: path.casefold().endswith(ending)
        case "path":
            inside = path_test(value)
            return lambda path: inside(path.casefold())
        case "corpus":
            corpora = frozenset({CORPUS_WORDS[item.value]})
            return lambda path: _may_hold(path, corpora)
        case "lang":
            return lambda path: language_of(path) == value or _is_told_by_content(path)
        case _:
            raise NotImplementedError(f"{item.key}: a path does not tell")


def _is_told_by_content(path: str) -> bool:
    """Return whether the language is for the file's text to tell: its ending, or a first line."""
    name = path.rpartition("/")[2]
    return "." not in name or name.casefold().endswith(ENDINGS_OF_SEVERAL)


def _may_hold(path: str, corpora: frozenset[Corpus]) -> bool:
    """Return whether chunks of one of the corpora may lie in a file: diagrams do in documents."""
    return Corpus.EXTRACTED_PROSE in corpora or corpus_of(path) in corpora
