"""Answers requests for a tour: a description of a repository from the files of one snapshot.

Every line of the tour is a quotation, a name or a count, with its source.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from ggrep.base.cache import CacheKey
from ggrep.base.errors import InvalidRequest
from ggrep.config.fingerprints import asked_fingerprint
from ggrep.model.limits import LimitHit
from ggrep.model.outline import (
    LEAST_BYTES,
    TourFact,
    TourRequest,
    TourResponse,
    TourSection,
    section_lines,
    size_of,
)
from ggrep.model.sanitise import sanitise_line
from ggrep.search.query.answerer import Answerer
from ggrep.search.query.context import Context, Stages
from ggrep.search.tour import ci_commands, commands, entry_points, layout, whereabouts
from ggrep.search.tour.main_files import main_files
from ggrep.search.tour.repository_files import RepositoryFiles, repository_files
from ggrep.search.tour.sentences import readme_says
from ggrep.search.tour.tables import line_with, toml_table

MAX_TOUR_BYTES: Final = 1 << 20
"""Maximum number of bytes of one answer."""
_READMES: Final = (
    "README.md",
    "README.rst",
    "README.txt",
    "README",
    "README.adoc",
    "Readme.md",
    "readme.md",
    "README.markdown",
    "README.org",
    "docs/README.md",
    "doc/README.md",
)

_Sections = tuple[tuple[str, tuple[TourFact, ...]], ...]
_MADE: Final = CacheKey[_Sections]()


def check_tour(request: TourRequest) -> None:
    """Raise if the request is invalid; needs no index.

    Raises:
        InvalidRequest: the message names the invalid part.
    """
    if request.max_bytes < LEAST_BYTES:
        raise InvalidRequest(
            f"max_bytes: {request.max_bytes} is below the minimum of {LEAST_BYTES}"
        )
    if request.timeout_ms < 0:
        raise InvalidRequest(f"timeout_ms: {request.timeout_ms} is negative")


def tour(context: Context, request: TourRequest) -> TourResponse:
    """Return the tour of a repository, which is computed once per snapshot.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    stages = Stages(context.clock)
    limits = []
    if request.max_bytes > MAX_TOUR_BYTES:
        limits.append(LimitHit("max_tour_bytes", MAX_TOUR_BYTES, request.max_bytes))
        request = replace(request, max_bytes=MAX_TOUR_BYTES)
    view = context.view
    made = view.derived.get(_MADE)
    if made is None:
        made = view.derived.keep(_MADE, _gathered(context))
    whole = [TourSection(kind, lines) for kind, lines in made]
    sections = fitted(whole, request.max_bytes)
    if any(section.left_out for section in sections):
        limits.append(LimitHit("max_tour_bytes", request.max_bytes, _size(whole)))
    stages.end("tour")
    return TourResponse(
        request=request,
        sections=tuple(sections),
        **context.head(
            asked_fingerprint("tour-1", request, settings=context.settings),
            deterministic=request.deterministic,
            limits=limits,
            notices=(),
            spans=stages.spans,
        ),
    )


def fitted(sections: Sequence[TourSection], room: int) -> list[TourSection]:
    """Return the sections; the longest is shortened until all fit into `room` bytes of text.

    A section is shortened by its last line. If two sections are equally long, the later section is
    shortened.
    """
    kept = list(sections)
    while _size(kept) > room:
        place = max(
            range(len(kept)), key=lambda number: (len(kept[number].facts), number), default=-1
        )
        if place < 0:
            break
        last = kept[place]
        if len(last.facts) > 1:
            kept[place] = replace(last, facts=last.facts[:-1], left_out=last.left_out + 1)
        else:
            del kept[place]
    return kept


def _size(sections: Sequence[TourSection]) -> int:
    return size_of([line for section in sections for line in section_lines(section)])


def _gathered(context: Context) -> _Sections:
    repository = repository_files(context.view, context.deadline)
    made = (
        ("about", _about(repository)),
        ("languages", layout.languages(repository)),
        ("folders", layout.folders(repository)),
        ("entry_points", _entry_points(repository)),
        ("main_files", main_files(repository)),
        ("build_and_test", _commands(repository)),
        ("configuration", whereabouts.configuration(repository)),
        ("docs", whereabouts.documents(repository)),
        ("tests", whereabouts.tests(repository)),
    )
    return tuple((kind, tuple(map(_sanitised, lines))) for kind, lines in made if lines)


def _sanitised(line: TourFact) -> TourFact:
    return TourFact(sanitise_line(line.text), sanitise_line(line.path), line.line)


def _about(repository: RepositoryFiles) -> list[TourFact]:
    """Return the first sentences of the README and the descriptions in manifests."""
    lines: list[TourFact] = []
    texts = repository.texts(
        [*repository.there(_READMES)[:2], "pyproject.toml", "Cargo.toml", "package.json"]
    )
    for path, text in texts.items():
        if path in _READMES:
            if not lines and (sentence := readme_says(text)) is not None:
                lines.append(TourFact(sentence.text, path, sentence.line))
            continue
        described = _described(path, text)
        if described and all(described.rstrip(".") not in line.text for line in lines):
            lines.append(TourFact(described, path, line_with(text, "description")))
    return lines


def _described(path: str, text: str) -> str:
    if path == "package.json":
        description = commands.json_object(text).get("description", "")
    elif path == "Cargo.toml":
        description = toml_table(text, "package").get("description", "")
    else:
        poetry = toml_table(text, "tool", "poetry").get("description", "")
        description = toml_table(text, "project").get("description", poetry)
    return " ".join(description.split())[:300] if isinstance(description, str) else ""


def _entry_points(repository: RepositoryFiles) -> list[TourFact]:
    texts = repository.texts(entry_points.manifests_in(repository))
    declared = [
        line
        for path, text in texts.items()
        for line in entry_points.declared(path, text, repository.by_path)
    ]
    return [*declared, *entry_points.main_functions(repository)]


def _commands(repository: RepositoryFiles) -> list[TourFact]:
    """Return the commands to build and test, from files in the root folder, then from CI files."""
    at_root = [file.path for file in repository.files if commands.has_commands(file.path)]
    ci = [file.path for file in repository.files if ci_commands.is_ci(file.path)]
    texts, of_ci = repository.texts(at_root), repository.texts(ci)
    kept = repository.texts([*commands.MANAGER_FILES, "package.json"])
    manager = commands.package_manager({**of_ci, **kept})
    lines = [
        line for path, text in texts.items() for line in commands.commands_of(path, text, manager)
    ]
    package = commands.json_object(kept.get("package.json", ""))
    scripts = package.get("scripts")
    lines += ci_commands.ci_commands(of_ci, scripts if isinstance(scripts, Mapping) else ())
    return list({line.text: line for line in reversed(lines)}.values())[::-1]


TOUR: Final = Answerer(tour, check_tour)
