"""Equal states, equal bytes: neither chance nor the layout of a file shows in an answer.

And what changing one repository may do to the hits of the others.
"""

import random
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.errors import DeadlineExceeded, GgrepError
from ggrep.base.ids import RepoId
from ggrep.federation.coordinator import federated_search
from ggrep.federation.coordinator_cache import CoordinatorCache
from ggrep.federation.federated_request import MAX_CONCURRENCY, FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.merge import MergedHit
from ggrep.federation.workspace import Workspace, WorkspaceRepo, load_workspace
from ggrep.federation.workspace_draft import STRATEGIES
from ggrep.model.corpus import CORPORA, Corpus, Mode, bucket_of, select
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.request import PoolRequest, SearchRequest
from ggrep.model.response import Hit, PoolResponse
from tests.fakes.clocks import ManualClock
from tests.fakes.effort import examples
from tests.fakes.searchers import FakeRow, FakeSearcher, factory, repo, workspace

pytestmark = pytest.mark.slow

CLOCK = ManualClock(datetime(2025, 1, 1, tzinfo=UTC))


async def answered(
    space: Workspace,
    asked: FederatedRequest,
    searchers: Sequence[FakeSearcher],
    memory: CoordinatorCache | None = None,
) -> FederatedResponse:
    return await federated_search(space, asked, factory(*searchers), CLOCK, memory=memory)


FATES = {"ok", "incompatible", "missing_index", "timeout", "error"}


def latency(chance: random.Random) -> Callable[[str], Awaitable[object]]:
    """Return a pause that lets others go first, now often and now not at all."""

    async def pause(_: str) -> None:
        for _step in range(chance.choice((0, 0, 1, 2, 4))):
            await anyio.lowlevel.checkpoint()

    return pause


def mixed_searchers(pause: Callable[[str], Awaitable[object]]) -> list[FakeSearcher]:
    """Return repositories of every fate, with copies, ties and two corpora among their rows."""
    texts = ("token other", "token", "other third", "token token third", "third")
    rows = {
        name: [
            FakeRow(
                row_id=f"{n}{name if n > 2 else ''}",
                path=f"src/{n}.py",
                start=1 + n,
                words=tuple(texts[(n + shift) % 5].split()),
                corpus=Corpus.PROSE if n % 4 == 3 else Corpus.CODE,
                content=texts[(n + shift) % 5],
            )
            for n in range(9)
        ]
        for shift, name in enumerate("abcd")
    }
    return [
        FakeSearcher("a", rows["a"], pause=pause, warnings=(Notice("w", "told", "src/1.py"),)),
        FakeSearcher("b", rows["b"], pause=pause, limits=(LimitHit("m", 2),), partial=True),
        FakeSearcher("c", rows["c"], pause=pause, degraded=True),
        FakeSearcher("d", rows["d"], pause=pause, keys=("embed", "old", "schema")),
        FakeSearcher("e", pause=pause, snapshot_id=None),
        FakeSearcher("f", pause=pause, fail={"search": [DeadlineExceeded("late")]}),
        FakeSearcher("g", pause=pause, fail={"describe": [GgrepError("broken")]}),
    ]


ENTRIES = {
    "a": '"priority": 2',
    "b": '"tags": ["Web", "core"]',
    "c": '"priority": 2, "tags": ["core"]',
    "d": '"priority": -1',
    "e": '"enabled": true',
    "f": '"tags": []',
    "g": '"priority": 0',
}


def laid_out(chance: random.Random) -> str:
    """Return the workspace file in another layout of the same meaning."""
    gaps = ("", " ", "\n", "\t", "\r\n", " // a word\n", "/* {\n */")
    names = chance.sample(sorted(ENTRIES), len(ENTRIES))
    entries = []
    for name in names:
        fields = [f'"root": "../{name}"', f'"alias": "{name}"', ENTRIES[name]]
        chance.shuffle(fields)
        entries.append(f"{{{','.join(chance.choice(gaps) + part for part in fields)}}}")
    repos = f"[{','.join(chance.choice(gaps) + entry for entry in entries)}]"
    fields = [f'"repos":{chance.choice(gaps)}{repos}', '"schemaVersion": 1', '"name": "all"']
    chance.shuffle(fields)
    return f"{chance.choice(gaps)}{{{','.join(fields)}{chance.choice(gaps)}}}{chance.choice(gaps)}"


@pytest.fixture(scope="module")
def layouts(tmp_path_factory: pytest.TempPathFactory) -> list[Workspace]:
    """Return one workspace, as read from many layouts of its file."""
    chance, directory = random.Random(7), tmp_path_factory.mktemp("layouts")
    for name in ENTRIES:
        (directory / name).mkdir()
    (directory / "ws").mkdir()
    file = directory / "ws" / "all.jsonc"
    results = []
    for _ in range(25):
        file.write_text(laid_out(chance), newline="")
        results.append(load_workspace(file, resolve_root=Path, name_repo=named))
    return results


def named(root: Path) -> RepoId:
    return RepoId(f"{root.name}-000000000000")


def without_concurrency(response: FederatedResponse) -> bytes:
    document = response.to_json()
    del document["meta"]["limits"]["concurrency"]
    return stable_json.dumps(document)


@pytest.mark.parametrize("strategy", STRATEGIES)
async def test_answers_are_equal_to_the_byte_whatever_happens_by_chance(
    strategy: str, layouts: list[Workspace]
) -> None:
    """Promise P5: who caches or compares answers must be able to rely on it."""
    chance, memory = random.Random(42), CoordinatorCache()
    asked = FederatedRequest(SearchRequest("token third"), top=7, merge_strategy=strategy)
    healthy = replace(asked, only=("a", "b", "c", "d"))
    seen: dict[FederatedRequest, set[bytes]] = {asked: set(), healthy: set()}

    for _ in range(examples(80, 500)):
        question = chance.choice((asked, healthy))
        response = await answered(
            chance.choice(layouts),
            replace(question, concurrency=chance.randint(1, MAX_CONCURRENCY)),
            mixed_searchers(latency(chance)),
            chance.choice((None, memory)),
        )
        seen[question].add(without_concurrency(response))

    for question, statuses in ((asked, FATES), (healthy, {"ok", "incompatible"})):
        (only,) = seen[question]
        document = stable_json.loads(only)
        assert len(document["results"]) == 7
        assert {entry["status"] for entry in document["repos"]} == statuses


WORDS = ("token", "other", "third")


class World(Struct, frozen=True):
    """Repositories in memory, each with its priority; none of them shares a text."""

    rows: dict[str, tuple[FakeRow, ...]]
    priorities: dict[str, int] = field(default_factory=dict)

    def searchers(self) -> list[FakeSearcher]:
        return [FakeSearcher(name, rows) for name, rows in sorted(self.rows.items())]

    def repos(self) -> list[WorkspaceRepo]:
        return [repo(n, priority=self.priorities.get(n, 0)) for n in sorted(self.rows)]

    def ask(
        self, strategy: str, failing: tuple[str, str] | None = None, **fields: object
    ) -> FederatedResponse:
        """Return the whole merged lists.

        Args:
            strategy: how they are merged.
            failing: a repository and the call that it fails.
            **fields: of the search.
        """
        search = replace(SearchRequest("token other", keep_weak=True, per_file=0), **fields)
        asked = FederatedRequest(search, top=99, merge_strategy=strategy)
        searchers = self.searchers()
        if failing:
            (fake,) = (item for item in searchers if item.name == failing[0])
            fake.fail[failing[1]] = [GgrepError("broken")]

        async def run() -> FederatedResponse:
            return await answered(workspace(*self.repos()), asked, searchers)

        return anyio.run(run)


def lists_of(response: FederatedResponse) -> list[tuple[MergedHit, ...]]:
    return [*(hits for _, hits in response.corpora), response.hits]


def ids(hits: Sequence[MergedHit], *, but: str = "") -> list[str]:
    return [hit.global_id for hit in hits if not but or not hit.repo_id.startswith(but)]


def best_place(response: FederatedResponse, name: str) -> int:
    places = [n for n, hit in enumerate(response.hits) if hit.repo_id.startswith(name)]
    return min(places, default=99)


@st.composite
def worlds(draw: st.DrawFn, least: int = 1) -> World:
    names = sorted(draw(st.sets(st.sampled_from("abcd"), min_size=least)))
    rows = {}
    for name in names:
        texts = draw(st.lists(st.lists(st.sampled_from(WORDS), max_size=4), max_size=4))
        rows[name] = tuple(
            FakeRow(f"{name}{n}", f"{n % 3}.py", n, tuple(words), CORPORA[n % 2])
            for n, words in enumerate(texts)
        )
    return World(rows, {name: draw(st.integers(-2, 2)) for name in names})


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(worlds())
def test_an_empty_repository_changes_nothing_but_its_own_line(strategy: str, world: World) -> None:
    before = world.ask(strategy)

    after = World({**world.rows, "_": ()}, {**world.priorities, "_": 9}).ask(strategy)

    assert lists_of(after) == lists_of(before)
    assert (after.confidence, after.limits_hit) == (before.confidence, before.limits_hit)
    assert [r for r in after.reports if r.repo.alias != "_"] == list(before.reports)


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(worlds().filter(lambda world: len(world.rows) == 1), st.sampled_from(list(Mode)))
def test_one_repository_alone_keeps_its_own_order(strategy: str, world: World, mode: Mode) -> None:
    ours = own_lists(world, mode)

    merged = world.ask(strategy, mode=mode)

    assert [[hit.hit for hit in hits] for _, hits in merged.corpora] == [
        list(hits) for _, hits in ours.corpora
    ]
    assert [hit.hit for hit in merged.hits] == dealt(ours, mode)


def own_lists(world: World, mode: Mode) -> PoolResponse:
    (fake,) = world.searchers()
    search = SearchRequest("token other", mode=mode, per_file=0)

    async def run() -> PoolResponse:
        return await fake.search(PoolRequest(search, 99), Deadline.never(CLOCK))

    return anyio.run(run)


def dealt(own: PoolResponse, mode: Mode) -> list[Hit]:
    """Return the repository's blended list of 99 hits."""
    ranked = sorted(
        own.blended, key=lambda hit: (-hit.score, hit.path.encode(), hit.start_line, hit.row_id)
    )
    result = select(
        ranked,
        mode=mode,
        limit=99,
        per_file=0,
        bucket=lambda hit: bucket_of(hit.corpus),
        file=lambda hit: hit.path,
    )
    assert result == list(own.blended)
    return result


@pytest.mark.parametrize(
    ("strategy", "call"), [("rrf", "describe"), ("rrf", "search"), ("global", "search")]
)
@given(worlds(least=2))
def test_a_failure_leaves_the_others_in_their_order(strategy: str, call: str, world: World) -> None:
    whole = world.ask(strategy)
    lost = min(world.rows)

    partly = world.ask(strategy, (lost, call))

    for item, expected in zip(lists_of(partly), lists_of(whole), strict=True):
        assert ids(item) == ids(expected, but=lost)
        if strategy == "global":
            left = [hit.score for hit in expected if not hit.repo_id.startswith(lost)]
            assert [hit.score for hit in item] == left


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(worlds(least=2))
def test_one_that_never_gave_statistics_might_as_well_not_be_there(
    strategy: str, world: World
) -> None:
    """The answer is that of the workspace without it, to the score."""
    lost = min(world.rows)
    without = World(
        {name: rows for name, rows in world.rows.items() if name != lost}, world.priorities
    )

    partly = world.ask(strategy, (lost, "describe"))

    assert lists_of(partly) == lists_of(without.ask(strategy))


@given(worlds(least=2), st.integers(1, 4))
def test_more_priority_never_lowers_a_place_under_rrf_and_counts_for_nothing_under_global(
    world: World, more: int
) -> None:
    raised = min(world.rows)
    preferred = World(world.rows, {**world.priorities, raised: world.priorities[raised] + more})
    before, after = (best_place(each.ask("rrf"), raised) for each in (world, preferred))

    assert after <= before
    assert lists_of(preferred.ask("global")) == lists_of(world.ask("global"))
