"""Sessions over workspaces, on real indexes behind daemons: what they keep, and what they omit."""

import shutil

import anyio
import pytest
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace import Workspace, WorkspaceRepo
from ggrep.federation.workspace_sessions import read_session
from ggrep.federation.workspace_slates import FederatedSlate, SlateShape, federated_slate
from ggrep.model.request import SearchRequest
from ggrep.model.slate import Budgets, Pack, SessionRequest
from ggrep.search.engine.engine import Engine
from ggrep.service.searchers import EngineSearcher, ReadySearchers
from tests.fakes.hosts import CLOCK
from tests.fakes.order_repos import DEPLOY, QUESTION, SHOP, WEB
from tests.fakes.served_workspace import Asked, ServedWorkspace

pytestmark = pytest.mark.slow

FEW = Budgets(files=2)
NEW = SessionRequest()
RECORDS = "shop_orders/records.py"


@pytest.fixture(autouse=True)
def _as_written(served: ServedWorkspace) -> None:
    served.write([SHOP, WEB, DEPLOY])


def question(query: str = QUESTION, **fields: object) -> FederatedRequest:
    fields = {"merge_strategy": "global", **fields}
    return FederatedRequest(SearchRequest(query, deterministic=True, keep_weak=True), **fields)


def gone_on(found: FederatedSlate, **fields: object) -> SessionRequest:
    """Return how the session of a slate goes on."""
    assert found.session is not None, found.error
    return SessionRequest(found.session.token, **{"op": "refine", **fields})


def packs(found: FederatedSlate) -> list[Pack]:
    assert found.slate is not None, found.error
    return [pack for _, ours in found.slate.sections for pack in ours]


def paths(found: FederatedSlate) -> list[str]:
    return [f"{pack.repo}:{pack.path}" for pack in packs(found)]


def lines_of(found: FederatedSlate, path: str) -> str:
    """Return the lines that a slate shows of a file."""
    shown = [item.snippet for each in packs(found) if each.path == path for item in each.evidence]
    assert shown, paths(found)
    return "\n".join(shown)


def alias_of(found: FederatedSlate, path: str) -> str:
    """Return what the repository of a file is called."""
    return next(pack.repo for pack in packs(found) if pack.path == path)


def repo_at(served: ServedWorkspace, workspace: Workspace, place: int) -> WorkspaceRepo:
    return next(repo for repo in workspace.repos if repo.root_canonical == served.roots[place])


def followed(daemons: Asked, served: ServedWorkspace, request: FederatedRequest) -> list[list[str]]:
    """Return the files of each slate of a session that is followed to its end."""
    workspace = served.workspace(3)
    result = daemons.slate(workspace, request, SlateShape(budgets=FEW, session=NEW))
    steps = [paths(result)]
    while steps[-1] and len(steps) < 50:
        session = gone_on(result, delta_only=True)
        result = daemons.slate(workspace, request, SlateShape(budgets=FEW, session=session))
        steps.append(paths(result))
    return steps


@pytest.mark.parametrize("strategy", ["global", "rrf"])
def test_a_session_shows_every_file_that_is_worth_it_once(
    served: ServedWorkspace, daemons: Asked, strategy: str
) -> None:
    steps = followed(daemons, served, question(merge_strategy=strategy))
    shown = [path for step in steps for path in step]
    whole = daemons.slate(served.workspace(3), question(merge_strategy=strategy), SlateShape())

    assert len(steps) > 3
    assert len(shown) == len(set(shown)), "nothing twice"
    assert set(paths(whole)) <= set(shown)


def test_asking_twice_with_a_token_gives_the_same_answer(
    served: ServedWorkspace, daemons: Asked
) -> None:
    workspace, request = served.workspace(3), question()
    first = daemons.slate(workspace, request, SlateShape(budgets=FEW, session=NEW))
    shape = SlateShape(budgets=FEW, session=gone_on(first, delta_only=True))
    twice = [daemons.slate(workspace, request, shape) for _ in range(2)]

    assert stable_json.dumps(twice[0].to_json()) == stable_json.dumps(twice[1].to_json())


def test_engines_of_this_process_go_on_with_a_daemons_session(
    served: ServedWorkspace, daemons: Asked
) -> None:
    def searcher(repo: WorkspaceRepo) -> EngineSearcher:
        return EngineSearcher(
            lambda: Engine(repo.root_canonical, Home(served.home), flags=served.flags)
        )

    workspace, request = served.workspace(3), question()
    first = daemons.slate(workspace, request, SlateShape(budgets=FEW, session=NEW))
    shape = SlateShape(budgets=FEW, session=gone_on(first, delta_only=True))
    here = anyio.run(federated_slate, workspace, request, shape, ReadySearchers(searcher), CLOCK)

    assert stable_json.dumps(here.to_json()) == stable_json.dumps(
        daemons.slate(workspace, request, shape).to_json()
    )


def test_a_session_sees_the_snapshots_that_it_showed(
    served: ServedWorkspace, daemons: Asked
) -> None:
    """Places that an agent was shown stay where they were while it goes on."""
    workspace, request = served.workspace(3), question("load the record of an order")
    first = daemons.slate(workspace, request, SlateShape(session=NEW))
    assert "return {}[order_id]" in lines_of(first, RECORDS)
    served.write([{**SHOP, RECORDS: SHOP[RECORDS].replace("{}", "CHANGED")}, WEB, DEPLOY])

    again = daemons.slate(workspace, request, SlateShape(session=gone_on(first)))
    anew = daemons.slate(workspace, request, SlateShape())
    assert "return {}[order_id]" in lines_of(again, RECORDS)
    assert "return CHANGED[order_id]" in lines_of(anew, RECORDS)
    kept = {report.repo.repo_id: report.snapshot_id for report in again.reports}
    then = {report.repo.repo_id: report.snapshot_id for report in first.reports}
    now = {report.repo.repo_id: report.snapshot_id for report in anew.reports}
    assert kept == then
    assert then != now


def test_what_was_removed_since_is_still_expanded(served: ServedWorkspace, daemons: Asked) -> None:
    """In the repository that the target names, and in no other."""
    workspace, request = served.workspace(3), question("load the record of an order")
    first = daemons.slate(workspace, request, SlateShape(session=NEW))
    alias = alias_of(first, RECORDS)
    served.write([{path: SHOP[path] for path in SHOP if path != RECORDS}, WEB, DEPLOY])

    target = f"{alias}:{RECORDS}:4"
    session = gone_on(first, op="expand", targets=(target,))
    result = daemons.slate(workspace, request, SlateShape(level=2, session=session))
    assert paths(result) == [f"{alias}:{RECORDS}"]
    assert "return {}[order_id]" in lines_of(result, RECORDS)


def test_a_target_may_lie_where_nothing_was_shown(served: ServedWorkspace, daemons: Asked) -> None:
    workspace, wide = served.workspace(3), question("load the record of an order")
    shop, web = (repo_at(served, workspace, place) for place in (0, 1))
    narrow = replace(wide, only=(shop.repo_id,))
    first = daemons.slate(workspace, narrow, SlateShape(session=NEW))
    session = gone_on(first, op="expand", targets=(f"{web.repo_id}:src/orders.ts",))
    result = daemons.slate(workspace, wide, SlateShape(session=session))

    assert paths(result) == [f"{web.repo_id}:src/orders.ts"]
    assert result.session is not None
    assert web.repo_id in read_session(result.session.token, workspace).repos


def test_a_target_says_of_which_repository_it_is(served: ServedWorkspace, daemons: Asked) -> None:
    workspace, request = served.workspace(3), question()
    first = daemons.slate(workspace, request, SlateShape(session=NEW))
    session = gone_on(first, op="expand", targets=("src/orders.ts",))

    with pytest.raises(InvalidRequest, match="does not begin with an alias"):
        daemons.slate(workspace, request, SlateShape(session=session))


def test_a_target_that_is_no_file_fails_the_request(
    served: ServedWorkspace, daemons: Asked
) -> None:
    workspace, request = served.workspace(3), question()
    first = daemons.slate(workspace, request, SlateShape(session=NEW))
    web = repo_at(served, workspace, 1)
    session = gone_on(first, op="expand", targets=(f"{web.repo_id}:no/such.py",))
    result = daemons.slate(workspace, request, SlateShape(session=session))

    assert ["no/such.py" in item.message for item in result.errors] == [True]
    assert (result.ok, result.slate, result.session) == (False, None, None)
    assert "no such file" in str(result.error)


def test_a_repository_whose_session_ended_fails_alone(
    served: ServedWorkspace, daemons: Asked
) -> None:
    workspace, request = served.workspace(3), question()
    first = daemons.slate(workspace, request, SlateShape(session=NEW))
    shop = repo_at(served, workspace, 0)
    shutil.rmtree(store_files.pins_dir(served.daemons[shop.root_canonical].daemon.identity.store))

    result = daemons.slate(workspace, request, SlateShape(session=gone_on(first)))
    ended = [(item.code, item.repo_id) for item in result.errors]
    assert ended == [("session_expired", shop.repo_id)]
    assert paths(result)
    assert not any(path.startswith(f"{shop.repo_id}:") for path in paths(result))

    anew = daemons.slate(workspace, request, SlateShape(session=gone_on(result)))
    assert anew.errors == ()
    assert any(path.startswith(f"{shop.repo_id}:") for path in paths(anew))


def pins_of(served: ServedWorkspace, place: int) -> dict[str, int]:
    """Return the pins of a repository, with the times that they were written."""
    store = served.daemons[served.roots[place]].daemon.identity.store
    return {pin.name: pin.stat().st_mtime_ns for pin in store_files.pins_dir(store).iterdir()}


def test_each_step_keeps_all_snapshots_for_as_long_again(
    served: ServedWorkspace, daemons: Asked
) -> None:
    workspace, request = served.workspace(3), question()
    before = [pins_of(served, place) for place in range(3)]
    first = daemons.slate(workspace, request, SlateShape(session=NEW))
    begun = [pins_of(served, place) for place in range(3)]
    web = repo_at(served, workspace, 1)
    session = gone_on(first, op="expand", targets=(f"{web.repo_id}:src/orders.ts",))
    daemons.slate(workspace, request, SlateShape(session=session))
    later = [pins_of(served, place) for place in range(3)]

    ours = [dict(begun[place].items() - before[place].items()) for place in range(3)]
    assert [len(pins) for pins in ours] == [1, 1, 1]
    assert [pins.keys() for pins in later] == [pins.keys() for pins in begun]
    for place, pins in enumerate(ours):
        ((pin, written),) = pins.items()
        assert later[place][pin] > written


def test_what_was_shown_before_is_said(served: ServedWorkspace, daemons: Asked) -> None:
    workspace, request = served.workspace(3), question()
    first = daemons.slate(workspace, request, SlateShape(session=NEW))
    shape = SlateShape(session=gone_on(first, delta_only=True))
    again = daemons.slate(workspace, request, shape)

    reports = [item.message for item in again.warnings if item.code == "files_seen"]
    assert reports == [
        f"{len(paths(first))} matching files are omitted, because this session has shown "
        "them before"
    ]


def test_a_target_is_asked_though_few_repositories_are(
    served: ServedWorkspace, daemons: Asked
) -> None:
    workspace, request = served.workspace(3), question()
    first = daemons.slate(workspace, request, SlateShape(session=NEW))
    for place, path in ((0, RECORDS), (1, "src/orders.ts"), (2, "compose.yaml")):
        target = f"{repo_at(served, workspace, place).repo_id}:{path}"
        session = gone_on(first, op="expand", targets=(target,))
        result = daemons.slate(
            workspace, replace(request, max_repos=1), SlateShape(session=session)
        )
        assert paths(result) == [target]


@pytest.mark.parametrize("strategy", ["global", "rrf"])
def test_a_session_reaches_behind_the_usual_length_of_lists(
    served: ServedWorkspace, daemons: Asked, strategy: str
) -> None:
    many = {
        f"orders/part_{n:02}.py": f"def order_part_{n}():\n    return 'order of part {n}'\n"
        for n in range(70)
    }
    served.write([many, WEB, DEPLOY])
    request = question("order part", merge_strategy=strategy)
    budgets = Budgets(files=20, total_bytes=60_000)
    workspace = served.workspace(3)
    result = daemons.slate(workspace, request, SlateShape(budgets=budgets, session=NEW))
    shown = set(paths(result))
    for _ in range(8):
        session = gone_on(result, delta_only=True)
        result = daemons.slate(workspace, request, SlateShape(budgets=budgets, session=session))
        shown |= set(paths(result))

    shop = repo_at(served, workspace, 0)
    assert {path for path in shown if path.startswith(shop.repo_id)} == {
        f"{shop.repo_id}:{path}" for path in many
    }
