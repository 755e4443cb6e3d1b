"""Questions without an answer are made of those that have one, and are the same everywhere."""

from pathlib import Path

from training.confidence.without_answer import (
    of_other_domains,
    of_other_repositories,
    unknown_names,
)

SOURCE = """def read_cookie_header(text):
    return parse_cookie_header(text)

class SessionStoreFactory:
    parse_cookie_header = read_cookie_header
    known = SessionStoreFactory
"""


def test_names_that_do_not_exist_are_none_of_the_sources(tmp_path: Path) -> None:
    """Of real names one part is another one's, a letter is missing, or all words are others."""
    sources = tmp_path / "owner+name"
    sources.mkdir()
    (sources / "a.py").write_text(SOURCE)
    names = [name for name, _ in unknown_names(sources, 2)]

    assert len(names) == len(set(names)) == 6
    assert not {name.replace("_", "").casefold() for name in names} & set(
        SOURCE.replace("_", "").casefold().split()
    )
    assert list(unknown_names(sources, 2)) == list(unknown_names(sources, 2))
    assert all(name in sentence for name, sentence in unknown_names(sources, 2))


def test_a_question_is_never_put_to_its_own_repository_nor_to_one_of_its_domain() -> None:
    """Another player of music answers what one is asked; so may anybody, if it is general."""
    repos = ["librespot-org+librespot", "mopidy+mopidy", "ledger+ledger", "huginn+huginn"]
    items = [
        {"qid": "mopidy:01", "repo": "mopidy+mopidy", "query": "q"},
        {"qid": "librespot:03", "repo": "librespot-org+librespot", "query": "general"},
    ]

    assert sorted(of_other_repositories(items, repos)) == [
        ("huginn+huginn", "q"),
        ("ledger+ledger", "q"),
    ]


def test_halves_of_questions_of_other_domains_share_none() -> None:
    """The odd half judges."""
    even = {text for _, text in of_other_domains(["a"], even=True)}
    odd = {text for _, text in of_other_domains(["a"], even=False)}

    assert min(len(even), len(odd)) > 40
    assert not even & odd
