"""Where configuration is read, where documents and tests are."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Final

from ggrep.config.role_rules import RoleRules
from ggrep.model.corpus import Corpus
from ggrep.model.outline import TourLine
from ggrep.model.outline_lines import counted
from ggrep.model.slate import Role
from ggrep.model.traits import TEST, VENDORED, traits_of
from ggrep.parse.languages.registry import corpus_of_language
from ggrep.search.query.listing import ListedFile
from ggrep.search.query.segments import open_segments
from ggrep.search.slate.file_candidates import OPTION_WORDS
from ggrep.search.tour.repository_files import RepositoryFiles, is_aside

_COMMON_WORDS: Final = frozenset({"argh", "clap", "click", "commander", "slop", "thor", "typer"})
_RUST_WORDS: Final = frozenset({"default_value", "long_flag", "value_parser"})
"""Attributes of clap, which mean something else in other languages."""
_LEAST_SHARE: Final = 0.05
"""Of the files of the largest folder of tests: smaller folders are not told."""
_MOST_WORDS: Final = 3
_MOST_READERS: Final = 6
_MOST_READ: Final = 60
"""Files whose text is searched for what reads settings."""
_DOCUMENTS: Final = frozenset({"doc", "docs", "documentation", "man", "site", "website"})
_PAGE_FOLDERS: Final = _DOCUMENTS | {"_site", "public", "static", "assets", "views", "www"}
_PAGE_LANGUAGES: Final = frozenset({"erb", "html"})
_ENVIRONMENT: Final = (
    r"process\.env|import\.meta\.env|Deno\.env|Bun\.env|ENV(?=\[|\.fetch|\.key\?)|env::vars?\b"
    r"|\$_ENV|\$ENV\{|(?<=os\.)environ|env!(?=\()"
)
"""Expressions that read variables of the environment; their common word is `env`."""
_PAGES: Final = ("CONTRIBUTING", "CHANGELOG", "CHANGES", "HACKING", "ARCHITECTURE", "SECURITY")


def configuration(held: RepositoryFiles, rules: RoleRules) -> list[TourLine]:
    """Return the files of code that read options and variables, and those kept for settings.

    Those with most places come first. The words that common libraries are called by tell them;
    texts are read, as the index has words beside others of their family (`environment`).

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    words = _option_words(held)
    found = []
    for one in held.files:
        told = words.get((one.segment, one.file), set())
        if one.language != "rust":
            told = told - _RUST_WORDS
        if told and not is_aside(one) and not _is_page(one):
            settled = Role.CONFIGURATION in rules.roles_of(one.path)
            found.append((not settled, -len(told), one.path, told))
    found = sorted(found, key=lambda each: each[:3])[:_MOST_READ]
    texts = held.texts([path for _, _, path, _ in found])
    read = []
    for other, _, path, told in found:
        plain = "|".join(map(re.escape, told - {"env"}))
        places = rf"(?<![\w$])(?:{_ENVIRONMENT}{'|(?i:' + plain + ')' if plain else ''})(?!\w)"
        if counts := Counter(re.findall(places, texts.get(path, ""))):
            read.append((other, -counts.total(), path, counts))
    lines = []
    for _, _, path, counts in sorted(read, key=lambda each: each[:3])[:_MOST_READERS]:
        most = sorted(counts, key=lambda word: (-counts[word], word))[:_MOST_WORDS]
        lines.append(TourLine(", ".join(most), path))
    return lines


def _is_page(file: ListedFile) -> bool:
    """Say whether a file is no code, or code of pages and documents."""
    folders = {part.lower() for part in file.path.split("/")[:-1]}
    is_code = corpus_of_language(file.language) is Corpus.CODE
    return not is_code or file.language in _PAGE_LANGUAGES or bool(folders & _PAGE_FOLDERS)


def _option_words(held: RepositoryFiles) -> Mapping[tuple[int, int], set[str]]:
    """Return by segment and file which of the words some chunk may hold."""
    words: defaultdict[tuple[int, int], set[str]] = defaultdict(set)
    for place, segment in enumerate(open_segments(held.view)):
        image = segment.image
        for word in (*OPTION_WORDS, "env"):
            rows = segment.rows_with(word)
            rows = rows[segment.visible_rows[rows]]
            heads = image.row_anchors[rows] != 0
            # A library called by a common word counts where a file's head names it.
            imported = set(image.row_files[rows[heads]].tolist())
            for file in image.row_files[rows[~heads]].tolist():
                if word not in _COMMON_WORDS or file in imported:
                    words[place, file].add(word)
    return words


def documents(held: RepositoryFiles) -> list[TourLine]:
    """Return the folders of documents, the README and pages that many repositories have."""
    lines = []
    for name, folder in held.root.folders.items():
        if name.lower() in _DOCUMENTS:
            lines.append(TourLine(counted(folder.count, "file"), f"{name}/"))
    for one in held.root.files:
        stem = one.path.partition(".")[0].upper()
        if stem in _PAGES or stem == "README":
            lines.append(TourLine(counted(one.lines, "line"), one.path))
    return lines


def tests(held: RepositoryFiles) -> list[TourLine]:
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
    told = [(count, TourLine(counted(count, "file"), f"{path}/")) for path, count in inside.items()]
    told += [
        (count, TourLine(f"one of {counted(count, language + ' file')} beside the code", place))
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
