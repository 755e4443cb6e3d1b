"""The answer of a whole workspace, as every surface returns it."""

from dataclasses import dataclass

from ggrep.federation.answer import FederatedAnswer
from ggrep.federation.response_json import federated_json
from ggrep.stable_json import Json


@dataclass(frozen=True, slots=True)
class FederatedResponse(FederatedAnswer):
    """Everything one federated request returns, and its JSON."""

    def to_json(self) -> dict[str, Json]:
        """Return the contract's JSON object."""
        return federated_json(self)
