"""A search that found its daemon by a hint is answered only where that is certain to be right."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import GgrepError, InvalidRequest
from ggrep.config.home import Home
from ggrep.daemon import watched_root
from ggrep.daemon.daemon_tasks import Debouncer
from ggrep.daemon.watched_root import load_config
from ggrep.model.request import SearchRequest
from ggrep.protocol.wire.messages import Claim, Search
from tests.fakes.git import Git
from tests.fakes.hosts import BUILD, FLAGS, Served, served
from tests.fakes.repos import open_engine, write_tree

ENVIRON = {"GGREP_MAX_QUERY_RESULTS": "7", "HOME": "/somewhere", "LANG": "C"}


@pytest.fixture
def repository(indexed: Path, home: Path, git: Git) -> Path:
    """Return the small tree as a work tree that leaves something out."""
    write_tree(indexed, {".gitignore": "/vendor/\n", "vendor/other.py": "def settle(): ...\n"})
    git(indexed, "init", "-q")
    git(indexed, "add", ".")
    open_engine(indexed, home).sync()
    return indexed


@pytest.fixture
def host(repository: Path, home: Path) -> Iterator[Served]:
    """Return a daemon that serves it, started under a variable."""
    with served(repository, home, environ=ENVIRON) as result:
        result.settled()
        yield result


def right(host: Served) -> Claim:
    root = str(host.daemon.identity.root)
    return Claim(root, {"GGREP_MAX_QUERY_RESULTS": "7"}, BUILD)


def code_of(host: Served, claim: Claim, scope: str = "") -> str:
    """Return how a search with a claim ends: `ok`, or the code of its failure."""
    try:
        host.ask(Search(SearchRequest("settle", scope=scope), claim=claim))
    except GgrepError as error:
        return error.code
    return "ok"


def test_what_is_certainly_meant_is_answered(host: Served) -> None:
    """Below directories of the root as well, and under variables that set nothing."""
    assert code_of(host, right(host)) == "ok"
    assert code_of(host, right(host), "src") == "ok"
    assert code_of(host, right(host), "src") == "ok", "kept until another snapshot is active"

    ours = {"GGREP_CLIENT_ID": "me", "GGREP_CLIENT_KIND": "batch", "GGREP_HOME": "/x"}
    claim = right(host)

    assert code_of(host, replace(claim, environ={**ours, **claim.environ})) == "ok"


def test_another_build_another_root_and_other_variables_are_not(host: Served, home: Path) -> None:
    """The client would have worked out something else; the log counts it and quotes nothing."""
    claim = right(host)

    assert code_of(host, replace(claim, build="newer")) == "stale_hint"
    assert code_of(host, replace(claim, root=claim.root + "/src")) == "stale_hint"
    assert code_of(host, replace(claim, environ={})) == "stale_hint"
    more = {**claim.environ, "GGREP_ENCODER": "none"}
    assert code_of(host, replace(claim, environ=more)) == "stale_hint"
    other = {"GGREP_MAX_QUERY_RESULTS": "8"}
    assert code_of(host, replace(claim, environ=other)) == "stale_hint"

    logs = (home / "logs").iterdir()
    lines = [stable_json.loads(line) for log in logs for line in log.read_bytes().splitlines()]

    assert all("settle" not in str(line) for line in lines)


def test_an_unknown_variable_is_left_to_the_client(repository: Path, home: Path) -> None:
    """Though the daemon was started under it too: a plain search cannot tell that it is none."""
    with served(repository, home, environ={**ENVIRON, "GGREP_ODD": "1"}) as host:
        host.settled()
        claim = right(host)

        odd = {**claim.environ, "GGREP_ODD": "1"}
        assert code_of(host, replace(claim, environ=odd)) == "stale_hint"


@pytest.mark.parametrize("name", [".ggrep.toml", "config.toml"])
def test_edited_settings_are_noticed_before_a_reload(host: Served, home: Path, name: str) -> None:
    """It looks twice a second, a client may be quicker."""
    where = home if name == "config.toml" else host.daemon.identity.root
    write_tree(where, {name: "max_query_results = 3\n"})

    assert code_of(host, right(host)) == "stale_hint"


def test_a_stale_daemon_is_not_meant(host: Served) -> None:
    write_tree(host.daemon.identity.root, {".ggrep.toml": "max_file_size_bytes = 1000\n"})
    host.reload()

    assert code_of(host, right(host)) == "stale_hint"


def test_a_directory_that_is_not_of_the_daemon_is_refused(host: Served, git: Git) -> None:
    """It is left out, is gone, or is a repository within as soon as something was synced since."""
    assert code_of(host, right(host), "vendor") == "stale_hint"

    assert code_of(host, right(host), "nowhere") == "stale_hint"

    inner = host.daemon.identity.root / "src" / "inner"
    write_tree(inner, {"a.py": "a = 1\n"})
    git(inner, "init", "-q")

    assert code_of(host, right(host), "src/inner") == "stale_hint"


def test_a_claim_does_not_wait_for_the_first_index(root: Path, home: Path) -> None:
    """The client shows how far it is."""
    write_tree(root, {"a.py": "a = 1\n"})
    with served(root, home, flags=FLAGS, gated=True) as host:
        assert code_of(host, Claim(str(root), {}, BUILD)) == "no_index"


def test_a_profile_of_answers_is_not_for_plain_searches(repository: Path, home: Path) -> None:
    """They do not tell what was typed from what was left to defaults."""
    write_tree(repository, {".ggrep.toml": "profile = 'p'\n[profiles.p.query]\ntop = 1\n"})
    with served(repository, home, environ=ENVIRON) as result:
        result.settled()

        assert code_of(result, right(result)) == "stale_hint"


def test_a_file_that_says_the_same_is_no_change(root: Path, home: Path) -> None:
    """Editors write files anew that nobody changed."""
    write_tree(root, {".ggrep.toml": "max_query_results = 5\n"})
    loaded = load_config(root, Home(home), {}, {})
    write_tree(root, {".ggrep.toml": None})
    write_tree(root, {".ggrep.toml": "max_query_results = 5\n"})

    assert loaded.settings.max_query_results == 5
    assert loaded.is_current()


@pytest.mark.parametrize("place", ["root", "home"])
def test_a_file_that_comes_changes_or_goes_is_one(root: Path, home: Path, place: str) -> None:
    """The repository's own and the user's alike."""
    where, name = (root, ".ggrep.toml") if place == "root" else (home, "config.toml")
    without = load_config(root, Home(home), {}, {})
    write_tree(where, {name: "max_query_results = 5\n"})
    with_five = load_config(root, Home(home), {}, {})
    write_tree(where, {name: "max_query_results = 6\n"})

    assert not without.is_current()
    assert not with_five.is_current()
    write_tree(where, {name: None})
    assert not with_five.is_current()
    assert without.is_current()


def test_settings_are_of_one_time(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that changes while ggrep reads it is read again, and not for ever."""
    load, edits = watched_root.load_settings, iter(range(100))

    def load_and_edit(*args: object, **kwargs: object) -> object:
        result = load(*args, **kwargs)  # type: ignore[arg-type] # passed through
        if (number := next(edits)) < until:
            write_tree(root, {".ggrep.toml": f"max_query_results = {number + 1}\n"})
        return result

    monkeypatch.setattr(watched_root, "load_settings", load_and_edit)
    until = 2
    assert load_config(root, Home(home), {}, {}).settings.max_query_results == 2
    until = 100

    with pytest.raises(InvalidRequest, match="changes while ggrep reads it"):
        load_config(root, Home(home), {}, {})


def test_a_change_is_taken_in_once_it_has_lasted() -> None:
    """A rebase writes the file many times; a daemon must not restart its store each time."""
    now_ms = [0.0]
    quiet = Debouncer(2_000.0, lambda: now_ms[0])

    def look(seen: str, at_ms: float, *, changed: bool = True) -> bool:
        now_ms[0] = at_ms
        return quiet.settled(seen, changed=changed)

    assert not look("a", 0)
    assert not look("a", 1_999)
    assert not look("b", 2_000), "it moved again"
    assert not look("b", 3_999)
    assert look("b", 4_000)
    assert not look("b", 4_500), "it was told"
    assert not look("old", 5_000, changed=False)
    assert not look("b", 5_500), "the patience begins anew"
    assert look("b", 7_500)
