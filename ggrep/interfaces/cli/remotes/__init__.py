"""`ggrep remote`, `ggrep push` and `ggrep pull`: snapshots that travel."""
