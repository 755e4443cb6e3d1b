"""The walk: which files are eligible, and what becomes of all others."""

import errno
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.base.ids import PathKey
from ggrep.config import git as git_module
from ggrep.config.settings import Settings
from ggrep.parse.source.dir_stack import DirStack
from ggrep.parse.source.unlisted_names import is_text
from ggrep.parse.source.walk import Walk, root_identity, walk
from ggrep.parse.source.walker import Walker

Git = Callable[..., str]


def grow(root: Path, files: dict[str, str] | list[str]) -> Path:
    for key in files:
        path = root / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files[key] if isinstance(files, dict) else "x\n")
    return root


def keys(found: Walk) -> list[str]:
    return [file.path_key for file in found.files]


def skips(found: Walk) -> dict[str, str]:
    return {skip.path_key: skip.reason for skip in found.skipped}


@pytest.fixture(params=["plain", "git"])
def root(request: pytest.FixtureRequest, tmp_path: Path, git: Git) -> Path:
    """A root outside and inside git: the rules of both must agree."""
    made = tmp_path / "root"
    made.mkdir()
    if request.param == "git":
        git(made, "init")
    return made


def test_files_come_in_byte_order_with_their_stat(root: Path) -> None:
    """Same tree, same bytes, whatever order the file system lists it in."""
    grow(root, ["b.py", "a/z.py", "a.py", "B.py", "é.py"])

    result = walk(root, Settings())

    assert keys(result) == ["B.py", "a.py", "a/z.py", "b.py", "é.py"]
    status = (root / "b.py").stat()
    assert result.files[3].mtime_ns == status.st_mtime_ns
    assert result.files[3].size_bytes == 2
    assert result.files[3].inode == status.st_ino


def test_ignore_files_at_any_level_decide(root: Path) -> None:
    """Every kind of ignore file, nested and with a re-inclusion, in one tree."""
    grow(
        root,
        {
            ".gitignore": "*.log.rs\n",
            ".ggignore": "drop_one.txt\ndrop_two.txt\n",
            "root_ok.rs": "",
            "root_ok.txt": "",
            "drop_one.txt": "",
            "drop_two.txt": "",
            "noise.log.rs": "",
            "src/main.rs": "",
            "src/logs/.gitignore": "!keep.log.rs\n",
            "src/logs/keep.log.rs": "",
            "src/logs/other.log.rs": "",
            "src/nested/.ggignore": "*.txt\n",
            "src/nested/keep.rs": "",
            "src/nested/notes.txt": "",
        },
    )

    result = walk(root, Settings())

    assert keys(result) == [
        "root_ok.rs",
        "root_ok.txt",
        "src/logs/keep.log.rs",
        "src/main.rs",
        "src/nested/keep.rs",
    ]
    assert [key for key, _ in result.ignore_files] == [
        ".ggignore",
        ".gitignore",
        "src/logs/.gitignore",
        "src/nested/.ggignore",
    ]


def test_a_root_that_ignores_all_is_read_without_git(tmp_path: Path, git: Git) -> None:
    """Packaged sources ignore everything at the top; git would know what they track."""
    tree = {
        ".gitignore": "*.o\n/*\n!/debian/\n",
        "a.py": "",
        "b.o": "",
        "lib/c.py": "",
        "cache/.gitignore": "*\n",
        "cache/d.py": "",
    }
    unpacked, work_tree = tmp_path / "unpacked", tmp_path / "work_tree"
    for root in (unpacked, work_tree):
        grow(root, tree)
    git(work_tree, "init")

    assert keys(walk(unpacked, Settings())) == ["a.py", "lib/c.py"]
    assert keys(walk(work_tree, Settings())) == []
    git(work_tree, "add", "-f", "a.py")
    assert keys(walk(work_tree, Settings())) == ["a.py"]


BUILT: dict[str, str] = {"build/a.py": "", "yarn.lock": "", "dist/b.py": ""}


@pytest.mark.parametrize(
    ("files", "extra", "expected"),
    [
        ({".smignore": "*.py\n", ".ggignore": "!a.py\n", "a.py": "", "b.py": ""}, (), ["a.py"]),
        ({".gitignore": "!build/\n!yarn.lock\n"} | BUILT, (), ["build/a.py", "yarn.lock"]),
        ({".ggignore": "!build/\n!yarn.lock\n"} | BUILT, (), ["build/a.py", "yarn.lock"]),
        (
            {".ggignore": "!*.foo\n!.private/\n", "a.foo": "", ".private/b.py": ""},
            (),
            [".private/b.py", "a.foo"],
        ),
        ({"a.py": "", "fix/b.py": "", ".ggignore": "!fix/\n"}, ("fix/",), ["a.py"]),
    ],
)
def test_rules_beat_the_built_in_list_and_settings_beat_the_rules(
    root: Path, files: dict[str, str], extra: tuple[str, ...], expected: list[str]
) -> None:
    """The newer own file wins; patterns of the settings only take away."""
    grow(root, files)
    assert keys(walk(root, Settings(extra_ignores=extra))) == expected


SCRIPT = "#!/usr/bin/env python3\nprint(1)\n"
TEXT = "class Checker : ConfigObject\n{\n\t[config] int jobs;\n};\n"
KNOWN = (
    *("Makefile", "Dockerfile", "Jenkinsfile", "Rakefile", "Gemfile", "Vagrantfile"),
    *("Brewfile", "Justfile", "BUILD", "WORKSPACE", "CMakeLists.txt", ".bashrc", ".zshrc"),
    *(".vimrc", "PKGBUILD", "Kconfig", "Kbuild", "dune", "meson.build", "Fastfile"),
    *("SConstruct", "Tiltfile"),
)
UNLISTED = ("checker.ti", "deploy.prod", "services/org.example.Codec", "hooks", "a.pro", "ls.1")
TEXTS = ("Dockerfile", "Makefile", "README", "a.mdx", "b.rst", "c.PY", "d.c++", "go.mod")
SHARED = (".github/workflows/ci.yml", ".gitlab-ci.yml", ".editorconfig", ".eslintrc.json")
PRIVATE = (".idea/x.xml", ".secretthing", ".tox/a.py")
PRODUCTS = (
    *("node_modules/m/i.js", "dist/x.js", "s/build/y.py", "yarn.lock", "j.min.js"),
    *("package-lock.json", "Cargo.lock", "n.onnx", "go.sum", "s.js.map"),
)
NAMES: dict[str, tuple[dict[str, str], tuple[str, ...], dict[str, int]]] = {
    "products and lock files": (
        dict.fromkeys(["a.py", *PRODUCTS], "x\n"),
        ("a.py",),
        {"builtin": 10},
    ),
    "shared configuration": (
        dict.fromkeys([*SHARED, ".pre-commit-config.yaml", *PRIVATE], "x\n"),
        (*SHARED, ".pre-commit-config.yaml"),
        {"dotfile": 3},
    ),
    "names of text": (
        dict.fromkeys([*TEXTS, "Dockerfile.dev", "x.png", "y.so", "make.abi3.so", "noext"], "x\n"),
        (*TEXTS, "Dockerfile.dev"),
        {"extension": 4},
    ),
    "texts of any name": (
        dict.fromkeys(UNLISTED, TEXT) | dict.fromkeys(KNOWN, "x\n"),
        (*UNLISTED, *KNOWN),
        {},
    ),
    "scripts": (
        {"bin/deploy": SCRIPT, "bin/tool": "\x7fELF", "x": "#"},
        ("bin/deploy",),
        {"extension": 2},
    ),
    "ignored scripts": (
        {".ggignore": "*_old\n", "a_old": SCRIPT, "node_modules/.bin/tool": SCRIPT},
        (),
        {"builtin": 1, "dotfile": 1, "ignored": 1},
    ),
}


@pytest.mark.parametrize("name", NAMES)
def test_names_and_first_lines_decide_what_is_eligible(root: Path, name: str) -> None:
    """Pictures, products and editor state are counted, not read."""
    files, expected, excluded = NAMES[name]
    grow(root, files)
    result = walk(root, Settings())

    assert keys(result) == sorted(expected)
    assert dict(result.excluded) == excluded


# One row is what a tree holds when all is added to git, what comes afterwards (None goes), which
# settings hold, and what is eligible then.
IN_GIT: dict[str, tuple[dict[str, str], dict[str, str | None], dict[str, bool], list[str]]] = {
    "tracked though ignored": (
        {".gitignore": "gen/\n", "gen/a.py": "", "build/b.py": "", "yarn.lock": ""},
        {"gen/new.py": "", "build/new.py": "", "build/sub/new.py": ""},
        {},
        ["build/b.py", "gen/a.py"],
    ),
    "tracked and hidden by our own ignore file": (
        {".ggignore": "vendored/\n", "vendored/a.py": "", "b.py": ""},
        {},
        {},
        ["b.py"],
    ),
    "an own ignore file that git ignores": (
        {},
        {".gitignore": ".ggignore\n", ".ggignore": "a.py\n", "a.py": "", "b.py": ""},
        {},
        ["b.py"],
    ),
    "untracked": ({"a.py": ""}, {"b.py": ""}, {"include_untracked": False}, ["a.py"]),
    "tracked and deleted": ({"a.py": "", "b.py": ""}, {"a.py": None}, {}, ["b.py"]),
}


@pytest.mark.parametrize("name", IN_GIT)
def test_git_and_our_own_ignore_files_decide_together(tmp_path: Path, git: Git, name: str) -> None:
    """The working tree is what is indexed; what git tracks belongs to it."""
    tracked, later, settings, expected = IN_GIT[name]
    root = tmp_path / "root"
    git(root, "init")
    grow(root, tracked)
    git(root, "add", "-f", ".")
    for key, text in later.items():
        if text is None:
            (root / key).unlink()
        else:
            grow(root, {key: text})

    assert keys(walk(root, Settings(**settings))) == expected


def test_excludes_outside_the_tree_do_not_count(tmp_path: Path, git: Git) -> None:
    """Two people see the same files, whatever their own git configuration."""
    root = tmp_path / "root"
    git(root, "init")
    grow(root, ["a.py", "b.py"])
    (root / ".git/info/exclude").write_text("a.py\n")
    (tmp_path / "mine").write_text("b.py\n")
    git(root, "config", "core.excludesFile", str(tmp_path / "mine"))

    assert keys(walk(root, Settings())) == ["a.py", "b.py"]


@pytest.mark.parametrize("tracked", [False, True])
def test_a_bare_repository_is_left_out(root: Path, git: Git, *, tracked: bool) -> None:
    """But where a project keeps the files of one in its own history, they are the project's."""
    grow(root, ["a.py"])
    git(root / "mirror.git", "init", "--bare")
    grow(root / "mirror.git", ["hooks/check.py"])
    if tracked:
        git(root, "init")
        git(root, "add", "--force", ".")
    result = walk(root, Settings())

    assert ("mirror.git/hooks/check.py" in keys(result)) == tracked
    assert dict(result.excluded).get("nested_repo", 0) == (not tracked)


def test_nested_repositories_are_left_alone(root: Path, git: Git) -> None:
    """They are roots of their own; a workspace searches them together."""
    grow(root, ["a.py"])
    git(root / "inner", "init")
    grow(root, ["inner/b.py"])

    result = walk(root, Settings())

    assert keys(result) == ["a.py"]
    assert dict(result.excluded) == {"nested_repo": 1}


@pytest.fixture
def superproject(tmp_path: Path, git: Git) -> Path:
    """Return a repository with a submodule that has a submodule of its own, all checked out."""
    allow = ("-c", "protocol.file.allow=always")
    for name in ("deep", "dep", "root"):
        top = grow(tmp_path / name, {"a.py": "", ".gitignore": f"{name}.txt\n"})
        git(top, "init")
        inner = {"dep": "deep", "root": "dep"}.get(name)
        if inner:
            git(top, *allow, "submodule", "add", str(tmp_path / inner), f"lib/{inner}")
        git(top, "add", ".")
        git(top, "commit", "-m", "x")
    git(tmp_path / "root", *allow, "submodule", "update", "--init", "--recursive")
    return tmp_path / "root"


def test_submodules_that_are_checked_out_belong_to_the_tree(superproject: Path) -> None:
    nested = "lib/dep/lib/deep"
    grow(
        superproject,
        ["root.txt", "lib/dep/dep.txt", "lib/dep/root.txt", f"{nested}/deep.txt", f"{nested}/x.py"],
    )

    result = keys(walk(superproject, Settings()))

    assert [key for key in result if key.endswith((".py", ".txt"))] == [
        "a.py",
        "lib/dep/a.py",
        f"{nested}/a.py",
        f"{nested}/x.py",
        "lib/dep/root.txt",
    ]


def test_a_submodule_that_is_not_checked_out_is_said_once(superproject: Path, git: Git) -> None:
    """There is nothing to read, and who misses it is told how to get it."""
    git(superproject, "submodule", "deinit", "-f", "lib/dep")

    result = walk(superproject, Settings())

    assert skips(result) == {"lib/dep": "submodule"}
    assert "a.py" in keys(result)


def test_a_linked_submodule_is_not_entered(superproject: Path, git: Git, tmp_path: Path) -> None:
    """Its place in the index does not say that what stands there now is the tree's."""
    (superproject / "lib/dep").rename(tmp_path / "elsewhere")
    (superproject / "lib/dep").symlink_to(tmp_path / "dep")

    result = keys(walk(superproject, Settings()))

    assert not [key for key in result if key.startswith("lib/")]


def test_an_unlisted_directory_is_told(
    root: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git leaves it out without a word; an empty one, and an ignored one, are no loss."""
    grow(root, {"a.py": "", ".gitignore": "hidden/\n"})
    git(root, "init")
    for name in ("shut", "empty", "hidden"):
        (root / name).mkdir()
    closed = {root / "shut", root / "hidden"}
    monkeypatch.setattr(
        "ggrep.parse.source.walker.os.access", lambda path, _mode: Path(path) not in closed
    )

    result = walk(root, Settings())

    assert skips(result) == {"shut": "unreadable"}
    assert result.unknown == {"shut"}


def test_secrets_are_never_eligible(root: Path) -> None:
    """An index is copied, searched and pasted into prompts."""
    secret = [".env", ".env.local", "d/prod.env", "k.pem", "id_rsa", ".npmrc", "credentials.json"]
    grow(root, secret)
    grow(root, {"a.py": "", ".ggignore": "!.env\n!*.pem\n"})

    result = walk(root, Settings())

    assert keys(result) == ["a.py"]
    assert skips(result) == dict.fromkeys(secret, "secret")


def test_files_over_the_limit_are_named(root: Path) -> None:
    """A missing file must be explicable."""
    grow(root, {"a.py": "12345", "b.py": "1"})

    result = walk(root, Settings(max_file_size_bytes=4))

    assert keys(result) == ["b.py"]
    assert skips(result) == {"a.py": "too_large"}


def test_fifos_and_sockets_are_named_and_never_opened(root: Path) -> None:
    """Opening one would hang the sync."""
    grow(root, {"a.py": "", ".gitignore": "hidden.py\n"})
    os.mkfifo(root / "f.py")
    os.mkfifo(root / "hidden.py")
    os.mkfifo(root / "f.png")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(root / "s.py"))

    result = walk(root, Settings())

    assert keys(result) == ["a.py"]
    assert skips(result) == {"f.py": "special", "s.py": "special"}


def test_a_tracked_file_replaced_by_a_fifo_is_named(tmp_path: Path, git: Git) -> None:
    """That git tracks the name makes it no safer to open."""
    root = grow(tmp_path / "root", ["a.py"])
    git(root, "init")
    git(root, "add", ".")
    (root / "a.py").unlink()
    os.mkfifo(root / "a.py")

    assert skips(walk(root, Settings())) == {"a.py": "special"}


def test_links_out_of_the_root_are_named(root: Path, tmp_path: Path) -> None:
    """Nothing outside the root is ever indexed."""
    grow(tmp_path / "outside", ["o.py"])
    (root / "file.py").symlink_to(tmp_path / "outside/o.py")
    (root / "dir").symlink_to(tmp_path / "outside")
    (root / "gone.py").symlink_to(tmp_path / "outside/none.py")
    (root / "picture.png").symlink_to(tmp_path / "outside/o.py")

    result = walk(root, Settings())

    assert keys(result) == []
    assert skips(result) == dict.fromkeys(["dir", "file.py", "gone.py"], "out_of_root")


def test_links_inside_the_root_add_nothing(root: Path) -> None:
    """A file has one name, and a link is no way past an ignore rule; a loop would not end."""
    grow(root, {"f.py": "", "d/b.py": "", ".ggignore": "hidden.py\n", "hidden.py": ""})
    for link, target in {
        "alias.py": "f.py",
        "shown.py": "hidden.py",
        "e": "d",
        "up": ".",
        "a.py": "b.py",
        "b.py": "a.py",
        "c.py": "none.py",
    }.items():
        (root / link).symlink_to(target)

    result = walk(root, Settings())

    assert keys(result) == ["d/b.py", "f.py"]
    assert dict(result.excluded)["alias"] == 4
    assert skips(result) == {"a.py": "symlink_loop", "b.py": "symlink_loop", "c.py": "vanished"}


def test_a_tracked_directory_replaced_by_a_link_is_not_followed(tmp_path: Path, git: Git) -> None:
    """Git still lists the files that once were below it."""
    root = grow(tmp_path / "root", ["d/a.py"])
    git(root, "init")
    git(root, "add", ".")
    (root / "d").rename(tmp_path / "moved")
    (root / "d").symlink_to(tmp_path / "moved")

    result = walk(root, Settings())

    assert keys(result) == []


def test_names_that_cannot_be_keys_are_named(root: Path) -> None:
    """Some file systems allow what no answer can print."""
    for name in (b"a\xff.py", b"b\n.py"):
        (root / os.fsdecode(name)).write_text("")
    (root / os.fsdecode(b"d\xff")).mkdir()
    (root / os.fsdecode(b"d\xff") / "c.py").write_text("")

    result = walk(root, Settings())

    assert keys(result) == []
    assert skips(result) == {
        "a\\udcff.py": "bad_name",
        "b\\n.py": "bad_name",
        "d\\udcff": "bad_name",
    }


def test_a_linked_ignore_file_is_not_read(root: Path, tmp_path: Path) -> None:
    (tmp_path / "rules").write_text("a.py\n")
    grow(root, ["a.py"])
    (root / ".ggignore").symlink_to(tmp_path / "rules")

    result = walk(root, Settings())

    assert keys(result) == ["a.py"]
    assert skips(result) == {".ggignore": "special"}


def closed(monkeypatch: pytest.MonkeyPatch, name: str, error: OSError) -> None:
    """Let directories of that name not be listed."""
    enter = DirStack.enter

    def refuse(trail: DirStack, prefix: bytes) -> int:
        if os.fsdecode(prefix) == f"{name}/":
            raise error
        return enter(trail, prefix)

    monkeypatch.setattr(DirStack, "enter", refuse)


@pytest.mark.parametrize(
    ("number", "reason"),
    [(errno.EACCES, "unreadable"), (errno.EMFILE, "read_failed"), (errno.EIO, "read_failed")],
)
def test_an_unreadable_directory_is_named(
    root: Path, monkeypatch: pytest.MonkeyPatch, number: int, reason: str
) -> None:
    """Its files are not gone; a sync that thought so would forget them."""
    grow(root, ["a.py", "d/b.py"])
    closed(monkeypatch, "d", OSError(number, os.strerror(number)))
    result = walk(root, Settings())

    assert keys(result) == ["a.py"]
    assert skips(result) == {"d": reason}
    assert [result.knows(PathKey(key)) for key in ("d", "d/b.py", "d2.py")] == [False, False, True]


def test_a_file_without_a_stat_is_not_gone(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory that may be listed and not searched hides nothing of what is indexed."""
    grow(root, ["a.py", "b.py"])

    def refuse(self: Walker, *_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Walker, "_file", refuse)
    result = walk(root, Settings())

    assert result.unknown == {"a.py", "b.py"}


def test_an_unreadable_ignore_file_is_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grow(root, {"d/.ggignore": "a.py\n", "d/a.py": "", "b.py": ""})

    def refuse(*_: object, **__: object) -> bytes:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr("ggrep.parse.source.walker.read_small", refuse)
    result = walk(root, Settings())

    assert (keys(result), skips(result)) == (["b.py"], {"d": "read_failed"})
    assert not result.knows(PathKey("d/a.py"))
    grow(root, {".ggignore": "a.py\n"})
    with pytest.raises(InvalidRequest, match="Too many open files"):
        walk(root, Settings())


def test_own_directories_are_not_gone_into(root: Path, tmp_path: Path) -> None:
    """A home inside the root would index what the last sync wrote, for ever."""
    grow(root, ["a.py", "home/data/b.py", "home2/c.py"])
    (tmp_path / "link").symlink_to(root / "home")
    result = walk(root, Settings(), apart=(tmp_path / "link", root, tmp_path))

    assert keys(result) == ["a.py", "home2/c.py"]
    assert dict(result.excluded) == {"own_home": 1}


def test_an_unreadable_root_is_an_error(tmp_path: Path) -> None:
    """An unmounted disk must not look like an empty project."""
    with pytest.raises(InvalidRequest, match="cannot be read"):
        walk(tmp_path / "gone", Settings())


def test_without_git_we_read_rules(
    tmp_path: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine without git still searches, and knows what it misses."""
    root = grow(tmp_path / "root", {".gitignore": "b.py\n", "a.py": "", "b.py": ""})
    git(root, "init")
    git(root, "add", "-f", ".")
    monkeypatch.setattr(git_module.shutil, "which", lambda _name: None)

    result = walk(root, Settings())

    assert keys(result) == ["a.py"]
    assert not result.git
    assert [notice.code for notice in result.notices] == ["git_unavailable"]


def test_an_unreadable_git_directory_counts(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Taken for absent, the same tree would be indexed by other rules without a word."""

    def refuse(_path: Path) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("ggrep.parse.source.walk.has_git_marker", refuse)
    result = walk(root, Settings())

    assert [notice.code for notice in result.notices] == ["git_unavailable"]


def test_a_root_that_was_replaced_is_another_one(root: Path) -> None:
    """Its name is the same; what was read below it is not one tree."""
    before = walk(root, Settings()).root
    assert before == root_identity(root)
    root.rename(root.with_name("old"))
    assert root_identity(root) is None
    root.mkdir()

    assert root_identity(root) != before


@pytest.mark.parametrize("number", [errno.EIO, errno.EACCES, errno.ENOENT])
def test_a_root_without_a_stat(root: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """A disk that fails is another errand than a typing error."""

    def refuse(_path: Path) -> os.stat_result:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "stat", refuse)

    with pytest.raises(InvalidRequest, match=os.strerror(number)):
        walk(root, Settings())
    assert root_identity(root) is None


def test_a_swapped_link_is_gone(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """1. The walk meets it, 2. it is swapped, 3. it is opened: no name of elsewhere comes in."""
    grow(root, ["a.py", "d/b.py"])
    grow(tmp_path / "elsewhere", ["secret.py", "id_rsa"])
    enter = DirStack.enter

    def swap_first(trail: DirStack, prefix: bytes) -> int:
        if prefix == b"d/":
            (root / "d").rename(root / "old")
            (root / "d").symlink_to(tmp_path / "elsewhere")
        return enter(trail, prefix)

    monkeypatch.setattr(DirStack, "enter", swap_first)
    result = walk(root, Settings())

    assert keys(result) == ["a.py"]
    assert result.skipped == ()
    assert not result.unknown


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("a.foo", "MZ\0\0\0\0"), ("a.foo", "abc\x01\x02\n"), ("a.foo", "  \n\n")),
        *(("icon.svg", TEXT), ("run.log", TEXT), ("old.pem", TEXT), ("de.xlf", TEXT)),
        *(("3f786850e387550f", TEXT), ("00017", TEXT), ("fuzz/seed", "go test fuzz v1\nint(1)\n")),
        *((".private", TEXT), ("huge.foo", TEXT * 2000), ("ssh/work_machine", TEXT)),
        *(("db.password.prod", TEXT), ("deploy", "-----BEGIN KEY-----\n")),
    ],
)
def test_products_are_left_out_by_name_or_beginning(root: Path, name: str, text: str) -> None:
    """Products, drawings, keys, and what programs put aside."""
    grow(root, {name: text})

    assert keys(walk(root, Settings())) == []


def test_a_text_in_an_old_encoding_is_eligible_and_what_has_none_is_not(root: Path) -> None:
    """A few letters beyond ASCII are a language; most of them are data."""
    root.joinpath("alt.foo").write_bytes("für Größe\n".encode("cp1252") * 9)
    root.joinpath("noise.foo").write_bytes(bytes(range(128, 256)) * 4)

    assert keys(walk(root, Settings())) == ["alt.foo"]


def test_a_very_large_script_is_left_out(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `configure` is, which a program wrote."""
    monkeypatch.setattr("ggrep.parse.source.unlisted_names.MAX_SCRIPT_BYTES", len(SCRIPT))
    grow(root, {"small": SCRIPT, "large": SCRIPT + "#"})

    assert keys(walk(root, Settings())) == ["small"]


def test_what_may_not_be_read_is_no_script(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others that cannot be told of may be scripts that are indexed already: these stay."""
    grow(root, {"mine": SCRIPT, "yours": SCRIPT})
    real = os.open

    def refuse(path: str, *rest: int, **more: int | None) -> int:
        if path == "yours":
            raise PermissionError(errno.EACCES, "no")
        if path == "mine":
            raise OSError(errno.EMFILE, "too many")
        return real(path, *rest, **more)

    monkeypatch.setattr("ggrep.parse.source.unlisted_names.os.open", refuse)

    result = walk(root, Settings())

    assert keys(result) == []
    assert result.unknown == {"mine"}


def test_nobody_waits_for_a_pipe_in_the_place_of_a_script(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "deploy")
    directory = os.open(tmp_path, os.O_RDONLY)

    try:
        assert not is_text("deploy", 100, directory)
    finally:
        os.close(directory)
