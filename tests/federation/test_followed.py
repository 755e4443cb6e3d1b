"""A workspace file that is edited while somebody watches."""

from pathlib import Path

import pytest

from ggrep.base.errors import WorkspaceError
from ggrep.federation.daemon_upkeep import Change
from ggrep.federation.reloading import ReloadingFile
from tests.fakes.workspaces import load, make_workspace, write_workspace


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the file of a workspace of two."""
    return make_workspace(tmp_path.resolve(), "alpha", "beta").workspace_path


def said(change: Change | None) -> str:
    """Return the kind of a change that there is."""
    assert change is not None
    return change.kind


def test_a_file_that_nobody_touched_is_read_once(file: Path) -> None:
    """A large one takes half a second."""
    reads: list[Path] = []
    followed = ReloadingFile(file, lambda path: reads.append(path) or load(path))  # type: ignore[func-returns-value] # counts

    assert [followed.look(), followed.look()] == [None, None]
    assert reads == [file]


def test_an_edit_is_taken_in(file: Path) -> None:
    """Without a restart."""
    followed = ReloadingFile(file, load)
    write_workspace(file, {"repos": [{"root": "alpha"}]})

    assert said(followed.look()) == "workspace_changed"
    assert len(followed.workspace.repos) == 1
    assert followed.look() is None


@pytest.mark.parametrize("content", ["{", None])
def test_a_wrong_edit_is_said_once_and_leaves_what_was(file: Path, content: str | None) -> None:
    """Editors save in the middle of a thought; the daemons go on."""
    followed = ReloadingFile(file, load)
    right = file.read_text()
    if content is None:
        file.unlink()
    else:
        file.write_text(content)

    assert said(followed.look()) == "workspace_wrong"
    assert followed.look() is None
    assert len(followed.workspace.repos) == 2
    file.write_text(right)
    assert said(followed.look()) == "workspace_changed"


def test_a_file_that_is_wrong_from_the_start_is_refused(file: Path) -> None:
    """There is nothing to go on with."""
    file.write_text("{")

    with pytest.raises(WorkspaceError):
        ReloadingFile(file, load)
