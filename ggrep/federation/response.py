"""The answer of a whole workspace, as every surface returns it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ggrep.federation.response_json import federated_json
from ggrep.federation.workspace_answer import FederatedAnswer

if TYPE_CHECKING:
    from ggrep.model.schemas.federated import FederatedErrorJson, FederatedJson


@dataclass(frozen=True, slots=True)
class FederatedResponse(FederatedAnswer):
    """Everything one federated request returns, and its JSON."""

    def to_json(self) -> "FederatedJson | FederatedErrorJson":
        """Return the contract's JSON object."""
        return federated_json(self)
