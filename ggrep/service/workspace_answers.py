"""Answers of a workspace: the federation's responses, each with its JSON document."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.workspace_slates import FederatedSlate

if TYPE_CHECKING:
    from ggrep.model.schemas.federated import FederatedErrorJson, FederatedJson, FederatedSlateJson


@dataclass(frozen=True, slots=True)
class WorkspaceAnswer(FederatedResponse):
    """The merged hits of a workspace's repositories; `errors` names those that did not answer."""

    def to_dict(self) -> "FederatedJson | FederatedErrorJson":
        """Return what `ggrep search --workspace --json` prints."""
        return self.to_json()


@dataclass(frozen=True, slots=True)
class WorkspaceSlateAnswer(FederatedSlate):
    """One slate over a workspace; `response.errors` names repositories that did not answer."""

    def to_dict(self) -> "FederatedJson | FederatedSlateJson | FederatedErrorJson":
        """Return what `ggrep slate --workspace --json` prints."""
        return self.to_json()
