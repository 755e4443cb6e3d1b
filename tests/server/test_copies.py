"""Copies of texts in repositories of several nodes are shown once, as on one machine."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggrep.base import stable_json
from ggrep.server.nodes import Nodes
from ggrep.server.placement import placed
from tests.fakes.team import Link, Team, answer, search, some_team

TEXTS = [
    f"def {name}_{verb}(call):\n    '''{verb.title()} a {name} call.'''\n    return {verb}(call)\n"
    for name in ("retry", "pay")
    for verb in ("retry", "send", "log")
]
WORDS = ("retry", "pay a call", "send retry", "log", "call")

# Repositories with one to three copies of some texts, also within one repository.
REPOS: Mapping[str, Mapping[str, str]] = {
    f"org/repo{number}": {
        f"f{text}_{copy}.py": TEXTS[text]
        for text in range(len(TEXTS))
        for copy in range((number * (text + 2)) % 4)
    }
    | {"own.py": f"def only_{number}(retry):\n    return retry + {number}\n"}
    for number in range(9)
} | {
    # The path raises the score of one copy.
    "org/retry": {"retry/retry.py": TEXTS[0], "pay/call.py": TEXTS[3]},
}
CROWDED: Mapping[str, Mapping[str, str]] = {
    "best/a": {"retry/twice.py": TEXTS[0]},
    "rest/b": {
        **{f"f{number}.py": TEXTS[0] for number in range(5)},
        **{f"g{number}.py": f"x = {number}\n# retry {number}\n" * 9 for number in range(5)},
    },
    "rest/c": {"c.py": "y = 1\n"},
    "rest/d": {"d.py": "z = 1\n"},
}


@pytest.fixture(scope="module")
def copies(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Team, list[dict[str, Link]]]]:
    with some_team(tmp_path_factory.mktemp("copies"), REPOS) as team:
        yield team, [team.filled_nodes(number) for number in (2, 3, 4)]


@settings(max_examples=30)
@given(
    st.sampled_from(WORDS),
    st.integers(1, 12),
    st.booleans(),
    st.sampled_from(("global", "rrf")),
    st.integers(0, 2),
    st.sets(st.sampled_from(sorted(REPOS)), min_size=2),
    st.sampled_from((0, 0, 2)),
)
def test_answers_with_copies_equal_those_of_one_machine(  # noqa: PLR0917
    copies: Any,
    query: str,
    top: int,
    fold: bool,
    strategy: str,
    group: int,
    keys: set[str],
    most: int,
) -> None:
    team, every = copies
    workspace, epoch = team.workspace(sorted(keys)), team.epoch()
    request = search(
        query, top=top, fold=fold, merge_strategy=strategy, max_repos=most, all_repos=True
    )

    async def both() -> tuple[bytes, bytes]:
        far = team.far(Nodes(every[group]), epoch)
        return await answer(far, workspace, request), await answer(team.here(), workspace, request)

    over_nodes, of_one = anyio.run(both)
    if most:  # a node can only say `yes` where one machine is sure of `no`
        over_nodes, of_one = _without_verdicts(over_nodes), _without_verdicts(of_one)
    assert over_nodes == of_one


async def test_a_better_copy_on_another_node_leaves_room_for_further_hits(tmp_path: Path) -> None:
    """Hits of a repository replace its copies, which disappear behind a better copy."""
    with some_team(tmp_path, CROWDED) as team:
        links = team.filled_nodes(3)
        first = {key: placed(key, links)[0] for key in CROWDED}
        assert first["best/a"] != first["rest/b"]
        request = search("retry", top=4, fold=True, merge_strategy="global", search_per_file=1)
        workspace = team.workspace(sorted(CROWDED))
        shown = await answer(team.here(), workspace, request)

        assert len(stable_json.loads(shown)["results"]) == 4
        assert await answer(team.far(Nodes(links), team.epoch()), workspace, request) == shown


def _without_verdicts(data: bytes) -> Any:
    document: Any = stable_json.loads(data)
    for row in document["repos"]:
        row.pop("couldChange", None)
    return document
