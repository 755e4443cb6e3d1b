"""Checks the installation: home, encoder, torch, parsers, limits of the kernel, and the cluster."""

import platform
import re
import resource
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import Distribution, distributions, version
from pathlib import Path
from typing import Final, Literal, TypeAlias

from msgspec import Struct

import ggrep
from ggrep.base.errors import GgrepError
from ggrep.base.linux import most_watches
from ggrep.config.home import Home
from ggrep.config.remotes import Remote
from ggrep.config.settings import Settings, load_settings, unknown_variables
from ggrep.parse.languages.grammar_files import damaged_grammar_files
from ggrep.parse.languages.registry import GRAMMARS
from ggrep.service.build_engines.cluster import (
    EXTRA,
    RAY_ADDRESS,
    NoCluster,
    is_installed,
    require_answer,
)

_LIBRARIES: Final = {"torch_cuda": "CUDA", "torch_hip": "ROCm", "torch_xpu": "XPU"}
"""Library files of builds of torch, and the processor of each build."""
_LOCAL: Final = {"cu": "CUDA", "rocm": "ROCm", "xpu": "XPU"}
"""Prefixes of the local part of a version, such as `2.13.0+cu130`, and their processors."""
_BROUGHT: Final = ("nvidia_*", "cuda_*", "triton", "pytorch_triton*")
"""Distributions that only torch builds for GPUs need."""
CPU: Final = "the CPU"


class TorchBuild(Struct, frozen=True):
    """The installed build of torch.

    Attributes:
        brought: installed distributions of GPU libraries that torch depends on.
        needed: whether any other distribution depends on one of `brought`.
    """

    version: str
    made_for: str
    own_bytes: int
    brought: tuple[str, ...] = ()
    brought_bytes: int = 0
    needed: bool = False


def installed_torch(path: Sequence[str] | None = None) -> TorchBuild | None:
    """Return the torch that Python would import; None if torch is not installed."""
    where = list(sys.path if path is None else path)
    torch = next(iter(distributions(name="torch", path=where)), None)
    if torch is None:
        return None
    record = torch.read_text("RECORD") or ""
    beside = _brought(Path(str(torch.locate_file(""))))
    needed = bool(beside) and any(
        _asks_for(each, {*beside})
        for each in distributions(path=where)
        if _plain(each.name) not in {*beside, "torch"}
    )
    return TorchBuild(
        version=torch.version,
        made_for=_made_for(torch.version, record),
        own_bytes=_bytes(record),
        brought=tuple(beside),
        brought_bytes=sum(map(_bytes, beside.values())),
        needed=needed,
    )


def _made_for(version: str, record: str) -> str:
    for library, processor in _LIBRARIES.items():
        if re.search(rf"^torch/lib/(?:lib)?{library}\.", record, re.MULTILINE):
            return processor
    local = version.partition("+")[2]
    return next((processor for begin, processor in _LOCAL.items() if local.startswith(begin)), CPU)


def _brought(site: Path) -> dict[str, str]:
    """Return the texts of the RECORD files of GPU libraries, by distribution."""
    records = {}
    for pattern in _BROUGHT:
        for folder in sorted(site.glob(f"{pattern}-*.dist-info")):
            name = _plain(folder.name.split("-")[0])
            records[name] = ""
            with suppress(OSError):
                records[name] = (folder / "RECORD").read_text(encoding="utf-8")
    return records


def _asks_for(distribution: Distribution, names: set[str]) -> bool:
    return any(
        _plain(required[0]) in names and "extra ==" not in line
        for line in distribution.requires or ()
        if (required := re.match(r"[\w.-]+", line))
    )


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _bytes(record: str) -> int:
    """Return the total size of the files in a RECORD, whose lines end with a size."""
    sizes = (line.rpartition(",")[2] for line in record.splitlines())
    return sum(int(size) for size in sizes if size.isdecimal())


State: TypeAlias = Literal["ok", "warning", "problem"]

ROOM_BYTES: Final = 1_000_000_000
"""Minimum free disk space; with less, a large index may not fit."""
LEAST_ROOM_BYTES: Final = 100_000_000
WATCHES: Final = 65_536
"""Minimum limit of watched directories; below it, large trees are polled."""
DESCRIPTORS: Final = 1_024
_REINSTALL: Final = "pip install --force-reinstall ggrep"
CPU_INDEX: Final = "https://download.pytorch.org/whl/cpu"
"""PyTorch's index of builds for the CPU."""


class Check(Struct, frozen=True):
    """The result of a check.

    Attributes:
        name: a short stable word.
        mend: command or advice to fix the problem; empty if there is no problem.
    """

    name: str
    state: State
    message: str
    mend: str = ""


def examine_machine(home: Home, root: Path, environ: Mapping[str, str]) -> Iterator[Check]:
    """Yield the checks of this machine, under the settings of the directory `root`."""
    version = platform.python_version()
    yield Check("build", "ok", f"ggrep {ggrep.__version__}, Python {version}")
    yield from _settings(home, root, environ)
    if (torch := installed_torch()) is not None:
        yield torch_build(torch)
    yield _home(home)
    yield room(shutil.disk_usage(_existing(home)).free)
    yield _parsers()
    if (most := most_watches()) is not None:
        yield watches(most)
    yield descriptors(resource.getrlimit(resource.RLIMIT_NOFILE)[1])


def _settings(home: Home, root: Path, environ: Mapping[str, str]) -> Iterator[Check]:
    for name in unknown_variables(environ):
        message = f"the variable {name} is unknown to this build"
        yield Check("settings", "warning", message, f"unset {name}")
    try:
        settings = load_settings(home, root, environ=environ).settings
    except GgrepError as error:
        yield Check("settings", "problem", str(error), "correct the file or the variable")
        return
    yield Check("settings", "ok", "all settings that apply here are valid")
    yield _encoder(settings)


def _encoder(settings: Settings) -> Check:
    """Check that the encoder works, by encoding a word."""
    from ggrep.index.embedding.encoder_choice import open_encoder

    try:
        encoder = open_encoder(settings.encoder)
    except GgrepError as error:
        mend = "set another encoder, such as static"
        return Check("encoder", "problem", str(error), mend)
    if encoder is None:
        return Check("encoder", "ok", "none: searches compare words and structure only")
    length = encoder.encode_documents(["a word"]).shape[1]
    return Check("encoder", "ok", f"{encoder.identity.name}, {length} dimensions")


def torch_build(torch: TorchBuild) -> Check:
    """Check whether the installed torch contains GPU libraries, which no encoder uses."""
    message = f"torch {torch.version}, a build for {torch.made_for}"
    own_size, brought = f"{torch.own_bytes / 1e9:.1f} GB", f"{torch.brought_bytes / 1e9:.1f} GB"
    if torch.made_for != CPU:
        release = torch.version.partition("+")[0]
        mend = f"pip install --force-reinstall --no-deps torch=={release} --index-url {CPU_INDEX}"
        message += f", {own_size} and {brought} of libraries for it; encoders only use the CPU"
        return Check("torch", "warning", message, mend)
    if not torch.brought or torch.needed:
        return Check("torch", "ok", f"{message}, {own_size}")
    message += f", {own_size}; {brought} of libraries of another build are unused"
    return Check("torch", "warning", message, f"pip uninstall {' '.join(torch.brought)}")


def _home(home: Home) -> Check:
    """Check that the home can store indexes, by writing a test file."""
    from ggrep.index.store.filesystem import ADVICE, probe

    try:
        kind = probe(_existing(home))
    except (GgrepError, OSError) as error:
        return Check("home", "problem", str(error), ADVICE)
    made = "" if home.base.exists() else ", not created yet"
    return Check("home", "ok", f"{home.base} ({kind}{made})")


def _existing(home: Home) -> Path:
    """Return the home, or its nearest existing parent directory."""
    place = home.base
    while not place.exists() and place != place.parent:
        place = place.parent
    return place


def room(free_bytes: int) -> Check:
    """Check that the free disk space is large enough for indexes."""
    message = f"{free_bytes / 1e9:.1f} GB free"
    if free_bytes >= ROOM_BYTES:
        return Check("room", "ok", message)
    state: State = "warning" if free_bytes >= LEAST_ROOM_BYTES else "problem"
    return Check("room", state, message, "ggrep gc --stores")


def _parsers() -> Check:
    damaged = damaged_grammar_files(deep=False)
    if damaged:
        message = (
            f"{len(damaged)} files of the parsers were changed or removed, for example {damaged[0]}"
        )
        return Check("parsers", "problem", message, _REINSTALL)
    return Check("parsers", "ok", f"{len(GRAMMARS)} languages have a parser")


def watches(most: int) -> Check:
    """Check that enough directories can be watched."""
    message = f"{most:,} directories can be watched"
    if most >= WATCHES:
        return Check("watcher", "ok", message)
    message += "; ggrep checks larger trees for changes at intervals"
    return Check("watcher", "warning", message, "sudo sysctl fs.inotify.max_user_watches=524288")


def descriptors(most: int) -> Check:
    """Check that enough files can be open."""
    if most == resource.RLIM_INFINITY or most >= DESCRIPTORS:
        return Check("files", "ok", "the limit of open files is high enough for daemons")
    return Check(
        "files", "warning", f"no more than {most} files may be open", "as root: ulimit -Hn 65536"
    )


_NO_TELEMETRY: Final = "RAY_USAGE_STATS_ENABLED=0"
STARTS: Final = {
    "ray, head": f"{_NO_TELEMETRY} ray start --head --port=6379 --include-dashboard=false",
    "ray, node": f"{_NO_TELEMETRY} ray start --address=HOST:6379",
    "object store, server": "weed server -dir=/srv/objects -filer -s3 -s3.config=identities.json"
    " -master.telemetry=false",
}
"""Commands that start the parts of a cluster, for use inside the cluster's network only."""


def of_cluster(environ: Mapping[str, str], remotes: tuple[Remote, ...]) -> Iterator[Check]:
    """Yield the checks for `workspace build --engine`, with commands to start a cluster."""
    yield from of_ray(environ.get(RAY_ADDRESS, ""))
    for part, command in STARTS.items():
        yield Check("cluster", "ok", f"{part}: {command}")
    if not remotes:
        yield Check(
            "cluster",
            "warning",
            "no remote is configured; a cluster needs one to return its indexes",
            "ggrep remote add origin URL",
        )


def of_ray(address: str) -> Iterator[Check]:
    """Yield the checks of Ray, and of a cluster if there is an address."""
    if not is_installed():
        yield Check("cluster", "warning", "ray is not installed", EXTRA)
        return
    yield Check("cluster", "ok", f"ray {version('ray')} is installed")
    if not address:
        yield Check("cluster", "ok", f"{RAY_ADDRESS} is not set; builds need --cluster HOST:PORT")
        return
    try:
        require_answer(address)
        yield Check("cluster", "ok", f"ray answers at {address}")
    except NoCluster as error:
        yield Check("cluster", "problem", str(error))
