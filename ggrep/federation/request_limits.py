"""Limits of a federated request: defaults and upper bounds."""

from typing import Final

from ggrep.model.request import MAX_PER_FILE

DEFAULT_TOP: Final = 10

DEFAULT_PER_REPO_TOP: Final = 50
"""Most hits a repository is asked for unless the request says otherwise."""
MAX_PER_REPO_TOP: Final = MAX_PER_FILE

DEFAULT_CONCURRENCY: Final = 4
MAX_CONCURRENCY: Final = 32
"""Most repositories asked at once."""

DEFAULT_RRF_K: Final = 60
MAX_RRF_K: Final = 1_000_000

MAX_TOKENS: Final = 256
"""Most values of one repeatable selection flag."""
MAX_TOKEN_LENGTH: Final = 4096

DEFAULT_SNIPPET_BYTES: Final = 1024 * 1024
"""Most snippet text of one answer."""

SNIPPET_BYTES_PER_HIT: Final = 32_768
"""Most snippet text of one hit; repositories hand over more, so that cuts are said of what is
shown and of nothing else."""

MERGE_RESERVE_MS: Final = 50
"""Time kept back from the deadline for merging and answering; a tenth of it when that is less."""
