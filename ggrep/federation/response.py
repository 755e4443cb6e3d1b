"""The answer of a whole workspace, as every surface returns it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ggrep.federation.answer import FederatedAnswer
from ggrep.federation.response_json import federated_json

if TYPE_CHECKING:
    from ggrep.schemas.federated import FederatedErrorJson, FederatedJson


@dataclass(frozen=True, slots=True)
class FederatedResponse(FederatedAnswer):
    """Everything one federated request returns, and its JSON."""

    def to_json(self) -> "FederatedJson | FederatedErrorJson":
        """Return the contract's JSON object."""
        return federated_json(self)
