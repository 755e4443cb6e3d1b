"""The environment variables that code reads, and the folders of documents and tests."""

import re
from collections import Counter
from typing import Final

from ggrep.model.corpus import Corpus
from ggrep.model.files import TEST, VENDORED, traits_of
from ggrep.model.outline import TourFact, counted, indexed_files
from ggrep.parse.languages.registry import corpus_of_language
from ggrep.search.query.listing import ListedFile
from ggrep.search.query.segments import open_segments
from ggrep.search.reading.bare_text import bare_text
from ggrep.search.tour.repository_files import RepositoryFiles, is_aside

_LEAST_SHARE: Final = 0.05
"""Minimum size of a listed test folder, as a share of the files in the largest one."""
_MOST_VARIABLES: Final = 12
_MOST_READ: Final = 200
"""Maximum number of files whose text is searched for reads of environment variables."""
_DOCUMENTS: Final = frozenset({"doc", "docs", "documentation", "man"})
_PAGE_FOLDERS: Final = frozenset(
    {*_DOCUMENTS, "_site", "assets", "public", "site", "static", "views", "website", "www"}
)
_PAGE_LANGUAGES: Final = frozenset({"erb", "html"})
_READING_WORDS: Final = (
    *("env", "environ", "environment", "getenv", "get_env", "fetch_env", "lookupenv", "var_os"),
    "getenvironmentvariable",
)
"""Words of which a file that reads the environment contains at least one."""
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
"""Expressions that read an environment variable by its name; assignments do not count."""
_COMMENTED: Final = re.compile(r"^\s*(?:#|//|/?\*|--|;|%)|//|(?<=\s)#\s")
_PAGES: Final = ("CONTRIBUTING", "CHANGELOG", "CHANGES", "HACKING", "ARCHITECTURE", "SECURITY")


def configuration(repository: RepositoryFiles) -> list[TourFact]:
    """Return the environment variables that code reads, each with the first file and line.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    readers = _reading_files(repository)
    paths = [
        file.path
        for file in repository.files
        if (file.segment, file.file) in readers and not is_aside(file) and not _is_page(file)
    ]
    lines: dict[str, TourFact] = {}
    for path, text in repository.texts(paths[:_MOST_READ]).items():
        for name, line in _variables_read(text, repository.by_path[path].language):
            lines.setdefault(name, TourFact(name, path, line))
    return list(lines.values())[:_MOST_VARIABLES]


def _variables_read(text: str, language: str) -> list[tuple[str, int]]:
    """Return the names of variables that a text reads outside of comments, with their lines."""
    code = bare_text(text, language).uncommented
    names = {match["quoted"] or match["bare"] for match in _READ.finditer(code)}
    return [
        (name, text.count("\n", 0, match.start()) + 1)
        for match in (_READ.finditer(text) if names else ())
        if (name := match["quoted"] or match["bare"]) in names
        and not _COMMENTED.search(text[text.rfind("\n", 0, match.start()) + 1 : match.start()])
    ]


def _is_page(file: ListedFile) -> bool:
    """Return whether a file is not code, or is code of web pages and documents."""
    folders = {part.lower() for part in file.path.split("/")[:-1]}
    is_code = corpus_of_language(file.language) is Corpus.CODE
    return not is_code or file.language in _PAGE_LANGUAGES or bool(folders & _PAGE_FOLDERS)


def _reading_files(repository: RepositoryFiles) -> set[tuple[int, int]]:
    """Return the files with one of _READING_WORDS, as pairs of segment number and file number."""
    return {
        (place, file)
        for place, segment in enumerate(open_segments(repository.view))
        for word in _READING_WORDS
        for file in segment.image.row_files[segment.rows_with(word)].tolist()
    }


def documents(repository: RepositoryFiles) -> list[TourFact]:
    """Return the folders of documents, the README and pages such as CONTRIBUTING."""
    lines = []
    for name, folder in repository.root.folders.items():
        if name.lower() in _DOCUMENTS:
            lines.append(TourFact(indexed_files(folder.count), f"{name}/"))
    for file in repository.root.files:
        stem = file.path.partition(".")[0].upper()
        if stem in _PAGES or stem == "README":
            lines.append(TourFact(counted(file.lines, "line"), file.path))
    return lines


def tests(repository: RepositoryFiles) -> list[TourFact]:
    """Return the topmost test folders, and per language the number of test files elsewhere."""
    inside: Counter[str] = Counter()
    beside: Counter[str] = Counter()
    example: dict[str, str] = {}
    for file in repository.files:
        if not file.traits & TEST or file.traits & VENDORED:
            continue
        folder = _test_folder(file.path)
        if folder:
            inside[folder] += 1
        elif corpus_of_language(file.language) is Corpus.CODE:
            beside[file.language] += 1
            example.setdefault(file.language, file.path)
    facts = [(count, TourFact(indexed_files(count), f"{path}/")) for path, count in inside.items()]
    facts += [
        (
            count,
            TourFact(f"one of {counted(count, f'indexed {language} file')} beside the code", place),
        )
        for language, count in beside.items()
        if (place := example[language])
    ]
    least = max((count for count, _ in facts), default=0) * _LEAST_SHARE
    return [
        line
        for count, line in sorted(facts, key=lambda fact: (-fact[0], fact[1].path))
        if count >= least
    ]


def _test_folder(path: str) -> str:
    """Return the topmost test folder above a file; empty if there is none."""
    parts = path.split("/")[:-1]
    for count in range(1, len(parts) + 1):
        folder = "/".join(parts[:count])
        if traits_of(f"{folder}/x") & TEST:
            return folder
    return ""
