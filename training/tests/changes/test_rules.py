"""Which commits are questions, and which of their files are answers."""

import pytest

from training.changes.rules import Commit, answers_of, body_of, is_answer, question_of, spells


def commit(
    subject: str = "Keep the connection open when the peer sends nothing",
    *,
    author: str = "somebody",
    body: str = "",
    added: tuple[str, ...] = (),
    changed: tuple[str, ...] = ("src/connection.py",),
) -> Commit:
    return Commit("0" * 40, author, subject, body, added, changed, ())


@pytest.mark.parametrize(
    ("subject", "asked"),
    [
        (
            "fix(pool): close idle sockets before they time out (#812)",
            "close idle sockets before they time out",
        ),
        (
            "[core] Close idle sockets before they time out.",
            "Close idle sockets before they time out",
        ),
        (
            "LANG-17: Close idle sockets before they time out",
            "Close idle sockets before they time out",
        ),
    ],
)
def test_marks_of_a_subject_are_not_asked(subject: str, asked: str) -> None:
    """Nobody types the number of a ticket when looking for code."""
    assert question_of(commit(subject)) == asked


@pytest.mark.parametrize(
    "subject",
    [
        "Close idle sockets",
        "Bump the http client from 1.2 to 1.3 everywhere",
        "docs: tell how idle sockets are closed before time",
        "Revert the change that closes idle sockets too early",
        "Fix a typo in the message about closed idle sockets",
        "Remove unused imports of the module that closes sockets",
    ],
)
def test_what_says_nothing_of_behaviour_is_no_question(subject: str) -> None:
    """A search cannot be blamed for not finding a version bump."""
    assert question_of(commit(subject)) == ""


def test_a_bot_asks_nothing() -> None:
    """Its subjects are all alike."""
    assert question_of(commit(author="renovate[bot]")) == ""


def test_tests_documents_and_build_files_are_no_answers() -> None:
    """What a change touches besides the code follows from it."""
    touched = (
        "src/pool.go",
        "src/pool_test.go",
        "docs/pool.md",
        "CHANGELOG.md",
        "build.gradle.kts",
    )

    assert answers_of(commit(changed=touched)) == ("src/pool.go",)


def test_a_commit_that_brings_a_source_has_no_fair_answer() -> None:
    """The new file is not there at the revision that is asked."""
    assert answers_of(commit(added=("src/new.py",))) == ()
    assert answers_of(commit(added=("tests/test_new.py",))) == ("src/connection.py",)


def test_many_changed_files_are_no_answer() -> None:
    """A change of everything has no place."""
    assert answers_of(commit(changed=tuple(f"src/a{n}.py" for n in range(5)))) == ()


def test_trailers_of_a_body_are_not_asked() -> None:
    """They name people and tickets."""
    body = "The peer may be slow.\n\nSigned-off-by: A B <a@example.org>\nFixes: #4"

    assert body_of(commit(body=body)) == "The peer may be slow."


def test_a_question_spells_a_file_by_a_part_of_its_name() -> None:
    """Only the last part of the path counts: folders name subjects, not files."""
    assert spells("keep connections open", ["src/HttpConnection.java"])
    assert not spells("keep sockets open", ["sockets/HttpConnection.java"])


def test_vendored_sources_are_no_answers() -> None:
    """Other people wrote them."""
    assert is_answer("src/a.c")
    assert not is_answer("third_party/a.c")
