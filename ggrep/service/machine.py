"""What ggrep stands on here: its home, the encoder, the parsers, the kernel's bounds.

Each check says what was seen; one that asks for something names what mends it.
"""

import platform
import resource
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Literal, TypeAlias

from msgspec import Struct

import ggrep
from ggrep.base.errors import GgrepError
from ggrep.base.linux import most_watches
from ggrep.config.home import Home
from ggrep.config.settings import Settings, load_settings, unknown_variables
from ggrep.parse.languages.grammar_files import damaged_grammar_files
from ggrep.parse.languages.registry import GRAMMARS
from ggrep.service.torch_build import CPU, TorchBuild, installed_torch

State: TypeAlias = Literal["ok", "warning", "problem"]

ROOM_BYTES: Final = 1_000_000_000
"""Free room below which a larger index may not fit."""
LEAST_ROOM_BYTES: Final = 100_000_000
WATCHES: Final = 65_536
"""Directories that may be watched, below which a few large trees are looked at by the clock."""
DESCRIPTORS: Final = 1_024
_REINSTALL: Final = "pip install --force-reinstall ggrep"
CPU_INDEX: Final = "https://download.pytorch.org/whl/cpu"
"""Where PyTorch offers builds for the CPU alone."""


class Check(Struct, frozen=True):
    """One thing that was looked at.

    Attributes:
        name: a short word that stays.
        message: what was seen, one line for people.
        mend: a command, or what to do; empty where no problems.
    """

    name: str
    state: State
    message: str
    mend: str = ""


def examine_machine(home: Home, root: Path, environ: Mapping[str, str]) -> Iterator[Check]:
    """Yield what this machine offers; `root` is a directory whose settings count."""
    version = platform.python_version()
    yield Check("build", "ok", f"ggrep {ggrep.__version__}, Python {version}")
    yield from _settings(home, root, environ)
    if (torch := installed_torch()) is not None:
        yield torch_build(torch)
    yield _home(home)
    yield room(shutil.disk_usage(_existing(home)).free)
    yield _parsers()
    yield from _watches()
    yield descriptors(resource.getrlimit(resource.RLIMIT_NOFILE)[1])


def _settings(home: Home, root: Path, environ: Mapping[str, str]) -> Iterator[Check]:
    for name in unknown_variables(environ):
        told = f"the variable {name} means nothing to this build"
        yield Check("settings", "warning", told, f"unset {name}")
    try:
        settings = load_settings(home, root, environ=environ).settings
    except GgrepError as error:
        yield Check("settings", "problem", str(error), "correct the file or the variable")
        return
    yield Check("settings", "ok", "the settings that count here can be read")
    yield _encoder(settings)


def _encoder(settings: Settings) -> Check:
    """Return whether texts can be encoded; it is tried."""
    from ggrep.index.embedding.encoder_choice import open_encoder

    try:
        encoder = open_encoder(settings.encoder)
    except GgrepError as error:
        mend = "set another encoder, such as static"
        return Check("encoder", "problem", str(error), mend)
    if encoder is None:
        return Check("encoder", "ok", "none: only words and structure are compared")
    length = encoder.encode_documents(["a word"]).shape[1]
    return Check("encoder", "ok", f"{encoder.identity.name}, {length} dimensions")


def torch_build(found: TorchBuild) -> Check:
    """Return whether a torch that is installed takes room for what no encoder uses."""
    told = f"torch {found.version}, a build for {found.made_for}"
    own, brought = f"{found.own_bytes / 1e9:.1f} GB", f"{found.brought_bytes / 1e9:.1f} GB"
    if found.made_for != CPU:
        release = found.version.partition("+")[0]
        mend = f"pip install --force-reinstall --no-deps torch=={release} --index-url {CPU_INDEX}"
        told += f", {own} and {brought} of libraries for it; encoders compute on the CPU alone"
        return Check("torch", "warning", told, mend)
    if not found.brought or found.needed:
        return Check("torch", "ok", f"{told}, {own}")
    told += f", {own}; {brought} of libraries of another build are unused"
    return Check("torch", "warning", told, f"pip uninstall {' '.join(found.brought)}")


def _home(home: Home) -> Check:
    """Return whether the home can hold indexes; it is tried out."""
    from ggrep.index.store.filesystem import ADVICE, probe

    try:
        kind = probe(_existing(home))
    except (GgrepError, OSError) as error:
        return Check("home", "problem", str(error), ADVICE)
    made = "" if home.base.exists() else ", not made yet"
    return Check("home", "ok", f"{home.base} ({kind}{made})")


def _existing(home: Home) -> Path:
    """Return the home, or the nearest directory above that is there."""
    place = home.base
    while not place.exists() and place != place.parent:
        place = place.parent
    return place


def room(free_bytes: int) -> Check:
    """Return whether there is room for indexes, where so much is free."""
    told = f"{free_bytes / 1e9:.1f} GB free"
    if free_bytes >= ROOM_BYTES:
        return Check("room", "ok", told)
    state: State = "warning" if free_bytes >= LEAST_ROOM_BYTES else "problem"
    return Check("room", state, told, "ggrep gc --stores")


def _parsers() -> Check:
    damaged = damaged_grammar_files(deep=False)
    if damaged:
        told = f"{len(damaged)} files of the parsers are not as installed, first {damaged[0]}"
        return Check("parsers", "problem", told, _REINSTALL)
    return Check("parsers", "ok", f"{len(GRAMMARS)} languages are read by their grammar")


def _watches() -> Iterator[Check]:
    most = most_watches()
    if most is not None:
        yield watches(most)


def watches(most: int) -> Check:
    """Return whether enough directories can be watched."""
    told = f"{most:,} directories can be watched"
    if most >= WATCHES:
        return Check("watcher", "ok", told)
    told += "; larger trees are polled"
    return Check("watcher", "warning", told, "sudo sysctl fs.inotify.max_user_watches=524288")


def descriptors(most: int) -> Check:
    """Return whether enough files may be open."""
    if most == resource.RLIM_INFINITY or most >= DESCRIPTORS:
        return Check("files", "ok", "the limit of open files is high enough for daemons")
    return Check(
        "files", "warning", f"no more than {most} files may be open", "as root: ulimit -Hn 65536"
    )
