"""Lists, imports, logging, tests and comments are single lines that say what they stand for."""

import pytest

from ggrep.model.line_numbers import numbered_lines, shown_lines
from ggrep.search.reading.folding import (
    CODE_ALONE,
    COMMENTS_ALONE,
    OPENED,
    SLATE,
    Folding,
    Source,
    folded,
)

VALUES = "\n".join(f"    STATE_{name} = {at}," for at, name in enumerate("ABCDEFGHIJKL"))
FIELDS = "\n".join(f"\tuint64_t {name}_count;" for name in "abcdefghijkl")
STRINGS = "\n".join(f'    "name_{at}",' for at in range(12))
JAVA = "\n".join(f"import a.b.C{at};" for at in range(6))
GO = 'import (\n\t"a"\n\n\t"b/c"\n\td "e"\n)'
LOG = 'logger.info(\n    "paid %s",\n    amount,\n)'
TESTS = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {}\n    #[test]\n    fn b() {}\n}"


def of(text: str, language: str, form: Folding = SLATE, *terms: str) -> list[str]:
    """Return the lines of a text that begins at line 11."""
    return folded(Source(text.split("\n"), 11, language), form, frozenset(terms)).split("\n")


@pytest.mark.parametrize(
    ("language", "text", "fold"),
    [
        ("python", f"{VALUES}\nrun()", "    … 11-22 12 values: STATE_A to STATE_L"),
        ("c", f"{FIELDS}\nrun();", "\t… 11-22 12 values: a_count to l_count"),
        ("python", f"{STRINGS}\nrun()", '    … 11-22 12 values: "name_0" to "name_11"'),
        ("java", f"{JAVA}\nrun();", "… 11-16 6 imports"),
        ("go", f"{GO}\nrun()", "… 11-16 3 imports"),
        ("python", f"{LOG}\nrun()", "… 11-14 logging"),
        ("rust", f"{TESTS}\nrun();", "… 11-17 2 tests"),
        ("python", "# why\n\n# and how\nrun()", "… 11-13 comments"),
    ],
)
def test_a_run_is_one_line_that_names_its_range(language: str, text: str, fold: str) -> None:
    last = text.rsplit("\n", maxsplit=1)[-1]

    assert of(text, language) == [fold, last]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "A = 1\nB = 2\nC = 3"),
        ("java", "import a.b;\nimport a.c;\nrun();"),
        ("python", "logger.info(1)\nrun()"),
        ("yaml", "\n".join(f"key_{at}: {at}" for at in range(20))),
        ("rust", TESTS),
        ("python", "# nothing\n# but a comment"),
        ("go", "//go:build linux\nrun()"),
        ("php", "#[Route(1)]\nrun();"),
        ("python", "\n".join(f"run_{at}(x, {at})" for at in range(20))),
        ("python", "login(user)\nlogic.run()\nlogout(user)\nself.catalog.add(user)"),
        ("javascript", "warnUser(a);\ndebugger;\nlogOut(a);\nlogIn(a);\nstop();"),
        ("python", "\n".join(f"    return {at}" for at in range(20))),
    ],
)
def test_few_lines_and_those_that_do_something_stay(language: str, text: str) -> None:
    """A list of settings is the content of a file of data, and a test of a chunk of tests."""
    assert of(text, language) == text.split("\n")


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("python", "logging.getLogger(__name__).info(a)"),
        ("python", "self._log.debug(a)"),
        ("python", "warnings.warn(a)"),
        ("go", "s.logger.Infof(a)"),
        ("go", "log.Printf(a)"),
        ("java", "LOG.warn(a);"),
        ("javascript", "console.error(a);"),
        ("javascript", "logError(a);"),
        ("rust", "warn!(a);"),
        ("rust", "tracing::info!(a);"),
        ("c", "log_debug(a);"),
        ("c", "fprintf(stderr, a);"),
        ("cpp", "LOG(INFO) << a;"),
    ],
)
def test_forms_of_logging_are_known(language: str, line: str) -> None:
    assert of(f"{line}\n{line}\n{line}\nrun()", language) == ["… 11-13 logging", "run()"]


def test_lines_that_are_all_tests_stay() -> None:
    """Two tests that fill a source leave nothing beside them, as each of them alone does."""
    text = "def test_a():\n    a()\n    b()\n    c()\n\n\ndef test_b():\n    a()\n    b()\n    c()"

    assert of(text, "python") == text.split("\n")


def test_lines_with_words_of_the_question_stay() -> None:
    """Among many values the one that was asked for is the answer."""
    values = f"{VALUES}\n{VALUES.replace('STATE', 'LIMIT')}"

    assert of(f"{values}\nrun()", "python", SLATE, "c") == [
        "    STATE_A = 0,",
        "    STATE_B = 1,",
        "    STATE_C = 2,",
        "    … 14-24 11 values: STATE_D to LIMIT_B",
        "    LIMIT_C = 2,",
        *VALUES.replace("STATE", "LIMIT").split("\n")[3:],
        "run()",
    ]


def test_a_comment_that_is_the_answer_stays() -> None:
    """It has most of the question's words."""
    text = "# a retry waits\n# for the lock\nrun()\n# a lock\nrun()"

    assert of(text, "python", SLATE, "retry", "lock", "wait") == [
        "# a retry waits",
        "# for the lock",
        "run()",
        "… 14 comments",
        "run()",
    ]


def test_a_comment_with_the_only_word_of_a_question_is_folded() -> None:
    """One word does not make it the answer: most comments on a subject have its name."""
    assert of("# a retry waits\nrun()", "python", SLATE, "retry") == ["… 11 comments", "run()"]


def test_short_comments_of_an_opened_place_stay() -> None:
    short, block = "// a\n// b\nrun();", "/*\n * a\n */\nrun();"

    assert of(short, "java", OPENED) == short.split("\n")
    assert of(block, "java", OPENED) == ["… 11-13 comments", "run();"]
    assert of(block, "java", CODE_ALONE) == block.split("\n")
    assert of(f"{JAVA}\n{block}", "java", COMMENTS_ALONE) == [
        *JAVA.split("\n"),
        "… 17-19 comments",
        "run();",
    ]


def test_a_text_with_folds_numbers_its_lines() -> None:
    """Whoever reads a line can go to it."""
    lines = of(f"run()\n# a\n# b\n{VALUES}\nstop()", "python")

    assert [number for number, _ in numbered_lines(lines, 11)] == [11, 12, 14, 26]
    assert [number for number, _ in shown_lines(lines, 11)] == [11, 14, 26]
