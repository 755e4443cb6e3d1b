"""Compiled-in caps: bounds that no file, variable or flag can widen."""

from typing import Final

from ggrep.model.says import MOST_BYTES, MOST_CANDIDATES, MOST_MS

MAX_FILE_SIZE_BYTES: Final = 10 * 1024 * 1024
"""Largest file that is read for indexing."""

MAX_NOTEBOOK_BYTES: Final = 32 * 1024 * 1024
"""Of a notebook, with outputs; what is written in it may be as large as any file."""

MAX_CANDIDATES: Final = MOST_CANDIDATES
"""Most rows kept after scoring and before quotas."""

MAX_QUERY_RESULTS: Final = 200
"""Most hits of one answer."""

MAX_QUERY_PER_FILE: Final = 50
"""Most hits of one file in one answer."""

MAX_TOTAL_SNIPPET_BYTES: Final = 10 * 1024 * 1024
"""Most snippet text of one answer."""

MAX_SNIPPET_BYTES_PER_RESULT: Final = 262_144
"""Most snippet text of one hit."""

MAX_QUERY_TIMEOUT_MS: Final = MOST_MS
"""Longest deadline a query may ask for."""

MAX_STORE_BYTES: Final = MOST_BYTES
"""Largest byte budget of a store that makes sense to write down."""

MAX_REQUEST_BYTES: Final = 16 * 1024 * 1024
"""Largest message a daemon takes."""

MAX_RESPONSE_BYTES: Final = 64 * 1024 * 1024
"""Largest message a daemon sends."""

MAX_CONFIG_FILE_BYTES: Final = 64 * 1024
"""Largest settings file that is parsed."""

MAX_IGNORE_FILE_BYTES: Final = 1024 * 1024
"""Largest ignore file that is parsed."""
