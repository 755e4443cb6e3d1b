"""What comes out of archives, and what never does."""

import io
import tarfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from ggrep.base.errors import UsageError
from training.encoder.shares import Share
from training.encoder.unpacking import Unpacked, unpack

NONE: frozenset[str] = frozenset()
NAMES = frozenset({"jquery", "vue", "lazy-nvim", "commons-lang3", "react", "jinja2"})
CODE = b"def one():\n    return 1\n"


def tarball(
    path: Path, files: Mapping[str, bytes], *, odd: Iterable[tarfile.TarInfo] = (), mode: str = "gz"
) -> Path:
    with tarfile.open(path, f"w:{mode}") as tar:  # type: ignore[call-overload]
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        for info in odd:
            tar.addfile(info)
    return path


def wrapped(tmp_path: Path, *names: str, data: bytes = CODE) -> Path:
    return tarball(tmp_path / "it.tgz", {f"package/{name}": data for name in names})


def found(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("name", "mode"), [("a.tgz", "gz"), ("a.tar.bz2", "bz2"), ("a.tar.xz", "xz")]
)
def test_a_tarball_loses_the_folder_around_it(tmp_path: Path, name: str, mode: str) -> None:
    archive = tarball(tmp_path / name, {"x-1/a.py": CODE, "x-1/b/c.rs": CODE}, mode=mode)
    assert unpack(archive, tmp_path / "out", NONE) == Unpacked(files=2, dropped=0)
    assert found(tmp_path / "out") == {"a.py", "b/c.rs"}
    assert (tmp_path / "out/a.py").read_bytes() == CODE


def test_a_wheel_keeps_its_folders_but_not_its_metadata(tmp_path: Path) -> None:
    path = tmp_path / "x.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x/a.py", CODE)
        archive.writestr("x/empty.py", b"")
        archive.writestr("x-1.dist-info/entry_points.txt", b"one\n")
        link = zipfile.ZipInfo("x/link.py")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    assert unpack(path, tmp_path / "out", NONE) == Unpacked(files=1, dropped=2)
    assert found(tmp_path / "out") == {"x/a.py"}


def test_a_debian_package_is_an_ar_archive_with_a_tarball(tmp_path: Path) -> None:
    data = tarball(tmp_path / "d.tar.xz", {"./usr/share/x/a.go": CODE}, mode="xz").read_bytes()

    def member(name: str, body: bytes) -> bytes:
        return f"{name:<16}{0:<32}{len(body):<10}`\n".encode() + body + b"\n" * (len(body) % 2)

    path = tmp_path / "x.deb"
    path.write_bytes(b"!<arch>\n" + member("debian-binary", b"2.0") + member("data.tar.xz", data))
    assert unpack(path, tmp_path / "out", NONE).files == 1
    assert found(tmp_path / "out") == {"usr/share/x/a.go"}
    path.write_bytes(b"!<arch>\n" + member("data.tar.zst", data))
    with pytest.raises(UsageError, match="no data"):
        unpack(path, tmp_path / "other", NONE)


@pytest.mark.parametrize(
    "name",
    ["/abs.py", "p/../../up.py", "p/a\\b.py", "p/c:d.py", "p/\x1b[2J.py", "p/" + "a" * 300 + ".py"],
)
def test_paths_that_lead_out_or_are_odd_are_not_written(tmp_path: Path, name: str) -> None:
    archive = tarball(tmp_path / "it.tar.gz", {name: CODE, "p/good.py": CODE})
    assert unpack(archive, tmp_path / "in/out", NONE) == Unpacked(files=1, dropped=1)
    assert found(tmp_path) == {"it.tar.gz", "in/out/good.py"}


def test_links_and_devices_are_no_files(tmp_path: Path) -> None:
    odd = []
    for name, kind in (("l", tarfile.SYMTYPE), ("h", tarfile.LNKTYPE), ("f", tarfile.FIFOTYPE)):
        info = tarfile.TarInfo(f"p/{name}.py")
        info.type, info.linkname = kind, "/etc"
        odd.append(info)
    archive = tarball(tmp_path / "it.tgz", {"p/l/a.py": CODE, "p/l.py/b.py": CODE}, odd=odd)
    unpack(archive, tmp_path / "out", NONE)
    assert found(tmp_path / "out") == {"l/a.py", "l.py/b.py"}
    assert not any(path.is_symlink() for path in (tmp_path / "out").rglob("*"))


def test_a_file_that_stands_where_a_folder_must_is_not_fatal(tmp_path: Path) -> None:
    archive = wrapped(tmp_path, "a.py", "a.py/b.py", "c.py")
    done = unpack(archive, tmp_path / "out", NONE)
    assert done == Unpacked(files=2, dropped=1)


@pytest.mark.parametrize(
    "name",
    [
        "jquery.js", "lib/jQuery-3.6.0.min.js", "jquery_3.js", "src/Vue/a.ts", "@vue/x/a.ts",
        "vue.d.ts", "lazy.nvim/init.lua", "lazy_nvim.lua", "commons-lang3-3.12.0/A.java",
        "React.swift", "jinja2/env.py", "vue-v2.7.1/a.js",
    ],
)  # fmt: skip
def test_excluded_names_are_dropped_wherever_they_stand(tmp_path: Path, name: str) -> None:
    archive = wrapped(tmp_path, name, "kept.py")
    assert unpack(archive, tmp_path / "out", NAMES) == Unpacked(files=1, dropped=1)
    assert found(tmp_path / "out") == {"kept.py"}


@pytest.mark.parametrize("name", ["reactive.ts", "vuex/a.ts", "jquery_plugin.js", "my-react/a.ts"])
def test_names_that_hold_an_excluded_one_are_kept(tmp_path: Path, name: str) -> None:
    assert unpack(wrapped(tmp_path, name, "a.py"), tmp_path / "out", NAMES).dropped == 0


@pytest.mark.parametrize(
    "name",
    [
        "node_modules/a/b.js", "x/vendor/a.go", "pip/_vendor/a.py", "third_party/a.c", "deps/a.c",
        "Third-Party/a.c", "ThirdPartyLibs/a.c", "3rd-party/a.c", "3rdparty/a.c", "bundled/a.c",
        "tests/a.py", "src/Test/A.cs", "x/a_test.go", "src/__tests__/a.ts", "a.spec.ts", "Makefile",
        "Net/testsuite/a.cpp", "test-nonet/a.hs", "testutils/a.go", "unit_tests/a.c",
        "ios/prebuilds/a.swift", "x/A.xcframework/ios-arm64/A.framework/Headers/a.h",
        "dist/a.js", "build/a.cjs", "a.min.js", "tests/fixtures/a.py", "testdata/a.go",
        "debian/rules.mk", "package-lock.json", "yarn.lock", "data.csv", "a.map", "LICENSE", "a.so",
    ],
)  # fmt: skip
def test_what_others_or_programs_wrote_is_dropped(tmp_path: Path, name: str) -> None:
    unpack(wrapped(tmp_path, name, "kept.py"), tmp_path / "out", NONE)
    assert found(tmp_path / "out") == {"kept.py"}


@pytest.mark.parametrize(
    "name",
    ["dist/index.d.ts", "build/steps.py", "README.md", "docs/a.rst", "a.proto", "testify/a.kt"],
)
def test_sources_and_prose_are_kept(tmp_path: Path, name: str) -> None:
    unpack(wrapped(tmp_path, name, "kept.py"), tmp_path / "out", NONE)
    assert name in found(tmp_path / "out")


def test_what_was_compiled_from_typescript_is_dropped(tmp_path: Path) -> None:
    names = ("src/a.tsx", "lib/commonjs/a.js", "lib/types/a.d.ts", "lib/b.js", "src/a.js")
    unpack(wrapped(tmp_path, *names), tmp_path / "out", NONE)
    assert found(tmp_path / "out") == {"src/a.tsx", "lib/b.js", "src/a.js"}


@pytest.mark.parametrize("name", ["README", "a.txt", "a.tex", "a.cob", "a.scss"])
def test_languages_without_a_grammar_are_dropped(tmp_path: Path, name: str) -> None:
    unpack(wrapped(tmp_path, name, "kept.py"), tmp_path / "out", NONE)
    assert found(tmp_path / "out") == {"kept.py"}


@pytest.mark.parametrize(
    "first",
    [b"#!/bin/sh", b"#! /usr/bin/bash -e", b"#!/usr/bin/env bash", b"#!/usr/bin/env -S ksh"],
)
def test_a_shell_script_without_a_suffix_gets_one(tmp_path: Path, first: bytes) -> None:
    path = wrapped(tmp_path, "bin/do-it", "vendor/x", data=first + b"\necho done\n")
    assert unpack(path, tmp_path / "out", NONE) == Unpacked(files=1, dropped=1)
    assert (tmp_path / "out/bin/do-it.sh").read_bytes().startswith(first)


@pytest.mark.parametrize("first", [b"#!/usr/bin/env python3", b"#!/bin/shy", b"/bin/sh", b""])
def test_other_files_without_a_suffix_are_dropped(tmp_path: Path, first: bytes) -> None:
    path = wrapped(tmp_path, "bin/do-it", data=first + b"\necho done\n")
    assert unpack(path, tmp_path / "out", NONE) == Unpacked(files=0, dropped=1)


def test_a_script_does_not_replace_a_file_that_has_the_suffix(tmp_path: Path) -> None:
    files = {"p/do.sh": b"echo its own\n", "p/do": b"#!/bin/sh\n"}
    unpack(tarball(tmp_path / "it.tgz", files), tmp_path / "out", NONE)
    assert (tmp_path / "out/do.sh").read_bytes() == b"echo its own\n"


def test_only_a_share_of_the_folders_is_taken(tmp_path: Path) -> None:
    archive = wrapped(tmp_path, "lib/a.c", "lib/x/b.c", "lib/xy/c.c", "libs/d.c", "e.c")
    unpack(
        archive, tmp_path / "out", NONE, share=Share(folders=("lib/", "e.c"), without=("lib/x/",))
    )
    assert found(tmp_path / "out") == {"lib/a.c", "lib/xy/c.c", "e.c"}


@pytest.mark.parametrize(
    "data",
    [
        b"a" * 2_000,
        b"one\0two\n",
        b"\xff\xfe\xfa\n",
        b" \n",
        b"x\n" * 200_001,
        b"a;" * 15_000 + b"\n" * 500,
    ],
    ids=["minified", "binary", "no utf-8", "blank", "too large", "one huge line"],
)
def test_what_no_one_wrote_by_hand_is_dropped(tmp_path: Path, data: bytes) -> None:
    archive = wrapped(tmp_path, "a.js", data=data)
    assert unpack(archive, tmp_path / "out", NONE) == Unpacked(files=0, dropped=1)


@pytest.mark.parametrize(
    "line",
    [
        b"under the terms of the GNU Lesser General Public License",
        b"SPDX-License-Identifier: GPL-2.0-or-later",
        b"released under the GNU GPL, version 2",
        b"Common Development and Distribution License",
        b"the Microsoft Public License (Ms-PL)",
    ],
)
def test_a_file_under_copyleft_is_dropped(tmp_path: Path, line: bytes) -> None:
    archive = wrapped(tmp_path, "a.js", data=b"// " + line + b"\n" + CODE)
    assert unpack(archive, tmp_path / "out", NONE).files == 0


@pytest.mark.parametrize(
    "line",
    [b"dual-licensed: MIT or GNU GPL", b"SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)"],
)
def test_a_file_under_copyleft_that_leaves_a_choice_is_kept(tmp_path: Path, line: bytes) -> None:
    archive = wrapped(tmp_path, "a.js", data=b"// " + line + b"\n" + CODE)
    assert unpack(archive, tmp_path / "out", NONE).files == 1


def test_one_long_line_among_many_short_ones_is_no_bundle(tmp_path: Path) -> None:
    archive = wrapped(tmp_path, "a.js", data=b"a" * 2_000 + b"\nb" * 100)
    assert unpack(archive, tmp_path / "out", NONE).files == 1


def test_of_a_large_package_the_same_part_is_taken_each_time(tmp_path: Path) -> None:
    archive = wrapped(tmp_path, *(f"{number}.py" for number in range(50)))
    done = unpack(archive, tmp_path / "one", NONE, share=Share(10 * len(CODE)))
    unpack(archive, tmp_path / "two", NONE, share=Share(10 * len(CODE)))
    assert done == Unpacked(files=10, dropped=40)
    assert found(tmp_path / "one") == found(tmp_path / "two")


def test_a_folder_that_holds_something_is_refused(tmp_path: Path) -> None:
    archive = wrapped(tmp_path, "a.py")
    with pytest.raises(UsageError, match="not empty"):
        unpack(archive, tmp_path, NONE)


@pytest.mark.parametrize("name", ["a.tgz", "a.whl", "a.deb", "a.rpm"])
def test_what_is_no_archive_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"not one")
    with pytest.raises(UsageError, match=name):
        unpack(tmp_path / name, tmp_path / "out", NONE)


def test_a_cut_off_archive_is_refused(tmp_path: Path) -> None:
    archive = wrapped(tmp_path, *(f"{number}.py" for number in range(500)))
    archive.write_bytes(archive.read_bytes()[:900])
    with pytest.raises(UsageError, match="cannot be unpacked"):
        unpack(archive, tmp_path / "out", NONE)
