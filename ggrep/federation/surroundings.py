"""The environment of a workspace watch: files, daemons, and its own settings."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from ggrep.base.clock import Clock
from ggrep.base.errors import GgrepError
from ggrep.base.ids import RepoId
from ggrep.config.home import Home
from ggrep.federation.live import records_of
from ggrep.federation.manifest_file import keep
from ggrep.federation.survey import survey
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_manifest import RepoState, WorkspaceManifest
from ggrep.protocol.client.daemon_address import DaemonAddress, arrange
from ggrep.protocol.client.starting import start_all


class RealSurroundings:
    """The real files and processes of this machine, see `watching.Surroundings`.

    Attributes:
        workspace: may be replaced between two looks, when its file was edited.
    """

    def __init__(
        self,
        workspace: Workspace,
        home: Home,
        environ: Mapping[str, str],
        clock: Clock,
        *,
        flags: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        self.workspace = workspace
        self._home = home
        self._environ = environ
        self._clock = clock
        self._flags = flags

    def survey(self) -> WorkspaceManifest:
        """Return the manifest as it is now."""
        return survey(self.workspace, self._home, self._environ, flags=self._flags)

    def running(self, states: Sequence[RepoState]) -> frozenset[RepoId]:
        """Return the repositories that a daemon serves."""
        return frozenset(records_of(states, self._home))

    def start(self, states: Sequence[RepoState]) -> Mapping[RepoId, str]:
        """Start one host for some repositories; return the reasons for those not served then."""
        failures = {state.repo_id: str(state.error) for state in states if state.error is not None}
        sound = [state for state in states if state.error is None]
        try:
            start_all([self._arrange(state) for state in sound], self._environ)
        except GgrepError as error:
            served = self.running(sound)
            failures |= {one.repo_id: str(error) for one in sound if one.repo_id not in served}
        return failures

    def keep(self, manifest: WorkspaceManifest) -> bool:
        """Write the manifest if it differs; return whether it was written."""
        return keep(manifest, self._home, self._clock.now())

    def _arrange(self, state: RepoState) -> DaemonAddress:
        root = state.repo.root_canonical
        return arrange(root, self._home, environ=self._environ, flags=self._flags)
