"""What a cluster needs here: is it installed, how is it started, does it answer?"""

from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Final

from ggrep.config.remotes import Remote
from ggrep.service.build_engines.cluster import (
    EXTRA,
    RAY_ADDRESS,
    NoCluster,
    is_installed,
    require_answer,
)
from ggrep.service.machine import Check

STARTS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "ray": (
        (
            "head",
            "RAY_USAGE_STATS_ENABLED=0 ray start --head --port=6379 --include-dashboard=false",
        ),
        ("node", "RAY_USAGE_STATS_ENABLED=0 ray start --address=HOST:6379"),
    ),
    "object store": (
        (
            "server",
            "weed server -dir=/srv/objects -filer -s3 -s3.config=identities.json"
            " -master.telemetry=false",
        ),
    ),
}
"""How each part is started; what is not for the network of the cluster listens nowhere else."""


def of_cluster(environ: Mapping[str, str], remotes: tuple[Remote, ...]) -> Iterator[Check]:
    """Yield whether what `workspace build --engine` needs is here, and how it is started."""
    yield from _of_ray(environ.get(RAY_ADDRESS, ""))
    for what, starts in STARTS.items():
        for part, command in starts:
            yield Check("cluster", "ok", f"{what}, {part}: {command}")
    if not remotes:
        yield Check(
            "cluster",
            "warning",
            "no remote is configured; a cluster needs one to return its indexes",
            "ggrep remote add origin URL",
        )


def _of_ray(address: str) -> Iterator[Check]:
    if not is_installed():
        yield Check("cluster", "warning", "ray is not installed", EXTRA)
        return
    yield Check("cluster", "ok", f"ray {version('ray')} is installed")
    if not address:
        yield Check("cluster", "ok", f"{RAY_ADDRESS} is not set; else: --cluster HOST:PORT")
        return
    try:
        require_answer(address)
        yield Check("cluster", "ok", f"ray answers at {address}")
    except NoCluster as error:
        yield Check("cluster", "problem", str(error))
