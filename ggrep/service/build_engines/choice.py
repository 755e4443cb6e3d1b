"""Returns the engine that is asked for."""

from collections.abc import Mapping

from ggrep.base.errors import UsageError
from ggrep.service.build_engines.cluster import RAY_ADDRESS, Engine, require_extra
from ggrep.service.build_engines.engine import BuildEngine
from ggrep.service.build_engines.local import LocalEngine


def open_engine(
    name: Engine, address: str | None, environ: Mapping[str, str], *, abreast: int
) -> BuildEngine:
    """Return an engine, connected.

    Args:
        name: of the engine.
        address: of the cluster; None for what the environment says.
        environ: the variables.
        abreast: processes of a local one.

    Raises:
        UsageError: nothing says where the cluster is, or one is said for the local engine.
        NoCluster: it is not installed, or no cluster answers.
    """
    if name == "local":
        if address is not None:
            raise UsageError("--cluster goes with --engine ray")
        return LocalEngine(abreast)
    require_extra()
    found = address or environ.get(RAY_ADDRESS, "")
    if not found:
        raise UsageError(f"no cluster address; give --cluster HOST:PORT, or set {RAY_ADDRESS}")
    from ggrep.service.build_engines.on_cluster import ClusterEngine
    from ggrep.service.build_engines.on_ray import RayCluster

    return ClusterEngine(RayCluster(found))
