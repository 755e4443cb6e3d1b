"""What a slate chooses from: every file that matches, under each section that could show it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import DeadlineExceeded
from ggrep.config.roles import RoleRules, rules_of
from ggrep.model.filters import Filter
from ggrep.model.request import SearchRequest
from ggrep.model.slate import SECTIONS, Role, Section
from ggrep.model.slate_material import FileCandidate
from ggrep.search.engine.engine import Engine
from ggrep.search.query.pipeline import Ranked
from ggrep.search.slate.file_candidates import FLOOR, CandidateFiles
from ggrep.search.slate.file_rows import rows_of
from ggrep.search.slate.related_files import best_rows_of, companions
from tests.fakes.repos import IndexOf, open_engine, write_tree

FILES = {
    "src/queue.py": "def retry_queue(item):\n    return item\n\n\n"
    "def drain(queue):\n    return retry_queue(queue)\n",
    "src/cli.py": 'def flags(parser):\n    """Flags of the retry queue."""\n'
    '    parser.add_argument("--retry-queue")\n\n\n'
    'def run(queue):\n    """Run the retry queue."""\n    return queue\n',
    "src/settings.py": "RETRY_QUEUE = 3  # of the retry queue\n",
    "src/other.py": "def unrelated(words):\n    return words\n",
    "tests/test_queue.py": "def test_retry_queue():\n    assert retry_queue(1) == 1\n",
    "spec/queue_spec.rb": "describe Queue do\n  it 'retries the queue'\nend\n",
    "docs/guide.md": "# Retry\n\nHow the retry queue is drained.\n\n"
    "```mermaid\ngraph TD\n  queue --> retry\n```\n",
    "conf/app.toml": "[queue]\nretry = 3\n",
    "flow.mmd": "flowchart TD\n  queue --> retry\n",
}
ASKED = SearchRequest("retry queue")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """Return an engine over several segments, in which files were replaced and one is gone."""
    base = tmp_path_factory.mktemp("gathering").resolve()
    root = base / "repo"
    root.mkdir()
    engine = open_engine(root, base / "home", encoder="none")
    names = list(FILES)
    write_tree(root, dict.fromkeys(names[3:], "retry queue of old\n"))
    write_tree(root, {"src/gone.py": FILES["src/queue.py"]})
    engine.sync()
    for part in (names[:5], names[5:]):
        write_tree(root, {name: FILES[name] for name in part} | {"src/gone.py": None})
        engine.sync()
    assert len(engine.view().segments) >= 2
    return engine


@contextmanager
def ranked(engine: Engine, request: SearchRequest = ASKED) -> Iterator[Ranked]:
    never = Deadline.never(SystemClock())
    with engine._answering(never) as context:
        yield context.rank(request, 0)


def gatherer(found: Ranked, rules: RoleRules | None = None) -> CandidateFiles:
    return CandidateFiles(found, rules or RoleRules(), Deadline.never(SystemClock()))


def gathered(engine: Engine, request: SearchRequest = ASKED) -> list[FileCandidate]:
    with ranked(engine, request) as result:
        return list(gatherer(result).candidates())


def sections(some: list[FileCandidate], path: str) -> set[Section]:
    return {each.section for each in some if each.path == path}


def test_files_stand_in_the_sections_that_could_show_them(small: Engine) -> None:
    """A document with a diagram in both; a module of flags as code and as configuration."""
    result = gathered(small)

    assert sections(result, "src/queue.py") == {Section.CODE}
    assert sections(result, "src/cli.py") == {Section.CODE, Section.CONFIG}
    assert sections(result, "src/settings.py") == {Section.CODE, Section.CONFIG}
    assert sections(result, "docs/guide.md") == {Section.DOCS, Section.DIAGRAMS}
    assert sections(result, "flow.mmd") == {Section.DIAGRAMS}
    assert sections(result, "conf/app.toml") == {Section.CONFIG}
    assert sections(result, "tests/test_queue.py") == {Section.TESTS}
    assert sections(result, "spec/queue_spec.rb") == {Section.TESTS}


def test_what_its_path_calls_a_list_or_a_page_is_no_document(index_of: IndexOf) -> None:
    """Translations and word lists stand with the data, pages with the code that fills them."""
    prose = "How the retry queue is drained.\n"
    files = {
        "src/queue.py": FILES["src/queue.py"],
        "po/de.po": f'msgid "retry queue"\nmsgstr "{prose.strip()}"\n',
        "lang/en/retry.txt": prose,
        "lang/en/retry.php": "<?php\n$lang['queue'] = 'retry queue';\n",
        "gui/queue.html": f"<html><body><p>{prose}</p></body></html>\n",
        "docs/queue-spec.md": f"# Retry queue\n\n{prose}",
        "tests/notes.md": f"# Retry queue\n\n{prose}",
    }
    engine = index_of(files, encoder="none")
    result = gathered(engine)
    stands = {path: sections(result, path) for path in files}

    assert stands == {
        "src/queue.py": {Section.CODE},
        "po/de.po": {Section.CONFIG},
        "lang/en/retry.txt": {Section.CONFIG},
        "lang/en/retry.php": {Section.CONFIG},
        "gui/queue.html": {Section.CODE},
        "docs/queue-spec.md": {Section.DOCS},
        "tests/notes.md": {Section.TESTS},
    }
    with ranked(engine) as again:
        listed = next(c for c in gatherer(again).candidates() if c.path == "lang/en/retry.php")
        assert rows_of(again, [listed], 5)[0].best


def test_only_what_matches_and_can_be_seen_is_gathered(small: Engine) -> None:
    """A file that is gone still has rows in the store, and so has what files held before."""
    results = {each.path for each in gathered(small)}

    assert "src/gone.py" not in results
    assert "src/other.py" not in results
    assert gathered(small, SearchRequest("kubernetes zebra")) == []


def test_candidates_stand_by_section_score_and_path(small: Engine) -> None:
    """And none of them is far below the best."""
    result = gathered(small)
    order = [(SECTIONS.index(each.section), -each.score, each.path) for each in result]

    assert order == sorted(order)
    assert len({(each.path, each.section) for each in result}) == len(result)
    best = {each.path: max(o.score for o in result if o.path == each.path) for each in result}
    assert min(best.values()) >= FLOOR * max(best.values())


def test_a_candidates_score_is_that_of_its_best_row(small: Engine) -> None:
    """And the rows that speak for it stand by priority."""
    with ranked(small) as result:
        candidates = gatherer(result).candidates()
        for each, rows in zip(candidates, rows_of(result, candidates, 5), strict=True):
            assert each.score in {row.score for row in rows.best}, each
            assert len(rows.best) == min(rows.telling, 5)
            ranks = [row.priority for row in rows.best]
            assert ranks == sorted(ranks, reverse=True)


def test_rows_gain_by_what_answers_a_question_and_lose_by_their_length(tmp_path: Path) -> None:
    """Words of the question, use of the best code and the learned factor; not lines."""
    files = {
        "src/both.py": "def retry_queue(item):\n    return item\n",
        "src/long.py": "def retry_queue(item):\n    return item\n" + "    item = 1\n" * 20,
        "src/queue.py": "def queue_of(item):\n    return item\n",
        "src/drain.py": "def drain(queue):\n    return retry_queue(queue)\n",
    }
    write_tree(tmp_path / "repo", files)
    engine = open_engine(tmp_path / "repo", tmp_path / "home", encoder="none")
    engine.sync()
    with ranked(engine) as result:
        candidates = {one.path: one for one in gatherer(result).candidates()}
        both, long = candidates["src/both.py"], candidates["src/long.py"]
        users = companions(
            result,
            best_rows_of(result, [both]),
            Deadline.never(SystemClock()),
        )

        def gains(one: FileCandidate, *more: Any) -> float:
            (row,) = rows_of(result, [one], 1, *more)[0].best
            return row.priority / row.score

        assert gains(both) > gains(long)
        assert gains(candidates["src/drain.py"], users) > gains(candidates["src/drain.py"])
        pair = [both, candidates["src/queue.py"]]
        assert gains(pair[0]) > gains(pair[1])
        less = rows_of(result, pair, 1)[1].best[0]
        weighed = rows_of(result, pair, 1, None, [1.0, 0.5])[1].best[0]
        assert weighed.priority < 0.6 * less.priority


def test_tests_inside_of_a_source_count_as_tests(index_of: IndexOf) -> None:
    """Rust keeps them in the file that they test; they repeat its words and decide nothing."""
    body = "    fn drain() {\n        retry_queue(1);\n    }\n"
    text = f"mod steps {{\n{body}}}\n\n#[cfg(test)]\nmod checks {{\n{body}}}\n"
    engine = index_of({"src/queue.rs": text}, encoder="none")
    with ranked(engine) as result:
        (source,) = gatherer(result).candidates()
        rows = sorted(rows_of(result, [source], 9)[0].best, key=lambda row: row.start_line)

    gains = [row.priority / row.score for row in rows]
    assert len(gains) >= 2
    assert max(gains[1:]) < 0.7 * gains[0]


def test_candidates_have_the_same_rows_together_and_alone(small: Engine) -> None:
    """Rows of all files are scored at once; none may be counted for the file beside it."""
    with ranked(small) as result:
        candidates = gatherer(result).candidates()
        together = rows_of(result, candidates, 9)
        alone = [rows_of(result, [each], 9)[0] for each in candidates]

    for each, other in zip(together, alone, strict=True):
        assert each.telling == other.telling
        assert {(row.row, row.score) for row in each.best} == {
            (row.row, row.score) for row in other.best
        }
    assert {len(rows.best) for rows in together} >= {1, 2}


def test_a_module_is_configuration_by_the_rows_that_define_options(small: Engine) -> None:
    """The rest of it is code like any other."""
    with ranked(small) as result:
        (module,) = (
            each
            for each in gatherer(result).candidates()
            if (each.path, each.section) == ("src/cli.py", Section.CONFIG)
        )
        rows = rows_of(result, [module], 9)[0].best

    assert {(row.start_line, row.score) for row in rows} == {(1, module.score)}


def test_filters_narrow_what_is_gathered(small: Engine) -> None:
    """A slate of a directory shows nothing beside it."""
    scoped = gathered(small, SearchRequest(ASKED.query, scope="docs"))
    filtered = gathered(small, SearchRequest(ASKED.query, filters=(Filter("lang", "python"),)))

    assert {each.path for each in scoped} == {"docs/guide.md"}
    assert {each.language for each in filtered} == {"python"}


def test_leading_code_is_the_best_of_it_without_tests(small: Engine) -> None:
    """What they define is looked for elsewhere."""
    with ranked(small) as result:
        every = [each for each in gatherer(result).candidates() if each.section is Section.CODE]
        leading = gatherer(result).leading(2)
        none = gatherer(result).leading(0)

    assert [each.path for each in leading] == [each.path for each in every[:2]]
    assert none == []


def test_roles_of_a_repository_reach_its_candidates(small: Engine) -> None:
    """Its own rules say what its paths are."""
    rules = rules_of([(Role.POLICY, ["src/queue.py"])])
    with ranked(small) as result:
        by_path = {each.path: each for each in gatherer(result, rules).candidates()}
        plain = {each.path: each for each in gatherer(result).candidates()}

    assert Role.POLICY in by_path["src/queue.py"].roles
    assert Role.POLICY not in plain["src/queue.py"].roles
    assert Role.ENTRYPOINT in plain["src/cli.py"].roles


def test_a_target_is_found_whether_or_not_it_matches(small: Engine) -> None:
    """It was asked for by its name; what is gone is not there."""
    with ranked(small) as result:
        gather = gatherer(result)
        other, best = gather.target("src/other.py"), gather.target("src/queue.py")

        assert other is not None
        assert (other.path, other.section, other.score) == ("src/other.py", Section.CODE, 0.0)
        assert best is not None
        assert best.score > 0.0
        assert gather.target("src/gone.py") is None
        assert gather.target("src") is None
        assert gather.target("") is None


def test_gathering_keeps_its_deadline(small: Engine) -> None:
    """A slate past its time is read by nobody."""
    with ranked(small) as result, pytest.raises(DeadlineExceeded):
        CandidateFiles(result, RoleRules(), Deadline.after(SystemClock(), 0))
