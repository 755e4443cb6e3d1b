"""Work trees as people have them: sixty kinds, each with what is odd about it.

Every file that holds text holds the words of `words_of` its path, so that an exact search for one
of them has one right answer.
"""

import os
import shutil
import socket
from collections.abc import Callable, Iterable
from pathlib import Path
from zlib import crc32

from tests.fakes.git import Git

COMMON = "commonneedle"
Make = Callable[[Path, Git], object]


def word_of(path: str) -> str:
    """Return the word that this file alone holds."""
    return f"needle{crc32(path.encode('utf-8', 'surrogateescape')):08x}"


def text_of(path: str, line: str = "value = {word}", *, more: str = "") -> str:
    """Return a file's text: its own word, and the one that all have."""
    return f"{line.format(word=word_of(path))}\n{line.format(word=COMMON)}\n{more}"


def grow(root: Path, *paths: str, **how: str) -> None:
    """Write such files."""
    for path in paths:
        _put(root / path, text_of(path, **how).encode())


def grown(*paths: str, tracked: bool = False) -> Make:
    """Return what writes such files and nothing else, in a repository if they are tracked."""

    def make(root: Path, git: Git) -> None:
        grow(root, *paths)
        if tracked:
            _commit(root, git)

    return make


def encoded(encoding: str, said: str, *, mark: bytes = b"") -> Make:
    """Return what writes sources whose comments are in an old encoding, as they were written."""

    def make(root: Path, _: Git) -> None:
        for path in ("a.py", "src/b.c", "src/c.java", "doc/d.md"):
            comment = "// " if path.endswith((".c", ".java")) else "# "
            text = text_of(path, more=f"{comment}{said}\n" * 12)
            _put(root / path, mark + text.encode(encoding))

    return make


def _put(file: Path, data: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)


def _lines(end: bytes) -> Make:
    def make(root: Path, _: Git) -> None:
        for path in ("a.py", "b.go", "c.rs", "d.txt", "e.yaml"):
            _put(root / path, text_of(path).encode().replace(b"\n", end))

    return make


def _committed(root: Path, git: Git) -> None:
    grow(root, "a.py", "src/b.go", "src/deep/c.rs", "README.md")
    _commit(root, git)


def _commit(root: Path, git: Git, message: str = "all") -> None:
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", message)


def _uncommitted(root: Path, git: Git) -> None:
    _committed(root, git)
    grow(root, "new.py", "src/new.go")
    (root / "a.py").write_text(text_of("a.py", more="edited = 1\n"))


def _no_commit(root: Path, git: Git) -> None:
    grow(root, "a.py", "b.go")
    git(root, "init", "--quiet")


def _detached(root: Path, git: Git) -> None:
    _committed(root, git)
    git(root, "checkout", "--quiet", "--detach")


def _conflict(root: Path, git: Git) -> None:
    _committed(root, git)
    git(root, "checkout", "--quiet", "-b", "other")
    (root / "a.py").write_text(text_of("a.py", more="theirs = 1\n"))
    git(root, "commit", "--quiet", "--all", "--message", "theirs")
    git(root, "checkout", "--quiet", "main")
    (root / "a.py").write_text(text_of("a.py", more="ours = 1\n"))
    git(root, "commit", "--quiet", "--all", "--message", "ours")


def _merging(root: Path, git: Git) -> None:
    _conflict(root, git)
    _may_fail(git, root, "merge", "other")


def _rebasing(root: Path, git: Git) -> None:
    _conflict(root, git)
    _may_fail(git, root, "rebase", "other")


def _may_fail(git: Git, root: Path, *arguments: str) -> None:
    try:
        git(root, *arguments)
    except Exception:  # noqa: BLE001 - a conflict is what is wanted
        return


def _linked(root: Path, git: Git) -> None:
    main = root.parent / "main-tree"
    _committed(main, git)
    shutil.rmtree(root, ignore_errors=True)
    git(main, "worktree", "add", "--quiet", "-b", "linked", str(root))


def _shallow(root: Path, git: Git) -> None:
    main = root.parent / "main-tree"
    _committed(main, git)
    shutil.rmtree(root, ignore_errors=True)
    git(root.parent, "clone", "--quiet", "--depth", "1", main.as_uri(), str(root))


def _sparse(root: Path, git: Git) -> None:
    _committed(root, git)
    git(root, "sparse-checkout", "set", "src")


def _submodule(root: Path, git: Git, *, inner: bool = False) -> None:
    other = root.parent / "library"
    grow(other, "lib.py", "core/deep.go")
    _commit(other, git)
    if inner:
        middle = root.parent / "middle"
        grow(middle, "middle.py")
        _commit(middle, git)
        _add_module(middle, git, other, "inside")
        other = middle
    _committed(root, git)
    _add_module(root, git, other, "vendor/library")


def _add_module(root: Path, git: Git, other: Path, path: str) -> None:
    allow = ("-c", "protocol.file.allow=always")
    git(root, *allow, "submodule", "--quiet", "add", str(other), path)
    git(root, *allow, "submodule", "--quiet", "update", "--init", "--recursive")
    git(root, "commit", "--quiet", "--message", "module")


def _submodules_of_submodules(root: Path, git: Git) -> None:
    _submodule(root, git, inner=True)


def _submodule_left_out(root: Path, git: Git) -> None:
    _submodule(root, git)
    git(root, "submodule", "--quiet", "deinit", "--all", "--force")


def _repository_inside(root: Path, git: Git) -> None:
    _committed(root, git)
    grow(root / "other", "x.py")
    _commit(root / "other", git)


def _large_file_pointers(root: Path, git: Git) -> None:
    _committed(root, git)
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:{0}\nsize 123456\n"
    _put(root / "model.bin", pointer.format("ab" * 32).encode())
    _put(root / "data.csv", pointer.format("cd" * 32).encode())


def _broken_marker(root: Path, _: Git) -> None:
    grow(root, "a.py", "b.go")
    (root / ".git").write_text("gitdir: /nowhere/at/all\n")


def _bare_beside(root: Path, git: Git) -> None:
    grow(root, "a.py", "notes.md")
    git(root / "store.git", "init", "--quiet", "--bare")


def _unspeakable_names(root: Path, _: Git) -> None:
    grow(root, "fine.py")
    base = os.fsencode(root)
    for name in (b"new\nline.py", b"bell\x07.py", b"latin\xe9.py", "mark\u202e.py".encode()):
        text = text_of(os.fsdecode(name))
        Path(os.fsdecode(base + b"/" + name)).write_bytes(text.encode("utf-8", "surrogateescape"))


def _huge_lines(root: Path, _: Git) -> None:
    grow(root, "a.py")
    path = "one_line.txt"
    _put(root / path, (text_of(path).replace("\n", " ") + "word " * 200_000).encode())
    path = "data.json"
    numbers = ",".join(map(str, range(60_000)))
    _put(root / path, f'{{"{word_of(path)}": "{COMMON}", "n": [{numbers}]}}'.encode())


def _million_lines(root: Path, _: Git) -> None:
    path = "log.py"
    _put(root / path, (text_of(path) + "x = 1\n" * 1_000_000).encode())
    path = "some.py"
    _put(root / path, (text_of(path) + "x = 1\n" * 30_000).encode())


def _minified(root: Path, _: Git) -> None:
    grow(root, "src/app.js", line="const {word} = 1;")
    for path in ("dist/app.min.js", "static/bundle.js"):
        body = "function a(b){return b+1}" * 4_000
        _put(root / path, f"var {word_of(path)}=1,{COMMON}=2;{body}".encode())


def _generated(root: Path, _: Git) -> None:
    grow(root, "api.proto", line="message {word} {{ string a = 1; }}")
    for path, mark in (
        ("api_pb2.py", "# Generated by the protocol buffer compiler.  DO NOT EDIT!"),
        ("api.pb.go", "// Code generated by protoc-gen-go. DO NOT EDIT."),
        ("schema.ts", "/* @generated */"),
    ):
        _put(root / path, f"{mark}\n{text_of(path)}".encode())


def _locks(root: Path, _: Git) -> None:
    grow(root, "package.json", line='{{"{word}": 1}}')
    grow(root, "package-lock.json", "yarn.lock", "Cargo.lock", "poetry.lock", "go.sum", "a.py")


def _dumps(root: Path, _: Git) -> None:
    grow(root, "load.py")
    path = "rows.csv"
    rows = "".join(f"{n},{n * 7},{n * 13}\n" for n in range(40_000))
    _put(root / path, f"{word_of(path)},{COMMON},n\n{rows}".encode())
    path = "dump.sql"
    _put(root / path, (text_of(path, "-- {word}") + "INSERT INTO t VALUES (1);\n" * 9_000).encode())


def _ignored(root: Path, git: Git) -> None:
    grow(root, "a.py", "b.log.py", "out/c.py", "keep/d.log.py")
    _put(root / ".gitignore", b"*.log.py\n/out/\n!keep/d.log.py\n")
    _put(root / ".ggignore", b"unwanted.py\n")
    grow(root, "unwanted.py")
    git(root, "init", "--quiet")


def _ignores_all(root: Path, _: Git) -> None:
    grow(root, "a.py", "lib/b.go", "cache/c.py")
    _put(root / ".gitignore", b"*.o\n/*\n!/debian/\n")
    _put(root / "cache/.gitignore", b"*\n")


def _without_endings(root: Path, _: Git) -> None:
    names = "README LICENSE Makefile Dockerfile Jenkinsfile BUILD CMakeLists.txt"
    grow(root, *names.split())
    for path, line in (
        ("bin/run", "#!/usr/bin/env python3"),
        ("bin/start", "#!/bin/sh"),
        ("bin/serve", "#!/usr/bin/node"),
    ):
        _put(root / path, f"{line}\n{text_of(path, '# {word}')}".encode())


def _binaries(root: Path, _: Git) -> None:
    grow(root, "a.py")
    _put(root / "image.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40)
    _put(root / "binary.py", b"x = 1\n\x00\x01\x02" + COMMON.encode())
    _put(root / "archive.zip", b"PK\x03\x04" + bytes(500))
    _put(root / "empty.py", b"")


def _links(root: Path, _: Git) -> None:
    grow(root, "a.py", "src/b.py")
    (root / "alias.py").symlink_to("a.py")
    (root / "out.py").symlink_to("/etc/hostname")
    (root / "loop").symlink_to("loop")
    (root / "up").symlink_to("..")
    (root / "nowhere.py").symlink_to("missing.py")
    (root / "src/linked").symlink_to("../src")


def _specials(root: Path, _: Git) -> None:
    grow(root, "a.py")
    os.mkfifo(root / "pipe.py")
    here = Path.cwd()
    os.chdir(root)  # the whole path may be too long for a socket
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("sock.py")
    finally:
        os.chdir(here)


def _hard_links(root: Path, _: Git) -> None:
    grow(root, "a.py")
    os.link(root / "a.py", root / "same.py")


def _copies(root: Path, _: Git) -> None:
    for path in ("a.py", "copy/a.py", "old/a.py"):
        _put(root / path, text_of("a.py").encode())


def _notebooks(root: Path, _: Git) -> None:
    grow(root, "a.py")
    path = "study.ipynb"
    cell = f'{{"cell_type": "code", "source": ["{word_of(path)} = 1\\n"], "outputs": []}}'
    _put(root / path, f'{{"cells": [{cell}], "metadata": {{}}, "nbformat": 4}}'.encode())


def _embedded(root: Path, _: Git) -> None:
    for path in ("App.vue", "App.svelte", "index.html", "page.astro"):
        word = word_of(path)
        script = f"<script>\nfunction {word}() {{ return '{COMMON}' }}\n</script>\n"
        fence = "---\n---\n" if path.endswith("astro") else ""
        _put(root / path, f"{fence}<template><p>x</p></template>\n{script}".encode())


def _mixed(root: Path, _: Git) -> None:
    endings = "py go rs c h cpp java kt swift ts tsx js rb php cs scala lua ex hs ml jl m v sv dart"
    endings += " clj r pl ps1 fs erl nix groovy cmake sol tf sh sql md rst toml yaml json xml css"
    grow(root, *(f"in_{ending}/sample.{ending}" for ending in endings.split()))


def _broken_syntax(root: Path, _: Git) -> None:
    for ending in ("py", "go", "rs", "c", "ts", "java", "rb", "json", "yaml", "toml", "xml"):
        path = f"bad.{ending}"
        _put(root / path, (text_of(path) + "((({{{[[[ <<< def class fn \x0c '\"`\n" * 30).encode())


def _stray_byte(root: Path, _: Git) -> None:
    for path in ("a.py", "b.c"):
        _put(root / path, text_of(path).encode() + b"# caf\xe9\n" + b"x = 1\n" * 50)


def _workspace(root: Path, _: Git) -> None:
    for name in ("web", "api", "lib"):
        grow(root, f"packages/{name}/package.json", line='{{"{word}": 1}}')
        grow(root, f"packages/{name}/src/index.ts", f"packages/{name}/test/index.test.ts")


def _empty(root: Path, _: Git) -> None:
    root.mkdir(parents=True, exist_ok=True)


def _over_the_cap(root: Path, _: Git) -> None:
    grow(root, "a.py")
    path = "giant.py"
    _put(root / path, (text_of(path) + "x = 1\n" * 2_000_000).encode())


ODD_NAMES = (
    *("a b.py", "it's.py", 'say "hi".py', "tab\there.py", "-n.py", "--help.py", "é.py"),
    *("e\u0301.py", "日本語.py", "🙂.py", "$HOME.py", "a\\b.py", "#a#.py", "~a.py", "a..py"),
    *("%41.py", "a;b.py", "a&b.py", "a|b.py", "*.py", "?.py", "[a].py", f"{'n' * 240}.py"),
)
PRODUCTS = (
    *("node_modules/x/index.js", "build/out.py", "target/debug/a.rs", "__pycache__/a.py"),
    *(".venv/lib/b.py", "dist/c.js", "vendor/d/e.go"),
)
TREES: dict[str, Make] = {
    "plain": grown(*(f"pkg{n}/module{n}.py" for n in range(20))),
    "empty": _empty,
    "committed": _committed,
    "uncommitted changes": _uncommitted,
    "no commit": _no_commit,
    "detached": _detached,
    "merging": _merging,
    "rebasing": _rebasing,
    "linked work tree": _linked,
    "shallow": _shallow,
    "sparse": _sparse,
    "submodule": _submodule,
    "submodules of submodules": _submodules_of_submodules,
    "submodule that is not checked out": _submodule_left_out,
    "repository inside": _repository_inside,
    "large file pointers": _large_file_pointers,
    "broken marker": _broken_marker,
    "bare repository beside": _bare_beside,
    "case twins": grown("net/xt_MARK.c", "net/xt_mark.c", "Doc/a.md", "doc/a.md", tracked=True),
    "odd names": grown(*ODD_NAMES),
    "unspeakable names": _unspeakable_names,
    "deep": grown("/".join(f"d{n}" for n in range(200)) + "/leaf.py", "top.py"),
    "wide": grown(*(f"many/file{n:04d}.py" for n in range(450))),
    "huge lines": _huge_lines,
    "a million lines": _million_lines,
    "over the cap": _over_the_cap,
    "minified": _minified,
    "generated": _generated,
    "lock files": _locks,
    "products": grown("a.py", *PRODUCTS),
    "tracked products": grown(
        "a.py", "build/tool.py", "vendor/lib/x.go", "dist/kept.js", tracked=True
    ),
    "data dumps": _dumps,
    "hidden": grown("a.py", ".github/workflows/ci.yml", ".eslintrc.json", ".config/tool/x.yml"),
    "ignored": _ignored,
    "ignores all": _ignores_all,
    "without endings": _without_endings,
    "unknown endings": grown(
        *("a.py", "grammar.y4", "rules.xyz", "notes.foo", "x.tmpl", "page.tpl.html", "conf.local")
    ),
    "binaries": _binaries,
    "links": _links,
    "FIFOs and sockets": _specials,
    "hard links": _hard_links,
    "copies": _copies,
    "notebooks": _notebooks,
    "embedded languages": _embedded,
    "forty languages": _mixed,
    "broken syntax": _broken_syntax,
    "packages": _workspace,
    "CRLF": _lines(b"\r\n"),
    "CR": _lines(b"\r"),
    "mixed line ends": _lines(b"\r\n\n"),
    "a stray byte": _stray_byte,
    "BOM": encoded("utf-8", "café", mark=b"\xef\xbb\xbf"),
    "UTF-16 LE": encoded("utf-16-le", "café", mark=b"\xff\xfe"),
    "UTF-16 BE": encoded("utf-16-be", "café", mark=b"\xfe\xff"),
    "Latin-1": encoded("latin-1", "déjà vu à la crème brûlée"),
    "Windows-1252": encoded("cp1252", "“déjà vu” naïve café…"),
    "Windows-1251": encoded("cp1251", "Привет, это комментарий к функции"),
    "KOI8-R": encoded("koi8-r", "Привет, это комментарий к функции"),
    "Shift-JIS": encoded("shift_jis", "これは日本語のコメントです。関数を呼び出す"),
    "EUC-JP": encoded("euc_jp", "これは日本語のコメントです。関数を呼び出す"),
    "GB18030": encoded("gb18030", "这是一个中文注释用来说明这个函数的作用"),
    "Big5": encoded("big5", "這是一個中文註解用來說明這個函數的作用"),
    "EUC-KR": encoded("euc_kr", "이것은 함수의 역할을 설명하는 한국어 주석입니다"),
}


def words(root: Path) -> Iterable[str]:
    """Return words that stand in the tree: the common one, and those of single files."""
    results = {COMMON}
    for base, _, files in os.walk(root):
        results.update(word_of(str((Path(base) / name).relative_to(root))) for name in files)
    return sorted(results)[:40]
