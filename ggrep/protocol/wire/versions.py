"""Protocol versions of daemon and clients, and the largest frames."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ggrep.base.formats import HEALTH_SCHEMA, QUERY_SCHEMA, STATUS_SCHEMA
from ggrep.config.caps import MAX_REQUEST_BYTES, MAX_RESPONSE_BYTES

PROTOCOL_VERSIONS: Final = (1,)
"""Protocols this build speaks.

1. Frames of a 4-byte length and a JSON object; handshake; requests answered in any order.
"""

NEEDED_SCHEMAS: Final[Mapping[str, int]] = MappingProxyType(
    {"query_success": QUERY_SCHEMA, "status": STATUS_SCHEMA, "health": HEALTH_SCHEMA}
)
"""Documents, and their versions, that a client of this build must be able to ask for."""

DEFAULT_MAX_REQUEST_BYTES: Final = 1024 * 1024
"""Largest frame a daemon reads unless it is told otherwise."""

DEFAULT_MAX_RESPONSE_BYTES: Final = 10 * 1024 * 1024
"""Largest frame a client reads unless it is told otherwise."""

HARD_MAX_REQUEST_BYTES: Final = MAX_REQUEST_BYTES
"""Largest that any setting can make `DEFAULT_MAX_REQUEST_BYTES`."""

HARD_MAX_RESPONSE_BYTES: Final = MAX_RESPONSE_BYTES
"""Largest that any setting can make `DEFAULT_MAX_RESPONSE_BYTES`."""
