"""Each user's answers are those of a server that contains only the user's repositories."""

import os
import random
from collections import UserList
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggrep.base import stable_json
from ggrep.base.errors import Forbidden, GgrepError
from ggrep.federation import joint_search
from ggrep.federation.workspace_names import name_request
from ggrep.model.navigation import ReferencesRequest, SymbolRequest
from ggrep.server import access, epoch, team
from ggrep.server.access import Access, Identity, Rule
from ggrep.server.nodes import Nodes
from ggrep.server.team import Team as Coordinator
from ggrep.server.team import UserService
from tests.fakes.team import CLOCK, TREES, Team, search, some_team

# A name, a word and a text of each repository that occur in no other one.
SECRET = {
    "acme/cart": ("acme/cart", "add_item", "cart.append"),
    "acme/mail": ("acme/mail", "mail/send.go", "package mail"),
    "acme/site": ("acme/site", "index.js", "page.title"),
    "tools/cart": ("tools/cart", "bin/pay.py", "amount"),
    "tools/log": ("tools/log", "log.py", "print"),
}
QUERIES = ("retry", "cart", "how is a request retried", "render page", "log", "pay(amount)")
USERS = [Identity(f"user{number}@example.com") for number in range(8)]
PATIENT_MS = 600_000  # a busy machine is late with a share of it
MANY_USERS, MANY_QUESTIONS = map(int, os.environ.get("GGREP_TEST_USERS", "50x10000").split("x"))
MANY_TREES = {
    f"team{number % 7}/part{number // 2}": {
        f"src/file{number}.py": f"def retry_{number}(call):\n    return call(render, cart)\n",
        f"docs/page{number}.md": f"# Retries {number}\n\nHow request{number} is retried.\n",
    }
    for number in range(40)
}


async def _served(team: Team, links: Any, rules: Access) -> Coordinator:
    file = team.base / "rules.jsonc"
    file.write_bytes(stable_json.dumps({"rules": [_rule(rule) for rule in rules.rules]}))
    coordinator = Coordinator("team", Nodes(links), team.refs, file, team.settings(), CLOCK)
    await coordinator.sweep()
    return coordinator


def _rule(rule: Rule) -> Any:
    return {"repos": [*rule.repos], "users": [*rule.users], "groups": [*rule.groups]}


async def _answers(
    service: UserService,
    query: str,
    strategy: str,
    keys: Sequence[str] = (*sorted(TREES), "acme/absent"),
) -> list[bytes]:
    """Return answers of all kinds to a user; those of one repository for each key."""
    workspace = service.seen.workspace
    patient = {"search_timeout_ms": PATIENT_MS}
    request = search(query, merge_strategy=strategy, top=5, **patient)
    symbol = SymbolRequest("retry", deterministic=True, timeout_ms=PATIENT_MS)
    uses = ReferencesRequest("retry", deterministic=True, timeout_ms=PATIENT_MS)

    results = [
        await service.search(workspace, request),
        await service.search(
            workspace, search(query, merge_strategy=strategy, only=("cart",), **patient)
        ),
        await service.search(
            workspace, search(query, max_repos=2, merge_strategy=strategy, **patient)
        ),
        await service.follow(workspace, name_request(request, symbol), symbol),
        await service.follow(workspace, name_request(request, uses), uses),
    ]
    errors = []
    for key in keys:
        try:
            document = await service.ask_repo(Path("/", key), search(query, **patient).search)
            errors.append(f"{len(document['results'])} hits".encode())
        except GgrepError as error:
            errors.append(f"{error.code} {error}".encode())
    return [*(stable_json.dumps(each.to_json()) for each in results), *errors]


def _oracle(team: Team, links: Any, keys: set[str]) -> UserService:
    """Return the queries to a server that contains only some repositories."""
    every = team.epoch().repos
    coordinator = Coordinator(
        "team", Nodes(links), team.refs, Path("/absent"), team.settings(), CLOCK
    )
    coordinator.epoch = epoch.Epoch({key: every[key] for key in sorted(keys)})
    coordinator._access = Access((Rule(("*",), ("*",)),))
    return coordinator.service(USERS[0])


@settings(max_examples=3)
@given(
    st.lists(st.sets(st.sampled_from(sorted(TREES))), min_size=8, max_size=8),
    st.lists(
        st.tuples(st.sampled_from(QUERIES), st.sampled_from(("global", "rrf"))),
        min_size=8,
        max_size=8,
    ),
)
def test_a_user_sees_nothing_of_hidden_repositories(
    team: Team, sets: list[set[str]], queries: list[tuple[str, str]]
) -> None:
    rules = Access(
        tuple(
            Rule(tuple(sorted(keys)), (user.user,)) for user, keys in zip(USERS, sets, strict=True)
        )
    )

    async def check() -> None:
        coordinator = await _served(team, team.filled_nodes(3), rules)
        for user, keys, (query, strategy) in zip(USERS, sets, queries, strict=True):
            await _check(team, coordinator.service(user), keys, query, strategy)

    anyio.run(check)


async def _check(
    team: Team, service: UserService, keys: set[str], query: str, strategy: str
) -> None:
    shown = await _answers(service, query, strategy)

    assert shown == await _answers(_oracle(team, team.filled_nodes(3), keys), query, strategy)
    for key in TREES.keys() - keys:
        hidden = [word for word in SECRET[key] if word not in query]
        assert not [word for word in hidden for text in shown if word.encode() in text]
        assert not [text for text in shown if epoch.repo_id(epoch.root_of(key)).encode() in text]


SEEN = {"acme/cart", "acme/mail", "acme/site"}
HIDDEN = "tools/cart"


def _aliases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names depend on all repositories: `cart` is short for two of them."""
    of_keys = epoch.workspace_of

    def leaking(name: str, keys: Any) -> Any:
        workspace = of_keys(name, {*keys, HIDDEN})
        shown = tuple(repo for repo in workspace.repos if repo.root_input in keys)
        ours = of_keys(name, keys)
        return ours.__class__(
            **{
                field: shown if field == "repos" else getattr(ours, field)
                for field in ours.__struct_fields__
            }
        )

    monkeypatch.setattr(team, "workspace_of", leaking)


def _hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The id of the workspace is that of all repositories."""
    of_keys = epoch.workspace_of

    def leaking(name: str, keys: Any) -> Any:
        ours, every = of_keys(name, keys), of_keys(name, {*keys, HIDDEN})
        fields = {field: getattr(ours, field) for field in ours.__struct_fields__}
        return ours.__class__(**fields | {"repo_set_id": every.repo_set_id})

    monkeypatch.setattr(team, "workspace_of", leaking)


def _rights(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule about a repository is read as one about all repositories of its short name."""

    def granted(name: str, keys: Sequence[str]) -> list[str]:
        return [key for key in keys if key.rpartition("/")[2] == name.rpartition("/")[2]]

    monkeypatch.setattr(access, "granted", granted)


def _statistics(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words are as rare as in all repositories together."""
    summed = joint_search.sum_statistics
    monkeypatch.setattr(
        joint_search, "sum_statistics", lambda parts: summed([*parts, *[*parts][:1]])
    )


def _errors(monkeypatch: pytest.MonkeyPatch) -> None:
    ask_repo = UserService.ask_repo

    async def leaking(self: UserService, root: Path, request: Any) -> Any:
        if str(root)[1:] in self.team.epoch.repos.keys() - {
            repo.key for repo in self.seen.repos.values()
        }:
            raise Forbidden("you may not see this repository")
        return await ask_repo(self, root, request)

    monkeypatch.setattr(UserService, "ask_repo", leaking)


LEAKS: tuple[Callable[[pytest.MonkeyPatch], None], ...] = (
    _aliases,
    _hashes,
    _rights,
    _statistics,
    _errors,
)


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.__name__)
async def test_a_planted_leak_is_noticed(
    team: Team, monkeypatch: pytest.MonkeyPatch, leak: Any
) -> None:
    sets = {USERS[0]: set(TREES), USERS[1]: SEEN}
    rules = Access(tuple(Rule(tuple(sorted(keys)), (user.user,)) for user, keys in sets.items()))
    oracle = await _answers(_oracle(team, team.filled_nodes(3), SEEN), "retry", "global")
    leak(monkeypatch)
    coordinator = await _served(team, team.filled_nodes(3), rules)
    await _answers(coordinator.service(USERS[0]), "retry", "global")

    assert await _answers(coordinator.service(USERS[1]), "retry", "global") != oracle


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Team, Any]]:
    """Return repositories of which several have the same short name, and nodes that hold them."""
    with some_team(tmp_path_factory.mktemp("many"), {**TREES, **MANY_TREES}) as made:
        yield made, made.filled_nodes(3)


async def _asked(
    team: Team, nodes: Any, leak: Callable[[pytest.MonkeyPatch], None] = lambda _: None
) -> tuple[int, list[str]]:
    chance, keys = random.Random(53), team.epoch().keys
    users = [Identity(f"user{number}@example.com") for number in range(MANY_USERS)]
    coordinator = await _served(team, nodes, Access())
    asked = 0
    leaks: list[str] = []
    while asked < MANY_QUESTIONS and not leaks:
        sets = {user: set(chance.sample(keys, chance.randrange(13))) for user in users}
        rules = [_rule(Rule(tuple(sorted(seen)), (user.user,))) for user, seen in sets.items()]
        (team.base / "rules.jsonc").write_bytes(stable_json.dumps({"rules": rules}))
        await coordinator.read_access()  # one look at the rules withdraws all earlier rights
        for user, seen in sets.items():
            query, strategy = chance.choice(QUERIES), chance.choice(("global", "rrf"))
            named = (*chance.sample(keys, 3), "acme/absent")
            with pytest.MonkeyPatch.context() as patch:
                leak(patch)
                shown = await _answers(coordinator.service(user), query, strategy, named)
            expected = await _answers(_oracle(team, nodes, seen), query, strategy, named)
            asked += len(shown)
            leaks += [_difference(*pair) for pair in zip(shown, expected, strict=True)]
            leaks = [*filter(None, leaks), *_names(shown, {*keys} - seen, query)]
    return asked, leaks


def _difference(shown: bytes, expected: bytes) -> str:
    """Return where two answers differ first; empty if they are equal."""
    pairs = enumerate(zip(shown, expected, strict=False))
    same = next((place for place, (left, right) in pairs if left != right), 0)
    parts = [text[max(0, same - 200) : same + 400] for text in (shown, expected)]
    return "" if shown == expected else f"{parts[0]!r} instead of {parts[1]!r}"


def _names(shown: Sequence[bytes], hidden: set[str], query: str) -> list[str]:
    """Return the words and ids of hidden repositories in answers."""
    secret = {key: SECRET.get(key) or (key, *MANY_TREES[key]) for key in hidden}
    words = [word for key in hidden for word in secret[key] if word not in query]
    words += [epoch.repo_id(epoch.root_of(key)) for key in hidden]
    return [word for word in words for text in shown if word.encode() in text]


@pytest.mark.deep
@pytest.mark.timeout(7200)
async def test_many_users_see_nothing_of_hidden_repositories(many: tuple[Team, Any]) -> None:
    asked, leaks = await _asked(*many)

    assert leaks == []
    assert asked >= MANY_QUESTIONS


@pytest.mark.deep
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.__name__)
async def test_questions_of_many_users_notice_a_planted_leak(
    many: tuple[Team, Any], leak: Callable[[pytest.MonkeyPatch], None]
) -> None:
    _, leaks = await _asked(*many, leak)

    assert leaks


def test_a_rule_names_repositories_folders_or_all() -> None:
    keys = ("acme/cart", "acme/cart-old", "acme/tools/x", "acme2/x", "other/cart")
    rules = {
        ("acme/cart",): ("acme/cart",),
        ("acme/",): ("acme/cart", "acme/cart-old", "acme/tools/x"),
        ("acme",): (),
        ("*",): keys,
        (): (),
    }
    for names, expected in rules.items():
        read = Access((Rule(names, users=("a",)),))
        assert read.allowed(Identity("a"), keys) == expected
        assert read.allowed(Identity("b"), keys) == ()


def test_groups_are_those_of_the_token_and_of_the_file() -> None:
    read = Access(
        (Rule(("x",), groups=("g",)), Rule(("y",), groups=("h",)), Rule(("z",), users=("*",))),
        {"h": ("alice",)},
    )

    assert read.allowed(Identity("alice", frozenset({"g"})), "xyz") == ("x", "y", "z")
    assert read.allowed(Identity("bob", frozenset({"h"})), "xyz") == ("y", "z")
    assert read.allowed(Identity("carol"), "xyz") == ("z",)


class Counted(UserList[str]):
    """A list that counts the keys that are read."""

    reads = 0

    def __getitem__(self, place: Any) -> Any:
        result = super().__getitem__(place)
        self.reads += len(result) if isinstance(place, slice) else 1
        return result


def test_the_work_for_a_user_does_not_depend_on_hidden_repositories() -> None:
    """Otherwise the time of an answer would reveal how many repositories exist."""
    read = Access((Rule(("acme/", "tools/log", "tools/absent"), users=("alice",)),))
    shown = ["acme/cart", "acme/mail", "tools/log"]
    hidden = [f"{folder}/{number}" for folder in ("aaa", "hid", "zzz") for number in range(40_000)]
    keys = Counted(sorted([*shown, *hidden]))

    assert read.allowed(Identity("alice"), keys) == tuple(shown)
    assert keys.reads < 100
    keys.reads = 0
    assert read.allowed(Identity("bob"), keys) == ()
    assert keys.reads == 0
