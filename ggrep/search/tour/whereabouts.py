"""The variables of the environment that code reads, where documents and tests are."""

import re
from collections import Counter
from typing import Final

from ggrep.model.corpus import Corpus
from ggrep.model.files import TEST, VENDORED, traits_of
from ggrep.model.outline import TourFact, counted, indexed_files
from ggrep.parse.languages.registry import corpus_of_language
from ggrep.search.query.listing import ListedFile
from ggrep.search.query.segments import open_segments
from ggrep.search.slate.source_text import bare_text
from ggrep.search.tour.repository_files import RepositoryFiles, is_aside

_LEAST_SHARE: Final = 0.05
"""Of the files of the largest folder of tests: smaller folders are not told."""
_MOST_VARIABLES: Final = 12
_MOST_READ: Final = 200
"""Files whose text is searched for what reads variables."""
_DOCUMENTS: Final = frozenset({"doc", "docs", "documentation", "man"})
_PAGE_FOLDERS: Final = frozenset(
    {*_DOCUMENTS, "_site", "assets", "public", "site", "static", "views", "website", "www"}
)
_PAGE_LANGUAGES: Final = frozenset({"erb", "html"})
_READING_WORDS: Final = (
    *("env", "environ", "environment", "getenv", "get_env", "fetch_env", "lookupenv", "var_os"),
    "getenvironmentvariable",
)
"""Words of the index that a file holds where it reads the environment."""
_READ: Final = re.compile(
    r"""(?<![\w$])(?:
        (?: environ(?:\.get\(|\[) | (?:secure_)?[gG]etenv\( | LookupEnv\( | env::var(?:_os)?\(
          | (?:process|import\.meta)\.env\[ | (?:Deno|Bun)\.env\.get\(
          | ENV\[ | ENV\.(?:fetch|key\?)[ (]
          | GetEnvironmentVariable\( | System\.(?:get|fetch)_env!?\( | \$_ENV\[ | environment\[
          | (?:lookupEnv|getEnv)[ ]
        )\s*["'](?P<quoted>[A-Za-z_]\w*)["']
      | (?:(?:process|import\.meta|Bun)\.env\.|\$ENV\{)(?P<bare>[A-Za-z_]\w*)
    )(?!\w|["'\]})]*\s*=(?![=~>]))""",
    re.VERBOSE,
)
"""Places that read a variable of the environment by its name; assignments do not."""
_COMMENTED: Final = re.compile(r"^\s*(?:#|//|/?\*|--|;|%)|//|(?<=\s)#\s")
_PAGES: Final = ("CONTRIBUTING", "CHANGELOG", "CHANGES", "HACKING", "ARCHITECTURE", "SECURITY")


def configuration(held: RepositoryFiles) -> list[TourFact]:
    """Return the variables of the environment that code reads, each with its first place.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    readers = _reading_files(held)
    paths = [
        one.path
        for one in held.files
        if (one.segment, one.file) in readers and not is_aside(one) and not _is_page(one)
    ]
    lines: dict[str, TourFact] = {}
    for path, text in held.texts(paths[:_MOST_READ]).items():
        for name, line in _variables_read(text, held.by_path[path].language):
            lines.setdefault(name, TourFact(name, path, line))
    return list(lines.values())[:_MOST_VARIABLES]


def _variables_read(text: str, language: str) -> list[tuple[str, int]]:
    """Return the names that a text reads outside comments, with the line of each place."""
    code = bare_text(text, language).uncommented
    names = {match["quoted"] or match["bare"] for match in _READ.finditer(code)}
    return [
        (name, text.count("\n", 0, match.start()) + 1)
        for match in (_READ.finditer(text) if names else ())
        if (name := match["quoted"] or match["bare"]) in names
        and not _COMMENTED.search(text[text.rfind("\n", 0, match.start()) + 1 : match.start()])
    ]


def _is_page(file: ListedFile) -> bool:
    """Say whether a file is no code, or code of pages and documents."""
    folders = {part.lower() for part in file.path.split("/")[:-1]}
    is_code = corpus_of_language(file.language) is Corpus.CODE
    return not is_code or file.language in _PAGE_LANGUAGES or bool(folders & _PAGE_FOLDERS)


def _reading_files(held: RepositoryFiles) -> set[tuple[int, int]]:
    """Return segment and place of the files that hold a word that reading takes."""
    return {
        (place, file)
        for place, segment in enumerate(open_segments(held.view))
        for word in _READING_WORDS
        for file in segment.image.row_files[segment.rows_with(word)].tolist()
    }


def documents(held: RepositoryFiles) -> list[TourFact]:
    """Return the folders of documents, the README and pages that many repositories have."""
    lines = []
    for name, folder in held.root.folders.items():
        if name.lower() in _DOCUMENTS:
            lines.append(TourFact(indexed_files(folder.count), f"{name}/"))
    for one in held.root.files:
        stem = one.path.partition(".")[0].upper()
        if stem in _PAGES or stem == "README":
            lines.append(TourFact(counted(one.lines, "line"), one.path))
    return lines


def tests(held: RepositoryFiles) -> list[TourFact]:
    """Return the topmost folders of tests, and tests that stand beside what they test."""
    inside: Counter[str] = Counter()
    beside: Counter[str] = Counter()
    example: dict[str, str] = {}
    for one in held.files:
        if not one.traits & TEST or one.traits & VENDORED:
            continue
        folder = _test_folder(one.path)
        if folder:
            inside[folder] += 1
        elif corpus_of_language(one.language) is Corpus.CODE:
            beside[one.language] += 1
            example.setdefault(one.language, one.path)
    told = [(count, TourFact(indexed_files(count), f"{path}/")) for path, count in inside.items()]
    told += [
        (
            count,
            TourFact(f"one of {counted(count, f'indexed {language} file')} beside the code", place),
        )
        for language, count in beside.items()
        if (place := example[language])
    ]
    least = max((count for count, _ in told), default=0) * _LEAST_SHARE
    return [
        line
        for count, line in sorted(told, key=lambda one: (-one[0], one[1].path))
        if count >= least
    ]


def _test_folder(path: str) -> str:
    """Return the topmost folder above a file that is one of tests; empty where none is."""
    parts = path.split("/")[:-1]
    for count in range(1, len(parts) + 1):
        folder = "/".join(parts[:count])
        if traits_of(f"{folder}/x") & TEST:
            return folder
    return ""
