"""Where configuration is read, where documents and tests are."""

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
from ggrep.search.query.segments import open_segments
from ggrep.search.slate.file_candidates import OPTION_WORDS
from ggrep.search.tour.repository_files import RepositoryFiles, is_aside

_COMMON_WORDS: Final = frozenset({"clap", "click", "commander", "slop", "thor", "typer"})
_LEAST_SHARE: Final = 0.05
"""Of the files of the largest folder of tests: smaller folders are not told."""
_MOST_WORDS: Final = 3
_MOST_READERS: Final = 6
_PAGES: Final = ("CONTRIBUTING", "CHANGELOG", "CHANGES", "HACKING", "ARCHITECTURE", "SECURITY")


def configuration(held: RepositoryFiles, rules: RoleRules) -> list[TourLine]:
    """Return the files of code that read options and variables, and those kept for settings.

    Those with most places come first. The words that common libraries are called by tell them.
    """
    words = _option_words(held)
    found = []
    for one in held.files:
        told = words.get((one.segment, one.file), Counter())
        if told and not is_aside(one) and corpus_of_language(one.language) is Corpus.CODE:
            settled = Role.CONFIGURATION in rules.roles_of(one.path)
            found.append((not settled, -sum(told.values()), one.path, told))
    lines = []
    for _, _, path, told in sorted(found, key=lambda each: each[:3])[:_MOST_READERS]:
        most = sorted(told, key=lambda word: (-told[word], word))[:_MOST_WORDS]
        lines.append(TourLine(", ".join(most), path))
    return lines


def _option_words(held: RepositoryFiles) -> Mapping[tuple[int, int], Counter[str]]:
    """Return by segment and file how many chunks hold each of the words."""
    words: defaultdict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    for place, segment in enumerate(open_segments(held.view)):
        image = segment.image
        for word in OPTION_WORDS:
            rows = segment.rows_with(word)
            rows = rows[segment.visible_rows[rows]]
            heads = image.row_anchors[rows] != 0
            # A library called by a common word counts where a file's head names it.
            imported = set(image.row_files[rows[heads]].tolist())
            for file in image.row_files[rows[~heads]].tolist():
                if word not in _COMMON_WORDS or file in imported:
                    words[place, file][word] += 1
    return words


def documents(held: RepositoryFiles) -> list[TourLine]:
    """Return the folders of documents, the README and pages that many repositories have."""
    lines = []
    for name, folder in held.root.folders.items():
        if name.lower() in {"doc", "docs", "documentation", "man", "site", "website"}:
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
