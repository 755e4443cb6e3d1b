"""Promise P5 over daemons: the same question about the same files gives the same bytes."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.config.home import Home
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace import Workspace, load_workspace
from ggrep.federation.workspace_draft import STRATEGIES
from ggrep.service.federator import Federator
from tests.fakes.host_process import CLOCK, FLAGS, HostProcess, host_process
from tests.fakes.places import short_directory
from tests.fakes.repos import open_engine, write_tree
from tests.fakes.served_workspace import asked
from tests.properties.trees import PATHS, WORDS, content
from tests.properties.workspaces import queries

NUMBER = 5
RUNS = 3


class Chance(Struct, frozen=True):
    """What must not show in an answer.

    Attributes:
        order: of the entries in the workspace's file.
        warm: asked by one who may have asked before.
    """

    order: tuple[int, ...]
    concurrency: int
    warm: bool


chances = st.builds(
    Chance,
    order=st.permutations(range(NUMBER)).map(tuple),
    concurrency=st.integers(1, 8),
    warm=st.booleans(),
)
asks = st.tuples(
    st.builds(
        FederatedRequest,
        search=st.builds(
            lambda query, deterministic: replace(query, deterministic=deterministic),
            queries,
            st.booleans(),
        ),
        top=st.sampled_from((1, 3, 10)),
        merge_strategy=st.sampled_from(STRATEGIES),
        max_repos=st.sampled_from((0, 0, 2)),
        fold=st.sampled_from((None, True, False)),
    ),
    st.lists(chances, min_size=RUNS, max_size=RUNS),
)


class Household:
    """Indexed repositories behind one host process, and who asks it.

    Attributes:
        lasting: has asked before.
    """

    def __init__(self, base: Path, roots: Sequence[Path], host: HostProcess) -> None:
        self.host = host
        self.base = base
        self.roots = tuple(roots)
        self.seen: dict[FederatedRequest, bytes] = {}

    def federator(self) -> Federator:
        return Federator(Home(self.host.home), {"GGREP_OFFLINE": "1"}, CLOCK, flags=FLAGS)

    def workspace(self, order: Sequence[int]) -> Workspace:
        """Return the workspace with its entries in some order."""
        entries = ",".join(
            f'{{"root": "{self.roots[place]}", "alias": "a{place}", "priority": {place % 2}}}'
            for place in order
        )
        file = self.base / "w.jsonc"
        file.write_text(f'{{"schemaVersion": 1, "repos": [{entries}]}}')
        return load_workspace(file, resolve_root=lambda path: path)


@contextmanager
def household() -> Iterator[Household]:
    """Serve five repositories that have names and texts in common."""
    with (
        short_directory() as base,
    ):
        roots = [base / f"repo{place}" for place in range(NUMBER)]
        for place, root in enumerate(roots):
            write_tree(
                root,
                {
                    path: content(
                        path, [WORDS[(turn * (1 + place % 3) + n) % 18] for n in range(4)]
                    )
                    for turn, path in enumerate(PATHS[place::2])
                },
            )
            open_engine(root, base / "home").sync()
        with host_process(roots, base / "home", base / "log") as host:
            yield Household(base, roots, host)


def prove(effort: settings) -> None:
    """Ask everything several times, whatever chance does, before and after a restart."""
    with household() as place, asked(place.federator()) as lasting:

        def answer(request: FederatedRequest, chance: Chance) -> bytes:
            workspace = place.workspace(chance.order)
            put = replace(request, concurrency=chance.concurrency)
            if chance.warm:
                result = lasting.search(workspace, put)
            else:
                with asked(place.federator()) as fresh:
                    result = fresh.search(workspace, put)
            assert result.error is None
            document = result.to_json()
            document["meta"]["limits"].pop("concurrency")
            return stable_json.dumps(document)

        def check(case: tuple[FederatedRequest, list[Chance]]) -> None:
            request, drawn = case
            answers = {answer(request, chance) for chance in drawn}
            assert len(answers) == 1
            assert place.seen.setdefault(request, *answers) in answers

        effort(given(asks)(check))()
        place.host.end()
        place.host.start()
        for request, before in place.seen.items():
            chance = Chance(tuple(range(NUMBER)), 3, warm=False)
            assert answer(request, chance) == before
            assert answer(request, replace(chance, warm=True)) == before


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("questions", [2, pytest.param(1_000, marks=pytest.mark.deep)])
def test_the_same_question_gives_the_same_bytes(questions: int) -> None:
    """Concurrency, the order of the file, warm caches and a restart of the host show nowhere."""
    prove(settings(max_examples=questions))
