"""Answers of a workspace: the federation's own, each with its JSON document."""

from dataclasses import dataclass
from typing import Any

from ggrep.federation.response import FederatedResponse
from ggrep.federation.slating import FederatedSlate


@dataclass(frozen=True, slots=True)
class WorkspaceAnswer(FederatedResponse):
    """The merged hits of a workspace's repositories; `errors` names those that did not answer."""

    def to_dict(self) -> dict[str, Any]:
        """Return what `ggrep search --workspace --json` prints."""
        return self.to_json()


@dataclass(frozen=True, slots=True)
class WorkspaceSlateAnswer(FederatedSlate):
    """One slate over a workspace; `response.errors` names repositories that did not answer."""

    def to_dict(self) -> dict[str, Any]:
        """Return what `ggrep slate --workspace --json` prints."""
        return self.to_json()
