"""All sabotages, in the order in which they are tried."""

from tests.mutants.sabotages import SABOTAGES, Sabotage
from tests.mutants.sabotages_agents import AGENT_SABOTAGES
from tests.mutants.sabotages_daemon import DAEMON_SABOTAGES
from tests.mutants.sabotages_encoder import ENCODER_SABOTAGES
from tests.mutants.sabotages_federation import FEDERATION_SABOTAGES
from tests.mutants.sabotages_lsp import LSP_SABOTAGES
from tests.mutants.sabotages_packs import PACK_SABOTAGES
from tests.mutants.sabotages_search import SEARCH_SABOTAGES
from tests.mutants.sabotages_slates import SLATE_SABOTAGES
from tests.mutants.sabotages_views import VIEW_SABOTAGES

ALL: tuple[Sabotage, ...] = (
    *SABOTAGES,
    *DAEMON_SABOTAGES,
    *ENCODER_SABOTAGES,
    *FEDERATION_SABOTAGES,
    *SLATE_SABOTAGES,
    *PACK_SABOTAGES,
    *SEARCH_SABOTAGES,
    *AGENT_SABOTAGES,
    *VIEW_SABOTAGES,
    *LSP_SABOTAGES,
)
