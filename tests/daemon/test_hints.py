"""A search that found its daemon by a hint is answered only where that is certain to be right."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import GgrepError
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
    with served(repository, home, environ=ENVIRON) as found:
        found.settled()
        yield found


def right(host: Served) -> Claim:
    """Return what a client says that means this daemon."""
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

    own = {"GGREP_CLIENT_ID": "me", "GGREP_CLIENT_KIND": "batch", "GGREP_HOME": "/x"}
    claim = right(host)

    assert code_of(host, replace(claim, environ={**own, **claim.environ})) == "ok"


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


def test_a_variable_that_means_nothing_is_for_the_client_to_tell_of(
    repository: Path, home: Path
) -> None:
    """Though the daemon was started under it too: a plain search cannot tell that it is none."""
    with served(repository, home, environ={**ENVIRON, "GGREP_ODD": "1"}) as host:
        host.settled()
        claim = right(host)

        odd = {**claim.environ, "GGREP_ODD": "1"}
        assert code_of(host, replace(claim, environ=odd)) == "stale_hint"


@pytest.mark.parametrize("name", [".ggrep.toml", "config.toml"])
def test_settings_that_were_edited_are_noticed_before_the_daemon_reloads(
    host: Served, home: Path, name: str
) -> None:
    """It looks twice a second, a client may be quicker."""
    where = home if name == "config.toml" else host.daemon.identity.root
    write_tree(where, {name: "max_query_results = 3\n"})

    assert code_of(host, right(host)) == "stale_hint"


def test_a_stale_daemon_is_not_meant(host: Served) -> None:
    """Its successor is."""
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


def test_a_profile_that_shapes_answers_is_not_for_plain_searches(
    repository: Path, home: Path
) -> None:
    """They do not tell what was typed from what was left to defaults."""
    write_tree(repository, {".ggrep.toml": "profile = 'p'\n[profiles.p.query]\ntop = 1\n"})
    with served(repository, home, environ=ENVIRON) as found:
        found.settled()

        assert code_of(found, right(found)) == "stale_hint"
