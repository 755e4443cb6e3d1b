"""Which places calls may name."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base.errors import Forbidden, InvalidRequest
from ggrep.config.root import canonical_root
from ggrep.federation.workspace import load_workspace
from ggrep.interfaces.mcp.access import Access, AllowedRepo
from ggrep.interfaces.mcp.start_options import StartOptions


@pytest.mark.parametrize(
    ("below", "named", "scope"), [("src", None, ""), ("", "src/pay.py", "src/pay.py")]
)
async def test_a_path_counts_from_the_start_and_none_means_the_repository_around_it(
    own: Path, below: str, named: str | None, scope: str
) -> None:
    """As it would on a command line there."""
    places = Access(StartOptions(directory=own / below))

    assert await places.repository(named) == AllowedRepo(own, scope)


async def test_a_path_at_the_start_beats_the_directory_and_one_must_be_given(
    own: Path, other: Path
) -> None:
    """Another repository's answer would be taken for this one's."""
    places = Access(StartOptions(directory=own, path=other))

    assert (await places.repository(None)).root == other

    for start in (StartOptions(directory=Path("/")), StartOptions(directory=None)):
        with pytest.raises(InvalidRequest, match=r"pass `root`$"):
            await Access(start).repository(None)
        with pytest.raises(InvalidRequest, match=r"or call `search_workspace`$"):
            await Access(replace(start, workspaces=(own / "w.jsonc",))).repository(None)

    with pytest.raises(InvalidRequest, match=r"^src must be an absolute path$"):
        await Access(StartOptions(directory=None, anywhere=True)).repository("src")


@pytest.mark.parametrize("named", ["", " ", "a\0b"])
async def test_what_is_no_path_is_refused(own: Path, named: str) -> None:
    """The empty one would mean the directory itself."""
    with pytest.raises(InvalidRequest, match="is not a valid path"):
        await Access(StartOptions(directory=own)).repository(named)


async def test_a_repository_outside_or_around_what_is_allowed_is_refused(
    own: Path, other: Path, broken_file: Path
) -> None:
    """Whoever started the server said what it may search."""
    with pytest.raises(Forbidden, match=f"^{other} is outside"):
        await Access(StartOptions(directory=own)).repository(str(other))

    start = StartOptions(directory=None, allowed=(own / "src",))

    with pytest.raises(Forbidden):
        await Access(start).repository(str(own / "src"))

    places = Access(StartOptions(directory=own, workspaces=(broken_file,)))

    with pytest.raises(Forbidden):
        await places.repository(str(other))


async def test_a_way_out_through_a_link_is_refused_as_it_was_named(own: Path, other: Path) -> None:
    """The path that a link leads to is nothing that the caller wrote."""
    (own / "out").symlink_to(other)

    with pytest.raises(Forbidden, match=f"^{own}/out is outside"):
        await Access(StartOptions(directory=own)).repository("out")


@pytest.mark.parametrize("how", ["allowed", "anywhere", "workspace"])
async def test_a_repository_may_be_let_in(
    own: Path, other: Path, workspace_file: Path, how: str
) -> None:
    """By its directory, by all of them, or with a workspace it is part of."""
    start = {
        "allowed": StartOptions(directory=own, allowed=(other,)),
        "anywhere": StartOptions(directory=own, anywhere=True),
        "workspace": StartOptions(directory=own, workspaces=(workspace_file,)),
    }[how]

    assert (await Access(start).repository(str(other))).root == other


async def test_a_registered_workspace_needs_no_name_or_its_path(
    workspace_file: Path, own: Path, other: Path
) -> None:
    result = await Access(StartOptions(directory=None, workspaces=(workspace_file,))).workspace(
        None
    )

    assert result.file == workspace_file
    assert result.allowlist.allows(Path("/anything"))

    places = Access(StartOptions(directory=own, workspaces=(workspace_file,)))

    result = await places.workspace("../both.jsonc")

    assert result.allowlist.allows(other)


async def test_with_several_workspaces_the_ids_are_the_choice(
    own: Path, workspace_file: Path
) -> None:
    """A guess would search the wrong one."""
    second = workspace_file.with_name("one.jsonc")
    second.write_text('{"schemaVersion": 1, "name": "one", "repos": [{"root": "own"}]}')
    files = (workspace_file, second)
    ids = [load_workspace(file, resolve_root=canonical_root).repo_set_id for file in files]
    places = Access(StartOptions(directory=own, workspaces=files))

    with pytest.raises(InvalidRequest, match=", ".join(ids)):
        await places.workspace(None)
    assert (await places.workspace(ids[1])).file == second


@pytest.mark.parametrize(
    ("named", "refusal"),
    [
        (None, r"use the path of its file$"),
        # Ids are the server's to give, not paths in disguise.
        ("ws1-00", r"^ws1-00 .* known ids: none$"),
    ],
)
async def test_without_a_workspace_its_file_is_asked_for(
    own: Path, named: str | None, refusal: str
) -> None:
    with pytest.raises(InvalidRequest, match=refusal):
        await Access(StartOptions(directory=own)).workspace(named)


async def test_an_id_may_be_given_by_its_beginning(own: Path, workspace_file: Path) -> None:
    """Texts show no more of it; what is too short to be meant is refused."""
    second = workspace_file.with_name("one.jsonc")
    second.write_text('{"schemaVersion": 1, "name": "one", "repos": [{"root": "own"}]}')
    whole = load_workspace(second, resolve_root=canonical_root).repo_set_id
    places = Access(StartOptions(directory=own, workspaces=(workspace_file, second)))

    assert (await places.workspace(whole[:12])).file == second
    for short in ("ws1-", whole[:11], f"{whole[:12]}z"):
        with pytest.raises(InvalidRequest, match="is not the id of a workspace of this server"):
            await places.workspace(short)


async def test_another_workspace_is_held_to_what_is_allowed(
    own: Path, other: Path, workspace_file: Path
) -> None:
    """Naming a file must not open what the file names."""
    result = await Access(StartOptions(directory=own)).workspace(str(workspace_file))

    assert result.file == workspace_file
    assert result.allowlist.allows(own)
    assert not result.allowlist.allows(other)


async def test_a_link_to_a_registered_workspace_means_the_file_as_it_was_named_at_the_start(
    own: Path, other: Path, workspace_file: Path
) -> None:
    """Relative roots would else be counted from the link, and name what its author likes."""
    (own / "both.jsonc").symlink_to(workspace_file)
    (own / "other").symlink_to("/")
    places = Access(StartOptions(directory=own, workspaces=(workspace_file,)))

    assert (await places.workspace("both.jsonc")).file == workspace_file
