"""Carries out a Containerfile without a container engine: each stage is a directory to chroot into.

An engine needs a base image, and not every place where tests run may fetch one. What a file says is
carried out to the letter, in a root of Debian's packages; an instruction that is not known fails.
"""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ggrep.base import stable_json

_SAID = frozenset({"ARG", "EXPOSE", "VOLUME"})
"""Instructions that change nothing of what a stage holds."""
_OF_TOOLS = ("PIP_", "SSL_")
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""What engines give where a file says nothing."""
_CONFIGURED = (
    "/etc/pip.conf",
    "/root/.config/pip/pip.conf",
    "/etc/resolv.conf",
    "/etc/ssl/certs/ca-certificates.crt",
)
"""How registries are reached here."""


@dataclass
class Stage:
    """What an image would be.

    Attributes:
        root: its files.
        user: uid and gid, as `chroot` takes them.
    """

    root: Path
    user: str = "0:0"
    directory: str = "/"
    environ: dict[str, str] = field(default_factory=dict)
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)

    def line(self, *words: str, given: Mapping[str, str] | None = None) -> list[str]:
        """Return the command line that runs `words` in it as its user, with its environment."""
        environ = {"PATH": _PATH, "LANG": "C.UTF-8", **(given or {}), **self.environ}
        variables = [f"{name}={value}" for name, value in environ.items()]
        inside = ["env", "-i", f"--chdir={self.directory}", *variables, *words]
        mounted = f"mount -t proc proc {shlex.quote(str(self.root / 'proc'))} && exec "
        chroot = ["chroot", f"--userspec={self.user}", str(self.root), *inside]
        return ["unshare", "--mount", "sh", "-c", mounted + shlex.join(chroot)]


def instructions(text: str) -> Iterator[tuple[str, str]]:
    """Yield each instruction with what follows it, lines that go on joined."""
    lines = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    for line in lines.replace("\\\n", " ").splitlines():
        if line.strip():
            name, _, rest = line.strip().partition(" ")
            yield name, rest.strip()


def carried_out(file: Path, context: Path, base: Path, work: Path) -> Stage:
    """Return the last stage of a file whose stages all begin with `base`."""
    builder = _Builder(context, base, work)
    for name, rest in instructions(file.read_text(encoding="utf-8")):
        builder.do(name, rest)
    return builder.stage


class _Builder:
    """Carries out one instruction after another."""

    def __init__(self, context: Path, base: Path, work: Path) -> None:
        self._context, self._base, self._work = context, base, work
        self._stages: dict[str, Stage] = {}
        self.stage = Stage(base)

    def do(self, name: str, rest: str) -> None:
        """Carry it out; one that is not known is no attribute of this."""
        if name not in _SAID:
            getattr(self, f"_do_{name.lower()}")(rest)

    def _do_from(self, rest: str) -> None:
        number = str(len(self._stages))
        self.stage = Stage(self._work / f"stage-{number}")
        subprocess.run(["cp", "-a", str(self._base), str(self.stage.root)], check=True)
        _configure(self.stage.root)
        self._stages[rest.partition(" AS ")[2] or number] = self.stage

    def _do_copy(self, rest: str) -> None:
        words = rest.split()
        source = self._context
        if words[0].startswith("--from="):
            source = self._stages[words.pop(0).removeprefix("--from=")].root
        _copy(source, words, self.stage.root)

    def _do_run(self, rest: str) -> None:
        tools = {key: value for key, value in os.environ.items() if key.startswith(_OF_TOOLS)}
        line = self.stage.line("/bin/sh", "-c", rest, given={"HOME": "/root", **tools})
        subprocess.run(line, check=True, stdout=subprocess.DEVNULL)

    def _do_env(self, rest: str) -> None:
        name, _, value = rest.partition("=")
        self.stage.environ[name] = value

    def _do_user(self, rest: str) -> None:
        self.stage.user = rest

    def _do_workdir(self, rest: str) -> None:
        self.stage.directory = rest

    def _do_entrypoint(self, rest: str) -> None:
        self.stage.entrypoint = list(stable_json.loads(rest))

    def _do_cmd(self, rest: str) -> None:
        self.stage.command = list(stable_json.loads(rest))


def _configure(root: Path) -> None:
    for name in _CONFIGURED:
        source, target = Path(name), root / name.lstrip("/")
        if source.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)  # it may be a link, which would lead out of the root
            shutil.copyfile(source, target)


def _copy(source: Path, words: Sequence[str], root: Path) -> None:
    """Copy as `COPY` does: a directory's content, or files into a directory that ends in `/`."""
    *names, into = words
    target = root / into.lstrip("/")
    for name in names:
        result = source / re.sub(r"^/", "", name)
        if result.is_dir():
            shutil.copytree(result, target, symlinks=True, dirs_exist_ok=True)
        else:
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy(result, target)
